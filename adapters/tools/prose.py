"""Where a text stands as Markdown: markup in code or quoted is talk about calls, and no call."""

from __future__ import annotations

import re

_RUN = re.compile(r"`+|~+|\n|[^`~\n]+")
_QUOTES = frozenset("\\\"'“”‘’„«»‹›`")
_FENCE = 3
_CODE = 4
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}")
_HEAD = 16
"""Characters at a line's beginning that say what it is."""
_TAG = re.compile(r"<(/?)(pre|code)(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG_BEGUN = re.compile(r"</?(?:p|pr|c|co|cod|(?:pre|code)(?:\s[^<>]*)?)?", re.IGNORECASE)
_LONGEST_TAG = 200


class Prose:
    """Follows a text that arrives in pieces. `is_blank`: only white space stands on the line so far.

    Code is what CommonMark takes for it: spans, fences of either kind, lines indented by four behind an empty line or
    more such (by four more within an item of a list), and what `<pre>` and `<code>` enclose. A fence or a block of
    `<pre>` that is never closed lasts for good, an inline tag up to the next empty line.
    """

    __slots__ = (
        "_after_blank", "_char", "_fence", "_fence_char", "_head", "_html", "_html_block", "_indent", "_is_code",
        "_is_fresh", "_last", "_leads", "_margin", "_quoted", "_run", "_seen", "_span", "_tag", "_was_code", "is_blank",
    )  # fmt: skip

    def __init__(self) -> None:
        self.is_blank = True
        self._quoted = False
        self._run = 0
        self._char = ""
        self._leads = False
        self._span = 0
        self._fence = 0
        self._fence_char = ""
        self._is_fresh = False
        self._last = ""
        self._indent = 0
        self._head = ""
        self._margin = 0
        self._seen = self._after_blank = self._is_code = self._was_code = False
        self._tag = self._html = ""
        self._html_block = False

    def feed(self, text: str) -> None:
        for found in _RUN.finditer(text):
            piece = found[0]
            if piece[0] in "`~":
                if self._char != piece[0]:
                    self._end_of_run()
                if not self._run:
                    self._leads, self._char = self.is_blank, piece[0]
                self._run += len(piece)
                continue
            self._end_of_run()
            if piece == "\n":
                self._end_of_line()
            else:
                self._words(piece)
        if text:
            self._last = text[-1]

    def _words(self, piece: str) -> None:
        """A part of a line without backticks and tildes."""
        said = piece
        if self.is_blank:
            said = piece.lstrip(" \t\r")
            for char in piece[: len(piece) - len(said)][:_LONGEST_TAG]:
                self._indent += 1 if char == " " else _CODE - self._indent % _CODE if char == "\t" else 0
            if said:
                self._begin_line()
                self._quoted = said[0] == ">"
        if len(self._head) < _HEAD:
            self._head += said[:_HEAD]
        if self._tag or "<" in piece:
            self._tags(self._tag + piece)

    def _begin_line(self) -> None:
        """Something visible comes on a line that was blank."""
        self._is_code = self._indented()
        self.is_blank = False

    def _indented(self) -> bool:
        """Whether what begins on this blank line is code by its indentation."""
        return self._indent >= self._margin + _CODE and self._seen and (self._after_blank or self._was_code)

    def _end_of_line(self) -> None:
        if self.is_blank:
            self._after_blank = True
            if not self._html_block:
                self._html = ""
        else:
            if not self._is_code and not self._fence:
                item = _ITEM.match(self._head)
                if item is not None:
                    self._margin = self._indent + item.end()
                elif self._indent < self._margin:
                    self._margin = 0
            self._after_blank, self._was_code, self._seen = False, self._is_code, True
        self._begin_at_margin()
        self._is_fresh = False

    def _begin_at_margin(self) -> None:
        self.is_blank, self._quoted, self._span = True, False, 0
        self._indent, self._head, self._tag, self._is_code = 0, "", "", False

    def _end_of_run(self) -> None:
        """Backticks or tildes are over: they open or close a fence, at the start of a line, or backticks a span."""
        run, self._run = self._run, 0
        if not run:
            return
        if self.is_blank:
            self._begin_line()
            self._head = self._char
        tildes, self._tag = self._char == "~", ""
        if self._fence:
            if self._char == self._fence_char and (
                (self._is_fresh and not tildes) or (self._leads and run >= self._fence)
            ):
                self._fence = 0
        elif run >= _FENCE and self._leads:
            self._fence, self._fence_char, self._is_fresh = run, self._char, True
        elif tildes:
            return
        elif self._span:
            self._span = 0 if run == self._span else self._span
        else:
            self._span = run

    def _tags(self, text: str) -> None:
        """Tags around code, which may arrive in pieces."""
        self._tag = ""
        if self._fence or self._span:
            return
        for found in _TAG.finditer(text):
            name = found[2].lower()
            if found[1]:
                self._html = "" if name == self._html else self._html
            elif not self._html:
                self._html = name
                self._html_block = name == "pre" and self._head[:_CODE].lower() == "<pre"
        begin = text.rfind("<")
        if begin >= 0 and len(text) - begin < _LONGEST_TAG and _TAG_BEGUN.fullmatch(text, begin):
            self._tag = text[begin:]

    def shows_markup(self) -> bool:
        """Whether markup that begins here is shown rather than meant: in code, in a quoted line or behind a quote."""
        self._end_of_run()
        code = self._fence or self._span or self._html or (self._indented() if self.is_blank else self._is_code)
        return bool(code or self._quoted or self._last in _QUOTES)

    def plain(self, text: str) -> None:
        """`feed` for a text without backticks, tildes, line ends, `<` and `>`, that does not end in white space."""
        self._end_of_run()
        if self.is_blank or self._tag or len(self._head) < _HEAD:
            self._words(text)
        self._last = text[-1]

    def restart(self) -> None:
        """A block was taken out: what follows stands as at the beginning of a text."""
        self._begin_at_margin()
        self._last = ""
        self._seen = self._after_blank = self._was_code = False
        self._margin = 0
