"""Reasoning in the Chat format: `reasoning_content` is its text, `reasoning_details` its opaque, signed parts.

An entry of `reasoning_details` is OpenRouter's: `reasoning.text`, `reasoning.summary` or `reasoning.encrypted`. Ours
has more: `format` is the name of the API whose native block it is, `origin` who made it, `position` the number of parts
of the message before it that are no reasoning, `block` numbers the blocks (a block may take several entries) and
`native` is what else the block had. An entry in another format came through an upstream that speaks Chat itself: it is
echoed as it came. Clients of such an upstream send entries without our additions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.compat import APIS
from adapters.formats.shared.chat_parts import native, readable
from adapters.formats.shared.fields import Fields
from adapters.model import NOTHING, Json, Reasoning

API = "openai-chat"
_OURS = ("origin", "position", "block")
_GAP = "\n\n"


@dataclass(slots=True, frozen=True)
class Place:
    """Where a block stands in its message."""

    position: int
    block: int


def entries(reasoning: Reasoning, place: Place) -> list[dict[str, Json]]:
    """The entries of a block, without their `index`; none where the block is nobody's native one, only text."""
    ours = {"origin": reasoning.origin, "position": place.position, "block": place.block}
    raw = reasoning.extras.get(API, NOTHING).get("reasoning_details")
    if raw:
        return [{**_without_index(entry), **ours} for entry in raw]
    if reasoning.api is None:
        return []
    made: list[dict[str, Json]] = []
    if reasoning.signature is not None or (reasoning.text and reasoning.sections is None):
        made.append({"type": "reasoning.text", "text": reasoning.text})
    elif reasoning.sections is not None:
        made += [{"type": "reasoning.summary", "summary": text} for text in reasoning.sections]
    if reasoning.data is not None or not made:
        made.append({"type": "reasoning.encrypted", "data": reasoning.data or ""})
    common: dict[str, Json] = {"id": reasoning.id, "format": reasoning.api, **ours}
    for entry in made:
        entry.update(common)
    if reasoning.signature is not None:
        made[0]["signature"] = reasoning.signature
    if native := reasoning.extras.get(reasoning.api):
        made[-1]["native"] = dict(native)
    return made


def _without_index(entry: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in entry.items() if key != "index"}


# --- from clients ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Block:
    api: str
    origin: str | None
    position: int
    number: int | None
    entries: list[dict[str, Json]]


def decode(values: list[Json], path: str) -> list[tuple[int, Reasoning]]:
    """The blocks with their positions. Raises Rejected for entries that are none."""
    blocks: list[_Block] = []
    for index, value in enumerate(values):
        fields = Fields.of(value, f"{path}[{index}]")
        word = fields.take("format")
        api = word if word in APIS and word != API else API
        origin, number = fields.text("origin"), fields.integer("block")
        position = fields.integer("position", 0) or 0
        last = blocks[-1] if blocks else None
        if last is None or (last.api, last.origin, last.position, last.number) != (api, origin, position, number) or (
            number is None and api != API
        ):
            last = _Block(api, origin, position, number, [])
            blocks.append(last)
        last.entries.append(value)
    return [(block.position, _reasoning(block, path)) for block in blocks]


def _reasoning(block: _Block, path: str) -> Reasoning:
    if block.api == API:
        kept = [{key: value for key, value in entry.items() if key not in _OURS} for entry in block.entries]
        return native(kept, API, "".join(readable(entry) for entry in kept), block.origin)
    text = block_id = signature = data = None
    sections: list[str] = []
    extras: dict[str, Json] = {}
    for entry in block.entries:
        fields = Fields.of(entry, path)
        match fields.take("type"):
            case "reasoning.summary":
                sections.append(fields.text("summary") or "")
            case "reasoning.encrypted":
                data = fields.text("data") or None
            case _:
                text = fields.text("text") or ""
        block_id, signature = fields.text("id") or block_id, fields.text("signature") or signature
        extras.update(fields.object("native") or {})
    return Reasoning(
        _GAP.join(sections) if sections else text or "",
        block.api,
        block.origin,
        block_id,
        signature,
        data,
        tuple(sections) or None,
        {block.api: extras} if extras else NOTHING,
    )
