"""Puts interleaved parts one after the other, for wires that forbid interleaving (Messages, Gemini, Responses items).

The first open part flows on without delay; events of the others wait until it has ended.
"""

from __future__ import annotations

from collections.abc import Iterable

from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Failed,
    Finish,
    Logprobs,
    Native,
    Opened,
    PartEnd,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    TextDelta,
)

_OF_PARTS = (
    TextDelta, CallDelta, ReasoningDelta, CallStart, PartEnd, Opened, Signed, RefusalDelta, Cited, Logprobs, Native
)


class Sequencer:
    """Events in, events out, each part closed before the next begins. Finish closes what is still open."""

    __slots__ = ("_current", "_done", "_waiting")

    def __init__(self) -> None:
        self._current: int | None = None
        self._waiting: dict[int, list[Event]] = {}
        self._done: set[int] = set()

    def feed(self, events: Iterable[Event]) -> list[Event]:
        out: list[Event] = []
        for event in events:
            if isinstance(event, _OF_PARTS):
                self._part(event, event.part, out)
                continue
            if isinstance(event, Finish | Failed):
                self._flush(out)
            out.append(event)
        return out

    def _part(self, event: Event, part: int, out: list[Event]) -> None:
        if part in self._done:
            return
        if self._current is None:
            self._current = part
        if part != self._current:
            self._waiting.setdefault(part, []).append(event)
            return
        out.append(event)
        if isinstance(event, PartEnd):
            self._next(out)

    def _next(self, out: list[Event]) -> None:
        """The current part has ended: the waiting ones follow in order of appearance, up to one still open."""
        while self._current is not None:
            self._done.add(self._current)
            self._current = next(iter(self._waiting), None)
            if self._current is None:
                return
            held = self._waiting.pop(self._current)
            out += held
            if not isinstance(held[-1], PartEnd):
                return

    def _flush(self, out: list[Event]) -> None:
        while self._current is not None:
            out.append(PartEnd(self._current))
            self._next(out)
