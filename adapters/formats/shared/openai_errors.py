"""What an OpenAI-style error means: the envelopes in use, and tables from codes, sentences and statuses to our types.

Codes and structure decide first, then the sentences of the table, then the status. Facts: openai-chat §8 and §9,
openai-responses §10 (2026-11). Never raises: a body that is no JSON is a text, and an HTML page says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from adapters import json
from adapters.errors import ErrorType, Failure
from adapters.formats.shared.http import retry_after, type_of
from adapters.formats.shared.retry_text import wait_in
from adapters.formats.shared.vendor_codes import MINIMAX, ZAI
from adapters.model import Json

_RANK: tuple[ErrorType, ...] = (
    "billing_error",
    "context_length_exceeded",
    "content_filter",
    "upstream_auth_error",
    "not_found_error",
    "request_too_large",
    "overloaded_error",
    "rate_limit_error",
    "invalid_tool_call",
    "invalid_request_error",
    "timeout_error",
    "api_error",
)
"""Where code and type disagree, the earlier one holds."""

CODES: Mapping[str, ErrorType] = {
    **dict.fromkeys(
        (
            "insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
            "project_spend_limit_exceeded", "organization_usage_limit_exceeded", "billing_hard_limit_reached",
            "billing_not_active", "exceeded_current_quota_error", "arrearage", "billing_error", "1113", "1008",
        ),
        "billing_error",
    ),
    **dict.fromkeys(
        ("context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded", "1261"),
        "context_length_exceeded",
    ),
    **dict.fromkeys(
        (
            "content_filter", "content_policy_violation", "responsibleaipolicyviolation", "invalid_prompt",
            "bio_policy", "cyber_policy", "misalignment_policy_violation", "image_content_policy_violation",
            "data_inspection_failed", "sensitive", "1301", "1026", "1027",
        ),
        "content_filter",
    ),
    **dict.fromkeys(
        ("invalid_api_key", "invalid_authentication_error", "authentication_error", "permission_error",
         "unsupported_country_region_territory"),
        "upstream_auth_error",
    ),
    **dict.fromkeys(("model_not_found", "deploymentnotfound", "not_found_error"), "not_found_error"),
    **dict.fromkeys(("request_too_large",), "request_too_large"),
    **dict.fromkeys(("overloaded", "overloaded_error", "engine_overloaded_error", "slow_down"), "overloaded_error"),
    **dict.fromkeys(("rate_limit_exceeded", "rate_limit_error", "tokens", "requests"), "rate_limit_error"),
    **dict.fromkeys(("tool_use_failed",), "invalid_tool_call"),
    **dict.fromkeys(
        (
            "string_above_max_length", "array_above_max_length", "invalid_function_parameters", "unsupported_parameter",
            "unsupported_value", "invalid_encrypted_content", "previous_response_not_found", "data_residency_mismatch",
            "invalid_image", "invalid_image_format", "invalid_base64_image", "invalid_image_url", "image_too_large",
            "image_too_small", "image_parse_error", "invalid_image_mode", "image_file_too_large",
            "unsupported_image_media_type", "empty_image_file", "failed_to_download_image", "image_file_not_found",
        ),
        "invalid_request_error",
    ),
}
"""A code or type, in lower case -> ours. What says nothing by itself (`invalid_request_error`, `server_error`) is in
LAST_WORDS."""

SENTENCES: tuple[tuple[ErrorType, str], ...] = (
    ("billing_error", r"insufficient (?:balance|credits?|quota|funds)"),
    ("billing_error", r"credit balance"),
    ("billing_error", r"spend(?:ing)? limit"),
    ("billing_error", r"exceeded your current quota"),
    ("billing_error", r"余额不足"),
    ("billing_error", r"欠费"),
    ("rate_limit_error", r"request too large for .*tokens per min"),
    ("context_length_exceeded", r"context_length_exceeded"),
    ("context_length_exceeded", r"exceeds the context window"),
    ("context_length_exceeded", r"maximum context length"),
    ("context_length_exceeded", r"prompt is too long"),
    ("context_length_exceeded", r"input length and `?max_tokens`? exceed context limit"),
    ("context_length_exceeded", r"input token count.* exceeds the maximum"),
    ("context_length_exceeded", r"maximum prompt length is \d+"),
    ("context_length_exceeded", r"reduce the length of the messages"),
    ("context_length_exceeded", r"exceeds the available context size"),
    ("context_length_exceeded", r"exceeds? context size"),
    ("context_length_exceeded", r"larger than the max context size"),
    ("context_length_exceeded", r"context size has been exceeded"),
    ("context_length_exceeded", r"greater than the context length"),
    ("context_length_exceeded", r"context window exceeds limit"),
    ("context_length_exceeded", r"exceeded model token limit"),
    ("context_length_exceeded", r"prompt exceeds max length"),
    ("context_length_exceeded", r"tokens in request more than max tokens allowed"),
    ("context_length_exceeded", r"is longer than the model's context length"),
    ("context_length_exceeded", r"`inputs` tokens \+ `max_new_tokens` must be"),
    ("context_length_exceeded", r"current length is \d+ while limit is \d+"),
    ("context_length_exceeded", r"input length exceeds the context length"),
    ("context_length_exceeded", r"but the configured context size is"),
    ("context_length_exceeded", r"maximum allowed input length"),
    ("context_length_exceeded", r"range of input length should be"),
    ("context_length_exceeded", r"too many tokens: total number of tokens in the prompt"),
    ("context_length_exceeded", r"上下文过长"),
    ("context_length_exceeded", r"上下文超出"),
    ("context_length_exceeded", r"上下文长度超"),
    ("context_length_exceeded", r"超出最大上下文"),
    ("request_too_large", r"total message size \d+ exceeds limit"),
    ("request_too_large", r"payload too large"),
    ("content_filter", r"considered high risk"),
    ("content_filter", r"content management policy"),
    ("upstream_auth_error", r"incorrect api key"),
    ("upstream_auth_error", r"invalid api key"),
    ("not_found_error", r"the model `?[^`]*`? does not exist"),
    ("rate_limit_error", r"rate limit (?:reached|exceeded)"),
    ("rate_limit_error", r"too many requests"),
    ("rate_limit_error", r"tokens per (?:min|day)"),
    ("rate_limit_error", r"请求过于频繁"),
    ("rate_limit_error", r"频率限制"),
    ("overloaded_error", r"currently overloaded"),
    ("overloaded_error", r"服务过载"),
    ("invalid_tool_call", r"tool call validation failed"),
    ("invalid_request_error", r"tools param requires --jinja flag"),
)
"""Sentences of the hosts' own messages, in the order in which they are looked for."""

