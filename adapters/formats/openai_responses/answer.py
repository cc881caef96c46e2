"""Whole answers towards Responses clients, and the items and response objects that streams are made of (§5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adapters import json
from adapters.errors import ErrorType, Failure
from adapters.events import CallStart
from adapters.formats.openai_responses.history import citations_of
from adapters.formats.openai_responses.incoming import Reply
from adapters.formats.openai_responses.words import INCOMPLETE, NAME, own, rest
from adapters.formats.shared.reference import pack
from adapters.model import (
    Answer,
    Extras,
    Json,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    StopReason,
    Text,
    ToolCall,
    Usage,
)

Item = dict[str, Json]

FAILED_CODES: Mapping[ErrorType, str] = {
    "rate_limit_error": "rate_limit_exceeded",
    "content_filter": "invalid_prompt",
    "context_length_exceeded": "context_length_exceeded",
    "billing_error": "insufficient_quota",
}
"""`response.error.code` of a failed response; any other type is a `server_error`."""

_OURS = frozenset({"message", "function_call", "custom_tool_call"})
_ABOUT_NOT = frozenset({"id", "prompt_cache_breakpoint"})


def encode(answer: Answer, reply: Reply) -> bytes:
    """The response object of a whole answer."""
    cut = answer.stop in ("length", "content_filter")
    items = [json.dumps(item) for item in _items(answer, reply, cut)]
    ending = Ending(answer.stop or "stop", answer.native_stop, answer.usage, answer.extras)
    return ended(reply, items, ending)


# --- response objects ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Ending:
    """How an answer ended."""

    stop: StopReason
    native: str | None
    usage: Usage
    extras: Extras

    @property
    def status(self) -> str:
        return "incomplete" if self.stop in ("length", "content_filter") else "completed"

    @property
    def reason(self) -> str | None:
        """`incomplete_details.reason`: the API's own word where it says the same."""
        if self.stop not in ("length", "content_filter"):
            return None
        if self.native is not None and INCOMPLETE.get(self.native) == self.stop:
            return self.native
        return "max_output_tokens" if self.stop == "length" else "content_filter"


def response(reply: Reply, status: str, items: Iterable[bytes] = (), **fields: Json) -> bytes:
    """A response object. `fields`: error, incomplete_details, usage, and `extra`: members of an upstream's own."""
    extra = fields.pop("extra", None)
    told = {
        "id": reply.id,
        "object": "response",
        "created_at": reply.created,
        "status": status,
        "error": fields.get("error"),
        "incomplete_details": fields.get("incomplete_details"),
        "model": reply.model,
    }
    echo = reply.echo
    if extra:
        asked = json.loads(b"{" + echo + b"}")
        echo = json.dumps({**asked, **{name: value for name, value in extra.items() if name not in told}})[1:-1]
    usage = json.dumps(fields.get("usage"))
    output = b",".join(items)
    return b"".join((json.dumps(told)[:-1], b',"output":[', output, b'],"usage":', usage, b",", echo, b"}"))


def ended(reply: Reply, items: Iterable[bytes], ending: Ending) -> bytes:
    """The response object of an answer that ended by itself."""
    details = None if ending.reason is None else {"reason": ending.reason}
    usage, extra = usage_fields(ending.usage), own(ending.extras)
    return response(reply, ending.status, items, incomplete_details=details, usage=usage, extra=extra)


def failed(reply: Reply, items: Iterable[bytes], failure: Failure) -> bytes:
    """The response object of an answer that broke off."""
    code = FAILED_CODES.get(failure.type, "server_error")
    return response(reply, "failed", items, error={"code": code, "message": failure.message})


def usage_fields(usage: Usage) -> Json:
    """The `usage` object, complete for typed readers; null where nothing is known."""
    if usage.input is None and usage.output is None:
        return None
    read, written = usage.input or 0, usage.output or 0
    return {
        "input_tokens": read,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read or 0,
            "cache_write_tokens": usage.cache_write or 0,
        },
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
        "total_tokens": read + written,
        **own(usage.extras),
    }


# --- items -----------------------------------------------------------------------------------------------------------


