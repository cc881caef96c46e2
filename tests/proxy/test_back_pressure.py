"""A client that does not read holds its upstream up; nothing piles up between them."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from tests.proxy.talk import DONE, SECONDS, START, STOP, STREAM, asked, delta, routed, say
from tests.proxy.upstream.peer import Line, serve

pytestmark = pytest.mark.anyio

PIECE = 16 * 1024
PIECES = 2500  # 40 MB
STALLED = 0.5
"""Seconds without progress that count as held up."""
MOST_HELD = 16 * 1024 * 1024
"""Both ends' kernel buffers and the proxy's own together."""


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
async def test_a_client_that_does_not_read(transport: str) -> None:
    sent = 0
    stalled = asyncio.Event()

    async def script(line: Line) -> None:
        nonlocal sent
        await line.request()
        line.send(STREAM)
        say(line, START)
        for _ in range(PIECES):
            say(line, delta({"content": "x" * PIECE}))
            if not stalled.is_set():
                try:
                    async with asyncio.timeout(STALLED):
                        await line.writer.drain()
                except TimeoutError:
                    stalled.set()
            await line.writer.drain()
            sent += PIECE
        say(line, STOP, DONE)
        line.end()

    async with serve(script) as up:
        with routed(up.url, f", transport: {transport}") as served:
            sock = socket.create_connection(("127.0.0.1", served.port))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
            reader, writer = await asyncio.open_connection(sock=sock, limit=64 * 1024)
            path, body = asked("chat")
            data = json.dumps(body).encode()
            writer.write(f"POST {path} HTTP/1.1\r\nhost: p\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data)
            async with asyncio.timeout(SECONDS):
                await stalled.wait()
            assert sent < MOST_HELD, f"{sent} bytes taken from the upstream for a client that has read none"
            tail, count = b"", 0
            while not tail.endswith(b"0\r\n\r\n"):
                async with asyncio.timeout(SECONDS):
                    data = await reader.read(1024 * 1024)
                count += data.count(b"xxxx")
                tail = (tail + data)[-16:]
            writer.close()
            assert sent == PIECE * PIECES
            assert count > 0.99 * sent / 4, "all of it arrived in the end"
            assert served.lines("request")[0]["type"] == "ok"
