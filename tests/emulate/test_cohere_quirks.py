"""Each oddity of Cohere's answers on the same short stream, event by event, and on a whole answer."""

import copy
import json
from typing import Any

import pytest

from proxy.emulate.api import Received
from proxy.emulate.cohere_answer import QUIRKS, stream, whole
from proxy.emulate.cohere_chat import API
from proxy.emulate.cohere_quirks import EVENTS, FINISHES, WHOLE, Event
from proxy.emulate.sse import WRITING
from tests.emulate.turns import turn_of

Json = Any
USAGE: Json = {
    "billed_units": {"input_tokens": 4, "output_tokens": 2}, "tokens": {"input_tokens": 8, "output_tokens": 2},
    "cached_tokens": 0,
}  # fmt: skip


def opened(index: int, identifier: str, arguments: str = "") -> Json:
    call = {"id": identifier, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": call}}}


def piece(index: int, text: str) -> Json:
    delta = {"message": {"tool_calls": {"function": {"arguments": text}}}}
    return {"type": "tool-call-delta", "index": index, "delta": delta}


def closed(index: int) -> Json:
    return {"type": "tool-call-end", "index": index}


def ended(usage: Json = USAGE, **more: Json) -> Json:
    return {"type": "message-end", "id": "c1", "delta": {"finish_reason": "TOOL_CALL", "usage": usage, **more}}


START = {"type": "message-start", "id": "c1", "delta": {"message": {"role": "assistant"}}}
TEXT = [
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "hi"}}}},
    {"type": "content-end", "index": 0},
]
PLAN = {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I will"}}}
ALL: list[Json] = [
    START, *TEXT, PLAN,
    opened(0, "f_a"), piece(0, '{"a"'), piece(0, ":1}"), closed(0), opened(1, "f_b"), piece(1, "{}"), closed(1),
    ended(),
]  # fmt: skip
CITATION = [
    {"type": "citation-start", "index": 0, "delta": {"message": {"citations": {
        "start": 0, "end": 3, "text": "You", "sources": [], "type": "TEXT_CONTENT"}}}},
    {"type": "citation-end", "index": 0},
]  # fmt: skip
DEBUG = {"type": "debug", "prompt": "x"}
FLOATS = {
    "billed_units": {"input_tokens": 4.0, "output_tokens": 2.0}, "tokens": {"input_tokens": 8.0, "output_tokens": 2.0},
    "cached_tokens": 0.0,
}  # fmt: skip
BROKEN = "internal server error, this has been reported"

TABLE: list[tuple[str, list[Json]]] = [
    ("no-argument-deltas", [*ALL[:6], closed(0), ALL[9], closed(1), ALL[-1]]),
    ("no-tool-plan", [*ALL[:4], *ALL[5:]]),
    ("no-message-start", ALL[1:]),
    ("no-message-end", ALL[:-1]),
    ("index-from-3", [
        *ALL[:5], opened(3, "f_a"), piece(3, '{"a"'), piece(3, ":1}"), closed(3), opened(4, "f_b"), piece(4, "{}"),
        closed(4), ALL[-1],
    ]),
    ("arguments-in-start", [
        *ALL[:5], opened(0, "f_a", '{"a"'), piece(0, ":1}"), closed(0), opened(1, "f_b", "{}"), closed(1), ALL[-1],
    ]),
    ("null-arguments", [*ALL[:10], piece(1, "null"), *ALL[11:]]),
    ("long-ids", [*ALL[:5], opened(0, "f_a" + "x" * 60), *ALL[6:9], opened(1, "f_b" + "x" * 60), *ALL[10:]]),
    ("citations", [*ALL[:3], *CITATION, *ALL[3:]]),
    ("debug-events", [event for data in ALL[:-1] for event in (data, DEBUG)] + [ALL[-1]]),
    ("float-usage", [*ALL[:-1], ended(FLOATS)]),
    ("billed-only", [*ALL[:-1], ended({"billed_units": USAGE["billed_units"]})]),
    ("error-late", [*ALL[:3], ended(finish_reason="ERROR", error=BROKEN)]),
    ("done", ALL),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_events(quirk: str, expected: list[Json]) -> None:
    speaking = ("content-delta", "tool-plan-delta", "tool-call-start", "tool-call-delta")
    events = [Event("content" if data["type"] in speaking else "start", copy.deepcopy(data)) for data in ALL]
    assert [event.data for event in EVENTS[quirk](events)] == expected


def call(arguments: str) -> Json:
    return {"id": "f_a", "type": "function", "function": {"name": "f", "arguments": arguments}}


@pytest.mark.parametrize(
    ("quirk", "message", "expected"),
    [
        ("no-tool-plan", {"tool_plan": "x", "tool_calls": []}, {"tool_calls": []}),
        ("null-arguments", {"tool_calls": [call("{}"), call('{"a":1}')]},
         {"tool_calls": [call("null"), call('{"a":1}')]}),
        ("null-arguments", {"content": []}, {"content": []}),
        ("actions-as-text", {"role": "assistant", "content": []}, {"role": "assistant", "content": []}),
        ("actions-as-text", {"role": "assistant", "tool_calls": [call('{"a":1}')]}, {"role": "assistant", "content": [
            {"type": "text", "text": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {"a": 1}}]'
                                     "<|END_ACTION|>"}]}),
    ],
)  # fmt: skip
def test_whole_messages(quirk: str, message: Json, expected: Json) -> None:
    assert WHOLE[quirk](copy.deepcopy(message)) == expected


def received(quirk: str) -> Received:
    body = {"model": f"quirk-{quirk}", "messages": [{"role": "user", "content": "hi"}]}
    return Received("", "POST", "", {}, {}, {}, b"", body)


@pytest.mark.parametrize("quirk", sorted(FINISHES))
def test_finishes(quirk: str) -> None:
    turn = turn_of(API, received(quirk))
    assert json.loads(whole(turn).body)["finish_reason"] == FINISHES[quirk]
    last = stream(turn).frames[-1].data.split(b"data: ")[1]
    assert json.loads(last)["delta"]["finish_reason"] == FINISHES[quirk]


def test_counts_of_a_whole_answer() -> None:
    floats = json.loads(whole(turn_of(API, received("float-usage"))).body)["usage"]
    assert floats["tokens"] == {"input_tokens": 30.0, "output_tokens": 20.0}
    assert isinstance(floats["cached_tokens"], float)
    assert list(json.loads(whole(turn_of(API, received("billed-only"))).body)["usage"]) == ["billed_units"]


def test_every_oddity_has_a_test() -> None:
    assert set(EVENTS) == {quirk for quirk, _ in TABLE}
    assert set(WHOLE) == {"no-tool-plan", "null-arguments", "actions-as-text"}
    assert {*EVENTS, *WHOLE, *FINISHES, *WRITING} == QUIRKS
    assert stream(turn_of(API, received("done"))).frames[-1].data == b"data: [DONE]\n\n"
