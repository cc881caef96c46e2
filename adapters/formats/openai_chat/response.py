"""A whole answer in the form of `chat.completion` (wire page §4)."""

from __future__ import annotations

from adapters import json
from adapters.formats.openai_chat import details
from adapters.formats.openai_chat.details import API, Place
from adapters.formats.openai_chat.request import Reply
from adapters.formats.openai_chat.shapes import (
    ReasoningText,
    annotation,
    call_extras,
    finish_word,
    merged,
    own,
    usage_fields,
)
from adapters.model import Answer, Json, Opaque, Reasoning, Refusal, Text, ToolCall


def encode(answer: Answer, reply: Reply) -> bytes:
    """The body. Usage is left out where the upstream told none."""
    body: dict[str, Json] = {
        "id": reply.id,
        "object": "chat.completion",
        "created": reply.created,
        "model": reply.model,
        "choices": [_choice(i, one, reply) for i, one in enumerate((answer, *answer.others))],
    }
    usage = usage_fields(answer.usage)
    if usage is not None:
        body["usage"] = usage
    return json.dumps({**own(answer.extras, "answer"), **body})


def _choice(index: int, answer: Answer, reply: Reply) -> dict[str, Json]:
    return {
        **own(answer.extras, "choice"),
        "index": index,
        "message": _Message(answer, reply.legacy).fields(),
        "logprobs": _logprobs(answer),
        "finish_reason": finish_word(answer.stop, reply.legacy),
    }


def _logprobs(answer: Answer) -> Json:
    if not answer.logprobs:
        return None
    tokens = list(answer.logprobs)
    refused = any(isinstance(p, Refusal) for p in answer.parts) and not any(isinstance(p, Text) for p in answer.parts)
    return {"content": None, "refusal": tokens} if refused else {"content": tokens, "refusal": None}


class _Message:
    """Collects the parts of one choice."""

    def __init__(self, answer: Answer, legacy: bool) -> None:
        self._answer = answer
        self._legacy = legacy
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._reasoning: list[str] = []
        self._details: list[dict[str, Json]] = []
        self._annotations: list[Json] = []
        self._calls: list[dict[str, Json]] = []
        self._native: dict[str, Json] = {}

    def fields(self) -> dict[str, Json]:
        self._collect()
        if self._texts:
            content: str | None = "".join(self._texts)
        else:
            content = None if self._calls or self._refusals or self._native else ""
        message: dict[str, Json] = {
            "role": "assistant",
            "content": content,
            "refusal": "".join(self._refusals) or None,
        }
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        if self._details:
            message["reasoning_details"] = [{**entry, "index": i} for i, entry in enumerate(self._details)]
        if self._annotations:
            message["annotations"] = self._annotations
        if self._legacy and self._calls and "function" in self._calls[0]:
            message["function_call"] = self._calls[0]["function"]
        elif self._calls:
            message["tool_calls"] = self._calls
        return {**own(self._answer.extras, "message"), **self._native, **message}

    def _collect(self) -> None:
        gaps = ReasoningText()
        block = 0
        for number, part in enumerate(self._answer.parts):
            match part:
                case Reasoning():
                    for section, text in enumerate(part.sections or (part.text,)):
                        if text:
                            self._reasoning.append(gaps.gap(number, section) + text)
                    position = bool(self._texts) + bool(self._refusals) + len(self._calls)
                    made = details.entries(part, Place(position, block))
                    self._details += made
                    block += bool(made)
                case Text(text=text) if text:
                    self._texts.append(text)
                    self._annotations += [made for c in part.citations if (made := annotation(c)) is not None]
                case Refusal(text=text) if text:
                    self._refusals.append(text)
                case Opaque(api=api, data=dict() as data) if api == API:
                    merged(self._native, data)
                case Opaque(text=text) if text:
                    self._texts.append(text)
                case ToolCall():
                    self._calls.append(self._call(part))

    def _call(self, call: ToolCall) -> dict[str, Json]:
        """A call that `length` cut off keeps its empty arguments; otherwise none means {}."""
        if call.kind == "custom":
            inner: dict[str, Json] = {"name": call.name, "input": call.arguments}
        else:
            cut = self._answer.stop == "length" and call is self._answer.parts[-1]
            inner = {"name": call.name, "arguments": call.arguments or ("" if cut else "{}")}
        return {
            "id": call.id,
            "type": call.kind,
            call.kind: inner,
            **call_extras(call.signature, call.origin, call.extras),
        }
