"""Whether something is a JSON Schema at all."""

from __future__ import annotations

from typing import Any

import jsonschema_rs

Json = Any


def is_schema(value: Json) -> bool:
    """Valid by draft 2020-12, whatever draft it names."""
    if not isinstance(value, dict):
        return isinstance(value, bool)
    plain = {name: member for name, member in value.items() if name != "$schema"}
    try:
        return jsonschema_rs.meta.is_valid({"$schema": "https://json-schema.org/draft/2020-12/schema", **plain})
    except ValueError:
        return False
