"""Streams and whole answers -> events (wire page, sections 5, 6, 8, 9, 10)."""

import pytest
from gemini_wire import READING, broken, by_bytes, candidate, chunk, frame, read

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Failed,
    Finish,
    Logprobs,
    Native,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Reading
from adapters.formats.google_gemini import API
from adapters.formats.google_gemini.stream import Objects
from adapters.model import Citation, Text, ToolCall, Usage

STARTED = Started("resp-1", "gemini-2.5-flash")
COUNTS = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
USED = UsageUpdate(Usage(input=10, output=5))
OWN = "google-gemini"


def call_part(name="f", args=None, **more):
    function = {"name": name} if args is None else {"name": name, "args": args}
    return {"functionCall": {**function, **more}}


def pieces(*partial):
    return {"functionCall": {"partialArgs": list(partial), "willContinue": True}}


def text(value, **more):
    return {"text": value, **more}


STREAMS = [
    pytest.param(
        [
            (chunk(candidate(text("He")), usage={"promptTokenCount": 10}),
             [STARTED, UsageUpdate(Usage(input=10)), TextDelta(0, "He")]),
            (chunk(candidate(text("llo")), usage=COUNTS), [TextDelta(0, "llo")]),
            (chunk(candidate(text(""), finish="STOP"), usage=COUNTS), [USED, PartEnd(0), Finish("stop", "STOP")]),
        ],
        id="texts of several chunks are one part",
    ),
    pytest.param(
        [
            (chunk(candidate(text("pl", thought=True))), [STARTED, ReasoningDelta(0, "pl")]),
            (chunk(candidate(text("an", thought=True), text("Hi"))),
             [ReasoningDelta(0, "an"), PartEnd(0), TextDelta(1, "Hi")]),
            (chunk(candidate(finish="STOP"), usage=COUNTS), [USED, PartEnd(1), Finish("stop", "STOP")]),
        ],
        id="thoughts then text",
    ),
    pytest.param(
        [
            (chunk(candidate({**call_part("f", {"a": 1}), "thoughtSignature": "c2ln"})),
             [STARTED, CallStart(0, "", "f", signature="c2ln"), CallDelta(0, '{"a":1}'), PartEnd(0)]),
            (chunk(candidate(call_part("f", {"a": 2}, id="fc2"), call_part("now"))),
             [CallStart(1, "fc2", "f"), CallDelta(1, '{"a":2}'), PartEnd(1),
              CallStart(2, "", "now"), CallDelta(2, "{}"), PartEnd(2)]),
            (chunk(candidate(text(""), finish="STOP"), usage=COUNTS), [USED, Finish("tool_calls", "STOP")]),
        ],
        id="calls are whole, in several chunks, with or without id and args",
    ),
    pytest.param(
        [
            (chunk(candidate(text("ok"))), [STARTED, TextDelta(0, "ok")]),
            (chunk(candidate(text("", thoughtSignature="c2ln"), finish="STOP"), usage=COUNTS),
             [PartEnd(0), Signed(1, OWN, "text", signature="c2ln"), PartEnd(1), USED, Finish("stop", "STOP")]),
        ],
        id="a signature on an empty text in the last chunk is a part of its own",
    ),
    pytest.param(
        [
            (chunk(candidate(text("a"), text("b", thoughtSignature="c2ln"), text("c"))),
             [STARTED, TextDelta(0, "a"), PartEnd(0), Signed(1, OWN, "text", signature="c2ln"), TextDelta(1, "b"),
              PartEnd(1), TextDelta(2, "c")]),
            (chunk(candidate(text("d", thought=True, thoughtSignature="c2ln"), finish="STOP"), usage=COUNTS),
             [PartEnd(2), ReasoningDelta(3, "d"), Signed(3, OWN, signature="c2ln"), PartEnd(3), USED,
              Finish("stop", "STOP")]),
        ],
        id="signed parts are merged with nothing",
    ),
    pytest.param(
        [
            (chunk(candidate(text("a"), index=0), candidate(text("b"), index=1)),
             [STARTED, TextDelta(0, "a"), Choice(1), TextDelta(1, "b")]),
            (chunk(candidate(text("A"), index=0), candidate(text("B"), index=1)),
             [Choice(0), TextDelta(0, "A"), Choice(1), TextDelta(1, "B")]),
            (chunk(candidate(index=0, finish="STOP"), candidate(index=1, finish="MAX_TOKENS"), usage=COUNTS),
             [Choice(0), USED, Choice(1), Choice(0), PartEnd(0), Finish("stop", "STOP"), Choice(1), PartEnd(1),
              Finish("length", "MAX_TOKENS")]),
        ],
        id="candidates interleave by index",
    ),
    pytest.param(
        [
            (chunk(candidate({"executableCode": {"language": "PYTHON", "code": "1+1"}})),
             [STARTED, Native(0, OWN, {"executableCode": {"language": "PYTHON", "code": "1+1"}}), PartEnd(0)]),
            (chunk(candidate({"codeExecutionResult": {"outcome": "OUTCOME_OK"}}, text("2"))),
             [Native(1, OWN, {"codeExecutionResult": {"outcome": "OUTCOME_OK"}}), PartEnd(1), TextDelta(2, "2")]),
            (chunk(candidate({"somethingNew": {}}, finish="STOP"), usage=COUNTS),
             [PartEnd(2), Native(3, OWN, {"somethingNew": {}}), PartEnd(3), USED, Finish("stop", "STOP")]),
        ],
        id="parts that only this API knows",
    ),
    pytest.param(
        [
            (chunk(candidate(text("a", partMetadata={"x": 1}))),
             [STARTED, Signed(0, OWN, "text", extras={OWN: {"partMetadata": {"x": 1}}}), TextDelta(0, "a"),
              PartEnd(0)]),
            ({"candidates": [{"finishReason": "SAFETY", "safetyRatings": [1]}]}, []),
            ({"usageMetadata": COUNTS},
             [USED, Finish("content_filter", "SAFETY", extras={OWN: {"safetyRatings": [1]}})]),
        ],
        id="side fields, a candidate without content, counts on their own",
    ),
    pytest.param(
        [
            (chunk(candidate({"functionCall": {"name": "f", "willContinue": True}, "thoughtSignature": "c2ln"})),
             [STARTED]),
            (chunk(candidate(pieces({"jsonPath": "$.a", "stringValue": "x", "willContinue": True}))), []),
            (chunk(candidate(pieces({"jsonPath": "$.a", "stringValue": "y"}))), []),
            (chunk(candidate({"functionCall": {}})),
             [CallStart(0, "", "f", signature="c2ln"), CallDelta(0, '{"a":"xy"}'), PartEnd(0)]),
            (chunk(candidate(finish="STOP"), usage=COUNTS), [USED, Finish("tool_calls", "STOP")]),
        ],
        id="arguments in pieces, where a client asked Vertex for it",
    ),
]


