"""Streams towards Responses clients: the whole event grammar of openai-responses §6."""

import re

import pytest

from adapters import json
from adapters.errors import Attempt, Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
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
from adapters.formats.openai_responses.answer import encode as whole
from adapters.formats.openai_responses.emit import Encoder
from adapters.formats.openai_responses.incoming import Reply
from adapters.formats.shared.reference import unpack
from adapters.model import Citation, Reasoning, Usage

NAME = "openai-responses"
ECHO = b'"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"temperature":null'


def ids():
    """Ids that count."""
    count = 0

    def new_id(length):
        nonlocal count
        count += 1
        return str(count)

    return new_id


def reply(**more):
    return Reply("resp_1", "smart", 1700000000, ids(), ECHO, **more)


def parse(data):
    """(name, data) of each event; names and types agree, numbers have no gap."""
    events = []
    for number, block in enumerate(data.decode().split("\n\n")[:-1]):
        name, payload = re.fullmatch(r"event: (.*)\ndata: (.*)", block).groups()
        event = json.loads(payload)
        assert list(event)[:2] == ["type", "sequence_number"]
        assert (event.pop("type"), event.pop("sequence_number")) == (name, number)
        events.append((name, event))
    return events


STOP = Finish("stop")


def stream(*events, finish=STOP, to=None, usage=None):
    """The events between `in_progress` and the last one, and the last one's response."""
    encoder = Encoder(to or reply())
    data = encoder.feed([Started("up", "m"), *events, *([UsageUpdate(usage)] if usage else []), finish])
    told = parse(data + encoder.close())
    assert [name for name, _ in told[:2]] == ["response.created", "response.in_progress"]
    assert told[0][1] == told[1][1]
    return told[2:-1], told[-1]


def begun(status="in_progress", output=(), **more):
    return {
        "id": "resp_1", "object": "response", "created_at": 1700000000, "status": status, "error": None,
        "incomplete_details": None, "model": "smart", "output": list(output), "usage": None,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": None, **more,
    }


def part(text="", **more):
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": [], **more}


def message(id="msg_1", status="completed", content=(), **more):
    return {"id": id, "type": "message", "status": status, "role": "assistant", "content": list(content), **more}


def call(id="fc_1", arguments="", status="completed", call_id="call_a", name="f", **more):
    return {"id": id, "type": "function_call", "status": status, "call_id": call_id, "name": name,
            "arguments": arguments, **more}


def test_text():
    encoder = Encoder(reply())
    data = [
        encoder.feed([Started("up", "m")]),
        encoder.feed([TextDelta(0, "")]),
        encoder.feed([TextDelta(0, "Grüße, "), TextDelta(0, '"Welt"\n')]),
        encoder.feed([PartEnd(0)]),
        encoder.feed([UsageUpdate(Usage(input=9)), Finish("stop"), UsageUpdate(Usage(output=4, cache_read=2))]),
        encoder.close(),
    ]
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    full = part('Grüße, "Welt"\n')
    assert parse(b"".join(data)) == [
        ("response.created", {"response": begun()}),
        ("response.in_progress", {"response": begun()}),
        ("response.output_item.added", {"output_index": 0, "item": message(status="in_progress")}),
        ("response.content_part.added", {**place, "part": part()}),
        ("response.output_text.delta", {**place, "delta": "Grüße, ", "logprobs": []}),
        ("response.output_text.delta", {**place, "delta": '"Welt"\n', "logprobs": []}),
        ("response.output_text.done", {**place, "text": 'Grüße, "Welt"\n', "logprobs": []}),
        ("response.content_part.done", {**place, "part": full}),
        ("response.output_item.done", {"output_index": 0, "item": message(content=[full])}),
        (
            "response.completed",
            {
                "response": begun(
                    "completed",
                    [message(content=[full])],
                    usage={
                        "input_tokens": 9,
                        "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 0},
                        "output_tokens": 4,
                        "output_tokens_details": {"reasoning_tokens": 0},
                        "total_tokens": 13,
                    },
                )
            },
        ),
    ]
    assert data[1] == b""
    assert Encoder(reply()).ping().startswith(b":")


