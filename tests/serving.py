"""The proxy on a free port, in a thread, as a test's `with` block: real sockets in front and behind."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx2
import uvicorn

from proxy.app import App
from proxy.config.load import load
from proxy.config.model import Config
from proxy.demo import demo_config
from proxy.emulate import Emulation
from proxy.listen import bind


class Served:
    """A running proxy. `logged` holds its log lines as (event, fields); `app` is the application itself."""

    def __init__(self, config: Config) -> None:
        self.logged: list[tuple[str, dict[str, Any]]] = []
        self._said = threading.Condition()
        self.app = App(config, {}, self._log)
        self._socket = bind("127.0.0.1", 0)
        self.port: int = self._socket.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.server = _Server(
            uvicorn.Config(
                self.app, log_config=None, access_log=False, ws="none", lifespan="on", timeout_graceful_shutdown=2
            )
        )
        self.loop: asyncio.AbstractEventLoop | None = None
        self.thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        await self.server.serve([self._socket])

    def _log(self, event: str, **fields: Any) -> None:
        with self._said:
            self.logged.append((event, fields))
            self._said.notify_all()

    def lines(self, event: str, count: int = 1, seconds: float = 5.0) -> list[dict[str, Any]]:
        """The fields of the `event` lines, once there are `count`: a request is logged after its answer."""
        with self._said:
            self._said.wait_for(lambda: sum(e == event for e, _ in self.logged) >= count, seconds)
            return [fields for e, fields in self.logged if e == event]

    def request(self, id: str, seconds: float = 5.0) -> dict[str, Any]:
        """The fields of the `request` line of this request id."""
        def found() -> dict[str, Any] | None:
            return next((f for e, f in self.logged if e == "request" and f["request_id"] == id), None)

        with self._said:
            line = self._said.wait_for(found, seconds)
        assert line is not None, f"no line for {id}"
        return line

    def requests_running(self) -> list[str]:
        """Names of the tasks of requests in the proxy's loop: none when all have ended."""
        loop = self.loop
        if loop is None:
            return []
        return [t.get_name() for t in asyncio.all_tasks(loop) if "RequestResponseCycle" in repr(t.get_coro())
                or "run_asgi" in repr(t.get_coro()) or "engine" in repr(t.get_coro())]

    def __enter__(self) -> Served:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(10)
        assert not self.thread.is_alive(), "the proxy did not end"

    def metrics(self) -> str:
        return httpx2.get(f"{self.base}/metrics").text


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def config_of(text: str, **server: Any) -> Config:
    """The configuration that a YAML text is; `server` overrides settings of that section."""
    config = load(text, "test.yaml", {})
    assert isinstance(config, Config), config
    return replace(config, server=replace(config.server, **server)) if server else config


def demo(emulation: Emulation, more: str = "", **server: Any) -> Config:
    """The demo's configuration on this emulation; `more` is appended to its `models`."""
    return config_of(demo_config(emulation.base_url) + more, **server)
