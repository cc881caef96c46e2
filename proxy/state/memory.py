"""The store of one process: bounded in bytes, the least recently used goes first; nothing is ever scanned."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

OVERHEAD = 400
"""Bytes that an entry costs beside its key and value, the growth of the table included (CPython 3.11)."""


class MemoryStore:
    """`max_bytes` bounds keys, values and an estimate of what the entries cost themselves."""

    def __init__(self, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._max = max_bytes
        self._clock = clock
        self._entries: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self.bytes = 0

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return [self._get(key) for key in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        self._put(key, value, self._clock() + ttl)

    async def incr(self, key: str, by: int, ttl: float) -> int:
        value = self._get(key)
        ends = self._entries[key][0] if value is not None else self._clock() + ttl
        count = int(value or b"0") + by
        self._put(key, str(count).encode(), ends)
        return count

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl: float) -> bool:
        if self._get(key) != old:
            return False
        self._put(key, new, self._clock() + ttl)
        return True

    async def delete(self, key: str) -> bool:
        there = self._get(key) is not None
        self._drop(key)
        return there

    async def aclose(self) -> None:
        self._entries.clear()
        self.bytes = 0

    def _get(self, key: str) -> bytes | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry[0] <= self._clock():
            self._drop(key)
            return None
        self._entries.move_to_end(key)
        return entry[1]

    def _put(self, key: str, value: bytes, ends: float) -> None:
        self._drop(key)
        size = len(key) + len(value) + OVERHEAD
        if size > self._max:
            return
        self._entries[key] = (ends, value)
        self.bytes += size
        while self.bytes > self._max:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.bytes -= len(key) + len(entry[1]) + OVERHEAD
