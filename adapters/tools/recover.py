"""Calls and reasoning that a model wrote into its text: events of an API in, the same events with them apart out.

Stands before the `Restorer`: names are the wire's. Text, calls and reasoning found in a text become parts of their own,
and all parts are numbered anew, in order of appearance. Calls that come as such win: beside them text is no longer read
for calls, but markup that says the same as one of them is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from adapters.compat import TEXT_FORMS
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Event,
    Finish,
    Logprobs,
    Native,
    Opened,
    PartEnd,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    fold,
)
from adapters.format import Reading
from adapters.model import ToolCall
from adapters.tools.arguments import is_object
from adapters.tools.grammars.bare import STARTING
from adapters.tools.grammars.offered import Offered
from adapters.tools.grammars.reader import MAX_BLOCK
from adapters.tools.recorded import said
from adapters.tools.scanner import Scanner
from adapters.tools.search import Search
from adapters.tools.voice import Voice

AUTO, THINK, WITHIN = "auto", "think", "within"
"""Words of `Reading.recover` beside names of forms: all forms by their marks; reasoning in tags at the answer's start;
an answer that begins inside of its reasoning."""

_ENDED = frozenset({"stop", "tool_calls"})


def recoverer(reading: Reading, warn: Callable[[str], None]) -> Recoverer | None:
    """The stage of one answer, None where nothing is looked for. `warn` is told what was mended or left out."""
    return Recoverer(reading, warn) if reading.recover else None


def salvaged(reading: Reading, text: str) -> list[Event] | None:
    """The answer that a text is which an upstream refused as a malformed call; None where it holds no whole call."""
    if not reading.may_call:
        return None
    stage = Recoverer(replace(reading, recover=(AUTO, *sorted(STARTING))), lambda warning: None)
    events = list(stage.feed([Started(), TextDelta(0, text), PartEnd(0), Finish("tool_calls")]))
    calls = [part for part in fold(events).parts if isinstance(part, ToolCall)]
    return events if calls and all(is_object(call.arguments) for call in calls) else None


def _search(reading: Reading) -> Search:
    words = frozenset(reading.recover)
    forms = frozenset(TEXT_FORMS) if AUTO in words else words.intersection(TEXT_FORMS)
    return Search(forms, words & STARTING, THINK in words or WITHIN in words, WITHIN in words)


@dataclass(slots=True)
class _Came:
    """A call that came as such. `held`: its events wait, since it may repeat one that was found in the text."""

    name: str
    texts: list[str] = field(default_factory=list)
    size: int = 0
    held: list[CallStart | CallDelta] | None = None


@dataclass(slots=True, eq=False)
class _Choice:
    """One choice under way: the scanners of its text and its reasoning, and the upstream's part that each reads."""

    voice: Voice
    text: Scanner
    thoughts: Scanner | None
    reading: int | None = None
    is_text: bool = True
    came: dict[int, _Came] = field(default_factory=dict)


