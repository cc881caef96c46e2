"""Errors of Bedrock (2026-11): HTTP answers and exceptions in a stream.

The code decides: the header `x-amzn-errortype` (cut at ":"), else `__type` in the body (after "#"). Sentences tell
apart what ValidationException and ThrottlingException cover; overflow is never read out of throttling.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import ErrorType, Failure
from adapters.formats.shared.http import retry_after, type_of
from adapters.model import Json

_CODES: Mapping[str, ErrorType] = {
    "validationexception": "invalid_request_error",
    "servicequotaexceededexception": "billing_error",
    "accessdeniedexception": "upstream_auth_error",
    "unrecognizedclientexception": "upstream_auth_error",
    "invalidsignatureexception": "upstream_auth_error",
    "expiredtokenexception": "upstream_auth_error",
    "incompletesignature": "upstream_auth_error",
    "mpagreementbeingcreated": "overloaded_error",
    "resourcenotfoundexception": "not_found_error",
    "modeltimeoutexception": "timeout_error",
    "modelerrorexception": "api_error",
    "modelstreamerrorexception": "api_error",
    "throttlingexception": "rate_limit_error",
    "modelnotreadyexception": "overloaded_error",
    "internalserverexception": "api_error",
    "serviceunavailableexception": "overloaded_error",
}
"""Code in lower case -> type. Exceptions in a stream are spelled with a small first letter."""

_SENTENCES: Mapping[str, tuple[tuple[str, ErrorType], ...]] = {
    "validationexception": (
        ("input is too long", "context_length_exceeded"),
        ("input tokens exceeded", "context_length_exceeded"),
        ("prompt is too long", "context_length_exceeded"),
        ("too many total text bytes", "context_length_exceeded"),
        ("provided model identifier is invalid", "not_found_error"),
    ),
    "throttlingexception": (("too many tokens per day", "billing_error"),),
    "accessdeniedexception": (("mpagreementbeingcreated", "overloaded_error"),),
}
"""Code -> parts of its message and what they mean."""

_IN_STREAM: Mapping[str, int] = {
    "throttlingexception": 429,
    "serviceunavailableexception": 503,
    "internalserverexception": 500,
    "validationexception": 400,
    "modelstreamerrorexception": 424,
    "modeltimeoutexception": 408,
}
"""Exception in a stream -> the status that it would have had."""

_OWN_STATUSES = frozenset({402, 409, 413, 504, 524})
"""Statuses that none of the codes has by the page: something between answered, and the status says more."""

_AGREEMENT_SECONDS = 900.0
"""How long a marketplace subscription takes to be made."""
_LONGEST = 2000


def failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """What a non-2xx answer means. Header names are lower case. Never raises."""
    value = _decoded(body)
    code = headers.get("x-amzn-errortype", "").partition(":")[0].strip() or _type_in(value)
    text = _message(value) or ("" if value is not None else _plain(body))
    return _failure(code, text, status, retry_after(headers))


def exception(code: str, payload: bytes) -> Failure:
    """What an exception in a stream means; its name is the code."""
    value = _decoded(payload)
    text = _message(value) or _plain(payload)
    return _failure(code, text, _IN_STREAM.get(code.lower()), None)


def _failure(code: str, text: str, status: int | None, wait: float | None) -> Failure:
    kind = _kind(code.lower(), text.lower(), status)
    if kind == "overloaded_error" and wait is None and "mpagreementbeingcreated" in f"{code} {text}".lower():
        wait = _AGREEMENT_SECONDS
    told = text or (f"the upstream answered HTTP {status}" if status is not None else "the upstream reported an error")
    return Failure(kind, told, status, code or None, retry_after=wait)


def _kind(code: str, text: str, status: int | None) -> ErrorType:
    sentences = _SENTENCES.get(code or ("validationexception" if status == 400 else ""), ())
    for part, kind in sentences:
        if part in text:
            return kind
    if status in _OWN_STATUSES:
        return type_of(status)
    if code in _CODES:
        return _CODES[code]
    if status is None or (status == 400 and not text) or status == 424:
        return "api_error"
    return type_of(status)


def _decoded(body: bytes) -> Json:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _type_in(value: Json) -> str:
    match value:
        case {"__type": str(name)}:
            return name.rpartition("#")[2]
    return ""


def _message(value: Json) -> str:
    """With what the model's own server said, where the answer tells it apart."""
    match value:
        case {"message": str(text)} | {"Message": str(text)}:
            original = value.get("originalMessage")
            told = f"{text}: {original}" if isinstance(original, str) and original and original not in text else text
            return told[:_LONGEST]
    return ""


def _plain(body: bytes) -> str:
    text = body[: 4 * _LONGEST].decode("utf-8", "replace").strip()
    return "" if text.startswith(("<", "{", "[")) else text[:_LONGEST]
