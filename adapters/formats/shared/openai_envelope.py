"""OpenAI's error envelope towards clients, the same for Chat Completions and Responses (openai-chat §8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil

from adapters import json
from adapters.errors import STATUS, Attempt, ErrorType, Failure
from adapters.format import ErrorAnswer, Quota
from adapters.formats.shared.envelope import attempts_list, retry_headers
from adapters.model import Json

CODES: Mapping[ErrorType, str | None] = {
    "context_length_exceeded": "context_length_exceeded",
    "rate_limit_error": "rate_limit_exceeded",
    "billing_error": "insufficient_quota",
    "authentication_error": "invalid_api_key",
    "not_found_error": "model_not_found",
    "content_filter": "content_filter",
    "upstream_auth_error": None,
}
"""The codes that users of the SDKs test for. An upstream's key is none of the client's business."""


def error_fields(failure: Failure, attempts: Iterable[Attempt]) -> dict[str, Json]:
    """The `error` object."""
    own = failure.status is None and failure.type == "not_found_error"  # no upstream was asked: the code is ours
    error: dict[str, Json] = {
        "message": failure.message,
        "type": failure.type,
        "param": failure.param,
        "code": failure.code if own and failure.code else CODES.get(failure.type, failure.code),
    }
    if told := attempts_list(attempts):
        error["attempts"] = told
    return error


def answer(failure: Failure, attempts: Iterable[Attempt]) -> ErrorAnswer:
    """The error before anything else was sent."""
    body = json.dumps({"error": error_fields(failure, attempts)})
    return ErrorAnswer(STATUS[failure.type], body, retry_headers(failure))


def quota_headers(quota: Quota) -> tuple[tuple[str, str], ...]:
    """`reset` is the time until the quota is whole again, written `1m20s` or `20s` (2026-11)."""
    minutes, seconds = divmod(ceil(quota.seconds), 60)
    reset = f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
    values = (("limit", str(quota.limit)), ("remaining", str(quota.remaining)), ("reset", reset))
    return tuple((f"x-ratelimit-{name}-requests", value) for name, value in values)
