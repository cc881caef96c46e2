"""Requests: full bodies, and each rule of the wire by itself. Every body is also read by Botocore's own model."""

import json

import pytest
from bedrock_wire import (
    CITY,
    EMPTY,
    NOW,
    OPUS,
    SONNET,
    WEATHER,
    WIRED,
    WIRED_NOW,
    call,
    check,
    model,
    result,
    results,
    user,
)

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.bedrock_converse import API
from adapters.model import (
    CacheMark,
    Media,
    Message,
    OutputFormat,
    Reasoning,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
)

N = "bedrock-converse"
ORIGIN = "bedrock/claude"
CLIENT = {"cache": "client"}
TO = Upstream(SONNET, ORIGIN, CLIENT)
NEWER = Upstream(OPUS, ORIGIN, CLIENT)
NOVA = Upstream("amazon.nova-pro-v1:0", "bedrock/nova", CLIENT)
LLAMA = Upstream("us.meta.llama4-maverick-17b-instruct-v1:0", "bedrock/llama", CLIENT)
MISTRAL = Upstream("mistral.mistral-large-2407-v1:0", "bedrock/mistral", CLIENT)
GO = user("go")
WENT = [{"role": "user", "content": [{"text": "go"}]}]
SEARCH = Tool("web_search", kind="builtin", builtin="web_search")


def ask(*messages, **fields):
    return Request("m", messages or (GO,), **fields)


def sent(request, to=TO):
    outgoing = API.encode(request, to)
    body = json.loads(outgoing.body)
    check(body, to.model)
    return body, outgoing


def body(request, to=TO):
    return sent(request, to)[0]


def warnings(request, to=TO):
    return sent(request, to)[1].warnings


def test_smallest_request():
    outgoing = API.encode(ask(), TO)
    assert outgoing.body == b'{"messages":[{"role":"user","content":[{"text":"go"}]}]}'
    assert (outgoing.method, outgoing.stream, outgoing.query, outgoing.headers) == ("POST", False, {}, {})
    assert (outgoing.warnings, outgoing.reading.model, outgoing.reading.origin) == ((), SONNET, ORIGIN)
    assert API.auth("K", TO) == {"authorization": "Bearer K"}


@pytest.mark.parametrize(("name", "segment"), [
    (SONNET, "us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"),
    ("arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
     "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2F"
     "us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"),
    ("a b?c#d%", "a%20b%3Fc%23d%25"),
])
def test_path(name, segment):
    to = Upstream(name, ORIGIN)
    assert API.encode(ask(), to).path == f"/model/{segment}/converse"
    assert API.encode(ask(stream=True), to).path == f"/model/{segment}/converse-stream"


@pytest.mark.parametrize("name", [".", ".."])
def test_a_model_that_would_leave_its_path(name):
    with pytest.raises(Rejected) as caught:
        API.encode(ask(), Upstream(name, ORIGIN))
    assert caught.value.failure.type == "not_found_error"


def test_full_request():
    request = ask(
        Message("system", (Text("Be brief."),)),
        Message("developer", (Text("Metric units."), Text(" "))),
        user("Compare", Media("image", "image/png", "iVBORw0KGgo=")),
        model(
            Reasoning("Two calls.", N, ORIGIN, signature="SIG"), Reasoning(api=N, origin=ORIGIN, data="UkVE"),
            "Looking.",
            call("call_1", arguments='{"zeta": 1, "city": "Ulm", "n": 12345678901234567890123}'),
            call("call_1", "now", ""),
        ),
        results(result("call_1", [Text("rain"), Media("image", "image/jpeg", "/9j/")], is_error=False)),
        user("and tomorrow?"),
        tools=(NOW, WEATHER),
        tool_choice=ToolChoice("required"),
        sampling=Sampling(500, 0.2, None, 5, ("END",)),
        user="user-1", metadata={"team": "a"}, service_tier="default", stream=True,
    )
    made, outgoing = sent(request, Upstream(SONNET, ORIGIN, {"cache": "auto"}))
    second = made["messages"][1]["content"][4]["toolUse"]["toolUseId"]
    assert json.dumps(made) == json.dumps({
        "system": [{"text": "Be brief."}, {"text": "Metric units."}, {"cachePoint": {"type": "default"}}],
        "messages": [
            {"role": "user", "content": [
                {"text": "Compare"}, {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "Two calls.", "signature": "SIG"}}},
                {"reasoningContent": {"redactedContent": "UkVE"}},
                {"text": "Looking."},
                {"toolUse": {"toolUseId": "call_1", "name": "get_weather", "input": {
                    "zeta": 1, "city": "Ulm", "n": 12345678901234567890123}}},
                {"toolUse": {"toolUseId": second, "name": "now", "input": {}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "call_1", "content": [{"text": "(no result)"}], "status": "error"}},
                {"toolResult": {"toolUseId": second, "content": [
                    {"text": "rain"}, {"image": {"format": "jpeg", "source": {"bytes": "/9j/"}}}],
                    "status": "success"}},
                {"text": "and tomorrow?"},
                {"cachePoint": {"type": "default"}},
            ]},
        ],
        "inferenceConfig": {"maxTokens": 500, "temperature": 0.2, "stopSequences": ["END"]},
        "toolConfig": {"tools": [WIRED, WIRED_NOW, {"cachePoint": {"type": "default"}}], "toolChoice": {"any": {}}},
        "additionalModelRequestFields": {"top_k": 5},
        "additionalModelResponseFieldPaths": ["/delta/stop_sequence"],
        "requestMetadata": {"team": "a", "user": "user-1"},
        "serviceTier": {"type": "default"},
    })
    assert outgoing.warnings == ("a tool call without a result is answered with a placeholder",)
    assert outgoing.stream and outgoing.reading.stream
    assert API.encode(request, Upstream(SONNET, ORIGIN, {"cache": "auto"})).body == outgoing.body


