"""Anthropic's projections, and Bedrock Converse's, which follow the same model family.

Source: anthropic-messages wire notes 4 and 7b, bedrock-converse 4 and 7 (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.tools.schema.canon import Canonical, canonical
from adapters.tools.schema.keys import invalid_names, renamed_keys
from adapters.tools.schema.model import Projection, bounded
from adapters.tools.schema.root import object_root, used_definitions
from adapters.tools.schema.steps import combined, infer_type
from adapters.tools.schema.walk import Action, Rule, Target, Work
from adapters.tools.schema.words import (
    LISTED,
    MAX_DEPTH,
    NAMED,
    NULLABLE_KEYWORDS,
    SINGLE,
    Node,
    Path,
    Schema,
    references,
    schemas_in,
    types_of,
    values_of,
)

# --- tools without strict -----------------------------------------------------------------------------------------

_UNIONS = ("anyOf", "oneOf", "allOf")
_SIMPLE_REF = re.compile(r"#(/\$defs/[^/%]+)?")


def anthropic(schema: object) -> Projection:
    """An object at the root without a union, property names as the API takes them; the rest is the client's own."""
    root, notes = _object(schema)
    wire = invalid_names(root)
    if not wire:
        return Projection(root, None, bounded(notes))
    if not _simple_references(root):
        read = canonical(root, inline=False)
        root = object_root(read)
        notes += read.notes
        wire = invalid_names(root)
    renamed, inverse = renamed_keys(root, wire)
    return Projection(renamed, None, bounded(notes), inverse)


def bedrock(schema: object) -> Projection:
    """As Anthropic's: Claude's rules are the narrowest of the models behind Converse."""
    return anthropic(schema)


def _object(schema: object) -> tuple[Node, list[str]]:
    if isinstance(schema, dict) and schema:
        root = _without_nulls(schema, 0)
        kind = root.get("type")
        if kind == "object" and not any(key in root for key in ("$ref", *_UNIONS)):
            return root, []
        if kind is None and "$ref" not in root and not any(key in root for key in _UNIONS):
            return {"type": "object", **root}, []
    read = canonical(schema, inline=False)
    root = object_root(read)
    return used_definitions(root), read.notes


def _without_nulls(node: Node, depth: int) -> Node:
    """Without keywords that are null, such as `properties: null`, which the API refuses."""
    if depth > MAX_DEPTH:
        return node
    out: Node = {}
    for key, value in node.items():
        if value is None and key in NULLABLE_KEYWORDS:
            continue
        if (key in NAMED or key == "definitions") and isinstance(value, dict):
            read: Any = {name: _child(child, depth) for name, child in value.items()}
            out[key] = value if all(read[name] is value[name] for name in value) else read
        elif key in LISTED and isinstance(value, list):
            read = [_child(child, depth) for child in value]
            out[key] = value if all(new is old for new, old in zip(read, value, strict=True)) else read
        else:
            out[key] = _child(value, depth) if key in SINGLE else value
    return node if len(out) == len(node) and all(out[key] is node[key] for key in out) else out


def _child(value: Any, depth: int) -> Any:
    return _without_nulls(value, depth + 1) if isinstance(value, dict) else value


def _simple_references(root: Node) -> bool:
    """Whether every reference leads to the root or to one of its `$defs`."""
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            ref = node.get("$ref")
            if isinstance(ref, str) and _SIMPLE_REF.fullmatch(ref) is None:
                return False
            todo.extend(child for _, _, child in schemas_in(node))
    return True


# --- strict tools and structured output ---------------------------------------------------------------------------

FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)  # fmt: skip
MAX_OPTIONAL = 24
"""Optional properties over all strict schemas of a request."""
MAX_UNIONS = 16
"""Parameters with a union type over all strict schemas of a request."""

_BACKREFERENCE = re.compile(r"\\[1-9k]")
_LOOKAROUND = re.compile(r"\(\?<?[=!]")


def _format(value: Any, _node: Node) -> Action:
    return Action.KEEP if value in FORMATS else Action.TELL


def _min_items(value: Any, _node: Node) -> Action:
    return Action.KEEP if value <= 1 else Action.TELL


def _additional(value: Any, _node: Node) -> Action:
    return Action.KEEP if value is False else Action.FAIL


def _bedrock_pattern(value: Any, _node: Node) -> Action:
    return Action.TELL if _LOOKAROUND.search(value) or _BACKREFERENCE.search(value) else Action.KEEP


