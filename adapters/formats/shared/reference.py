"""A reasoning block of one API as one opaque text, for dialects that can carry a signature but not the block itself.

A Messages client gets it as the `signature` of a `thinking` block, a Gemini client as `thoughtSignature`: whoever sends
it back brings the exact native block with it. The text of the block travels beside the reference, not in it. The whole
is padded base64 of the standard alphabet; clients that re-encode it in the URL-safe one are understood.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace

from adapters import json
from adapters.model import NOTHING, Json, Reasoning

PREFIX = "tw1r"
"""Four characters, so that what follows stays aligned and the whole decodes as base64."""

_URL_SAFE = str.maketrans("-_", "+/")
_GAP = "\n\n"


def pack(reasoning: Reasoning) -> str:
    """The reference: everything of the block but its text. Same block, same reference."""
    fields: dict[str, Json] = {
        "api": reasoning.api,
        "origin": reasoning.origin,
        "id": reasoning.id,
        "signature": reasoning.signature,
        "data": reasoning.data,
        "sections": [len(text) for text in reasoning.sections] if reasoning.sections is not None else None,
        "extras": {api: dict(own) for api, own in reasoning.extras.items()} or None,
    }
    packed = json.dumps({key: value for key, value in fields.items() if value is not None})
    return PREFIX + b64encode(packed).decode("ascii")


def unpack(reference: str, text: str = "") -> Reasoning | None:
    """The block that `pack` made it from, with the text that came beside it; None where it is no reference of ours."""
    if not reference.startswith(PREFIX):
        return None
    body = reference[len(PREFIX):].translate(_URL_SAFE).rstrip("=")
    try:
        fields = json.loads(b64decode(body + "=" * (-len(body) % 4), validate=True))
    except ValueError:
        return None
    return _reasoning(fields, text) if isinstance(fields, dict) else None


def _reasoning(fields: Mapping[str, Json], text: str) -> Reasoning | None:
    words = [fields.get(key) for key in ("api", "origin", "id", "signature", "data")]
    extras = fields.get("extras", NOTHING)
    if not all(word is None or isinstance(word, str) for word in words) or not _is_extras(extras):
        return None
    api, origin, block_id, signature, data = words
    block = Reasoning(text, api, origin, block_id, signature, data, extras=extras)
    sections = _sections(text, fields.get("sections"))
    return block if sections is None else replace(block, sections=sections)


def _is_extras(extras: Json) -> bool:
    return isinstance(extras, Mapping) and all(isinstance(own, Mapping) for own in extras.values())


def _sections(text: str, lengths: Json) -> tuple[str, ...] | None:
    """The text cut where its sections met; one section where the client changed the text."""
    if not isinstance(lengths, list):
        return None
    cut: list[str] = []
    at = 0
    for length in lengths:
        if not isinstance(length, int) or length < 0:
            return None
        cut.append(text[at : at + length])
        at += length + len(_GAP)
    return tuple(cut) if _GAP.join(cut) == text else ((text,) if text else ())
