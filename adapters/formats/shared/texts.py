"""Parts as one text, for wires whose messages are strings."""

from __future__ import annotations

from collections.abc import Iterable

from adapters import json
from adapters.history import NO_RESULT
from adapters.model import Media, Part, Refusal, Text, ToolResult

_ERROR = "error: "


def joined(parts: Iterable[Part], gap: str = "\n") -> str:
    """The texts of these parts. A plain-text document is a text under its name."""
    found: list[str] = []
    for part in parts:
        match part:
            case Text(text=text) | Refusal(text=text):
                found.append(text)
            case Media(text=str() as text, name=name):
                found.append(f"{name}:\n{text}" if name else text)
    return json.clean(gap.join(found))


def told(result: ToolResult, gap: str = "\n") -> str:
    """The text of a result; that it is an error stands before it, for wires that have no field for that."""
    text = joined(result.content, gap)
    return f"{_ERROR}{text}" if result.is_error and text != NO_RESULT else text
