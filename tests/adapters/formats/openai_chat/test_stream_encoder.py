"""Neutral events -> chunks, and what the official SDK makes of them (wire page §5)."""

from typing import Any

import openai
import pytest

from adapters import json
from adapters.errors import Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Event,
    Finish,
    Logprobs,
    Native,
    PartEnd,
    Pass,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.formats.openai_chat.dialect import DIALECT
from adapters.formats.openai_chat.request import Reply
from adapters.model import Citation, Usage

OWN = "openai-chat"
REPLY = Reply("chatcmpl-1", 1764500000, "smart")
TOKEN = {"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": []}


def streamed(events: list[Event], reply: Reply = REPLY) -> bytes:
    encoder = DIALECT.encoder(reply)
    return encoder.feed(events) + encoder.close()


def chunks(body: bytes) -> list[Any]:
    """The chunks of a complete stream, which ends in [DONE]."""
    *blocks, done, rest = body.split(b"\n\n")
    assert (done, rest) == (b"data: [DONE]", b"")
    return [json.loads(block.removeprefix(b"data: ")) for block in blocks]


def choices(body: bytes) -> list[tuple[int, Any, Any]]:
    """(index, delta, finish reason) of every chunk, whose frame is checked."""
    found = []
    for chunk in chunks(body):
        (choice,) = chunk.pop("choices")
        assert chunk == {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1764500000, "model": "smart"}
        assert choice.keys() == {"index", "delta", "logprobs", "finish_reason"}
        found.append((choice["index"], choice["delta"], choice["finish_reason"]))
    return found


ROLE = {"role": "assistant", "content": "", "refusal": None}
NULL_ROLE = {"role": "assistant", "content": None, "refusal": None}


def opening(index: int, call_id: str, name: str, **extra: Any) -> Any:
    return {
        "tool_calls": [
            {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}, **extra}
        ]
    }


def arguments(index: int, text: str) -> Any:
    return {"tool_calls": [{"index": index, "function": {"arguments": text}}]}


