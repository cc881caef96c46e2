"""One emulator and one demo proxy for all tests that only use them; each in a thread, on a free port."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from proxy.emulate import Emulation
from tests.serving import Served, demo


@pytest.fixture(scope="session")
def emulated() -> Iterator[Emulation]:
    with Emulation() as running:
        yield running


@pytest.fixture(scope="session")
def proxied(emulated: Emulation) -> Iterator[Served]:
    with Served(demo(emulated)) as running:
        yield running
