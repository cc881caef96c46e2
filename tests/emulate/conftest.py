"""One emulator for the folder, in a thread, on a free port."""

from collections.abc import Iterator

import pytest

from proxy.emulate import Emulation


@pytest.fixture(scope="session")
def emulation() -> Iterator[Emulation]:
    with Emulation() as running:
        yield running
