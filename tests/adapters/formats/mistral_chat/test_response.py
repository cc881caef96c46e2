"""Mistral's answers, whole and streamed, and its errors (wire page §5 to §8)."""

from typing import Any

import pytest

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Event,
    Failed,
    Finish,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Reading
from adapters.formats.mistral_chat import API
from adapters.formats.mistral_chat.history import NAME
from adapters.model import Usage

DONE = b"data: [DONE]\n\n"
READING = Reading("m", "mistral", True, declared=frozenset({"f", "g"}))
HEAD = {"id": "cmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "mistral-small-latest"}
STARTED = Started("cmpl-1", "mistral-small-latest")
PLAIN = {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100}


def chunk(delta: Any, finish: Any = None, **fields: Any) -> dict[str, Any]:
    return {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **fields}


def sse(*chunks: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(one) + b"\n\n" for one in chunks)


def read(data: bytes, reading: Reading = READING) -> list[Event]:
    decoder = API.decoder(reading)
    return decoder.feed(data) + decoder.close()


def entry(name: Any, arguments: Any, **fields: Any) -> dict[str, Any]:
    return {**fields, "function": {"name": name, "arguments": arguments}}


def think(*inner: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": list(inner), **fields}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


STREAMS: list[tuple[str, list[Any], list[Event]]] = [
    (
        "whole calls in one delta, with finish and usage",
        [
            chunk({"role": "assistant", "content": ""}),
            chunk(
                {
                    "content": "",
                    "tool_calls": [
                        entry("f", '{"a": 1}', id="aB3dE5gH7", index=0),
                        entry("f", '{"a": 2}', id="aB3dE5gH8", index=1),
                    ],
                },
                "tool_calls",
                usage=PLAIN,
            ),
        ],
        [
            CallStart(0, "aB3dE5gH7", "f"),
            CallDelta(0, '{"a": 1}'),
            PartEnd(0),
            CallStart(1, "aB3dE5gH8", "f"),
            CallDelta(1, '{"a": 2}'),
            UsageUpdate(Usage(80, 20)),
            PartEnd(1),
        ],
    ),
    (
        "hosted models: pieces without id, name empty",
        [
            chunk({"tool_calls": [entry("f", "", id="chatcmpl-tool-1", index=0)]}),
            chunk({"tool_calls": [entry("", '{"a"', id="null", index=0)]}),
            chunk({"tool_calls": [entry("", ": 1}", id="null", index=0)]}, "tool_calls"),
        ],
        [CallStart(0, "chatcmpl-tool-1", "f"), CallDelta(0, '{"a"'), CallDelta(0, ": 1}"), PartEnd(0)],
    ),
    (
        'parallel "null" calls, all with index 0',
        [
            chunk(
                {
                    "tool_calls": [
                        entry("f", '{"a": 1}', id="null", index=0),
                        entry("f", '{"a": 2}', id="null", index=0),
                    ]
                },
                "tool_calls",
            )
        ],
        [
            CallStart(0, "", "f"),
            CallDelta(0, '{"a": 1}'),
            PartEnd(0),
            CallStart(1, "", "f"),
            CallDelta(1, '{"a": 2}'),
            PartEnd(1),
        ],
    ),
    (
        "arguments as an object, or null",
        [chunk({"tool_calls": [entry("f", {"a": 1}, id="aB3dE5gH7"), entry("g", None, id="aB3dE5gH8")]}, "tool_calls")],
        [
            CallStart(0, "aB3dE5gH7", "f"),
            CallDelta(0, '{"a":1}'),
            PartEnd(0),
            CallStart(1, "aB3dE5gH8", "g"),
            PartEnd(1),
        ],
    ),
    (
        "thinking, then text as parts and as a string",
        [
            chunk({"content": [think(text("a"))]}),
            chunk({"content": [think(text("b"), {"type": "reference", "reference_ids": [1]})]}),
            chunk({"content": [think(signature="S", closed=True)]}),
            chunk({"content": [text("x")]}),
            chunk({"content": "y"}, "stop"),
        ],
        [
            ReasoningDelta(0, "a"),
            ReasoningDelta(0, "b"),
            Signed(0, NAME, signature="S", extras={NAME: {"more": [{"type": "reference", "reference_ids": [1]}]}}),
            PartEnd(0),
            TextDelta(1, "x"),
            TextDelta(1, "y"),
            PartEnd(1),
        ],
    ),
    (
        "thinking that nobody signed is Mistral's all the same",
        [chunk({"content": [think(text("a")), text("x")]}, "stop")],
        [ReasoningDelta(0, "a"), Signed(0, NAME), PartEnd(0), TextDelta(1, "x"), PartEnd(1)],
    ),
    (
        "content null, parts that are no text",
        [
            chunk({"content": None}),
            chunk({"content": [text("x"), {"type": "reference", "reference_ids": [1]}]}, "stop"),
        ],
        [TextDelta(0, "x"), PartEnd(0)],
    ),
    (
        "unknown fields are read over",
        [chunk({"content": "x", "mood": 1}, "stop", p="abc")],
        [TextDelta(0, "x"), PartEnd(0)],
    ),
]
NAMES = [name for name, _, _ in STREAMS]


@pytest.mark.parametrize(("name", "chunks", "expected"), STREAMS, ids=NAMES)
def test_stream(name: str, chunks: list[Any], expected: list[Event]) -> None:
    first, *events, last = read(sse(*chunks) + DONE)
    assert first == STARTED
    assert events == expected
    assert isinstance(last, Finish)


@pytest.mark.parametrize(("name", "chunks", "expected"), STREAMS, ids=NAMES)
def test_bytes_in_any_pieces(name: str, chunks: list[Any], expected: list[Event]) -> None:
    data = sse(*chunks) + DONE
    decoder = API.decoder(READING)
    got = [event for i in range(len(data)) for event in decoder.feed(data[i : i + 1])] + decoder.close()
    assert got == read(data) == read(sse(*chunks))
    for cut in range(len(chunks)):
        with pytest.raises(Malformed):
            read(sse(*chunks[:cut]))


def body(message: Any, finish: str = "stop", **fields: Any) -> bytes:
    choice = {"index": 0, "finish_reason": finish, "message": message}
    return json.dumps({**HEAD, "object": "chat.completion", "choices": [choice], **fields})


def test_a_whole_answer() -> None:
    message = {
        "role": "assistant",
        "content": [think(text("t")), text("x")],
        "tool_calls": [entry("f", '{"a": 1}', id="aB3dE5gH7"), entry("f", {"a": 2}, id="null")],
    }
    assert API.whole(body(message, "tool_calls", usage=PLAIN), READING, {}) == [
        STARTED,
        ReasoningDelta(0, "t"),
        Signed(0, NAME),
        PartEnd(0),
        TextDelta(1, "x"),
        PartEnd(1),
        CallStart(2, "aB3dE5gH7", "f"),
        CallDelta(2, '{"a": 1}'),
        PartEnd(2),
        CallStart(3, "", "f"),
        CallDelta(3, '{"a":2}'),
        UsageUpdate(Usage(80, 20)),
        PartEnd(3),
        Finish("tool_calls", "tool_calls"),
    ]


def test_camel_case_of_a_leaked_sdk_object() -> None:
    choice = {
        "index": 0,
        "finishReason": "tool_calls",
        "message": {"role": "assistant", "content": "", "toolCalls": [entry("f", "{}", id="aB3dE5gH7")]},
    }
    events = API.whole(json.dumps({**HEAD, "choices": [choice]}), READING, {})
    assert events == [
        STARTED,
        CallStart(0, "aB3dE5gH7", "f"),
        CallDelta(0, "{}"),
        PartEnd(0),
        Finish("tool_calls", "tool_calls"),
    ]


def test_several_messages_in_a_choice() -> None:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "messages": [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}],
    }
    answer = fold(API.whole(json.dumps({**HEAD, "choices": [choice]}), READING, {}))
    assert [part.text for part in answer.parts] == ["ab"]


