"""One emulator and one demo proxy for all tests that only use them; each in a thread, on a free port.

Drawn examples are the same in every run: they depend on no clock, no earlier run, and not on the modules that other
tests of the process have loaded (whose constants hypothesis would mix in).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from proxy.emulate import Emulation
from tests.serving import Served, demo

settings.register_profile(
    "same everywhere", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same everywhere")
providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files of tests/golden anew")


@pytest.fixture(scope="session")
def emulated() -> Iterator[Emulation]:
    with Emulation() as running:
        yield running


@pytest.fixture(scope="session")
def proxied(emulated: Emulation) -> Iterator[Served]:
    with Served(demo(emulated)) as running:
        yield running
