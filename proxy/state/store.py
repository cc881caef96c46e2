"""The interface of a store: bytes under keys, with an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Store(Protocol):
    """Every value ends after `ttl` seconds at the latest; it may end earlier where room is short. Never raises: a
    store that cannot be reached knows nothing and forgets what it is told."""

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values, in order; None for those that are not there."""

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        """Sets a value."""

    async def incr(self, key: str, by: int, ttl: float) -> int:
        """Adds to a counter, which begins at 0 and ends `ttl` seconds after it began. The new value."""

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl: float) -> bool:
        """Sets the value if it still is `old` (None: if there is none). Whether it did."""

    async def delete(self, key: str) -> bool:
        """Forgets a value. Whether there was one."""

    async def aclose(self) -> None:
        """Lets go of connections."""
