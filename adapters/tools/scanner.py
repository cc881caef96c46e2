"""The text of one answer, in pieces, read for what a model put into it: reasoning, and calls of the offered tools.

    TEXT -> (mark) -> BLOCK -> TEXT, or THINKING -> (its end) -> TEXT

Ordinary text goes on at once, but for an end that may be the beginning of a mark, and white space that may stand before
a block. A block that turns out to be none goes out as the text that it is, and is not read twice: work is linear.
Calls inside of open reasoning are kept aside: they count only if the answer ends with them (text-tool-calls §3).
"""

from __future__ import annotations

from collections.abc import Callable

from adapters.tools.flow import Flow
from adapters.tools.grammars import bare
from adapters.tools.grammars.forms import END_TOKENS, RESULTS, Mark
from adapters.tools.grammars.offered import Offered
from adapters.tools.grammars.reader import WHITE, NotCalls, Outlet, Read, Reader, Unfinished
from adapters.tools.prose import Prose
from adapters.tools.recorded import Recorded, Said
from adapters.tools.search import OPENINGS, Search, sought
from adapters.tools.thoughts import Thoughts

_AT_LINE = frozenset({"Observation:"})


class Scanner:
    """One text. What it holds goes to `outlet`; `warn` is told what was lost or mended."""

    def __init__(
        self, offered: Offered, search: Search, outlet: Outlet, warn: Callable[[str], None], thinking: bool = False
    ) -> None:
        self._search = search
        self._outlet = outlet
        self._warn = warn
        self._flow = Flow(outlet, warn)
        self._reader = self._flow.reader = Reader(offered, self._flow, search.forms | search.starting)
        self._parse: Read[None] | None = None
        self._block: Mark | None = None
        self._started = False
        self._strip = False
        self._over = False
        self._thoughts = Thoughts(outlet, thinking, search.within)
        self.structured: list[Said] | None = None
        self._look_for(search.forms)

    @property
    def idle(self) -> bool:
        """Whether nothing is looked for any more, and nothing held."""
        held = self._flow.pending or self._reader.at < len(self._reader.buffer)
        return not self._sought.marks and not self._thoughts.under_way and not self._flow.fresh and not held

    def feed(self, text: str) -> None:
        """The next piece."""
        reader, flow = self._reader, self._flow
        if (
            self._parse is None and not flow.pending and not flow.fresh and not flow.after
            and not self._thoughts.under_way and not self._over
            and reader.at >= len(reader.buffer) and text and not self._quick.search(text)
        ):  # fmt: skip
            self._flow.prose.plain(text)
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
        if self._thoughts.under_way:
            self._end_of_thoughts(cut, final)
        self._flow.end()
        reader.ended = reader.cut = False
        reader.buffer, reader.at = "", 0

    # --- steps -------------------------------------------------------------------------------------------------------

    def _look_for(self, forms: frozenset[str]) -> None:
        """Makes the marks of these forms those that are looked for."""
        think = self._search.think and self._flow.fresh
        self._sought = sought(forms, bool(self._reader.offered), self._flow.calls > 0, think, self._thoughts.closings)
        self._quick = self._sought.quick

    def _run(self) -> None:
        while True:
            if self._over:
                self._reader.at = len(self._reader.buffer)
                return
            if self._parse is not None:
                on = self._read_on(self._parse)
            elif self._thoughts.under_way:
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
        if self._flow.fresh and not self._started and self._starts():
            return True
        while (found := self._sought.stops.find(buffer, reader.at)) is not None:
            self._say(buffer[reader.at : found.start()])
            reader.at = found.start()
            if self._begins(found[0]):
                return True
            self._say(found[0])
            reader.at = found.end()
        end = len(buffer) - (0 if reader.ended else self._sought.stops.begun(buffer, reader.at))
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
        if text in OPENINGS and self._search.think and self._flow.fresh:
            self._flow.pending = ""
            reader.at += len(text)
            self._thoughts.enter(OPENINGS[text])
            self._look_for(self._sought.forms)
            return True
        if text in END_TOKENS and self._flow.after:
            reader.at += len(text)
            return True
        shown = self._flow.prose.shows_markup()
        if text in RESULTS and self._flow.calls and not shown and (self._flow.prose.is_blank or text not in _AT_LINE):
            self._over = True
            self._warn("what the model made up as results of its calls is left out")
            return True
        mark = self._sought.marks.get(text)
        if mark is None or shown or (mark.line and not self._flow.prose.is_blank):
            return False
        self._begin(text, mark.grammar(reader), mark)
        return True

    def _begin(self, text: str, parse: Read[None], block: Mark | None) -> None:
        reader = self._reader
        self._parse, self._block = parse, block
        keep = self._thoughts.under_way or self.structured is not None
        self._flow.aside = Recorded() if keep else None
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
        if self._flow.aside is not None:
            self._put_aside(self._flow.aside, failed)
            return
        if reader.calls:
            self._flow.after = True
            self._flow.prose.restart()
            self._look_for(self._sought.forms & self._block.forms if self._block else self._search.starting)
        elif isinstance(failed, Unfinished) and reader.ended:
            self._warn("an unfinished tool call is left in the text")
        if failed is not None or not (reader.calls or reader.said):
            self._say(reader.held())
        self._over = reader.over

    def _put_aside(self, aside: Recorded, failed: NotCalls | None) -> None:
        """A block inside of reasoning, or beside calls that came as such."""
        kept = "".join(self._reader.kept or ())
        self._flow.aside = self._reader.kept = None
        if self.structured is not None and not self._thoughts.under_way:
            calls = aside.calls()
            if failed is None and calls and all(call in self.structured for call in calls):
                self._flow.after = True
                self._warn("a tool call that the upstream also wrote as text is given once")
            else:
                self._say(kept)
        elif failed is None and aside.calls():
            self._thoughts.park(aside, kept)
        else:
            self._reason(kept)

    # --- reasoning ---------------------------------------------------------------------------------------------------

    def _think(self) -> bool:
        reader = self._reader
        buffer = reader.buffer
        if self._thoughts.seeks:
            if not self._thoughts.seek(reader):
                return False
            self._look_for(self._sought.forms)
        found = self._sought.in_thoughts.find(buffer, reader.at)
        if found is None:
            end = len(buffer) - (0 if reader.ended else self._sought.in_thoughts.begun(buffer, reader.at))
            self._reason(buffer[reader.at : end])
            reader.at = end
            return False
        self._reason(buffer[reader.at : found.start()])
        reader.at = found.start()
        text = found[0]
        if text in self._thoughts.closings:
            reader.at = found.end()
            self._end_thoughts()
        elif self._flow.prose.shows_markup() or (self._sought.marks[text].line and not self._flow.prose.is_blank):
            self._reason(text)
            reader.at = found.end()
        else:
            self._begin(text, self._sought.marks[text].grammar(reader), self._sought.marks[text])
        return True

    def _reason(self, text: str) -> None:
        if text and self._thoughts.say(text):
            self._flow.prose.feed(text)

    def _end_thoughts(self) -> None:
        self._thoughts.leave()
        self._flow.fresh, self._started, self._strip = True, False, True
        self._flow.prose = Prose()
        self._look_for(self._sought.forms)

    def _end_of_thoughts(self, cut: bool, final: bool) -> None:
        """The text ended inside of reasoning: a call right at the end of the answer is meant.

        An answer that was taken for reasoning from its first word, and never left it, was none.
        """
        calls, told = self._thoughts.end(final and not cut and self.structured is None)
        if calls is not None:
            calls.play(self._flow)
        elif told:
            self._warn("reasoning that never ended is given as the answer too")
            self._outlet.text(told)

    def _say(self, text: str) -> None:
        if self._flow.say(text):
            self._look_for(self._sought.forms)
