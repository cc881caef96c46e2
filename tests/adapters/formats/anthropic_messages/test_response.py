"""Whole answers: read from upstreams, written for clients."""

import json

import pytest
from messages_wire import whole

from adapters.errors import Failure, InvalidCall, Malformed
from adapters.events import CallDelta, CallStart, Failed, Finish, Native, PartEnd, Started, TextDelta, UsageUpdate
from adapters.format import Reading
from adapters.formats.anthropic_messages import API, DIALECT
from adapters.formats.anthropic_messages.decode import Reply
from adapters.formats.shared.reference import pack
from adapters.model import Answer, Citation, Opaque, Reasoning, Refusal, Text, ToolCall, Usage

N = "anthropic-messages"
READING = Reading(model="claude-sonnet-4-5", origin="anthropic/claude")
REPLY = Reply("smart", "msg_made")


def test_events_of_a_whole_answer():
    body = whole(
        {"type": "text", "text": "Looking."},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"z": 1, "a": [1.0, 2**70]}, "caller": {"x": 1}},
        {"type": "text", "text": ""},
        stop_reason="tool_use", container={"id": "c"}, stop_details=None,
    )
    assert API.whole(body, READING, {}) == [
        Started("msg_1", "claude-sonnet-4-5", {N: {"container": {"id": "c"}}}),
        TextDelta(0, "Looking."), PartEnd(0),
        Native(1, N, {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}),
        PartEnd(1),
        CallStart(2, "toolu_1", "f", extras={N: {"caller": {"x": 1}}}),
        CallDelta(2, '{"z":1,"a":[1.0,1180591620717411303424]}'), PartEnd(2),
        UsageUpdate(Usage(10, 5)),
        Finish("tool_calls", "tool_use", extras={N: {"container": {"id": "c"}}}),
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"[]", b"null", b"{}",
        whole({"type": "text", "text": "a"}, stop_reason=None),
        b'{"content":null,"stop_reason":"end_turn"}',
        whole({"text": "a"}), whole("a"), whole({"type": "text", "text": 1}),
        whole({"type": "tool_use", "id": "t", "name": "f", "input": None}),
        whole({"type": "tool_use", "id": "t", "name": "f", "input": "{}"}),
        whole({"type": "tool_use", "id": "t", "input": {}}),
        whole({"type": "redacted_thinking"}),
        whole({"type": "text", "text": "a", "citations": ["x"]}),
    ],
)
def test_malformed(body):
    with pytest.raises(Malformed):
        API.whole(body, READING, {})


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
         Failure("overloaded_error", "Overloaded")),
        ({"error": {"message": "boom"}}, Failure("api_error", "boom")),
    ],
)
def test_error_inside_a_200(body, failure):
    assert API.whole(json.dumps(body).encode(), READING, {}) == [Failed(failure)]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, []),
        ({"input_tokens": None, "output_tokens": 3}, [UsageUpdate(Usage(None, 3))]),
        ({"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 7, "output_tokens": 2},
         [UsageUpdate(Usage(30, 2, 20, 7))]),
        ({"input_tokens": 3, "cache_creation": {"ephemeral_5m_input_tokens": 0}, "speed": "fast"},
         [UsageUpdate(Usage(3, extras={N: {"cache_creation": {"ephemeral_5m_input_tokens": 0}, "speed": "fast"}}))]),
        ({"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}},
         [UsageUpdate(Usage(None, 9, reasoning=4))]),
        ({"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4, "x": 1}}, [UsageUpdate(
            Usage(None, 9, reasoning=4, extras={N: {"output_tokens_details": {"thinking_tokens": 4, "x": 1}}}))]),
        ({"input_tokens": -1, "output_tokens": True}, [UsageUpdate(Usage())]),
    ],
)
def test_usage(usage, expected):
    events = API.whole(whole({"type": "text", "text": "a"}, usage=usage), READING, {})
    assert [event for event in events if isinstance(event, UsageUpdate)] == expected


def test_token_count():
    assert API.counted(b'{"input_tokens":14}') == 14
    for body in (b"{}", b"14", b"<", b'{"input_tokens":true}'):
        with pytest.raises(Malformed):
            API.counted(body)


# --- towards clients ---------------------------------------------------------------------------------------------


def written(answer):
    return json.loads(DIALECT.answer(answer, REPLY))


