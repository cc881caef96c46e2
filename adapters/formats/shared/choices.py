"""Which choice of an answer is meant."""

from __future__ import annotations

from collections.abc import Set


def number_of(index: int, taken: Set[int], asked: int) -> int:
    """The number of a choice that the upstream calls `index`, where `taken` are numbers given already.

    Some hosts count from 1, or keep the index of a choice that they picked out of several: an index beyond those asked
    for is the first that is free.
    """
    if 0 <= index < asked and index not in taken:
        return index
    return next(number for number in range(len(taken) + 1) if number not in taken)
