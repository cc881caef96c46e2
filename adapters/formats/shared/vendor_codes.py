"""Error codes that are numbers, by vendor: the same number means different things (openai-chat §10, 2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.errors import ErrorType

ZAI: Mapping[str, ErrorType] = {
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004", "1110", "1112", "1121", "1220"), "upstream_auth_error"),
    **dict.fromkeys(("1113", "1304", "1308", "1310", "1311", "1313"), "billing_error"),
    **dict.fromkeys(("1210", "1213", "1214", "1215"), "invalid_request_error"),
    "1211": "not_found_error",
    "1234": "api_error",
    "1261": "context_length_exceeded",
    "1301": "content_filter",
    **dict.fromkeys(("1302", "1303", "1305"), "rate_limit_error"),
}
"""Z.ai: `error.code`, a text of digits. 1113 and the used-up plans come with HTTP 429, as the rate limits do."""

MINIMAX: Mapping[str, ErrorType] = {
    **dict.fromkeys(("1000", "1024", "1033"), "api_error"),
    "1001": "timeout_error",
    **dict.fromkeys(("1002", "1039"), "rate_limit_error"),
    **dict.fromkeys(("1004", "2049"), "upstream_auth_error"),
    **dict.fromkeys(("1008", "1028", "1030", "2056", "2061"), "billing_error"),
    **dict.fromkeys(("1026", "1027"), "content_filter"),
    "2013": "invalid_request_error",
}
"""MiniMax: `base_resp.status_code` inside a 200."""
