"""Node rewritings for Gemini's OpenAPI subset: one type a node, unions without siblings, no free objects."""

from __future__ import annotations

from typing import Literal

from adapters.tools.schema.inverse import Edit
from adapters.tools.schema.steps import (
    constants_to_enum,
    distribute,
    infer_type,
    integer_bounds,
    known_required,
    merge_all_of,
    one_of_to_any_of,
    single_branch,
    structure,
    with_values,
    without,
)
from adapters.tools.schema.walk import Step, Work
from adapters.tools.schema.words import (
    ANNOTATIONS,
    Node,
    Path,
    Schema,
    json_text,
    key_of,
    speaks_of,
    type_of,
    types_of,
    values_of,
)

MARK = "\0edit"
"""Holds a node's Edit while it is on its way; no client's JSON can hold one."""

_ROUNDS = 8
_ANY = "Any JSON value."
NUMBER_FORMATS = frozenset({"int32", "int64", "float", "double"})


def before(vertex: bool) -> tuple[Step, ...]:
    def free(node: Node, work: Work, path: Path) -> Node:
        return free_object(node, work, path, vertex)

    return (one_type, union_bare, string_values, integer_bounds, positions, no_items, possible, free)


# --- types and unions --------------------------------------------------------------------------------------------


def one_type(node: Node, work: Work, path: Path) -> Node:
    """One type a node: null as `nullable`, several types as a union, which has nothing but annotations beside it."""
    steps = (
        merge_all_of, infer_type, constants_to_enum, one_of_to_any_of, distribute, null_branches, single_branch,
        null_type, several_types,
    )  # fmt: skip
    for _ in range(_ROUNDS):
        start = node
        for step in steps:
            node = step(node, work, path)
        if node is start:
            break
    return node


def null_branches(node: Node, work: Work, path: Path) -> Node:
    branches = node.get("anyOf")
    if branches is None:
        return node
    others = [branch for branch in branches if not _only_null(branch)]
    if len(others) == len(branches):
        return node
    rest = without(node, "anyOf")
    if not others:
        return {**rest, "type": "null"}
    return {key: ([_or_null(branch) for branch in others] if key == "anyOf" else node[key]) for key in node}


def _only_null(branch: Schema) -> bool:
    if not isinstance(branch, dict):
        return False
    values = values_of(branch)
    return types_of(branch) == ("null",) or (values is not None and all(value is None for value in values))


def _or_null(branch: Schema) -> Schema:
    return {**branch, "nullable": True} if isinstance(branch, dict) and structure(branch) else branch


def null_type(node: Node, work: Work, path: Path) -> Node:
    kinds = types_of(node)
    if "null" not in kinds or len(kinds) == 1 or "anyOf" in node:
        return node
    rest = [kind for kind in kinds if kind != "null"]
    out = {**node, "type": rest[0] if len(rest) == 1 else rest, "nullable": True}
    values = values_of(node)
    if values is not None and any(value is None for value in values):
        kept = [value for value in values if value is not None]
        out = with_values(out, kept) if kept else {**without(out, "const", "enum", "nullable"), "type": "null"}
    return out


def several_types(node: Node, work: Work, path: Path) -> Node:
    kinds = types_of(node)
    if len(kinds) < 2 or "anyOf" in node:
        return node
    kinds = tuple(kind for kind in kinds if kind != "integer" or "number" not in kinds)
    branches = [branch for kind in kinds if (branch := _of_type(node, kind)) is not None]
    if not branches:
        return {**node, "type": kinds[0]}
    outer = {key: value for key, value in node.items() if key in ANNOTATIONS}
    return {**outer, "anyOf": branches} if len(branches) > 1 else {**branches[0], **outer}


def _of_type(node: Node, kind: str) -> Node | None:
    """The part of the node that speaks of one type; None if its values have none of that type."""
    out: Node = {"type": kind}
    for key, value in node.items():
        if key in ANNOTATIONS or key == "type" or not speaks_of(key, (kind,)):
            continue
        if key == "format" and kind not in (("number", "integer") if value in NUMBER_FORMATS else ("string",)):
            continue
        out[key] = value
    values = values_of(out)
    if values is not None:
        kept = [value for value in values if type_of(value) == kind or (type_of(value), kind) == ("integer", "number")]
        if not kept:
            return None
        out = with_values(out, kept)
    return out


def union_bare(node: Node, work: Work, path: Path) -> Node:
    """`anyOf` takes no siblings: what is said of the whole is said of each branch."""
    if "anyOf" not in node or len(node) == 1:
        return node
    told = node.get("description") or node.get("title")
    if "default" in node:
        told = f"{told or ''} (default={json_text(node['default'])})".strip()
    branches = [_told(branch, told) if told else branch for branch in node["anyOf"]]
    return {"anyOf": branches}


def _told(branch: Schema, told: str) -> Schema:
    if isinstance(branch, bool):
        return {"description": told} if branch else branch
    old = branch.get("description")
    return {**branch, "description": f"{told} {old}" if old else told}


# --- values ------------------------------------------------------------------------------------------------------