def test_calls():
    told, last = stream(
        CallStart(0, "call_a", "f"), CallDelta(0, '{"a":'), CallDelta(0, "1}"), PartEnd(0),
        CallStart(1, "call_b", "sql", "custom"), CallDelta(1, "SELECT 1"), PartEnd(1),
        finish=Finish("tool_calls"),
    )
    custom = {"id": "ctc_2", "type": "custom_tool_call", "status": "completed", "call_id": "call_b", "name": "sql",
              "input": "SELECT 1"}
    assert told == [
        ("response.output_item.added", {"output_index": 0, "item": call(status="in_progress")}),
        ("response.function_call_arguments.delta", {"item_id": "fc_1", "output_index": 0, "delta": '{"a":'}),
        ("response.function_call_arguments.delta", {"item_id": "fc_1", "output_index": 0, "delta": "1}"}),
        ("response.function_call_arguments.done",
         {"item_id": "fc_1", "output_index": 0, "name": "f", "arguments": '{"a":1}'}),
        ("response.output_item.done", {"output_index": 0, "item": call(arguments='{"a":1}')}),
        ("response.output_item.added",
         {"output_index": 1, "item": {**custom, "status": "in_progress", "input": ""}}),
        ("response.custom_tool_call_input.delta", {"item_id": "ctc_2", "output_index": 1, "delta": "SELECT 1"}),
        ("response.custom_tool_call_input.done", {"item_id": "ctc_2", "output_index": 1, "input": "SELECT 1"}),
        ("response.output_item.done", {"output_index": 1, "item": custom}),
    ]
    assert last == ("response.completed", {"response": begun("completed", [call(arguments='{"a":1}'), custom])})


def test_interleaved_calls_come_one_after_the_other():
    told, last = stream(
        CallStart(0, "call_a", "f"), CallStart(1, "call_b", "g"), CallDelta(1, "{}"), CallDelta(0, "{}"), PartEnd(1),
        PartEnd(0), finish=Finish("tool_calls"),
    )
    assert [(name, data["output_index"]) for name, data in told] == [
        (f"response.{kind}", index)
        for index in (0, 1)
        for kind in ("output_item.added", "function_call_arguments.delta", "function_call_arguments.done",
                     "output_item.done")
    ]
    assert [item["call_id"] for item in last[1]["response"]["output"]] == ["call_a", "call_b"]


def test_a_call_without_arguments():
    told, last = stream(CallStart(0, "call_a", "f"), PartEnd(0), finish=Finish("tool_calls"))
    assert [name for name, _ in told] == [
        "response.output_item.added", "response.function_call_arguments.done", "response.output_item.done"
    ]
    assert last[1]["response"]["output"] == [call(arguments="")]


def test_namespace_and_caller_of_a_call():
    extras = {NAME: {"id": "fc_up", "namespace": "crm", "caller": {"type": "direct"}}}
    told, _ = stream(CallStart(0, "call_a", "f", extras=extras), CallDelta(0, "{}"), PartEnd(0))
    more = {"namespace": "crm", "caller": {"type": "direct"}}
    assert told[0][1]["item"] == call("fc_up", status="in_progress", **more)
    assert told[-1][1]["item"] == call("fc_up", "{}", **more)


def test_refusal():
    told, last = stream(RefusalDelta(0, "No, "), RefusalDelta(0, "sorry."), PartEnd(0))
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    refused = {"type": "refusal", "refusal": "No, sorry."}
    assert told == [
        ("response.output_item.added", {"output_index": 0, "item": message(status="in_progress")}),
        ("response.content_part.added", {**place, "part": {"type": "refusal", "refusal": ""}}),
        ("response.refusal.delta", {**place, "delta": "No, "}),
        ("response.refusal.delta", {**place, "delta": "sorry."}),
        ("response.refusal.done", {**place, "refusal": "No, sorry."}),
        ("response.content_part.done", {**place, "part": refused}),
        ("response.output_item.done", {"output_index": 0, "item": message(content=[refused])}),
    ]
    assert last[0] == "response.completed"


