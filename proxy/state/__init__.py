"""What must outlive a turn, behind one small interface: in this process, or in Redis or Valkey for all workers."""

from __future__ import annotations

from proxy.config.model import State
from proxy.state.memory import MemoryStore
from proxy.state.store import Store


def make(config: State) -> Store:
    """The store that the configuration asks for."""
    return MemoryStore(config.max_bytes)


__all__ = ["MemoryStore", "Store", "make"]
