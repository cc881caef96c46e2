"""Requests to upstreams: full bodies, and each rule of the wire by itself."""

import json
from typing import get_type_hints

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from pydantic import TypeAdapter

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.anthropic_messages import API
from adapters.model import (
    CacheMark,
    Media,
    Message,
    Opaque,
    OutputFormat,
    Reasoning,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)

N = "anthropic-messages"
ORIGIN = "anthropic/claude"
CLIENT = {"cache": "client"}
WHOLE, STREAMED = TypeAdapter(MessageCreateParamsNonStreaming), TypeAdapter(MessageCreateParamsStreaming)
FIELDS = get_type_hints(MessageCreateParamsStreaming).keys() | {"temperature", "top_p", "top_k"}
"""What the SDK knows, and the sampling fields of the older API version."""

WEATHER = Tool("get_weather", "Weather in a city.", {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
WIRED = {"name": "get_weather", "description": "Weather in a city.", "input_schema": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}
GO = (Message("user", (Text("go"),)),)
WENT = [{"role": "user", "content": [{"type": "text", "text": "go"}]}]


def sent(request, model="claude-sonnet-4-5", compat=CLIENT, valid=True, **upstream):
    outgoing = API.encode(request, Upstream(model, ORIGIN, compat, **upstream))
    body = json.loads(outgoing.body)
    if valid:
        (STREAMED if body.get("stream") else WHOLE).validate_python(body)
        assert body.keys() <= FIELDS
    return body, outgoing


def body_of(request, model="claude-sonnet-4-5", compat=CLIENT, **upstream):
    return sent(request, model, compat, **upstream)[0]


def ask(messages=GO, **fields):
    return Request("m", messages, **fields)


def test_smallest_request():
    outgoing = sent(ask())[1]
    assert outgoing.body == (
        b'{"model":"claude-sonnet-4-5","max_tokens":20000,"messages":[{"role":"user","content":[{"type":"text",'
        b'"text":"go"}]}]}'
    )
    assert (outgoing.path, outgoing.method, outgoing.stream, outgoing.warnings) == ("/v1/messages", "POST", False, ())
    assert outgoing.headers == {"anthropic-version": "2023-06-01"}
    assert (outgoing.reading.model, outgoing.reading.origin) == ("claude-sonnet-4-5", ORIGIN)


LONG = ask(
    messages=(
        Message("system", (Text("Be brief."),)),
        Message("developer", (Text("Metric units."), Text(" "))),
        Message("user", (Text("Compare"), Media("image", "image/png", "iVBORw0KGgo="))),
        Message("assistant", (
            Reasoning("Two calls.", N, ORIGIN, signature="SIG"),
            Text("Looking."),
            ToolCall("call_1", "get.weather", '{"city": "Ulm", "n": 12345678901234567890123}'),
            ToolCall("call_1", "now", ""),
        )),
        Message("tool", (ToolResult("call_1", (Text("rain"), Media("image", "image/jpeg", "/9j/")), False),)),
        Message("user", (Text("and tomorrow?"),)),
    ),
    tools=(
        Tool("now", "Time."),
        Tool("get.weather", "Weather.", {"type": "object", "properties": {"zeta": {}, "alpha": {}}}),
    ),
    tool_choice=ToolChoice("auto"),
    parallel=False,
    sampling=Sampling(max_tokens=500, temperature=1.4, top_p=0.9, top_k=5, stop=("END", " ", "")),
    stream=True,
    user="user-1",
    service_tier="default",
)


def test_full_request():
    body, outgoing = sent(LONG, compat={"cache": "auto"})
    assert json.dumps(body) == json.dumps({
        "model": "claude-sonnet-4-5",
        "max_tokens": 500,
        "system": [{"type": "text", "text": "Be brief."},
                   {"type": "text", "text": "Metric units.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "Compare"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Two calls.", "signature": "SIG"},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "call_1", "name": "get_weather",
                 "input": {"city": "Ulm", "n": 12345678901234567890123}},
                {"type": "tool_use", "id": body["messages"][1]["content"][3]["id"], "name": "now", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "(no result)", "is_error": True},
                {"type": "tool_result", "tool_use_id": body["messages"][1]["content"][3]["id"], "content": [
                    {"type": "text", "text": "rain"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9j/"}},
                ], "is_error": False},
                {"type": "text", "text": "and tomorrow?", "cache_control": {"type": "ephemeral"}},
            ]},
        ],
        "tools": [
            {"name": "get_weather", "description": "Weather.",
             "input_schema": {"type": "object", "properties": {"zeta": {}, "alpha": {}}},
             "eager_input_streaming": True},
            {"name": "now", "description": "Time.", "input_schema": {"type": "object", "properties": {}},
             "eager_input_streaming": True, "cache_control": {"type": "ephemeral"}},
        ],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        "stop_sequences": ["END"],
        "temperature": 1,
        "top_k": 5,
        "metadata": {"user_id": "user-1"},
        "service_tier": "standard_only",
        "stream": True,
    })
    assert outgoing.stream
    assert outgoing.reading.stream
    assert outgoing.reading.names == {"get_weather": "get.weather"}
    assert set(outgoing.warnings) == {
        "a tool call without a result is answered with a placeholder",
        "stop: blank sequences are left out, anthropic-messages refuses them",
        "temperature: anthropic-messages takes 0 to 1, 1 is sent",
        "top_p: left out, the model does not take it here",
    }