def thought(id="rs_1", summary=(), **more):
    return {"id": id, "type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in summary],
            **more}


OWN_THOUGHT = [
    Opened(0, "reasoning", {NAME: {"id": "rs_up"}}),
    ReasoningDelta(0, "**Plan**"),
    ReasoningDelta(0, "Mo", 1),
    ReasoningDelta(0, "re", 1),
    Signed(0, NAME, id="rs_up", data="sealed", origin="openai/gpt-5"),
    PartEnd(0),
]


def test_summary():
    told, last = stream(*OWN_THOUGHT, TextDelta(1, "x"), PartEnd(1), to=reply(sealed=True))

    def place(index):
        return {"item_id": "rs_up", "output_index": 0, "summary_index": index}

    def entry(text):
        return {"type": "summary_text", "text": text}

    item = thought("rs_up", ["**Plan**", "More"], encrypted_content="sealed")
    assert told[:11] == [
        ("response.output_item.added", {"output_index": 0, "item": thought("rs_up")}),
        ("response.reasoning_summary_part.added", {**place(0), "part": entry("")}),
        ("response.reasoning_summary_text.delta", {**place(0), "delta": "**Plan**"}),
        ("response.reasoning_summary_text.done", {**place(0), "text": "**Plan**"}),
        ("response.reasoning_summary_part.done", {**place(0), "part": entry("**Plan**")}),
        ("response.reasoning_summary_part.added", {**place(1), "part": entry("")}),
        ("response.reasoning_summary_text.delta", {**place(1), "delta": "Mo"}),
        ("response.reasoning_summary_text.delta", {**place(1), "delta": "re"}),
        ("response.reasoning_summary_text.done", {**place(1), "text": "More"}),
        ("response.reasoning_summary_part.done", {**place(1), "part": entry("More")}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
    ]
    assert last[1]["response"]["output"] == [item, message(content=[part("x")])]


def test_encrypted_content_only_where_asked():
    _, last = stream(*OWN_THOUGHT, TextDelta(1, "x"), PartEnd(1))
    assert last[1]["response"]["output"][0] == thought("rs_up", ["**Plan**", "More"])


def test_raw_reasoning():
    told, last = stream(
        Opened(0, "reasoning", {NAME: {"id": "rs_up"}}), ReasoningDelta(0, "Hm. ", 1000),
        ReasoningDelta(0, "Well.", 1000), Signed(0, NAME, id="rs_up", extras={NAME: {"raw": 1}}), PartEnd(0),
        TextDelta(1, "x"), PartEnd(1),
    )
    place = {"item_id": "rs_up", "output_index": 0, "content_index": 0}
    item = thought("rs_up", content=[{"type": "reasoning_text", "text": "Hm. Well."}])
    assert told[:7] == [
        ("response.output_item.added", {"output_index": 0, "item": thought("rs_up")}),
        ("response.content_part.added", {**place, "part": {"type": "reasoning_text", "text": ""}}),
        ("response.reasoning_text.delta", {**place, "delta": "Hm. "}),
        ("response.reasoning_text.delta", {**place, "delta": "Well."}),
        ("response.reasoning_text.done", {**place, "text": "Hm. Well."}),
        ("response.content_part.done", {**place, "part": {"type": "reasoning_text", "text": "Hm. Well."}}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
    ]
    assert last[1]["response"]["output"][0] == item


MIND = [ReasoningDelta(0, "mind"), Signed(0, "anthropic-messages", signature="sig", origin="anthropic/claude"),
        PartEnd(0), TextDelta(1, "x"), PartEnd(1)]
REDACTED = [Signed(0, "anthropic-messages", data="redacted", origin="anthropic/claude"), PartEnd(0),
            TextDelta(1, "x"), PartEnd(1)]


def test_reasoning_of_others_is_a_summary_with_a_reference():
    _, last = stream(*MIND, to=reply(sealed=True))
    item = last[1]["response"]["output"][0]
    reference = item.pop("encrypted_content")
    assert item == thought(summary=["mind"])
    assert unpack(reference, "mind") == Reasoning(
        "mind", "anthropic-messages", "anthropic/claude", signature="sig", sections=("mind",)
    )
    _, last = stream(*MIND)
    assert last[1]["response"]["output"][0] == thought(summary=["mind"])


def test_redacted_reasoning_of_others_is_a_reference_alone():
    _, last = stream(*REDACTED, to=reply(sealed=True))
    item = last[1]["response"]["output"][0]
    assert unpack(item.pop("encrypted_content")) == Reasoning(
        "", "anthropic-messages", "anthropic/claude", data="redacted"
    )
    assert item == thought()
    _, last = stream(*REDACTED)
    assert last[1]["response"]["output"] == [message(content=[part("x")])]


def test_reasoning_that_nobody_signed():
    _, last = stream(ReasoningDelta(0, "mind"), PartEnd(0), TextDelta(1, "x"), PartEnd(1), to=reply(sealed=True))
    assert last[1]["response"]["output"][0] == thought(summary=["mind"])


def test_messages_of_the_same_api_keep_id_and_phase():
    about = {NAME: {"id": "msg_up", "phase": "commentary"}}
    other = {NAME: {"id": "msg_up2", "phase": "final_answer"}}
    told, last = stream(
        Opened(0, "text", about), TextDelta(0, "a"), PartEnd(0),
        Opened(1, "text", about), TextDelta(1, "b"), PartEnd(1),
        Opened(2, "text", other), TextDelta(2, "c"), PartEnd(2),
    )
    first = message("msg_up", content=[part("a"), part("b")], phase="commentary")
    assert told[0][1]["item"] == {**first, "status": "in_progress", "content": []}
    assert last[1]["response"]["output"] == [first, message("msg_up2", content=[part("c")], phase="final_answer")]


def test_texts_of_others_make_one_message():
    told, last = stream(TextDelta(0, "a"), PartEnd(0), TextDelta(1, "b"), PartEnd(1), CallStart(2, "call_a", "f"),
                        PartEnd(2), TextDelta(3, "c"), PartEnd(3))
    assert last[1]["response"]["output"] == [
        message(content=[part("a"), part("b")]), call("fc_2"), message("msg_3", content=[part("c")])
    ]
    assert [data["content_index"] for name, data in told if name == "response.content_part.added"] == [0, 1, 0]


def test_citations():
    own = {"type": "file_path", "file_id": "f", "index": 0}
    told, last = stream(
        TextDelta(0, "a"), Cited(0, Citation("https://x.org", "X", 0, 1)), Cited(0, Citation(quote="q")),
        Cited(0, Citation(extras={NAME: own})), PartEnd(0),
    )
    link = {"type": "url_citation", "start_index": 0, "end_index": 1, "url": "https://x.org", "title": "X"}
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    assert told[3:5] == [
        ("response.output_text.annotation.added", {**place, "annotation_index": 0, "annotation": link}),
        ("response.output_text.annotation.added", {**place, "annotation_index": 1, "annotation": own}),
    ]
    assert last[1]["response"]["output"] == [message(content=[part("a", annotations=[link, own])])]


TOKEN = {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []}


OTHER = {"token": "b", "logprob": -0.25, "bytes": [98], "top_logprobs": []}


def test_log_probabilities():
    events = [CallStart(0, "call_a", "f"), CallDelta(0, "{}"), PartEnd(0),
              TextDelta(1, "a"), Logprobs(1, (TOKEN,)), TextDelta(1, "-"), TextDelta(1, "b"), Logprobs(1, (OTHER,)),
              PartEnd(1)]
    told, last = stream(*events, to=reply(scored=True))
    deltas = [(data["delta"], data["logprobs"]) for name, data in told if name == "response.output_text.delta"]
    assert deltas == [("a", [TOKEN]), ("-", []), ("b", [OTHER])]
    done = [data["logprobs"] for name, data in told if name == "response.output_text.done"]
    assert done == [[TOKEN, OTHER]]
    items = [call(arguments="{}"), message("msg_2", content=[part("a-b", logprobs=[TOKEN, OTHER])])]
    assert last[1]["response"]["output"] == items
    encoder = Encoder(reply(scored=True))
    late = parse(b"".join(encoder.feed([event]) for event in [*events, STOP]) + encoder.close())
    assert late[-1] == last
    told, last = stream(*events)
    assert all(data["logprobs"] == [] for _, data in told if "logprobs" in data)
    assert last[1]["response"]["output"][1]["content"] == [part("a-b")]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        (Finish("length", "max_tokens"), "max_output_tokens"),
        (Finish("length", "max_messages"), "max_messages"),
        (Finish("length"), "max_output_tokens"),
        (Finish("content_filter", "refusal"), "content_filter"),
        (Finish("content_filter", "content_filter"), "content_filter"),
    ],
)
def test_incomplete(finish, reason):
    told, last = stream(CallStart(0, "call_a", "f"), CallDelta(0, "{}"), PartEnd(0), TextDelta(1, "Hal"), PartEnd(1),
                        finish=finish)
    items = [call(arguments="{}"), message("msg_2", "incomplete", [part("Hal")])]
    assert last == (
        "response.incomplete",
        {"response": begun("incomplete", items, incomplete_details={"reason": reason})},
    )
    assert told[-1] == ("response.output_item.done", {"output_index": 1, "item": items[1]})


