"""Answers: what each event means, in pieces of any size, cut anywhere, and what the API never says."""

import json

import botocore.parsers
import pytest
from bedrock_wire import MODEL, begin, delta, end, event, exception, message, metadata, start, stop, stream
from botocore.eventstream import EventStream as BotocoreStream

from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Failed,
    Finish,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Reading
from adapters.formats.bedrock_converse import API
from adapters.model import Citation, Reasoning, Text, ToolCall, Usage
from adapters.restore import Restorer
from adapters.tools.ids import BEDROCK

N = "bedrock-converse"
ORIGIN = "bedrock/claude"
READING = Reading("us.anthropic.claude-sonnet-4-5-20250929-v1:0", ORIGIN, True)
CITED = {"title": "T", "source": "s", "sourceContent": [{"text": "q1"}, {"text": "q2"}],
         "location": {"web": {"url": "https://e.x/d", "domain": "e.x"}}}

TURN = [
    (start(), [Started()]),
    (delta(0, reasoningContent={"text": "Let me "}), [ReasoningDelta(0, "Let me ")]),
    (delta(0, reasoningContent={"text": "see."}), [ReasoningDelta(0, "see.")]),
    (delta(0, reasoningContent={"signature": "SIG=="}), []),
    (stop(0), [Signed(0, N, signature="SIG==", origin=ORIGIN), PartEnd(0)]),
    (delta(1, reasoningContent={"redactedContent": "UkVE"}), []),
    (stop(1), [Signed(1, N, data="UkVE", origin=ORIGIN), PartEnd(1)]),
    (delta(2, text="Grüße 🌧️ "), [TextDelta(2, "Grüße 🌧️ ")]),
    (delta(2, text=""), []),
    (delta(2, text="東京"), [TextDelta(2, "東京")]),
    (delta(2, citation=CITED), [Cited(2, Citation("https://e.x/d", "T", quote="q1q2"))]),
    (stop(2), [PartEnd(2)]),
    (begin(3, toolUse={"toolUseId": "tooluse_a", "name": "get_weather"}), [CallStart(3, "tooluse_a", "get_weather")]),
    (delta(3, toolUse={"input": ""}), []),
    (delta(3, toolUse={"input": '{"city": "K'}), [CallDelta(3, '{"city": "K')]),
    (delta(3, toolUse={"input": 'öln",  "n":1e2}'}), [CallDelta(3, 'öln",  "n":1e2}')]),
    (stop(3), [PartEnd(3)]),
    (begin(4, toolUse={"toolUseId": "tooluse_b", "name": "now"}), [CallStart(4, "tooluse_b", "now")]),
    (stop(4), [CallDelta(4, "{}"), PartEnd(4)]),
    (end("tool_use"), [Finish("tool_calls", "tool_use")]),
    (metadata(inputTokens=10, outputTokens=5, totalTokens=22, cacheReadInputTokens=4, cacheWriteInputTokens=3),
     [UsageUpdate(Usage(17, 5, 4, 3))]),
]
EVENTS = [one for _, events in TURN for one in events]
BYTES = stream(*(native for native, _ in TURN))


def decoded(data, reading=READING):
    decoder = API.decoder(reading)
    return decoder.feed(data) + decoder.close()


def test_event_by_event():
    decoder = API.decoder(READING)
    for native, events in TURN:
        assert decoder.feed(event(*native)) == events, native
    assert decoder.close() == []


def test_whole_and_byte_by_byte():
    assert decoded(BYTES) == EVENTS
    decoder = API.decoder(READING)
    assert [one for i in range(len(BYTES)) for one in decoder.feed(BYTES[i : i + 1])] == EVENTS
    assert decoder.close() == []


def test_split_anywhere():
    for at in range(1, len(BYTES)):
        decoder = API.decoder(READING)
        assert decoder.feed(BYTES[:at]) + decoder.feed(BYTES[at:]) + decoder.close() == EVENTS, at


