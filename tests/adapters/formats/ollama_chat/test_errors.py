"""Errors by status and sentence: a row for each row of the wire page's table."""

import json

import pytest

from adapters.errors import Failure
from adapters.formats.ollama_chat import API


def body(text):
    return json.dumps({"error": text}).encode()


@pytest.mark.parametrize(("status", "text", "expected"), [
    (400, 'registry.ollama.ai/library/gemma:2b does not support tools', "invalid_request_error"),
    (400, '"gemma" does not support thinking', "invalid_request_error"),
    (400, 'invalid think value: "on" (must be "high", "medium", "low", true, or false)', "invalid_request_error"),
    (400, "json: cannot unmarshal string into Go struct field ChatRequest.messages", "invalid_request_error"),
    (400, "model is required", "invalid_request_error"),
    (400, "something else", "invalid_request_error"),
    (400, "the input length exceeds the context length", "context_length_exceeded"),
    (400, "input exceeds maximum context length", "context_length_exceeded"),
    (400, "prompt has 9000 tokens but the configured context size is 4096", "context_length_exceeded"),
    (400, "the request exceeds the available context size, try increasing it", "context_length_exceeded"),
    (500, "the input length exceeds the context length", "context_length_exceeded"),
    (401, "unauthorized", "upstream_auth_error"),
    (403, "forbidden", "upstream_auth_error"),
    (402, "you've reached your weekly usage limit, please upgrade your plan", "billing_error"),
    (402, "this model needs a subscription", "billing_error"),
    (402, "you've reached your hourly usage limit", "rate_limit_error"),
    (402, "payment required", "billing_error"),
    (429, "you've reached your weekly usage limit, please upgrade to continue", "billing_error"),
    (429, "you've reached your hourly usage limit, try again later", "rate_limit_error"),
    (429, "too many concurrent requests", "rate_limit_error"),
    (404, "model 'x' not found", "not_found_error"),
    (404, 'model "x" not found, try pulling it first', "not_found_error"),
    (408, "late", "timeout_error"),
    (413, "request body too large", "request_too_large"),
    (499, "client closed", "connection_error"),
    (500, "model requires more system memory (9.1 GiB) than is available (7.7 GiB)", "api_error"),
    (500, "llama runner process has terminated: exit status 2", "api_error"),
    (500, "CUDA error", "api_error"),
    (500, "error parsing tool call: raw='{\"a', err=unexpected end of JSON input", "invalid_tool_call"),
    (502, "upstream error", "api_error"),
    (503, "server busy, please try again. maximum pending requests exceeded", "overloaded_error"),
    (504, "late", "timeout_error"),
])
def test_types(status, text, expected):
    found = API.failure(status, {}, body(text))
    assert (found.type, found.status, found.message) == (expected, status, text)


def test_a_model_that_does_not_fit_into_memory_is_not_asked_again():
    assert not API.failure(500, {}, body("model requires more system memory (9 GiB)")).retry_same
    assert API.failure(500, {}, body("CUDA error")).retry_same


def test_what_else_a_body_may_be():
    assert API.failure(400, {}, b"") == Failure("api_error", "the upstream answered HTTP 400", 400)
    assert API.failure(502, {}, b"<html>bad gateway</html>") == Failure(
        "api_error", "the upstream answered HTTP 502", 502)
    assert API.failure(502, {}, b"upstream died").message == "upstream died"
    assert API.failure(401, {}, b'{"error":"unauthorized","signin_url":"https://ollama.com/x"}').message == (
        "unauthorized")
    assert API.failure(500, {}, b'{"error":{"message":"boom"}}').message == "boom"
    assert API.failure(429, {"retry-after": "3"}, b'{"error":"slow"}').retry_after == 3
    for odd in (b"\xff", b"[1]", b'{"error":1}', b'{"error":' * 500 + b"1" + b"}" * 500):
        assert API.failure(500, {}, odd).type == "api_error"


@pytest.mark.parametrize(("error", "status", "expected"), [
    ("you've reached your weekly usage limit, please upgrade", None, "billing_error"),
    ("you've reached your hourly usage limit", None, "rate_limit_error"),
    ("server busy", None, "overloaded_error"),
    ("maximum pending requests exceeded", None, "overloaded_error"),
    ("model 'x' not found", None, "not_found_error"),
    ("prompt has 9 tokens but the configured context size is 4", None, "context_length_exceeded"),
    ("anything", None, "api_error"),
    ("anything", 429, "rate_limit_error"),
    ("anything", "500", "api_error"),
])
def test_errors_in_streams(error, status, expected):
    line = {"error": error} if status is None else {"error": error, "status": status}
    found = API.whole(json.dumps(line).encode(), None, {})[0].failure
    assert (found.type, found.message) == (expected, error)
