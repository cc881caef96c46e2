"""The second transport: httpcore2, the layer under httpx2. HTTP/2 where the package h2 is installed, SOCKS proxies
where socksio is.

httpx2's own client would add cookies, redirects, decoding and URL normalization only for all of it to be switched off
again. What the library leaves open is done here: one limit for all of connecting, a whole read at once, a repetition
on a stale connection, the end of an HTTP/2 stream that is closed early.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import httpcore2

from proxy.upstream import reasons
from proxy.upstream.coding import plain
from proxy.upstream.httpx_network import Backend, Call, calling
from proxy.upstream.httpx_reset import reset
from proxy.upstream.httpx_response import Pumped, failure
from proxy.upstream.transport import KEEPALIVE_SECONDS, Response, Site
from proxy.upstream.wire import BODYLESS, Address, address, complete

HTTP2 = find_spec("h2") is not None

_AT_ONCE = 64
"""Requests on one pool. httpcore2 queues what exceeds the streams of an HTTP/2 connection (100 are usual) instead of
opening another connection (2.16, 2026-11); so over this number there is another pool."""


@dataclass(slots=True, eq=False)
class _Way:
    pool: httpcore2.AsyncConnectionPool
    active: int = 0


class HttpxTransport:
    """Pools for each way out (trust and proxy). `replays` counts requests sent again."""

    def __init__(self) -> None:
        self.replays = 0
        self._ways: dict[tuple[ssl.SSLContext | None, str | None], list[_Way]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, site: Site, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        to = address(url)
        lines = _lines(to, complete(method, headers, to), method, body)
        request = httpcore2.Request(method, _url(to), headers=lines, content=body, extensions={})
        way = self._way(site)
        way.active += 1
        try:
            call = Call(site)
            answer = await self._ask(way, call, request, again=True)
            if answer is None:
                self.replays += 1
                call = Call(site)
                answer = await self._ask(way, call, request, again=False)
        except BaseException:
            way.active -= 1
            raise
        assert answer is not None
        response = Pumped(answer, call, partial(reset, way.pool, call, request))
        self._run(self._pumped(response, way))
        if answer.status < 200:
            response.close()
            raise reasons.malformed()
        return plain(response)

    async def aclose(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for ways in self._ways.values():
            for way in ways:
                await way.pool.aclose()
        self._ways.clear()

    async def _ask(
        self, way: _Way, call: Call, request: httpcore2.Request, *, again: bool
    ) -> httpcore2.Response | None:
        """The answer's head; None, if it may be tried `again`, for a connection that turned out stale."""
        request.extensions["trace"] = call.trace
        calling.set(call)
        try:
            async with asyncio.timeout(call.site.connect) as call.timer:
                answer = await way.pool.handle_async_request(request)
        except BaseException as error:
            self._run(_abandon(way.pool, call, request))
            match error:
                case TimeoutError():
                    raise (reasons.silent if call.sent else reasons.not_connected)(call.site) from None
                case Exception() if again and call.stale:
                    return None
                case Exception():
                    raise failure(error, call) from None
            raise
        finally:
            call.timer = None
        call.answered = True
        return answer

    async def _pumped(self, response: Pumped, way: _Way) -> None:
        await response.pump()
        way.active -= 1

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _way(self, site: Site) -> _Way:
        ways = self._ways.setdefault((site.ssl, site.proxy), [])
        for way in ways:
            if way.active < _AT_ONCE:
                return way
        ways.append(_Way(_pool(site)))
        return ways[-1]


async def _abandon(pool: httpcore2.AsyncConnectionPool, call: Call, request: httpcore2.Request) -> None:
    """What httpcore2 leaves open when a request fails before its answer: the socket of a proxy or a TLS handshake that
    was not finished, an HTTP/2 stream (2.16, 2026-11)."""
    if call.sent:
        await reset(pool, call, request)
    elif call.stream is not None:
        with suppress(Exception):
            await call.stream.aclose()


def _pool(site: Site) -> httpcore2.AsyncConnectionPool:
    common: dict[str, Any] = {
        "ssl_context": site.ssl,
        "max_connections": None,
        "max_keepalive_connections": None,
        "keepalive_expiry": KEEPALIVE_SECONDS,
        "http2": HTTP2,
        "network_backend": Backend(),
    }
    if site.proxy is None:
        return httpcore2.AsyncConnectionPool(**common)
    parts = urlsplit(site.proxy)
    auth = (unquote_to_bytes(parts.username or ""), unquote_to_bytes(parts.password or "")) if parts.username else None
    url = httpcore2.URL(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target="/")
    if parts.scheme.startswith("socks"):
        return httpcore2.AsyncSOCKSProxy(url, proxy_auth=auth, **common)
    trust = site.ssl if parts.scheme == "https" else None
    return httpcore2.AsyncHTTPProxy(url, proxy_auth=auth, proxy_ssl_context=trust, **common)


def _url(to: Address) -> httpcore2.URL:
    return httpcore2.URL(scheme=to.scheme, host=to.host, port=to.port, target=to.target)


def _lines(to: Address, headers: Mapping[str, str], method: str, body: bytes) -> list[tuple[bytes, bytes]]:
    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    if "host" not in headers:
        lines.insert(0, (b"host", to.authority.encode()))
    if body or method not in BODYLESS:
        lines.append((b"content-length", b"%d" % len(body)))
    return lines
