"""`finishReason`: what each one means, and the way back (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.errors import ErrorType
from adapters.model import StopReason

REASONS: Mapping[str, StopReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    "ESCALATION": "content_filter",
}
"""Reasons that end an answer whatever is in it. `stop` becomes `tool_calls` where calls were seen."""

FAILURES: Mapping[str, tuple[ErrorType, str]] = {
    "MALFORMED_FUNCTION_CALL": ("invalid_tool_call", "the model made a malformed function call"),
    "UNEXPECTED_TOOL_CALL": ("invalid_tool_call", "the model called a tool that it was not offered"),
    "MISSING_THOUGHT_SIGNATURE": ("invalid_request_error", "a thought signature is missing in the history"),
    "MALFORMED_RESPONSE": ("malformed_response", "the model made a malformed response"),
    "PUP_LIMITED_DISABLED": ("upstream_auth_error", "the account is disabled"),
}
"""Reasons that are errors."""

EMPTY: tuple[ErrorType, str] = ("malformed_response", "the answer is empty")
UNENDED: tuple[ErrorType, str] = ("malformed_response", "a call whose arguments never ended")
NEEDS_CONTENT: Mapping[str, tuple[ErrorType, str]] = {
    "TOO_MANY_TOOL_CALLS": ("api_error", "the model made too many tool calls"),
}
"""Reasons that end an answer with content and are errors without; all unknown ones are `malformed_response` then."""

UNSET = frozenset({"", "FINISH_REASON_UNSPECIFIED"})
NATIVE = frozenset({*REASONS, *NEEDS_CONTENT, "LANGUAGE", "OTHER", "IMAGE_OTHER", "NO_IMAGE"})
"""Words that go out to a client as they came."""

WORDS: Mapping[StopReason, str] = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}

NOT_BLOCKED = frozenset({"", "BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED"})
