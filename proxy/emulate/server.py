"""All emulated APIs on one port, each under `/NAME`: in a thread, in the running loop, or as `toolwire emulate`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from proxy.emulate.api import Api, Received, Reply
from proxy.emulate.exchange import Desk, Generate, read
from proxy.emulate.faults import LISTED
from proxy.emulate.registry import APIS
from proxy.listen import unbound


def app(desk: Desk | None = None) -> ASGIApp:
    """The ASGI application. It needs `scope["state"]["transport"]`, which `Emulation`'s server sets."""
    desk = desk or Desk()
    return Starlette(routes=[Mount(f"/{api.name}", routes=_routes(api, desk)) for api in APIS])


def _routes(api: Api, desk: Desk) -> list[Route]:
    generate = Generate(api, desk)
    return [
        *(Route(path, endpoint=_other(api, desk, answer), methods=[method]) for method, path, answer in api.others),
        *(Route(path, endpoint=generate, methods=["POST"]) for path in api.generate),
    ]


def _other(api: Api, desk: Desk, answer: Callable[[Received], Reply]) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        received = await read(api.name, request)
        desk.requests.append(received)
        reply = api.refuse(received) or answer(received)
        return Response(reply.body, reply.status, dict(reply.headers))

    return endpoint


class Emulation:
    """The emulator on a port (0: a free one). `with` runs it in a thread, `async with` in the running loop."""

    def __init__(self, port: int = 0, host: str = "127.0.0.1") -> None:
        self._desk = Desk()
        self._socket = socket.create_server((host, port), backlog=2048, family=_family(host))
        # Accepted sockets inherit it; asyncio does not set it on sockets that do not name their protocol.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._server = _Server(
            uvicorn.Config(
                app(self._desk), http=_Protocol, log_level="critical", access_log=False, timeout_graceful_shutdown=2
            )
        )
        self._thread: threading.Thread | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def requests(self) -> deque[Received]:
        """The latest requests, in the order of their arrival."""
        return self._desk.requests

    def base_url(self, api: str) -> str:
        """What the API's own SDK takes as base URL."""
        base = next(known.base for known in APIS if known.name == api)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/{api}{base}"

    async def serve(self) -> None:
        """Runs until `stop`."""
        await self._server.serve(sockets=[self._socket])

    def stop(self) -> None:
        self._server.should_exit = True

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()
        if self._thread:
            self._thread.join()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self.serve())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.stop()
        if self._task:
            await self._task


class _Server(uvicorn.Server):
    """Leaves signals to its owner, and does not wait for clients of `fault-stall` when it ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)


class _Protocol(HttpToolsProtocol):
    """Shows the connection to the application, so that it can be reset."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"]["transport"] = self.transport


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def main(args: argparse.Namespace) -> int:
    """`toolwire emulate`: prints where everything is and runs until SIGTERM or SIGINT. `args`: host, port."""
    try:
        emulation = Emulation(args.port, args.host)
    except OSError as error:
        print(unbound(error, args.host, args.port, "--port N"), file=sys.stderr)
        return 1
    return asyncio.run(_run(emulation))


async def _run(emulation: Emulation) -> int:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: emulation.stop())
    print("\n".join(_banner(emulation, LISTED)), flush=True)
    await emulation.serve()
    return 0


def _banner(emulation: Emulation, models: Sequence[str]) -> Iterator[str]:
    yield "Emulated upstreams (any key but `bad-key` is good):"
    width = max(len(api.name) for api in APIS)
    for api in APIS:
        yield f"  {api.name:<{width}}  {emulation.base_url(api.name)}"
    yield "Models of each:"
    yield f"  {', '.join(models)}, fault-STATUS, slow-MS, flaky-N, agent-FAMILY (with that family's rules)"
    for api in APIS:
        if api.quirks:
            yield f"Streams of {api.name} with one oddity:"
            yield f"  {', '.join(f'quirk-{quirk}' for quirk in sorted(api.quirks))}"
