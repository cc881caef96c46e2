"""Schemas joined into one that asks for all of them, and references followed inside a document."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

Json = Any
Schema = dict[str, Json]


class Impossible(Exception):
    """No value satisfies the schema, or none was found on this way."""


def resolved(root: Json, reference: Json) -> Json:
    """The schema that a local reference names: `#`, a pointer, or an `$anchor`/`$id` of a definition."""
    if not isinstance(reference, str):
        raise Impossible
    pointer = reference.partition("#")[2]
    if reference == "#" or (pointer.startswith("/") and reference.startswith("#")):
        node = root
        for step in pointer.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            try:
                node = node[int(key)] if isinstance(node, list) else node[key]
            except (KeyError, IndexError, ValueError, TypeError):
                raise Impossible from None
        return node
    for definition in (root.get("$defs") or root.get("definitions") or {}).values():
        if isinstance(definition, dict) and reference in (definition.get("$id"), f"#{definition.get('$anchor')}"):
            return definition
    raise Impossible


def merged(*schemas: Json) -> Json:
    """One schema as strict as all together. True stands for no demand, False for none that can be met."""
    found: Json = True
    for schema in schemas:
        if schema is False or found is False:
            return False
        if schema is True:
            continue
        found = schema if found is True else _joined(found, schema)
    return found


def _joined(one: Schema, other: Schema) -> Schema:
    found = dict(one)
    for key, value in other.items():
        if key not in found or found[key] == value:
            found[key] = value
        elif key in ("anyOf", "oneOf", "if", "$ref", "not"):
            found["allOf"] = [*found.get("allOf", []), {key: value}]
        else:
            found[key] = _JOINED.get(key, _latter)(found[key], value)
    return found


def _latter(one: Json, other: Json) -> Json:
    return other


def _each(one: Schema, other: Schema) -> Schema:
    return {**one, **{name: merged(one[name], kind) if name in one else kind for name, kind in other.items()}}


def _types(one: Json, other: Json) -> Json:
    ones, others = (value if isinstance(value, list) else [value] for value in (one, other))
    both = [name for name in ones if name in others or (name == "integer" and "number" in others)]
    both += [name for name in others if name == "integer" and "number" in ones and name not in both]
    return both


def _union(one: list[Json], other: list[Json]) -> list[Json]:
    return [*one, *(value for value in other if value not in one)]


def _common(one: list[Json], other: list[Json]) -> list[Json]:
    return [value for value in one if value in other]


def _multiples(one: Json, other: Json) -> Json:
    return math.lcm(one, other) if isinstance(one, int) and isinstance(other, int) else other


def _larger(one: Json, other: Json) -> Json:
    return max(one, other)


def _smaller(one: Json, other: Json) -> Json:
    return min(one, other)


_JOINED: dict[str, Callable[[Json, Json], Json]] = {
    "type": _types,
    "enum": _common,
    "required": _union,
    "allOf": lambda one, other: [*one, *other],
    "multipleOf": _multiples,
    "uniqueItems": lambda one, other: one or other,
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"), _each),
    **dict.fromkeys(("items", "additionalProperties", "contains", "propertyNames"), merged),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _larger),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _smaller),
}
