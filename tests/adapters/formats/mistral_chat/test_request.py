"""Neutral requests -> bodies for Mistral, read by the official SDK's own types (wire page §2 to §5, §10)."""

from dataclasses import replace
from typing import Any

import pytest
from mistralai.client.models import ChatCompletionRequest

from adapters import json
from adapters.compat import defaults
from adapters.errors import Rejected
from adapters.format import Call, Outgoing, Upstream
from adapters.formats.mistral_chat import API
from adapters.formats.mistral_chat.history import NAME
from adapters.formats.openai_chat import DIALECT
from adapters.model import (
    CacheMark,
    Media,
    Message,
    OutputFormat,
    Reasoning,
    Refusal,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)

HI = Message("user", (Text("hi"),))
UPSTREAM = Upstream("mistral-large-latest", "mistral", defaults(NAME))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
F = Tool("f", "d", SCHEMA)
CALL = ToolCall("aB3dE5gH7", "f", '{"a": "b" }')
TURN = (HI, Message("assistant", (CALL,)), Message("tool", (ToolResult("aB3dE5gH7", (Text("ok"),)),)))


def checked(outgoing: Outgoing) -> Any:
    """The body: the SDK's types take it, and know every field that it has."""
    body = json.loads(outgoing.body)
    _same_fields(body, ChatCompletionRequest.model_validate(body).model_dump(by_alias=True, exclude_unset=True))
    return body


def _same_fields(sent: Any, known: Any) -> None:
    if isinstance(sent, dict) and isinstance(known, dict):
        assert sent.keys() <= known.keys()
        for key, value in sent.items():
            _same_fields(value, known[key])
    elif isinstance(sent, list) and isinstance(known, list):
        for one, other in zip(sent, known, strict=True):
            _same_fields(one, other)


def sent(request: Request, upstream: Upstream = UPSTREAM) -> Any:
    return checked(API.encode(request, upstream))


def told(request: Request, upstream: Upstream = UPSTREAM) -> tuple[Any, tuple[str, ...]]:
    outgoing = API.encode(request, upstream)
    return checked(outgoing), outgoing.warnings


def messages(*given: Message) -> list[Any]:
    made: list[Any] = sent(Request("m", given, (F,)))["messages"]
    return made


def test_a_whole_request_of_a_chat_client() -> None:
    body = {
        "model": "smart",
        "messages": [
            {"role": "developer", "content": "s"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image_url", "image_url": {"url": "https://a/b.png", "detail": "low"}},
                ],
                "name": "ann",
            },
            {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "annotations": [],
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
            {"role": "user", "content": "and?"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "strict": False}}],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "max_completion_tokens": 77,
        "seed": 5,
        "temperature": 0.5,
        "top_p": 1,
        "stop": "x",
        "presence_penalty": 1,
        "frequency_penalty": 2,
        "n": 2,
        "metadata": {"a": "b"},
        "prompt_cache_key": "k",
        "stream": True,
        "stream_options": {"include_usage": True},
        "user": "u",
        "store": False,
        "logit_bias": {},
        "service_tier": "flex",
        "top_k": 3,
    }
    outgoing = API.encode(DIALECT.decode(body, Call()).request, UPSTREAM)
    made = checked(outgoing)
    call_id = made["messages"][2]["tool_calls"][0]["id"]
    assert len(call_id) == 9 and call_id.isalnum() and call_id.isascii()
    assert made == {
        "model": "mistral-large-latest",
        "messages": [
            {"role": "system", "content": "s"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image_url", "image_url": {"url": "https://a/b.png", "detail": "low"}},
                ],
            },
            {
                "role": "assistant",
                "tool_calls": [{"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": call_id, "name": "f", "content": "ok"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "and?"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "f", "description": "", "parameters": {"type": "object", "properties": {}}},
            }
        ],
        "tool_choice": "any",
        "parallel_tool_calls": False,
        "max_tokens": 77,
        "temperature": 0.5,
        "top_p": 1,
        "random_seed": 5,
        "stop": ["x"],
        "presence_penalty": 1,
        "frequency_penalty": 2,
        "n": 2,
        "metadata": {"a": "b"},
        "prompt_cache_key": "k",
        "stream": True,
    }
    assert (outgoing.path, outgoing.stream) == ("/v1/chat/completions", True)
    assert outgoing.warnings == tuple(
        f"{name}: left out, mistral-chat has no such field"
        for name in ("top_k", "user", "service_tier", "messages.name")
    )


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"sampling": Sampling(logit_bias={"1": 2})}, "logit_bias"),
        ({"sampling": Sampling(logprobs=True)}, "logprobs"),
        ({"sampling": Sampling(top_logprobs=2)}, "top_logprobs"),
        ({"sampling": Sampling(top_k=2)}, "top_k"),
        ({"user": "u"}, "user"),
        ({"verbosity": "low"}, "verbosity"),
        ({"service_tier": "flex"}, "service_tier"),
        ({"store": True, "dialect": "chat"}, "store"),
    ],
)
def test_fields_that_are_left_out_are_named(fields: Any, name: str) -> None:
    body, warnings = told(Request("m", (HI,), **fields))
    assert body.keys() == {"model", "messages"}
    assert warnings == (f"{name}: left out, mistral-chat has no such field",)


