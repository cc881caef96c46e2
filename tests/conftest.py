"""One emulator and one demo proxy for all tests that only use them; each in a thread, on a free port.

Drawn examples are the same in every run: they depend on no clock, no earlier run, and not on the modules that other
tests of the process have loaded (whose constants hypothesis would mix in).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from proxy.emulate import Emulation
from tests.proxy.upstream.authority import Authority
from tests.serving import Served, demo

# Each new HTTP client reads the trusted authorities: the system's take 30 ms, and a run makes thousands of clients.
# Nothing here talks to the outside, so one authority will do. Tests of TLS name their own.
_folder = tempfile.TemporaryDirectory(prefix="toolwire-tests-")
os.environ["SSL_CERT_FILE"] = str(Authority(Path(_folder.name)).ca_file)

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
