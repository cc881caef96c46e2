"""Whole answers of the Responses API."""

import pytest
from responses_wire import call, message, reasoning

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import CallDelta, CallStart, Failed, Finish, Opened, PartEnd, Started, TextDelta, UsageUpdate, fold
from adapters.formats.openai_responses.response import decode
from adapters.model import Answer, Opaque, Reasoning, Text, ToolCall, Usage

API = "openai-responses"


def body(output, status="completed", **more):
    return json.dumps({"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "gpt-5-2026",
                       "output": output, "error": None, "incomplete_details": None, "usage": None, **more})


def test_events_of_a_call():
    usage = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 4,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 13}
    assert decode(body([message("Looking."), call('{"a":1}')], usage=usage)) == [
        Started("resp_1", "gpt-5-2026"),
        Opened(0, "text", {API: {"id": "msg_1"}}),
        TextDelta(0, "Looking."),
        PartEnd(0),
        CallStart(1, "call_1", "f", extras={API: {"id": "fc_1"}}),
        CallDelta(1, '{"a":1}'),
        PartEnd(1),
        UsageUpdate(Usage(input=9, output=4, cache_read=0, reasoning=0)),
        Finish("tool_calls", "completed"),
    ]


def test_an_answer_with_everything():
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}}
    custom = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "sql", "input": "SELECT 1"}
    thought = reasoning(["why"], encrypted_content="sealed")
    answer = fold(decode(body([thought, search, message("x"), call(""), custom])))
    assert answer == Answer(
        parts=(
            Reasoning("why", API, None, "rs_1", None, "sealed", ("why",)),
            Opaque(API, search),
            Text("x", extras={API: {"id": "msg_1"}}),
            ToolCall("call_1", "f", "", extras={API: {"id": "fc_1"}}),
            ToolCall("call_2", "sql", "SELECT 1", "custom", extras={API: {"id": "ctc_1"}}),
        ),
        stop="tool_calls",
        id="resp_1",
        model="gpt-5-2026",
        native_stop="completed",
    )


def test_integers_beyond_64_bits_survive():
    text = '{"n":123456789012345678901234567890}'
    item = b'{"type":"function_call","call_id":"c","name":"f","arguments":{"n":123456789012345678901234567890}}'
    told = decode(b'{"output":[' + item + b"]}")
    assert told[1:3] == [CallStart(0, "c", "f"), CallDelta(0, text)]


def test_length():
    told = decode(body([message("Hal", status="incomplete")], "incomplete",
                       incomplete_details={"reason": "max_output_tokens"}))
    assert told[-1] == Finish("length", "max_output_tokens")


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (
            body([], "failed", error={"code": "rate_limit_exceeded", "message": "Rate limit reached"}),
            Failure("rate_limit_error", "Rate limit reached", code="rate_limit_exceeded"),
        ),
        (body(None, "failed"), Failure("api_error", "the upstream's response is failed")),
        (body([], "cancelled"), Failure("api_error", "the upstream's response is cancelled")),
        (b'{"error":{"message":"m","code":429}}', Failure("rate_limit_error", "m", 429)),
        (b'{"error":"m"}', Failure("api_error", "m")),
    ],
)
def test_failed_inside_a_200(answer, failure):
    assert decode(answer) == [Failed(failure)]


@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>", b"[]", b"{}", b'{"output":null,"status":"completed"}', body([], "in_progress"),
     body([], "queued"), body([call("{}", name=None)])],
)
def test_what_the_api_does_not_allow(answer):
    with pytest.raises(Malformed):
        decode(answer)


def test_a_host_without_status():
    assert decode(b'{"output":[]}') == [Started(), Finish("stop", "completed")]
