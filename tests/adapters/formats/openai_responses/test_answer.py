"""Whole answers and errors towards Responses clients (openai-responses §5, §10)."""

import pytest
from openai.types.responses import Response
from test_emit import begun, call, message, part, reply, thought

from adapters import json
from adapters.errors import Attempt, Failure
from adapters.format import Call
from adapters.formats.openai_responses import DIALECT
from adapters.formats.shared.reference import unpack
from adapters.model import Answer, Citation, Opaque, Reasoning, Refusal, Text, ToolCall, Usage

NAME = "openai-responses"


def write(answer, **more):
    return json.loads(DIALECT.answer(answer, reply(**more)))


def output(*parts, stop="stop", **more):
    return write(Answer(parts, stop), **more)["output"]


def test_a_whole_answer():
    answer = Answer(
        parts=(
            Reasoning("why", NAME, "openai/gpt-5", "rs_up", data="sealed", sections=("why",)),
            Text("Looking.", citations=(Citation("https://x.org", "X", 0, 4),)),
            ToolCall("call_a", "f", '{"a":1}'),
            ToolCall("call_b", "sql", "SELECT 1", "custom"),
        ),
        stop="tool_calls",
        usage=Usage(input=9, output=4, cache_read=2, cache_write=1, reasoning=3),
        id="up",
        model="up-model",
    )
    link = {"type": "url_citation", "start_index": 0, "end_index": 4, "url": "https://x.org", "title": "X"}
    custom = {"id": "ctc_3", "type": "custom_tool_call", "status": "completed", "call_id": "call_b", "name": "sql",
              "input": "SELECT 1"}
    assert write(answer, sealed=True) == begun(
        "completed",
        [
            thought("rs_up", ["why"], encrypted_content="sealed"),
            message(content=[part("Looking.", annotations=[link])]),
            call("fc_2", '{"a":1}'),
            custom,
        ],
        usage={
            "input_tokens": 9,
            "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 1},
            "output_tokens": 4,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 13,
        },
    )
    assert write(answer)["output"][0] == thought("rs_up", ["why"])


@pytest.mark.parametrize(
    ("parts", "items"),
    [
        ((Text(""),), []),
        ((Text("a"), Text("b")), [message(content=[part("a"), part("b")])]),
        ((Text("a"), Refusal("no")), [message(content=[part("a"), {"type": "refusal", "refusal": "no"}])]),
        (
            (Text("a", extras={NAME: {"id": "msg_u", "phase": "commentary"}}), Text("b")),
            [message("msg_u", content=[part("a")], phase="commentary"), message("msg_1", content=[part("b")])],
        ),
        ((Reasoning("mind"), Text("x")), [thought(summary=["mind"]), message("msg_2", content=[part("x")])]),
        ((Reasoning("", "anthropic-messages", "o", data="r"), Text("x")), [message(content=[part("x")])]),
        (
            (Reasoning("a\n\nb", NAME, None, "rs_u", sections=("a", "b"), extras={NAME: {"raw": 1}}),),
            [thought("rs_u", ["a"], content=[{"type": "reasoning_text", "text": "b"}])],
        ),
        ((Reasoning("", NAME, None, "rs_u"),), [thought("rs_u")]),
        ((Opaque(NAME, {"type": "web_search_call", "id": "ws"}),), [{"type": "web_search_call", "id": "ws"}]),
        ((Opaque("anthropic-messages", {}, "found"),), [message(content=[part("found")])]),
        ((Opaque("anthropic-messages", {}),), []),
        (
            (ToolCall("call_a", "f", "", extras={NAME: {"id": "fc_u", "namespace": "crm"}}),),
            [call("fc_u", namespace="crm")],
        ),
    ],
)
def test_parts(parts, items):
    assert output(*parts) == items


def test_reasoning_of_others_is_a_reference():
    foreign = Reasoning("mind", "anthropic-messages", "anthropic/claude", signature="sig", sections=("mind",))
    item = output(foreign, sealed=True)[0]
    assert unpack(item.pop("encrypted_content"), "mind") == foreign
    assert item == thought(summary=["mind"])


