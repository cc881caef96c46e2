"""Answers: what each object means, in pieces of any size, cut anywhere, and what the API never says."""

import json

import pytest

from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
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
from adapters.formats.ollama_chat import API
from adapters.model import Reasoning, Text, ToolCall, Usage
from adapters.restore import Restorer
from adapters.tools.ids import OLLAMA

READING = Reading("qwen3", "local/qwen3", True)


def line(message=None, **more):
    body = {"model": "qwen3", "created_at": "2026-11-01T10:00:00Z",
            "message": {"role": "assistant", "content": "", **(message or {})}, "done": False, **more}
    return json.dumps(body, ensure_ascii=False).encode()


def call(name, arguments, **more):
    made = {"function": {"index": 0, "name": name, "arguments": arguments}, **more}
    return {"content": "", "tool_calls": [made]}


DONE = {"done": True, "done_reason": "stop", "total_duration": 1, "prompt_eval_count": 26, "eval_count": 12}
TURN = [
    (line({"thinking": "Let me "}), [Started(model="qwen3"), ReasoningDelta(0, "Let me ")]),
    (line({"thinking": "see."}), [ReasoningDelta(0, "see.")]),
    (line(), []),
    (line({"content": "Grüße 🌧️ "}), [PartEnd(0), TextDelta(1, "Grüße 🌧️ ")]),
    (line({"content": "東京"}), [TextDelta(1, "東京")]),
    (line(call("get_weather", {"zeta": 1, "city": "Köln", "n": 12345678901234567890123}, id="call_ab12cd34")),
     [PartEnd(1), CallStart(2, "call_ab12cd34", "get_weather"),
      CallDelta(2, '{"zeta":1,"city":"Köln","n":12345678901234567890123}'), PartEnd(2)]),
    (line({"tool_calls": [{"function": {"name": "now"}}, {"function": {"name": "now", "arguments": {}}}]}),
     [CallStart(3, "", "now"), CallDelta(3, "{}"), PartEnd(3),
      CallStart(4, "", "now"), CallDelta(4, "{}"), PartEnd(4)]),
    (line({"content": "after"}), [TextDelta(5, "after")]),
    (line(**DONE), [PartEnd(5), UsageUpdate(Usage(26, 12)), Finish("stop", "stop")]),
]
EVENTS = [event for _, events in TURN for event in events]
BYTES = b"".join(native + b"\n" for native, _ in TURN)


def decoded(data):
    decoder = API.decoder(READING)
    return decoder.feed(data) + decoder.close()


def test_line_by_line():
    decoder = API.decoder(READING)
    for native, events in TURN:
        assert decoder.feed(native + b"\n") == events
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
    decoder.feed(b"".join(native + b"\n" for native, _ in TURN[:cut]))
    with pytest.raises(Malformed, match="without done"):
        decoder.close()


def test_cut_inside_a_line_is_an_error():
    decoder = API.decoder(READING)
    decoder.feed(BYTES[:-5])
    with pytest.raises(Malformed):
        decoder.close()


def test_last_line_end_may_be_missing():
    assert decoded(BYTES[:-1]) == EVENTS


def test_blank_lines_unknown_objects_and_what_follows_the_end_are_nothing():
    odd = b'\r\n\n{"model":"qwen3","status":"loading","message":null}\n'
    data = b"".join(odd + native + b"\n" for native, _ in TURN) + b"not json\n"
    assert decoded(data) == EVENTS


def test_calls_and_done_share_a_line():
    assert decoded(line(call("now", {}), **DONE)) == [
        Started(model="qwen3"), CallStart(0, "", "now"), CallDelta(0, "{}"), PartEnd(0), UsageUpdate(Usage(26, 12)),
        Finish("stop", "stop")]


def test_a_long_line():
    text = "x" * 300_000
    events = decoded(line(call("f", {"a": text})) + b"\n" + line(**DONE) + b"\n")
    assert events[2] == CallDelta(0, '{"a":"' + text + '"}')


def test_missing_ids_are_made_and_calls_finish_the_answer():
    restorer = Restorer(READING, OLLAMA, lambda n: "a1b2c3d4"[:n])
    answer = fold(restorer.feed(decoded(line(call("now", {}), **DONE))))
    assert answer.parts == (ToolCall("call_a1b2c3d4", "now", "{}", origin="local/qwen3"),)
    assert answer.stop == "tool_calls"


@pytest.mark.parametrize(("word", "reason"), [
    ("stop", "stop"), ("length", "length"), ("load", "stop"), ("unload", "stop"), ("new", "stop"), (None, "stop"),
])
def test_done_reasons(word, reason):
    assert decoded(line({"content": "a"}, done=True, done_reason=word))[-1] == Finish(reason, word)


