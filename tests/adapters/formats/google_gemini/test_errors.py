"""Google's error bodies -> failures, and failures -> a Gemini client's envelope (wire page, section 12)."""

import pytest

from adapters import json
from adapters.errors import ERROR_TYPES, STATUS, Attempt, Failure
from adapters.formats.google_gemini import API, DIALECT


def body(code, status, message="boom", *details):
    error = {"code": code, "message": message, "status": status}
    return {"error": {**error, "details": list(details)} if details else error}


def info(reason):
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}


def quota(name):
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": name}]}


def delay(text):
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": text}


BAD, EXHAUSTED = "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"

ROWS = [
    (400, body(400, BAD, "x", info("API_KEY_INVALID")), "upstream_auth_error"),
    (400, body(400, BAD, "API key not valid. Please pass a valid API key."), "upstream_auth_error"),
    (400, body(400, BAD, "API key expired. Please renew the API key."), "upstream_auth_error"),
    (400, body(400, BAD, "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
     "context_length_exceeded"),
    (400, body(400, BAD, "This request is over the number of tokens allowed."), "context_length_exceeded"),
    (400, body(400, BAD, "Function call is missing a `thought_signature` in functionCall parts."),
     "invalid_request_error"),
    (400, body(400, BAD, "Invalid thought signature."), "invalid_request_error"),
    (400, body(400, BAD, "Corrupted thought signature."), "invalid_request_error"),
    (400, body(400, BAD, "Please use a valid role: user, model."), "invalid_request_error"),
    (400, body(400, BAD, "function billing: invalid name"), "invalid_request_error"),
    (400, body(400, "FAILED_PRECONDITION", "Please enable billing on your project."), "billing_error"),
    (400, body(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "upstream_auth_error"),
    (400, body(400, "FAILED_PRECONDITION", "something else"), "invalid_request_error"),
    (401, body(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."), "upstream_auth_error"),
    (402, body(402, EXHAUSTED, "Your prepayment credits are used up."), "billing_error"),
    (403, body(403, "PERMISSION_DENIED"), "upstream_auth_error"),
    (403, body(403, "PERMISSION_DENIED", "x", info("SERVICE_DISABLED")), "upstream_auth_error"),
    (404, body(404, "NOT_FOUND", "models/x is not found for API version v1beta"), "not_found_error"),
    (413, body(413, BAD), "request_too_large"),
    (429, body(429, EXHAUSTED, "x", quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")), "billing_error"),
    (429, body(429, EXHAUSTED, "x", quota("DailyTokens")), "billing_error"),
    (429, body(429, EXHAUSTED, "Quota exceeded for metric: y, limit: 0, model: z"), "billing_error"),
    (429, body(429, EXHAUSTED, "x", info("QUOTA_EXHAUSTED")), "billing_error"),
    (429, body(429, EXHAUSTED, "x", info("INSUFFICIENT_G1_CREDITS_BALANCE")), "billing_error"),
    (429, body(429, EXHAUSTED, "x", info("MODEL_CAPACITY_EXHAUSTED")), "overloaded_error"),
    (429, body(429, EXHAUSTED, "x", info("MODEL_CAPACITY_EXCEEDED")), "overloaded_error"),
    (429, body(429, EXHAUSTED, "You have exhausted your capacity on this model."), "overloaded_error"),
    (429, body(429, EXHAUSTED, "x", quota("GenerateRequestsPerMinutePerProject")), "rate_limit_error"),
    (429, body(429, EXHAUSTED, "Quota exceeded, limit: 05"), "rate_limit_error"),
    (429, body(429, EXHAUSTED), "rate_limit_error"),
    (499, body(499, "CANCELLED"), "connection_error"),
    (500, body(500, "INTERNAL"), "api_error"),
    (503, body(503, "UNAVAILABLE", "The model is overloaded."), "overloaded_error"),
    (504, body(504, "DEADLINE_EXCEEDED"), "timeout_error"),
]


@pytest.mark.parametrize(("status", "data", "type"), ROWS)
def test_type(status, data, type):
    failure = API.failure(status, {}, json.dumps(data))
    assert (failure.type, failure.status, failure.code) == (type, status, data["error"]["status"])
    assert failure.message == data["error"]["message"]
    assert API.failure(status, {}, json.dumps([data])) == failure


@pytest.mark.parametrize(
    ("status", "raw", "type", "message"),
    [
        (400, b"", "api_error", "HTTP 400 without a body"),
        (400, b"  \n", "api_error", "HTTP 400 without a body"),
        (400, b"<html>\n Bad  Request</html>", "invalid_request_error", "<html> Bad Request</html>"),
        (499, b"", "connection_error", "HTTP 499 without a body"),
        (502, b"Bad Gateway", "api_error", "Bad Gateway"),
        (503, b"", "overloaded_error", "HTTP 503 without a body"),
        (429, b"\xff", "rate_limit_error", "\ufffd"),
        (500, b"[]", "api_error", "[]"),
        (500, b'{"error": 5}', "api_error", '{"error": 5}'),
        (404, b'{"error": "no such thing"}', "not_found_error", "no such thing"),
        (500, b'{"error": {"details": 5, "message": 7, "status": 8}}', "api_error", "8 without a message"),
    ],
)
def test_bodies_that_say_little(status, raw, type, message):
    failure = API.failure(status, {}, raw)
    assert (failure.type, failure.message) == (type, message)


@pytest.mark.parametrize(
    ("headers", "data", "seconds"),
    [
        ({"retry-after": "3"}, body(429, EXHAUSTED, "x", delay("34.07s")), 3.0),
        ({}, body(429, EXHAUSTED, "x", delay("34.07s")), 34.07),
        ({}, body(429, EXHAUSTED, "x", delay("900ms")), 0.9),
        ({}, body(429, EXHAUSTED, "x", delay("soon")), None),
        ({}, body(429, EXHAUSTED, "Please retry in 12.5s."), 12.5),
        ({}, body(429, EXHAUSTED, "Please retry in 250ms."), 0.25),
        ({}, body(429, EXHAUSTED, "Please retry in ..s"), None),
        ({}, body(429, EXHAUSTED), None),
    ],
)
def test_when_to_come_back(headers, data, seconds):
    failure = API.failure(429, headers, json.dumps(data))
    assert failure.retry_after == seconds
    assert failure.retry_same


def test_a_long_wait_is_not_worth_a_retry():
    assert API.failure(429, {}, json.dumps(body(429, EXHAUSTED, "x", delay("300s")))).retry_same
    assert not API.failure(429, {}, json.dumps(body(429, EXHAUSTED, "x", delay("301s")))).retry_same


# --- towards clients ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", ERROR_TYPES)
def test_the_envelope(type):
    answer = DIALECT.error(Failure(type, "boom"), (), "req_1")
    words = {
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 402: "RESOURCE_EXHAUSTED", 403: "PERMISSION_DENIED",
        404: "NOT_FOUND", 413: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 502: "INTERNAL", 503: "UNAVAILABLE",
        504: "DEADLINE_EXCEEDED",
    }  # fmt: skip
    assert answer.status == STATUS[type]
    assert answer.body.startswith(b'{"error":')
    error = json.loads(answer.body)["error"]
    told = "The input token count exceeds the maximum number of tokens allowed: boom"
    assert error == {
        "code": STATUS[type],
        "message": told if type == "context_length_exceeded" else "boom",
        "status": words[STATUS[type]],
        "toolwire_type": type,
    }


def test_googles_own_words_for_a_long_prompt_stay():
    text = "The input token count (9) exceeds the maximum number of tokens allowed (8)."
    answer = DIALECT.error(Failure("context_length_exceeded", text), (), "")
    assert json.loads(answer.body)["error"]["message"] == text


def test_attempts_and_the_time_to_wait():
    failure = Failure("rate_limit_error", "slow down", 429, retry_after=2.4)
    answer = DIALECT.error(failure, (Attempt("gemini/x", "rate_limit_error", 429, 0.1234),), "req_1")
    assert answer.headers == (("retry-after", "3"), ("retry-after-ms", "2400"))
    assert json.loads(answer.body)["error"] == {
        "code": 429,
        "message": "slow down",
        "status": "RESOURCE_EXHAUSTED",
        "toolwire_type": "rate_limit_error",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}],
        "attempts": [{"target": "gemini/x", "type": "rate_limit_error", "status": 429, "seconds": 0.123}],
    }
