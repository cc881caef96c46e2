"""`toolwire serve`: the socket, the worker, its signals, and what start-up prints.

SIGTERM and SIGINT drain: no new connections, running answers finish within `server.drain_seconds`, exit 0. SIGHUP reads
the configuration again; a bad one is refused and the old one stays.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import uvicorn

from proxy.app import App
from proxy.banner import lines
from proxy.config.model import Config
from proxy.observe.logs import Log, json_log, text_log

KEEP_ALIVE_SECONDS = 75
"""Longer than the idle time of common load balancers (60 s), so that they close first."""

GC_THRESHOLDS = (50_000, 20, 50)
"""Full collections stop the loop for as long as many parsed requests are alive: rarer, on a frozen start-up heap."""


def run(args: argparse.Namespace, config: Config, reload: Callable[[], Config | str] | None = None) -> int:
    """Serves until a signal. `reload` reads the configuration again, or gives the text of its problems."""
    log = text_log if getattr(args, "log_format", "json") == "text" else json_log
    try:
        listener = bind(config.server.host, config.server.port)
    except OSError as error:
        print(_unbound(error, config.server.host, config.server.port), file=sys.stderr)
        return 1
    port: int = listener.getsockname()[1]
    if config.server.workers > 1 and hasattr(os, "fork"):
        from proxy.workers import supervise

        return supervise(listener, config, lambda: Worker(listener, config, log, reload), lambda: _hello(config, port))
    Worker(listener, config, log, reload).run(lambda: _hello(config, port))
    return 0


def bind(host: str, port: int) -> socket.socket:
    """The listening socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=4096)


def _unbound(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (f"toolwire: port {port} on {host} is taken. Choose another with --port N (or TOOLWIRE_PORT, or "
                "server.port in the config), or stop the program that has it.")
    return f"toolwire: cannot listen on {host} port {port}: {error.strerror or error}."


def _hello(config: Config, port: int) -> None:
    print("\n".join(lines(config, port)), flush=True)


class Worker:
    """One process's server."""

    def __init__(
        self, listener: socket.socket, config: Config, log: Log, reload: Callable[[], Config | str] | None
    ) -> None:
        self._listener = listener
        self._config = config
        self._log = log
        self._reload = reload

    def run(self, started: Callable[[], None] | None = None) -> None:
        """Serves until SIGTERM or SIGINT, then drains."""
        app = App(self._config, os.environ, self._log)
        for name in app.gateway.missing():
            api = self._config.providers[name].api
            self._log("warning", message=f"provider {name}: the api {api} is not in this version; its models are 404")
        server = _Server(
            uvicorn.Config(
                app,
                http="httptools",
                loop="uvloop" if sys.platform != "win32" else "asyncio",
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=max(1, round(self._config.server.drain_seconds)),
            ),
            started,
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._drain(app, server))
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: self._read_again(app))
        server.run(sockets=[self._listener])

    def _drain(self, app: App, server: uvicorn.Server) -> None:
        app.draining = True
        server.should_exit = True

    def _read_again(self, app: App) -> None:
        if self._reload is None:
            return
        config = self._reload()
        if isinstance(config, str):
            self._log("reload", type="refused", message=config)
            return
        app.reload(config)
        self._log("reload", type="ok", models=len(config.routes), providers=len(config.providers))


class _Server(uvicorn.Server):
    """Leaves signals to its owner; says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._said = started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        if self._said is not None:
            self._said()