def _items(answer: Answer, reply: Reply, cut: bool) -> list[Item]:
    items: list[Item] = []
    scores = answer.logprobs if reply.scored else ()
    about: Mapping[str, Json] | None = None
    for part in answer.parts:
        said = _said(part, scores)
        if said is None:
            if (item := _item(part, reply)) is not None:
                items.append(item)
                about = None
            continue
        if said["type"] == "output_text":
            scores = ()
        extras = own(part.extras) if isinstance(part, Text | Refusal) else {}
        if about is not None and about == extras:
            items[-1]["content"].append(said)
            continue
        about = extras
        items.append(message(message_id(reply, about), "completed", [said], about))
    if cut and items and items[-1]["type"] in _OURS:
        items[-1]["status"] = "incomplete"
    return items


def _said(part: Part, scores: tuple[Json, ...]) -> Item | None:
    """A content part of a message; None for what stands for itself, or for nothing."""
    match part:
        case Text(text=text) if text:
            return text_part(text, citations_of(part.citations), list(scores))
        case Refusal(text=text) if text:
            return {"type": "refusal", "refusal": text}
        case Opaque(api=api, text=text) if api != NAME and text:
            return text_part(text, [], [])
    return None


def _item(part: Part, reply: Reply) -> Item | None:
    match part:
        case Reasoning():
            sealed = sealed_content(part, reply)
            sections = part.sections if part.sections is not None else (part.text,)
            raw = own(part.extras).get("raw", 0) if part.api == NAME else 0
            texts = [text for text in sections if text]
            if not texts and sealed is None and part.api != NAME:
                return None
            parted = len(texts) - raw
            item_id = reasoning_id(reply, part.id if part.api == NAME else None)
            return reasoning(item_id, texts[:parted], texts[parted:], sealed, own(part.extras))
        case ToolCall():
            return call(call_id(reply, part), part, part.arguments, "completed")
        case Opaque(api=api, data=data) if api == NAME and isinstance(data, dict):
            return data
    return None


def message_id(reply: Reply, about: Mapping[str, Json]) -> str:
    known = about.get("id")
    return known if isinstance(known, str) and known else f"msg_{reply.new_id(32)}"


def reasoning_id(reply: Reply, known: str | None) -> str:
    return known or f"rs_{reply.new_id(32)}"


def call_id(reply: Reply, begun: ToolCall | CallStart) -> str:
    known = own(begun.extras).get("id")
    if isinstance(known, str) and known:
        return known
    return f"{'ctc' if begun.kind == 'custom' else 'fc'}_{reply.new_id(32)}"


def message(item_id: str, status: str, content: list[Item], about: Mapping[str, Json]) -> Item:
    head = {"id": item_id, "type": "message", "status": status, "role": "assistant", "content": content}
    return {**head, **rest(about, _ABOUT_NOT)}


def text_part(text: str, annotations: list[Json], scores: list[Json]) -> Item:
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": scores}


def reasoning(
    item_id: str, summary: list[str], raw: list[str], sealed: str | None, about: Mapping[str, Json]
) -> Item:
    item: Item = {
        "id": item_id,
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text} for text in summary],
    }
    if raw:
        item["content"] = [{"type": "reasoning_text", "text": text} for text in raw]
    if sealed is not None:
        item["encrypted_content"] = sealed
    return {**item, **rest(about, frozenset({"raw", "id"}))}


def call(item_id: str, begun: ToolCall | CallStart, text: str, status: str) -> Item:
    head: Item = {"id": item_id, "type": "function_call", "status": status, "call_id": begun.id, "name": begun.name}
    if begun.kind == "custom":
        head["type"] = "custom_tool_call"
    said = {"input" if begun.kind == "custom" else "arguments": text}
    return {**head, **said, **rest(own(begun.extras), _ABOUT_NOT)}


def sealed_content(part: Reasoning, reply: Reply) -> str | None:
    """The opaque half of a reasoning item, if the client asked for it: the API's own, or a reference to another's."""
    if not reply.sealed:
        return None
    if part.api == NAME:
        return part.data
    if part.api is None or not (part.signature or part.data or part.id):
        return None
    return pack(part)