# --- tools -------------------------------------------------------------------------------------------------------


HISTORY = (GO, model(call()), results(result()))


def test_a_tool_without_description_or_schema():
    assert body(ask(tools=(Tool("f", " "),)))["toolConfig"]["tools"] == [
        {"toolSpec": {"name": "f", "inputSchema": {"json": EMPTY}}}]


def test_a_root_union_is_an_object():
    made = body(ask(tools=(Tool("f", "x", {"anyOf": [CITY, EMPTY]}),)))
    schema = made["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"]
    assert schema["type"] == "object" and "anyOf" not in schema


@pytest.mark.parametrize(("name", "wire"), [("get_weather", "get_weather"), ("a.b", "a_b"), ("2fast", "t_2fast")])
def test_names(name, wire):
    made, outgoing = sent(ask(tools=(Tool(name, "x", CITY),), tool_choice=ToolChoice("named", (name,))))
    assert made["toolConfig"]["tools"][0]["toolSpec"]["name"] == wire
    assert made["toolConfig"]["toolChoice"] == {"tool": {"name": wire}}
    assert outgoing.reading.names == ({} if name == wire else {wire: name})


@pytest.mark.parametrize(("choice", "parallel", "offered", "native", "claudes"), [
    (None, None, [WIRED, WIRED_NOW], None, None),
    (ToolChoice("auto"), None, [WIRED, WIRED_NOW], None, None),
    (ToolChoice("auto"), True, [WIRED, WIRED_NOW], None, None),
    (ToolChoice("required"), None, [WIRED, WIRED_NOW], {"any": {}}, None),
    (ToolChoice("named", ("now",)), None, [WIRED, WIRED_NOW], {"tool": {"name": "now"}}, None),
    (ToolChoice("allowed", ("now",)), None, [WIRED_NOW], None, None),
    (ToolChoice("allowed", ("now",), True), None, [WIRED_NOW], {"any": {}}, None),
    (None, False, [WIRED, WIRED_NOW], None, {"type": "auto", "disable_parallel_tool_use": True}),
])
def test_tool_choice(choice, parallel, offered, native, claudes):
    made, outgoing = sent(ask(tools=(WEATHER, NOW), tool_choice=choice, parallel=parallel))
    assert made["toolConfig"]["tools"] == offered
    assert made["toolConfig"].get("toolChoice") == native
    assert made.get("additionalModelRequestFields", {}).get("tool_choice") == claudes
    assert outgoing.warnings == ()


def test_parallel_calls_beside_a_forced_one_and_elsewhere():
    told = ("parallel_tool_calls: left out, it cannot be said to this model here",)
    made, outgoing = sent(ask(tools=(NOW,), tool_choice=ToolChoice("required"), parallel=False))
    assert (made["toolConfig"]["toolChoice"], outgoing.warnings) == ({"any": {}}, told)
    assert "additionalModelRequestFields" not in made
    made, outgoing = sent(ask(tools=(NOW,), parallel=False), NOVA)
    assert ("additionalModelRequestFields" in made, outgoing.warnings) == (False, told)


@pytest.mark.parametrize("to", [TO, NOVA, LLAMA])
def test_none_without_calls_withholds_the_tools(to):
    made, outgoing = sent(ask(tools=(NOW,), tool_choice=ToolChoice("none")), to)
    assert ("toolConfig" in made, outgoing.warnings) == (False, ())


def test_none_with_calls_keeps_them():
    request = ask(*HISTORY, tools=(WEATHER,), tool_choice=ToolChoice("none"))
    made, outgoing = sent(request)
    assert made["toolConfig"] == {"tools": [WIRED]}
    assert made["additionalModelRequestFields"] == {"tool_choice": {"type": "none"}}
    assert outgoing.warnings == ()
    made, outgoing = sent(request, NOVA)
    assert (made["toolConfig"], "additionalModelRequestFields" in made) == ({"tools": [WIRED]}, False)
    assert outgoing.warnings == (
        "tool_choice: none cannot be enforced, the conversation's calls need their tools declared",)


