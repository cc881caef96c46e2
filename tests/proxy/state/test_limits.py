"""Requests per minute over a sliding window."""

import asyncio

from adapters.format import Quota
from proxy.state.limits import counted
from proxy.state.memory import MemoryStore


async def wait_for(store, name, most, now):
    return (await counted(store, name, most, now))[1]


def test_the_window_slides():
    async def play():
        now = [600.0]
        store = MemoryStore(100_000, lambda: now[0])
        asks = lambda: wait_for(store, "c", 10, now[0])  # noqa: E731
        assert [await asks() for _ in range(10)] == [None] * 10
        wait = await asks()
        assert wait is not None and 60 < wait <= 66.1
        now[0] += wait
        assert await asks() is None, "what was told as the wait is enough"
        now[0] = 600.0 + 90
        passed = 0
        while await asks() is None:
            passed += 1
        assert passed == 4, "half of the ten of the minute before still count, and one was used"
        other = await wait_for(store, "d", 10, now[0])
        assert other is None, "clients do not share"

    asyncio.run(play())


def test_a_refused_request_does_not_count():
    async def play():
        store = MemoryStore(100_000, lambda: 0.0)
        assert await wait_for(store, "c", 1, 0.0) is None
        waits = [await wait_for(store, "c", 1, 1.0) for _ in range(50)]
        assert len(set(waits)) == 1
        assert await wait_for(store, "c", 1, 1.0 + waits[0]) is None

    asyncio.run(play())


def test_what_is_left():
    async def play():
        now = [600.0]
        store = MemoryStore(100_000, lambda: now[0])
        asks = lambda: counted(store, "c", 4, now[0])  # noqa: E731
        assert await asks() == (Quota(4, 3, 120.0), None), "this minute counts along until the next one is over"
        now[0] = 630.0
        assert [(await asks())[0] for _ in range(3)] == [Quota(4, left, 90.0) for left in (2, 1, 0)]
        assert await asks() == (Quota(4, 0, 90.0), 45.0), "in 30 s the next minute, in 15 s more a quarter is gone"
        now[0] = 660.0
        assert await asks() == (Quota(4, 0, 60.0), 15.0), "the four of the last minute, none of this one"
        now[0] = 690.0
        assert await asks() == (Quota(4, 1, 90.0), None), "two of the last minute still count, and this one"

    asyncio.run(play())
