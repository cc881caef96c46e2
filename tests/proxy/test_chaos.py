"""Upstreams failing in every way at once: each request ends in a full answer or one proper error, nothing is left.

`make chaos` plays 1,000 requests, `make test` 200 (TOOLWIRE_CHAOS); at most 64 in flight.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import time

import httpx2
import pytest

from proxy.demo import emulated as apis
from tests.serving import Served, config_of

COUNT = int(os.environ.get("TOOLWIRE_CHAOS", "200"))
FLYING = 64
SECONDS = 60.0
FAULTS = [
    "agent", "agent", "agent", "agent",
    "fault-429", "fault-500", "fault-503", "fault-529", "fault-401", "fault-404", "fault-400", "fault-quota",
    "fault-context", "fault-auth", "fault-refusal", "fault-empty", "fault-malformed", "fault-bad-arguments",
    "fault-error-first", "fault-cut", "fault-reset", "fault-stall", "fault-silent", "slow-5", "flaky-1",
]  # fmt: skip
TOOL = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
TYPES = {
    "invalid_request_error", "context_length_exceeded", "content_filter", "billing_error", "not_found_error",
    "rate_limit_error", "upstream_auth_error", "api_error", "connection_error", "malformed_response",
    "invalid_tool_call", "overloaded_error", "timeout_error", "stream_interrupted",
}  # fmt: skip


def configured(emulated):
    providers = "".join(
        f'  {api}: {{api: {api}, base_url: "{emulated.base_url(api)}", api_key: k, '
        "timeout: {connect: 2, first_content: 0.6, idle: 0.6, total: 2}}\n"
        for api in apis()
    )
    chance = random.Random(7)
    routes = ""
    for n in range(40):
        chain = [f"{chance.choice(apis())}/{chance.choice(FAULTS)}" for _ in range(chance.randint(1, 3))]
        rules = chance.choice(["[all]", "[rate_limit_error, overloaded_error]", "[5xx, 429, timeout_error]"])
        steps = "".join(f"      - {{target: {target}, on_errors: {rules}}}\n" for target in chain[1:])
        routes += f"  r{n}:\n    target: {chain[0]}\n" + (f"    fallbacks:\n{steps}" if steps else "")
        routes += "    retry: {attempts: 2, backoff_seconds: 0.01}\n    deadline_seconds: 8\n"
    return config_of(f"providers:\n{providers}models:\n{routes}")


def asked(dialect, model, stream):
    """Path and body of one request with a tool."""
    said = {"role": "user", "content": "go"}
    match dialect:
        case "chat":
            tool = {"type": "function", "function": {"name": "f", "parameters": TOOL}}
            return "/v1/chat/completions", {"model": model, "messages": [said], "tools": [tool], "stream": stream}
        case "messages":
            tool = {"name": "f", "input_schema": TOOL}
            return "/v1/messages", {
                "model": model, "max_tokens": 500, "messages": [said], "tools": [tool], "stream": stream,
            }  # fmt: skip
        case "responses":
            tool = {"type": "function", "name": "f", "parameters": TOOL, "strict": False}
            return "/v1/responses", {"model": model, "input": "go", "tools": [tool], "stream": stream, "store": False}
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/{model}:{method}", {
        "contents": [{"role": "user", "parts": [{"text": "go"}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": TOOL}]}],
    }


def ended(dialect, text):
    """How a stream ended: "answer" or an error's type. Raises where it is neither, or both."""
    data = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    done = data and data[-1] == "[DONE]"
    events = [json.loads(one) for one in data if one != "[DONE]"]
    errors = [event for event in events if event.get("error") and event.get("type") in (None, "error")]
    match dialect:
        case "chat":
            clean = bool(done) and any(c.get("finish_reason") for e in events for c in e.get("choices", []))
        case "messages":
            clean = events[-1].get("type") == "message_stop"
        case "responses":
            clean = events[-1].get("type") in ("response.completed", "response.incomplete")
        case _:
            clean = any(c.get("finishReason") for e in events for c in e.get("candidates", []))
    assert clean != bool(errors), text[-600:]
    if clean:
        return "answer"
    error = errors[0]["error"]
    return error.get("toolwire_type") or error["type"]


async def one(client, chance):
    dialect, stream = chance.choice(["chat", "messages", "responses", "gemini"]), chance.random() < 0.5
    direct = f"{chance.choice(apis())}/{chance.choice(FAULTS)}"
    path, body = asked(dialect, f"r{chance.randrange(40)}" if chance.random() < 0.7 else direct, stream)
    response = await client.post(path, json=body)
    if response.status_code != 200:
        error = response.json()["error"]
        kind = error.get("toolwire_type") or error["type"]
        assert response.status_code < 599 and error["attempts"] is not None
    elif stream:
        kind = ended(dialect, response.text)
    else:
        kind = "answer"
        assert isinstance(response.json(), dict)
    assert kind == "answer" or kind in TYPES, kind
    return kind


async def storm(base):
    chance = random.Random(11)
    gate = asyncio.Semaphore(FLYING)

    async def gated():
        async with gate:
            return await one(client, chance)

    limits = httpx2.Limits(max_connections=FLYING)
    async with httpx2.AsyncClient(base_url=base, timeout=30, limits=limits) as client:
        return await asyncio.gather(*(gated() for _ in range(COUNT)))


def settled(served, seconds=5.0):
    """Requests still running in the proxy's loop, once what ends by itself has had its time."""
    ends = time.monotonic() + seconds
    while served.requests_running() and time.monotonic() < ends:
        os.sched_yield()
    return served.requests_running()


@pytest.mark.timeout(120)
def test_each_request_ends_and_nothing_is_left(emulated):
    with Served(configured(emulated)) as served:
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        began = time.monotonic()
        kinds = asyncio.run(storm(served.base))
        took = time.monotonic() - began
        assert len(kinds) == COUNT and took < SECONDS
        assert len(set(kinds)) > 5 and kinds.count("answer") > COUNT / 5
        assert settled(served) == []
        assert "toolwire_inflight_requests 0.0" in served.metrics()
        assert len(served.lines("request", COUNT)) == COUNT
        gc.collect()
        idle = len(os.listdir("/proc/self/fd")) - before
        assert idle <= 2 * FLYING, "only pooled connections may stay"
    gc.collect()
    print(f"\n{COUNT} requests in {took:.1f} s: " + ", ".join(f"{k} {kinds.count(k)}" for k in sorted(set(kinds))))
