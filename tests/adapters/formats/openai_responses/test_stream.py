"""Streams of the Responses API: each fact of openai-responses §6 whole, in pieces, and cut."""

import pytest
from responses_wire import (
    READING,
    added,
    call,
    call_delta,
    call_done,
    created,
    decode,
    done,
    ended,
    event,
    message,
    reasoning,
    summary_delta,
    text_delta,
)

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Failed,
    Finish,
    Logprobs,
    Native,
    Opened,
    PartEnd,
    Pass,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.formats.openai_responses.response import decode as whole
from adapters.formats.openai_responses.stream import Decoder
from adapters.model import Citation, Reasoning, Refusal, Text, ToolCall, Usage

API = "openai-responses"
BEGUN = Started("resp_1", "gpt-5-2026")
USAGE = UsageUpdate(Usage(input=9, output=7, cache_read=4, cache_write=1, reasoning=3))
STOP = Finish("stop", "completed")
CALLS = Finish("tool_calls", "completed")


def ids(**extras):
    return {API: extras}


TEXT = [
    (created(), [BEGUN]),
    (event("response.in_progress", response={"id": "resp_1"}), []),
    (added(0, message(status="in_progress", phase="final_answer")), []),
    (event("response.content_part.added", output_index=0, content_index=0,
           part={"type": "output_text", "text": "", "annotations": [], "logprobs": []}), []),
    (text_delta(0, "Grüße, "), [Opened(0, "text", ids(id="msg_1", phase="final_answer")), TextDelta(0, "Grüße, ")]),
    (text_delta(0, "Welt 🌍"), [TextDelta(0, "Welt 🌍")]),
    (event("response.output_text.done", output_index=0, content_index=0, text="Grüße, Welt 🌍", logprobs=[]), []),
    (event("response.content_part.done", output_index=0, content_index=0,
           part={"type": "output_text", "text": "Grüße, Welt 🌍", "annotations": []}), []),
    (done(0, message("Grüße, Welt 🌍", phase="final_answer")), [PartEnd(0)]),
    (ended([message("Grüße, Welt 🌍", phase="final_answer")]), [USAGE, STOP]),
]

CALL = [
    (created(), [BEGUN]),
    (added(0, call(status="in_progress")), [CallStart(0, "call_1", "f", extras=ids(id="fc_1"))]),
    (call_delta(0, '{"a":'), [CallDelta(0, '{"a":')]),
    (call_delta(0, "1}"), [CallDelta(0, "1}")]),
    (call_done(0, '{"a":1}'), []),
    (done(0, call('{"a":1}')), [PartEnd(0)]),
    (ended([call('{"a":1}')]), [USAGE, CALLS]),
]

REASONED = [
    (created(), [BEGUN]),
    (added(0, reasoning(encrypted_content="early")), []),
    (event("response.reasoning_summary_part.added", output_index=0, summary_index=0,
           part={"type": "summary_text", "text": ""}), []),
    (summary_delta(0, 0, "**Plan**"), [Opened(0, "reasoning", ids(id="rs_1")), ReasoningDelta(0, "**Plan**")]),
    (event("response.reasoning_summary_text.done", output_index=0, summary_index=0, text="**Plan**"), []),
    (event("response.reasoning_summary_part.done", output_index=0, summary_index=0,
           part={"type": "summary_text", "text": "**Plan**"}), []),
    (summary_delta(0, 1, "More"), [ReasoningDelta(0, "More", 1)]),
    (done(0, reasoning(["**Plan**", "More"], encrypted_content="sealed")),
     [Signed(0, API, id="rs_1", data="sealed"), PartEnd(0)]),
    (added(1, call(status="in_progress")), [CallStart(1, "call_1", "f", extras=ids(id="fc_1"))]),
    (call_delta(1, "{}"), [CallDelta(1, "{}")]),
    (done(1, call("{}")), [PartEnd(1)]),
    (added(2, call(call_id="call_2", id="fc_2", name="g", status="in_progress")),
     [CallStart(2, "call_2", "g", extras=ids(id="fc_2"))]),
    (call_delta(2, '{"b":2}', "fc_2"), [CallDelta(2, '{"b":2}')]),
    (done(2, call('{"b":2}', call_id="call_2", id="fc_2", name="g")), [PartEnd(2)]),
    (ended([reasoning(["**Plan**", "More"], encrypted_content="sealed too"), call("{}"),
            call('{"b":2}', call_id="call_2", id="fc_2", name="g")]), [USAGE, CALLS]),
]

