"""`logprobsResult` and the token log probabilities of Chat Completions, which the events carry."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.model import Json


def to_chat(result: Json) -> tuple[Json, ...]:
    """One entry per chosen token."""
    if not isinstance(result, dict):
        return ()
    chosen, top = result.get("chosenCandidates"), result.get("topCandidates")
    chosen = chosen if isinstance(chosen, list) else []
    top = top if isinstance(top, list) else []
    made: list[Json] = []
    for place, one in enumerate(chosen):
        others = top[place] if place < len(top) and isinstance(top[place], dict) else {}
        listed = others.get("candidates")
        made.append({**_token(one), "top_logprobs": [_token(o) for o in listed] if isinstance(listed, list) else []})
    return tuple(made)


def _token(candidate: Json) -> dict[str, Json]:
    candidate = candidate if isinstance(candidate, dict) else {}
    text, value = candidate.get("token"), candidate.get("logProbability")
    text = text if isinstance(text, str) else ""
    return {"token": text, "logprob": value if isinstance(value, int | float) else 0.0,
            "bytes": list(text.encode("utf-8", "replace"))}


def from_chat(tokens: Iterable[Json]) -> dict[str, Json] | None:
    """logprobsResult of these entries; None where there are none."""
    chosen: list[Json] = []
    top: list[Json] = []
    for token in tokens:
        chosen.append(_candidate(token))
        top.append({"candidates": [_candidate(one) for one in token.get("top_logprobs") or ()]})
    return {"chosenCandidates": chosen, "topCandidates": top} if chosen else None


def _candidate(token: Json) -> dict[str, Json]:
    return {"token": token.get("token", ""), "logProbability": token.get("logprob", 0.0)}