def test_limits() -> None:
    upstream = replace(UPSTREAM, max_output_tokens=100)
    body, warnings = told(Request("m", (HI,), sampling=Sampling(max_tokens=500, temperature=2)), upstream)
    assert (body["max_tokens"], body["temperature"]) == (100, 1.5)
    assert warnings == (
        "temperature: 2 is lowered to 1.5, the most there is",
        "max_tokens: 500 is lowered to 100, the most that the model gives",
    )


def test_a_cache_key_is_ascii() -> None:
    body, warnings = told(Request("m", (HI,), cache_key="schlüssel"))
    assert "prompt_cache_key" not in body
    assert warnings == ("prompt_cache_key: left out, it must be ASCII",)


# --- tools -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "expected", "tools"),
    [
        (ToolChoice("auto"), "auto", ["f", "g"]),
        (ToolChoice("none"), "none", ["f", "g"]),
        (ToolChoice("required"), "any", ["f", "g"]),
        (ToolChoice("named", ("f",)), {"type": "function", "function": {"name": "f"}}, ["f", "g"]),
        (ToolChoice("allowed", ("f",), True), "any", ["f"]),
        (ToolChoice("allowed", ("f",)), "auto", ["f"]),
        (None, None, ["f", "g"]),
    ],
)
def test_tool_choice(choice: Any, expected: Any, tools: list[str]) -> None:
    body = sent(Request("m", (HI,), (F, Tool("g", "d", SCHEMA)), choice))
    assert body.get("tool_choice") == expected
    assert [tool["function"]["name"] for tool in body["tools"]] == tools


def test_strict_tools() -> None:
    def function(tool: Tool, level: str) -> Any:
        upstream = replace(UPSTREAM, compat={**defaults(NAME), "strict_tools": level})
        return sent(Request("m", (HI,), (tool,)), upstream)["tools"][0]["function"]

    strict = replace(F, strict=True)
    assert "strict" not in function(F, "lossless")
    assert "strict" not in function(strict, "off")
    off = replace(UPSTREAM, compat={**defaults(NAME), "strict_tools": "off"})
    warnings = told(Request("m", (HI,), (F, replace(strict, name="g"))), off)[1]
    assert warnings == ("tools.g: strict: left out, strict_tools is off",)
    made = function(strict, "lossless")
    assert (made["strict"], made["parameters"]["additionalProperties"]) == (True, False)
    optional = replace(strict, schema={**SCHEMA, "required": []})
    assert "strict" not in function(optional, "lossless")
    assert function(optional, "rewrite")["strict"] is True