STREAMS = {"text": TEXT, "call": CALL, "reasoned": REASONED}


@pytest.mark.parametrize("name", STREAMS)
def test_event_by_event(name):
    decoder = Decoder(READING)
    for data, events in STREAMS[name]:
        assert decoder.feed(data) == events
    assert decoder.close() == []


@pytest.mark.parametrize("name", STREAMS)
def test_in_any_pieces(name):
    data = b"".join(piece for piece, _ in STREAMS[name])
    events = [one for _, told in STREAMS[name] for one in told]
    assert decode(data) == events
    assert decode(*(data[i:i + 1] for i in range(len(data)))) == events
    for at in range(1, len(data), 7):
        assert decode(data[:at], data[at:]) == events
    assert decode(data.replace(b"\n", b"\r\n")) == events


@pytest.mark.parametrize("name", STREAMS)
def test_cut_at_every_event(name):
    pieces = [piece for piece, _ in STREAMS[name]]
    for cut in range(len(pieces)):
        with pytest.raises(Malformed, match="ended without"):
            decode(*pieces[:cut])


@pytest.mark.parametrize("name", STREAMS)
def test_cut_inside_the_last_event(name):
    data = b"".join(piece for piece, _ in STREAMS[name])
    with pytest.raises(Malformed):
        decode(data[:-20])


@pytest.mark.parametrize("name", STREAMS)
def test_unknown_events_and_signs_of_life_in_between(name):
    odd = event("response.fancy", output_index=0, value=1)
    keep = b": keep-alive\n\n" + event("keepalive") + b"data: [DONE]\n\n"
    told = []
    decoder = Decoder(READING)
    for data, _ in STREAMS[name]:
        told += decoder.feed(data) + decoder.feed(odd) + decoder.feed(keep)
    told += decoder.close()
    passed = Pass(API, "response.fancy", {"type": "response.fancy", "output_index": 0, "value": 1})
    assert told.count(passed) == len(STREAMS[name]) - 1
    assert [one for one in told if one != passed] == [one for _, events in STREAMS[name] for one in events]


@pytest.mark.parametrize("name", STREAMS)
def test_folds_to_the_same_as_the_whole_answer(name):
    data = b"".join(piece for piece, _ in STREAMS[name])
    final = json.loads(STREAMS[name][-1][0].split(b"data: ")[1])["response"]
    if name == "reasoned":
        final["output"][0]["encrypted_content"] = "sealed"
    assert fold(decode(data)) == fold(whole(json.dumps(final)))


def test_folded_parts():
    data = b"".join(piece for piece, _ in REASONED)
    assert fold(decode(data)).parts == (
        Reasoning("**Plan**\n\nMore", API, None, "rs_1", None, "sealed", ("**Plan**", "More")),
        ToolCall("call_1", "f", "{}", extras=ids(id="fc_1")),
        ToolCall("call_2", "g", '{"b":2}', extras=ids(id="fc_2")),
    )


def stream(*pieces, output=(), usage=False, **response):
    """The events between the beginning and the end of a stream, usage left out."""
    events = decode(created(), *pieces, ended(list(output), usage=usage, **response))
    assert events[0] == BEGUN
    return events[1:]