@pytest.mark.parametrize(
    ("word", "reason"),
    [("stop", "stop"), ("length", "length"), ("model_length", "length"), ("tool_calls", "tool_calls")],
)
def test_finish(word: str, reason: Any) -> None:
    assert API.whole(body({"content": "a"}, word), READING, {})[-1] == Finish(reason, word)


def test_finish_error() -> None:
    failed = API.whole(body({"content": "a"}, "error"), READING, {})[-1]
    assert failed == Failed(Failure("api_error", "The upstream ended its answer with error."))


@pytest.mark.parametrize(
    "usage",
    [
        {**PLAIN, "prompt_tokens_details": {"cached_tokens": 64}},
        {**PLAIN, "prompt_token_details": {"cached_tokens": 64}, "prompt_audio_seconds": {}},
        {**PLAIN, "num_cached_tokens": 64, "prompt_audio_seconds": 3, "service_tier": "x"},
    ],
)
def test_usage(usage: Any) -> None:
    assert fold(API.whole(body({"content": "a"}, usage=usage), READING, {})).usage == Usage(80, 20, 64)


# --- an answer that continues ------------------------------------------------------------------------------------

CONTINUED = Reading("m", "mistral", True, facts={"prefix": "Dear "})


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["Dear Ann", "!"], ["Ann", "!"]),
        (["D", "ea", "r ", "Ann"], ["Ann"]),
        (["Dear ", "Dear Ann"], ["Dear Ann"]),
        (["Hello"], ["Hello"]),
        (["De", "ny"], ["Deny"]),
        (["De"], ["De"]),
        (["Dear "], []),
    ],
)
def test_the_prefix_is_taken_off(pieces: list[str], expected: list[str]) -> None:
    data = sse(*(chunk({"content": piece}) for piece in pieces), chunk({}, "stop")) + DONE
    events = read(data, CONTINUED)
    assert [event.text for event in events if isinstance(event, TextDelta)] == expected
    assert len([event for event in events if isinstance(event, PartEnd)]) == bool(expected)
    whole = API.whole(body({"content": "".join(pieces)}), CONTINUED, {})
    assert "".join(event.text for event in whole if isinstance(event, TextDelta)) == "".join(expected)


