"""Arguments between the client's schema and its projection.

Both ways walk the arguments beside the projected schema. Where that is a union, the first branch that fits counts;
fitting looks at types, constants, names and bounds, never at a client's regular expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from adapters import json
from adapters.tools.schema.fit import Fit
from adapters.tools.schema.words import Node, Path, definition, definition_name, schemas_in

_DEPTH = 120
"""Levels of arguments that are looked at."""

Place = tuple[Node, Path]
"""A schema and where it stands in the projection."""


@dataclass(slots=True, frozen=True)
class Edit:
    """How the values at one place of the projected schema differ.

    nulls: members for which null means "not given". text: "object" or "any" value that goes as JSON text. strings:
    values that are no string go as JSON text, which is left as it is on the way back. wrapped: the whole value goes as
    JSON text in this only member.
    """

    nulls: frozenset[str] = frozenset()
    text: Literal["object", "any"] | None = None
    strings: bool = False
    wrapped: str | None = None


NO_EDIT = Edit()


@dataclass(slots=True, frozen=True)
class Inverse:
    """names: property names of the wire -> the client's, where they differ. edits: by place in `schema`."""

    schema: Node
    names: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[Path, Edit] = field(default_factory=dict)

    def backward(self, value: Any) -> Any:
        """The client's arguments for the wire's. Any other value is given back as it is."""
        return _Run(self, back=True).value(value, [(self.schema, ())], 0)

    def forward(self, value: Any) -> Any:
        """The wire's arguments for the client's, as a history shows them. Members that are not given stay so."""
        return _Run(self, back=False).value(value, [(self.schema, ())], 0)

    def forward_at(self, value: Any, node: Node) -> Any:
        """`forward` of a value that `node`, a part of the schema, judges; for names only."""
        return _Run(self, back=False).value(value, [(node, ())], 0)


def located(schema: Node, edits: Mapping[int, tuple[Node, Edit]]) -> dict[Path, Edit]:
    """The edits by place, for edits by identity of a node in `schema`."""
    found: dict[Path, Edit] = {}
    todo: list[tuple[Any, Path]] = [(schema, ())]
    while todo:
        node, path = todo.pop()
        if not isinstance(node, dict):
            continue
        if id(node) in edits:
            found[path] = edits[id(node)][1]
        for key, name, child in schemas_in(node):
            todo.append((child, (*path, key) if name is None else (*path, key, name)))
    return found


