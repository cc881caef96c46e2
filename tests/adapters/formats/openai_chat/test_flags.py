"""Every compat flag of `openai-chat` changes what is sent (wire page §10, §11)."""

from dataclasses import replace
from typing import Any

import pytest

from adapters import json
from adapters.compat import FLAGS, defaults, resolve
from adapters.errors import Rejected
from adapters.events import PartEnd, ReasoningDelta, TextDelta
from adapters.format import Upstream
from adapters.formats.openai_chat.api import API
from adapters.model import (
    CacheMark,
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
    ToolResult,
)

OWN = "openai-chat"
HI = Message("user", (Text("hi"),))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
F = Tool("f", "d", SCHEMA)
G = Tool("g", None, {"type": "object", "properties": {}})
CALL = ToolCall("call_1", "f", '{"a":"b"}')
SIGNED = Reasoning(
    "r",
    OWN,
    "o",
    signature="S",
    extras={OWN: {"reasoning_details": [{"type": "reasoning.text", "text": "r", "signature": "S", "index": 0}]}},
)
TURN = (HI, Message("assistant", (CALL,)), Message("tool", (ToolResult("call_1", (Text("ok"),)),)))


def ask(**fields: Any) -> Request:
    return replace(Request("smart", (HI,), dialect="chat"), **fields)


def sent(request: Request, model: str = "m", **flags: Any) -> Any:
    return told(request, model, **flags)[0]


def told(request: Request, model: str = "m", **flags: Any) -> tuple[Any, tuple[str, ...]]:
    assert flags.keys() <= defaults(OWN).keys()
    outgoing = API.encode(request, Upstream(model, "o", {**defaults(OWN), **flags}))
    return json.loads(outgoing.body), outgoing.warnings


def test_max_tokens_field() -> None:
    request = ask(sampling=Sampling(max_tokens=5))
    assert sent(request)["max_tokens"] == 5
    body = sent(request, max_tokens_field="max_completion_tokens")
    assert (body["max_completion_tokens"], "max_tokens" in body) == (5, False)


def test_developer_role() -> None:
    request = ask(messages=(Message("developer", (Text("s"),)), HI))
    assert sent(request)["messages"][0] == {"role": "system", "content": "s"}
    assert sent(request, developer_role=True)["messages"][0] == {"role": "developer", "content": "s"}


@pytest.mark.parametrize(
    ("flag", "field", "fields", "value"),
    [
        ("store", "store", {"store": True}, True),
        ("metadata", "metadata", {"metadata": {"a": "b"}}, {"a": "b"}),
        ("service_tier", "service_tier", {"service_tier": "flex"}, "flex"),
        ("prompt_cache_key", "prompt_cache_key", {"cache_key": "k"}, "k"),
    ],
)
def test_fields_that_few_hosts_know(flag: str, field: str, fields: Any, value: Any) -> None:
    without, warnings = told(ask(**fields))
    assert field not in without
    assert warnings == (f"{field}: left out, the upstream does not take it",)
    body, warnings = told(ask(**fields), **{flag: True})
    assert body[field] == value
    assert warnings == ()


def test_store_means_the_upstream_only_for_chat_clients() -> None:
    assert "store" not in sent(ask(store=True, dialect="responses"), store=True)


def test_strict_tools() -> None:
    strict = replace(F, strict=True)
    assert "strict" not in sent(ask(tools=(strict,)))["tools"][0]["function"]
    assert sent(ask(tools=(strict,)), strict_tools="lossless")["tools"][0]["function"]["strict"] is True
    assert "strict" not in sent(ask(tools=(F,)), strict_tools="lossless")["tools"][0]["function"]
    loose = replace(F, strict=True, schema={**SCHEMA, "required": []})
    kept = sent(ask(tools=(loose,)), strict_tools="lossless")["tools"][0]["function"]
    assert (kept["strict"], kept["parameters"]["required"]) == (False, [])
    rewritten = sent(ask(tools=(loose,)), strict_tools="rewrite")["tools"][0]["function"]
    assert (rewritten["strict"], rewritten["parameters"]["required"]) == (True, ["a"])


