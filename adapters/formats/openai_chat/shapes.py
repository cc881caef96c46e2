"""Small shapes that whole answers and chunks of a stream share."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.formats.openai_chat.details import API
from adapters.model import NOTHING, Citation, Extras, Json, StopReason, Usage

LEGACY_FINISH = {"tool_calls": "function_call"}
_GAP = "\n\n"


def own(extras: Extras, place: str) -> Mapping[str, Json]:
    """Fields that an upstream of this API put at a place (`answer`, `choice`, `message`) and toolwire does not know."""
    found = extras.get(API, NOTHING).get(place)
    return found if isinstance(found, dict) else NOTHING


def finish_word(reason: StopReason | None, legacy: bool) -> str:
    word = reason or "stop"
    return LEGACY_FINISH.get(word, word) if legacy else word


def usage_fields(usage: Usage) -> dict[str, Json] | None:
    """The `usage` object; None where the upstream told nothing."""
    if usage.input is None and usage.output is None:
        return None
    taken, made = usage.input or 0, usage.output or 0
    prompt: dict[str, Json] = {"cached_tokens": usage.cache_read or 0}
    if usage.cache_write is not None:
        prompt["cache_write_tokens"] = usage.cache_write
    completion: dict[str, Json] = {"reasoning_tokens": usage.reasoning or 0}
    extra = dict(usage.extras.get(API, NOTHING))
    prompt.update(extra.pop("prompt_tokens_details", NOTHING))
    completion.update(extra.pop("completion_tokens_details", NOTHING))
    return {
        "prompt_tokens": taken,
        "completion_tokens": made,
        "total_tokens": taken + made,
        "prompt_tokens_details": prompt,
        "completion_tokens_details": completion,
        **extra,
    }


def annotation(citation: Citation) -> Json:
    """An entry of `annotations`; None for a source that has no URL, which this dialect cannot name."""
    if (raw := citation.extras.get(API)) is not None:
        return raw
    if citation.url is None:
        return None
    cited = {
        "start_index": citation.start or 0,
        "end_index": citation.end or 0,
        "url": citation.url,
        "title": citation.title or citation.url,
    }
    return {"type": "url_citation", "url_citation": cited}


def call_extras(signature: str | None, origin: str | None, extras: Extras) -> dict[str, Json]:
    """What a call carries beside its function: Gemini's signature with its origin, an upstream's unknown fields."""
    fields: dict[str, Json] = dict(extras.get(API, NOTHING))
    if signature is not None:
        content = dict(fields.get("extra_content") or {})
        content["google"] = {**content.get("google", {}), "thought_signature": signature}
        if origin is not None:
            content["toolwire"] = {"origin": origin}
        fields["extra_content"] = content
    return fields


def merged(into: dict[str, Json], delta: Mapping[str, Json]) -> None:
    """Adds a piece of a native field (`audio`) to what came before, as the SDKs do: strings grow."""
    for key, value in delta.items():
        before = into.get(key)
        if isinstance(before, list) and isinstance(value, list):
            into[key] = [*before, *value]
        elif isinstance(before, dict) and isinstance(value, dict):
            before = dict(before)
            merged(before, value)
            into[key] = before
        else:
            into[key] = before + value if isinstance(before, str) and isinstance(value, str) else value


class ReasoningText:
    """Where the texts of several blocks meet in the one `reasoning_content`: a blank line parts blocks and sections."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[int, int] | None = None

    def gap(self, part: int, section: int) -> str:
        """What stands before a piece of this part and section."""
        here = (part, section)
        gap = "" if self._last in (None, here) else _GAP
        self._last = here
        return gap
