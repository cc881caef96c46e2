"""Projections for APIs that check little: Mistral, Ollama, Cohere, and hosts of OpenAI's chat API.

Sources: mistral-chat, ollama-chat and cohere-chat wire notes 4, openai-chat 10 (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.tools.schema.canon import canonical
from adapters.tools.schema.inverse import Edit, Inverse, located
from adapters.tools.schema.model import Projection, bounded
from adapters.tools.schema.root import object_root, used_definitions
from adapters.tools.schema.steps import (
    const_to_enum,
    infer_type,
    known_required,
    merge_all_of,
    one_of_to_any_of,
    structure,
)
from adapters.tools.schema.unsupported import additional, cut
from adapters.tools.schema.walk import Action, Rule, Target, Work
from adapters.tools.schema.words import IN_PLACE, TYPES, Node, Path, Schema, types_of


def untouched(schema: object) -> Projection:
    """The client's schema as it is; an object without properties where there is none."""
    if isinstance(schema, dict):
        return Projection(schema)
    return Projection({"type": "object", "properties": {}}, None, tuple(canonical(schema).notes))


# --- Mistral -----------------------------------------------------------------------------------------------------

MISTRAL: Mapping[str, Rule] = dict.fromkeys(("$schema", "$id"), Action.DROP)
"""keyword -> what happens to it; the others stay."""

_MISTRAL = Target(MISTRAL)


def mistral(schema: object) -> Projection:
    return _projected(schema, _MISTRAL, flat=False)


# --- Ollama ------------------------------------------------------------------------------------------------------

OLLAMA: Mapping[str, Rule] = {
    **dict.fromkeys(("type", "items", "required", "properties", "anyOf", "description", "enum"), Action.KEEP),
    **dict.fromkeys(
        (
            "format", "pattern", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
            "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "not",
            "if", "then", "else", "contains", "minContains", "maxContains", "prefixItems", "patternProperties",
            "propertyNames", "dependentRequired", "dependentSchemas", "contentEncoding", "contentMediaType",
        ),
        Action.TELL,
    ),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties", "contentSchema", "$dynamicRef"), Action.LEAVE),
    "additionalProperties": additional,
}  # fmt: skip
"""keyword -> what happens to it; the server would lose the others without a word."""

_OLLAMA = Target(
    OLLAMA,
    Action.DROP,
    before=(merge_all_of, one_of_to_any_of, infer_type, const_to_enum),
    booleans=False,
    cut=cut,
)


def ollama(schema: object) -> Projection:
    return _projected(schema, _OLLAMA)


# --- Cohere ------------------------------------------------------------------------------------------------------



def _pattern(value: Any, _node: Node) -> Action:
    return Action.TELL if any(sign in value for sign in ("^", "$", "?=", "?!")) else Action.KEEP


def _format(value: Any, _node: Node) -> Action:
    return Action.KEEP if value in ("date-time", "uuid", "date", "time") else Action.TELL


COHERE_STRICT: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "allOf", "oneOf", "not", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
            "minItems", "maxItems", "minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "if",
            "then", "else", "contains", "minContains", "maxContains", "prefixItems", "patternProperties",
            "propertyNames", "dependentRequired", "dependentSchemas",
        ),
        Action.TELL,
    ),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), Action.LEAVE),
    "pattern": _pattern,
    "format": _format,
}  # fmt: skip
"""keyword -> what happens to it under strict_tools and in response formats; the others stay."""


def _kinds(schema: Schema, work: Work, depth: int) -> tuple[str, ...]:
    """The types that the schema can be seen to allow; empty if it allows any."""
    if isinstance(schema, bool) or depth > 20:
        return ()
    if "type" in schema:
        return types_of(schema)
    if "$ref" in schema:
        return _kinds(work.definition(schema["$ref"]), work, depth + 1)
    for part in schema.get("allOf", ()):
        if kinds := _kinds(part, work, depth + 1):
            return kinds
    found: list[str] = []
    for branch in schema.get("anyOf") or schema.get("oneOf") or ():
        kinds = _kinds(branch, work, depth + 1)
        if not kinds:
            return ()
        found += kinds
    return tuple(dict.fromkeys(found))


def _properties_typed(node: Node, work: Work, path: Path) -> Node:
    """The API asks for a `type` in each property."""
    properties = node.get("properties")
    if not properties or all("type" in schema for schema in properties.values()):
        return node
    typed = dict(properties)
    shared = not IN_PLACE.isdisjoint(node) or not IN_PLACE.isdisjoint(path[-2:])
    for name, schema in properties.items():
        if "type" in schema:
            continue
        kinds = _kinds(schema, work, 0)
        if not kinds and (shared or structure(schema)):
            # Another schema may say more of the same value.
            kinds = tuple(kind for kind in TYPES if kind != "integer")
            if "anyOf" not in schema:
                work.fail((*path, "properties", name), "it requires no property")
        if kinds:
            typed[name] = {"type": kinds[0] if len(kinds) == 1 else list(kinds), **schema}
            continue
        typed[name] = {"type": "string", **schema}
        work.note((*path, "properties", name), "any value is allowed, what is no string goes as JSON text")
        work.edit(typed[name], Edit(strings=True))
    return {**node, "properties": typed}


def _each_required(node: Node, work: Work, path: Path) -> Node:
    if "object" in types_of(node) and "anyOf" not in node and not node.get("required"):
        work.fail(path, "it requires no property")
    return node


_COHERE = Target({}, before=(infer_type,), after=(known_required, _properties_typed), booleans=False)
_COHERE_STRICT = Target(
    COHERE_STRICT,
    before=(infer_type, merge_all_of, one_of_to_any_of),
    after=(known_required, _properties_typed, _each_required),
    booleans=False,
)


def cohere(schema: object) -> Projection:
    return _projected(schema, _COHERE)


def cohere_strict(schema: object) -> Projection:
    """For strict_tools and response formats. Strict where each object has a required property."""
    return _projected(schema, _COHERE_STRICT, strict=True)


# --- all ---------------------------------------------------------------------------------------------------------


def _projected(schema: object, target: Target, flat: bool = True, strict: bool = False) -> Projection:
    read = canonical(schema)
    root = object_root(read, flat)
    work = Work(root, target, dict.fromkeys(read.notes))
    out = used_definitions(work.run())
    edits = located(out, work.edits) if work.edits else {}
    inverse = Inverse(out, edits=edits) if edits else None
    if not strict:
        return Projection(out, None, bounded(work.notes), inverse)
    return Projection(out, not work.failures, bounded([*work.notes, *work.failures]), inverse)