ONE_CALL = [CallStart(0, "call_1", "f", extras=ids(id="fc_1")), CallDelta(0, '{"a":1}'), PartEnd(0), CALLS]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(
            [added(0, call(id="fc_1")), call_delta(0, '{"a":1}', "fc_x"), call_done(0, '{"a":1}', "fc_y"),
             done(0, call('{"a":1}', id="fc_z"))],
            id="item ids that change with each event",
        ),
        pytest.param([added(0, call()), call_done(0, '{"a":1}'), done(0, call('{"a":1}'))], id="no deltas"),
        pytest.param([added(0, call()), done(0, call('{"a":1}'))], id="arguments only in the done item"),
        pytest.param([done(0, call('{"a":1}'))], id="no added"),
        pytest.param([added(0, call()), call_delta(0, '{"a":1}'), done(0, call('{"a":1}'))], id="no arguments.done"),
        pytest.param([added(0, call()), call_delta(0, '{"a":1}'), call_done(0, '{"a":1}')], id="no item done"),
        pytest.param([added(0, call()), call_delta(0, '{"a":1}')], id="no done at all"),
        pytest.param([added(0, call()), call_delta(0, '{"a":1}'), done(0, call(""))], id="empty done"),
        pytest.param(
            [added(0, call(name="")), call_delta(0, '{"a":1}'), done(0, call('{"a":1}'))], id="name only when done"
        ),
        pytest.param(
            [added(0, call(call_id=None)), call_delta(0, '{"a":1}'), done(0, call('{"a":1}'))], id="id only when done"
        ),
        pytest.param([added(0, call()), done(0, call({"a": 1}))], id="arguments as an object"),
        pytest.param(
            [added(0, call()), call_delta(0, '{"a":1}'), done(0, call('{"a": 1}'))], id="done in another spelling"
        ),
        pytest.param([added(0, call('{"a":1}'))], id="all in added"),
        pytest.param([added(3, call()), call_delta(3, '{"a":1}'), done(3, call('{"a":1}'))], id="index with a gap"),
        pytest.param(
            [added(None, call()), call_delta(None, '{"a":1}'), done(None, call('{"a":1}'))], id="no index"
        ),
        pytest.param(
            [event("response.output_item.added", named=False, output_index=0, item=call()),
             event("response.function_call_arguments.delta", named=False, output_index=0, delta='{"a":1}'),
             event("response.output_item.done", named=False, output_index=0, item=call('{"a":1}'))],
            id="no event lines",
        ),
        pytest.param(
            [b'event: response.output_item.done\ndata: {"output_index":0,"item":'
             + json.dumps(call('{"a":1}')) + b"}\n\n"],
            id="only event lines",
        ),
        pytest.param(
            [added(0, call()), added(0, call()), call_delta(0, '{"a":1}'), done(0, call('{"a":1}')),
             done(0, call('{"a":1}'))],
            id="told twice",
        ),
    ],
)
@pytest.mark.parametrize("output", [[], [call('{"a":1}')]], ids=["empty output at the end", "full output at the end"])
def test_one_call_however_it_is_told(pieces, output):
    told = stream(*pieces, output=output)
    told = [CallDelta(0, '{"a":1}') if event == CallDelta(0, '{"a": 1}') else event for event in told]
    assert told == ONE_CALL


def test_items_only_in_the_terminal_event():
    assert stream(output=[reasoning(["r"]), message("x"), call('{"a":1}')]) == [
        Opened(0, "reasoning", ids(id="rs_1")), ReasoningDelta(0, "r"), Signed(0, API, id="rs_1"), PartEnd(0),
        Opened(1, "text", ids(id="msg_1")), TextDelta(1, "x"), PartEnd(1),
        CallStart(2, "call_1", "f", extras=ids(id="fc_1")), CallDelta(2, '{"a":1}'), PartEnd(2),
        CALLS,
    ]


def test_output_of_the_terminal_event_may_be_null():
    assert decode(created(), done(0, message("x")), ended(None, usage=False)) == [
        BEGUN, Opened(0, "text", ids(id="msg_1")), TextDelta(0, "x"), PartEnd(0), STOP
    ]


def test_arguments_that_contradict_themselves():
    with pytest.raises(Malformed, match="differ"):
        stream(added(0, call()), call_delta(0, '{"a":'), done(0, call('{"b":2}')))


def test_a_call_that_never_gets_a_name():
    with pytest.raises(Malformed, match="name"):
        stream(added(0, call(name="")), call_delta(0, "{}"))


