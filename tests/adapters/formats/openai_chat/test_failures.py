"""What an upstream's refusal means, as far as it is this API's own (the tables: tests of the shared error module)."""

import pytest

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.format import Upstream
from adapters.formats.openai_chat.api import API
from adapters.model import Message, Request, Text


def error(**fields: object) -> bytes:
    return json.dumps({"error": fields})


def test_tools_beside_reasoning_names_the_way_out() -> None:
    said = "Function tools with reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions."
    body = error(message=said, type="invalid_request_error", param="reasoning_effort", code=None)
    way_out = " A provider with api: openai-responses takes tools and reasoning together."
    assert API.failure(400, {}, body) == Failure("invalid_request_error", said + way_out, 400, None, "reasoning_effort")
    other = error(message="Unsupported value", type="invalid_request_error", param="reasoning_effort", code=None)
    assert API.failure(400, {}, other).message == "Unsupported value"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, error(message="Rate limit reached", type="tokens", code="rate_limit_exceeded"), "rate_limit_error"),
        (401, error(message="Incorrect API key provided: sk-x", code="invalid_api_key"), "upstream_auth_error"),
        (
            400,
            b'{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xai-x"}',
            "upstream_auth_error",
        ),
        (
            400,
            error(message="Failed to call a function", code="tool_use_failed", failed_generation="<f>"),
            "invalid_tool_call",
        ),
        (400, error(message="json_validate_failed", code="json_validate_failed"), "invalid_request_error"),
        (429, error(message="balance", code="1113"), "billing_error"),
        (502, b"<html>bad gateway</html>", "api_error"),
        (400, b"", "api_error"),
    ],
)
def test_kind(status: int, body: bytes, kind: str) -> None:
    assert API.failure(status, {}, body).type == kind


def test_retry_after() -> None:
    assert API.failure(429, {"retry-after": "17"}, error(message="m")).retry_after == 17.0


def test_no_token_counting() -> None:
    assert API.count_tokens(Request("m", (Message("user", (Text("hi"),)),)), Upstream("m")) is None
    with pytest.raises(Malformed):
        API.counted(b"{}")
