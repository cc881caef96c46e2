"""One taxonomy of failures (contract §4), and the two exceptions of this package.

`Failure` values travel; exceptions are only for `Malformed` (the peer broke its protocol: the upstream's fault) and
`Rejected` (the client's request cannot be carried out: the client's fault), and are turned into failures at the edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

ErrorType = Literal[
    "invalid_request_error",
    "context_length_exceeded",
    "content_filter",
    "authentication_error",
    "permission_error",
    "billing_error",
    "not_found_error",
    "request_too_large",
    "rate_limit_error",
    "upstream_auth_error",
    "api_error",
    "connection_error",
    "malformed_response",
    "invalid_tool_call",
    "overloaded_error",
    "timeout_error",
    "stream_interrupted",
]

ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)

STATUS: dict[ErrorType, int] = {
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "content_filter": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "billing_error": 402,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "upstream_auth_error": 502,
    "api_error": 502,
    "connection_error": 502,
    "malformed_response": 502,
    "invalid_tool_call": 502,
    "overloaded_error": 503,
    "timeout_error": 504,
    "stream_interrupted": 502,
}
"""Error type -> HTTP status that the client sees."""

RETRIED: frozenset[ErrorType] = frozenset(
    {
        "rate_limit_error",
        "overloaded_error",
        "api_error",
        "connection_error",
        "timeout_error",
        "malformed_response",
        "invalid_tool_call",
    }
)
"""Types after which the same target is asked again."""

DEFAULT_ON_ERRORS: tuple[ErrorType, ...] = (
    "rate_limit_error",
    "overloaded_error",
    "api_error",
    "connection_error",
    "timeout_error",
    "malformed_response",
    "invalid_tool_call",
    "upstream_auth_error",
    "billing_error",
)
"""`on_errors` where the route names none."""

NO_CLIENT_RETRY: frozenset[ErrorType] = frozenset(
    {
        "invalid_request_error",
        "context_length_exceeded",
        "content_filter",
        "authentication_error",
        "permission_error",
        "billing_error",
        "not_found_error",
        "request_too_large",
        "upstream_auth_error",
    }
)
"""Types that go out with `x-should-retry: false`."""


@dataclass(slots=True, frozen=True)
class Failure:
    """Why an attempt, or the request, failed.

    `status` is the upstream's own HTTP status, or the code in an error inside a 200 (None: there was none).
    `retry_after` in seconds. `retry_same` False: asking the same target again is pointless whatever the type says.
    `code` and `param` as the client's SDK tests for them. `generation` is what the model wrote where the upstream
    refused that as a malformed call (never shown or logged). The message is the upstream's or ours, fit for the client
    once the proxy has taken secrets out of it.
    """

    type: ErrorType
    message: str
    status: int | None = None
    code: str | None = None
    param: str | None = None
    retry_after: float | None = None
    retry_same: bool = True
    generation: str | None = field(default=None, repr=False)


@dataclass(slots=True, frozen=True)
class Attempt:
    """One try of one target, as `error.attempts` and the log show it."""

    target: str
    type: str
    status: int | None
    seconds: float


class Malformed(Exception):
    """The upstream answered what its API does not allow."""


class InvalidCall(Malformed):
    """A call's arguments are no JSON object, and the client's dialect carries objects (`invalid_tool_call`)."""


class Rejected(Exception):
    """The client's request cannot be carried out. `param` is the dotted path of the field that is wrong."""

    def __init__(self, message: str, param: str | None = None, *, type: ErrorType = "invalid_request_error",
                 code: str | None = None) -> None:
        super().__init__(message)
        self.failure = Failure(type, message, code=code, param=param)
