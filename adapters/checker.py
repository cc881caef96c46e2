"""Tool calls on their way to the client: checked, mended or refused as the mode says, and counted.

A checker stands behind the `Restorer`. `Reporter` lets every event pass at once and judges a call when it is over.
`Keeper` (modes repair and fallback) keeps each call until it is complete, and calls in their order; everything else
flows on. A call that the output limit cut off is counted as invalid, never mended, never a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from adapters.errors import Failure
from adapters.events import CallDelta, CallStart, Choice, Event, Failed, Finish, PartEnd
from adapters.format import Reading
from adapters.model import ToolCall
from adapters.tools.arguments import is_object
from adapters.tools.check import MAX_ARGUMENTS, Invalid, Unchecked, Valid, Verdict
from adapters.tools.judge import Judge, Repaired

Mode = Literal["off", "report", "repair", "fallback"]
Restore = Callable[[list[Event]], list[Event]]

_CUT = Invalid("cut off", "The call was cut off.")
_ENDED = frozenset({"stop", "tool_calls"})


@dataclass(slots=True)
class Checked:
    """What became of an answer's calls. `began` counts all of them, `outcomes` those that were judged.

    `repairs` are the names of what was done, `invalid` tools and reasons, `warnings` both in words. None of them quotes
    an argument.
    """

    began: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    repairs: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Calls by outcome: valid, repaired, invalid; unchecked are also those that never ended."""
        rest = self.began - sum(self.outcomes.values())
        return {**self.outcomes, "unchecked": self.outcomes.get("unchecked", 0) + rest} if rest else self.outcomes

    def count(self, start: CallStart, verdict: Verdict | Repaired) -> None:
        """A call has been judged."""
        match verdict:
            case Valid():
                outcome = "valid"
            case Unchecked():
                outcome = "unchecked"
            case Repaired(repairs=repairs):
                outcome = "repaired"
                self.repairs += (name for name in repairs if name not in self.repairs)
                self.warnings.append(f"call of {start.name:.64} repaired: {', '.join(repairs)}")
            case Invalid(reason):
                outcome = "invalid"
                self.invalid.append(f"{start.name:.64}: {reason}")
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1


@dataclass(slots=True, frozen=True)
class Offence:
    """The call that made an answer fail, what the model said before it, and what was wrong, in words for the model."""

    call: ToolCall
    before: tuple[Event, ...]
    hint: str

    def told(self) -> str:
        """In words for the client."""
        return f"The model made an invalid call of {self.call.name!r:.100}: {self.hint}"


@dataclass(slots=True, eq=False)
class _Call:
    """A call while it is collected. `over`: its PartEnd came. `ready`: what goes out, once that is decided; `gone`: it
    has gone out."""

    start: CallStart
    choice: int
    texts: list[str] = field(default_factory=list)
    length: int = 0
    over: bool = False
    ready: list[Event] | None = None
    gone: bool = False

    def add(self, text: str) -> None:
        """Texts beyond what can be checked need not be kept for that."""
        if self.length <= MAX_ARGUMENTS:
            self.texts.append(text)
            self.length += len(text)

    def text(self) -> str:
        return "".join(self.texts)

    @property
    def blank(self) -> bool:
        """Whether nothing was said so far: no arguments, or the output limit came first."""
        return not self.length and self.start.kind == "function"


class Reporter:
    """Mode report: judges, and changes and delays nothing."""

    __slots__ = ("_choice", "_judge", "_open", "checked")

    def __init__(self, reading: Reading, restore: Restore) -> None:
        self._judge = Judge(reading, restore)
        self._open: dict[int, _Call] = {}
        self._choice = 0
        self.checked = Checked()

    def feed(self, events: list[Event]) -> list[Event]:
        """The same events."""
        for event in events:
            kind = type(event)
            if kind is CallDelta:
                if (call := self._open.get(event.part)) is not None:  # type: ignore[union-attr]
                    call.add(event.text)  # type: ignore[union-attr]
            elif kind is CallStart or kind is PartEnd or kind is Finish or kind is Choice:
                self._other(event)
        return events

    def _other(self, event: Event) -> None:
        match event:
            case CallStart():
                self.checked.began += 1
                self._open[event.part] = _Call(event, self._choice)
            case PartEnd(part) if (call := self._open.get(part)) is not None and not call.blank:
                del self._open[part]
                self.checked.count(call.start, self._judge.verdict(call.start, call.text()))
            case Finish(reason):
                mine = [call for call in self._open.values() if call.choice == self._choice]
                for call in mine:
                    del self._open[call.start.part]
                    cut = call.blank and reason == "length"
                    self.checked.count(call.start, _CUT if cut else self._judge.verdict(call.start, call.text()))
            case Choice(index):
                self._choice = index


