"""Two proxies over one Valkey: what one learnt the other knows, and neither stops when the store is gone."""

from __future__ import annotations

import concurrent.futures
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from proxy.demo import demo_config
from tests.serving import Served, config_of
from tests.valkey import Valkey

ROOT = Path(__file__).parents[2]
TOOL = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
ASK = {"role": "user", "content": "What is the weather?"}


def config(emulated, valkey, more=""):
    text = demo_config(emulated.base_url) + f'state: {{backend: redis, url: "{valkey.url}", ttl_seconds: 60}}\n{more}'
    return config_of(text)


@pytest.fixture(scope="module")
def valkey():
    with Valkey() as running:
        yield running


def ask(served, messages, key="k", **more):
    body = {"model": "anthropic-messages/agent-claude-opus-4-8", "messages": messages, "tools": [TOOL], **more}
    headers = {"authorization": f"Bearer {key}"}
    return httpx2.post(f"{served.base}/v1/chat/completions", json=body, headers=headers, timeout=10)


def loop(first, second, key="k", other=None):
    """Turn one at `first`, turn two, without the reasoning, at `second`."""
    message = ask(first, [ASK], key, reasoning_effort="high").json()["choices"][0]["message"]
    calls = message["tool_calls"]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "rain"} for call in calls]
    bare = {"role": "assistant", "content": message["content"], "tool_calls": calls}
    return ask(second, [ASK, bare, *results], other or key, reasoning_effort="high")


def kinds(emulated):
    """Types of the assistant's blocks in the latest upstream request."""
    turn = next(m for m in emulated.requests[-1].body["messages"] if m["role"] == "assistant")
    return [block["type"] for block in turn["content"]]


def test_reasoning_is_restored_by_another_worker(emulated, valkey):
    with Served(config(emulated, valkey)) as one, Served(config(emulated, valkey)) as two:
        assert loop(one, two).status_code == 200
        assert kinds(emulated)[0] == "thinking"


def test_nothing_is_restored_for_another_client(emulated, valkey):
    clients = "clients: [{name: a, key: ka}, {name: b, key: kb}]\n"
    with Served(config(emulated, valkey, clients)) as one, Served(config(emulated, valkey, clients)) as two:
        assert loop(one, two, "ka").status_code == 200 and kinds(emulated)[0] == "thinking"
        assert loop(one, two, "ka", other="kb").status_code == 200
        assert "thinking" not in kinds(emulated)


def test_one_limit_for_all_workers(emulated, valkey):
    clients = "clients: [{name: limited, key: kl, requests_per_minute: 20}]\n"
    with Served(config(emulated, valkey, clients)) as one, Served(config(emulated, valkey, clients)) as two:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(ask, (one, two)[n % 2], [ASK], "kl") for n in range(60)]
            answers = [one.result() for one in asked]
        passed = sum(answer.status_code == 200 for answer in answers)
        assert 20 <= passed <= 40, "the limit, once more at most where a minute turns"
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert float(refused.headers["retry-after"]) > 0 and refused.json()["error"]["type"] == "rate_limit_error"


HAMMER = """
import asyncio, sys
from proxy.state.limits import counted
from proxy.state.redis import RedisStore

async def play():
    store = RedisStore(sys.argv[1])
    passed = [(await counted(store, "hammered", 100, 6000.0))[1] for _ in range(150)]
    await store.aclose()
    print(passed.count(None))

asyncio.run(play())
"""


def test_four_processes_hammer_one_limit(valkey):
    processes = [
        subprocess.Popen([sys.executable, "-c", HAMMER, valkey.url], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(4)
    ]
    passed = [int(process.communicate(timeout=60)[0]) for process in processes]
    assert 95 <= sum(passed) <= 100, (
        "counted atomically: never one too many; a refused one is given back a moment later"
    )


def test_a_lost_store_stops_no_request(emulated):
    with Valkey() as running, Served(config(emulated, running)) as served:
        assert ask(served, [ASK]).status_code == 200
        running.kill()
        answers = [loop(served, served) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200] * 3
        assert served.lines("state")[0]["type"] != "ok"
        assert 'toolwire_state_errors_total{operation="' in served.metrics()
        running.start()
        while not any(line["type"] == "ok" for line in served.lines("state", 2)):
            assert loop(served, served).status_code == 200
        assert loop(served, served).status_code == 200 and kinds(emulated)[0] == "thinking"