class _Run:
    """One value on its way."""

    def __init__(self, inverse: Inverse, back: bool) -> None:
        self._inverse = inverse
        self._back = back
        self._fit = Fit(inverse.schema, self._excused)
        self._wire = {client: wire for wire, client in inverse.names.items()}

    def _excused(self, path: Path, value: Any) -> frozenset[str] | bool:
        """What a value that is not in the wire's form yet may do at a place: be anything, or lack these members."""
        if self._back:
            return False
        edit = self._inverse.edits.get(path, NO_EDIT)
        if edit.text == "any" or edit.strings or (edit.text == "object" and isinstance(value, dict)):
            return True
        return edit.nulls

    def value(self, value: Any, places: list[Place], depth: int) -> Any:
        if depth > _DEPTH:
            return value
        places = self._all_places(places, value)
        edits = [edit for _, path in places if (edit := self._inverse.edits.get(path)) is not None]
        for edit in edits:
            changed = self._as_text(value, edit)
            if changed is not value:
                return changed
        match value:
            case dict():
                return self._object(value, places, edits, depth)
            case list():
                out = [self.value(item, _at(places, index), depth + 1) for index, item in enumerate(value)]
                return value if all(new is old for new, old in zip(out, value, strict=True)) else out
        return value

    def _as_text(self, value: Any, edit: Edit) -> Any:
        if edit.wrapped is not None:
            if not self._back:
                return {edit.wrapped: _written(value)}
            whole = value.get(edit.wrapped) if isinstance(value, dict) and len(value) == 1 else None
            return _parsed(whole, value) if isinstance(whole, str) else value
        if self._back:
            if edit.text is None or not isinstance(value, str):
                return value
            read = _parsed(value, value)
            return read if edit.text == "any" or isinstance(read, dict) else value
        if edit.text == "any" or (edit.text == "object" and isinstance(value, dict)):
            return _written(value)
        return _written(value) if edit.strings and not isinstance(value, str) else value

    def _object(self, value: Node, places: list[Place], edits: list[Edit], depth: int) -> Node:
        nulls = frozenset[str]().union(*(edit.nulls for edit in edits)) if self._back else frozenset()
        out: Node = {}
        same = True
        for key, item in value.items():
            if item is None and key in nulls:
                same = False
                continue
            wire, new = self._renamed(key, value, places)
            out[new] = changed = self.value(item, _below(places, wire), depth + 1)
            same = same and new == key and changed is item
        return value if same else out

    def _renamed(self, key: str, value: Node, places: list[Place]) -> tuple[str, str]:
        """The member's name on the wire, and on the side that this run leads to."""
        other = (self._inverse.names if self._back else self._wire).get(key)
        if other is None:
            return key, key
        wire = key if self._back else other
        if other in value or not any(wire in node.get("properties", ()) for node, _ in places):
            return key, key
        return wire, other

    def _all_places(self, places: list[Place], value: Any) -> list[Place]:
        """These places with all that judge the same value."""
        found: list[Place] = []
        seen: set[int] = set()
        todo = list(reversed(places))
        while todo:
            node, path = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            found.append((node, path))
            if isinstance(ref := node.get("$ref"), str):
                target = definition(self._inverse.schema, ref)
                if isinstance(target, dict):
                    todo.append((self._inverse.schema, ()) if ref == "#" else (target, ("$defs", definition_name(ref))))
            todo.extend(reversed(self._branches(node, path, value)))
        return found

    def _branches(self, node: Node, path: Path, value: Any) -> list[Place]:
        found: list[Place] = []
        for key in ("allOf", "then", "else", "dependentSchemas"):
            found += _schemas(node, path, key)
        for key in ("anyOf", "oneOf"):
            if key in node:
                branches = _schemas(node, path, key)
                found += branches if self._inverse.names else self._chosen(branches, value) or branches
        return found

    def _chosen(self, branches: list[Place], value: Any) -> list[Place]:
        """The first branch that fits; for a text that is a JSON object, one that says so."""
        fitting = [branch for branch in branches if self._fit.fits(value, *branch)]
        if self._back and isinstance(value, str) and value.lstrip().startswith("{"):
            texts = [branch for branch in fitting if self._inverse.edits.get(branch[1], NO_EDIT).text == "object"]
            if texts and isinstance(_parsed(value, value), dict):
                return texts[:1]
        return fitting[:1]


def _schemas(node: Node, path: Path, key: str) -> list[Place]:
    match node.get(key):
        case list() as many:
            return [(item, (*path, key, at)) for at, item in enumerate(many) if isinstance(item, dict)]
        case dict() as named if key == "dependentSchemas":
            return [(item, (*path, key, name)) for name, item in named.items() if isinstance(item, dict)]
        case dict() as one:
            return [(one, (*path, key))]
    return []


def _below(places: list[Place], name: str) -> list[Place]:
    """The places of a member; of one that is not declared, those that may judge it."""
    found: list[Place] = []
    for node, path in places:
        if isinstance(child := node.get("properties", {}).get(name), dict):
            found.append((child, (*path, "properties", name)))
    if found:
        return found
    for node, path in places:
        for pattern, child in node.get("patternProperties", {}).items():
            if isinstance(child, dict):
                found.append((child, (*path, "patternProperties", pattern)))
        for key in ("additionalProperties", "unevaluatedProperties"):
            found += _schemas(node, path, key)
    return found


def _at(places: list[Place], index: int) -> list[Place]:
    """The places of a list's item."""
    found: list[Place] = []
    for node, path in places:
        prefix = node.get("prefixItems", [])
        if index < len(prefix):
            if isinstance(prefix[index], dict):
                found.append((prefix[index], (*path, "prefixItems", index)))
        else:
            found += _schemas(node, path, "items") + _schemas(node, path, "unevaluatedItems")
    return found


def _written(value: Any) -> Any:
    try:
        return json.text(value)
    except (ValueError, TypeError, RecursionError):
        return value


def _parsed(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return otherwise