class Keeper:
    """Modes repair and fallback. Set `committed` once content has reached the client: an invalid call then goes out as
    it came, with a warning. Before, with `fails`, it is the answer's failure, and `offence` tells more."""

    __slots__ = ("_choice", "_fails", "_judge", "_kept", "_open", "_said", "checked", "committed", "offence")

    def __init__(self, reading: Reading, restore: Restore, fails: bool) -> None:
        self._judge = Judge(reading, restore)
        self._fails = fails
        self._open: dict[int, _Call] = {}
        self._kept: dict[int, list[_Call]] = {}
        self._choice = 0
        self._said: list[Event] = []
        self.checked = Checked()
        self.committed = False
        self.offence: Offence | None = None

    def feed(self, events: list[Event]) -> list[Event]:
        """The events that go on to the client. The last may be Failed: nothing follows then."""
        if not self._open and not self._kept and not any(type(event) is CallStart for event in events):
            out = events
            for event in events:
                if type(event) is Choice:
                    self._choice = event.index
        else:
            out = []
            for event in events:
                self._take(event, out)
                if self.offence is not None:
                    return out
        if self._fails and not self.committed:
            self._said += out
        else:
            self._said.clear()
        return out

    def _take(self, event: Event, out: list[Event]) -> None:
        match event:
            case CallStart():
                self.checked.began += 1
                begun = self._open[event.part] = _Call(event, self._choice)
                self._kept.setdefault(self._choice, []).append(begun)
            case CallDelta(part) if (call := self._open.get(part)) is not None:
                self._extend(call, event, out)
            case PartEnd(part) if (call := self._open.get(part)) is not None:
                del self._open[part]
                call.over = True
                if call.ready is None:
                    self._settle(call.choice, None, out)
                else:
                    (out if call.gone else call.ready).append(event)
            case Finish(reason):
                self._settle(self._choice, reason, out)
                if self.offence is None:
                    out.append(event)
            case Choice(index):
                self._choice = index
                out.append(event)
            case _:
                out.append(event)

    def _extend(self, call: _Call, event: CallDelta, out: list[Event]) -> None:
        """A call that becomes too long to be judged is kept no longer than those before it."""
        if call.ready is not None:
            (out if call.gone else call.ready).append(event)
            return
        call.add(event.text)
        if call.length > MAX_ARGUMENTS:
            self._decided(call, Unchecked("too long"))
            self._release(call.choice, out)

    def _settle(self, choice: int, reason: str | None, out: list[Event]) -> None:
        """Decides what can be decided of a choice's calls; all, where the choice has ended for this reason."""
        for call in self._kept.get(choice, ()):
            if call.ready is None and (call.over or reason is not None):
                self._decide(call, reason)
                if self.offence is not None:
                    before = (*self._said, *out)
                    self.offence = replace(self.offence, before=before)
                    out.append(Failed(Failure("invalid_tool_call", self.offence.told())))
                    return
        self._release(choice, out)

    def _release(self, choice: int, out: list[Event]) -> None:
        kept = self._kept.get(choice, [])
        while kept and kept[0].ready is not None:
            call = kept.pop(0)
            call.gone = True
            out += call.ready or ()
        if not kept:
            self._kept.pop(choice, None)

    def _decide(self, call: _Call, reason: str | None) -> None:
        """`reason` None: the choice goes on, and may still turn out to have been cut off here."""
        start, text, ended = call.start, call.text(), reason in _ENDED
        if call.blank and reason is None:
            return
        verdict = _CUT if call.blank and not ended else self._judge.verdict(start, text)
        if not isinstance(verdict, Invalid) or verdict is _CUT:
            self._decided(call, verdict)
        elif (repaired := self._judge.mended(start, text, ended)) is not None:
            self._decided(call, repaired)
        elif ended or (reason is None and is_object(text)):
            self._refuse(call, verdict)
        elif reason is not None:
            self._decided(call, verdict)

    def _refuse(self, call: _Call, verdict: Invalid) -> None:
        """The call is whole, and stays invalid."""
        self._decided(call, verdict)
        if self._fails and not self.committed:
            start = call.start
            whole = ToolCall(start.id, start.name, call.text(), start.kind, start.signature, start.origin,
                             extras=start.extras)
            self.offence = Offence(whole, (), verdict.hint)
        else:
            told = f"call of {call.start.name:.64} is invalid ({verdict.reason}), left as it came"
            self.checked.warnings.append(told)

    def _decided(self, call: _Call, verdict: Verdict | Repaired) -> None:
        self.checked.count(call.start, verdict)
        start, text = call.start, call.text()
        if isinstance(verdict, Repaired):
            start, text = verdict.start, verdict.text
        call.ready = [start]
        if text:
            call.ready.append(CallDelta(start.part, text))
        if call.over:
            call.ready.append(PartEnd(start.part))


Checker = Reporter | Keeper


def checker(mode: Mode, reading: Reading, restore: Restore) -> Checker | None:
    """The checker of one answer, None where nothing is to be checked. `restore` gives one call in the client's terms
    for its events in the wire's."""
    match mode:
        case "off":
            return None
        case "report":
            return Reporter(reading, restore)
    return Keeper(reading, restore, mode == "fallback")