def test_whole_answer_for_a_client():
    foreign = Reasoning("Hm.", "openai-responses", "openai/gpt-5", "rs_1", None, "ENC")
    answer = Answer(
        parts=(
            Reasoning("t", N, "anthropic/claude", signature="SIG"),
            Reasoning("", N, "anthropic/claude", data="RED"),
            foreign,
            Reasoning("only text"),
            Text(""),
            Text("Grüße", citations=(Citation(extras={N: {"type": "page_location"}}), Citation(url="u"))),
            Refusal("No."),
            Opaque(N, {"type": "web_search_tool_result", "content": []}),
            Opaque("google-gemini", {"x": 1}),
            Opaque("google-gemini", {"x": 1}, "shown"),
            ToolCall("call_1", "f", '{"b":1,"a":12345678901234567890123}'),
            ToolCall("call_2", "g", " "),
        ),
        stop="tool_calls",
        usage=Usage(100, 40, 60, 10, 7, {N: {"service_tier": "standard"}}),
        id="chatcmpl-1", model="gpt-5", native_stop="tool_calls",
    )
    assert json.dumps(written(answer)) == json.dumps({
        "id": "msg_made",
        "type": "message",
        "role": "assistant",
        "model": "smart",
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "SIG"},
            {"type": "redacted_thinking", "data": "RED"},
            {"type": "thinking", "thinking": "Hm.", "signature": pack(foreign)},
            {"type": "thinking", "thinking": "only text", "signature": "tw1re30="},
            {"type": "text", "text": "Grüße", "citations": [{"type": "page_location"}]},
            {"type": "text", "text": "No."},
            {"type": "web_search_tool_result", "content": []},
            {"type": "text", "text": "shown"},
            {"type": "tool_use", "id": "call_1", "name": "f", "input": {"b": 1, "a": 12345678901234567890123}},
            {"type": "tool_use", "id": "call_2", "name": "g", "input": {}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 30, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 60,
                  "output_tokens": 40, "output_tokens_details": {"thinking_tokens": 7}, "service_tier": "standard"},
    })


@pytest.mark.parametrize(
    ("stop", "native", "sequence", "word"),
    [
        ("stop", "stop", None, "end_turn"),
        ("stop", "end_turn", None, "end_turn"),
        ("stop", "stop", "END", "stop_sequence"),
        ("stop", "pause_turn", None, "pause_turn"),
        ("stop", "COMPLETE", None, "end_turn"),
        ("length", "length", None, "max_tokens"),
        ("length", "model_context_window_exceeded", None, "model_context_window_exceeded"),
        ("tool_calls", "end_turn", None, "tool_use"),
        ("tool_calls", "STOP", None, "tool_use"),
        ("stop", "tool_use", None, "end_turn"),
        (None, None, None, "end_turn"),
    ],
)
def test_stop_words(stop, native, sequence, word):
    body = written(Answer((Text("a"),), stop, native_stop=native, sequence=sequence))
    assert (body["stop_reason"], body["stop_sequence"]) == (word, sequence)
    assert "stop_details" not in body


def test_refusal_has_details():
    none = {"type": "refusal", "category": None, "explanation": None}
    given = {"type": "refusal", "category": "bio", "explanation": None}
    assert written(Answer((), "content_filter", native_stop="content_filter"))["stop_details"] == none
    native = Answer((), "content_filter", native_stop="refusal", extras={N: {"stop_details": given}})
    assert written(native)["stop_details"] == given


@pytest.mark.parametrize(("parts", "word"), [
    ((Refusal("No."),), "refusal"), ((Text("a"), Refusal("No.")), "refusal"), ((Refusal(""), Text("a")), "end_turn")])
def test_a_refusal_that_ends_as_any_answer(parts, word):
    """OpenAI's refusals finish with `stop`."""
    body = written(Answer(parts, "stop", native_stop="stop"))
    assert (body["stop_reason"], "stop_details" in body) == (word, word == "refusal")


def test_empty_answer_and_unknown_usage():
    body = written(Answer((), "stop", Usage(), id="msg_up"))
    assert (body["id"], body["content"]) == ("msg_up", [])
    assert body["usage"] == {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                             "output_tokens": 0}


@pytest.mark.parametrize("arguments", ['{"a":', "[1]", "null", '"x"', "1", "{}{}"])
def test_arguments_that_are_no_object(arguments):
    parts = (Text("a"), ToolCall("c1", "f", '{"x":1}'), ToolCall("c2", "g", arguments))
    with pytest.raises(InvalidCall, match="g are no JSON object"):
        written(Answer(parts, "tool_calls"))
    cut = written(Answer(parts, "length"))
    assert cut["content"] == [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "c1", "name": "f",
                                                             "input": {"x": 1}}]
    assert cut["stop_reason"] == "max_tokens"


def test_native_fields_come_back():
    events = API.whole(whole({"type": "text", "text": "a"}, context_management={"applied_edits": []}), READING, {})
    body = written(Answer((Text("a"),), "stop", native_stop="end_turn", extras=events[0].extras))
    assert body["context_management"] == {"applied_edits": []}


def test_model_list():
    one = {"type": "model", "id": "smart", "display_name": "smart", "created_at": "2026-11-30T12:00:00Z",
           "lifecycle": "active"}
    assert json.loads(DIALECT.model("smart", 1_796_040_000)) == one
    assert json.loads(DIALECT.models(["smart", "fast"], 1_796_040_000)) == {
        "data": [one, {**one, "id": "fast", "display_name": "fast"}],
        "has_more": False, "first_id": "smart", "last_id": "fast",
    }
    assert json.loads(DIALECT.models([], 0)) == {"data": [], "has_more": False, "first_id": None, "last_id": None}
    assert json.loads(DIALECT.counted(7)) == {"input_tokens": 7}


def test_a_text_whose_last_piece_is_signed_is_one_text():
    parts = (Text("sun"), Text("ny", signature="Af8="), ToolCall("toolu_1", "f", "{}"), Text("!", signature="Af8="))
    assert written(Answer(parts, "stop"))["content"] == [
        {"type": "text", "text": "sunny"},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
        {"type": "text", "text": "!"},
    ]
