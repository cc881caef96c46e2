"""OpenAI-style errors: a row for each code, each sentence, each envelope and each status of the wire page."""

import pytest

from adapters import json
from adapters.errors import Failure
from adapters.formats.shared.openai_errors import CODES, SENTENCES, WORDS, failure, failure_inside


def body(message="Something happened.", code=None, type=None, param=None):
    return json.dumps({"error": {"message": message, "type": type, "param": param, "code": code}})


BY_CODE = [
    (429, "insufficient_quota", "billing_error"),
    (400, "insufficient_quota", "billing_error"),
    (403, "insufficient_quota", "billing_error"),
    (429, "credit_balance_exhausted", "billing_error"),
    (429, "organization_spend_limit_exceeded", "billing_error"),
    (429, "project_spend_limit_exceeded", "billing_error"),
    (429, "organization_usage_limit_exceeded", "billing_error"),
    (429, "billing_hard_limit_reached", "billing_error"),
    (429, "billing_not_active", "billing_error"),
    (429, "exceeded_current_quota_error", "billing_error"),
    (400, "billing_error", "billing_error"),
    (400, "Arrearage", "billing_error"),
    (429, "1113", "billing_error"),
    (429, 1113, "billing_error"),
    (400, 1008, "billing_error"),
    (400, "context_length_exceeded", "context_length_exceeded"),
    (500, "context_length_exceeded", "context_length_exceeded"),
    (413, "context_length_exceeded", "context_length_exceeded"),
    (422, "context_length_exceeded", "context_length_exceeded"),
    (400, "exceed_context_size_error", "context_length_exceeded"),
    (400, "model_context_window_exceeded", "context_length_exceeded"),
    (400, 1261, "context_length_exceeded"),
    (400, "content_filter", "content_filter"),
    (400, "content_policy_violation", "content_filter"),
    (400, "ResponsibleAIPolicyViolation", "content_filter"),
    (400, "invalid_prompt", "content_filter"),
    (400, "bio_policy", "content_filter"),
    (400, "cyber_policy", "content_filter"),
    (400, "misalignment_policy_violation", "content_filter"),
    (400, "image_content_policy_violation", "content_filter"),
    (400, "data_inspection_failed", "content_filter"),
    (400, "sensitive", "content_filter"),
    (400, "1301", "content_filter"),
    (400, 1026, "content_filter"),
    (400, 1027, "content_filter"),
    (401, "invalid_api_key", "upstream_auth_error"),
    (400, "invalid_api_key", "upstream_auth_error"),
    (401, "invalid_authentication_error", "upstream_auth_error"),
    (401, "authentication_error", "upstream_auth_error"),
    (403, "permission_error", "upstream_auth_error"),
    (403, "unsupported_country_region_territory", "upstream_auth_error"),
    (404, "model_not_found", "not_found_error"),
    (400, "model_not_found", "not_found_error"),
    (403, "model_not_found", "not_found_error"),
    (404, "DeploymentNotFound", "not_found_error"),
    (404, "not_found_error", "not_found_error"),
    (413, "request_too_large", "request_too_large"),
    (429, "engine_overloaded_error", "overloaded_error"),
    (503, "overloaded", "overloaded_error"),
    (500, "overloaded_error", "overloaded_error"),
    (503, "slow_down", "overloaded_error"),
    (429, "rate_limit_exceeded", "rate_limit_error"),
    (429, "rate_limit_error", "rate_limit_error"),
    (429, "tokens", "rate_limit_error"),
    (429, "requests", "rate_limit_error"),
    (400, "tool_use_failed", "invalid_tool_call"),
    (400, "string_above_max_length", "invalid_request_error"),
    (400, "array_above_max_length", "invalid_request_error"),
    (400, "invalid_function_parameters", "invalid_request_error"),
    (400, "unsupported_parameter", "invalid_request_error"),
    (400, "unsupported_value", "invalid_request_error"),
    (400, "invalid_encrypted_content", "invalid_request_error"),
    (400, "previous_response_not_found", "invalid_request_error"),
    (400, "data_residency_mismatch", "invalid_request_error"),
    (400, "invalid_image", "invalid_request_error"),
    (400, "invalid_image_format", "invalid_request_error"),
    (400, "invalid_base64_image", "invalid_request_error"),
    (400, "invalid_image_url", "invalid_request_error"),
    (400, "image_too_large", "invalid_request_error"),
    (400, "image_too_small", "invalid_request_error"),
    (400, "image_parse_error", "invalid_request_error"),
    (400, "invalid_image_mode", "invalid_request_error"),
    (400, "image_file_too_large", "invalid_request_error"),
    (400, "unsupported_image_media_type", "invalid_request_error"),
    (400, "empty_image_file", "invalid_request_error"),
    (400, "failed_to_download_image", "invalid_request_error"),
    (400, "image_file_not_found", "invalid_request_error"),
]


