"""Several workers on one port: each a process of its own on the shared socket, watched by this one.

A worker that dies is started again. SIGHUP goes to all; SIGTERM drains all, and so does the supervisor's own end: its
workers hold the other end of a pipe. Metrics are shared through files in a
directory that lives as long as the supervisor, so that one scrape sums all workers.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping

from proxy.observe.logs import Log

WORKER_FD = "TOOLWIRE_WORKER_FD"
"""The environment variable by which a worker learns its listening socket."""

ALIVE_FD = "TOOLWIRE_ALIVE_FD"
"""The environment variable that names the pipe which ends with the supervisor."""

READY_FD = "TOOLWIRE_READY_FD"
"""The environment variable that names the pipe by which a worker says that it serves."""

LOOK_SECONDS = 0.1
"""Between two looks at the workers."""

RESTART_SECONDS = 1.0
"""A worker that dies sooner than this after its start is started again only after this long."""


class Supervisor:
    """Runs `count` workers of this command line until SIGTERM or SIGINT. `grace` is what a drain may take."""

    def __init__(self, listener: socket.socket, count: int, grace: float, log: Log) -> None:
        self._listener = listener
        self._count = count
        self._grace = grace
        self._log = log
        self._workers: dict[int, tuple[subprocess.Popen[bytes], float]] = {}
        self._ending = False
        self._starting = False
        self._alive, self._held = os.pipe()
        self._ready, self._tell = os.pipe()
        self._metrics = tempfile.mkdtemp(prefix="toolwire-metrics-")

    def run(self, started: Callable[[], None]) -> int:
        """Exit status 0 after a drain. `started` is called once as many workers serve as there shall be."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._end())
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: self._forward(signal.SIGHUP))
        try:
            for _ in range(self._count):
                self._start()
            serving = 0
            while not self._ending:
                self._look()
                if select.select([self._ready], [], [], LOOK_SECONDS)[0]:
                    before, serving = serving, serving + len(os.read(self._ready, 1024))
                    if before < self._count <= serving:
                        started()
            self._listener.close()
            self._drain()
        finally:
            shutil.rmtree(self._metrics, ignore_errors=True)
        return 0

    def _environ(self) -> Mapping[str, str]:
        own = {WORKER_FD: str(self._listener.fileno()), ALIVE_FD: str(self._alive), READY_FD: str(self._tell)}
        return {**os.environ, **own, "PROMETHEUS_MULTIPROC_DIR": self._metrics}

    def _start(self) -> None:
        self._starting = True
        handed = (self._listener.fileno(), self._alive, self._tell)
        command = [sys.executable, "-m", "proxy", *sys.argv[1:]]
        process = subprocess.Popen(command, pass_fds=handed, env=dict(self._environ()))
        self._workers[process.pid] = (process, time.monotonic())
        self._starting = False
        if self._ending:
            process.send_signal(signal.SIGTERM)

    def _look(self) -> None:
        for pid, (process, since) in list(self._workers.items()):
            status = process.poll()
            if status is None:
                continue
            del self._workers[pid]
            self._forget(pid)
            self._log("worker", type="died", pid=pid, status=status)
            if time.monotonic() - since < RESTART_SECONDS:
                time.sleep(RESTART_SECONDS)
            if not self._ending:
                self._start()

    def _forget(self, pid: int) -> None:
        """A dead worker's gauges go; its counters stay in the sum."""
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(pid, self._metrics)  # type: ignore[no-untyped-call]

    def _end(self) -> None:
        """The listener goes first: it would take connections that no worker accepts any more."""
        self._ending = True
        if not self._starting:
            self._listener.close()
        self._forward(signal.SIGTERM)

    def _forward(self, number: int) -> None:
        for process, _ in list(self._workers.values()):
            if process.poll() is None:
                process.send_signal(number)

    def _drain(self) -> None:
        ends = time.monotonic() + self._grace
        for process, _ in self._workers.values():
            try:
                process.wait(max(0.1, ends - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def inherited() -> socket.socket | None:
    """The supervisor's listening socket, in a worker."""
    fd = os.environ.get(WORKER_FD)
    return socket.socket(fileno=int(fd)) if fd else None


def end_with_supervisor() -> None:
    """Drains this worker when its supervisor has died, killed perhaps."""
    if fd := os.environ.get(ALIVE_FD):
        threading.Thread(target=_drain_at_end, args=(int(fd),), daemon=True).start()


def _drain_at_end(fd: int) -> None:
    os.read(fd, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def tell_supervisor() -> None:
    """This worker serves."""
    if fd := os.environ.get(READY_FD):
        os.write(int(fd), b".")
