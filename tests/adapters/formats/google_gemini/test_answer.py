"""Neutral answers and events -> what a Gemini client gets, whole and streamed (wire page, sections 6, 8, 9, 10)."""

import pytest
from gemini_wire import READING, read

from adapters import json
from adapters.errors import Attempt, Failure, InvalidCall
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Finish,
    Logprobs,
    Native,
    PartEnd,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.formats.google_gemini import API, DIALECT
from adapters.formats.google_gemini.reply import Reply
from adapters.formats.shared.reference import pack
from adapters.model import Citation, Reasoning, Text, ToolCall, Usage

OWN = "google-gemini"
SSE = Reply("smart", "r0", stream=True, sse=True)
LIST = Reply("smart", "r0", stream=True, sse=False)
SHOWN = Reply("smart", "r0", stream=True, sse=True, thoughts=True)
CLAUDE = {"api": "anthropic-messages", "origin": "a/claude"}
PLAN = Reasoning("plan", "anthropic-messages", "a/claude", signature="c2ln", sections=("plan",))
HIDDEN = Reasoning("", "anthropic-messages", "a/claude", data="ZGF0YQ==")


def calls(*arguments, id="c1", name="f", **more):
    return [CallStart(9, id, name, **more), *(CallDelta(9, one) for one in arguments), PartEnd(9)]


def numbered(events):
    """The events with parts numbered 0, 1, 2 …: each PartEnd begins the next."""
    number = 0
    for event in events:
        if hasattr(event, "part"):
            event.part = number
        if isinstance(event, PartEnd):
            number += 1
    return events


def text_of(*texts):
    return [*(TextDelta(9, one) for one in texts), PartEnd(9)]


def thought(*texts, **signed):
    end = [Signed(9, **signed)] if signed else []
    return [*(ReasoningDelta(9, one) for one in texts), *end, PartEnd(9)]


STOP = Finish("stop", "end_turn")
CALLED = Finish("tool_calls", "tool_use")


def case(id, events, chunks, last=None, whole=None, reply=SSE):
    """`chunks`: the parts of each chunk before the last; `whole`: the parts of the whole answer."""
    parts = [part for parts in chunks for part in parts] if whole is None else whole
    return pytest.param(numbered(events), chunks, last or {"finishReason": "STOP"}, parts, reply, id=id)


F = {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}

