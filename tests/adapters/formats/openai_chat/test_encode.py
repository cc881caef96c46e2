"""Neutral requests -> bodies for an upstream, validated by the official SDK's own parameter types."""

from dataclasses import replace
from typing import Any

import pytest
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import TypeAdapter

from adapters import json
from adapters.compat import defaults, resolve
from adapters.errors import Rejected
from adapters.format import Call, Outgoing, Upstream
from adapters.formats.openai_chat.api import API
from adapters.formats.openai_chat.dialect import DIALECT
from adapters.model import (
    Media,
    Message,
    Opaque,
    OutputFormat,
    Reasoning,
    Refusal,
    Request,
    Sampling,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)

OWN = "openai-chat"
HI = Message("user", (Text("hi"),))
OPENAI = Upstream("gpt-4o", "openai|gpt", resolve(OWN, "openai", {}))
UNKNOWN = Upstream("m", "host|m", defaults(OWN))
WHOLE: TypeAdapter[Any] = TypeAdapter(CompletionCreateParamsNonStreaming)
STREAMED: TypeAdapter[Any] = TypeAdapter(CompletionCreateParamsStreaming)


def checked(outgoing: Outgoing) -> Any:
    """The body, once the SDK's types have read it: known fields have the right types."""
    body = json.loads(outgoing.body)
    known = dict(body)
    (STREAMED if outgoing.stream else WHOLE).validate_python(known, strict=False)
    return body


def sent(request: Request, upstream: Upstream = OPENAI) -> Any:
    return checked(API.encode(request, upstream))


def messages(*given: Message, upstream: Upstream = OPENAI, **fields: Any) -> list[Any]:
    body: list[Any] = sent(Request("smart", given, **fields), upstream)["messages"]
    return body


# --- from a client of the same dialect ---------------------------------------------------------------------------

TOOL = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "d",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "required": ["a"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": "b" }'}}

BODIES: list[dict[str, Any]] = [
    {"model": "smart", "messages": [{"role": "user", "content": "hi"}]},
    {
        "model": "smart",
        "messages": [
            {"role": "developer", "content": "s"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
                    {"type": "image_url", "image_url": {"url": "https://a/b.png"}},
                    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
                    {"type": "file", "file": {"file_id": "f1"}},
                ],
                "name": "ann",
            },
            {"role": "assistant", "content": "Looking.", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
            {"role": "assistant", "content": None, "tool_calls": [{**CALL, "id": "call_2"}]},
            {"role": "tool", "tool_call_id": "call_2", "content": "ok"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        ],
        "tools": [
            TOOL,
            {
                "type": "custom",
                "custom": {
                    "name": "sql",
                    "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: /a/"}},
                },
            },
        ],
        "tool_choice": {
            "type": "allowed_tools",
            "allowed_tools": {
                "mode": "auto",
                "tools": [
                    {"type": "function", "function": {"name": "f"}},
                    {"type": "custom", "custom": {"name": "sql"}},
                ],
            },
        },
        "parallel_tool_calls": False,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "v", "description": "d", "schema": {"type": "object"}, "strict": False},
        },
        "max_completion_tokens": 77,
        "temperature": 0.5,
        "top_p": 1,
        "presence_penalty": -1.5,
        "frequency_penalty": 2,
        "logit_bias": {"50256": -100},
        "logprobs": True,
        "top_logprobs": 3,
        "n": 2,
        "seed": 9,
        "stop": ["a", "b"],
        "stream": True,
        "stream_options": {"include_usage": True, "include_obfuscation": False},
        "store": False,
        "metadata": {"a": "b"},
        "service_tier": "flex",
        "prompt_cache_key": "k",
        "user": "u",
        "verbosity": "low",
        "safety_identifier": "s",
        "modalities": ["text", "audio"],
        "audio": {"voice": "ash", "format": "wav"},
        "prediction": {"type": "content", "content": "x"},
        "web_search_options": {},
        "prompt_cache_options": {"mode": "explicit"},
        "prompt_cache_retention": "in_memory",
        "top_k": 4,
        "chat_template_kwargs": {"enable_thinking": False},
    },
    {
        "model": "smart",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [TOOL, {"type": "web_search", "web_search": {"count": 3}}],
        "tool_choice": {"type": "web_search"},
        "response_format": {"type": "text"},
        "stop": "a",
    },
]


@pytest.mark.parametrize("body", BODIES)
def test_what_a_client_of_the_same_dialect_says_arrives(body: Any) -> None:
    incoming = DIALECT.decode(body, Call())
    outgoing = API.encode(incoming.request, OPENAI)
    made = json.loads(outgoing.body)
    assert made == {**body, "model": "gpt-4o"}
    assert outgoing.warnings == ()
    assert (outgoing.path, outgoing.method, outgoing.stream) == ("/chat/completions", "POST", body.get("stream", False))