def test_tools_of_the_history_are_declared():
    made, outgoing = sent(ask(*HISTORY))
    assert made["toolConfig"] == {"tools": [{"toolSpec": {
        "name": "get_weather", "description": "Used earlier in this conversation.", "inputSchema": {"json": EMPTY}}}]}
    assert made["additionalModelRequestFields"] == {"tool_choice": {"type": "none"}}
    assert outgoing.warnings == ()
    assert sent(ask(*HISTORY), NOVA)[1].warnings == ()


@pytest.mark.parametrize(("name", "takes"), [
    (SONNET, True), ("amazon.nova-lite-v1:0", True), ("mistral.mistral-large-2407-v1:0", True), ("zai.glm-4.7", True),
    ("moonshot.kimi-k2-thinking", True), ("xai.grok-4", True), ("us.meta.llama4-scout-17b-instruct-v1:0", False),
    ("cohere.command-r-plus-v1:0", False), ("amazon.titan-text-premier-v1:0", False),
    ("openai.gpt-oss-120b-1:0", False),
    ("writer.palmyra-x5-v1:0", False), ("arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", False),
])
def test_families_that_take_a_choice(name, takes):
    request = ask(tools=(NOW, WEATHER), tool_choice=ToolChoice("named", ("now",)))
    made, outgoing = sent(request, Upstream(name, "x", CLIENT))
    assert made["toolConfig"].get("toolChoice") == ({"tool": {"name": "now"}} if takes else None)
    assert len(made["toolConfig"]["tools"]) == (2 if takes else 1)
    told = "tool_choice: bedrock-converse cannot force a call here, the model is free to answer in text"
    assert outgoing.warnings == (() if takes else (told,))


def test_a_family_may_be_named_for_a_profile_that_hides_it():
    profile = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123"
    to = Upstream(profile, "x", CLIENT, family="claude-sonnet-4-5")
    assert body(ask(tools=(NOW,), tool_choice=ToolChoice("required")), to)["toolConfig"]["toolChoice"] == {"any": {}}


@pytest.mark.parametrize("name", ["claude-opus-5-5", "claude-fable-5-1"])
def test_models_that_refuse_forced_calls(name):
    to = Upstream(f"global.anthropic.{name}-v1:0", ORIGIN, CLIENT)
    made, outgoing = sent(ask(tools=(NOW,), tool_choice=ToolChoice("required")), to)
    assert made["toolConfig"] == {"tools": [WIRED_NOW]}
    assert outgoing.warnings == (
        "tool_choice: bedrock-converse cannot force a call here, the model is free to answer in text",)


@pytest.mark.parametrize(("compat", "order"), [
    ({}, ["get_weather", "now"]),
    ({"sort_tools": False}, ["now", "get_weather"]),
])
def test_sort_tools(compat, order):
    made = body(ask(tools=(NOW, WEATHER)), Upstream(SONNET, ORIGIN, {**CLIENT, **compat}))
    assert [tool["toolSpec"]["name"] for tool in made["toolConfig"]["tools"]] == order


def test_custom_tools_become_functions():
    made, outgoing = sent(ask(tools=(Tool("sh", "Runs.", kind="custom"),)))
    assert made["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"]["required"] == ["input"]
    assert outgoing.reading.custom == {"sh"}


def test_built_in_tools():
    made, outgoing = sent(ask(tools=(NOW, SEARCH)), NOVA)
    assert made["toolConfig"]["tools"] == [WIRED_NOW, {"systemTool": {"name": "nova_grounding"}}]
    assert outgoing.warnings == ()
    made, outgoing = sent(ask(tools=(NOW, SEARCH)))
    assert made["toolConfig"]["tools"] == [WIRED_NOW]
    assert outgoing.warnings == ("tools: web_search is left out, bedrock-converse has no such built-in tool",)
    for to in (TO, NOVA):
        with pytest.raises(Rejected, match="forces a built-in tool"):
            API.encode(ask(tools=(NOW, SEARCH), tool_choice=ToolChoice("named", ("web_search",))), to)


STRICT = Tool("f", "x", CITY, True)
CLOSED = {**CITY, "additionalProperties": False}
BOUND = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}
SONNET_STRICT = Upstream(SONNET, ORIGIN, {**CLIENT, "strict_tools": "lossless"})