ANTHROPIC_STRICT: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "type", "properties", "required", "items", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "title",
            "description", "default",
        ),
        Action.KEEP,
    ),
    **dict.fromkeys(
        (
            "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
            "pattern", "maxItems", "uniqueItems", "minProperties", "maxProperties", "not", "contains", "minContains",
            "maxContains", "if", "then", "else", "dependentRequired", "dependentSchemas", "propertyNames",
            "contentEncoding", "contentMediaType", "contentSchema",
        ),
        Action.TELL,
    ),
    **dict.fromkeys(
        ("patternProperties", "prefixItems", "unevaluatedItems", "oneOf", "$dynamicRef", "$recursiveRef"), Action.FAIL
    ),
    "unevaluatedProperties": lambda value, _node: Action.DROP if value is False else Action.FAIL,
    "format": _format,
    "minItems": _min_items,
    "additionalProperties": _additional,
}  # fmt: skip
"""keyword -> what happens to it in Anthropic's strict schemas; others are dropped."""

BEDROCK_STRICT: Mapping[str, Rule] = {
    **ANTHROPIC_STRICT,
    **dict.fromkeys(("minLength", "maxLength"), Action.KEEP),
    "pattern": _bedrock_pattern,
}
"""The same for Converse, which takes string lengths and plain patterns."""


def anthropic_strict(schema: object) -> Projection:
    """For strict tools and `output_config.format`: closed objects without recursion. Else as `anthropic`."""
    return _strict(schema, ANTHROPIC_STRICT)


def bedrock_strict(schema: object) -> Projection:
    """For strict tools and `outputConfig.textFormat` of Converse. Else as `bedrock`."""
    return _strict(schema, BEDROCK_STRICT)


def strict_load(schema: Node) -> tuple[int, int]:
    """Optional properties and union types of a strict schema, as Anthropic counts them per request.

    Definitions behind references are not counted.
    """
    optional = unions = 0
    todo: list[Any] = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            properties = node.get("properties", {})
            optional += len(properties.keys() - set(node.get("required", ())))
            unions += "anyOf" in node or len(types_of(node)) > 1
            todo.extend(child for key, _, child in schemas_in(node) if key != "$defs")
    return optional, unions


def _strict(schema: object, rules: Mapping[str, Rule]) -> Projection:
    read = canonical(schema, inline=False)
    root = used_definitions(object_root(read))
    target = Target(rules, Action.DROP, (infer_type, combined, infer_type), (_closed,))
    work = Work(root, target, dict.fromkeys(read.notes), read.recursive)
    out = used_definitions(work.run())
    if "#" in references(out) or any(_recursive(schema, read) for schema in out.get("$defs", {}).values()):
        work.fail((), "it is recursive")
    if read.no_object:
        work.fail((), "the root is no object")
    optional, unions = strict_load(out)
    if optional > MAX_OPTIONAL:
        work.fail((), f"it has {optional} optional properties, more than {MAX_OPTIONAL}")
    if unions > MAX_UNIONS:
        work.fail((), f"it has {unions} union types, more than {MAX_UNIONS}")
    if work.failures:
        plain = anthropic(schema)
        return replace(plain, strict=False, notes=bounded([*plain.notes, *work.failures]))
    if wire := invalid_names(out):
        renamed, inverse = renamed_keys(out, wire)
        return Projection(renamed, True, bounded(work.notes), inverse)
    return Projection(out, True, bounded(work.notes))


def _recursive(definition: Schema, read: Canonical) -> bool:
    return isinstance(definition, dict) and not read.recursive.isdisjoint(references(definition))


def _closed(node: Node, work: Work, path: Path) -> Node:
    """Every object closed; what takes any value or any property is a failure."""
    if "$ref" in node or "anyOf" in node or "allOf" in node:
        return node
    kinds = types_of(node)
    if not kinds and values_of(node) is None:
        work.fail(path, "it has no type")
    if any(isinstance(child, bool) for key, _, child in schemas_in(node) if key != "additionalProperties"):
        work.fail(path, "a part of it takes anything or nothing")
    if "object" not in kinds:
        return node
    if not node.get("properties") and "additionalProperties" not in node and path:
        work.fail(path, "it takes any property, none is declared")
    return node if "additionalProperties" in node else {**node, "additionalProperties": False}
