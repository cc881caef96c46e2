"""Ten turns of tool calls on upstreams that check signatures, with clients that keep what they got and that drop it."""

from __future__ import annotations

import json

import httpx2
import pytest

from proxy.demo import demo_config
from proxy.demo import emulated as apis
from tests.serving import Served, config_of
from tests.valkey import Valkey

MODELS = {
    "anthropic-messages": "agent-claude-opus-4-8",
    "google-gemini": "agent-gemini-3-pro-preview",
    "openai-responses": "agent-gpt-5",
}
SIGNED = [api for api in MODELS if api in apis()]
ROUNDS = 10
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
        },
    }
    for name in ("search.web", "read_file")
]


@pytest.fixture(scope="module")
def valkey():
    with Valkey() as running:
        yield running


def served(emulated, more="", models=""):
    return Served(config_of(demo_config(emulated.base_url) + models + more))


def turn(proxy, model, messages, stream):
    body = {"model": model, "messages": messages, "tools": TOOLS, "reasoning_effort": "high", "stream": stream}
    response = httpx2.post(f"{proxy.base}/v1/chat/completions", json=body, timeout=20)
    assert response.status_code == 200, response.text
    return collected(response.text) if stream else response.json()["choices"][0]["message"]


def collected(text):
    """The message of a stream, as a client that keeps everything joins it."""
    message = {"role": "assistant", "content": "", "tool_calls": [], "reasoning_details": []}
    for line in text.splitlines():
        if not line.startswith("data: ") or line == "data: [DONE]":
            continue
        event = json.loads(line[6:])
        assert "error" not in event, event
        for choice in event["choices"]:
            delta = choice["delta"]
            message["content"] += delta.get("content") or ""
            for entry in delta.get("reasoning_details") or []:
                known = next((d for d in message["reasoning_details"] if d["index"] == entry["index"]), None)
                if known is None:
                    message["reasoning_details"].append(dict(entry))
                else:
                    for key, value in entry.items():
                        if isinstance(value, str) and key in ("text", "summary", "data", "signature"):
                            known[key] = known.get(key, "") + value
                        else:
                            known[key] = value
            for call in delta.get("tool_calls") or []:
                if call["index"] == len(message["tool_calls"]):
                    message["tool_calls"].append({**call, "function": dict(call["function"])})
                else:
                    message["tool_calls"][call["index"]]["function"]["arguments"] += call["function"]["arguments"]
    for call in message["tool_calls"]:
        call.pop("index")
    return message


def kept(message):
    return message


def bare(message):
    """What a client keeps that knows nothing beyond the API's own fields."""
    calls = [{"id": c["id"], "type": "function", "function": c["function"]} for c in message.get("tool_calls") or []]
    return {"role": "assistant", "content": message.get("content"), **({"tool_calls": calls} if calls else {})}


def loop(proxies, model, client, stream, models=None):
    """The whole loop, one proxy after the other; the last text. `models`: turn -> the model asked from then on."""
    messages = [{"role": "user", "content": f"Use both tools, {ROUNDS} rounds."}]
    for n in range(ROUNDS + 1):
        model = (models or {}).get(n, model)
        message = turn(proxies[n % len(proxies)], model, messages, stream)
        calls = message.get("tool_calls") or []
        if not calls:
            return n, message["content"]
        messages.append(client(message))
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": f"result {n}"} for c in calls]
    raise AssertionError("the loop did not end")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("client", [kept, bare])
@pytest.mark.parametrize("api", SIGNED)
def test_on_one_worker(emulated, proxied, api, client, stream):
    rounds, text = loop([proxied], f"{api}/{MODELS[api]}", client, stream)
    assert rounds == ROUNDS and f"result {ROUNDS - 1}" in text


@pytest.mark.parametrize("client", [kept, bare])
@pytest.mark.parametrize("api", SIGNED)
def test_on_two_workers_over_valkey(emulated, valkey, api, client):
    state = f'state: {{backend: redis, url: "{valkey.url}"}}\n'
    with served(emulated, state) as one, served(emulated, state) as two:
        rounds, _ = loop([one, two], f"{api}/{MODELS[api]}", client, True)
        assert rounds == ROUNDS


@pytest.mark.parametrize("client", [kept, bare])
@pytest.mark.parametrize("second", SIGNED)
@pytest.mark.parametrize("first", SIGNED)
def test_across_a_fallback_in_the_middle(emulated, first, second, client):
    """From the sixth turn on the first target fails; the second must take over a history that is not its own."""
    route = f"""
  through:
    target: {first}/fault-503
    fallbacks: [{second}/{MODELS[second]}]
    retry: {{attempts: 1}}
"""
    with served(emulated, models=route) as proxy:
        rounds, _ = loop([proxy], f"{first}/{MODELS[first]}", client, False, {5: "through"})
        assert rounds == ROUNDS
