"""Holds a stream back until it has said something: as long as it has not, another target may still answer."""

from __future__ import annotations

from adapters.errors import Malformed
from adapters.events import Event, Finish, is_answer, is_content

MAX_HELD = 10_000
"""Events without content after which an upstream counts as broken. Bounds the memory of one held stream."""


class Gate:
    """`push` gives what may go out now. With `answer`, reasoning is held back too (`commit: answer`)."""

    __slots__ = ("_counts", "_held", "_limit", "is_open")

    def __init__(self, answer: bool = False, limit: int = MAX_HELD) -> None:
        self._held: list[Event] = []
        self._limit = limit
        self._counts = is_answer if answer else is_content
        self.is_open = False

    def push(self, events: list[Event]) -> list[Event]:
        """The events that may go out: none until there is content, then all that were held. Raises Malformed when
        too many events came without content."""
        if self.is_open:
            return events
        self._held += events
        if any(self._counts(event) or isinstance(event, Finish) for event in events):
            self.is_open = True
            held, self._held = self._held, []
            return held
        if len(self._held) > self._limit:
            raise Malformed(f"more than {self._limit} events without content")
        return []
