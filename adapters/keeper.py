"""Tool calls kept until they are complete: mended where they can be, given out as they came or refused where not.

Calls keep their order; everything else flows on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adapters.errors import Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Event,
    Failed,
    Finish,
    PartEnd,
    ReasoningDelta,
    TextDelta,
)
from adapters.format import Reading
from adapters.model import ToolCall
from adapters.tools.arguments import is_object
from adapters.tools.check import MAX_ARGUMENTS, Invalid, Unchecked, Verdict
from adapters.tools.judge import Judge, Repaired, Restore
from adapters.tools.outcome import CUT, Call, Checked, Offence

_ENDED = frozenset({"stop", "tool_calls"})
_ADDED = 1 << 20
"""The first part number of calls that one call is split into, and of those after it: beyond all others."""


class Keeper:
    """Modes repair and fallback. Set `committed` once content has reached the client: an invalid call then goes out as
    it came, with a warning. Before, with `fails`, it is the answer's failure, and `offence` tells more; with `objects`
    a call is that if it is no JSON object, which such clients cannot be given."""

    __slots__ = ("_added", "_choice", "_fails", "_judge", "_kept", "_objects", "_open", "_said",
                 "checked", "committed", "offence")

    def __init__(self, reading: Reading, restore: Restore, fails: bool, objects: bool = False) -> None:
        self._judge = Judge(reading, restore)
        self._fails = fails
        self._objects = objects
        self._open: dict[int, Call] = {}
        self._kept: dict[int, list[Call]] = {}
        self._choice = 0
        self._said: list[Event] = []
        self.checked = Checked()
        self.committed = False
        self.offence: Offence | None = None
        self._added = _ADDED

    def feed(self, events: list[Event]) -> list[Event]:
        """The events that go on to the client. The last may be Failed: nothing follows then."""
        out = events if self._passes(events) else self._sorted_out(events)
        if (self._fails or self._objects) and not self.committed:
            self._said += out
        elif self._said:
            self._said.clear()
        return out

    def _passes(self, events: list[Event]) -> bool:
        """Whether no call is kept or begins here."""
        if self._open or self._kept:
            return False
        for event in events:
            kind = type(event)
            if kind is CallStart:
                return False
            if kind is Choice:
                self._choice = event.index  # type: ignore[union-attr]
        return True

    def _sorted_out(self, events: list[Event]) -> list[Event]:
        out: list[Event] = []
        for event in events:
            kind = type(event)
            if kind is CallDelta:
                self._extend(event, out)  # type: ignore[arg-type]
            elif kind is TextDelta or kind is ReasoningDelta:
                out.append(event)
            else:
                self._take(event, out)
                if self.offence is not None:
                    break
        return out

    def _take(self, event: Event, out: list[Event]) -> None:
        match event:
            case CallStart():
                self.checked.began += 1
                begun = self._open[event.part] = Call(event, self._choice)
                self._kept.setdefault(self._choice, []).append(begun)
            case PartEnd(part) if (call := self._open.get(part)) is not None:
                del self._open[part]
                call.over = True
                if call.split:
                    return
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

    def _extend(self, event: CallDelta, out: list[Event]) -> None:
        """A call that becomes too long to be judged is kept no longer than those before it."""
        call = self._open.get(event.part)
        if call is None or call.gone:
            out.append(event)
        elif call.ready is not None:
            call.ready.append(event)
        else:
            call.texts.append(event.text)
            call.length += len(event.text)
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
            ready = call.ready or []
            out += self._renumbered(ready) if call.split or self._added > _ADDED else ready
        if not kept:
            self._kept.pop(choice, None)

    def _renumbered(self, ready: list[Event]) -> Iterator[Event]:
        """A call that was split, or one behind it, under part numbers that keep the order."""
        part: int | None = None
        for event in ready:
            match event:
                case CallStart():
                    if part is None and self._added == _ADDED:
                        part = event.part
                    else:
                        part, self._added = self._added, self._added + 1
                    yield replace(event, part=part)
                case CallDelta() | PartEnd() if part is not None:
                    yield replace(event, part=part)

    def _split(self, call: Call, pieces: list[Repaired]) -> None:
        """One call goes out as several. That is decided at the end of its choice: nothing of it comes later."""
        part = call.start.part
        self.checked.began += len(pieces) - 1
        call.split, call.ready = True, []
        for piece in pieces:
            self.checked.count(piece.start, piece)
            call.ready += (piece.start, CallDelta(part, piece.text), PartEnd(part))

    def _decide(self, call: Call, reason: str | None) -> None:
        """`reason` None: the choice goes on, and may still turn out to have been cut off here."""
        start, text, ended = call.start, call.text(), reason in _ENDED
        if call.blank and reason is None:
            return
        verdict = CUT if call.blank and not ended else self._judge.verdict(start, text)
        if not isinstance(verdict, Invalid) or verdict is CUT:
            self._decided(call, verdict)
        elif (repaired := self._judge.mended(start, text, ended)) is not None:
            self._decided(call, repaired)
        elif ended and (pieces := self._judge.parted(start, text)):
            self._split(call, pieces)
        elif ended or (reason is None and is_object(text)):
            self._refuse(call, verdict)
        elif reason is not None:
            self._decided(call, verdict)

    def _refuse(self, call: Call, verdict: Invalid) -> None:
        """The call is whole, and stays invalid."""
        self._decided(call, verdict)
        fails = self._fails or (self._objects and call.start.kind == "function" and not is_object(call.text()))
        if fails and not self.committed:
            start = call.start
            whole = ToolCall(start.id, start.name, call.text(), start.kind, start.signature, start.origin,
                             extras=start.extras)
            self.offence = Offence(whole, (), verdict.hint)
        else:
            told = f"call of {call.start.name:.64} is invalid ({verdict.reason}), left as it came"
            self.checked.warnings.append(told)

    def _decided(self, call: Call, verdict: Verdict | Repaired) -> None:
        self.checked.count(call.start, verdict)
        start, text = call.start, call.text()
        if isinstance(verdict, Repaired):
            start, text = verdict.start, verdict.text
        call.ready = [start]
        if text:
            call.ready.append(CallDelta(start.part, text))
        if call.over:
            call.ready.append(PartEnd(start.part))
