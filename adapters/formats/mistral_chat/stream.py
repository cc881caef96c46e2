"""Answers that continue the client's own assistant message: Mistral repeats its text at the start (wire page §3)."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.events import Event, PartEnd, TextDelta
from adapters.format import Reading
from adapters.formats.shared.chat_stream import ChatDecoder

PREFIX = "prefix"
"""The fact of a reading: the text that the answer begins with."""


class Without:
    """Takes a prefix off the first text of an answer; a text that begins otherwise goes out whole."""

    def __init__(self, prefix: str) -> None:
        self._left = prefix
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


class Decoder:
    """A stream's decoder behind which the prefix is taken off."""

    def __init__(self, inner: ChatDecoder, prefix: str) -> None:
        self._inner = inner
        self._without = Without(prefix)

    def feed(self, data: bytes) -> list[Event]:
        return self._without.feed(self._inner.feed(data))

    def close(self) -> list[Event]:
        return self._without.feed(self._inner.close())


def without_prefix(events: list[Event], reading: Reading) -> list[Event]:
    """The events of a whole answer, without the prefix that the request ended with."""
    prefix = reading.facts.get(PREFIX)
    return Without(prefix).feed(events) if prefix else events
