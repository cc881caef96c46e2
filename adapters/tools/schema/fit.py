"""A quick look whether a value fits a projected schema, to choose between the branches of a union.

Not a validator: formats and patterns are not looked at, and what is nested too deep fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adapters.tools.schema.words import Node, Path, definition, definition_name, same, type_of, types_of, values_of

_DEPTH = 60

Excused = Callable[[Path, Any], frozenset[str] | bool]
"""For a place and a value: True if any value will do there, else the members that may be missing."""

_BOUNDS: Mapping[str, tuple[tuple[type, ...], Callable[[Any, Any], bool]]] = {
    "minimum": ((int, float), lambda value, bound: value >= bound),
    "maximum": ((int, float), lambda value, bound: value <= bound),
    "exclusiveMinimum": ((int, float), lambda value, bound: value > bound),
    "exclusiveMaximum": ((int, float), lambda value, bound: value < bound),
    "minLength": ((str,), lambda value, bound: len(value) >= bound),
    "maxLength": ((str,), lambda value, bound: len(value) <= bound),
    "minItems": ((list,), lambda value, bound: len(value) >= bound),
    "maxItems": ((list,), lambda value, bound: len(value) <= bound),
    "minProperties": ((dict,), lambda value, bound: len(value) >= bound),
    "maxProperties": ((dict,), lambda value, bound: len(value) <= bound),
}


class Fit:
    """Remembers what it has found, so that unions of unions stay cheap. For values that live as long as it does."""

    def __init__(self, root: Node, excused: Excused) -> None:
        self._root = root
        self._excused = excused
        self._known: dict[tuple[int, int], bool] = {}

    def fits(self, value: Any, node: Node, path: Path, depth: int = 0) -> bool:
        key = (id(value), id(node))
        if key not in self._known:
            self._known[key] = True
            self._known[key] = depth > _DEPTH or self._check(value, node, path, depth)
        return self._known[key]

    def _check(self, value: Any, node: Node, path: Path, depth: int) -> bool:
        excused = self._excused(path, value)
        if excused is True:
            return True
        if value is None and node.get("nullable") is True:
            return True
        return (
            _typed(value, node)
            and _bounded(value, node)
            and self._members(value, node, path, depth, excused or frozenset())
            and self._items(value, node, path, depth)
            and self._in_place(value, node, path, depth)
        )

    def _schema(self, value: Any, schema: Any, path: Path, depth: int) -> bool:
        return self.fits(value, schema, path, depth + 1) if isinstance(schema, dict) else schema is not False

    def _members(self, value: Any, node: Node, path: Path, depth: int, excused: frozenset[str]) -> bool:
        if not isinstance(value, dict):
            return True
        if any(name not in value and name not in excused for name in node.get("required", ())):
            return False
        known = node.get("properties", {})
        rest = node.get("additionalProperties", True)
        patterns = "patternProperties" in node
        for name, item in value.items():
            if name in known:
                if not self._schema(item, known[name], (*path, "properties", name), depth):
                    return False
            elif not patterns and not self._schema(item, rest, (*path, "additionalProperties"), depth):
                return False
        return True

    def _items(self, value: Any, node: Node, path: Path, depth: int) -> bool:
        if not isinstance(value, list):
            return True
        prefix = node.get("prefixItems", [])
        rest = node.get("items", True)
        for at, item in enumerate(value):
            if at < len(prefix):
                if not self._schema(item, prefix[at], (*path, "prefixItems", at), depth):
                    return False
            elif not self._schema(item, rest, (*path, "items"), depth):
                return False
        return True

    def _in_place(self, value: Any, node: Node, path: Path, depth: int) -> bool:
        if isinstance(ref := node.get("$ref"), str):
            place = () if ref == "#" else ("$defs", definition_name(ref))
            target = self._root if ref == "#" else definition(self._root, ref)
            if not self._schema(value, target, place, depth):
                return False
        for key, enough in (("allOf", all), ("anyOf", any), ("oneOf", any)):
            branches = node.get(key)
            if branches is not None and not enough(
                self._schema(value, branch, (*path, key, at), depth) for at, branch in enumerate(branches)
            ):
                return False
        return True


def _typed(value: Any, node: Node) -> bool:
    kinds = [kind.lower() for kind in types_of(node)]
    if kinds:
        kind = type_of(value)
        if kind not in kinds and not (kind == "integer" and "number" in kinds):
            return False
    values = values_of(node)
    return values is None or any(same(value, item) for item in values)


def _bounded(value: Any, node: Node) -> bool:
    if isinstance(value, bool):
        return True
    return all(
        holds(value, node[keyword])
        for keyword, (types, holds) in _BOUNDS.items()
        if keyword in node and isinstance(value, types)
    )