def test_sort_tools() -> None:
    tools = (Tool("g", schema=SCHEMA), F)

    def names(**flags: Any) -> list[str]:
        made = sent(Request("m", (HI,), tools), replace(UPSTREAM, compat={**defaults(NAME), **flags}))
        return [tool["function"]["name"] for tool in made["tools"]]

    assert names() == ["f", "g"]
    assert names(sort_tools=False) == ["g", "f"]


def test_tools_that_cannot_go() -> None:
    web = Tool("web_search", kind="builtin", builtin="web_search")
    body, warnings = told(Request("m", (HI,), (web, F)))
    assert [tool["function"]["name"] for tool in body["tools"]] == ["f"]
    assert warnings == ("tools: the built-in web_search is left out, mistral-chat has no such tool",)
    with pytest.raises(Rejected, match="cannot force the built-in tool web_search"):
        sent(Request("m", (HI,), (web, F), ToolChoice("named", ("web_search",))))
    with pytest.raises(Rejected, match="129 tools, but mistral-chat takes at most 128"):
        sent(Request("m", (HI,), tuple(Tool(f"f{i}") for i in range(129))))
    with pytest.raises(Rejected, match="cannot answer with audio"):
        sent(Request("m", (HI,), modalities=("audio",)))


def test_a_custom_tool_becomes_a_function() -> None:
    outgoing = API.encode(Request("m", (HI,), (Tool("sql", "d", kind="custom"),)), UPSTREAM)
    assert checked(outgoing)["tools"][0]["function"]["parameters"]["required"] == ["input"]
    assert outgoing.reading.custom == frozenset({"sql"})


# --- messages ----------------------------------------------------------------------------------------------------


def test_ids() -> None:
    """Exactly nine letters and digits, the same for the same id, one for each call (wire page §5)."""
    assert messages(*TURN)[1]["tool_calls"][0]["id"] == "aB3dE5gH7"

    def ids(*given: str) -> list[str]:
        calls = Message("assistant", tuple(ToolCall(one, "f", "{}") for one in given))
        made = messages(HI, calls, Message("tool", tuple(ToolResult(one, (Text("ok"),)) for one in given)))
        wire = [call["id"] for call in made[1]["tool_calls"]]
        assert [m["tool_call_id"] for m in made[2:]] == wire
        return wire

    long = ids("call_abcdefghijklmnop1", "call_abcdefghijklmnop2")
    assert len(set(long)) == 2 and all(len(one) == 9 and one.isalnum() for one in long)
    assert long == ids("call_abcdefghijklmnop1", "call_abcdefghijklmnop2")
    assert len(set(ids("null", "null"))) == 2


def test_order() -> None:
    system = Message("system", (Text("s"),))
    assert [m["role"] for m in messages(*TURN, HI)] == ["user", "assistant", "tool", "assistant", "user"]
    assert [m["role"] for m in messages(system, Message("assistant", (Text("a"),)), HI)] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert [m["role"] for m in messages(HI, Message("assistant", (Text("a"),)), system, HI)] == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    assert [m["role"] for m in messages(*TURN, system)] == ["user", "assistant", "tool", "assistant", "user"]
    two = (HI, Message("assistant", (Text("a"),)), Message("assistant", (Text("b"),)), HI)
    assert [m["content"] for m in messages(*two)] == ["hi", "ab", "hi"]
    lost = (HI, Message("assistant", (CALL,)), HI)
    assert messages(*lost)[2] == {"role": "tool", "tool_call_id": "aB3dE5gH7", "name": "f", "content": "(no result)"}
    assert [m["role"] for m in messages(HI, Message("assistant", ()), HI)] == ["user", "user"]


def test_a_last_assistant_message_is_a_prefix() -> None:
    outgoing = API.encode(Request("m", (HI, Message("assistant", (Text("Dear "),)))), UPSTREAM)
    assert checked(outgoing)["messages"][-1] == {"role": "assistant", "content": "Dear ", "prefix": True}
    assert outgoing.reading.facts == {"prefix": "Dear "}
    assert all("prefix" not in m for m in messages(HI, Message("assistant", (Text("a"),)), HI))