def test_a_call_that_never_gets_an_id_is_left_to_be_named():
    assert stream(added(0, call(call_id=None, id=None)), call_delta(0, "{}")) == [
        CallStart(0, "", "f"), CallDelta(0, "{}"), PartEnd(0), CALLS
    ]


def test_interleaved_calls():
    other = call(call_id="call_2", id="fc_2", name="g")
    assert stream(added(0, call()), added(1, other), call_delta(1, "{}"), call_delta(0, "{}"), done(0, call("{}")),
                  done(1, {**other, "arguments": "{}"})) == [
        CallStart(0, "call_1", "f", extras=ids(id="fc_1")), CallStart(1, "call_2", "g", extras=ids(id="fc_2")),
        CallDelta(1, "{}"), CallDelta(0, "{}"), PartEnd(0), PartEnd(1), CALLS,
    ]


def test_namespace_and_caller_stay_with_the_call():
    item = call("{}", namespace="crm", caller={"type": "direct"}, status="in_progress")
    assert stream(done(0, item))[0] == CallStart(
        0, "call_1", "f", extras=ids(id="fc_1", namespace="crm", caller={"type": "direct"})
    )


def test_custom_call():
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "sql", "input": ""}
    whole_item = {**item, "input": "SELECT 1"}
    start = CallStart(0, "call_1", "sql", "custom", extras=ids(id="ctc_1"))
    pieces = [
        (added(0, item), [start]),
        (event("response.custom_tool_call_input.delta", output_index=0, delta="SELECT"), [CallDelta(0, "SELECT")]),
        (event("response.custom_tool_call_input.delta", output_index=0, delta=" 1"), [CallDelta(0, " 1")]),
        (event("response.custom_tool_call_input.done", output_index=0, input="SELECT 1"), []),
        (done(0, whole_item), [PartEnd(0)]),
    ]
    expected = [one for _, told in pieces for one in told]
    assert stream(*(piece for piece, _ in pieces)) == [*expected, CALLS]
    assert stream(added(0, item), event("response.custom_tool_call_input.done", output_index=0, input="SELECT 1")) == [
        start, CallDelta(0, "SELECT 1"), PartEnd(0), CALLS
    ]


@pytest.mark.parametrize("kind", ["response.text.delta", "response.output_text.delta"])
def test_text_by_azures_older_name(kind):
    item = {**message("Hi"), "content": [{"type": "text", "text": "Hi"}]}
    assert stream(added(0, message()), event(kind, output_index=0, content_index=0, delta="Hi"), done(0, item)) == [
        Opened(0, "text", ids(id="msg_1")), TextDelta(0, "Hi"), PartEnd(0), STOP
    ]


@pytest.mark.parametrize(
    "pieces",
    [
        [event("response.output_text.done", output_index=0, content_index=0, text="Hi")],
        [done(0, message("Hi"))],
        [text_delta(0, "H"), done(0, message("Hi"))],
        [text_delta(0, "H"), event("response.output_text.done", output_index=0, content_index=0, text="Hi")],
        [text_delta(0, "Hi")],
        [text_delta(0, ""), text_delta(0, "Hi"), done(0, message("Hi"))],
        [text_delta(0, "Hi"), done(0, message(""))],
    ],
)
def test_text_is_told_once(pieces):
    told = stream(added(0, message()), *pieces)
    assert told[0] == Opened(0, "text", ids(id="msg_1"))
    assert "".join(one.text for one in told if isinstance(one, TextDelta)) == "Hi"
    assert told[-2:] == [PartEnd(0), STOP]


def test_an_empty_message_says_nothing():
    assert stream(added(0, message()), done(0, message(""))) == [STOP]


def test_two_parts_of_one_message():
    item = message("a")
    item["content"].append({"type": "output_text", "text": "b", "annotations": []})
    assert stream(added(0, message()), text_delta(0, "a"), text_delta(0, "b", content=1), done(0, item)) == [
        Opened(0, "text", ids(id="msg_1")), TextDelta(0, "a"), Opened(1, "text", ids(id="msg_1")), TextDelta(1, "b"),
        PartEnd(0), PartEnd(1), STOP,
    ]


