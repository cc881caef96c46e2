"""Whole answers of Converse (2026-11). Blocks that no client could be shown (system tools, images, guards) are read
over."""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.format import Reading
from adapters.formats.bedrock_converse.wire import NAME, SERVER_TOOL, citation, ending, usage_of
from adapters.model import Json


def decode(body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
    """The events of a whole answer, the same as those of its stream. Raises Malformed.

    The answer has neither id nor model of its own; the request's id stands in for the first.
    """
    try:
        answer = json.loads(body)
    except ValueError:
        raise Malformed("the answer is no JSON") from None
    match answer:
        case {"output": {"message": {"content": list(blocks)}}, "stopReason": str(word)}:
            pass
        case _:
            raise Malformed("an answer without output or stopReason")
    out: list[Event] = [Started(headers.get("x-amzn-requestid"))]
    part = 0
    for block in blocks:
        if events := _block(part, block, reading):
            out += [*events, PartEnd(part)]
            part += 1
    if (usage := usage_of(answer.get("usage"))) is not None:
        out.append(UsageUpdate(usage))
    out.append(ending(word, answer.get("additionalModelResponseFields"), reading))
    return out


def _block(part: int, block: Json, reading: Reading) -> list[Event]:
    """The events of a block but its end; none for one that says nothing."""
    match block:
        case {"text": str(text)}:
            return [TextDelta(part, text)] if text else []
        case {"toolUse": dict(call)}:
            return [] if call.get("type") == SERVER_TOOL else _call(part, call)
        case {"reasoningContent": dict(reasoning)}:
            return _reasoning(part, reasoning, reading)
        case {"citationsContent": dict(cited)}:
            texts = cited.get("content") or []
            text = "".join(one["text"] for one in texts if isinstance(one, dict) and isinstance(one.get("text"), str))
            if not text:
                return []
            return [TextDelta(part, text), *(Cited(part, citation(one)) for one in cited.get("citations") or ())]
        case dict():
            return []
    raise Malformed("a content block that is no object")


def _call(part: int, call: Mapping[str, Json]) -> list[Event]:
    found, value = call.get("toolUseId"), call.get("input", {})
    if not isinstance(value, dict):
        raise Malformed("input of a toolUse block that is no object")
    start = CallStart(part, found if isinstance(found, str) else "", name_of(call))
    return [start, CallDelta(part, json.text(value))]


def name_of(call: Mapping[str, Json]) -> str:
    """The tool's name. Raises Malformed where there is none."""
    name = call.get("name")
    if not isinstance(name, str) or not name:
        raise Malformed("a toolUse block without a name")
    return name


def _reasoning(part: int, reasoning: Mapping[str, Json], reading: Reading) -> list[Event]:
    match reasoning:
        case {"redactedContent": str(data)} if data:
            return [Signed(part, NAME, data=data, origin=reading.origin or None)]
        case {"reasoningText": dict(told)}:
            text, signature = told.get("text"), told.get("signature")
            said: list[Event] = [ReasoningDelta(part, text)] if isinstance(text, str) and text else []
            if isinstance(signature, str) and signature:
                said.append(Signed(part, NAME, signature=signature, origin=reading.origin or None))
            return said
    return []
