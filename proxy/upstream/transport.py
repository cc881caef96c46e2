"""What the engine knows of HTTP: a transport opens a request and hands out a response, or says what broke.

Both implementations behave the same (one test suite runs over both). Redirects come back as they are, no cookies are
kept, nothing is read from the environment per request. Unless the caller says otherwise a body is declared as JSON and
`accept-encoding: identity` is sent; an answer that is gzip or deflate all the same is decoded, any other coding is a
`malformed_response`.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from adapters.errors import Failure
from proxy.config.extras import needs
from proxy.config.model import Provider
from proxy.upstream import environment

KEEPALIVE_SECONDS = 15.0
"""How long an idle connection is kept: less than providers keep theirs."""


REPLAY_SECONDS = 0.1
"""A kept-alive connection that ends this soon after the request's last byte was dead before. One that ends later may
have carried the request to an upstream that worked on it: sent again it could be done, and paid for, twice."""


class Broken(Exception):
    """No answer, or not all of it. `failure` is a connection_error, timeout_error or malformed_response; its message
    names neither URL nor host nor key."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class TooLarge(Broken):
    """The body is longer than the caller takes. The response is closed."""


@dataclass(slots=True, frozen=True)
class Site:
    """What does not change between requests to one provider.

    `connect` (DNS, TCP, proxy and TLS together) and `idle` (between two reads, so from the first byte of an answer on)
    in seconds. `ssl` is None for plain HTTP. `proxy` is a URL.
    """

    name: str
    connect: float
    idle: float
    ssl: ssl.SSLContext | None = None
    proxy: str | None = field(default=None, repr=False)


class Response(Protocol):
    """An answer whose head has arrived. Whoever got it closes it.

    Header names are lower case, a repeated header's values are joined by ", ".
    """

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    async def read(self) -> bytes:
        """All that has arrived since the last read, after waiting for some; b"" at the end. Raises Broken, after
        everything that arrived before the break was read. One reader at a time."""

    async def body(self, limit: int) -> bytes:
        """All that is left. Raises Broken, TooLarge beyond `limit` bytes."""

    def close(self) -> None:
        """Lets go, at once: what is not fully received is torn down, else the connection is free for others. Safe
        twice, and in a cancelled task."""


class Transport(Protocol):
    """Connections to upstreams, shared by all requests of one event loop."""

    async def open(self, site: Site, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Sends a request and waits for the answer's head, as long as the caller lets it. Raises Broken.

        The URL is sent as it is, so it must be percent-encoded. `content-length`, `transfer-encoding` and `expect`
        are the transport's own; the caller's are left out. A request that finds its kept-alive connection closed by
        the upstream (which shows within REPLAY_SECONDS) is sent once more, at once, if no byte of an answer has come.
        """

    async def aclose(self) -> None:
        """Closes all connections, running ones too."""


def site(provider: Provider, environ: Mapping[str, str]) -> Site:
    """The provider's site. Raises ValueError for a proxy or a ca_file that cannot be used."""
    try:
        proxy = environment.proxy(provider.base_url, environ)
        if proxy is not None and proxy.startswith("socks"):
            _socks(provider.transport)
        return Site(
            name=provider.name,
            connect=provider.timeout.connect,
            idle=provider.timeout.idle,
            ssl=_trust(provider),
            proxy=proxy,
        )
    except ValueError as error:
        raise ValueError(f'provider "{provider.name}": {error}') from None


def _socks(transport: str) -> None:
    if transport != "httpx":
        raise ValueError("a SOCKS proxy needs transport: httpx")
    try:
        import socksio  # noqa: F401
    except ImportError:
        raise ValueError(f"a SOCKS proxy {needs('socksio', 'httpx')}") from None


def _trust(provider: Provider) -> ssl.SSLContext | None:
    if provider.ca_file is None:
        return _context(provider.transport, None) if provider.base_url.lower().startswith("https:") else None
    try:
        authorities = Path(provider.ca_file).read_text("ascii", "replace")
        if "-----BEGIN" not in authorities:
            raise ValueError("ca_file holds no certificate")
        return _context(provider.transport, authorities)
    except ssl.SSLError:
        raise ValueError("ca_file holds no certificate") from None
    except OSError as error:
        raise ValueError(f"ca_file: {error.strerror}") from None


@lru_cache(maxsize=64)
def _context(transport: str, authorities: str | None) -> ssl.SSLContext:
    """Equal trust is one context, also after a reload, because connections are shared by context; but never between
    transports, since httpcore2 sets the context's ALPN protocols (2.16, 2026-11) and aiohttp speaks HTTP/1.1 only."""
    context = ssl.create_default_context(cadata=authorities)
    if transport == "aiohttp":
        context.set_alpn_protocols(["http/1.1"])
    return context
