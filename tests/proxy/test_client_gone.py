"""A client that leaves ends the upstream's work at once, whenever it leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.proxy.talk import HELLO, SECONDS, START, STREAM, asked, failing, routed, say, talk
from tests.proxy.upstream.peer import Line, serve

pytestmark = pytest.mark.anyio

DIALECTS = ["chat", "responses", "messages", "gemini"]


async def no_head(line: Line) -> None:
    """Says nothing at all."""


async def head_only(line: Line) -> None:
    line.send(STREAM)


async def silent(line: Line) -> None:
    """Lifecycle, and then nothing."""
    line.send(STREAM)
    say(line, START)


async def speaking(line: Line) -> None:
    line.send(STREAM)
    say(line, START, HELLO)


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("speech", [no_head, head_only, silent])
async def test_before_content(speech: Callable[[Line], Awaitable[None]], stream: bool, transport: str) -> None:
    heard, gone = asyncio.Event(), asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        await speech(line)
        heard.set()
        await line.gone()
        gone.set()

    async with serve(script) as up:
        with routed(up.url, f", transport: {transport}") as served:
            async with talk(served.port) as client, asyncio.timeout(SECONDS):
                client.send(*asked("chat", stream=stream))
                await heard.wait()
                client.leave()
                await gone.wait()
            (request,) = served.lines("request")
            assert (request["type"], request["status"], request["attempts"]) == ("client_gone", 499, 1)
            (attempt,) = served.lines("attempt")
            assert (attempt["target"], attempt["type"], attempt["status"]) == ("up/m", "client_gone", None)
            assert "toolwire_inflight_requests 0.0" in await asyncio.to_thread(served.metrics)


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_inside_a_stream(dialect: str, transport: str) -> None:
    gone = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        await speaking(line)
        await line.gone()
        gone.set()

    async with serve(script) as up:
        with routed(up.url, f", transport: {transport}") as served:
            async with talk(served.port) as client, asyncio.timeout(SECONDS):
                client.send(*asked(dialect))
                assert await client.head() == 200
                assert b"Hello" in await client.piece()
                client.leave()
                await gone.wait()
            (request,) = served.lines("request")
            assert (request["type"], request["status"], request["target"]) == ("client_gone", 200, "up/m")
            (attempt,) = served.lines("attempt")
            assert (attempt["type"], attempt["status"]) == ("client_gone", 200)


async def test_between_two_tries() -> None:
    """The pause before the next try ends with the client."""
    tries, refused = 0, asyncio.Event()

    async def script(line: Line) -> None:
        nonlocal tries
        await line.request()
        tries += 1
        line.send(failing(503, None, "retry-after: 4"))
        refused.set()
        await line.rest()

    async with serve(script) as up:
        with routed(up.url, retry="attempts: 3") as served:
            async with talk(served.port) as client, asyncio.timeout(SECONDS):
                client.send(*asked("chat"))
                await refused.wait()
                client.leave()
                (request,) = await asyncio.to_thread(served.lines, "request")
            assert (request["type"], request["attempts"], tries) == ("client_gone", 1, 1)
            assert request["seconds"] < 3
            assert [line["type"] for line in served.lines("attempt")] == ["overloaded_error"]


async def test_while_it_sends_its_own_body() -> None:
    async def script(line: Line) -> None:
        raise AssertionError("nothing is sent upstream")

    async with serve(script) as up:
        with routed(up.url) as served:
            async with talk(served.port) as client:
                client.send("/v1/chat/completions", b'{"model":', content_length="5000")
                await client.writer.drain()
                client.leave()
            (request,) = await asyncio.to_thread(served.lines, "request")
            assert (request["type"], request["status"], request["attempts"]) == ("client_gone", 499, 0)
