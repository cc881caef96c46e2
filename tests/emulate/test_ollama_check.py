"""Everything Ollama refuses, with a request that breaks it and what the server says; requests as tasks; nonsense."""

import json
from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.api import Received, Refused
from proxy.emulate.ollama_chat import API
from tests.emulate.breaking import broken
from tests.emulate.turns import turn_of

Json = Any
EMPTY: Json = {"type": "object", "properties": {}}
USER = {"role": "user", "content": "hi"}


def function(name: str = "f", **parameters: Json) -> Json:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **parameters}}}


def call(name: str = "f", arguments: Json = None, **more: Json) -> Json:
    return {"function": {"name": name, "arguments": {} if arguments is None else arguments}, **more}


def calls(*entries: Json) -> Json:
    return {"role": "assistant", "content": "", "tool_calls": list(entries)}


def result(content: str = "ok", **more: Json) -> Json:
    return {"role": "tool", "content": content, **more}


def said(*messages: Json) -> Json:
    return {"messages": list(messages)}


def asked(changes: Json) -> Received:
    merged = {"model": "agent", "messages": [USER], **changes}
    body = {name: value for name, value in merged.items() if value is not ...}
    return Received("ollama-chat", "POST", "/api/chat", {}, {}, {}, b"", body)


def go(got: str, field: str, kind: str) -> str:
    return f"json: cannot unmarshal {got} into Go struct field ChatRequest.{field} of type {kind}"


REFUSED: list[tuple[str, Json, str]] = [
    ("no model", {"model": ...}, "model is required"),
    ("empty model", {"model": ""}, "model is required"),
    ("model number", {"model": 1}, go("number", "model", "string")),
    ("messages text", {"messages": "hi"}, go("string", "messages", "[]api.Message")),
    ("message text", {"messages": ["hi"]}, go("string", "messages", "api.Message")),
    ("content parts", said({"role": "user", "content": [{"type": "text", "text": "x"}]}),
     go("array", "messages.content", "string")),
    ("stream text", {"stream": "true"}, go("string", "stream", "bool")),
    ("arguments text", said(USER, calls(call(arguments='{"a":1}'))),
     go("string", "messages.tool_calls.function.arguments", "api.ToolCallFunctionArguments")),
    ("arguments list", said(USER, calls(call(arguments=[]))),
     go("array", "messages.tool_calls.function.arguments", "api.ToolCallFunctionArguments")),
    ("index text", said(USER, calls({"function": {"index": "0"}})),
     go("string", "messages.tool_calls.function.index", "int")),
    ("image url", said({**USER, "images": ["https://example.org/a.png"]}), "illegal base64 data at input byte 5"),
    ("data url", said({**USER, "images": ["data:image/png;base64,AAAA"]}), "illegal base64 data at input byte 4"),
    ("images text", said({**USER, "images": "AAAA"}), go("string", "messages.images", "[]api.ImageData")),
    ("tools object", {"tools": {}}, go("object", "tools", "[]api.Tool")),
    ("parameters type list", {"tools": [function(type=["object", "null"])]},
     go("array", "tools.function.parameters.type", "string")),
    ("parameters text", {"tools": [{"function": {"parameters": "{}"}}]},
     go("string", "tools.function.parameters", "api.ToolFunctionParameters")),
    ("required text", {"tools": [function(required="a")]}, go("string", "tools.function.parameters.required",
     "[]string")),
    ("properties list", {"tools": [function(properties=[])]},
     go("array", "tools.function.parameters.properties", "map[string]api.ToolProperty")),
    ("property boolean", {"tools": [function(properties={"a": True})]},
     go("bool", "tools.function.parameters.properties", "api.ToolProperty")),
    ("property type", {"tools": [function(properties={"a": {"type": 3}})]}, "invalid property type"),
    ("property text", {"tools": [function(properties={"a": {"description": 3}})]},
     go("number", "tools.function.parameters.properties.description", "string")),
    ("format text", {"format": "xml"}, 'invalid format: "xml"; expected "json" or a valid JSON Schema object'),
    ("format schema", {"format": {"type": 3}}, "expected \"json\" or a valid JSON Schema"),
    ("think text", {"think": "huge"}, 'invalid think value: "huge"'),
    ("think number", {"think": 3}, "invalid think value: 3"),
    ("keep alive", {"keep_alive": "soon"}, 'time: invalid duration "soon"'),
    ("keep alive object", {"keep_alive": {}}, "Unsupported type"),
    ("options list", {"options": []}, go("array", "options", "map[string]interface {}")),
    ("temperature", {"options": {"temperature": "0"}}, 'option "temperature" must be of type float32'),
    ("num_predict", {"options": {"num_predict": "5"}}, 'option "num_predict" must be of type integer'),
    ("seed boolean", {"options": {"seed": True}}, 'option "seed" must be of type integer'),
    ("stop text", {"options": {"stop": "x"}}, 'option "stop" must be of type array'),
    ("stop numbers", {"options": {"stop": [1]}}, 'option "stop" must be of an array of strings'),
    ("top_logprobs", {"top_logprobs": 21}, "top_logprobs must be between 0 and 20"),
    ("top_logprobs fraction", {"top_logprobs": 1.5}, go("number 1.5", "top_logprobs", "int")),
    ("context", {"options": {"num_ctx": 4}, "truncate": False}, "the input length exceeds the context length"),
    ("no tools", {"model": "agent-gemma3", "tools": [function()]},
     "registry.ollama.ai/library/agent-gemma3:latest does not support tools"),
    ("no thinking", {"model": "agent-llama3.1", "think": "low"}, '"agent-llama3.1" does not support thinking'),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "changes", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, changes: Json, message: str) -> None:
    with pytest.raises(Refused) as caught:
        API.read(asked(changes))
    assert caught.value.reply.status == 400
    assert message in json.loads(caught.value.reply.body)["error"]