class Recoverer:
    """One per answer."""

    def __init__(self, reading: Reading, warn: Callable[[str], None]) -> None:
        self._search = _search(reading)
        self._offered = Offered(reading)
        self._warn = warn
        self._warned: set[str] = set()
        self._awaited = reading.choices
        self._last = -1
        self._parts: dict[int, int] = {}
        self._choices: dict[int, _Choice] = {}
        self._out: list[Event] = []
        self._is_over = False
        self._enter(0)

    def feed(self, events: Iterable[Event]) -> Iterable[Event]:
        """These events with what was found."""
        if self._is_over:
            return events
        out = self._at.voice.out = self._out = []
        for event in events:
            kind = type(event)
            if kind is TextDelta:
                self._text(event)  # type: ignore[arg-type]
            else:
                self._other(event)
        self._is_over = self._has_nothing_to_do()
        return out

    def _has_nothing_to_do(self) -> bool:
        """Whether events pass as they are from now on: nothing is looked for, and parts have the upstream's numbers."""
        if self._awaited > 1 or len(self._choices) > 1 or not self._at.text.idle or self._at.thoughts is not None:
            return False
        return all(number == part for part, number in self._parts.items()) and self._at.reading == self._at.voice.part

    def _enter(self, index: int) -> None:
        """The events that follow belong to this choice."""
        found = self._choices.get(index)
        if found is None:
            voice = Voice(self._number)
            scanner = Scanner(self._offered, self._search, voice, self._tell)
            reads_thoughts = bool(self._search.forms) and bool(self._offered)
            thoughts = (
                Scanner(self._offered, Search(self._search.forms), voice, self._tell, thinking=True)
                if reads_thoughts else None
            )  # fmt: skip
            found = self._choices[index] = _Choice(voice, scanner, thoughts)
        self._at = found
        found.voice.out = self._out

    def _tell(self, warning: str) -> None:
        if warning not in self._warned:
            self._warned.add(warning)
            self._warn(warning)

    def _number(self) -> int:
        self._last += 1
        return self._last

    def _mapped(self, part: int) -> int:
        number = self._parts.get(part)
        if number is None:
            number = self._parts[part] = self._number()
        return number

    # --- texts -------------------------------------------------------------------------------------------------------

    def _text(self, event: TextDelta) -> None:
        at = self._at
        if at.reading != event.part or not at.is_text:
            self._settle()
            at.reading, at.is_text = event.part, True
        at.text.feed(event.text)

    def _reasoning(self, event: ReasoningDelta) -> None:
        at = self._at
        if at.thoughts is None or event.section:
            self._settle()
            self._out.append(replace(event, part=self._mapped(event.part)))
            return
        if at.reading != event.part or at.is_text:
            self._settle()
            at.reading, at.is_text = event.part, False
        at.thoughts.feed(event.text)

    def _settle(self, cut: bool = False, final: bool = False) -> None:
        """The text or reasoning under way is over."""
        at = self._at
        if at.reading is None:
            return
        at.reading = None
        scanner = at.text if at.is_text else at.thoughts
        assert scanner is not None
        scanner.close(cut, final and at.text.structured is None)
        at.voice.end()

    # --- other events ------------------------------------------------------------------------------------------------

    def _other(self, event: Event) -> None:
        at = self._at
        match event:
            case ReasoningDelta():
                self._reasoning(event)
            case CallStart():
                self._came(event)
            case CallDelta(part, text):
                self._extend(part, text)
            case PartEnd(part):
                self._end(part)
            case Signed(part, kind="reasoning") if part == at.reading and not at.is_text:
                self._out.append(replace(event, part=at.voice.enter_reasoning()))
            case Logprobs() | Cited() | Signed(kind="text"):
                self._out.append(replace(event, part=max(at.voice.part, 0)))
            case RefusalDelta() | Native() | Signed() | Opened():
                self._settle()
                self._out.append(replace(event, part=self._mapped(event.part)))
            case Finish(reason):
                self._settle(reason == "length", reason in _ENDED)
                self._let_go()
                self._out.append(event)
            case Choice(index):
                self._enter(index)
                self._out.append(event)
            case _:
                self._out.append(event)

    def _end(self, part: int) -> None:
        """The end of a text waits: what follows tells whether the answer ended with it."""
        at = self._at
        if part == at.reading:
            return
        call = at.came.get(part)
        if call is not None:
            self._has_come(part, call)
        if part in self._parts:
            self._out.append(PartEnd(self._parts[part]))

    # --- calls that come as such -------------------------------------------------------------------------------------

    def _came(self, event: CallStart) -> None:
        at = self._at
        self._settle()
        if at.text.structured is None:
            at.text.structured = []
        call = at.came[event.part] = _Came(event.name)
        if any(name == event.name for name, _ in at.voice.found):
            call.held = [event]
        else:
            self._out.append(replace(event, part=self._mapped(event.part)))

    def _extend(self, part: int, text: str) -> None:
        call = self._at.came.get(part)
        if call is not None:
            call.size += len(text)
            if call.size <= MAX_BLOCK:
                call.texts.append(text)
            if call.held is not None:
                call.held.append(CallDelta(part, text))
                if call.size > MAX_BLOCK:
                    self._give(part, call)
                return
        self._out.append(CallDelta(self._mapped(part), text))

    def _has_come(self, part: int, call: _Came) -> None:
        """A call is complete: it is given, unless the text had the same."""
        at = self._at
        del at.came[part]
        this = said(call.name, "".join(call.texts))
        if call.held is not None and this in at.voice.found:
            at.voice.found.remove(this)
            self._tell("a tool call that the upstream also wrote as text is given once")
            return
        if call.held is not None:
            self._give(part, call)
        if call.size <= MAX_BLOCK and at.text.structured is not None:
            at.text.structured.append(this)

    def _give(self, part: int, call: _Came) -> None:
        held, call.held = call.held, None
        for event in held or ():
            self._out.append(replace(event, part=self._mapped(part)))

    def _let_go(self) -> None:
        """Calls that never ended go out as they are."""
        at = self._at
        for part, call in at.came.items():
            self._give(part, call)
        at.came.clear()