def test_text_beside_calls_and_arguments() -> None:
    def said(*parts: Any) -> Any:
        return messages(HI, Message("assistant", parts), TURN[2])[1]

    assert said(Text("a"), CALL)["content"] == "a"
    assert said(CALL)["tool_calls"][0]["function"]["arguments"] == '{"a": "b" }'
    assert said(replace(CALL, arguments=""))["tool_calls"][0]["function"]["arguments"] == "{}"
    assert said(replace(CALL, arguments="[1"))["tool_calls"][0]["function"]["arguments"] == '{"_raw":"[1"}'
    assert said(Refusal("no"), CALL)["content"] == "no"


def test_thinking_of_its_own_goes_back() -> None:
    own = Reasoning(
        "t", NAME, "mistral", signature="S", extras={NAME: {"more": [{"type": "reference", "reference_ids": [1]}]}}
    )
    made = messages(HI, Message("assistant", (own, Text("a"))), HI)[1]
    assert made["content"] == [
        {
            "type": "thinking",
            "thinking": [{"type": "text", "text": "t"}, {"type": "reference", "reference_ids": [1]}],
            "closed": True,
            "signature": "S",
        },
        {"type": "text", "text": "a"},
    ]
    plain = messages(HI, Message("assistant", (Reasoning("t", NAME, "mistral"), CALL)), TURN[2])[1]
    assert plain["content"] == [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}], "closed": True}]


@pytest.mark.parametrize(
    "foreign",
    [Reasoning("t"), Reasoning("t", "anthropic-messages", "claude", signature="S"), Reasoning("t", NAME, "other")],
)
def test_thinking_of_others_stays_away(foreign: Reasoning) -> None:
    body, warnings = told(Request("m", (HI, Message("assistant", (foreign, Text("a"))), HI)))
    assert body["messages"][1]["content"] == "a"
    assert warnings == ("reasoning of another provider or model is left out of the history",)


def test_a_message_of_nothing_but_thinking_of_others_stays_away() -> None:
    """A message of neither content nor calls is refused."""
    assert [one["role"] for one in messages(HI, Message("assistant", (Reasoning("t"),)), HI)] == ["user", "user"]
    assert messages(HI, Message("assistant", (Reasoning("t"),))) == [{"role": "user", "content": "hi"}]


MEDIA: list[tuple[Media, Any]] = [
    (Media("image", url="https://a/b"), {"type": "image_url", "image_url": "https://a/b"}),
    (Media("image", "image/png", "AAAA"), {"type": "image_url", "image_url": "data:image/png;base64,AAAA"}),
    (Media("audio", "audio/mpeg", "AAAA"), {"type": "input_audio", "input_audio": "AAAA"}),
    (
        Media("file", "application/pdf", "AAAA", name="a.pdf"),
        {"type": "document_url", "document_url": "data:application/pdf;base64,AAAA", "document_name": "a.pdf"},
    ),
    (Media("file", url="https://a/b.pdf"), {"type": "document_url", "document_url": "https://a/b.pdf"}),
    (Media("file", "text/plain", text="words", name="n"), {"type": "text", "text": "n\n\nwords"}),
]


@pytest.mark.parametrize(("media", "expected"), MEDIA)
def test_media(media: Media, expected: Any) -> None:
    assert messages(Message("user", (Text("see"), media)))[0]["content"] == [{"type": "text", "text": "see"}, expected]


def test_files_by_id_and_video() -> None:
    message = Message("user", (Text("see"), Media("file", file_id="1b4e28ba-2fa1-11d2-883f-0016d3cca427")))
    made = json.loads(API.encode(Request("m", (message,)), UPSTREAM).body)["messages"][0]["content"][1]
    assert made == {"type": "file", "file_id": "1b4e28ba-2fa1-11d2-883f-0016d3cca427"}
    with pytest.raises(Rejected, match="takes no video"):
        messages(Message("user", (Media("video", url="https://a/b"),)))