STREAMS: list[tuple[str, list[Event], list[tuple[int, Any, Any]]]] = [
    (
        "text",
        [
            Started("up", "m"),
            TextDelta(0, ""),
            TextDelta(0, "Grüß "),
            TextDelta(0, '"Gott"\n'),
            PartEnd(0),
            Finish("stop"),
        ],
        [(0, ROLE, None), (0, {"content": "Grüß "}, None), (0, {"content": '"Gott"\n'}, None), (0, {}, "stop")],
    ),
    (
        "two calls, one without arguments",
        [
            CallStart(0, "call_1", "f"),
            CallDelta(0, '{"a"'),
            CallDelta(0, ":1}"),
            PartEnd(0),
            CallStart(1, "call_2", "g"),
            PartEnd(1),
            Finish("tool_calls"),
        ],
        [
            (0, NULL_ROLE, None),
            (0, opening(0, "call_1", "f"), None),
            (0, arguments(0, '{"a"'), None),
            (0, arguments(0, ":1}"), None),
            (0, opening(1, "call_2", "g"), None),
            (0, arguments(1, "{}"), None),
            (0, {}, "tool_calls"),
        ],
    ),
    (
        "calls that interleave",
        [
            TextDelta(0, "go"),
            PartEnd(0),
            CallStart(1, "a", "f"),
            CallStart(2, "b", "g"),
            CallDelta(2, "{"),
            CallDelta(1, "{"),
            CallDelta(1, "}"),
            CallDelta(2, "}"),
            PartEnd(2),
            PartEnd(1),
            Finish("tool_calls"),
        ],
        [
            (0, ROLE, None),
            (0, {"content": "go"}, None),
            (0, opening(0, "a", "f"), None),
            (0, opening(1, "b", "g"), None),
            (0, arguments(1, "{"), None),
            (0, arguments(0, "{"), None),
            (0, arguments(0, "}"), None),
            (0, arguments(1, "}"), None),
            (0, {}, "tool_calls"),
        ],
    ),
    (
        "a call cut by the limit is not mended",
        [CallStart(0, "a", "f"), PartEnd(0), Finish("length")],
        [(0, NULL_ROLE, None), (0, opening(0, "a", "f"), None), (0, {}, "length")],
    ),
    (
        "a custom call",
        [
            CallStart(0, "a", "sql", "custom"),
            CallDelta(0, "SELECT"),
            CallDelta(0, " 1"),
            PartEnd(0),
            Finish("tool_calls"),
        ],
        [
            (0, NULL_ROLE, None),
            (
                0,
                {"tool_calls": [{"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql", "input": ""}}]},
                None,
            ),
            (0, {"tool_calls": [{"index": 0, "custom": {"input": "SELECT"}}]}, None),
            (0, {"tool_calls": [{"index": 0, "custom": {"input": " 1"}}]}, None),
            (0, {}, "tool_calls"),
        ],
    ),
    (
        "a signed call",
        [CallStart(0, "a", "f", signature="SIG", origin="g"), CallDelta(0, "{}"), PartEnd(0), Finish("tool_calls")],
        [
            (0, NULL_ROLE, None),
            (
                0,
                opening(
                    0, "a", "f", extra_content={"google": {"thought_signature": "SIG"}, "toolwire": {"origin": "g"}}
                ),
                None,
            ),
            (0, arguments(0, "{}"), None),
            (0, {}, "tool_calls"),
        ],
    ),
    (
        "reasoning that nobody signed, in two parts and sections",
        [
            ReasoningDelta(0, "a"),
            ReasoningDelta(0, "b"),
            ReasoningDelta(0, "c", 1),
            PartEnd(0),
            ReasoningDelta(1, "d"),
            PartEnd(1),
            TextDelta(2, "x"),
            PartEnd(2),
            Finish("stop"),
        ],
        [
            (0, ROLE, None),
            (0, {"reasoning_content": "a"}, None),
            (0, {"reasoning_content": "b"}, None),
            (0, {"reasoning_content": "\n\nc"}, None),
            (0, {"reasoning_content": "\n\nd"}, None),
            (0, {"content": "x"}, None),
            (0, {}, "stop"),
        ],
    ),
    (
        "signed reasoning around a text",
        [
            ReasoningDelta(0, "a"),
            ReasoningDelta(0, "b"),
            Signed(0, "anthropic-messages", signature="S", origin="o"),
            PartEnd(0),
            TextDelta(1, "x"),
            PartEnd(1),
            Signed(2, "anthropic-messages", data="D", origin="o"),
            PartEnd(2),
            CallStart(3, "c", "f"),
            CallDelta(3, "{}"),
            PartEnd(3),
            Finish("tool_calls"),
        ],
        [
            (0, ROLE, None),
            (0, {"reasoning_content": "a"}, None),
            (0, {"reasoning_content": "b"}, None),
            (
                0,
                {
                    "reasoning_details": [
                        {
                            "type": "reasoning.text",
                            "text": "ab",
                            "id": None,
                            "format": "anthropic-messages",
                            "origin": "o",
                            "position": 0,
                            "block": 0,
                            "signature": "S",
                            "index": 0,
                        }
                    ]
                },
                None,
            ),
            (0, {"content": "x"}, None),
            (
                0,
                {
                    "reasoning_details": [
                        {
                            "type": "reasoning.encrypted",
                            "data": "D",
                            "id": None,
                            "format": "anthropic-messages",
                            "origin": "o",
                            "position": 1,
                            "block": 1,
                            "index": 1,
                        }
                    ]
                },
                None,
            ),
            (0, opening(0, "c", "f"), None),
            (0, arguments(0, "{}"), None),
            (0, {}, "tool_calls"),
        ],
    ),
    (
        "a summary with its encrypted half",
        [
            ReasoningDelta(0, "s"),
            ReasoningDelta(0, "t", 1),
            Signed(0, "openai-responses", id="rs_1", data="D", origin="o", extras={"openai-responses": {"z": 1}}),
            PartEnd(0),
            TextDelta(1, "x"),
            PartEnd(1),
            Finish("stop"),
        ],
        [
            (0, ROLE, None),
            (0, {"reasoning_content": "s"}, None),
            (0, {"reasoning_content": "\n\nt"}, None),
            (
                0,
                {
                    "reasoning_details": [
                        {
                            "type": "reasoning.summary",
                            "summary": "s",
                            "id": "rs_1",
                            "format": "openai-responses",
                            "origin": "o",
                            "position": 0,
                            "block": 0,
                            "index": 0,
                        },
                        {
                            "type": "reasoning.summary",
                            "summary": "t",
                            "id": "rs_1",
                            "format": "openai-responses",
                            "origin": "o",
                            "position": 0,
                            "block": 0,
                            "index": 1,
                        },
                        {
                            "type": "reasoning.encrypted",
                            "data": "D",
                            "id": "rs_1",
                            "format": "openai-responses",
                            "origin": "o",
                            "position": 0,
                            "block": 0,
                            "index": 2,
                            "native": {"z": 1},
                        },
                    ]
                },
                None,
            ),
            (0, {"content": "x"}, None),
            (0, {}, "stop"),
        ],
    ),
    (
        "a refusal",
        [RefusalDelta(0, "I "), RefusalDelta(0, "won't"), PartEnd(0), Finish("stop")],
        [(0, NULL_ROLE, None), (0, {"refusal": "I "}, None), (0, {"refusal": "won't"}, None), (0, {}, "stop")],
    ),
    ("nothing but an end", [Started(), Finish("length")], [(0, ROLE, None), (0, {}, "length")]),
    (
        "citations, once and at the end",
        [
            TextDelta(0, "see"),
            Cited(0, Citation("u", "t", 0, 3)),
            Cited(0, Citation(title="no url")),
            Cited(0, Citation("v", "w", 1, 2)),
            PartEnd(0),
            Finish("stop"),
        ],
        [
            (0, ROLE, None),
            (0, {"content": "see"}, None),
            (
                0,
                {
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url_citation": {"start_index": 0, "end_index": 3, "url": "u", "title": "t"},
                        },
                        {
                            "type": "url_citation",
                            "url_citation": {"start_index": 1, "end_index": 2, "url": "v", "title": "w"},
                        },
                    ]
                },
                None,
            ),
            (0, {}, "stop"),
        ],
    ),
    (
        "native parts, of this API and of another",
        [
            Native(0, OWN, {"audio": {"id": "a"}}),
            Native(1, OWN, {"audio": {"data": "AA"}}),
            Native(2, "anthropic-messages", {"x": 1}, "shown"),
            Native(3, "anthropic-messages", {"x": 1}),
            Finish("stop"),
        ],
        [
            (0, NULL_ROLE, None),
            (0, {"audio": {"id": "a"}}, None),
            (0, {"audio": {"data": "AA"}}, None),
            (0, {"content": "shown"}, None),
            (0, {}, "stop"),
        ],
    ),
    (
        "unknown deltas, of this API and of another",
        [
            TextDelta(0, "a"),
            Pass(OWN, "delta", {"mood": 1}),
            Pass("google-gemini", "delta", {"mood": 2}),
            PartEnd(0),
            Finish("stop"),
        ],
        [(0, ROLE, None), (0, {"content": "a"}, None), (0, {"mood": 1}, None), (0, {}, "stop")],
    ),
    (
        "two choices",
        [
            TextDelta(0, "a"),
            Choice(1),
            CallStart(1, "c", "f"),
            Choice(0),
            TextDelta(0, "b"),
            Choice(1),
            CallDelta(1, "{}"),
            Choice(0),
            PartEnd(0),
            Finish("stop"),
            Choice(1),
            PartEnd(1),
            Finish("tool_calls"),
        ],
        [
            (0, ROLE, None),
            (0, {"content": "a"}, None),
            (1, NULL_ROLE, None),
            (1, opening(0, "c", "f"), None),
            (0, {"content": "b"}, None),
            (1, arguments(0, "{}"), None),
            (0, {}, "stop"),
            (1, {}, "tool_calls"),
        ],
    ),
    (
        "an end that is told twice",
        [TextDelta(0, "a"), PartEnd(0), Finish("stop"), Finish("stop")],
        [(0, ROLE, None), (0, {"content": "a"}, None), (0, {}, "stop")],
    ),
]
NAMES = [name for name, _, _ in STREAMS]