def test_botocore_takes_these_events():
    shape = MODEL.operation_model("ConverseStream").output_shape.members["stream"]
    parser = botocore.parsers.EventStreamJSONParser()

    class Raw:
        def stream(self):
            yield BYTES

        def close(self):
            pass

    read = list(BotocoreStream(Raw(), shape, parser, "ConverseStream"))
    assert [next(iter(one)) for one in read] == [name for (name, _), _ in TURN]
    assert read[14]["contentBlockDelta"]["delta"]["toolUse"]["input"] == '{"city": "K'
    assert read[-1]["metadata"]["usage"]["cacheReadInputTokens"] == 4


@pytest.mark.parametrize("cut", range(len(TURN) - 2))
def test_cut_is_an_error(cut):
    decoder = API.decoder(READING)
    decoder.feed(stream(*(native for native, _ in TURN[:cut])))
    with pytest.raises(Malformed, match="without messageStop"):
        decoder.close()


def test_usage_may_be_missing():
    assert decoded(stream(*(native for native, _ in TURN[:-1]))) == EVENTS[:-1]


def test_usage_may_come_early():
    assert decoded(stream(start(), metadata(inputTokens=1, outputTokens=2), delta(0, text="a"), stop(0), end())) == [
        Started(), UsageUpdate(Usage(1, 2)), TextDelta(0, "a"), PartEnd(0), Finish("stop", "end_turn")]


def test_cut_inside_a_message_is_an_error():
    decoder = API.decoder(READING)
    decoder.feed(BYTES[:-5])
    with pytest.raises(Malformed, match="inside a message"):
        decoder.close()


def test_a_damaged_message_is_an_error():
    """However much of the stream comes at once; what stood before it is not lost."""
    damaged = BYTES[:200] + b"?" + BYTES[201:]
    for pieces in ((damaged,), (damaged[:150], damaged[150:]), (damaged[:201], damaged[201:]),
                   [damaged[at : at + 1] for at in range(len(damaged))]):
        decoder, events = API.decoder(READING), []
        with pytest.raises(Malformed, match="checksum"):
            for piece in pieces:
                events += decoder.feed(piece)
            decoder.close()
        assert events == EVENTS[: len(events)] and events


@pytest.mark.parametrize("body", [b'{"message":"Internal error"}', b"    \n", b"<html>"])
def test_a_body_without_frames_is_an_error(body):
    decoder = API.decoder(READING)
    with pytest.raises(Malformed):
        decoder.feed(body)
        decoder.close()


def test_unknown_events_between_all_others():
    odd = event("ping", {"x": 1}) + event("contentBlockHint", {"contentBlockIndex": 99})
    assert decoded(b"".join(odd + event(*native) for native, _ in TURN)) == EVENTS


def test_blocks_that_no_client_could_be_shown():
    made = decoded(stream(
        start(), begin(0, toolUse={"toolUseId": "t", "name": "nova_grounding", "type": "server_tool_use"}),
        delta(0, toolUse={"input": "{}"}), stop(0),
        begin(1, toolResult={"toolUseId": "t"}), delta(1, toolResult=[{"text": "found"}]), stop(1),
        begin(2, image={"format": "png"}), delta(2, image={"source": {"bytes": "AA=="}}), stop(2),
        delta(3, something={"new": 1}), stop(3), delta(4, text="a"), stop(4), end(),
    ))
    assert made == [Started(), TextDelta(0, "a"), PartEnd(0), Finish("stop", "end_turn")]


def test_redacted_content_in_the_start_and_in_pieces():
    made = decoded(stream(start(), begin(0, reasoningContent={"redactedContent": "UkVE"}), stop(0),
                          delta(1, reasoningContent={"redactedContent": "UkU="}),
                          delta(1, reasoningContent={"redactedContent": "RA=="}), stop(1), end()))
    assert [one for one in made if isinstance(one, Signed)] == [
        Signed(0, N, data="UkVE", origin=ORIGIN), Signed(1, N, data="UkVE", origin=ORIGIN)]


