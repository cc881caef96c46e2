"""Text beside a structured answer that was asked for by a tool.

A client that wants JSON takes all text of the answer for that JSON. So text is held: a call shows it to be a comment,
which is left out then; an end without a call shows it to be the answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from adapters.events import CallStart, Cited, Event, Finish, Logprobs, Opened, PartEnd, Signed, TextDelta


class Commentary:
    """One per answer, before the names of calls are turned back."""

    __slots__ = ("_called", "_held", "_texts")

    def __init__(self) -> None:
        self._texts: set[int] = set()
        self._held: list[Event] = []
        self._called = False

    def feed(self, events: Iterable[Event]) -> list[Event]:
        """These events without text that is not known to be the answer."""
        out: list[Event] = []
        for event in events:
            match event:
                case TextDelta(part) | Opened(part, "text") | Signed(part, kind="text"):
                    self._texts.add(part)
                    self._held.append(event)
                case PartEnd(part) | Cited(part) | Logprobs(part) if part in self._texts:
                    self._held.append(event)
                case CallStart():
                    self._called = True
                    out.append(event)
                case Finish():
                    out += self._held
                    self._held.clear()
                    out.append(event)
                case _:
                    out.append(event)
            if self._called:
                self._held.clear()
        return out
