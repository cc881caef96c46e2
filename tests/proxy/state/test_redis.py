"""The shared store on a real Valkey: the same answers as in memory, lost and found again."""

import asyncio

import pytest

from adapters.errors import Failure
from proxy.engine.health import Circuits
from proxy.state.memory import MemoryStore
from proxy.state.redis import PAUSE, RedisStore
from proxy.state.shared import SharedCircuits
from tests.valkey import Valkey


@pytest.fixture(scope="module")
def valkey():
    with Valkey() as running:
        yield running


@pytest.fixture(params=["memory", "redis"])
def make(request, valkey):
    return (lambda: MemoryStore(100_000)) if request.param == "memory" else (lambda: RedisStore(valkey.url))


def test_both_stores_answer_alike(make):
    async def play():
        store = make()
        await store.put("a", b"\x00\xff", 60)
        assert await store.get(["a", "none"]) == [b"\x00\xff", None]
        assert [await store.incr("n", 1, 60), await store.incr("n", 5, 60), await store.incr("n", -1, 60)] == [1, 6, 5]
        assert await store.swap("s", None, b"1", 60) and not await store.swap("s", None, b"2", 60)
        assert not await store.swap("s", b"x", b"2", 60) and await store.swap("s", b"1", b"2", 60)
        assert await store.get(["s"]) == [b"2"]
        assert await store.delete("s") and not await store.delete("s") and await store.get(["s"]) == [None]
        for key in ("a", "n"):
            await store.delete(key)
        await store.aclose()

    asyncio.run(play())


def test_values_end(valkey):
    async def play():
        store = RedisStore(valkey.url)
        await store.put("short", b"1", 0.001)
        while (await store.get(["short"]))[0] is not None:
            pass
        await store.aclose()

    asyncio.run(asyncio.wait_for(play(), 5))


def test_lost_and_found_again():
    async def play(running):
        now, told = [0.0], []
        store = RedisStore(running.url, lambda *said: told.append(said), lambda: now[0])
        await store.put("a", b"1", 60)
        running.kill()
        assert await store.get(["a"]) == [None]
        assert told[-1][0] == "get" and told[-1][1] != "ok" and told[-1][2]
        before = len(told)
        assert [await store.incr("n", 1, 60), await store.incr("n", 1, 60)] == [1, 2], "counters go on in this process"
        assert not await store.swap("s", None, b"1", 60)
        assert len(told) == before, "nothing is tried during the pause"
        now[0] += PAUSE
        assert await store.get(["a"]) == [None] and len(told) == before + 1 and not told[-1][2]
        running.start()
        now[0] += PAUSE
        await store.put("a", b"2", 60)
        assert told[-1] == ("put", "ok", True) and await store.get(["a"]) == [b"2"]
        await store.aclose()

    with Valkey() as running:
        asyncio.run(play(running))


def test_a_store_that_hangs_is_waited_for_once(valkey, monkeypatch):
    async def play():
        now, told = [0.0], []
        before = RedisStore(valkey.url)
        await before.put("h", b"1", 60)
        await before.aclose()
        monkeypatch.setattr("proxy.state.redis.SECONDS", 0.1)
        store = RedisStore(valkey.url, lambda *said: told.append(said), lambda: now[0])
        valkey.stop(True)
        try:
            found = await asyncio.gather(*(store.get(["h"]) for _ in range(8)))
            assert found == [[None]] * 8 and await store.get(["h"]) == [None]
        finally:
            valkey.stop(False)
        assert told == [("get", "TimeoutError", n == 0) for n in range(8)], "all that were under way; one turn"
        async with asyncio.timeout(5):
            while await store.get(["h"]) != [b"1"]:
                now[0] += PAUSE
        assert told[-1] == ("get", "ok", True)
        await store.aclose()

    asyncio.run(play())


def test_circuits_are_learnt_by_the_other_workers(valkey):
    async def play():
        now = [100.0]
        workers = []
        for start in (0.0, 5_000.0):  # monotonic clocks differ between machines, the wall does not
            circuits = Circuits()
            shared = SharedCircuits(
                RedisStore(valkey.url),
                circuits,
                lambda: {("p/m", None): "", ("p/m", 0): "a"},
                lambda start=start: now[0] + start,
                lambda: 1_000_000 + now[0],
            )
            workers.append((circuits, shared, start))
        (one, shares, start), (other, learns, later) = workers
        for _ in range(5):
            one.told("p/m", 0, Failure("overloaded_error", "the client's own words", 529), now[0] + start)
        await shares.exchange()
        await learns.exchange()
        opened = other.opened_by("p/m", 1, now[0] + later)
        assert opened is not None and opened.type == "overloaded_error" and "own words" not in opened.message
        now[0] += 5.0
        assert other.opened_by("p/m", 1, now[0] + later) is None, "the window ends at the same moment"

    asyncio.run(play())
