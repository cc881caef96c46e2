"""The tools of a request, decoded and prepared once for all requests that offer the same ones.

Agents send the same list on every turn, and it is most of what they send: what is made of it is a pure function of its
JSON text and of the target, so it is remembered with the list. Nobody changes a list, a tool or a schema once made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from adapters import json
from adapters.model import Json, Tool
from adapters.tools.recent import Recent

T = TypeVar("T")

MOST_BYTES = 64 * 1024 * 1024
"""What the lists that one dialect remembers take in memory, with all that is made of them."""

MOST_TEXT = 512 * 1024
"""Bytes of JSON text of a list that is remembered."""

MOST_DERIVED = 16
"""Things remembered with one list: two or three for each target that its clients ask."""


class Offered(tuple[Tool, ...]):
    """Tools, and what was made of them."""

    derived: dict[Hashable, Any]

    def __new__(cls, tools: Iterable[Tool]) -> Offered:
        made = super().__new__(cls, tools)
        made.derived = {}
        return made


def derive(tools: tuple[Tool, ...], key: Hashable, make: Callable[[], T]) -> T:
    """What `make` gives, remembered where the list is. `key` says all that it depends on beside the tools."""
    if not isinstance(tools, Offered):
        return make()
    derived = tools.derived
    try:
        found: T = derived[key]
    except KeyError:
        found = make()
        if len(derived) >= MOST_DERIVED:
            derived.clear()
        derived[key] = found
    return found


class ToolLists:
    """The lists that a dialect decoded lately, by their JSON text."""

    def __init__(self, decode: Callable[[list[Json]], Iterable[Tool]], most_bytes: int = MOST_BYTES) -> None:
        self._decode = decode
        self._known: Recent[bytes, Offered] = Recent(most_bytes)

    def __call__(self, values: list[Json]) -> tuple[Tool, ...]:
        """The neutral tools. Raises Rejected as `decode` does."""
        if not values:
            return ()
        text = json.dumps(values)
        found = self._known.get(text)
        if found is None:
            found = Offered(self._decode(values))
            if len(text) <= MOST_TEXT:
                self._known.put(text, found, size(text, len(found)))
        return found


def size(text: bytes, tools: int) -> int:
    """Bytes that a list of so many tools may come to take: its text and its objects, and 1 KB of a tool and 6 KB
    besides for each thing that is made of it. Measured for 1 to 20 tools, rounded up; schemas of nothing but tiny
    values can take four times as much."""
    return 12 * len(text) + MOST_DERIVED * (1024 * tools + 6 * 1024)
