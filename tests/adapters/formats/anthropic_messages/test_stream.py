"""Upstream streams: what each event means, in pieces of any size, cut anywhere, and what the grammar forbids."""

import json

import pytest
from messages_wire import (
    DONE,
    arguments,
    block,
    call_block,
    delta,
    end,
    frame,
    sse,
    start,
    stop,
    text,
    text_block,
    whole,
)

from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Failed,
    Finish,
    Native,
    Opened,
    PartEnd,
    Pass,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Reading
from adapters.formats.anthropic_messages import API
from adapters.model import Citation, Usage

N = "anthropic-messages"
READING = Reading(model="claude-sonnet-4-5", origin="anthropic/claude", stream=True)
CITED = {"type": "char_location", "cited_text": "q", "document_index": 0, "document_title": "T",
         "start_char_index": 0, "end_char_index": 1}

TURN = [
    (start(usage={"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 4, "service_tier": "standard"}),
     [Started("msg_1", "claude-sonnet-4-5"),
      UsageUpdate(Usage(14, 1, 4, extras={N: {"service_tier": "standard"}}))]),
    ({"type": "ping"}, []),
    (block(0, "thinking", thinking="", signature=""), []),
    (delta(0, "thinking_delta", thinking="Let me "), [ReasoningDelta(0, "Let me ")]),
    (delta(0, "thinking_delta", thinking="see."), [ReasoningDelta(0, "see.")]),
    (delta(0, "signature_delta", signature="old"), []),
    (delta(0, "signature_delta", signature="SIG=="), []),
    (stop(0), [Signed(0, N, signature="SIG==", origin="anthropic/claude"), PartEnd(0)]),
    (block(1, "redacted_thinking", data="RED"), [Signed(1, N, data="RED", origin="anthropic/claude")]),
    (stop(1), [PartEnd(1)]),
    (text_block(2), []),
    (text(2, "Grüße 🌧️ "), [TextDelta(2, "Grüße 🌧️ ")]),
    (text(2, "東京"), [TextDelta(2, "東京")]),
    (delta(2, "citations_delta", citation=CITED), [Cited(2, Citation(title="T", quote="q", extras={N: CITED}))]),
    (stop(2), [PartEnd(2)]),
    (call_block(3, "toolu_a", "get_weather"), [CallStart(3, "toolu_a", "get_weather")]),
    (arguments(3, ""), []),
    (arguments(3, '{"city": "K'), [CallDelta(3, '{"city": "K')]),
    (arguments(3, 'öln",  "n":1e2}'), [CallDelta(3, 'öln",  "n":1e2}')]),
    (stop(3), [PartEnd(3)]),
    (call_block(4, "toolu_b", "snooze"), [CallStart(4, "toolu_b", "snooze")]),
    (stop(4), [CallDelta(4, "{}"), PartEnd(4)]),
    (end("tool_use", {"input_tokens": 11, "output_tokens": 40, "cache_read_input_tokens": None,
                      "output_tokens_details": {"thinking_tokens": 12}}),
     [UsageUpdate(Usage(15, 40, 4, None, 12, {N: {"service_tier": "standard"}}))]),
    (DONE, [Finish("tool_calls", "tool_use")]),
]
EVENTS = [event for _, events in TURN for event in events]
BYTES = sse(*(native for native, _ in TURN))


def decoded(data, reading=READING):
    decoder = API.decoder(reading)
    return decoder.feed(data) + decoder.close()


def test_event_by_event():
    decoder = API.decoder(READING)
    for native, events in TURN:
        assert decoder.feed(frame(native)) == events
    assert decoder.close() == []


def test_whole_and_byte_by_byte():
    assert decoded(BYTES) == EVENTS
    decoder = API.decoder(READING)
    assert [event for i in range(len(BYTES)) for event in decoder.feed(BYTES[i : i + 1])] == EVENTS
    assert decoder.close() == []


def test_split_anywhere():
    for at in range(1, len(BYTES)):
        decoder = API.decoder(READING)
        assert decoder.feed(BYTES[:at]) + decoder.feed(BYTES[at:]) + decoder.close() == EVENTS, at


@pytest.mark.parametrize("cut", range(len(TURN)))
def test_cut_is_an_error(cut):
    decoder = API.decoder(READING)
    decoder.feed(sse(*(native for native, _ in TURN[:cut])))
    with pytest.raises(Malformed, match="without message_stop"):
        decoder.close()


def test_cut_inside_an_event_is_an_error():
    decoder = API.decoder(READING)
    decoder.feed(BYTES[:-5])
    with pytest.raises(Malformed):
        decoder.close()


def test_last_blank_line_may_be_missing():
    assert decoded(BYTES[:-1]) == EVENTS


def test_unknown_events_between_all_others():
    odd = {"type": "billing_hint", "x": 1}
    data = b"".join(frame(odd) + frame(native) for native, _ in TURN)
    assert [e for e in decoded(data) if not isinstance(e, Pass)] == EVENTS
    assert decoded(data).count(Pass(N, "billing_hint", odd)) == len(TURN)


def test_type_comes_from_the_data_else_from_the_name():
    unnamed = b"".join(b"data: " + json.dumps(native).encode() + b"\n\n" for native, _ in TURN)
    assert decoded(unnamed) == EVENTS
    typeless = frame(start()) + b'event: error\ndata: {"error":{"type":"api_error","message":"m"}}\n\n'
    assert decoded(typeless)[-1] == Failed(Failure("api_error", "m"))
    assert decoded(b'data: {"amazon-bedrock-invocationMetrics":{}}\n\n' + BYTES) == EVENTS


def test_what_follows_the_end_is_nothing():
    assert decoded(BYTES + sse({"type": "ping"}, text(9, "x")) + b"data: [DONE]\n\ndata: {}\n\n") == EVENTS


def test_repeated_start_of_the_same_message_is_harmless():
    assert decoded(sse(start(), start(), text_block(0), text(0, "a"), stop(0), end("end_turn"), DONE))[:1] == [
        Started("msg_1", "claude-sonnet-4-5")]


def stopped(*natives):
    return sse(start(), *natives)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (sse(text_block(0)), "out of place"),
        (sse(text(0, "a")), "not open"),
        (sse(stop(0)), "not open"),
        (sse(DONE), "before the message was complete"),
        (sse(end("end_turn")), "out of place"),
        (stopped(start("msg_2")), "second message_start"),
        (stopped(text(0, "a")), "not open"),
        (stopped(text_block(0), text(1, "a")), "not open"),
        (stopped(text_block(0), stop(1)), "not open"),
        (stopped(text_block(0), text_block(1)), "out of place"),
        (stopped(text_block(0), stop(0), text(0, "a")), "not open"),
        (stopped(text_block(0), stop(0), text_block(0)), "index 0 after 0"),
        (stopped(block("0", "text", text="")), "index '0'"),
        (stopped({"type": "content_block_start", "index": 0, "content_block": {}}), "typed block"),
        (stopped({"type": "content_block_start", "index": 0}), "typed block"),
        (stopped(text_block(0), arguments(0, "{}")), "input_json_delta in a text block"),
        (stopped(call_block(0, "t", "f"), text(0, "a")), "text_delta in a tool_use block"),
        (stopped(text_block(0), {"type": "content_block_delta", "index": 0}), "without a delta"),
        (stopped(text_block(0), {"type": "content_block_delta", "index": 0, "delta": {}}), "typed delta"),
        (stopped(text_block(0), delta(0, "text_delta", text=1)), "no text"),
        (stopped(block(0, "tool_use", id="t", input={})), "without a name"),
        (stopped(block(0, "tool_use", id=1, name="f", input={})), "no text"),
        (stopped(block(0, "redacted_thinking")), "without data"),
        (stopped(text_block(0), end("end_turn")), "out of place"),
        (stopped(text_block(0), DONE), "before the message was complete"),
        (stopped(end(None), DONE), "before the message was complete"),
        (stopped(end("end_turn"), text_block(0)), "out of place"),
        (sse({"type": "message_start"}), "without a message"),
        (b"data: {\n\n", "no JSON"),
        (b"data: [1]\n\n", "no object"),
        (b"data: <html>\n\n", "no JSON"),
    ],
)
def test_forbidden(data, message):
    with pytest.raises(Malformed, match=message):
        decoded(data)


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, Failure("overloaded_error", "Overloaded")),
        ({"type": "api_error", "message": "Internal"}, Failure("api_error", "Internal")),
        ({"type": "rate_limit_error", "message": "slow"}, Failure("rate_limit_error", "slow")),
        ({"type": "timeout_error", "message": "late"}, Failure("timeout_error", "late")),
        ({"type": "invalid_request_error", "message": "prompt is too long: 3 > 2"},
         Failure("context_length_exceeded", "prompt is too long: 3 > 2")),
        ({"type": "authentication_error", "message": "no"}, Failure("upstream_auth_error", "no")),
        ({"type": "new_error", "message": "?"}, Failure("api_error", "?")),
        ({}, Failure("api_error", "the upstream failed without a message")),
        ("worker died", Failure("api_error", "worker died")),
    ],
)
def test_error_event(error, failure):
    first = {"type": "error", "error": error}
    assert decoded(sse({"type": "ping"}, first)) == [Failed(failure)]
    later = sse(start(), text_block(0), text(0, "Look"), first, text(0, "x"))
    assert decoded(later)[-2:] == [TextDelta(0, "Look"), Failed(failure)]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("end_turn", "stop"), ("stop_sequence", "stop"), ("tool_use", "tool_calls"), ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"), ("pause_turn", "stop"), ("refusal", "content_filter"),
        ("compaction", "stop"), ("sensitive", "content_filter"), ("something_new", "stop"),
    ],
)
def test_stop_reasons(word, reason):
    data = stopped(text_block(0), text(0, "a"), stop(0), end(word), DONE)
    assert decoded(data)[-1] == Finish(reason, word)
    assert API.whole(whole({"type": "text", "text": "a"}, stop_reason=word), READING, {})[-1] == Finish(reason, word)


