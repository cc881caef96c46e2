"""JSON Schema's keywords: where schemas stand, which keywords only inform, what each must hold.

Draft 2020-12, plus what clients still send of older drafts and of OpenAPI. Only the positions named here hold schemas:
a property called `default` or `$ref`, or the value of an `enum`, is never read as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from typing import Any

from adapters import json

Node = dict[str, Any]
Schema = Node | bool
Path = tuple[str | int, ...]

NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
"""Keywords that hold schemas by name."""
LISTED = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
"""Keywords that hold a list of schemas."""
SINGLE = frozenset(
    {
        "items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames", "unevaluatedItems",
        "unevaluatedProperties", "contentSchema",
    }
)  # fmt: skip
"""Keywords that hold one schema."""
HOLDERS = NAMED | LISTED | SINGLE
IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"})
"""Keywords whose schemas judge the same value as their parent does."""
INVERTING = frozenset({"not", "if", "oneOf"})
"""Keywords that forbid more when a schema below them accepts more."""
COUPLED: Mapping[str, tuple[str, ...]] = {
    "prefixItems": ("items", "unevaluatedItems"),
    "items": ("unevaluatedItems",),
    "contains": ("minContains", "maxContains", "unevaluatedItems"),
    "patternProperties": ("additionalProperties", "unevaluatedProperties"),
    "additionalProperties": ("unevaluatedProperties",),
    "if": ("then", "else", "unevaluatedProperties", "unevaluatedItems"),
    **dict.fromkeys(("then", "else", "anyOf", "oneOf", "allOf"), ("unevaluatedProperties", "unevaluatedItems")),
    "dependentSchemas": ("unevaluatedProperties",),
}
"""keyword -> those that would forbid more, or nothing at all, without it."""
DEFINITIONS = frozenset({"$defs", "definitions"})

ANNOTATIONS = frozenset(
    {
        "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment",
        "externalDocs", "xml", "discriminator", "$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary",
    }
)  # fmt: skip
"""Keywords that forbid no value."""

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")

MAX_NODES = 5000
"""Schemas in a projection before references are no longer written out."""
MAX_DEPTH = 48
"""Levels of schemas that are read; deeper ones allow anything."""


_OF_TYPE: Mapping[str, str] = {
    **dict.fromkeys(("properties", "required", "additionalProperties", "minProperties", "maxProperties"), "object"),
    **dict.fromkeys(("patternProperties", "propertyNames", "dependentRequired", "unevaluatedProperties"), "object"),
    **dict.fromkeys(("dependentSchemas", "propertyOrdering"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"), "array"),
    **dict.fromkeys(("minContains", "maxContains", "unevaluatedItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"), "string"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
}
"""keyword -> the type that it speaks of: beside another type it says nothing."""


def speaks_of(key: str, types: Collection[str]) -> bool:
    """Whether a keyword can forbid values of these types."""
    kind = _OF_TYPE.get(key)
    return kind is None or kind in types or (kind == "number" and "integer" in types)


def text_of(path: Path) -> str:
    """The path as notes show it."""
    return ".".join(map(str, path)) if path else "root"


def json_text(value: Any, limit: int = 300) -> str:
    """The value as JSON for a description, cut off at `limit` characters."""
    try:
        text = json.text(value)
    except (ValueError, TypeError, RecursionError):
        return "…"
    return text if len(text) <= limit else text[:limit] + "…"


def type_of(value: Any) -> str:
    """The JSON type of a value; whole floats are integers, as JSON Schema has it."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def types_of(node: Node) -> tuple[str, ...]:
    """The types that the keyword `type` allows; empty where it does not restrict."""
    match node.get("type"):
        case str() as one:
            return (one,)
        case list() as many:
            return tuple(many)
        case _:
            return ()


def values_of(node: Node) -> list[Any] | None:
    """The values that `enum` or `const` allow; None where neither restricts."""
    if "const" in node:
        return [node["const"]]
    values = node.get("enum")
    return values if isinstance(values, list) else None


def definition(root: Node, ref: str) -> Schema:
    """What a canonical reference, `#` or `#/$defs/NAME`, stands for."""
    if ref == "#":
        return {key: value for key, value in root.items() if key != "$defs"}
    found: Schema = root.get("$defs", {}).get(definition_name(ref), {})
    return found


