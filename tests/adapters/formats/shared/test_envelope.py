import pytest

from adapters.errors import Attempt, Failure
from adapters.formats.shared.envelope import attempts_list, retry_headers


def test_attempts() -> None:
    tries = [Attempt("a/m", "rate_limit_error", 429, 0.12345), Attempt("b/m", "timeout_error", None, 2.0)]
    assert attempts_list(tries) == [
        {"target": "a/m", "type": "rate_limit_error", "status": 429, "seconds": 0.123},
        {"target": "b/m", "type": "timeout_error", "status": None, "seconds": 2.0},
    ]


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (Failure("rate_limit_error", "", retry_after=17.0), (("retry-after", "17"),)),
        (Failure("rate_limit_error", "", retry_after=1.2), (("retry-after", "2"), ("retry-after-ms", "1200"))),
        (Failure("overloaded_error", ""), ()),
        (Failure("billing_error", ""), (("x-should-retry", "false"),)),
        (Failure("upstream_auth_error", "", retry_after=0.0), (("retry-after", "0"), ("x-should-retry", "false"))),
    ],
)
def test_retry_headers(failure: Failure, expected: tuple[tuple[str, str], ...]) -> None:
    assert retry_headers(failure) == expected
