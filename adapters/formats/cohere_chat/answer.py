"""What whole and streamed answers of Cohere's v2 chat share: finish, usage, citations, arguments, logprobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adapters.errors import ErrorType, Malformed
from adapters.events import Event, Failed, Finish, UsageUpdate
from adapters.formats.cohere_chat.errors import failure_inside
from adapters.model import NOTHING, Citation, Json, StopReason, Usage

_STOP: Mapping[str, StopReason] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR_TOXIC": "content_filter",
}
_FAILED: Mapping[str, ErrorType] = {
    "ERROR": "api_error",
    "TIMEOUT": "timeout_error",
    "ERROR_LIMIT": "overloaded_error",
}
"""Reasons that are no end of an answer. ERROR_LIMIT is an older server's word (2026-11)."""


def ending(word: str, error: Json, usage: Json) -> list[Event]:
    """The last events of an answer: usage and finish, or the failure."""
    if (kind := _FAILED.get(word)) is not None:
        return [Failed(failure_inside(error, kind))]
    counts = _usage(usage)
    finish = Finish(_STOP.get(word, "stop"), word)
    return [finish] if counts is None else [UsageUpdate(counts), finish]


def _usage(raw: Json) -> Usage | None:
    """`tokens` are the true counts, `billed_units` stand in where they are missing."""
    if not isinstance(raw, Mapping):
        return None
    tokens, billed = (found if isinstance(found := raw.get(key), Mapping) else NOTHING
                      for key in ("tokens", "billed_units"))
    found_input, output = (
        _count(tokens.get(name)) if tokens.get(name) is not None else _count(billed.get(name))
        for name in ("input_tokens", "output_tokens")
    )
    return Usage(found_input, output, _count(raw.get("cached_tokens")))


def _count(value: Json) -> int | None:
    """Counts are floats at times (12.0)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return int(value)


def arguments(text: str) -> str:
    """The argument text of a finished call: nothing and "null" mean none."""
    return "{}" if text.strip() in ("", "null") else text


def citations(native: Json) -> Iterable[Citation]:
    """One for each source; none where it is the reasoning that is cited. Positions count in the content block."""
    if not isinstance(native, Mapping):
        raise Malformed("a citation that is no object")
    if native.get("type") in ("PLAN", "THINKING_CONTENT"):
        return
    start, end = (_count(native.get(key)) for key in ("start", "end"))
    sources = native.get("sources")
    for source in sources if isinstance(sources, list) and sources else [{}]:
        url, title = _source(source)
        yield Citation(url, title, start, end)


def _source(source: Json) -> tuple[str | None, str | None]:
    """URL and title, where a document or a tool's output has fields of these names."""
    if not isinstance(source, Mapping):
        return None, None
    about = source.get("document") or source.get("tool_output")
    fields = about if isinstance(about, Mapping) else NOTHING
    url, title = fields.get("url"), fields.get("title")
    return (url if isinstance(url, str) else None), (title if isinstance(title, str) else None)


def logprobs(items: Json) -> tuple[Json, ...]:
    """By span of text, in Chat Completions' shape: the API tells no single tokens and no alternatives."""
    made: list[Json] = []
    for item in items if isinstance(items, list) else [items]:
        match item:
            case {"text": str(text), "logprobs": [*values]} if all(isinstance(value, int | float) for value in values):
                made.append({"token": text, "logprob": sum(values), "bytes": list(text.encode("utf-8", "replace")),
                             "top_logprobs": []})
    return tuple(made)
