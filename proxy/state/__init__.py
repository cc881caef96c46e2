"""What must outlive a turn, behind one small interface: in this process, or in Redis or Valkey for all workers."""

from __future__ import annotations

from collections.abc import Callable

from proxy.config.model import State
from proxy.state.memory import MemoryStore
from proxy.state.store import Store


def make(config: State, tell: Callable[[str, str, bool], None] = lambda *_: None) -> Store:
    """The store that the configuration asks for. `tell` hears of failed
    operations, and of a connection lost and found again (`proxy.state.redis.Tell`). Raises
    ModuleNotFoundError where the extra `redis` is not installed."""
    if config.backend == "memory" or config.url is None:
        return MemoryStore(config.max_bytes)
    from proxy.state.redis import RedisStore

    return RedisStore(config.url, tell)


__all__ = ["MemoryStore", "Store", "make"]
