"""Oddities of Anthropic streams and their imitators, by model name `quirk-NAME` (anthropic-messages §10, §11).

`EVENTS` change the events, `STOPS` are stop reasons of their own.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Json = Any


@dataclass(frozen=True, slots=True)
class Event:
    """An event before it is written. `name` is the SSE event, by default the data's `type`."""

    kind: Literal["start", "content", "end"]
    data: Json
    name: str = ""


STOPS = {"context-window": "model_context_window_exceeded", "sensitive": "sensitive", "stop-unheard-of": "tired"}


def whole_quirk(message: Json, quirk: str) -> Json:
    """The whole answer's own forms of a few of the quirks."""
    match quirk:
        case "null-content":
            return {**message, "content": None}
        case "null-usage":
            return {**message, "usage": {**message["usage"], "cache_read_input_tokens": None}}
    return message


def _start_again(identifier: str | None) -> Callable[[list[Event]], list[Event]]:
    """A second `message_start`, of this message or of another one."""

    def quirk(events: list[Event]) -> list[Event]:
        again = copy.deepcopy(events[0])
        again.data["message"]["id"] = identifier or again.data["message"]["id"]
        return [*events[:2], again, *events[2:]]

    return quirk


def _signature_twice(events: list[Event]) -> list[Event]:
    """A signature that is sent twice: the second one counts."""
    found: list[Event] = []
    for event in events:
        if event.data.get("delta", {}).get("type") == "signature_delta":
            delta = {"type": "signature_delta", "signature": "early"}
            found.append(Event("start", {**event.data, "delta": delta}))
        found.append(event)
    return found


def _unknown(events: list[Event]) -> list[Event]:
    """Events, deltas and members that nobody has described."""
    found: list[Event] = []
    for event in events:
        found += [Event("start", {"type": "weather", "sky": "clear"}), event]
        if event.data["type"] == "content_block_start":
            mood = {"type": "content_block_delta", "index": event.data["index"], "delta": {"type": "mood_delta"}}
            found.append(Event("start", mood))
    return found


def _no_input_tokens(events: list[Event]) -> list[Event]:
    """`message_delta` without the prompt's size (proxies)."""
    for event in events:
        if event.data["type"] == "message_delta":
            event.data["usage"] = {"output_tokens": event.data["usage"]["output_tokens"]}
    return events


def _null_usage(events: list[Event]) -> list[Event]:
    for event in events:
        if event.data["type"] == "message_delta":
            event.data["usage"] |= {"input_tokens": None, "cache_read_input_tokens": None}
    return events


def _two_deltas(events: list[Event]) -> list[Event]:
    """`message_delta` twice, the first without a stop reason."""
    at = next(index for index, event in enumerate(events) if event.data["type"] == "message_delta")
    early = copy.deepcopy(events[at])
    early.data["delta"] = {"stop_reason": None, "stop_sequence": None}
    early.data["usage"]["output_tokens"] = 1
    return [*events[:at], early, *events[at:]]


def _metrics(events: list[Event]) -> list[Event]:
    """Bedrock: its metrics in the last event, and one without a type before."""
    metrics = {"inputTokenCount": 1, "outputTokenCount": 1, "invocationLatency": 1, "firstByteLatency": 1}
    last = Event("end", {**events[-1].data, "amazon-bedrock-invocationMetrics": metrics})
    return [*events[:-1], Event("end", {"p": "abcd"}, "chunk"), last]


def _pings(events: list[Event]) -> list[Event]:
    """A ping before everything and between all events."""
    return [found for event in events for found in (Event("start", {"type": "ping"}), event)]


def _no_arguments(events: list[Event]) -> list[Event]:
    """Calls without argument deltas: their input is empty."""
    return [event for event in events if event.data.get("delta", {}).get("type") != "input_json_delta"]


EVENTS: dict[str, Callable[[list[Event]], list[Event]]] = {
    "start-twice": _start_again(None),
    "spliced": _start_again("msg_another"),
    "signature-twice": _signature_twice,
    "unknown-events": _unknown,
    "no-input-tokens": _no_input_tokens,
    "null-usage": _null_usage,
    "two-message-deltas": _two_deltas,
    "bedrock-metrics": _metrics,
    "pings": _pings,
    "no-argument-deltas": _no_arguments,
    "no-message-stop": lambda events: events[:-1],
}