def test_a_call_cut_by_the_limit():
    _, last = stream(CallStart(0, "call_a", "f"), CallDelta(0, '{"a":'), finish=Finish("length"))
    assert last[1]["response"]["output"] == [call(arguments='{"a":', status="incomplete")]


def test_an_answer_without_anything():
    told, last = stream(finish=Finish("length"))
    assert told == []
    assert last[1]["response"]["output"] == []


def test_fields_of_an_upstream_of_the_same_api():
    _, last = stream(TextDelta(0, "x"), finish=Finish("stop", extras={NAME: {
        "service_tier": "priority", "temperature": 0.7, "input_transformations": [], "id": "theirs"}}))
    response = last[1]["response"]
    assert response["id"] == "resp_1"
    assert (response["service_tier"], response["temperature"], response["input_transformations"]) == (
        "priority", 0.7, []
    )
    assert response["tool_choice"] == "auto"


def test_unknown_counts_of_the_same_api():
    _, last = stream(TextDelta(0, "x"), usage=Usage(input=1, output=2, extras={NAME: {"cost": 0.5}}))
    assert last[1]["response"]["usage"]["cost"] == 0.5


SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "in_progress"}
FOUND = {"type": "web_search_call", "id": "ws_1", "status": "completed"}


def test_built_in_items_pass_with_our_numbers():
    told, last = stream(
        TextDelta(0, "a"), PartEnd(0),
        Pass(NAME, "response.output_item.added",
             {"type": "response.output_item.added", "sequence_number": 17, "output_index": 4, "item": SEARCH}),
        Pass(NAME, "response.web_search_call.searching",
             {"type": "response.web_search_call.searching", "sequence_number": 18, "output_index": 4,
              "item_id": "ws_1"}),
        Native(1, NAME, FOUND), PartEnd(1),
        TextDelta(2, "b"), PartEnd(2),
    )
    assert [(name, data.get("output_index")) for name, data in told] == [
        ("response.output_item.added", 0), ("response.content_part.added", 0), ("response.output_text.delta", 0),
        ("response.output_text.done", 0), ("response.content_part.done", 0), ("response.output_item.done", 0),
        ("response.output_item.added", 1), ("response.web_search_call.searching", 1),
        ("response.output_item.done", 1),
        ("response.output_item.added", 2), ("response.content_part.added", 2), ("response.output_text.delta", 2),
        ("response.output_text.done", 2), ("response.content_part.done", 2), ("response.output_item.done", 2),
    ]
    assert told[6][1]["item"] == SEARCH
    assert last[1]["response"]["output"][1] == FOUND


