"""The commit rule."""

import pytest

from adapters.errors import Malformed
from adapters.events import CallStart, Finish, ReasoningDelta, Started, TextDelta, UsageUpdate
from adapters.model import Usage
from proxy.engine.gate import Gate

LIFECYCLE = [Started("id"), UsageUpdate(Usage(1)), TextDelta(0, "")]


def test_lifecycle_is_held_until_content_and_comes_before_it():
    gate = Gate()
    assert gate.push(LIFECYCLE[:2]) == [] and gate.push(LIFECYCLE[2:]) == []
    assert gate.push([TextDelta(0, "a")]) == [*LIFECYCLE, TextDelta(0, "a")]
    assert gate.push([TextDelta(0, "")]) == [TextDelta(0, "")]


@pytest.mark.parametrize("event", [TextDelta(0, "x"), ReasoningDelta(0, "x"), CallStart(0, "c", "f"), Finish("length")])
def test_what_opens_it(event):
    assert Gate().push([event]) == [event]


def test_commit_answer_holds_reasoning_back_too():
    gate = Gate(answer=True)
    assert gate.push([ReasoningDelta(0, "hm")]) == []
    assert gate.push([TextDelta(1, "a")]) == [ReasoningDelta(0, "hm"), TextDelta(1, "a")]


def test_a_bound_without_content_is_the_upstreams_fault():
    gate = Gate(limit=10)
    with pytest.raises(Malformed):
        for _ in range(20):
            gate.push([TextDelta(0, "")])
