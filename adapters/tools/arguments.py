"""Argument texts for wires that carry objects."""

from __future__ import annotations

from typing import Any

from adapters import json

OBJECT_DIALECTS = frozenset({"messages", "gemini"})
"""Dialects whose calls hold objects: a whole answer cannot carry another text."""


def as_object(text: str) -> dict[str, Any]:
    """The arguments as an object: "" is {}, a text that is no JSON object is told as `{"_raw": text}`."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {"_raw": text}
    return value if isinstance(value, dict) else {"_raw": text}


def is_object(text: str) -> bool:
    """Whether the text is empty or a JSON object."""
    if not text.strip():
        return True
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
