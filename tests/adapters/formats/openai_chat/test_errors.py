"""Errors towards clients (wire page §8)."""

from typing import Any

import openai
import pytest

from adapters import json
from adapters.errors import ERROR_TYPES, STATUS, Attempt, Failure
from adapters.formats.openai_chat.dialect import DIALECT


def test_an_error_in_full() -> None:
    failure = Failure("rate_limit_error", "slow down", 429, "tokens", None, 1.5)
    error = DIALECT.error(failure, (Attempt("a/m", "rate_limit_error", 429, 0.25),), "req_1")
    assert error.status == 429
    assert json.loads(error.body) == {
        "error": {
            "message": "slow down",
            "type": "rate_limit_error",
            "param": None,
            "code": "rate_limit_exceeded",
            "attempts": [{"target": "a/m", "type": "rate_limit_error", "status": 429, "seconds": 0.25}],
        }
    }
    assert error.headers == (("retry-after", "2"), ("retry-after-ms", "1500"))


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Failure("context_length_exceeded", ""), "context_length_exceeded"),
        (Failure("rate_limit_error", "", code="1300"), "rate_limit_exceeded"),
        (Failure("billing_error", ""), "insufficient_quota"),
        (Failure("authentication_error", ""), "invalid_api_key"),
        (Failure("not_found_error", ""), "model_not_found"),
        (Failure("content_filter", ""), "content_filter"),
        (Failure("upstream_auth_error", "", code="invalid_api_key"), None),
        (Failure("invalid_request_error", "", code="unsupported_parameter"), "unsupported_parameter"),
        (Failure("api_error", ""), None),
    ],
)
def test_code(failure: Failure, code: str | None) -> None:
    assert json.loads(DIALECT.error(failure, (), "r").body)["error"]["code"] == code


CLASSES: dict[int, type[Exception]] = {
    400: openai.BadRequestError,
    401: openai.AuthenticationError,
    402: openai.APIStatusError,
    403: openai.PermissionDeniedError,
    404: openai.NotFoundError,
    413: openai.APIStatusError,
    429: openai.RateLimitError,
    502: openai.InternalServerError,
    503: openai.InternalServerError,
    504: openai.InternalServerError,
}


@pytest.mark.parametrize("kind", ERROR_TYPES)
def test_the_sdk_raises_by_status(kind: Any, refuse: Any) -> None:
    caught = refuse(DIALECT.error(Failure(kind, "m", param="p"), (), "r"))
    assert type(caught) is CLASSES[STATUS[kind]]
    assert caught.type == kind
    assert caught.param == "p"


@pytest.mark.parametrize("kind", ERROR_TYPES)
def test_an_error_in_a_stream(kind: Any, accumulate: Any) -> None:
    body = DIALECT.encoder(None or _reply()).fail(Failure(kind, "broke"), (Attempt("a/m", kind, None, 1.0),))
    assert body.startswith(b'data: {"error":') and body.endswith(b"}\n\n") and b"[DONE]" not in body
    with pytest.raises(openai.APIError, match="broke"):
        accumulate(body)


def _reply() -> Any:
    from adapters.formats.openai_chat.request import Reply

    return Reply("i", 1, "m")
