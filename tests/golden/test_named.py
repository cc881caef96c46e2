"""What clients' tool definitions, calls and results become, one fact a test, in the words in which users ask for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.events import CallDelta, CallStart, Event, Finish, PartEnd
from adapters.restore import Restorer
from adapters.tools.ids import RULES
from tests.golden.hosts import HOSTS, calls_of, heard, sent, streamed, target

Json = Any

USER: Json = {"role": "user", "content": "go"}
CITY: Json = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CLOSED: Json = {**CITY, "additionalProperties": False}
OPTIONAL: Json = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
    "additionalProperties": False,
}


def tool(name: str, schema: Json = CITY, **more: Json) -> Json:
    """A tool of a Chat client."""
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": schema, **more}}


def chat(*tools: Json, **more: Json) -> Json:
    return {"model": "m", "messages": [USER], "tools": list(tools), **more}


def body(host: str, asked: Json, dialect: str = "chat", **call: Any) -> Json:
    return json.loads(sent(host, asked, dialect, **call).body)


IN_EACH_DIALECT: dict[str, Json] = {
    "chat": chat(tool("f")),
    "responses": {
        "model": "m", "input": "go",
        "tools": [{"type": "function", "name": "f", "description": "d", "parameters": CITY, "strict": False}],
    },
    "messages": {
        "model": "m", "max_tokens": 9, "messages": [USER],
        "tools": [{"name": "f", "description": "d", "input_schema": CITY}],
    },
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "go"}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "description": "d", "parametersJsonSchema": CITY}]}],
    },
}  # fmt: skip
"""The same tool."""


# --- Anthropic ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", IN_EACH_DIALECT)
def test_input_schema(dialect: str) -> None:
    (made,) = body("anthropic-messages", IN_EACH_DIALECT[dialect], dialect, model="m", stream=False)["tools"]
    made.pop("cache_control", None)
    assert made == {"name": "f", "description": "d", "input_schema": CITY}


@pytest.mark.parametrize(
    ("schema", "input_schema"),
    [
        (None, {"type": "object", "properties": {}}),
        ({}, {"type": "object", "properties": {}}),
        ({"type": "object", "properties": None}, {"type": "object"}),
        (
            {"anyOf": [CITY, {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]}]},
            {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "string"}}},
        ),
    ],
)
def test_input_schema_is_an_object(schema: Json, input_schema: Json) -> None:
    (made,) = body("anthropic-messages", chat(tool("f", schema)))["tools"]
    made["input_schema"].pop("description", None)
    assert made["input_schema"] == input_schema


def test_cache_control_on_the_last_tool() -> None:
    made = body("anthropic-messages", chat(tool("b"), tool("c"), tool("a")))["tools"]
    assert [(one["name"], one.get("cache_control")) for one in made] == [
        ("a", None), ("b", None), ("c", {"type": "ephemeral"})
    ]  # fmt: skip


def test_cache_control_of_the_client_stays_where_it_put_it() -> None:
    tools = [
        {"name": "b", "input_schema": CITY, "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"name": "a", "input_schema": CITY},
    ]
    asked = {"model": "m", "max_tokens": 9, "messages": [USER], "tools": tools}
    assert body("anthropic-messages", asked, "messages")["tools"] == tools


# --- Responses ------------------------------------------------------------------------------------------------------


def test_responses_tools_sorted_by_name_and_strict_said() -> None:
    """Unset would mean strict there, so false is said where a Chat client said nothing; true only where it holds."""
    made = body(
        "openai-responses",
        chat(
            tool("unset"), tool("no", strict=False), tool("yes", strict=True), tool("null", strict=None),
            tool("optional", OPTIONAL, strict=True),
        ),
    )["tools"]  # fmt: skip
    assert made == [
        {"type": "function", "name": "no", "description": "d", "parameters": CITY, "strict": False},
        {"type": "function", "name": "null", "description": "d", "parameters": CITY, "strict": False},
        {"type": "function", "name": "optional", "description": "d", "parameters": OPTIONAL, "strict": False},
        {"type": "function", "name": "unset", "description": "d", "parameters": CITY, "strict": False},
        {"type": "function", "name": "yes", "description": "d", "parameters": CLOSED, "strict": True},
    ]


def test_responses_strict_of_its_own_clients() -> None:
    """True after the check, false as false, null and unset left to the API, which means "strict if it can be"."""
    one = {"type": "function", "parameters": CITY}
    tools = [{**one, "name": "b", "strict": None}, {**one, "name": "a"}, {**one, "name": "c", "strict": False},
             {**one, "name": "d", "strict": True}]  # fmt: skip
    made = body("openai-responses", {"model": "m", "input": "go", "tools": tools}, "responses")["tools"]
    assert made == [
        {"type": "function", "name": "a", "parameters": CITY},
        {"type": "function", "name": "b", "parameters": CITY},
        {"type": "function", "name": "c", "parameters": CITY, "strict": False},
        {"type": "function", "name": "d", "parameters": CLOSED, "strict": True},
    ]


def test_responses_strict_rewritten_and_undone() -> None:
    outgoing = sent("openai-responses-rewrite", chat(tool("f", OPTIONAL, strict=True)))
    (made,) = json.loads(outgoing.body)["tools"]
    assert (made["strict"], made["parameters"]["required"]) == (True, ["city", "days"])
    assert made["parameters"]["properties"]["days"] == {"type": ["integer", "null"]}
    item = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "status": "completed",
            "arguments": '{"city":"Ulm","days":null}'}  # fmt: skip
    reply = json.dumps({"id": "resp_1", "object": "response", "status": "completed", "output": [item]}).encode()
    assert calls_of(heard("openai-responses-rewrite", outgoing, reply)) == [("c", "f", '{"city":"Ulm"}')]


# --- Gemini ---------------------------------------------------------------------------------------------------------


def test_function_declarations_with_either_schema_field() -> None:
    named = {"name": "f", "description": "d"}
    (new,) = body("google-gemini", chat(tool("f")))["tools"]
    assert new == {"functionDeclarations": [{**named, "parametersJsonSchema": CITY}]}
    (old,) = body("google-gemini-parameters", chat(tool("f")))["tools"]
    upper = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
    assert old == {"functionDeclarations": [{**named, "parameters": upper}]}


def test_function_declarations_of_clients_with_either_schema_field() -> None:
    upper = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
    for field, schema in (("parameters", upper), ("parametersJsonSchema", CITY), ("parameters", CITY)):
        asked = {**IN_EACH_DIALECT["gemini"], "tools": [{"functionDeclarations": [{"name": "f", field: schema}]}]}
        (made,) = body("openai-chat", asked, "gemini", model="m", stream=False)["tools"]
        assert made["function"]["parameters"] == CITY


GEMINI_CALL = {"functionCall": {"name": "f", "args": {"city": "Ulm"}}}
GEMINI_REPLY = {"candidates": [{"content": {"role": "model", "parts": [GEMINI_CALL, GEMINI_CALL]},
                                "finishReason": "STOP", "index": 0}]}  # fmt: skip


def test_gemini_ids_made_when_missing() -> None:
    outgoing = sent("google-gemini-parameters", chat(tool("f")))
    whole = calls_of(heard("google-gemini-parameters", outgoing, json.dumps(GEMINI_REPLY).encode()))
    stream = calls_of(
        streamed("google-gemini-parameters", outgoing, b"data: " + json.dumps(GEMINI_REPLY).encode() + b"\r\n\r\n")
    )
    assert whole == stream
    (first, *_), (second, *_) = whole
    assert first and second and first != second
    assert {(name, arguments) for _, name, arguments in whole} == {("f", '{"city":"Ulm"}')}


def test_gemini_results_find_their_calls_by_the_made_ids() -> None:
    """The ids are ours: they are not sent to a model that has none, whose results go by name and order."""
    ids = ("call_1", "call_2")
    function = {"name": "f", "arguments": "{}"}
    calling = {"role": "assistant", "content": None,
               "tool_calls": [{"id": id, "type": "function", "function": function} for id in ids]}  # fmt: skip
    results = [{"role": "tool", "tool_call_id": id, "content": f"of {id}"} for id in reversed(ids)]
    contents = body("google-gemini-parameters", chat(tool("f"), messages=[USER, calling, *results]))["contents"]
    assert contents[1:] == [
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}] * 2},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "f", "response": {"output": f"of {id}"}}} for id in ids
        ]},
    ]  # fmt: skip


# --- Mistral --------------------------------------------------------------------------------------------------------


def mistral_reply(call: Json, key: str, field: str, finish: str) -> Json:
    said = {"role": "assistant", "content": "", key: [call]}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, field: said, finish: "tool_calls"}]}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "finish"), [("tool_calls", "finish_reason"), ("toolCalls", "finishReason"), ("toolCalls", "finish_reason")]
)
@pytest.mark.parametrize("arguments", ['{"city":"Ulm"}', {"city": "Ulm"}], ids=["text", "object"])
@pytest.mark.parametrize("identifier", ["null", None, "", "D681PevKs"])
def test_mistral_camel_case_null_ids_and_arguments_that_are_objects(
    identifier: str | None, arguments: Json, key: str, finish: str
) -> None:
    outgoing = sent("mistral-chat", chat(tool("f")))
    call = {"id": identifier, "type": "function", "function": {"name": "f", "arguments": arguments}}
    whole = json.dumps(mistral_reply(call, key, "message", finish)).encode()
    chunk = json.dumps(mistral_reply({**call, "index": 0}, key, "delta", finish)).encode()
    for events in (
        heard("mistral-chat", outgoing, whole),
        streamed("mistral-chat", outgoing, b"data: " + chunk + b"\n\ndata: [DONE]\n\n"),
    ):
        ((made, name, text),) = calls_of(events)
        assert (name, json.loads(text)) == ("f", {"city": "Ulm"})
        assert made == identifier if identifier == "D681PevKs" else len(made) == 9 and made.isalnum()


# --- data -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", HOSTS)
def test_a_schema_in_a_message_a_call_or_a_result_is_data(host: str) -> None:
    """Nothing that looks like a schema outside of a declaration is projected."""
    schema = {"$schema": "x", "type": ["object", "null"], "properties": {"a": {"$ref": "#/$defs/b", "default": 1}}}
    text = json.dumps(schema, separators=(",", ":"))
    function = {"name": "f", "arguments": text}
    outgoing = sent(host, chat(tool("f", {"type": "object"}), messages=[
        {"role": "user", "content": text},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c", "content": text},
    ]))
    written = outgoing.body.decode()
    quoted = json.dumps(text)[1:-1]
    found = written.count(quoted) + written.count(text)
    assert found == 3, written


# --- names ----------------------------------------------------------------------------------------------------------


LONG = "mcp__github-enterprise__pull_request_review_comments." + "create_" * 12
NAMES = ("files.read", "größe messen", LONG, "plain_name", "files_read")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", NAMES)
def test_name_projection_and_back(host: str, name: str) -> None:
    """In tools, choice and history alike; the answer has the client's name; names that are valid stay."""
    function = {"name": name, "arguments": "{}"}
    calling = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": function}]}  # fmt: skip
    result = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    choice = {"type": "function", "function": {"name": name}}
    messages = [USER, calling, result, USER]
    outgoing = sent(host, chat(*map(tool, NAMES), messages=messages, tool_choice=choice))
    names = {client: wire for wire, client in outgoing.reading.names.items()}
    wire = names.get(name, name)
    assert (wire == name) is (name in ("plain_name", "files_read"))
    assert len(wire) <= 128 and wire.isascii() and all(c.isalnum() or c in "_-" for c in wire)
    text = json.loads(outgoing.body)
    assert json.dumps(text).count(json.dumps(wire)) >= 2, "declared and called"
    assert wire == name or json.dumps(name) not in json.dumps(text)
    assert len({*names.values(), "plain_name", "files_read"}) == len(NAMES)
    api, _ = target(host)
    events: list[Event] = [CallStart(0, "c1", wire), CallDelta(0, "{}"), PartEnd(0), Finish("tool_calls")]
    told = Restorer(outgoing.reading, RULES[api.name], lambda length: "x" * length).feed(events)
    assert calls_of(told) == [("c1", name, "{}")]