@pytest.mark.parametrize(("counts", "usage"), [
    ({}, Usage(0, 0)),
    ({"eval_count": 4}, Usage(0, 4)),
    ({"prompt_eval_count": 3, "eval_count": None}, Usage(3, 0)),
    ({"prompt_eval_count": -1, "eval_count": True}, Usage(0, 0)),
])
def test_missing_counts_are_zero(counts, usage):
    assert UsageUpdate(usage) in decoded(line({"content": "a"}, done=True, **counts))


def test_logprobs():
    scored = {"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": [{"token": "b", "logprob": -2.5}]}
    events = decoded(line({"content": "a"}, logprobs=[scored, {"token": "c", "logprob": -3}]) + b"\n" + line(**DONE))
    other = {"token": "b", "logprob": -2.5, "bytes": None}
    assert events[2] == Logprobs(0, (
        {"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": [other]},
        {"token": "c", "logprob": -3, "bytes": None, "top_logprobs": []},
    ))


@pytest.mark.parametrize(("before", "error", "failure"), [
    (b"", {"error": "model 'x' not found, try pulling it first"},
     Failure("not_found_error", "model 'x' not found, try pulling it first")),
    (line({"content": "a"}), {"error": "CUDA error", "status": 500}, Failure("api_error", "CUDA error", 500)),
    (line({"content": "a"}), {"error": "error parsing tool call: raw='{', err=x", "status": 500},
     Failure("invalid_tool_call", "error parsing tool call: raw='{', err=x", 500)),
    (b"", {"error": {"message": "boom"}}, Failure("api_error", "boom")),
    (b"", {"error": {}, "x": 1, "message": {"content": ""}, "done": True}, None),
])
def test_an_error_line_ends_the_stream(before, error, failure):
    data = before + b"\n" + json.dumps(error).encode() + b"\n" + line({"content": "never"}) + b"\n"
    if failure is None:
        assert not any(isinstance(event, Failed) for event in decoded(data))
    else:
        assert decoded(data)[-1] == Failed(failure)


@pytest.mark.parametrize("data", [
    b"nonsense\n",
    b"[1]\n",
    b'"text"\n',
    line({"content": ["a"]}) + b"\n",
    line({"thinking": 1}) + b"\n",
    line({"tool_calls": [{"function": {"name": ""}}]}) + b"\n",
    line({"tool_calls": [{"function": {"arguments": {}}}]}) + b"\n",
    line({"tool_calls": ["f"]}) + b"\n",
    line({"tool_calls": [{"function": {"name": "f", "arguments": [1]}}]}) + b"\n",
    line({"tool_calls": [{"function": {"name": "f", "arguments": 1}}]}) + b"\n",
    b'{"message":"hi","done":false}\n',
])
def test_what_the_api_never_says(data):
    with pytest.raises(Malformed):
        API.decoder(READING).feed(data)


def test_arguments_as_a_text_are_taken():
    assert decoded(line(call("f", '{"a" : 1}'), **DONE))[2] == CallDelta(0, '{"a" : 1}')


# --- whole answers -----------------------------------------------------------------------------------------------


WHOLE = line({
    "thinking": "Let me see.", "content": "Grüße 🌧️ 東京", "tool_calls": [
        {"id": "call_ab12cd34", "function": {"index": 0, "name": "get_weather", "arguments": {
            "zeta": 1, "city": "Köln", "n": 12345678901234567890123}}},
    ]}, **DONE)


def test_whole_answer():
    answer = fold(API.whole(WHOLE, READING, {}))
    assert answer.parts == (
        Reasoning("Let me see.", sections=("Let me see.",)),
        Text("Grüße 🌧️ 東京"),
        ToolCall("call_ab12cd34", "get_weather", '{"zeta":1,"city":"Köln","n":12345678901234567890123}'),
    )
    assert (answer.stop, answer.native_stop, answer.usage, answer.model) == ("stop", "stop", Usage(26, 12), "qwen3")


def test_a_stream_folds_to_the_whole_answer():
    stream = b"\n".join(native for native, _ in [*TURN[:6], TURN[-1]])
    assert fold(decoded(stream)) == fold(API.whole(WHOLE, READING, {}))


def test_a_whole_answer_over_several_lines_of_text():
    pretty = json.dumps(json.loads(WHOLE), indent=2).encode()
    assert API.whole(pretty, READING, {}) == API.whole(WHOLE, READING, {})


def test_an_error_in_a_200():
    assert API.whole(b'{"error":"server busy, please try again."}', READING, {}) == [
        Failed(Failure("overloaded_error", "server busy, please try again."))]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", line({"content": "a"}), b"{}", BYTES])
def test_what_is_no_whole_answer(body):
    with pytest.raises(Malformed):
        API.whole(body, READING, {})


def test_nothing_counts_tokens():
    with pytest.raises(Malformed):
        API.counted(b"{}")
