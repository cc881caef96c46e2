"""Two proxies over one Valkey: what one learnt the other knows, and neither stops when the store is gone."""

from __future__ import annotations

import asyncio
import concurrent.futures
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from proxy.demo import demo_config
from tests.proxy.talk import http
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


def asking(served, messages, key="k", **more):
    body = {"model": "anthropic-messages/agent-claude-opus-4-8", "messages": messages, "tools": [TOOL], **more}
    headers = {"authorization": f"Bearer {key}"}
    return {"url": f"{served.base}/v1/chat/completions", "json": body, "headers": headers}


def ask(served, messages, key="k", **more):
    return http.post(**asking(served, messages, key, **more))


def second_turn(first):
    """The results of the first turn's calls, in a history that lacks its reasoning."""
    message = first.json()["choices"][0]["message"]
    calls = message["tool_calls"]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "rain"} for call in calls]
    return [ASK, {"role": "assistant", "content": message["content"], "tool_calls": calls}, *results]


def loop(first, second, key="k", other=None):
    """Turn one at `first`, turn two, without the reasoning, at `second`."""
    told = ask(first, [ASK], key, reasoning_effort="high")
    return ask(second, second_turn(told), other or key, reasoning_effort="high")


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


class Load:
    """Tool turns through both proxies, many at a time, until it is stopped."""

    def __init__(self, workers):
        self._workers = workers
        self._changed = asyncio.Condition()
        self.stopped = False
        self.statuses = []

    async def run(self, lanes):
        async with httpx2.AsyncClient(timeout=10, limits=httpx2.Limits(max_connections=lanes)) as client:
            await asyncio.gather(*(self._lane(client, number) for number in range(lanes)))

    async def _lane(self, client, number):
        while not self.stopped:
            here, there = self._workers[number % 2], self._workers[(number + 1) % 2]
            first = await client.post(**asking(here, [ASK], "kl", reasoning_effort="high"))
            self.statuses.append(first.status_code)
            second = await client.post(**asking(there, second_turn(first), "kl", reasoning_effort="high"))
            async with self._changed:
                self.statuses.append(second.status_code)
                self._changed.notify_all()
            number += 1

    async def more(self, turns):
        """Waits for this many more turns."""
        wanted = len(self.statuses) + 2 * turns
        async with self._changed, asyncio.timeout(10):
            await self._changed.wait_for(lambda: len(self.statuses) >= wanted)


def test_a_store_killed_and_started_again_under_load(emulated, monkeypatch):
    monkeypatch.setattr("proxy.state.redis.SECONDS", 5.0)  # a killed store refuses at once: no busy machine looks lost
    clients = "clients: [{name: limited, key: kl, requests_per_minute: 100000}]\n"
    with (
        Valkey() as valkey,
        Served(config(emulated, valkey, clients)) as one,
        Served(config(emulated, valkey, clients)) as two,
    ):
        one.app.wall = two.app.wall = lambda: 1_800_000_000.0

        async def play():
            load = Load((one, two))
            running_load = asyncio.create_task(load.run(32))
            await load.more(32)
            assert not one.lines("state", 0) and not two.lines("state", 0)
            valkey.kill()
            assert await both(1)
            await load.more(32)
            valkey.start()
            assert await both(2)
            await load.more(32)
            load.stopped = True
            await running_load
            return load

        async def both(count):
            told = [await asyncio.to_thread(worker.lines, "state", count) for worker in (one, two)]
            return [len(lines) for lines in told] == [count, count]

        load = asyncio.run(play())
        assert set(load.statuses) == {200}
        for worker in (one, two):
            assert [line["type"] == "ok" for line in worker.lines("state", 0)] == [False, True], "each turn once"
            assert 'toolwire_state_errors_total{operation="' in worker.metrics()
        assert loop(one, two, "kl").status_code == 200 and kinds(emulated)[0] == "thinking", "found by the other"
        left = [int(ask(to, [ASK], "kl").headers["x-ratelimit-remaining-requests"]) for to in (one, two)]
        assert left[1] == left[0] - 1, "counted together again"
