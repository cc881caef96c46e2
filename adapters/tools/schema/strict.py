"""OpenAI's strict subset: closed objects with every property required, and few keywords.

Source: openai-responses wire notes 7.1 and 7.4 (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.tools.schema.inverse import Edit
from adapters.tools.schema.model import Level
from adapters.tools.schema.order import distinct_first_keys
from adapters.tools.schema.steps import combined, structure, without
from adapters.tools.schema.walk import Action, Rule, Target, Work
from adapters.tools.schema.words import Node, Path, Schema, json_text, schemas_in, speaks_of, types_of, values_of

FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
DEEPSEEK_FORMATS = frozenset({"email", "hostname", "ipv4", "ipv6", "uuid"})

_NOT_ECMA = re.compile(r"\(\?[=!]|\(\?<[=!]|\(\?P|\(\?#|\(\?>|\(\?\(|\(\?[a-zA-Z-]+[:)]|\\[AZzGhHRKXQE]|\[\[:")
"""Lookaround, and what other engines have and ECMA has not."""


def plain_pattern(value: Any, _node: Node) -> Action:
    return Action.TELL if _NOT_ECMA.search(value) else Action.KEEP


def _default(value: Any, _node: Node) -> Action:
    return Action.DROP if value is None else Action.TELL


def _unevaluated(value: Any, _node: Node) -> Action:
    return Action.DROP if value is False else Action.FAIL


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "type", "title", "description", "enum", "const", "properties", "required", "additionalProperties", "items",
            "anyOf", "$ref", "$defs", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
            "minItems", "maxItems",
        ),
        Action.KEEP,
    ),
    **dict.fromkeys(
        (
            "minLength", "maxLength", "uniqueItems", "contains", "minContains", "maxContains", "minProperties",
            "maxProperties", "contentEncoding", "contentMediaType",
        ),
        Action.TELL,
    ),
    **dict.fromkeys(
        (
            "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "patternProperties",
            "propertyNames", "unevaluatedItems", "prefixItems", "allOf", "oneOf", "contentSchema", "$dynamicRef",
            "$recursiveRef",
        ),
        Action.FAIL,
    ),
    "unevaluatedProperties": _unevaluated,
    "pattern": plain_pattern,
    "default": _default,
}  # fmt: skip
"""keyword -> what happens to it; others are dropped. `format` depends on the host."""


@dataclass(slots=True, frozen=True)
class Closing:
    """A host's own limits of the strict subset."""

    formats: frozenset[str] = FORMATS


def strict_target(closing: Closing, level: Level) -> Target:
    def formats(value: Any, _node: Node) -> Action:
        return Action.KEEP if value in closing.formats else Action.TELL

    def close(node: Node, work: Work, path: Path) -> Node:
        return _closed(node, work, path, level)

    return Target({**RULES, "format": formats}, Action.DROP, (_combined, _relevant), (close,), exact=True)


# --- before ------------------------------------------------------------------------------------------------------


def _combined(node: Node, work: Work, path: Path) -> Node:
    """Without allOf and oneOf, with nothing but annotations beside anyOf and $ref."""
    return _reference(combined(node, work, path), work, path)


def _reference(node: Node, work: Work, path: Path) -> Node:
    if "$ref" not in node or len(node) == 1 or path == ():
        return node
    if structure(without(node, "$ref")):
        work.fail(path, "a recursive $ref has keywords beside it")
        return node
    return {"anyOf": [{"$ref": node["$ref"]}], **without(node, "$ref")}


def _relevant(node: Node, work: Work, path: Path) -> Node:
    kinds = types_of(node)
    idle = [key for key in node if kinds and not speaks_of(key, kinds)]
    return without(node, *idle) if idle else node


# --- after -------------------------------------------------------------------------------------------------------


def _closed(node: Node, work: Work, path: Path, level: Level) -> Node:
    if "anyOf" in node:
        return _union(node, work, path)
    if "$ref" in node:
        return node
    kinds = types_of(node)
    if not kinds:
        work.fail(path, "it has no type")
    if "array" in kinds and not isinstance(node.get("items"), dict):
        work.fail(path, "the items have no type")
    return _object(node, work, path, level) if "object" in kinds else node


def _union(node: Node, work: Work, path: Path) -> Node:
    branches = node["anyOf"]
    if any(isinstance(branch, bool) for branch in branches):
        work.fail(path, "a branch of anyOf has no type")
        return node
    ordered = distinct_first_keys(branches, work)
    if ordered is None:
        work.fail(path, "branches of anyOf begin with the same property")
        return node
    return node if ordered is branches else {**node, "anyOf": ordered}


