"""The headers of an answer: ids, who answered, what was left out."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from proxy.emulate import Emulation
from tests.proxy.talk import ANSWER, DONE, END, HELLO, START, STOP, STREAM, asked, each, http, routed, talk
from tests.proxy.upstream.peer import Line, chunk, serve
from tests.serving import Served

DIALECTS = ["chat", "responses", "messages", "gemini"]


def ask(
    served: Served, dialect: str, model: str, stream: bool = False, more: Any = None, **headers: str
) -> httpx2.Response:
    path, body = asked(dialect, model, stream=stream)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return http.post(f"{served.base}{path}", json={**body, **(more or {})}, headers=named)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", ["gpt", "nobody"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_request_ids(proxied: Served, dialect: str, model: str, stream: bool) -> None:
    id = f"mine-{dialect}-{model}-{stream}"
    mine = ask(proxied, dialect, model, stream, x_request_id=id)
    assert mine.headers["x-request-id"] == id
    assert mine.headers.get("request-id") == (id if dialect == "messages" else None)
    assert proxied.request(id)["endpoint"] == dialect
    own = ask(proxied, dialect, model, stream).headers["x-request-id"]
    assert own.startswith("req_") and len(own) == 28
    assert own != ask(proxied, dialect, model, stream).headers["x-request-id"]


@pytest.mark.parametrize("id", ["", "with space", "ü", "x" * 201, "tab\tbed"])
def test_ids_that_are_not_taken(proxied: Served, id: str) -> None:
    path, body = asked("chat", "gpt", stream=False)
    response = http.post(f"{proxied.base}{path}", json=body, headers={"x-request-id": id.encode("latin-1")})
    assert response.headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_who_answered(proxied: Served, dialect: str, stream: bool) -> None:
    proxied.app.circuits.records.clear()
    response = ask(proxied, dialect, "claude", stream)
    assert response.headers["x-toolwire-target"] == "anthropic-messages/agent"
    assert response.headers["x-toolwire-attempts"] == "1"
    moved = ask(proxied, dialect, "after-overload", stream)
    assert moved.headers["x-toolwire-target"] == "openai-chat/agent"
    assert moved.headers["x-toolwire-attempts"] == "2"
    failed = ask(proxied, dialect, "all-fail", stream)
    assert failed.headers["x-toolwire-attempts"] == "2"
    assert "x-toolwire-target" not in failed.headers


@pytest.mark.parametrize("dialect", DIALECTS)
def test_heads_of_streams(proxied: Served, dialect: str) -> None:
    response = ask(proxied, dialect, "gpt", True)
    assert response.headers["content-type"].partition(";")[0] == "text/event-stream"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-accel-buffering"] == "no"
    assert "content-length" not in response.headers


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_warnings(proxied: Served, emulated: Emulation, stream: bool) -> None:
    """What is left out is named, in the head and in the log."""
    more = {"logit_bias": {"50256": -100}, "tools": [{
        "type": "function", "function": {"name": "get_weather", "strict": True, "parameters": {"type": "object"}}}]}
    response = ask(proxied, "chat", "claude", stream, more)
    told = response.headers["x-toolwire-warnings"]
    assert "logit_bias: left out, anthropic-messages has no such field" in told
    assert "tools.get_weather: strict: left out" in told
    line = proxied.request(response.headers["x-request-id"])
    assert told == "; ".join(dict.fromkeys(line["warnings"]))
    assert "logit_bias" not in emulated.requests[-1].body


def test_warnings_fit_a_header(proxied: Served) -> None:
    schema = {"type": "object"}
    functions = [{"name": f"größe {'x' * 90}{n}", "strict": True, "parameters": schema} for n in range(60)]
    tools = [{"type": "function", "function": function} for function in functions]
    response = ask(proxied, "chat", "claude", more={"tools": tools})
    assert response.status_code == 200
    assert len(response.headers["x-toolwire-warnings"]) == 4000
    assert response.headers["x-toolwire-warnings"].endswith("...")
    assert response.headers["x-toolwire-warnings"].isascii()


UNPRINTABLE = ["\x00", "\x01", "\x1f", "\x7f", "\x85", "é", "\ud800"]


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_heads_are_printable_whatever_they_tell_of(stream: bool) -> None:
    """The target, and warnings that name a field of the client and a tool of the model."""
    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM + chunk(START + HELLO + STOP + DONE) + END if stream else ANSWER)

    async with serve(each(answer)) as up:
        with routed(up.url) as served:
            for dialect in DIALECTS:
                for character in UNPRINTABLE:
                    raw = character.encode("utf-8", "surrogatepass")
                    model = f"up%2Fx{quote(raw)}" if dialect == "gemini" else f"up/x{character}"
                    path, body = asked(dialect, model, stream=stream)
                    async with talk(served.port) as client:
                        client.send(path, {**body, f"a{character}b": 1})
                        assert await client.head() == 200
                        await client.body()
                    told = "".join(client.headers.values())
                    assert told.isascii() and told.isprintable()
                    if dialect != "gemini":
                        assert client.headers["x-toolwire-target"].rstrip("?") == "up/x"
                    assert dialect == "chat" or re.search("a[ ?]b", client.headers["x-toolwire-warnings"])
            lines = served.lines("request", len(DIALECTS) * len(UNPRINTABLE))
            assert {line["type"] for line in lines} == {"ok"}


@pytest.mark.parametrize("dialect", ["chat", "gemini"])
def test_a_head_that_the_server_refuses_is_told(
    proxied: Served, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(send: Any, status: int, headers: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": [(b"x", b"\x00")]})

    monkeypatch.setattr("proxy.http.begin", broken)
    monkeypatch.setattr("proxy.output.begin", broken)
    for stream in (False, True):
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(proxied, dialect, "gpt", stream, x_request_id=f"headless-{dialect}-{stream}")
        line = proxied.request(f"headless-{dialect}-{stream}")
        assert (line["type"], line["status"]) == ("api_error", 502)


def test_beta_headers_go_to_their_own_api_alone(proxied: Served, emulated: Emulation) -> None:
    headers = {"anthropic_version": "2023-06-01", "anthropic_beta": "interleaved-thinking-2025-05-14, mine-1"}
    ask(proxied, "messages", "claude", **headers)
    sent = emulated.requests[-1].headers
    assert sent["anthropic-version"] == "2023-06-01"
    assert {"interleaved-thinking-2025-05-14", "mine-1"} <= {v.strip() for v in sent["anthropic-beta"].split(",")}
    ask(proxied, "messages", "gpt", **headers)
    assert not [name for name in emulated.requests[-1].headers if name.startswith("anthropic")]
    ask(proxied, "chat", "claude", anthropic_beta="mine-1")
    assert "mine-1" not in emulated.requests[-1].headers.get("anthropic-beta", "")


@pytest.mark.parametrize(
    ("model", "status", "again"),
    [
        ("openai-chat/fault-400", 400, "false"),
        ("openai-chat/fault-quota", 402, "false"),
        ("openai-chat/fault-auth", 502, "false"),
        ("openai-chat/fault-500", 502, None),
        ("nobody", 404, "false"),
    ],
)
def test_whether_to_try_again(proxied: Served, model: str, status: int, again: str | None) -> None:
    response = ask(proxied, "chat", model)
    assert (response.status_code, response.headers.get("x-should-retry")) == (status, again)


def test_retry_after_is_the_soonest_of_the_chain(proxied: Served) -> None:
    proxied.app.circuits.records.clear()
    response = ask(proxied, "chat", "all-fail")
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")
    assert [one["type"] for one in response.json()["error"]["attempts"]] == ["rate_limit_error", "overloaded_error"]
