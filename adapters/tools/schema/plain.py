"""Projections that only make sure of an object at the root."""

from __future__ import annotations

from typing import Any

from adapters.tools.schema.model import Projection


def _object(schema: object) -> dict[str, Any]:
    if not isinstance(schema, dict) or not schema:
        return {"type": "object", "properties": {}}
    return schema if schema.get("type") == "object" else {**schema, "type": "object"}


def untouched(schema: object) -> Projection:
    """The client's schema as it is; an empty object schema where there is none."""
    return Projection(_object(schema))


def gemini_json_schema(schema: object) -> Projection:
    return Projection(_object(schema))


def gemini_parameters(schema: object, vertex: bool = False) -> Projection | None:
    root = _object(schema)
    return Projection(root) if root.get("properties") else None


def mistral(schema: object) -> Projection:
    return Projection(_object(schema))


def ollama(schema: object) -> Projection:
    return Projection(_object(schema))


def cohere(schema: object) -> Projection:
    return Projection(_object(schema))


def cohere_strict(schema: object) -> Projection:
    return Projection(_object(schema), strict=False)


def generic(schema: object, unsupported: frozenset[str]) -> Projection:
    return Projection(_object(schema))