def test_same_request_same_bytes():
    upstream = Upstream("claude-sonnet-4-5", ORIGIN, {})
    assert API.encode(LONG, upstream).body == API.encode(LONG, upstream).body


# --- output limit ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "stream", "asked", "most", "expected", "streams"),
    [
        ("claude-opus-5", True, None, None, 128000, True),
        ("claude-opus-5", False, None, None, 20000, False),
        ("claude-sonnet-4-5", True, None, None, 32000, True),
        ("claude-sonnet-4-20250514", True, None, None, 4096, True),
        ("claude-3-haiku-20240307", False, None, None, 4096, False),
        ("claude-sonnet-4-5", False, 21333, None, 21333, False),
        ("claude-sonnet-4-5", False, 21334, None, 21334, True),
        ("claude-sonnet-4-5", False, 128000, None, 64000, True),
        ("claude-sonnet-4-5", False, 128000, 8000, 8000, False),
        ("claude-sonnet-4-5", False, 0, None, 0, False),
        ("other-model", True, None, None, 8192, True),
        ("other-model", True, 500000, None, 500000, True),
    ],
)
def test_max_tokens(model, stream, asked, most, expected, streams):
    body, outgoing = sent(ask(stream=stream, sampling=Sampling(asked)), model, max_output_tokens=most)
    assert (body["max_tokens"], body.get("stream", False), outgoing.stream) == (expected, streams, streams)


def test_lowered_limit_is_told():
    assert sent(ask(sampling=Sampling(128000)))[1].warnings == (
        "max_tokens: 128000 is more than the model takes, 64000 is sent",)


# --- thinking ----------------------------------------------------------------------------------------------------

SHOWN = {"type": "adaptive", "display": "summarized"}


@pytest.mark.parametrize(
    ("model", "wish", "thinking", "effort"),
    [
        ("claude-opus-4-6", Thinking("xhigh"), SHOWN, "max"),
        ("claude-opus-4-8", Thinking("xhigh"), SHOWN, "xhigh"),
        ("claude-opus-5", Thinking("minimal"), SHOWN, "low"),
        ("claude-opus-5", Thinking("none"), {"type": "disabled"}, None),
        ("claude-sonnet-5-5", Thinking("none"), {"type": "between_tools"}, None),
        ("claude-fable-5", Thinking("none"), {"type": "adaptive"}, "low"),
        ("claude-sonnet-4-5", Thinking("low"), {"type": "enabled", "budget_tokens": 2048}, None),
        ("claude-sonnet-4-5", Thinking("none"), None, None),
        ("claude-opus-4-5", Thinking("high"), {"type": "enabled", "budget_tokens": 16384}, None),
        ("claude-3-5-sonnet-latest", Thinking("high"), None, None),
    ],
)
def test_effort(model, wish, thinking, effort):
    body = body_of(ask(thinking=wish), model, valid=False)
    assert (body.get("thinking"), body.get("output_config", {}).get("effort")) == (thinking, effort)


def test_limit_is_raised_above_the_budget():
    body, outgoing = sent(ask(thinking=Thinking("xhigh")))
    assert (body["max_tokens"], body["thinking"]["budget_tokens"], outgoing.stream) == (52768, 32768, True)


CALLED = (
    *GO,
    Message("assistant", (ToolCall("call_1", "get_weather", "{}"),)),
    Message("tool", (ToolResult("call_1", (Text("rain"),)),)),
)
KEPT = (
    GO[0],
    Message("assistant", (Reasoning("hm", N, ORIGIN, signature="S"), ToolCall("call_1", "get_weather", "{}"))),
    CALLED[2],
)
LOST = "thinking: switched off for this request, the reasoning of its tool calls is lost"


@pytest.mark.parametrize(
    ("messages", "on"),
    [
        (KEPT, True),
        (CALLED, False),
        ((*CALLED, Message("user", (Text("well?"),))), False),
        ((*CALLED, Message("assistant", (Text("Rain."),)), Message("user", (Text("thanks"),))), True),
        ((*KEPT, Message("assistant", (ToolCall("c2", "get_weather", "{}"),)),
          Message("tool", (ToolResult("c2", (Text("sun"),)),))), True),
        ((*KEPT, Message("assistant", (Text("Rain."),)), Message("user", (Text("Bonn?"),)),
          Message("assistant", (ToolCall("c2", "get_weather", "{}"),)),
          Message("tool", (ToolResult("c2", (Text("sun"),)),))), False),
    ],
    ids=["kept", "lost", "text after results", "earlier turn", "only the first call of a turn thought", "this turn"],
)
def test_lost_reasoning_switches_a_budget_off(messages, on):
    body, outgoing = sent(ask(messages, tools=(WEATHER,), thinking=Thinking("low"), sampling=Sampling(1000)))
    if on:
        assert (body["thinking"], body["max_tokens"]) == ({"type": "enabled", "budget_tokens": 2048}, 3048)
        assert outgoing.warnings == ()
    else:
        assert (body["thinking"], body["max_tokens"]) == ({"type": "disabled"}, 1000)
        assert outgoing.warnings == (LOST,)


