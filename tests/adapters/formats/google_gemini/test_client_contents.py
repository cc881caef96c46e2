"""contents of a Gemini client -> messages (wire page, sections 3, 5, 6, 11)."""

import pytest

from adapters.errors import Rejected
from adapters.format import Call, Upstream
from adapters.formats.google_gemini import API, DIALECT
from adapters.formats.shared.reference import pack
from adapters.model import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult
from adapters.tools.ids import digest

OWN = "google-gemini"


def decode(*entries):
    return DIALECT.decode({"contents": list(entries)}, Call(model="m")).request.messages


def u(*parts, role="user"):
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def m(*parts):
    return u(*parts, role="model")


def call(name="f", args=None, id=None, **more):
    made = {key: value for key, value in (("id", id), ("name", name), ("args", args)) if value is not None}
    return {"functionCall": made, **more}


def response(name="f", response=None, id=None, **more):
    made = {key: value for key, value in (("id", id), ("name", name), ("response", response)) if value is not None}
    return {"functionResponse": {**made, **more}}


def made_id(position, name, arguments):
    return "call_" + digest(f"{position}\0{name}\0{arguments}", 24)


def told(id, text, native, is_error=None, name="f", media=()):
    return ToolResult(id, (Text(text), *media), is_error, name, extras={OWN: {"response": native}})


@pytest.mark.parametrize(
    ("entries", "messages"),
    [
        pytest.param([{"parts": [{"text": "hi"}]}], [("user", [Text("hi")])], id="no role"),
        pytest.param([{"role": "", "parts": {"text": "hi"}}], [("user", [Text("hi")])], id="one part, bare"),
        pytest.param([u("a"), m("b"), u("c")], [("user", [Text("a")]), ("assistant", [Text("b")]),
                                                ("user", [Text("c")])], id="turns"),
        pytest.param([u("a"), m("b"), m("c"), m(""), m("d")],
                     [("user", [Text("a")]), ("assistant", [Text("bcd")])], id="chunks of a stream are one turn"),
        pytest.param([u("a"), u("b")], [("user", [Text("a"), Text("b")])], id="two user entries"),
        pytest.param([u("a", ""), m()], [("user", [Text("a")])], id="empty texts and entries"),
        pytest.param([u("a"), m("b", {"text": "", "thoughtSignature": "c2ln"})],
                     [("user", [Text("a")]), ("assistant", [Text("b"), Text("", signature="c2ln")])],
                     id="a signed empty text stays apart"),
        pytest.param([u("a"), m({"text": "x", "thoughtSignature": "c2ln"}, "y")],
                     [("user", [Text("a")]), ("assistant", [Text("x", signature="c2ln"), Text("y")])],
                     id="texts merge with no signed one"),
        pytest.param([u("a"), m({"text": "pl", "thought": True}), m({"text": "an", "thought": True}), m("b")],
                     [("user", [Text("a")]), ("assistant", [Reasoning("plan"), Text("b")])], id="thoughts"),
        pytest.param([u("a"), m({"text": "p", "thought": True, "thoughtSignature": "c2ln"}, "b")],
                     [("user", [Text("a")]), ("assistant", [Reasoning("p", OWN, signature="c2ln"), Text("b")])],
                     id="a signed thought"),
        pytest.param([u("a"), m({"text": "b", "partMetadata": {"a_b": 1}})],
                     [("user", [Text("a")]), ("assistant", [Text("b", extras={OWN: {"partMetadata": {"a_b": 1}}})])],
                     id="side fields"),
        pytest.param([u("a"), m({"executableCode": {"code": "1"}}, {"codeExecutionResult": {"outcome": "OK"}},
                                {"tool_call": {"id": "t", "args": {"a_b": 1}}, "thought_signature": "c2ln"})],
                     [("user", [Text("a")]),
                      ("assistant", [Opaque(OWN, {"executableCode": {"code": "1"}}),
                                     Opaque(OWN, {"codeExecutionResult": {"outcome": "OK"}}),
                                     Opaque(OWN, {"toolCall": {"id": "t", "args": {"a_b": 1}},
                                                  "thoughtSignature": "c2ln"})])],
                     id="server tools"),
    ],
)
def test_turns(entries, messages):
    assert decode(*entries) == tuple(Message(role, tuple(parts)) for role, parts in messages)


def test_contents_may_be_one_object():
    body = {"contents": {"role": "user", "parts": [{"text": "hi"}]}}
    assert DIALECT.decode(body, Call(model="m")).request.messages == (Message("user", (Text("hi"),)),)


@pytest.mark.parametrize(
    ("part", "media"),
    [
        ({"inlineData": {"mimeType": "image/png", "data": "-_8="}}, Media("image", "image/png", "+/8=")),
        ({"inline_data": {"mime_type": "audio/wav", "data": "AAAA"}}, Media("audio", "audio/wav", "AAAA")),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/a"}, "videoMetadata": {"fps": 1}},
         Media("video", "video/mp4", url="gs://b/a", extras={OWN: {"videoMetadata": {"fps": 1}}})),
        ({"fileData": {"fileUri": "https://e.x/a.pdf", "displayName": "a"}},
         Media("file", url="https://e.x/a.pdf", extras={OWN: {"inside": {"displayName": "a"}}})),
    ],
)
def test_media(part, media):
    assert decode(u(part)) == (Message("user", (media,)),)


