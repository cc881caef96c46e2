"""What goes strict on Cohere, which enforces only schemas that require something."""

import json

import pytest

from adapters.format import Upstream
from adapters.formats.cohere_chat import API
from adapters.model import Message, OutputFormat, Request, Text, Tool

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BOUND = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}
OPEN = {"type": "object", "properties": {"city": {"type": "string"}}}


def sent(*tools, output=None, compat=()):
    request = Request("m", (Message("user", (Text("go"),)),), tools=tools, output=output)
    outgoing = API.encode(request, Upstream("command-a-03-2025", "cohere/x", dict(compat)))
    return json.loads(outgoing.body), outgoing.warnings


def wide(count):
    names = [f"p{index}" for index in range(count)]
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}


def test_all_tools_strict():
    made, warnings = sent(Tool("f", "x", CITY, True), Tool("g", "y", wide(199), True))
    assert made["strict_tools"] is True
    assert [tool["function"]["parameters"] for tool in made["tools"]] == [CITY, wide(199)]
    assert warnings == ()


NOT_ALL = "strict: left out, not every tool of the request fits the strict subset"


@pytest.mark.parametrize(("tools", "why"), [
    ([Tool("f", "x", CITY, True), Tool("g", "y", OPEN, True)], NOT_ALL),
    ([Tool("f", "x", CITY, True), Tool("g", "y", {"type": "object", "properties": {}}, True)], NOT_ALL),
    ([Tool("f", "x", CITY, True), Tool("g", "y", BOUND, True)], NOT_ALL),
    ([Tool("f", "x", CITY, True), Tool("g", "y", wide(200), True)],
     "strict: left out, the tools have more than 200 properties"),
])
def test_else_none(tools, why):
    made, warnings = sent(*tools)
    assert "strict_tools" not in made
    assert warnings == (f"tools.f: {why}", f"tools.g: {why}")
    assert made["tools"][0]["function"]["parameters"] == CITY


def test_rewrite_takes_what_must_change():
    made, _ = sent(Tool("f", "x", BOUND, True), compat={"strict_tools": "rewrite"})
    assert made["strict_tools"] is True
    assert "minimum" not in made["tools"][0]["function"]["parameters"]["properties"]["n"]


def test_a_response_format_that_fits():
    made, warnings = sent(output=OutputFormat("schema", CITY, "city"))
    assert made["response_format"] == {"type": "json_object", "json_schema": CITY}
    assert warnings == ()
