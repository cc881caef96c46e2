"""How often a JSON Schema can be applied to any one place of a value, before it is.

A few bytes of schema can ask for work that doubles with every reference or `unevaluatedProperties`; a validator does it
to the end. The bound is found without a value, from a schema in canonical form (`schema.canon`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from adapters.tools.schema.words import Node, Schema, definition

LIMIT = 1 << 40
"""Stands for every greater bound, and for what cannot be bounded."""

MAX_LEVELS = 64
"""Levels of a value that the bound holds for."""

_MAX_STEPS = 100_000
_BACKTRACKING = 200
"""What a pattern with look-around or a back reference counts: the engine then tries, up to its own limit."""

_TRIES = re.compile(r"\\[1-9k]|\(\?<?[=!]")
_HERE_LISTS = ("allOf", "anyOf", "oneOf")
_HERE_SINGLE = ("not", "if", "then", "else")
_COUNTED = {"enum": 32, "required": 8, "properties": 8, "dependentRequired": 8, "dependentSchemas": 1}
"""Keyword -> how many of its entries count as one schema."""
_UNKNOWN = frozenset({"$dynamicRef", "$recursiveRef"})


@dataclass(slots=True)
class _Place:
    """A schema: its own work, how often its schemas of the same value run, and which those are.

    `members` and `items` are groups of schemas of the value's parts: of each group one at most judges a part.
    """

    own: int
    factor: int
    here: list[int] = field(default_factory=list)
    members: list[list[int]] = field(default_factory=list)
    items: list[list[int]] = field(default_factory=list)


def weights(root: Node) -> tuple[int, ...]:
    """The greatest number of schemas that judge one place of a value, at most LIMIT: entry d is for values of at most
    d levels below their root, the last one for all that are deeper.

    Long lists of names and values, and patterns that backtrack, count as several.
    """
    places = _places(root)
    order = _inner_first(places) if places is not None else None
    if places is None or order is None:
        return (LIMIT,)
    level = [0] * len(places)
    for number in order:
        place = places[number]
        level[number] = min(LIMIT, place.own + place.factor * sum(level[other] for other in place.here))
    found = [level[0]]
    for steps in range(1, MAX_LEVELS + 1):
        below = _level_below(places, order, level)
        if below == level or not any(below):
            return tuple(found)
        level = below
        found.append(max(found[-1], level[0]))
        if found[-1] >= LIMIT or steps * len(places) > _MAX_STEPS:
            break
    return (*found, LIMIT)


def _level_below(places: list[_Place], order: list[int], level: list[int]) -> list[int]:
    """What `level` is one level further down. A value is an object or a list, never both."""
    objects, lists = [0] * len(places), [0] * len(places)
    for number in order:
        place = places[number]
        for below, groups in ((objects, place.members), (lists, place.items)):
            parts = sum(max(level[other] for other in group) for group in groups)
            below[number] = min(LIMIT, place.factor * sum(below[other] for other in place.here) + parts)
    return [max(pair) for pair in zip(objects, lists, strict=True)]


def _places(root: Node) -> list[_Place] | None:
    """All schemas that the root leads to, the root first; None where a reference depends on how it was reached."""
    numbers: dict[int, int] = {id(root): 0}
    nodes: list[Node] = [root]
    places: list[_Place] = []
    bare: Node = {}

    def number(schema: Schema) -> int:
        node = schema if isinstance(schema, dict) else bare
        if id(node) not in numbers:
            numbers[id(node)] = len(nodes)
            nodes.append(node)
        return numbers[id(node)]

    while len(places) < len(nodes):
        node = nodes[len(places)]
        if not _UNKNOWN.isdisjoint(node):
            return None
        place = _Place(_own(node), 1 + 2 * ("unevaluatedProperties" in node) + 2 * ("unevaluatedItems" in node))
        if isinstance(ref := node.get("$ref"), str):
            target = root if ref == "#" else definition(root, ref)
            place.here.append(number(target))
        place.here += [number(child) for child in _here(node)]
        place.members = [group for group in _members(node, number) if group]
        place.items = [group for group in _items(node, number) if group]
        places.append(place)
    return places


def _own(node: Node) -> int:
    total = 1 + sum(len(found) // many for key, many in _COUNTED.items() if (found := node.get(key)))
    patterns = [*node.get("patternProperties", ())]
    if isinstance(pattern := node.get("pattern"), str):
        patterns.append(pattern)
    return total + sum(_BACKTRACKING if _TRIES.search(pattern) else 1 for pattern in patterns)


def _here(node: Node) -> Iterator[Schema]:
    for key in _HERE_LISTS:
        yield from node.get(key, ())
    for key in _HERE_SINGLE:
        if key in node:
            yield node[key]
    yield from node.get("dependentSchemas", {}).values()


def _members(node: Node, number: Callable[[Schema], int]) -> Iterator[list[int]]:
    one = [*node.get("properties", {}).values()]
    if "additionalProperties" in node:
        one.append(node["additionalProperties"])
    yield [number(child) for child in one]
    for child in node.get("patternProperties", {}).values():
        yield [number(child)]
    for key in ("unevaluatedProperties", "propertyNames"):
        if key in node:
            yield [number(node[key])]


def _items(node: Node, number: Callable[[Schema], int]) -> Iterator[list[int]]:
    one = [*node.get("prefixItems", ())]
    if "items" in node:
        one.append(node["items"])
    yield [number(child) for child in one]
    for key in ("contains", "unevaluatedItems"):
        if key in node:
            yield [number(node[key])]


def _inner_first(places: list[_Place]) -> list[int] | None:
    """The numbers, each after those that judge the same value for it; None where some judge for one another."""
    order: list[int] = []
    state = [0] * len(places)
    for start in range(len(places)):
        if state[start]:
            continue
        path = [(start, iter(places[start].here))]
        state[start] = 1
        while path:
            number, inner = path[-1]
            other = next(inner, None)
            if other is None:
                path.pop()
                state[number] = 2
                order.append(number)
            elif state[other] == 1:
                return None
            elif not state[other]:
                state[other] = 1
                path.append((other, iter(places[other].here)))
    return order
