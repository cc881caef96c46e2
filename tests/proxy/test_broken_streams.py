"""A stream that breaks after content ends with the dialect's error event and never looks complete."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from tests.proxy.talk import (
    ANSWER,
    DONE,
    END,
    HELLO,
    START,
    STOP,
    STREAM,
    asked,
    delta,
    each,
    event,
    routed,
    say,
    talk,
)
from tests.proxy.upstream.peer import Line, chunk, serve

pytestmark = pytest.mark.anyio

HALF = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a"}}
CALL = delta({"tool_calls": [HALF]})
ERROR = event({"error": {"message": "overheated", "type": "server_error", "param": None, "code": "server_error"}})


def cut(line: Line) -> None:
    """An end without the terminal event, in good order."""
    line.send(END)


def gone(line: Line) -> None:
    """The connection closes inside the chunked body."""
    line.end()


def reset(line: Line) -> None:
    line.reset()


def stalled(line: Line) -> None:
    """Nothing more; the idle time passes."""


def told(line: Line) -> None:
    say(line, ERROR)
    line.send(END)


def garbage(line: Line) -> None:
    say(line, b"data: {\"choices\": [{\"index\":\n\n")
    line.send(END)


def nonsense(line: Line) -> None:
    """No HTTP any more."""
    line.send(b"zzzz\r\nnot a chunk\r\n")


KINDS: dict[Callable[[Line], None], str] = {
    cut: "stream_interrupted",
    gone: "stream_interrupted",
    reset: "stream_interrupted",
    stalled: "timeout_error",
    told: "api_error",
    garbage: "malformed_response",
    nonsense: "stream_interrupted",
}
CLEAN = {"chat": b"[DONE]", "responses": b"response.completed", "messages": b"message_stop", "gemini": b"finishReason"}


def own_error(dialect: str, body: bytes) -> str:
    """toolwire's type in the last event, which must be the dialect's error event."""
    *_, before, last = [b"", *(block for block in body.replace(b"\r\n", b"\n").split(b"\n\n") if block)]
    if dialect == "responses":
        assert last.startswith(b"event: response.failed\n")
        last = before
    lines = dict(line.split(b": ", 1) for line in last.split(b"\n"))
    data = json.loads(lines[b"data"])
    match dialect:
        case "chat":
            return str(data["error"]["type"])
        case "responses":
            assert (lines[b"event"], data["type"]) == (b"error", "error")
            return str(data["error"]["type"])
        case "messages":
            assert (lines[b"event"], data["type"]) == (b"error", "error")
    return str(data["error"]["toolwire_type"])


ROWS = [(dialect, HELLO, kind) for dialect in CLEAN for kind in KINDS]
ROWS += [(dialect, CALL, kind) for dialect in CLEAN if dialect != "gemini" for kind in (cut, told)]
"""Half a call is nothing that a Gemini client gets."""
NAMES = [f"{dialect}-{'text' if said is HELLO else 'call'}-{kind.__name__}" for dialect, said, kind in ROWS]


@pytest.mark.parametrize(("dialect", "said", "kind"), ROWS, ids=NAMES)
async def test_after_content(dialect: str, said: bytes, kind: Callable[[Line], None]) -> None:
    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        say(line, START, said)
        await heard.wait()
        kind(line)
        await line.rest()

    heard = asyncio.Event()
    async with serve(each(answer)) as up:
        with routed(up.url, ", timeout: {idle: 0.3}") as served:
            async with talk(served.port) as client:
                client.send(*asked(dialect))
                assert await client.head() == 200
                first = await client.piece()
                heard.set()
                body = first + await client.body()
            assert CLEAN[dialect] not in body
            shown = own_error(dialect, body)
            (request,) = served.lines("request")
            assert shown == request["type"] == served.lines("attempt")[0]["type"] == KINDS[kind]


@pytest.mark.parametrize("kind", [cut, gone, reset, told, garbage], ids=lambda kind: kind.__name__)
async def test_before_content_another_target_answers(kind: Callable[[Line], None]) -> None:
    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        if b'"model":"bad"' in request:
            say(line, START)
            await line.writer.drain()
            kind(line)
        else:
            say(line, START, HELLO, STOP, DONE)
            line.send(END)

    fallback = "  two: {target: up/bad, fallbacks: [up/m], retry: {attempts: 1}}\n"
    async with serve(each(answer)) as up:
        with routed(up.url, more=fallback) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat", "two"))
                assert await client.head() == 200
                body = await client.body()
            assert body.count(b'"role"') == 1 and body.endswith(DONE)
            first, second = served.lines("attempt", 2)
            assert (first["target"], second["target"], second["type"]) == ("up/bad", "up/m", "ok")


@pytest.mark.parametrize("end", [gone, reset], ids=lambda kind: kind.__name__)
async def test_what_was_complete_before_the_break_is_complete(end: Callable[[Line], None]) -> None:
    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        say(line, START, HELLO, STOP, DONE)
        await heard.wait()
        end(line)

    heard = asyncio.Event()
    async with serve(each(answer)) as up:
        with routed(up.url) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                await client.head()
                first = await client.piece()
                heard.set()
                assert (first + await client.body()).endswith(DONE)
            assert served.lines("request")[0]["type"] == "ok"


async def test_events_in_the_smallest_pieces() -> None:
    """Bytes arrive one by one: nothing is lost or said twice."""
    whole = b"".join([START, delta({"content": "Grüße 🌧️"}), delta({"content": " \u2028"}), STOP, DONE])

    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        for byte in whole:
            line.send(chunk(bytes([byte])))
            await line.writer.drain()
        line.send(END)

    async with serve(each(answer)) as up:
        with routed(up.url) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                await client.head()
                blocks = (await client.body()).split(b"\n\n")
    data = [json.loads(block.removeprefix(b"data: ")) for block in blocks[:-2]]
    assert "".join(one["choices"][0]["delta"].get("content") or "" for one in data) == "Grüße 🌧️ \u2028"


async def test_a_stream_that_is_answered_whole() -> None:
    """Some hosts ignore `stream: true`."""
    async def answer(line: Line, request: bytes) -> None:
        line.send(ANSWER)

    async with serve(each(answer)) as up:
        with routed(up.url) as served:
            for dialect, clean in CLEAN.items():
                async with talk(served.port) as client:
                    client.send(*asked(dialect))
                    assert await client.head() == 200
                    body = await client.body()
                assert b"Hello" in body and clean in body


async def test_more_comments_than_can_be_held() -> None:
    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        for _ in range(200):
            say(line, *[delta({"content": ""})] * 100)
        line.send(END)

    async with serve(each(answer)) as up:
        with routed(up.url) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat"))
                status, body = await client.answer()
    assert (status, body["error"]["type"]) == (502, "malformed_response")