def test_refusal():
    item = {**message(), "content": [{"type": "refusal", "refusal": "No, sorry."}]}
    pieces = [
        added(0, message()),
        event("response.content_part.added", output_index=0, content_index=0, part={"type": "refusal", "refusal": ""}),
        event("response.refusal.delta", output_index=0, content_index=0, delta="No, "),
        event("response.refusal.done", output_index=0, content_index=0, refusal="No, sorry."),
        done(0, item),
    ]
    assert stream(*pieces) == [
        Opened(0, "refusal", ids(id="msg_1")), RefusalDelta(0, "No, "), RefusalDelta(0, "sorry."), PartEnd(0), STOP
    ]
    assert fold(stream(done(0, item))).parts == (Refusal("No, sorry.", ids(id="msg_1")),)


def test_raw_reasoning_of_open_models():
    item = {**reasoning(), "content": [{"type": "reasoning_text", "text": "Hm. Well."}]}
    pieces = [
        added(0, reasoning()),
        event("response.content_part.added", output_index=0, content_index=0,
              part={"type": "reasoning_text", "text": ""}),
        event("response.reasoning_text.delta", output_index=0, content_index=0, delta="Hm. "),
        event("response.reasoning_text.delta", output_index=0, content_index=0, delta="Well."),
        event("response.reasoning_text.done", output_index=0, content_index=0, text="Hm. Well."),
        done(0, item),
    ]
    told = stream(*pieces)
    assert told == [
        Opened(0, "reasoning", ids(id="rs_1")), ReasoningDelta(0, "Hm. ", 1000), ReasoningDelta(0, "Well.", 1000),
        Signed(0, API, id="rs_1", extras=ids(raw=1)), PartEnd(0), STOP,
    ]
    assert fold(told).parts == (Reasoning("Hm. Well.", API, None, "rs_1", sections=("Hm. Well.",), extras=ids(raw=1)),)
    assert fold(stream(done(0, item))) == fold(told)


@pytest.mark.parametrize("delta", ["Hm", {"text": "Hm"}, {"content": "Hm"}])
def test_reasoning_by_older_vllm(delta):
    assert stream(event("response.reasoning.delta", output_index=0, delta=delta))[0] == ReasoningDelta(0, "Hm", 1000)


def test_reasoning_that_is_encrypted_only():
    assert stream(added(0, reasoning()), done(0, reasoning(encrypted_content="sealed"))) == [
        Opened(0, "reasoning", ids(id="rs_1")), Signed(0, API, id="rs_1", data="sealed"), PartEnd(0), STOP
    ]


def test_summary_without_deltas():
    assert stream(done(0, reasoning(["a", "b"], encrypted_content="sealed"))) == [
        Opened(0, "reasoning", ids(id="rs_1")), ReasoningDelta(0, "a"), ReasoningDelta(0, "b", 1),
        Signed(0, API, id="rs_1", data="sealed"), PartEnd(0), STOP,
    ]


TOKEN = {"token": "Hi", "logprob": -0.1, "top_logprobs": [{"token": "Hi", "logprob": -0.1}]}
CHAT_TOKEN = {"token": "Hi", "logprob": -0.1, "bytes": None,
              "top_logprobs": [{"token": "Hi", "logprob": -0.1, "bytes": None}]}


def test_log_probabilities_count_once():
    full = {**TOKEN, "bytes": [72, 105]}
    item = message("Hi")
    item["content"][0]["logprobs"] = [full]
    text_done = event("response.output_text.done", output_index=0, content_index=0, text="Hi", logprobs=[TOKEN])
    opened = Opened(0, "text", ids(id="msg_1"))
    assert stream(added(0, message()), text_delta(0, "Hi", logprobs=[TOKEN]), text_done, done(0, item)) == [
        opened, TextDelta(0, "Hi"), Logprobs(0, (CHAT_TOKEN,)), PartEnd(0), STOP
    ]
    assert stream(added(0, message()), text_delta(0, "Hi", logprobs=[]), text_done, done(0, item)) == [
        opened, TextDelta(0, "Hi"), Logprobs(0, (CHAT_TOKEN,)), PartEnd(0), STOP
    ]
    assert stream(done(0, item)) == [
        opened, TextDelta(0, "Hi"), Logprobs(0, ({**CHAT_TOKEN, "bytes": [72, 105]},)), PartEnd(0), STOP
    ]