# --- errors ------------------------------------------------------------------------------------------------------


def error(message: Any, type: str = "invalid_request_error", code: Any = None) -> bytes:
    return json.dumps({"object": "error", "message": message, "type": type, "param": None, "code": code})


ERRORS: list[tuple[int, bytes, str]] = [
    (401, b'{"message":"Unauthorized","request_id":"r"}', "upstream_auth_error"),
    (403, b'{"detail":"Forbidden"}', "upstream_auth_error"),
    (402, error("m"), "billing_error"),
    (403, error("A payment method is required"), "billing_error"),
    (401, error("No active subscription"), "billing_error"),
    (404, error("m"), "not_found_error"),
    (400, error("Invalid model: x", "invalid_model", "1500"), "not_found_error"),
    (400, error("Invalid model: x", "invalid_model"), "not_found_error"),
    (400, error("Invalid model: x", code="1500"), "not_found_error"),
    (413, b"", "request_too_large"),
    (
        400,
        error(
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            code="3051",
        ),
        "context_length_exceeded",
    ),
    (
        400,
        error("Unexpected role 'user' after role 'tool'", "invalid_request_message_order", "3230"),
        "invalid_request_error",
    ),
    (
        400,
        error(
            "Tool call id was call_9 but must be a-z, A-Z, 0-9, with a length of 9.", "invalid_function_call", "3280"
        ),
        "invalid_request_error",
    ),
    (400, b"", "api_error"),
    (
        422,
        b'{"detail":[{"loc":["body","x"],"msg":"extra inputs are not permitted","type":"extra"}]}',
        "invalid_request_error",
    ),
    (422, error({"detail": [{"loc": ["body", "x"], "msg": "bad"}]}), "invalid_request_error"),
    (429, error("Rate limit exceeded", "rate_limited", "1300"), "rate_limit_error"),
    (
        429,
        error("Service tier capacity exceeded for this model.", "service_tier_capacity_exceeded", "3505"),
        "rate_limit_error",
    ),
    (
        503,
        error("Service tier capacity exceeded for this model.", "service_tier_capacity_exceeded", "3505"),
        "overloaded_error",
    ),
    (503, error("Rate limit exceeded", "rate_limited", "1300"), "overloaded_error"),
    (500, b"", "api_error"),
    (502, b"<html>", "api_error"),
    (408, b"", "timeout_error"),
    (504, b"", "timeout_error"),
]


@pytest.mark.parametrize(("status", "answer", "kind"), ERRORS)
def test_errors(status: int, answer: bytes, kind: str) -> None:
    found = API.failure(status, {"retry-after": "3"}, answer)
    assert (found.type, found.status, found.retry_after) == (kind, status, 3.0)


def test_what_an_error_says() -> None:
    assert API.failure(422, {}, error({"detail": [{"loc": ["body", "x"], "msg": "bad"}]})).message == "body.x: bad"


def test_errors_inside_a_stream() -> None:
    inside = json.loads(error("Invalid model: x", "invalid_model", "1500"))
    assert read(sse(inside)) == [Failed(Failure("not_found_error", "Invalid model: x", code="1500"))]
    assert read(sse(chunk({"content": "a"}), json.loads(error("m", "internal_error", None)))) == [
        STARTED,
        TextDelta(0, "a"),
        Failed(Failure("api_error", "m")),
    ]


def test_no_token_counting() -> None:
    with pytest.raises(Malformed):
        API.counted(b"{}")
