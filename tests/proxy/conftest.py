"""Asynchronous tests here talk over raw sockets, on the standard library's loop."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
