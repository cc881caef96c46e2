"""Programs that the deploy tests run: found in .tools (see .ci/run) or on PATH, or a skip that names the package."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TOOLS = ROOT / ".tools/bin"
T = TypeVar("T")


def needed(program: str, package: str) -> str:
    """Its path, or a skip (a failure under TOOLWIRE_REQUIRE=all)."""
    path = shutil.which(program, path=f"{TOOLS}:{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path is None:
        reason = f"needs {program} ({package})"
        if os.environ.get("TOOLWIRE_REQUIRE") == "all":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def steady_port() -> int:
    """A free port below those that outgoing connections get: nothing takes it while its program is restarted."""
    for port in random.sample(range(20_000, 32_000), 50):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


def until(look: Callable[[], T | None], what: str, seconds: float = 30.0) -> T:
    """The first value that is not None."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if (found := look()) is not None:
            return found
        threading.Event().wait(0.05)
    raise AssertionError(f"{what}: not within {seconds} seconds")


def listens(port: int) -> bool | None:
    with socket.socket() as probe:
        return True if probe.connect_ex(("127.0.0.1", port)) == 0 else None


@contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The program, once it listens; ended at the end."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        def up() -> bool | None:
            assert process.poll() is None, log.read_text()
            return listens(port)

        until(up, command[0])
        yield process
    finally:
        process.terminate()
        process.wait(20)