@pytest.mark.parametrize(("status", "code", "type"), BY_CODE)
def test_code_decides(status, code, type):
    assert failure(status, {}, body(code=code)).type == type


@pytest.mark.parametrize(("status", "code", "type"), BY_CODE)
def test_type_decides_where_there_is_no_code(status, code, type):
    assert failure(status, {}, body(type=code)).type == type


def test_every_code_has_a_row():
    assert {str(code).lower() for _, code, _ in BY_CODE} == set(CODES)


BY_SENTENCE = [
    (403, "Insufficient balance or no resource package.", "billing_error"),
    (400, "Your credit balance is too low to access the API.", "billing_error"),
    (429, "You have reached your spend limit.", "billing_error"),
    (429, "You exceeded your current quota, please check your plan and billing details.", "billing_error"),
    (429, "账户余额不足", "billing_error"),
    (400, "您的账户已欠费", "billing_error"),
    (400, "Error code context_length_exceeded", "context_length_exceeded"),
    (400, "Your input exceeds the context window of this model.", "context_length_exceeded"),
    (
        400,
        "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens.",
        "context_length_exceeded",
    ),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", "context_length_exceeded"),
    (400, "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000", "context_length_exceeded"),
    (
        400,
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "context_length_exceeded",
    ),
    (400, "This model's maximum prompt length is 131072 but the request contains 140000.", "context_length_exceeded"),
    (413, "Please reduce the length of the messages or completion.", "context_length_exceeded"),
    (400, "the request exceeds the available context size, try increasing it", "context_length_exceeded"),
    (400, "input exceeds context size", "context_length_exceeded"),
    (400, "input is larger than the max context size", "context_length_exceeded"),
    (500, "Context size has been exceeded.", "context_length_exceeded"),
    (400, "the number of tokens to keep is greater than the context length", "context_length_exceeded"),
    (400, "invalid params, context window exceeds limit (2013)", "context_length_exceeded"),
    (400, "Your request exceeded model token limit: 131072", "context_length_exceeded"),
    (400, "Prompt exceeds max length", "context_length_exceeded"),
    (400, "tokens in request more than max tokens allowed", "context_length_exceeded"),
    (422, "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
     "context_length_exceeded"),
    (422, "`inputs` tokens + `max_new_tokens` must be <= 4096.", "context_length_exceeded"),
    (400, "Current length is 9000 while limit is 8192", "context_length_exceeded"),
    (400, "the input length exceeds the context length", "context_length_exceeded"),
    (400, "prompt has 9000 tokens but the configured context size is 4096", "context_length_exceeded"),
    (400, "The request is over the maximum allowed input length.", "context_length_exceeded"),
    (400, "Range of input length should be [1, 30720]", "context_length_exceeded"),
    (400, "too many tokens: total number of tokens in the prompt exceeds 4096", "context_length_exceeded"),
    (400, "输入上下文过长", "context_length_exceeded"),
    (400, "上下文超出限制", "context_length_exceeded"),
    (400, "上下文长度超过上限", "context_length_exceeded"),
    (400, "超出最大上下文", "context_length_exceeded"),
    (400, "total message size 5000000 exceeds limit 4194304", "request_too_large"),
    (400, "Payload Too Large", "request_too_large"),
    (400, "The request was rejected because it was considered high risk", "content_filter"),
    (400, "The response was filtered due to the prompt triggering the content management policy.", "content_filter"),
    (400, "Incorrect API key provided: sk-1***.", "upstream_auth_error"),
    (400, "Invalid API key.", "upstream_auth_error"),
    (400, "The model `gpt-9` does not exist or you do not have access to it.", "not_found_error"),
    (500, "Rate limit reached for gpt-4o.", "rate_limit_error"),
    (403, "Too many requests", "rate_limit_error"),
    (400, "The request would exceed your tokens per minute.", "rate_limit_error"),
    (500, "请求过于频繁,请稍后再试", "rate_limit_error"),
    (400, "达到频率限制", "rate_limit_error"),
    (500, "The engine is currently overloaded, please try again later.", "overloaded_error"),
    (500, "服务过载,请稍后再试", "overloaded_error"),
    (400, "Tool call validation failed: attempted to call tool 'x'", "invalid_tool_call"),
    (500, "tools param requires --jinja flag", "invalid_request_error"),
    (
        429,
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.",
        "rate_limit_error",
    ),
    (500, "Overloaded", "overloaded_error"),
    (498, "The flex tier is over capacity.", "overloaded_error"),
    (429, "The model is experiencing high demand.", "overloaded_error"),
    (500, "rate-limit hit", "rate_limit_error"),
    (403, "Throttling.AllocationQuota", "rate_limit_error"),
    (500, "RESOURCE_EXHAUSTED", "rate_limit_error"),
    (403, "concurrency of this key is used up", "rate_limit_error"),
]


