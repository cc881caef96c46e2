"""Names and tables of the Responses API that reading and writing share (openai-responses, 2026-11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.model import NOTHING, Extras, Json, StopReason, Usage

NAME = "openai-responses"

ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"
"""Entries of `include` that stand for something neutral."""

RAW = 1000
"""`ReasoningDelta.section`: from here on a reasoning item's raw `content`, below it the entries of its `summary`.

In a folded `Reasoning` the extras' `raw` says how many of the last sections are raw.
"""

INCOMPLETE: Mapping[str, StopReason] = {
    "max_output_tokens": "length",
    "content_filter": "content_filter",
    "max_messages": "length",
    "steered": "stop",
}
"""`incomplete_details.reason` -> stop; a reason nobody knows counts as "length"."""

TEXTS = frozenset({"output_text", "text"})
"""Types of a text part; Azure's older name is the second."""

MESSAGE_FIELDS = frozenset({"type", "role", "content", "status"})
CALL_FIELDS = frozenset({"type", "call_id", "name", "arguments", "input", "status"})
REASONING_FIELDS = frozenset({"type", "id", "summary", "content", "encrypted_content", "status"})

ECHOED = frozenset(
    {
        "id", "object", "created_at", "status", "error", "incomplete_details", "instructions", "model", "output",
        "usage", "tools", "tool_choice", "parallel_tool_calls", "temperature", "top_p", "top_logprobs",
        "max_output_tokens", "max_tool_calls", "previous_response_id", "conversation", "text", "truncation",
        "metadata", "user", "store", "reasoning", "background", "prompt", "prompt_cache_key", "safety_identifier",
        "output_text",
    }
)
"""Fields of a response object that say what was asked, or that are written anew for the client."""

USAGE_FIELDS = frozenset(
    {"input_tokens", "input_tokens_details", "output_tokens", "output_tokens_details", "total_tokens"}
)


def own(extras: Extras) -> Mapping[str, Json]:
    """What this API left in the extras of something."""
    return extras.get(NAME, NOTHING)


def rest(item: Mapping[str, Json], known: frozenset[str]) -> dict[str, Json]:
    """The fields that nobody translates, in their order; null says nothing."""
    return {key: value for key, value in item.items() if key not in known and value is not None}


def usage_of(told: Json) -> Usage | None:
    """The counts of a `usage` object."""
    if not isinstance(told, dict):
        return None
    read, write = told.get("input_tokens_details"), told.get("output_tokens_details")
    unknown = rest(told, USAGE_FIELDS)
    return Usage(
        input=_count(told, "input_tokens"),
        output=_count(told, "output_tokens"),
        cache_read=_count(read, "cached_tokens"),
        cache_write=_count(read, "cache_write_tokens"),
        reasoning=_count(write, "reasoning_tokens"),
        extras={NAME: unknown} if unknown else NOTHING,
    )


def _count(told: Any, key: str) -> int | None:
    value = told.get(key) if isinstance(told, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
