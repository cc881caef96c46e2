"""Runs texts through the recovering stage: whole, character by character, and split at every place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from adapters.events import (
    CallDelta,
    CallStart,
    Event,
    Finish,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
)
from adapters.format import Reading
from adapters.tools.recover import recoverer

Found = str | tuple[str, ...]
"""A text as it is, reasoning as ("thought", text), a call as (name, arguments) or (name, arguments, id)."""

STRING = {"type": "string"}
TOOLS: dict[str, Any] = {
    "get_time": {"type": "object", "properties": {"tz": STRING}, "required": ["tz"]},
    "f": {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}},
    "write": {
        "type": "object",
        "properties": {
            "path": STRING,
            "content": STRING,
            "mode": {"type": "integer"},
            "ratio": {"type": "number"},
            "force": {"type": "boolean"},
            "tags": {"type": "array", "items": STRING},
            "meta": {"$ref": "#/$defs/meta"},
            "note": {"type": ["string", "null"]},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "$defs": {"meta": {"type": "object"}},
    },
    "ping": {"type": "object", "properties": {}},
}


def reading(*recover: str, tools: dict[str, Any] | None = None, **more: Any) -> Reading:
    """What an answer is read with: these tools, offered under their own names."""
    offered = TOOLS if tools is None else tools
    schemas = {name: json.dumps(schema).encode() for name, schema in offered.items()}
    return Reading("m", declared=frozenset(offered), schemas=schemas, recover=recover, may_call=True, **more)


def answer(pieces: Sequence[str], finish: Any = "stop") -> list[Event]:
    """An upstream's answer of nothing but text."""
    return [Started("id", "m"), *(TextDelta(0, piece) for piece in pieces), PartEnd(0), Finish(finish)]


def recovered(events: Sequence[Event], how: Reading, warnings: list[str] | None = None) -> list[Event]:
    """The events behind the stage, fed one by one."""
    told = [] if warnings is None else warnings
    stage = recoverer(how, told.append)
    assert stage is not None
    return [event for one in events for event in stage.feed([one])]


def compact(events: Sequence[Event]) -> list[Found]:
    """What the parts say, in order. Parts must be numbered densely, not interleave, and each end once."""
    found: list[Found] = []
    current, last = -1, -1
    texts: list[str] = []
    head: tuple[str, ...] = ()
    for event in events:
        if not isinstance(event, TextDelta | ReasoningDelta | CallStart | CallDelta | PartEnd):
            continue
        if current < 0:
            assert not isinstance(event, PartEnd | CallDelta) and event.part == last + 1, event
            current = last = event.part
            head = {TextDelta: (), ReasoningDelta: ("thought",)}.get(type(event), head)
            texts = []
        assert event.part == current, event
        match event:
            case CallStart():
                head = (event.name, event.id)
            case PartEnd():
                text = "".join(texts)
                match head:
                    case ():
                        found.append(text)
                    case (kind,):
                        found.append((kind, text))
                    case (name, call_id):
                        found.append((name, text, call_id) if call_id else (name, text))
                current = -1
            case TextDelta() | ReasoningDelta() | CallDelta():
                assert event.text, "an empty piece"
                texts.append(event.text)
    assert current < 0, "a part without its end"
    return found


def read(text: str, *recover: str, finish: Any = "stop", warnings: list[str] | None = None) -> list[Found]:
    """What is found in a text that comes whole."""
    return compact(recovered(answer([text], finish), reading(*recover), warnings))


def everywhere(
    text: str, *recover: str, finish: Any = "stop", every_split: bool = True
) -> tuple[list[Found], list[str]]:
    """The same, and the warnings, having made sure that no split changes either."""
    how = reading(*recover)
    warnings: list[str] = []
    whole = compact(recovered(answer([text], finish), how, warnings))
    splits = [[text[:at], text[at:]] for at in range(1, len(text) if every_split else 1)]
    for pieces in ([*text], [text[at : at + 3] for at in range(0, len(text), 3)], *splits):
        told: list[str] = []
        assert compact(recovered(answer(pieces, finish), how, told)) == whole, pieces
        assert told == warnings, pieces
    return whole, warnings
