"""Errors of upstreams by status, type, code and sentence; the envelope for clients."""

import json

import pytest

from adapters.errors import ERROR_TYPES, Attempt, Failure
from adapters.formats.anthropic_messages import API, DIALECT


def body(kind, message, **details):
    error = {"type": kind, "message": message}
    if details:
        error["details"] = details
    return json.dumps({"type": "error", "error": error, "request_id": "req_1"}).encode()


LONG = "prompt is too long: 207791 tokens > 200000 maximum"
SUM = "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length"
POOR = "Your credit balance is too low to access the Anthropic API."
CAPPED = "You have reached your specified API usage limits."


@pytest.mark.parametrize(
    ("status", "content", "expected"),
    [
        (400, body("invalid_request_error", LONG), "context_length_exceeded"),
        (400, body("invalid_request_error", SUM), "context_length_exceeded"),
        (400, body("invalid_request_error", POOR), "billing_error"),
        (400, body("invalid_request_error", CAPPED), "billing_error"),
        (400, body("invalid_request_error", "x", error_code="enforced_spend_limit_reached"), "billing_error"),
        (400, body("invalid_request_error", "x", error_code="contract_spend_limit_reached"), "billing_error"),
        (400, body("invalid_request_error", "x", error_code="organization_on_hold"), "billing_error"),
        (400, body("invalid_request_error", "Output blocked by content filtering policy"), "content_filter"),
        (400, body("invalid_request_error", "messages: field required"), "invalid_request_error"),
        (400, body("invalid_request_error", "x", error_code="available_tools_limit_exceeded"), "invalid_request_error"),
        (400, b"", "api_error"),
        (400, b"bad", "invalid_request_error"),
        (401, body("authentication_error", "invalid x-api-key"), "upstream_auth_error"),
        (402, body("billing_error", "pay"), "billing_error"),
        (403, body("permission_error", "no"), "upstream_auth_error"),
        (404, body("not_found_error", "model: claude-nope"), "not_found_error"),
        (408, body("timeout_error", "late"), "timeout_error"),
        (409, body("conflict_error", "again"), "api_error"),
        (409, body("invalid_request_error", "again"), "api_error"),
        (413, b"<html><body>413 Request Entity Too Large</body></html>", "request_too_large"),
        (413, body("request_too_large", "big"), "request_too_large"),
        (422, body("invalid_request_error", "x"), "invalid_request_error"),
        (429, body("rate_limit_error", "slow down", error_code="ramp_limit_exceeded"), "rate_limit_error"),
        (500, body("api_error", "Internal server error"), "api_error"),
        (500, body("overloaded_error", "Overloaded"), "overloaded_error"),
        (502, b"<html>", "api_error"),
        (503, body("api_error", "x"), "overloaded_error"),
        (504, body("timeout_error", "x"), "timeout_error"),
        (524, b"", "timeout_error"),
        (529, body("overloaded_error", "Overloaded"), "overloaded_error"),
        (529, b"", "overloaded_error"),
    ],
)
def test_types(status, content, expected):
    found = API.failure(status, {}, content)
    assert (found.type, found.status) == (expected, status)


def test_message_code_and_hints():
    found = API.failure(429, {"retry-after": "17", "x-should-retry": "false"},
                        body("rate_limit_error", "slow down", error_code="ramp_limit_exceeded"))
    assert found == Failure("rate_limit_error", "slow down", 429, "ramp_limit_exceeded", retry_after=17.0,
                            retry_same=False)
    assert API.failure(500, {"x-should-retry": "true"}, b"").retry_same
    assert API.failure(502, {}, b"upstream died").message == "HTTP 502: upstream died"
    assert API.failure(502, {}, b"<html>nginx</html>").message == "HTTP 502 without an explanation"
    assert API.failure(400, {}, b'{"error":"no such thing"}').message == "no such thing"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[", b"[]", b'{"error":1}', b'{"error":{"message":3,"details":4}}'])
def test_odd_bodies_never_raise(content):
    assert API.failure(500, {}, content).type == "api_error"


NAMES = {
    "invalid_request_error": ("invalid_request_error", 400),
    "context_length_exceeded": ("invalid_request_error", 400),
    "content_filter": ("invalid_request_error", 400),
    "authentication_error": ("authentication_error", 401),
    "permission_error": ("permission_error", 403),
    "billing_error": ("billing_error", 402),
    "not_found_error": ("not_found_error", 404),
    "request_too_large": ("request_too_large", 413),
    "rate_limit_error": ("rate_limit_error", 429),
    "upstream_auth_error": ("api_error", 502),
    "api_error": ("api_error", 502),
    "connection_error": ("api_error", 502),
    "malformed_response": ("api_error", 502),
    "invalid_tool_call": ("api_error", 502),
    "overloaded_error": ("overloaded_error", 503),
    "timeout_error": ("timeout_error", 504),
    "stream_interrupted": ("api_error", 502),
}


@pytest.mark.parametrize("kind", ERROR_TYPES)
def test_envelope(kind):
    answer = DIALECT.error(Failure(kind, "prompt is too long: x", 418), (), "req_9")
    name, status = NAMES[kind]
    assert answer.status == status
    assert json.loads(answer.body) == {
        "type": "error",
        "error": {"type": name, "message": "prompt is too long: x", "toolwire_type": kind},
        "request_id": "req_9",
    }


def test_envelope_with_everything():
    attempts = (Attempt("a/m", "overloaded_error", 529, 0.25), Attempt("b/m", "connection_error", None, 1.0))
    failure = Failure("context_length_exceeded", "maximum context length is 5", 400, "c", "messages", 8.5)
    answer = DIALECT.error(failure, attempts, "req_9")
    assert json.loads(answer.body)["error"] == {
        "type": "invalid_request_error",
        "message": "prompt is too long: maximum context length is 5",
        "toolwire_type": "context_length_exceeded",
        "code": "c",
        "details": {"error_code": "c"},
        "param": "messages",
        "attempts": [
            {"target": "a/m", "type": "overloaded_error", "status": 529, "seconds": 0.25},
            {"target": "b/m", "type": "connection_error", "status": None, "seconds": 1.0},
        ],
    }
    assert answer.headers == (("request-id", "req_9"), ("retry-after", "9"), ("retry-after-ms", "8500"),
                              ("x-should-retry", "false"))
    assert DIALECT.error(Failure("rate_limit_error", "m", retry_after=17.0), (), "r").headers == (
        ("request-id", "r"), ("retry-after", "17"))


def test_message_that_is_no_unicode():
    assert json.loads(DIALECT.error(Failure("api_error", "a\ud800b"), (), "r").body)["error"]["message"] == "a\ufffdb"
