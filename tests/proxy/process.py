"""`toolwire serve` as a process of its own, with its output at hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
SECONDS = 20.0
READY = "toolwire is ready at "


class Process:
    """Started by `with`, which waits for its banner. `told` are its log lines, decoded; `said` the lines of stdout."""

    def __init__(self, *arguments: str, cwd: Path, **environ: str) -> None:
        self._arguments = arguments
        self._cwd = cwd
        self._environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("TOOLWIRE_")},
            "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **environ,
        }
        self._changed = threading.Condition()
        self.said: list[str] = []
        self.errors: list[str] = []

    def __enter__(self) -> Self:
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "proxy", "serve", *self._arguments], cwd=self._cwd, env=self._environ, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for stream, lines in ((self.popen.stdout, self.said), (self.popen.stderr, self.errors)):
            threading.Thread(target=self._read, args=(stream, lines), daemon=True).start()
        self.until(lambda: any(line.startswith(READY) for line in self.said))
        self.base = next(line.removeprefix(READY) for line in self.said if line.startswith(READY))
        self.port = int(self.base.rpartition(":")[2])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()

    def _read(self, stream: Any, lines: list[str]) -> None:
        for line in stream:
            with self._changed:
                lines.append(line.rstrip("\n"))
                self._changed.notify_all()

    def until(self, true: Callable[[], bool]) -> None:
        """Waits for what the process says."""
        with self._changed:
            assert self._changed.wait_for(true, SECONDS), f"it said {self.said[-5:]} and {self.errors[-5:]}"

    @property
    def told(self) -> list[dict[str, Any]]:
        """All log lines; fails for one that is not JSON."""
        return [json.loads(line) for line in self.errors]

    def lines(self, event: str, count: int = 1) -> list[dict[str, Any]]:
        """The log lines of this event, once there are `count`."""
        self.until(lambda: sum(line["event"] == event for line in self.told) >= count)
        return [line for line in self.told if line["event"] == event]

    def signal(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def ended(self) -> int:
        """Its exit status."""
        return self.popen.wait(SECONDS)

    def children(self) -> list[int]:
        """The ids of its workers."""
        return [int(pid) for pid in Path(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children").read_text().split()]
