"""The text of one answer, in pieces, read for what a model put into it: reasoning, and calls of the offered tools.

    TEXT -> (mark) -> BLOCK -> TEXT, or THINKING -> (its end) -> TEXT

Ordinary text goes on at once, but for an end that may be the beginning of a mark, and white space that may stand before
a block. A block that turns out to be none goes out as the text that it is, and is not read twice: work is linear.
Calls inside of open reasoning are kept aside: they count only if the answer ends with them (text-tool-calls §3).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from adapters.tools.grammars import bare
from adapters.tools.grammars.forms import END_TOKENS, RESULTS, THOUGHTS, Mark, of_forms
from adapters.tools.grammars.marks import marks
from adapters.tools.grammars.offered import Offered
from adapters.tools.grammars.reader import MAX_BLOCK, WHITE, NotCalls, Outlet, Read, Reader, Unfinished
from adapters.tools.prose import Prose
from adapters.tools.recorded import Recorded, Said

MAX_PENDING = 64
"""White space that is held because a block may follow."""

_OPENINGS = {opening: closing for opening, closing in THOUGHTS}
_CLOSINGS = tuple(_OPENINGS.values())
_AT_LINE = frozenset({"Observation:"})

@dataclass(slots=True, frozen=True)
class Search:
    """What is looked for: `forms` by their marks, `starting` without any at the answer's start, reasoning at the start
    (`think`) or the answer beginning inside of it (`within`)."""

    forms: frozenset[str] = frozenset()
    starting: frozenset[str] = frozenset()
    think: bool = False
    within: bool = False


@lru_cache(maxsize=64)
def _beginnings(texts: tuple[str, ...]) -> re.Pattern[str]:
    """What a piece of text must not have to be plain: beginnings of these texts, Markdown, white space at its end."""
    rare = "".join(sorted({text[0] for text in texts if not text[0].isalpha()}))
    words = "".join(f"|{re.escape(text[:2])}|{text[0]}\\Z" for text in texts if text[0].isalpha())
    return re.compile(f"[{re.escape(rare)}`>\\n]|[ \\t\\r]\\Z{words}")


class Scanner:
    """One text. What it holds goes to `outlet`; `warn` is told what was lost or mended."""

    def __init__(
        self, offered: Offered, search: Search, outlet: Outlet, warn: Callable[[str], None], thinking: bool = False
    ) -> None:
        self._search = search
        self._outlet = outlet
        self._warn = warn
        self._reader = Reader(offered, self, search.forms | search.starting)
        self._prose = Prose()
        self._parse: Read[None] | None = None
        self._block: Mark | None = None
        self._aside: Recorded | None = None
        self._parked: Recorded | None = None
        self._parked_text: list[str] = []
        self._pending = ""
        self._calls = 0
        self._fresh = True
        self._started = False
        self._after = False
        self._strip = False
        self._over = False
        self._thinking = thinking or search.within
        self._seeks = search.within
        self._unclosed: list[str] | None = [] if search.within else None
        self._unclosed_size = 0
        self._closings: tuple[str, ...] = _CLOSINGS if search.within else ()
        self.structured: list[Said] | None = None
        self._look_for(search.forms)

    @property
    def idle(self) -> bool:
        """Whether nothing is looked for any more, and nothing held."""
        held = self._pending or self._reader.at < len(self._reader.buffer)
        return not self._marks and not self._thinking and not self._fresh and not held

    def feed(self, text: str) -> None:
        """The next piece."""
        reader = self._reader
        if (
            self._parse is None and not self._pending and not self._fresh and not self._thinking and not self._after
            and not self._over
            and reader.at >= len(reader.buffer) and text and not self._quick.search(text)
        ):  # fmt: skip
            self._prose.plain(text)
            self._outlet.text(text)
            return
        reader.add(text)
        self._run()

    def close(self, cut: bool, final: bool) -> None:
        """The text is over; `cut`: by a limit. `final`: so is the answer. A new text may begin."""
        reader = self._reader
        reader.ended, reader.cut = True, cut
        self._run()
        while self._parse is not None:
            self._done(Unfinished())
            self._run()
        if self._thinking:
            self._end_of_thoughts(cut, final)
        if self._pending and not self._after:
            self._outlet.text(self._pending)
        self._pending = ""
        reader.ended = reader.cut = False
        reader.buffer, reader.at = "", 0

    # --- steps -------------------------------------------------------------------------------------------------------

    def _look_for(self, forms: frozenset[str]) -> None:
        """Makes the marks of these forms those that are looked for."""
        self._forms = forms
        self._marks = of_forms(forms) if self._reader.offered else {}
        texts = tuple(self._marks)
        if self._calls:
            texts += (*RESULTS, *END_TOKENS)
        if self._search.think and self._fresh:
            texts += tuple(_OPENINGS)
        self._stops, self._quick = marks(texts), _beginnings(texts)
        self._think_stops = marks((*self._closings, *self._marks))

    def _run(self) -> None:
        while True:
            if self._over:
                self._reader.at = len(self._reader.buffer)
                return
            if self._parse is not None:
                on = self._read_on(self._parse)
            elif self._thinking:
                on = self._think()
            else:
                on = self._text()
            if not on:
                return

    def _read_on(self, parse: Read[None]) -> bool:
        """Goes on in a block, as far as its text is there; whether it is over."""
        try:
            next(parse)
            return False
        except StopIteration:
            self._done(None)
        except NotCalls as failed:
            self._done(failed)
        return True

    def _text(self) -> bool:
        reader = self._reader
        buffer = reader.buffer
        if self._strip and reader.at < len(buffer):
            self._strip = False
            reader.at += buffer[reader.at] == "\n"
        if self._fresh and not self._started and self._starts():
            return True
        while (found := self._stops.find(buffer, reader.at)) is not None:
            self._say(buffer[reader.at : found.start()])
            reader.at = found.start()
            if self._begins(found[0]):
                return True
            self._say(found[0])
            reader.at = found.end()
        end = len(buffer) - (0 if reader.ended else self._stops.begun(buffer, reader.at))
        self._say(buffer[reader.at : end])
        reader.at = end
        return False

    def _starts(self) -> bool:
        """Begins to read calls without a mark, if the answer's first visible character is there."""
        reader = self._reader
        if not self._search.starting or not reader.offered:
            return False
        rest = reader.buffer[reader.at :].lstrip(WHITE)
        if not rest:
            return False
        self._started = True
        begin = len(reader.buffer) - len(rest)
        self._say(reader.buffer[reader.at : begin])
        reader.at = begin
        self._begin("", bare.start(reader), None)
        return True

    def _begins(self, text: str) -> bool:
        """Whether a mark is one here; then it is taken."""
        reader = self._reader
        if text in _OPENINGS and self._search.think and self._fresh:
            self._pending = ""
            reader.at += len(text)
            self._thinking, self._closings = True, (_OPENINGS[text],)
            self._look_for(self._forms)
            return True
        if text in END_TOKENS and self._after:
            reader.at += len(text)
            return True
        shown = self._prose.shows_markup()
        if text in RESULTS and self._calls and not shown and (self._prose.is_blank or text not in _AT_LINE):
            self._over = True
            self._warn("what the model made up as results of its calls is left out")
            return True
        mark = self._marks.get(text)
        if mark is None or shown or (mark.line and not self._prose.is_blank):
            return False
        self._begin(text, mark.grammar(reader), mark)
        return True

    def _begin(self, text: str, parse: Read[None], block: Mark | None) -> None:
        reader = self._reader
        self._parse, self._block = parse, block
        keep = self._thinking or self.structured is not None
        self._aside = Recorded() if keep else None
        reader.kept = [] if keep else None
        reader.begin(text)

    def _done(self, failed: NotCalls | None) -> None:
        """A block is over, well or not."""
        reader = self._reader
        self._parse = None
        if reader.calling:
            if not reader.cut:
                self._warn(f"call of {reader.calling:.64}, read from the text, is incomplete")
            reader.shut()
        if self._aside is not None:
            self._put_aside(self._aside, failed)
            return
        if reader.calls:
            self._after = True
            self._prose.restart()
            self._look_for(self._forms & self._block.forms if self._block else self._search.starting)
        elif isinstance(failed, Unfinished) and reader.ended:
            self._warn("an unfinished tool call is left in the text")
        if failed is not None or not (reader.calls or reader.said):
            self._say(reader.held())
        self._over = reader.over

    def _put_aside(self, aside: Recorded, failed: NotCalls | None) -> None:
        """A block inside of reasoning, or beside calls that came as such."""
        kept = "".join(self._reader.kept or ())
        self._aside = self._reader.kept = None
        if self.structured is not None and not self._thinking:
            calls = aside.calls()
            if failed is None and calls and all(call in self.structured for call in calls):
                self._after = True
                self._warn("a tool call that the upstream also wrote as text is given once")
            else:
                self._say(kept)
        elif failed is None and aside.calls():
            self._parked = self._parked or Recorded()
            self._parked.said += aside.said
            self._parked_text.append(kept)
            if sum(map(len, self._parked_text)) > MAX_BLOCK:
                self._release()
        else:
            self._reason(kept)

    # --- reasoning ---------------------------------------------------------------------------------------------------

    def _think(self) -> bool:
        reader = self._reader
        buffer = reader.buffer
        if self._seeks and not self._seek_opening():
            return False
        found = self._think_stops.find(buffer, reader.at)
        if found is None:
            end = len(buffer) - (0 if reader.ended else self._think_stops.begun(buffer, reader.at))
            self._reason(buffer[reader.at : end])
            reader.at = end
            return False
        self._reason(buffer[reader.at : found.start()])
        reader.at = found.start()
        text = found[0]
        if text in self._closings:
            reader.at = found.end()
            self._end_thoughts()
        elif self._prose.shows_markup() or (self._marks[text].line and not self._prose.is_blank):
            self._reason(text)
            reader.at = found.end()
        else:
            self._begin(text, self._marks[text].grammar(reader), self._marks[text])
        return True

    def _seek_opening(self) -> bool:
        """Takes the mark of reasoning that an answer begins inside of, if it is there all the same; False: wait."""
        reader = self._reader
        ahead = reader.buffer[reader.at : reader.at + 2 * MAX_PENDING]
        rest = ahead.lstrip(WHITE)
        opening = next(filter(rest.startswith, _OPENINGS), "")
        may_begin = any(text.startswith(rest) for text in _OPENINGS)
        if not opening and may_begin and not reader.ended and len(ahead) < 2 * MAX_PENDING:
            return False
        self._seeks = False
        if opening:
            reader.at = reader.buffer.index(opening, reader.at) + len(opening)
            self._unclosed, self._closings = None, (_OPENINGS[opening],)
            self._look_for(self._forms)
        return True

    def _reason(self, text: str) -> None:
        if not text:
            return
        if self._parked is not None:
            if not text.strip(WHITE):
                self._parked_text.append(text)
                return
            self._release()
        self._prose.feed(text)
        self._think_aloud(text)

    def _think_aloud(self, text: str) -> None:
        if self._unclosed is not None:
            self._unclosed.append(text)
            self._unclosed_size += len(text)
            if self._unclosed_size > MAX_BLOCK:
                self._unclosed = None
        self._outlet.reason(text)

    def _release(self) -> None:
        """Calls that were kept aside were drafts: their text is reasoning."""
        text = "".join(self._parked_text)
        self._parked = None
        self._parked_text.clear()
        if text:
            self._think_aloud(text)

    def _end_thoughts(self) -> None:
        self._release()
        self._thinking, self._closings, self._unclosed = False, (), None
        self._fresh, self._started, self._strip = True, False, True
        self._prose = Prose()
        self._look_for(self._forms)

    def _end_of_thoughts(self, cut: bool, final: bool) -> None:
        """The text ended inside of reasoning: a call right at the end of the answer is meant.

        An answer that was taken for reasoning from its first word, and never left it, was none.
        """
        parked, told = self._parked, self._unclosed
        if not final or cut or self.structured is not None:
            self._release()
        elif parked is not None:
            self._parked = None
            self._parked_text.clear()
            parked.play(self)
        elif told:
            self._warn("reasoning that never ended is given as the answer too")
            self._outlet.text("".join(told))

    # --- what is said ------------------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        """Ordinary text. White space at its end waits for what follows; between and behind blocks it is dropped."""
        if not text:
            return
        self._prose.feed(text)
        if self._after:
            text = text.lstrip(WHITE)
            if not text:
                return
            self._after = False
        text = self._pending + text
        visible = len(text.rstrip(WHITE))
        end = max(visible, len(text) - MAX_PENDING)
        self._pending = text[end:]
        if visible and self._fresh:
            self._fresh = False
            self._look_for(self._forms)
        if end:
            self._outlet.text(text[:end])

    def text(self, text: str) -> None:
        """Text that a grammar found."""
        if self._aside is not None:
            self._aside.text(text)
            return
        pending, self._pending = self._pending, ""
        self._fresh = False
        self._outlet.text(pending + text)

    def reason(self, text: str) -> None:
        (self._aside or self._outlet).reason(text)

    def open(self, name: str, call_id: str) -> None:
        if self._aside is None:
            self._pending = ""
            self._fresh = False
            self._calls += 1
        (self._aside or self._outlet).open(name, call_id)

    def args(self, text: str) -> None:
        (self._aside or self._outlet).args(text)

    def shut(self) -> None:
        reader = self._reader
        if self._aside is None:
            name = f"call of {reader.calling:.64}, read from the text"
            if reader.notes:
                self._warn(f"{name}, repaired: {', '.join(reader.notes)}")
            if reader.broken:
                self._warn(f"{name}: its arguments are no JSON object")
        (self._aside or self._outlet).shut()