def written(stream):
    return [frame(data) for data, _ in stream]


def expected(stream):
    return [event for _, events in stream for event in events]


@pytest.mark.parametrize("stream", STREAMS)
def test_chunk_by_chunk(stream):
    assert read(written(stream)) == expected(stream)


@pytest.mark.parametrize("stream", STREAMS)
def test_whole_byte_by_byte_and_split_anywhere(stream):
    data = b"".join(written(stream))
    assert read([data]) == expected(stream)
    assert read(by_bytes(data)) == expected(stream)
    for at in range(1, len(data)):
        assert read([data[:at], data[at:]]) == expected(stream)


@pytest.mark.parametrize("stream", STREAMS)
def test_as_a_list_over_time(stream):
    chunks = [json.dumps(data) for data, _ in stream]
    pieces = [b"[" + chunks[0] + b"\n", *(b",\r\n" + data for data in chunks[1:]), b"\n]"]
    assert read(pieces) == expected(stream)
    data = b"".join(pieces)
    assert read(by_bytes(data)) == expected(stream)
    for at in range(1, len(data)):
        assert read([data[:at], data[at:]]) == expected(stream)


@pytest.mark.parametrize("stream", STREAMS)
def test_cut_before_the_end(stream):
    frames = written(stream)
    last = next(i for i, (data, _) in enumerate(stream) if "finishReason" in data.get("candidates", [{}])[-1])
    for cut in range(last + 1):
        assert broken(frames[:cut]) is not None
        assert broken([*frames[:cut], frames[cut][:-20]]) is not None
    assert broken(frames[: last + 1]) is None


@pytest.mark.parametrize("stream", STREAMS)
def test_a_whole_answer_means_the_same(stream):
    chunks = [data for data, _ in stream]
    events = API.whole(json.dumps(chunks), READING, {})
    assert fold(events) == fold(expected(stream))


def test_a_whole_object_is_one_chunk():
    data = chunk(candidate(text("Looking."), call_part("f", {"city": "Ulm"}), finish="STOP"), usage=COUNTS)
    events = API.whole(json.dumps(data), READING, {})
    assert events == [
        STARTED, TextDelta(0, "Looking."), PartEnd(0), CallStart(1, "", "f"), CallDelta(1, '{"city":"Ulm"}'),
        PartEnd(1), USED, Finish("tool_calls", "STOP"),
    ]
    assert fold(events).parts == (Text("Looking."), ToolCall("", "f", '{"city":"Ulm"}'))