# --- calls and results -------------------------------------------------------------------------------------------


def test_ids_pair_calls_and_results():
    messages = decode(
        u("go"),
        m(call("f", {"a": 1}, "c1"), call("f", {"a": 2}, "c2")),
        u(response("f", {"output": "two"}, "c2"), response("f", {"output": "one"}, "c1")),
    )
    assert messages[1].parts == (ToolCall("c1", "f", '{"a":1}'), ToolCall("c2", "f", '{"a":2}'))
    assert messages[2] == Message("tool", (told("c2", "two", {"output": "two"}), told("c1", "one", {"output": "one"})))


def test_without_ids_name_and_order_do():
    messages = decode(
        u("go"),
        m(call("f", {"a": 1}), call("g"), call("f", {"a": 2})),
        u(response("g", {"output": "g"}), response("f", {"output": "one"}), response("f", {"output": "two"})),
        m(call("f", {"a": 1})),
        u(response("f", {"output": "three"})),
    )
    first, second, third, fourth = (
        made_id(0, "f", '{"a":1}'), made_id(1, "g", "{}"), made_id(2, "f", '{"a":2}'), made_id(3, "f", '{"a":1}'),
    )
    assert len({first, second, third, fourth}) == 4
    assert [part.id for part in messages[1].parts] == [first, second, third]
    assert [part.call_id for part in messages[2].parts] == [second, first, third]
    assert [part.call_id for part in messages[4].parts] == [fourth]


def test_a_longer_conversation_keeps_its_ids():
    start = [u("go"), m(call("f")), u(response("f", {"output": "x"}))]
    assert decode(*start, m("ok"), u("more"))[:3] == decode(*start)


def test_the_history_of_a_streamed_chat():
    """The SDK keeps a model entry per chunk and an empty text between a call and its response (3.6.1)."""
    messages = decode(
        u("go"),
        m(call("f", {"a": 1}, thoughtSignature="c2ln")),
        m(""),
        u(response("f", {"result": "rain"})),
        m("It "),
        m("rains."),
        m(""),
        u("thanks"),
    )
    id = made_id(0, "f", '{"a":1}')
    assert messages == (
        Message("user", (Text("go"),)),
        Message("assistant", (ToolCall(id, "f", '{"a":1}', signature="c2ln"),)),
        Message("tool", (told(id, "rain", {"result": "rain"}),)),
        Message("assistant", (Text("It rains."),)),
        Message("user", (Text("thanks"),)),
    )


@pytest.mark.parametrize(
    ("native", "text", "is_error"),
    [
        ({"output": "21C"}, "21C", None),
        ({"result": "21C"}, "21C", None),
        ({"result": 21}, '{"result":21}', None),
        ({"output": {"a": 1}}, '{"output":{"a":1}}', None),
        ({"output": "a", "more": 1}, '{"output":"a","more":1}', None),
        ({"error": "boom"}, "boom", True),
        ({"error": {"code": 5}}, '{"code":5}', True),
        ({"error": "boom", "output": "x"}, '{"error":"boom","output":"x"}', None),
        ({"a_b": 1}, '{"a_b":1}', None),
        ({}, "{}", None),
    ],
)
def test_what_a_result_says(native, text, is_error):
    result = decode(u("go"), m(call("f", id="c")), u(response("f", native, "c")))[2].parts[0]
    assert result == told("c", text, native, is_error)


def test_a_result_with_media():
    part = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    result = decode(u("go"), m(call("f", id="c")), u(response("f", {}, "c", parts=[part])))[2].parts[0]
    assert result == told("c", "{}", {}, media=(Media("image", "image/png", "AAAA"),))


def test_results_come_before_the_text_beside_them():
    messages = decode(u("go"), m(call("f", id="c")), u("so", response("f", {"output": "x"}, "c"), "what?"))
    assert [message.role for message in messages] == ["user", "assistant", "tool", "user"]
    assert messages[3].parts == (Text("so"), Text("what?"))


def test_the_old_role_function():
    messages = decode(u("go"), m(call("f", id="c")), u(response("f", {"output": "x"}), role="function"))
    assert messages[2] == Message("tool", (told("c", "x", {"output": "x"}),))


def test_a_result_of_no_call_stays_alone():
    assert decode(u("go"), u(response("f", {"output": "x"})))[0] == Message("tool", (told("", "x", {"output": "x"}),))


# --- signatures --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "signature",
    ["skip_thought_signature_validator", "skip/thought/signature/validator",
     "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=", "context_engineering_is_the_way_to_go", ""],
)
def test_the_bypass_is_no_signature(signature):
    part = decode(u("go"), m(call("f", id="c", thoughtSignature=signature)))[1].parts[0]
    assert part == ToolCall("c", "f", "{}")


