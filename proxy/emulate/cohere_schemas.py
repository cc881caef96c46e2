"""Which tool and output schemas Cohere takes (cohere-chat §2, §4, 2026-11)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from proxy.emulate.cohere_rules import invalid
from proxy.emulate.metaschema import is_schema

Json = Any

MOST_STRICT_FIELDS = 200
UNSUPPORTED = (
    "allOf", "oneOf", "not", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
    "minLength", "maxLength", "uniqueItems",
)  # fmt: skip
FORMATS = ("date-time", "uuid", "date", "time")

_ANCHORS = re.compile(r"\^|\$|\(\?=|\(\?!")


def check_parameters(schema: Json, name: str) -> None:
    """The rules of every tool."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise invalid(f"tool '{name}': schema must be an object")
    if not is_schema(schema):
        raise invalid(f"tool '{name}': schema is not a valid JSON schema")
    for node in nodes(schema):
        for key, inner in members(node).items():
            if isinstance(inner, dict) and not inner.keys() & {"type", "$ref"}:
                raise invalid(f"tool '{name}': property {key} must have a type")
        for key in node.get("required", ()):
            if key not in members(node):
                raise invalid(f"tool '{name}': required property {key} is not defined")


def check_strict_tools(schemas: list[Json]) -> None:
    """What `strict_tools` asks of all tools together."""
    for schema in schemas:
        if not (schema or {}).get("required"):
            raise invalid("strict_tools: every tool must have at least one required parameter")
        _check_supported(schema, "strict_tools")
    if sum(len(members(node)) for schema in schemas for node in nodes(schema)) > MOST_STRICT_FIELDS:
        raise invalid(f"strict_tools: at most {MOST_STRICT_FIELDS} fields are supported over all tools")


def check_output(schema: Json) -> None:
    """The schema of a structured answer."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise invalid("response_format: schema must be an object")
    if not is_schema(schema):
        raise invalid("response_format: schema is not a valid JSON schema")
    for node in nodes(schema):
        if node.get("type") == "object" and not node.get("required"):
            raise invalid("response_format: every object must have at least one required property")
    _check_supported(schema, "response_format")


def _check_supported(schema: Json, where: str) -> None:
    for node in nodes(schema):
        for keyword in UNSUPPORTED:
            if keyword in node:
                raise invalid(f"{where}: '{keyword}' is not supported")
        if "format" in node and node["format"] not in FORMATS:
            raise invalid(f"{where}: format '{node['format']}' is not supported")
        if _ANCHORS.search(str(node.get("pattern", ""))):
            raise invalid(f"{where}: the regex uses ^, $, ?= or ?!, which are not supported")


def members(node: Json) -> dict[str, Json]:
    found = node.get("properties")
    return found if isinstance(found, dict) else {}


def nodes(schema: Json) -> Iterator[Json]:
    """Every schema inside a schema, itself first."""
    if not isinstance(schema, dict):
        return
    yield schema
    inner = [*members(schema).values(), schema.get("items"), schema.get("additionalProperties")]
    inner += [node for key in ("$defs", "definitions") for node in (schema.get(key) or {}).values()]
    inner += [node for key in ("anyOf", "oneOf", "allOf", "prefixItems") for node in schema.get(key) or ()]
    for node in inner:
        yield from nodes(node)