def test_an_empty_signature_is_none():
    made = decoded(stream(start(), delta(0, reasoningContent={"text": "hm"}),
                          delta(0, reasoningContent={"signature": ""}), stop(0), end()))
    assert made == [Started(), ReasoningDelta(0, "hm"), PartEnd(0), Finish("stop", "end_turn")]


def test_an_end_or_a_start_may_be_missing():
    made = decoded(stream(delta(0, text="a"), delta(1, text="b"), end()))
    assert made == [Started(), TextDelta(0, "a"), PartEnd(0), TextDelta(1, "b"), PartEnd(1), Finish("stop", "end_turn")]


def test_a_call_that_was_cut_off_before_its_input():
    made = decoded(stream(start(), begin(0, toolUse={"toolUseId": "t", "name": "f"}), end("max_tokens")))
    assert made == [Started(), CallStart(0, "t", "f"), PartEnd(0), Finish("length", "max_tokens")]


def test_a_citation_before_any_text_is_dropped():
    assert decoded(stream(start(), delta(0, citation=CITED), stop(0), end())) == [Started(), Finish("stop", "end_turn")]


@pytest.mark.parametrize("natives", [
    [start(), ("contentBlockDelta", {"delta": {"text": "a"}})],
    [start(), ("contentBlockDelta", {"contentBlockIndex": True, "delta": {"text": "a"}})],
    [start(), ("contentBlockDelta", {"contentBlockIndex": 0})],
    [start(), ("contentBlockStop", {})],
    [start(), delta(0, text="a"), stop(0), delta(0, text="b")],
    [start(), delta(1, text="a"), delta(0, text="b")],
    [start(), delta(0, text="a"), delta(0, toolUse={"input": "{}"})],
    [start(), delta(0, toolUse={"input": "{}"})],
    [start(), delta(0, text="a"), delta(0, reasoningContent={"text": "b"})],
    [start(), delta(0, reasoningContent={"text": "b"}), delta(0, text="a")],
    [start(), begin(0, toolUse={"toolUseId": "t", "name": "f"}), begin(0, toolUse={"toolUseId": "t", "name": "f"})],
    [start(), begin(0, toolUse={"toolUseId": "t", "name": "f"}), delta(0, text="a")],
    [start(), begin(0, toolUse={"toolUseId": "t"})],
    [start(), begin(0, toolUse={"toolUseId": "t", "name": ""})],
    [start(), ("messageStop", {})],
    [start(), delta(0, text="a"), end(), end()],
    [start(), end(), delta(0, text="a")],
    [start(), delta(0, reasoningContent={"redactedContent": "!"}), delta(0, reasoningContent={"redactedContent": "!"}),
     stop(0)],
])
def test_what_the_api_never_says(natives):
    with pytest.raises(Malformed):
        API.decoder(READING).feed(stream(*natives))


@pytest.mark.parametrize("payload", [b"nonsense", b"[1]", b""])
def test_payloads_that_are_no_event(payload):
    with pytest.raises(Malformed):
        API.decoder(READING).feed(message({":message-type": "event", ":event-type": "contentBlockDelta"}, payload))


# --- ends --------------------------------------------------------------------------------------------------------


REASONS = [
    ("end_turn", "stop"), ("stop_sequence", "stop"), ("tool_use", "tool_calls"), ("max_tokens", "length"),
    ("model_context_window_exceeded", "length"), ("guardrail_intervened", "content_filter"),
    ("content_filtered", "content_filter"), ("something_new", "stop"),
]


@pytest.mark.parametrize(("word", "reason"), REASONS)
def test_stop_reasons(word, reason):
    assert decoded(stream(start(), delta(0, text="a"), stop(0), end(word)))[-1] == Finish(reason, word)
    assert API.whole(whole({"text": "a"}, stopReason=word), READING, {})[-1] == Finish(reason, word)