@pytest.mark.parametrize(("status", "message", "type"), BY_SENTENCE)
def test_sentence_decides_where_no_code_does(status, message, type):
    assert failure(status, {}, body(message, type="invalid_request_error")).type == type


def test_every_sentence_has_a_row():
    assert len(BY_SENTENCE) >= len(SENTENCES) + len(WORDS)


@pytest.mark.parametrize(
    ("status", "message", "type"),
    [
        (400, "max_tokens is too large: 99999. This model supports at most 16384 completion tokens, whereas you "
              "provided 99999.", "invalid_request_error"),
        (429, "Too many tokens per minute, maximum context length", "rate_limit_error"),
        (400, "Invalid schema for function 'throttle_concurrency': …", "invalid_request_error"),
        (422, "tools[0].name: 'overloaded' is not allowed", "invalid_request_error"),
    ],
)
def test_look_alikes(status, message, type):
    assert failure(status, {}, body(message)).type == type


@pytest.mark.parametrize(
    ("status", "type"),
    [
        (400, "invalid_request_error"), (401, "upstream_auth_error"), (402, "billing_error"),
        (412, "billing_error"), (403, "upstream_auth_error"), (404, "not_found_error"), (405, "invalid_request_error"),
        (408, "timeout_error"), (409, "api_error"), (413, "request_too_large"), (422, "invalid_request_error"),
        (429, "rate_limit_error"), (498, "invalid_request_error"), (499, "connection_error"), (500, "api_error"),
        (502, "api_error"), (503, "overloaded_error"), (504, "timeout_error"), (524, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
def test_status_decides_last(status, type):
    assert failure(status, {}, body()).type == type


@pytest.mark.parametrize("answer", [b"", b"{}", b"null", b'""', b'{"error":{}}', b"Bad Request", b"<html>no</html>"])
def test_a_400_that_explains_nothing(answer):
    assert failure(400, {}, answer) == Failure("api_error", failure(400, {}, answer).message, 400)


ENVELOPES = [
    (b'{"error":{"message":"m","type":"t","param":"p","code":"c"}}', "m", "c", "p"),
    (b'{"error":{"message":"m","code":400}}', "m", None, None),
    (b'{"error":"m"}', "m", None, None),
    (b'{"code":"c","error":"m"}', "m", "c", None),
    (b'{"message":"m"}', "m", None, None),
    (b'{"detail":"m"}', "m", None, None),
    (b'{"detail":[{"loc":["body","tools",0],"msg":"bad","type":"value_error"}]}', "body.tools.0: bad", None, None),
    (b'{"object":"error","message":"m","type":"BadRequestError","param":null,"code":400}', "m", None, None),
    (b'{"object":"error","message":{"detail":[{"loc":["body"],"msg":"bad"}]},"type":"t"}', "body: bad", None, None),
    (b'[{"error":{"message":"m","code":400,"status":"INVALID_ARGUMENT"}}]', "m", None, None),
    (b'{"code":"c","msg":"m"}', "m", "c", None),
    (b'{"code":"c","message":"m","request_id":"r"}', "m", "c", None),
    (b'{"errors":[{"message":"m","code":7003}]}', "m", None, None),
    (b"plain words", "plain words", None, None),
    (b'"m"', "m", None, None),
    (b"\xff\xfe", "��", None, None),
]


@pytest.mark.parametrize(("answer", "message", "code", "param"), ENVELOPES)
def test_envelopes(answer, message, code, param):
    assert failure(422, {}, answer) == Failure("invalid_request_error", message, 422, code, param)


@pytest.mark.parametrize("answer", [b"<!DOCTYPE html><p>rate limit</p>", b"", b"[]", b"{}", b"17"])
def test_no_words(answer):
    assert failure(502, {}, answer) == Failure("api_error", "the upstream answered HTTP 502", 502)


def test_openrouter_tells_the_words_of_the_provider_behind():
    raw = json.text({"error": {"message": "prompt is too long: 9 tokens > 8 maximum", "type": "invalid_request_error"}})
    answer = json.dumps({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}})
    assert failure(400, {}, answer) == Failure(
        "context_length_exceeded", "Provider returned error: prompt is too long: 9 tokens > 8 maximum", 400
    )


def test_openrouter_moderation_is_a_content_filter():
    answer = b'{"error":{"message":"flagged","code":403,"metadata":{"reasons":["violence"],"provider_name":"x"}}}'
    assert failure(403, {}, answer) == Failure("content_filter", "flagged", 403)


@pytest.mark.parametrize(
    ("headers", "message", "wait"),
    [
        ({"retry-after": "7"}, "Rate limit reached. Please try again in 1.2s.", 7.0),
        ({}, "Rate limit reached. Please try again in 1.2s.", 1.2),
        ({}, "Please try again in 20s.", 20.0),
        ({}, "Please try again in 1m3s.", 63.0),
        ({}, "Please try again in 6m0s.", 360.0),
        ({}, "Please try again in 1h2m3.5s", 3723.5),
        ({}, "Please try again in 340ms.", 0.34),
        ({}, "Please retry after 2 seconds", 2.0),
        ({}, "Please try again later.", None),
        ({}, "Limit 3, used 2 s", None),
    ],
)
def test_when_to_come_back(headers, message, wait):
    assert failure(429, headers, body(message)).retry_after == wait


@pytest.mark.parametrize(("limit", "requested", "again"), [(30000, 45000, False), (30000, 20000, True)])
def test_a_request_that_never_fits_is_not_tried_again(limit, requested, again):
    message = f"Request too large for gpt-4o on tokens per min (TPM): Limit {limit}, Requested {requested}."
    found = failure(429, {}, body(message, code="rate_limit_exceeded", type="tokens"))
    assert (found.type, found.retry_same) == ("rate_limit_error", again)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": "rate_limit_exceeded", "message": "m"}, Failure("rate_limit_error", "m", code="rate_limit_exceeded")),
        ({"code": "server_error", "message": "m"}, Failure("api_error", "m", code="server_error")),
        (
            {"code": "server_error", "message": "The model is overloaded"},
            Failure("overloaded_error", "The model is overloaded", code="server_error"),
        ),
        (
            {"type": "insufficient_quota", "code": "insufficient_quota", "message": "m", "param": None},
            Failure("billing_error", "m", code="insufficient_quota"),
        ),
        ({"message": "m", "code": 429}, Failure("rate_limit_error", "m", 429)),
        ({"message": "m", "code": 502}, Failure("api_error", "m", 502)),
        ({"error": {"message": "m", "type": "invalid_request_error"}}, Failure("invalid_request_error", "m")),
        ({"code": "vector_store_timeout", "message": "m"}, Failure("timeout_error", "m", code="vector_store_timeout")),
        ({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
         Failure("billing_error", "insufficient balance")),
        ("words", Failure("api_error", "words")),
        (None, Failure("api_error", "the upstream reported an error")),
    ],
)
def test_errors_inside_a_200(error, expected):
    assert failure_inside(error) == expected
