"""Gemini's two schema fields: `parametersJsonSchema`, and `parameters` in its OpenAPI subset.

Source: google-gemini wire notes 4 (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.tools.schema.canon import Canonical, canonical
from adapters.tools.schema.inverse import Edit, Inverse, located
from adapters.tools.schema.model import Projection, bounded
from adapters.tools.schema.nullable import NUMBER_FORMATS
from adapters.tools.schema.openapi import MARK, as_text, before, finished, recursive
from adapters.tools.schema.root import object_root, used_definitions
from adapters.tools.schema.steps import (
    const_to_enum,
    constants_to_enum,
    infer_type,
    integer_bounds,
    known_required,
    merge_all_of,
)
from adapters.tools.schema.unsupported import narrowed
from adapters.tools.schema.walk import Action, Rule, Target, Work
from adapters.tools.schema.words import Node, types_of

_TOLD = (
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "not", "if", "then", "else",
    "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames", "contains", "minContains",
    "maxContains", "contentEncoding", "contentMediaType",
)  # fmt: skip
_GONE = (
    "$schema", "$id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary", "examples", "discriminator", "readOnly",
    "writeOnly", "deprecated", "externalDocs", "xml",
)  # fmt: skip


def _unevaluated(value: Any, node: Node) -> Action:
    return Action.DROP if value is False and node.get("additionalProperties") is False else Action.LEAVE


def _json_format(_value: Any, node: Node) -> Action:
    kinds = types_of(node)
    return Action.TELL if not kinds or "string" in kinds else Action.KEEP


JSON_SCHEMA: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "type", "description", "enum", "properties", "required", "items", "prefixItems", "anyOf", "oneOf", "$ref",
            "$defs", "additionalProperties", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength",
            "minProperties", "maxProperties", "pattern", "default", "propertyOrdering",
        ),
        Action.KEEP,
    ),
    **dict.fromkeys(_TOLD, Action.TELL),
    **dict.fromkeys((*_GONE, "title", "example"), Action.DROP),
    **dict.fromkeys(("unevaluatedItems", "contentSchema", "$dynamicRef"), Action.LEAVE),
    "unevaluatedProperties": _unevaluated,
    "format": _json_format,
}  # fmt: skip
"""keyword -> what happens to it in `parametersJsonSchema`; others, vendors' own, are dropped."""

_JSON_SCHEMA = Target(
    JSON_SCHEMA,
    Action.DROP,
    before=(merge_all_of, infer_type, constants_to_enum, const_to_enum, integer_bounds),
    after=(known_required,),
)


def gemini_json_schema(schema: object, unsupported: frozenset[str] = frozenset()) -> Projection:
    """For `parametersJsonSchema` and `responseJsonSchema`: JSON Schema with references, less what Gemini refuses.

    unsupported: further keywords that the host refuses (`schema.unsupported`).
    """
    read = canonical(schema, inline=False)
    target = narrowed(_JSON_SCHEMA, unsupported) if unsupported else _JSON_SCHEMA
    work = Work(used_definitions(object_root(read)), target, dict.fromkeys(read.notes), read.recursive)
    out = used_definitions(work.run())
    return Projection(out, None, bounded(work.notes))


# --- OpenAPI subset ----------------------------------------------------------------------------------------------


def _enum(_value: Any, node: Node) -> Action:
    return Action.KEEP if types_of(node) == ("string",) else Action.TELL


def _format(value: Any, node: Node) -> Action:
    allowed = {"enum", "date-time"} if types_of(node) == ("string",) else NUMBER_FORMATS
    return Action.KEEP if value in allowed else Action.TELL


def _rest(value: Any, node: Node) -> Action:
    # An object with properties is closed there: models fill in what is declared, nothing else.
    return Action.DROP if value is False else Action.LEAVE


def _mark(value: Any, _node: Node) -> Action:
    return Action.KEEP if isinstance(value, Edit) else Action.DROP


PARAMETERS: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "type", "title", "description", "nullable", "default", "items", "minItems", "maxItems", "properties",
            "required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf",
            "propertyOrdering", "minimum", "maximum",
        ),
        Action.KEEP,
    ),
    **dict.fromkeys((*_TOLD, "const"), Action.TELL),
    **dict.fromkeys(_GONE, Action.DROP),
    **dict.fromkeys(("unevaluatedItems", "contentSchema", "$dynamicRef"), Action.LEAVE),
    "unevaluatedProperties": _rest,
    "additionalProperties": _rest,
    "enum": _enum,
    "format": _format,
    MARK: _mark,
}  # fmt: skip
"""keyword -> what happens to it in `parameters`; others are dropped."""

_PARAMETERS = Target(PARAMETERS, Action.DROP, before(False), finished, booleans=False, cut=recursive)
_VERTEX = replace(_PARAMETERS, rules={**PARAMETERS, "additionalProperties": Action.KEEP}, before=before(True))

WHOLE = "json"
"""The only parameter of a tool that takes any properties: all of them as JSON text."""


def gemini_parameters(
    schema: object, vertex: bool = False, unsupported: frozenset[str] = frozenset()
) -> Projection | None:
    """For `parameters` and `responseSchema`; None for a tool without parameters, which must have neither field.

    vertex: Vertex AI takes `additionalProperties`. unsupported: further keywords that the host refuses.
    """
    read = canonical(schema)
    root = object_root(read)
    target = _VERTEX if vertex else _PARAMETERS
    work = Work(root, narrowed(target, unsupported) if unsupported else target, dict.fromkeys(read.notes))
    if not root["properties"] and not (vertex and root.get("additionalProperties")):
        return _whole(root, read) if _takes_any(root) else None
    out = work.run()
    if not out.get("properties") and not out.get("additionalProperties"):
        return None
    edits = located(out, work.edits) if work.edits else {}
    return Projection(out, None, bounded(work.notes), Inverse(out, edits=edits) if edits else None)


def _takes_any(root: Node) -> bool:
    return root.get("additionalProperties", False) is not False or "patternProperties" in root


def _whole(root: Node, read: Canonical) -> Projection:
    text = {**as_text(root, "object"), "type": "STRING"}
    del text[MARK]
    out = {"type": "OBJECT", "properties": {WHOLE: text}, "required": [WHOLE]}
    notes = [*read.notes, f"root: any property is allowed, all go as JSON text in the parameter {WHOLE}"]
    return Projection(out, None, bounded(notes), Inverse(out, edits={(): Edit(wrapped=WHOLE)}))
