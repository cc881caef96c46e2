"""Errors of Ollama (2026-11): `{"error": "text"}` under a status or as a line of a stream. There are no codes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from adapters import json
from adapters.errors import ErrorType, Failure
from adapters.formats.shared.http import retry_after, type_of
from adapters.model import Json

_SENTENCES: tuple[tuple[str, ErrorType], ...] = (
    (r"the input length exceeds the context length", "context_length_exceeded"),
    (r"input exceeds maximum context length", "context_length_exceeded"),
    (r"prompt has \d+ tokens but the configured context size is", "context_length_exceeded"),
    (r"exceeds the available context size", "context_length_exceeded"),
    (r"error parsing tool call", "invalid_tool_call"),
    (r"requires more system memory", "api_error"),
    (r"does not support (?:tools|thinking)", "invalid_request_error"),
    (r"invalid think value", "invalid_request_error"),
    (r"cannot unmarshal", "invalid_request_error"),
    (r"model is required", "invalid_request_error"),
    (r"try pulling it first", "not_found_error"),
    (r"model '[^']*' not found", "not_found_error"),
    (r"server busy", "overloaded_error"),
    (r"maximum pending requests exceeded", "overloaded_error"),
)
"""Looked for where the status does not decide: under 400 and 500, and in a stream without a status."""

_LIMIT = re.compile(r"(?:usage|session|hourly|daily|weekly|monthly) (?:usage )?limit", re.IGNORECASE)
_PAID = re.compile(r"upgrade|subscription", re.IGNORECASE)
_NO_RETRY = re.compile(r"requires more system memory", re.IGNORECASE)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in _SENTENCES)
_LONGEST = 2000


def failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """What a non-2xx answer means. Header names are lower case. Never raises."""
    text = _text(body)
    found = _failure(text, status)
    return Failure(
        found.type, text or f"the upstream answered HTTP {status}", status, retry_after=retry_after(headers),
        retry_same=found.retry_same,
    )


def failure_inside(error: Json, status: Json = None) -> Failure:
    """What an error object inside a 200 means; `status` where it names one."""
    text = _message(error)
    known = status if isinstance(status, int) and 400 <= status < 600 else None
    found = _failure(text, known)
    return Failure(found.type, text or "the upstream reported an error", known, retry_same=found.retry_same)


def _failure(text: str, status: int | None) -> Failure:
    return Failure(_type(text, status), text, status, retry_same=_NO_RETRY.search(text) is None)


def _type(text: str, status: int | None) -> ErrorType:
    limited = _LIMIT.search(text) is not None
    if status in (402, 429) or (status is None and limited):
        if _PAID.search(text):
            return "billing_error"
        return "rate_limit_error" if limited or status != 402 else "billing_error"
    if status in (None, 400, 500):
        by_text = next((kind for pattern, kind in _COMPILED if pattern.search(text)), None)
        if by_text is not None:
            return by_text
    if status == 499:
        return "connection_error"
    if status is None or (status == 400 and not text):
        return "api_error"
    return type_of(status)


def _text(body: bytes) -> str:
    try:
        value = json.loads(body)
    except ValueError:
        text = body[: 4 * _LONGEST].decode("utf-8", "replace").strip()
        return "" if text.startswith("<") else text[:_LONGEST]
    return _message(value)


def _message(value: Json) -> str:
    """The text of `{"error": "…"}`; proxies in front of the server put a message into an object there."""
    match value:
        case str(text) | {"error": str(text)} | {"error": {"message": str(text)}} | {"message": str(text)}:
            return text[:_LONGEST]
    return ""
