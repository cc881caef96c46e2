"""Whole answers of Cohere's v2 chat (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Failed,
    Logprobs,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
)
from adapters.formats.cohere_chat.answer import arguments, citations, ending, logprobs
from adapters.formats.cohere_chat.errors import failure_inside
from adapters.model import Json


def decode(body: bytes) -> list[Event]:
    """The events of a whole answer, the same as those of its stream. Raises Malformed."""
    try:
        answer = json.loads(body)
    except ValueError:
        raise Malformed("the answer is no JSON") from None
    match answer:
        case {"message": dict(message), "finish_reason": str(word)}:
            pass
        case {"message": str(text)}:
            return [Failed(failure_inside(text))]
        case _:
            raise Malformed("an answer without message or finish_reason")
    found = answer.get("id")
    reader = _Message(message)
    return [
        Started(found if isinstance(found, str) else None),
        *reader.events(answer.get("logprobs")),
        *ending(word, answer.get("error"), answer.get("usage")),
    ]


class _Message:
    """The parts of a message: plan, content, calls."""

    def __init__(self, message: Mapping[str, Json]) -> None:
        self._message = message
        self._part = 0
        self._out: list[Event] = []

    def events(self, scores: Json) -> list[Event]:
        if plan := _text(self._message, "tool_plan"):
            self._end(ReasoningDelta(self._part, plan))
        tokens = logprobs(scores) if scores else ()
        for index, block in enumerate(self._blocks()):
            match block:
                case {"type": "thinking"}:
                    if text := _text(block, "thinking"):
                        self._end(ReasoningDelta(self._part, text))
                case {"type": "text"}:
                    if text := _text(block, "text"):
                        scored = [Logprobs(self._part, tokens)] if tokens else []
                        self._end(TextDelta(self._part, text), *scored, *self._cited(index))
                        tokens = ()
                case {"type": str()}:
                    pass
                case _:
                    raise Malformed("a content block without a type")
        for call in self._message.get("tool_calls") or ():
            self._call(call)
        return self._out

    def _blocks(self) -> list[Json]:
        match self._message.get("content"):
            case None:
                return []
            case str(text):
                return [{"type": "text", "text": text}]
            case list(blocks):
                return blocks
        raise Malformed("content that is no list")

    def _cited(self, index: int) -> list[Event]:
        return [
            Cited(self._part, citation)
            for native in self._message.get("citations") or ()
            for citation in citations(native)
            if native.get("content_index") in (None, index)
        ]

    def _call(self, call: Json) -> None:
        match call:
            case {"function": {"name": str(name)}} if name:
                found = call.get("id")
                text = _text(call["function"], "arguments")
            case _:
                raise Malformed("a tool call without a name")
        start = CallStart(self._part, found if isinstance(found, str) else "", name)
        self._end(start, CallDelta(self._part, arguments(text)))

    def _end(self, *events: Event) -> None:
        self._out += [*events, PartEnd(self._part)]
        self._part += 1


def _text(block: Mapping[str, Json], key: str) -> str:
    value = block.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Malformed(f"{key} that is no text")
    return value