@pytest.mark.parametrize(("tool", "name", "level", "schema", "strict", "told"), [
    (STRICT, SONNET, "off", CITY, None, "strict: left out, strict_tools is off"),
    (STRICT, SONNET, "lossless", CLOSED, True, None),
    (STRICT, "qwen.qwen3-32b-v1:0", "lossless", CLOSED, True, None),
    (STRICT, NOVA.model, "lossless", CITY, None, "strict: left out, the model is not known to have strict tools"),
    (STRICT, "us.anthropic.claude-sonnet-4-6-v1:0", "lossless", CITY, None,
     "strict: left out, the model is not known to have strict tools"),
    (Tool("f", "x", CITY), SONNET, "lossless", CITY, None, None),
    (Tool("f", "x", CITY, False), SONNET, "lossless", CITY, None, None),
    (Tool("f", "x", BOUND, True), SONNET, "lossless", BOUND, None,
     "strict: left out, properties.n: minimum is told in the description"),
])
def test_strict(tool, name, level, schema, strict, told):
    made, outgoing = sent(ask(tools=(tool,)), Upstream(name, "x", {**CLIENT, "strict_tools": level}))
    spec = made["toolConfig"]["tools"][0]["toolSpec"]
    assert (spec["inputSchema"]["json"], spec.get("strict")) == (schema, strict)
    assert outgoing.warnings == ((f"tools.f: {told}",) if told else ())


def test_strict_rewritten():
    made = body(ask(tools=(Tool("f", "x", BOUND, True),)), Upstream(SONNET, ORIGIN, {"strict_tools": "rewrite"}))
    assert made["toolConfig"]["tools"][0]["toolSpec"]["strict"] is True


def test_claude_takes_twenty_strict_tools():
    tools = tuple(Tool(f"f{number:02}", "x", CITY, True) for number in range(21))
    made, outgoing = sent(ask(tools=tools), SONNET_STRICT)
    assert [tool["toolSpec"].get("strict") for tool in made["toolConfig"]["tools"]] == [True] * 20 + [None]
    assert outgoing.warnings == (
        "tools.f20: strict: left out, the request has more strict tools than bedrock-converse takes",)
    qwen = Upstream("qwen.qwen3-32b-v1:0", "x", {"strict_tools": "lossless", "cache": "off"})
    assert all(tool["toolSpec"]["strict"] for tool in body(ask(tools=tools), qwen)["toolConfig"]["tools"])


# --- fields ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "asked", "limit", "told"), [
    (SONNET, None, None, []),
    (OPUS, None, None, []),
    ("anthropic.claude-3-haiku-20240307-v1:0", None, 4096, []),
    ("us.anthropic.claude-opus-4-1-20250805-v1:0", None, 4096, []),
    (NOVA.model, None, None, []),
    (SONNET, 100, 100, []),
    (SONNET, 0, 1, ["max_tokens: at least 1 is sent"]),
    ("anthropic.claude-3-haiku-20240307-v1:0", 9000, 4096,
     ["max_tokens: 9000 is more than the model takes, 4096 is sent"]),
    (NOVA.model, 9_000_000, 9_000_000, []),
])
def test_max_tokens(name, asked, limit, told):
    made, outgoing = sent(ask(sampling=Sampling(max_tokens=asked)), Upstream(name, "x", CLIENT))
    assert made.get("inferenceConfig", {}).get("maxTokens") == limit
    assert outgoing.warnings == tuple(told)


def test_the_operators_ceiling():
    to = Upstream(NOVA.model, "x", CLIENT, max_output_tokens=5000)
    made, outgoing = sent(ask(sampling=Sampling(max_tokens=9000)), to)
    assert made["inferenceConfig"] == {"maxTokens": 5000}
    assert outgoing.warnings == ("max_tokens: 9000 is more than the model takes, 5000 is sent",)


GONE = "{}: left out, the model does not take it here"


@pytest.mark.parametrize(("name", "asked", "config", "fields", "told"), [
    (SONNET, Sampling(temperature=0.5), {"temperature": 0.5}, None, []),
    (SONNET, Sampling(temperature=1.5), {"temperature": 1},
     None, ["temperature: bedrock-converse takes 0 to 1, 1 is sent"]),
    (SONNET, Sampling(top_p=-1), {"topP": 0}, None, ["top_p: bedrock-converse takes 0 to 1, 0 is sent"]),
    (SONNET, Sampling(temperature=0.5, top_p=0.9), {"temperature": 0.5}, None, [GONE.format("top_p")]),
    (SONNET, Sampling(temperature=0.5, top_p=1), {"temperature": 0.5}, None, []),
    ("anthropic.claude-3-haiku-20240307-v1:0", Sampling(9, 0.5, 0.9), {"maxTokens": 9, "temperature": 0.5, "topP": 0.9},
     None, []),
    (OPUS, Sampling(temperature=0.5, top_p=0.9, top_k=3), None, None,
     [GONE.format("temperature"), GONE.format("top_p"), GONE.format("top_k")]),
    ("openai.gpt-5.6-v1:0", Sampling(temperature=0.5), None, None, [GONE.format("temperature")]),
    ("openai.gpt-6-mini-v1:0", Sampling(top_p=0.5), None, None, [GONE.format("top_p")]),
    ("xai.grok-4", Sampling(temperature=0.5, top_p=1), None, None, [GONE.format("temperature")]),
    (SONNET, Sampling(top_k=3), None, {"top_k": 3}, []),
    (NOVA.model, Sampling(top_k=3), None, {"inferenceConfig": {"topK": 3}}, []),
    (LLAMA.model, Sampling(top_k=3, top_p=0.5), {"topP": 0.5}, None, [GONE.format("top_k")]),
    (SONNET, Sampling(stop=("END", " ", "")), {"stopSequences": ["END"]}, None,
     ["stop: blank sequences are left out, bedrock-converse refuses them"]),
    (NOVA.model, Sampling(stop=("\n", "")), {"stopSequences": ["\n"]}, None,
     ["stop: blank sequences are left out, bedrock-converse refuses them"]),
    (SONNET, Sampling(seed=1, presence_penalty=0.1, frequency_penalty=0.1, logit_bias={"1": 1}, logprobs=True,
                      top_logprobs=2), None, None,
     [f"{name}: left out, bedrock-converse has no such field" for name in (
         "seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs")]),
])
def test_sampling(name, asked, config, fields, told):
    made, outgoing = sent(ask(sampling=asked), Upstream(name, "x", CLIENT))
    assert made.get("inferenceConfig") == config
    assert made.get("additionalModelRequestFields") == fields
    assert outgoing.warnings == tuple(told)


