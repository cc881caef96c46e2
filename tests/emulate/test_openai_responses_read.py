"""Requests of Responses as tasks, and bodies that make no sense at all."""

from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.api import Received, Refused
from proxy.emulate.openai_responses import API
from proxy.emulate.openai_responses_tools import echoed, normalized
from tests.emulate.breaking import broken

Json = Any
EMPTY = {"type": "object", "properties": {}, "required": []}
OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}


def received(body: Json) -> Received:
    return Received("openai-responses", "POST", "/v1/responses", {}, {}, {}, b"", body)


def task(**body: Json) -> Task:
    return API.read(received({"model": "agent", "input": "hi", **body})).task


def function(name: str, **more: Json) -> Json:
    return {"type": "function", "name": name, **more}


def call(name: str, identifier: str, **more: Json) -> Json:
    return {"type": "function_call", "call_id": identifier, "name": name, "arguments": "{}", **more}


def output(identifier: str, text: Json) -> Json:
    return {"type": "function_call_output", "call_id": identifier, "output": text}


TOOLS = [function("f"), function("g")]
OFFERED = (Tool("f", EMPTY), Tool("g", EMPTY))
SPACE = {"type": "namespace", "name": "n", "description": "d", "tools": [function("f")]}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, Task("hi")),
        ({"input": [{"role": "user", "content": [{"type": "input_text", "text": "x"}]}]}, Task("x")),
        ({"tools": TOOLS}, Task("hi", OFFERED)),
        ({"tools": TOOLS, "tool_choice": "none"}, Task("hi", OFFERED, "none")),
        ({"tools": TOOLS, "tool_choice": "required"}, Task("hi", OFFERED, "required")),
        ({"tools": TOOLS, "tool_choice": function("g")}, Task("hi", OFFERED, "required", ("g",))),
        ({"tools": TOOLS, "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [function("g")]}},
         Task("hi", OFFERED, "auto", ("g",))),
        ({"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}}, Task("hi", choice="none")),
        ({"tools": TOOLS, "parallel_tool_calls": False}, Task("hi", OFFERED, parallel=False)),
        ({"tools": [{"type": "custom", "name": "q"}, SPACE]}, Task("hi", (Tool("q", None), Tool("n.f", EMPTY)))),
        ({"tools": [function("f", parameters=OPEN)]}, Task("hi", (Tool("f", {**OPEN, "required": ["a"]}),))),
        ({"tools": [function("f", parameters=OPEN, strict=False)]}, Task("hi", (Tool("f", OPEN),))),
        ({"model": "quirk-null-optionals", "tools": [function("f", parameters=OPEN)]}, Task("hi", (Tool("f", {
            "type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"], "additionalProperties": False,
        }),))),
        ({"reasoning": {"effort": "low"}}, Task("hi", reasoning=True)),
        ({"reasoning": {"effort": "none"}}, Task("hi")),
        ({"reasoning": {"summary": "auto"}}, Task("hi", reasoning=True)),
        ({"model": "agent-gpt-5"}, Task("hi", reasoning=True)),
        ({"model": "agent-gpt-5.1"}, Task("hi")),
        ({"model": "agent-gpt-4o"}, Task("hi")),
        ({"max_output_tokens": 20}, Task("hi", max_tokens=20)),
        ({"text": {"format": {"type": "json_schema", "name": "a", "schema": EMPTY}}}, Task("hi", output=EMPTY)),
        ({"input": "as json", "text": {"format": {"type": "json_object"}}}, Task("as json", output={})),
    ],
)  # fmt: skip
def test_task(body: Json, expected: Task) -> None:
    assert task(**body) == expected


def test_results_of_the_last_turn_with_their_names() -> None:
    turn = [call("fa", "a"), call("f", "b", namespace="n"), output("b", [{"type": "input_text", "text": "1"}])]
    user = {"role": "user", "content": "hi"}
    found = task(input=[user, *turn, output("a", ""), *turn, output("a", "2")])
    assert found == Task("hi", results=(Result("b", "n.f", "1"), Result("a", "fa", "2")), rounds=2)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, {"type": "object"}),
        (EMPTY, {**EMPTY, "additionalProperties": False}),
        (
            {"type": "object", "properties": {"a": {"enum": [1]}, "b": {"type": "array", "items": OPEN}},
             "required": ["b"]},
            {
                "type": "object",
                "properties": {
                    "a": {"anyOf": [{"enum": [1]}, {"type": "null"}]},
                    "b": {"type": "array", "items": {
                        "type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"],
                        "additionalProperties": False,
                    }},
                },
                "required": ["a", "b"],
                "additionalProperties": False,
            },
        ),
    ],
)  # fmt: skip
def test_normalized(schema: Json, expected: Json) -> None:
    assert normalized(schema) == expected


def test_echo() -> None:
    loose = {"type": "object", "properties": {"a": {"minLength": 1}}}
    assert echoed(function("f", parameters=loose)) == {
        "type": "function", "name": "f", "description": None, "parameters": loose, "strict": False,
    }  # fmt: skip
    assert echoed(function("f", parameters=OPEN, strict=False))["parameters"] == OPEN
    assert echoed({**SPACE, "tools": [function("f", parameters=OPEN)]})["tools"][0]["strict"] is True
    assert echoed({"type": "web_search"}) == {"type": "web_search"}


BODY: Json = {
    "model": "agent",
    "instructions": "x",
    "input": [
        {"type": "message", "role": "developer", "content": "x"},
        {"role": "user", "content": [
            {"type": "input_text", "text": "x"}, {"type": "input_image", "image_url": "https://x"},
        ]},
        {"type": "reasoning", "id": "rs_x", "summary": [{"type": "summary_text", "text": "x"}],
         "content": [{"type": "reasoning_text", "text": "x"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "x"}], "phase": "commentary"},
        {"type": "function_call", "id": "fc_1", "call_id": "1", "name": "f", "arguments": "{}", "status": "completed"},
        {"type": "custom_tool_call", "call_id": "2", "name": "q", "input": "x"},
        {"type": "function_call_output", "call_id": "1", "output": [{"type": "input_text", "text": "x"}]},
        {"type": "custom_tool_call_output", "call_id": "2", "output": "x"},
    ],
    "tools": [
        {"type": "function", "name": "f", "strict": None, "parameters": {
            "type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]}},
            "required": ["a"], "additionalProperties": False,
            "$defs": {"x": {"type": "array", "items": {"enum": ["a"]}}},
        }},
        {"type": "custom", "name": "q", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"type": "namespace", "name": "n", "description": "x", "tools": [
            {"type": "function", "name": "f", "defer_loading": True}]},
        {"type": "tool_search", "execution": "server"},
        {"type": "mcp", "server_label": "x"},
    ],
    "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [function("f")]},
    "text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}},
    "reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"],
    "metadata": {"a": "b"}, "stream": True, "stream_options": {"include_obfuscation": True},
}  # fmt: skip


def test_the_unbroken_body_is_read() -> None:
    assert API.read(received(BODY)).stream is True


@pytest.mark.parametrize("family", ["", "-gpt-5.4", "-gpt-oss"])
def test_nonsense_is_read_or_refused_but_never_an_error(family: str) -> None:
    read = 0
    for body in broken({**BODY, "model": f"agent{family}"}):
        try:
            ask = API.read(received(body))
            read += 1
        except Refused as refused:
            assert refused.reply.status in (400, 404)
            continue
        API.error_frame(ask)
    assert read
