"""Numbers of vendors: a row each."""

import pytest

from adapters import json
from adapters.formats.shared.openai_errors import failure, failure_inside
from adapters.formats.shared.vendor_codes import MINIMAX, ZAI

OF_ZAI = [
    ("1000", "upstream_auth_error"), ("1001", "upstream_auth_error"), ("1002", "upstream_auth_error"),
    ("1003", "upstream_auth_error"), ("1004", "upstream_auth_error"), ("1110", "upstream_auth_error"),
    ("1112", "upstream_auth_error"), ("1121", "upstream_auth_error"), ("1220", "upstream_auth_error"),
    ("1113", "billing_error"), ("1210", "invalid_request_error"), ("1213", "invalid_request_error"),
    ("1214", "invalid_request_error"), ("1215", "invalid_request_error"), ("1211", "not_found_error"),
    ("1234", "api_error"), ("1261", "context_length_exceeded"), ("1301", "content_filter"),
    ("1302", "rate_limit_error"), ("1303", "rate_limit_error"), ("1305", "rate_limit_error"),
    ("1304", "billing_error"), ("1308", "billing_error"), ("1310", "billing_error"), ("1311", "billing_error"),
    ("1313", "billing_error"),
]
OF_MINIMAX = [
    (1000, "api_error"), (1001, "timeout_error"), (1002, "rate_limit_error"), (1004, "upstream_auth_error"),
    (1008, "billing_error"), (1024, "api_error"), (1026, "content_filter"), (1027, "content_filter"),
    (1028, "billing_error"), (1030, "billing_error"), (1033, "api_error"), (1039, "rate_limit_error"),
    (2013, "invalid_request_error"), (2049, "upstream_auth_error"), (2056, "billing_error"), (2061, "billing_error"),
    (9999, "api_error"),
]


@pytest.mark.parametrize(("code", "type"), OF_ZAI)
def test_zai(code, type):
    body = json.dumps({"error": {"code": code, "message": "m"}})
    assert failure(429, {}, body).type == type
    assert failure(400, {}, body).type == type


@pytest.mark.parametrize(("code", "type"), OF_MINIMAX)
def test_minimax(code, type):
    assert failure_inside({"base_resp": {"status_code": code, "status_msg": "m"}}).type == type


def test_every_number_has_a_row():
    assert {code for code, _ in OF_ZAI} == set(ZAI)
    assert {str(code) for code, _ in OF_MINIMAX} == {*MINIMAX, "9999"}
