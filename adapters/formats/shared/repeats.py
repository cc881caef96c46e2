"""What hosts of chat-like APIs say twice, taken off once: the text that an answer goes on from, pieces of reasoning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from adapters.events import Event, PartEnd, ReasoningDelta, TextDelta
from adapters.format import Reading, StreamDecoder
from adapters.model import Message, Refusal, Text

PREFIX = "prefix"
"""A fact of a reading: the text that the answer begins with (Mistral: wire page §3)."""

PIECE = "piece"
"""A fact of a reading: a text that may be the answer's first piece, whole and alone (xAI: openai-chat §10, 2026-11)."""

TWICE = "twice"
"""A fact of a reading: each piece of reasoning comes twice (xAI: openai-chat §10, 2026-11)."""


def continued(messages: Iterable[Message]) -> str:
    """The text that the answer is to continue; "" where the last message is not the assistant's."""
    last = next(iter(reversed(list(messages))), None)
    if last is None or last.role != "assistant":
        return ""
    return "".join(part.text for part in last.parts if isinstance(part, Text | Refusal))


class Filter(Protocol):
    def feed(self, events: Iterable[Event]) -> list[Event]: ...


class Without:
    """Takes a prefix off the first text of an answer; a text that begins otherwise goes out whole.

    alone: the prefix is only what one piece holds, and nothing else with it.
    """

    def __init__(self, prefix: str, alone: bool = False) -> None:
        self._left = prefix
        self._alone = alone
        self._held = ""
        self._silent: int | None = None

    def feed(self, events: Iterable[Event]) -> list[Event]:
        out: list[Event] = []
        for event in events:
            if isinstance(event, TextDelta) and (self._left or event.part == self._silent):
                out += self._text(event)
            elif isinstance(event, PartEnd) and event.part == self._silent:
                out += self._end(event)
            else:
                out.append(event)
        return out

    def _text(self, event: TextDelta) -> list[Event]:
        if self._alone and event.text != self._left:
            self._left = ""
        text = self._held + event.text
        if self._left.startswith(text) and text != self._left:
            self._held, self._silent = text, event.part
            return []
        text = text.removeprefix(self._left)
        self._held = self._left = ""
        self._silent = None if text else event.part
        return [TextDelta(event.part, text)] if text else []

    def _end(self, event: PartEnd) -> list[Event]:
        """The text is over before it said more than the prefix; if it was another one, it goes out now."""
        held, self._held, self._left, self._silent = self._held, "", "", None
        return [TextDelta(event.part, held), event] if held else []


class Once:
    """Takes the second of each two equal pieces of reasoning. From the first that has no twin on, all go out."""

    def __init__(self) -> None:
        self._first: str | None = None
        self._single = False

    def feed(self, events: Iterable[Event]) -> list[Event]:
        return [event for event in events if not (isinstance(event, ReasoningDelta) and self._is_twin(event.text))]

    def _is_twin(self, text: str) -> bool:
        if self._single:
            return False
        if self._first is None:
            self._first = text
            return False
        self._single, self._first = text != self._first, None
        return not self._single


class Filtered:
    """A stream's decoder, and the filters behind it."""

    def __init__(self, inner: StreamDecoder, filters: tuple[Filter, ...]) -> None:
        self._inner = inner
        self._filters = filters

    def feed(self, data: bytes) -> list[Event]:
        return self._filtered(self._inner.feed(data))

    def close(self) -> list[Event]:
        return self._filtered(self._inner.close())

    def _filtered(self, events: list[Event]) -> list[Event]:
        for one in self._filters:
            events = one.feed(events)
        return events


def filtered(inner: StreamDecoder, reading: Reading) -> StreamDecoder:
    """The decoder, behind it what the reading says of repetitions."""
    filters: list[Filter] = []
    if prefix := reading.facts.get(PREFIX):
        filters.append(Without(prefix))
    if piece := reading.facts.get(PIECE):
        filters.append(Without(piece, alone=True))
    if reading.facts.get(TWICE):
        filters.append(Once())
    return Filtered(inner, tuple(filters)) if filters else inner


def without_prefix(events: list[Event], reading: Reading) -> list[Event]:
    """The events of a whole answer, without the prefix that the request ended with."""
    prefix = reading.facts.get(PREFIX)
    return Without(prefix).feed(events) if prefix else events
