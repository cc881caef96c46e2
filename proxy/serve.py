"""`toolwire serve`: the socket, the worker, its signals, and what start-up prints.

SIGTERM and SIGINT drain: no new connections, running answers finish within `server.drain_seconds`, exit 0. SIGHUP reads
the configuration again; a bad one is refused and the old one stays.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import uvicorn

from proxy.app import App
from proxy.banner import lines
from proxy.config.load import read
from proxy.config.model import Config
from proxy.config.problem import rows
from proxy.config.rules import is_loopback
from proxy.config.source import Overrides, configured
from proxy.gateway import Gateway
from proxy.listen import bind, unbound
from proxy.observe.logs import Lines, Log, json_log, text_log
from proxy.upstream import make
from proxy.upstream.google import SignIns
from proxy.workers import Supervisor, end_with_supervisor, inherited, tell_supervisor

KEEP_ALIVE_SECONDS = 75
"""Longer than the idle time of common load balancers (60 s), so that they close first."""

FIXED = ("host", "port", "workers", "drain_seconds")
"""Keys of `server` that a reload does not change."""

SUPERVISOR_GRACE = 5.0
"""What a worker may take beyond its drain before the supervisor ends it."""

ARRIVE_SECONDS = 0.05
"""After this the first bytes of who had connected before a drain have come."""

GC_THRESHOLDS = (50_000, 20, 50)
"""Full collections stop the loop for as long as many parsed requests are alive: rarer, on a frozen start-up heap."""


def run(args: argparse.Namespace, config: Config | None) -> int:
    """Serves until a signal; `config` None is the demo. Exit status 0 after a drain, 1 where it cannot start."""
    log = text_log if args.log_format == "text" else json_log
    try:
        return _demo(args, log) if config is None else _serve(args, config, log)
    except (ValueError, ModuleNotFoundError) as error:
        print(f"toolwire: {error}", file=sys.stderr)
        return 1


def _serve(args: argparse.Namespace, config: Config, log: Log) -> int:
    """This process, or its workers, on the configured address."""
    server = config.server
    listener = inherited()
    worker = listener is not None
    if listener is None:
        try:
            listener = bind(server.host, server.port)
        except OSError as error:
            how = "--port N (or TOOLWIRE_PORT, or server.port in the config)"
            print(unbound(error, server.host, server.port, how), file=sys.stderr)
            return 1
    port: int = listener.getsockname()[1]
    logging.basicConfig(handlers=[Lines(log)], level=logging.WARNING, force=True)
    if server.workers > 1 and not worker:
        Gateway(config, os.environ, make, SignIns(os.environ, time.time))  # what no worker could use ends it here
        grace = server.drain_seconds + SUPERVISOR_GRACE
        return Supervisor(listener, server.workers, grace, log).run(lambda: _hello(config, port))
    if worker:
        end_with_supervisor()
    Worker(listener, config, log, lambda: _reread(args)).run(
        tell_supervisor if worker else lambda: _hello(config, port)
    )
    return 0


def _reread(args: argparse.Namespace) -> Config | str:
    """The configuration as it is now, or the text of its problems."""
    report = configured(args.config, os.environ, Overrides(args.host, args.port, args.workers))
    if report is None:
        return "there is no configuration any more"
    return report.config or "\n".join(rows(report.name, report.problems))


def _demo(args: argparse.Namespace, log: Log) -> int:
    """The proxy on emulated upstreams of this process."""
    from proxy.demo import demo_config
    from proxy.emulate.server import Emulation
    from proxy.tour import Held, play

    host, port = args.host or "127.0.0.1", 4100 if args.port is None else int(args.port)
    if not is_loopback(host):
        print(f"toolwire: --demo asks for no keys, so it listens on loopback only, not on {host}. For others to use "
              "it, write its config to a file (--print-config), add clients and serve that.", file=sys.stderr)
        return 1
    try:
        listener = bind(host, port)
    except OSError as error:
        print(unbound(error, host, port, "make demo PORT=N" if args.tour else "--port N"), file=sys.stderr)
        return 1
    port = listener.getsockname()[1]
    held = Held(log) if args.tour else None
    log = held or log
    logging.basicConfig(handlers=[Lines(log)], level=logging.WARNING, force=True)
    with Emulation() as emulation:
        report = read(demo_config(emulation.base_url), "demo", os.environ)
        if report.config is None:
            print("\n".join(rows(report.name, report.problems)), file=sys.stderr)
            return 1
        config = replace(report.config, server=replace(report.config.server, host=host, port=port))

        def started() -> None:
            _hello(config, port)
            if held is not None:
                threading.Thread(target=tour, args=(held,), daemon=True).start()

        def tour(held: Held) -> None:
            try:
                play(f"http://127.0.0.1:{port}", lambda: emulation.requests[-1].body)
            finally:
                held.release()

        Worker(listener, config, log, None).run(started)
    return 0


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

    def run(self, started: Callable[[], None]) -> None:
        """Serves until SIGTERM or SIGINT, then drains. Raises ValueError for a configuration that cannot be used."""
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
                proxy_headers=False,
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
        """A second signal does not wait for running answers."""
        server.force_exit = app.draining
        app.draining = True
        server.should_exit = True

    def _read_again(self, app: App) -> None:
        if self._reload is None:
            return
        config = self._reload()
        if isinstance(config, str):
            self._log("reload", type="refused", message=config)
            return
        try:
            app.reload(config)
        except ValueError as error:
            self._log("reload", type="refused", message=str(error))
            return
        later = {"needs_restart": changed} if (changed := self._needs_restart(config)) else {}
        self._log("reload", type="ok", models=len(config.routes), providers=len(config.providers), **later)

    def _needs_restart(self, config: Config) -> list[str]:
        """Keys that differ from those this process was started with and that only a restart takes."""
        old, new = self._config, config
        keys = [f"server.{key}" for key in FIXED if getattr(old.server, key) != getattr(new.server, key)]
        return keys + (["state"] if old.state != new.state else [])


class _Server(uvicorn.Server):
    """Leaves signals to its owner; says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
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
        self._said()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Who had connected before the listener closed is served; then as uvicorn does: idle connections are closed."""
        for listener in sockets or []:
            await self._close(listener)
        await asyncio.sleep(ARRIVE_SECONDS)
        await super().shutdown(sockets)

    async def _close(self, listener: socket.socket) -> None:
        """Takes what waits to be accepted: closing the socket would reset it."""
        waiting, accepted = listener.dup(), list[socket.socket]()
        waiting.setblocking(False)
        for server in self.servers:
            server.close()
        with waiting, contextlib.suppress(OSError):
            while True:
                accepted.append(waiting.accept()[0])
        for connection in accepted:
            connection.setblocking(False)
            with contextlib.suppress(OSError):  # gone again
                await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
