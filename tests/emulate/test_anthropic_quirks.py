"""Each oddity on the same short stream, event by event."""

import copy
from typing import Any

import pytest

from proxy.emulate.anthropic_answer import QUIRKS
from proxy.emulate.anthropic_quirks import EVENTS, STOPS, Event, whole_quirk
from proxy.emulate.sse import WRITING

Json = Any

START: Json = {"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 3, "output_tokens": 1}}}
PING = {"type": "ping"}
THINK = [
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "S"}},
    {"type": "content_block_stop", "index": 0},
]
CALL = [
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "f"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 1},
]  # fmt: skip
DELTA = {
    "type": "message_delta",
    "delta": {"stop_reason": "tool_use", "stop_sequence": None},
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 0, "output_tokens": 9},
}
STOP = {"type": "message_stop"}
ALL: list[Json] = [START, PING, *THINK, *CALL, DELTA, STOP]
MOOD = {"type": "mood_delta"}
WEATHER = {"type": "weather", "sky": "clear"}
METRICS = {"inputTokenCount": 1, "outputTokenCount": 1, "invocationLatency": 1, "firstByteLatency": 1}


def played(quirk: str) -> list[Json]:
    events = [Event("content", copy.deepcopy(data)) for data in ALL]
    return [event.data for event in EVENTS[quirk](events)]


TABLE: list[tuple[str, list[Json]]] = [
    ("start-twice", [START, PING, START, *THINK, *CALL, DELTA, STOP]),
    (
        "spliced",
        [START, PING, {**START, "message": {**START["message"], "id": "msg_another"}}, *THINK, *CALL, DELTA, STOP],
    ),
    (
        "signature-twice",
        [
            START, PING, THINK[0],
            {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "early"}},
            *THINK[1:], *CALL, DELTA, STOP,
        ],
    ),
    (
        "unknown-events",
        [
            WEATHER, START, WEATHER, PING,
            WEATHER, THINK[0], {"type": "content_block_delta", "index": 0, "delta": MOOD},
            WEATHER, THINK[1], WEATHER, THINK[2],
            WEATHER, CALL[0], {"type": "content_block_delta", "index": 1, "delta": MOOD},
            WEATHER, CALL[1], WEATHER, CALL[2],
            WEATHER, DELTA, WEATHER, STOP,
        ],
    ),
    ("no-input-tokens", [START, PING, *THINK, *CALL, {**DELTA, "usage": {"output_tokens": 9}}, STOP]),
    (
        "null-usage",
        [
            START, PING, *THINK, *CALL,
            {**DELTA, "usage": {"input_tokens": None, "cache_read_input_tokens": None, "output_tokens": 9}},
            STOP,
        ],
    ),
    (
        "two-message-deltas",
        [
            START, PING, *THINK, *CALL,
            {
                **DELTA,
                "delta": {"stop_reason": None, "stop_sequence": None},
                "usage": {"input_tokens": 3, "cache_read_input_tokens": 0, "output_tokens": 1},
            },
            DELTA, STOP,
        ],
    ),
    (
        "bedrock-metrics",
        [START, PING, *THINK, *CALL, DELTA, {"p": "abcd"}, {**STOP, "amazon-bedrock-invocationMetrics": METRICS}],
    ),
    ("pings", [event for data in ALL for event in (PING, data)]),
    ("no-argument-deltas", [START, PING, *THINK, CALL[0], CALL[2], DELTA, STOP]),
    ("no-message-stop", [START, PING, *THINK, *CALL, DELTA]),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), TABLE)
def test_events(quirk: str, expected: list[Json]) -> None:
    assert played(quirk) == expected


def test_every_quirk_is_in_a_table() -> None:
    assert set(EVENTS) == {quirk for quirk, _ in TABLE}
    assert {*EVENTS, *STOPS, *WRITING, "null-content", "pause-turn", "empty-after-results"} == QUIRKS


def test_quirks_of_whole_answers() -> None:
    message: Json = {"content": [], "usage": {"input_tokens": 1, "cache_read_input_tokens": 2}}
    assert whole_quirk(message, "null-content") == {**message, "content": None}
    assert whole_quirk(message, "null-usage")["usage"] == {"input_tokens": 1, "cache_read_input_tokens": None}
    assert whole_quirk(message, "pings") == message