def test_other_frames_of_sse_survive():
    data = frame(chunk(candidate(text("a"), finish="STOP")))
    noise = b": hello\n\nevent: x\r\ndata:\r\n\r\n"
    expected = [STARTED, TextDelta(0, "a"), PartEnd(0), Finish("stop", "STOP")]
    assert read([noise + data + b"data: [DONE]\n\n"]) == expected
    assert read([data.replace(b"data: ", b"data:").rstrip()]) == read([data])


def test_integers_and_floats_of_arguments_stay():
    raw = b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"n":12345678901234567890123,' \
          b'"x":1.0}}}]},"finishReason":"STOP"}]}'
    events = API.whole(raw, READING, {})
    assert CallDelta(0, '{"n":12345678901234567890123,"x":1.0}') in events


def test_a_signature_alone():
    data = chunk(candidate({"thoughtSignature": "c2ln"}, text("a"), finish="STOP"))
    assert read([frame(data)])[1] == Signed(0, OWN, "text", signature="c2ln")
    vertex = Reading("m", facts={"vertex": True})
    assert read([frame(data)], vertex)[1] == TextDelta(0, "a")


# --- finish ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("BLOCKLIST", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SPII", "content_filter"),
        ("MODEL_ARMOR", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("IMAGE_PROHIBITED_CONTENT", "content_filter"),
        ("IMAGE_RECITATION", "content_filter"),
        ("ESCALATION", "content_filter"),
        ("LANGUAGE", "stop"),
        ("OTHER", "stop"),
        ("IMAGE_OTHER", "stop"),
        ("NO_IMAGE", "stop"),
        ("BRAND_NEW", "stop"),
        ("TOO_MANY_TOOL_CALLS", "stop"),
    ],
)
def test_reasons_with_content(reason, stop):
    data = chunk(candidate(text("a"), finish=reason))
    assert read([frame(data)])[-1] == Finish(stop, reason)
    assert API.whole(json.dumps(data), READING, {})[-1] == Finish(stop, reason)


def test_too_many_calls_are_calls():
    data = chunk(candidate(call_part(), finish="TOO_MANY_TOOL_CALLS"))
    assert read([frame(data)])[-1] == Finish("tool_calls", "TOO_MANY_TOOL_CALLS")


@pytest.mark.parametrize(
    ("reason", "type"),
    [
        ("MALFORMED_FUNCTION_CALL", "invalid_tool_call"),
        ("UNEXPECTED_TOOL_CALL", "invalid_tool_call"),
        ("TOO_MANY_TOOL_CALLS", "api_error"),
        ("MISSING_THOUGHT_SIGNATURE", "invalid_request_error"),
        ("MALFORMED_RESPONSE", "malformed_response"),
        ("PUP_LIMITED_DISABLED", "upstream_auth_error"),
        ("LANGUAGE", "malformed_response"),
        ("OTHER", "malformed_response"),
        ("NO_IMAGE", "malformed_response"),
        ("BRAND_NEW", "malformed_response"),
    ],
)
def test_reasons_that_are_errors(reason, type):
    data = {"candidates": [{"finishReason": reason, "finishMessage": "why"}], "usageMetadata": {"promptTokenCount": 3}}
    for events in (read([frame(data)]), API.whole(json.dumps(data), READING, {})):
        assert events[-1] == Failed(Failure(type, "why", code=reason))
        assert UsageUpdate(Usage(input=3)) in events


@pytest.mark.parametrize("reason", ["STOP", "MAX_TOKENS"])
def test_an_empty_answer_has_its_finish(reason):
    """Whether it may be empty is for the engine to say."""
    data = chunk(candidate(text(""), finish=reason))
    assert read([frame(data)]) == [STARTED, Finish("stop" if reason == "STOP" else "length", reason)]


def test_a_whole_answer_without_reason():
    assert API.whole(json.dumps(chunk(candidate(text("a")))), READING, {})[-1] == Finish("stop", None)
    unset = chunk(candidate(text("a"), finish="FINISH_REASON_UNSPECIFIED"))
    assert API.whole(json.dumps(unset), READING, {})[-1] == Finish("stop", None)
    thoughts = API.whole(json.dumps(chunk(candidate(text("a", thought=True)))), READING, {})
    assert thoughts[-1] == Failed(Failure("malformed_response", "the answer is empty"))


