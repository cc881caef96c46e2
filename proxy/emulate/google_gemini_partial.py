"""Arguments in pieces, as Vertex streams them when asked to: paths and values (google-gemini §5, 2026-11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = Any

PIECE = 12


def partial_calls(name: str, arguments: Json) -> Iterator[Json]:
    """The `functionCall` members of a call's chunks: its name, its values, its end."""
    yield {"name": name, "willContinue": True}
    for entry in _entries(arguments, "$"):
        yield {"partialArgs": [entry], "willContinue": True}
    yield {}


def _entries(value: Json, path: str) -> Iterator[Json]:
    match value:
        case dict() if value:
            for key, member in value.items():
                yield from _entries(member, f"{path}.{key}" if key.isidentifier() else f"{path}['{key}']")
        case list() if value:
            for index, item in enumerate(value):
                yield from _entries(item, f"{path}[{index}]")
        case dict():
            if path != "$":
                yield {"jsonPath": path}
        case list():
            yield {"jsonPath": f"{path}[]"}
        case str():
            pieces = [value[at : at + PIECE] for at in range(0, len(value), PIECE)] or [""]
            for index, piece in enumerate(pieces):
                more = {"willContinue": True} if index < len(pieces) - 1 else {}
                yield {"jsonPath": path, "stringValue": piece, **more}
        case bool():
            yield {"jsonPath": path, "boolValue": value}
        case None:
            yield {"jsonPath": path, "nullValue": "NULL_VALUE"}
        case _:
            yield {"jsonPath": path, "numberValue": value}
