"""Upstreams that show our secrets, break their calls, or name odd times: scripted byte for byte."""

from __future__ import annotations

import asyncio
import json
import threading
from email.utils import formatdate

import anthropic
import httpx2
import pytest

from tests.serving import Served, config_of

KEY = "sk-upstreamkey-123456"


class Scripted:
    """An HTTP server in a thread whose every answer is `answer`: bytes of a whole response."""

    def __init__(self):
        self.answer = b""
        self.asked = []
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    async def _run(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        self._ready.set()
        await self._over.wait()
        server.close()

    async def _serve(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        self.asked.append(json.loads(await reader.readexactly(length)))
        writer.write(self.answer)
        await writer.drain()
        writer.close()

    def __enter__(self):
        self._thread.start()
        self._ready.wait(5)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(5)


@pytest.fixture(scope="module")
def upstream():
    with Scripted() as running:
        yield running


@pytest.fixture(scope="module")
def served(upstream, emulated):
    text = f"""
providers:
  up: {{api: openai-chat, base_url: "http://127.0.0.1:{upstream.port}/v1", api_key: {KEY}}}
  claude: {{api: anthropic-messages, base_url: "http://127.0.0.1:{upstream.port}", api_key: {KEY}}}
  good: {{api: openai-chat, base_url: "{emulated.base_url("openai-chat")}", api_key: k}}
models:
  limited: {{target: up/m, fallbacks: [good/agent]}}
"""
    with Served(config_of(text)) as running:
        running.app.random = lambda: 0.0
        yield running


def respond(body, status="200 OK", kind="application/json", more=""):
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{more}content-length: {len(body)}\r\n\r\n"
    return head.encode() + body.encode()


def stream(*chunks):
    events = [chunk if isinstance(chunk, str) else json.dumps(chunk) for chunk in chunks]
    return respond("".join(f"data: {event}\n\n" for event in events), kind="text/event-stream")


def delta(finish=None, **fields):
    return {"id": "x", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


ASK = {
    "chat": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}]}),
    "responses": ("/v1/responses", {"input": "hi"}),
    "messages": ("/v1/messages", {"max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}),
}


def ask(served, dialect, model="up/m", **more):
    served.app.circuits.records.clear()
    path, body = ASK[dialect]
    return httpx2.post(f"{served.base}{path}", json={"model": model, **body, **more}, timeout=10)


@pytest.mark.parametrize("dialect", sorted(ASK))
def test_no_key_and_no_address_in_an_error_after_content(served, upstream, dialect):
    told = f"boom http://127.0.0.1:{upstream.port}/v1 {KEY}"
    upstream.answer = stream(delta(content="hello"), {"error": {"message": told, "type": "server_error", "code": KEY}})
    response = ask(served, dialect, stream=True)
    assert "hello" in response.text and "boom" in response.text
    assert KEY not in response.text and str(upstream.port) not in response.text


@pytest.mark.parametrize("dialect", sorted(ASK))
def test_no_key_and_no_address_in_any_field_of_an_error(served, upstream, dialect):
    told = f"{KEY} http://127.0.0.1:{upstream.port}/v1"
    upstream.answer = respond(
        json.dumps({"error": {"message": told, "type": told, "code": told, "param": told}}), "400 Bad Request"
    )
    response = ask(served, dialect)
    assert response.status_code == 400
    assert KEY not in response.text and str(upstream.port) not in response.text


@pytest.mark.parametrize("arguments", ['{"x":', "[1]", "7"])
def test_a_streamed_call_that_is_no_object_is_an_error_for_messages_clients(served, upstream, arguments):
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    upstream.answer = stream(delta(tool_calls=[call]), delta("tool_calls"), "[DONE]")
    client = anthropic.Anthropic(base_url=served.base, api_key="k", max_retries=0)
    tool = {"name": "f", "input_schema": {"type": "object", "properties": {}}}
    with (
        pytest.raises(anthropic.APIError) as raised,
        client.messages.stream(
            model="up/m", max_tokens=9, messages=ASK["messages"][1]["messages"], tools=[tool]
        ) as events,
    ):
        events.get_final_message()
    assert "invalid_tool_call" in str(raised.value.body)


def test_a_streamed_call_cut_by_length_is_an_answer(served, upstream):
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x":'}}
    upstream.answer = stream(delta(tool_calls=[call]), delta("length"), "[DONE]")
    text = ask(served, "messages", stream=True).text
    assert '"stop_reason":"max_tokens"' in text and "message_stop" in text


@pytest.mark.parametrize(
    "when", ["Wed, 21 Oct 99999999999 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 +99999999999999", "soon"]
)
def test_an_odd_retry_after_date_does_not_stop_the_chain(served, upstream, when):
    upstream.answer = respond("{}", "429 Too Many Requests", more=f"retry-after: {when}\r\n")
    response = ask(served, "chat", "limited")
    assert response.status_code == 200 and response.headers["x-toolwire-target"] == "good/agent"


def test_a_retry_after_date_counts_without_the_answers_own_date(served, upstream):
    import time

    later = formatdate(time.time() + 90, usegmt=True)
    upstream.answer = respond("{}", "429 Too Many Requests", more=f"retry-after: {later}\r\n")
    asked = len(upstream.asked)
    response = ask(served, "chat")
    assert response.status_code == 429 and 80 <= float(response.headers["retry-after"]) <= 91
    assert len(upstream.asked) == asked + 1, "90 seconds are not waited for"


def nested(depth):
    return '{"a":' * depth + "1" + "}" * depth


def test_deeply_nested_arguments_in_the_history_arrive(served, upstream):
    upstream.answer = respond(json.dumps({
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "ok"}],
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }))  # fmt: skip
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": nested(400)}}
    history = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]
    assert ask(served, "chat", "claude/claude-sonnet-4-5", messages=history).status_code == 200
    assert upstream.asked[-1]["messages"][1]["content"][0]["input"] == json.loads(nested(400))
