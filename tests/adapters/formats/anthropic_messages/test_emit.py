"""Streams for Messages clients: the exact frames, blocks one after the other, errors, and the way back in."""

import json

import pytest
from messages_wire import (
    DONE,
    arguments,
    block,
    call_block,
    delta,
    end,
    read_sse,
    sse,
    start,
    stop,
    text,
    text_block,
)

from adapters.errors import Attempt, Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Failed,
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
from adapters.format import Reading
from adapters.formats.anthropic_messages import API, DIALECT
from adapters.formats.anthropic_messages.decode import Reply
from adapters.formats.anthropic_messages.emit import frame
from adapters.formats.shared.reference import pack, unpack
from adapters.model import Citation, Reasoning, Usage

N = "anthropic-messages"
REPLY = Reply("smart", "msg_made")
ORIGIN = "anthropic/claude"


def emitted(events, reply=REPLY):
    encoder = DIALECT.encoder(reply)
    return encoder.feed(events) + encoder.close()


def blocks(events):
    """The events between message_start and message_delta."""
    names = read_sse(emitted(events))
    assert [name for name, _ in (names[0], *names[-2:])] == ["message_start", "message_delta", "message_stop"]
    assert all(name == data["type"] for name, data in names)
    return [data for _, data in names[1:-2]]


CHAT = [
    Started("chatcmpl-1", "gpt-5"),
    UsageUpdate(Usage(100, 0, 60)),
    TextDelta(0, "Look"),
    TextDelta(0, "ing."),
    PartEnd(0),
    CallStart(1, "call_1", "f"),
    CallDelta(1, ""),
    CallDelta(1, '{"a":'),
    CallDelta(1, " 1}"),
    PartEnd(1),
    Finish("tool_calls", "tool_calls"),
    UsageUpdate(Usage(100, 9, 60)),
]


def test_frames():
    assert emitted(CHAT) == (
        b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_made","type":"message",'
        b'"role":"assistant","model":"smart","content":[],"stop_reason":null,"stop_sequence":null,"usage":'
        b'{"input_tokens":40,"cache_creation_input_tokens":0,"cache_read_input_tokens":60,"output_tokens":0}}}\n\n'
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text",'
        b'"text":""}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta",'
        b'"text":"Look"}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta",'
        b'"text":"ing."}}\n\n'
        b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
        b'event: content_block_start\ndata: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use",'
        b'"id":"call_1","name":"f","input":{}}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":1,"delta":{"type":'
        b'"input_json_delta","partial_json":"{\\"a\\":"}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":1,"delta":{"type":'
        b'"input_json_delta","partial_json":" 1}"}}\n\n'
        b'event: content_block_stop\ndata: {"type":"content_block_stop","index":1}\n\n'
        b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},'
        b'"usage":{"input_tokens":40,"cache_creation_input_tokens":0,"cache_read_input_tokens":60,"output_tokens":9}}'
        b"\n\n"
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    )


def test_one_event_at_a_time():
    encoder = DIALECT.encoder(REPLY)
    assert encoder.feed(CHAT[:2]) == b""
    assert b"".join(encoder.feed([event]) for event in CHAT[2:]) + encoder.close() == emitted(CHAT)


def test_nothing_but_an_end():
    names = read_sse(emitted([]))
    assert [name for name, _ in names] == ["message_start", "message_delta", "message_stop"]
    assert names[1][1]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}
    assert names[1][1]["usage"]["output_tokens"] == 0


def test_interleaved_calls_are_put_in_a_row():
    events = [
        CallStart(0, "a", "f"), CallStart(1, "b", "g"), CallDelta(0, '{"x"'), CallDelta(1, "{}"), TextDelta(2, "late"),
        CallDelta(0, ":1}"), PartEnd(1), Finish("tool_calls"),
    ]
    assert blocks(events) == [
        call_block(0, "a", "f"), arguments(0, '{"x"'), arguments(0, ":1}"), stop(0),
        call_block(1, "b", "g"), arguments(1, "{}"), stop(1),
        text_block(2), text(2, "late"), stop(2),
    ]