@pytest.mark.parametrize(("name", "events", "expected"), STREAMS, ids=NAMES)
def test_chunks(name: str, events: list[Event], expected: list[Any]) -> None:
    assert choices(streamed(events)) == expected


@pytest.mark.parametrize(("name", "events", "expected"), STREAMS, ids=NAMES)
def test_one_read_and_one_event_at_a_time_are_the_same(name: str, events: list[Event], expected: list[Any]) -> None:
    encoder = DIALECT.encoder(REPLY)
    assert b"".join(encoder.feed([event]) for event in events) + encoder.close() == streamed(events)


READABLE = [row for row in STREAMS if row[0] not in ("two choices", "a custom call")]


@pytest.mark.parametrize(("name", "events", "expected"), READABLE, ids=[row[0] for row in READABLE])
def test_the_sdk_accumulates_what_the_whole_answer_says(
    name: str, events: list[Event], expected: list[Any], accumulate: Any, parse: Any
) -> None:
    whole = parse(DIALECT.answer(fold(events), REPLY)).choices[0]
    if whole.finish_reason == "length" and any(isinstance(event, CallStart) for event in events):
        assert whole.message.tool_calls[0].function.arguments == ""
    read = accumulate(streamed(events)).choices[0]
    assert read.finish_reason == whole.finish_reason
    kept, sent = read.message.to_dict(), whole.message.to_dict()
    for call in kept.get("tool_calls") or []:
        call.pop("index", None), call["function"].pop("parsed_arguments", None)
    for extra in ("parsed", "mood", "audio"):
        kept.pop(extra, None), sent.pop(extra, None)
    without_null = {key: value for key, value in kept.items() if value not in (None, "")}
    assert without_null == {key: value for key, value in sent.items() if value not in (None, "")}


