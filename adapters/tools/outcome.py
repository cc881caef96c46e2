"""What becomes of an answer's calls: counted, named, and the one that an answer fails for."""

from __future__ import annotations

from dataclasses import dataclass, field

from adapters.events import CallStart, Event
from adapters.model import ToolCall
from adapters.tools.check import VALID, Invalid, Verdict
from adapters.tools.judge import Repaired

CUT = Invalid("cut off", "The call was cut off.")
"""A call that said nothing before the output limit came."""


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

    def told(self) -> list[str]:
        """The warnings that nobody was given yet."""
        fresh, self.warnings = self.warnings, []
        return fresh

    def count(self, start: CallStart, verdict: Verdict | Repaired) -> None:
        """A call has been judged."""
        if verdict is VALID:
            self.outcomes["valid"] = self.outcomes.get("valid", 0) + 1
            return
        match verdict:
            case Repaired(repairs=repairs):
                outcome = "repaired"
                self.repairs += (name for name in repairs if name not in self.repairs)
                self.warnings.append(f"call of {start.name:.64} repaired: {', '.join(repairs)}")
            case Invalid(reason):
                outcome = "invalid"
                self.invalid.append(f"{start.name:.64}: {reason}")
            case _:
                outcome = "unchecked"
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
class Call:
    """A call while it is collected. `over`: its PartEnd came. `ready`: what goes out, once that is decided, as several
    calls if `split`; `gone`: it has gone out."""

    start: CallStart
    choice: int
    texts: list[str] = field(default_factory=list)
    length: int = 0
    over: bool = False
    ready: list[Event] | None = None
    split: bool = False
    gone: bool = False

    def text(self) -> str:
        return "".join(self.texts)

    @property
    def blank(self) -> bool:
        """Whether nothing was said so far: no arguments, or the output limit came first."""
        return not self.length
