"""Token counts of chat-like APIs (openai-chat §4, §6, §10, 2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.model import NOTHING, Json, Usage

_READ = frozenset({
    "prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details",
    "prompt_cache_hit_tokens", "prompt_cache_miss_tokens", "cached_tokens", "reasoning_tokens", "num_cached_tokens",
    "prompt_token_details",
})
_READ_DETAILS = frozenset({"cached_tokens", "cache_write_tokens", "reasoning_tokens"})


def usage(raw: Mapping[str, Json], api: str | None = None) -> Usage:
    """The counts; fields that only `api`'s clients may know stay in extras.

    Cached and reasoning tokens are parts of prompt and completion. xAI counts reasoning beside the completion, which
    its total shows, and may report more cached tokens than the prompt has.
    """
    prompt, completion = _count(raw, "prompt_tokens"), _count(raw, "completion_tokens")
    prompt_details = _object(raw, "prompt_tokens_details")
    completion_details = _object(raw, "completion_tokens_details")
    reasoning = _first(_count(completion_details, "reasoning_tokens"), _count(raw, "reasoning_tokens"))
    cached = _first(
        _count(prompt_details, "cached_tokens"),
        _count(raw, "prompt_cache_hit_tokens"),
        _count(raw, "cached_tokens"),
        _count(raw, "num_cached_tokens"),
        _count(_object(raw, "prompt_token_details"), "cached_tokens"),
    )
    if prompt is not None and completion is not None and reasoning:
        total = _count(raw, "total_tokens")
        if total == prompt + completion + reasoning:
            completion += reasoning
    if cached is not None and prompt is not None:
        cached = min(cached, prompt)
    return Usage(
        prompt,
        completion,
        cached,
        _count(prompt_details, "cache_write_tokens"),
        reasoning,
        _extras(raw, api),
    )


def _extras(raw: Mapping[str, Json], api: str | None) -> Mapping[str, Mapping[str, Json]]:
    if api is None:
        return NOTHING
    rest = {key: value for key, value in raw.items() if key not in _READ and value is not None}
    for name in ("prompt_tokens_details", "completion_tokens_details"):
        own = {k: v for k, v in _object(raw, name).items() if k not in _READ_DETAILS and v is not None}
        if own:
            rest[name] = own
    return {api: rest} if rest else NOTHING


def _count(raw: Mapping[str, Json], name: str) -> int | None:
    value = raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _object(raw: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = raw.get(name)
    return value if isinstance(value, dict) else NOTHING
