"""Tool calls on their way to the client: checked, mended or refused as the mode says, and counted.

A checker stands behind the `Restorer`. `Reporter` lets every event pass at once and judges a call when it is over.
`Keeper` (modes repair and fallback) keeps each call until it is complete. A call that the output limit cut off is
counted as invalid, never mended, never a failure.
"""

from __future__ import annotations

from typing import Literal

from adapters.events import CallDelta, CallStart, Choice, Event, Finish, PartEnd, ReasoningDelta, TextDelta
from adapters.format import Reading
from adapters.keeper import Keeper
from adapters.tools.check import MAX_ARGUMENTS
from adapters.tools.judge import Judge, Restore
from adapters.tools.outcome import CUT, Call, Checked, Offence

__all__ = ["Checked", "Checker", "Keeper", "Mode", "Offence", "Reporter", "checker"]

Mode = Literal["off", "report", "repair", "fallback"]


class Reporter:
    """Mode report: judges, and changes and delays nothing."""

    __slots__ = ("_choice", "_judge", "_open", "checked", "committed", "offence")

    def __init__(self, reading: Reading, restore: Restore) -> None:
        self._judge = Judge(reading, restore)
        self._open: dict[int, Call] = {}
        self._choice = 0
        self.checked = Checked()
        self.committed = False
        self.offence: Offence | None = None

    def feed(self, events: list[Event]) -> list[Event]:
        """The same events."""
        calls = self._open
        for event in events:
            kind = type(event)
            if kind is TextDelta or kind is ReasoningDelta:
                continue
            if kind is CallDelta:
                call = calls.get(event.part)  # type: ignore[union-attr]
                if call is not None and call.length <= MAX_ARGUMENTS:  # what is longer is not checked
                    text = event.text  # type: ignore[union-attr]
                    call.texts.append(text)
                    call.length += len(text)
            elif kind is CallStart:
                self.checked.began += 1
                calls[event.part] = Call(event, self._choice)  # type: ignore[union-attr, arg-type]
            elif calls and kind is PartEnd:
                self._end(event.part)  # type: ignore[union-attr]
            elif calls and kind is Finish:
                self._finish(event.reason)  # type: ignore[union-attr]
            elif kind is Choice:
                self._choice = event.index  # type: ignore[union-attr]
        return events

    def _end(self, part: int) -> None:
        """A part is complete. A call that said nothing may have been cut off: that is known with the Finish."""
        call = self._open.get(part)
        if call is not None and not call.blank:
            del self._open[part]
            self.checked.count(call.start, self._judge.verdict(call.start, call.text()))

    def _finish(self, reason: str) -> None:
        for call in [call for call in self._open.values() if call.choice == self._choice]:
            del self._open[call.start.part]
            cut = call.blank and reason == "length"
            self.checked.count(call.start, CUT if cut else self._judge.verdict(call.start, call.text()))


Checker = Reporter | Keeper


def checker(mode: Mode, reading: Reading, restore: Restore, objects: bool = False) -> Checker | None:
    """The checker of one answer, None where nothing is to be checked. `restore` gives one call in the client's terms
    for its events in the wire's. `objects`: a kept call that is no JSON object cannot be given to the client."""
    match mode:
        case "off":
            return None
        case "report":
            return Reporter(reading, restore)
    return Keeper(reading, restore, mode == "fallback", objects)
