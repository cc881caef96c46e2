"""What belongs to a streamed answer near its end, for every API.

A reason to finish does not end it: on wires whose grammar allows more, what follows the reason belongs to the answer
(some hosts give a reason with every chunk), repetitions of a call are none, and the last reason holds. The API's
terminal event ends it, or the end of the body where there is none: behind that nothing is read. A terminal event
without any reason is a clean end only on Chat-like wires, where it is the host's word that all went well.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import pytest

from adapters import registry
from adapters.errors import Malformed
from adapters.events import CallDelta, Choice, Event, Finish, TextDelta, fold
from adapters.format import Reading
from adapters.model import Text

DONE = b"data: [DONE]\n\n"


def sse(*events: Any) -> bytes:
    named = ((f"event: {one['type']}\n" if "type" in one else "", json.dumps(one)) for one in events)
    return "".join(f"{name}data: {data}\n\n" for name, data in named).encode()


def chunk(delta: Any, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return sse({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


A, B = chunk({"content": "a"}), chunk({"content": "b"})
CALL = chunk({"tool_calls": [
    {"index": 0, "id": "c1xxxxxxx", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]})


def line(text: str, done: bool = False, **more: Any) -> bytes:
    message = {"role": "assistant", "content": text}
    return json.dumps({"model": "m", "message": message, "done": done, **more}).encode() + b"\n"


def candidate(text: str, finish: str | None = None) -> bytes:
    found: Any = {"content": {"role": "model", "parts": [{"text": text}] if text else []}, "index": 0}
    return sse({"candidates": [found | ({"finishReason": finish} if finish else {})]})


COHERE: list[Any] = [
    {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant"}}},
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "a"}}}},
    {"type": "content-end", "index": 0},
    {"type": "message-end", "id": "1", "delta": {"finish_reason": "COMPLETE"}},
]
CLAUDE: list[Any] = [
    {"type": "message_start", "message": {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {}},
    {"type": "message_stop"},
]
MORE_CLAUDE: list[Any] = [{**event, "index": 1} for event in CLAUDE[1:4]]
RESPONSES: list[Any] = [
    {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
    {"type": "response.output_item.added", "output_index": 0, "item": {
        "type": "message", "id": "i", "role": "assistant", "content": [], "status": "in_progress"}},
    {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": "a"},
    {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [
        {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [
            {"type": "output_text", "text": "a", "annotations": []}]}]}},
]


def frame(name: str, payload: Any) -> bytes:
    headers = b""
    for key, value in ((":event-type", name), (":content-type", "application/json"), (":message-type", "event")):
        headers += bytes([len(key)]) + key.encode() + b"\x07" + struct.pack("!H", len(value)) + value.encode()
    data = json.dumps(payload).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(data), len(headers))
    made = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + data
    return made + struct.pack("!I", zlib.crc32(made))


def block(index: int, text: str) -> bytes:
    return frame("contentBlockDelta", {"contentBlockIndex": index, "delta": {"text": text}}) + frame(
        "contentBlockStop", {"contentBlockIndex": index})


def lone(index: int) -> bytes:
    """A Chat stream of one choice, with this index."""
    return (A + B + chunk({}, "stop")).replace(b'"index": 0', f'"index": {index}'.encode()) + DONE


def lone_candidate(index: int) -> bytes:
    return (candidate("a") + candidate("b", "STOP")).replace(b'"index": 0', f'"index": {index}'.encode())


OPENED = frame("messageStart", {"role": "assistant"}) + block(0, "a")
STOPPED = frame("messageStop", {"stopReason": "end_turn"})


def stop(native: str | None) -> Finish:
    return Finish("stop", native)


ROWS: list[tuple[str, str, bytes, str, Finish]] = [
    *(row for api in ("openai-chat", "mistral-chat") for row in (
        (api, "text behind the reason", A + chunk({}, "stop") + B + DONE, "ab", stop("stop")),
        (api, "a reason with every chunk", chunk({"content": "a"}, "stop") + chunk({"content": "b"}, "stop") + DONE,
         "ab", stop("stop")),
        (api, "another reason", A + chunk({}, "stop") + chunk({}, "length") + DONE, "a", Finish("length", "length")),
        (api, "a call again", CALL + chunk({}, "tool_calls") + CALL + DONE, '{"a":1}',
         Finish("tool_calls", "tool_calls")),
        (api, "no reason", A + DONE, "a", stop(None)),
        (api, "text behind the end", A + chunk({}, "stop") + DONE + B, "a", stop("stop")),
        (api, "no terminal event", A + chunk({}, "stop"), "a", stop("stop")),
        (api, "another choice than the one asked for", lone(1), "ab", stop("stop")),
    )),
    ("google-gemini", "another choice than the one asked for", lone_candidate(2), "ab", stop("STOP")),
    *((api, f"{words} behind the end", end + junk, "a", stop(native))
      for words, junk in (
        ("half an object", b'data: {"choices": [\n\n{"a":\n'), ("junk", b"\xff\x00{{ no event\n\n data: x"))
      for api, end, native in (
        ("openai-chat", A + chunk({}, "stop") + DONE, "stop"), ("mistral-chat", A + chunk({}, "stop") + DONE, "stop"),
        ("ollama-chat", line("a") + line("", True, done_reason="stop"), "stop"),
        ("cohere-chat", sse(*COHERE), "COMPLETE"), ("anthropic-messages", sse(*CLAUDE), "end_turn"),
        ("openai-responses", sse(*RESPONSES), "completed"),
        ("bedrock-converse", OPENED + STOPPED + frame("metadata", {"usage": {}}), "end_turn"),
    )),
    ("ollama-chat", "text behind the end", line("a") + line("", True, done_reason="stop") + line("b"), "a",
     stop("stop")),
    ("ollama-chat", "no reason", line("a") + line("", True), "a", stop(None)),
    ("google-gemini", "text behind the reason", candidate("a") + candidate("", "STOP") + candidate("b"), "ab",
     stop("STOP")),
    ("google-gemini", "a reason with every chunk", candidate("a", "STOP") + candidate("b", "STOP"), "ab",
     stop("STOP")),
    ("google-gemini", "another reason", candidate("a", "STOP") + candidate("", "MAX_TOKENS"), "a",
     Finish("length", "MAX_TOKENS")),
    ("cohere-chat", "text behind the end", sse(*COHERE, *COHERE[1:4]) + DONE, "a", stop("COMPLETE")),
    ("anthropic-messages", "text behind the end", sse(*CLAUDE, *MORE_CLAUDE) + DONE, "a", stop("end_turn")),
    ("openai-responses", "text behind the end", sse(*RESPONSES, {**RESPONSES[2], "delta": "b"}) + DONE, "a",
     stop("completed")),
    ("bedrock-converse", "usage behind the reason", OPENED + STOPPED + frame("metadata", {"usage": {}}), "a",
     stop("end_turn")),
]  # fmt: skip

FORBIDDEN: list[tuple[str, str, bytes]] = [
    *((api, "no reason, no end", A) for api in ("openai-chat", "mistral-chat")),
    ("ollama-chat", "no end", line("a")),
    ("google-gemini", "no reason", candidate("a")),
    ("cohere-chat", "no end", sse(*COHERE[:4])),
    ("anthropic-messages", "text behind the reason", sse(*CLAUDE[:5], *MORE_CLAUDE, CLAUDE[5])),
    ("anthropic-messages", "no reason", sse(*CLAUDE[:4], CLAUDE[5])),
    ("anthropic-messages", "no end", sse(*CLAUDE[:5])),
    ("openai-responses", "no end", sse(*RESPONSES[:3])),
    ("bedrock-converse", "text behind the reason", OPENED + STOPPED + block(1, "b")),
    ("bedrock-converse", "no reason", OPENED + frame("metadata", {"usage": {}})),
]


def read(api: str, data: bytes, size: int) -> list[Event]:
    found = registry.api(api)
    assert found is not None
    decoder = found.decoder(Reading("m", stream=True))
    events = [event for at in range(0, len(data), size) for event in decoder.feed(data[at : at + size])]
    return events + decoder.close()


@pytest.mark.parametrize(
    ("api", "data", "said", "finish"), [(row[0], *row[2:]) for row in ROWS], ids=[f"{r[0]} {r[1]}" for r in ROWS]
)
def test_what_belongs_to_the_answer(api: str, data: bytes, said: str, finish: Finish) -> None:
    for size in (1, 7, len(data)):
        events = read(api, data, size)
        assert "".join(e.text for e in events if isinstance(e, TextDelta | CallDelta)) == said
        (end,) = [event for event in events if isinstance(event, Finish)]
        assert not any(isinstance(event, Choice) for event in events)
        assert (end.reason, end.native) == (finish.reason, finish.native)


@pytest.mark.parametrize("api", ["openai-chat", "mistral-chat", "google-gemini"])
@pytest.mark.parametrize(
    ("asked", "indexes", "texts"),
    [(1, (1,), ("x1",)), (1, (0, 1), ("x0", "x1")), (1, (1, 0), ("x1", "x0")), (2, (1,), ("x1",)),
     (2, (1, 0), ("x0", "x1")), (2, (1, 2), ("x2", "x1")), (3, (5, 0, 7), ("x5", "x0", "x7"))],
)
def test_choices_are_numbered_from_zero(
    api: str, asked: int, indexes: tuple[int, ...], texts: tuple[str, ...]
) -> None:
    """Whole and streamed; an index beyond those asked for is the first that is free."""
    found = registry.api(api)
    assert found is not None
    if api == "google-gemini":
        key, streamed = "candidates", b"".join(
            candidate(f"x{i}", "STOP").replace(b'"index": 0', f'"index": {i}'.encode()) for i in indexes)
        ones: list[Any] = [{"index": i, "content": {"parts": [{"text": f"x{i}"}]}, "finishReason": "STOP"}
                           for i in indexes]
    else:
        key, streamed = "choices", b"".join(
            chunk({"content": f"x{i}"}, "stop").replace(b'"index": 0', f'"index": {i}'.encode())
            for i in indexes) + DONE
        ones = [{"index": i, "message": {"role": "assistant", "content": f"x{i}"}, "finish_reason": "stop"}
                for i in indexes]
    reading = Reading("m", choices=asked)
    decoder = found.decoder(reading)
    for events in ([*decoder.feed(streamed), *decoder.close()],
                   found.whole(json.dumps({key: ones}).encode(), reading, {})):
        answer = fold(events)
        assert [one.parts for one in (answer, *answer.others)] == [(Text(text),) for text in texts]
        assert {one.stop for one in (answer, *answer.others)} == {"stop"}


@pytest.mark.parametrize(
    ("api", "data"), [(row[0], row[2]) for row in FORBIDDEN], ids=[f"{r[0]} {r[1]}" for r in FORBIDDEN]
)
def test_what_is_no_end(api: str, data: bytes) -> None:
    for size in (1, 7, len(data)):
        with pytest.raises(Malformed):
            read(api, data, size)