def test_images_of_results() -> None:
    result = ToolResult("aB3dE5gH7", (Text("ok"), Media("image", "image/png", "AAAA")), is_error=True)
    outgoing = API.encode(Request("m", (*TURN[:2], Message("tool", (result,)))), UPSTREAM)
    made = checked(outgoing)["messages"]
    assert [m["role"] for m in made] == ["user", "assistant", "tool", "assistant", "user"]
    assert made[4]["content"][1] == {"type": "image_url", "image_url": "data:image/png;base64,AAAA"}
    assert outgoing.warnings == ("is_error of a tool result: left out, mistral-chat has no such field",)


def test_cache_marks_are_named() -> None:
    mark = CacheMark()
    marked = (
        Message("user", (Text("hi", mark),)),
        Message("assistant", (Text("a", mark), replace(CALL, cache=mark))),
        Message("tool", (ToolResult("aB3dE5gH7", (Text("ok"),), cache=mark),)),
    )
    body, warnings = told(Request("m", marked, (replace(F, cache=mark),)))
    assert b"cache_control" not in json.dumps(body)
    assert warnings == ("cache_control: left out, mistral-chat has no such field",)


# --- output and reasoning ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (OutputFormat("text"), None),
        (OutputFormat("json"), {"type": "json_object"}),
        (
            OutputFormat("schema", SCHEMA, "my v!", "d", True),
            {
                "type": "json_schema",
                "json_schema": {"name": "my_v_", "description": "d", "schema": SCHEMA, "strict": True},
            },
        ),
        (
            OutputFormat("schema", SCHEMA),
            {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}},
        ),
    ],
)
def test_output(output: OutputFormat, expected: Any) -> None:
    assert sent(Request("m", (HI,), output=output)).get("response_format") == expected


def test_json_is_asked_for_in_the_prompt() -> None:
    made = sent(Request("m", (HI,), output=OutputFormat("json")))["messages"]
    assert made[0] == {"role": "system", "content": "Answer with one JSON object."}
    asked = Message("user", (Text("As JSON, please"),))
    assert len(sent(Request("m", (asked,), output=OutputFormat("json")))["messages"]) == 1


@pytest.mark.parametrize(
    ("model", "thinking", "expected", "named"),
    [
        ("mistral-small-latest", Thinking("low"), {"reasoning_effort": "high"}, False),
        ("mistral-small-latest", Thinking("minimal"), {"reasoning_effort": "none"}, False),
        ("mistral-medium-3.5", Thinking("max"), {"reasoning_effort": "high"}, False),
        ("mistral-medium-3.5", Thinking("none"), {"reasoning_effort": "none"}, False),
        ("mistral-medium-3.5", Thinking(budget=4000), {"reasoning_effort": "high"}, False),
        ("mistral-medium-3.5", Thinking(), {}, False),
        ("magistral-medium-latest", Thinking("low"), {"prompt_mode": "reasoning"}, False),
        ("magistral-medium-latest", Thinking("none"), {}, False),
        ("mistral-large-latest", Thinking("low"), {}, True),
        ("mistral-large-latest", Thinking("none"), {}, False),
    ],
)
def test_reasoning(model: str, thinking: Thinking, expected: Any, named: bool) -> None:
    body, warnings = told(Request("m", (HI,), thinking=thinking), replace(UPSTREAM, model=model))
    assert {key: body[key] for key in ("reasoning_effort", "prompt_mode") if key in body} == expected
    assert bool(warnings) is named


def test_provider_options_come_last() -> None:
    request = Request("m", (HI,), options={NAME: {"safe_prompt": True}, "openai-chat": {"x": 1}})
    body = json.loads(API.encode(request, replace(UPSTREAM, options={"random_seed": 3})).body)
    assert (body["safe_prompt"], body["random_seed"], "x" in body) == (True, 3, False)


def test_key() -> None:
    assert API.auth("k", UPSTREAM) == {"authorization": "Bearer k"}
    assert API.count_tokens(Request("m", (HI,)), UPSTREAM) is None