TEXTS = [
    "plain",
    "",
    'quote " and \\ backslash',
    "line\nbreak\r\t\0\x1f\x7f",
    "Grüße 東京 🌧️",
    "\ud83d lone",
    "</script>",
    "a" * 5000,
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("first", "event", "key"),
    [
        (TextDelta(0, "x"), TextDelta(0, ""), "content"),
        (ReasoningDelta(0, "x"), ReasoningDelta(0, ""), "reasoning_content"),
        (CallStart(0, "c", "f"), CallDelta(0, ""), "tool_calls"),
    ],
)
def test_prepared_bytes_are_those_of_a_dictionary(first: Event, event: Any, key: str, text: str) -> None:
    encoder = DIALECT.encoder(Reply("chatcmpl-1", 1764500000, "smart", include_usage=True))
    encoder.feed([first])
    value: Any = text if key != "tool_calls" else [{"index": 0, "function": {"arguments": text}}]
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1764500000,
        "model": "smart",
        "choices": [{"index": 0, "delta": {key: value}, "logprobs": None, "finish_reason": None}],
        "usage": None,
    }
    event.text = text
    assert encoder.feed([event]) == (b"data: " + json.dumps(chunk) + b"\n\n" if text else b"")


def test_logprobs_go_with_the_text_that_follows() -> None:
    body = streamed(
        [
            TextDelta(0, "x"),
            Logprobs(0, (TOKEN,)),
            TextDelta(0, "a"),
            TextDelta(0, "b"),
            Logprobs(0, (TOKEN,)),
            PartEnd(0),
            Finish("stop"),
        ]
    )
    got = [(c["choices"][0]["delta"], c["choices"][0]["logprobs"]) for c in chunks(body)]
    assert got == [
        (ROLE, None),
        ({"content": "x"}, None),
        ({"content": "a"}, {"content": [TOKEN], "refusal": None}),
        ({"content": "b"}, None),
        ({}, {"content": [TOKEN], "refusal": None}),
        ({}, None),
    ]
    refused = streamed([Logprobs(0, (TOKEN,)), RefusalDelta(0, "a"), PartEnd(0), Finish("stop")])
    assert chunks(refused)[1]["choices"][0]["logprobs"] == {"refusal": [TOKEN], "content": None}


def test_the_sdk_collects_logprobs(accumulate: Any) -> None:
    body = streamed(
        [Logprobs(0, (TOKEN,)), TextDelta(0, "a"), Logprobs(0, (TOKEN,)), TextDelta(0, "a"), PartEnd(0), Finish("stop")]
    )
    assert len(accumulate(body).choices[0].logprobs.content) == 2


