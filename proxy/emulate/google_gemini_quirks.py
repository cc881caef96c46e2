"""Oddities of Gemini answers, by model name `quirk-NAME` (google-gemini §5, §6, §8–§10).

`CHUNKS` change the list of response objects, of which a whole answer has one; `FINISHES` are ends without content.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from proxy.emulate.sse import WRITING as SSE_WRITING

Json = Any
Chunks = list["Chunk"]

FINISHES: dict[str, tuple[str, str]] = {
    "malformed-function-call": ("MALFORMED_FUNCTION_CALL", "Malformed function call: print(default_api.f("),
    "unexpected-tool-call": ("UNEXPECTED_TOOL_CALL", "Model tried to call an undeclared function: g"),
    "too-many-tool-calls": ("TOO_MANY_TOOL_CALLS", ""),
    "missing-thought-signature": ("MISSING_THOUGHT_SIGNATURE", ""),
    "malformed-response": ("MALFORMED_RESPONSE", ""),
    "recitation": ("RECITATION", ""),
    "prohibited": ("PROHIBITED_CONTENT", ""),
    "other": ("OTHER", ""),
    "max-tokens-empty": ("MAX_TOKENS", ""),
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A response object before it is written. Its body is the quirk's to change."""

    kind: Literal["start", "content", "end"]
    body: Json


def _candidates(chunks: Chunks) -> Iterator[Json]:
    for chunk in chunks:
        yield from chunk.body.get("candidates", ())


def _parts(chunks: Chunks) -> Iterator[Json]:
    for candidate in _candidates(chunks):
        yield from candidate.get("content", {}).get("parts", ())


def _on_parts(change: Callable[[Json], object]) -> Callable[[Chunks], Chunks]:
    def quirk(chunks: Chunks) -> Chunks:
        for part in _parts(chunks):
            change(part)
        return chunks

    return quirk


def _on_chunks(change: Callable[[Json, bool], object]) -> Callable[[Chunks], Chunks]:
    """`change` gets each body and whether it is the last."""

    def quirk(chunks: Chunks) -> Chunks:
        for index, chunk in enumerate(chunks):
            change(chunk.body, index == len(chunks) - 1)
        return chunks

    return quirk


def _blocked(chunks: Chunks) -> Chunks:
    """The prompt was refused: no candidate at all."""
    last = chunks[-1].body
    usage = {"promptTokenCount": last["usageMetadata"]["promptTokenCount"]}
    usage["totalTokenCount"] = usage["promptTokenCount"]
    body = {name: value for name, value in last.items() if name != "candidates"}
    return [Chunk("end", {**body, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage})]


def _signed_empty_part(chunks: Chunks) -> Chunks:
    """The signature of a text comes on an empty text part at the end."""
    for part in list(_parts(chunks)):
        if "thoughtSignature" in part and "functionCall" not in part:
            signature = part.pop("thoughtSignature")
            last = chunks[-1].body["candidates"][0]["content"]["parts"]
            if last and last[-1].get("text") == "":
                last[-1]["thoughtSignature"] = signature
            else:
                last.append({"text": "", "thoughtSignature": signature})
    return chunks


def _together(chunks: Chunks) -> Chunks:
    """All calls in one chunk."""
    calls = [chunk for chunk in chunks if any("functionCall" in part for part in _parts([chunk]))]
    for chunk in calls[1:]:
        calls[0].body["candidates"][0]["content"]["parts"] += chunk.body["candidates"][0]["content"]["parts"]
    return [chunk for chunk in chunks if chunk not in calls[1:]]


def _finish_with_content(chunks: Chunks) -> Chunks:
    """The last content and the finish in one chunk."""
    if len(chunks) < 2:
        return chunks
    content, end = chunks[-2], chunks[-1]
    for candidate, other in zip(end.body["candidates"], content.body["candidates"], strict=False):
        candidate["content"] = other["content"]
    return [*chunks[:-2], end]


