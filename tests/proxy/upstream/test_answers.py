"""What arrives is what the upstream sent."""

import asyncio

import pytest

from proxy.upstream.transport import Broken, Response, TooLarge, Transport
from tests.proxy.upstream.conftest import Open
from tests.proxy.upstream.peer import CHUNKED, Line, answering, chunk, serve, turns, whole

pytestmark = pytest.mark.anyio


async def everything(response: Response) -> list[bytes]:
    """All reads up to the end."""
    reads = []
    while data := await response.read():
        reads.append(data)
    return reads


async def test_a_whole_answer(open_: Open) -> None:
    answer = whole(b'{"ok":1}', "Content-Type: application/json", "X-Twice: a", "Retry-After: 3", "x-twice: b")
    async with serve(answering(answer)) as peer:
        response = await open_(f"{peer.url}/v1/x")
        assert response.status == 200
        assert dict(response.headers) == {
            "content-type": "application/json",
            "x-twice": "a, b",
            "retry-after": "3",
            "content-length": "8",
        }
        assert await response.body(100) == b'{"ok":1}'
        assert await response.read() == b""
        response.close()
        response.close()


async def test_pieces_as_they_arrive(open_: Open) -> None:
    turn = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + chunk(b"one"))
        await turn.wait()
        line.send(chunk(b"two") + chunk(b"three") + chunk(b"four") + b"0\r\n\r\n")
        await line.rest()

    async with serve(script) as peer:
        response = await open_(peer.url)
        assert await response.read() == b"one"
        turn.set()
        assert await response.read() == b"twothreefour"
        assert await response.read() == b""
        assert await response.read() == b""
        response.close()


@pytest.mark.parametrize("size", [1, 7, 4096])
async def test_any_split_of_the_answer(open_: Open, size: int) -> None:
    answer = CHUNKED + b"".join(chunk(b"data: %d\n\n" % n) for n in range(20)) + b"0\r\n\r\n"

    async def script(line: Line) -> None:
        await line.request()
        for at in range(0, len(answer), size):
            line.send(answer[at : at + size])
            await line.writer.drain()
            await asyncio.sleep(0)
        await line.rest()

    async with serve(script) as peer:
        response = await open_(peer.url)
        assert b"".join(await everything(response)) == b"".join(b"data: %d\n\n" % n for n in range(20))
        response.close()


async def test_a_body_without_length_ends_with_the_connection(open_: Open) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(b"HTTP/1.0 200 OK\r\n\r\nhello")
        line.end()

    async with serve(script) as peer:
        response = await open_(peer.url)
        assert await response.body(10) == b"hello"
        response.close()


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "303 See Other", "307 X", "308 X"])
async def test_a_redirect_comes_back_as_it_is(open_: Open, status: str) -> None:
    async with serve(answering(whole(b"go", "location: /elsewhere", "set-cookie: a=b", status=status))) as peer:
        response = await open_(peer.url)
        assert (response.status, response.headers["location"]) == (int(status[:3]), "/elsewhere")
        assert await response.body(10) == b"go"
        response.close()


async def test_no_cookie_is_kept(open_: Open) -> None:
    seen: list[bytes] = []

    async def script(line: Line) -> None:
        for _ in range(2):
            seen.append(await line.request())
            line.send(whole(b"", "set-cookie: session=1; path=/"))
        await line.rest()

    async with serve(script) as peer:
        for _ in range(2):
            await (await open_(f"http://localhost:{peer.port}/")).body(10)
    assert b"session" not in seen[1]


async def test_an_empty_answer(open_: Open) -> None:
    answer = b"HTTP/1.1 204 No Content\r\n\r\n"
    async with serve(answering(answer, answer)) as peer:
        for _ in range(2):
            response = await open_(peer.url)
            assert response.status == 204
            assert await response.read() == b""
            response.close()
        assert len(peer.lines) == 1


async def test_interim_answers_are_passed_over(open_: Open) -> None:
    interim = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"
    async with serve(answering(interim + interim + whole(b"yes"))) as peer:
        response = await open_(peer.url)
        assert (response.status, await response.body(10)) == (200, b"yes")
        response.close()


async def test_an_upgrade_is_no_answer(open_: Open) -> None:
    answer = b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"
    async with serve(answering(answer)) as peer:
        with pytest.raises(Broken) as caught:
            await open_(peer.url)
    assert caught.value.failure.type == "malformed_response"


async def test_a_large_header(open_: Open) -> None:
    async with serve(answering(whole(b"ok", "x-large: " + "a" * 30000))) as peer:
        response = await open_(peer.url)
        assert response.headers["x-large"] == "a" * 30000
        assert await response.body(10) == b"ok"
        response.close()


async def test_a_header_that_is_no_utf_8(open_: Open) -> None:
    answer = b"HTTP/1.1 200 OK\r\nx-latin: zo\xeb\r\nx-utf: zo\xc3\xab\r\ncontent-length: 0\r\n\r\n"
    async with serve(answering(answer)) as peer:
        response = await open_(peer.url)
        assert (response.headers["x-latin"], response.headers["x-utf"]) == ("zo\ufffd", "zo\u00eb")
        response.close()


@pytest.mark.parametrize("answer", [whole(b"a" * 100), CHUNKED + chunk(b"a" * 60) + chunk(b"a" * 40)])
async def test_a_body_over_the_limit(open_: Open, answer: bytes) -> None:
    async with serve(answering(answer)) as peer:
        response = await open_(peer.url)
        with pytest.raises(TooLarge) as caught:
            await response.body(99)
        assert caught.value.failure.message == "the answer is larger than 99 bytes"
        async with serve(answering(answer + b"0\r\n\r\n" if answer.startswith(CHUNKED) else answer)) as other:
            response = await open_(other.url)
            assert await response.body(100) == b"a" * 100
            response.close()


async def test_connections_are_used_again(open_: Open, transport: Transport) -> None:
    async with serve(answering(whole(b"1"), whole(b"2"), CHUNKED + chunk(b"3") + b"0\r\n\r\n", whole(b"4"))) as peer:
        for expected in (b"1", b"2", b"3", b"4"):
            response = await open_(peer.url)
            assert await response.body(10) == expected
            response.close()
        assert len(peer.lines) == 1
        await transport.aclose()


async def test_an_unread_rest_is_not_used_again(open_: Open) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + chunk(b"one"))
        await line.gone()

    async with serve(script) as peer:
        for count in (1, 2):
            response = await open_(peer.url)
            assert await response.read() == b"one"
            response.close()
            assert len(peer.lines) == count


async def test_many_requests_at_once_have_a_connection_each(open_: Open) -> None:
    everyone = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        if len(peer.lines) == 150:
            everyone.set()
        await everyone.wait()
        line.send(whole(b"x"))
        await line.rest()

    async with serve(script) as peer:
        responses = await asyncio.gather(*(open_(peer.url) for _ in range(150)))
        assert [await response.body(1) for response in responses] == [b"x"] * 150
        for response in responses:
            response.close()
        assert len(peer.lines) == 150


async def test_a_slow_reader_loses_nothing_and_holds_the_upstream_back(open_: Open) -> None:
    body = bytes(range(256)) * 65536
    sent = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body))
        for at in range(0, len(body), 65536):
            line.send(body[at : at + 65536])
            await line.writer.drain()
        sent.set()
        line.end()

    async with serve(script) as peer:
        response = await open_(peer.url)
        await turns(500)
        assert not sent.is_set()
        reads = await everything(response)
        assert b"".join(reads) == body
        response.close()
