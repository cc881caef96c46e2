"""What an upstream says of keys, headers and addresses reaches neither client nor log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.proxy.talk import (
    ANSWER,
    HELLO,
    START,
    STREAM,
    asked,
    each,
    event,
    failing,
    routed,
    say,
    talk,
)
from tests.proxy.upstream.peer import Line, serve, whole
from tests.serving import Served

pytestmark = pytest.mark.anyio

KEY = "up-secret-4f7Qz9+/k1-xyzw0"
HEADER = "tenant-token-8842-aa"
PARAM = "query-credential-77"
ENCODED = "up-secret-4f7Qz9%2B%2Fk1-xyzw0"
PLANTED = (KEY, HEADER, PARAM, KEY[:14], KEY[-12:], ENCODED, "127.0.0.1", "sk-ant-api03-0123456789")


def told(port: int) -> str:
    """An error text that says it all."""
    return (
        f"Incorrect key {KEY} (as {ENCODED}, begins {KEY[:14]}…, ends {KEY[-12:]}) for "
        f"http://127.0.0.1:{port}/v1/chat/completions?tenant={PARAM}; sent Authorization: Bearer {KEY}, "
        f"x-tenant: {HEADER}; other key sk-ant-api03-0123456789 at 127.0.0.1:{port}"
    )


def error(port: int) -> Any:
    return {"error": {"message": told(port), "type": "invalid_request_error", "param": KEY, "code": f"code-{HEADER}"}}


def proxy(url: str) -> Served:
    return routed(url, f", headers: {{x-tenant: {HEADER}}}, query: {{tenant: {PARAM}}}", key=KEY)


def nothing_shows(served: Served, text: str) -> None:
    shown = text + json.dumps(served.logged, default=str)
    assert [secret for secret in PLANTED if secret in shown] == []


ROWS = [*(("chat", status) for status in (400, 401, 403, 404, 429, 500)),
        *((dialect, 400) for dialect in ("responses", "messages", "gemini"))]


@pytest.mark.parametrize(("dialect", "status"), ROWS)
async def test_in_error_bodies(dialect: str, status: int) -> None:
    async def answer(line: Line, request: bytes) -> None:
        line.send(failing(status, error(up.port), f"www-authenticate: Bearer {KEY}", f"location: http://127.0.0.1/{KEY}"))

    async with serve(each(answer)) as up:
        with proxy(up.url) as served:
            async with talk(served.port) as client:
                client.send(*asked(dialect, stream=False))
                assert await client.head() >= 400
                body = (await client.body()).decode()
            assert "Incorrect key" in body, "the rest of the message stays"
            nothing_shows(served, body + str(client.headers))


@pytest.mark.parametrize("when", ["before", "inside", "whole"])
async def test_in_errors_inside_a_200(when: str) -> None:
    async def answer(line: Line, request: bytes) -> None:
        if when == "whole":
            line.send(whole(json.dumps(error(up.port)).encode(), "content-type: application/json"))
            return
        line.send(STREAM)
        say(line, START, *([HELLO] if when == "inside" else []), event(error(up.port)))
        line.end()

    async with serve(each(answer)) as up:
        with proxy(up.url) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat", stream=when != "whole"))
                assert await client.head() == (200 if when == "inside" else 400)
                body = (await client.body()).decode()
            assert "Incorrect key" in body
            nothing_shows(served, body)


@pytest.mark.parametrize("text", ["{KEY}", '{"a": "{KEY}"', "<html>{KEY} http://127.0.0.1/x</html>"])
async def test_in_what_is_no_answer(text: str) -> None:
    async def answer(line: Line, request: bytes) -> None:
        line.send(whole(text.replace("{KEY}", KEY).encode(), "content-type: application/json"))

    async with serve(each(answer)) as up:
        with proxy(up.url) as served:
            async with talk(served.port) as client:
                client.send(*asked("chat", stream=False))
                assert await client.head() == 502
                body = (await client.body()).decode()
            nothing_shows(served, body)


async def test_when_nobody_listens() -> None:
    with proxy("http://127.0.0.1:1") as served:
        async with talk(served.port) as client:
            client.send(*asked("chat", stream=False))
            status, body = await client.answer()
        assert (status, body["error"]["type"]) == (502, "connection_error")
        nothing_shows(served, json.dumps(body))


async def test_client_keys_and_messages_are_in_no_log_and_go_nowhere() -> None:
    seen: list[bytes] = []

    async def answer(line: Line, request: bytes) -> None:
        seen.append(request)
        line.send(ANSWER)

    clients = "clients: [{name: team, key: client-secret-key-1}]\n"
    async with serve(each(answer)) as up:
        with routed(up.url, more=clients) as served:
            async with talk(served.port) as client:
                path, body = asked("chat", text="a very private question", stream=False)
                client.send(
                    path, body, authorization="Bearer client-secret-key-1", cookie="session=client-cookie",
                    x_forwarded_for="10.9.8.7", openai_organization="org-1", user_agent="mine/1",
                    x_custom="client-header",
                )
                assert await client.head() == 200
                await client.body()
            assert "private" not in json.dumps(served.logged) and "client-secret" not in json.dumps(served.logged)
    (request,) = seen
    head = request.partition(b"\r\n\r\n")[0].decode().lower()
    for word in ("client-secret", "cookie", "10.9.8.7", "org-1", "mine/1", "client-header"):
        assert word not in head
    assert "authorization: bearer up-key" in head