@pytest.mark.parametrize(("name", "stream", "paths"), [
    (SONNET, False, ["/stop_sequence"]), (SONNET, True, ["/delta/stop_sequence"]), (NOVA.model, True, None)])
def test_claude_is_asked_which_stop_text_matched(name, stream, paths):
    made = body(ask(sampling=Sampling(stop=("END",)), stream=stream), Upstream(name, "x", CLIENT))
    assert made.get("additionalModelResponseFieldPaths") == paths


def test_several_answers_are_refused():
    with pytest.raises(Rejected) as caught:
        API.encode(ask(sampling=Sampling(n=2)), TO)
    assert caught.value.failure.param == "n"


PAIRS = "bedrock-converse takes 16 pairs of short plain texts"


@pytest.mark.parametrize(("fields", "pairs", "told"), [
    ({"user": "u-1"}, {"user": "u-1"}, []),
    ({"user": "ü"}, None, [f"user: left out, {PAIRS}"]),
    ({"metadata": {"a": "b", "empty": ""}}, {"a": "b", "empty": ""}, []),
    ({"metadata": {"a": 1, "b": "x" * 257, "c": "é", "!": "d"}}, None,
     [f"metadata.{key}: left out, {PAIRS}" for key in "abc!"]),
    ({"metadata": {f"k{number}": "v" for number in range(17)}}, {f"k{number}": "v" for number in range(16)},
     [f"metadata.k16: left out, {PAIRS}"]),
])
def test_metadata(fields, pairs, told):
    made, outgoing = sent(ask(**fields))
    assert made.get("requestMetadata") == pairs
    assert outgoing.warnings == tuple(told)


@pytest.mark.parametrize(("tier", "native", "told"), [
    (None, None, []), ("auto", None, []), ("default", "default", []), ("standard_only", "default", []),
    ("priority", "priority", []), ("flex", "flex", []), ("reserved", "reserved", []),
    ("scale", None, ["service_tier: scale is left out, bedrock-converse has no such tier"]),
])
def test_service_tier(tier, native, told):
    made, outgoing = sent(ask(service_tier=tier))
    assert made.get("serviceTier") == (None if native is None else {"type": native})
    assert outgoing.warnings == tuple(told)


def test_what_has_no_field_is_named():
    request = ask(Message("user", (Text("go"),), name="ann"), verbosity="low", cache_key="k",
                  extras={"openai-chat": {"prediction": {}}})
    made, outgoing = sent(request)
    assert made == {"messages": WENT}
    assert set(outgoing.warnings) == {
        f"{name}: left out, bedrock-converse has no such field"
        for name in ("verbosity", "prompt_cache_key", "name of a message", "prediction")}


def test_options_come_last_the_operators_over_the_clients():
    guard = {"guardrailIdentifier": "g", "guardrailVersion": "1"}
    options = {"performanceConfig": {"latency": "optimized"}, "guardrailConfig": guard}
    to = Upstream(SONNET, ORIGIN, CLIENT, options=options)
    request = ask(sampling=Sampling(9, 0.5), options={
        N: {"performanceConfig": {"latency": "standard"}, "inferenceConfig": {"temperature": None, "topP": 0.1}}})
    assert body(request, to) == {
        "messages": WENT, "inferenceConfig": {"maxTokens": 9, "topP": 0.1},
        "performanceConfig": {"latency": "optimized"}, "guardrailConfig": guard,
    }


BETAS = {"anthropic-messages": {"anthropic-beta": "context-1m-2025-08-07, prompt-caching-2024-07-31,compact-2026-01-12,"
                                "advanced-tool-use-2025-11-20,interleaved-thinking-2025-05-14"}}


