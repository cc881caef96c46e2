"""Answers that clients continue, fetch and delete (Responses `store`): visible to the key that made them alone."""

from __future__ import annotations

from typing import Any

from adapters import json
from adapters.format import Dialect
from adapters.registry import keeper
from proxy.state.owner import owner
from proxy.state.store import Store


def _key(client: str | None, id: str) -> str:
    return f"kept:{owner(client)}:{id}"


async def entry(store: Store, client: str | None, id: str) -> Any:
    """The entry of a kept answer, None where this client has none of that id."""
    (found,) = await store.get([_key(client, id)])
    return None if found is None else json.loads(found)


async def fetched(store: Store, client: str | None, dialect: Dialect, body: Any) -> Any:
    """The entry of the answer that a request continues; None where it continues none, or one that is not there."""
    keeps = keeper(dialect.name)
    if keeps is None or (id := keeps.previous(body)) is None:
        return None
    return await entry(store, client, id)


async def keep(store: Store, client: str | None, dialect: Dialect, reply: Any, whole: bytes, ttl: float) -> None:
    """Keeps an answer, if its client wants that."""
    keeps = keeper(dialect.name)
    if keeps is not None and (made := keeps.kept(reply, whole)) is not None:
        id, value = made
        await store.put(_key(client, id), value, ttl)


async def drop(store: Store, client: str | None, id: str) -> bool:
    """Forgets a kept answer. Whether there was one."""
    return await store.delete(_key(client, id))
