"""Words and counts of the Converse API that whole and streamed answers share (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.errors import Failure
from adapters.events import Event, Failed, Finish
from adapters.format import Reading
from adapters.model import NOTHING, Citation, Extras, Json, StopReason, Usage

NAME = "bedrock-converse"

STOP: Mapping[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
}
"""`stopReason` -> neutral; an unknown word is a stop."""

SERVER_TOOL = "server_tool_use"
"""`toolUse.type` of a call that Bedrock answers itself (Nova's system tools)."""


def own(fields: Mapping[str, Json]) -> Extras:
    """Extras of this API alone."""
    return {NAME: fields} if fields else NOTHING


def ending(word: str, extra: Json, reading: Reading) -> Event:
    """The finish, or the failure that the word is. `extra` are the answer's `additionalModelResponseFields`.

    An answer without content is legal directly after tool results (Claude).
    """
    if word == "malformed_model_output":
        return Failed(Failure("malformed_response", "The upstream calls its model's output malformed."))
    if word == "malformed_tool_use":
        return Failed(Failure("invalid_tool_call", "The upstream calls its model's tool call malformed."))
    empty = reading.after_results and word == "end_turn"
    return Finish(STOP.get(word, "stop"), word, _sequence(extra), empty)


def _sequence(extra: Json) -> str | None:
    """The stop text that matched, where the request asked for it: whole and streamed answers differ in the place."""
    match extra:
        case {"stop_sequence": str(text)} | {"delta": {"stop_sequence": str(text)}}:
            return text
    return None


def usage_of(raw: Json) -> Usage | None:
    """`inputTokens` leaves out what was read from and written to the cache; reasoning is not counted apart."""
    if not isinstance(raw, Mapping):
        return None
    fresh, output, read, written = (
        _count(raw.get(key))
        for key in ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    )
    total = None if fresh is None else fresh + (read or 0) + (written or 0)
    return Usage(total, output, read, written)


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def citation(native: Json) -> Citation:
    """Positions in a native citation count in the cited document, so they are not told."""
    if not isinstance(native, Mapping):
        return Citation()
    location, content = native.get("location"), native.get("sourceContent")
    web = location.get("web") if isinstance(location, Mapping) else None
    url = web.get("url") if isinstance(web, Mapping) else None
    title = native.get("title") or native.get("source")
    quotes = [one["text"] for one in content if isinstance(one, Mapping) and isinstance(one.get("text"), str)] if (
        isinstance(content, list)) else []
    return Citation(
        url=url if isinstance(url, str) else None,
        title=title if isinstance(title, str) else None,
        quote="".join(quotes) or None,
    )