def test_adaptive_thinking_stays_without_its_blocks():
    assert body_of(ask(CALLED, tools=(WEATHER,), thinking=Thinking("low")), "claude-opus-5")["thinking"] == SHOWN


def test_reasoning_is_echoed_exactly_and_in_place():
    turn = (
        Reasoning("one", N, ORIGIN, signature="S1", extras={N: {"x": 1}}),
        Reasoning("", N, None, data="RED"),
        Text("Looking."),
        Reasoning("two", N, None, signature="S2"),
        ToolCall("call_1", "get_weather", "{}", extras={N: {"caller": {"type": "direct"}}}),
    )
    body = body_of(ask((GO[0], Message("assistant", turn), CALLED[2]), tools=(WEATHER,)), valid=False)
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "one", "signature": "S1", "x": 1},
        {"type": "redacted_thinking", "data": "RED"},
        {"type": "text", "text": "Looking."},
        {"type": "thinking", "thinking": "two", "signature": "S2"},
        {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {}, "caller": {"type": "direct"}},
    ]


@pytest.mark.parametrize(
    "block",
    [
        Reasoning("t", N, "bedrock/claude", signature="S"),
        Reasoning("t", "openai-responses", ORIGIN, "rs_1", data="E"),
        Reasoning("t", N, ORIGIN),
        Reasoning("t", N, ORIGIN, signature=""),
        Reasoning("t"),
    ],
)
def test_reasoning_of_others_or_unsigned_is_never_a_thinking_block(block):
    body = body_of(ask((GO[0], Message("assistant", (block, Text("a"))), Message("user", (Text("b"),)))))
    assert body["messages"][1]["content"] == [{"type": "text", "text": "a"}]


# --- tool choice -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "parallel", "expected"),
    [
        (None, None, None),
        (None, False, {"type": "auto", "disable_parallel_tool_use": True}),
        (None, True, None),
        (ToolChoice("auto"), None, {"type": "auto"}),
        (ToolChoice("required"), None, {"type": "any"}),
        (ToolChoice("required"), False, {"type": "any", "disable_parallel_tool_use": True}),
        (ToolChoice("named", ("get_weather",)), False,
         {"type": "tool", "name": "get_weather", "disable_parallel_tool_use": True}),
        (ToolChoice("none"), False, {"type": "none"}),
        (ToolChoice("allowed", ("get_weather",), True), None, {"type": "any"}),
        (ToolChoice("allowed", ("get_weather",)), None, {"type": "auto"}),
    ],
)
def test_tool_choice(choice, parallel, expected):
    body = body_of(ask(tools=(WEATHER, Tool("now")), tool_choice=choice, parallel=parallel))
    assert body.get("tool_choice") == expected
    names = [tool["name"] for tool in body["tools"]]
    assert names == (["get_weather"] if choice and choice.mode == "allowed" else ["get_weather", "now"])


FREE = "tool_choice: anthropic-messages cannot force a call here, the model is free to answer in text"


@pytest.mark.parametrize(
    ("model", "thinking"),
    [("claude-sonnet-4-5", Thinking("low")), ("claude-opus-5-5", None), ("claude-fable-5-1", None)],
)
def test_forced_choice_that_the_model_refuses(model, thinking):
    tools = (WEATHER, Tool("now"))
    body, outgoing = sent(ask(tools=tools, tool_choice=ToolChoice("named", ("now",)), thinking=thinking), model)
    assert (body["tool_choice"], [tool["name"] for tool in body["tools"]]) == ({"type": "auto"}, ["now"])
    assert outgoing.warnings == (FREE,)
    body, outgoing = sent(ask(tools=tools, tool_choice=ToolChoice("required"), thinking=thinking), model)
    assert (body["tool_choice"], len(body["tools"]), outgoing.warnings) == ({"type": "auto"}, 2, (FREE,))


def test_adaptive_thinking_may_be_forced():
    body = body_of(ask(tools=(WEATHER,), tool_choice=ToolChoice("required"), thinking=Thinking("low")), "claude-opus-5")
    assert (body["tool_choice"], body["thinking"]) == ({"type": "any"}, SHOWN)


def test_history_without_tools_declares_them():
    body = body_of(ask(CALLED))
    assert body["tools"] == [{"name": "get_weather", "description": "Used earlier in this conversation.",
                              "input_schema": {"type": "object", "properties": {}}}]
    assert body["tool_choice"] == {"type": "none"}