@pytest.mark.parametrize(("name", "compat", "betas"), [
    (SONNET, {}, ["context-1m-2025-08-07", "interleaved-thinking-2025-05-14"]),
    (SONNET, {"betas": ("*",)}, ["context-1m-2025-08-07", "interleaved-thinking-2025-05-14"]),
    (SONNET, {"betas": ("context-*",)}, ["context-1m-2025-08-07"]),
    (SONNET, {"betas": ()}, None),
    (NOVA.model, {}, None),
])
def test_betas(name, compat, betas):
    made = body(ask(headers=BETAS), Upstream(name, "x", {**CLIENT, **compat}))
    assert made.get("additionalModelRequestFields", {}).get("anthropic_beta") == betas


# --- reasoning ---------------------------------------------------------------------------------------------------


ADAPTIVE = {"type": "adaptive", "display": "summarized"}
SLEEPLESS = "reasoning_effort: the model cannot stop reasoning, the lowest effort is sent"
UNKNOWN = "reasoning_effort: left out, the model is not known to take one"


@pytest.mark.parametrize(("name", "wish", "fields", "told"), [
    (OPUS, Thinking("low"), {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}, []),
    (OPUS, Thinking("xhigh"), {"thinking": ADAPTIVE, "output_config": {"effort": "xhigh"}}, []),
    (OPUS, Thinking("none"), {"thinking": {"type": "disabled"}}, []),
    ("us.anthropic.claude-opus-4-6-v1:0", Thinking("xhigh"),
     {"thinking": ADAPTIVE, "output_config": {"effort": "max"}}, []),
    ("global.anthropic.claude-sonnet-5-5-v1:0", Thinking("none"), {"thinking": {"type": "between_tools"}}, []),
    ("global.anthropic.claude-opus-5-5-v1:0", Thinking("none"),
     {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
     ["reasoning_effort: the model cannot stop thinking, the lowest effort is sent"]),
    ("us-gov.anthropic.claude-opus-4-8-v1:0", Thinking("low"),
     {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}, []),
    (SONNET, Thinking("low"), {"thinking": {"type": "enabled", "budget_tokens": 2048}}, []),
    (SONNET, Thinking(budget=3000), {"thinking": {"type": "enabled", "budget_tokens": 3000}}, []),
    ("us.anthropic.claude-opus-4-5-20251101-v1:0", Thinking("high"),
     {"thinking": {"type": "enabled", "budget_tokens": 16384}}, []),
    (SONNET, Thinking("none"), None, []),
    ("anthropic.claude-3-haiku-20240307-v1:0", Thinking("high"), None,
     ["reasoning_effort: left out, the model does not think"]),
    ("openai.gpt-oss-120b-1:0", Thinking("none"), {"reasoning_effort": "low"}, [SLEEPLESS]),
    ("openai.gpt-oss-120b-1:0", Thinking("minimal"), {"reasoning_effort": "low"}, []),
    ("openai.gpt-oss-120b-1:0", Thinking("medium"), {"reasoning_effort": "medium"}, []),
    ("openai.gpt-oss-120b-1:0", Thinking("max"), {"reasoning_effort": "high"}, []),
    ("openai.gpt-5.6-v1:0", Thinking("minimal"), {"reasoning": {"effort": "low"}}, []),
    ("openai.gpt-5.6-v1:0", Thinking("none"), {"reasoning": {"effort": "low"}}, [SLEEPLESS]),
    ("openai.gpt-5.6-v1:0", Thinking("max"), {"reasoning": {"effort": "max"}}, []),
    ("openai.gpt-6-v1:0", Thinking("xhigh"), {"reasoning": {"effort": "xhigh"}}, []),
    ("xai.grok-4-v1:0", Thinking("none"), {"reasoning": {"effort": "low"}}, [SLEEPLESS]),
    ("xai.grok-4-v1:0", Thinking("max"), {"reasoning": {"effort": "xhigh"}}, []),
    ("qwen.qwen3-235b-a22b-v1:0", Thinking("none"), {"reasoning_config": "none"}, []),
    ("qwen.qwen3-235b-a22b-v1:0", Thinking("low"), {"reasoning_config": "low"}, []),
    ("qwen.qwen3-235b-a22b-v1:0", Thinking("medium"), {"reasoning_config": "high"}, []),
    ("deepseek.v3.2", Thinking("low"), {"reasoning_effort": "high"}, []),
    ("deepseek.v3.2", Thinking("none"), {"reasoning_effort": "none"}, []),
    ("zai.glm-4.7", Thinking("medium"), {"reasoning_effort": "high"}, []),
    ("zai.glm-5", Thinking("none"), {"reasoning_effort": "none"}, []),
    ("zai.glm-5.3", Thinking("none"), {"reasoning_effort": "low"}, [SLEEPLESS]),
    ("zai.glm-5.3", Thinking("max"), {"reasoning_effort": "max"}, []),
    ("amazon.nova-2-lite-v1:0", Thinking("medium"),
     {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"}}, []),
    ("amazon.nova-2-lite-v1:0", Thinking("max"),
     {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}, []),
    ("amazon.nova-2-lite-v1:0", Thinking("none"), None, []),
    ("amazon.nova-2-lite-v1:0", Thinking(budget=-1), None, []),
    ("amazon.nova-2-lite-v1:0", Thinking(budget=9000),
     {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"}}, []),
    (NOVA.model, Thinking("high"), None, [UNKNOWN]),
    (NOVA.model, Thinking("none"), None, []),
    ("deepseek.r1-v1:0", Thinking("high"), None, [UNKNOWN]),
])
def test_reasoning(name, wish, fields, told):
    made, outgoing = sent(ask(thinking=wish), Upstream(name, "x", CLIENT))
    assert made.get("additionalModelRequestFields") == fields
    assert outgoing.warnings == tuple(told)


def test_a_budget_makes_room_for_the_answer_and_excludes_much():
    made, outgoing = sent(ask(GO, model("And "), tools=(NOW,), tool_choice=ToolChoice("required"),
                              thinking=Thinking("low"), sampling=Sampling(1000, 0.5, top_k=3)))
    assert made["inferenceConfig"] == {"maxTokens": 3048}
    assert made["messages"][-1] == {"role": "user", "content": [{"text": "."}]}
    assert made["toolConfig"] == {"tools": [WIRED_NOW]}
    assert set(outgoing.warnings) == {
        GONE.format("temperature"), GONE.format("top_k"),
        "tool_choice: bedrock-converse cannot force a call here, the model is free to answer in text",
        "the last message is the assistant's, which this model cannot continue: a user turn follows it",
    }


def test_a_budget_without_the_reasoning_of_the_calls_is_off():
    off = "thinking: switched off for this request, the reasoning of its tool calls is lost"
    made, outgoing = sent(ask(*HISTORY, tools=(WEATHER,), thinking=Thinking("low")))
    assert made["additionalModelRequestFields"] == {"thinking": {"type": "disabled"}}
    assert outgoing.warnings == (off,)
    signed = Reasoning("hm", N, ORIGIN, signature="S")
    kept = (GO, model(signed, call()), results(result()))
    assert body(ask(*kept, tools=(WEATHER,), thinking=Thinking("low")))["additionalModelRequestFields"] == {
        "thinking": {"type": "enabled", "budget_tokens": 2048}}
    before = (*HISTORY, model("ok"), user("next"))
    assert body(ask(*before, tools=(WEATHER,), thinking=Thinking("low")))["additionalModelRequestFields"] == {
        "thinking": {"type": "enabled", "budget_tokens": 2048}}
    assert body(ask(*HISTORY, tools=(WEATHER,), thinking=Thinking("low")), NEWER)["additionalModelRequestFields"] == {
        "thinking": ADAPTIVE, "output_config": {"effort": "low"}}


# --- structured output -------------------------------------------------------------------------------------------


SHAPE = OutputFormat("schema", CITY, "city", "The city.")
NATIVE = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {
    "schema": json.dumps(CLOSED, separators=(",", ":")), "name": "city", "description": "The city."}}}}


@pytest.mark.parametrize(("name", "mode", "way"), [
    (SONNET, "auto", "native"),
    ("us.anthropic.claude-opus-4-6-v1:0", "auto", "native"),
    ("us.anthropic.claude-sonnet-4-6-v1:0", "auto", "tool"),
    ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "auto", "tool"),
    (OPUS, "auto", "tool"),
    ("global.anthropic.claude-opus-5-v1:0", "auto", "tool"),
    ("global.anthropic.claude-opus-5-5-v1:0", "auto", "native"),
    ("global.anthropic.claude-opus-5-5-v1:0", "tool", "native"),
    (SONNET, "tool", "tool"),
    (OPUS, "native", "native"),
    ("anthropic.claude-3-haiku-20240307-v1:0", "auto", "tool"),
    ("qwen.qwen3-32b-v1:0", "auto", "native"),
    ("google.gemma-3-27b-it", "auto", "native"),
    ("zai.glm-4.7", "auto", "native"),
    ("moonshot.kimi-k2-thinking", "auto", "native"),
    ("mistral.magistral-small-2509", "auto", "native"),
    ("mistral.ministral-3-8b-instruct", "auto", "native"),
    ("mistral.mistral-large-3-675b-instruct", "auto", "native"),
    ("minimax.minimax-m2", "auto", "native"),
    ("nvidia.nemotron-nano-9b-v2", "auto", "native"),
    (MISTRAL.model, "auto", "tool"),
    (NOVA.model, "auto", "tool"),
    (LLAMA.model, "auto", "words"),
    (LLAMA.model, "native", "native"),
])
def test_structured_output(name, mode, way):
    made, outgoing = sent(ask(output=SHAPE), Upstream(name, "x", {**CLIENT, "structured_output": mode}))
    assert made.get("outputConfig") == (NATIVE if way == "native" else None)
    assert outgoing.reading.answer_tool == ("json_response" if way == "tool" else None)
    if way == "tool":
        assert made["toolConfig"] == {
            "tools": [{"toolSpec": {
                "name": "json_response", "description": "The city.", "inputSchema": {"json": CITY}}}],
            "toolChoice": {"tool": {"name": "json_response"}},
        }
    told = "response_format: the model cannot be held to it here, it is told in the prompt"
    assert outgoing.warnings == ((told,) if way == "words" else ())
    assert ("system" in made) == (way == "words")


def test_structured_output_beside_tools():
    made = body(ask(output=SHAPE, tools=(NOW,)), NOVA)
    assert [tool["toolSpec"]["name"] for tool in made["toolConfig"]["tools"]] == ["json_response", "now"]
    assert made["toolConfig"]["toolChoice"] == {"any": {}}
    allowed = ask(output=SHAPE, tools=(NOW, WEATHER), tool_choice=ToolChoice("allowed", ("now",)))
    assert [tool["toolSpec"]["name"] for tool in body(allowed, NOVA)["toolConfig"]["tools"]] == ["json_response", "now"]
    made, outgoing = sent(ask(output=SHAPE, tools=(NOW,), tool_choice=ToolChoice("required")), NOVA)
    assert len(made["toolConfig"]["tools"]) == 1
    assert outgoing.warnings == ("response_format: left out, tool_choice asks for a call instead",)


def test_an_answer_tool_excludes_a_thinking_budget():
    to = Upstream(SONNET, ORIGIN, {**CLIENT, "structured_output": "tool"})
    made, outgoing = sent(ask(output=SHAPE, thinking=Thinking("low")), to)
    assert "additionalModelRequestFields" not in made
    assert outgoing.warnings == ("reasoning_effort: left out, the forced form of the answer excludes it",)


def test_a_schema_that_cannot_be_enforced_takes_the_tool():
    open_schema = {"type": "object", "additionalProperties": {"type": "string"}}
    made, outgoing = sent(ask(output=OutputFormat("schema", open_schema)))
    assert "outputConfig" not in made and outgoing.reading.answer_tool == "json_response"


def test_json_without_a_schema_is_told_in_words():
    made, outgoing = sent(ask(output=OutputFormat("json")))
    assert made["system"][0]["text"].startswith("Reply with one JSON object")
    assert outgoing.warnings == ()
    assert body(ask(output=OutputFormat("text"))) == {"messages": WENT}


# --- streaming, counting -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "flag", "tools", "streams"), [
    (SONNET, "auto", True, True),
    ("ai21.jamba-1-5-large-v1:0", "auto", True, False),
    ("ai21.jamba-1-5-large-v1:0", "auto", False, True),
    ("ai21.jamba-1-5-large-v1:0", True, True, True),
    ("us.meta.llama3-3-70b-instruct-v1:0", "auto", True, False),
    (LLAMA.model, "auto", True, True),
    (SONNET, False, True, False),
    (SONNET, False, False, True),
])
def test_stream_tools(name, flag, tools, streams):
    outgoing = API.encode(ask(tools=(NOW,) if tools else (), stream=True), Upstream(name, "x", {"stream_tools": flag}))
    assert outgoing.stream == outgoing.reading.stream == streams
    assert outgoing.path.endswith("/converse-stream" if streams else "/converse")