def test_continuation_keeps_its_token():
    data = chunk(candidate(text("a"), finish="CONTINUATION", continuationToken="dG9r"))
    assert read([frame(data)])[-1] == Finish("length", "CONTINUATION", extras={OWN: {"continuationToken": "dG9r"}})


@pytest.mark.parametrize(
    "reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK"]
)
@pytest.mark.parametrize("more", [{}, {"candidates": []}])
def test_a_blocked_prompt(reason, more):
    data = {"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 4}, **more}
    failed = [Started(), UsageUpdate(Usage(input=4)),
              Failed(Failure("content_filter", f"the prompt was blocked: {reason}", code=reason))]
    assert read([frame(data), frame({"usageMetadata": {"promptTokenCount": 4}})]) == failed
    assert API.whole(json.dumps(data), READING, {}) == failed


@pytest.mark.parametrize("reason", ["BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED"])
def test_not_blocked(reason):
    with pytest.raises(Malformed):
        API.whole(json.dumps({"promptFeedback": {"blockReason": reason}}), READING, {})
    asked = {"promptFeedback": {"blockReason": reason}}
    assert read([frame(asked), frame(chunk(candidate(text("a"), finish="STOP")))])[-1] == Finish("stop", "STOP")


# --- errors inside a 200 -----------------------------------------------------------------------------------------

ERROR = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}
BUSY = Failed(Failure("overloaded_error", "busy", 503, code="UNAVAILABLE"))
PRETTY = b'{\n  "error": {\n    "code": 503,\n    "message": "busy",\n    "status": "UNAVAILABLE"\n  }\n}\n'


@pytest.mark.parametrize(
    "end",
    [
        frame(ERROR),
        frame([ERROR]),
        frame({"error": {"message": "busy", "status": "UNAVAILABLE"}}),
        PRETTY,
        b"[" + PRETTY + b"]",
        b"\n" + PRETTY.rstrip(),
    ],
)
def test_an_error_in_the_stream(end):
    first = frame(chunk(candidate(text("a"))))
    for start, before in ((b"", []), (first, [STARTED, TextDelta(0, "a")])):
        data = start + end
        assert read([data]) == [*before, BUSY]
        assert read(by_bytes(data)) == [*before, BUSY]
        for at in range(1, len(data)):
            assert read([data[:at], data[at:]]) == [*before, BUSY]


@pytest.mark.parametrize("data", [ERROR, [ERROR]])
def test_an_error_as_a_whole_answer(data):
    assert API.whole(json.dumps(data), READING, {}) == [BUSY]


def test_an_error_in_a_list_after_content():
    data = b"[" + json.dumps(chunk(candidate(text("a")))) + b"\n,\n" + PRETTY + b"]"
    assert read(by_bytes(data)) == [STARTED, TextDelta(0, "a"), BUSY]


# --- what the API does not allow ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        5,
        chunk(5),
        chunk(candidate(5)),
        chunk({"index": "x"}),
        chunk(candidate({"functionCall": {"args": {}}})),
        chunk(candidate({"functionCall": {"name": "f", "args": [1]}})),
        chunk(candidate({"functionCall": {"name": "f", "partialArgs": [{"stringValue": "x"}]}})),
        chunk(candidate({"functionCall": {"name": "f", "partialArgs": [{"jsonPath": "a.b", "stringValue": "x"}]}})),
    ],
)
def test_malformed(data):
    with pytest.raises(Malformed):
        read([frame(data)])
    with pytest.raises(Malformed):
        API.whole(json.dumps(data), READING, {})


@pytest.mark.parametrize("raw", [b"", b"<html>", b"{", b"[{]"])
def test_no_json(raw):
    with pytest.raises(Malformed):
        API.whole(raw, READING, {})
    with pytest.raises(Malformed):
        read([raw])


def test_imitators_end_every_chunk():
    chunks = [chunk(candidate(text(one), finish="STOP"), usage=COUNTS) for one in "abc"]
    assert read(map(frame, chunks)) == [
        STARTED, USED, TextDelta(0, "a"), TextDelta(0, "b"), TextDelta(0, "c"), PartEnd(0), Finish("stop", "STOP"),
    ]


def test_a_call_that_never_ended():
    begun = chunk(candidate({"functionCall": {"name": "f", "willContinue": True}}))
    cut = read([frame(begun), frame(chunk(candidate(finish="MAX_TOKENS")))])
    assert cut == [STARTED, Finish("length", "MAX_TOKENS")]
    failed = read([frame(begun), frame(chunk(candidate(finish="STOP")))])
    assert failed[-1].failure.type == "malformed_response"


def test_an_object_has_a_limit():
    objects = Objects(limit=10)
    assert objects.feed(b'[{"a":1},') == [b'{"a":1}']
    with pytest.raises(Malformed):
        objects.feed(b'{"a":"' + b"x" * 10)