def string_values(node: Node, work: Work, path: Path) -> Node:
    """Constants and enums of strings; no empty string may be among them."""
    values = values_of(node)
    if values is None or types_of(node) != ("string",):
        return node
    kept = [value for value in values if isinstance(value, str) and value]
    if "" in values:
        work.note(path, "the empty string cannot be among the values of an enum and is left out")
    if not kept:
        work.note(path, "an enum without strings is left out")
        return without(node, "const", "enum")
    if "const" in node:
        return {**with_values(without(node, "format"), kept), "format": "enum"}
    return node if len(kept) == len(values) else with_values(node, kept)


# --- arrays ------------------------------------------------------------------------------------------------------


def positions(node: Node, work: Work, path: Path) -> Node:
    """A tuple as an array of any of its positions."""
    if "prefixItems" not in node:
        return node
    given = node["prefixItems"]
    rest = node.get("items")
    schemas = [schema for schema in given if schema is not False]
    out = without(node, "prefixItems", "items")
    if isinstance(rest, dict) and rest:
        schemas.append(rest)
    else:
        out["maxItems"] = min(len(given), node.get("maxItems", len(given)))
    distinct = list({key_of(schema): schema for schema in schemas}.values())
    if len(distinct) > 1 or len(schemas) != len(given) + (isinstance(rest, dict) and bool(rest)):
        work.note(path, "prefixItems is sent as a union of its positions")
    if not distinct:
        return {**out, "maxItems": 0}
    return {**out, "items": distinct[0] if len(distinct) == 1 else {"anyOf": distinct}}


def no_items(node: Node, work: Work, path: Path) -> Node:
    return {**node, "items": {"type": "string"}, "maxItems": 0} if node.get("items") is False else node


def items(node: Node, work: Work, path: Path) -> Node:
    """An array must say what its items are."""
    given = node.get("items", {})
    if types_of(node) != ("array",) or structure(given):
        return node
    work.note(path, "any items are allowed, those that are no string go as JSON text")
    told = {key: value for key, value in given.items() if value != _ANY}
    out = {"type": "STRING", **told}
    work.edit(out, Edit(strings=True))
    return {**node, "items": out}


# --- free objects ------------------------------------------------------------------------------------------------


def possible(node: Node, work: Work, path: Path) -> Node:
    """Without properties that can never be given."""
    properties = node.get("properties", {})
    kept = {name: schema for name, schema in properties.items() if schema is not False}
    if len(kept) == len(properties):
        return node
    for name in properties.keys() - kept.keys():
        work.note((*path, "properties", name), "this can never be given and is left out")
    return {**node, "properties": kept}


def free_object(node: Node, work: Work, path: Path, vertex: bool) -> Node:
    """An object that declares no property may be refused, or always comes back empty: it goes as text."""
    if not path or types_of(node) != ("object",) or node.get("properties"):
        return node
    if vertex and node.get("additionalProperties"):
        return node
    work.note(path, "an object without declared properties goes as JSON text")
    return as_text(node, "object")


def as_text(node: Node, kind: Literal["object", "any"]) -> Node:
    """The node as a string that holds its value as JSON."""
    what = "a JSON object as text" if kind == "object" else "JSON as text"
    rest = without(structure(node), "type", "nullable", "properties", "$ref")
    told = f"({what}: {json_text(rest, 600)})" if rest else f"({what})"
    old = node.get("description")
    out: Node = {"type": "string", "description": f"{old} {told}" if old else told, MARK: Edit(text=kind)}
    if node.get("nullable"):
        out["nullable"] = True
    return out


def recursive(node: Node, work: Work, path: Path) -> Node:
    """A definition at its second visit: its value goes as text."""
    work.note(path, "$ref is recursive, from the second level on it goes as JSON text")
    target = work.definition(node["$ref"])
    plain = isinstance(target, dict) and types_of(target) == ("object",)
    return work.walk(as_text(node, "object" if plain else "any"), path)


# --- after -------------------------------------------------------------------------------------------------------


def settled(node: Node, work: Work, path: Path) -> Node:
    """A union once more, for branches of which only null, or nothing, is left."""
    branches = node.get("anyOf")
    if branches is None:
        return node
    others = [branch for branch in branches if branch.get("type") != "NULL"]
    if len(others) == len(branches) > 1:
        return node
    nullable = len(others) < len(branches)
    kept = [_nullable(branch, work) if nullable else branch for branch in others] or branches[:1]
    return kept[0] if len(kept) == 1 else {**node, "anyOf": kept}


def _nullable(branch: Node, work: Work) -> Node:
    if not structure(branch):
        return branch
    out = {**branch, "nullable": True}
    work.moved(branch, out)
    return out


def any_value(node: Node, work: Work, path: Path) -> Node:
    """What says nothing of its values says at least that."""
    if "$ref" in node or structure(node) or node.get("description") or not path:
        return node
    return {**node, "description": _ANY}


def _written(node: Node, work: Work, path: Path) -> Node:
    """Types in capitals, `nullable` at the end, and the node's edit told to the work."""
    edit = node.get(MARK)
    kind = node.get("type")
    if edit is None and not isinstance(kind, str):
        return node
    out = without(node, MARK, "nullable")
    if "nullable" in node:
        out["nullable"] = True
    if out.get("properties") == {} and path:
        del out["properties"]
    if isinstance(kind, str):
        out["type"] = kind.upper()
    if isinstance(edit, Edit):
        work.edit(out, edit)
    return out


finished: tuple[Step, ...] = (known_required, items, settled, any_value, _written)
