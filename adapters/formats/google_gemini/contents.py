"""Prepared messages -> `systemInstruction` and `contents`.

Roles are `user` and `model` only. The results of one turn stand alone in one `user` entry, in call order: an entry that
mixes them with text counts as written by the model (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters import json
from adapters.formats.google_gemini import media
from adapters.formats.google_gemini.signatures import BYPASS, decoded
from adapters.formats.google_gemini.target import API, Target
from adapters.history import leading_system
from adapters.model import (
    NOTHING,
    Json,
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    Text,
    ToolCall,
    ToolResult,
)
from adapters.tools.arguments import as_object

LARGEST_INTEGER = 2**53
"""`args` and `response` are protobuf Structs, whose numbers are doubles."""

DEEPEST = 50
"""Protobuf refuses deeper nesting than 100 messages; a value takes two."""


def contents(
    messages: Sequence[Message], to: Target, warnings: dict[str, None]
) -> tuple[dict[str, Json] | None, list[dict[str, Json]]]:
    """systemInstruction (None: there is none) and contents."""
    lead = leading_system(messages)
    system = [{"text": p.text} for m in messages[:lead] for p in m.parts if isinstance(p, Text | Refusal) and p.text]
    turn = max((i for i, m in enumerate(messages) if m.role == "user"), default=-1)
    entries: list[dict[str, Json]] = []
    for index, message in enumerate(messages[lead:], lead):
        if message.name is not None:
            warnings["name of a message: left out, google-gemini has no such field"] = None
        match message.role:
            case "tool":
                entries += _results(message, to, warnings)
            case "assistant":
                _add(entries, "model", _model_parts(message, to, index > turn, warnings))
            case _:
                _add(entries, "user", [made for p in message.parts for made in _plain(p, to, warnings)])
    if system and not to.model.system:
        _prepend(entries, system)
        return None, entries
    return ({"role": "user", "parts": system} if system else None), entries


def _add(entries: list[dict[str, Json]], role: str, parts: list[dict[str, Json]]) -> None:
    """An entry without parts is a 400."""
    if parts:
        entries.append({"role": role, "parts": parts})


def _prepend(entries: list[dict[str, Json]], system: list[dict[str, Json]]) -> None:
    """Gemma has no system instruction: it begins the first user turn."""
    if entries and entries[0]["role"] == "user":
        entries[0]["parts"][:0] = system
    else:
        entries.insert(0, {"role": "user", "parts": system})


def _plain(part: Part, to: Target, warnings: dict[str, None]) -> list[dict[str, Json]]:
    match part:
        case Text():
            return [{"text": part.text, **part.extras.get(API, NOTHING)}]
        case Refusal():
            return [{"text": part.text}]
        case Media():
            return [media.part(part, to, warnings)]
        case Opaque(api=api, data=data) if api == API:
            return [data]
        case Opaque(text=text) if text:
            return [{"text": text}]
    return []


# --- the model's turns -------------------------------------------------------------------------------------------


def _model_parts(message: Message, to: Target, current: bool, warnings: dict[str, None]) -> list[dict[str, Json]]:
    """`current`: no user message follows, so Gemini 3 checks that the first call is signed."""
    parts: list[dict[str, Json]] = []
    unsigned = current and to.newest
    for part in message.parts:
        match part:
            case Reasoning():
                parts.append(_signed({"text": part.text, "thought": True}, part.signature, to))
            case Text(signature=str()):
                own = part.extras.get(API, NOTHING)
                made = _signed({"text": part.text, **own}, part.signature, to)
                if part.text.strip() or "thoughtSignature" in made:
                    parts.append(made)
            case ToolCall():
                made = _signed(_call(part, to), part.signature, to)
                if unsigned and "thoughtSignature" not in made:
                    made["thoughtSignature"] = BYPASS
                    warnings[f"thought signature: a call of this turn has none of its own, {BYPASS} is sent"] = None
                unsigned = False
                parts.append(made)
            case _:
                parts += _plain(part, to, warnings)
    return parts


def _signed(made: dict[str, Json], signature: str | None, to: Target) -> dict[str, Json]:
    """What is no base64 is not sent; models that do not think know no signatures."""
    if signature is not None and to.model.thinking != "none" and decoded(signature) is not None:
        made["thoughtSignature"] = signature
    return made


def _call(call: ToolCall, to: Target) -> dict[str, Json]:
    own = call.extras.get(API, NOTHING)
    body: dict[str, Json] = {"id": call.id} if to.call_ids else {}
    return {"functionCall": {**body, "name": call.name, "args": as_object(call.arguments)}, **own}


# --- results -----------------------------------------------------------------------------------------------------


def _results(message: Message, to: Target, warnings: dict[str, None]) -> list[dict[str, Json]]:
    """One entry with all results; media that may not stand inside one follow in an entry of their own."""
    results: list[dict[str, Json]] = []
    after: list[dict[str, Json]] = []
    for part in message.parts:
        if isinstance(part, ToolResult):
            made, spilled = _result(part, to, warnings)
            results.append(made)
            if spilled:
                after += [{"text": f"Attached to the result of {part.name} (call {part.call_id}):"}, *spilled]
    entries: list[dict[str, Json]] = []
    _add(entries, "user", results)
    _add(entries, "user", after)
    return entries


def _result(
    result: ToolResult, to: Target, warnings: dict[str, None]
) -> tuple[dict[str, Json], list[dict[str, Json]]]:
    found = [part for part in result.content if isinstance(part, Media)]
    inside = [part for part in found if media.in_result(part, to)]
    spilled = [media.part(part, to, warnings) for part in found if part not in inside]
    body: dict[str, Json] = {"id": result.call_id} if to.call_ids else {}
    body |= {"name": result.name, "response": _response(result)}
    if inside:
        body["parts"] = [media.part(part, to, warnings) for part in inside]
    return {"functionResponse": body}, spilled


def _response(result: ToolResult) -> dict[str, Json]:
    """The result as an object: one as it is, text as `output`, a failure as `error`."""
    native = result.extras.get(API, NOTHING).get("response")
    if isinstance(native, dict):
        return native
    texts = [part.text for part in result.content if isinstance(part, Text | Refusal)]
    text = "\n".join(texts)
    if result.is_error:
        return {"error": text}
    if not texts:
        return {"output": "(see the attachment)"}
    value = _object(text) if len(texts) == 1 else None
    return {"output": text} if value is None else value


def _object(text: str) -> dict[str, Json] | None:
    """The JSON object that a text is, unless the wire would change it."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and _exact(value) else None


def _exact(value: Json, depth: int = 0) -> bool:
    """No `$ref` key (read as a reference to a media part, 400), no integer that a double cannot hold, not too deep."""
    match value:
        case dict() | list() if depth > DEEPEST:
            return False
        case dict():
            return "$ref" not in value and all(_exact(inner, depth + 1) for inner in value.values())
        case list():
            return all(_exact(inner, depth + 1) for inner in value)
        case int():
            return -LARGEST_INTEGER <= value <= LARGEST_INTEGER
    return True
