"""Arguments that Vertex streams piece by piece (`partialArgs`), where a client asked for it: back to one object.

Each piece has a JSON path (`$.a.b[0]`) and a value. Pieces of text of one path append; a path ending in `[]` or without
a value is an empty container (2026-11).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from adapters.errors import Malformed
from adapters.events import CallStart
from adapters.model import Json

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d*)\]|\[(?:'([^']*)'|"([^"]*)")\]""")
_MOST = 10_000

Step = str | int | None
"""A key, a place in a list, or None for `[]`."""


def steps(path: str) -> list[Step]:
    """The steps of a path after its `$`. Raises Malformed for a path that is none."""
    at, found = 1, []
    while path[:1] == "$" and at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            break
        key, place, single, double = match.groups()
        found.append((int(place) if place else None) if place is not None else next(
            word for word in (key, single, double) if word is not None))
        at = match.end()
    if path[:1] != "$" or at < len(path) or len(path) == 1:
        raise Malformed(f"partialArgs: {path[:80]!r} is no path")
    return found


def _value(piece: dict[str, Json]) -> tuple[bool, Json]:
    """Whether the piece has a value, and the value."""
    for name in ("stringValue", "numberValue", "boolValue"):
        if name in piece:
            return True, piece[name]
    return "nullValue" in piece, None


@dataclass(slots=True)
class PartialCall:
    """A call whose arguments are still coming; `start` is its head."""

    start: CallStart
    args: dict[str, Json] = field(default_factory=dict)

    def add(self, piece: Json) -> None:
        """One entry of `partialArgs`."""
        if not isinstance(piece, dict) or not isinstance(path := piece.get("jsonPath"), str):
            raise Malformed("partialArgs: an entry without jsonPath")
        has_value, value = _value(piece)
        found = steps(path)
        if found[-1] is None:
            found, has_value, value = found[:-1], True, []
        elif not has_value:
            value = {}
        self._put(found, value)

    def _put(self, found: list[Step], value: Json) -> None:
        at: Json = self.args
        for step, following in zip(found, [*found[1:], None], strict=True):
            last = following is None
            missing: Json = value if last else [] if isinstance(following, int) else {}
            before = _child(at, step)
            if before is _ABSENT:
                at = _attach(at, step, missing)
            elif last:
                joined = before + value if isinstance(before, str) and isinstance(value, str) else value
                at = _attach(at, step, joined if value not in ([], {}) or not before else before)
            else:
                at = before


_ABSENT = object()


def _child(at: Json, step: Step) -> Json:
    match at, step:
        case dict(), str():
            return at.get(step, _ABSENT)
        case list(), int():
            return at[step] if step < len(at) else _ABSENT
    raise Malformed("partialArgs: paths that contradict each other")


def _attach(at: Json, step: Step, value: Json) -> Json:
    if isinstance(at, list) and isinstance(step, int):
        if step > _MOST:
            raise Malformed("partialArgs: a list of too many items")
        at.extend([None] * (step + 1 - len(at)))
    at[step] = value
    return value
