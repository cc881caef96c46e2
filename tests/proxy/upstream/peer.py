"""Upstreams that follow a script, byte for byte."""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


def whole(body: bytes, *lines: str, status: str = "200 OK") -> bytes:
    """A complete answer with a length."""
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", *lines, f"content-length: {len(body)}"))
    return head.encode() + b"\r\n" + body


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


class Line:
    """One accepted connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.over = asyncio.Event()

    async def request(self) -> bytes:
        """The next request, head and body."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return head + await self.reader.readexactly(length)

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    def end(self) -> None:
        """Closes in good order: what was sent arrives, then FIN."""
        self.writer.close()

    def reset(self) -> None:
        """RST. What was sent and not yet read by the other side is lost."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def gone(self) -> None:
        """Waits until the other side has closed or reset the connection."""
        try:
            while await self.reader.read(65536):
                pass
        except OSError:
            pass

    async def rest(self) -> None:
        """Keeps the connection until the other side closes it or the test is over."""
        gone = asyncio.ensure_future(self.gone())
        over = asyncio.ensure_future(self.over.wait())
        await asyncio.wait({gone, over}, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        over.cancel()


Script = Callable[[Line], Awaitable[None]]


class Peer:
    def __init__(self, server: asyncio.Server, scheme: str) -> None:
        self.port: int = server.sockets[0].getsockname()[1]
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self.lines: list[Line] = []
        self.stop = server.close
        """Takes no more connections; those that run go on."""


@asynccontextmanager
async def serve(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[Peer]:
    """Runs the script once for each connection. The script's own errors fail the test."""
    tasks: list[asyncio.Task[None]] = []

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        peer.lines.append(line)
        tasks.append(asyncio.get_running_loop().create_task(_run(line)))

    async def _run(line: Line) -> None:
        try:
            await script(line)
        finally:
            line.writer.close()

    server = await asyncio.start_server(accepted, "127.0.0.1", 0, ssl=tls, limit=1 << 20, backlog=512)
    peer = Peer(server, "https" if tls else "http")
    try:
        yield peer
        server.close()
        for line in peer.lines:
            line.over.set()
        async with asyncio.timeout(5):
            await asyncio.gather(*tasks)
    finally:
        server.close()
        for task in tasks:
            task.cancel()


def answering(*answers: bytes) -> Script:
    """Answers one request after another on each connection."""

    async def script(line: Line) -> None:
        for answer in answers:
            await line.request()
            line.send(answer)
        await line.rest()

    return script


async def turns(count: int = 20) -> None:
    """Lets the event loop handle what has already arrived."""
    for _ in range(count):
        await asyncio.sleep(0)