def test_stop_sequence_and_details():
    details = {"type": "refusal", "category": "bio", "explanation": None}
    kept = {"stop_details": details, "context_management": {"applied_edits": []}}
    more = {**end("stop_sequence", stop_details=details, container=None), "context_management": {"applied_edits": []}}
    more["delta"]["stop_sequence"] = "END"
    assert decoded(stopped(more, DONE))[-1] == Finish("stop", "stop_sequence", "END", extras={N: kept})


def test_a_later_message_delta_that_says_nothing_takes_nothing_back():
    bare = {"type": "message_delta", "delta": {"stop_reason": None}, "usage": None}
    events = decoded(stopped(end("max_tokens", {"output_tokens": 7}), bare, DONE))
    assert events[1:] == [UsageUpdate(Usage(10, 1)), UsageUpdate(Usage(10, 7)), Finish("length", "max_tokens")]


@pytest.mark.parametrize(("after", "word", "legal"), [
    (True, "end_turn", True), (False, "end_turn", False), (True, "refusal", False)])
def test_empty_answer(after, word, legal):
    reading = Reading(model="m", after_results=after)
    assert decoded(stopped(end(word), DONE), reading)[-1].may_be_empty is legal
    assert API.whole(whole(stop_reason=word), reading, {})[-1].may_be_empty is legal


