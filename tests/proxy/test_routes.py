"""What a route does: its targets in all their forms, spread and windows, parameters and providers' settings."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adapters.errors import Failure
from proxy.emulate import Emulation
from proxy.engine.plan import Plan
from proxy.gateway import Gateway
from proxy.upstream import make
from tests.proxy.talk import ANSWER, asked, each, failing, http, routed, talk
from tests.proxy.upstream.authority import Authority
from tests.proxy.upstream.peer import Line, serve
from tests.serving import Served, config_of

PROVIDERS = """\
providers:
  a: {api: openai-chat, base_url: "http://127.0.0.1:1/v1"}
  b: {api: anthropic-messages, base_url: "http://127.0.0.1:2"}
models:
"""


def plan(models: str, name: str = "x", random: float = 0.0) -> Plan:
    found = Gateway(config_of(PROVIDERS + models), {}, make).table.find(name, lambda: random)
    assert isinstance(found, Plan)
    return found


def chain(models: str, name: str = "x", random: float = 0.0) -> list[str]:
    return [candidate.to.name for candidate in plan(models, name, random).chain]


FORMS = [
    ("  x: a/m", ["a/m"]),
    ("  x: {target: a/m}", ["a/m"]),
    ("  x: {target: {target: a/m}}", ["a/m"]),
    ("  x: {target: [a/m]}", ["a/m"]),
    ("  x: {target: [{target: a/m}, {target: b/n}]}", ["a/m", "b/n"]),
    ("  x: {target: a/m, fallbacks: [b/n, a/o]}", ["a/m", "b/n", "a/o"]),
    ("  x: {target: a/m, fallbacks: [{target: b/n}]}", ["a/m", "b/n"]),
    ("  x: {target: a/m, fallbacks: [{target: {target: b/n}}]}", ["a/m", "b/n"]),
    ("  x: {target: a/m, fallbacks: [{target: [b/n, {target: a/o}]}]}", ["a/m", "b/n", "a/o"]),
    ("  x: a/with/slashes:and-colons", ["a/with/slashes:and-colons"]),
]


@pytest.mark.parametrize(("models", "expected"), FORMS)
def test_forms_of_targets(models: str, expected: list[str]) -> None:
    assert chain(models + "\n") == expected


def test_a_targets_upstream(emulated: Emulation) -> None:
    """`api` and `base_url`: where the request goes and what it speaks."""
    text = (
        f"providers:\n  one: {{api: openai-chat, base_url: \"{emulated.base_url('openai-chat')}\", api_key: k}}\n"
        f"  two: {{api: anthropic-messages, base_url: \"{emulated.base_url('anthropic-messages')}/\", api_key: k}}\n"
    )
    path, _ = asked("chat")
    with Served(config_of(text)) as served:
        for provider, api in (("one", "openai-chat"), ("two", "anthropic-messages")):
            _, body = asked("chat", f"{provider}/agent", stream=False)
            assert http.post(f"{served.base}{path}", json=body).status_code == 200
            assert emulated.requests[-1].api == api


NAMES = """\
  gpt-4o: a/exact
  "gpt-*": a/prefix
  "gpt-4*": a/longer
  "*": b/any
"""


@pytest.mark.parametrize(
    ("name", "target"),
    [("gpt-4o", "a/exact"), ("gpt-4o-mini", "a/longer"), ("gpt-5", "a/prefix"), ("anything", "b/any"),
     ("GPT-4o", "b/any"), ("a/direct", "b/any")],
)
def test_patterns(name: str, target: str) -> None:
    """Exact first, then the longest; names are case-sensitive."""
    assert chain(NAMES, name) == [target]


def test_endless_names_are_no_models() -> None:
    """Of a provider of any model, too: what is remembered by a model's name stays small."""
    table = Gateway(config_of(PROVIDERS + "  x: a/m\n"), {}, make).table
    assert isinstance(table.find("a/" + "m" * 2046, lambda: 0.0), Plan)
    found = table.find("a/" + "m" * 2047, lambda: 0.0)
    assert isinstance(found, Failure) and found.type == "not_found_error" and len(found.message) < 400


