"""Cohere's v2 chat answers, whole and streamed (cohere-chat §5, §6)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from proxy.emulate.api import Ask, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.cohere_quirks import EVENTS, FINISHES, WHOLE, Event, billed, floats
from proxy.emulate.sse import HEADERS, WRITING, event

Json = Any

QUIRKS = frozenset({*EVENTS, *WHOLE, *FINISHES, *WRITING})

PIECE = 12
"""Characters in one delta."""

JSON_HEADERS = (("content-type", "application/json"), ("x-debug-trace-id", "emulated"))

_FINISH = {
    "stop": "COMPLETE",
    "length": "MAX_TOKENS",
    "tool_calls": "TOOL_CALL",
    "stop_sequence": "STOP_SEQUENCE",
    "refusal": "ERROR_TOXIC",
}


def whole(turn: Turn) -> Reply:
    """The response object."""
    quirk = turn.mode.quirk
    message = WHOLE.get(quirk, dict)(_message(turn))
    spent = {"float-usage": floats, "billed-only": billed}.get(quirk, dict)(usage(turn))
    body = {"id": _id(turn.ask), "message": message, "finish_reason": _finish(turn), "usage": spent}
    return Reply(200, dumps(body | logprobs(turn, turn.plan.text or "")), JSON_HEADERS)


def _id(ask: Ask) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, identifier(ask, "answer")))


def _finish(turn: Turn) -> str:
    return FINISHES.get(turn.mode.quirk, _FINISH[turn.plan.finish])


def _message(turn: Turn) -> Json:
    """With calls there is no content but thinking: the text before them is the plan."""
    plan = turn.plan
    message: Json = {"role": "assistant"}
    content = _content(turn)
    if plan.calls:
        message |= {"tool_plan": plan.text} if plan.text else {}
        message |= {"tool_calls": [_call(turn, index) for index in range(len(plan.calls))]}
    if content or not plan.calls:
        message["content"] = content
    return message


def _content(turn: Turn) -> list[Json]:
    plan = turn.plan
    found: list[Json] = [{"type": "thinking", "thinking": plan.reasoning}] if plan.reasoning else []
    return [*found, *([{"type": "text", "text": plan.text}] if plan.text and not plan.calls else [])]


def _call(turn: Turn, index: int, text: str | None = None) -> Json:
    """A call; `text` replaces its arguments."""
    call = turn.plan.calls[index]
    name = f"{call.name}_{identifier(turn.ask, f'call {index}', 12).lower()}"
    arguments = call.text if text is None else text
    return {"id": name, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def usage(turn: Turn) -> Json:
    """The true counts, and what is billed of them."""
    spent = turn.usage
    return {
        "billed_units": {"input_tokens": spent.prompt // 2, "output_tokens": spent.output},
        "tokens": {"input_tokens": spent.prompt, "output_tokens": spent.output},
        "cached_tokens": spent.cached,
    }


def logprobs(turn: Turn, text: str) -> Json:
    """Of a text, if they were asked for; tokens of four characters."""
    if not turn.ask.body.get("logprobs") or not text:
        return {}
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    return {"logprobs": [{"token_ids": [n + 1], "text": t, "logprobs": [-0.25]} for n, t in enumerate(pieces)]}


# streams


def stream(turn: Turn) -> Stream:
    """The events in the API's grammar; with the oddity that the model name asks for."""
    quirk = turn.mode.quirk
    events = EVENTS.get(quirk, list)(list(_events(turn)))
    frames = [Frame(one.kind, event(one.data["type"], one.data)) for one in events]
    if quirk == "done":
        frames.append(Frame("end", b"data: [DONE]\n\n"))
    if quirk in WRITING:
        frames = [Frame(frame.kind, WRITING[quirk](frame.data, index)) for index, frame in enumerate(frames)]
    return Stream((*HEADERS, ("x-debug-trace-id", "emulated")), frames)


def error_frame(ask: Ask) -> bytes:
    """An error inside a stream: it ends with it."""
    delta = {"error": "internal server error, this has been reported to our developers.", "finish_reason": "ERROR"}
    return event("message-end", {"type": "message-end", "id": _id(ask), "delta": delta})


def _events(turn: Turn) -> Iterator[Event]:
    plan = turn.plan
    empty = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    yield Event("start", {"type": "message-start", "id": _id(turn.ask), "delta": {"message": empty}})
    for index, part in enumerate(_content(turn)):
        yield from _part(turn, index, part)
    if plan.calls:
        for piece in pieces(plan.text or ""):
            yield Event("content", {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": piece}}})
    for index in range(len(plan.calls)):
        yield from _call_events(turn, index)
    ended = {"finish_reason": _finish(turn), "usage": usage(turn)}
    yield Event("end", {"type": "message-end", "id": _id(turn.ask), "delta": ended})


def _part(turn: Turn, index: int, part: Json) -> Iterator[Event]:
    kind = part["type"]
    start = {"message": {"content": {"type": kind, kind: ""}}}
    yield Event("start", {"type": "content-start", "index": index, "delta": start})
    for piece in pieces(part[kind]):
        data = {"type": "content-delta", "index": index, "delta": {"message": {"content": {kind: piece}}}}
        yield Event("content", data | (logprobs(turn, piece) if kind == "text" else {}))
    yield Event("start", {"type": "content-end", "index": index})


def _call_events(turn: Turn, index: int) -> Iterator[Event]:
    opened = {"message": {"tool_calls": _call(turn, index, "")}}
    yield Event("content", {"type": "tool-call-start", "index": index, "delta": opened})
    for piece in pieces(turn.plan.calls[index].text):
        delta = {"message": {"tool_calls": {"function": {"arguments": piece}}}}
        yield Event("content", {"type": "tool-call-delta", "index": index, "delta": delta})
    yield Event("start", {"type": "tool-call-end", "index": index})


def pieces(text: str) -> list[str]:
    """A text in deltas."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
