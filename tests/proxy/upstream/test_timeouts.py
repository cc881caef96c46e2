"""`connect` bounds all of connecting, `idle` every wait for the upstream, nothing else ends an answer."""

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest

from adapters.errors import Failure
from proxy.upstream.transport import Broken, Site, Transport
from tests.proxy.upstream.conftest import SITE, Open
from tests.proxy.upstream.peer import CHUNKED, Line, chunk, serve, turns, whole

pytestmark = pytest.mark.anyio

IDLE = replace(SITE, idle=0.1)
CONNECT = replace(SITE, connect=0.1)

SILENT = Failure("timeout_error", "nothing arrived for 0.1 s")
NOT_CONNECTED = Failure("timeout_error", "no connection within 0.1 s")


async def fails(open_: Open, url: str, site: Site) -> tuple[Failure, float]:
    """The failure, and after how many seconds."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(Broken) as caught:
        async with asyncio.timeout(4):
            await open_(url, site=site)
    return caught.value.failure, loop.time() - began


async def after(seconds: float) -> None:
    """What a slow upstream is: a real pause."""
    loop = asyncio.get_running_loop()
    passed = loop.create_future()
    loop.call_later(seconds, passed.set_result, None)
    await passed


async def test_an_answer_may_begin_later_than_any_limit(open_: Open) -> None:
    """On a connection that is kept alive too: `idle` is between two reads."""
    async def script(line: Line) -> None:
        for _ in range(2):
            await line.request()
            await after(0.25)
            line.send(whole(b"ok"))
        await line.rest()

    async with serve(script) as peer:
        for _ in range(2):
            response = await open_(peer.url, site=replace(IDLE, connect=0.1))
            assert await response.body(10) == b"ok"
            response.close()
        assert len(peer.lines) == 1


async def test_silence_in_the_head(open_: Open) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(b"HTTP/1.1 200 OK\r\n")
        await line.gone()

    async with serve(script) as peer:
        failure, seconds = await fails(open_, peer.url, IDLE)
    assert failure == SILENT
    assert 0.09 < seconds < 1


async def test_silence_in_the_body(open_: Open) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + chunk(b"one"))
        await line.gone()

    async with serve(script) as peer:
        response = await open_(peer.url, site=IDLE)
        assert await response.read() == b"one"
        with pytest.raises(Broken) as caught:
            await response.read()
        response.close()
    assert caught.value.failure == SILENT


async def test_what_waits_unread_comes_before_the_timeout(open_: Open) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + chunk(b"one"))
        await line.gone()

    async with serve(script) as peer:
        response = await open_(peer.url, site=IDLE)
        await after(0.25)
        assert await response.read() == b"one"
        with pytest.raises(Broken) as caught:
            await response.read()
        response.close()
    assert caught.value.failure == SILENT


async def test_each_read_begins_the_limit_anew(open_: Open) -> None:
    """Together three times as long as the limit."""
    loop = asyncio.get_running_loop()

    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED)
        for _ in range(6):
            await after(0.05)
            line.send(chunk(b"."))
        line.send(b"0\r\n\r\n")
        await line.rest()

    async with serve(script) as peer:
        began = loop.time()
        response = await open_(peer.url, site=IDLE)
        assert await response.body(10) == b"......"
        response.close()
        assert loop.time() - began >= 0.3


@pytest.fixture
def full() -> Iterator[int]:
    """A port whose backlog is full: connecting to it hangs."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        yield port
        for one in waiting:
            one.close()


async def test_no_tcp_connection(open_: Open, full: int) -> None:
    failure, seconds = await fails(open_, f"http://127.0.0.1:{full}/", CONNECT)
    assert failure == NOT_CONNECTED
    assert 0.09 < seconds < 1


async def test_no_tls_handshake(open_: Open) -> None:
    """TCP connects, TLS does not; the socket is not left behind."""
    async with serve(Line.gone) as peer:
        failure, seconds = await fails(open_, peer.url.replace("http:", "https:"), CONNECT)
        assert failure == NOT_CONNECTED
        assert 0.09 < seconds < 1


@pytest.mark.parametrize("kind", ["aiohttp"], indirect=True)  # its own habit
async def test_a_limit_over_five_seconds_is_not_rounded(transport: Transport) -> None:
    """Only what the library is told can be looked at without waiting that long."""
    from proxy.upstream.aiohttp_client import AiohttpTransport

    assert isinstance(transport, AiohttpTransport)
    timeout = transport._prepared(replace(SITE, connect=7.5, idle=120.0))["timeout"]
    assert (timeout.total, timeout.connect, timeout.sock_read) == (None, 7.5, 120.0)
    assert timeout.ceil_threshold > 1e9


async def test_a_reader_that_is_slow_is_no_silence(open_: Open) -> None:
    """The upstream is held back by the reader: the limit rests."""
    body = bytes(4_000_000)

    async def script(line: Line) -> None:
        await line.request()
        line.send(whole(body))
        await line.rest()

    async with serve(script) as peer:
        response = await open_(peer.url, site=IDLE)
        await turns(200)
        await after(0.25)
        assert await response.body(len(body)) == body
        response.close()


async def test_an_upload_may_take_longer_than_any_limit(open_: Open) -> None:
    async def script(line: Line) -> None:
        await line.reader.readuntil(b"\r\n\r\n")
        await after(0.25)
        await line.reader.readexactly(16_000_000)
        line.send(whole(b"ok"))
        await line.rest()

    async with serve(script) as peer:
        response = await open_(peer.url, site=replace(IDLE, connect=0.1), body=bytes(16_000_000))
        assert await response.body(10) == b"ok"
        response.close()
