"""Cooldowns and circuits as arithmetic over a small record. Pure: the time is an argument.

A record stands for a target, or for one key of a target. Passing failures open it after several in a row, for seconds;
lasting ones (a refused key, no credit) at once, for minutes; a `retry-after` opens it for just that long. A running
window is neither extended nor shortened by later failures. When it is over, one request probes; the others still see
it open until the probe has ended.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from adapters.errors import ErrorType, Failure

OF_A_KEY: frozenset[ErrorType] = frozenset({"rate_limit_error", "billing_error", "upstream_auth_error"})
"""Failures that say something of the key alone."""


@dataclass(slots=True, frozen=True)
class Schedule:
    """After `threshold` failures in a row: open for `first` seconds, doubled at each reopening, at most `longest`."""

    threshold: int
    first: float
    longest: float


PASSING = Schedule(threshold=5, first=5.0, longest=60.0)
LASTING = Schedule(threshold=1, first=60.0, longest=600.0)
TIMED: frozenset[ErrorType] = frozenset({"rate_limit_error", "overloaded_error"})
"""Failures whose `retry-after` counts."""

LONGEST_RETRY_AFTER = 300.0

SCHEDULES: dict[ErrorType, Schedule] = {
    "rate_limit_error": PASSING,
    "overloaded_error": PASSING,
    "api_error": PASSING,
    "connection_error": PASSING,
    "timeout_error": PASSING,
    "malformed_response": PASSING,
    "stream_interrupted": PASSING,
    "upstream_auth_error": LASTING,
    "billing_error": LASTING,
}
"""Types that count. The others say something of the request, not of the target."""

PROBE_SECONDS = 30.0
"""A probe that has not ended after this long no longer keeps others from probing."""


MOST_RECORDS = 4096
"""Records of one worker: models that clients make up have some too."""


@dataclass(slots=True, frozen=True)
class Record:
    """`failures` in a row since the last success; open until `until` with the failure that opened it; `level` counts
    reopenings; a probe runs since `probe`."""

    failures: int = 0
    until: float = 0.0
    opened_by: Failure | None = None
    level: int = 0
    probe: float | None = None


CLOSED = Record()


def is_open(record: Record, now: float) -> bool:
    """Whether the target must not be asked now (a window runs, or its probe is under way)."""
    if record.opened_by is None:
        return False
    return now < record.until or (record.probe is not None and now < record.probe + PROBE_SECONDS)


def asked(record: Record, now: float) -> Record:
    """A request goes to the target: after a window it is the probe."""
    return replace(record, probe=now) if record.opened_by is not None and now >= record.until else record


def succeeded(record: Record) -> Record:
    """The target answered."""
    return CLOSED


def failed(record: Record, failure: Failure, now: float) -> Record:
    """The target failed."""
    schedule = SCHEDULES.get(failure.type)
    if schedule is None:
        return replace(record, probe=None)
    if record.opened_by is not None and now < record.until:
        return record
    failures = record.failures + 1
    probed = record.opened_by is not None
    if failure.retry_after is not None and failure.type in TIMED:
        return Record(failures, now + min(failure.retry_after, LONGEST_RETRY_AFTER), failure, record.level)
    if failures < schedule.threshold and not probed:
        return Record(failures)
    seconds = min(schedule.longest, schedule.first * 2.0**record.level)
    return Record(failures, now + seconds, failure, record.level + 1)


@dataclass(slots=True)
class Circuits:
    """The records of one worker: `target` is provider/model, `key` a key's index or None for the target itself."""

    records: dict[tuple[str, int | None], Record] = field(default_factory=dict)

    def opened_by(self, target: str, keys: int, now: float) -> Failure | None:
        """The failure that keeps the target from being asked: its own, or that of its keys when all are open."""
        own = self.records.get((target, None), CLOSED)
        if is_open(own, now):
            return own.opened_by
        found = [self.records.get((target, key), CLOSED) for key in range(keys)]
        return found[0].opened_by if all(is_open(record, now) for record in found) else None

    def keys(self, target: str, keys: int, now: float) -> list[int]:
        """The keys to try, in their order: those that are not open; of open ones alone that whose window ends first."""
        records = [self.records.get((target, key), CLOSED) for key in range(keys)]
        closed = [key for key, record in enumerate(records) if not is_open(record, now)]
        return closed or [min(range(keys), key=lambda key: records[key].until)]

    def asked(self, target: str, key: int, now: float) -> None:
        """A request goes out."""
        for name in ((target, None), (target, key)):
            if (record := self.records.get(name)) is not None:
                self.records[name] = asked(record, now)

    def left(self, target: str, key: int) -> None:
        """A request was given up before it showed anything: if it was a probe, another may probe."""
        for name in ((target, None), (target, key)):
            if (record := self.records.get(name)) is not None and record.probe is not None:
                self.records[name] = replace(record, probe=None)

    def told(self, target: str, key: int, failure: Failure | None, now: float) -> None:
        """A request ended, with this failure or well."""
        if failure is None:
            self.records.pop((target, None), None)
            self.records.pop((target, key), None)
            return
        name = (target, key if failure.type in OF_A_KEY else None)
        record = failed(self.records.get(name, CLOSED), failure, now)
        if record != CLOSED:
            self.records[name] = record
            if len(self.records) > MOST_RECORDS:
                self._forget(now)
        other = (target, None if name[1] is not None else key)
        if (beside := self.records.get(other)) is not None and beside.probe is not None:
            self.records[other] = replace(beside, probe=None)

    def forget(self, providers: Collection[str]) -> None:
        """What is known of these providers' targets no longer counts."""
        self.records = {
            name: record for name, record in self.records.items() if name[0].partition("/")[0] not in providers
        }

    def _forget(self, now: float) -> None:
        """Only what is open stays, and of that the younger half where there is too much."""
        opened = [(name, record) for name, record in self.records.items() if is_open(record, now)]
        self.records = dict(opened[-MOST_RECORDS // 2 :])