CASES = [
    case("text", [*text_of("He", "llo"), STOP], [[{"text": "He"}], [{"text": "llo"}]], whole=[{"text": "Hello"}]),
    case("nothing", [STOP], []),
    case("empty deltas", [*text_of("", "a", ""), STOP], [[{"text": "a"}]]),
    case("a refusal", [RefusalDelta(0, "no"), PartEnd(0), Finish("content_filter", "refusal")], [[{"text": "no"}]],
         {"finishReason": "SAFETY"}),
    case("a refusal that ends as any answer", [RefusalDelta(0, "no"), PartEnd(0), Finish("stop", "stop")],
         [[{"text": "no"}]], {"finishReason": "SAFETY"}),
    case("a call waits for its end", [*calls("", '{"a"', ":1}"), CALLED], [[F]]),
    case("a call without arguments", [*calls(), CALLED], [[{"functionCall": {"id": "c1", "name": "f", "args": {}}}]]),
    case("big integers", [*calls('{"n":12345678901234567890123}'), CALLED],
         [[{"functionCall": {"id": "c1", "name": "f", "args": {"n": 12345678901234567890123}}}]]),
    case("text and calls", [*text_of("Hm."), *calls('{"a":1}'), *calls('{"b":2}', id="c2"), CALLED],
         [[{"text": "Hm."}], [F], [{"functionCall": {"id": "c2", "name": "f", "args": {"b": 2}}}]]),
    case("a call cut off by the limit is left out", [*text_of("Hm."), *calls('{"a":'), Finish("length")],
         [[{"text": "Hm."}]], {"finishReason": "MAX_TOKENS"}),
    case("thoughts are not shown unasked", [*thought("plan"), *text_of("Hi"), STOP], [[{"text": "Hi"}]]),
    case("thoughts are shown where asked for", [*thought("pl", "an"), *text_of("Hi"), STOP],
         [[{"text": "pl", "thought": True}], [{"text": "an", "thought": True}], [{"text": "Hi"}]],
         whole=[{"text": "plan", "thought": True}, {"text": "Hi"}], reply=SHOWN),
    case("a foreign block rides on the first call", [*thought("plan", **CLAUDE, signature="c2ln"), *text_of("Hm."),
                                                     *calls('{"a":1}'), *calls(id="c2"), CALLED],
         [[{"text": "Hm."}], [{**F, "thoughtSignature": pack(PLAN)}],
          [{"functionCall": {"id": "c2", "name": "f", "args": {}}}]]),
    case("a foreign block beside its text", [*thought("plan", **CLAUDE, signature="c2ln"), *calls('{"a":1}'), CALLED],
         [[{"text": "plan", "thought": True}], [{**F, "thoughtSignature": pack(PLAN)}]], reply=SHOWN),
    case("two foreign blocks before one call", [*thought(**CLAUDE, data="ZGF0YQ=="),
                                                *thought("plan", **CLAUDE, signature="c2ln"),
                                                *calls('{"a":1}'), CALLED],
         [[{"text": "", "thoughtSignature": pack(HIDDEN)}, {**F, "thoughtSignature": pack(PLAN)}]]),
    case("a foreign block without a call", [*thought("plan", **CLAUDE, signature="c2ln"), *text_of("Hi"), STOP],
         [[{"text": "Hi"}]]),
    case("an own signature goes on its call", [*calls('{"a":1}', signature="c2ln-_8"), CALLED],
         [[{**F, "thoughtSignature": "c2ln+/8="}]]),
    case("a signature that is no base64", [*calls('{"a":1}', signature="%"), CALLED], [[F]]),
    case("an own signed text", [Signed(0, OWN, "text", signature="c2ln"), TextDelta(0, "a"), PartEnd(0), STOP],
         [[{"text": "a", "thoughtSignature": "c2ln"}]]),
    case("an own signed empty text", [*text_of("a"), Signed(1, OWN, "text", signature="c2ln"), PartEnd(1), STOP],
         [[{"text": "a"}], [{"text": "", "thoughtSignature": "c2ln"}]]),
    case("own thoughts", [*thought("plan", api=OWN, signature="c2ln"), *text_of("Hi"), STOP],
         [[{"text": "plan", "thought": True}], [{"text": "", "thought": True, "thoughtSignature": "c2ln"}],
          [{"text": "Hi"}]],
         whole=[{"text": "plan", "thought": True, "thoughtSignature": "c2ln"}, {"text": "Hi"}], reply=SHOWN),
    case("a summary in sections", [ReasoningDelta(0, "a"), ReasoningDelta(0, "b", 1), ReasoningDelta(0, "B", 1),
                                   PartEnd(0), *text_of("Hi"), STOP],
         [[{"text": "a", "thought": True}], [{"text": "\n\nb", "thought": True}], [{"text": "B", "thought": True}],
          [{"text": "Hi"}]],
         whole=[{"text": "a\n\nbB", "thought": True}, {"text": "Hi"}], reply=SHOWN),
    case("parts of this API", [Native(0, OWN, {"executableCode": {"code": "1"}}), PartEnd(0), STOP],
         [[{"executableCode": {"code": "1"}}]]),
    case("parts of another", [Native(0, "x", {"type": "y"}), PartEnd(0), Native(1, "x", {"type": "y"}, "seen"),
                              PartEnd(1), STOP],
         [[{"text": "seen"}]]),
    case("own words of the end", [*text_of("a"), Finish("content_filter", "RECITATION",
                                                        extras={OWN: {"safetyRatings": [1]}})],
         [[{"text": "a"}]], {"finishReason": "RECITATION", "safetyRatings": [1]}),
    case("a continuation", [*text_of("a"),
                            Finish("length", "CONTINUATION", extras={OWN: {"continuationToken": "dA=="}})],
         [[{"text": "a"}]], {"finishReason": "CONTINUATION", "continuationToken": "dA=="}),
    case("sources", [TextDelta(0, "Grüß Rome"), Cited(0, Citation("https://a.x", "A", 5, 8)),
                     Cited(0, Citation("https://b.x")), PartEnd(0), STOP],
         [[{"text": "Grüß Rome"}]],
         {"finishReason": "STOP", "groundingMetadata": {
             "groundingChunks": [{"web": {"uri": "https://a.x", "title": "A"}}, {"web": {"uri": "https://b.x"}}],
             "groundingSupports": [{"segment": {"startIndex": 7, "endIndex": 10, "text": "Rom"},
                                    "groundingChunkIndices": [0]}]}}),
    case("log probabilities", [TextDelta(0, "a"), Logprobs(0, ({"token": "a", "logprob": -1.5, "top_logprobs": []},)),
                               PartEnd(0), STOP],
         [[{"text": "a"}]],
         {"finishReason": "STOP", "logprobsResult": {
             "chosenCandidates": [{"token": "a", "logProbability": -1.5}], "topCandidates": [{"candidates": []}]}}),
]


def stream(events, reply):
    encoder = DIALECT.encoder(reply)
    return encoder.feed(events) + encoder.close()