def test_spread() -> None:
    """A weighted order; after the first the others of the list come, then the fallbacks."""
    models = (
        "  x: {target: [{target: a/one, weight: 3}, {target: b/two, weight: 1}], fallbacks: [{target: a/three}]}\n"
    )
    assert chain(models, random=0.0) == ["a/one", "b/two", "a/three"]
    assert chain(models, random=0.74) == ["a/one", "b/two", "a/three"]
    assert chain(models, random=0.76) == ["b/two", "a/one", "a/three"]
    later = "  x: {target: a/m, fallbacks: [{target: [{target: a/one, weight: 1}, {target: b/two, weight: 9}]}]}\n"
    firsts = Counter(chain(later, random=number / 100)[1] for number in range(100))
    assert firsts == {"a/one": 10, "b/two": 90}


WINDOWS = [
    ("  x: {target: {target: a/m, context_window: 100}}", [100]),
    ("  x: {target: [{target: a/m, context_window: 100}, {target: b/n, context_window: 200}]}", [100, 200]),
    ("  x: {target: a/m, fallbacks: [{target: b/n, context_window: 300}]}", [None, 300]),
    ("  x: {target: a/m, fallbacks: [{target: {target: b/n, context_window: 400}}]}", [None, 400]),
    ("  x: {target: a/m, fallbacks: [{target: [{target: b/n, context_window: 500}]}]}", [None, 500]),
]


@pytest.mark.parametrize(("models", "windows"), WINDOWS)
def test_windows_of_targets(models: str, windows: list[int | None]) -> None:
    assert [candidate.context_window for candidate in plan(models + "\n").chain] == windows


def test_a_prompt_that_surely_does_not_fit(emulated: Emulation) -> None:
    """Skips what is too small; if that skips everything it is said so. A target's own window wins over the model's."""
    text = (
        f"providers:\n  up: {{api: openai-chat, base_url: \"{emulated.base_url('openai-chat')}\", api_key: k, "
        "models: {agent: {context_window: 50}, agent-b: {context_window: 50}}}\n"
        "models:\n  small: up/agent\n"
        "  grows: {target: up/agent, fallbacks: [{target: {target: up/agent-b, context_window: 100000}}]}\n"
    )
    path, _ = asked("chat")
    with Served(config_of(text)) as served:
        def ask(model: str, text: str) -> Any:
            return http.post(f"{served.base}{path}", json=asked("chat", model, text, stream=False)[1])

        assert ask("small", "short").status_code == 200
        refused = ask("small", "x" * 500)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "context_length_exceeded")
        assert ask("grows", "short").headers["x-toolwire-target"] == "up/agent"
        assert ask("grows", "x" * 500).headers["x-toolwire-target"] == "up/agent-b"


def test_params_and_force_reach_the_upstream(emulated: Emulation) -> None:
    text = (
        f"providers:\n  up: {{api: openai-chat, base_url: \"{emulated.base_url('openai-chat')}\", api_key: k}}\n"
        "models:\n  x: {target: up/agent, params: {temperature: 0.25, seed: 1}, force: {max_tokens: 50, stop: [END]}}\n"
    )
    path, body = asked("chat", "x", stream=False)
    with Served(config_of(text)) as served:
        http.post(f"{served.base}{path}", json={**body, "temperature": 1, "max_tokens": 900})
    sent = emulated.requests[-1].body
    assert (sent["temperature"], sent["seed"], sent["max_tokens"], sent["stop"]) == (1, 1, 50, "END")


