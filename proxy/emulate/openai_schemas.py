"""Which tool and output schemas OpenAI takes: the base rules of every function, and the subset of strict mode.

openai-responses §7.1 (2026-11). Beyond it, seen in the API's own errors: a bare array and a union at the root are
refused in non-strict functions too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Json = Any
Context = tuple[str, ...]

UNIONS = ("oneOf", "anyOf", "allOf", "enum", "not")
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
FORBIDDEN = (
    "default", "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "minLength",
    "maxLength", "minProperties", "maxProperties", "patternProperties", "propertyNames", "unevaluatedProperties",
    "unevaluatedItems", "contains", "minContains", "maxContains", "uniqueItems",
)  # fmt: skip
MOST_PROPERTIES, MOST_LEVELS, MOST_CHARACTERS, MOST_ENUM_VALUES = 5000, 10, 120_000, 1000
LONG_ENUM, MOST_LONG_ENUM_CHARACTERS = 250, 15_000

_LOOK_AROUND = re.compile(r"\(\?(?:=|!|<=|<!)")


def base_problem(schema: Json) -> str | None:
    """Why a function's parameters are refused even without strict mode."""
    if not isinstance(schema, dict):
        return _root(type(schema).__name__)
    if not schema:
        return None
    if schema.get("type") != "object":
        return _root(schema.get("type"))
    if any(keyword in schema for keyword in UNIONS):
        return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    for context, node in _nodes(schema, ()):
        if _is(node, "array") and "items" not in node and "prefixItems" not in node:
            return f"In context={context}, array schema missing items."
    return None


def strict_problem(schema: Json) -> str | None:
    """Why a schema is outside the subset of strict mode."""
    if not isinstance(schema, dict) or schema.get("type") != "object" or "anyOf" in schema:
        return _root(schema.get("type") if isinstance(schema, dict) else None)
    for context, node in _nodes(schema, ()):
        if found := _node_problem(schema, node):
            return f"In context={context}, {found}"
    return _size_problem(schema)


def _root(got: Json) -> str:
    return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{got}\"'."


def _nodes(schema: Json, context: Context) -> Iterator[tuple[Context, Json]]:
    """Every schema inside a schema, itself first."""
    yield context, schema
    if not isinstance(schema, dict):
        return
    for keyword in ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"):
        for name, inner in _members(schema, keyword).items():
            yield from _nodes(inner, (*context, keyword, name))
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for index, inner in enumerate(_entries(schema, keyword)):
            yield from _nodes(inner, (*context, keyword, str(index)))
    for keyword in ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"):
        if isinstance(schema.get(keyword), dict):
            yield from _nodes(schema[keyword], (*context, keyword))


def _members(schema: Json, keyword: str) -> dict[str, Json]:
    found = schema.get(keyword)
    return found if isinstance(found, dict) else {}


def _entries(schema: Json, keyword: str) -> list[Json]:
    found = schema.get(keyword)
    return found if isinstance(found, list) else []


def _is(node: Json, kind: str) -> bool:
    found = node.get("type") if isinstance(node, dict) else None
    return found == kind or (isinstance(found, list) and kind in found)


def _node_problem(root: Json, node: Json) -> str | None:
    if not isinstance(node, dict):
        return "schema must be an object."
    for keyword in FORBIDDEN:
        if keyword in node:
            return f"'{keyword}' is not permitted."
    if "$ref" in node:
        return _reference_problem(root, node)
    if not node.keys() & {"type", "anyOf", "enum", "const"}:
        return "schema must have a 'type' key."
    if _is(node, "object") and (found := _object_problem(node)):
        return found
    if _is(node, "array") and (node.get("items") in (None, True, {}) and "prefixItems" not in node):
        return "array schema missing items."
    if str(node.get("format", "date")) not in FORMATS:
        return f"'{node['format']}' is not a valid format."
    if _LOOK_AROUND.search(str(node.get("pattern", ""))):
        return "'pattern' uses lookaround, which is not supported."
    return _union_problem(_entries(node, "anyOf"))


def _reference_problem(root: Json, node: Json) -> str | None:
    others = sorted(node.keys() - {"$ref"})
    if others:
        return f"$ref cannot have keywords {set(others)}."
    place: Json = root
    for step in str(node["$ref"]).removeprefix("#").split("/")[1:]:
        place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, dict) else None
    if not str(node["$ref"]).startswith("#") or place is None:
        return "reference can only point to definitions defined at the top level of the schema."
    return None


def _object_problem(node: Json) -> str | None:
    if node.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    names, required = list(_members(node, "properties")), _entries(node, "required")
    for name in names:
        if name not in required:
            text = "'required' is required to be supplied and to be an array including every key in properties."
            return f"{text} Missing '{name}'."
    for name in required:
        if name not in names:
            return f"Extra required key '{name}' supplied."
    return None


def _union_problem(branches: list[Json]) -> str | None:
    objects = [_members(branch, "properties") for branch in branches if _is(branch, "object")]
    firsts = [next(iter(members)) for members in objects if members]
    if len(firsts) > len(set(firsts)):
        return "Objects provided via 'anyOf' must not share identical first keys."
    return None


def _size_problem(schema: Json) -> str | None:
    nodes = [node for _, node in _nodes(schema, ())]
    names = [name for node in nodes for key in ("properties", "$defs") for name in _members(node, key)]
    enums = [_entries(node, "enum") for node in nodes]
    values = [*(value for enum in enums for value in enum), *(node["const"] for node in nodes if "const" in node)]
    properties = sum(len(_members(node, "properties")) for node in nodes)
    if properties > MOST_PROPERTIES:
        return f"schema has {properties} properties, more than {MOST_PROPERTIES}."
    if (levels := _levels(schema)) > MOST_LEVELS:
        return f"schema has {levels} levels of nesting, more than {MOST_LEVELS}."
    if sum(len(text if isinstance(text, str) else json.dumps(text)) for text in [*names, *values]) > MOST_CHARACTERS:
        return f"schema has more than {MOST_CHARACTERS} characters of names and values."
    if sum(map(len, enums)) > MOST_ENUM_VALUES:
        return f"schema has more than {MOST_ENUM_VALUES} enum values."
    for enum in enums:
        if len(enum) > LONG_ENUM and sum(len(v) for v in enum if isinstance(v, str)) > MOST_LONG_ENUM_CHARACTERS:
            return f"an enum has more than {MOST_LONG_ENUM_CHARACTERS} characters."
    return None


def _levels(schema: Json) -> int:
    """Objects and arrays inside one another, definitions not counted."""
    if not isinstance(schema, dict):
        return 0
    inner = [*_members(schema, "properties").values(), *_entries(schema, "anyOf"), schema.get("items")]
    own = 1 if _is(schema, "object") or _is(schema, "array") else 0
    return own + max(map(_levels, inner), default=0)
