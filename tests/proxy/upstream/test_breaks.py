"""What breaks is told by its kind, and nothing that arrived before is lost."""

import asyncio
import socket
from collections.abc import Callable

import pytest

from adapters.errors import Failure
from proxy.upstream.transport import Broken, Response
from tests.proxy.upstream.conftest import Open
from tests.proxy.upstream.peer import CHUNKED, Line, answering, chunk, serve, turns, whole

pytestmark = pytest.mark.anyio

LENGTH = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n"
UNTIL_CLOSE = b"HTTP/1.0 200 OK\r\n\r\n"

BROKE_OFF = Failure("connection_error", "the connection broke in the middle of the answer")
CLOSED = Failure("connection_error", "the connection was closed before an answer")
RESET = Failure("connection_error", "the connection was reset")
NOT_HTTP = Failure("malformed_response", "the answer is not valid HTTP")


async def until_broken(response: Response) -> tuple[bytes, Failure]:
    """What could be read, and why there was no more. The break is told again and again."""
    data = b""
    with pytest.raises(Broken) as caught:
        while True:
            piece = await response.read()
            assert piece, "a clean end"
            data += piece
    with pytest.raises(Broken) as again:
        await response.read()
    assert again.value.failure == caught.value.failure
    response.close()
    return data, caught.value.failure


MID_BODY = {
    "fin in a chunk": (CHUNKED, chunk(b"two") + b"5\r\nth", Line.end, b"twoth", BROKE_OFF),
    "fin between chunks": (CHUNKED, chunk(b"two"), Line.end, b"two", BROKE_OFF),
    "fin before the length": (LENGTH, b"two", Line.end, b"two", BROKE_OFF),
    "reset": (CHUNKED, b"", Line.reset, b"", BROKE_OFF),
    "reset before the length": (LENGTH, b"", Line.reset, b"", BROKE_OFF),
    "reset of a body without length": (UNTIL_CLOSE, b"", Line.reset, b"", BROKE_OFF),
    "no chunk": (CHUNKED, b"zz\r\nnot a chunk\r\n", Line.end, b"", NOT_HTTP),
    "no chunk, left open": (CHUNKED, b"zz\r\nnot a chunk\r\n", None, b"", NOT_HTTP),
    "chunk without its line end": (CHUNKED, b"3\r\ntwoXX0\r\n\r\n", None, b"two", NOT_HTTP),
}


@pytest.mark.parametrize("name", MID_BODY)
@pytest.mark.parametrize("waiting", [True, False], ids=["reader-waits", "reader-late"])
async def test_a_break_in_the_body(open_: Open, name: str, waiting: bool) -> None:
    head, rest, ending, left, failure = MID_BODY[name]
    first = chunk(b"one") if head is CHUNKED else b"one"
    turn = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        line.send(head + first)
        await turn.wait()
        line.send(rest)
        if ending is None:
            await line.gone()
        else:
            ending(line)

    async with serve(script) as peer:
        response = await open_(peer.url)
        if waiting:
            assert await response.read() == b"one"
            reading = asyncio.ensure_future(until_broken(response))
            await turns()
            turn.set()
            async with asyncio.timeout(2):
                assert await reading == (left, failure)
        else:
            await turns()
            turn.set()
            await turns(50)
            async with asyncio.timeout(2):
                assert await until_broken(response) == (b"one" + left, failure)


async def test_a_body_that_breaks_is_not_a_body(open_: Open) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(LENGTH + b"{}")
        line.end()

    async with serve(script) as peer:
        response = await open_(peer.url)
        with pytest.raises(Broken) as caught:
            await response.body(1000)
        response.close()
    assert caught.value.failure == BROKE_OFF


HEADS = {
    "nothing": (b"", Line.end, CLOSED),
    "a part of the head": (b"HTTP/1.1 200 OK\r\ncontent-le", Line.end, CLOSED),
    "reset": (b"", Line.reset, RESET),
    "another protocol": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", Line.end, NOT_HTTP),
    "a header over all limits": (b"HTTP/1.1 200 OK\r\nx: " + b"a" * 300_000 + b"\r\n\r\n", None, NOT_HTTP),
    "two lengths": (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc", None, NOT_HTTP),
    "no length": (b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nabc", None, NOT_HTTP),
}


@pytest.mark.parametrize("name", HEADS)
async def test_a_break_before_the_head(open_: Open, name: str) -> None:
    answer, ending, failure = HEADS[name]

    async def script(line: Line) -> None:
        await line.request()
        line.send(answer)
        if ending is None:
            await line.gone()
        else:
            ending(line)

    async with serve(script) as peer:
        with pytest.raises(Broken) as caught:
            await open_(peer.url)
    assert caught.value.failure == failure


@pytest.mark.parametrize("ending", [Line.end, Line.reset])
async def test_an_upstream_that_does_not_take_the_request(open_: Open, ending: Callable[[Line], None]) -> None:
    async def script(line: Line) -> None:
        await line.reader.readuntil(b"\r\n\r\n")
        ending(line)

    async with serve(script) as peer:
        with pytest.raises(Broken) as caught:
            await open_(peer.url, body=bytes(8_000_000))
    assert caught.value.failure.type == "connection_error"
    assert caught.value.failure in (RESET, CLOSED)


async def test_an_answer_before_the_request_is_over(open_: Open) -> None:
    """413 and the like come early."""

    async def script(line: Line) -> None:
        await line.reader.readuntil(b"\r\n\r\n")
        line.send(whole(b"too large", status="413 Content Too Large"))
        await line.rest()

    async with serve(script) as peer:
        response = await open_(peer.url, body=bytes(8_000_000))
        assert (response.status, await response.body(100)) == (413, b"too large")
        response.close()


async def test_refused(open_: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Broken) as caught:
        await open_(f"http://127.0.0.1:{port}/")
    assert caught.value.failure == Failure("connection_error", "the connection was refused")


async def test_a_name_that_does_not_exist(open_: Open) -> None:
    """`.invalid` never resolves (RFC 6761); without any network the resolver may say that it cannot tell."""
    with pytest.raises(Broken) as caught:
        await open_("http://upstream.invalid/")
    assert caught.value.failure.type == "connection_error"
    assert caught.value.failure.message in ("DNS: name not found", "DNS: no answer from the name server")


async def test_all_that_was_said_before_a_late_reader(open_: Open) -> None:
    """A whole answer waits unread while the upstream breaks: nothing of it may be lost."""
    events = [b"data: %d\n\n" % n for n in range(50)]

    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + b"".join(chunk(event) for event in events))
        line.end()

    async with serve(script) as peer:
        response = await open_(peer.url)
        await turns(50)
        assert await until_broken(response) == (b"".join(events), BROKE_OFF)


async def test_a_closed_response_says_so(open_: Open) -> None:
    async with serve(answering(LENGTH + b"part")) as peer:
        response = await open_(peer.url)
        response.close()
        with pytest.raises(Broken) as caught:
            await response.read()
    assert caught.value.failure == Failure("connection_error", "the response was closed")
