"""Fetches remote images for APIs that want bytes (`server.fetch_images: public`).

The addresses come from clients, so: only http and https, only public addresses, looked up once and connected to as
looked up (a name cannot change its mind in between), no redirects, no cookies, no proxies, bounded in size and time.
`image_hosts` narrows the hosts further.
"""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from adapters.errors import Rejected
from adapters.model import Media, Part, Request, ToolResult
from proxy.config.patterns import matches

MAX_BYTES = 20 * 1024 * 1024
SECONDS = 10.0
MOST = 20
"""Images that are fetched for one request."""

TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")

Fetched = Mapping[str, tuple[str, str]]
"""URL -> media type and base64."""


def is_public(address: str) -> bool:
    """Whether an IP address is reachable by everyone: not loopback, private, link-local, reserved, multicast."""
    ip = ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None)
    return (mapped or ip).is_global and not (mapped or ip).is_multicast


def urls(request: Request) -> list[str]:
    """The remote images of a request."""
    found = dict.fromkeys(media.url for message in request.messages for media in _media(message.parts) if media.url)
    return [url for url in found if _remote(url)]


def _remote(url: str | None) -> bool:
    return url is not None and url[:8].lower().startswith(("http://", "https://"))


def _media(parts: Iterable[Part]) -> Iterable[Media]:
    for part in parts:
        if isinstance(part, Media) and part.kind == "image":
            yield part
        elif isinstance(part, ToolResult):
            yield from _media(part.content)


def with_bytes(request: Request, fetched: Fetched) -> Request:
    """The request with the fetched images' bytes in place of their addresses."""
    return replace(request, messages=tuple(replace(m, parts=_filled(m.parts, fetched)) for m in request.messages))


def _filled(parts: Sequence[Part], fetched: Fetched) -> tuple[Part, ...]:
    filled: list[Part] = []
    for part in parts:
        if isinstance(part, Media) and part.url is not None and part.url in fetched:
            mime, data = fetched[part.url]
            filled.append(replace(part, mime=mime, data=data, url=None))
        elif isinstance(part, ToolResult):
            filled.append(replace(part, content=_filled(part.content, fetched)))
        else:
            filled.append(part)
    return tuple(filled)


class _Public(AbstractResolver):
    """Looks names up and keeps the allowed addresses only."""

    def __init__(self, allowed: Callable[[str], bool]) -> None:
        self._allowed = allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        results = [
            ResolveResult(
                hostname=host, host=str(where[0]), port=port, family=kind, proto=proto, flags=socket.AI_NUMERICHOST
            )
            for kind, _, proto, _, where in found
            if self._allowed(str(where[0]))
        ]
        if not results:
            raise OSError(None, "no public address")
        return results

    async def close(self) -> None:
        """Nothing is held."""


@dataclass(slots=True, frozen=True)
class Images:
    """`hosts`: patterns of allowed hosts, none for any. `allowed` says which addresses may be connected to."""

    hosts: tuple[str, ...] = ()
    allowed: Callable[[str], bool] = is_public
    max_bytes: int = MAX_BYTES
    seconds: float = SECONDS

    async def fetch(self, wanted: Sequence[str]) -> Fetched:
        """All of them, side by side. Raises Rejected that names the first one that cannot be had, and why."""
        if len(wanted) > MOST:
            raise Rejected(f"More than {MOST} remote images in one request.", "messages")
        for url in wanted:
            self._check(url)
        connector = aiohttp.TCPConnector(resolver=_Public(self.allowed), use_dns_cache=False, limit=MOST)
        timeout = aiohttp.ClientTimeout(total=self.seconds)
        async with aiohttp.ClientSession(
            connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
        ) as session:
            got = await asyncio.gather(*(self._one(session, url) for url in wanted))
        return dict(zip(wanted, got, strict=True))

    def _check(self, url: str) -> None:
        """Literal addresses never reach the resolver: they are looked at here."""
        try:
            host = urlsplit(url).hostname or ""
        except ValueError:
            host = ""
        if not host:
            raise _refused(url, "it has no host")
        if self.hosts and not any(matches(pattern, host) for pattern in self.hosts):
            raise _refused(url, "its host is not among server.image_hosts")
        try:
            literal = bool(ip_address(host))
        except ValueError:
            return
        if literal and not self.allowed(host):
            raise _refused(url, "its address is not public")

    async def _one(self, session: aiohttp.ClientSession, url: str) -> tuple[str, str]:
        try:
            async with session.get(url, allow_redirects=False) as response:
                if response.status != 200:
                    raise _refused(url, f"the server answered {response.status}")
                if response.content_type not in TYPES:
                    raise _refused(url, f"{response.content_type} is none of {', '.join(TYPES)}")
                data = bytearray()
                async for piece in response.content.iter_any():
                    data += piece
                    if len(data) > self.max_bytes:
                        raise _refused(url, f"it is larger than {self.max_bytes} bytes")
                return response.content_type, base64.b64encode(data).decode()
        except TimeoutError:
            raise _refused(url, f"it did not come within {self.seconds:g} seconds") from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise _refused(url, "it cannot be reached at a public address") from None


def _refused(url: str, why: str) -> Rejected:
    shown = url if len(url) <= 200 else url[:200] + "…"
    return Rejected(f"The image {shown} was not fetched: {why}.", "messages")