# --- ids ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("back", ["call_a|fc_9", "call_a"])
def test_ids_that_a_client_joined_are_split(host: str, back: str) -> None:
    """`call_x|fc_y`, as clients of the Responses API keep a call's id and its item's, is told as `call_x` alone is."""

    def asked(first: str, second: str, result: str) -> bytes:
        called = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
        turn = {"role": "assistant", "content": None, "tool_calls": [{"id": one, **called} for one in (first, second)]}
        results = [{"role": "tool", "tool_call_id": one, "content": one[:6]} for one in (second, result)]
        return sent(host, chat(tool("f"), messages=[USER, turn, *results])).body

    assert asked("call_a|fc_9", "call_b|fc_8", back) == asked("call_a", "call_b", "call_a")


# --- DeepSeek -------------------------------------------------------------------------------------------------------


def test_deepseek() -> None:
    asked = chat(
        tool("Read", strict=True), tool("read"),
        messages=[{"role": "developer", "content": "Be brief."}, {"role": "user", "content": [
            {"type": "text", "text": "go"}]}],
        max_completion_tokens=50, parallel_tool_calls=True, store=True, reasoning_effort="high",
        response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": CITY, "strict": True}},
    )  # fmt: skip
    outgoing = sent("deepseek", asked)
    assert outgoing.path == "/chat/completions", "below https://api.deepseek.com, without /v1"
    made = json.loads(outgoing.body)
    assert [one["function"]["name"] for one in made["tools"]] == ["Read", "read"], "names are case-sensitive"
    assert not any("strict" in one["function"] for one in made["tools"])
    assert made["messages"][0]["role"] == "system"
    assert "JSON Schema" in made["messages"][0]["content"]
    assert made["messages"][1] == {"role": "user", "content": "go"}
    assert made["response_format"] == {"type": "json_object"}
    assert (made["max_tokens"], made["thinking"], made["reasoning_effort"]) == (50, {"type": "enabled"}, "high")
    assert not {"max_completion_tokens", "parallel_tool_calls", "store"} & made.keys()
    assert [warning for warning in outgoing.warnings if warning.startswith("tools.Read: strict")]


