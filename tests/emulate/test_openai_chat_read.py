"""Requests of Chat Completions as tasks, and bodies that make no sense at all."""

from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.api import Received, Refused
from proxy.emulate.openai_chat import API
from tests.emulate.breaking import broken

Json = Any
EMPTY = {"type": "object", "properties": {}}


def received(body: Json) -> Received:
    return Received("openai-chat", "POST", "/v1/chat/completions", {}, {}, {}, b"", body)


def task(**body: Json) -> Task:
    return API.read(received({"model": "agent", "messages": [{"role": "user", "content": "hi"}], **body})).task


def function(name: str) -> Json:
    return {"type": "function", "function": {"name": name}}


TOOLS = [function("f"), function("g")]
OFFERED = (Tool("f", EMPTY), Tool("g", EMPTY))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, Task("hi")),
        ({"tools": TOOLS}, Task("hi", OFFERED)),
        ({"tools": TOOLS, "tool_choice": "none"}, Task("hi", OFFERED, "none")),
        ({"tools": TOOLS, "tool_choice": "required"}, Task("hi", OFFERED, "required")),
        ({"tools": TOOLS, "tool_choice": function("g")}, Task("hi", OFFERED, "required", ("g",))),
        (
            {
                "tools": TOOLS,
                "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [function("g")]}},
            },
            Task("hi", OFFERED, "auto", ("g",)),
        ),
        ({"tools": TOOLS, "parallel_tool_calls": False}, Task("hi", OFFERED, parallel=False)),
        ({"tools": [{"type": "custom", "custom": {"name": "q"}}]}, Task("hi", (Tool("q", None),))),
        ({"functions": [{"name": "f"}], "function_call": {"name": "f"}},
         Task("hi", (Tool("f", EMPTY),), "required", ("f",), parallel=False)),
        ({"reasoning_effort": "low"}, Task("hi", reasoning=True)),
        ({"reasoning_effort": "none"}, Task("hi")),
        ({"stop": "x", "max_tokens": 5}, Task("hi", stop=("x",), max_tokens=5)),
        ({"stop": ["x", "y"], "max_completion_tokens": 6}, Task("hi", stop=("x", "y"), max_tokens=6)),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": EMPTY}}},
         Task("hi", output=EMPTY)),
        ({"messages": [{"role": "user", "content": "as json"}], "response_format": {"type": "json_object"}},
         Task("as json", output={})),
        ({"response_format": {"type": "text"}}, Task("hi")),
    ],
)  # fmt: skip
def test_task(body: Json, expected: Task) -> None:
    assert task(**body) == expected


def test_results_of_the_last_turn_with_their_names() -> None:
    calls = [{"id": n, "type": "function", "function": {"name": "f" + n, "arguments": "{}"}} for n in "ab"]
    assistant = {"role": "assistant", "content": None, "tool_calls": calls}
    results = [
        {
            "role": "tool",
            "tool_call_id": "b",
            "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}],
        },
        {"role": "tool", "tool_call_id": "a", "content": ""},
    ]
    user = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    found = task(messages=[user, assistant, *results, assistant, *results])
    assert found == Task("hi", results=(Result("b", "fb", "1\n2"), Result("a", "fa", "")), rounds=2)


BODY: Json = {
    "model": "agent",
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [
            {"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "https://x"}},
        ]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "2", "type": "custom", "custom": {"name": "q", "input": "x"}},
        ]},
        {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "x"}]},
        {"role": "tool", "tool_call_id": "2", "content": "x"},
    ],
    "tools": [
        {"type": "function", "function": {"name": "f", "strict": True, "parameters": {
            "type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]}},
            "required": ["a"], "additionalProperties": False,
            "$defs": {"x": {"type": "array", "items": {"enum": ["a"]}}},
        }}},
        {"type": "custom", "custom": {"name": "q", "format": {
            "type": "grammar", "grammar": {"syntax": "lark", "definition": "x"},
        }}},
    ],
    "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [function("f")]}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
    "stop": ["x"], "metadata": {"a": "b"}, "stream": True, "stream_options": {"include_usage": True},
}  # fmt: skip


def test_the_unbroken_body_is_read() -> None:
    assert API.read(received(BODY)).stream is True


@pytest.mark.parametrize("family", ["", "-gpt-5.4", "-kimi", "-deepseek-v4"])
def test_nonsense_is_read_or_refused_but_never_an_error(family: str) -> None:
    read = 0
    for body in broken({**BODY, "model": f"agent{family}"}):
        try:
            API.read(received(body))
            read += 1
        except Refused as refused:
            assert refused.reply.status in (400, 404)
    assert read