def test_a_part_without_an_end_is_closed_by_the_next():
    events = [TextDelta(0, "a"), PartEnd(0), TextDelta(1, ""), PartEnd(1), RefusalDelta(2, "No."), Finish("stop")]
    assert blocks(events) == [text_block(0), text(0, "a"), stop(0), text_block(1), text(1, "No."), stop(1)]


THINKING = {"thinking": "", "signature": ""}


def thinking(index):
    return block(index, "thinking", **THINKING)


def signature(index, value):
    return delta(index, "signature_delta", signature=value)


def test_own_reasoning_is_native():
    events = [
        ReasoningDelta(0, "hm"), Signed(0, N, signature="SIG", origin=ORIGIN), PartEnd(0),
        Signed(1, N, data="RED", origin=ORIGIN), PartEnd(1),
        Signed(2, N, signature="S2"), PartEnd(2),
        TextDelta(3, "a"), PartEnd(3), Finish("stop"),
    ]
    assert blocks(events) == [
        thinking(0), delta(0, "thinking_delta", thinking="hm"), signature(0, "SIG"), stop(0),
        block(1, "redacted_thinking", data="RED"), stop(1),
        thinking(2), signature(2, "S2"), stop(2),
        text_block(3), text(3, "a"), stop(3),
    ]


def test_a_text_whose_last_piece_is_signed_stays_one_text():
    pieces = [
        [TextDelta(0, "sun")],
        [PartEnd(0), Signed(1, "google-gemini", "text", signature="Af8="), TextDelta(1, "ny"), PartEnd(1)],
        [Finish("stop")],
    ]
    encoder = DIALECT.encoder(REPLY)
    told = read_sse(b"".join(encoder.feed(events) for events in pieces) + encoder.close())
    assert [data for _, data in told[1:-2]] == [text_block(0), text(0, "sun"), text(0, "ny"), stop(0)]


def test_a_text_that_ends_is_closed_at_once():
    encoder = DIALECT.encoder(REPLY)
    encoder.feed([TextDelta(0, "sun")])
    assert read_sse(encoder.feed([PartEnd(0)])) == [("content_block_stop", stop(0))]
    assert read_sse(encoder.feed([TextDelta(1, "x")]))[0][0] == "content_block_start"


def test_a_part_that_changes_its_kind_becomes_two_blocks():
    events = [ReasoningDelta(0, "hm"), Signed(0, N, data="RED"), PartEnd(0), Finish("stop")]
    unsigned = pack(Reasoning(sections=("hm",)))
    assert blocks(events) == [
        thinking(0), delta(0, "thinking_delta", thinking="hm"), signature(0, unsigned), stop(0),
        block(1, "redacted_thinking", data="RED"), stop(1),
    ]


def test_foreign_reasoning_carries_a_reference():
    extras = {"openai-responses": {"status": "completed"}}
    events = [
        ReasoningDelta(0, "One", 0), ReasoningDelta(0, " more", 0), ReasoningDelta(0, "Two", 1),
        Signed(0, "openai-responses", id="rs_1", data="ENC", origin="openai/gpt-5", extras=extras), PartEnd(0),
        ReasoningDelta(1, "plain"), PartEnd(1),
        Signed(2, "openai-responses", id="rs_2", data="E2"), PartEnd(2),
        TextDelta(3, "a"), PartEnd(3), Finish("stop"),
    ]
    made = blocks(events)
    first = Reasoning("One more\n\nTwo", "openai-responses", "openai/gpt-5", "rs_1", None, "ENC",
                      ("One more", "Two"), extras)
    second = Reasoning("plain", sections=("plain",))
    third = Reasoning("", "openai-responses", id="rs_2", data="E2")
    said = [delta(0, "thinking_delta", thinking=piece) for piece in ("One", " more", "\n\nTwo")]
    assert made[:6] == [thinking(0), *said, signature(0, pack(first)), stop(0)]
    assert made[6:10] == [
        thinking(1), delta(1, "thinking_delta", thinking="plain"), signature(1, pack(second)), stop(1)]
    assert made[10:13] == [thinking(2), signature(2, pack(third)), stop(2)]
    assert unpack(made[4]["delta"]["signature"], "One more\n\nTwo") == first