def test_strict_formats() -> None:
    schema = {
        "type": "object", "properties": {"a": {"type": "string", "format": "date"}, "b": {"type": "string",
        "format": "uuid"}}, "required": ["a", "b"], "additionalProperties": False,
    }  # fmt: skip
    request = ask(tools=(Tool("f", "d", schema, strict=True),))

    def formats(**flags: Any) -> list[Any]:
        function = sent(request, strict_tools="lossless", **flags)["tools"][0]["function"]
        assert function["strict"] is True
        return [one.get("format") for one in function["parameters"]["properties"].values()]

    assert formats() == ["date", "uuid"]
    assert formats(strict_formats="deepseek") == [None, "uuid"]


def test_stream_usage() -> None:
    assert sent(ask(stream=True))["stream_options"] == {"include_usage": True}
    assert "stream_options" not in sent(ask(stream=True), stream_usage=False)
    assert "stream_options" not in sent(ask())


DEAR = Message("assistant", (Text("Dear "),))
REPEATS = [
    # the last assistant message as the first piece of its continuation
    ("content", ("continued",), (HI, DEAR), ["Dear ", "Ann"], ["Ann"]),
    ("content", (), (HI, DEAR), ["Dear ", "Ann"], ["Dear ", "Ann"]),
    ("content", ("continued",), (HI, DEAR), ["Dear Ann"], ["Dear Ann"]),
    ("content", ("continued",), (HI, DEAR), ["De", "ar "], ["De", "ar "]),
    ("content", ("continued",), (HI, DEAR), ["Ann", "Dear "], ["Ann", "Dear "]),
    ("content", ("continued",), (HI, DEAR, HI), ["Dear ", "Ann"], ["Dear ", "Ann"]),
    # each piece of reasoning twice
    ("reasoning_content", ("reasoning",), (HI,), ["a", "a", "a", "a", "b", "b"], ["a", "a", "b"]),
    ("reasoning_content", (), (HI,), ["a", "a"], ["a", "a"]),
    ("reasoning_content", ("reasoning",), (HI,), ["a", "b", "b", "c"], ["a", "b", "b", "c"]),
    ("reasoning_content", ("reasoning",), (HI,), ["a", "a", "b"], ["a", "b"]),
]


@pytest.mark.parametrize(("field", "repeats", "messages", "pieces", "expected"), REPEATS)
def test_repeats(field: str, repeats: Any, messages: Any, pieces: list[str], expected: list[str]) -> None:
    upstream = Upstream("m", "o", {**defaults(OWN), "repeats": repeats})
    outgoing = API.encode(ask(messages=messages, stream=True), upstream)
    deltas = [*({field: piece} for piece in pieces), {"content": "."}]
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    decoder = API.decoder(outgoing.reading)
    events = [event for chunk in chunks for event in decoder.feed(b"data: " + json.dumps(chunk) + b"\n\n")]
    events += decoder.close()
    said = [event.text for event in events if isinstance(event, TextDelta | ReasoningDelta)]
    assert said == [*expected, "."]
    assert [event.part for event in events if isinstance(event, PartEnd)] == sorted({
        event.part for event in events if isinstance(event, TextDelta | ReasoningDelta)
    })


def test_parallel_tool_calls() -> None:
    request = ask(tools=(F,), parallel=False)
    assert sent(request)["parallel_tool_calls"] is False
    body, warnings = told(request, parallel_tool_calls=False)
    assert "parallel_tool_calls" not in body
    assert warnings == ("parallel_tool_calls: left out, the upstream does not take it",)
    assert told(ask(tools=(F,), parallel=True), parallel_tool_calls=False)[1] == ()
    assert "parallel_tool_calls" not in sent(ask(parallel=False))


