"""One emulator and one demo proxy for all tests that only use them; each in a thread, on a free port."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from proxy.emulate import Emulation
from tests.serving import Served, demo


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
