"""Sockets for httpcore2 that tell the request under way what happens on them."""

# ruff: noqa: ASYNC109 - the signatures are httpcore2's

from __future__ import annotations

import asyncio
import select
import socket
import ssl
from collections.abc import Callable, Coroutine, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore2

from proxy.upstream.transport import REPLAY_SECONDS, Site

_GRACE = 1.0


@dataclass(slots=True)
class Call:
    """One request under way.

    `timer` bounds the phase that is running. `fresh`: a connection was made for it. `sent`: it is connected and the
    request is going out; since `written` it is out. `heard`: bytes came back. `answered`: so did the head. `complete`:
    so did all. `ended`: the upstream closed its side. `stream` is the socket, `stream_id` HTTP/2's number of the
    request on it.
    """

    site: Site
    timer: asyncio.Timeout | None = None
    fresh: bool = False
    sent: bool = False
    written: float | None = None
    heard: bool = False
    answered: bool = False
    complete: bool = False
    ended: bool = False
    stream: Stream | None = None
    stream_id: int | None = None

    async def trace(self, name: str, info: dict[str, Any]) -> None:
        """httpcore2's `trace` extension. From the request's first byte to the answer's no limit runs; then `idle`."""
        if name.endswith(".connect_tcp.started"):
            self.fresh = True
        elif name.endswith(".send_request_headers.started") and info["request"].method != b"CONNECT":
            self.sent = True
            self.stream_id = info.get("stream_id")
            self.rest()
        elif name.endswith(".send_request_body.complete") and self.sent:
            self.written = asyncio.get_running_loop().time()

    def progress(self) -> None:
        """Something arrived: the idle limit begins anew."""
        if self.sent and self.timer is not None:
            self.timer.reschedule(asyncio.get_running_loop().time() + self.site.idle)

    def rest(self) -> None:
        """Stops the limit until there is progress."""
        if self.timer is not None:
            self.timer.reschedule(None)

    @property
    def stale(self) -> bool:
        """Whether the request went out on a kept-alive connection that had ended before: it brought nothing at all, and
        cannot have carried the request for long."""
        late = self.written is not None and asyncio.get_running_loop().time() - self.written > REPLAY_SECONDS
        return self.sent and not self.fresh and not self.heard and not late


calling: ContextVar[Call | None] = ContextVar("calling", default=None)
"""The call that the running task works for."""


class Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, inner: httpcore2.AsyncNetworkStream) -> None:
        self._inner = inner
        tls = inner.get_extra_info("ssl_object")
        self._shared = tls is not None and tls.selected_alpn_protocol() == "h2"
        self._readable = _probe(inner.get_extra_info("socket"))
        self._mark()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        call = self._mark()
        data = await self._inner.read(max_bytes, timeout)
        if call is not None:
            if data:
                call.heard = True
                if call.answered or call.stream_id is None:  # on HTTP/2 it may be another request's
                    call.progress()
            else:
                call.ended = True
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._mark()
        if self._shared:
            await _undisturbed(self._inner.write(buffer, timeout))
        else:
            await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        return Stream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._readable() if info == "is_readable" else self._inner.get_extra_info(info)

    def _mark(self) -> Call | None:
        call = calling.get()
        if call is not None:
            call.stream = self
        return call


def _probe(sock: socket.socket) -> Callable[[], bool]:
    """Whether the socket has something to read, such as its end. Asked of every idle connection at every request,
    which took a quarter of the time."""
    if not hasattr(select, "poll"):
        return lambda: bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return lambda: bool(poll.poll(0))


async def _undisturbed(write: Coroutine[Any, Any, None]) -> None:
    """A write on a connection of several requests. Cancelled halfway it would end the connection for all of them
    (anyio 4.16, 2026-11), so a cancelled task waits for its end, within reason."""
    writing = asyncio.ensure_future(write)
    writing.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait({writing}, timeout=_GRACE)
        raise


class Backend(httpcore2.AsyncNetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return Stream(await self._inner.connect_tcp(host, port, timeout, local_address, socket_options))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
