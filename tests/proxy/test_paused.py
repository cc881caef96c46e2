"""Answers that an upstream pauses (Claude's `pause_turn`) or breaks off (Gemini's `CONTINUATION`): only clients of the
API's own dialect see that, all others get one answer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.proxy.talk import asked, each, failing, http, talk
from tests.proxy.upstream.peer import CHUNKED, Line, chunk, serve, whole
from tests.serving import Served, config_of

SEARCH: Any = {"type": "web_search_20250305", "name": "web_search"}
OPTIONS: Any = {"provider_options": {"anthropic-messages": {"tools": [SEARCH]}}}
SEARCHES: dict[str, Any] = {
    "chat": OPTIONS,
    "responses": {"tools": [{"type": "web_search"}]},
    "messages": {"tools": [SEARCH]},
    "gemini": {"tools": [{"googleSearch": {}}]},
}
FOREIGN = ("chat", "responses", "gemini")


def events(body: str) -> list[Any]:
    return [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: {")]


def said(dialect: str, stream: bool, body: str) -> tuple[str, str, int]:
    """Text, finish, and output tokens that a client reads."""
    match dialect, stream:
        case "chat", False:
            found = json.loads(body)
            (choice,) = found["choices"]
            return choice["message"]["content"], choice["finish_reason"], found["usage"]["completion_tokens"]
        case "chat", True:
            choices = [choice for event in events(body) for choice in event["choices"]]
            text = "".join(choice["delta"].get("content") or "" for choice in choices)
            finishes = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
            (spent,) = [event["usage"]["completion_tokens"] for event in events(body) if event.get("usage")]
            return text, *finishes, spent
        case "responses", _:
            found = events(body)[-1]["response"] if stream else json.loads(body)
            texts = [part["text"] for item in found["output"] if item["type"] == "message" for part in item["content"]]
            if stream:
                told = "".join(e["delta"] for e in events(body) if e["type"] == "response.output_text.delta")
                assert told == "".join(texts)
            return "".join(texts), found["status"], found["usage"]["output_tokens"]
        case "gemini", _:
            chunks = events(body) if stream else [json.loads(body)]
            candidates = [one["candidates"][0] for one in chunks]
            text = "".join(p.get("text", "") for c in candidates for p in c.get("content", {}).get("parts", []))
            finishes = [c["finishReason"] for c in candidates if "finishReason" in c]
            spent = [one["usageMetadata"] for one in chunks if "usageMetadata" in one][-1]["candidatesTokenCount"]
            return text, *finishes, spent
        case _:
            found = [e["delta"] for e in events(body) if e["type"] == "content_block_delta"] if stream else json.loads(
                body)["content"]
            text = "".join(part.get("text", "") for part in found)
            if not stream:
                return text, json.loads(body)["stop_reason"], json.loads(body)["usage"]["output_tokens"]
            (end,) = [event for event in events(body) if event["type"] == "message_delta"]
            return text, end["delta"]["stop_reason"], end["usage"]["output_tokens"]


def answer(base: str, dialect: str, model: str, stream: bool, more: Any) -> tuple[str, str, int]:
    path, body = asked(dialect, model, stream=stream)
    if dialect == "chat" and stream:
        body["stream_options"] = {"include_usage": True}
    response = http.post(base + path, json=body | more)
    assert response.status_code == 200, response.text
    return said(dialect, stream, response.text)


STOPS = {"chat": "stop", "responses": "completed", "gemini": "STOP", "messages": "end_turn"}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("dialect", FOREIGN)
def test_a_paused_turn_is_gone_on_with(proxied: Served, dialect: str, stream: bool) -> None:
    """The emulated model says its sentence, pauses in a search, and says it again once it is asked on."""
    text, finish, spent = answer(
        proxied.base, dialect, "anthropic-messages/quirk-pause-turn", stream, SEARCHES[dialect])
    _, _, once = answer(proxied.base, dialect, "anthropic-messages/agent", stream, SEARCHES[dialect])
    assert (text, finish, spent) == ("You said: hi" * 2, STOPS[dialect], 2 * once)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_messages_client_sees_the_pause(proxied: Served, stream: bool) -> None:
    model = "anthropic-messages/quirk-pause-turn"
    text, finish, _ = answer(proxied.base, "messages", model, stream, SEARCHES["messages"])
    assert (text, finish) == ("You said: hi", "pause_turn")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("dialect", ["chat", "responses", "messages"])
def test_a_long_answer_is_gone_on_with(proxied: Served, dialect: str, stream: bool) -> None:
    """The emulated model gives half of its sentence, and the rest to the token: one text."""
    text, finish, spent = answer(proxied.base, dialect, "google-gemini/quirk-continuation", stream, {})
    assert (text, finish) == ("You said: hi", STOPS[dialect])
    assert spent > answer(proxied.base, dialect, "google-gemini/agent", stream, {})[2]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_gemini_client_sees_the_token(proxied: Served, stream: bool) -> None:
    path, body = asked("gemini", "google-gemini/quirk-continuation", stream=stream)
    response = http.post(proxied.base + path, json=body)
    last = events(response.text)[-1] if stream else response.json()
    assert (last["candidates"][0]["finishReason"], last["candidates"][0]["continuationToken"]) == (
        "CONTINUATION", "aGFsZg==")


# --- what goes over the wire, and what goes wrong ----------------------------------------------------------------


def paused(text: str) -> bytes:
    """A stream that pauses after a search."""
    blocks: list[Any] = [
        {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": '{"query":"é"}'}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn", "stop_sequence": None},
         "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in blocks)


STREAM = CHUNKED.replace(b"\r\n\r\n", b"\r\ncontent-type: text/event-stream\r\n\r\n")


def proxy_to(url: str, more: str = "") -> Served:
    return Served(config_of(
        f'providers:\n  up: {{api: anthropic-messages, base_url: "{url}", api_key: k{more}}}\n'
        "models:\n  one: {target: up/claude-sonnet-4-5, retry: {attempts: 1}}\n"
    ))  # fmt: skip


@pytest.mark.anyio
async def test_pauses_without_end_are_bounded() -> None:
    """Six pieces in all; each request holds what the ones before were answered, in one turn."""
    got: list[Any] = []

    async def script(line: Line, request: bytes) -> None:
        got.append(json.loads(request.partition(b"\r\n\r\n")[2]))
        line.send(STREAM + chunk(paused(f"a{len(got)} ")) + b"0\r\n\r\n")

    async with serve(each(script)) as peer:
        with proxy_to(peer.url) as served:
            async with talk(served.port) as client:
                client.send(*asked_for_search())
                await client.head()
                body = (await client.body()).decode()
    assert said("chat", True, body)[:2] == ("a1 a2 a3 a4 a5 a6 ", "stop")
    assert said("chat", True, body)[2] == 6 * 3
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "é"}}
    assert [len(one["messages"]) for one in got] == [1, 2, 2, 2, 2, 2]
    assert got[2]["messages"][1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "a1 "}, use, {"type": "text", "text": "a2 "}, use],
    }
    assert [{**one, "messages": []} for one in got[1:]] == [{**got[0], "messages": []}] * 5


def asked_for_search() -> tuple[str, Any]:
    path, body = asked("chat")
    return path, body | OPTIONS | {"stream_options": {"include_usage": True}}


@pytest.mark.anyio
@pytest.mark.parametrize(("second", "kind"), [
    (failing(529, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}), "overloaded_error"),
    (whole(b"no", "content-type: text/event-stream"), "stream_interrupted"),
    (b"", "stream_interrupted"),
], ids=["refused", "no answer", "gone"])  # fmt: skip
async def test_an_answer_that_cannot_go_on_is_broken(second: bytes, kind: str) -> None:
    count = 0

    async def script(line: Line, request: bytes) -> None:
        nonlocal count
        count += 1
        line.send(STREAM + chunk(paused("a")) + b"0\r\n\r\n" if count == 1 else second)
        if count > 1 and not second:
            line.end()

    async with serve(each(script)) as peer:
        with proxy_to(peer.url) as served:
            async with talk(served.port) as client:
                client.send(*asked_for_search())
                await client.head()
                body = (await client.body()).decode()
    assert events(body)[-1]["error"]["type"] == kind
    assert "[DONE]" not in body
    assert all(choice["finish_reason"] is None for event in events(body)[:-1] for choice in event["choices"])


@pytest.mark.anyio
async def test_a_whole_answer_goes_on_within_its_total() -> None:
    """`idle` is between two reads: a piece that takes longer to begin is no silence."""
    count = 0

    async def script(line: Line, request: bytes) -> None:
        nonlocal count
        count += 1
        if count > 1:
            await asyncio.wait({asyncio.ensure_future(line.over.wait())}, timeout=0.25)
        answer = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None,
            "content": [{"type": "text", "text": f"a{count} "}], "usage": {"input_tokens": 5, "output_tokens": 1},
            "stop_reason": "pause_turn" if count == 1 else "end_turn",
        }
        line.send(whole(json.dumps(answer).encode(), "content-type: application/json"))

    async with serve(each(script)) as peer:
        with proxy_to(peer.url, ", timeout: {idle: 0.1}") as served:
            async with talk(served.port) as client:
                path, body = asked("chat", stream=False)
                client.send(path, body | OPTIONS)
                status, answer = await client.answer()
    assert (status, answer["choices"][0]["message"]["content"], count) == (200, "a1 a2 ", 2)