def test_the_same_request_gives_the_same_bytes_in_a_fixed_order() -> None:
    first = API.encode(DIALECT.decode(BODIES[1], Call()).request, OPENAI).body
    assert first == API.encode(DIALECT.decode(json.loads(json.dumps(BODIES[1])), Call()).request, OPENAI).body
    keys = [*json.loads(first)]
    assert keys[:6] == ["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format"]
    assert [*json.loads(API.encode(DIALECT.decode(dict(reversed(BODIES[1].items())), Call()).request, OPENAI).body)][
        :6
    ] == keys[:6]


def test_fields_of_openai_stay_away_from_other_hosts() -> None:
    outgoing = API.encode(DIALECT.decode(BODIES[1], Call()).request, UNKNOWN)
    body = json.loads(outgoing.body)
    gone = {
        "safety_identifier",
        "prompt_cache_options",
        "prompt_cache_retention",
        "metadata",
        "service_tier",
        "store",
        "prompt_cache_key",
    }
    assert not body.keys() & gone
    assert {"top_k", "chat_template_kwargs", "prediction", "modalities"} <= body.keys()
    assert {one.partition(":")[0] for one in outgoing.warnings} >= gone
    assert b"prompt_cache_breakpoint" not in outgoing.body


def test_the_older_form_becomes_tools() -> None:
    body = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "one"},
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "two"},
        ],
        "functions": [{"name": "f", "parameters": {"type": "object", "properties": {}}}],
        "function_call": "auto",
    }
    made = sent(DIALECT.decode(body, Call()).request)
    first, second = made["messages"][1]["tool_calls"][0]["id"], made["messages"][3]["tool_calls"][0]["id"]
    assert first != second
    assert [m.get("tool_call_id") for m in made["messages"]] == [None, None, first, None, second]
    assert [m["content"] for m in made["messages"]] == ["hi", None, "one", None, "two"]
    assert made["tools"][0]["function"]["name"] == "f"
    assert (made["tool_choice"], made["parallel_tool_calls"]) == ("auto", False)


def test_provider_options_come_last_the_operators_after_the_clients() -> None:
    request = Request(
        "m",
        (HI,),
        sampling=Sampling(temperature=0.5),
        options={OWN: {"temperature": None, "logit": {"a": 1}}, "mistral-chat": {"safe_prompt": True}},
    )
    upstream = replace(UNKNOWN, options={"logit": {"a": 2, "b": 3}, "seed": 5})
    body = json.loads(API.encode(request, upstream).body)
    assert body == {"model": "m", "messages": [{"role": "user", "content": "hi"}], "logit": {"a": 2, "b": 3}, "seed": 5}


# --- from other clients ------------------------------------------------------------------------------------------


def test_texts_of_one_message() -> None:
    two = Message("user", (Text("a"), Text("b")))
    assert messages(two) == [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    ]
    assert messages(two, upstream=UNKNOWN) == [{"role": "user", "content": "a\nb"}]
    said = Message("assistant", (Text("a"), Text("b")))
    assert messages(HI, said, HI)[1] == {"role": "assistant", "content": "ab"}


def test_refusals_of_the_history() -> None:
    said = Message("assistant", (Text("a"), Refusal("no")))
    assert messages(HI, said, HI)[1]["content"] == [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}]
    assert messages(HI, said, HI, upstream=UNKNOWN)[1]["content"] == "ano"


