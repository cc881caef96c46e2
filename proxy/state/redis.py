"""The store of all workers and replicas: Redis or Valkey.

A lost connection never stops a request. While it is lost nothing is found and nothing is kept, counters count in this
process alone, and one try a second finds out whether it is back. Each failed operation is told, and each turn once,
however many operations were under way: those that began before it have no say in what holds after it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar, cast

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, RedisError

from proxy.state.memory import MemoryStore

PREFIX = "toolwire:"
SECONDS = 0.5
"""The longest that one operation waits for an answer, or for a connection."""

PAUSE = 1.0
"""Seconds between tries while the connection is lost."""

LOCAL_BYTES = 4 * 1024 * 1024
"""What counters may take in this process while the connection is lost."""

_SWAP = """
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('set', KEYS[1], ARGV[2], 'px', ARGV[3])
  return 1
end
return 0
"""

T = TypeVar("T")
Tell = Callable[[str, str, bool], None]
"""Called with an operation, "ok" or the kind of error, and whether that is a turn: lost until now, or found again."""


class RedisStore:
    """`url` as redis-py takes it (`redis://`, `rediss://`, `unix://`)."""

    def __init__(self, url: str, tell: Tell = lambda *_: None, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis: Redis = Redis.from_url(
            url,
            socket_timeout=SECONDS,
            socket_connect_timeout=SECONDS,
            retry=Retry(NoBackoff(), 1, (ConnectionError,)),  # an idle connection that the server closed
        )
        self._tell = tell
        self._clock = clock
        self._next_try = 0.0
        self._lost = False
        self._turns = 0
        self._local = MemoryStore(LOCAL_BYTES, clock)

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        found = await self._try("get", lambda: self._redis.mget([PREFIX + key for key in keys]))
        return [None] * len(keys) if found is None else cast("list[bytes | None]", found)

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        await self._try("put", lambda: self._redis.set(PREFIX + key, value, px=_milliseconds(ttl)))

    async def incr(self, key: str, by: int, ttl: float) -> int:
        async def both() -> int:
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.incrby(PREFIX + key, by)
                pipe.pexpire(PREFIX + key, _milliseconds(ttl), nx=True)
                count, _ = await pipe.execute()
            return int(count)

        count = await self._try("incr", both)
        return await self._local.incr(key, by, ttl) if count is None else count

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl: float) -> bool:
        async def swapped() -> bool:
            if old is None:
                return bool(await self._redis.set(PREFIX + key, new, nx=True, px=_milliseconds(ttl)))
            done = await self._redis.eval(_SWAP, 1, PREFIX + key, old, new, str(_milliseconds(ttl)))
            return bool(done)

        return bool(await self._try("swap", swapped))

    async def delete(self, key: str) -> bool:
        return bool(await self._try("delete", lambda: self._redis.delete(PREFIX + key)))

    async def aclose(self) -> None:
        await self._redis.aclose()

    async def _try(self, operation: str, act: Callable[[], Awaitable[T]]) -> T | None:
        """What the operation gives; None while the connection is lost."""
        now = self._clock()
        if now < self._next_try:
            return None
        if self._lost:
            self._next_try = now + PAUSE  # only this caller tries
        turns = self._turns
        try:
            result = await act()
        except (RedisError, OSError, TimeoutError) as error:
            self._failed(operation, type(error).__name__, turns == self._turns)
            return None
        if self._lost and turns == self._turns:
            self._lost, self._next_try = False, 0.0
            self._turns += 1
            self._tell(operation, "ok", True)
        return result

    def _failed(self, operation: str, kind: str, current: bool) -> None:
        """`current`: the operation began after the latest turn."""
        turned = current and not self._lost
        if current:
            self._next_try = self._clock() + PAUSE
            self._lost = True
            self._turns += turned
        self._tell(operation, kind, turned)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
