"""Node rewritings for Gemini's OpenAPI subset: enums of strings, arrays with items, no free objects."""

from __future__ import annotations

from typing import Literal

from adapters.tools.schema.inverse import Edit
from adapters.tools.schema.nullable import one_type, settled, union_bare
from adapters.tools.schema.steps import (
    integer_bounds,
    known_required,
    structure,
    with_values,
    without,
)
from adapters.tools.schema.walk import Step, Work
from adapters.tools.schema.words import (
    Node,
    Path,
    json_text,
    key_of,
    types_of,
    values_of,
)

MARK = "\0edit"
"""Holds a node's Edit while it is on its way; no client's JSON can hold one."""

_ANY = "Any JSON value."


def before(vertex: bool) -> tuple[Step, ...]:
    def free(node: Node, work: Work, path: Path) -> Node:
        return free_object(node, work, path, vertex)

    return (one_type, union_bare, string_values, integer_bounds, positions, no_items, possible, free)


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
