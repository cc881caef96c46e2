"""Words and counts of the Messages API that both directions share (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.model import NOTHING, Extras, Json, StopReason, Usage

NAME = "anthropic-messages"
VERSION = "2023-06-01"
"""The API version for requests of other dialects: the newer one refuses sampling fields for every model."""
SAMPLING_REFUSED = "2026-10-21"
"""The API version that refuses `temperature`, `top_p` and `top_k` whatever the model."""

STOP: Mapping[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "stop",
    "refusal": "content_filter",
    "compaction": "stop",
    "sensitive": "content_filter",
}
"""`stop_reason` -> neutral; an unknown word is a stop. "sensitive" comes from other vendors' servers."""

WORDS: Mapping[StopReason, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}

NO_DETAILS: Mapping[str, Json] = {"type": "refusal", "category": None, "explanation": None}

OF_MESSAGE = ("id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage")
"""The fields of a message that have a neutral word."""

ROOT_OF_DELTA = ("context_management", "input_transformations")
"""What `message_delta` carries beside its `delta`, not in it."""

_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def own(fields: Mapping[str, Json]) -> Extras:
    """Extras of this API alone."""
    return {NAME: fields} if fields else NOTHING


def without(block: Mapping[str, Json], *known: str) -> dict[str, Json]:
    """The block's other keys, in order."""
    return {key: value for key, value in block.items() if key not in known}


def stop_reason(word: str) -> StopReason:
    return STOP.get(word, "stop")


def stop_word(reason: StopReason | None, native: str | None, sequence: str | None, *, refused: bool = False) -> str:
    """`stop_reason` for a neutral one: this API's own word where it means the same.

    `refused`: the answer holds a refusal, which OpenAI's APIs end as any other answer.
    """
    if reason is None:
        reason = "stop"
    if refused and reason == "stop":
        reason = "content_filter"
    if native is not None and STOP.get(native) == reason:
        return native
    return "stop_sequence" if reason == "stop" and sequence is not None else WORDS[reason]


def known_counts(raw: Json) -> dict[str, Json]:
    """The entries of a `usage` object that say something: null, like a missing entry, says nothing."""
    return {key: value for key, value in raw.items() if value is not None} if isinstance(raw, Mapping) else {}


def read_usage(raw: Mapping[str, Json]) -> Usage:
    """Neutral counts: the wire's `input_tokens` leaves out what was read from and written to the cache."""
    fresh, output, read, written = (_count(raw.get(key)) for key in _COUNTS)
    details = raw.get("output_tokens_details")
    thinking = details.get("thinking_tokens") if isinstance(details, Mapping) else None
    kept = () if isinstance(details, Mapping) and without(details, "thinking_tokens") else ("output_tokens_details",)
    return Usage(
        input=None if fresh is None else fresh + (read or 0) + (written or 0),
        output=output,
        cache_read=read,
        cache_write=written,
        reasoning=_count(thinking),
        extras=own(without(raw, *_COUNTS, *kept)),
    )


def write_usage(usage: Usage) -> dict[str, Json]:
    """A whole `usage` object; unknown counts are 0."""
    read, written = usage.cache_read or 0, usage.cache_write or 0
    body: dict[str, Json] = {
        "input_tokens": max(0, (usage.input or 0) - read - written),
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "output_tokens": usage.output or 0,
    }
    if usage.reasoning is not None:
        body["output_tokens_details"] = {"thinking_tokens": usage.reasoning}
    return {**body, **usage.extras.get(NAME, NOTHING)}


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
