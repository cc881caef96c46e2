"""Every rule of Cohere's chat, with a request that breaks it and what the API says; requests as tasks; nonsense."""

import json
from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.api import Received, Refused
from proxy.emulate.cohere_chat import API
from tests.emulate.breaking import broken
from tests.emulate.turns import turn_of

Json = Any
EMPTY: Json = {"type": "object", "properties": {}}
STRING = {"type": "string"}
ONE: Json = {"type": "object", "properties": {"a": STRING}, "required": ["a"]}
USER = {"role": "user", "content": "hi"}
SYSTEM = {"role": "system", "content": "x"}
TEXT = {"role": "assistant", "content": "x"}


def function(name: str = "f", parameters: Json = ONE, **more: Json) -> Json:
    return {"type": "function", "function": {"name": name, "parameters": parameters, **more}}


def prop(**schema: Json) -> Json:
    return {"tools": [function(parameters={"type": "object", "properties": {"a": schema}, "required": ["a"]})]}


def strict(**schema: Json) -> Json:
    return {**prop(**schema), "strict_tools": True}


def output(schema: Json) -> Json:
    return {"response_format": {"type": "json_object", "json_schema": schema}}


def calls(*identifiers: str, **more: Json) -> Json:
    made = [{"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}} for one in identifiers]
    return {"role": "assistant", "tool_calls": made, **more}


def result(identifier: str = "c1", **more: Json) -> Json:
    return {"role": "tool", "tool_call_id": identifier, "content": "ok", **more}


def said(*messages: Json) -> Json:
    return {"messages": list(messages)}


def asked(changes: Json) -> Received:
    merged = {"model": "agent", "messages": [USER], **changes}
    body = {name: value for name, value in merged.items() if value is not ...}
    return Received("cohere-chat", "POST", "/v2/chat", {}, {}, {}, b"", body)


def unknown(name: str) -> str:
    return f"unknown field: parameter '{name}' is not a valid field."


REFUSED: list[tuple[str, Json, int, str]] = [
    # names
    *((name, {name: 1}, 422, unknown(name))
      for name in ("n", "user", "top_p", "top_k", "stop", "parallel_tool_calls", "store", "stream_options")),
    ("in a function", {"tools": [function(strict=True)]}, 422, unknown("strict")),
    ("in a tool", {"tools": [{**function(), "cache_control": {}}]}, 422, unknown("cache_control")),
    ("in a user", said({**USER, "name": "ada"}), 422, unknown("name")),
    ("in an assistant", said(USER, {**TEXT, "reasoning_content": "x"}, USER), 422, unknown("reasoning_content")),
    ("in a result", said(USER, calls("c1"), result(name="f")), 422, unknown("name")),
    ("in a call", said(USER, {**calls(), "tool_calls": [{**calls("c1")["tool_calls"][0], "index": 0}]}, result()), 422,
     unknown("index")),
    ("in thinking", {"thinking": {"type": "enabled", "budget_tokens": 1}}, 422, unknown("budget_tokens")),
    # values
    ("no model", {"model": ...}, 400, "model is required"),
    ("no messages", {"messages": ...}, 400, "messages is required"),
    ("empty messages", {"messages": []}, 400, "messages must not be empty"),
    ("temperature", {"temperature": 1.1}, 400, "temperature must be between 0 and 1.0"),
    ("p", {"p": 1}, 400, "p must be between 0.01 and 0.99"),
    ("k", {"k": 501}, 400, "k must be between 0 and 500"),
    ("penalty", {"presence_penalty": -0.1}, 400, "presence_penalty must be between 0 and 1.0"),
    ("both penalties", {"presence_penalty": 0.1, "frequency_penalty": 0.1}, 400, "cannot be used together"),
    ("six stops", {"stop_sequences": list("abcdef")}, 400, "at most 5"),
    ("stop text", {"stop_sequences": "a"}, 400, "stop_sequences must be an array"),
    ("max_tokens", {"max_tokens": -1}, 400, "max_tokens is too small"),
    ("seed", {"seed": 1.5}, 400, "seed must be an integer"),
    ("choice", {"tools": [function()], "tool_choice": "required"}, 400, "tool_choice must be one of REQUIRED, NONE"),
    ("choice auto", {"tools": [function()], "tool_choice": "AUTO"}, 400, "must be one of REQUIRED, NONE"),
    ("choice object", {"tools": [function()], "tool_choice": {"type": "function"}}, 400, "must be one of"),
    ("choice alone", {"tool_choice": "REQUIRED"}, 400, "tool_choice REQUIRED needs tools"),
    ("safety", {"safety_mode": "NONE"}, 400, "must be one of CONTEXTUAL, STRICT, OFF"),
    ("safety with tools", {"safety_mode": "STRICT", "tools": [function()]}, 400, "not configurable with tools"),
    ("safety with documents", {"safety_mode": "OFF", "documents": ["x"]}, 400, "not configurable"),
    ("citations", {"citation_options": {"mode": "on"}}, 400, "must be one of ENABLED"),
    ("document", {"documents": [{"id": "x"}]}, 400, "documents[0].data is required"),
    # messages
    ("developer", said({"role": "developer", "content": "x"}), 400, "messages[0].role must be one of system, user"),
    ("later system", said(USER, SYSTEM), 400, "system turn must be the first in the list"),
    ("two systems", said(SYSTEM, SYSTEM, USER), 400, "system turn must be the first in the list"),
    ("empty user", said({"role": "user", "content": ""}), 400, "message must not be empty in a turn"),
    ("empty assistant", said(USER, {"role": "assistant", "content": []}, USER), 400, "must not be empty in a turn"),
    ("no user content", said({"role": "user"}), 400, "messages[0].content is required"),
    ("part", said({"role": "user", "content": [{"type": "file"}]}), 400,
     "content[0].type must be one of text, image_url"),
    ("image text", said({"role": "user", "content": [{"type": "image_url", "image_url": "https://x"}]}), 400, "object"),
    ("image url", said({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}), 400, "URL"),
    ("no tool id", said(USER, calls("c1"), {"role": "tool", "content": "x"}), 400, "tool call id must be provided"),
    ("unknown tool id", said(USER, calls("c1"), result("c2")), 400, "tool call id not found in previous tool calls"),
    ("two results", said(USER, calls("c1"), result(), result()), 400, "cannot have duplicate tool ids"),
    ("id used again", said(USER, calls("c1"), result(), calls("c1"), result()), 400, "cannot have duplicate tool ids"),
    ("same ids", said(USER, calls("c1", "c1"), result()), 400, "cannot have duplicate tool ids"),
    ("missing result", said(USER, calls("c1", "c2"), result(), USER), 400, "without a tool message: c2"),
    ("missing at the end", said(USER, calls("c1")), 400, "without a tool message: c1"),
    ("empty result", said(USER, calls("c1"), result(content="")), 400, "message must not be empty in a turn (tool)"),
    ("arguments", said(USER, {"role": "assistant", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {}}}]}, result()), 400,
     "arguments must be a string"),
    ("no call type", said(USER, {"role": "assistant", "tool_calls": [
        {"id": "c1", "function": {"name": "f", "arguments": ""}}]}, result()), 400, "type is required"),
    # tools
    *((f"name {name}", {"tools": [function(name)]}, 400, "tool names can only contain certain characters (A-Za-z0-9_)")
      for name in ("a-b", "1a", "a.b", "", "größe")),
    ("same names", {"tools": [function(), function()]}, 400, "tool names must be unique"),
    ("nothing", {"tools": [{"type": "function", "function": {"name": "f"}}]}, 400, "must have a description or param"),
    ("tool type", {"tools": [{"type": "web", "function": {}}]}, 400, "tools[0].type must be one of function"),
    ("root", {"tools": [function(parameters={"type": "array", "items": STRING})]}, 400, "schema must be an object"),
    ("empty parameters", {"tools": [function(parameters={})]}, 400, "schema must be an object"),
    ("no schema", {"tools": [function(parameters={"type": "object", "properties": []})]}, 400,
     "not a valid JSON schema"),
    ("untyped", prop(description="x"), 400, "property a must have a type"),
    ("untyped enum", prop(enum=["x"]), 400, "property a must have a type"),
    ("untyped deep", prop(type="object", properties={"b": {}}), 400, "property b must have a type"),
    ("required", {"tools": [function(parameters={**EMPTY, "required": ["b"]})]}, 400, "property b is not defined"),
    ("strict without required", {"tools": [function(parameters=EMPTY)], "strict_tools": True}, 400,
     "at least one requ"),
    ("strict without parameters", {"tools": [{"type": "function", "function": {"name": "f", "description": "x"}}],
                                   "strict_tools": True}, 400, "at least one required"),
    *((f"strict {name}", strict(type="string", **{name: value}), 400, f"'{name}' is not supported")
      for name, value in {"minLength": 1, "oneOf": [{}], "not": {}, "maximum": 1, "uniqueItems": True}.items()),
    ("strict format", strict(type="string", format="email"), 400, "format 'email' is not supported"),
    ("strict regex", strict(type="string", pattern="^a$"), 400, "not supported"),
    ("201 fields", {"tools": [function(parameters={**ONE, "properties": {f"a{i}": STRING for i in range(200)} | {
        "a": STRING}})], "strict_tools": True}, 400, "at most 200 fields"),
    # output
    ("format type", {"response_format": {"type": "json_schema"}}, 400, "must be one of text, json_object"),
    ("format with tools", {**output(ONE), "tools": [function()]}, 400, "is not supported with tools"),
    ("format with documents", {**output(ONE), "documents": ["x"]}, 400, "is not supported with documents"),
    ("format root", output({"type": "array", "items": STRING}), 400, "schema must be an object"),
    ("format without required", output(EMPTY), 400, "at least one required property"),
    ("format deep", output({**ONE, "properties": {"a": EMPTY}}), 400, "at least one required property"),
    ("format keyword", output({**ONE, "properties": {"a": {**STRING, "maxLength": 3}}}), 400, "'maxLength'"),
    # families
    ("no thinking", {"model": "agent-command-r7b", "thinking": {"type": "enabled"}}, 400, "thinking is not supported"),
    ("no REQUIRED", {"model": "agent-command-r-plus", "tools": [function()], "tool_choice": "REQUIRED"}, 422, "choice"),
    ("too much", {"model": "agent-command-a-03", "max_tokens": 8193}, 400,
     "too many tokens: max tokens must be less than or equal to 8192, the maximum output"),
    ("no images", {"model": "agent-command-a-03", **said({"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "https://x"}}]})}, 400, "does not support images"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "changes", "status", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, changes: Json, status: int, message: str) -> None:
    with pytest.raises(Refused) as caught:
        API.read(asked(changes))
    assert caught.value.reply.status == status
    assert message in json.loads(caught.value.reply.body)["message"]


TOOLS = [function(), {"type": "function", "function": {"name": "g_1", "description": "x"}}]
OFFERED = (Tool("f", ONE), Tool("g_1", EMPTY))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Task("hi", aloud=True)),
        ({"temperature": 0, "p": 0.99, "k": None, "tools": None, "strict_tools": None}, Task("hi", aloud=True)),
        (said(SYSTEM, USER, TEXT, USER), Task("hi", aloud=True)),
        (said({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
         Task("a\nb", aloud=True)),
        (said({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]}),
         Task("", aloud=True)),
        (said(USER, calls("c1", "c2", tool_plan="x"), result("c2"), result("c1", content=[
            {"type": "document", "document": {"data": {"a": 1}}}, {"type": "text", "text": "x"}])),
         Task("hi", results=(Result("c2", "f", "ok"), Result("c1", "f", '{"a":1}\nx')), rounds=1, aloud=True)),
        (said(USER, calls("c1", content=[{"type": "thinking", "thinking": "x"}]), result()),
         Task("hi", results=(Result("c1", "f", "ok"),), rounds=1, aloud=True)),
        ({"tools": TOOLS}, Task("hi", OFFERED, aloud=True)),
        ({"tools": TOOLS, "tool_choice": "REQUIRED"}, Task("hi", OFFERED, "required", aloud=True)),
        ({"tools": TOOLS, "tool_choice": "NONE"}, Task("hi", OFFERED, "none", aloud=True)),
        ({"tools": [function()], "strict_tools": True}, Task("hi", (Tool("f", ONE),), aloud=True)),
        (prop(type=["string", "null"]),
         Task("hi", (Tool("f", {**ONE, "properties": {"a": {"type": ["string", "null"]}}}),), aloud=True)),
        (prop(**{"$ref": "#/$defs/x"}),
         Task("hi", (Tool("f", {**ONE, "properties": {"a": {"$ref": "#/$defs/x"}}}),), aloud=True)),
        ({"thinking": {"type": "enabled", "token_budget": 9}}, Task("hi", reasoning=True)),
        ({"thinking": {"type": "disabled"}}, Task("hi", aloud=True)),
        ({"model": "agent-command-a-reasoning"}, Task("hi", reasoning=True)),
        ({"model": "agent-command-a-reasoning", "thinking": {"type": "disabled"}}, Task("hi", aloud=True)),
        ({"stop_sequences": ["x"], "max_tokens": 5}, Task("hi", stop=("x",), max_tokens=5, aloud=True)),
        ({"response_format": {"type": "json_object"}}, Task("hi", output={}, aloud=True)),
        (output(ONE), Task("hi", output=ONE, aloud=True)),
        ({"response_format": {"type": "json_object", "schema": ONE}}, Task("hi", output=ONE, aloud=True)),
        ({"response_format": {"type": "text"}, "documents": ["x", {"id": "1", "data": {}}]}, Task("hi", aloud=True)),
    ],
)  # fmt: skip
def test_task(changes: Json, expected: Task) -> None:
    assert API.read(asked(changes)).task == expected


BODY: Json = {
    "messages": [
        {"role": "system", "content": [{"type": "text", "text": "x"}]},
        {"role": "user", "content": [
            {"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "https://x", "detail": "low"}}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}], "tool_plan": "x", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": [
            {"type": "document", "document": {"id": "1", "data": {"a": 1}}}]},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "description": "x", "parameters": {
        "type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/x"}}},
        "required": ["a"], "additionalProperties": False, "$defs": {"x": {"type": "string", "enum": ["a"]}},
    }}}],
    "tool_choice": "REQUIRED", "strict_tools": True, "stop_sequences": ["x"], "stream": True, "logprobs": True,
    "thinking": {"type": "enabled", "token_budget": 9}, "max_tokens": 99, "citation_options": {"mode": "FAST"},
}  # fmt: skip


@pytest.mark.parametrize("more", [{}, {"tools": None, "tool_choice": None, **output(ONE)}])
def test_nonsense_is_read_or_refused_but_never_an_error(more: Json) -> None:
    read = 0
    for body in broken({**BODY, **more}):
        try:
            turn = turn_of(API, asked(body))
            read += 1
        except Refused as refused:
            assert refused.reply.status in (400, 422)
            continue
        API.whole(turn)
        API.stream(turn)
    assert read
    nonsense: list[Json] = [[], "x", 3]
    for value in nonsense:
        with pytest.raises(Refused):
            API.read(Received("", "POST", "", {}, {}, {}, b"", value))
