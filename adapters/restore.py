"""The way back: events of an API in the client's names, ids, arguments and tool kinds.

Text and the arguments of ordinary calls flow on untouched. Held until complete are only the calls of tools whose schema
projection must be undone and of custom tools that were sent as functions. The call of a structured-output tool becomes
text, with no other text beside it. The finish reason follows what was seen: calls make `tool_calls`, none make `stop`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from adapters import json
from adapters.commentary import Commentary
from adapters.events import CallDelta, CallStart, Choice, Event, Finish, PartEnd, Signed, TextDelta
from adapters.format import IdSource, Reading
from adapters.model import NOTHING
from adapters.tools.ids import MISSING, IdRule, fresh
from adapters.tools.recover import Recoverer


@dataclass(slots=True)
class _Held:
    start: CallStart
    texts: list[str]


class Restorer:
    """One per answer. `ids` makes the ids that the upstream left out. `first`: the stage before this one, if any."""

    def __init__(self, reading: Reading, rule: IdRule, new_id: IdSource, first: Recoverer | None = None) -> None:
        self._reading = reading
        self._first = first
        self._commentary = Commentary() if reading.answer_tool is not None else None
        self._rule = rule
        self._new_id = new_id
        self._held: dict[int, _Held] = {}
        self._as_text: set[int] = set()
        self._choice = 0
        self._called: set[int] = set()

    def feed(self, events: Iterable[Event]) -> list[Event]:
        """These events as the client sees them."""
        if self._first is not None:
            events = self._first.feed(events)
        out: list[Event] = []
        for event in events if self._commentary is None else self._commentary.feed(events):
            kind = type(event)
            if kind is TextDelta:
                out.append(event)
            elif kind is CallDelta:
                self._delta(event, out)  # type: ignore[arg-type]
            else:
                self._other(event, out)
        return out

    def _delta(self, event: CallDelta, out: list[Event]) -> None:
        if self._held and (held := self._held.get(event.part)) is not None:
            held.texts.append(event.text)
        elif self._as_text and event.part in self._as_text:
            out.append(TextDelta(event.part, event.text))
        else:
            out.append(event)

    def _other(self, event: Event, out: list[Event]) -> None:
        match event:
            case CallStart():
                self._start(event, out)
            case PartEnd(part):
                if (held := self._held.pop(part, None)) is not None:
                    self._release(held, out)
                out.append(event)
            case Signed(origin=None) if self._reading.origin:
                out.append(replace(event, origin=self._reading.origin))
            case Finish():
                for held in self._held.values():
                    self._release(held, out)
                self._held.clear()
                out.append(self._finish(event))
            case Choice(index):
                self._choice = index
                out.append(event)
            case _:
                out.append(event)

    def _start(self, event: CallStart, out: list[Event]) -> None:
        reading = self._reading
        if reading.answer_tool is not None and event.name == reading.answer_tool:
            self._as_text.add(event.part)
            out.append(TextDelta(event.part, ""))
            return
        self._called.add(self._choice)
        name = reading.names.get(event.name, event.name)
        start = replace(
            event,
            id=fresh(self._rule, self._new_id) if event.id in MISSING else event.id,
            name=name,
            origin=event.origin or reading.origin or None,
        )
        if start.name in reading.custom:
            start = replace(start, kind="custom")
        space = reading.namespaces.get(start.name)
        held = start.name in reading.custom or start.name in reading.inverses
        if space is not None:
            own = {**start.extras.get("openai-responses", NOTHING), "namespace": space[0]}
            start = replace(start, name=space[1], extras={**start.extras, "openai-responses": own})
        if held:
            self._held[event.part] = _Held(start, [])
        else:
            out.append(start)

    def _release(self, held: _Held, out: list[Event]) -> None:
        text = "".join(held.texts)
        space = held.start.extras.get("openai-responses", NOTHING).get("namespace")
        flat = f"{space}__{held.start.name}"
        name = flat if flat in self._reading.namespaces else held.start.name
        out.append(held.start)
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if held.start.kind == "custom" and isinstance(value, dict) and isinstance(value.get("input"), str):
            text = value["input"]
        elif isinstance(value, dict) and (inverse := self._reading.inverses.get(name)) is not None:
            changed = inverse.backward(value)
            text = text if changed == value else json.text(changed)
        out.append(CallDelta(held.start.part, text))

    def _finish(self, event: Finish) -> Finish:
        called = self._choice in self._called
        if event.reason == "stop" and called:
            return replace(event, reason="tool_calls")
        if event.reason == "tool_calls" and not called:
            return replace(event, reason="stop")
        return event
