"""Both ends of the proxy as raw sockets: a client that says what it likes, and bytes that upstreams may answer."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from tests.proxy.upstream.peer import CHUNKED, Line, Script, chunk, whole
from tests.serving import Served, config_of

http = httpx2.Client(verify=False, trust_env=False)
"""For tests that need no bytes: one client, since making one takes longer than a request."""

Json = Any
SECONDS = 5.0
"""Nothing here takes this long unless it is broken."""

PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "gemini": "/v1beta/models/{model}:{method}",
}


def asked(dialect: str, model: str = "one", text: str = "hi", stream: bool = True) -> tuple[str, Json]:
    """Path and body of a request in this dialect."""
    turn = {"role": "user", "content": text}
    match dialect:
        case "chat":
            return PATHS[dialect], {"model": model, "messages": [turn], "stream": stream}
        case "responses":
            return PATHS[dialect], {"model": model, "input": text, "stream": stream}
        case "messages":
            return PATHS[dialect], {"model": model, "max_tokens": 100, "messages": [turn], "stream": stream}
        case _:
            method = "streamGenerateContent?alt=sse" if stream else "generateContent"
            body = {"contents": [{"role": "user", "parts": [{"text": text}]}]}
            return f"/v1beta/models/{model}:{method}", body


class Talk:
    """One connection to the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.status = 0
        self.headers: dict[str, str] = {}

    def send(self, path: str, body: Json = None, method: str = "POST", **headers: str) -> None:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        lines = {"host": "proxy", "content-length": str(len(data)), **given}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + data)

    async def head(self) -> int:
        """Waits for the answer's head and gives its status."""
        async with asyncio.timeout(SECONDS):
            raw = await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").split("\r\n")
        self.status = int(first.split()[1])
        pairs = [line.partition(":") for line in lines if line]
        self.headers = {name.lower(): value.strip() for name, _, value in pairs}
        return self.status

    async def piece(self) -> bytes:
        """The next chunk of a chunked body, b"" at its end. Raises where the connection ends without one."""
        async with asyncio.timeout(SECONDS):
            size = int((await self.reader.readuntil(b"\r\n")).strip(), 16)
            return (await self.reader.readexactly(size + 2))[:-2]

    async def body(self) -> bytes:
        """All that is left."""
        if "content-length" in self.headers:
            async with asyncio.timeout(SECONDS):
                return await self.reader.readexactly(int(self.headers["content-length"]))
        pieces = []
        while piece := await self.piece():
            pieces.append(piece)
        return b"".join(pieces)

    async def answer(self) -> tuple[int, Json]:
        """Status and decoded body."""
        await self.head()
        return self.status, json.loads(await self.body())

    async def over(self) -> bool:
        """Whether the proxy has closed the connection."""
        async with asyncio.timeout(SECONDS):
            return await self.reader.read(1) == b""

    def leave(self) -> None:
        """Closes at once, with a reset."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@asynccontextmanager
async def talk(port: int, host: str = "127.0.0.1") -> AsyncIterator[Talk]:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        yield Talk(reader, writer)
    finally:
        writer.close()


def routed(
    url: str, provider: str = "", route: str = "", retry: str = "attempts: 1", more: str = "", key: str = "up-key",
    **server: Any,
) -> Served:
    """A proxy whose model `one` is `up/m`, an openai-chat upstream at `url`. The texts go into the YAML: into the flow
    maps of the provider, of the route and of its `retry`, and behind all."""
    return Served(config_of(
        f"providers:\n  up: {{api: openai-chat, base_url: \"{url}\", api_key: \"{key}\"{provider}}}\n"
        f"models:\n  one: {{target: up/m, retry: {{{retry}}}{route}}}\n{more}",
        **server,
    ))


# --- what an openai-chat upstream says -------------------------------------------------------------------------------


def event(data: Json) -> bytes:
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def delta(part: Json, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": part, "finish_reason": finish}
    return event({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


START = delta({"role": "assistant", "content": ""})
HELLO = delta({"content": "Hello"})
STOP = delta({}, "stop")
DONE = event(b"[DONE]")
STREAM = CHUNKED.replace(b"200 OK\r\n", b"200 OK\r\ncontent-type: text/event-stream\r\n")
END = b"0\r\n\r\n"

ANSWER = whole(
    json.dumps({
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
    }).encode(),
    "content-type: application/json",
)


def each(answer: Callable[[Line, bytes], Awaitable[None]]) -> Script:
    """Answers every request of every connection."""

    async def script(line: Line) -> None:
        while True:
            try:
                request = await line.request()
            except (asyncio.IncompleteReadError, OSError):
                return
            await answer(line, request)

    return script


def failing(status: int, body: Json = None, *lines: str) -> bytes:
    """A whole error answer."""
    told = json.dumps(body or {"error": {"message": "no", "type": "server_error", "param": None, "code": None}})
    return whole(told.encode(), "content-type: application/json", *lines, status=f"{status} No")


def say(line: Line, *events: bytes) -> None:
    """Events in one chunk."""
    line.send(chunk(b"".join(events)))
