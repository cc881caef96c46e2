"""What a failure leads to: the same target again, its next key, a later target, or the end. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.errors import RETRIED, ErrorType, Failure

ROTATED: frozenset[ErrorType] = frozenset({"rate_limit_error", "billing_error", "upstream_auth_error"})
"""Failures of a key rather than of the target: its next key is tried first."""


@dataclass(slots=True, frozen=True)
class Retry:
    """The same target and key, after `wait` seconds."""

    wait: float


@dataclass(slots=True, frozen=True)
class NextKey:
    """The same target with its next key, at once."""


@dataclass(slots=True, frozen=True)
class Next:
    """The candidate at this index of the chain, at once."""

    index: int


@dataclass(slots=True, frozen=True)
class Stop:
    """Nothing more is tried."""


@dataclass(slots=True, frozen=True)
class Budget:
    """What is left. `attempts` counts all tries with one key, `left` is seconds to the chain's deadline, `backoff`
    the wait that is due now (already with its jitter), `longest` the longest wait that is worth it."""

    attempts: int
    left: float
    backoff: float
    longest: float


def decide(
    failure: Failure, at: int, tries: int, more_keys: bool, chain: Sequence[Sequence[str]], budget: Budget
) -> Retry | NextKey | Next | Stop:
    """After try number `tries` with the present key of candidate `at` failed. `chain` holds each one's on_errors."""
    if budget.left <= 0:
        return Stop()
    if more_keys and failure.type in ROTATED:
        return NextKey()
    wait = max(budget.backoff, failure.retry_after or 0.0)
    again = failure.type in RETRIED and failure.retry_same and tries < budget.attempts
    if again and wait < budget.left and (failure.retry_after or 0.0) <= budget.longest:
        return Retry(wait)
    return after(failure, at, chain)


def after(failure: Failure, at: int, chain: Sequence[Sequence[str]]) -> Next | Stop:
    """The first later candidate that stands in for this failure."""
    for index in range(at + 1, len(chain)):
        if matches(chain[index], failure):
            return Next(index)
    return Stop()


def matches(on_errors: Sequence[str], failure: Failure) -> bool:
    """Whether a rule list names the failure: its type, the upstream's status (`429`, `5xx`), or `all`.

    `all` is every type but content_filter, which must be named.
    """
    words: set[str] = {failure.type}
    if failure.status is not None:
        words |= {str(failure.status), f"{failure.status // 100}xx"}
    if failure.type != "content_filter":
        words.add("all")
    return not words.isdisjoint(on_errors)


def names_filter(chain: Sequence[Sequence[str]], at: int) -> bool:
    """Whether a later candidate wants refusals: a refusal is an answer unless one does."""
    return any("content_filter" in on_errors for on_errors in chain[at + 1 :])


def backoff(tries: int, base: float, longest: float, random: float) -> float:
    """Full jitter: a random share (0 to 1) of base doubled with each try, at most `longest`."""
    return random * min(longest, base * 2.0 ** (tries - 1))
