"""Rewritings of single nodes that several targets share.

Each says the same with other keywords, or, where it must accept more, says so in a note.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

from adapters.tools.schema.merge import apart, merge
from adapters.tools.schema.walk import Work, told_in
from adapters.tools.schema.words import (
    MAX_NODES,
    RESTRICTING,
    Node,
    Path,
    Schema,
    json_text,
    key_of,
    type_of,
    types_of,
    values_of,
)

_ROUNDS = 16
_UNIONS = frozenset({"allOf", "anyOf", "oneOf"})


def without(node: Node, *keys: str) -> Node:
    return {key: value for key, value in node.items() if key not in keys}


def renamed(node: Node, old: str, new: str, value: Any) -> Node:
    """The node with `new: value` in the place of `old`."""
    return {
        (new if key == old else key): (value if key == old else item)
        for key, item in node.items()
        if key == old or key != new
    }


def infer_type(node: Node, work: Work, path: Path) -> Node:
    """Fills in the type that `properties`, `items`, `enum` or `const` imply."""
    if "type" in node:
        return node
    if "properties" in node:
        kinds: tuple[str, ...] = ("object",)
    elif "items" in node or "prefixItems" in node:
        kinds = ("array",)
    else:
        kinds = kinds_of(values_of(node) or ())
    if not kinds:
        return node
    return {"type": kinds[0] if len(kinds) == 1 else list(kinds), **node}


def kinds_of(values: Iterable[Any]) -> tuple[str, ...]:
    """The types of these values, in their order; integers are numbers where there are both."""
    kinds = list(dict.fromkeys(map(type_of, values)))
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return tuple(kinds)


def const_to_enum(node: Node, work: Work, path: Path) -> Node:
    return renamed(node, "const", "enum", [node["const"]]) if "const" in node else node


def integer_bounds(node: Node, work: Work, path: Path) -> Node:
    """Exclusive bounds of integers as inclusive ones."""
    if "exclusiveMinimum" not in node and "exclusiveMaximum" not in node:
        return node
    kinds = types_of(node)
    if "integer" not in kinds or "number" in kinds:
        return node
    if (low := node.get("exclusiveMinimum")) is not None:
        bound = math.floor(low) + 1
        node = renamed(node, "exclusiveMinimum", "minimum", max(bound, node.get("minimum", bound)))
    if (high := node.get("exclusiveMaximum")) is not None:
        bound = math.ceil(high) - 1
        node = renamed(node, "exclusiveMaximum", "maximum", min(bound, node.get("maximum", bound)))
    return node


def merge_all_of(node: Node, work: Work, path: Path) -> Node:
    """`allOf` merged into its node."""
    for _ in range(_ROUNDS):
        if "allOf" not in node:
            return node
        parts = node["allOf"]
        node = without(node, "allOf")
        several = len(parts) > 1 or bool(structure(node))
        for part in parts:
            alone, less = apart(part) if several else (part, ())
            whole, lost = merge(node, alone)
            lost = (*less, *lost)
            if whole is False:
                work.lossy(path, "allOf: nothing can satisfy it, a part of it is left out")
            else:
                node = whole if isinstance(whole, dict) else node
            if lost:
                work.lossy(path, f"allOf: {', '.join(lost)} cannot be said together")
    return without(node, "allOf")


def one_of_to_any_of(node: Node, work: Work, path: Path) -> Node:
    if "oneOf" not in node:
        return node
    branches = node["oneOf"]
    if "anyOf" in node:
        work.lossy(path, "oneOf beside anyOf is left out")
        return without(node, "oneOf")
    if not exclusive(branches, work):
        work.note(path, "oneOf is sent as anyOf")
    return renamed(node, "oneOf", "anyOf", branches)


def exclusive(branches: list[Schema], work: Work) -> bool:
    """Whether at most one of these schemas can hold, as far as types and constants show."""
    nodes: list[Node] = []
    for branch in branches:
        node = work.definition(branch["$ref"]) if isinstance(branch, dict) and "$ref" in branch else branch
        if isinstance(node, bool):
            return False
        nodes.append(node)
    return _disjoint_types(nodes) or _disjoint_values([values_of(node) for node in nodes]) or _discriminated(nodes)


def _disjoint_types(nodes: list[Node]) -> bool:
    seen: set[str] = set()
    for node in nodes:
        kinds = {"number" if kind == "integer" else kind for kind in types_of(node)}
        if not kinds or kinds & seen:
            return False
        seen |= kinds
    return True


def _disjoint_values(lists: list[list[Any] | None]) -> bool:
    seen: set[Hashable] = set()
    for values in lists:
        keys = {key_of(value) for value in values or ()}
        if not keys or keys & seen:
            return False
        seen |= keys
    return True


def _discriminated(nodes: list[Node]) -> bool:
    if not all(types_of(node) == ("object",) for node in nodes):
        return False
    shared = [name for name in nodes[0].get("required", ()) if all(name in node.get("required", ()) for node in nodes)]
    return any(_disjoint_values([_property_values(node, name) for node in nodes]) for name in shared[:8])


def _property_values(node: Node, name: str) -> list[Any] | None:
    found = node.get("properties", {}).get(name)
    return values_of(found) if isinstance(found, dict) else None


def structure(node: Node) -> Node:
    """The keywords of a node that may forbid a value."""
    return {key: value for key, value in node.items() if key in RESTRICTING}


def with_values(node: Node, values: list[Any]) -> Node:
    """The node with this enum in the place of its const or enum."""
    return renamed(node, "const" if "const" in node else "enum", "enum", values)


def distribute(node: Node, work: Work, path: Path) -> Node:
    """Moves what stands beside `anyOf` into its branches; only annotations stay beside it."""
    if "anyOf" not in node or not (beside := structure(without(node, "anyOf"))):
        return node
    if work.count > MAX_NODES:
        work.lossy(path, "anyOf is left out, the schema is too large")
        return without(node, "anyOf")
    branches: list[Schema] = []
    for at, branch in enumerate(node["anyOf"]):
        whole, lost = merge(beside, branch)
        if lost:
            work.lossy((*path, "anyOf", at), f"{', '.join(lost)} of the branch and its parent cannot be said together")
        if whole is not False:
            branches.append(whole)
    if not branches:
        work.lossy(path, "anyOf: nothing can satisfy it, it is left out")
        return without(node, "anyOf")
    return {key: (branches if key == "anyOf" else value) for key, value in node.items() if key not in beside}


def single_branch(node: Node, work: Work, path: Path) -> Node:
    """An `anyOf` of one branch merged into its node."""
    for _ in range(_ROUNDS):
        if "anyOf" not in node or len(node["anyOf"]) != 1 or (len(node) > 1 and _is_reference(node["anyOf"][0])):
            return node
        rest = without(node, "anyOf")
        whole, lost = merge(rest, node["anyOf"][0])
        if lost or whole is False:
            return node
        node = whole if isinstance(whole, dict) else rest
    return node


def combined(node: Node, work: Work, path: Path) -> Node:
    """Without allOf and oneOf, with nothing but annotations beside anyOf."""
    if _UNIONS.isdisjoint(node):
        return node
    for _ in range(_ROUNDS):
        start = node
        node = union_alone(one_of_to_any_of(merge_all_of(node, work, path), work, path), work, path)
        if node is start:
            break
    return node


def union_alone(node: Node, work: Work, path: Path) -> Node:
    """With nothing but annotations beside anyOf."""
    for _ in range(_ROUNDS):
        start = node
        node = single_branch(distribute(node, work, path), work, path)
        if node is start:
            break
    return node


def _is_reference(branch: Schema) -> bool:
    return isinstance(branch, dict) and branch.keys() == {"$ref"}


def known_required(node: Node, work: Work, path: Path) -> Node:
    """Without required names that no property has."""
    if "required" not in node:
        return node
    names = node["required"]
    known = node.get("properties", {})
    kept = [name for name in names if name in known]
    if len(kept) == len(names):
        return node
    for name in names:
        if name not in known:
            work.note(path, f"required names {json_text(name)}, which is no property, and is left out")
    return {**node, "required": kept} if kept else without(node, "required")


def constants_to_enum(node: Node, work: Work, path: Path) -> Node:
    """A union of described constants as one enum; the descriptions go into the node's own."""
    key = "anyOf" if "anyOf" in node else "oneOf"
    branches = node.get(key)
    if not isinstance(branches, list) or len(branches) < 2 or "enum" in node or "const" in node:
        return node
    values: list[Any] = []
    told: list[str] = []
    seen: set[Hashable] = set()
    for branch in branches:
        found = _constant(branch)
        if found is None or (value_key := key_of(found[0])) in seen:
            return node
        seen.add(value_key)
        values.append(found[0])
        if found[1]:
            told.append(f"{json_text(found[0])}: {found[1]}")
    kinds = kinds_of(values)
    if "type" in node and not set(kinds) <= set(types_of(node)):
        return node
    out = renamed(node, key, "enum", values)
    if "type" not in out:
        out = {"type": kinds[0] if len(kinds) == 1 else list(kinds), **out}
    return told_in(out, told) if told else out


def _constant(branch: Schema) -> tuple[Any, str] | None:
    """The only value of a branch and what is said of it."""
    if not isinstance(branch, dict) or structure(branch).keys() - {"type", "const", "enum"}:
        return None
    values = values_of(branch)
    if values is None or len(values) != 1:
        return None
    kinds = types_of(branch)
    if kinds and type_of(values[0]) not in kinds and not (type_of(values[0]) == "integer" and "number" in kinds):
        return None
    return values[0], branch.get("description") or branch.get("title") or ""
