"""The four timeouts of a provider, and the deadline of a route."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from tests.proxy.talk import (
    DONE,
    END,
    HELLO,
    START,
    STOP,
    STREAM,
    asked,
    delta,
    each,
    failing,
    routed,
    say,
    talk,
)
from tests.proxy.upstream.peer import Line, serve

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
async def test_connect(transport: str, stream: bool) -> None:
    """A host that takes no connection: its queue of waiting ones is full."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        full = [socket.socket() for _ in range(3)]
        for sock in full:
            sock.setblocking(False)
            sock.connect_ex(("127.0.0.1", port))
        with routed(f"http://127.0.0.1:{port}", f", transport: {transport}, timeout: {{connect: 0.2}}") as served:
            async with talk(served.port) as client:
                client.send(*asked("chat", stream=stream))
                status, body = await client.answer()
        for sock in full:
            sock.close()
    assert (status, body["error"]["type"]) == (504, "timeout_error")
    assert 0.15 < body["error"]["attempts"][0]["seconds"] < 2


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
async def test_first_content(transport: str) -> None:
    """Neither a head nor lifecycle events nor comments are content."""
    stop = asyncio.Event()

    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        say(line, START)
        while not stop.is_set():
            say(line, b": still here\n\n", delta({"content": ""}))
            await asyncio.wait({asyncio.ensure_future(stop.wait())}, timeout=0.05)

    async with serve(each(answer)) as up:
        more = f", transport: {transport}, timeout: {{first_content: 0.3, idle: 5}}"
        with routed(up.url, more) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                status, body = await client.answer()
                stop.set()
    assert (status, body["error"]["type"]) == (504, "timeout_error")
    assert 0.25 < body["error"]["attempts"][0]["seconds"] < 2


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
async def test_idle(transport: str) -> None:
    """Silence after content ends the stream with an error event; a whole answer that stops, with a 504."""
    async def answer(line: Line, request: bytes) -> None:
        if b'"stream":true' in request:
            line.send(STREAM)
            say(line, START, HELLO)
        else:
            line.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{")
        await line.rest()

    async with serve(each(answer)) as up:
        with routed(up.url, f", transport: {transport}, timeout: {{idle: 0.3}}") as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                assert await client.head() == 200
                body = await client.body()
            assert b'"type":"timeout_error"' in body and b"[DONE]" not in body
            async with talk(served.port) as client:
                client.send(*asked("chat", stream=False))
                status, told = await client.answer()
            assert (status, told["error"]["type"]) == (504, "timeout_error")
            assert [line["type"] for line in served.lines("request", 2)] == ["timeout_error"] * 2


async def test_total() -> None:
    """A stream that never stops talking, and one that is complete in time."""
    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        say(line, START)
        while not line.over.is_set() and not line.writer.is_closing():
            say(line, HELLO)
            if b"short" in request:
                say(line, STOP, DONE)
                line.send(END)
                return
            await asyncio.wait({asyncio.ensure_future(line.over.wait())}, timeout=0.05)

    async with serve(each(answer)) as up:
        with routed(up.url, ", timeout: {total: 0.5}") as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                assert await client.head() == 200
                body = await client.body()
            assert body.count(b"Hello") > 1
            assert b'"type":"timeout_error"' in body and b"[DONE]" not in body
            assert 0.4 < served.lines("request")[0]["seconds"] < 3
            async with talk(served.port) as client:
                client.send(*asked("chat", text="short"))
                await client.head()
                assert (await client.body()).endswith(b"[DONE]\n\n")


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_deadline(stream: bool) -> None:
    """One budget for the whole chain, pauses included: what does not fit is not begun."""
    tries = []

    async def answer(line: Line, request: bytes) -> None:
        tries.append(json.loads(request.partition(b"\r\n\r\n")[2])["model"])
        if len(tries) == 1:
            line.send(failing(503))
        else:
            await line.rest()

    route = ", deadline_seconds: 0.5, fallbacks: [up/second, up/third]"
    async with serve(each(answer)) as up:
        with routed(up.url, route=route) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat", stream=stream))
                status, body = await client.answer()
            seconds = served.lines("request")[0]["seconds"]
    assert tries == ["m", "second"]
    assert (status, body["error"]["type"]) == (503, "overloaded_error"), "the first attempt's error"
    assert [one["type"] for one in body["error"]["attempts"]] == ["overloaded_error", "timeout_error"]
    assert 0.4 < seconds < 2


async def test_the_deadline_does_not_end_a_running_stream() -> None:
    go = asyncio.Event()

    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        say(line, START, HELLO)
        await go.wait()
        say(line, STOP, DONE)
        line.send(END)

    async with serve(each(answer)) as up:
        with routed(up.url, route=", deadline_seconds: 0.2", keepalive_seconds=0.1) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                await client.head()
                for _ in range(5):
                    await client.piece()  # the text, then four signs of life
                go.set()
                assert (await client.body()).endswith(b"[DONE]\n\n")
