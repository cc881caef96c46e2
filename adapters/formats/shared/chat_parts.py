"""Content and reasoning of chat-like messages: part lists, OpenRouter's `reasoning_details`, Mistral's thinking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from adapters.errors import Malformed
from adapters.model import NOTHING, Citation, Json, Reasoning

_VISIBLE = ("response.output_text", "response.text")
"""Types in `reasoning_details` whose text is the answer's (OpenRouter, 2026-11)."""

Piece = tuple[Literal["text", "refusal", "reasoning"], str, Mapping[str, Json] | None]


def pieces(content: Json) -> Iterator[Piece]:
    """The pieces of a content: a text, or parts; a thinking part comes with itself. Raises Malformed."""
    match content:
        case None:
            return
        case str():
            yield "text", content, None
        case list():
            for part in content:
                yield from _part(part)
        case _:
            raise Malformed("content is neither text nor a list of parts")


def _part(part: Json) -> Iterator[Piece]:
    match part:
        case str():
            yield "text", part, None
        case {"type": "text", "text": str(text)}:
            yield "text", text, None
        case {"type": "refusal", "refusal": str(text)}:
            yield "refusal", text, None
        case {"type": "thinking"}:
            yield "reasoning", thinking_text(part.get("thinking")), part


def thinking_text(value: Json) -> str:
    """The text of a thinking part: a text, or a list of texts and references."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    return "".join(one["text"] for one in value if isinstance(one, dict) and isinstance(one.get("text"), str))


class Thoughts:
    """The opaque half of a reasoning part, as it comes in pieces."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Json]] = []
        self._thinking = False
        self._signature: str | None = None
        self._more: list[Json] = []

    def take(self, entries: Iterable[Json]) -> tuple[str, str]:
        """Entries of `reasoning_details`: their readable text, and text that is the answer's."""
        told: list[str] = []
        visible: list[str] = []
        for entry in entries:
            if not isinstance(entry, dict):
                continue
            if entry.get("type") in _VISIBLE:
                visible.append(readable(entry))
                continue
            told.append(readable(entry))
            self._add(entry)
        return "".join(told), "".join(visible)

    def _add(self, entry: Mapping[str, Json]) -> None:
        """Pieces of one entry have its index and type; without an index a text goes on with the text before it."""
        for known in reversed(self._entries):
            if known.get("type") == entry.get("type") and known.get("index") == entry.get("index"):
                _join(known, entry)
                return
            if entry.get("index") is None:
                break
        self._entries.append({key: value for key, value in entry.items() if value is not None})

    def sign(self, part: Mapping[str, Json]) -> None:
        """A native thinking part, whose signature comes at its end; what it holds beside texts is kept."""
        self._thinking = True
        if isinstance(signature := part.get("signature"), str) and signature:
            self._signature = signature
        if isinstance(inner := part.get("thinking"), list):
            self._more += (one for one in inner if isinstance(one, dict) and one.get("type") != "text")

    def block(self, api: str) -> Reasoning | None:
        """What is opaque about the part, whose native block `api` knows; None where its text is all."""
        if self._entries:
            return native(self._entries, api)
        if not self._thinking:
            return None
        extras = {api: {"more": self._more}} if self._more else NOTHING
        return Reasoning("", api, signature=self._signature, extras=extras)


def native(entries: list[dict[str, Json]], api: str, text: str = "", origin: str | None = None) -> Reasoning:
    """A block of `reasoning_details` entries, which are kept as they came."""
    return Reasoning(
        text,
        api,
        origin,
        _first(entries, "id"),
        _first(entries, "signature"),
        _first(entries, "data"),
        extras={api: {"reasoning_details": entries}},
    )


def readable(entry: Mapping[str, Json]) -> str:
    """The text that an entry shows."""
    for key in ("text", "summary"):
        if isinstance(text := entry.get(key), str) and text:
            return text
    return ""


def _first(entries: Iterable[Mapping[str, Json]], key: str) -> str | None:
    return next((value for entry in entries if isinstance(value := entry.get(key), str) and value), None)


def _join(known: dict[str, Json], entry: Mapping[str, Json]) -> None:
    for key, value in entry.items():
        before = known.get(key)
        if key in ("text", "summary", "data") and isinstance(before, str) and isinstance(value, str):
            known[key] = before + value
        elif before is None and value is not None:
            known[key] = value


def citation(value: Json, api: str) -> Citation | None:
    """An entry of `annotations`. What is no URL citation is kept for clients of the same dialect."""
    match value:
        case {"type": "url_citation", "url_citation": dict() as cited}:
            url, title, start, end = (cited.get(key) for key in ("url", "title", "start_index", "end_index"))
            return Citation(
                url if isinstance(url, str) else None,
                title if isinstance(title, str) else None,
                start if isinstance(start, int) else None,
                end if isinstance(end, int) else None,
            )
        case dict():
            return Citation(extras={api: value})
    return None
