"""What a conversation asks for, whatever programs put between and behind its messages."""

import json
from typing import Any

import pytest

from proxy.emulate.api import Received
from proxy.emulate.registry import APIS
from proxy.emulate.turns import Asked, Entry, asked

HI, NOTE, MORE = Entry("user", "hi"), Entry("user", "note"), Entry("user", "more")
CALL, TEXT, GIVEN, SYSTEM = Entry("model", calls=True), Entry("model"), Entry("results"), Entry("other")


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], Asked("", 0, 0)),
        ([SYSTEM, HI], Asked("hi", 0, 0)),
        ([HI, NOTE], Asked("hi\nnote", 0, 0)),
        ([HI, SYSTEM, NOTE], Asked("hi\nnote", 0, 0)),
        ([HI, TEXT, MORE], Asked("more", 0, 2)),
        ([HI, CALL, GIVEN], Asked("hi", 1, 2)),
        ([HI, NOTE, CALL, GIVEN, GIVEN], Asked("hi\nnote", 1, 3)),
        ([HI, CALL, CALL, GIVEN, GIVEN, CALL, GIVEN], Asked("hi", 2, 6)),
        ([HI, CALL, GIVEN, NOTE], Asked("note", 1, 2)),
        ([HI, CALL, GIVEN, NOTE, CALL, GIVEN, NOTE], Asked("note", 2, 5)),
        ([HI, CALL, GIVEN, TEXT, MORE], Asked("more", 0, 4)),
        ([HI, CALL, GIVEN, TEXT, MORE, CALL, GIVEN], Asked("more", 1, 6)),
        ([HI, CALL, TEXT], Asked("hi", 1, 3)),
    ],
)
def test_what_is_asked(entries: list[Entry], expected: Asked) -> None:
    assert asked(entries) == expected


# --- a program that sends a note behind the user's text and behind results (OpenClaw, 2026-11) ---------------------

TOOL = {"name": "read", "parameters": {"type": "object", "properties": {}}}
CHAT: Any = {
    "model": "agent",
    "tools": [{"type": "function", "function": TOOL}],
    "messages": [
        {"role": "user", "content": "Call the tool read."}, {"role": "user", "content": "none"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}, {"role": "user", "content": "none"},
    ],
}  # fmt: skip
RESPONSES: Any = {
    "model": "agent",
    "tools": [{"type": "function", **TOOL}],
    "input": [
        *CHAT["messages"][:2],
        {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "sunny"}, CHAT["messages"][4],
    ],
}  # fmt: skip
GEMINI: Any = {
    "tools": [{"functionDeclarations": [{"name": "read"}]}],
    "contents": [
        {"role": "user", "parts": [{"text": "Call the tool read."}, {"text": "none"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"result": "sunny"}}}]},
        {"role": "user", "parts": [{"text": "none"}]},
    ],
}


def task(api: str, body: Any, upto: int) -> Any:
    place = next(name for name in ("messages", "input", "contents") if name in body)
    body = json.loads(json.dumps({**body, place: body[place][:upto]}))
    (found,) = (one for one in APIS if one.name == api)
    params = {"version": "v1beta", "model": "agent"}
    return found.read(Received(api, "POST", "/v1:generateContent", {}, params, {}, b"", body)).task


@pytest.mark.parametrize(("api", "body", "first"), [
    ("openai-chat", CHAT, 2), ("cohere-chat", CHAT, 2), ("openai-responses", RESPONSES, 2),
    ("google-gemini", GEMINI, 1),
])  # fmt: skip
def test_notes_hide_neither_the_request_nor_the_results(api: str, body: Any, first: int) -> None:
    assert task(api, body, first).user == "Call the tool read.\nnone"
    after = task(api, body, 9)
    assert ([result.text for result in after.results], after.rounds) == (["sunny"], 1)
