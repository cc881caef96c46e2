"""Through the proxies of the environment: CONNECT for https, absolute form for http, SOCKS."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from adapters.errors import Failure
from proxy.upstream.transport import Broken, Site, Transport, site
from tests.proxy.upstream.authority import Authority
from tests.proxy.upstream.conftest import Open, provider
from tests.proxy.upstream.peer import CHUNKED, Line, Peer, Script, answering, chunk, serve, turns, whole

pytestmark = pytest.mark.anyio

URL = "https://upstream.test/v1/x?a=b"


class Tunnel:
    """An HTTP proxy that leads every CONNECT to `to`."""

    def __init__(self, to: Peer) -> None:
        self._to = to
        self.heads: list[str] = []

    async def __call__(self, line: Line) -> None:
        self.heads.append((await line.request()).decode())
        line.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await joined(line, self._to)


async def joined(line: Line, to: Peer) -> None:
    """Copies both ways until one side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", to.port)

    async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                sink.write(data)
        except OSError:
            pass
        sink.close()

    await asyncio.gather(copy(line.reader, writer), copy(reader, line.writer))


@pytest.fixture
def through(kind: str, authority: Authority) -> Callable[[str], Site]:
    def made(proxy: str, base_url: str = URL) -> Site:
        return site(provider(kind, base_url, str(authority.ca_file)), {"ALL_PROXY": proxy})

    return made


async def test_https_goes_through_a_tunnel(
    open_: Open, through: Callable[[str], Site], authority: Authority, transport: Transport
) -> None:
    seen: list[bytes] = []

    async def script(line: Line) -> None:
        for body in (b"one", b"two"):
            seen.append(await line.request())
            line.send(whole(body))
        await line.rest()

    async with serve(script, authority.server("upstream.test")) as upstream:
        tunnel = Tunnel(upstream)
        async with serve(tunnel) as proxy:
            way = through(proxy.url.replace("://", "://us%40er:pass@"))
            for body in (b"one", b"two"):
                response = await open_(URL, site=way)
                assert await response.body(10) == body
                response.close()
            await transport.aclose()
    assert len(tunnel.heads) == 1
    first, *lines = tunnel.heads[0].removesuffix("\r\n\r\n").split("\r\n")
    assert first == "CONNECT upstream.test:443 HTTP/1.1"
    assert "proxy-authorization: Basic dXNAZXI6cGFzcw==" in [_lowered(line) for line in lines]
    assert [request.split(b"\r\n")[0] for request in seen] == [b"POST /v1/x?a=b HTTP/1.1"] * 2
    assert b"proxy-authorization" not in seen[0].lower()


def _lowered(line: str) -> str:
    name, _, value = line.partition(":")
    return f"{name.lower()}:{value}"


async def test_a_proxy_that_is_reached_by_tls(
    open_: Open, through: Callable[[str], Site], authority: Authority, transport: Transport
) -> None:
    async with serve(answering(whole(b"one"), whole(b"two")), authority.server("upstream.test")) as upstream:
        tunnel = Tunnel(upstream)
        async with serve(tunnel, authority.server("127.0.0.1")) as proxy:
            for body in (b"one", b"two"):
                response = await open_(URL, site=through(proxy.url))
                assert await response.body(10) == body
                response.close()
            await transport.aclose()
    assert len(tunnel.heads) == 1


async def test_http_goes_in_absolute_form(
    open_: Open, through: Callable[[str, str], Site], transport: Transport
) -> None:
    seen: list[str] = []

    async def script(line: Line) -> None:
        for body in (b"one", b"two"):
            seen.append((await line.request()).decode())
            line.send(whole(body))
        await line.rest()

    url = "http://upstream.test/m/a%2Fb?q=%7e"
    async with serve(script) as proxy:
        way = through(proxy.url.replace("://", "://user:pass@"), url)
        for body in (b"one", b"two"):
            response = await open_(url, site=way, headers={"authorization": "Bearer k"})
            assert await response.body(10) == body
            response.close()
        assert len(proxy.lines) == 1
        await transport.aclose()
    for request in seen:
        first, *lines = request.partition("\r\n\r\n")[0].split("\r\n")
        assert first == f"POST {url} HTTP/1.1"
        assert {"host: upstream.test", "proxy-authorization: Basic dXNlcjpwYXNz", "authorization: Bearer k"} <= {
            _lowered(line) for line in lines
        }


async def failure_of(open_: Open, way: Site) -> Failure:
    with pytest.raises(Broken) as caught:
        await open_(URL, site=way)
    return caught.value.failure


@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "502 Bad Gateway to upstream.test"])
async def test_a_tunnel_that_is_refused(open_: Open, through: Callable[[str], Site], status: str) -> None:
    async with serve(answering(whole(b"no", status=status))) as proxy:
        failure = await failure_of(open_, through(proxy.url))
    assert failure == Failure("connection_error", f"the proxy refused the connection ({status[:3]})")


async def test_a_proxy_that_is_not_there(open_: Open, through: Callable[[str], Site]) -> None:
    async with serve(Line.rest) as proxy:
        url = proxy.url
    failure = await failure_of(open_, through(url))
    assert failure == Failure("connection_error", "the connection was refused")


