"""Errors by status and sentence: a row for each row of the wire page's table."""

import json

import pytest

from adapters.errors import Failure
from adapters.formats.cohere_chat import API


@pytest.mark.parametrize(("status", "text", "expected"), [
    (400, "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.",
     "context_length_exceeded"),
    (400, "size limit exceeded by 3000 tokens", "context_length_exceeded"),
    (400, "multi-hop prompt is too long even after truncation", "context_length_exceeded"),
    (400, "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model",
     "invalid_request_error"),
    (400, "invalid request: list of messages must have at least one element", "invalid_request_error"),
    (400, "temperature must be between 0 and 1.0 inclusive.", "invalid_request_error"),
    (400, "system turn must be the first in the list", "invalid_request_error"),
    (400, "message must not be empty in a turn", "invalid_request_error"),
    (401, "no api key supplied", "upstream_auth_error"),
    (401, "invalid api token", "upstream_auth_error"),
    (401, "your API token expired", "upstream_auth_error"),
    (403, "forbidden", "upstream_auth_error"),
    (402, "Maximum billing reached for this API key as set in your dashboard", "billing_error"),
    (402, "please add or update your payment method", "billing_error"),
    (404, "model 'x' not found, make sure the correct model ID was used", "not_found_error"),
    (408, "late", "timeout_error"),
    (413, "too large", "request_too_large"),
    (422, "unknown field: parameter 'x' is not a valid field. Consider removing it.", "invalid_request_error"),
    (429, "You are past the per minute request limit, please wait and try again later.", "rate_limit_error"),
    (429, "trial token rate limit exceeded, limit is 100000 tokens per minute", "rate_limit_error"),
    (429, "You are using a Trial key, which is limited to 40 API calls / minute.", "rate_limit_error"),
    (429, "You are using a Trial key, which is limited to 1000 API calls / month.", "billing_error"),
    (498, "the prompt was blocked by our policy", "content_filter"),
    (498, "invalid token", "invalid_request_error"),
    (499, "request cancelled by user", "connection_error"),
    (500, "internal server error", "api_error"),
    (501, "not implemented", "api_error"),
    (503, "service unavailable", "overloaded_error"),
    (504, "gateway timeout", "timeout_error"),
])
def test_types(status, text, expected):
    found = API.failure(status, {}, json.dumps({"id": "1", "message": text}).encode())
    assert (found.type, found.status, found.message) == (expected, status, text)


def test_what_else_a_body_may_be():
    assert API.failure(400, {}, b"") == Failure("api_error", "the upstream answered HTTP 400", 400)
    assert API.failure(502, {}, b"<html>bad gateway</html>") == Failure(
        "api_error", "the upstream answered HTTP 502", 502)
    assert API.failure(502, {}, b"upstream died").message == "upstream died"
    assert API.failure(500, {}, b'{"error":{"message":"boom"}}').message == "boom"
    assert API.failure(429, {"retry-after": "3"}, b'{"message":"slow"}').retry_after == 3
    for odd in (b"\xff", b"[1]", b'{"message":1}', b'{"error":' * 500 + b"1" + b"}" * 500):
        assert API.failure(500, {}, odd).type == "api_error"
