"""A silent upstream: the head goes out after `early_head_seconds`, signs of life each `keepalive_seconds`, and retries
and fallbacks stay possible."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.proxy.talk import (
    DONE,
    END,
    HELLO,
    SECONDS,
    START,
    STOP,
    STREAM,
    asked,
    each,
    event,
    failing,
    routed,
    say,
    talk,
)
from tests.proxy.upstream.peer import Line, serve

pytestmark = pytest.mark.anyio

PINGS = {"chat": b": ", "responses": b": ", "messages": b"event: ping\n"}
EARLY = {"early_head_seconds": 0.1, "keepalive_seconds": 0.1}


@pytest.mark.parametrize("dialect", PINGS)
async def test_signs_of_life_then_a_retry(dialect: str) -> None:
    """The first try fails after the head went out; the second answers."""
    first, second, tries = asyncio.Event(), asyncio.Event(), 0

    async def script(line: Line) -> None:
        nonlocal tries
        await line.request()
        tries += 1
        if tries == 1:
            await first.wait()
            line.send(failing(503))
            await line.request()
        await second.wait()
        line.send(STREAM)
        say(line, START, HELLO, STOP, DONE)
        line.end()

    async with serve(script) as up:
        with routed(up.url, retry="attempts: 2, backoff_seconds: 0.01", **EARLY) as served:
            async with talk(served.port) as client:
                client.send(*asked(dialect))
                assert await client.head() == 200
                assert "x-toolwire-target" not in client.headers, "nobody has answered yet"
                for turn in (first, second):
                    for _ in range(2):
                        assert (await client.piece()).startswith(PINGS[dialect])
                    turn.set()
                rest = await client.body()
            assert b"Hello" in rest
            assert rest.count(b"error") == 0 or b'"error":null' in rest
            (request,) = served.lines("request")
            assert (request["type"], request["status"], request["attempts"]) == ("ok", 200, 2)
            assert [line["type"] for line in served.lines("attempt", 2)] == ["overloaded_error", "ok"]


async def test_gemini_clients_get_the_head_alone() -> None:
    go = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        await go.wait()
        line.send(STREAM)
        say(line, START, HELLO, STOP, DONE)
        line.end()

    async with serve(script) as up:
        with routed(up.url, **EARLY) as served:
            async with talk(served.port) as client:
                client.send(*asked("gemini"))
                assert await client.head() == 200
                piece = asyncio.ensure_future(client.piece())
                assert not (await asyncio.wait({piece}, timeout=0.3))[0], "no comment that the SDK would choke on"
                go.set()
                assert json.loads((await piece).removeprefix(b"data: "))["candidates"][0]["content"]


@pytest.mark.parametrize("dialect", ["chat", "responses", "messages", "gemini"])
async def test_a_fallback_after_an_early_head(dialect: str) -> None:
    go = asyncio.Event()

    async def answer(line: Line, request: bytes) -> None:
        if b'"model":"bad"' in request:
            await go.wait()
            line.send(failing(500))
        else:
            line.send(STREAM)
            say(line, START, HELLO, STOP, DONE)
            line.send(END)

    fallback = "  two: {target: up/bad, fallbacks: [up/m], retry: {attempts: 1}}\n"
    async with serve(each(answer)) as up:
        with routed(up.url, more=fallback, **EARLY) as served:
            async with talk(served.port) as client:
                client.send(*asked(dialect, "two"))
                assert await client.head() == 200
                go.set()
                assert b"Hello" in await client.body()
            assert [line["target"] for line in served.lines("attempt", 2)] == ["up/bad", "up/m"]


ENDS = {
    "chat": (b'data: {"error":{', b"[DONE]"),
    "responses": (b"event: error\n", b"response.completed"),
    "messages": (b"event: error\n", b"message_stop"),
    "gemini": (b'{"error":{"code":502', b"finishReason"),
}


@pytest.mark.parametrize("dialect", ENDS)
async def test_an_error_after_an_early_head_is_an_event(dialect: str) -> None:
    go = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        await go.wait()
        line.send(failing(500))
        await line.rest()

    async with serve(script) as up:
        with routed(up.url, **EARLY) as served:
            async with talk(served.port) as client:
                client.send(*asked(dialect))
                assert await client.head() == 200
                go.set()
                rest = await client.body()
            shown, clean = ENDS[dialect]
            assert shown in rest and clean not in rest
            assert b'"attempts":[{"target":"up/m","type":"api_error","status":500' in rest
            (request,) = served.lines("request")
            assert (request["type"], request["status"]) == ("api_error", 200)


async def test_a_refused_request_after_an_early_head() -> None:
    """A later target that cannot carry the request does not end it differently."""
    go = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        await go.wait()
        line.send(failing(400, {"error": {"message": "bad", "type": "invalid_request_error"}}))
        await line.rest()

    async with serve(script) as up:
        with routed(up.url, **EARLY) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                await client.head()
                go.set()
                assert b'"type":"invalid_request_error"' in await client.body()


@pytest.mark.parametrize("dialect", ["chat", "responses", "messages"])
async def test_signs_of_life_inside_a_stream(dialect: str) -> None:
    go = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        line.send(STREAM)
        say(line, START, HELLO)
        await go.wait()
        say(line, STOP, DONE)
        line.end()

    async with serve(script) as up:
        with routed(up.url, keepalive_seconds=0.1) as served:
            async with talk(served.port) as client, asyncio.timeout(SECONDS):
                client.send(*asked(dialect))
                await client.head()
                assert b"Hello" in await client.piece()
                for _ in range(2):
                    assert (await client.piece()).startswith(PINGS[dialect])
                go.set()
                assert not (await client.body()).startswith(PINGS[dialect])


async def test_comments_of_the_upstream_are_no_content() -> None:
    """Only content opens the gate: an upstream that keeps its connection alive may still be replaced."""
    async def script(line: Line) -> None:
        request = await line.request()
        line.send(STREAM)
        if b'"model":"bad"' in request:
            say(line, b": processing\n\n", START, b": processing\n\n", event({"error": {"message": "x", "code": 500}}))
        else:
            say(line, START, HELLO, STOP, DONE)
        line.end()

    fallback = "  two: {target: up/bad, fallbacks: [up/m], retry: {attempts: 1}}\n"
    async with serve(script) as up:
        with routed(up.url, more=fallback) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat", "two"))
                assert await client.head() == 200
                assert client.headers["x-toolwire-target"] == "up/m"
                assert client.headers["x-toolwire-attempts"] == "2"
                assert (await client.body()).count(b'"role"') == 1
