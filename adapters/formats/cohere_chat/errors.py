"""Errors of Cohere (2026-11): `{"message": "…"}` under a status. No codes: the status decides, and a few sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping

from adapters import json
from adapters.errors import ErrorType, Failure
from adapters.formats.shared.http import retry_after, type_of
from adapters.model import Json

_SENTENCES: tuple[tuple[int | None, str, ErrorType], ...] = (
    (400, r"too many tokens: total number of tokens in the prompt", "context_length_exceeded"),
    (400, r"size limit exceeded by \d+ tokens", "context_length_exceeded"),
    (400, r"multi-hop prompt is too long", "context_length_exceeded"),
    (402, r"", "billing_error"),
    (429, r"/ ?month", "billing_error"),
    (498, r"blocked", "content_filter"),
    (499, r"", "connection_error"),
)
"""Status, a part of the message -> type; the first row that fits holds, then the status alone."""

_COMPILED = tuple((status, re.compile(pattern, re.IGNORECASE), kind) for status, pattern, kind in _SENTENCES)
_LONGEST = 2000


def failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """What a non-2xx answer means. Header names are lower case. Never raises."""
    text = _text(body)
    return Failure(
        _type(text, status), text or f"the upstream answered HTTP {status}", status, retry_after=retry_after(headers)
    )


def failure_inside(message: Json, kind: ErrorType = "api_error") -> Failure:
    """What an error inside a 200 means: by its sentence as under status 400, else `kind`."""
    text = message[:_LONGEST] if isinstance(message, str) else ""
    found = next((row for status, pattern, row in _COMPILED if status == 400 and pattern.search(text)), kind)
    return Failure(found, text or "the upstream reported an error")


def _type(text: str, status: int) -> ErrorType:
    for known, pattern, kind in _COMPILED:
        if status == known and pattern.search(text):
            return kind
    if status == 400 and not text:
        return "api_error"
    return type_of(status)


def _text(body: bytes) -> str:
    try:
        value = json.loads(body)
    except ValueError:
        text = body[: 4 * _LONGEST].decode("utf-8", "replace").strip()
        return "" if text.startswith("<") else text[:_LONGEST]
    match value:
        case str(text) | {"message": str(text)} | {"error": str(text)} | {"error": {"message": str(text)}}:
            return text[:_LONGEST]
    return ""
