"""Errors by code, sentence and status: a row for each row of the wire page's table."""

import json

import pytest

from adapters.errors import Failure
from adapters.formats.bedrock_converse import API

ROWS = [
    (400, "ValidationException", "Input is too long for requested model.", "context_length_exceeded"),
    (400, "ValidationException", "input tokens exceeded the limit", "context_length_exceeded"),
    (400, "ValidationException", "prompt is too long: 205000 tokens > 200000 maximum", "context_length_exceeded"),
    (400, "ValidationException", "too many total text bytes: 9 > 8", "context_length_exceeded"),
    (400, "ValidationException", "The provided model identifier is invalid.", "not_found_error"),
    (400, "ValidationException", "Invocation of model ID x with on-demand throughput isn't supported.",
     "invalid_request_error"),
    (400, "ValidationException", "data retention mode is not available", "invalid_request_error"),
    (400, "ValidationException", "Malformed input request: #: extraneous key [x] is not permitted",
     "invalid_request_error"),
    (400, "ValidationException", "Extra inputs are not permitted", "invalid_request_error"),
    (400, "ValidationException", "Too many tokens, please wait", "invalid_request_error"),
    (400, "ServiceQuotaExceededException", "quota", "billing_error"),
    (401, "UnrecognizedClientException", "The security token included in the request is invalid.",
     "upstream_auth_error"),
    (403, "AccessDeniedException", "You don't have access to the model", "upstream_auth_error"),
    (400, "AccessDeniedException", "no", "upstream_auth_error"),
    (403, "UnrecognizedClientException", "no", "upstream_auth_error"),
    (403, "InvalidSignatureException", "Signature expired", "upstream_auth_error"),
    (403, "ExpiredTokenException", "expired", "upstream_auth_error"),
    (403, "IncompleteSignature", "no", "upstream_auth_error"),
    (403, "MPAgreementBeingCreated", "wait", "overloaded_error"),
    (403, "AccessDeniedException", "Your request failed: MPAgreementBeingCreated", "overloaded_error"),
    (404, "ResourceNotFoundException", "This model version has reached the end of its life.", "not_found_error"),
    (408, "ModelTimeoutException", "late", "timeout_error"),
    (413, "", "too large", "request_too_large"),
    (424, "ModelErrorException", "the model failed", "api_error"),
    (424, "ModelStreamErrorException", "the stream failed", "api_error"),
    (424, "", "x", "api_error"),
    (429, "ThrottlingException", "Too many tokens, please wait before trying again.", "rate_limit_error"),
    (429, "ThrottlingException", "Too many requests, please wait before trying again.", "rate_limit_error"),
    (429, "ThrottlingException", "Input is too long", "rate_limit_error"),
    (429, "ThrottlingException", "Too many tokens per day, please wait before trying again.", "billing_error"),
    (429, "ModelNotReadyException", "The model is not ready for inference.", "overloaded_error"),
    (500, "InternalServerException", "oops", "api_error"),
    (503, "ServiceUnavailableException", "busy", "overloaded_error"),
    (400, "", "prompt is too long", "context_length_exceeded"),
    (400, "", "x", "invalid_request_error"),
    (403, "", "x", "upstream_auth_error"),
    (429, "", "x", "rate_limit_error"),
    (502, "", "x", "api_error"),
    (504, "", "x", "timeout_error"),
]


@pytest.mark.parametrize(("status", "code", "text", "expected"), ROWS)
def test_code_in_the_header(status, code, text, expected):
    headers = {"x-amzn-errortype": f"{code}:http://internal.amazon.com/coral/com.amazon.bedrock/"} if code else {}
    found = API.failure(status, headers, json.dumps({"message": text}).encode())
    assert (found.type, found.status, found.message, found.code) == (expected, status, text, code or None)


@pytest.mark.parametrize(("status", "code", "text", "expected"), [row for row in ROWS if row[1]])
def test_code_in_the_body(status, code, text, expected):
    body = json.dumps({"__type": f"com.amazon.bedrock#{code}", "Message": text}).encode()
    found = API.failure(status, {}, body)
    assert (found.type, found.message, found.code) == (expected, text, code)


def test_a_subscription_under_way_takes_a_quarter_of_an_hour():
    assert API.failure(403, {"x-amzn-errortype": "MPAgreementBeingCreated"}, b'{"message":"x"}').retry_after == 900
    assert API.failure(503, {"x-amzn-errortype": "ServiceUnavailableException"}, b'{"message":"x"}').retry_after is None
    assert API.failure(429, {"retry-after": "7"}, b'{"message":"x"}').retry_after == 7


def test_what_the_models_server_said_is_told():
    body = b'{"message":"The model failed.","originalStatusCode":503,"originalMessage":"out of memory"}'
    assert API.failure(424, {"x-amzn-errortype": "ModelErrorException"}, body) == Failure(
        "api_error", "The model failed.: out of memory", 424, "ModelErrorException")


def test_what_else_a_body_may_be():
    assert API.failure(400, {}, b"") == Failure("api_error", "the upstream answered HTTP 400", 400)
    assert API.failure(502, {}, b"<html>bad gateway</html>") == Failure(
        "api_error", "the upstream answered HTTP 502", 502)
    assert API.failure(502, {}, b"upstream died").message == "upstream died"
    for odd in (b"\xff", b"[1]", b'{"message":1}', b'{"__type":3}', b'{"error":' * 500 + b"1" + b"}" * 500):
        assert API.failure(500, {}, odd).type == "api_error"
