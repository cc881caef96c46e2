"""A kept-alive connection that the upstream has given up: one more try, at once, and only when nothing came back."""

import asyncio
from collections.abc import Callable

import pytest

from proxy.upstream.aiohttp_client import AiohttpTransport
from proxy.upstream.httpx_client import HttpxTransport
from proxy.upstream.transport import Broken
from tests.proxy.upstream.conftest import Open
from tests.proxy.upstream.peer import CHUNKED, Line, chunk, serve, turns, whole

pytestmark = pytest.mark.anyio

Counting = AiohttpTransport | HttpxTransport


def by_number(*scripts: Callable[[Line], None]) -> tuple[list[bytes], Callable[[Line], object]]:
    """The n-th request, over all connections, is handled by the n-th script."""
    seen: list[bytes] = []

    async def script(line: Line) -> None:
        while True:
            try:
                request = await line.request()
            except (asyncio.IncompleteReadError, OSError):
                return
            seen.append(request)
            scripts[len(seen) - 1](line)

    return seen, script


def good(line: Line) -> None:
    line.send(whole(b"ok"))


def partial_head(line: Line) -> None:
    line.send(b"HTTP/1.1 20")
    line.end()


def partial_head_and_reset(line: Line) -> None:
    line.send(b"HTTP/1.1 20")
    asyncio.get_running_loop().call_later(0.05, line.reset)


def broken_body(line: Line) -> None:
    line.send(CHUNKED + chunk(b"one"))
    line.end()


@pytest.mark.parametrize("ending", [Line.end, Line.reset])
@pytest.mark.parametrize("method, body", [("POST", b'{"a":1}'), ("GET", b"")])
async def test_once_more(
    open_: Open, transport: Counting, ending: Callable[[Line], None], method: str, body: bytes
) -> None:
    seen, script = by_number(good, ending, good)
    async with serve(script) as peer:
        for _ in range(2):
            response = await open_(peer.url, method=method, body=body)
            assert await response.body(10) == b"ok"
            response.close()
        assert transport.replays == 1
        assert len(seen) == 3 and seen[1] == seen[2]
        await transport.aclose()


@pytest.mark.parametrize("ending", [Line.end, Line.reset])
async def test_not_twice(open_: Open, transport: Counting, ending: Callable[[Line], None]) -> None:
    seen, script = by_number(good, ending, ending, good)
    async with serve(script) as peer:
        await (await open_(peer.url)).body(10)
        with pytest.raises(Broken) as caught:
            await open_(peer.url)
        assert caught.value.failure.type == "connection_error"
        assert (transport.replays, len(seen)) == (1, 3)
        await transport.aclose()


@pytest.mark.parametrize("method, body", [("POST", b"{}"), ("GET", b"")])
@pytest.mark.parametrize("ending", [Line.end, Line.reset])
async def test_not_on_a_new_connection(
    open_: Open, transport: Counting, ending: Callable[[Line], None], method: str, body: bytes
) -> None:
    seen, script = by_number(ending, good)
    async with serve(script) as peer:
        with pytest.raises(Broken):
            await open_(peer.url, method=method, body=body)
        assert (transport.replays, len(seen)) == (0, 1)


@pytest.mark.parametrize("answer", [partial_head, partial_head_and_reset])
async def test_not_after_a_byte_of_an_answer(open_: Open, transport: Counting, answer: Callable[[Line], None]) -> None:
    seen, script = by_number(good, answer, good)
    async with serve(script) as peer:
        await (await open_(peer.url)).body(10)
        with pytest.raises(Broken):
            await open_(peer.url)
        assert (transport.replays, len(seen)) == (0, 2)


async def test_not_after_the_head(open_: Open, transport: Counting) -> None:
    seen, script = by_number(good, broken_body, good)
    async with serve(script) as peer:
        await (await open_(peer.url)).body(10)
        response = await open_(peer.url)
        with pytest.raises(Broken):
            await response.body(10)
        response.close()
        assert (transport.replays, len(seen)) == (0, 2)


@pytest.mark.parametrize("ending", [Line.end, Line.reset])
@pytest.mark.parametrize(("seconds", "again"), [(0.0, True), (0.05, True), (0.25, False)])
async def test_only_where_the_connection_ends_at_once(
    open_: Open, transport: Counting, ending: Callable[[Line], None], seconds: float, again: bool
) -> None:
    """An upstream that has had the request for longer may have done what it asks: it does not get it twice."""
    def late(line: Line) -> None:
        asyncio.get_running_loop().call_later(seconds, ending, line)

    seen, script = by_number(good, late, good)
    async with serve(script) as peer:
        await (await open_(peer.url)).body(10)
        if again:
            assert await (await open_(peer.url)).body(10) == b"ok"
        else:
            with pytest.raises(Broken) as caught:
                await open_(peer.url)
            assert caught.value.failure.type == "connection_error"
        assert (transport.replays, len(seen)) == ((1, 3) if again else (0, 2))
        await transport.aclose()


async def test_while_a_long_request_is_on_its_way(open_: Open, transport: Counting) -> None:
    """The time runs from the last byte: the upstream cannot work on what it has not got."""
    seen, script = by_number(good, good)

    async def slow(line: Line) -> None:
        if len(seen) > 0:
            return await script(line)
        seen.append(await line.request())
        good(line)
        await line.reader.readuntil(b"\r\n\r\n")
        await asyncio.wait({asyncio.ensure_future(line.over.wait())}, timeout=0.25)
        line.reset()

    async with serve(slow) as peer:
        await (await open_(peer.url)).body(10)
        assert await (await open_(peer.url, body=bytes(16_000_000))).body(10) == b"ok"
        assert (transport.replays, len(seen)) == (1, 2)
        await transport.aclose()


async def test_not_for_a_failure_of_another_request(open_: Open, transport: Counting) -> None:
    """The upstream goes away: one request finds its connection stale and no other, the next has none to begin with."""
    seen, script = by_number(good, Line.end, good)
    async with serve(script) as peer:
        await (await open_(peer.url)).body(10)
        peer.stop()
        for _ in range(2):
            with pytest.raises(Broken) as caught:
                await open_(peer.url)
            assert caught.value.failure.message == "the connection was refused"
        assert (transport.replays, len(seen)) == (1, 2)


async def test_a_connection_closed_while_idle_is_not_used(open_: Open, transport: Counting) -> None:
    """The upstream's FIN is seen in time: no replay is needed."""

    async def script(line: Line) -> None:
        await line.request()
        line.send(whole(b"ok"))
        line.end()

    async with serve(script) as peer:
        for _ in range(2):
            response = await open_(peer.url)
            assert await response.body(10) == b"ok"
            response.close()
            await turns()
        assert (transport.replays, len(peer.lines)) == (0, 2)
