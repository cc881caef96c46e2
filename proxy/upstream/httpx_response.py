"""An answer of httpcore2, taken from its connection by a task of its own.

The library hands out one HTTP chunk at a time; the task takes all chunks of a network read before the reader gets its
turn, so one `read` gives them all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

import httpcore2

from proxy.upstream import reasons
from proxy.upstream.coding import collect
from proxy.upstream.httpx_network import Call
from proxy.upstream.transport import Broken
from proxy.upstream.wire import joined

_HIGH_WATER = 256 * 1024
"""Unread bytes over which no more are taken from the connection."""


class Pumped:
    """The answer; `pump` must run in a task. `give_up` tells the upstream that the rest is not wanted."""

    __slots__ = (
        "_answer", "_arrived", "_call", "_closed", "_drained", "_error", "_give_up", "_pieces", "_size", "_taking",
        "headers", "status",
    )

    def __init__(self, answer: httpcore2.Response, call: Call, give_up: Callable[[], Awaitable[None]]) -> None:
        self.status = answer.status
        self.headers = joined(answer.headers)
        self._answer = answer
        self._call = call
        self._give_up = give_up
        self._arrived = asyncio.Event()
        self._drained = asyncio.Event()
        self._pieces: list[bytes] = []
        self._size = 0
        self._taking: asyncio.Task[None] | None = None
        self._closed = False
        self._error: Broken | None = None

    async def read(self) -> bytes:
        while not self._pieces:
            if self._error is not None:
                raise self._error
            if self._call.complete:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        pieces, self._pieces, self._size = self._pieces, [], 0
        self._drained.set()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def body(self, limit: int) -> bytes:
        return await collect(self, limit)

    def close(self) -> None:
        self._closed = True
        if self._call.complete:
            return
        self._pieces.clear()
        self._error = self._error or reasons.broken("the response was closed")
        if self._taking is not None:
            self._taking.cancel()

    async def pump(self) -> None:
        """Takes the answer to its end, its break or `close`; then frees the connection. Never raises."""
        call = self._call
        pieces = self._answer.aiter_stream()
        try:
            if not self._closed:
                self._taking = asyncio.current_task()
                async with asyncio.timeout(call.site.idle) as call.timer:
                    await self._take(pieces)
        except asyncio.CancelledError:
            self._error = self._error or reasons.broken("the response was closed")
        except TimeoutError:
            self._error = reasons.silent(call.site)
        except Exception as error:
            self._error = failure(error, call)
        self._taking = call.timer = None
        try:
            if not call.complete:
                await self._give_up()
            with suppress(Exception):
                await pieces.aclose()
                await self._answer.aclose()
        finally:
            self._arrived.set()

    async def _take(self, pieces: AsyncGenerator[bytes]) -> None:
        call = self._call
        async for piece in pieces:
            self._pieces.append(piece)
            self._size += len(piece)
            self._arrived.set()
            if self._size >= _HIGH_WATER:
                call.rest()
                self._drained.clear()
                await self._drained.wait()
                call.progress()
            elif call.stream_id is not None:
                call.progress()
        call.complete = True


def failure(error: Exception, call: Call) -> Broken:
    """What an exception of httpcore2, or of the libraries under it, means."""
    match error:
        case httpcore2.ProxyError():
            status = str(error)[:3]
            told = f" ({status})" if status.isdecimal() else ""
            return reasons.broken(f"the proxy refused the connection{told}")
        case httpcore2.ProtocolError() if call.sent and not call.ended and not _is_http2(error):
            return reasons.malformed()
        case httpcore2.ProtocolError() | httpcore2.ReadError() if call.answered:
            return reasons.broken(reasons.BROKE_OFF)
        case httpcore2.RemoteProtocolError():
            return reasons.broken(reasons.CLOSED)
        case _:
            return reasons.failed(error, "the connection failed")


def _is_http2(error: Exception) -> bool:
    """Whether the upstream reset the stream or closed the connection by HTTP/2's own means, which is no malformed
    answer: the argument is the event instead of a sentence."""
    return bool(error.args) and not isinstance(error.args[0], str | Exception)