@pytest.mark.parametrize(("word", "kind", "text"), [
    ("malformed_model_output", "malformed_response", "The upstream calls its model's output malformed."),
    ("malformed_tool_use", "invalid_tool_call", "The upstream calls its model's tool call malformed."),
])
def test_reasons_that_are_failures(word, kind, text):
    failed = Failed(Failure(kind, text))
    assert decoded(stream(start(), delta(0, text="a"), stop(0), end(word), metadata(inputTokens=1)))[-1] == failed
    assert API.whole(whole({"text": "a"}, stopReason=word), READING, {})[-1] == failed


def test_the_stop_text_that_matched():
    made = decoded(stream(start(), delta(0, text="a"), stop(0), end(
        "stop_sequence", additionalModelResponseFields={"delta": {"stop_sequence": "END"}})))
    assert made[-1] == Finish("stop", "stop_sequence", "END")
    native = whole({"text": "a"}, stopReason="stop_sequence", additionalModelResponseFields={"stop_sequence": "END"})
    assert API.whole(native, READING, {})[-1] == Finish("stop", "stop_sequence", "END")


def test_nothing_to_say_is_legal_after_results():
    after = Reading("m", ORIGIN, True, after_results=True)
    assert decoded(stream(start(), end()), after)[-1] == Finish("stop", "end_turn", may_be_empty=True)
    assert decoded(stream(start(), end("max_tokens")), after)[-1] == Finish("length", "max_tokens")
    assert API.whole(whole(), after, {})[-1] == Finish("stop", "end_turn", may_be_empty=True)
    assert API.whole(whole(), READING, {})[-1] == Finish("stop", "end_turn")


def test_a_call_makes_it_a_call():
    native = whole({"toolUse": {"toolUseId": "", "name": "now", "input": {}}})
    answer = fold(Restorer(READING, BEDROCK, lambda n: "x" * n).feed(API.whole(native, READING, {})))
    assert (answer.stop, answer.parts) == ("tool_calls", (ToolCall("tooluse_" + "x" * 22, "now", "{}", origin=ORIGIN),))


@pytest.mark.parametrize(("name", "payload", "failure"), [
    ("throttlingException", {"message": "Too many requests"}, Failure(
        "rate_limit_error", "Too many requests", 429, "throttlingException")),
    ("serviceUnavailableException", {"message": "m"}, Failure(
        "overloaded_error", "m", 503, "serviceUnavailableException")),
    ("internalServerException", {"message": "m"}, Failure("api_error", "m", 500, "internalServerException")),
    ("validationException", {"message": "The input is too long"}, Failure(
        "context_length_exceeded", "The input is too long", 400, "validationException")),
    ("modelStreamErrorException", {"message": "m", "originalStatusCode": 500, "originalMessage": "boom"}, Failure(
        "api_error", "m: boom", 424, "modelStreamErrorException")),
    ("modelTimeoutException", {"message": "m"}, Failure("timeout_error", "m", 408, "modelTimeoutException")),
    ("somethingNewException", {}, Failure(
        "api_error", "the upstream reported an error", None, "somethingNewException")),
])
def test_exceptions(name, payload, failure):
    before = stream(start(), delta(0, text="a"))
    made = decoded(before + exception(name, payload) + stream(delta(0, text="never")) + b"rubbish")
    assert made == [Started(), TextDelta(0, "a"), Failed(failure)]
    assert decoded(exception(name, payload)) == [Failed(failure)]


def test_an_error_message():
    headers = {":message-type": "error", ":error-code": "throttlingException", ":error-message": "slow down"}
    assert decoded(message(headers, b"")) == [
        Failed(Failure("rate_limit_error", "slow down", 429, "throttlingException"))]


# --- whole answers -----------------------------------------------------------------------------------------------


def whole(*content, **more):
    return json.dumps({"output": {"message": {"role": "assistant", "content": list(content)}}, "stopReason": "end_turn",
                       **more}).encode()