TOOLS = [function(properties={"a": {"const": 1}}), {"function": {"name": "g"}}]
OFFERED = (Tool("f", {"type": "object", "properties": {"a": {"const": 1}}}), Tool("g", EMPTY))
ONE, TWO = call("f", id="1"), call("g", id="2")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Task("hi")),
        ({"tool_choice": "none", "n": 3, "unheard_of": [], "options": {"mirostat_x": "y"}}, Task("hi")),
        ({"format": None, "tools": None, "options": None, "think": None, "keep_alive": -1}, Task("hi")),
        ({"format": "", "keep_alive": "5m", "truncate": True}, Task("hi")),
        ({"messages": [{"Role": "USER", "Content": "hi", "name": 3}]}, Task("hi")),
        (said({"role": "system", "content": None}, USER), Task("hi")),
        (said({**USER, "images": ["AAAA", ""]}), Task("hi")),
        ({"tools": TOOLS}, Task("hi", OFFERED)),
        ({"model": "agent-qwen2.5", "tools": TOOLS},
         Task("hi", (Tool("f", {"type": "object", "properties": {"a": {}}}), Tool("g", EMPTY)))),
        (said(USER, calls(ONE, TWO), result("1", tool_name="g"), result("2")),
         Task("hi", results=(Result("", "g", "1"), Result("", "g", "2")), rounds=1)),
        (said(USER, calls(ONE, TWO), result("1", tool_call_id="2"), result("2", tool_call_id="1")),
         Task("hi", results=(Result("2", "g", "1"), Result("1", "f", "2")), rounds=1)),
        (said(USER, calls(call("f"), call("g")), result("1"), result("2"), result("3")),
         Task("hi", results=(Result("", "f", "1"), Result("", "g", "2"), Result("", "", "3")), rounds=1)),
        ({"think": True}, Task("hi", reasoning=True)),
        ({"think": "low"}, Task("hi", reasoning=True)),
        ({"think": False}, Task("hi")),
        ({"model": "agent-deepseek-r1"}, Task("hi", reasoning=True)),
        ({"model": "agent-gpt-oss", "think": False}, Task("hi", reasoning=True)),
        ({"options": {"num_predict": 5, "stop": ["x"]}}, Task("hi", stop=("x",), max_tokens=5)),
        ({"options": {"num_predict": -1}}, Task("hi")),
        ({"format": "json"}, Task("hi", output={})),
        ({"format": EMPTY}, Task("hi", output=EMPTY)),
    ],
)  # fmt: skip
def test_task(changes: Json, expected: Task) -> None:
    assert API.read(asked(changes)).task == expected


@pytest.mark.parametrize(("stream", "expected"), [(..., True), (None, True), (True, True), (False, False)])
def test_streams_unless_told_otherwise(stream: Json, expected: bool) -> None:
    assert API.read(asked({"stream": stream})).stream is expected


def test_the_oldest_messages_are_cut() -> None:
    texts = [{"role": "user" if i % 2 == 0 else "assistant", "content": str(i) * 40} for i in range(5)]
    system = {"role": "system", "content": "s"}
    kept = API.read(asked({"messages": [system, *texts], "options": {"num_ctx": 55}})).body["messages"]
    assert [message["content"][:1] for message in kept] == ["s", "3", "4"]


BODY: Json = {
    "messages": [
        {"role": "system", "content": "x"},
        {**USER, "images": ["AAAA"]},
        {"role": "assistant", "content": "", "thinking": "x", "tool_calls": [call("f", {"a": 1}, id="1")]},
        {"role": "tool", "content": "x", "tool_name": "f", "tool_call_id": "1"},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "description": "x", "parameters": {
        "type": "object", "properties": {"a": {"anyOf": [{"type": ["string", "null"]}, {"enum": [1]}]},
                                         "b": {"type": "array", "items": {"type": "string"}}},
        "required": ["a"], "$defs": {"x": {}},
    }}}],
    "format": {"type": "object"}, "options": {"stop": ["x"], "num_predict": 9, "temperature": 0.5, "num_ctx": 100},
    "think": "low", "keep_alive": "5m", "logprobs": True, "top_logprobs": 1, "stream": True,
}  # fmt: skip


@pytest.mark.parametrize("model", ["agent", "agent-qwen3"])
def test_nonsense_is_read_or_refused_but_never_an_error(model: str) -> None:
    read = 0
    for body in broken({"model": model, **BODY}):
        try:
            turn = turn_of(API, asked(body))
            read += 1
        except Refused as refused:
            assert refused.reply.status in (200, 400)
            continue
        API.whole(turn)
        API.stream(turn)
    assert read
    nonsense: list[Json] = [[], "x", 3]
    for value in nonsense:
        with pytest.raises(Refused):
            API.read(Received("", "POST", "", {}, {}, {}, b"", value))
