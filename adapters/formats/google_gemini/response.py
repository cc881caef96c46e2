"""A whole answer: an upstream's body -> events, a neutral answer -> a client's body (v1beta, 2026-11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adapters import json
from adapters.errors import InvalidCall, Malformed
from adapters.events import Event
from adapters.format import Reading
from adapters.formats.google_gemini import finish, grounding, usage
from adapters.formats.google_gemini.chunks import Chunks
from adapters.formats.google_gemini.logprobs import from_chat
from adapters.formats.google_gemini.media import encoded
from adapters.formats.google_gemini.reply import Reply
from adapters.formats.google_gemini.signatures import standard
from adapters.formats.google_gemini.target import API
from adapters.formats.shared.reference import pack
from adapters.model import (
    NOTHING,
    Answer,
    Extras,
    Json,
    Media,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    StopReason,
    Text,
    ToolCall,
)
from adapters.tools.arguments import as_object, is_object


def decode(body: bytes, reading: Reading) -> list[Event]:
    """The events of a 2xx body: one object, or a list of chunks. Raises Malformed."""
    try:
        data = json.loads(body)
    except ValueError as error:
        raise Malformed(f"the answer is no JSON: {error}") from None
    chunks = Chunks(reading, whole=True)
    return [*chunks.feed(data), *chunks.close()]


# --- towards clients ---------------------------------------------------------------------------------------------


def encode(answer: Answer, reply: Reply) -> bytes:
    """The body. Raises InvalidCall for a call whose arguments are no object; one that was cut off is left out."""
    body: dict[str, Json] = {
        "candidates": [_candidate(one, index, reply) for index, one in enumerate((answer, *answer.others))]
    }
    if counts := usage.metadata(answer.usage):
        body["usageMetadata"] = counts
    body["modelVersion"] = reply.model
    body["responseId"] = answer.id or reply.response_id
    own = answer.extras.get(API, NOTHING)
    body.update((key, own[key]) for key in _TOP if key in own)
    return json.dumps(body)


def _candidate(answer: Answer, index: int, reply: Reply) -> dict[str, Json]:
    writer = PartWriter(reply)
    parts: list[Json] = []
    texts: list[tuple[str, Sequence[Json]]] = []
    for part in answer.parts:
        if isinstance(part, ToolCall) and not is_object(part.arguments):
            if answer.stop == "length":
                continue
            raise InvalidCall(f"the arguments of {part.name} are no JSON object")
        if isinstance(part, Text) and part.citations:
            texts.append((part.text, part.citations))
        parts += writer.part(part)
    made: dict[str, Json] = {"content": {"parts": parts, "role": "model"}}
    if answer.stop is not None:
        refused = any(isinstance(part, Refusal) and part.text for part in answer.parts)
        made["finishReason"] = word(answer.stop, answer.native_stop, refused=refused)
    made["index"] = index
    return {**made, **beside(answer.extras, texts, answer.logprobs)}


def word(stop: StopReason, native: str | None, *, refused: bool = False) -> str:
    """finishReason: this API's own word as it came, else the nearest; `refused`: the answer holds a refusal."""
    if refused and stop == "stop":
        stop = "content_filter"
    return native if native in finish.NATIVE and native is not None else finish.WORDS[stop]


def beside(extras: Extras, cited: Sequence[tuple[str, Sequence[Json]]], logprobs: Sequence[Json]) -> dict[str, Json]:
    """The candidate's fields that are not content: this API's own as they came, else what other APIs said."""
    own = {key: value for key, value in extras.get(API, NOTHING).items() if key not in _TOP}
    if "groundingMetadata" not in own and (sources := grounding.metadata(cited)) is not None:
        own["groundingMetadata"] = sources
    if "logprobsResult" not in own and (tokens := from_chat(logprobs)) is not None:
        own["logprobsResult"] = tokens
    return own


_TOP = ("createTime", "modelStatus", "promptFeedback")
"""Fields of the response, not of its candidate."""


@dataclass(slots=True)
class PartWriter:
    """Parts of one candidate, in order. A foreign signed reasoning block rides on the first call after it."""

    reply: Reply
    pending: list[Reasoning] = field(default_factory=list)

    def part(self, part: Part) -> list[dict[str, Json]]:
        match part:
            case Text():
                own = part.extras.get(API, NOTHING)
                if not part.text and part.signature is None and not own:
                    return []
                return [_signed({"text": part.text, **own}, part.signature)]
            case Refusal():
                return [{"text": part.text}] if part.text else []
            case Reasoning():
                return self._reasoning(part)
            case ToolCall():
                return self._call(part)
            case Media():
                return [encoded(part)]
            case Opaque(api=api, data=data) if api == API:
                return [data]
            case Opaque(text=text) if text:
                return [{"text": text}]
        return []

    def _reasoning(self, part: Reasoning) -> list[dict[str, Json]]:
        native = part.api == API
        if not native and (part.signature or part.data or part.id):
            self.pending.append(part)
        if not self.reply.thoughts or not (part.text or (native and part.signature)):
            return []
        own = part.extras.get(API, NOTHING)
        return [_signed({"text": part.text, "thought": True, **own}, part.signature if native else None)]

    def _call(self, call: ToolCall) -> list[dict[str, Json]]:
        own = call.extras.get(API, NOTHING)
        args = as_object(call.arguments) if call.kind == "function" else {"input": call.arguments}
        made = {"functionCall": {"id": call.id, "name": call.name, "args": args}, **own}
        if call.signature is not None:
            self.pending.clear()
            return [_signed(made, call.signature)]
        return [*self._earlier(), {**made, **self._reference()}]

    def _earlier(self) -> list[dict[str, Json]]:
        """All but the last of several blocks: a part has room for one reference."""
        early, self.pending = self.pending[:-1], self.pending[-1:]
        return [{"text": "", "thoughtSignature": pack(one)} for one in early]

    def _reference(self) -> dict[str, Json]:
        last, self.pending = self.pending, []
        return {"thoughtSignature": pack(last[0])} if last else {}


def _signed(made: dict[str, Json], signature: str | None) -> dict[str, Json]:
    """The Python SDK refuses a whole answer for a signature that is no padded standard base64 (2026-11)."""
    if signature is not None and (text := standard(signature)) is not None:
        made["thoughtSignature"] = text
    return made