def references(root: Node) -> list[str]:
    """The references in a schema without those in its definitions."""
    found: list[str] = []
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if isinstance(ref := node.get("$ref"), str):
                found.append(ref)
            todo.extend(child for key, _, child in schemas_in(node) if key != "$defs")
    return found


def definition_name(ref: str) -> str:
    return ref.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")


def key_of(value: Any) -> Hashable:
    """A key that is equal for equal JSON values: 1 and 1.0, but not 1 and true."""
    try:
        return _key(value)
    except RecursionError:
        return ("deep", id(value))


def _key(value: Any) -> Hashable:
    match value:
        case dict():
            return frozenset((name, _key(item)) for name, item in value.items())
        case list():
            return ("list", *map(_key, value))
        case bool() | None:
            return (str(value),)
        case _:
            return value  # type: ignore[no-any-return]


def same(one: Any, other: Any) -> bool:
    """JSON equality: 1 equals 1.0 and differs from true."""
    return one is other or key_of(one) == key_of(other)


def schemas_in(node: Node) -> Iterator[tuple[str, str | int | None, Any]]:
    """Keyword, name or index, and what stands at each schema position below a node of any quality."""
    for key, value in node.items():
        if key in SINGLE:
            if isinstance(value, list):
                yield from ((key, index, item) for index, item in enumerate(value))
            else:
                yield key, None, value
        elif key in NAMED or key in ("definitions", "dependencies"):
            if isinstance(value, dict):
                yield from ((key, name, item) for name, item in value.items())
        elif key in LISTED and isinstance(value, list):
            yield from ((key, index, item) for index, item in enumerate(value))
        elif key == "additionalItems":
            yield key, None, value


# --- what a keyword must hold -------------------------------------------------------------------------------------

MISSING = object()
Check = Callable[[Any], Any]
"""The keyword's value in its canonical form, or MISSING where it is not valid."""


def _as_type(value: Any) -> Any:
    if isinstance(value, str):
        name = value if value in TYPES else value.lower()
        return name if name in TYPES else MISSING
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        return MISSING
    names = list(dict.fromkeys(item.lower() for item in value))
    if not all(name in TYPES for name in names):
        return MISSING
    if len(names) == 1:
        return names[0]
    return value if names == value else names


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str) else MISSING


def _as_flag(value: Any) -> Any:
    return value if isinstance(value, bool) else MISSING


def _as_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return MISSING
    return value if isinstance(value, int) or math.isfinite(value) else MISSING


def _as_positive(value: Any) -> Any:
    return value if _as_number(value) is not MISSING and value > 0 else MISSING


def _as_count(value: Any) -> Any:
    # Gemini's proto JSON writes int64 as text (2026-11).
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        return int(value)
    if isinstance(value, float) and value.is_integer() and value >= 0:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else MISSING


def _as_names(value: Any) -> Any:
    if not isinstance(value, list):
        return MISSING
    names = list(dict.fromkeys(item for item in value if isinstance(item, str)))
    return value if len(names) == len(value) else names


def _as_values(value: Any) -> Any:
    return value if isinstance(value, list) and value else MISSING


def _as_name_lists(value: Any) -> Any:
    if not isinstance(value, dict) or not all(isinstance(names, list) for names in value.values()):
        return MISSING
    lists = {name: _as_names(names) for name, names in value.items()}
    return value if all(lists[name] is value[name] for name in value) else lists


CHECKS: Mapping[str, Check] = {
    "type": _as_type,
    "enum": _as_values,
    "required": _as_names,
    "dependentRequired": _as_name_lists,
    **dict.fromkeys(("title", "description", "format", "pattern", "contentEncoding", "contentMediaType"), _as_text),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _as_number),
    "multipleOf": _as_positive,
    **dict.fromkeys(
        (
            "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains",
            "maxContains",
        ),
        _as_count,
    ),
    "uniqueItems": _as_flag,
}  # fmt: skip
RESTRICTING = (CHECKS.keys() | HOLDERS | {"const", "$ref", "$dynamicRef", "nullable"}) - ANNOTATIONS - {"$defs"}
"""Keywords that may forbid a value."""
NULLABLE_KEYWORDS = frozenset({*CHECKS, *HOLDERS, "$ref", "definitions", "additionalItems", "dependencies"})
"""Keywords for which null, as some serializers write it, means that they are absent."""