@pytest.mark.parametrize(
    ("stop", "native", "status", "details"),
    [
        ("stop", "end_turn", "completed", None),
        ("tool_calls", "tool_use", "completed", None),
        (None, None, "completed", None),
        ("length", "max_tokens", "incomplete", {"reason": "max_output_tokens"}),
        ("length", "max_messages", "incomplete", {"reason": "max_messages"}),
        ("content_filter", "refusal", "incomplete", {"reason": "content_filter"}),
    ],
)
def test_status(stop, native, status, details):
    told = write(Answer((Text("a"), ToolCall("call_a", "f", "{")), stop, native_stop=native))
    assert (told["status"], told["incomplete_details"]) == (status, details)
    assert [item["status"] for item in told["output"]] == ["completed", status]


def test_only_our_own_items_are_called_incomplete():
    done = {"type": "web_search_call", "id": "ws", "status": "completed"}
    assert output(Opaque(NAME, done), stop="length") == [done]
    assert done["status"] == "completed"


def test_usage_that_nobody_told():
    assert write(Answer((Text("a"),), "stop"))["usage"] is None
    assert write(Answer((Text("a"),), "stop", Usage(output=3)))["usage"]["total_tokens"] == 3


ASKED = {
    "model": "smart",
    "input": "go",
    "instructions": "Be brief.",
    "tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": True}],
    "tool_choice": {"type": "function", "name": "f"},
    "parallel_tool_calls": False,
    "temperature": 0.5,
    "reasoning": {"effort": "low"},
    "text": {"verbosity": "low"},
    "metadata": {"k": "v"},
    "store": True,
}


def test_the_response_says_what_was_asked():
    incoming = DIALECT.decode(ASKED, Call(now=17))
    told = json.loads(DIALECT.answer(Answer((Text("a"),), "stop", Usage(1, 2)), incoming.reply))
    zeros = "0" * 32
    assert told == {
        "id": f"resp_{zeros}",
        "object": "response",
        "created_at": 17,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "smart",
        "output": [message(f"msg_{zeros}", content=[part("a")])],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 2,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 3,
        },
        "background": False,
        "instructions": "Be brief.",
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {"k": "v"},
        "parallel_tool_calls": False,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": {"effort": "low", "summary": None},
        "safety_identifier": None,
        "service_tier": None,
        "store": True,
        "temperature": 0.5,
        "text": {"format": {"type": "text"}, "verbosity": "low"},
        "tool_choice": {"type": "function", "name": "f"},
        "tools": ASKED["tools"],
        "top_logprobs": None,
        "top_p": None,
        "truncation": "disabled",
        "user": None,
    }
    typed = Response.model_validate(told, strict=False)
    assert typed.output_text == "a"
    assert told.keys() - Response.model_fields.keys() == {"store"}


@pytest.mark.parametrize(
    ("failure", "status", "error", "headers"),
    [
        (
            Failure("rate_limit_error", "slow down", 429, retry_after=1.5),
            429,
            {"message": "slow down", "type": "rate_limit_error", "param": None, "code": "rate_limit_exceeded"},
            (("retry-after", "2"), ("retry-after-ms", "1500")),
        ),
        (
            Failure("invalid_request_error", "m", param="tools[0].name"),
            400,
            {"message": "m", "type": "invalid_request_error", "param": "tools[0].name", "code": None},
            (("x-should-retry", "false"),),
        ),
        (
            Failure("context_length_exceeded", "m", 400, "string"),
            400,
            {"message": "m", "type": "context_length_exceeded", "param": None, "code": "context_length_exceeded"},
            (("x-should-retry", "false"),),
        ),
        (
            Failure("upstream_auth_error", "m", 401, "invalid_api_key"),
            502,
            {"message": "m", "type": "upstream_auth_error", "param": None, "code": None},
            (("x-should-retry", "false"),),
        ),
        (
            Failure("billing_error", "m", 429, "insufficient_quota"),
            402,
            {"message": "m", "type": "billing_error", "param": None, "code": "insufficient_quota"},
            (("x-should-retry", "false"),),
        ),
        (
            Failure("api_error", "m", 500, "server_error"),
            502,
            {"message": "m", "type": "api_error", "param": None, "code": "server_error"},
            (),
        ),
    ],
)
def test_errors(failure, status, error, headers):
    told = DIALECT.error(failure, (), "req_1")
    assert (told.status, json.loads(told.body), told.headers) == (status, {"error": error}, headers)


def test_attempts_of_an_error():
    told = DIALECT.error(Failure("api_error", "m"), (Attempt("a/m", "api_error", 500, 0.12345),), "req_1")
    assert json.loads(told.body)["error"]["attempts"] == [
        {"target": "a/m", "type": "api_error", "status": 500, "seconds": 0.123}
    ]
