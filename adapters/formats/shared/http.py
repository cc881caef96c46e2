"""HTTP facts that the errors of all APIs share: what a bare status means, and when to come back."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from adapters.errors import ErrorType

_STATUS: Mapping[int, ErrorType] = {
    401: "upstream_auth_error",
    402: "billing_error",
    403: "upstream_auth_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "api_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    524: "timeout_error",
    529: "overloaded_error",
}


def type_of(status: int) -> ErrorType:
    """The error type of a status that no body explains (contract §4). Statuses below 400 are no errors: api_error."""
    found = _STATUS.get(status)
    if found is not None:
        return found
    return "invalid_request_error" if 400 <= status < 500 else "api_error"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms` or `retry-after`; None where neither says. Header names are lower case.

    A date is measured against the answer's own `date` header: this package reads no clock.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    try:
        wait = parsedate_to_datetime(text) - parsedate_to_datetime(headers["date"])
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
    return max(0.0, wait.total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None