def test_the_stream_and_the_whole_answer_carry_the_same_reasoning():
    events = [ReasoningDelta(0, "One", 0), ReasoningDelta(0, "Two", 1), Signed(0, "openai-responses", data="E"),
              PartEnd(0), TextDelta(1, "a"), PartEnd(1), Finish("stop")]
    whole = json.loads(DIALECT.answer(fold(events), REPLY))["content"]
    made = [event["delta"] for event in blocks(events) if event["type"] == "content_block_delta"]
    assert whole[0] == {"type": "thinking", "thinking": made[0]["thinking"] + made[1]["thinking"],
                        "signature": made[2]["signature"]}


def test_native_blocks():
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    events = [
        Native(0, N, call), PartEnd(0), Native(1, N, found), PartEnd(1),
        Native(2, "google-gemini", {"x": 1}, "seen"), PartEnd(2), Native(3, "google-gemini", {"x": 1}), PartEnd(3),
        Finish("stop"),
    ]
    assert blocks(events) == [
        block(0, "server_tool_use", id="srvtoolu_1", name="web_search", input={}), arguments(0, '{"query":"q"}'),
        stop(0),
        {"type": "content_block_start", "index": 1, "content_block": found}, stop(1),
        text_block(2), text(2, "seen"), stop(2),
    ]


def test_citations():
    native = {"type": "page_location", "cited_text": "q"}
    events = [TextDelta(0, "a"), Cited(0, Citation(extras={N: native})), Cited(0, Citation(url="u")), PartEnd(0),
              Finish("stop")]
    assert blocks(events) == [text_block(0), text(0, "a"), delta(0, "citations_delta", citation=native), stop(0)]


def test_what_is_unknown_passes_to_clients_of_its_own_api():
    counted = delta(7, "thinking_delta", thinking="", estimated_tokens=4)
    events = [
        Pass(N, "hint", {"type": "hint", "x": 1}), Pass("openai-chat", "hint", {"type": "hint"}),
        Opened(0, "reasoning", {N: {}}), Pass(N, "content_block_delta", counted),
        Signed(0, N, signature="S"), PartEnd(0), Opened(1, "text", {"openai-responses": {}}), TextDelta(1, "a"),
        Logprobs(1, ()), PartEnd(1), Finish("stop"),
    ]
    assert blocks(events) == [
        {"type": "hint", "x": 1},
        thinking(0), delta(0, "thinking_delta", thinking="", estimated_tokens=4), signature(0, "S"), stop(0),
        text_block(1), text(1, "a"), stop(1),
    ]


def test_a_name_that_would_break_the_frame_does_not_pass():
    events = [Pass(N, "a\nb", {"type": "a\nb"}), TextDelta(0, "a"), PartEnd(0), Finish("stop")]
    assert blocks(events)[0] == text_block(0)


@pytest.mark.parametrize(
    ("finish", "expected", "root"),
    [
        (Finish("stop", "end_turn"), {"stop_reason": "end_turn", "stop_sequence": None}, {}),
        (Finish("stop", "stop_sequence", "END"), {"stop_reason": "stop_sequence", "stop_sequence": "END"}, {}),
        (Finish("length", "MAX_TOKENS"), {"stop_reason": "max_tokens", "stop_sequence": None}, {}),
        (Finish("content_filter", "SAFETY"), {"stop_reason": "refusal", "stop_sequence": None, "stop_details": {
            "type": "refusal", "category": None, "explanation": None}}, {}),
        (Finish("stop", "pause_turn", extras={N: {"container": {"id": "c"}, "context_management": {"a": 1}}}),
         {"stop_reason": "pause_turn", "stop_sequence": None, "container": {"id": "c"}},
         {"context_management": {"a": 1}}),
    ],
)
def test_the_end(finish, expected, root):
    last = read_sse(emitted([TextDelta(0, "a"), PartEnd(0), finish]))[-2][1]
    assert last["delta"] == expected
    assert {key: value for key, value in last.items() if key not in ("type", "delta", "usage")} == root


