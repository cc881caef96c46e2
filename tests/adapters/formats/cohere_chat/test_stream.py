"""Answers: what each event means, in pieces of any size, cut anywhere, and what the API never says."""

import json

import pytest

from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Failed,
    Finish,
    Logprobs,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Reading
from adapters.formats.cohere_chat import API
from adapters.model import Citation, Reasoning, Text, ToolCall, Usage
from adapters.restore import Restorer
from adapters.tools.ids import COHERE

READING = Reading("command-a-03-2025", "cohere/command-a-03-2025", True)
DOCUMENT = {"type": "document", "id": "d1", "document": {"url": "https://e.x/d", "title": "D"}}
OUTPUT = {"type": "tool", "id": "t1:0", "tool_output": {"title": "T", "url": 3}}
USAGE = {"billed_units": {"input_tokens": 20, "output_tokens": 10}, "tokens": {
    "input_tokens": 900.0, "output_tokens": 40}, "cached_tokens": 5.0}


def frame(event):
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def event(kind, index=None, **message):
    made = {"type": kind} if index is None else {"type": kind, "index": index}
    return {**made, "delta": {"message": message}} if message else made


START = {"type": "message-start", "id": "c1", "delta": {"message": {
    "role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}}}


def end(word="COMPLETE", **delta):
    return {"type": "message-end", "id": "c1", "delta": {"finish_reason": word, **delta}}


def plan(text):
    return event("tool-plan-delta", tool_plan=text)


def begin(index, kind="text", text=""):
    return event("content-start", index, content={"type": kind, kind: text})


def say(index, text, kind="text"):
    return event("content-delta", index, content={kind: text})


def call(index, found, name, arguments=""):
    return event("tool-call-start", index, tool_calls={
        "id": found, "type": "function", "function": {"name": name, "arguments": arguments}})


def argue(index, text):
    return event("tool-call-delta", index, tool_calls={"function": {"arguments": text}})


def cite(start, stop, *sources, **more):
    return event("citation-start", 0, citations={"start": start, "end": stop, "text": "x", "sources": list(sources),
                                                 **more})


TURN = [
    (START, [Started("c1")]),
    (plan("I will "), [ReasoningDelta(0, "I will ")]),
    (plan("look."), [ReasoningDelta(0, "look.")]),
    (call(4, "get_weather_8f3k", "get_weather"), [PartEnd(0), CallStart(1, "get_weather_8f3k", "get_weather")]),
    (argue(4, '{"city":  "K'), [CallDelta(1, '{"city":  "K')]),
    (argue(4, ""), []),
    (argue(4, 'öln", "n": 1e2}'), [CallDelta(1, 'öln", "n": 1e2}')]),
    (event("tool-call-end", 4), [PartEnd(1)]),
    (call(5, "now_1", "now"), [CallStart(2, "now_1", "now")]),
    (event("tool-call-end", 5), [CallDelta(2, "{}"), PartEnd(2)]),
    (begin(0, "thinking"), []),
    (say(0, "hm", "thinking"), [ReasoningDelta(3, "hm")]),
    (event("content-end", 0), []),
    (begin(1), [PartEnd(3)]),
    (say(1, "Grüße 🌧️ "), [TextDelta(4, "Grüße 🌧️ ")]),
    (cite(0, 5, DOCUMENT, OUTPUT, content_index=1),
     [Cited(4, Citation("https://e.x/d", "D", 0, 5)), Cited(4, Citation(None, "T", 0, 5))]),
    (event("citation-end", 0), []),
    (say(1, "東京"), [TextDelta(4, "東京")]),
    (event("content-end", 1), []),
    (cite(6, 8, type="TEXT_CONTENT"), [Cited(4, Citation(start=6, end=8))]),
    (end(usage=USAGE), [PartEnd(4), UsageUpdate(Usage(900, 40, 5)), Finish("stop", "COMPLETE")]),
]
EVENTS = [event for _, events in TURN for event in events]
BYTES = b"".join(frame(native) for native, _ in TURN)


def decoded(*natives):
    decoder = API.decoder(READING)
    return decoder.feed(b"".join(frame(native) for native in natives)) + decoder.close()


def test_event_by_event():
    decoder = API.decoder(READING)
    for native, events in TURN:
        assert decoder.feed(frame(native)) == events, native
    assert decoder.close() == []


def test_whole_and_byte_by_byte():
    decoder = API.decoder(READING)
    assert decoder.feed(BYTES) + decoder.close() == EVENTS
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
    decoder.feed(b"".join(frame(native) for native, _ in TURN[:cut]))
    with pytest.raises(Malformed, match="without message-end"):
        decoder.close()


def test_cut_inside_an_event_is_an_error():
    decoder = API.decoder(READING)
    decoder.feed(BYTES[:-5])
    with pytest.raises(Malformed):
        decoder.close()


def test_last_blank_line_may_be_missing():
    decoder = API.decoder(READING)
    assert decoder.feed(BYTES[:-1]) + decoder.close() == EVENTS


def test_unknown_events_and_what_follows_the_end_are_nothing():
    odd = frame({"type": "debug", "prompt": "x"}) + b"data: [DONE]\n\n: comment\n\n"
    decoder = API.decoder(READING)
    data = b"".join(odd + frame(native) for native, _ in TURN) + b"data: [DONE]\n\ndata: nonsense\n\n"
    assert decoder.feed(data) + decoder.close() == EVENTS


def test_the_name_stands_in_for_a_missing_type():
    decoder = API.decoder(READING)
    data = b"".join(
        f"event: {native['type']}\ndata: {json.dumps({k: v for k, v in native.items() if k != 'type'})}\n\n".encode()
        for native, _ in TURN
    )
    assert decoder.feed(data) + decoder.close() == EVENTS


@pytest.mark.parametrize(("pieces", "text"), [
    ([], ["{}"]),
    (["", ""], ["{}"]),
    (["null"], ["{}"]),
    (["n", "ul", "l"], ["{}"]),
    ([" ", "null "], ["{}"]),
    (["nul", "x"], ["nulx"]),
    (["n"], ["n"]),
    ([" ", '{"a":', "1}"], [' {"a":', "1}"]),
    (["{", "}"], ["{", "}"]),
])
def test_no_arguments(pieces, text):
    events = decoded(START, call(0, "i", "f"), *(argue(0, piece) for piece in pieces), event("tool-call-end", 0),
                     end("TOOL_CALL"))
    assert events == [Started("c1"), CallStart(0, "i", "f"), *(CallDelta(0, piece) for piece in text), PartEnd(0),
                      Finish("tool_calls", "TOOL_CALL")]


def test_the_start_may_hold_arguments():
    assert decoded(START, call(0, "i", "f", '{"a"'), argue(0, ":1}"), event("tool-call-end", 0), end())[2:4] == [
        CallDelta(0, '{"a"'), CallDelta(0, ":1}")]


def test_an_end_may_be_missing():
    assert decoded(START, call(0, "i", "f"), call(1, "j", "g"), begin(0, text="a"), end())[1:-1] == [
        CallStart(0, "i", "f"), CallDelta(0, "{}"), PartEnd(0), CallStart(1, "j", "g"), CallDelta(1, "{}"), PartEnd(1),
        TextDelta(2, "a"), PartEnd(2)]


def test_a_call_that_was_cut_off_before_its_arguments():
    assert decoded(START, call(0, "i", "f"), end("MAX_TOKENS"))[1:] == [
        CallStart(0, "i", "f"), PartEnd(0), Finish("length", "MAX_TOKENS")]


def test_an_empty_block_is_no_part():
    assert decoded(START, begin(0), event("content-end", 0), begin(1, text="a"), end())[1:-1] == [
        TextDelta(0, "a"), PartEnd(0)]


def test_citations_of_reasoning_are_dropped():
    assert decoded(START, plan("p"), cite(0, 1, type="PLAN"), begin(0, text="a"), cite(0, 1, content_index=7),
                   cite(0, 1, type="THINKING_CONTENT"), end())[1:-1] == [
        ReasoningDelta(0, "p"), PartEnd(0), TextDelta(1, "a"), PartEnd(1)]


def test_logprobs():
    scored = {**say(0, "Hi"), "logprobs": {"token_ids": [1, 2], "text": "Hi", "logprobs": [-0.5, -0.25]}}
    assert decoded(START, begin(0), scored, end())[1:3] == [
        TextDelta(0, "Hi"),
        Logprobs(0, ({"token": "Hi", "logprob": -0.75, "bytes": [72, 105], "top_logprobs": []},))]


TOO_LONG = "too many tokens: total number of tokens in the prompt cannot exceed 5 - received 6"
REASONS = [
    ("COMPLETE", "stop"), ("STOP_SEQUENCE", "stop"), ("MAX_TOKENS", "length"), ("TOOL_CALL", "tool_calls"),
    ("ERROR_TOXIC", "content_filter"), ("NEW", "stop"),
]


@pytest.mark.parametrize(("word", "reason"), REASONS)
def test_finish_reasons(word, reason):
    assert decoded(START, begin(0, text="a"), end(word))[-1] == Finish(reason, word)
    assert API.whole(whole(finish_reason=word), READING, {})[-1] == Finish(reason, word)


@pytest.mark.parametrize(("word", "error", "failure"), [
    ("ERROR", "generation failed", Failure("api_error", "generation failed")),
    ("ERROR", None, Failure("api_error", "the upstream reported an error")),
    ("ERROR", TOO_LONG, Failure("context_length_exceeded", TOO_LONG)),
    ("TIMEOUT", "late", Failure("timeout_error", "late")),
    ("ERROR_LIMIT", None, Failure("overloaded_error", "the upstream reported an error")),
])
def test_failures_at_the_end(word, error, failure):
    assert decoded(START, begin(0, text="a"), end(word, error=error))[-1] == Failed(failure)
    assert API.whole(whole(finish_reason=word, error=error), READING, {})[-1] == Failed(failure)


def test_an_error_event():
    decoder = API.decoder(READING)
    data = frame(START) + b'event: error\ndata: {"message":"boom"}\n\n' + frame(begin(0, text="never"))
    assert decoder.feed(data) + decoder.close() == [Started("c1"), Failed(Failure("api_error", "boom"))]


@pytest.mark.parametrize("natives", [
    [START, START],
    [START, say(0, "a")],
    [START, begin(0), say(1, "a")],
    [START, plan("p"), say(0, "a")],
    [START, call(0, "i", "f"), say(0, "a")],
    [START, argue(0, "{}")],
    [START, call(0, "i", "f"), argue(1, "{}")],
    [START, event("tool-call-end", 0)],
    [START, call(0, "i", "f"), event("tool-call-end", 1)],
    [START, call(0, "i", "")],
    [START, call(0, "i", None)],
    [START, event("content-start", 0, content={})],
    [START, event("content-start", 0, content=["a"])],
    [START, begin(0), say(0, 3)],
    [START, begin(0), say(0, "a", "thinking")],
    [START, begin(0, "thinking"), say(0, "a")],
    [START, {"type": "content-start", "index": 0}],
    [START, {"type": "tool-plan-delta", "delta": {}}],
    [START, event("citation-start", 0, citations=["x"])],
    [START, {"type": "message-end", "delta": {}}],
    [START, {"type": "message-end"}],
])
def test_what_the_api_never_says(natives):
    with pytest.raises(Malformed):
        API.decoder(READING).feed(b"".join(frame(native) for native in natives))


@pytest.mark.parametrize("data", [b"data: nonsense\n\n", b"data: [1]\n\n", b'data: "a"\n\n'])
def test_data_that_are_no_event(data):
    with pytest.raises(Malformed):
        API.decoder(READING).feed(data)


# --- whole answers -----------------------------------------------------------------------------------------------


def whole(**fields):
    message = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
    return json.dumps({"id": "c1", "finish_reason": "COMPLETE", "message": message, **fields}).encode()


MESSAGE = {
    "role": "assistant",
    "tool_plan": "I will look.",
    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Grüße 🌧️ 東京"}, {"type": "new"}],
    "tool_calls": [
        {"id": "get_weather_8f3k", "type": "function", "function": {
            "name": "get_weather", "arguments": '{"city":  "Köln", "n": 1e2}'}},
        {"id": "now_1", "type": "function", "function": {"name": "now", "arguments": "null"}},
    ],
    "citations": [
        {"start": 0, "end": 5, "text": "Grüße", "sources": [DOCUMENT], "content_index": 1, "type": "TEXT_CONTENT"},
        {"start": 0, "end": 1, "text": "I", "sources": [], "type": "PLAN"},
        {"start": 0, "end": 1, "text": "x", "sources": [], "content_index": 9},
    ],
}


def test_whole_answer():
    answer = fold(API.whole(whole(message=MESSAGE, finish_reason="TOOL_CALL", usage=USAGE), READING, {}))
    assert answer.parts == (
        Reasoning("I will look.", sections=("I will look.",)),
        Reasoning("hm", sections=("hm",)),
        Text("Grüße 🌧️ 東京", citations=(Citation("https://e.x/d", "D", 0, 5),)),
        ToolCall("get_weather_8f3k", "get_weather", '{"city":  "Köln", "n": 1e2}'),
        ToolCall("now_1", "now", "{}"),
    )
    assert (answer.id, answer.stop, answer.native_stop) == ("c1", "tool_calls", "TOOL_CALL")
    assert answer.usage == Usage(900, 40, 5)


def test_a_stream_folds_to_the_whole_answer():
    stream = decoded(
        START, plan("I will "), plan("look."), begin(0, "thinking"), say(0, "hm", "thinking"), event("content-end", 0),
        begin(1), say(1, "Grüße 🌧️ "), cite(0, 5, DOCUMENT, content_index=1), say(1, "東京"), event("content-end", 1),
        call(0, "get_weather_8f3k", "get_weather"), argue(0, '{"city":  "Köln", '), argue(0, '"n": 1e2}'),
        event("tool-call-end", 0), call(1, "now_1", "now", "null"), event("tool-call-end", 1),
        end("TOOL_CALL", usage=USAGE),
    )
    assert fold(stream) == fold(API.whole(
        whole(message=MESSAGE, finish_reason="TOOL_CALL", usage=USAGE), READING, {}))


@pytest.mark.parametrize(("usage", "counts"), [
    (USAGE, Usage(900, 40, 5)),
    ({"billed_units": {"input_tokens": 20, "output_tokens": 10.0}}, Usage(20, 10)),
    ({"tokens": {"input_tokens": 3}, "billed_units": {"input_tokens": 2, "output_tokens": 1}}, Usage(3, 1)),
    ({"tokens": {"input_tokens": 0, "output_tokens": 0}, "cached_tokens": 0}, Usage(0, 0, 0)),
    ({"tokens": None}, Usage()),
])
def test_usage(usage, counts):
    assert UsageUpdate(counts) in API.whole(whole(usage=usage), READING, {})
    assert UsageUpdate(counts) in decoded(START, begin(0, text="a"), end(usage=usage))


def test_no_usage():
    assert not any(isinstance(one, UsageUpdate) for one in API.whole(whole(), READING, {}))


def test_whole_logprobs_by_span():
    items = [{"token_ids": [1], "text": "a", "logprobs": [-0.5]}, {"token_ids": [2]}]
    assert Logprobs(0, ({"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []},)) in API.whole(
        whole(logprobs=items), READING, {})


def test_content_as_a_text_is_taken():
    assert API.whole(whole(message={"content": "a"}), READING, {})[1:3] == [TextDelta(0, "a"), PartEnd(0)]


def test_missing_ids_are_made():
    message = {"tool_calls": [{"function": {"name": "f", "arguments": ""}}]}
    events = Restorer(READING, COHERE, lambda n: "x" * n).feed(API.whole(whole(message=message), READING, {}))
    assert fold(events).parts == (ToolCall("call_" + "x" * 24, "f", "{}", origin=READING.origin),)
    assert fold(events).stop == "tool_calls"


def test_an_error_in_a_200():
    assert API.whole(b'{"message":"boom"}', READING, {}) == [Failed(Failure("api_error", "boom"))]


@pytest.mark.parametrize("body", [
    b"", b"[]", b"{}", b'{"message":{}}', b'{"finish_reason":"COMPLETE"}',
    whole(message={"content": 3}), whole(message={"content": [3]}), whole(message={"content": [{"text": "a"}]}),
    whole(message={"content": [{"type": "text", "text": 3}]}), whole(message={"tool_calls": [{}]}),
    whole(message={"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}), whole(message={"tool_plan": 3}),
    whole(message={"content": [{"type": "text", "text": "a"}], "citations": ["x"]}),
])
def test_what_is_no_answer(body):
    with pytest.raises(Malformed):
        API.whole(body, READING, {})


def test_nothing_counts_tokens():
    with pytest.raises(Malformed):
        API.counted(b"{}")
