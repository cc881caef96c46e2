"""The store of one process, with the time as an argument."""

import asyncio
import tracemalloc

import pytest

from proxy.state.memory import OVERHEAD, MemoryStore


def run(coroutine):
    return asyncio.run(coroutine)


def test_values_end_and_the_least_used_go_first():
    async def play():
        now = [0.0]
        store = MemoryStore(3 * (OVERHEAD + 2), lambda: now[0])
        for key in "abc":
            await store.put(key, b"1", 10)
        assert await store.get(["a"]) == [b"1"]
        await store.put("d", b"1", 10)
        assert await store.get(["a", "b", "c", "d"]) == [b"1", None, b"1", b"1"]
        now[0] = 10.0
        assert await store.get(["a", "c", "d"]) == [None, None, None] and store.bytes == 0

    run(play())


def test_a_value_larger_than_the_store_is_not_kept():
    async def play():
        store = MemoryStore(1000)
        await store.put("a", b"1", 10)
        await store.put("b", b"x" * 2000, 10)
        assert await store.get(["a", "b"]) == [b"1", None]

    run(play())


def test_counters_keep_their_first_end_and_swaps_compare():
    async def play():
        now = [0.0]
        store = MemoryStore(10_000, lambda: now[0])
        assert [await store.incr("n", 1, 10), await store.incr("n", 2, 10)] == [1, 3]
        now[0] = 9.0
        assert await store.incr("n", 1, 10) == 4
        now[0] = 10.0
        assert await store.incr("n", 1, 10) == 1
        assert await store.swap("s", None, b"1", 10) and not await store.swap("s", None, b"2", 10)
        assert await store.swap("s", b"1", b"2", 10) and await store.get(["s"]) == [b"2"]
        assert await store.delete("s") and not await store.delete("s")

    run(play())


def test_100_000_calls_stay_within_the_bound():
    async def play():
        store = MemoryStore(100_000)
        for n in range(100_000):
            await store.put(f"key-{n}", b"x" * 50, 3600)
            assert store.bytes <= 100_000
        assert (await store.get(["key-99999"]))[0] is not None

    run(play())


@pytest.mark.parametrize("size", [1, 60, 600])
def test_the_bound_holds_for_what_the_process_really_takes(size):
    async def play():
        store = MemoryStore(500_000)
        for n in range(5000):
            await store.put(f"reasoning:client:team:anthropic/claude:{n:040}", bytes([n % 256]) * size, 3600.0 + n)
        return store

    tracemalloc.start()
    try:
        began = tracemalloc.get_traced_memory()[0]
        store = run(play())
        peak = tracemalloc.get_traced_memory()[1] - began
    finally:
        tracemalloc.stop()
    assert store.bytes > 400_000 and peak <= 500_000