WHOLE = whole(
    {"reasoningContent": {"reasoningText": {"text": "Let me see.", "signature": "SIG=="}}},
    {"reasoningContent": {"redactedContent": "UkVE"}},
    {"citationsContent": {"content": [{"text": "Grüße 🌧️ "}, {"text": "東京"}], "citations": [CITED]}},
    {"toolUse": {"toolUseId": "tooluse_a", "name": "get_weather", "input": {"city": "Köln", "n": 1}}},
    {"toolUse": {"toolUseId": "tooluse_b", "name": "now", "input": {}}},
    {"toolUse": {"toolUseId": "t", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
    {"toolResult": {"toolUseId": "t", "content": [{"text": "found"}]}},
    {"image": {"format": "png", "source": {"bytes": "AA=="}}}, {"text": ""},
    {"reasoningContent": {"reasoningText": {"text": ""}}}, {"citationsContent": {"content": []}},
    stopReason="tool_use", metrics={"latencyMs": 1},
    usage={"inputTokens": 10, "outputTokens": 5, "totalTokens": 22, "cacheReadInputTokens": 4,
           "cacheWriteInputTokens": 3},
)


def test_whole_answer():
    answer = fold(API.whole(WHOLE, READING, {"x-amzn-requestid": "r-1"}))
    assert answer.parts == (
        Reasoning("Let me see.", N, ORIGIN, signature="SIG==", sections=("Let me see.",)),
        Reasoning("", N, ORIGIN, data="UkVE"),
        Text("Grüße 🌧️ 東京", citations=(Citation("https://e.x/d", "T", quote="q1q2"),)),
        ToolCall("tooluse_a", "get_weather", '{"city":"Köln","n":1}'),
        ToolCall("tooluse_b", "now", "{}"),
    )
    assert (answer.id, answer.model, answer.stop, answer.usage) == ("r-1", None, "tool_calls", Usage(17, 5, 4, 3))


def test_a_stream_folds_to_the_whole_answer():
    natives = [native for native, _ in TURN]
    natives[14:16] = [delta(3, toolUse={"input": '{"city":"Köln",'}), delta(3, toolUse={"input": '"n":1}'})]
    assert fold(decoded(stream(*natives))) == fold(API.whole(WHOLE, READING, {}))


@pytest.mark.parametrize(("usage", "counts"), [
    ({"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}, Usage(10, 5)),
    ({"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 0}, Usage(10, 5, 0)),
    ({"outputTokens": 5}, Usage(None, 5)),
    ({"inputTokens": "x", "outputTokens": -1}, Usage()),
])
def test_usage(usage, counts):
    assert UsageUpdate(counts) in API.whole(whole({"text": "a"}, usage=usage), READING, {})


@pytest.mark.parametrize("native", [
    {"title": "T"}, {"source": "s"}, {"location": 3}, {"location": {"documentChar": {"start": 1}}},
    {"sourceContent": 3}, {"sourceContent": [3, {"text": 3}]}, {}, 3,
])
def test_odd_citations_break_nothing(native):
    cited = whole({"citationsContent": {"content": [{"text": "a"}], "citations": [native]}})
    assert isinstance(API.whole(cited, READING, {})[2], Cited)


@pytest.mark.parametrize("body", [
    b"", b"  ", b"[]", b"{}", b'{"message":"Internal"}', b'{"output":{},"stopReason":"end_turn"}',
    b'{"output":{"message":{"content":[]}}}', whole("text"), whole({"toolUse": {"toolUseId": "t", "input": {}}}),
    whole({"toolUse": {"toolUseId": "t", "name": "f", "input": "{}"}}),
])
def test_what_is_no_answer(body):
    with pytest.raises(Malformed):
        API.whole(body, READING, {})


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"inputTokens":true}', b'{"inputTokens":"1"}'])
def test_what_is_no_count(body):
    with pytest.raises(Malformed):
        API.counted(body)
