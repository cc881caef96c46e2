"""Oddities of Cohere's answers, by model name `quirk-NAME` (cohere-chat §5, §6, §8).

`EVENTS` change the events of a stream, `WHOLE` a whole answer, `FINISHES` are ends of their own.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Json = Any
Events = list["Event"]

FINISHES = {"timeout": "TIMEOUT", "error-finish": "ERROR", "error-limit": "ERROR_LIMIT"}


@dataclass(frozen=True, slots=True)
class Event:
    """An event before it is written. Its data is the quirk's to change."""

    kind: Literal["start", "content", "end"]
    data: Json


def _without(kind: str) -> Callable[[Events], Events]:
    return lambda events: [event for event in events if event.data["type"] != kind]


def _on_calls(change: Callable[[Json], object]) -> Callable[[Events], Events]:
    def quirk(events: Events) -> Events:
        for event in events:
            if event.data["type"] == "tool-call-start":
                change(event.data["delta"]["message"]["tool_calls"])
        return events

    return quirk


def _from_three(events: Events) -> Events:
    """The indexes of calls do not begin at 0."""
    for event in events:
        if event.data["type"].startswith("tool-call"):
            event.data["index"] += 3
    return events


def _in_start(events: Events) -> Events:
    """The first piece of the arguments comes with the name."""
    found: Events = []
    opened: Json = None
    for event in events:
        message = event.data.get("delta", {}).get("message", {})
        if event.data["type"] == "tool-call-start":
            opened = message["tool_calls"]["function"]
        elif event.data["type"] == "tool-call-delta" and opened is not None:
            opened["arguments"] += message["tool_calls"]["function"]["arguments"]
            opened = None
            continue
        found.append(event)
    return found


def _cited(events: Events) -> Events:
    """A citation between the pieces of the text."""
    found: Events = []
    for event in events:
        found.append(event)
        if event.data["type"] == "content-delta" and "text" in event.data["delta"]["message"]["content"]:
            citations = {"start": 0, "end": 3, "text": "You", "sources": [], "type": "TEXT_CONTENT"}
            start = {"type": "citation-start", "index": 0, "delta": {"message": {"citations": citations}}}
            found += [Event("start", start), Event("start", {"type": "citation-end", "index": 0})]
    return found


def _debug(events: Events) -> Events:
    """Events that nobody has described, between all others."""
    return [made for event in events for made in (event, Event("start", {"type": "debug", "prompt": "x"}))][:-1]


def _usage(change: Callable[[Json], Json]) -> Callable[[Events], Events]:
    def quirk(events: Events) -> Events:
        for event in events:
            if event.data["type"] == "message-end":
                event.data["delta"]["usage"] = change(event.data["delta"]["usage"])
        return events

    return quirk


def floats(usage: Json) -> Json:
    """Counts as floats."""
    return {name: {key: float(n) for key, n in part.items()} if isinstance(part, dict) else float(part)
            for name, part in usage.items()}  # fmt: skip


def billed(usage: Json) -> Json:
    """Only what is billed."""
    return {"billed_units": usage["billed_units"]}


def _null_arguments(events: Events) -> Events:
    """`null` where a call has no arguments."""
    calls: dict[int, Events] = {}
    for event in events:
        if event.data["type"] == "tool-call-delta":
            calls.setdefault(event.data["index"], []).append(event)
    for pieces in calls.values():
        functions = [piece.data["delta"]["message"]["tool_calls"]["function"] for piece in pieces]
        if "".join(function["arguments"] for function in functions) == "{}":
            functions[0]["arguments"] = "null"
    return events


def _failed(events: Events) -> Events:
    """An error in the last event, after some content."""
    ended = copy.deepcopy(events[-1])
    ended.data["delta"] |= {"finish_reason": "ERROR", "error": "internal server error, this has been reported"}
    first = next((index for index, event in enumerate(events) if event.kind == "content"), 0)
    return [*events[: first + 1], ended]


def _actions(message: Json) -> Json:
    """Calls in the text, as self-hosted servers leave them."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    inside = []
    for index, call in enumerate(calls):
        function = call["function"]
        action = {"tool_call_id": str(index), "tool_name": function["name"]}
        inside.append({**action, "parameters": json.loads(function["arguments"])})
    text = f"<|START_ACTION|>{json.dumps(inside)}<|END_ACTION|>"
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def _whole_null(message: Json) -> Json:
    for call in message.get("tool_calls") or []:
        if call["function"]["arguments"] == "{}":
            call["function"]["arguments"] = "null"
    return message


def _without_member(name: str) -> Callable[[Json], Json]:
    return lambda message: {key: value for key, value in message.items() if key != name}


EVENTS: dict[str, Callable[[Events], Events]] = {
    "no-argument-deltas": _without("tool-call-delta"),
    "no-tool-plan": _without("tool-plan-delta"),
    "no-message-start": _without("message-start"),
    "no-message-end": lambda events: events[:-1],
    "index-from-3": _from_three,
    "arguments-in-start": _in_start,
    "null-arguments": _null_arguments,
    "long-ids": _on_calls(lambda call: call.update(id=call["id"] + "x" * 60)),
    "citations": _cited,
    "debug-events": _debug,
    "float-usage": _usage(floats),
    "billed-only": _usage(billed),
    "error-late": _failed,
    "done": lambda events: events,
}

WHOLE: dict[str, Callable[[Json], Json]] = {
    "no-tool-plan": _without_member("tool_plan"),
    "null-arguments": _whole_null,
    "actions-as-text": _actions,
}
