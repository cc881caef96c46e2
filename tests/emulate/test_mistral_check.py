"""Every rule of Mistral's chat, with a request that breaks it and what the API says; requests as tasks; nonsense."""

import json
from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.api import Received, Refused
from proxy.emulate.mistral_chat import API
from tests.emulate.breaking import broken
from tests.emulate.turns import turn_of

Json = Any
EXTRA, REQUIRED = "Extra inputs are not permitted", "Field required"
EMPTY: Json = {"type": "object", "properties": {}}
USER = {"role": "user", "content": "hi"}
ONE, TWO = "aB3dE5gH7", "AAAAAAAA1"


def function(name: str = "f", **more: Json) -> Json:
    return {"type": "function", "function": {"name": name, "parameters": EMPTY, **more}}


def calls(*identifiers: Json, name: str = "f", **more: Json) -> Json:
    made = [{"id": one, "function": {"name": name, "arguments": "{}"}} for one in identifiers]
    return {"role": "assistant", "content": "", "tool_calls": made, **more}


def result(identifier: Json = ONE, **more: Json) -> Json:
    return {"role": "tool", "tool_call_id": identifier, "content": "ok", **more}


def said(*messages: Json) -> Json:
    return {"messages": list(messages)}


def asked(changes: Json) -> Received:
    merged = {"model": "agent", "messages": [USER], **changes}
    body = {name: value for name, value in merged.items() if value is not ...}
    return Received("mistral-chat", "POST", "/v1/chat/completions", {}, {}, {}, b"", body)


