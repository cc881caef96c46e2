"""Results that are remembered for a while: pure work that the next request most often wants again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values that were used last: at most so many bytes, at least half of that. Whoever puts them says their size;
    what is larger than a quarter of the whole is not kept."""

    __slots__ = ("_half", "_left", "_old", "_young")

    def __init__(self, most_bytes: int) -> None:
        self._half = self._left = most_bytes // 2
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}

    def get(self, key: K) -> V | None:
        found = self._young.get(key)
        if found is None:
            found = self._old.pop(key, None)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        if size > self._half // 2:
            return
        if size > self._left:
            self._old, self._young, self._left = self._young, {}, self._half
        self._left -= size
        self._young[key] = (value, size)

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
