"""`usageMetadata`: the prompt's count includes cached tokens, the candidates' excludes thoughts (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.formats.google_gemini.target import API
from adapters.model import NOTHING, Json, Usage

_COUNTED = frozenset({"promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "cachedContentTokenCount",
                      "totalTokenCount"})
_TOOL_USE = "toolUsePromptTokenCount"


def usage(counts: Mapping[str, Json]) -> Usage:
    """The neutral counts. Tokens of tool results that Google fed in itself are input too."""
    thoughts = _count(counts, "thoughtsTokenCount")
    extras = {key: value for key, value in counts.items() if key not in _COUNTED}
    return Usage(
        input=_sum(_count(counts, "promptTokenCount"), _count(counts, _TOOL_USE)),
        output=_sum(_count(counts, "candidatesTokenCount"), thoughts),
        cache_read=_count(counts, "cachedContentTokenCount"),
        reasoning=thoughts,
        extras={API: extras} if extras else NOTHING,
    )


def _count(counts: Mapping[str, Json], name: str) -> int | None:
    value = counts.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None and b is None else (a or 0) + (b or 0)


def metadata(counted: Usage) -> dict[str, Json]:
    """The counts as this API tells them; {} where nothing is known."""
    own = counted.extras.get(API, NOTHING)
    tool_use = own.get(_TOOL_USE)
    prompt = counted.input if not isinstance(tool_use, int) or counted.input is None else counted.input - tool_use
    candidates = None if counted.output is None else counted.output - (counted.reasoning or 0)
    made = {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": counted.cache_read,
        "candidatesTokenCount": candidates,
        "thoughtsTokenCount": counted.reasoning,
        "totalTokenCount": _sum(counted.input, counted.output),
    }
    return {**{key: value for key, value in made.items() if value is not None}, **own}
