"""Interleaved parts, one after the other."""

import itertools

from adapters.events import CallDelta, CallStart, Finish, PartEnd, TextDelta, UsageUpdate
from adapters.model import Usage
from adapters.sequence import Sequencer

A = [CallStart(0, "a", "f"), CallDelta(0, "1"), PartEnd(0)]
B = [CallStart(1, "b", "g"), CallDelta(1, "2"), PartEnd(1)]


def run(events):
    sequencer = Sequencer()
    return [event for one in events for event in sequencer.feed([one])]


def test_any_interleaving_comes_out_in_order_of_appearance():
    for places in itertools.combinations(range(1, 6), 2):
        order = [0, *places]
        mixed, a, b = [], iter(A), iter(B)
        for at in range(6):
            mixed.append(next(a) if at in order else next(b))
        assert run(mixed) == A + B


def test_the_first_part_is_not_delayed():
    sequencer = Sequencer()
    assert sequencer.feed([A[0], B[0], B[1], A[1]]) == [A[0], A[1]]
    assert sequencer.feed([A[2]]) == [A[2], B[0], B[1]]
    assert sequencer.feed([B[2]]) == [B[2]]


def test_finish_closes_what_is_open_and_other_events_pass():
    events = [TextDelta(0, "t"), B[0], UsageUpdate(Usage(1)), Finish("stop")]
    assert run(events) == [TextDelta(0, "t"), UsageUpdate(Usage(1)), PartEnd(0), B[0], PartEnd(1), Finish("stop")]


def test_what_comes_after_a_parts_end_is_dropped():
    assert run([*A, CallDelta(0, "late"), *B]) == A + B
