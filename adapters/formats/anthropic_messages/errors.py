"""Errors of the Messages API (2026-11): HTTP answers and `error` events to failures, failures to the envelope.

The type says most; codes and sentences tell apart what `invalid_request_error` covers. Sentences are rows of a table.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import STATUS, Attempt, ErrorType, Failure
from adapters.format import ErrorAnswer
from adapters.formats.shared.envelope import attempts_list, retry_headers
from adapters.formats.shared.http import retry_after, type_of
from adapters.model import Json

_TYPES: Mapping[str, ErrorType] = {
    "invalid_request_error": "invalid_request_error",
    "authentication_error": "upstream_auth_error",
    "permission_error": "upstream_auth_error",
    "billing_error": "billing_error",
    "not_found_error": "not_found_error",
    "timeout_error": "timeout_error",
    "conflict_error": "api_error",
    "request_too_large": "request_too_large",
    "rate_limit_error": "rate_limit_error",
    "api_error": "api_error",
    "overloaded_error": "overloaded_error",
}
_CODES: Mapping[str, ErrorType] = {
    "enforced_spend_limit_reached": "billing_error",
    "contract_spend_limit_reached": "billing_error",
    "organization_on_hold": "billing_error",
}
_SENTENCES: tuple[tuple[str, ErrorType], ...] = (
    ("prompt is too long", "context_length_exceeded"),
    ("exceed context limit", "context_length_exceeded"),
    ("credit balance is too low", "billing_error"),
    ("usage limits", "billing_error"),
    ("content filtering policy", "content_filter"),
)
"""Part of the message of an `invalid_request_error` -> type."""

_NAMES: Mapping[ErrorType, str] = {
    "invalid_request_error": "invalid_request_error",
    "context_length_exceeded": "invalid_request_error",
    "content_filter": "invalid_request_error",
    "authentication_error": "authentication_error",
    "permission_error": "permission_error",
    "billing_error": "billing_error",
    "not_found_error": "not_found_error",
    "request_too_large": "request_too_large",
    "rate_limit_error": "rate_limit_error",
    "overloaded_error": "overloaded_error",
    "timeout_error": "timeout_error",
}
"""Our type -> the envelope's; all others are `api_error`."""

_TOO_LONG = "prompt is too long"
"""Claude Code and others look for these words to start compaction."""


# --- from upstreams ----------------------------------------------------------------------------------------------


def failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """What a non-2xx answer means. Header names are lower case."""
    error = _error(body)
    found = failure_of(error, status) if error is not None else _unexplained(status, body)
    again = headers.get("x-should-retry", "").strip().lower() != "false"
    return Failure(
        found.type, found.message, status, found.code, retry_after=retry_after(headers), retry_same=again
    )


def failure_of(error: Mapping[str, Json], status: int | None = None) -> Failure:
    """What an `error` object means, from an answer of this status or, with None, from a 200."""
    message = error.get("message")
    text = message if isinstance(message, str) and message else "the upstream failed without a message"
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, Mapping) else None
    code = code if isinstance(code, str) else None
    kind = _type(error.get("type"), status)
    if kind == "invalid_request_error":
        kind = _CODES.get(code or "") or _sentence(text) or kind
    return Failure(kind, text, status, code)


def _type(word: Json, status: int | None) -> ErrorType:
    """By type where the status says little (400, 5xx without a meaning of its own), else by status."""
    named = _TYPES.get(word) if isinstance(word, str) else None
    if status is None:
        return named or "api_error"
    by_status = type_of(status)
    return named or by_status if by_status in ("invalid_request_error", "api_error") and status != 409 else by_status


def _sentence(text: str) -> ErrorType | None:
    lower = text.lower()
    return next((kind for part, kind in _SENTENCES if part in lower), None)


def _error(body: bytes) -> Mapping[str, Json] | None:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    error = value.get("error") if isinstance(value, Mapping) else None
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, Mapping) else None


def _unexplained(status: int, body: bytes) -> Failure:
    kind = type_of(status)
    text = body[:200].decode("utf-8", "replace").strip()
    if kind == "invalid_request_error" and not text:
        kind = "api_error"
    plain = text and not text.startswith("<")
    return Failure(kind, f"HTTP {status}: {text}" if plain else f"HTTP {status} without an explanation")


# --- towards clients ---------------------------------------------------------------------------------------------


def envelope(found: Failure, attempts: tuple[Attempt, ...], request_id: str | None) -> dict[str, Json]:
    """The error object of a body or of an `error` event."""
    message = found.message
    if found.type == "context_length_exceeded" and _TOO_LONG not in message.lower():
        message = f"{_TOO_LONG}: {message}"
    error: dict[str, Json] = {
        "type": _NAMES.get(found.type, "api_error"),
        "message": json.clean(message),
        "toolwire_type": found.type,
    }
    if found.code is not None:
        error["code"] = found.code
        error["details"] = {"error_code": found.code}
    if found.param is not None:
        error["param"] = found.param
    if attempts:
        error["attempts"] = attempts_list(attempts)
    body: dict[str, Json] = {"type": "error", "error": error}
    if request_id is not None:
        body["request_id"] = request_id
    return body


def answer(found: Failure, attempts: tuple[Attempt, ...], request_id: str) -> ErrorAnswer:
    """An error before anything else was sent."""
    headers = (("request-id", request_id), *retry_headers(found))
    return ErrorAnswer(STATUS[found.type], json.dumps(envelope(found, attempts, request_id)), headers)
