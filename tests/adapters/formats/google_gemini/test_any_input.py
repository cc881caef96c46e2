"""Whatever comes in: a client's body is taken or Rejected, an answer is taken or Malformed, an error is always told."""

import pytest
from gemini_wire import READING, THREE, candidate, chunk, frame, read
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import json
from adapters.errors import Failure, InvalidCall, Malformed, Rejected
from adapters.events import fold
from adapters.format import Call
from adapters.formats.google_gemini import API, DIALECT
from adapters.formats.google_gemini.reply import Reply

WORDS = [
    "text", "thought", "thoughtSignature", "functionCall", "functionResponse", "name", "args", "id", "response",
    "parts",
    "inlineData", "mimeType", "data", "fileData", "fileUri", "role", "user", "model", "contents", "systemInstruction",
    "tools", "functionDeclarations", "parameters", "type", "properties", "items", "enum", "anyOf", "nullable",
    "toolConfig", "functionCallingConfig", "mode", "ANY", "allowedFunctionNames", "generationConfig", "thinkingConfig",
    "thinkingLevel", "responseSchema", "candidates", "content", "finishReason", "STOP", "index", "usageMetadata",
    "promptTokenCount", "groundingMetadata", "groundingChunks", "web", "groundingSupports", "segment", "startIndex",
    "partialArgs", "jsonPath", "$.a", "willContinue", "error", "code", "message", "status", "details", "promptFeedback",
    "blockReason", "logprobsResult", "chosenCandidates", "", "x",
]  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False) | \
    st.sampled_from(WORDS) | st.text(max_size=3)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)
MANY = settings(max_examples=80)


def taken(body):
    """A body that a client may send goes through to the wire, or is refused."""
    try:
        incoming = DIALECT.decode(body, Call(model="m"))
        json.loads(API.encode(incoming.request, THREE).body)
    except Rejected:
        pass


@MANY
@given(st.dictionaries(st.sampled_from(WORDS), ANY, max_size=5))
def test_any_body(body):
    taken(body)


@MANY
@given(st.lists(ANY, max_size=4), ANY, ANY, ANY)
def test_any_parts_tools_and_config(parts, tools, choice, config):
    said = {"contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": parts}]}
    taken(said)
    fixed = {"contents": said["contents"][:1]}
    taken({**fixed, "tools": [{"functionDeclarations": [{"name": "f", "parameters": tools}]}],
           "toolConfig": {"functionCallingConfig": choice}})
    taken({**fixed, "generationConfig": config, "tools": tools, "systemInstruction": choice})
    taken({"contents": [{"parts": parts}], "generationConfig": {"thinkingConfig": config, "responseSchema": tools}})


REPLY = Reply("m", "r", thoughts=True)


@MANY
@given(st.lists(ANY, max_size=3), st.dictionaries(st.sampled_from(WORDS), ANY, max_size=3))
def test_any_answer(parts, more):
    for data in (chunk(candidate(*parts, finish="STOP"), **more), chunk(candidate(*parts, **more)), parts, more):
        told = None
        for events in (lambda data=data: API.whole(json.dumps(data), READING, {}),
                       lambda data=data: read([frame(data), frame(chunk(candidate(finish="STOP")))])):
            try:
                told = events()
                encoder = DIALECT.encoder(REPLY)
                encoder.feed(told)
                encoder.close()
                DIALECT.answer(fold(told), REPLY)
            except (Malformed, InvalidCall):
                pass


@MANY
@given(ANY, st.integers(300, 599))
def test_any_error(data, status):
    for body in (data, {"error": data}, [{"error": data}]):
        assert isinstance(API.failure(status, {}, json.dumps(body)), Failure)


@MANY
@given(st.binary(max_size=40), st.sampled_from([b"", b"data: ", b"[", b"{"]))
def test_any_bytes(data, start):
    with pytest.raises(Malformed):
        read([start + data])
    assert isinstance(API.failure(500, {}, start + data), Failure)