CLAUDE = Reasoning("plan", "anthropic-messages", "a/claude", signature="c2ln-_")
BLANK = Reasoning("", "anthropic-messages", "a/claude", signature="c2ln-_")
HIDDEN = Reasoning("", "anthropic-messages", "a/claude", data="ZGF0YQ==")


def reencoded(reference):
    """As the Python SDK sends it back from a URL-safe reading, and as it came."""
    return reference.replace("-", "+").replace("_", "/")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param([{"text": "plan", "thought": True}, "Hm.", call("f", id="c", thoughtSignature=pack(CLAUDE))],
                     [CLAUDE, Text("Hm."), ToolCall("c", "f", "{}")], id="beside its text"),
        pytest.param([{"text": "pl", "thought": True}, {"text": "an", "thought": True},
                      call("f", id="c", thoughtSignature=reencoded(pack(CLAUDE)))],
                     [CLAUDE, ToolCall("c", "f", "{}")], id="beside its text in pieces"),
        pytest.param(["Hm.", call("f", id="c", thoughtSignature=pack(CLAUDE))],
                     [BLANK, Text("Hm."), ToolCall("c", "f", "{}")], id="without its text, at the start"),
        pytest.param([call("f", id="c"), "and", call("g", id="d", thoughtSignature=pack(HIDDEN))],
                     [ToolCall("c", "f", "{}"), HIDDEN, Text("and"), ToolCall("d", "g", "{}")],
                     id="of the second step"),
        pytest.param([{"text": "", "thoughtSignature": pack(HIDDEN)}, call("f", id="c", thoughtSignature=pack(CLAUDE))],
                     [HIDDEN, BLANK, ToolCall("c", "f", "{}")], id="two blocks before one call"),
    ],
)
def test_a_reference_brings_the_block_back(parts, expected):
    assert decode(u("go"), m(*parts))[1].parts == tuple(expected)


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "param"),
    [
        ([5], "contents[0]"),
        ([u("a", role="assistant")], "contents[0].role"),
        ([u("a", role="system")], "contents[0].role"),
        ([u("a", role=5)], "contents[0].role"),
        ([{"role": "user", "parts": 5}], "contents[0].parts"),
        ([{"role": "user", "parts": [5]}], "contents[0].parts[0]"),
        ([u("a"), m({})], "contents[1].parts[0]"),
        ([u({"text": 5})], "contents[0].parts[0].text"),
        ([u({"text": "a", "functionCall": {}})], "contents[0].parts[0]"),
        ([u({"text": "a", "thought": True})], "contents[0].parts[0]"),
        ([u(call("f"))], "contents[0].parts[0].functionCall"),
        ([m({"functionCall": 5})], "contents[0].parts[0].functionCall"),
        ([m({"functionCall": {}})], "contents[0].parts[0].functionCall.name"),
        ([m(call("f", [1]))], "contents[0].parts[0].functionCall.args"),
        ([m(call("f", id=5))], "contents[0].parts[0].functionCall.id"),
        ([m(call("f", thoughtSignature=5))], "contents[0].parts[0].thoughtSignature"),
        ([m(response("f"))], "contents[0].parts[0].functionResponse"),
        ([u({"functionResponse": 5})], "contents[0].parts[0].functionResponse"),
        ([u({"functionResponse": {}})], "contents[0].parts[0].functionResponse.name"),
        ([u(response("f", [1]))], "contents[0].parts[0].functionResponse.response"),
        ([u(response("f", {}, parts=[{"text": "a"}]))], "contents[0].parts[0].functionResponse.parts[0]"),
        ([u({"inlineData": 5})], "contents[0].parts[0].inlineData"),
        ([u({"inlineData": {"mimeType": "a/b"}})], "contents[0].parts[0].inlineData.data"),
        ([u({"fileData": {"fileUri": ""}})], "contents[0].parts[0].fileData.fileUri"),
    ],
)
def test_refused(entries, param):
    with pytest.raises(Rejected) as refused:
        decode(*entries)
    assert refused.value.failure.param == param


# --- back to the same API ----------------------------------------------------------------------------------------


def test_to_a_gemini_upstream_and_back_it_is_the_same():
    import json

    contents = [
        u("go", {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "mediaResolution": {"level": "LOW"}}),
        m({"text": "p", "thought": True, "thoughtSignature": "c2ln"},
          call("f", {"a_b": 1}, "c1", thoughtSignature="c2ln"), call("g", {}, "c2")),
        u(response("f", {"result": [1, {"$x": 2}]}, "c1"), response("g", {"error": "no"}, "c2")),
        m("ok", {"executableCode": {"language": "PYTHON", "code": "1"}}, {"text": "", "thoughtSignature": "c2ln"}),
        u("more"),
    ]
    for part in contents[2]["parts"]:
        part["functionResponse"] = {key: part["functionResponse"][key] for key in ("id", "name", "response")}
    incoming = DIALECT.decode({"contents": contents}, Call(model="m"))
    sent = API.encode(incoming.request, Upstream("gemini-3-pro-preview", "o"))
    assert json.loads(sent.body) == {"contents": contents}
    assert sent.warnings == ()