def test_a_built_in_item_told_only_when_done():
    told, last = stream(Native(0, NAME, FOUND), PartEnd(0))
    assert [name for name, _ in told] == ["response.output_item.added", "response.output_item.done"]
    assert last[1]["response"]["output"] == [FOUND]


def test_native_blocks_of_others():
    _, last = stream(Native(0, "anthropic-messages", {"type": "server_tool_use"}), PartEnd(0),
                     Native(1, "anthropic-messages", {"type": "x"}, "searched"), PartEnd(1))
    assert last[1]["response"]["output"] == [message(content=[part("searched")])]


@pytest.mark.parametrize("api", ["openai-chat", "anthropic-messages"])
def test_unknown_events_of_others_do_not_pass(api):
    assert stream(Pass(api, "ping", {"type": "ping"}))[0] == []


FAILURE = Failure("overloaded_error", "busy", 529, "over", "model", 3.0)
ATTEMPTS = (Attempt("a/m", "overloaded_error", 529, 0.25),)


@pytest.mark.parametrize("before", [(), (Started(),), (TextDelta(0, "x"),), (CallStart(0, "call_a", "f"), PartEnd(0))])
def test_failure(before):
    encoder = Encoder(reply())
    data = encoder.feed(before) if before else b""
    told = parse(data + encoder.fail(FAILURE, ATTEMPTS))
    assert [name for name, _ in told[:2]] == ["response.created", "response.in_progress"]
    error = {"message": "busy", "type": "overloaded_error", "param": "model", "code": "over",
             "attempts": [{"target": "a/m", "type": "overloaded_error", "status": 529, "seconds": 0.25}]}
    assert told[-2] == ("error", {"error": error, "code": "over", "message": "busy", "param": "model"})
    assert told[-1] == (
        "response.failed",
        {"response": begun("failed", error={"code": "server_error", "message": "busy"})},
    )


