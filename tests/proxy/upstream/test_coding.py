"""Compressed answers, although nobody asked for them."""

import asyncio
import gzip
import zlib

import pytest

from proxy.upstream.transport import Broken, TooLarge
from tests.proxy.upstream.conftest import Open
from tests.proxy.upstream.peer import CHUNKED, Line, answering, chunk, serve, whole

pytestmark = pytest.mark.anyio

CODINGS = {
    "gzip": gzip.compress(b"hello " * 1000),
    "x-gzip": gzip.compress(b"hello " * 500) + gzip.compress(b"hello " * 500),
    "deflate": zlib.compress(b"hello " * 1000),
    "Identity": b"hello " * 1000,
}


@pytest.mark.parametrize("coding", CODINGS)
async def test_a_compressed_answer_is_decoded(open_: Open, coding: str) -> None:
    answer = whole(CODINGS[coding], f"content-encoding: {coding}")
    async with serve(answering(answer, answer)) as peer:
        for _ in range(2):
            response = await open_(peer.url)
            assert await response.body(10000) == b"hello " * 1000
            response.close()
        assert len(peer.lines) == 1


async def test_a_compressed_stream_is_decoded_as_it_arrives(open_: Open) -> None:
    machine = zlib.compressobj(wbits=31)
    first = machine.compress(b"one") + machine.flush(zlib.Z_SYNC_FLUSH)
    second = machine.compress(b"two") + machine.flush()
    turn = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n") + chunk(first))
        await turn.wait()
        for byte in second:
            line.send(chunk(bytes([byte])))
        line.send(b"0\r\n\r\n")
        await line.rest()

    async with serve(script) as peer:
        response = await open_(peer.url)
        assert await response.read() == b"one"
        turn.set()
        assert await response.body(100) == b"two"
        response.close()


async def test_a_compressed_answer_may_be_empty(open_: Open) -> None:
    async with serve(answering(whole(b"", "content-encoding: gzip"))) as peer:
        assert await (await open_(peer.url)).body(10) == b""


async def test_a_bomb_is_decoded_in_pieces(open_: Open) -> None:
    async with serve(answering(whole(gzip.compress(bytes(50_000_000)), "content-encoding: gzip"))) as peer:
        response = await open_(peer.url)
        assert 0 < len(await response.read()) <= 1 << 20
        with pytest.raises(TooLarge):
            await response.body(10_000_000)


@pytest.mark.parametrize(
    "coding, body",
    [
        ("gzip", b"no gzip at all"),
        ("gzip", gzip.compress(b"hello" * 100, mtime=0)[:-9]),
        ("br", b"\x0b\x02\x80hello\x03"),
        ("gzip, gzip", gzip.compress(gzip.compress(b"hello", mtime=0), mtime=0)),
    ],
)
async def test_what_cannot_be_decoded_is_malformed(open_: Open, coding: str, body: bytes) -> None:
    async with serve(answering(whole(body, f"content-encoding: {coding}"))) as peer:
        with pytest.raises(Broken) as caught:
            await (await open_(peer.url)).body(1000)
    assert caught.value.failure.type == "malformed_response"