ANNOTATIONS = [
    (
        {"type": "url_citation", "url": "https://example.org/a", "title": "A", "start_index": 0, "end_index": 2},
        Citation("https://example.org/a", "A", 0, 2),
    ),
    ({"type": "file_citation", "file_id": "file_1", "filename": "a.txt", "index": 3}, Citation(title="a.txt")),
    (
        {"type": "container_file_citation", "container_id": "c", "file_id": "f", "filename": "b.png", "start_index": 1,
         "end_index": 4},
        Citation(title="b.png", start=1, end=4),
    ),
    ({"type": "file_path", "file_id": "f", "index": 1}, Citation()),
]


@pytest.mark.parametrize(("annotation", "citation"), ANNOTATIONS)
def test_annotations_count_once(annotation, citation):
    citation.extras = ids(**annotation)
    told = event("response.output_text.annotation.added", output_index=0, content_index=0, annotation_index=0,
                 annotation=annotation)
    item = message("Hi", annotations=[annotation])
    opened = [Opened(0, "text", ids(id="msg_1")), TextDelta(0, "Hi"), Cited(0, citation), PartEnd(0), STOP]
    assert stream(added(0, message()), text_delta(0, "Hi"), told, done(0, item)) == opened
    assert stream(done(0, item)) == opened
    assert fold(opened).parts == (Text("Hi", citations=(citation,), extras=ids(id="msg_1")),)


SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "in_progress"}
FOUND = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}