# --- sampling ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "thinking", "sampling", "expected", "told"),
    [
        ("claude-3-5-sonnet-latest", None, Sampling(temperature=0.5, top_p=0.9, top_k=4),
         {"temperature": 0.5, "top_p": 0.9, "top_k": 4}, []),
        ("claude-sonnet-4-5", None, Sampling(temperature=0, top_p=0.9), {"temperature": 0}, ["top_p"]),
        ("claude-sonnet-4-5", None, Sampling(top_p=0.9, top_k=4), {"top_p": 0.9, "top_k": 4}, []),
        ("claude-opus-4-7", None, Sampling(temperature=0.5, top_p=0.9, top_k=4), {}, ["temperature", "top_p", "top_k"]),
        ("claude-opus-4-7", None, Sampling(temperature=1, top_p=1.0), {}, []),
        ("claude-sonnet-4-5", Thinking("low"), Sampling(temperature=0.2, top_k=4), {}, ["temperature", "top_k"]),
        ("claude-sonnet-4-6", Thinking("low"), Sampling(temperature=0.2, top_p=0.95), {"top_p": 0.95}, ["temperature"]),
    ],
)
def test_sampling(model, thinking, sampling, expected, told):
    body, outgoing = sent(ask(sampling=sampling, thinking=thinking), model)
    assert {key: body[key] for key in ("temperature", "top_p", "top_k") if key in body} == expected
    assert list(outgoing.warnings) == [f"{name}: left out, the model does not take it here" for name in told]


def test_the_newer_version_takes_no_sampling():
    request = ask(sampling=Sampling(temperature=0.5), headers={N: {"anthropic-version": "2026-10-21"}})
    body, outgoing = sent(request)
    assert "temperature" not in body
    assert outgoing.headers == {"anthropic-version": "2026-10-21"}


# --- structured output -------------------------------------------------------------------------------------------

FORM = OutputFormat("schema", {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}},
                               "required": ["n"]}, "answer", "The number.")
RECURSIVE = OutputFormat("schema", {"type": "object", "properties": {"next": {"$ref": "#"}}}, "chain")


def test_native_format():
    body, outgoing = sent(ask(output=FORM))
    assert body["output_config"]["format"]["type"] == "json_schema"
    schema = body["output_config"]["format"]["schema"]
    assert (schema["additionalProperties"], schema["required"]) == (False, ["n"])
    assert "minimum" not in schema["properties"]["n"]
    assert ("tools" not in body, outgoing.reading.answer_tool) == (True, None)


@pytest.mark.parametrize(("model", "form"), [("claude-sonnet-4-20250514", FORM), ("claude-sonnet-4-5", RECURSIVE)])
def test_answer_tool(model, form):
    body, outgoing = sent(ask(output=form), model)
    assert [tool["name"] for tool in body["tools"]] == ["json_response"]
    assert body["tool_choice"] == {"type": "tool", "name": "json_response", "disable_parallel_tool_use": True}
    assert body["tools"][0]["input_schema"]["properties"].keys() == form.schema["properties"].keys()
    assert ("output_config" not in body, outgoing.reading.answer_tool) == (True, "json_response")


def test_answer_tool_beside_others():
    body, outgoing = sent(ask(output=FORM, tools=(WEATHER,)), "claude-sonnet-4-20250514")
    assert [tool["name"] for tool in body["tools"]] == ["get_weather", "json_response"]
    assert body["tool_choice"] == {"type": "any", "disable_parallel_tool_use": True}
    forced = ask(output=FORM, tools=(WEATHER,), tool_choice=ToolChoice("required"))
    body, outgoing = sent(forced, "claude-sonnet-4-20250514")
    assert ([tool["name"] for tool in body["tools"]], body["tool_choice"]) == (["get_weather"], {"type": "any"})
    assert outgoing.warnings == ("response_format: left out, tool_choice asks for a call instead",)


def test_answer_tool_excludes_a_budget():
    body, outgoing = sent(ask(output=FORM, thinking=Thinking("low")), "claude-sonnet-4-20250514")
    assert "thinking" not in body
    assert outgoing.warnings == ("reasoning_effort: left out, the forced form of the answer excludes it",)


def test_forms_in_words():
    body = body_of(ask((Message("system", (Text("S"),)), *GO), output=OutputFormat("json")))
    assert [block["text"] for block in body["system"]] == [
        "S", "Reply with one JSON object and nothing else: no text around it and no code fence."]
    body, outgoing = sent(ask(output=RECURSIVE), "claude-opus-5-5")
    assert body["system"][0]["text"].endswith('{"type":"object","properties":{"next":{"$ref":"#"}}}')
    assert "output_config" not in body
    assert len(outgoing.warnings) == 1
    assert body_of(ask(output=OutputFormat("text")))["messages"] == WENT