def _object(node: Node, work: Work, path: Path, level: Level) -> Node:
    properties = node.get("properties", {})
    rest = node.get("additionalProperties")
    if rest is not None and rest is not False:
        work.fail(path, "it takes any property")
    elif not properties and rest is None and path:
        work.fail(path, "it takes any property, none is declared")
    for name, schema in properties.items():
        if isinstance(schema, bool):
            work.fail((*path, "properties", name), "it has no type")
    required = _known(node.get("required", []), properties, rest is False, work, path)
    optional = [name for name in properties if name not in set(required)]
    nulls: set[str] = set()
    if optional and level == "rewrite":
        properties = dict(properties)
        for name in optional:
            nullable = _nullable(properties[name], work)
            if nullable is not properties[name]:
                properties[name] = nullable
                nulls.add(name)
    else:
        for name in optional:
            work.fail((*path, "properties", name), "it is not required")
    parts = {"properties": properties, "required": [*required, *optional], "additionalProperties": False}
    if all(node.get(key) == value for key, value in parts.items()) and not nulls:
        return node
    out = {**node, **parts}
    if nulls:
        work.edit(out, Edit(nulls=frozenset(nulls)))
    return out


def _known(required: list[str], properties: Node, was_closed: bool, work: Work, path: Path) -> list[str]:
    known = [name for name in required if name in properties]
    for name in required:
        if name not in properties:
            if was_closed:
                work.note(path, f"required names {json_text(name)}, which is no property, and is left out")
            else:
                work.fail(path, f"required names {json_text(name)}, which is no property")
    return known


def _nullable(schema: Schema, work: Work) -> Schema:
    """The schema with null allowed; the same one if it is already, or never can be."""
    if isinstance(schema, bool) or accepts_null(schema, work):
        return schema
    null: Node = {"type": "null"}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], null]}
    kinds = types_of(schema)
    if not kinds or "object" in kinds:
        return {"anyOf": [schema, null]}
    out = {**schema, "type": [*kinds, "null"]} if "null" not in kinds else schema
    values = values_of(schema)
    if values is None:
        return out
    return {("enum" if key == "const" else key): value for key, value in out.items()} | {"enum": [*values, None]}


def accepts_null(schema: Schema, work: Work, depth: int = 0) -> bool:
    if isinstance(schema, bool) or depth > 20:
        return schema is True
    if "$ref" in schema:
        return accepts_null(work.definition(schema["$ref"]), work, depth + 1)
    if "anyOf" in schema:
        return any(accepts_null(branch, work, depth + 1) for branch in schema["anyOf"])
    values = values_of(schema)
    return "null" in types_of(schema) and (values is None or None in values)


# --- limits ------------------------------------------------------------------------------------------------------

_MAX_PROPERTIES = 5000
_MAX_NESTING = 10
_MAX_CHARACTERS = 120_000
_MAX_VALUES = 1000
_LONG_ENUM = 250
_MAX_ENUM_CHARACTERS = 15_000


def check_limits(root: Node, work: Work) -> None:
    properties = characters = values = 0
    todo: list[tuple[Any, Path, int]] = [(root, (), 1)]
    while todo:
        node, path, level = todo.pop()
        if not isinstance(node, dict):
            continue
        if level == _MAX_NESTING + 1:
            work.fail(path, f"it is nested deeper than {_MAX_NESTING} levels")
            continue
        found = values_of(node) or []
        length = sum(len(value) if isinstance(value, str) else len(json_text(value)) for value in found)
        if len(found) > _LONG_ENUM and length > _MAX_ENUM_CHARACTERS:
            work.fail(path, f"an enum of over {_LONG_ENUM} values has over {_MAX_ENUM_CHARACTERS} characters")
        values += len(found) if "enum" in node else 0
        characters += length
        for key, name, child in schemas_in(node):
            if key in ("properties", "$defs"):
                properties += key == "properties"
                characters += len(str(name))
            deeper = level + 1 if key in ("properties", "items") and _is_container(child) else level
            todo.append((child, (*path, key) if name is None else (*path, key, name), 1 if key == "$defs" else deeper))
    totals = (
        (properties, _MAX_PROPERTIES, "properties"),
        (characters, _MAX_CHARACTERS, "characters of names and values"),
        (values, _MAX_VALUES, "enum values"),
    )
    for count, limit, what in totals:
        if count > limit:
            work.fail((), f"it has {count} {what}, more than {limit}")


def _is_container(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    if "anyOf" in schema:
        return any(map(_is_container, schema["anyOf"]))
    return not {"object", "array"}.isdisjoint(types_of(schema))
