"""What an API says of a part before its content; defaults that Python 3.11 takes."""

from adapters.events import CallDelta, CallStart, Opened, PartEnd, RefusalDelta, TextDelta, fold, is_content
from adapters.model import NOTHING, Refusal, Text, ToolCall
from adapters.sequence import Sequencer

ID = {"some-api": {"id": "m1"}}


def test_extras_reach_the_folded_part():
    events = [
        Opened(0, "text", ID),
        TextDelta(0, "x"),
        PartEnd(0),
        Opened(1, "refusal", ID),
        RefusalDelta(1, "no"),
        PartEnd(1),
    ]
    assert fold(events).parts == (Text("x", extras=ID), Refusal("no", extras=ID))


def test_is_no_content():
    assert not is_content(Opened(0, "text", ID))


def test_waits_with_its_part():
    call = CallStart(0, "c", "f")
    events = [call, Opened(1, "text", ID), TextDelta(1, "x"), CallDelta(0, "{}"), PartEnd(0), PartEnd(1)]
    assert Sequencer().feed(events) == [
        call,
        CallDelta(0, "{}"),
        PartEnd(0),
        Opened(1, "text", ID),
        TextDelta(1, "x"),
        PartEnd(1),
    ]
    assert fold(events).parts == (ToolCall("c", "f", "{}"), Text("x", extras=ID))


def test_nothing_is_an_empty_mapping():
    assert NOTHING == {} and not NOTHING
    assert {**NOTHING} == {} and NOTHING.get("a") is None and NOTHING.get("a", {}) == {}
