"""Oddities of Converse answers, by model name `quirk-NAME` (bedrock-converse §6, §8–§10).

`EVENTS` change the events of a stream, `WHOLE` a whole answer, `STOPS` are stop reasons of their own, `LATE` are
exceptions after some content.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Json = Any
Events = list["Event"]

STOPS = {
    "guardrail": "guardrail_intervened",
    "context-window": "model_context_window_exceeded",
    "malformed-output": "malformed_model_output",
    "malformed-tool-use": "malformed_tool_use",
    "end-turn-with-calls": "end_turn",
    "stop-unheard-of": "tired",
}

LATE: dict[str, tuple[str, Json]] = {
    "throttled-late": ("throttlingException", {"message": "Too many tokens, please wait before trying again."}),
    "unavailable-late": ("serviceUnavailableException", {"message": "Bedrock is unable to process your request."}),
    "validation-late": ("validationException", {"message": "The model returned an invalid output."}),
    "timeout-late": ("modelTimeoutException", {"message": "The model timed out."}),
    "model-error-late": (
        "modelStreamErrorException",
        {"message": "The model stream failed.", "originalStatusCode": 500, "originalMessage": "boom"},
    ),
    "error-message-late": ("", {"message": "An internal server error occurred."}),
}


@dataclass(frozen=True, slots=True)
class Event:
    """An event before it is framed. Its payload is the quirk's to change."""

    kind: Literal["start", "content", "end"]
    name: str
    payload: Json


def _deltas(events: Events, member: str) -> Events:
    return [event for event in events if member in event.payload.get("delta", {})]


def _metadata_first(events: Events) -> Events:
    """The counts come before the stop."""
    stop = next(index for index, event in enumerate(events) if event.name == "messageStop")
    return [*events[:stop], *events[stop + 1 :], events[stop]]


def _without(*names: str) -> Callable[[Events], Events]:
    return lambda events: [event for event in events if event.name not in names]


def _no_inputs(events: Events) -> Events:
    """Calls without any piece of input: their arguments are empty."""
    dropped = _deltas(events, "toolUse")
    return [event for event in events if event not in dropped]


def _broken_input(events: Events) -> Events:
    """The pieces of an input are no JSON together."""
    for event in _deltas(events, "toolUse")[-1:]:
        event.payload["delta"]["toolUse"]["input"] += '{"broken": '
    return events


def _redacted_in_start(events: Events) -> Events:
    """Redacted reasoning in the event that begins its block."""
    found: Events = []
    for event in events:
        reasoning = event.payload.get("delta", {}).get("reasoningContent", {})
        if "redactedContent" in reasoning:
            start = {"reasoningContent": reasoning}
            index = event.payload["contentBlockIndex"]
            found.append(Event("start", "contentBlockStart", {"contentBlockIndex": index, "start": start}))
        else:
            found.append(event)
    return found


def _unsigned(events: Events) -> Events:
    return [e for e in events if "signature" not in e.payload.get("delta", {}).get("reasoningContent", {})]


def _unknown(events: Events) -> Events:
    """Events and members that nobody has described."""
    found: Events = []
    for event in events:
        event.payload["mood"] = "fine"
        found += [event, Event("start", "weather", {"sky": "clear"})]
    return found[:-1]


def _cited(events: Events) -> Events:
    """Citations between the pieces of a text."""
    found: Events = []
    for event in events:
        found.append(event)
        if "text" in event.payload.get("delta", {}):
            delta = {"citation": {"title": "a", "sourceContent": [{"text": "x"}]}}
            index = event.payload["contentBlockIndex"]
            found.append(Event("start", "contentBlockDelta", {"contentBlockIndex": index, "delta": delta}))
    return found


def _server_tool(events: Events) -> Events:
    """A system tool's call and its result before everything else (Nova)."""
    use = {"toolUseId": "tooluse_server", "name": "nova_grounding", "type": "server_tool_use"}
    result = {"toolUseId": "tooluse_server", "type": "nova_grounding_result", "status": "success"}
    moved = copy.deepcopy(events[1:])
    for event in moved:
        if "contentBlockIndex" in event.payload:
            event.payload["contentBlockIndex"] += 2
    text = [{"text": "found"}]
    return [
        events[0],
        Event("start", "contentBlockStart", {"contentBlockIndex": 0, "start": {"toolUse": use}}),
        Event("start", "contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"q":1}'}}}),
        Event("start", "contentBlockStop", {"contentBlockIndex": 0}),
        Event("start", "contentBlockStart", {"contentBlockIndex": 1, "start": {"toolResult": result}}),
        Event("start", "contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolResult": text}}),
        Event("start", "contentBlockStop", {"contentBlockIndex": 1}),
        *moved,
    ]


EVENTS: dict[str, Callable[[Events], Events]] = {
    "metadata-first": _metadata_first,
    "no-metadata": _without("metadata"),
    "no-message-stop": _without("messageStop"),
    "no-message-start": _without("messageStart"),
    "no-input-deltas": _no_inputs,
    "broken-input": _broken_input,
    "redacted-in-start": _redacted_in_start,
    "unsigned": _unsigned,
    "unknown-events": _unknown,
    "citations": _cited,
    "server-tool": _server_tool,
}


def _whole_server_tool(body: Json) -> None:
    use = {"toolUseId": "tooluse_server", "name": "nova_grounding", "input": {"q": 1}, "type": "server_tool_use"}
    result = {"toolUseId": "tooluse_server", "content": [{"text": "found"}], "status": "success"}
    message = body["output"]["message"]
    message["content"] = [{"toolUse": use}, {"toolResult": result}, *message["content"]]


def _whole_cited(body: Json) -> None:
    for block in body["output"]["message"]["content"]:
        if "text" in block:
            text = block.pop("text")
            block["citationsContent"] = {"content": [{"text": text}], "citations": [{"title": "a"}]}


def _whole_unsigned(body: Json) -> None:
    for block in body["output"]["message"]["content"]:
        block.get("reasoningContent", {}).get("reasoningText", {}).pop("signature", None)


WHOLE: dict[str, Callable[[Json], None]] = {
    "no-output": lambda body: body.pop("output"),
    "no-metadata": lambda body: body.pop("usage"),
    "server-tool": _whole_server_tool,
    "citations": _whole_cited,
    "unsigned": _whole_unsigned,
    "unknown-events": lambda body: body.update(mood="fine"),
}
