"""One request and its answer: reads, checks, plays what the model name asks for, faults on the socket included."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from proxy.emulate.agent import Plan, plan, refusal, with_broken_arguments
from proxy.emulate.api import Api, Ask, Frame, Received, Refused, Reply, Turn, loads
from proxy.emulate.faults import Flaky, Mode, mode
from proxy.emulate.usage import PromptCache, Usage, count

KEPT_REQUESTS = 1000
BEFORE_RESET = 0.05
"""Seconds between the last content and a reset, so that the content is read and not thrown away with the connection."""


class Desk:
    """What all APIs of one emulator share: the requests seen, the prompt cache, the failures of `flaky-N`."""

    def __init__(self) -> None:
        self.requests: deque[Received] = deque(maxlen=KEPT_REQUESTS)
        self.cache = PromptCache()
        self.flaky = Flaky()


class Generate:
    """The endpoint that answers, as an ASGI application."""

    def __init__(self, api: Api, desk: Desk) -> None:
        self._api = api
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = await read(self._api.name, Request(scope, receive))
        self._desk.requests.append(received)
        line = Line(scope, receive, send)
        try:
            await self._answer(received, line)
        finally:
            line.close()

    async def _answer(self, received: Received, line: Line) -> None:
        if refused := self._api.refuse(received):
            return await line.reply(refused)
        if received.body is None:
            return await line.reply(self._api.unreadable(received))
        try:
            ask = self._api.read(received)
        except Refused as error:
            return await line.reply(error.reply)
        how = mode(ask.model, self._api.quirks)
        if how.times and self._desk.flaky.fails(f"{self._api.name}/{how.model}/{ask.conversation}", how.times):
            return await line.reply(self._api.failure(replace(how, kind="status", status=503)))
        if how.kind in ("status", "quota", "context", "auth", "model"):
            return await line.reply(self._api.failure(how))
        if how.kind == "silent":
            return await line.wait_until_gone()
        if how.kind == "error-first" and not ask.stream:
            return await line.reply(self._api.failure(replace(how, kind="status", status=500)))
        turn = self._turn(ask, how)
        await (self._stream(turn, line) if ask.stream else self._whole(turn, line))

    def _turn(self, ask: Ask, how: Mode) -> Turn:
        said = _said(ask, how)
        read_tokens, written = self._desk.cache.look_up(ask.prompt, ask.marks)
        output, reasoning = count(said)
        prompt = sum(-(-len(part) // 4) for part in ask.prompt)
        return Turn(ask, said, Usage(prompt, output, read_tokens, written, reasoning), how)

    async def _whole(self, turn: Turn, line: Line) -> None:
        reply = self._api.whole(turn)
        half = reply.body[: len(reply.body) // 2]
        match turn.mode.kind:
            case "malformed":
                await line.reply(replace(reply, body=half))
            case "cut" | "reset" | "stall":
                await line.head(reply.status, (*reply.headers, ("content-length", str(len(reply.body)))))
                await line.send(half)
                await line.break_off(turn.mode.kind)
            case _:
                if not await line.gone_within(turn.mode.delay):
                    await line.reply(reply)

    async def _stream(self, turn: Turn, line: Line) -> None:
        stream = self._api.stream(turn)
        await line.head(200, stream.headers)
        for frame in self._played(stream.frames, turn):
            await line.send(frame)
            if turn.mode.delay and await line.gone_within(turn.mode.delay):
                return
        await line.break_off(turn.mode.kind)

    def _played(self, frames: Sequence[Frame], turn: Turn) -> list[bytes]:
        """The events that go out before the fault."""
        start = [frame.data for frame in takewhile(lambda frame: frame.kind == "start", frames)]
        said = [index for index, frame in enumerate(frames) if frame.kind == "content"]
        match turn.mode.kind:
            case "error-first":
                return [*start, self._api.error_frame(turn.ask)]
            case "malformed":
                return [*start, self._api.damaged(frames[said[0] if said else -1].data)]
            case "cut":
                return [frame.data for frame in frames if frame.kind != "end"]
            case "reset" | "stall":
                return [frame.data for frame in frames[: said[(len(said) - 1) // 2] + 1]] if said else start
            case _:
                return [frame.data for frame in frames]


def _said(ask: Ask, how: Mode) -> Plan:
    match how.kind:
        case "refusal":
            return refusal()
        case "empty":
            return Plan(text=None)
        case "bad-arguments":
            return with_broken_arguments(plan(ask.task))
        case _:
            return plan(ask.task)


class Line:
    """One exchange on its connection: writes to it, notices that the client went, breaks it."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._transport: asyncio.Transport = scope["state"]["transport"]
        self._gone = asyncio.ensure_future(_disconnected(receive))
        self._send = send

    def close(self) -> None:
        self._gone.cancel()

    async def reply(self, reply: Reply) -> None:
        await self.head(reply.status, (*reply.headers, ("content-length", str(len(reply.body)))))
        await self.send(reply.body)
        await self.end()

    async def head(self, status: int, headers: Sequence[tuple[str, str]]) -> None:
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def send(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def gone_within(self, seconds: float) -> bool:
        """Waits; True as soon as the client has left."""
        if seconds:
            await asyncio.wait({self._gone}, timeout=seconds)
        return self._gone.done()

    async def wait_until_gone(self) -> None:
        await asyncio.wait({self._gone})

    async def break_off(self, kind: str) -> None:
        """Ends a body that has begun, in the way of the fault; properly if `kind` is none of them."""
        match kind:
            case "reset":
                await self.gone_within(BEFORE_RESET)
                self._reset()
            case "stall":
                await self.wait_until_gone()
            case _:
                await self.end()

    def _reset(self) -> None:
        connection: Any = self._transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def read(api: str, request: Request) -> Received:
    """The request as a value; a body that is not JSON has `body` None."""
    raw = await request.body()
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    try:
        body = loads(raw) if raw else None
    except ValueError:
        body = None
    path = request.url.path.removeprefix(f"/{api}")
    params = {name: str(value) for name, value in request.path_params.items()}
    target = request.scope.get("raw_path", b"").decode("latin-1")
    return Received(api, request.method, path, dict(request.query_params), params, headers, raw, body, target)