WORDS: tuple[tuple[ErrorType, str], ...] = (
    ("overloaded_error", r"overloaded"),
    ("overloaded_error", r"(?:at|over) capacity"),
    ("overloaded_error", r"high (?:demand|load)"),
    ("rate_limit_error", r"rate.?limit"),
    ("rate_limit_error", r"throttl"),
    ("rate_limit_error", r"resource.exhausted"),
    ("rate_limit_error", r"concurrency"),
)
"""Single words. Not looked for under 400, 404 and 422, whose messages quote names that the client chose."""

_QUOTING = frozenset({400, 404, 422})

_UNPAID = frozenset({402, 412})
"""Fireworks says 412 of a suspended account (2026-11)."""


def _compiled(rows: tuple[tuple[ErrorType, str], ...]) -> tuple[tuple[ErrorType, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for kind, pattern in rows)


_SENTENCES = _compiled(SENTENCES)
_WORDS = _compiled(WORDS)
_NO_OVERFLOW = re.compile(
    r"rate limit|too many requests|throttl|tokens per (?:min|day)|max_tokens is too large|completion tokens, whereas",
    re.IGNORECASE,
)
_TOO_LARGE = re.compile(r"limit:? (\d+),? *(?:used \d+,? *)?requested:? (\d+)", re.IGNORECASE)

LAST_WORDS: Mapping[str, ErrorType] = {
    "invalid_request_error": "invalid_request_error",
    "badrequesterror": "invalid_request_error",
    "timeout_error": "timeout_error",
    "vector_store_timeout": "timeout_error",
}
"""Words that decide where there is no status either: an error inside a 200."""

_SILENT = frozenset({"", "bad request", "error", "unknown error"})
_LONGEST = 2000


@dataclass(slots=True, frozen=True)
class Told:
    """What an error body says. `words` are its code and type in lower case, `text` all that may hold sentences."""

    message: str = ""
    code: str | None = None
    param: str | None = None
    words: tuple[str, ...] = ()
    text: str = ""
    number: int | None = None
    filtered: bool = False
    vendor: ErrorType | None = None
    generation: str | None = None


def failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """The failure that a non-2xx answer means."""
    return _failure(status, headers, _told_by(body))


def failure_inside(error: Json, headers: Mapping[str, str] | None = None) -> Failure:
    """The failure that an error object inside a 200 means; the status is its numeric code where it has one."""
    told = _told(error)
    return _failure(told.number, headers or {}, told)


def _failure(status: int | None, headers: Mapping[str, str], told: Told) -> Failure:
    kind = _kind(status, told)
    message = told.message or (f"the upstream answered HTTP {status}" if status else "the upstream reported an error")
    fits = True
    if kind == "rate_limit_error" and (found := _TOO_LARGE.search(told.text)):
        fits = int(found[2]) <= int(found[1])
    wait = retry_after(headers)
    if wait is None and kind in ("rate_limit_error", "overloaded_error"):
        wait = wait_in(told.text)
    generation = told.generation if kind == "invalid_tool_call" else None
    return Failure(kind, message, status, told.code, told.param, wait, fits, generation)


def _kind(status: int | None, told: Told) -> ErrorType:
    if told.filtered:
        return "content_filter"
    by_text = _sentence(told.text, _SENTENCES if status in _QUOTING else _SENTENCES + _WORDS)
    codes = (CODES.get(word) or ZAI.get(word) for word in told.words)
    by_code = told.vendor or min(filter(None, codes), key=_RANK.index, default=None)
    if by_code == "rate_limit_error" and by_text in ("overloaded_error", "billing_error"):
        return by_text
    if by_code is not None:
        return by_code
    if status in _UNPAID:
        return "billing_error"
    if by_text is not None:
        return by_text
    if status == 499:
        return "connection_error"
    if status == 400 and told.message.strip().lower() in _SILENT:
        return "api_error"
    if status is not None:
        return type_of(status)
    return next((LAST_WORDS[word] for word in told.words if word in LAST_WORDS), "api_error")


def _sentence(text: str, rows: tuple[tuple[ErrorType, re.Pattern[str]], ...]) -> ErrorType | None:
    for kind, pattern in rows:
        if pattern.search(text) and not (kind == "context_length_exceeded" and _NO_OVERFLOW.search(text)):
            return kind
    return None


# --- envelopes ---------------------------------------------------------------------------------------------------


def _told_by(body: bytes) -> Told:
    try:
        value = json.loads(body)
    except ValueError:
        text = body[: 4 * _LONGEST].decode("utf-8", "replace").strip()
        if text.startswith("<"):
            return Told()
        return Told(text[:_LONGEST], text=text)
    return _told(value)


def _told(value: Json) -> Told:
    """Reads `{"error": {…}}`, `{"error": "…"}`, `[{"error": …}]`, a bare error, `detail`, `msg` and `errors`."""
    match value:
        case str():
            return Told(value[:_LONGEST], text=value[: 2 * _LONGEST])
        case [first, *_]:
            return _told(first)
        case {"error": dict() as error}:
            return _object(error)
        case {"error": str() as message}:
            return _object({**value, "message": message})
        case {"errors": [first, *_]}:
            return _told(first)
        case {"base_resp": dict() as base}:
            told = _object({"message": base.get("status_msg")})
            return replace(told, vendor=MINIMAX.get(str(base.get("status_code"))))
        case dict():
            return _object(value)
    return Told()


def _object(error: Mapping[str, Json]) -> Told:
    message = _message(error)
    code, kind, param = error.get("code"), error.get("type"), error.get("param")
    inner = error.get("innererror")
    words = [code, kind, error.get("status"), inner.get("code") if isinstance(inner, dict) else None]
    number = code if isinstance(code, int) and not isinstance(code, bool) else None
    metadata = error.get("metadata")
    filtered = isinstance(metadata, dict) and isinstance(metadata.get("reasons"), list)
    nested = _told_by(metadata["raw"].encode()) if isinstance(metadata, dict) and isinstance(
        metadata.get("raw"), str) else Told()
    if nested.message and nested.message not in message:
        message = f"{message}: {nested.message}" if message else nested.message
    return Told(
        message=message[:_LONGEST],
        code=code if isinstance(code, str) and code else None,
        param=param if isinstance(param, str) and param else None,
        words=(*(str(word).lower() for word in words if isinstance(word, str | int) and word), *nested.words),
        text=f"{message} {nested.text}"[: 4 * _LONGEST],
        number=number if number is not None and 400 <= number < 600 else None,
        filtered=filtered,
        generation=generation if isinstance(generation := error.get("failed_generation"), str) else None,
    )


def _message(error: Mapping[str, Json]) -> str:
    for key in ("message", "detail", "msg", "error", "error_description"):
        match error.get(key):
            case str() as message if message:
                return message
            case list() as details if details:
                return "; ".join(_detail(one) for one in details)
            case dict() as nested if key == "message":
                return _message(nested)
    return ""


def _detail(one: Json) -> str:
    """One entry of FastAPI's `detail` list."""
    match one:
        case {"loc": list() as place, "msg": str() as message}:
            return f"{'.'.join(str(step) for step in place)}: {message}"
        case {"msg": str() as message} | {"message": str() as message}:
            return message
        case str():
            return one
    return json.text(one)
