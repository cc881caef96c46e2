"""The way back, event by event."""

import pytest

from adapters.errors import Failure
from adapters.events import CallDelta, CallStart, Failed, Finish, PartEnd, ReasoningDelta, Signed, TextDelta
from adapters.format import Reading
from adapters.restore import Restorer
from adapters.tools import ids


class Doubler:
    """A projection's inverse: what it undoes is visible."""

    def backward(self, value):
        return {key: item for key, item in value.items() if item is not None}

    def forward(self, value):
        return value


def back(events, reading=None, rule=ids.CHAT):
    restorer = Restorer(reading or Reading("m"), rule, lambda n: "x" * n)
    return [event for one in events for event in restorer.feed([one])]


def test_ordinary_calls_flow_on_byte_for_byte():
    events = [
        TextDelta(0, "a"),
        PartEnd(0),
        CallStart(1, "c1", "f"),
        CallDelta(1, '{"a" :'),
        CallDelta(1, " 1}"),
        PartEnd(1),
    ]
    assert back(events) == events


def test_names_ids_and_origin_come_back():
    reading = Reading("m", origin="p/x", names={"look_up": "look.up"})
    assert back([CallStart(0, "null", "look_up", signature="s")], reading) == [
        CallStart(0, "call_" + "x" * 24, "look.up", signature="s", origin="p/x")
    ]
    assert back([Signed(0, "a", signature="s")], reading) == [Signed(0, "a", signature="s", origin="p/x")]
    assert back([CallStart(0, "", "f")], rule=ids.MISTRAL)[0].id == "x" * 9


@pytest.mark.parametrize(
    "pieces, expected",
    [
        (['{"a":', '1,"b":null}'], '{"a":1}'),
        (['{"a": 1}'], '{"a": 1}'),
        (["{broken"], "{broken"),
        ([], ""),
    ],
)
def test_calls_of_a_projected_tool_are_held_and_undone(pieces, expected):
    reading = Reading("m", inverses={"f": Doubler()})
    restorer = Restorer(reading, ids.CHAT, lambda n: "")
    assert restorer.feed([CallStart(0, "c", "f"), *(CallDelta(0, piece) for piece in pieces)]) == []
    assert restorer.feed([TextDelta(1, "beside")]) == [TextDelta(1, "beside")]
    assert restorer.feed([PartEnd(0)]) == [CallStart(0, "c", "f"), CallDelta(0, expected), PartEnd(0)]


def test_a_held_call_that_was_cut_comes_out_at_the_end():
    reading = Reading("m", inverses={"f": Doubler()})
    assert back([CallStart(0, "c", "f"), CallDelta(0, '{"a":'), Finish("length")], reading) == [
        CallStart(0, "c", "f"),
        CallDelta(0, '{"a":'),
        Finish("length"),
    ]


def test_custom_tools_get_their_raw_input():
    reading = Reading("m", custom=frozenset({"sql"}))
    events = [CallStart(0, "c", "sql"), CallDelta(0, '{"input": "SELECT'), CallDelta(0, ' \\"x\\""}'), PartEnd(0)]
    assert back(events, reading) == [CallStart(0, "c", "sql", kind="custom"), CallDelta(0, 'SELECT "x"'), PartEnd(0)]


def test_namespaces_come_back():
    reading = Reading("m", namespaces={"files__read": ("files", "read")})
    assert back([CallStart(0, "c", "files__read")], reading) == [
        CallStart(0, "c", "read", extras={"openai-responses": {"namespace": "files"}})
    ]


def test_the_answer_tool_is_text_and_its_finish_a_stop():
    reading = Reading("m", answer_tool="json_response")
    events = [
        CallStart(0, "c", "json_response"),
        CallDelta(0, '{"x":'),
        CallDelta(0, "1}"),
        PartEnd(0),
        Finish("tool_calls"),
    ]
    assert back(events, reading) == [
        TextDelta(0, ""),
        TextDelta(0, '{"x":'),
        TextDelta(0, "1}"),
        PartEnd(0),
        Finish("stop"),
    ]


@pytest.mark.parametrize(
    "events, expected",
    [
        # a comment before the answer
        (
            [TextDelta(0, "I will "), TextDelta(0, "answer."), PartEnd(0), CallStart(1, "c", "json_response"),
             CallDelta(1, "{}"), PartEnd(1), Finish("tool_calls")],
            [TextDelta(1, ""), TextDelta(1, "{}"), PartEnd(1), Finish("stop")],
        ),
        # after it
        (
            [CallStart(0, "c", "json_response"), CallDelta(0, "{}"), PartEnd(0), TextDelta(1, "Done."), PartEnd(1),
             Finish("tool_calls")],
            [TextDelta(0, ""), TextDelta(0, "{}"), PartEnd(0), Finish("stop")],
        ),
        # before another tool's call
        (
            [ReasoningDelta(0, "hm"), PartEnd(0), TextDelta(1, "First the time."), PartEnd(1), CallStart(2, "c", "f"),
             PartEnd(2), Finish("tool_calls")],
            [ReasoningDelta(0, "hm"), PartEnd(0), CallStart(2, "c", "f"), PartEnd(2), Finish("tool_calls")],
        ),
        # the answer itself, where the tool was not called
        (
            [TextDelta(0, '{"x":'), TextDelta(0, "1}"), PartEnd(0), Finish("stop")],
            [TextDelta(0, '{"x":'), TextDelta(0, "1}"), PartEnd(0), Finish("stop")],
        ),
        # unsaid before a failure: another try may still answer
        ([TextDelta(0, '{"x":'), Failed(Failure("api_error", "broke"))], [Failed(Failure("api_error", "broke"))]),
    ],
    ids=["before", "after", "other-call", "no-call", "failed"],
)
def test_no_comment_stands_beside_an_answer_by_tool(events, expected):
    assert back(events, Reading("m", answer_tool="json_response")) == expected


@pytest.mark.parametrize(
    "called, said, told",
    [
        (True, "stop", "tool_calls"),
        (False, "tool_calls", "stop"),
        (True, "length", "length"),
        (False, "content_filter", "content_filter"),
    ],
)
def test_the_finish_follows_what_was_seen(called, said, told):
    events = [CallStart(0, "c", "f"), PartEnd(0)] if called else [TextDelta(0, "t"), PartEnd(0)]
    assert back([*events, Finish(said)])[-1] == Finish(told)
