"""What the error answers of all dialects share: the list of attempts and the headers for the client's own retries."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from adapters.errors import NO_CLIENT_RETRY, Attempt, Failure
from adapters.model import Json


def attempts_list(attempts: Iterable[Attempt]) -> list[dict[str, Json]]:
    """`error.attempts` (contract §4)."""
    return [
        {"target": one.target, "type": one.type, "status": one.status, "seconds": round(one.seconds, 3)}
        for one in attempts
    ]


def retry_headers(failure: Failure) -> tuple[tuple[str, str], ...]:
    """`retry-after` in whole seconds, `retry-after-ms` beside it where that rounds, `x-should-retry: false`."""
    headers: list[tuple[str, str]] = []
    if (wait := failure.retry_after) is not None:
        headers.append(("retry-after", str(ceil(wait))))
        if wait != ceil(wait):
            headers.append(("retry-after-ms", str(round(wait * 1000))))
    if failure.type in NO_CLIENT_RETRY:
        headers.append(("x-should-retry", "false"))
    return tuple(headers)