def test_deepseek_reasoning_is_read() -> None:
    outgoing = sent("deepseek", chat(tool("f")))
    said = {"role": "assistant", "content": "", "reasoning_content": "Hm.", "tool_calls": [
        {"index": 0, "id": "call_0_a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}  # fmt: skip
    reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "deepseek-chat",
             "choices": [{"index": 0, "message": said, "finish_reason": "tool_calls"}]}  # fmt: skip
    events = heard("deepseek", outgoing, json.dumps(reply).encode())
    assert calls_of(events) == [("call_0_a", "f", "{}")]
    assert "Hm." in str(events)


# --- order ----------------------------------------------------------------------------------------------------------


def _turned(asked: Json) -> Json:
    """The request with its tools in the opposite order."""
    match asked["tools"]:
        case [{"functionDeclarations": list(declared)}]:
            return {**asked, "tools": [{"functionDeclarations": declared[::-1]}]}
        case tools:
            return {**asked, "tools": tools[::-1]}


@pytest.mark.parametrize("dialect", IN_EACH_DIALECT)
@pytest.mark.parametrize("host", [host for host in HOSTS if host != "cohere-chat"])
def test_tool_order_independence_byte_for_byte(host: str, dialect: str) -> None:
    asked = json.loads(json.dumps(IN_EACH_DIALECT[dialect]))
    declared = asked["tools"][0].get("functionDeclarations", asked["tools"])
    one = declared[0]
    for name in ("Zebra", "a-b", "a.b", "files.read", "ä"):
        function = {**one.get("function", one), "name": name}
        declared.append({**one, "function": function} if "function" in one else function)
    call: Json = {"model": "m", "stream": True} if dialect == "gemini" else {}
    assert sent(host, asked, dialect, **call).body == sent(host, _turned(asked), dialect, **call).body
