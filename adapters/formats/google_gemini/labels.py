"""`labels`: what a client says of its user and purpose, on Vertex only."""

from __future__ import annotations

import re

from adapters import json
from adapters.formats.google_gemini.target import API, Target
from adapters.model import NOTHING, Json, Request

LONGEST = 63


def labels(request: Request, to: Target, warnings: dict[str, None]) -> dict[str, str] | None:
    """Metadata and user as labels; named as left out where there is no such thing. None: the client's own labels go."""
    given: dict[str, Json] = dict(request.metadata or {})
    if request.user is not None:
        given["user"] = request.user
    if not given:
        return None
    if not to.vertex:
        warnings[f"{', '.join(_names(request))}: left out, the Gemini API has no such field"] = None
        return None
    own = request.extras.get(API, NOTHING).get("labels")
    made = {_word(key, first=True): _word(value if isinstance(value, str) else json.text(value))
            for key, value in given.items()}
    return {**made, **own} if isinstance(own, dict) else made


def _names(request: Request) -> list[str]:
    return [name for name, value in (("metadata", request.metadata), ("user", request.user)) if value]


def _word(text: str, *, first: bool = False) -> str:
    """Lower-case letters, digits, `_` and `-`; a key begins with a letter."""
    word = re.sub("[^a-z0-9_-]", "_", text.lower())
    return ("l_" + word if first and not re.match("[a-z]", word) else word)[:LONGEST]