@pytest.mark.parametrize(
    ("type", "code"),
    [
        ("rate_limit_error", "rate_limit_exceeded"), ("content_filter", "invalid_prompt"),
        ("context_length_exceeded", "context_length_exceeded"), ("billing_error", "insufficient_quota"),
        ("stream_interrupted", "server_error"), ("timeout_error", "server_error"),
    ],
)
def test_codes_of_failed_responses(type, code):
    told = parse(Encoder(reply()).fail(Failure(type, "m"), ()))
    assert told[-1][1]["response"]["error"] == {"code": code, "message": "m"}
    assert told[-2][1]["error"]["type"] == type


def test_a_failed_response_has_the_items_that_were_complete():
    encoder = Encoder(reply())
    data = encoder.feed([TextDelta(0, "x"), PartEnd(0), CallStart(1, "call_a", "f"), CallDelta(1, "{")])
    told = parse(data + encoder.fail(FAILURE, ()))
    assert told[-1][1]["response"]["output"] == [message(content=[part("x")])]


EVERYTHING = [
    Started("up", "m"),
    *OWN_THOUGHT,
    Opened(1, "text", {NAME: {"id": "msg_up", "phase": "commentary"}}), TextDelta(1, "a"),
    Logprobs(1, (TOKEN,)), Cited(1, Citation("https://x.org", "X", 0, 1)), PartEnd(1),
    Native(2, NAME, FOUND), PartEnd(2),
    TextDelta(3, "b"), PartEnd(3), TextDelta(4, "c"), PartEnd(4), RefusalDelta(5, "no"), PartEnd(5),
    CallStart(6, "call_a", "f", extras={NAME: {"namespace": "crm"}}), CallDelta(6, '{"a":1}'), PartEnd(6),
    CallStart(7, "call_b", "sql", "custom"), CallDelta(7, "SELECT 1"), PartEnd(7),
    ReasoningDelta(8, "mind"), Signed(8, "anthropic-messages", signature="sig", origin="o"), PartEnd(8),
    Signed(9, "anthropic-messages", data="redacted", origin="o"), PartEnd(9),
    Opened(10, "reasoning", {NAME: {"id": "rs_raw"}}), ReasoningDelta(10, "Hm.", 1000),
    Signed(10, NAME, id="rs_raw", extras={NAME: {"raw": 1}}), PartEnd(10),
    Native(11, "anthropic-messages", {"type": "x"}, "searched"), PartEnd(11),
    UsageUpdate(Usage(input=9, output=4, reasoning=1)),
]


