"""Where a text stands as Markdown: markup in code or quoted is talk about calls, and no call."""

from __future__ import annotations

import re

_RUN = re.compile(r"`+|\n|[^`\n]+")
_QUOTES = frozenset("\"'“”‘’„«»‹›`")
_FENCE = 3


class Prose:
    """Follows a text that arrives in pieces. `is_blank`: only white space stands on the line so far."""

    __slots__ = ("_fence", "_is_fresh", "_last", "_leads", "_quoted", "_run", "_span", "is_blank")

    def __init__(self) -> None:
        self.is_blank = True
        self._quoted = False
        self._run = 0
        self._leads = False
        self._span = 0
        self._fence = 0
        self._is_fresh = False
        self._last = ""

    def feed(self, text: str) -> None:
        for found in _RUN.finditer(text):
            piece = found[0]
            if piece[0] == "`":
                if not self._run:
                    self._leads = self.is_blank
                self._run += len(piece)
                continue
            self._end_of_run()
            if piece == "\n":
                self.is_blank, self._quoted, self._span, self._is_fresh = True, False, 0, False
            elif self.is_blank and (said := piece.lstrip(" \t\r")):
                self.is_blank, self._quoted = False, said[0] == ">"
        if text:
            self._last = text[-1]

    def _end_of_run(self) -> None:
        """Backticks are over: they open or close a fence, which stands at the start of a line, or a span."""
        run, self._run = self._run, 0
        if not run:
            return
        self.is_blank = False
        if self._fence:
            if self._is_fresh or (self._leads and run >= self._fence):
                self._fence = 0
        elif run >= _FENCE and self._leads:
            self._fence, self._is_fresh = run, True
        elif self._span:
            self._span = 0 if run == self._span else self._span
        else:
            self._span = run

    def shows_markup(self) -> bool:
        """Whether markup that begins here is shown rather than meant: in code, in a quoted line or behind a quote."""
        self._end_of_run()
        return bool(self._fence or self._span or self._quoted or self._last in _QUOTES)

    def plain(self, text: str) -> None:
        """`feed` for a text without backticks, line ends and `>`, that does not end in white space."""
        self._end_of_run()
        self.is_blank = False
        self._last = text[-1]

    def restart(self) -> None:
        """A block was taken out: what follows stands as on a new line."""
        self.is_blank, self._quoted, self._last = True, False, ""
