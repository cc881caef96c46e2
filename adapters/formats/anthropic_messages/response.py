"""Whole answers of the Messages API (2026-11), read and written."""

from __future__ import annotations

from adapters import json
from adapters.errors import InvalidCall, Malformed
from adapters.events import (
    CallDelta,
    Cited,
    Event,
    Failed,
    Native,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.format import Reading
from adapters.formats.anthropic_messages import citations
from adapters.formats.anthropic_messages.errors import failure_of
from adapters.formats.anthropic_messages.stream import call_start, finish, redacted, signed, string, whole_input
from adapters.formats.anthropic_messages.wire import (
    NAME,
    NO_DETAILS,
    OF_MESSAGE,
    known_counts,
    own,
    read_usage,
    stop_word,
    without,
    write_usage,
)
from adapters.formats.shared.reference import pack
from adapters.model import NOTHING, Answer, Json, Opaque, Part, Reasoning, Refusal, Text, ToolCall

# --- from upstreams ----------------------------------------------------------------------------------------------


def decode(body: bytes, reading: Reading) -> list[Event]:
    """The events of a whole answer, the same as those of its stream. Raises Malformed."""
    try:
        message = json.loads(body)
    except ValueError:
        raise Malformed("the answer is no JSON") from None
    match message:
        case {"error": dict(error)} if "content" not in message:
            return [Failed(failure_of(error))]
        case {"content": list(blocks), "stop_reason": str(word)}:
            pass
        case _:
            raise Malformed("a message without content or stop_reason")
    out: list[Event] = [_started(message)]
    part = 0
    for block in blocks:
        events = _block(part, block, reading)
        if events:
            out += [*events, PartEnd(part)]
            part += 1
    if counts := known_counts(message.get("usage")):
        out.append(UsageUpdate(read_usage(counts)))
    sequence = message.get("stop_sequence")
    out.append(finish(word, sequence if isinstance(sequence, str) else None, _extras(message), reading))
    return out


def _extras(message: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in without(message, *OF_MESSAGE).items() if value is not None}


def _started(message: dict[str, Json]) -> Started:
    found, model = message.get("id"), message.get("model")
    return Started(
        found if isinstance(found, str) else None, model if isinstance(model, str) else None, own(_extras(message))
    )


def _block(part: int, block: Json, reading: Reading) -> list[Event]:
    """The events of a block but its end; none for one that says nothing."""
    match block:
        case {"type": "text"}:
            text = string(block, "text")
            cited = [Cited(part, citation) for citation in citations.read_all(block.get("citations"))]
            return [*([TextDelta(part, text)] if text else []), *cited]
        case {"type": "thinking"}:
            text, signature = string(block, "thinking"), string(block, "signature")
            said: list[Event] = [ReasoningDelta(part, text)] if text else []
            return [*said, signed(part, signature, block, reading)] if signature else said
        case {"type": "redacted_thinking"}:
            return [redacted(part, block, reading)]
        case {"type": "tool_use"}:
            return [call_start(part, block), CallDelta(part, whole_input(block.get("input")))]
        case {"type": str()}:
            return [Native(part, NAME, block)]
    raise Malformed("a content block without a type")


# --- towards clients ---------------------------------------------------------------------------------------------


def encode(answer: Answer, model: str, message_id: str) -> bytes:
    """The body of a whole answer. Raises InvalidCall for arguments that are no JSON object, unless the call was cut."""
    extras = dict(answer.extras.get(NAME, NOTHING))
    refused = any(isinstance(part, Refusal) and part.text for part in answer.parts)
    word = stop_word(answer.stop, answer.native_stop, answer.sequence, refused=refused)
    body: dict[str, Json] = {
        "id": answer.id if answer.id is not None and answer.id.startswith("msg_") else message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": _content(answer),
        "stop_reason": word,
        "stop_sequence": answer.sequence,
        "usage": write_usage(answer.usage),
    }
    if word == "refusal":
        extras = {"stop_details": dict(NO_DETAILS), **extras}
    return json.dumps({**body, **extras})


def _content(answer: Answer) -> list[Json]:
    blocks: list[dict[str, Json]] = []
    for part in answer.parts:
        try:
            block = _native(part)
        except InvalidCall:
            if answer.stop != "length":
                raise
            continue
        if block is not None and _goes_on(part) and blocks and blocks[-1].keys() == {"type", "text"}:
            blocks[-1]["text"] += block["text"]
        elif block is not None:
            blocks.append(block)
    return list[Json](blocks)


def _goes_on(part: Part) -> bool:
    """A signed text right after a text is the same text: Gemini signs the last piece of one (2026-11)."""
    return isinstance(part, Text) and part.signature is not None and not part.citations


def _native(part: Part) -> dict[str, Json] | None:
    """The block of a part, None where there is nothing to show."""
    match part:
        case Text(text=text) | Refusal(text=text):
            cited = citations.write(part.citations) if isinstance(part, Text) else []
            if not text and not cited:
                return None
            return {"type": "text", "text": text, **({"citations": cited} if cited else {})}
        case Reasoning():
            return thinking(part)
        case ToolCall():
            return {
                "type": "tool_use", "id": part.id, "name": part.name, "input": call_input(part.arguments, part.name),
                **part.extras.get(NAME, NOTHING),
            }
        case Opaque():
            if part.api == NAME:
                return dict(part.data)
            return {"type": "text", "text": part.text} if part.text else None
    return None


def thinking(part: Reasoning) -> dict[str, Json]:
    """Its native block; another API's, or an unsigned one, with our reference as signature."""
    extras = part.extras.get(NAME, NOTHING)
    if part.api == NAME and part.data is not None:
        return {"type": "redacted_thinking", "data": part.data, **extras}
    signature = part.signature if part.api == NAME and part.signature is not None else pack(part)
    return {"type": "thinking", "thinking": part.text, "signature": signature, **extras}


def call_input(arguments: str, name: str) -> dict[str, Json]:
    """The object that the arguments are; "" is {}. Raises InvalidCall."""
    if not arguments.strip():
        return {}
    try:
        value = json.loads(arguments)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise InvalidCall(f"the arguments of a call of {name} are no JSON object")
    return value