def test_built_in_items_pass():
    began = {"type": "response.output_item.added", "output_index": 0, "item": SEARCH}
    searching = {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"}
    told = stream(
        added(0, SEARCH),
        event("response.web_search_call.searching", output_index=0, item_id="ws_1"),
        done(0, FOUND),
        added(1, message()),
        text_delta(1, "x"),
        done(1, message("x")),
    )
    assert told == [
        Pass(API, "response.output_item.added", began),
        Pass(API, "response.web_search_call.searching", searching),
        Native(0, API, FOUND), PartEnd(0),
        Opened(1, "text", ids(id="msg_1")), TextDelta(1, "x"), PartEnd(1), STOP,
    ]


def test_a_tool_search_call_has_the_id_of_its_end():
    search = {"type": "tool_search_call", "execution": "client", "call_id": "early", "arguments": {"q": "x"}}
    told = stream(added(0, search), done(0, {**search, "call_id": "late"}))
    assert told[1] == Native(0, API, {**search, "call_id": "late"})


@pytest.mark.parametrize(
    ("details", "finish"),
    [
        ({"reason": "max_output_tokens"}, Finish("length", "max_output_tokens")),
        ({"reason": "content_filter"}, Finish("content_filter", "content_filter")),
        ({"reason": "max_messages"}, Finish("length", "max_messages")),
        ({"reason": "steered"}, Finish("stop", "steered")),
        ({"reason": "something new"}, Finish("length", "something new")),
        (None, Finish("length", "incomplete")),
    ],
)
def test_incomplete(details, finish):
    assert decode(created(), added(0, message()), text_delta(0, "Hal"),
                  ended([message("Hal", status="incomplete")], "incomplete", False, incomplete_details=details)) == [
        BEGUN, Opened(0, "text", ids(id="msg_1")), TextDelta(0, "Hal"), PartEnd(0), finish
    ]
    assert decode(ended([], "incomplete", False, incomplete_details=details)) == [BEGUN, finish]


def test_a_call_cut_by_the_limit_keeps_what_it_had():
    cut = call('{"a":', status="incomplete")
    told = decode(created(), added(0, call()), call_delta(0, '{"a":'), done(0, cut),
                  ended([cut], "incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert told[1:] == [CallStart(0, "call_1", "f", extras=ids(id="fc_1")), CallDelta(0, '{"a":'), PartEnd(0), USAGE,
                        Finish("length", "max_output_tokens")]


ERRORS = [
    ({"code": "rate_limit_exceeded", "message": "m"}, Failure("rate_limit_error", "m", code="rate_limit_exceeded")),
    ({"code": "server_error", "message": "m"}, Failure("api_error", "m", code="server_error")),
    ({"code": "invalid_prompt", "message": "m"}, Failure("content_filter", "m", code="invalid_prompt")),
    ({"code": "insufficient_quota", "message": "m"}, Failure("billing_error", "m", code="insufficient_quota")),
    (
        {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."},
        Failure("context_length_exceeded", "Your input exceeds the context window of this model.",
                code="context_length_exceeded"),
    ),
    (
        {"code": None, "message": "Your input exceeds the context window of this model."},
        Failure("context_length_exceeded", "Your input exceeds the context window of this model."),
    ),
]


@pytest.mark.parametrize(("error", "failure"), ERRORS)
@pytest.mark.parametrize("before", [[], [created()], [created(), added(0, message()), text_delta(0, "x")]])
def test_errors_inside_a_200(error, failure, before):
    failed = event("response.failed", response={"id": "resp_1", "status": "failed", "error": error, "output": []})
    nested = event("error", sequence_number=3, error={**error, "type": "x", "param": None})
    flat = event("error", sequence_number=3, param=None, **error)
    both = event("error", sequence_number=3, error={**error, "type": "x"}, param=None, **error)
    bare = b"data: " + json.dumps({"error": error}) + b"\n\n"
    named = b"event: error\ndata: " + json.dumps(error) + b"\n\n"
    for last in (failed, nested, flat, both, bare, named):
        told = decode(*before, last, failed, text_delta(0, "late"))
        assert told[-1] == Failed(failure)
        assert sum(isinstance(one, Failed) for one in told) == 1


def test_a_failure_without_words():
    failed = event("response.failed", response={"id": "resp_1", "status": "failed", "error": None})
    assert decode(created(), failed)[-1] == Failed(Failure("api_error", "the upstream's response is failed"))


def test_nothing_is_read_after_the_end():
    assert decode(created(), ended([], usage=False), b"data: junk\n\n", text_delta(0, "late")) == [BEGUN, STOP]


def test_the_last_event_may_lack_its_blank_line():
    assert decode(created(), ended([], usage=False).rstrip(b"\n")) == [BEGUN, STOP]


def test_a_stream_that_begins_with_an_item():
    assert decode(text_delta(0, "x"), ended([], usage=False)) == [Started(), TextDelta(0, "x"), PartEnd(0), STOP]


def test_a_whole_object_in_one_event():
    response = {"id": "resp_1", "object": "response", "model": "gpt-5-2026", "status": "completed",
                "output": [message("x")]}
    assert decode(b"data: " + json.dumps(response) + b"\n\n") == [
        BEGUN, Opened(0, "text", ids(id="msg_1")), TextDelta(0, "x"), PartEnd(0), STOP
    ]


@pytest.mark.parametrize("data", [b"data: {\n\n", b"data: 17\n\n", b"data: []\n\n"])
def test_what_is_no_event(data):
    with pytest.raises(Malformed):
        decode(created(), data)


def test_unknown_fields_of_the_response_stay():
    told = stream(service_tier="priority", input_transformations=[{"type": "reasoning", "action": "removed"}],
                  temperature=1.0, text=None)
    assert told == [
        Finish("stop", "completed",
               extras=ids(service_tier="priority", input_transformations=[{"type": "reasoning", "action": "removed"}]))
    ]


def test_unknown_counts_stay():
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "cost": 0.5}
    told = decode(created(), event("response.completed", response={"status": "completed", "usage": usage}))
    assert told[1] == UsageUpdate(Usage(input=1, output=2, extras=ids(cost=0.5)))
