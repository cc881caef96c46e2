"""Reasoning in one text, and calls inside of it: drafts, unless the answer ends with them (text-tool-calls §3)."""

from __future__ import annotations

from adapters.tools.grammars.reader import MAX_BLOCK, WHITE, Outlet, Reader
from adapters.tools.recorded import Recorded
from adapters.tools.search import CLOSINGS, OPENINGS

MAX_AHEAD = 128
"""How far an opening mark is looked for, behind white space."""


class Thoughts:
    """`under_way`: the text is reasoning now, until one of `closings`. `seeks`: it was taken for such from its first
    word, and may still begin with an opening mark. Reasoning goes on to the outlet at once; calls in it are kept."""

    def __init__(self, outlet: Outlet, under_way: bool, within: bool) -> None:
        self._outlet = outlet
        self.under_way = under_way or within
        self.seeks = within
        self.closings: tuple[str, ...] = CLOSINGS if within else ()
        self._unclosed: list[str] | None = [] if within else None
        self._size = 0
        self._parked: Recorded | None = None
        self._texts: list[str] = []

    def enter(self, closing: str) -> None:
        """An opening mark was read."""
        self.under_way, self.closings, self._unclosed = True, (closing,), None

    def seek(self, reader: Reader) -> bool:
        """Takes the mark of reasoning that an answer begins inside of, if it is there all the same. False: wait."""
        ahead = reader.buffer[reader.at : reader.at + MAX_AHEAD]
        rest = ahead.lstrip(WHITE)
        opening = next(filter(rest.startswith, OPENINGS), "")
        may_begin = any(text.startswith(rest) for text in OPENINGS)
        if not opening and may_begin and not reader.ended and len(ahead) < MAX_AHEAD:
            return False
        self.seeks = False
        if opening:
            reader.at = reader.buffer.index(opening, reader.at) + len(opening)
            self.enter(OPENINGS[opening])
        return True

    def leave(self) -> None:
        """A closing mark was read."""
        self.release()
        self.under_way, self.closings, self._unclosed = False, (), None

    def say(self, text: str) -> bool:
        """Goes on. False: it is white space that waits with the calls before it."""
        if self._parked is not None:
            if not text.strip(WHITE):
                self._texts.append(text)
                return False
            self.release()
        self._aloud(text)
        return True

    def park(self, calls: Recorded, text: str) -> None:
        """Keeps calls, and their text, until it is known whether they are meant."""
        self._parked = self._parked or Recorded()
        self._parked.said += calls.said
        self._texts.append(text)
        if sum(map(len, self._texts)) > MAX_BLOCK:
            self.release()

    def release(self) -> None:
        """Calls that were kept were drafts: their text is reasoning."""
        text = "".join(self._texts)
        self._parked = None
        self._texts.clear()
        if text:
            self._aloud(text)

    def end(self, meant: bool) -> tuple[Recorded | None, str]:
        """The text ended inside of reasoning: the calls it ended with, if those can be meant, or else all of its text,
        where it was taken for reasoning from its first word and never left it."""
        parked = self._parked
        if not meant:
            self.release()
        elif parked is not None:
            self._parked = None
            self._texts.clear()
            return parked, ""
        elif self._unclosed:
            return None, "".join(self._unclosed)
        return None, ""

    def _aloud(self, text: str) -> None:
        if self._unclosed is not None:
            self._unclosed.append(text)
            self._size += len(text)
            if self._size > MAX_BLOCK:
                self._unclosed = None
        self._outlet.reason(text)