def test_counting_tokens():
    request = ask(Message("system", (Text("s"),)), GO, tools=(NOW,), sampling=Sampling(9), thinking=Thinking("low"),
                  user="u", stream=True)
    outgoing = API.count_tokens(request, TO)
    assert outgoing.path == "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens"
    counted = json.loads(outgoing.body)
    assert counted == {"input": {"converse": {
        "system": [{"text": "s"}], "messages": WENT, "toolConfig": {"tools": [WIRED_NOW]},
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2048}}}}}
    check(counted, operation="CountTokens")
    assert (outgoing.stream, outgoing.method) == (False, "POST")
    assert API.count_tokens(request, NOVA) is None
    assert API.counted(b'{"inputTokens":12}') == 12


def test_the_model_may_be_called_with_arguments_that_are_no_object():
    made = body(ask(GO, model(ToolCall("c", "now", '{"a":1}{"b":2}')), results(result("c")), tools=(NOW,)))
    assert made["messages"][1]["content"][0]["toolUse"]["input"] == {"_raw": '{"a":1}{"b":2}'}


def test_the_clients_marks_are_carried():
    marked = Tool("now", "The time.", EMPTY, cache=CacheMark("1h"))
    made = body(ask(tools=(marked, WEATHER)))
    assert made["toolConfig"]["tools"] == [WIRED_NOW, {"cachePoint": {"type": "default", "ttl": "1h"}}, WIRED]