def test_input_that_came_with_the_block():
    given = block(0, "tool_use", id="t", name="f", input={"b": 1, "a": 12345678901234567890123})
    assert decoded(stopped(given, stop(0), end("tool_use"), DONE))[2:4] == [
        CallStart(0, "t", "f"), CallDelta(0, '{"b":1,"a":12345678901234567890123}')]
    both = stopped(given, arguments(0, '{"x":1}'), stop(0), end("tool_use"), DONE)
    assert [e.text for e in decoded(both) if isinstance(e, CallDelta)] == ['{"x":1}']


def test_calls_without_id_and_with_own_fields():
    odd = block(0, "tool_use", id=None, name="f", input={}, caller={"type": "direct"}, toolset_name="t")
    assert decoded(stopped(odd, stop(0), end("tool_use"), DONE))[2] == CallStart(
        0, "", "f", extras={N: {"caller": {"type": "direct"}, "toolset_name": "t"}})


def test_server_tools_come_whole_and_in_place():
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "x", "url": "u"}]}
    data = stopped(
        text_block(0), text(0, "I look."), stop(0),
        block(1, "server_tool_use", id="srvtoolu_1", name="web_search", input={}),
        arguments(1, '{"query": '), arguments(1, '"rain"}'), stop(1),
        {"type": "content_block_start", "index": 2, "content_block": found}, stop(2),
        block(3, "compaction", content=None), delta(3, "compaction_delta", content="so far", encrypted_content="E"),
        stop(3), end("end_turn"), DONE,
    )
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "rain"}}
    compact = {"type": "compaction", "content": "so far", "encrypted_content": "E"}
    assert decoded(data)[2:-2] == [
        TextDelta(0, "I look."), PartEnd(0), Native(1, N, call), PartEnd(1), Native(2, N, found), PartEnd(2),
        Native(3, N, compact), PartEnd(3),
    ]


