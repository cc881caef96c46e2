"""Converse answers, whole and as event stream messages (bedrock-converse §5, §6, §8–§10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.emulate.api import Ask, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.aws_frames import CONTENT_TYPE, error, event, exception
from proxy.emulate.bedrock_families import family
from proxy.emulate.bedrock_messages import sign
from proxy.emulate.bedrock_quirks import EVENTS, LATE, STOPS, WHOLE, Event

Json = Any

QUIRKS = frozenset({*EVENTS, *WHOLE, *STOPS, *LATE, "empty-after-results", "json-body"})

PIECE = 12
"""Characters in one delta."""

REQUEST_ID = "00000000-0000-4000-8000-000000000000"
JSON_HEADERS = (("content-type", "application/json"), ("x-amzn-requestid", REQUEST_ID))
STREAM_HEADERS = (("content-type", CONTENT_TYPE), ("x-amzn-requestid", REQUEST_ID))

_STOP = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "stop_sequence": "stop_sequence",
    "refusal": "content_filtered",
}


def whole(turn: Turn) -> Reply:
    """The response object."""
    message = {"role": "assistant", "content": blocks_of(turn)}
    body = {"output": {"message": message}, "stopReason": stop_reason(turn), "usage": usage(turn), **_metrics()}
    if "/stop_sequence" in _paths(turn):
        body["additionalModelResponseFields"] = {"stop_sequence": turn.plan.stopped}
    if turn.mode.quirk in WHOLE:
        WHOLE[turn.mode.quirk](body)
    return Reply(200, dumps(body), JSON_HEADERS)


def blocks_of(turn: Turn) -> list[Json]:
    """Reasoning, text and calls as whole blocks. A call that was cut has no block."""
    plan = turn.plan
    if turn.mode.quirk == "empty-after-results" and turn.ask.task.results:
        return []
    found = list(_reasoning(turn))
    if plan.text:
        found.append({"text": plan.text})
    for index, call in enumerate(plan.calls):
        if call.whole:
            use = {"toolUseId": _call_id(turn, index), "name": call.name, "input": call.arguments}
            found.append({"toolUse": use})
    return found


def _reasoning(turn: Turn) -> Iterator[Json]:
    text, signed = turn.plan.reasoning, family(turn.mode.family).reasoning == "claude"
    if text is None:
        return
    yield {"reasoningContent": {"reasoningText": {"text": text, **({"signature": sign(text)} if signed else {})}}}
    if signed and "REDACTED_THINKING" in turn.ask.task.user:
        yield {"reasoningContent": {"redactedContent": sign("")}}


def _call_id(turn: Turn, index: int) -> str:
    if family(turn.mode.family).ids:
        return identifier(turn.ask, f"call {index}", 9)
    return "tooluse_" + identifier(turn.ask, f"call {index}", 22)


def stop_reason(turn: Turn) -> str:
    """A call that cannot be read is the answer's end: inputs are objects on this wire."""
    if turn.mode.kind == "bad-arguments" and turn.plan.calls:
        return "malformed_tool_use"
    return STOPS.get(turn.mode.quirk, _STOP[turn.plan.finish])


def usage(turn: Turn) -> Json:
    """`inputTokens` are those that were neither read from nor written to the cache."""
    spent = turn.usage
    found = {
        "inputTokens": spent.prompt - spent.cached - spent.written,
        "outputTokens": spent.output,
        "totalTokens": spent.prompt + spent.output,
    }
    if turn.ask.marks:
        found |= {"cacheReadInputTokens": spent.cached, "cacheWriteInputTokens": spent.written}
    return found


def _metrics() -> Json:
    return {"metrics": {"latencyMs": 551}}


def _paths(turn: Turn) -> list[str]:
    return turn.ask.body.get("additionalModelResponseFieldPaths") or []


# streams


def stream(turn: Turn) -> Stream:
    """The events as frames; with the oddity that the model name asks for."""
    quirk = turn.mode.quirk
    if quirk == "json-body":
        return Stream(STREAM_HEADERS, [Frame("content", whole(turn).body)])
    events = EVENTS.get(quirk, list)(list(_events(turn)))
    frames = [Frame(one.kind, event(one.name, {**one.payload, "p": "abcdefgh"})) for one in events]
    if quirk in LATE:
        said = next((index for index, frame in enumerate(frames) if frame.kind == "content"), 0)
        frames = [*frames[: said + 1], Frame("end", _late(*LATE[quirk]))]
    return Stream(STREAM_HEADERS, frames)


def _late(name: str, payload: Json) -> bytes:
    return exception(name, payload) if name else error("InternalFailure", payload["message"])


def error_frame(ask: Ask) -> bytes:
    """An error inside a stream."""
    text = "The system encountered an unexpected error during processing. Try your request again."
    return exception("internalServerException", {"message": text})


def _events(turn: Turn) -> Iterator[Event]:
    yield Event("start", "messageStart", {"role": "assistant"})
    for index, block in enumerate(blocks_of(turn)):
        yield from _block(turn, index, block)
    more: Json = {}
    if "/delta/stop_sequence" in _paths(turn):
        more = {"additionalModelResponseFields": {"delta": {"stop_sequence": turn.plan.stopped}}}
    yield Event("end", "messageStop", {"stopReason": stop_reason(turn), **more})
    yield Event("end", "metadata", {"usage": usage(turn), **_metrics()})


def _block(turn: Turn, index: int, block: Json) -> Iterator[Event]:
    """Only calls have an event that begins them; it says something already: the name."""
    at = {"contentBlockIndex": index}
    if use := block.get("toolUse"):
        start = {"toolUse": {"toolUseId": use["toolUseId"], "name": use["name"]}}
        yield Event("content", "contentBlockStart", {**at, "start": start})
    for delta in _deltas(turn, index, block):
        quiet = "signature" in delta.get("reasoningContent", {})
        yield Event("start" if quiet else "content", "contentBlockDelta", {**at, "delta": delta})
    yield Event("start", "contentBlockStop", dict(at))


def _deltas(turn: Turn, index: int, block: Json) -> Iterator[Json]:
    match block:
        case {"text": text}:
            yield from ({"text": piece} for piece in pieces(text))
        case {"reasoningContent": {"reasoningText": {"text": text, **rest}}}:
            yield from ({"reasoningContent": {"text": piece}} for piece in pieces(text))
            if "signature" in rest:
                yield {"reasoningContent": {"signature": rest["signature"]}}
        case {"reasoningContent": redacted}:
            yield {"reasoningContent": redacted}
        case {"toolUse": _}:
            others = sum(1 for other in blocks_of(turn)[:index] if "toolUse" not in other)
            text = [call.text for call in turn.plan.calls if call.whole][index - others]
            yield from ({"toolUse": {"input": piece}} for piece in pieces("" if text == "{}" else text))


def pieces(text: str) -> list[str]:
    """A text in deltas."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
