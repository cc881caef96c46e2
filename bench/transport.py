"""CPU of the two upstream transports, and their ratio: `python bench/transport.py`.

A server in a process of its own answers from memory; the client's CPU time is what counts. Passes alternate, the best
of each is shown, because other work on the machine only ever adds. "floor" is bytes written to and read from a
kept-alive socket, with no HTTP at all.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import cast

import uvloop

from proxy.upstream import make
from proxy.upstream.transport import Site, Transport

SITE = Site("bench", connect=10.0, idle=120.0)
HEADERS = {"authorization": "Bearer 0123456789abcdef", "content-type": "application/json"}
BODY = b'{"model":"m","messages":[{"role":"user","content":"hello"}]}' * 16

HEAD = (
    b"HTTP/1.1 200 OK\r\ndate: Mon, 02 Nov 2026 00:00:00 GMT\r\nserver: bench\r\nx-request-id: req_0123456789\r\n"
    b"content-type: %b\r\n%b\r\n\r\n"
)
WHOLE = b'{"id":"x","choices":[{"message":{"role":"assistant","content":"hello"}}]}' * 4
EVENT = b'data: {"id":"x","choices":[{"index":0,"delta":{"content":"hello "}}]}\n\n'
EVENTS = 500

ANSWERS = {
    b"/whole": HEAD % (b"application/json", b"content-length: %d" % len(WHOLE)) + WHOLE,
    b"/burst": HEAD % (b"text/event-stream", b"transfer-encoding: chunked")
    + (b"%x\r\n%b\r\n" % (len(EVENT), EVENT)) * EVENTS + b"0\r\n\r\n",
}


class Server(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._missing = 0

    def data_received(self, data: bytes) -> None:
        if self._missing <= 0:
            head, _, rest = data.partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            self._path = head.split(b" ", 2)[1]
            self._missing = length - len(rest)
        else:
            self._missing -= len(data)
        if self._missing <= 0:
            self._transport.write(ANSWERS[self._path])


def server(ready: Connection) -> None:
    async def main() -> None:
        listening = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        ready.send(listening.sockets[0].getsockname()[1])
        await listening.serve_forever()

    uvloop.run(main())


Ask = Callable[[str], Awaitable[None]]


def asking(transport: Transport, port: int) -> Ask:
    async def ask(path: str) -> None:
        response = await transport.open(SITE, "POST", f"http://127.0.0.1:{port}{path}", HEADERS, BODY)
        try:
            while await response.read():
                pass
        finally:
            response.close()

    return ask


def floor(port: int) -> Ask:
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(path: str) -> None:
        reader, writer = idle.pop() if idle else await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST %b HTTP/1.1\r\ncontent-length: %d\r\n\r\n%b" % (path.encode(), len(BODY), BODY))
        left = len(ANSWERS[path.encode()])
        while left:
            left -= len(await reader.read(262144))
        idle.append((reader, writer))

    return ask


async def measured(ask: Ask, path: str, count: int, parallel: int) -> float:
    """CPU microseconds a request."""

    async def worker(times: int) -> None:
        for _ in range(times):
            await ask(path)

    await asyncio.gather(*(worker(2) for _ in range(parallel)))
    began = time.process_time()
    await asyncio.gather(*(worker(count // parallel) for _ in range(parallel)))
    return (time.process_time() - began) / (count // parallel * parallel) * 1e6


async def main(port: int, passes: int) -> None:
    transports = {kind: make(kind) for kind in ("aiohttp", "httpx")}
    asks = {"floor": floor(port)} | {kind: asking(transport, port) for kind, transport in transports.items()}
    best: dict[tuple[str, str], float] = {}
    for _ in range(passes):
        for path, count in (("/whole", 640), ("/burst", 64)):
            for name, ask in asks.items():
                found = await measured(ask, path, count, 32)
                best[name, path] = min(found, best.get((name, path), found))
    print(f"{'':8} {'whole, us':>10} {'ratio':>6} {'event, us':>10} {'ratio':>6}")
    for name in asks:
        whole, burst = best[name, "/whole"], best[name, "/burst"]
        print(
            f"{name:8} {whole:10.1f} {whole / best['aiohttp', '/whole']:6.2f}"
            f" {burst / EVENTS:10.2f} {burst / best['aiohttp', '/burst']:6.2f}"
        )
    for transport in transports.values():
        await transport.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=10)
    arguments = parser.parse_args()
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=server, args=(there,), daemon=True)
    process.start()
    try:
        uvloop.run(main(here.recv(), arguments.passes))
    finally:
        process.terminate()