def _no_content_at_the_end(chunks: Chunks) -> Chunks:
    if len(chunks) > 1:
        for candidate in chunks[-1].body["candidates"]:
            candidate.pop("content", None)
    return chunks


def _bare(candidates: Json) -> None:
    for candidate in candidates:
        candidate.pop("index", None)
        candidate.get("content", {}).pop("role", None)


def _no_ids(part: Json) -> None:
    if "functionCall" in part:
        part["functionCall"].pop("id", None)


def _no_arguments(part: Json) -> None:
    if "functionCall" in part and not part["functionCall"].get("args"):
        part["functionCall"].pop("args", None)


def _undeclared(part: Json) -> None:
    if "functionCall" in part:
        part["functionCall"]["name"] = "default_api." + part["functionCall"]["name"]


def _wrong_arguments(part: Json) -> None:
    if "functionCall" in part:
        part["functionCall"]["args"] = {"unexpected": True}


def _grounded(body: Json, last: bool) -> None:
    if last:
        web = {"web": {"uri": "https://example.org/a", "title": "example.org"}}
        support = {"segment": {"startIndex": 0, "endIndex": 3, "text": "You"}, "groundingChunkIndices": [0]}
        found = {"webSearchQueries": ["x"], "groundingChunks": [web], "groundingSupports": [support]}
        body["candidates"][0]["groundingMetadata"] = found


def _usage(change: Callable[[Json, bool], Json]) -> Callable[[Chunks], Chunks]:
    def quirk(body: Json, last: bool) -> None:
        found = change(body.pop("usageMetadata"), last)
        if found is not None:
            body["usageMetadata"] = found

    return _on_chunks(quirk)


def _thinned(usage: Json, last: bool) -> Json:
    """The prompt's counts come at first only."""
    return (
        {"candidatesTokenCount": usage["candidatesTokenCount"]} if last and "candidatesTokenCount" in usage else usage
    )


def _unknown(body: Json, last: bool) -> None:
    body["weather"] = {"sky": "clear"}
    for candidate in body.get("candidates", ()):
        candidate["mood"] = "fine"
        candidate.get("content", {}).get("parts", []).append({"hologram": {"size": 3}})


CHUNKS: dict[str, Callable[[Chunks], Chunks]] = {
    "blocked-prompt": _blocked,
    "signed-empty-part": _signed_empty_part,
    "no-ids": _on_parts(_no_ids),
    "no-arguments": _on_parts(_no_arguments),
    "undeclared-name": _on_parts(_undeclared),
    "wrong-arguments": _on_parts(_wrong_arguments),
    "calls-together": _together,
    "finish-with-content": _finish_with_content,
    "no-content-at-the-end": _no_content_at_the_end,
    "no-role-no-index": _on_chunks(lambda body, last: _bare(body.get("candidates", ()))),
    "no-usage": _usage(lambda usage, last: None),
    "empty-usage": _usage(lambda usage, last: {}),
    "usage-at-the-end": _usage(lambda usage, last: usage if last else None),
    "usage-thinned": _usage(_thinned),
    "grounding": _on_chunks(_grounded),
    "unknown-fields": _on_chunks(_unknown),
}

_ERROR = {"code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE"}
ERRORS: dict[str, Json] = {
    "error-late": {"error": _ERROR},
    "error-without-code": {"error": {name: _ERROR[name] for name in ("message", "status")}},
    "error-bare": {"error": _ERROR},
}
"""Errors after some content: as an event, without a code, and as bare lines of JSON."""

WRITING: dict[str, Callable[[bytes, int], bytes]] = {
    "lf": lambda data, index: data.replace(b"\r\n", b"\n"),
    **{name: SSE_WRITING[name] for name in ("comments", "no-space", "blank-lines", "bom")},
}


def copied(chunks: Chunks) -> Chunks:
    """Chunks that a quirk may change."""
    return [Chunk(chunk.kind, copy.deepcopy(chunk.body)) for chunk in chunks]