# --- tools -------------------------------------------------------------------------------------------------------

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
OPEN = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
WEAK = {"type": "object", "properties": {"a": {"type": "string", "minLength": 2}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("model", "level", "schema", "strict", "expected"),
    [
        ("claude-sonnet-4-5", "lossless", OPEN, True, CLOSED),
        ("claude-sonnet-4-5", "lossless", WEAK, True, None),
        ("claude-sonnet-4-5", "off", OPEN, True, None),
        ("claude-sonnet-4-5", "lossless", OPEN, None, None),
        ("claude-sonnet-4-5", "lossless", OPEN, False, None),
        ("claude-opus-4-1", "lossless", CLOSED, True, CLOSED),
        ("claude-sonnet-4-0", "lossless", OPEN, True, None),
        ("claude-sonnet-4-5", "lossless", RECURSIVE.schema, True, None),
        ("other", "lossless", OPEN, True, None),
    ],
)
def test_strict(model, level, schema, strict, expected):
    body, outgoing = sent(ask(tools=(Tool("f", None, schema, strict),)), model, {**CLIENT, "strict_tools": level})
    tool = body["tools"][0]
    assert tool.get("strict") == (True if expected else None)
    assert tool["input_schema"] == (expected or schema)
    assert bool(outgoing.warnings) is (strict is True and expected is None)


def test_strict_with_notes_where_rewriting_is_allowed():
    tool = body_of(ask(tools=(Tool("f", None, WEAK, True),)), compat={**CLIENT, "strict_tools": "rewrite"})["tools"][0]
    assert tool["strict"] is True
    assert "minLength" not in tool["input_schema"]["properties"]["a"]


def test_strict_limits():
    many = tuple(Tool(f"t{i:02}", None, CLOSED, True) for i in range(22))
    body, outgoing = sent(ask(tools=many))
    assert [tool.get("strict") for tool in body["tools"]] == [True] * 20 + [None] * 2
    assert len(outgoing.warnings) == 2
    wide = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(13)},
            "additionalProperties": False}
    body = body_of(ask(tools=(Tool("a", None, wide, True), Tool("b", None, wide, True), Tool("c", None, CLOSED, True))))
    assert [tool.get("strict") for tool in body["tools"]] == [True, None, True]
    union = {"type": "object", "properties": {f"p{i}": {"type": ["string", "null"]} for i in range(9)},
             "required": [f"p{i}" for i in range(9)], "additionalProperties": False}
    body = body_of(ask(tools=(Tool("a", None, union, True), Tool("b", None, union, True))))
    assert [tool.get("strict") for tool in body["tools"]] == [True, None]


@pytest.mark.parametrize(
    ("flag", "stream", "dialect", "model", "expected"),
    [
        ("auto", True, "chat", "claude-sonnet-4-5", True),
        ("auto", False, "chat", "claude-sonnet-4-5", None),
        ("auto", True, "messages", "claude-sonnet-4-5", None),
        ("auto", True, "chat", "other", None),
        (True, False, "messages", "other", True),
        (False, True, "chat", "claude-sonnet-4-5", False),
    ],
)
def test_eager_input_streaming(flag, stream, dialect, model, expected):
    request = ask(tools=(WEATHER,), stream=stream, dialect=dialect)
    tool = body_of(request, model, {**CLIENT, "eager_input_streaming": flag})["tools"][0]
    assert tool.get("eager_input_streaming") is expected


def test_the_clients_own_word_on_eager_input_streaming_holds():
    own = Tool("f", None, CLOSED, extras={N: {"eager_input_streaming": False, "input_examples": [{"a": "x"}]}})
    tool = body_of(ask(tools=(own,)), compat={**CLIENT, "eager_input_streaming": True})["tools"][0]
    assert (tool["eager_input_streaming"], tool["input_examples"]) == (False, [{"a": "x"}])


def test_tool_order():
    tools = (Tool("zeta"), Tool("Alpha"), Tool("beta"))
    names = [tool["name"] for tool in body_of(ask(tools=tools))["tools"]]
    assert names == ["Alpha", "beta", "zeta"]
    kept = body_of(ask(tools=tools), compat={**CLIENT, "sort_tools": False})["tools"]
    assert [tool["name"] for tool in kept] == ["zeta", "Alpha", "beta"]
    marked = body_of(ask(tools=(Tool("zeta", cache=CacheMark("1h")), Tool("Alpha"))))["tools"]
    assert [(tool["name"], tool.get("cache_control")) for tool in marked] == [
        ("zeta", {"type": "ephemeral", "ttl": "1h"}), ("Alpha", None)]


def test_built_in_tools():
    native = {"type": "computer_toolset_20260801", "display_width_px": 10}
    tools = (
        Tool("web_search_preview", kind="builtin", builtin="web_search"),
        Tool("fs", kind="builtin", builtin="file_search"),
        Tool("computer", kind="builtin", builtin="computer", extras={N: native}),
        WEATHER,
    )
    body, outgoing = sent(ask(tools=tools), valid=False)
    assert body["tools"] == [WIRED, native, {"type": "web_search_20250305", "name": "web_search"}]
    assert outgoing.warnings == ("tools: file_search is left out, anthropic-messages has no such built-in tool",)
    forced = body_of(ask(tools=tools, tool_choice=ToolChoice("named", ("web_search_preview",))), valid=False)
    assert forced["tool_choice"] == {"type": "tool", "name": "web_search"}
    with pytest.raises(Rejected, match="no built-in tool fs"):
        sent(ask(tools=tools, tool_choice=ToolChoice("named", ("fs",))))