def test_facts_of_a_model(emulated: Emulation) -> None:
    """`max_output_tokens` is the most that is asked for, `family` whose rules and whose reasoning a model follows."""
    text = (
        f"providers:\n  up: {{api: anthropic-messages, base_url: \"{emulated.base_url('anthropic-messages')}\", "
        "api_key: k, models: {agent: {max_output_tokens: 70, family: claude-opus-4-5}}}\n"
    )
    path, body = asked("chat", "up/agent", stream=False)
    schema = {"type": "object", "properties": {"a": {"enum": ["b"]}}, "required": ["a"], "additionalProperties": False}
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema, "strict": True}}
    with Served(config_of(text)) as served:
        http.post(f"{served.base}{path}", json=body)
        assert emulated.requests[-1].body["max_tokens"] == 70
        http.post(f"{served.base}{path}", json={**body, "max_tokens": 900, "response_format": wanted})
        sent = emulated.requests[-1].body
    assert sent["max_tokens"] == 70
    assert sent["output_config"]["format"]["type"] == "json_schema", "the native form of that family"


@pytest.mark.anyio
async def test_what_a_provider_adds() -> None:
    """`headers`, `query` and `provider_options`, merged last, and the key."""
    seen: list[bytes] = []

    async def answer(line: Line, request: bytes) -> None:
        seen.append(request)
        line.send(ANSWER)

    more = (
        ", headers: {x-tenant: t1, user-agent: ours/1}, query: {api-version: \"1 2\"}"
        ", provider_options: {openai-chat: {temperature: 0, deep: {a: 1}}, anthropic-messages: {top_k: 5}}"
    )
    async with serve(each(answer)) as up:
        with routed(up.url + "/base/", more) as served:
            async with talk(served.port) as client:
                path, body = asked("chat", stream=False)
                options = {"openai-chat": {"deep": {"b": 2}}}
                client.send(path, {**body, "temperature": 1, "provider_options": options})
                assert (await client.answer())[0] == 200
    (request,) = seen
    head, _, sent = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /base/chat/completions?api-version=1+2 HTTP/1.1\r\n")
    lines = head.lower().split(b"\r\n")
    assert {b"x-tenant: t1", b"user-agent: ours/1", b"authorization: bearer up-key"} <= set(lines)
    made = json.loads(sent)
    assert (made["temperature"], made["deep"]) == (0, {"b": 2, "a": 1})
    assert "top_k" not in made and "provider_options" not in made


@pytest.mark.anyio
async def test_a_list_of_keys() -> None:
    """A refused or exhausted key gives way to the next, at once, and is left out for a while."""
    seen: list[str] = []

    async def answer(line: Line, request: bytes) -> None:
        key = next(one for one in request.decode().split("\r\n") if one.lower().startswith("authorization")).split()[-1]
        seen.append(key)
        if key == "k1":
            line.send(failing(401, {"error": {"message": "no", "code": "invalid_api_key"}}))
        elif key == "k2":
            line.send(failing(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}))
        else:
            line.send(ANSWER)

    async with serve(each(answer)) as up:
        text = f"providers:\n  up: {{api: openai-chat, base_url: \"{up.url}\", api_key: [k1, k2, k3]}}\n"
        with Served(config_of(text)) as served:
            for _ in range(2):
                async with talk(served.port) as client:
                    client.send(*asked("chat", "up/m", stream=False))
                    assert (await client.answer())[0] == 200
            assert seen == ["k1", "k2", "k3", "k3"]
            assert [line["attempts"] for line in served.lines("request", 2)] == [3, 1]


@pytest.mark.anyio
@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
async def test_ca_file_and_transport(tmp_path: Path, transport: str) -> None:
    """A host with a certificate of one's own authority is trusted where `ca_file` names it, and only there."""
    authority = await asyncio.to_thread(Authority, tmp_path)

    async def answer(line: Line, request: bytes) -> None:
        line.send(ANSWER)

    async with serve(each(answer), authority.server("127.0.0.1")) as up:
        for ca_file, status in ((f", ca_file: \"{authority.ca_file}\"", 200), ("", 502)):
            with routed(up.url, f", transport: {transport}{ca_file}") as served:
                async with talk(served.port) as client:
                    client.send(*asked("chat", stream=False))
                    got, body = await client.answer()
                assert got == status
                if status == 502:
                    assert body["error"]["type"] == "connection_error" and "TLS" in body["error"]["message"]
                used = {type(one).__module__.rpartition(".")[2] for one in served.app._transports.values()}
                assert used == {f"{transport}_client"}
