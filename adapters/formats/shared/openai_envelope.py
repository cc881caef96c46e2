"""OpenAI's error envelope towards clients, the same for Chat Completions and Responses (openai-chat §8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adapters import json
from adapters.errors import STATUS, Attempt, ErrorType, Failure
from adapters.format import ErrorAnswer
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