@pytest.mark.parametrize("finish", [Finish("tool_calls", "completed"), Finish("length", "max_output_tokens")])
@pytest.mark.parametrize("asked", [True, False])
def test_the_last_event_holds_the_whole_answer(asked, finish):
    events = [*EVERYTHING, finish]
    encoder = Encoder(reply(sealed=asked, scored=asked))
    told = parse(encoder.feed(events) + encoder.close())
    assert told[-1][1]["response"] == json.loads(whole(fold(events), reply(sealed=asked, scored=asked)))
    done = [data["item"] for name, data in told if name == "response.output_item.done"]
    assert told[-1][1]["response"]["output"] == done


def test_fed_one_by_one_or_at_once():
    events = [*EVERYTHING, Finish("stop")]
    at_once, one_by_one = Encoder(reply(sealed=True)), Encoder(reply(sealed=True))
    data = at_once.feed(events) + at_once.close()
    assert b"".join(one_by_one.feed([event]) for event in events) + one_by_one.close() == data


TEXTS = ["x", "", "ä€🌍", '"\\/\b\f\n\r\t', "\x00\x1f\x7f", "  ", "\ud800", "a" * 5000]


@pytest.mark.parametrize("text", TEXTS)
def test_prepared_deltas_say_the_same_as_whole_objects(text):
    clean = text.replace("\ud800", "�")
    for begin, delta, name, place in (
        (TextDelta(0, "-"), TextDelta(0, text), "response.output_text.delta",
         {"item_id": "msg_1", "output_index": 0, "content_index": 0}),
        (RefusalDelta(0, "-"), RefusalDelta(0, text), "response.refusal.delta",
         {"item_id": "msg_1", "output_index": 0, "content_index": 0}),
        (ReasoningDelta(0, "-"), ReasoningDelta(0, text), "response.reasoning_summary_text.delta",
         {"item_id": "rs_1", "output_index": 0, "summary_index": 0}),
        (CallStart(0, "c", "f"), CallDelta(0, text), "response.function_call_arguments.delta",
         {"item_id": "fc_1", "output_index": 0}),
        (CallStart(0, "c", "f", "custom"), CallDelta(0, text), "response.custom_tool_call_input.delta",
         {"item_id": "ctc_1", "output_index": 0}),
    ):
        encoder = Encoder(reply())
        number = encoder.feed([begin]).count(b"event: ")
        more = {"logprobs": []} if name == "response.output_text.delta" else {}
        event = {"type": name, "sequence_number": number, **place, "delta": clean, **more}
        expected = b"event: " + name.encode() + b"\ndata: " + json.dumps(event) + b"\n\n"
        assert encoder.feed([delta]) == (expected if text else b"")
