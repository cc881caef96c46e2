import pytest

from adapters.formats.shared.effort import effort_of


@pytest.mark.parametrize(
    ("budget", "effort"),
    [
        (-1, None), (0, "none"), (1, "low"), (2048, "low"), (2049, "medium"), (10_000, "medium"), (10_001, "high"),
        (16_384, "high"), (16_385, "xhigh"), (100_000, "xhigh"),
    ],
)
def test_effort_of(budget, effort):
    assert effort_of(budget) == effort