def test_usage_comes_last_and_alone(accumulate: Any) -> None:
    reply = Reply("chatcmpl-1", 1764500000, "smart", include_usage=True)
    events: list[Event] = [
        UsageUpdate(Usage(9)),
        TextDelta(0, "a"),
        PartEnd(0),
        Finish("stop"),
        UsageUpdate(Usage(9, 4, 3)),
    ]
    *before, last = chunks(streamed(events, reply))
    assert all(chunk["usage"] is None for chunk in before)
    assert last == {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1764500000,
        "model": "smart",
        "choices": [],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 4,
            "total_tokens": 13,
            "prompt_tokens_details": {"cached_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }
    assert accumulate(streamed(events, reply)).usage.total_tokens == 13
    assert all("usage" not in chunk for chunk in chunks(streamed(events)))
    assert all(chunk["usage"] is None for chunk in chunks(streamed([TextDelta(0, "a"), Finish("stop")], reply)))


def test_the_older_form() -> None:
    reply = Reply("chatcmpl-1", 1764500000, "smart", legacy=True)
    events: list[Event] = [
        CallStart(0, "a", "f"),
        CallDelta(0, '{"a":'),
        CallDelta(0, "1}"),
        PartEnd(0),
        CallStart(1, "b", "g"),
        CallDelta(1, "{}"),
        PartEnd(1),
        Finish("tool_calls"),
    ]
    assert choices(streamed(events, reply)) == [
        (0, NULL_ROLE, None),
        (0, {"function_call": {"name": "f", "arguments": ""}}, None),
        (0, {"function_call": {"arguments": '{"a":'}}, None),
        (0, {"function_call": {"arguments": "1}"}}, None),
        (0, {}, "function_call"),
    ]
    empty: list[Event] = [CallStart(0, "a", "f"), PartEnd(0), Finish("tool_calls")]
    assert choices(streamed(empty, reply))[2] == (0, {"function_call": {"arguments": "{}"}}, None)


def test_unknown_fields_of_the_same_api() -> None:
    events: list[Event] = [
        Started("up", "m", {OWN: {"answer": {"system_fingerprint": "fp"}}}),
        TextDelta(0, "a"),
        Pass(OWN, "choice", {"filter": 1}),
        Pass(OWN, "answer", {"citations": ["u"]}),
        PartEnd(0),
        Finish("stop"),
    ]
    got = chunks(streamed(events))
    assert all(chunk["system_fingerprint"] == "fp" for chunk in got)
    assert got[2]["choices"] == [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": None, "filter": 1}]
    assert got[3]["citations"] == ["u"] and got[3]["choices"] == []


def test_nothing_is_written_before_there_is_content() -> None:
    encoder = DIALECT.encoder(REPLY)
    quiet: list[Event] = [Started("a", "b"), UsageUpdate(Usage(1)), TextDelta(0, ""), ReasoningDelta(1, ""), Choice(0)]
    assert encoder.feed(quiet) == b""
    assert encoder.feed([]) == b""


def test_keep_alive_is_a_comment(accumulate: Any) -> None:
    encoder = DIALECT.encoder(REPLY)
    body = (
        encoder.ping()
        + encoder.feed([TextDelta(0, "a")])
        + encoder.ping()
        + encoder.feed([PartEnd(0), Finish("stop")])
        + encoder.close()
    )
    assert encoder.ping() == b": keep-alive\n\n"
    assert accumulate(body).choices[0].message.content == "a"
    assert DIALECT.content_type(REPLY) == "text/event-stream"


def test_an_error_after_content_is_no_clean_end(accumulate: Any) -> None:
    encoder = DIALECT.encoder(REPLY)
    body = encoder.feed([TextDelta(0, "a")]) + encoder.fail(Failure("stream_interrupted", "broke"), ())
    assert body.endswith(
        b'data: {"error":{"message":"broke","type":"stream_interrupted","param":null,"code":null}}\n\n'
    )
    with pytest.raises(openai.APIError, match="broke"):
        accumulate(body)