def test_blocks_in_which_nothing_was_said_have_no_part():
    data = stopped(text_block(0), stop(0), block(1, "thinking", thinking="", signature=""), stop(1), text_block(2),
                   text(2, "a"), stop(2), end("end_turn"), DONE)
    assert decoded(data)[2:4] == [TextDelta(0, "a"), PartEnd(0)]


def test_thinking_that_is_not_shown_keeps_its_signature():
    data = stopped(block(0, "thinking", thinking="", signature=""), delta(0, "signature_delta", signature="S"),
                   stop(0), end("end_turn"), DONE)
    assert decoded(data)[2:4] == [Signed(0, N, signature="S", origin="anthropic/claude"), PartEnd(0)]


def test_unknown_deltas_and_fields_pass():
    counted = delta(0, "thinking_delta", thinking="hm", estimated_tokens=4)
    silent = delta(0, "thinking_delta", thinking="", estimated_tokens=8)
    odd = delta(1, "sparkle_delta", stars=3)
    data = stopped(block(0, "thinking", thinking=""), silent, silent, counted, stop(0), text_block(1), odd,
                   text(1, "a"), stop(1), end("end_turn"), DONE)
    assert decoded(data)[2:-2] == [
        Opened(0, "reasoning", {N: {}}),
        Pass(N, "content_block_delta", silent),
        Pass(N, "content_block_delta", silent),
        ReasoningDelta(0, "hm"),
        Pass(N, "content_block_delta", delta(0, "thinking_delta", thinking="", estimated_tokens=4)),
        PartEnd(0),
        Opened(1, "text", {N: {}}),
        Pass(N, "content_block_delta", odd),
        TextDelta(1, "a"),
        PartEnd(1),
    ]


SAID = {"type": "text", "text": "Grüße 🌧️ 東京", "citations": [CITED]}
WHOLE = whole(
    {"type": "thinking", "thinking": "Let me see.", "signature": "SIG=="},
    {"type": "redacted_thinking", "data": "RED"},
    SAID,
    {"type": "tool_use", "id": "toolu_a", "name": "get_weather", "input": {"city": "Köln", "n": 100.0}},
    {"type": "tool_use", "id": "toolu_b", "name": "snooze", "input": {}},
    stop_reason="tool_use",
    usage={"input_tokens": 11, "output_tokens": 40, "cache_read_input_tokens": 4, "service_tier": "standard",
           "output_tokens_details": {"thinking_tokens": 12}},
)


def test_the_stream_amounts_to_the_whole_answer():
    streamed, at_once = fold(EVENTS), fold(API.whole(WHOLE, READING, {}))
    calls = [(p.id, p.name, json.loads(p.arguments)) for p in at_once.parts[3:]]
    assert [(p.id, p.name, json.loads(p.arguments)) for p in streamed.parts[3:]] == calls
    assert streamed.parts[:3] == at_once.parts[:3]
    assert (streamed.id, streamed.model, streamed.stop, streamed.native_stop, streamed.usage, streamed.extras) == (
        at_once.id, at_once.model, at_once.stop, at_once.native_stop, at_once.usage, at_once.extras)
