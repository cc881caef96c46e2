"""What a projection gives back, and the notes that it takes on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from adapters.tools.schema.inverse import Inverse

Level = Literal["off", "lossless", "rewrite"]
"""off: never strict. lossless: where objects need only be closed. rewrite: optional properties become nullable."""

_MAX_NOTES = 100
_MAX_LENGTH = 400


@dataclass(slots=True, frozen=True)
class Projection:
    """A JSON Schema as one wire takes it.

    schema: shares unchanged parts with the schema it was made from, so nobody may write to it.
    strict: True only where the schema passed a strict projection, False where it did not or must not, None where the
    wire has no such thing.
    notes: what is weaker than the client's schema and why strict failed, each with its path:
    "properties.q: minLength is told in the description". Empty: whatever the wire accepts, the client's schema accepts.
    inverse: None where arguments are the same on both sides.
    """

    schema: dict[str, Any]
    strict: bool | None = None
    notes: tuple[str, ...] = ()
    inverse: Inverse | None = None


def bounded(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes without repetitions, each one short line, and not more than a hundred of them.

    They hold the client's own names, of any length and with any characters.
    """
    unique = tuple(dict.fromkeys(map(_line, notes)))
    if len(unique) <= _MAX_NOTES:
        return unique
    return (*unique[:_MAX_NOTES], f"root: {len(unique) - _MAX_NOTES} more notes of this kind")


def _line(note: str) -> str:
    if len(note) > _MAX_LENGTH:
        note = f"{note[:200]} … {note[-190:]}"
    return note if note.isprintable() else "".join(sign if sign.isprintable() else " " for sign in note)
