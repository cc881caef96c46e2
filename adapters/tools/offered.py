"""The tools of a request, decoded and prepared once for all requests that offer the same ones.

Agents send the same list on every turn, and it is most of what they send: what is made of it is a pure function of its
JSON text and of the target, so it is remembered with the list. Nobody changes a list, a tool or a schema once made.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from adapters import json
from adapters.model import Json, Tool

T = TypeVar("T")

MOST_BYTES = 4 * 1024 * 1024
"""Of JSON text of the lists that one dialect remembers; as objects they take about six times as much."""

MOST_DERIVED = 32
"""Things remembered with one list, about one for each target that its clients ask."""


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
        self._most = most_bytes
        self._known: OrderedDict[bytes, Offered] = OrderedDict()
        self._bytes = 0

    def __call__(self, values: list[Json]) -> tuple[Tool, ...]:
        """The neutral tools. Raises Rejected as `decode` does."""
        if not values:
            return ()
        text = json.dumps(values)
        known = self._known
        if (found := known.get(text)) is not None:
            known.move_to_end(text)
            return found
        made = Offered(self._decode(values))
        known[text] = made
        self._bytes += len(text)
        while self._bytes > self._most:
            self._bytes -= len(known.popitem(last=False)[0])
        return made
