"""Refused, left out, said, tried once more (openai-chat §10, §11, openai-responses §10, 2026-11)."""

import pytest

from adapters import json, registry
from adapters.compat import resolve
from adapters.format import Upstream
from adapters.model import Message, Request, Text, Tool

LOOSE = {"type": "object", "properties": {"city": {"type": "string", "minLength": 1}}, "required": ["city"]}
CLOSED = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def asked(**more):
    return Request("m", (Message("user", (Text("hi"),)),), **{"tools": (Tool("f", "d", CLOSED),), **more})


def openai(message, param=None, code=None):
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def mended(name, preset, request, body, status=400):
    """What the second request is, and its warnings; None: there is none."""
    api, upstream = registry.api(name), Upstream("m", "o", resolve(name, preset, {}))
    failure = api.failure(status, {}, json.dumps(body))
    changed = api.mended(request, upstream, failure)
    if changed is None:
        return None
    outgoing = api.encode(changed, upstream)
    assert api.mended(changed, upstream, failure) is None, "once"
    return json.loads(outgoing.body), outgoing.warnings


UNKNOWN = "Unrecognized request argument supplied: {}"
FIELDS = [
    (openai(UNKNOWN.format("stream_options")), {"stream_options"}),
    (openai("Unknown parameter: 'stream_options.include_usage'.", "stream_options.include_usage"), {"stream_options"}),
    ({"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}, {"stream_options"}),
    (openai(UNKNOWN.format("parallel_tool_calls")), {"parallel_tool_calls"}),
    (openai(UNKNOWN.format("stream_options, parallel_tool_calls")), {"stream_options", "parallel_tool_calls"}),
]


@pytest.mark.parametrize(("body", "gone"), FIELDS)
def test_a_field_that_the_upstream_refuses(body, gone):
    sent, warnings = mended("openai-chat", None, asked(stream=True, parallel=False), body)
    assert {"stream_options", "parallel_tool_calls"} - sent.keys() == gone
    assert {f"{name}: left out, the upstream does not take it" for name in gone} <= set(warnings)


@pytest.mark.parametrize(
    ("request_", "body", "status"),
    [
        (asked(), openai(UNKNOWN.format("stream_options")), 400),  # nothing of it was sent
        (asked(stream=True), openai(UNKNOWN.format("stream_options")), 500),
        (asked(stream=True), openai(UNKNOWN.format("tools")), 400),
        (asked(stream=True), openai(UNKNOWN.format("my_stream_options_too")), 400),
        (asked(stream=True), openai("stream_options: prompt is too long", code="context_length_exceeded"), 400),
    ],
)
def test_other_refusals_change_nothing(request_, body, status):
    assert mended("openai-chat", None, request_, body, status) is None


SCHEMA = openai("Invalid schema for function 'f': 'x' is not permitted.", "tools[0].parameters",
                "invalid_function_parameters")  # fmt: skip


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses"])
def test_a_schema_that_was_made_strict_goes_as_it_is(name):
    sent, warnings = mended(name, "openai", asked(tools=(Tool("f", "d", LOOSE, strict=True),)), SCHEMA)
    (tool,) = sent["tools"]
    function = tool.get("function", tool)
    assert (function["strict"], function["parameters"]) == (False, LOOSE)
    assert "tools: sent without strict, the upstream refused a schema in its strict form" in warnings


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses"])
@pytest.mark.parametrize(
    "tool", [Tool("f", "d", CLOSED, strict=True), Tool("f", "d", LOOSE, strict=False), Tool("f", "d", LOOSE)]
)
def test_a_schema_of_the_client_is_its_own_affair(name, tool):
    assert mended(name, "openai", asked(tools=(tool,)), SCHEMA) is None
