"""The checker, event by event: what passes, what is kept, what goes out, what is counted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import registry
from adapters.checker import Checked, Keeper, Reporter, checker
from adapters.errors import Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Failed,
    Finish,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
    fold,
)
from adapters.format import Call, Reading
from adapters.hint import hinted
from adapters.model import Message, Reasoning, Request, Text, ToolCall, ToolResult
from adapters.restore import Restorer
from adapters.tools import ids
from adapters.tools.check import MAX_ARGUMENTS

CORPUS = Path(__file__).parents[2] / "fixtures" / "tool-calls"
BOOK = json.dumps(json.loads((CORPUS / "tool.json").read_text())["schema"]).encode()
PLAIN = b'{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}'
READING = Reading(
    "m",
    names={"look_up": "look.up"},
    custom=frozenset({"sql"}),
    namespaces={"files__read": ("files", "read")},
    declared=frozenset({"book", "f", "look.up", "sql", "files__read", "later"}),
    schemas={"book": BOOK, "f": PLAIN, "look.up": PLAIN, "sql": b"", "files__read": PLAIN, "bash": b""},
)
NAMESPACED = {"openai-responses": {"namespace": "files"}}


def make(mode, reading=READING):
    return checker(mode, reading, lambda events: Restorer(reading, ids.CHAT, lambda n: "x" * n).feed(events))


def call(name, *texts, part=0, kind="function", extras=None, ended=True):
    start = CallStart(part, "c1", name, kind, extras=extras or {})
    return [start, *(CallDelta(part, text) for text in texts), *([PartEnd(part)] if ended else [])]


def play(mode, events, reading=READING):
    """Each event by itself: the checker, and what came out for each."""
    made = make(mode, reading)
    return made, [made.feed([event]) for event in events]


def flat(lists):
    return [event for one in lists for event in one]


DONE = Finish("tool_calls")
CUT = Finish("length")


def test_modes():
    assert checker("off", READING, lambda events: events) is None
    assert isinstance(make("report"), Reporter)
    assert isinstance(make("repair"), Keeper) and isinstance(make("fallback"), Keeper)


OUTCOMES = [
    ([*call("f", '{"a"', ":1}"), DONE], "valid"),
    ([*call("f", "{}"), DONE], "valid"),
    ([*call("f"), DONE], "valid"),
    ([*call("f", ""), DONE], "valid"),
    ([*call("f", '{"a":1}', ended=False), DONE], "valid"),
    ([*call("look.up", '{"a":1}'), DONE], "valid"),
    ([*call("read", '{"a":1}', extras=NAMESPACED), DONE], "valid"),
    ([*call("sql", "SELECT 1", kind="custom"), DONE], "valid"),
    ([*call("book", '{"city":5}'), DONE], "invalid"),
    ([*call("book"), DONE], "invalid"),
    ([*call("sql", kind="custom"), DONE], "invalid"),
    ([*call("nope", "{}"), DONE], "invalid"),
    ([*call("read", '{"a":1}'), DONE], "invalid"),
    ([*call("f", '{"a":1'), CUT], "invalid"),
    ([*call("f", '{"a":1', ended=False), CUT], "invalid"),
    ([*call("f"), CUT], "invalid"),
    ([*call("f", ended=False), CUT], "invalid"),
    ([*call("f", '{"a":1}'), CUT], "valid"),
    ([*call("f", '{"a":1,'), Finish("content_filter")], "invalid"),
    ([*call("bash", "{}"), DONE], "unchecked"),
    ([*call("later", "{}"), DONE], "unchecked"),
    ([*call("f", '{"a":"' + "x" * MAX_ARGUMENTS + '"}'), DONE], "unchecked"),
    (call("f", '{"a":1', ended=False), "unchecked"),
]


@pytest.mark.parametrize("events, outcome", OUTCOMES)
def test_report_counts_and_passes_everything_at_once(events, outcome):
    made, out = play("report", events)
    assert out == [[event] for event in events]
    assert made.checked.counts() == {outcome: 1}
    assert made.checked.warnings == [] and made.checked.repairs == [] and made.offence is None


@pytest.mark.parametrize("mode", ["repair", "fallback"])
@pytest.mark.parametrize("events, outcome", [row for row in OUTCOMES if row[1] != "invalid" or row[0][-1] != DONE])
def test_what_needs_no_repair_goes_out_as_it_came(mode, events, outcome):
    made, out = play(mode, events)
    assert made.checked.counts() == {outcome: 1} and made.offence is None
    if isinstance(events[-1], Finish):
        assert fold(flat(out)) == fold(events)
        assert flat(out)[-1] == events[-1]


@pytest.mark.parametrize("mode", ["report", "repair", "fallback"])
def test_text_and_reasoning_flow_on(mode):
    events = [Started("r"), ReasoningDelta(0, "hm"), PartEnd(0), TextDelta(1, "a"), TextDelta(1, "b"), PartEnd(1)]
    assert play(mode, events)[1] == [[event] for event in events]
    kept = [CallStart(2, "c", "f"), CallDelta(2, '{"a"'), TextDelta(3, "c"), CallDelta(2, ":1}"), PartEnd(2)]
    out = play(mode, [*kept, TextDelta(3, "d"), DONE])[1]
    if mode == "report":
        assert out == [[event] for event in [*kept, TextDelta(3, "d"), DONE]]
    else:
        whole = [CallStart(2, "c", "f"), CallDelta(2, '{"a":1}'), PartEnd(2)]
        assert out == [[], [], [TextDelta(3, "c")], [], whole, [TextDelta(3, "d")], [DONE]]


@pytest.mark.parametrize("mode", ["repair", "fallback"])
@pytest.mark.parametrize(
    "events, expected, repairs",
    [
        (call("f", '{"a":1', ",}"), call("f", '{"a":1}'), ["trailing_comma"]),
        (call("F", '{"a":1}'), call("f", '{"a":1}'), ["name_in_other_case"]),
        (call("F", '{"a":"1"}'), call("f", '{"a":1}'), ["name_in_other_case", "number_as_text"]),
        (call("Look_Up", '{"a":1}'), call("look.up", '{"a":1}'), ["name_in_other_case"]),
        (call("LOOK.UP", '{"a":1}'), call("look.up", '{"a":1}'), ["name_in_other_case"]),
        (call("SQL", '{"input":"SELECT 1"}'), call("sql", "SELECT 1", kind="custom"), ["name_in_other_case"]),
        (call("Files__Read", "{}"), call("read", "{}", extras=NAMESPACED), ["name_in_other_case"]),
    ],
)
def test_a_call_is_mended_as_soon_as_it_is_whole(mode, events, expected, repairs):
    made, out = play(mode, events)
    assert out[:-1] == [[] for _ in events[:-1]] and out[-1] == expected
    assert made.checked.counts() == {"repaired": 1} and made.checked.repairs == repairs
    assert made.checked.told() == [f"call of {events[0].name} repaired: {', '.join(repairs)}"]
    assert made.checked.told() == []


def test_closers_are_added_only_once_the_model_is_known_to_have_ended():
    events = [*call("book", '{"city":"Rome"'), TextDelta(1, "x")]
    made, out = play("repair", [*events, DONE])
    mended = call("book", '{"city":"Rome"}')
    assert out == [[], [], [], [TextDelta(1, "x")], [*mended, DONE]]
    assert made.checked.repairs == ["missing_closers"]
    for reason in ("length", "content_filter"):
        made, out = play("repair", [*events, Finish(reason)])
        assert flat(out) == [TextDelta(1, "x"), *call("book", '{"city":"Rome"'), Finish(reason)]
        assert made.checked.counts() == {"invalid": 1} and made.checked.warnings == []


def test_calls_keep_their_order():
    first, second = call("book", '{"city":"Rome"'), call("f", '{"a":1}', part=1)
    out = play("repair", [*first, *second, DONE])[1]
    assert out[:-1] == [[]] * 6
    assert out[-1] == [*call("book", '{"city":"Rome"}'), *second, DONE]
    interleaved = [first[0], second[0], *second[1:], *call("book", '{"city":"Rome"}')[1:], DONE]
    assert flat(play("repair", interleaved)[1]) == [*call("book", '{"city":"Rome"}'), *second, DONE]


PAIR = ['{"a":1}', '{"a":2}']


@pytest.mark.parametrize("mode", ["repair", "fallback"])
@pytest.mark.parametrize("end", [DONE, Finish("stop")])
def test_calls_that_came_as_one_go_out_apart_and_in_their_order(mode, end):
    """Once the choice has ended; the first keeps its id, calls behind keep their place."""
    joined = [CallStart(1, "c1", "f", signature="s"), CallDelta(1, PAIR[0] + PAIR[1][:3]), CallDelta(1, PAIR[1][3:])]
    after = [CallStart(2, "c2", "look.up"), CallDelta(2, "{}"), PartEnd(2)]
    made, steps = play(mode, [TextDelta(0, "so"), PartEnd(0), *joined, PartEnd(1), *after, end])
    assert [step for step in steps[2:-1] if step] == []
    assert fold(flat(steps)).parts == (
        Text("so"), ToolCall("c1", "f", PAIR[0], signature="s"), ToolCall("call_" + "x" * 24, "f", PAIR[1]),
        ToolCall("c2", "look.up", "{}"),
    )
    assert len({e.part for e in flat(steps) if isinstance(e, CallStart)}) == 3
    assert made.checked.counts() == {"repaired": 2, "valid": 1} and made.offence is None
    assert made.checked.repairs == ["concatenated_objects"]


@pytest.mark.parametrize("text", ['{"a":1}{"b":2}', '{"a":1}{"a":', "so"])
def test_clients_of_objects_are_given_no_other_call_while_nothing_has_reached_them(text):
    """In `repair`, too: the call is at hand before it goes out."""
    restore = Restorer(READING, ids.CHAT, lambda n: "x" * n).feed
    made = checker("repair", READING, restore, True)
    (failed,) = made.feed([*call("f", text), DONE])
    assert isinstance(failed, Failed) and failed.failure.type == "invalid_tool_call"
    assert made.offence.call == ToolCall("c1", "f", text)
    made = checker("repair", READING, restore, True)
    made.committed = True
    assert made.feed([*call("f", text), DONE]) == [*call("f", text), DONE]
    made = checker("repair", READING, restore, True)
    assert made.feed([*call("f", '{"b":2}'), DONE]) == [*call("f", '{"b":2}'), DONE]


@pytest.mark.parametrize(
    "events, end, reading",
    [
        (call("f", "".join(PAIR)), DONE, replace(READING, one_call=True)),
        (call("f", PAIR[0] + '{"a":'), DONE, READING),
        (call("sql", "".join(PAIR), kind="custom"), DONE, READING),
        (call("nope", "".join(PAIR)), DONE, READING),
        (call("f", "".join(PAIR)), CUT, READING),
        (call("f", "".join(PAIR)), Finish("content_filter"), READING),
    ],
    ids=["one call asked for", "cut off", "custom", "unknown", "cut off behind an object", "filtered"],
)
def test_other_objects_in_a_row_stay_together(events, end, reading):
    made, steps = play("repair", [*events, end], reading)
    assert flat(steps) == [*events, end] and "repaired" not in made.checked.counts()


def test_the_pieces_of_a_namespaced_call_are_in_its_namespace():
    _, steps = play("repair", [*call("read", "".join(PAIR), extras=NAMESPACED | {"other": {"id": "fc_1"}}), DONE])
    first, second = [event for event in flat(steps) if isinstance(event, CallStart)]
    assert (first.id, first.extras) == ("c1", NAMESPACED | {"other": {"id": "fc_1"}})
    assert second.id != "c1" and second.extras == NAMESPACED


@pytest.mark.parametrize("name", sorted(registry.DIALECTS))
def test_every_dialect_writes_the_pieces_whole_and_streamed(name):
    """Its own reader finds the same two calls in both."""
    dialect = registry.dialect(name)
    api = registry.api(dialect.api)
    _, steps = play("repair", [Started("x", "m"), *call("f", "".join(PAIR)), DONE])
    said = [{"role": "user", "content": "hi"}]
    asked = {
        "chat": {"model": "m", "messages": said}, "responses": {"model": "m", "input": "hi"},
        "messages": {"model": "m", "max_tokens": 9, "messages": said},
        "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    }[name]
    for stream in (False, True):
        reply = dialect.decode({**asked, **({"stream": True} if stream and name != "gemini" else {})},
                               Call(model="m", stream=stream, query={"alt": "sse"}, now=1)).reply
        if stream:
            encoder, decoder = dialect.encoder(reply), api.decoder(READING)
            wire = b"".join(encoder.feed(step) for step in steps) + encoder.close()
            events = [*decoder.feed(wire), *decoder.close()]
        else:
            events = api.whole(dialect.answer(fold(flat(steps)), reply), READING, {})
        found = [part for part in fold(events).parts if isinstance(part, ToolCall)]
        assert [(part.name, json.loads(part.arguments)) for part in found] == [("f", {"a": 1}), ("f", {"a": 2})]


def test_choices_are_apart():
    one, other = call("book", '{"city":"Rome"'), call("book", '{"city":"Oslo"', part=1)
    events = [*one, Choice(1), *other, CUT, Choice(0), DONE]
    made, out = play("repair", events)
    assert flat(out) == [Choice(1), *other, CUT, Choice(0), *call("book", '{"city":"Rome"}'), DONE]
    assert made.checked.counts() == {"invalid": 1, "repaired": 1}
    assert play("report", events)[0].checked.counts() == {"invalid": 2}


@pytest.mark.parametrize("mode", ["report", "repair", "fallback"])
def test_the_end_of_one_choice_is_not_that_of_another(mode):
    begun = call("f", '{"a"', ended=False)
    events = [*begun, Choice(1), TextDelta(1, "x"), CUT, Choice(0), CallDelta(0, ":1}"), PartEnd(0), DONE]
    made, out = play(mode, events)
    assert made.checked.counts() == {"valid": 1} and fold(flat(out)) == fold(events)


WHOLE_AND_WRONG = [
    (call("book", '{"city":5}'), 'city: the value is not of type "string"', False),
    (call("f", '{"a":1}{"b":2}'), "The arguments are no valid JSON: ", True),
    (call("book", '{"city":"Ro'), "The arguments are no valid JSON: ", True),
    (call("nope", "{}"), "There is no tool 'nope'. Tools: bash, book, f, files__read, look.up, sql.", False),
    (call("sql", kind="custom"), "The input is empty.", True),
]


@pytest.mark.parametrize("events, hint, waits", WHOLE_AND_WRONG)
def test_fallback_makes_it_the_answers_failure(events, hint, waits):
    """At once where it is whole; what is no JSON may still have been cut off, which is no failure."""
    made, out = play("fallback", [Started("r"), *events])
    if waits:
        assert flat(out) == [Started("r")] and made.offence is None
        out.append(made.feed([DONE]))
    assert flat(out)[:-1] == [Started("r")]
    failure = out[-1][-1].failure
    assert isinstance(failure, Failure) and failure.type == "invalid_tool_call"
    assert hint in failure.message and events[0].name in failure.message
    assert made.offence.hint.startswith(hint[:30]) and made.offence.before == (Started("r"),)
    assert made.offence.call == ToolCall("c1", events[0].name, "".join(e.text for e in events[1:-1]), events[0].kind)
    assert made.checked.counts() == {"invalid": 1}


@pytest.mark.parametrize("events, hint, waits", WHOLE_AND_WRONG)
@pytest.mark.parametrize("mode", ["repair", "fallback"])
def test_else_it_goes_out_as_it_came_with_a_warning(mode, events, hint, waits):
    made = make(mode)
    assert made.feed([TextDelta(1, "Well.")]) == [TextDelta(1, "Well.")]
    made.committed = True
    out = [made.feed([event]) for event in [*events, DONE]]
    assert flat(out) == [*events, DONE]
    assert made.offence is None and made.checked.counts() == {"invalid": 1}
    (told,) = made.checked.told()
    assert told.startswith(f"call of {events[0].name} is invalid (") and told.endswith("), left as it came")


@pytest.mark.parametrize("end", [CUT, Finish("content_filter")])
@pytest.mark.parametrize("text", ['{"city":"Ro', "", '{"city":"Rome"', "{'city': 'Ro"])
def test_a_cut_call_is_never_a_failure(end, text):
    for events in (call("book", text), call("book", text, ended=False)):
        made, out = play("fallback", [*events, end])
        assert fold(flat(out)) == fold([*events, end])
        assert made.offence is None and made.checked.counts() == {"invalid": 1}


def test_nothing_follows_a_failure():
    made = make("fallback")
    out = made.feed([TextDelta(1, "a"), *call("f", '{"a":"x"}'), *call("f", '{"a":1}', part=2), DONE])
    assert out[0] == TextDelta(1, "a") and isinstance(out[1], Failed) and len(out) == 2
    assert made.checked.counts() == {"invalid": 1}


def test_a_call_too_long_to_be_judged_is_let_go():
    long = "x" * (MAX_ARGUMENTS + 1)
    start, end = CallStart(0, "c", "book"), PartEnd(0)
    made, out = play("fallback", [start, CallDelta(0, long), CallDelta(0, "y"), CallDelta(0, ""), end, DONE])
    assert out == [[], [start, CallDelta(0, long)], [CallDelta(0, "y")], [CallDelta(0, "")], [end], [DONE]]
    assert made.checked.counts() == {"unchecked": 1}


def test_a_long_call_waits_for_those_before_it():
    long = "x" * (MAX_ARGUMENTS + 1)
    first = call("book", '{"city":"Rome"')
    after = [CallStart(1, "d", "f"), CallDelta(1, long), CallDelta(1, "y"), PartEnd(1)]
    made, out = play("repair", [*first, *after, DONE])
    assert out[:-1] == [[]] * 7
    assert out[-1] == [*call("book", '{"city":"Rome"}'), *after, DONE]
    assert made.checked.counts() == {"repaired": 1, "unchecked": 1}


def test_names_that_differ_only_in_case_are_not_guessed():
    reading = Reading("m", schemas={"get": PLAIN, "Get": PLAIN}, declared=frozenset({"get", "Get"}))
    made, out = play("repair", [*call("GET", "{}"), DONE], reading)
    assert flat(out) == [*call("GET", "{}"), DONE] and made.checked.invalid == ["GET: unknown tool"]
    assert play("repair", [*call("Get", "{}"), DONE], reading)[0].checked.counts() == {"valid": 1}


def test_the_tool_that_stands_for_structured_output_is_no_tool_of_the_clients():
    reading = Reading("m", schemas={"json_response": PLAIN, "f": PLAIN}, answer_tool="json_response")
    made = play("fallback", call("JSON_Response", "{}"), reading)[0]
    assert made.offence.hint == "There is no tool 'JSON_Response'. Tools: f."


def test_reasons_and_warnings_quote_no_argument():
    secret = "hunter2"
    for mode in ("report", "repair"):
        made, _ = play(mode, [*call("book", f'{{"city":["{secret}"]}}'), *call("book", f'{{"{secret}":', part=1), DONE])
        assert made.checked.counts() == {"invalid": 2}
        assert secret not in str((made.checked.invalid, made.checked.warnings))


def test_counts_of_nothing():
    assert Checked().counts() == {}


# --- the corpus, in pieces ---------------------------------------------------------------------------------------

ROWS = [row for file in sorted(CORPUS.glob("*.json")) if file.stem != "tool" for row in json.loads(file.read_text())]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_the_corpus_in_pieces(size):
    for row in ROWS:
        text = row["text"]
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        end = DONE if row.get("ended", True) else CUT
        made, out = play("repair", [*call("book", *pieces), end])
        assert fold(flat(out)).parts == (ToolCall("c1", "book", row.get("arguments", text)),), row
        assert made.checked.counts() == {row["expect"]: 1}, row
        assert made.checked.repairs == row.get("repairs", [])


def test_the_corpus_is_reported_as_it_came():
    for row in ROWS:
        end = DONE if row.get("ended", True) else CUT
        made, out = play("report", [*call("book", *row["text"]), end])
        assert fold(flat(out)).parts == (ToolCall("c1", "book", row["text"]),)
        assert made.checked.counts() == {"valid" if row["expect"] == "valid" else "invalid": 1}


TEXTS = st.sampled_from([row["text"] for row in ROWS])
NAMES = st.sampled_from(["book", "f", "BOOK", "nope", "sql", "bash"])


@settings(max_examples=200)
@given(
    calls=st.lists(st.tuples(NAMES, TEXTS), max_size=4),
    data=st.data(),
    end=st.sampled_from([DONE, CUT, Finish("stop")]),
    mode=st.sampled_from(["report", "repair", "fallback"]),
)
def test_any_split_and_interleaving_gives_the_same(calls, data, end, mode):
    queues = [call(name, *text, part=number) for number, (name, text) in enumerate(calls)]
    events = []
    while any(queues):
        queue = data.draw(st.sampled_from([queue for queue in queues if queue]))
        events.append(queue.pop(0))
    events.append(end)
    whole, single = make(mode), make(mode)
    single.committed = whole.committed = data.draw(st.booleans())
    at_once = whole.feed(events)
    one_by_one = []
    for event in events:
        if single.offence is None:
            one_by_one += single.feed([event])
    assert whole.checked.counts() == single.checked.counts()
    assert one_by_one == at_once
    assert sum(whole.checked.counts().values()) == (len(calls) if whole.offence is None else whole.checked.began)


# --- the hint ----------------------------------------------------------------------------------------------------


def test_a_hint_repeats_the_turn_with_the_invalid_call_alone():
    request = Request("m", (Message("user", (Text("go"),)),))
    made = make("fallback")
    made.feed([ReasoningDelta(0, "hm"), PartEnd(0), TextDelta(1, ""), PartEnd(1)])
    made.feed([*call("f", '{"a":1}', part=2), *call("book", '{"city":5}', part=3)])
    told = (
        'The call was not executed. city: the value is not of type "string" Call the tool again, with arguments that '
        "fit its schema."
    )
    assert hinted(request, made.offence).messages == (
        Message("user", (Text("go"),)),
        Message("assistant", (Reasoning("hm", sections=("hm",)), ToolCall("c1", "book", '{"city":5}'))),
        Message("tool", (ToolResult("c1", (Text(told),), is_error=True, name="book"),)),
    )
    assert request.messages == (Message("user", (Text("go"),)),)
