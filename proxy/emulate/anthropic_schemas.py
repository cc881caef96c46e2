"""Which tool and output schemas Anthropic takes: all tools', and the subset of `strict` and `output_config.format`.

anthropic-messages §4, §7b (2026-11). Beyond it, seen in the API's own errors: a schema must be valid 2020-12.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from proxy.emulate.anthropic_rules import Problem, mapping
from proxy.emulate.metaschema import is_schema

Json = Any

PROPERTY_KEY = r"^[a-zA-Z0-9_.-]{1,64}$"
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
UNSUPPORTED = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "maxItems", "uniqueItems", "minProperties", "maxProperties", "not", "contains", "oneOf", "patternProperties",
    "propertyNames", "if", "then", "else", "dependentRequired", "dependentSchemas",
)  # fmt: skip
MOST_STRICT_TOOLS, MOST_OPTIONALS, MOST_UNIONS = 20, 24, 16


def check_input_schema(schema: Json, path: str) -> None:
    """The rules of every tool."""
    mapping(schema, path)
    if "type" not in schema:
        raise Problem(f"{path}.type: Field required")
    if schema["type"] != "object":
        raise Problem(f"{path}.type: Input should be 'object'")
    if any(keyword in schema for keyword in ("oneOf", "anyOf", "allOf")):
        raise Problem(f"{path}: input_schema does not support oneOf, allOf, or anyOf at the top level")
    if "properties" in schema:
        mapping(schema["properties"], f"{path}.properties")
    for key in schema.get("properties", {}):
        if not re.fullmatch(PROPERTY_KEY, key):
            raise Problem(f"{path}.properties: Property keys should match pattern '{PROPERTY_KEY}'")
    if not is_schema(schema):
        text = (
            "JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12)."
        )
        raise Problem(f"{path}: {text}")


def check_strict(schema: Json, path: str) -> None:
    """The subset that constrains the output."""
    for node in _nodes(schema, definitions=True):
        kind = node.get("type", "object" if "properties" in node else "any")
        for keyword in UNSUPPORTED:
            if keyword in node:
                raise Problem(f"{path}: For '{kind}' type, property '{keyword}' is not supported")
        if _has(kind, "object") and node.get("additionalProperties") is not False:
            raise Problem(f"{path}: For 'object' type, 'additionalProperties' must be explicitly set to false")
        if node.get("minItems", 0) not in (0, 1):
            raise Problem(f"{path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported")
        if "format" in node and node["format"] not in FORMATS:
            raise Problem(f"{path}: For 'string' type, format '{node['format']}' is not supported")
    _check_references(schema, path)


def check_complexity(schemas: Iterable[Json], strict_tools: int) -> None:
    """Limits over all strict schemas of a request; what stands behind a `$ref` does not count."""
    if strict_tools > MOST_STRICT_TOOLS:
        text = f"Too many strict tools ({strict_tools}). The maximum number of strict tools supported is"
        raise Problem(f"{text} {MOST_STRICT_TOOLS}.")
    nodes = [node for schema in schemas for node in _nodes(schema, definitions=False)]
    optionals = sum(len(set(_members(node, "properties")) - set(node.get("required") or [])) for node in nodes)
    unions = sum("anyOf" in node or isinstance(node.get("type"), list) for node in nodes)
    if optionals > MOST_OPTIONALS or unions > MOST_UNIONS:
        text = f"{optionals} optional parameters (at most {MOST_OPTIONALS}), {unions} unions (at most {MOST_UNIONS})"
        raise Problem(f"The schema is too complex: {text}")


def _has(kind: Json, name: str) -> bool:
    return kind == name or (isinstance(kind, list) and name in kind)


def _members(node: Json, keyword: str) -> dict[str, Json]:
    found = node.get(keyword)
    return found if isinstance(found, dict) else {}


def _nodes(schema: Json, *, definitions: bool) -> Iterator[Json]:
    if not isinstance(schema, dict):
        return
    yield schema
    inner = list(_members(schema, "properties").values())
    inner += [*_members(schema, "$defs").values(), *_members(schema, "definitions").values()] if definitions else []
    for keyword in ("anyOf", "allOf", "prefixItems"):
        inner += schema[keyword] if isinstance(schema.get(keyword), list) else []
    inner.append(schema.get("items"))
    for part in inner:
        yield from _nodes(part, definitions=definitions)


def _check_references(schema: Json, path: str) -> None:
    """Every reference is local and leads nowhere back to itself."""

    def follow(node: Json, seen: tuple[str, ...]) -> None:
        for part in _nodes(node, definitions=False):
            if "$ref" not in part:
                continue
            reference = str(part["$ref"])
            if not reference.startswith("#"):
                raise Problem(f"{path}: External reference '{reference}' is not supported")
            if reference in (*seen, "#"):
                raise Problem(f"{path}: Circular reference detected in schema definitions: {reference}")
            follow(_target(schema, reference, path), (*seen, reference))

    follow(schema, ())


def _target(schema: Json, reference: str, path: str) -> Json:
    node: Json = schema
    for step in reference.split("/")[1:]:
        node = node.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    if node is None:
        raise Problem(f"{path}: Reference '{reference}' is not defined")
    return node
