"""An answer that an upstream gives in pieces, each to a request of its own: one answer to whoever reads its events.

Stands right behind the decoder: names are the wire's. Parts are numbered through, usage is summed, only the last
piece's Finish is told. A text that one piece breaks off and the next goes on with is one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from adapters.events import Cited, Event, Finish, Folder, Logprobs, PartEnd, Started, TextDelta, UsageUpdate
from adapters.format import Continues, Outgoing
from adapters.model import Citation, Usage

MAX_PIECES = 6
"""The first and five more."""

TOO_MANY = f"the upstream paused its answer {MAX_PIECES} times: it is given as far as it came"


class Joined:
    """One per answer. `next`: the request to send once the piece under way has ended; None: the answer is complete."""

    def __init__(self, api: Continues, outgoing: Outgoing, warn: Callable[[str], None]) -> None:
        self._api = api
        self._outgoing = outgoing
        self._warn = warn
        self._piece = Folder()
        self._pieces = 1
        self._offset = 0
        self._last = -1
        self._fresh = False
        self._is_text = False
        self._length = 0
        self._shift = 0
        self._held: PartEnd | None = None
        self._before = Usage()
        self._usage = Usage()
        self.next: Outgoing | None = None

    def begin(self) -> Outgoing:
        """The request for the next piece, whose events follow."""
        assert self.next is not None
        self._outgoing, self.next = self.next, None
        self._pieces += 1
        self._piece = Folder()
        self._before, self._usage = _sum(self._before, self._usage), Usage()
        self._offset, self._fresh = self._last + 1, True
        return self._outgoing

    def feed(self, events: Iterable[Event]) -> list[Event]:
        """Events of a piece, as those of the whole. The end of a text waits for what follows it."""
        out: list[Event] = []
        for event in events:
            self._piece.feed((event,))
            match event:
                case Finish():
                    self._finish(event, out)
                case UsageUpdate(usage):
                    self._usage = self._usage.updated(usage)
                    out.append(UsageUpdate(_sum(self._before, self._usage)))
                case Started() if self._pieces > 1:
                    pass
                case _ if isinstance(part := getattr(event, "part", None), int):
                    self._part(event, part, out)
                case _:
                    out.append(event)
        return out

    def _finish(self, event: Finish, out: list[Event]) -> None:
        on = self._api.continued(self._outgoing, self._piece.answer())
        if on is not None and self._pieces < MAX_PIECES:
            self.next = on
            return
        if on is not None:
            self._warn(TOO_MANY)
        self._let_go(out)
        out.append(event)

    def _let_go(self, out: list[Event]) -> None:
        if self._held is not None:
            out.append(self._held)
            self._held = None

    def _part(self, event: Event, part: int, out: list[Event]) -> None:
        """An event of a part, under the part's number in the whole."""
        if self._fresh and self._held is not None and isinstance(event, TextDelta):
            self._held = None
            self._offset -= 1
            self._shift = self._length
        self._fresh = False
        number = part + self._offset
        if number > self._last:
            self._let_go(out)
            self._last, self._is_text, self._length, self._shift = number, False, 0, 0
        match event:
            case TextDelta(_, text):
                self._is_text = True
                self._length += len(text)
                out.append(TextDelta(number, text))
            case PartEnd() if self._is_text and number == self._last:
                self._held = PartEnd(number)
            case Cited(_, citation):
                out.append(Cited(number, _moved(citation, self._shift)))
            case _:
                if not isinstance(event, Logprobs):
                    self._let_go(out)
                out.append(replace(event, part=number))  # type: ignore[arg-type]


def _moved(citation: Citation, by: int) -> Citation:
    """The citation of a text that `by` characters came before."""
    start, end = citation.start, citation.end
    if not by or (start is None and end is None):
        return citation
    return replace(citation, start=None if start is None else start + by, end=None if end is None else end + by)


def _sum(one: Usage, other: Usage) -> Usage:
    """The tokens of both; None where neither says."""
    return Usage(
        _added(one.input, other.input), _added(one.output, other.output), _added(one.cache_read, other.cache_read),
        _added(one.cache_write, other.cache_write), _added(one.reasoning, other.reasoning),
        {**one.extras, **other.extras} if one.extras else other.extras,
    )  # fmt: skip


def _added(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other
