"""How a grammar reads a text that arrives in pieces: as a generator that yields wherever it needs more.

A grammar is written as if the whole text were there; cut anywhere, it does the same. Each character is taken once. What
is taken before a call has opened is held, so that it can still go out as text if it turns out to be none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from typing import Protocol, TypeVar

from adapters.tools.grammars.marks import Marks
from adapters.tools.grammars.offered import Offered

T = TypeVar("T")
Read = Generator[None, None, T]
"""Gives a T once it has read enough."""

Emit = Callable[[str], object]

MAX_BLOCK = 256 * 1024
"""Characters of a block that are held (text-tool-calls §2, rule 12)."""

MAX_HEAD = 1024
MAX_WHITE = 1024
"""White space that is looked over to see what follows it."""

WHITE = " \t\r\n"
_WHITE = re.compile(r"[ \t\r\n]+")


class NotCalls(Exception):
    """What began like a call is none, or goes on in a way that nobody can read."""


class Unfinished(NotCalls):
    """The text ended inside of a call."""


class TooLong(NotCalls):
    """More of a block would have to be held than may be."""


class Outlet(Protocol):
    """Where it goes what was read. A call is opened once its name is known, given its arguments, and shut."""

    def text(self, text: str) -> None: ...

    def reason(self, text: str) -> None: ...

    def open(self, name: str, call_id: str) -> None: ...

    def args(self, text: str) -> None: ...

    def shut(self) -> None: ...


class Reader:
    """The text under way. `ended`: nothing more comes, `cut` then: by a limit. `mark` is what the block began with.

    `calling` is the name of the open call; `calls` counts those opened in this block. `said`: the block gave something
    else than calls. `over`: the answer has nothing to say behind the block. `notes` name what was mended in the call,
    `broken`: its arguments are no JSON.
    """

    def __init__(self, offered: Offered, outlet: Outlet, forms: frozenset[str]) -> None:
        self.offered = offered
        self.outlet = outlet
        self.forms = forms
        self.buffer = ""
        self.at = 0
        self.ended = self.cut = False
        self.mark = ""
        self.kept: list[str] | None = None
        self.begin("")

    def add(self, text: str) -> None:
        self.buffer = self.buffer[self.at :] + text if self.at < len(self.buffer) else text
        self.at = 0

    def begin(self, mark: str) -> None:
        """A block begins with its mark, which comes next."""
        self.mark = mark
        self.calling = ""
        self.calls = 0
        self.said = self.over = False
        self.notes: dict[str, None] = {}
        self.broken = False
        self._held: list[str] = []
        self._size = 0
        self.take(len(mark))

    # --- what was read -----------------------------------------------------------------------------------------------

    def take(self, count: int) -> str:
        """The next characters, as far as they are there. Raises NotCalls for a block that is too long to be held."""
        piece = self.buffer[self.at : self.at + count]
        self.at += len(piece)
        if not self.calling:
            self._held.append(piece)
        if self.kept is not None:
            self.kept.append(piece)
        if self.kept is not None or not self.calling:
            self._size += len(piece)
            if self._size > MAX_BLOCK:
                raise TooLong
        return piece

    def held(self) -> str:
        """What was taken and has led to nothing yet."""
        return "".join(self._held)

    def commit(self) -> None:
        """What was taken is understood: it is no text."""
        self._held.clear()
        if self.kept is None:
            self._size = 0

    def open(self, name: str, call_id: str = "") -> str:
        """Begins a call; the wire's name of its tool. Raises NotCalls where no such tool was offered."""
        wire = self.offered.wire(name)
        if wire is None:
            raise NotCalls("unknown tool")
        self.commit()
        self.calling = wire
        self.calls += 1
        self.outlet.open(wire, call_id)
        return wire

    def args(self, text: str) -> None:
        if text:
            self.outlet.args(text)

    def shut(self) -> None:
        """The call is over."""
        self.outlet.shut()
        self.calling = ""
        self.notes.clear()
        self.broken = False

    def text(self, text: str) -> None:
        self.said = True
        self.commit()
        self.outlet.text(text)

    def reason(self, text: str) -> None:
        self.said = True
        self.commit()
        self.outlet.reason(text)

    def note(self, name: str) -> None:
        self.notes[name] = None

    # --- reading -----------------------------------------------------------------------------------------------------

    @property
    def out(self) -> bool:
        """Whether all text was taken and no more comes."""
        return self.ended and self.at >= len(self.buffer)

    def ahead(self, count: int) -> Read[str]:
        """The next characters, not taken; fewer at the end."""
        while len(self.buffer) - self.at < count and not self.ended:
            yield
        return self.buffer[self.at : self.at + count]

    def match(self, pattern: re.Pattern[str]) -> Read[str]:
        """Takes all that a pattern of single characters (`[…]+`) matches from here on."""
        pieces: list[str] = []
        while True:
            found = pattern.match(self.buffer, self.at)
            if found is not None:
                pieces.append(self.take(found.end() - self.at))
            if self.at < len(self.buffer) or self.ended:
                return "".join(pieces)
            yield

    def space(self) -> Read[str]:
        return (yield from self.match(_WHITE))

    def white(self, offset: int) -> Read[int]:
        """How much white space follows `offset` characters further on; no more than MAX_WHITE is counted."""
        while True:
            begin = self.at + offset
            found = _WHITE.match(self.buffer, begin)
            count = found.end() - begin if found else 0
            if count >= MAX_WHITE or begin + count < len(self.buffer) or self.ended:
                return min(count, MAX_WHITE)
            yield

    def which(self, texts: Sequence[str], offset: int = 0) -> Read[str]:
        """The longest of these texts that stands here (or `offset` characters further on), not taken; "": none."""
        longest = max(map(len, texts), default=0)
        while True:
            begin = self.at + offset
            rest = self.buffer[begin : begin + longest]
            if self.ended or not any(len(text) > len(rest) and text.startswith(rest) for text in texts):
                return max((text for text in texts if rest.startswith(text)), key=len, default="")
            yield

    def one_of(self, texts: Sequence[str]) -> Read[str]:
        """Takes the longest of these texts that stands here; "": none does."""
        found = yield from self.which(texts)
        self.take(len(found))
        return found

    def literal(self, text: str) -> Read[bool]:
        """Takes this text if it stands here."""
        return bool((yield from self.one_of((text,))))

    def after_white(self, texts: Sequence[str], offset: int = 0) -> Read[str]:
        """Which of the texts follows behind white space; nothing is taken."""
        count = yield from self.white(offset)
        return (yield from self.which(texts, offset + count))

    def closing(self, texts: Sequence[str]) -> Read[str]:
        """Takes one of these texts and white space before it, if it comes next."""
        found = yield from self.after_white(texts)
        if found:
            yield from self.space()
            self.take(len(found))
        return found

    def upto(self, stops: Marks) -> Read[tuple[str, str]]:
        """Takes text up to a stop, as far as it is there: the text (maybe empty), and the stop, which is not taken.

        No text and no stop: the text has ended.
        """
        while True:
            found = stops.find(self.buffer, self.at)
            if found is not None:
                return self.take(found.start() - self.at), found[0]
            end = len(self.buffer) - (0 if self.ended else stops.begun(self.buffer, self.at))
            if end > self.at or self.ended:
                return self.take(end - self.at), ""
            yield

    def until(self, stops: Marks, limit: int = MAX_HEAD) -> Read[tuple[str, str]]:
        """All text up to a stop, and the stop, which is not taken ("": the end). Raises NotCalls beyond the limit."""
        pieces: list[str] = []
        length = 0
        while True:
            piece, stop = yield from self.upto(stops)
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                raise TooLong
            if stop or self.out:
                return "".join(pieces), stop


def whole(text: str, grammar: Callable[[Reader], Read[T]]) -> T | None:
    """What a grammar makes of a complete text; None where it is not all of it, or not of its form."""
    reader = Reader(Offered.nothing(), _Silent(), frozenset())
    reader.add(text)
    reader.ended = True
    reading = grammar(reader)
    try:
        while True:
            next(reading)
    except StopIteration as done:
        given: T = done.value
        return given if not reader.buffer[reader.at :].strip(WHITE) else None
    except NotCalls:
        return None


class _Silent:
    def text(self, text: str) -> None: ...

    def reason(self, text: str) -> None: ...

    def open(self, name: str, call_id: str) -> None: ...

    def args(self, text: str) -> None: ...

    def shut(self) -> None: ...
