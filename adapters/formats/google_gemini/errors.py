"""Google's error bodies (google.rpc.Status in JSON, 2026-11): an upstream's -> Failure, a Failure -> a client's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import ceil

from adapters import json
from adapters.errors import STATUS, Attempt, ErrorType, Failure
from adapters.format import ErrorAnswer
from adapters.formats.shared.envelope import attempts_list, retry_headers
from adapters.formats.shared.http import retry_after, type_of
from adapters.model import Json

EXHAUSTED_AFTER = 300.0
"""A wait beyond this many seconds means that the quota is used up for now."""

_CODES: Mapping[str, int] = {
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "OUT_OF_RANGE": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ABORTED": 409,
    "RESOURCE_EXHAUSTED": 429,
    "CANCELLED": 499,
    "INTERNAL": 500,
    "UNKNOWN": 500,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
"""status -> HTTP code, where an error inside a 200 has no code."""

_REASONS: tuple[tuple[str, ErrorType], ...] = (
    (r"API_KEY_INVALID|API_KEY_EXPIRED|SERVICE_DISABLED", "upstream_auth_error"),
    (r"QUOTA_EXHAUSTED|INSUFFICIENT_\w*CREDITS\w*", "billing_error"),
    (r"MODEL_CAPACITY_(?:EXHAUSTED|EXCEEDED)", "overloaded_error"),
)
"""`reason` of an ErrorInfo."""

_SENTENCES: tuple[tuple[int, str | None, str, ErrorType], ...] = (
    (400, None, r"API key (?:not valid|expired)", "upstream_auth_error"),
    (400, None, r"input token count.*exceeds the maximum number of tokens allowed", "context_length_exceeded"),
    (400, None, r"number of tokens allowed", "context_length_exceeded"),
    (400, "FAILED_PRECONDITION", r"billing", "billing_error"),
    (400, None, r"User location is not supported", "upstream_auth_error"),
    (429, None, r"limit: 0\b", "billing_error"),
    (429, None, r"exhausted your capacity", "overloaded_error"),
)
"""What only the message says: HTTP status, status word (None: any), words, type."""

_DAILY = re.compile(r"PerDay|Daily", re.IGNORECASE)
_DELAY = re.compile(r"([0-9.]+)(ms|s)")
_RETRY_IN = re.compile(r"Please retry in ([0-9.]+m?s)")


def failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """The failure of a non-2xx answer. Never raises."""
    try:
        found = error_in(json.loads(body))
    except ValueError:
        found = None
    if found is None:
        text = " ".join(body.decode("utf-8", "replace").split())
        unexplained = status == 400 and not text
        kind: ErrorType = "api_error" if unexplained else _of_status(status)
        words = text[:500] or f"HTTP {status} without a body"
        return Failure(kind, words, status, retry_after=retry_after(headers))
    return of_error(found, status, headers)


def error_in(value: Json) -> Mapping[str, Json] | None:
    """The error object of a body: bare, or in a list (stream endpoints)."""
    match value:
        case {"error": dict(error)}:
            return error
        case {"error": str(text)}:
            return {"message": text}
        case [first, *_]:
            return error_in(first)
    return None


def of_error(error: Mapping[str, Json], status: int | None, headers: Mapping[str, str]) -> Failure:
    """The failure of an error object. `status` None: it stood in a 200, where its own code counts."""
    word = error.get("status")
    if status is None:
        status = _code(error.get("code")) or (_CODES.get(word) if isinstance(word, str) else None)
    message = error.get("message")
    message = message if isinstance(message, str) and message else f"{word or 'error'} without a message"
    listed = error.get("details")
    details = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    wait = retry_after(headers)
    wait = _hint(details, message) if wait is None else wait
    by_status: ErrorType = "api_error" if status is None else _of_status(status)
    kind = _reason(status, details) or _sentence(status, word, message) or by_status
    return Failure(
        kind,
        message,
        status,
        code=word if isinstance(word, str) else None,
        retry_after=wait,
        retry_same=not (kind == "rate_limit_error" and wait is not None and wait > EXHAUSTED_AFTER),
    )


def _code(value: Json) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600 else None


def _of_status(status: int) -> ErrorType:
    return "connection_error" if status == 499 else type_of(status)


def _reason(status: int | None, details: Iterable[Mapping[str, Json]]) -> ErrorType | None:
    for detail in details:
        reason = detail.get("reason")
        for pattern, kind in _REASONS:
            if isinstance(reason, str) and re.fullmatch(pattern, reason):
                return kind
        violations = detail.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            if status == 429 and isinstance(violation, dict) and _DAILY.search(str(violation.get("quotaId", ""))):
                return "billing_error"
    return None


def _sentence(status: int | None, word: Json, message: str) -> ErrorType | None:
    for code, needed, pattern, kind in _SENTENCES:
        if code == status and needed in (None, word) and re.search(pattern, message, re.DOTALL | re.IGNORECASE):
            return kind
    return None


def _hint(details: Iterable[Mapping[str, Json]], message: str) -> float | None:
    """Seconds from RetryInfo, else from the message."""
    for detail in details:
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and (seconds := _seconds(delay)) is not None:
            return seconds
    found = _RETRY_IN.search(message)
    return _seconds(found[1]) if found else None


def _seconds(text: str) -> float | None:
    found = _DELAY.fullmatch(text.strip())
    try:
        return float(found[1]) / (1000 if found[2] == "ms" else 1) if found else None
    except ValueError:
        return None


# --- towards clients ---------------------------------------------------------------------------------------------

_STATUS_WORDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    402: "RESOURCE_EXHAUSTED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    502: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_CONTEXT = "The input token count exceeds the maximum number of tokens allowed"


def envelope(failure: Failure, attempts: tuple[Attempt, ...]) -> dict[str, Json]:
    """The error body. `error` is its first and only key: the Python SDK looks at how the dumped text begins."""
    code = 405 if failure.status is None and failure.code == "method_not_allowed" else STATUS[failure.type]
    error: dict[str, Json] = {
        "code": code,
        "message": _message(failure),
        "status": _STATUS_WORDS[code],
        "toolwire_type": failure.type,
    }
    if failure.retry_after is not None:
        delay = f"{ceil(failure.retry_after)}s"
        error["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    if attempts:
        error["attempts"] = attempts_list(attempts)
    return {"error": error}


def _message(failure: Failure) -> str:
    """Gemini clients know an over-long prompt by these words."""
    text = failure.message
    if failure.type == "context_length_exceeded" and not re.search(
        "input token count.*exceeds the maximum number of tokens allowed", text, re.DOTALL
    ):
        return f"{_CONTEXT}: {text}"
    return text


def answer(failure: Failure, attempts: tuple[Attempt, ...]) -> ErrorAnswer:
    """An error before anything else was sent."""
    return ErrorAnswer(STATUS[failure.type], json.dumps(envelope(failure, attempts)), retry_headers(failure))
