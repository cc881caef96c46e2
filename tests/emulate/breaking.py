"""Bodies with one place replaced, so that every check meets every kind of value everywhere."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Json = Any
VALUES: tuple[Json, ...] = (None, True, 0, -1.5, "", "x", [], [None], [[]], ["x"], {}, {"x": None}, {"type": "x"})


def broken(body: Json) -> Iterator[Json]:
    """The body with one place replaced by one of VALUES, or left out: every place, every value."""
    for path in list(_places(body, ())):
        for value in VALUES:
            changed = copy.deepcopy(body)
            _at(changed, path[:-1])[path[-1]] = value
            yield changed
        changed = copy.deepcopy(body)
        del _at(changed, path[:-1])[path[-1]]
        yield changed


def _places(node: Json, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _at(node: Json, path: tuple[Any, ...]) -> Json:
    for key in path:
        node = node[key]
    return node
