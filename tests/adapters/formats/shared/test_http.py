import pytest

from adapters.formats.shared.http import retry_after, type_of


@pytest.mark.parametrize(
    ("status", "type"),
    [
        (400, "invalid_request_error"),
        (401, "upstream_auth_error"),
        (402, "billing_error"),
        (403, "upstream_auth_error"),
        (404, "not_found_error"),
        (405, "invalid_request_error"),
        (408, "timeout_error"),
        (409, "api_error"),
        (413, "request_too_large"),
        (422, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (502, "api_error"),
        (503, "overloaded_error"),
        (504, "timeout_error"),
        (524, "timeout_error"),
        (529, "overloaded_error"),
        (302, "api_error"),
    ],
)
def test_type_of(status, type):
    assert type_of(status) == type


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        (
            {"retry-after": "Mon, 30 Nov 2026 18:00:30 GMT", "date": "Mon, 30 Nov 2026 18:00:00 GMT"},
            30.0,
        ),
        (
            {"retry-after": "Mon, 30 Nov 2026 17:00:00 GMT", "date": "Mon, 30 Nov 2026 18:00:00 GMT"},
            0.0,
        ),
        ({"retry-after": "Mon, 30 Nov 2026 18:00:30 GMT"}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers) == seconds
