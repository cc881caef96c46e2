"""One spelling of a client's body: proto-JSON takes camelCase and snake_case, the Python SDK mixes them (2026-11)."""

from __future__ import annotations

import re

from adapters.errors import Rejected
from adapters.model import Json

DEEPEST = 200

_SNAKE = re.compile(r"(?<=[A-Za-z0-9])_([a-z0-9])")

_VALUES = frozenset({
    "args", "response", "parametersJsonSchema", "responseJsonSchema", "example", "default", "enum", "labels",
    "partMetadata", "headers", "metadata", "schema",
})  # fmt: skip
"""Fields whose value is the client's own data."""

_MAPS = frozenset({"properties", "defs"})
"""Fields whose keys are the client's own and whose values are messages."""


def camel(value: Json, depth: int = 0) -> Json:
    """The body with every proto field name in camelCase; what clients name themselves stays as it is."""
    if depth > DEEPEST:
        raise Rejected("the body is nested too deeply")
    match value:
        case dict():
            return {(name := _name(key)): _field(name, inner, depth + 1) for key, inner in value.items()}
        case list():
            return [camel(inner, depth + 1) for inner in value]
    return value


def _name(key: str) -> str:
    return _SNAKE.sub(lambda found: found[1].upper(), key) if "_" in key else key


def _field(name: str, value: Json, depth: int) -> Json:
    if name in _VALUES:
        return value
    if name in _MAPS and isinstance(value, dict):
        return {key: camel(inner, depth) for key, inner in value.items()}
    return camel(value, depth)