@pytest.mark.parametrize("value", ['{"a":"}{\\"}"}', '{"a":"\\\\"}', '{"a":{"b":[{}]}}', '{"a":"ü\\u00fc"}'])
def test_objects_are_found_whatever_is_in_them(value):
    data = f"[{value},\n{value}]".encode()
    objects = Objects()
    assert [one for i in range(len(data)) for one in objects.feed(data[i : i + 1])] == [value.encode()] * 2
    assert objects.close() == b""


# --- usage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"promptTokenCount": 20, "candidatesTokenCount": 151, "thoughtsTokenCount": 382, "totalTokenCount": 553},
         Usage(input=20, output=533, reasoning=382)),
        ({"promptTokenCount": 20, "cachedContentTokenCount": 16, "candidatesTokenCount": 7, "totalTokenCount": 27},
         Usage(input=20, output=7, cache_read=16)),
        ({"promptTokenCount": 20, "toolUsePromptTokenCount": 5, "thoughtsTokenCount": 3},
         Usage(input=25, output=3, reasoning=3, extras={OWN: {"toolUsePromptTokenCount": 5}})),
        ({"promptTokenCount": 4, "totalTokenCount": 4, "trafficType": "ON_DEMAND"},
         Usage(input=4, extras={OWN: {"trafficType": "ON_DEMAND"}})),
    ],
)
def test_usage(counts, usage):
    events = API.whole(json.dumps(chunk(candidate(text("a"), finish="STOP"), usage=counts)), READING, {})
    assert fold(events).usage == usage


@pytest.mark.parametrize("usage", [None, {}])
def test_no_usage(usage):
    events = read([frame(chunk(candidate(text("a"), finish="STOP"), usage=usage))])
    assert not any(isinstance(event, UsageUpdate) for event in events)


def test_counts_are_snapshots_and_a_known_one_survives():
    events = read([
        frame(chunk(candidate(text("a")), usage={"promptTokenCount": 20, "cachedContentTokenCount": 16})),
        frame(chunk(candidate(text("b")), usage={"promptTokenCount": 20, "candidatesTokenCount": 3})),
        frame(chunk(candidate(finish="STOP"), usage={"candidatesTokenCount": 7, "promptTokenCount": None})),
    ])
    assert fold(events).usage == Usage(input=20, output=7, cache_read=16)


# --- grounding and log probabilities -----------------------------------------------------------------------------

GROUNDED = Reading("m", facts={"grounded": True})
SOURCES = {
    "groundingChunks": [{"web": {"uri": "https://a.x", "title": "A"}}, {"web": {"uri": "https://b.x"}}],
    "groundingSupports": [
        {"segment": {"startIndex": 6, "endIndex": 9, "text": "Rom"}, "groundingChunkIndices": [0]}
    ],
}


def test_sources_of_a_text():
    """Google counts bytes, the events characters."""
    chunks = [
        frame(chunk(candidate(text("Grü")))),
        frame(chunk(candidate(text("ß Rome")))),
        frame(chunk({"groundingMetadata": SOURCES, "index": 0})),
        frame(chunk(candidate(finish="STOP"))),
    ]
    sources = {**SOURCES, "groundingSupports": [
        {"segment": {"startIndex": 7, "endIndex": 10, "text": "Rom"}, "groundingChunkIndices": [0]}]}
    chunks[2] = frame(chunk({"groundingMetadata": sources, "index": 0}))
    cited = [
        Cited(0, Citation("https://a.x", "A", 5, 8, "Rom")),
        Cited(0, Citation("https://b.x")),
    ]
    assert read(chunks, GROUNDED) == [
        STARTED, TextDelta(0, "Grü"), TextDelta(0, "ß Rome"), *cited, PartEnd(0),
        Finish("stop", "STOP", extras={OWN: {"groundingMetadata": sources}}),
    ]


def test_log_probabilities():
    chosen, other = {"token": "é", "tokenId": 5, "logProbability": -0.5}, {"token": "x", "logProbability": -2}
    result = {"chosenCandidates": [chosen], "topCandidates": [{"candidates": [chosen, other]}]}
    events = read([frame(chunk(candidate(text("é"), finish="STOP", logprobsResult=result)))])
    assert events[2] == Logprobs(0, ({
        "token": "é", "logprob": -0.5, "bytes": [195, 169],
        "top_logprobs": [{"token": "é", "logprob": -0.5, "bytes": [195, 169]},
                         {"token": "x", "logprob": -2, "bytes": [120]}],
    },))
