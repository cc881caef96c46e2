"""Circuits of all workers and replicas: what one opens, the others learn within a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from adapters import json
from adapters.errors import Failure
from proxy.engine.health import CLOSED, Circuits, Record, is_open
from proxy.state.store import Store

EVERY = 1.0


class SharedCircuits:
    """Publishes this worker's open records and takes over those of the others. `names` gives the records that the
    configuration knows, (target, key index or None), and what they stand for: what was opened for one key says nothing
    of the key that takes its place. Times travel as wall time."""

    def __init__(
        self,
        store: Store,
        circuits: Circuits,
        names: Callable[[], Mapping[tuple[str, int | None], str]],
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self._store = store
        self._circuits = circuits
        self._names = names
        self._clock = clock
        self._wall = wall
        self._told: dict[tuple[str, int | None], float] = {}

    async def run(self) -> None:
        """Exchanges once a second, until it is cancelled."""
        while True:
            await self.exchange()
            await asyncio.sleep(EVERY)

    async def exchange(self) -> None:
        """Tells what is new here, asks what is new elsewhere."""
        now = self._clock()
        names = self._names()
        keys = [_key(name, mark) for name, mark in names.items()]
        for name, key in zip(names, keys, strict=True):
            record = self._circuits.records.get(name, CLOSED)
            if is_open(record, now) and record.until > now and self._told.get(name) != record.until:
                self._told[name] = record.until
                await self._store.put(key, _packed(record, self._wall() - now), record.until - now)
        if not names:
            return
        for name, value in zip(names, await self._store.get(keys), strict=True):
            if value is None:
                continue
            record = _unpacked(value, self._wall() - now)
            mine = self._circuits.records.get(name, CLOSED)
            if record.until > now and not is_open(mine, now):
                self._told[name] = record.until
                self._circuits.records[name] = record


def _key(name: tuple[str, int | None], mark: str) -> str:
    target, key = name
    return f"circuit:{target}:{'' if key is None else key}:{mark}"


def _packed(record: Record, offset: float) -> bytes:
    assert record.opened_by is not None
    return json.dumps(
        {
            "until": record.until + offset,
            "level": record.level,
            "failures": record.failures,
            "type": record.opened_by.type,
            "status": record.opened_by.status,
        }
    )


def _unpacked(value: bytes, offset: float) -> Record:
    """The messages of another client's failure do not travel."""
    told = json.loads(value)
    failure = Failure(told["type"], "This target kept failing.", status=told["status"])
    return Record(told["failures"], told["until"] - offset, failure, told["level"])