def frames(data):
    """The objects of a stream, held to what the official SDKs take."""
    *pieces, rest = data.split(b"\r\n\r\n")
    assert rest == b""
    assert all(piece.startswith(b"data: {") and b"\n" not in piece for piece in pieces)
    return [json.loads(piece[len(b"data: "):]) for piece in pieces]


NAMES = {"modelVersion": "smart", "responseId": "up-1"}
USAGE = Usage(input=10, output=9, cache_read=4, reasoning=2)
COUNTS = {"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 7, "thoughtsTokenCount": 2,
          "totalTokenCount": 19}
BEFORE, AFTER = [Started("up-1", "x-2026"), UsageUpdate(Usage(input=10))], [UsageUpdate(USAGE)]


def expected(chunks, last):
    made = [{"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}], **NAMES} for parts in chunks]
    end = {"candidates": [{"content": {"parts": [{"text": ""}], "role": "model"}, "index": 0, **last}]}
    return [*made, {**end, "usageMetadata": COUNTS, **NAMES}]


@pytest.mark.parametrize(("events", "chunks", "last", "whole", "reply"), CASES)
def test_streamed(events, chunks, last, whole, reply):
    assert frames(stream([*BEFORE, *events, *AFTER], reply)) == expected(chunks, last)
    encoder = DIALECT.encoder(reply)
    one_by_one = b"".join(encoder.feed([event]) for event in [*BEFORE, *events, *AFTER]) + encoder.close()
    assert one_by_one == stream([*BEFORE, *events, *AFTER], reply)


@pytest.mark.parametrize(("events", "chunks", "last", "whole", "reply"), CASES)
def test_streamed_as_a_list(events, chunks, last, whole, reply):
    reply = Reply("smart", "r0", stream=True, sse=False, thoughts=reply.thoughts)
    data = stream([*BEFORE, *events, *AFTER], reply)
    assert json.loads(data) == expected(chunks, last)


@pytest.mark.parametrize(("events", "chunks", "last", "whole", "reply"), CASES)
def test_whole(events, chunks, last, whole, reply):
    answer = fold([*BEFORE, *events, *AFTER])
    assert json.loads(DIALECT.answer(answer, reply)) == {
        "candidates": [{"content": {"parts": whole, "role": "model"}, "index": 0, **last}],
        "usageMetadata": COUNTS,
        **NAMES,
    }


def said(answer):
    """Texts joined, and the calls."""
    calls = [part for part in answer.parts if isinstance(part, ToolCall)]
    return "".join(part.text for part in answer.parts if isinstance(part, Text)), calls, answer.usage


@pytest.mark.parametrize(("events", "chunks", "last", "whole", "reply"), CASES)
def test_our_own_reader_understands_both_alike(events, chunks, last, whole, reply):
    events = [*BEFORE, *events, *AFTER]
    streamed = fold(read([stream(events, reply)]))
    if whole:
        assert said(streamed) == said(fold(API.whole(DIALECT.answer(fold(events), reply), READING, {})))
    assert streamed.id == "up-1"
    assert streamed.native_stop == last["finishReason"]


# --- the common chunk --------------------------------------------------------------------------------------------

TEXTS = ["a", 'quote " and \\', "line\nbreak\r\t\x00\x1f", "Grüße 🎈", "\u2028\u2029", "</script>", "\ud800 alone",
         "%s %d {}"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("kind", ["text", "thought"])
def test_the_fast_way_is_the_plain_way(text, kind):
    events = [TextDelta(0, text)] if kind == "text" else [ReasoningDelta(0, text)]
    part = {"text": text} if kind == "text" else {"text": text, "thought": True}
    chunk = {"candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}],
             "modelVersion": "smart", "responseId": "r0"}
    assert DIALECT.encoder(SHOWN).feed(events) == b"data: " + json.dumps(chunk) + b"\r\n\r\n"
    shown = Reply("smart", "r0", stream=True, sse=False, thoughts=True)
    assert DIALECT.encoder(shown).feed(events) == b"[" + json.dumps(chunk) + b"\n"


def test_names_need_escaping_too():
    encoder = DIALECT.encoder(Reply('a"b', "r\n0"))
    assert frames(encoder.feed([TextDelta(0, "x")]))[0]["modelVersion"] == 'a"b'


# --- several candidates ------------------------------------------------------------------------------------------


def test_candidates_interleave():
    events = [
        Started("up-1"), TextDelta(0, "a"), Choice(1), TextDelta(1, "b"), Choice(0), TextDelta(0, "A"), PartEnd(0),
        Finish("stop"), Choice(1), PartEnd(1), Finish("length"), UsageUpdate(USAGE),
    ]

    def one(index, text, **more):
        return {"content": {"parts": [{"text": text}], "role": "model"}, "index": index, **more}

    assert frames(stream(events, SSE)) == [
        {"candidates": [one(0, "a")], **NAMES},
        {"candidates": [one(1, "b")], **NAMES},
        {"candidates": [one(0, "A")], **NAMES},
        {"candidates": [one(0, "", finishReason="STOP"), one(1, "", finishReason="MAX_TOKENS")],
         "usageMetadata": COUNTS, **NAMES},
    ]
    assert json.loads(DIALECT.answer(fold(events), SSE))["candidates"] == [
        one(0, "aA", finishReason="STOP"), one(1, "b", finishReason="MAX_TOKENS"),
    ]


def test_calls_that_interleave_go_out_one_after_the_other():
    events = [CallStart(0, "c1", "f"), CallStart(1, "c2", "g"), CallDelta(0, '{"a"'), CallDelta(1, "{}"), PartEnd(1),
              CallDelta(0, ":1}"), PartEnd(0), CALLED]
    names = [c["content"]["parts"][0]["functionCall"]["name"] for f in frames(stream(events, SSE))[:-1]
             for c in f["candidates"]]
    assert names == ["f", "g"]


def test_a_call_that_never_ended_before_the_limit():
    events = [TextDelta(0, "Hm."), PartEnd(0), CallStart(1, "c1", "f"), CallDelta(1, '{"a":'), Finish("length")]
    first, last = frames(stream(events, SSE))
    assert first["candidates"][0]["content"]["parts"] == [{"text": "Hm."}]
    assert last["candidates"][0]["finishReason"] == "MAX_TOKENS"


# --- calls that cannot be told -----------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", ["{", "[1]", '"x"', "nope"])
def test_arguments_that_are_no_object(arguments):
    events = numbered([*calls(arguments), CALLED])
    with pytest.raises(InvalidCall):
        stream(events, SSE)
    with pytest.raises(InvalidCall):
        DIALECT.answer(fold(events), SSE)


def test_text_goes_out_before_a_bad_call_is_found():
    encoder = DIALECT.encoder(SSE)
    assert frames(encoder.feed(numbered([*text_of("Hm."), *calls("{")])))[0]["candidates"][0]["content"]["parts"] == [
        {"text": "Hm."}]
    with pytest.raises(InvalidCall):
        encoder.feed([CALLED])


# --- usage, ids, ends --------------------------------------------------------------------------------------------


def test_without_counts_and_id():
    events = [TextDelta(0, "a"), PartEnd(0), STOP]
    last = frames(stream(events, SSE))[-1]
    assert last.keys() == {"candidates", "modelVersion", "responseId"}
    assert last["responseId"] == "r0"
    assert json.loads(DIALECT.answer(fold(events), SSE)).keys() == {"candidates", "modelVersion", "responseId"}


def test_googles_other_counts_come_back():
    counts = Usage(input=25, output=3, extras={OWN: {"toolUsePromptTokenCount": 5, "trafficType": "X"}})
    answer = fold([TextDelta(0, "a"), STOP, UsageUpdate(counts)])
    assert json.loads(DIALECT.answer(answer, SSE))["usageMetadata"] == {
        "promptTokenCount": 20, "candidatesTokenCount": 3, "totalTokenCount": 28, "toolUsePromptTokenCount": 5,
        "trafficType": "X",
    }


FAILURE = Failure("overloaded_error", "busy", 503)
ENVELOPE = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE", "toolwire_type": "overloaded_error",
                      "attempts": [{"target": "a/b", "type": "overloaded_error", "status": 503, "seconds": 1.0}]}}


@pytest.mark.parametrize("before", [[], [TextDelta(0, "a")]])
def test_a_failure_is_the_last_element(before):
    attempts = (Attempt("a/b", "overloaded_error", 503, 1.0),)
    encoder = DIALECT.encoder(SSE)
    data = encoder.feed(before) + encoder.fail(FAILURE, attempts)
    assert frames(data)[-1] == ENVELOPE
    assert data.split(b"\r\n\r\n")[-2].startswith(b'data: {"error":')
    encoder = DIALECT.encoder(LIST)
    assert json.loads(encoder.feed(before) + encoder.fail(FAILURE, attempts))[-1] == ENVELOPE


def test_there_is_no_sign_of_life():
    assert DIALECT.encoder(SSE).ping() == b""
    assert DIALECT.encoder(LIST).ping() == b""


def test_content_types():
    assert DIALECT.content_type(SSE) == "text/event-stream"
    assert DIALECT.content_type(LIST) == "application/json; charset=UTF-8"