def test_deferred_tools():
    search = Tool("ts", kind="builtin", builtin="tool_search", extras={N: {
        "type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}})
    later = Tool("later", None, CLOSED, deferred=True, cache=CacheMark())
    assert "defer_loading" not in body_of(ask(tools=(later,)))["tools"][0]
    body = body_of(ask(tools=(later, WEATHER, search)), compat={"cache": "auto", "sort_tools": False})
    assert body["tools"][0] == {"name": "later", "input_schema": CLOSED, "defer_loading": True}
    last = body_of(ask(tools=(WEATHER, later), dialect="messages"), compat={"cache": "auto", "sort_tools": False})
    assert ["cache_control" in tool for tool in last["tools"]] == [True, False]
    own = body_of(ask(tools=(later,), dialect="messages"))["tools"][0]
    assert own["defer_loading"] is True


# --- caching -----------------------------------------------------------------------------------------------------

MARK = {"type": "ephemeral"}


def marks(body):
    """Where the breakpoints stand."""
    found = [f"tools.{i}" for i, tool in enumerate(body.get("tools", ())) if "cache_control" in tool]
    found += [f"system.{i}" for i, block in enumerate(body.get("system", ())) if "cache_control" in block]
    for i, turn in enumerate(body["messages"]):
        found += [f"messages.{i}.{j}" for j, block in enumerate(turn["content"]) if "cache_control" in block]
    return found


SYSTEM = Message("system", (Text("A"), Text("B")))
TALK = (SYSTEM, *KEPT)


@pytest.mark.parametrize(
    ("compat", "messages", "tools", "expected"),
    [
        ("auto", TALK, (WEATHER,), ["tools.0", "system.1", "messages.2.0"]),
        ("auto", GO, (WEATHER,), ["tools.0", "messages.0.0"]),
        ("auto", (SYSTEM, *GO), (), []),
        ("auto", (SYSTEM, *GO, Message("assistant", (Text("pre"),))), (WEATHER,),
         ["tools.0", "system.1", "messages.0.0"]),
        ("client", TALK, (WEATHER,), []),
        ("off", TALK, (WEATHER,), []),
        ("auto", (Message("system", (Text("A", CacheMark()), Text("B"))), *GO), (WEATHER,), ["system.0"]),
        ("client", (Message("user", (Text("A", CacheMark()),)),), (), ["messages.0.0"]),
        ("off", (Message("user", (Text("A", CacheMark()),)),), (WEATHER,), []),
    ],
)
def test_breakpoints(compat, messages, tools, expected):
    body = body_of(ask(messages, tools=tools), compat={"cache": compat})
    assert marks(body) == expected


def test_no_more_than_four_breakpoints():
    texts = tuple(Text(str(i), CacheMark("5m")) for i in range(5))
    body, outgoing = sent(ask((Message("user", texts),), tools=(Tool("f", cache=CacheMark("1h")),)))
    assert marks(body) == ["messages.0.1", "messages.0.2", "messages.0.3", "messages.0.4"]
    assert body["messages"][0]["content"][1]["cache_control"] == {"type": "ephemeral", "ttl": "5m"}
    assert outgoing.warnings == ("cache_control: only the last 4 of the breakpoints are sent",)


def test_marks_of_results_calls_and_media():
    messages = (
        GO[0],
        Message("assistant", (ToolCall("call_1", "get_weather", "{}", cache=CacheMark()),)),
        Message("tool", (ToolResult("call_1", (Text("r", CacheMark()),), cache=CacheMark("1h")),)),
        Message("user", (Media("image", url="https://x/i.png", cache=CacheMark()),)),
    )
    body = body_of(ask(messages, tools=(WEATHER,)), compat={"cache": "auto"})
    assert marks(body) == ["messages.1.0", "messages.2.0", "messages.2.1"]
    assert body["messages"][2]["content"][0]["content"] == [{"type": "text", "text": "r", "cache_control": MARK}]
    bare = body_of(ask(messages, tools=(WEATHER,)), compat={"cache": "off"})
    assert marks(bare) == []
    assert bare["messages"][2]["content"][0]["content"] == [{"type": "text", "text": "r"}]


def test_top_level_breakpoint_counts_as_the_clients():
    request = ask(tools=(WEATHER,), extras={N: {"cache_control": MARK}})
    body = body_of(request, compat={"cache": "auto"})
    assert (marks(body), body["cache_control"]) == ([], MARK)
    assert "cache_control" not in body_of(request, compat={"cache": "off"})


# --- messages ----------------------------------------------------------------------------------------------------


def turns(messages, model="claude-sonnet-4-5", **fields):
    made = body_of(ask(messages, **fields), model)["messages"]
    return [(turn["role"], [block.get("text", block["type"]) for block in turn["content"]]) for turn in made]


def user(text):
    return Message("user", (Text(text),))


def model_said(text):
    return Message("assistant", (Text(text),))


def later(text):
    return Message("system", (Text(text),))


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((user("a"), user("b"), model_said("c"), model_said("d"), user("e")),
         [("user", ["a", "b"]), ("assistant", ["c", "d"]), ("user", ["e"])]),
        ((model_said("a"), user("b")), [("user", ["."]), ("assistant", ["a"]), ("user", ["b"])]),
        ((later("s"),), [("user", ["."])]),
        ((user("a"), model_said(""), user("b")), [("user", ["a", "b"])]),
        ((user("a"), Message("assistant", (Text(" "), Text("b"))), user("c")),
         [("user", ["a"]), ("assistant", ["b"]), ("user", ["c"])]),
        ((user("  "),), [("user", ["."])]),
    ],
)
def test_turns(messages, expected):
    assert turns(messages) == expected


@pytest.mark.parametrize(
    ("model", "fields", "expected"),
    [
        ("claude-sonnet-4-5", {}, [("user", ["a"]), ("assistant", ["b"])]),
        ("claude-sonnet-4-6", {}, [("user", ["a"]), ("assistant", ["b "]), ("user", ["."])]),
        ("claude-sonnet-4-5", {"thinking": Thinking("low")},
         [("user", ["a"]), ("assistant", ["b "]), ("user", ["."])]),
        ("claude-sonnet-4-5", {"output": FORM}, [("user", ["a"]), ("assistant", ["b "]), ("user", ["."])]),
    ],
)
def test_last_assistant_message(model, fields, expected):
    assert turns((user("a"), model_said("b ")), model, **fields) == expected


MARKED = "<system>\nS\n</system>"


@pytest.mark.parametrize(
    ("model", "messages", "expected"),
    [
        ("claude-opus-5", (user("a"), later("S")), [("user", ["a"]), ("system", ["S"])]),
        ("claude-opus-5", (user("a"), later("S"), model_said("b"), user("c")),
         [("user", ["a"]), ("system", ["S"]), ("assistant", ["b"]), ("user", ["c"])]),
        ("claude-opus-5", (user("a"), later("S"), later("T")), [("user", ["a"]), ("system", ["S", "T"])]),
        ("claude-opus-5", (user("a"), model_said("b"), later("S"), user("c")),
         [("user", ["a"]), ("assistant", ["b"]), ("user", [MARKED, "c"])]),
        ("claude-opus-5", (user("a"), later("S"), user("c")), [("user", ["a", MARKED, "c"])]),
        ("claude-opus-5", (user("a"), model_said("b"), later("S")),
         [("user", ["a"]), ("assistant", ["b"]), ("user", [MARKED])]),
        ("claude-opus-5", (*KEPT, later("S")),
         [("user", ["go"]), ("assistant", ["thinking", "tool_use"]), ("user", ["tool_result"]), ("system", ["S"])]),
        ("claude-sonnet-5", (user("a"), later("S")), [("user", ["a", MARKED])]),
        ("claude-sonnet-4-5", (user("a"), later("S"), model_said("b"), user("c")),
         [("user", ["a", MARKED]), ("assistant", ["b"]), ("user", ["c"])]),
    ],
)
def test_later_system_messages(model, messages, expected):
    assert turns(messages, model) == expected


def test_system_entry_after_a_server_tool_result():
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    messages = (user("a"), Message("assistant", (Opaque(N, found),)), later("S"))
    assert [turn["role"] for turn in body_of(ask(messages), "claude-opus-5", valid=False)["messages"]] == [
        "user", "assistant", "system"]


def test_native_blocks_go_back_unchanged_and_in_place():
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    said = Message("assistant", (Text("I look."), Opaque(N, call), Opaque(N, found), Text("Done.")))
    body = body_of(ask((user("a"), said, user("b"))))
    assert body["messages"][1]["content"] == [
        {"type": "text", "text": "I look."}, call, found, {"type": "text", "text": "Done."}]


def test_names_ids_and_broken_arguments_of_the_history():
    messages = (
        user("a"),
        Message("assistant", (
            ToolCall("", "dev server/start", '{"a":'),
            ToolCall("call:2", "ok", "[1]"),
            ToolCall("x" * 65, "ok", '""'),
        )),
    )
    first, second, third = body_of(ask(messages, tools=(Tool("ok"),)))["messages"][1]["content"]
    assert (first["name"], first["input"]) == ("dev_server_start", {"_raw": '{"a":'})
    assert (second["input"], third["input"]) == ({"_raw": "[1]"}, {"_raw": '""'})
    assert all(len(block["id"]) <= 64 and block["id"].isascii() for block in (first, second, third))


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (Media("image", "image/jpg", "/9j/"),
         {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9j/"}}),
        (Media("image", url="https://x/i.png", detail="high"),
         {"type": "image", "source": {"type": "url", "url": "https://x/i.png"}}),
        (Media("image", file_id="file_1"), {"type": "image", "source": {"type": "file", "file_id": "file_1"}}),
        (Media("file", "application/pdf", "JVBERi0=", name="a.pdf"),
         {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
          "title": "a.pdf"}),
        (Media("file", None, "JVBERi0=", name="A.PDF"),
         {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
          "title": "A.PDF"}),
        (Media("file", "text/csv", "YSxiCsO2"),
         {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a,b\nö"}}),
        (Media("file", text="plain", extras={N: {"citations": {"enabled": True}}}),
         {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"},
          "citations": {"enabled": True}}),
        (Media("file", url="https://x/d.pdf"), {"type": "document", "source": {"type": "url", "url": "https://x/d.pdf"}}),
    ],
)
def test_media(part, block):
    assert body_of(ask((Message("user", (part,)),)), valid=False)["messages"][0]["content"] == [block]


@pytest.mark.parametrize(
    "part",
    [
        Media("audio", "audio/wav", "UklG"), Media("video", "video/mp4", "AAAA"), Media("image", "image/tiff", "AAAA"),
        Media("image", None, "AAAA"), Media("file", "application/zip", "AAAA"), Media("file", "text/plain", "//79"),
        Media("image", url="gs://bucket/i.png"),
    ],
)
def test_refused_media(part):
    with pytest.raises(Rejected):
        sent(ask((Message("user", (part,)),)))


def test_media_of_the_model_are_left_out():
    said = Message("assistant", (Text("a"), Media("image", "image/png", "AAAA")))
    body, outgoing = sent(ask((user("a"), said, user("b"))))
    assert body["messages"][1]["content"] == [{"type": "text", "text": "a"}]
    assert outgoing.warnings == (
        "messages: a image in an assistant message is left out, anthropic-messages takes none there",)


# --- fields ------------------------------------------------------------------------------------------------------


def test_what_has_no_counterpart_is_named():
    request = ask(
        sampling=Sampling(seed=1, presence_penalty=0.5, frequency_penalty=0.0, logit_bias={"1": 2}, logprobs=True,
                          top_logprobs=3, n=1),
        metadata={"a": "b"}, verbosity="low", cache_key="k", service_tier="flex", user="a@b.example",
        extras={"openai-chat": {"prediction": {}}},
    )
    body, outgoing = sent(request)
    assert body.keys() == {"model", "max_tokens", "messages"}
    left = [w.split(":")[0] for w in outgoing.warnings]
    assert sorted(left) == sorted([
        "seed", "presence_penalty", "logit_bias", "logprobs", "top_logprobs", "metadata", "verbosity",
        "prompt_cache_key", "service_tier", "user", "prediction"])


@pytest.mark.parametrize("user_id", ["jane@example.com", "+49 (0)731 12345", "0731-123456"])
def test_personal_user_ids_are_kept_back(user_id):
    assert "metadata" not in body_of(ask(user=user_id))


def test_refused_fields():
    with pytest.raises(Rejected) as refused:
        sent(ask(sampling=Sampling(n=2)))
    assert refused.value.failure.param == "n"
    with pytest.raises(Rejected):
        sent(ask(modalities=("audio",)))
    with pytest.raises(Rejected):
        sent(ask(tool_choice=ToolChoice("required")))


def test_own_fields_options_and_hosts_that_refuse_some():
    request = ask(
        extras={N: {"inference_geo": "eu", "model": "never", "output_config": {"task_budget": {"tokens": 9}}}},
        thinking=Thinking("low"),
        options={N: {"speed": "fast", "output_config": {"effort": "max"}}, "openai-chat": {"x": 1}},
    )
    body, outgoing = sent(request, "claude-opus-5", {**CLIENT, "unsupported_fields": ("inference_geo", "metadata")},
                          options={"speed": "standard", "container": "c"})
    assert (body["model"], body["speed"], body["container"]) == ("claude-opus-5", "standard", "c")
    assert body["output_config"] == {"task_budget": {"tokens": 9}, "effort": "max"}
    assert "inference_geo" not in body
    assert outgoing.warnings == ("inference_geo: left out, the host does not take it",)


def test_headers():
    headers = {N: {"anthropic-version": "2026-10-21", "anthropic-beta": "effort-2025-11-24, context-1m,files-1"}}
    upstream = Upstream("claude-opus-5", ORIGIN, {"betas": ("effort-*", "files-1")})
    outgoing = API.encode(ask(headers=headers), upstream)
    assert outgoing.headers == {"anthropic-version": "2026-10-21", "anthropic-beta": "effort-2025-11-24,files-1"}
    assert outgoing.warnings == (
        "anthropic-beta: context-1m is left out, the provider's configuration does not allow it",)
    none = API.encode(ask(headers=headers), Upstream("claude-opus-5", ORIGIN, {"betas": ()}))
    assert "anthropic-beta" not in none.headers


def test_key_header():
    assert API.auth("K", Upstream("m")) == {"x-api-key": "K"}
    assert API.auth("K", Upstream("m", compat={"key_header": "authorization"})) == {"authorization": "Bearer K"}


def test_the_operators_family_decides():
    assert body_of(ask(stream=True), "prod-model", family="claude-opus-5")["max_tokens"] == 128000
    assert body_of(ask(stream=True), "claude-sonnet-4-5", family="claude")["max_tokens"] == 32000


def test_count_tokens():
    outgoing = API.count_tokens(LONG, Upstream("claude-sonnet-4-5", ORIGIN, CLIENT))
    body = json.loads(outgoing.body)
    assert outgoing.path == "/v1/messages/count_tokens"
    assert list(body) == ["model", "system", "messages", "tools", "tool_choice"]
    assert not outgoing.stream