MEDIA: list[tuple[Media, Any]] = [
    (Media("image", "image/png", "AAAA"), {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
    (
        Media("image", url="https://a/b", detail="high"),
        {"type": "image_url", "image_url": {"url": "https://a/b", "detail": "high"}},
    ),
    (Media("audio", "audio/wav", "AAAA"), {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
    (Media("audio", "audio/flac", "AAAA"), {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "flac"}}),
    (Media("video", url="https://a/b"), {"type": "video_url", "video_url": {"url": "https://a/b"}}),
    (
        Media("file", "application/pdf", "AAAA"),
        {"type": "file", "file": {"filename": "file.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
    ),
    (
        Media("file", "application/pdf", "AAAA", name="x.pdf"),
        {"type": "file", "file": {"filename": "x.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
    ),
    (Media("file", file_id="f1"), {"type": "file", "file": {"file_id": "f1"}}),
    (
        Media("file", url="https://a/b.pdf"),
        {"type": "file", "file": {"filename": "file", "file_data": "https://a/b.pdf"}},
    ),
    (Media("file", "text/plain", text="words"), {"type": "text", "text": "words"}),
    (Media("file", "text/plain", text="words", name="n"), {"type": "text", "text": "n\n\nwords"}),
]


@pytest.mark.parametrize(("media", "expected"), MEDIA)
def test_media(media: Media, expected: Any) -> None:
    outgoing = API.encode(Request("m", (Message("user", (Text("see"), media)),)), UNKNOWN)
    assert json.loads(outgoing.body)["messages"][0]["content"] == [{"type": "text", "text": "see"}, expected]


@pytest.mark.parametrize(
    ("media", "upstream"),
    [
        (Media("image", file_id="f1"), UNKNOWN),
        (Media("audio", url="https://a/b"), UNKNOWN),
        (Media("file", url="https://a/b.pdf"), OPENAI),
    ],
)
def test_media_that_cannot_go(media: Media, upstream: Upstream) -> None:
    with pytest.raises(Rejected):
        API.encode(Request("m", (Message("user", (media,)),)), upstream)


def test_images_of_results_follow_the_results() -> None:
    turn = Message("assistant", (ToolCall("call_1", "f", "{}"), ToolCall("call_2", "g", "{}")))
    results = Message(
        "tool",
        (ToolResult("call_1", (Text("a"), Media("image", "image/png", "AAAA"))), ToolResult("call_2", (Text("b"),))),
    )
    made = messages(HI, turn, results, HI)
    assert [m["role"] for m in made] == ["user", "assistant", "tool", "tool", "user", "user"]
    assert made[2]["content"] == "a"
    assert made[4]["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def test_results_that_say_nothing_or_failed() -> None:
    turn = Message("assistant", (ToolCall("call_1", "f", "{}"),))
    failed = Message("tool", (ToolResult("call_1", (), is_error=True),))
    outgoing = API.encode(Request("m", (HI, turn, failed)), UNKNOWN)
    assert json.loads(outgoing.body)["messages"][2]["content"] == "(no output)"
    assert outgoing.warnings == ("is_error of a tool result: left out, the API has no such field",)


def test_names_and_ids_are_the_wires_and_the_way_back_is_known() -> None:
    tools = (Tool("dev.stop", schema={"type": "object", "properties": {}}), Tool("f", kind="custom"))
    turn = Message("assistant", (ToolCall("x|y", "dev.stop", "{}"),))
    request = Request(
        "m", (HI, turn, Message("tool", (ToolResult("x|y", (Text("ok"),)),))), tools, ToolChoice("named", ("dev.stop",))
    )
    outgoing = API.encode(request, OPENAI)
    body = checked(outgoing)
    assert body["messages"][1]["tool_calls"][0]["function"]["name"] == "dev_stop"
    assert body["tool_choice"]["function"]["name"] == "dev_stop"
    assert body["messages"][1]["tool_calls"][0]["id"] == body["messages"][2]["tool_call_id"] != "x|y"
    assert outgoing.reading.names == {"dev_stop": "dev.stop"}
    assert API.encode(request, UNKNOWN).reading.custom == frozenset({"f"})


def test_no_tools_no_choice() -> None:
    body = sent(Request("m", (HI,), tool_choice=ToolChoice("auto"), parallel=True))
    assert not body.keys() & {"tools", "tool_choice", "parallel_tool_calls"}
    with pytest.raises(Rejected, match="declares no tools"):
        sent(Request("m", (HI,), tool_choice=ToolChoice("required")))


def test_a_tool_without_parameters() -> None:
    made = sent(Request("m", (HI,), (Tool("f"),)))["tools"][0]["function"]
    assert made == {"name": "f", "parameters": {"type": "object", "properties": {}}}


def test_built_in_tools() -> None:
    web = Tool("web_search", kind="builtin", builtin="web_search", extras={"anthropic-messages": {"type": "x"}})
    outgoing = API.encode(Request("m", (HI,), (web, Tool("f"))), UNKNOWN)
    assert [tool["type"] for tool in json.loads(outgoing.body)["tools"]] == ["function"]
    assert outgoing.warnings == ("tools: the built-in web_search is left out, openai-chat has no such tool",)
    with pytest.raises(Rejected, match="cannot force the built-in tool web_search"):
        API.encode(Request("m", (HI,), (web, Tool("f")), ToolChoice("named", ("web_search",))), UNKNOWN)


def test_signatures_go_back_to_who_made_them() -> None:
    def extra(call: ToolCall, dialect: str = "chat") -> Any:
        turn = (HI, Message("assistant", (call,)), Message("tool", (ToolResult(call.id, (Text("ok"),)),)))
        made = json.loads(API.encode(Request("m", turn, dialect=dialect), UNKNOWN).body)
        return made["messages"][1]["tool_calls"][0].get("extra_content")

    signed = ToolCall("c", "f", "{}", signature="SIG", origin="host|m")
    assert extra(signed) == {"google": {"thought_signature": "SIG"}}
    assert extra(replace(signed, origin="other")) is None
    assert extra(replace(signed, origin=None)) == {"google": {"thought_signature": "SIG"}}
    assert extra(replace(signed, origin=None), "gemini") is None


def test_opaque_parts() -> None:
    own = Message("user", (Text("a"), Opaque(OWN, {"type": "hologram", "x": 1})))
    made = json.loads(API.encode(Request("m", (own,)), UNKNOWN).body)["messages"]
    assert made[0]["content"] == [{"type": "text", "text": "a"}, {"type": "hologram", "x": 1}]
    audio = Message("assistant", (Opaque(OWN, {"audio": {"id": "au1"}}),))
    assert messages(HI, audio, HI)[1] == {"role": "assistant", "content": "", "audio": {"id": "au1"}}
    foreign = Message("user", (Text("a"), Opaque("anthropic-messages", {"x": 1}, "shown")))
    assert messages(foreign, upstream=UNKNOWN)[0]["content"] == "a\nshown"


def test_message_extras_stay_with_their_api() -> None:
    mine = Message("assistant", (Text("a"),), extras={OWN: {"prefix": True}, "anthropic-messages": {"y": 1}})
    assert messages(HI, mine)[1] == {"role": "assistant", "content": "a", "prefix": True}


def test_reasoning_is_dropped_where_nobody_wants_it() -> None:
    thought = Message("assistant", (Reasoning("r"), Text("a")))
    assert messages(HI, thought, HI)[1] == {"role": "assistant", "content": "a"}


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
OPTIONAL = {"type": "object", "properties": {"a": {"type": "string"}}, "required": []}
CLOSED = {**SCHEMA, "additionalProperties": False}


@pytest.mark.parametrize(
    ("output", "dialect", "upstream", "expected"),
    [
        (OutputFormat("text"), "chat", OPENAI, {"type": "text"}),
        (OutputFormat("text"), "gemini", OPENAI, None),
        (OutputFormat("json"), "chat", OPENAI, {"type": "json_object"}),
        (
            OutputFormat("schema", SCHEMA),
            "chat",
            OPENAI,
            {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}},
        ),
        (
            OutputFormat("schema", SCHEMA, "my schema!"),
            "messages",
            OPENAI,
            {"type": "json_schema", "json_schema": {"name": "my_schema_", "schema": CLOSED, "strict": True}},
        ),
        (
            OutputFormat("schema", OPTIONAL),
            "messages",
            OPENAI,
            {"type": "json_schema", "json_schema": {"name": "response", "schema": OPTIONAL, "strict": False}},
        ),
        (
            OutputFormat("schema", SCHEMA),
            "messages",
            UNKNOWN,
            {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}},
        ),
        (
            OutputFormat("schema", SCHEMA, extras={OWN: {"type": "json_object", "schema": SCHEMA}}),
            "chat",
            UNKNOWN,
            {"type": "json_object", "schema": SCHEMA},
        ),
    ],
)
def test_output(output: OutputFormat, dialect: str, upstream: Upstream, expected: Any) -> None:
    body = json.loads(API.encode(Request("m", (HI,), output=output, dialect=dialect), upstream).body)
    assert body.get("response_format") == expected


def test_json_is_named_in_the_prompt() -> None:
    """OpenAI refuses `json_object` where the word does not occur (2026-11)."""
    output = OutputFormat("json")
    assert messages(HI, output=output, dialect="gemini")[0] == {
        "role": "system",
        "content": "Answer with one JSON object.",
    }
    assert len(messages(HI, output=output, dialect="chat")) == 1
    asked = Message("user", (Text("Answer in JSON."),))
    assert len(messages(asked, output=output, dialect="gemini")) == 1
    system = Message("system", (Text("s"),))
    lead = messages(system, HI, output=output, dialect="gemini", upstream=UNKNOWN)[0]
    assert lead == {"role": "system", "content": "s\nAnswer with one JSON object."}


def test_limits() -> None:
    upstream = replace(UNKNOWN, max_output_tokens=100)
    outgoing = API.encode(Request("m", (HI,), sampling=Sampling(max_tokens=500)), upstream)
    assert json.loads(outgoing.body)["max_tokens"] == 100
    assert outgoing.warnings == ("max_tokens: 500 is lowered to 100, the most that the model gives",)
    assert (
        json.loads(API.encode(Request("m", (HI,), sampling=Sampling(max_tokens=50)), upstream).body)["max_tokens"] == 50
    )


def test_top_k_of_other_dialects_is_named() -> None:
    outgoing = API.encode(Request("m", (HI,), sampling=Sampling(top_k=4)), UNKNOWN)
    assert outgoing.warnings == ("top_k: left out, openai-chat has no such field",)
