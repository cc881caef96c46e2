"""The decision as a table: no clock, no network."""

import pytest

from adapters.errors import ERROR_TYPES, RETRIED, Failure
from proxy.engine.decide import Budget, Next, NextKey, Retry, Stop, backoff, decide, matches

CHAIN = [(), ("rate_limit_error", "overloaded_error"), ("all",), ("content_filter", "4xx")]


def budget(attempts=2, left=30.0, wait=0.25, longest=8.0):
    return Budget(attempts, left, wait, longest)


@pytest.mark.parametrize(
    "failure, at, tries, more_keys, left, expected",
    [
        (Failure("rate_limit_error", "", 429), 0, 1, False, 30, Retry(0.25)),
        (Failure("rate_limit_error", "", 429, retry_after=2), 0, 1, False, 30, Retry(2)),
        (Failure("rate_limit_error", "", 429, retry_after=9), 0, 1, False, 30, Next(1)),
        (Failure("rate_limit_error", "", 429, retry_after=5), 0, 1, False, 4, Next(1)),
        (Failure("rate_limit_error", "", 429), 0, 2, False, 30, Next(1)),
        (Failure("rate_limit_error", "", 429), 0, 1, True, 30, NextKey()),
        (Failure("rate_limit_error", "", 429, retry_same=False), 0, 1, False, 30, Next(1)),
        (Failure("billing_error", "", 402), 0, 1, True, 30, NextKey()),
        (Failure("upstream_auth_error", "", 401), 0, 1, True, 30, NextKey()),
        (Failure("upstream_auth_error", "", 401), 0, 1, False, 30, Next(2)),
        (Failure("overloaded_error", "", 529), 0, 1, True, 30, Retry(0.25)),
        (Failure("content_filter", "", 400), 0, 1, False, 30, Next(3)),
        (Failure("content_filter", ""), 2, 1, False, 30, Next(3)),
        (Failure("context_length_exceeded", "", 400), 0, 1, False, 30, Next(2)),
        (Failure("invalid_request_error", "", 422), 2, 1, False, 30, Next(3)),
        (Failure("api_error", "", 500), 2, 2, False, 30, Stop()),
        (Failure("api_error", "", 500), 0, 2, False, 0, Stop()),
        (Failure("timeout_error", ""), 3, 1, False, 30, Retry(0.25)),
        (Failure("timeout_error", ""), 3, 2, False, 30, Stop()),
    ],
)
def test_decide(failure, at, tries, more_keys, left, expected):
    assert decide(failure, at, tries, more_keys, CHAIN, budget(left=left)) == expected


@pytest.mark.parametrize("kind", ERROR_TYPES)
def test_only_passing_failures_are_tried_again(kind):
    again = decide(Failure(kind, ""), 0, 1, False, [()], budget())
    assert (again == Retry(0.25)) == (kind in RETRIED)


@pytest.mark.parametrize(
    "rules, failure, expected",
    [
        (["all"], Failure("content_filter", "", 400), False),
        (["content_filter"], Failure("content_filter", "", 400), True),
        (["all"], Failure("stream_interrupted", ""), True),
        (["429"], Failure("billing_error", "", 429), True),
        (["5xx"], Failure("overloaded_error", "", 529), True),
        (["5xx"], Failure("timeout_error", ""), False),
        (["503"], Failure("overloaded_error", "", 529), False),
        ([], Failure("api_error", "", 500), False),
    ],
)
def test_rules_name_types_and_upstream_statuses(rules, failure, expected):
    assert matches(rules, failure) is expected


def test_backoff_is_full_jitter_under_its_bound():
    assert [backoff(n, 0.25, 8, 1.0) for n in (1, 2, 3, 6, 50)] == [0.25, 0.5, 1.0, 8, 8]
    assert backoff(3, 0.25, 8, 0.0) == 0.0
