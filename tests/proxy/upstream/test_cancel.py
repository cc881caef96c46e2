"""Whoever stops caring stops the upstream: its socket is closed, in every phase, within moments."""

import asyncio

import pytest

from proxy.upstream.transport import Broken, Transport
from tests.proxy.upstream.conftest import Open
from tests.proxy.upstream.peer import CHUNKED, Line, chunk, serve, turns

pytestmark = pytest.mark.anyio


class Watched:
    """A script that tells how far it is and when the other side has gone."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.asked = asyncio.Event()
        self.gone = asyncio.Event()

    async def __call__(self, line: Line) -> None:
        await line.request()
        line.send(self._answer)
        self.asked.set()
        await line.gone()
        self.gone.set()


async def soon(event: asyncio.Event) -> None:
    async with asyncio.timeout(0.5):
        await event.wait()


async def test_before_the_head(open_: Open) -> None:
    script = Watched(b"")
    async with serve(script) as peer:
        opening = asyncio.ensure_future(open_(peer.url))
        await script.asked.wait()
        await turns()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await soon(script.gone)


@pytest.mark.parametrize("answer", [CHUNKED + chunk(b"one"), CHUNKED], ids=["after a piece", "silent since the head"])
async def test_in_the_body(open_: Open, answer: bytes) -> None:
    script = Watched(answer)

    async def read_all() -> None:
        response = await open_(peer.url)
        try:
            while await response.read():
                pass
        finally:
            response.close()

    async with serve(script) as peer:
        reading = asyncio.ensure_future(read_all())
        await script.asked.wait()
        await turns(40)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await soon(script.gone)


async def test_closed_by_another_while_reading(open_: Open) -> None:
    script = Watched(CHUNKED)
    async with serve(script) as peer:
        response = await open_(peer.url)
        reading = asyncio.ensure_future(response.read())
        await turns()
        response.close()
        with pytest.raises(Broken):
            await reading
        await soon(script.gone)


async def test_closed_at_once(open_: Open) -> None:
    """No turn of the loop lies between the head and the close."""
    script = Watched(CHUNKED)
    async with serve(script) as peer:
        (await open_(peer.url)).close()
        await soon(script.gone)


async def test_during_the_upload(open_: Open) -> None:
    gone = asyncio.Event()
    asked = asyncio.Event()

    async def script(line: Line) -> None:
        await line.reader.readuntil(b"\r\n\r\n")
        asked.set()
        await asyncio.sleep(0)
        await cancelled.wait()
        await line.gone()
        gone.set()

    cancelled = asyncio.Event()
    async with serve(script) as peer:
        opening = asyncio.ensure_future(open_(peer.url, body=bytes(16_000_000)))
        await asked.wait()
        await turns()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        cancelled.set()
        await soon(gone)


async def test_during_the_tls_handshake(open_: Open) -> None:
    gone = asyncio.Event()
    greeted = asyncio.Event()

    async def script(line: Line) -> None:
        assert await line.reader.read(1)
        greeted.set()
        await line.gone()
        gone.set()

    async with serve(script) as peer:
        opening = asyncio.ensure_future(open_(peer.url.replace("http:", "https:")))
        await greeted.wait()
        await turns()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await soon(gone)


@pytest.mark.parametrize("waiting", [True, False])
async def test_the_transport_closes_what_runs(open_: Open, transport: Transport, waiting: bool) -> None:
    script = Watched(CHUNKED + chunk(b"one"))
    async with serve(script) as peer:
        response = await open_(peer.url)
        assert await response.read() == b"one"
        reading = asyncio.ensure_future(response.read())
        if waiting:
            await turns()
        await transport.aclose()
        await soon(script.gone)
        with pytest.raises(Broken):
            async with asyncio.timeout(1):
                await reading
        response.close()
