"""The transport for most upstreams: aiohttp, HTTP/1.1.

Facts of aiohttp 3.14 that this works around (2026-11): what waits unread when a connection breaks is lost unless it is
fetched before the error is raised; a POST on a stale connection is not repeated; a chunk that cannot be parsed, or the
session's end, leaves the reader waiting for ever; a reset ends a body without length as if it were complete.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import HttpProcessingError
from yarl import URL

from proxy.upstream import reasons
from proxy.upstream.coding import collect, plain
from proxy.upstream.transport import KEEPALIVE_SECONDS, REPLAY_SECONDS, Broken, Response, Site
from proxy.upstream.wire import address, complete, joined

_MAX_HEADER = 32768
_ERRORS = (aiohttp.ClientError, HttpProcessingError, OSError)

_current: ContextVar[_Connection | None] = ContextVar("_current", default=None)
"""The connection that the task's request went out on; None before it has one."""


class AiohttpTransport:
    """One session, made at the first request, in its event loop. `replays` counts requests sent again."""

    def __init__(self) -> None:
        self.replays = 0
        self._session: aiohttp.ClientSession | None = None
        self._settings: dict[Site, Mapping[str, Any]] = {}

    async def open(self, site: Site, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        to = address(url)
        lines = complete(method, headers, to)
        session = self._session or self._start()
        settings = self._settings.get(site) or self._prepared(site)
        replayed = False
        while True:
            _current.set(None)
            try:
                answer = await session.request(method, _url(to.url), data=body or None, headers=lines, **settings)
            except _ERRORS as error:
                if replayed or not _stale(error):
                    raise _failure(error, site) from None
                replayed = True
                self.replays += 1
                continue
            response = _Response(answer, site)
            if answer.status < 200:
                response.close()
                raise reasons.malformed()
            return plain(response) if "content-encoding" in answer.headers else response

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _start(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=0, keepalive_timeout=KEEPALIVE_SECONDS, timeout_ceil_threshold=math.inf
        )
        connector._factory = partial(_Connection, loop=connector._loop)  # type: ignore[assignment]
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            max_field_size=_MAX_HEADER,
        )
        self._session._retry_connection = False
        return self._session

    def _prepared(self, site: Site) -> Mapping[str, Any]:
        if len(self._settings) >= 1024:
            self._settings.clear()
        self._settings[site] = settings = {
            "timeout": aiohttp.ClientTimeout(connect=site.connect, sock_read=site.idle, ceil_threshold=math.inf),
            "ssl": True if site.ssl is None else site.ssl,
            "proxy": None if site.proxy is None else URL(site.proxy),
            "allow_redirects": False,
        }
        return settings


class _Response:
    __slots__ = ("_answer", "_content", "_error", "_headers", "_site", "status")

    def __init__(self, answer: aiohttp.ClientResponse, site: Site) -> None:
        self.status = answer.status
        self._answer = answer
        self._content = answer.content
        self._headers: dict[str, str] | None = None
        self._site = site
        self._error: Broken | None = None

    @property
    def headers(self) -> Mapping[str, str]:
        if self._headers is None:
            self._headers = joined(self._answer.raw_headers)
        return self._headers

    async def read(self) -> bytes:
        if self._error is not None:
            raise self._error
        try:
            return await self._content.readany()
        except _ERRORS as error:
            self._error = _failure(error, self._site)
        rest = self._rest()
        if not rest:
            raise self._error
        return rest

    async def body(self, limit: int) -> bytes:
        return await collect(self, limit)

    def close(self) -> None:
        self._answer.close()
        if self._error is None and not self._content.at_eof():
            self._error = reasons.broken("the response was closed")

    def _rest(self) -> bytes:
        """What arrived before the break."""
        self._content.set_exception(None)  # type: ignore[arg-type]
        return self._content.read_nowait()


class _Connection(ResponseHandler):
    """A connection that knows how often it was used, when this request was sent whole, whether its answer has begun."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self.requests = 0
        self.heard = False
        self.sent: float | None = None

    def set_response_params(self, **params: Any) -> None:
        """Called once before each request."""
        self.requests += 1
        self.heard = False
        self.sent = None
        _current.set(self)
        super().set_response_params(**params)

    def start_timeout(self) -> None:
        """Called when the request is written. The read limit begins with the answer, in `data_received`."""
        self.sent = self._loop.time()

    @property
    def stale(self) -> bool:
        """Whether it was kept alive, brought nothing at all, and cannot have carried the request for long."""
        late = self.sent is not None and self._loop.time() - self.sent > REPLAY_SECONDS
        return self.requests > 1 and not self.heard and not late

    def data_received(self, data: bytes) -> None:
        self.heard = True
        super().data_received(data)
        if self._exception is not None:
            self._break_body(self._exception)

    def connection_lost(self, exc: BaseException | None) -> None:
        if exc is not None:
            self._break_body(aiohttp.ClientPayloadError)
        super().connection_lost(exc)

    def close(self) -> None:
        self._break_body(aiohttp.ClientPayloadError)
        super().close()

    def abort(self) -> None:
        self._break_body(aiohttp.ClientPayloadError)
        super().abort()

    def _break_body(self, error: BaseException | type[BaseException]) -> None:
        """Tells the reader, whom aiohttp would let wait for ever in these cases."""
        body = self._payload
        if body is not None and not body.is_eof() and body.exception() is None:
            body.set_exception(error if isinstance(error, BaseException) else error())


def _stale(error: Exception) -> bool:
    """Whether the request went out on a kept-alive connection that had ended before."""
    connection = _current.get()
    return connection is not None and connection.stale and not isinstance(error, TimeoutError)


def _failure(error: Exception, site: Site) -> Broken:
    match error:
        case aiohttp.ConnectionTimeoutError():
            return reasons.not_connected(site)
        case TimeoutError():
            return reasons.silent(site)
        case aiohttp.ClientHttpProxyError():
            return reasons.broken(f"the proxy refused the connection ({error.status})")
        case aiohttp.ServerDisconnectedError():
            return reasons.broken(reasons.CLOSED)
        case aiohttp.ClientPayloadError():
            return reasons.broken(reasons.BROKE_OFF)
        case aiohttp.ClientResponseError() | HttpProcessingError():
            return reasons.malformed()
        case _:
            return reasons.failed(error, "the connection failed")


@lru_cache(maxsize=1024)
def _url(url: str) -> URL:
    return URL(url, encoded=True)