NAMED = {"type": "function", "function": {"name": "f"}}
ALLOWED = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [NAMED]}}
LEVELS: list[tuple[str, ToolChoice, Any, list[str], bool]] = [
    ("full", ToolChoice("required"), "required", ["f", "g"], False),
    ("full", ToolChoice("named", ("f",)), NAMED, ["f", "g"], False),
    ("full", ToolChoice("allowed", ("f",), True), ALLOWED, ["f", "g"], False),
    ("no-allowed_tools", ToolChoice("allowed", ("f",), True), "required", ["f"], False),
    ("no-allowed_tools", ToolChoice("allowed", ("f",)), "auto", ["f"], False),
    ("no-allowed_tools", ToolChoice("named", ("f",)), NAMED, ["f", "g"], False),
    ("no-named", ToolChoice("named", ("f",)), "required", ["f"], False),
    ("no-named", ToolChoice("required"), "required", ["f", "g"], False),
    ("no-required", ToolChoice("required"), "auto", ["f", "g"], True),
    ("no-required", ToolChoice("named", ("f",)), NAMED, ["f", "g"], False),
    ("no-required", ToolChoice("allowed", ("f",), True), "auto", ["f"], True),
    ("auto-only", ToolChoice("required"), "auto", ["f", "g"], True),
    ("auto-only", ToolChoice("named", ("f",)), "auto", ["f"], True),
    ("auto-only", ToolChoice("none"), "none", ["f", "g"], False),
    ("auto-only", ToolChoice("auto"), "auto", ["f", "g"], False),
]


@pytest.mark.parametrize(("level", "choice", "expected", "tools", "weakened"), LEVELS)
def test_tool_choice(level: str, choice: ToolChoice, expected: Any, tools: list[str], weakened: bool) -> None:
    body, warnings = told(ask(tools=(F, G), tool_choice=choice), tool_choice=level)
    assert body["tool_choice"] == expected
    assert [tool["function"]["name"] for tool in body["tools"]] == tools
    assert bool(warnings) is weakened
    last = {"role": "user", "content": "Call one of the tools now." if weakened else "hi"}
    assert body["messages"][-1] == last


def test_custom_tools() -> None:
    request = ask(tools=(Tool("sql", "d", kind="custom"),), tool_choice=ToolChoice("named", ("sql",)))
    body = sent(request, custom_tools="native")
    assert body["tools"] == [{"type": "custom", "custom": {"name": "sql", "description": "d"}}]
    assert body["tool_choice"] == {"type": "custom", "custom": {"name": "sql"}}
    body = sent(request)
    assert body["tools"][0]["type"] == "function"
    assert body["tools"][0]["function"]["parameters"]["required"] == ["input"]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "sql"}}


def test_response_format() -> None:
    request = ask(output=OutputFormat("schema", SCHEMA, "v", "d", True))
    form = {"name": "v", "description": "d", "schema": SCHEMA, "strict": True}
    assert sent(request)["response_format"] == {"type": "json_schema", "json_schema": form}
    body, warnings = told(request, response_format="json_object-only")
    assert body["response_format"] == {"type": "json_object"}
    assert body["messages"][0]["role"] == "system"
    assert body["messages"][0]["content"].startswith("Answer with one JSON object that fits this JSON Schema:\n{")
    assert warnings == ("response_format: the schema is told in the prompt, the upstream does not enforce it",)