@pytest.mark.parametrize("ending", [Line.end, Line.reset])
async def test_a_proxy_that_hangs_up(
    open_: Open, through: Callable[[str], Site], ending: Callable[[Line], None]
) -> None:
    async def script(line: Line) -> None:
        await line.request()
        ending(line)

    async with serve(script) as proxy:
        failure = await failure_of(open_, through(proxy.url))
    assert failure.type == "connection_error"


async def test_a_certificate_behind_the_tunnel(
    open_: Open, through: Callable[[str], Site], authority: Authority
) -> None:
    async def script(line: Line) -> None:
        raise AssertionError("a request came through")

    async with serve(script, authority.server("other.test")) as upstream, serve(Tunnel(upstream)) as proxy:
        failure = await failure_of(open_, through(proxy.url))
    assert failure == Failure("connection_error", "TLS: certificate verify failed: it is for another host")


async def silent_connect(line: Line) -> None:
    await line.request()
    await line.gone()


async def silent_tls(line: Line) -> None:
    await line.request()
    line.send(b"HTTP/1.1 200 OK\r\n\r\n")
    await line.gone()


@pytest.mark.parametrize("script", [silent_connect, silent_tls])
async def test_connect_bounds_the_tunnel_too(open_: Open, through: Callable[[str], Site], script: Script) -> None:
    """The sockets are closed: the scripts end."""
    async with serve(script) as proxy:
        failure = await failure_of(open_, replace(through(proxy.url), connect=0.1, idle=0.05))
        assert failure == Failure("timeout_error", "no connection within 0.1 s")


async def test_idle_runs_behind_the_tunnel(
    open_: Open, through: Callable[[str], Site], authority: Authority
) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + chunk(b"one"))
        await line.gone()

    async with serve(script, authority.server("upstream.test")) as upstream, serve(Tunnel(upstream)) as proxy:
        response = await open_(URL, site=replace(through(proxy.url), idle=0.1))
        assert await response.read() == b"one"
        with pytest.raises(Broken) as caught:
            await response.read()
        response.close()
    assert caught.value.failure == Failure("timeout_error", "nothing arrived for 0.1 s")


async def test_cancelled_behind_the_tunnel(open_: Open, through: Callable[[str], Site], authority: Authority) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        asked.set()
        await line.gone()
        gone.set()

    async with serve(script, authority.server("upstream.test")) as upstream, serve(Tunnel(upstream)) as proxy:
        opening = asyncio.ensure_future(open_(URL, site=through(proxy.url)))
        await asked.wait()
        await turns()
        opening.cancel()
        await asyncio.wait({opening})
        async with asyncio.timeout(0.5):
            await gone.wait()


async def test_a_stale_tunnel_is_replayed(
    open_: Open, through: Callable[[str], Site], authority: Authority, transport: Transport
) -> None:
    requests = 0

    async def script(line: Line) -> None:
        nonlocal requests
        while True:
            await line.request()
            requests += 1
            if requests == 2:
                return
            line.send(whole(b"ok"))
            if requests == 3:
                await line.rest()
                return

    async with serve(script, authority.server("upstream.test")) as upstream, serve(Tunnel(upstream)) as proxy:
        for _ in range(2):
            response = await open_(URL, site=through(proxy.url))
            assert await response.body(10) == b"ok"
            response.close()
        assert transport.replays == 1  # type: ignore[attr-defined]
        await transport.aclose()


# --- SOCKS ----------------------------------------------------------------------------------------------------------


class Socks:
    """A SOCKS5 proxy (RFC 1928) that leads to `to`, or answers with `reply`."""

    def __init__(self, to: Peer, reply: int = 0) -> None:
        self._to = to
        self._reply = reply
        self.asked: list[bytes] = []

    async def __call__(self, line: Line) -> None:
        assert await line.reader.readexactly(3) == b"\x05\x01\x00"
        line.send(b"\x05\x00")
        command = await line.reader.readexactly(5)
        self.asked.append(command[:4] + await line.reader.readexactly(command[4] + 2))
        line.send(bytes([5, self._reply, 0, 1, 0, 0, 0, 0, 0, 0]))
        if self._reply:
            await line.gone()
        else:
            await joined(line, self._to)


@pytest.mark.parametrize("kind", ["httpx"], indirect=True)  # aiohttp has no SOCKS: `site` refuses it
@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
async def test_socks(
    open_: Open, through: Callable[[str], Site], authority: Authority, transport: Transport, scheme: str
) -> None:
    async with serve(answering(whole(b"ok")), authority.server("upstream.test")) as upstream:
        proxy = Socks(upstream)
        async with serve(proxy) as listening:
            response = await open_(URL, site=through(listening.url.replace("http", scheme)))
            assert await response.body(10) == b"ok"
            response.close()
            await transport.aclose()
    assert proxy.asked == [b"\x05\x01\x00\x03upstream.test\x01\xbb"]


@pytest.mark.parametrize("kind", ["httpx"], indirect=True)  # aiohttp has no SOCKS: `site` refuses it
async def test_socks_refused(open_: Open, through: Callable[[str], Site]) -> None:
    """The socket is closed all the same."""
    async with serve(Line.rest) as upstream, serve(Socks(upstream, reply=4)) as listening:
        failure = await failure_of(open_, through(listening.url.replace("http", "socks5")))
    assert failure == Failure("connection_error", "the proxy refused the connection")
