"""Cooldowns and circuits, with the time as an argument."""

import pytest

from adapters.errors import Failure
from proxy.engine.health import CLOSED, MOST_RECORDS, PROBE_SECONDS, Circuits, Record, asked, failed, is_open

OVERLOADED = Failure("overloaded_error", "", 529)
REFUSED = Failure("upstream_auth_error", "", 401)


def after(failures, failure, now=0.0, record=CLOSED):
    for _ in range(failures):
        record = failed(record, failure, now)
    return record


@pytest.mark.parametrize(
    "failure, count, until",
    [
        (OVERLOADED, 4, None),
        (OVERLOADED, 5, 5.0),
        (Failure("overloaded_error", "", 503, retry_after=7), 1, 7.0),
        (Failure("rate_limit_error", "", 429, retry_after=9999), 1, 300.0),
        (REFUSED, 1, 60.0),
        (Failure("billing_error", "", 402), 1, 60.0),
        (Failure("invalid_request_error", "", 400), 50, None),
        (Failure("not_found_error", "", 404), 50, None),
        (Failure("content_filter", "", 400), 50, None),
    ],
)
def test_when_a_record_opens_and_for_how_long(failure, count, until):
    record = after(count, failure)
    assert is_open(record, 0.0) is (until is not None)
    if until is not None:
        assert record.until == until and not is_open(record, until)


def test_a_running_window_is_neither_extended_nor_shortened():
    record = after(5, OVERLOADED)
    later = failed(record, REFUSED, 1.0)
    assert later == record
    assert failed(record, Failure("rate_limit_error", "", 429, retry_after=100), 1.0) == record


def test_one_probe_after_the_window_and_a_longer_window_when_it_fails():
    record = after(5, OVERLOADED)
    probing = asked(record, 5.0)
    assert is_open(probing, 5.1), "others wait for the probe"
    assert not is_open(probing, 5.0 + PROBE_SECONDS), "a lost probe does not block for good"
    again = failed(probing, OVERLOADED, 6.0)
    assert again.until == 16.0 and again.level == 2


def test_success_closes_and_keys_are_apart():
    circuits = Circuits()
    circuits.told("p/m", 0, REFUSED, 0.0)
    assert circuits.opened_by("p/m", 2, 1.0) is None
    assert circuits.keys("p/m", 2, 1.0) == [1]
    circuits.told("p/m", 1, REFUSED, 0.0)
    assert circuits.opened_by("p/m", 2, 1.0) == REFUSED
    circuits.told("p/m", 1, None, 2.0)
    assert circuits.opened_by("p/m", 2, 3.0) is None
    assert circuits.keys("p/m", 2, 3.0) == [1]


def test_of_open_keys_alone_the_one_whose_window_ends_first():
    circuits = Circuits()
    for key, seconds in enumerate((30, 10, 20)):
        circuits.told("p/m", key, Failure("rate_limit_error", "", 429, retry_after=seconds), 0.0)
    assert circuits.keys("p/m", 3, 1.0) == [1]
    assert circuits.keys("p/m", 3, 15.0) == [1]
    assert circuits.keys("p/m", 3, 25.0) == [1, 2]


def test_a_failure_that_says_nothing_of_the_target_ends_its_probe():
    record = asked(Record(5, 5.0, OVERLOADED, 1), 6.0)
    assert not is_open(failed(record, Failure("invalid_request_error", "", 400), 7.0), 7.0)


def test_a_probe_that_is_given_up_lets_others_probe():
    circuits = Circuits({("p/m", None): Record(5, 5.0, OVERLOADED, 1)})
    circuits.asked("p/m", 0, 6.0)
    assert circuits.opened_by("p/m", 1, 6.1) == OVERLOADED
    circuits.left("p/m", 0)
    assert circuits.opened_by("p/m", 1, 6.1) is None


def test_records_of_made_up_models_are_bounded():
    circuits = Circuits()
    for number in range(MOST_RECORDS + 1):
        circuits.told(f"p/{number}", 0, OVERLOADED, 0.0)
    assert len(circuits.records) == 0, "none is open"
    for number in range(MOST_RECORDS + 1):
        circuits.told(f"p/{number}", 0, Failure("overloaded_error", "", 503, retry_after=60), 0.0)
    assert len(circuits.records) == MOST_RECORDS // 2
    assert circuits.opened_by(f"p/{MOST_RECORDS}", 1, 1.0) is not None