STYLES: list[tuple[str, Thinking, dict[str, Any]]] = [
    ("effort", Thinking("high"), {"reasoning_effort": "high"}),
    ("effort", Thinking(budget=500), {"reasoning_effort": "low"}),
    ("effort", Thinking(), {}),
    ("thinking", Thinking("low"), {"thinking": {"type": "enabled"}}),
    ("thinking", Thinking("none"), {"thinking": {"type": "disabled"}}),
    ("thinking-effort", Thinking("xhigh"), {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
    ("thinking-effort", Thinking("low"), {"thinking": {"type": "enabled"}, "reasoning_effort": "low"}),
    ("thinking-effort", Thinking("none"), {"thinking": {"type": "disabled"}}),
    ("enable_thinking", Thinking("none"), {"enable_thinking": False}),
    ("enable_thinking", Thinking(budget=700), {"enable_thinking": True, "thinking_budget": 700}),
    ("reasoning", Thinking("high"), {"reasoning": {"effort": "high"}}),
    ("reasoning", Thinking(budget=700), {"reasoning": {"max_tokens": 700}}),
    ("reasoning", Thinking("none"), {"reasoning": {"enabled": False}}),
    ("reasoning", Thinking("low", visible=False), {"reasoning": {"exclude": True, "effort": "low"}}),
    ("reasoning", Thinking(), {}),
    ("reasoning-switch", Thinking("high"), {"reasoning": {"enabled": True}}),
    ("reasoning-switch", Thinking("none"), {"reasoning": {"enabled": False}}),
    ("chat_template_kwargs", Thinking("high"), {"chat_template_kwargs": {"enable_thinking": True}}),
    ("chat_template_kwargs", Thinking("none"), {"chat_template_kwargs": {"enable_thinking": False}}),
    ("none", Thinking("high"), {}),
]
FIELDS = ("reasoning_effort", "thinking", "enable_thinking", "thinking_budget", "reasoning", "chat_template_kwargs")


@pytest.mark.parametrize(("style", "thinking", "expected"), STYLES)
def test_reasoning_style(style: str, thinking: Thinking, expected: dict[str, Any]) -> None:
    body, warnings = told(ask(thinking=thinking), reasoning_style=style)
    assert {name: body[name] for name in FIELDS if name in body} == expected
    unknown = ("reasoning_effort: left out, the upstream has no such field",)
    assert warnings == (unknown if style == "none" else ())


@pytest.mark.parametrize(
    ("model", "turn", "off"),
    [
        ("anthropic/claude-opus-4.6", TURN, True),
        ("google/gemini-3-pro", TURN, False),
        ("anthropic/claude-opus-4.6", (*TURN, HI), False),
        ("anthropic/claude-opus-4.6", (HI, Message("assistant", (SIGNED, CALL)), TURN[2]), False),
        ("anthropic/claude-opus-4.6", (HI, Message("assistant", (Reasoning("t"), CALL)), TURN[2]), True),
        ("anthropic/claude-opus-4.6", (HI,), False),
    ],
)
def test_claude_behind_a_router_does_not_think_after_calls_without_their_reasoning(
    model: str, turn: tuple[Message, ...], off: bool
) -> None:
    """ "Expected `thinking` or `redacted_thinking`, but found `tool_use`" (2026-11)."""
    request = ask(messages=turn, tools=(F,), thinking=Thinking("low"))
    body, warnings = told(request, model, reasoning_style="reasoning", reasoning_echo="reasoning_details")
    assert body["reasoning"] == ({"enabled": False} if off else {"effort": "low"})
    assert any(warning.startswith("reasoning: off") for warning in warnings) is off
    quiet = replace(request, thinking=Thinking("none"))
    assert not any("off" in warning for warning in told(quiet, model, reasoning_style="reasoning")[1])


def test_models_that_think_in_streams_only_are_streamed() -> None:
    """DashScope refuses whole requests with thinking (2026-11)."""
    upstream = Upstream("m", "o", {**defaults(OWN), "reasoning_style": "enable_thinking"})
    outgoing = API.encode(ask(thinking=Thinking("high")), upstream)
    assert outgoing.stream is True
    assert json.loads(outgoing.body)["stream"] is True
    assert outgoing.reading.stream is False
    assert API.encode(ask(thinking=Thinking("none")), upstream).stream is False
    assert API.encode(ask(), upstream).stream is False


def openai(model: str, **fields: Any) -> tuple[Any, tuple[str, ...]]:
    upstream = Upstream(model, "o", resolve(OWN, "openai", {}))
    outgoing = API.encode(ask(**fields), upstream)
    return json.loads(outgoing.body), outgoing.warnings


HOT = Sampling(10, 0.5, 0.9, None, (), 7, 0.1, 0.2, {"1": 2}, True, 3)
COLD = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs")


@pytest.mark.parametrize(
    ("model", "thinking", "taken"),
    [
        ("gpt-4o", None, True),
        ("gpt-5", None, False),
        ("gpt-5.1", None, True),
        ("gpt-5.1", Thinking("low"), False),
        ("gpt-5.1", Thinking("none"), True),
        ("gpt-5.5", None, False),
        ("o3", None, False),
    ],
)
def test_openai_reasoning_models(model: str, thinking: Thinking | None, taken: bool) -> None:
    body, warnings = openai(model, sampling=HOT, thinking=thinking)
    assert all((name in body) is taken for name in COLD)
    assert (body["max_completion_tokens"], body["seed"]) == (10, 7)
    assert warnings == (() if taken else tuple(f"{n}: left out, {model} refuses it while it reasons" for n in COLD))


@pytest.mark.parametrize(
    ("model", "effort", "expected", "warnings"),
    [
        ("gpt-5", "none", "minimal", ("reasoning_effort: gpt-5 takes minimal instead of none",)),
        ("gpt-5.2", "max", "xhigh", ("reasoning_effort: gpt-5.2 takes xhigh instead of max",)),
        ("gpt-5.6", "minimal", "low", ("reasoning_effort: gpt-5.6 takes low instead of minimal",)),
        ("gpt-5.6", "max", "max", ()),
        ("gpt-5.1-chat-latest", "low", None, ("reasoning_effort: left out, gpt-5.1-chat-latest takes none",)),
        ("gpt-4o", "low", None, ("reasoning_effort: left out, gpt-4o takes none",)),
        ("gpt-4o", "none", None, ()),
        ("my-deployment", "low", "low", ()),
    ],
)
def test_efforts_of_openai_models(model: str, effort: Any, expected: Any, warnings: tuple[str, ...]) -> None:
    body, said = openai(model, thinking=Thinking(effort))
    assert body.get("reasoning_effort") == expected
    assert said == warnings


@pytest.mark.parametrize(
    ("model", "thinking", "tools", "effort"),
    [
        ("gpt-5.4", None, (F,), "none"),
        ("gpt-5.5", None, (F,), "none"),
        ("gpt-5.4", Thinking("low"), (F,), "low"),
        ("gpt-5.4", None, (Tool("sql", kind="custom"),), None),
        ("gpt-5.4", None, (), None),
        ("gpt-5.3", None, (F,), None),
        ("gpt-5.4-pro", None, (F,), None),
    ],
)
def test_function_tools_beside_reasoning(model: str, thinking: Any, tools: Any, effort: str | None) -> None:
    body, warnings = openai(model, thinking=thinking, tools=tools)
    assert body.get("reasoning_effort") == effort
    assert any("openai-responses" in one for one in warnings) is (effort == "none")
    assert "reasoning_effort" not in sent(ask(thinking=None, tools=tools), model)


@pytest.mark.parametrize(
    ("echo", "expected"),
    [
        ("drop", {}),
        ("reasoning_content", {"reasoning_content": "r"}),
        ("reasoning", {"reasoning": "r"}),
        ("reasoning_details", {"reasoning_details": SIGNED.extras[OWN]["reasoning_details"]}),
        ("required", {"reasoning_content": "r"}),
    ],
)
def test_reasoning_echo(echo: str, expected: dict[str, Any]) -> None:
    body = sent(ask(messages=(HI, Message("assistant", (SIGNED, Text("a"))), HI)), reasoning_echo=echo)
    assert body["messages"][1] == {"role": "assistant", "content": "a", **expected}


def test_unsigned_reasoning_makes_no_entry_of_its_own() -> None:
    """OpenRouter's upstreams refuse an entry without its signature: "Invalid `signature` in `thinking` block"."""
    entries = SIGNED.extras[OWN]["reasoning_details"]
    for blocks, expected in (
        ((Reasoning("t"),), {"reasoning": "t"}),
        ((Reasoning("t"), SIGNED, Reasoning("u")), {"reasoning": "t\n\nu", "reasoning_details": entries}),
        ((Reasoning(""),), {}),
    ):
        turn = (HI, Message("assistant", (*blocks, Text("a"))), HI)
        body = sent(ask(messages=turn), reasoning_echo="reasoning_details")
        assert body["messages"][1] == {"role": "assistant", "content": "a", **expected}


def test_reasoning_that_is_required_and_lost() -> None:
    turn = (HI, Message("assistant", (Text("a"),)), HI)
    assert sent(ask(messages=turn), reasoning_echo="required")["messages"][1]["reasoning_content"] == " "
    assert "reasoning_content" not in sent(ask(messages=turn), reasoning_echo="reasoning_content")["messages"][1]


@pytest.mark.parametrize("blocks", [(), (Reasoning("r", "anthropic-messages", "elsewhere", signature="S"),)])
def test_that_of_a_call_is_lost_with_a_warning(blocks: tuple[Reasoning, ...]) -> None:
    called = Message("assistant", (*blocks, ToolCall("c", "f", "{}")))
    turn = (HI, called, Message("tool", (ToolResult("c", (Text("r"),)),)))
    body, warnings = told(ask(messages=turn), reasoning_echo="required")
    assert body["messages"][1]["reasoning_content"] == " "
    assert "reasoning_content: that of an earlier call is lost, a blank stands for it" in warnings


def test_reasoning_of_another_provider_stays_away() -> None:
    foreign = Reasoning("r", "anthropic-messages", "elsewhere", signature="S")
    body, warnings = told(ask(messages=(HI, Message("assistant", (foreign, Text("a"))), HI)), reasoning_echo="required")
    assert body["messages"][1]["reasoning_content"] == " "
    assert warnings == ("reasoning of another provider or model is left out of the history",)


def test_tool_result_name() -> None:
    assert sent(ask(messages=TURN))["messages"][2] == {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    assert sent(ask(messages=TURN), tool_result_name=True)["messages"][2]["name"] == "f"


def test_message_name() -> None:
    request = ask(messages=(replace(HI, name="ann"),))
    assert sent(request)["messages"][0]["name"] == "ann"
    body, warnings = told(request, message_name=False)
    assert "name" not in body["messages"][0]
    assert warnings == ("messages.name: left out, the upstream does not take it",)


def test_assistant_after_tool_result() -> None:
    request = ask(messages=(*TURN, HI))
    assert [m["role"] for m in sent(request)["messages"]] == ["user", "assistant", "tool", "user"]
    body = sent(request, assistant_after_tool_result=True)
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "tool", "assistant", "user"]


def test_merge_system() -> None:
    one, two = Message("system", (Text("a"),)), Message("developer", (Text("b"),))
    request = ask(messages=(one, two, HI, one, HI))
    assert [m["role"] for m in sent(request)["messages"]] == ["system", "system", "user", "system", "user"]
    body = sent(request, merge_system=True)
    assert [m["role"] for m in body["messages"]] == ["system", "user", "user", "user"]
    assert body["messages"][0]["content"] == "a\nb"


def test_null_content() -> None:
    assert sent(ask(messages=TURN))["messages"][1]["content"] is None
    assert sent(ask(messages=TURN), null_content=False)["messages"][1]["content"] == ""


def test_parsed_arguments() -> None:
    def turn(arguments: str) -> Request:
        call = Message("assistant", (replace(CALL, arguments=arguments),))
        return ask(messages=(HI, call, Message("tool", (ToolResult("call_1", (Text("ok"),)),))))

    def arguments(request: Request, **flags: Any) -> str:
        return sent(request, **flags)["messages"][1]["tool_calls"][0]["function"]["arguments"]

    assert arguments(turn('{"a": 1 }')) == '{"a": 1 }'
    assert arguments(turn("")) == "{}"
    assert arguments(turn('{"a": ')) == '{"_raw":"{\\"a\\": "}'
    assert arguments(turn("[1]")) == '{"_raw":"[1]"}'
    warning = "the arguments of an earlier call of f are no JSON object: sent as _raw"
    assert told(turn("[1]"))[1] == (warning,)
    for text in ('{"a": ', "", "[1]"):
        assert arguments(turn(text), parsed_arguments=False) == text


def test_tool_id() -> None:
    def ids(call_id: str, **flags: Any) -> tuple[str, str]:
        call = Message("assistant", (replace(CALL, id=call_id),))
        messages = sent(ask(messages=(HI, call, Message("tool", (ToolResult(call_id, ()),)))), **flags)["messages"]
        return messages[1]["tool_calls"][0]["id"], messages[2]["tool_call_id"]

    assert ids("functions.f:0") == ("functions.f:0", "functions.f:0")
    wire, result = ids("functions.f:0", tool_id="max-40")
    assert wire == result and wire.startswith("call_") and len(wire) == 29
    wire, result = ids("call_1", tool_id="9-alnum")
    assert wire == result and len(wire) == 9 and wire.isalnum()
    assert ids("x" * 60, tool_id="max-40")[0] != ids("x" * 59, tool_id="max-40")[0]


def test_max_tools() -> None:
    tools = tuple(Tool(f"f{i}", schema=SCHEMA) for i in range(129))
    assert len(sent(ask(tools=tools[:128]))["tools"]) == 128
    with pytest.raises(Rejected, match="129 tools, but the upstream takes at most 128") as caught:
        sent(ask(tools=tools))
    assert caught.value.failure.param == "tools"
    assert len(sent(ask(tools=tools), max_tools=None)["tools"]) == 129
    with pytest.raises(Rejected, match="at most 1"):
        sent(ask(tools=(F, G)), max_tools=1)


def test_unsupported_schema_keywords() -> None:
    assert sent(ask(tools=(F,)))["tools"][0]["function"]["parameters"]["additionalProperties"] is False
    without = sent(ask(tools=(F,)), unsupported_schema_keywords=("additionalProperties",))
    assert "additionalProperties" not in without["tools"][0]["function"]["parameters"]


def test_unsupported_fields() -> None:
    request = ask(sampling=Sampling(seed=3, n=1), extras={OWN: {"top_k": 4}})
    assert sent(request)["seed"] == 3
    body, warnings = told(request, unsupported_fields=("seed", "stop", "n", "top_k"))
    assert not body.keys() & {"seed", "stop", "n", "top_k"}
    assert warnings == (
        "seed: left out, the upstream does not take it",
        "top_k: left out, the upstream does not take it",
    )


def test_more_answers_than_the_host_gives_are_refused() -> None:
    assert sent(ask(sampling=Sampling(n=2)))["n"] == 2
    with pytest.raises(Rejected, match="the upstream gives one answer, not 2") as caught:
        sent(ask(sampling=Sampling(n=2)), unsupported_fields=("n",))
    assert caught.value.failure.param == "n"


def test_cache() -> None:
    mark = CacheMark("1h")
    request = ask(
        messages=(
            Message("system", (Text("s", mark),)),
            Message("user", (Text("u", CacheMark()),)),
            Message("assistant", (Text("a", mark), replace(CALL, cache=mark))),
            Message("tool", (ToolResult("call_1", (Text("ok"),), cache=mark),)),
        ),
        tools=(replace(F, cache=mark),),
    )
    hour, plain = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}, {"cache_control": {"type": "ephemeral"}}
    body = sent(request, cache="client")
    assert [m["content"] for m in body["messages"]] == [
        [{"type": "text", "text": "s", **hour}],
        [{"type": "text", "text": "u", **plain}],
        [{"type": "text", "text": "a", **hour}],
        [{"type": "text", "text": "ok", **hour}],
    ]
    assert body["messages"][2]["tool_calls"][0]["cache_control"] == hour["cache_control"]
    assert body["tools"][0]["cache_control"] == hour["cache_control"]
    body, warnings = told(request)
    assert [m["content"] for m in body["messages"]] == ["s", "u", "a", "ok"]
    assert b"cache_control" not in json.dumps(body)
    assert warnings == ("cache_control: left out, the upstream takes no cache markers",)


def test_key_header() -> None:
    assert API.auth("k", Upstream("m", compat=defaults(OWN))) == {"authorization": "Bearer k"}
    assert API.auth("k", Upstream("m", compat={"key_header": "api-key"})) == {"api-key": "k"}


def test_sort_tools() -> None:
    def names(*tools: Tool, **flags: Any) -> list[str]:
        return [tool["function"]["name"] for tool in sent(ask(tools=tools), **flags)["tools"]]

    assert names(G, F) == ["f", "g"]
    assert names(G, F, sort_tools=False) == ["g", "f"]
    assert names(replace(G, cache=CacheMark()), F) == ["g", "f"]


def test_every_flag_of_the_body_is_here() -> None:
    """The last three are no matter of the wire: text is read and written outside of the format."""
    shown = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    shown |= {"store", "metadata", "service_tier", "prompt_cache_key"}
    assert {flag.name for flag in FLAGS[OWN]} - shown == {"text_tool_calls", "tools", "inline_think"}
