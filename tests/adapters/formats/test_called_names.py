"""Whom a model calls, for every API: the tool it names, in the wire's spelling or the client's, and never another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters import registry
from adapters.events import CallStart, fold
from adapters.format import Reading
from adapters.model import ToolCall
from adapters.restore import Restorer
from adapters.tools.ids import CHAT
from tests.adapters.formats.test_after_the_end import frame, sse

TOOLS = frozenset({"github", "github.delete_repo", "read", "a.b", "a_b"})
NAMES = {"github_delete_repo": "github.delete_repo", "a_b_5d6c1f0e": "a.b"}
READING = Reading("m", declared=TOOLS, names=NAMES, schemas=dict.fromkeys(TOOLS, b"{}"))

ROWS = [
    ("github", "github"),
    ("github.delete_repo", "github.delete_repo"),
    ("github_delete_repo", "github.delete_repo"),
    ("a.b", "a.b"),
    ("a_b", "a_b"),
    ("a_b_5d6c1f0e", "a.b"),
    ("github.create_issue", "github.create_issue"),
    ("github/delete", "github/delete"),
    ("read file", "read file"),
    ("Read", "Read"),
]


def whole(api: str, name: str) -> bytes:
    """An answer of one call."""
    function = {"id": "abcdefghi", "type": "function", "function": {"name": name, "arguments": '{"x":1}'}}
    message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [function]}
    body: Any = {
        "ollama-chat": {"model": "m", "done": True, "done_reason": "stop", "message": {
            "role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": {"x": 1}}}]}},
        "google-gemini": {"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
            {"functionCall": {"name": name, "args": {"x": 1}}}]}}]},
        "cohere-chat": {"id": "1", "finish_reason": "TOOL_CALL", "message": message},
        "anthropic-messages": {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use", "usage": {},
            "content": [{"type": "tool_use", "id": "toolu_1", "name": name, "input": {"x": 1}}]},
        "openai-responses": {"id": "r", "status": "completed", "output": [
            {"type": "function_call", "id": "fc_1", "call_id": "c", "name": name, "arguments": '{"x":1}'}]},
        "bedrock-converse": {"stopReason": "tool_use", "output": {"message": {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "t", "name": name, "input": {"x": 1}}}]}}},
    }.get(api, {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]})
    return json.dumps(body).encode()


def streamed(api: str, name: str) -> bytes:
    """The same, streamed."""
    if api in ("openai-chat", "mistral-chat"):
        body = json.loads(whole(api, name))
        body["choices"][0]["delta"] = body["choices"][0].pop("message")
        return sse(body) + b"data: [DONE]\n\n"
    if api == "google-gemini":
        return sse(json.loads(whole(api, name)))
    if api == "cohere-chat":
        call = json.loads(whole(api, name))["message"]["tool_calls"][0]
        return sse(
            {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant"}}},
            {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": call}}},
            {"type": "tool-call-end", "index": 0},
            {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
        )
    if api == "anthropic-messages":
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": '{"x":1}'}
        return sse(
            {"type": "message_start", "message": json.loads(whole(api, name)) | {"content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
            {"type": "message_stop"},
        )
    if api == "openai-responses":
        response = json.loads(whole(api, name))
        item = response["output"][0]
        return sse(
            {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": ""}},
            {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0,
             "delta": '{"x":1}'},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        )
    if api == "bedrock-converse":
        start = {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t", "name": name}}}
        return b"".join((
            frame("messageStart", {"role": "assistant"}),
            frame("contentBlockStart", start),
            frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"x":1}'}}}),
            frame("contentBlockStop", {"contentBlockIndex": 0}),
            frame("messageStop", {"stopReason": "tool_use"}),
        ))
    return whole(api, name) + b"\n"


@pytest.mark.parametrize("api", sorted(registry.APIS))
@pytest.mark.parametrize(("named", "called"), ROWS)
def test_the_named_tool_is_called_and_no_other(api: str, named: str, called: str) -> None:
    found = registry.api(api)
    assert found is not None
    decoder = found.decoder(READING)
    body = streamed(api, named)
    for events in (found.whole(whole(api, named), READING, {}), [*decoder.feed(body), *decoder.close()]):
        (call,) = fold(Restorer(READING, CHAT, lambda n: "x" * n).feed(events)).parts
        assert isinstance(call, ToolCall) and (call.name, json.loads(call.arguments)) == (called, {"x": 1})
        assert sum(isinstance(event, CallStart) for event in events) == 1


PIECEMEAL = [
    (["functions.run"], "functions.run", "functions.run"),
    (["get_weather"], "functions.get_weather", "get_weather"),
    (["get_weather"], "get_weather<|channel|>commentary", "get_weather"),
    (["get_weather"], "get_weather ", "get_weather"),
    (["get_weather", "ns.get"], "ns.get_weather", "ns.get_weather"),
    (["get_weather"], "Get_Weather", "Get_Weather"),
    (["fs", "fs.read"], "fs.write", "fs.write"),
    (["fs", "fs.read"], "fs.read", "fs.read"),
    (["zzz"], "read_file", "read_file"),
]


@pytest.mark.parametrize("size", [3, 5, 100])
@pytest.mark.parametrize("tools, name, called", PIECEMEAL, ids=[name for _, name, _ in PIECEMEAL])
@pytest.mark.parametrize("api", ["openai-chat", "mistral-chat"])
def test_a_name_in_pieces_is_the_name_that_comes_whole(
    api: str, tools: list[str], name: str, called: str, size: int
) -> None:
    """Its beginning is never taken for it, however well it fits another tool."""
    first, *rest = [name[at : at + size] for at in range(0, len(name), size)]
    functions: list[dict[str, Any]] = [
        {"id": "abcdefghi", "type": "function", "function": {"name": first, "arguments": ""}},
        *({"function": {"name": piece}} for piece in rest), {"function": {"arguments": '{"x":1}'}},
    ]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **one}]}}]} for one in functions]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    found = registry.api(api)
    assert found is not None
    decoder = found.decoder(Reading("m", declared=frozenset(tools), schemas=dict.fromkeys(tools, b"{}")))
    events = [*decoder.feed(sse(*chunks, end) + b"data: [DONE]\n\n"), *decoder.close()]
    assert [(call.name, call.arguments) for call in fold(events).parts if isinstance(call, ToolCall)] == [
        (called, '{"x":1}')]
