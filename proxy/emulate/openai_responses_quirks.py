"""Oddities of Responses streams, at OpenAI and at hosts that imitate it, by model name `quirk-NAME` (§6).

`EVENTS` change the events; `NAMELESS` change only how they are written.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

Json = Any
Events = list["Event"]
Quirk = Callable[[Events], Events]

TERMINAL = ("response.completed", "response.incomplete", "response.failed")
NAMELESS = ("no-event-lines", "done")


@dataclass(frozen=True, slots=True)
class Event:
    """An event before it is numbered and written. Its data is the quirk's to change."""

    kind: Literal["start", "content", "end"]
    data: Json


def whole_quirk(response: Json, quirk: str) -> Json:
    """The whole answer's own forms of a few of the quirks."""
    match quirk:
        case "failed-only":
            return _failed(response)
        case "text-null":
            return {**response, "text": None}
    return response


def _failed(response: Json) -> Json:
    error = {"code": "server_error", "message": "The server had an error while processing your request."}
    return {**response, "status": "failed", "error": error, "output": []}


def _without(*endings: str) -> Quirk:
    """Events of these kinds never come."""
    return lambda events: [event for event in events if not event.data["type"].endswith(endings)]


def _rotating(events: Events) -> Events:
    """An item has another id in every event (Copilot); only its index tells."""
    made = copy.deepcopy(events)
    for number, event in enumerate(made):
        for holder, key in ((event.data, "item_id"), (event.data.get("item") or {}, "id")):
            if key in holder:
                holder[key] = f"{holder[key][:30]}{number:04d}"
        for index, item in enumerate(event.data.get("response", {}).get("output") or []):
            item["id"] = f"{item['id'][:30]}{number:02d}{index:02d}"
    return made


def _terminal(output: Json) -> Quirk:
    def quirk(events: Events) -> Events:
        last = events[-1]
        return [*events[:-1], Event(last.kind, {**last.data, "response": {**last.data["response"], "output": output}})]

    return quirk


def _only_done(events: Events) -> Events:
    """Items come whole: neither added nor in pieces."""
    kept = ("response.created", "response.in_progress", "response.output_item.done", *TERMINAL)
    found = [event for event in events if event.data["type"] in kept]
    return [Event("content", e.data) if e.data["type"] == "response.output_item.done" else e for e in found]


def _queued(events: Events) -> Events:
    queued = {**events[0].data["response"], "status": "queued"}
    return [events[0], Event("start", {"type": "response.queued", "response": queued}), *events[1:]]


def _between(data: Json) -> Quirk:
    """This event between all others."""
    return lambda events: [events[0], *(made for event in events[1:] for made in (Event("start", dict(data)), event))]


def _interleaved(events: Events) -> Events:
    """All calls are opened, their arguments come in turns, then all are closed."""
    first = next((i for i, e in enumerate(events) if _opens_call(e)), len(events))
    calls: dict[int, Events] = {}
    for event in events[first:-1]:
        calls.setdefault(event.data["output_index"], []).append(event)
    opened = [one[0] for one in calls.values()]
    middle = [event for row in zip_longest(*(one[1:-2] for one in calls.values())) for event in row if event]
    closed = [event for one in calls.values() for event in one[-2:]]
    return [*events[:first], *opened, *middle, *closed, *([events[-1]] if first < len(events) else [])]


def _opens_call(event: Event) -> bool:
    return event.data["type"] == "response.output_item.added" and event.data["item"]["type"] in (
        "function_call", "custom_tool_call",
    )  # fmt: skip


def _failed_only(events: Events) -> Events:
    response = _failed(events[-1].data["response"])
    return [*events[:2], Event("end", {"type": "response.failed", "response": response})]


def _flat_error(events: Events) -> Events:
    """The error event of the specification: flat, and nothing after it."""
    error = {"type": "error", "code": "server_error", "message": "The server had an error.", "param": None}
    return [*events[:2], Event("end", error)]


def _quota_error(events: Events) -> Events:
    """No credit, found out after a 200."""
    text = "You exceeded your current quota, please check your plan and billing details."
    error = {"type": "insufficient_quota", "code": "insufficient_quota", "message": text, "param": None}
    return [*events[:2], Event("end", {"type": "error", "error": error})]


def _text_null(events: Events) -> Events:
    """The echo of `text` is null (Bifrost)."""
    made = copy.deepcopy(events)
    for event in made:
        if "response" in event.data:
            event.data["response"]["text"] = None
    return made


def _part_text(events: Events) -> Events:
    """Azure and others: `response.text.delta`, and parts of type `text`."""
    made = copy.deepcopy(events)
    for event in made:
        event.data["type"] = event.data["type"].replace("response.output_text.", "response.text.")
        parts = [event.data.get("part")]
        for item in _items(event):
            parts += item.get("content") or []
        for part in parts:
            if part and part["type"] == "output_text":
                part["type"] = "text"
    return made


def _items(event: Event) -> Iterator[Json]:
    if "item" in event.data:
        yield event.data["item"]
    yield from event.data.get("response", {}).get("output") or []


def _object_deltas(events: Events) -> Events:
    """vLLM: reasoning deltas are objects, under another name."""
    found = []
    for event in events:
        data = event.data
        if data["type"] in ("response.reasoning_text.delta", "response.reasoning_summary_text.delta"):
            data = {**data, "type": "response.reasoning.delta", "delta": {"text": data["delta"]}}
        found.append(Event(event.kind, data))
    return found


def _no_logprobs(events: Events) -> Events:
    return [Event(e.kind, {name: v for name, v in e.data.items() if name != "logprobs"}) for e in events]


EVENTS: dict[str, Quirk] = {
    "rotating-item-ids": _rotating,
    "only-done": _only_done,
    "no-argument-deltas": _without("arguments.delta"),
    "no-arguments-done": _without("arguments.done"),
    "no-text-deltas": _without("output_text.delta"),
    "no-terminal": lambda events: events[:-1],
    "terminal-output-null": _terminal(None),
    "terminal-output-empty": _terminal([]),
    "queued": _queued,
    "keepalive": _between({"type": "keepalive"}),
    "unknown-events": _between({"type": "response.weather.changed", "sky": "clear"}),
    "interleaved": _interleaved,
    "failed-only": _failed_only,
    "flat-error": _flat_error,
    "quota-in-stream": _quota_error,
    "text-null": _text_null,
    "text-delta": _part_text,
    "object-deltas": _object_deltas,
    "no-logprobs": _no_logprobs,
}