@pytest.mark.parametrize(("text", "word"), [("No.", "refusal"), ("", "end_turn")])
def test_a_refusal_that_ends_as_any_answer(text, word):
    """OpenAI's refusals finish with `stop`."""
    last = read_sse(emitted([TextDelta(0, "a"), PartEnd(0), RefusalDelta(1, text), PartEnd(1), Finish("stop")]))[-2][1]
    assert (last["delta"]["stop_reason"], "stop_details" in last["delta"]) == (word, word == "refusal")


@pytest.mark.parametrize(
    "value",
    ["plain", 'quo"te \\ slash', "\n\r\t\x00\x1f\u2028", "Grüße 東京 🌧️", "\ud83d alone", "", "</script>", "a" * 5000],
    ids=range(8),
)
@pytest.mark.parametrize("kind", ["text", "thinking", "tool_use"])
def test_frequent_deltas_are_those_of_the_slow_way(value, kind):
    first = {"text": TextDelta(0, "x"), "thinking": ReasoningDelta(0, "x"), "tool_use": CallStart(0, "c", "f")}[kind]
    event = {"text": TextDelta, "thinking": ReasoningDelta, "tool_use": CallDelta}[kind](0, value)
    named = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking"),
             "tool_use": ("input_json_delta", "partial_json")}[kind]
    encoder = DIALECT.encoder(REPLY)
    encoder.feed([first])
    expected = frame(delta(0, named[0], **{named[1]: value.replace("\ud83d", "\ufffd")})) if value else b""
    assert encoder.feed([event]) == expected


def test_failures():
    failure = Failure("overloaded_error", "Overloaded", 529)
    attempts = (Attempt("a/m", "overloaded_error", 529, 0.5),)
    expected = (
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded",'
        b'"toolwire_type":"overloaded_error","attempts":[{"target":"a/m","type":"overloaded_error","status":529,'
        b'"seconds":0.5}]}}\n\n'
    )
    assert DIALECT.encoder(REPLY).fail(failure, attempts) == expected
    encoder = DIALECT.encoder(REPLY)
    encoder.feed([TextDelta(0, "a"), Failed(failure)])
    assert encoder.fail(failure, attempts) == expected
    assert DIALECT.encoder(REPLY).ping() == b'event: ping\ndata: {"type": "ping"}\n\n'


NATIVE = [
    start(usage={"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0,
                 "cache_read_input_tokens": 4}),
    thinking(0), delta(0, "thinking_delta", thinking="hm"), signature(0, "SIG"), stop(0),
    block(1, "redacted_thinking", data="RED"), stop(1),
    text_block(2), text(2, "I look."), stop(2),
    block(3, "server_tool_use", id="srvtoolu_1", name="web_search", input={}), arguments(3, '{"query":"q"}'), stop(3),
    block(4, "web_search_tool_result", tool_use_id="srvtoolu_1", content=[]), stop(4),
    block(5, "tool_use", id="toolu_1", name="f", input={}, caller={"type": "direct"}),
    arguments(5, '{"a": '), arguments(5, "1}"), stop(5),
    end("tool_use", {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 4,
                     "output_tokens": 9}),
    DONE,
]


def test_a_native_stream_comes_out_as_it_went_in():
    decoder = API.decoder(Reading(model="m", origin=ORIGIN))
    events = decoder.feed(sse(*NATIVE)) + decoder.close()
    made = [data for _, data in read_sse(emitted(events, Reply("claude-sonnet-4-5", "msg_made")))]
    assert made == NATIVE
