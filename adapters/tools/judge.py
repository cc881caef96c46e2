"""The verdict on a call of one request, and its repair: its tool's name, then its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from adapters.events import CallDelta, CallStart, Event, PartEnd
from adapters.format import Reading
from adapters.model import NOTHING, Extras
from adapters.tools.check import Invalid, Unchecked, Valid, Verdict, check, check_text
from adapters.tools.repair import mend, parted

Restore = Callable[[list[Event]], list[Event]]
"""Gives one call in the client's terms, for its events in the wire's."""

_MOST_NAMES = 50
_PARTED = ("concatenated_objects",)
_NOT_OFFERED = Unchecked("the tool was not offered for this answer")
_NO_SCHEMA = Unchecked("a tool of the upstream's own")


@dataclass(slots=True, frozen=True)
class Repaired:
    """A valid call, and the names of the repairs that made it so."""

    start: CallStart
    text: str
    repairs: tuple[str, ...]


class Judge:
    """Calls are the client's, as the `Restorer` gives them. `restore` does its work for one call with a wire name."""

    __slots__ = ("_folded", "_reading", "_restore")

    def __init__(self, reading: Reading, restore: Restore) -> None:
        self._reading = reading
        self._restore = restore
        self._folded: dict[str, set[str]] | None = None

    def verdict(self, start: CallStart, text: str) -> Verdict:
        """Whether the tool is known, by its exact name, and the arguments fit the client's own schema of it."""
        schema = self._schema(start)
        if schema is None:
            return self._unknown(start)
        if start.kind == "custom":
            return check_text(text)
        return check(schema, text) if schema else _NO_SCHEMA

    def mended(self, start: CallStart, text: str, ended: bool) -> Repaired | None:
        """The call made valid; None where it is valid already, or cannot be made so. `ended` as `mend` has it."""
        repairs: tuple[str, ...] = ()
        if self._schema(start) is None:
            if (named := self._named(start, text)) is None:
                return None
            start, text = named
            repairs = ("name_in_other_case",)
            if isinstance(self.verdict(start, text), Valid):
                return Repaired(start, text, repairs)
        schema = self._schema(start)
        if start.kind == "custom" or not schema or (done := mend(schema, text, ended)) is None:
            return None
        return Repaired(start, done.arguments, repairs + done.repairs)

    def parted(self, start: CallStart, text: str) -> list[Repaired]:
        """The calls that one call's arguments are made of: the first is the call itself, the others get ids of their
        own. Empty where it is one call, where the request allows no second, or where they are not beyond doubt."""
        schema = self._schema(start)
        if self._reading.one_call or start.kind == "custom" or not schema:
            return []
        space = start.extras.get("openai-responses", NOTHING).get("namespace") if start.extras else None
        extras: Extras = {"openai-responses": {"namespace": space}} if space else NOTHING
        return [
            Repaired(start if not at else CallStart(start.part, self._id(), start.name, extras=extras), one, _PARTED)
            for at, one in enumerate(parted(schema, text))
        ]

    def _id(self) -> str:
        """The id of a call that came without one."""
        (made,) = self._restore([CallStart(0, "", "")])
        assert isinstance(made, CallStart)
        return made.id

    def _schema(self, start: CallStart) -> bytes | None:
        schemas = self._reading.schemas
        space = start.extras.get("openai-responses", NOTHING).get("namespace") if start.extras else None
        flat = schemas.get(f"{space}__{start.name}") if space else None
        return schemas.get(start.name) if flat is None else flat

    def _unknown(self, start: CallStart) -> Verdict:
        reading = self._reading
        if start.name in reading.declared:
            return _NOT_OFFERED
        names = sorted(reading.schemas.keys() - {reading.answer_tool})[:_MOST_NAMES]
        return Invalid("unknown tool", f"There is no tool {start.name!r:.100}. Tools: {', '.join(names) or 'none'}.")

    def _named(self, start: CallStart, text: str) -> tuple[CallStart, str] | None:
        """The call of the one tool whose name differs in case only."""
        wires = self._wires().get(start.name.casefold(), set())
        if len(wires) != 1:
            return None
        begun: CallStart | None = None
        texts: list[str] = []
        part = start.part
        for event in self._restore([replace(start, name=min(wires)), CallDelta(part, text), PartEnd(part)]):
            match event:
                case CallStart():
                    begun = event
                case CallDelta():
                    texts.append(event.text)
        return None if begun is None else (begun, "".join(texts))

    def _wires(self) -> dict[str, set[str]]:
        """Names without case, as the client and as the wire has them -> the wire names that are meant."""
        if self._folded is None:
            reading = self._reading
            wire = {client: name for name, client in reading.names.items()}
            self._folded = {}
            for client in reading.schemas:
                name = wire.get(client, client)
                if name != reading.answer_tool:
                    for spelling in (client, name):
                        self._folded.setdefault(spelling.casefold(), set()).add(name)
        return self._folded
