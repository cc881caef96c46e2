"""Every metric of the contract (§5): its name, its labels, and the event that moves it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from proxy import __version__
from proxy.emulate import Emulation
from tests.proxy.talk import HELLO, START, STREAM, asked, each, http, routed, say, talk
from tests.proxy.upstream.peer import Line, serve
from tests.serving import Served, demo

LABELS = {
    "toolwire_requests_total": ("endpoint", "model", "status"),
    "toolwire_request_duration_seconds": ("endpoint",),
    "toolwire_overhead_seconds": ("endpoint",),
    "toolwire_time_to_first_content_seconds": ("provider", "model"),
    "toolwire_upstream_attempts_total": ("provider", "model", "outcome"),
    "toolwire_fallbacks_total": ("model", "from_target", "to_target", "reason"),
    "toolwire_tokens_total": ("provider", "model", "kind"),
    "toolwire_tool_calls_total": ("provider", "model", "outcome"),
    "toolwire_inflight_requests": (),
    "toolwire_circuit_open": ("provider", "model"),
    "toolwire_build_info": ("version",),
}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


class Scrape:
    """The samples of one scrape."""

    def __init__(self, served: Served) -> None:
        self.text = served.metrics()
        self.samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        for line in self.text.splitlines():
            if found := re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? (\S+)", line):
                labels = re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', found[2] or "")
                self.samples[found[1], frozenset(labels)] = float(found[3])

    def value(self, name: str, **labels: str) -> float:
        return self.samples.get((f"toolwire_{name}", frozenset(labels.items())), 0.0)

    def labels(self, name: str) -> list[dict[str, str]]:
        return [dict(labels) for sample, labels in self.samples if sample == f"toolwire_{name}"]


@pytest.fixture
def served(emulated: Emulation) -> Iterator[Served]:
    with Served(demo(emulated)) as running:
        yield running


def ask(served: Served, model: str, dialect: str = "chat", stream: bool = False, **more: Any) -> int:
    """Waits until the request is counted, which comes after its answer."""
    path, body = asked(dialect, model, stream=stream)
    response = http.post(f"{served.base}{path}", json={**body, **more})
    served.request(response.headers["x-request-id"])
    return response.status_code


def test_names_and_labels(served: Served) -> None:
    ask(served, "gpt", tools=[TOOL])
    ask(served, "claude", stream=True)
    ask(served, "after-overload")
    scrape = Scrape(served)
    families = set(re.findall(r"^# TYPE (\S+)", scrape.text, re.MULTILINE))
    own = {name for name in families if name.startswith("toolwire_")}
    assert {name.removesuffix("_total") for name in LABELS} <= {name.removesuffix("_total") for name in own}
    for name, labels in LABELS.items():
        short = name.removeprefix("toolwire_")
        for sample in (short, f"{short}_count"):
            for found in scrape.labels(sample):
                assert tuple(sorted(found)) == tuple(sorted(labels)), name
    assert scrape.value("build_info", version=__version__) == 1
    assert "_created" not in scrape.text


def test_requests(served: Served) -> None:
    for dialect in ("chat", "responses", "messages", "gemini"):
        assert ask(served, "gpt", dialect) == 200
        assert ask(served, "gpt", dialect, stream=True) == 200
        assert ask(served, "nobody", dialect) == 404
        assert ask(served, "openai-chat/fault-400", dialect) == 400
    http.get(f"{served.base}/v1/models")
    counted = {"model": "gpt", "messages": [{"role": "user", "content": "x"}]}
    http.post(f"{served.base}/v1/messages/count_tokens", json=counted)
    http.get(f"{served.base}/nothing")
    served.lines("request", 19)
    scrape = Scrape(served)
    for endpoint in ("chat", "responses", "messages", "gemini"):
        assert scrape.value("requests_total", endpoint=endpoint, model="gpt", status="200") == 2
        assert scrape.value("requests_total", endpoint=endpoint, model="other", status="404") == 1
        assert scrape.value("requests_total", endpoint=endpoint, model="other", status="400") == 1
        assert scrape.value("request_duration_seconds_count", endpoint=endpoint) == 4
        assert scrape.value("overhead_seconds_count", endpoint=endpoint) == 4
    assert scrape.value("requests_total", endpoint="models", model="", status="200") == 1
    assert scrape.value("requests_total", endpoint="count_tokens", model="gpt", status="200") == 1
    assert {one["endpoint"] for one in scrape.labels("requests_total")} == {
        "chat", "responses", "messages", "gemini", "models", "count_tokens"}


def test_made_up_names_are_other(served: Served) -> None:
    for number in range(20):
        ask(served, f"made-up-{number}")
        ask(served, f"openai-chat/made-up-{number}")
        ask(served, "x" * 5000 + str(number))
    scrape = Scrape(served)
    assert "made-up" not in scrape.text and "xxx" not in scrape.text
    assert scrape.value("requests_total", endpoint="chat", model="other", status="404") == 60
    lost = {"provider": "openai-chat", "model": "other", "outcome": "not_found_error"}
    assert scrape.value("upstream_attempts_total", **lost) == 20


def test_attempts_and_fallbacks(served: Served) -> None:
    ask(served, "after-overload")
    ask(served, "after-overload", stream=True)
    ask(served, "flaky", user="someone")
    ask(served, "all-fail")
    scrape = Scrape(served)
    attempts = {
        ("anthropic-messages", "fault-529", "overloaded_error"): 2,
        ("anthropic-messages", "fault-429", "rate_limit_error"): 1,
        ("openai-chat", "flaky-2", "overloaded_error"): 2,
        ("openai-chat", "flaky-2", "ok"): 1,
        ("openai-chat", "fault-503", "overloaded_error"): 1,
        ("openai-chat", "agent", "ok"): 2,
    }
    for (provider, model, outcome), count in attempts.items():
        assert scrape.value("upstream_attempts_total", provider=provider, model=model, outcome=outcome) == count
    moved = {"from_target": "anthropic-messages/fault-529", "to_target": "openai-chat/agent"}
    assert scrape.value("fallbacks_total", model="after-overload", reason="overloaded_error", **moved) == 2
    lost = {"from_target": "anthropic-messages/fault-429", "to_target": "openai-chat/fault-503"}
    assert scrape.value("fallbacks_total", model="all-fail", reason="rate_limit_error", **lost) == 1


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_tokens_and_calls(served: Served, stream: bool) -> None:
    """The same for every API: cached tokens within `input`, reasoning within `output`."""
    tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in "fg"]
    messages = [{"role": "user", "content": f"{stream} word " * 3000}]
    for _ in range(2):
        ask(served, "anthropic-messages/agent", stream=stream, tools=tools, reasoning_effort="high", messages=messages)
    scrape = Scrape(served)

    def tokens(kind: str) -> float:
        return scrape.value("tokens_total", provider="anthropic-messages", model="agent", kind=kind)

    assert tokens("input") > 2 * 3000
    assert 0 < tokens("cache_read") < tokens("input") > tokens("cache_write") > 0
    assert 0 < tokens("reasoning") < tokens("output")
    assert scrape.labels("tokens_total") and {one["kind"] for one in scrape.labels("tokens_total")} == {
        "input", "output", "cache_read", "cache_write", "reasoning"}
    calls = sum(value for (name, _), value in scrape.samples.items() if name == "toolwire_tool_calls_total")
    assert calls == 4
    outcomes = {"valid", "repaired", "invalid", "unchecked"}
    assert {one["outcome"] for one in scrape.labels("tool_calls_total")} <= outcomes


def test_first_content_is_of_streams(served: Served) -> None:
    ask(served, "gpt")
    assert Scrape(served).value("time_to_first_content_seconds_count", provider="openai-chat", model="agent") == 0
    ask(served, "gpt", stream=True)
    ask(served, "openai-chat/slow-50", stream=True)
    scrape = Scrape(served)
    assert scrape.value("time_to_first_content_seconds_count", provider="openai-chat", model="agent") == 1
    assert scrape.value("time_to_first_content_seconds_count", provider="openai-chat", model="other") == 1
    assert scrape.value("time_to_first_content_seconds_sum", provider="openai-chat", model="other") > 0.04


def test_circuits(served: Served) -> None:
    assert Scrape(served).value("circuit_open", provider="anthropic-messages", model="fault-529") == 0
    for _ in range(5):
        ask(served, "after-overload")
    scrape = Scrape(served)
    assert scrape.value("circuit_open", provider="anthropic-messages", model="fault-529") == 1
    assert scrape.value("circuit_open", provider="openai-chat", model="agent") == 0
    ask(served, "after-overload")
    last = served.lines("request", 6)[5]
    assert last["attempts"] == 1, "an open circuit is not asked"
    assert last["skipped"] == ["anthropic-messages/fault-529: overloaded_error"]
    assert "skipped" not in served.lines("request")[0]


@pytest.mark.parametrize("keys", [1, 2])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_target_whose_keys_are_all_refused_is_seen_to_be_left_out(
    emulated: Emulation, keys: int, stream: bool
) -> None:
    """By the metric and in the log, from the second request on."""
    config = demo(emulated, "  refused: {target: openai-chat/fault-auth, fallbacks: [openai-chat/agent]}\n")
    provider = replace(config.providers["openai-chat"], api_keys=("one", "two")[:keys])
    with Served(replace(config, providers={**config.providers, "openai-chat": provider})) as served:
        assert [ask(served, "refused", stream=stream) for _ in range(2)] == [200, 200]
        assert Scrape(served).value("circuit_open", provider="openai-chat", model="fault-auth") == 1
        first, second = served.lines("request", 2)
    assert (first["attempts"], first.get("skipped")) == (keys + 1, None)
    assert (second["attempts"], second["skipped"]) == (1, ["openai-chat/fault-auth: upstream_auth_error"])


@pytest.mark.anyio
async def test_in_flight_and_overhead() -> None:
    go = asyncio.Event()

    async def answer(line: Line, request: bytes) -> None:
        line.send(STREAM)
        say(line, START, HELLO)
        await go.wait()
        line.end()

    async with serve(each(answer)) as up:
        with routed(up.url) as served:
            async with talk(served.port) as one, talk(served.port) as two:
                for client in (one, two):
                    client.send(*asked("chat"))
                    await client.head()
                    await client.piece()
                assert (await asyncio.to_thread(Scrape, served)).value("inflight_requests") == 2
                await asyncio.wait({asyncio.ensure_future(go.wait())}, timeout=0.4)
                go.set()
                for client in (one, two):
                    await client.body()
            served.lines("request", 2)
            scrape = await asyncio.to_thread(Scrape, served)
            assert scrape.value("inflight_requests") == 0
            assert scrape.value("request_duration_seconds_sum", endpoint="chat") > 0.8
            assert scrape.value("overhead_seconds_sum", endpoint="chat") < 0.3, "upstreams' time is not overhead"


# --- log lines -------------------------------------------------------------------------------------------------------

REQUEST = {
    "request_id": str, "endpoint": str, "client": (str, type(None)), "model": (str, type(None)),
    "target": (str, type(None)), "type": str, "status": int, "seconds": float, "stream": bool, "attempts": int,
}
ATTEMPT = {
    "request_id": str, "endpoint": str, "model": str, "number": int, "target": str, "type": str,
    "status": (int, type(None)), "seconds": float,
}


def fits(line: dict[str, Any], shape: dict[str, Any]) -> bool:
    return all(isinstance(line[name], kind) for name, kind in shape.items())


def test_log_lines(served: Served) -> None:
    ask(served, "after-overload", stream=True)
    ask(served, "all-fail")
    ask(served, "nobody")
    served.lines("request", 3)
    assert [event for event, _ in served.logged] == ["attempt"] * 2 + ["request"] + ["attempt"] * 2 + ["request"] * 2
    assert all(fits(line, REQUEST) for line in served.lines("request"))
    assert all(fits(line, ATTEMPT) for line in served.lines("attempt"))
    told = [(line["number"], line["target"], line["type"], line["status"]) for line in served.lines("attempt")]
    assert told == [
        (1, "anthropic-messages/fault-529", "overloaded_error", 529),
        (2, "openai-chat/agent", "ok", 200),
        (1, "anthropic-messages/fault-429", "rate_limit_error", 429),
        (2, "openai-chat/fault-503", "overloaded_error", 503),
    ]
    asked_for = [(line["model"], line["target"], line["type"], line["status"]) for line in served.lines("request")]
    assert asked_for == [
        ("after-overload", "openai-chat/agent", "ok", 200),
        ("all-fail", None, "rate_limit_error", 429),
        ("nobody", None, "not_found_error", 404),
    ]
    assert json.loads(json.dumps(served.logged)), "fields are plain values"


def test_log_lines_of_plain_requests(served: Served) -> None:
    http.get(f"{served.base}/v1/models")
    http.get(f"{served.base}/v1/responses/resp_1")
    http.get(f"{served.base}/nothing")
    for path in ("/healthz", "/readyz", "/metrics", "/"):
        http.get(f"{served.base}{path}")
    told = [(line["endpoint"], line["type"], line["status"]) for line in served.lines("request", 3)]
    assert told == [("models", "ok", 200), ("responses", "not_found_error", 404), (None, "not_found_error", 404)]


def test_a_long_model_name_is_shortened(served: Served) -> None:
    ask(served, "x" * 100_000)
    (line,) = served.lines("request")
    assert len(line["model"]) == 200