SHAPES: list[tuple[str, Json, list[Json], str]] = [
    ("no model", {"model": ...}, ["model"], REQUIRED),
    ("no messages", {"messages": ...}, ["messages"], REQUIRED),
    *((name, {name: 1}, [name], EXTRA)
      for name in ("max_completion_tokens", "seed", "user", "store", "logit_bias", "logprobs", "stream_options",
                   "maxTokens", "toolChoice", "functions", "reasoning")),
    ("temperature", {"temperature": 1.6}, ["temperature"], "Input should be less than or equal to 1.5"),
    ("top_p", {"top_p": "x"}, ["top_p"], "Input should be a valid number"),
    ("penalty", {"presence_penalty": -3}, ["presence_penalty"], "Input should be greater than or equal to -2"),
    ("max_tokens", {"max_tokens": 1.5}, ["max_tokens"], "Input should be a valid integer"),
    ("random_seed", {"random_seed": -1}, ["random_seed"], "Input should be greater than or equal to 0"),
    ("n", {"n": 0}, ["n"], "Input should be greater than or equal to 1"),
    ("stop", {"stop": [1]}, ["stop", 0], "Input should be a valid string"),
    ("effort", {"reasoning_effort": "max"}, ["reasoning_effort"], "Input should be 'none', 'minimal'"),
    ("prompt_mode", {"prompt_mode": "think"}, ["prompt_mode"], "Input should be 'reasoning'"),
    ("parallel", {"parallel_tool_calls": None}, ["parallel_tool_calls"], "Input should be a valid boolean"),
    ("prediction", {"prediction": {"type": "content", "content": [{}]}}, ["prediction", "content"], "valid string"),
    ("messages text", {"messages": "hi"}, ["messages"], "Input should be a valid list"),
    ("developer", said({"role": "developer", "content": "x"}, USER), ["messages", 0], "Input tag 'developer' found"),
    ("function role", said({"role": "function", "content": "x"}), ["messages", 0], "expected tags: 'system', 'user'"),
    ("no role", said({"content": "x"}), ["messages", 0], "Input tag 'None'"),
    ("user name", said({**USER, "name": "ada"}), ["messages", 0, "user", "name"], EXTRA),
    ("user null", said({"role": "user", "content": None}), ["messages", 0, "user", "content"], "valid list"),
    ("no content", said({"role": "user"}), ["messages", 0, "user", "content"], REQUIRED),
    *((name, said(USER, {**calls(ONE), name: None}, result()), ["messages", 1, "assistant", name], EXTRA)
      for name in ("reasoning_content", "refusal", "annotations", "audio", "function_call", "toolCalls", "name")),
    ("cache_control", said({"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {}}]}),
     ["messages", 0, "user", "content", 0, "text", "cache_control"], EXTRA),
    ("chunk type", said({"role": "user", "content": [{"type": "video", "url": "x"}]}),
     ["messages", 0, "user", "content", 0], "Input tag 'video'"),
    ("image of the system", said({"role": "system", "content": [{"type": "image_url", "image_url": "x"}]}, USER),
     ["messages", 0, "system", "content", 0], "Input tag 'image_url'"),
    ("image field", said({"role": "user", "content": [{"type": "image_url", "image_url": {"uri": "x"}}]}),
     ["messages", 0, "user", "content", 0, "image_url", "image_url", "url"], REQUIRED),
    ("thinking text", said(USER, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}, USER),
     ["messages", 1, "assistant", "content", 0, "thinking", "thinking"], "valid list"),
    ("call field", said(USER, {**calls(), "tool_calls": [{"id": ONE, "function": {"name": "f", "arguments": ""},
                                                         "extra_content": {}}]}, result()),
     ["messages", 1, "assistant", "tool_calls", 0, "extra_content"], EXTRA),
    ("arguments list", said(USER, {**calls(), "tool_calls": [{"id": ONE, "function": {"name": "f", "arguments": []}}]}),
     ["messages", 1, "assistant", "tool_calls", 0, "function", "arguments"], "valid string"),
    ("no arguments", said(USER, {**calls(), "tool_calls": [{"id": ONE, "function": {"name": "f"}}]}, result()),
     ["messages", 1, "assistant", "tool_calls", 0, "function", "arguments"], REQUIRED),
    ("result field", said(USER, calls(ONE), result(is_error=True)), ["messages", 2, "tool", "is_error"], EXTRA),
    ("no parameters", {"tools": [{"type": "function", "function": {"name": "f"}}]},
     ["tools", 0, "function", "parameters"], REQUIRED),
    ("null parameters", {"tools": [function(parameters=None)]}, ["tools", 0, "function", "parameters"], "dictionary"),
    ("null description", {"tools": [function(description=None)]}, ["tools", 0, "function", "description"], "string"),
    ("strict outside", {"tools": [{**function(), "strict": True}]}, ["tools", 0, "strict"], EXTRA),
    ("tool cache", {"tools": [function(cache_control={})]}, ["tools", 0, "function", "cache_control"], EXTRA),
    ("tool type", {"tools": [{**function(), "type": "web_search"}]}, ["tools", 0, "type"], "'function'"),
    ("choice", {"tool_choice": "force"}, ["tool_choice"], "Input should be 'auto', 'none', 'any' or 'required'"),
    ("choice flat", {"tool_choice": {"type": "function", "name": "f"}}, ["tool_choice", "function"], REQUIRED),
    ("format", {"response_format": {"type": "json"}}, ["response_format", "type"], "Input should be 'text'"),
    ("format schema", {"response_format": {"type": "json_schema"}}, ["response_format", "json_schema"], REQUIRED),
    ("format name", {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
     ["response_format", "json_schema", "name"], REQUIRED),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "changes", "place", "message"), SHAPES, ids=[row[0] for row in SHAPES])
def test_shapes(rule: str, changes: Json, place: list[Json], message: str) -> None:
    with pytest.raises(Refused) as caught:
        API.read(asked(changes))
    assert caught.value.reply.status == 422
    (detail,) = json.loads(caught.value.reply.body)["detail"]
    assert detail["loc"] == ["body", *place]
    assert message in detail["msg"]


SAME = "Not the same number of function calls and responses"
LAST = "Expected last role User or Tool (or Assistant with prefix True) for serving but got"
ORDER = ("invalid_request_message_order", "3230")
IDS = ("invalid_function_call", "3280")
PLAIN = ("invalid_request_error", None)
NAME = ("invalid_function_call", None)
TEXT = {"role": "assistant", "content": "x"}
SYSTEM = {"role": "system", "content": "x"}

RULES: list[tuple[str, Json, tuple[str, str | None], str]] = [
    ("no messages", {"messages": []}, ORDER, "at least one message"),
    ("user after tool", said(USER, calls(ONE), result(), USER), ORDER, "Unexpected role 'user' after role 'tool'"),
    ("system after tool", said(USER, calls(ONE), result(), SYSTEM, USER), ORDER, "Unexpected role 'system' after role"),
    ("tool after user", said(USER, result()), ORDER, "Unexpected role 'tool' after role 'user'"),
    ("tool after text", said(USER, TEXT, result()), ORDER, "Unexpected role 'tool' after role 'assistant'"),
    ("assistant first", said(TEXT, USER), ORDER, "Unexpected role 'assistant' after role 'None'"),
    ("assistant after system", said(SYSTEM, TEXT, USER), ORDER, "Unexpected role 'assistant' after role 'system'"),
    ("user after calls", said(USER, calls(ONE), USER), ORDER, SAME),
    ("one of two", said(USER, calls(ONE, TWO), result(), TEXT, USER), ORDER, SAME),
    ("one of two at the end", said(USER, calls(ONE, TWO), result()), ORDER, SAME),
    ("calls at the end", said(USER, calls(ONE)), ORDER, SAME),
    ("two for one", said(USER, calls(ONE), result(), result()), ORDER,
     f"Unexpected tool call id {ONE} in tool results"),
    ("another id", said(USER, calls(ONE), result(TWO)), ORDER, f"Unexpected tool call id {TWO} in tool results"),
    ("assistant last", said(USER, TEXT), ORDER, f"{LAST} assistant"),
    ("system last", said(USER, SYSTEM), ORDER, f"{LAST} system"),
    ("prefix before", said(USER, {**TEXT, "prefix": True}, USER), ORDER, "prefix True must be the last"),
    ("empty assistant", said(USER, {"role": "assistant", "content": ""}, USER), ("invalid_assistant_message", "3240"),
     "Assistant message must have either content or tool_calls, but not none."),
    ("null assistant", said(USER, {"role": "assistant"}, USER), ("invalid_assistant_message", "3240"),
     "either content"),
    ("long id", said(USER, calls("call_98660886"), result("call_98660886")), IDS,
     "Tool call id was call_98660886 but must be a-z, A-Z, 0-9, with a length of 9."),
    ("id with a dash", said(USER, calls("aB3-E5gH7"), result("aB3-E5gH7")), IDS, "with a length of 9"),
    *((f"id {one!r}", said(USER, calls(one), result()), IDS, "Tool call id has to be defined.")
      for one in (None, "", "null")),
    ("no result id", said(USER, calls(ONE), {"role": "tool", "content": "x"}), IDS, "has to be defined"),
    ("tool name", {"tools": [function("a.b")]}, NAME, "Function name was a.b but must be a-z, A-Z, 0-9, or contain"),
    ("long name", {"tools": [function("a" * 65)]}, NAME, "with a maximum length of 64."),
    ("call name", said(USER, calls(ONE, name="a b"), result()), NAME, "Function name was a b"),
    ("schema", {"tools": [function(parameters={"type": 3})]}, PLAIN, "must be a valid JSON schema"),
    ("129 tools", {"tools": [function(f"f{i}") for i in range(129)]}, PLAIN, "at most 128"),
    ("no reasoning", {"model": "agent-mistral-large", "reasoning_effort": "low"}, PLAIN, "reasoning_effort"),
    ("no prompt mode", {"model": "agent-mistral-small", "prompt_mode": "reasoning"}, PLAIN, "prompt mode"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "changes", "kind", "message"), RULES, ids=[row[0] for row in RULES])
def test_rules(rule: str, changes: Json, kind: tuple[str, str | None], message: str) -> None:
    with pytest.raises(Refused) as caught:
        API.read(asked(changes))
    assert caught.value.reply.status == 400
    error = json.loads(caught.value.reply.body)
    assert (error["object"], error["param"], error["type"], error["code"]) == ("error", None, *kind)
    assert message in error["message"]


TOOLS = [function(), function("g", parameters={}, strict=True, description="")]
OFFERED = (Tool("f", EMPTY), Tool("g", EMPTY))
SCHEMA = {"type": "json_schema", "json_schema": {"name": "a", "schema": EMPTY, "strict": True}}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Task("hi")),
        ({"temperature": None, "tools": None, "stop": None, "max_tokens": None, "response_format": None}, Task("hi")),
        (said(SYSTEM, SYSTEM, USER, USER), Task("hi\nhi")),
        (said(USER, TEXT, SYSTEM, USER), Task("hi")),
        (said(USER, TEXT, TEXT, USER), Task("hi")),
        (said(USER, {**TEXT, "prefix": True}), Task("hi")),
        (said({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": "x"},
                                           {"type": "document_url", "document_url": "x"}]}), Task("a")),
        (said(USER, calls(ONE, TWO, content=None), result(TWO), result(name="g")),
         Task("hi", results=(Result(TWO, "f", "ok"), Result(ONE, "f", "ok")), rounds=1)),
        (said(USER, {**calls(ONE), "tool_calls": [{"id": ONE, "type": "function", "index": 0, "function": {
            "name": "f", "arguments": {"a": 1}}}], "prefix": False}, result(content=[{"type": "text", "text": "x"}])),
         Task("hi", results=(Result(ONE, "f", "x"),), rounds=1)),
        (said(USER, calls(ONE), result(), TEXT, USER), Task("hi")),
        ({"tools": TOOLS}, Task("hi", OFFERED)),
        ({"tools": TOOLS, "tool_choice": "any"}, Task("hi", OFFERED, "required")),
        ({"tools": TOOLS, "tool_choice": "required"}, Task("hi", OFFERED, "required")),
        ({"tools": TOOLS, "tool_choice": "none"}, Task("hi", OFFERED, "none")),
        ({"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "g"}}},
         Task("hi", OFFERED, "required", ("g",))),
        ({"tools": TOOLS, "parallel_tool_calls": False}, Task("hi", OFFERED, parallel=False)),
        ({"reasoning_effort": "low"}, Task("hi", reasoning=True)),
        ({"reasoning_effort": "none"}, Task("hi")),
        ({"prompt_mode": "reasoning"}, Task("hi", reasoning=True)),
        ({"model": "agent-magistral-small", "prompt_mode": "reasoning"}, Task("hi", reasoning=True)),
        ({"stop": "x", "max_tokens": 5}, Task("hi", stop=("x",), max_tokens=5)),
        ({"stop": ["x", "y"]}, Task("hi", stop=("x", "y"))),
        ({"response_format": {"type": "json_object"}}, Task("hi", output={})),
        ({"response_format": SCHEMA}, Task("hi", output=EMPTY)),
        ({"response_format": {"type": "text"}}, Task("hi")),
    ],
)  # fmt: skip
def test_task(changes: Json, expected: Task) -> None:
    assert API.read(asked(changes)).task == expected


BODY: Json = {
    "messages": [
        {"role": "system", "content": [{"type": "text", "text": "x"}]},
        {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "x"}]}],
         "tool_calls": [{"id": ONE, "type": "function", "function": {"name": "f", "arguments": "{}"}, "index": 0}]},
        {"role": "tool", "tool_call_id": ONE, "name": "f", "content": "x"},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "strict": True, "description": "x", "parameters": {
        "type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]}},
        "required": ["a"], "$defs": {"x": {"type": "array", "items": {"enum": ["a"]}}},
    }}}],
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
    "stop": ["x"], "metadata": {"a": "b"}, "stream": True, "n": 2, "reasoning_effort": "high", "random_seed": 1,
}  # fmt: skip


def test_nonsense_is_read_or_refused_but_never_an_error() -> None:
    read = 0
    for body in broken(BODY):
        try:
            turn = turn_of(API, asked(body))
            read += 1
        except Refused as refused:
            assert refused.reply.status in (400, 422)
            continue
        API.whole(turn)
        API.stream(turn)
    assert read
    nonsense: list[Json] = [[], "x", 3]
    for value in nonsense:
        with pytest.raises(Refused):
            API.read(Received("", "POST", "", {}, {}, {}, b"", value))
