"""Client requests -> neutral requests (wire page §1, §2, §3)."""

from typing import Any

import pytest

from adapters import json
from adapters.errors import Rejected
from adapters.format import Call
from adapters.formats.openai_chat.dialect import DIALECT
from adapters.formats.openai_chat.request import Reply
from adapters.model import (
    CacheMark,
    Citation,
    Grammar,
    Media,
    Message,
    Opaque,
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

HI = [{"role": "user", "content": "hi"}]
HELLO = (Message("user", (Text("hi"),)),)
OWN = "openai-chat"


def decode(body: Any) -> Request:
    return DIALECT.decode(body, Call()).request


def asked(**fields: Any) -> Request:
    return decode({"model": "m", "messages": HI, **fields})


def told(*messages: Any) -> tuple[Message, ...]:
    return decode({"model": "m", "messages": list(messages)}).messages


def test_every_field_of_the_table() -> None:
    fields = {
        "model": "smart",
        "messages": HI,
        "max_completion_tokens": 77,
        "max_tokens": 5,
        "temperature": 0.5,
        "top_p": 1,
        "presence_penalty": -1.5,
        "frequency_penalty": 2,
        "logit_bias": {"50256": -100},
        "logprobs": True,
        "top_logprobs": 3,
        "n": 2,
        "seed": 12345678901234567890123,
        "stop": ["a", "b"],
        "user": "u",
        "safety_identifier": "s",
        "parallel_tool_calls": False,
        "response_format": {"type": "json_object"},
        "reasoning_effort": "xhigh",
        "verbosity": "low",
        "modalities": ["text", "audio"],
        "audio": {"voice": "ash", "format": "wav"},
        "prediction": {"type": "content", "content": "x"},
        "web_search_options": {},
        "stream": True,
        "stream_options": {"include_usage": True, "include_obfuscation": False},
        "store": False,
        "metadata": {"a": "b"},
        "service_tier": "flex",
        "moderation": {"model": "x"},
        "prompt_cache_key": "k",
        "prompt_cache_options": {"mode": "explicit"},
        "prompt_cache_retention": "in_memory",
        "top_k": 4,
        "chat_template_kwargs": {"enable_thinking": False},
        "provider_options": {"mistral-chat": {"safe_prompt": True}},
    }
    incoming = DIALECT.decode(fields, Call(new_id=lambda n: "x" * n, now=1764500000))
    assert incoming.reply == Reply("chatcmpl-" + "x" * 29, 1764500000, "smart", include_usage=True)
    assert incoming.warnings == ()
    assert incoming.request == Request(
        model="smart",
        messages=HELLO,
        parallel=False,
        sampling=Sampling(77, 0.5, 1, None, ("a", "b"), 12345678901234567890123, -1.5, 2, {"50256": -100}, True, 3, 2),
        output=OutputFormat("json"),
        thinking=Thinking("xhigh"),
        stream=True,
        user="u",
        metadata={"a": "b"},
        service_tier="flex",
        verbosity="low",
        cache_key="k",
        store=False,
        modalities=("audio",),
        dialect="chat",
        options={"mistral-chat": {"safe_prompt": True}},
        extras={
            OWN: {
                "safety_identifier": "s",
                "audio": {"voice": "ash", "format": "wav"},
                "prediction": {"type": "content", "content": "x"},
                "web_search_options": {},
                "moderation": {"model": "x"},
                "prompt_cache_options": {"mode": "explicit"},
                "prompt_cache_retention": "in_memory",
                "top_k": 4,
                "chat_template_kwargs": {"enable_thinking": False},
                "stream_options": {"include_obfuscation": False},
                "modalities": ["text", "audio"],
            }
        },
    )


def test_nothing_is_asked_that_was_not_said() -> None:
    nothing = {"model": "m", "messages": HI, "temperature": None, "tools": None, "stop": None, "n": None}
    assert decode(nothing) == Request("m", HELLO, dialect="chat")


@pytest.mark.parametrize(
    ("fields", "name", "expected"),
    [
        ({"max_tokens": 5}, "max_tokens", 5),
        ({"max_tokens": 5, "max_completion_tokens": 6}, "max_tokens", 6),
        ({"stop": "a"}, "stop", ("a",)),
        ({"stop": []}, "stop", ()),
    ],
)
def test_sampling(fields: dict[str, Any], name: str, expected: Any) -> None:
    assert getattr(asked(**fields).sampling, name) == expected


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"type": "text"}, OutputFormat("text")),
        ({"type": "json_object"}, OutputFormat("json")),
        (
            {
                "type": "json_schema",
                "json_schema": {"name": "v", "description": "d", "schema": {"a": 1}, "strict": True},
            },
            OutputFormat("schema", {"a": 1}, "v", "d", True),
        ),
        ({"type": "json_schema", "json_schema": {"name": "v"}}, OutputFormat("schema", None, "v")),
    ],
)
def test_response_format(form: Any, expected: OutputFormat) -> None:
    request = asked(response_format=form)
    assert request.output == expected
    assert request.extras == {}


def test_a_response_format_of_a_vendor_stays_for_its_own_api() -> None:
    both = {"type": "json_object", "schema": {"type": "object"}}
    assert asked(response_format=both).output == OutputFormat("schema", {"type": "object"}, extras={OWN: both})
    regex = {"type": "regex", "pattern": "a+"}
    assert asked(response_format=regex).output is None
    assert asked(response_format=regex).extras == {OWN: {"response_format": regex}}


def test_stream_options_without_a_stream_are_named() -> None:
    incoming = DIALECT.decode({"model": "m", "messages": HI, "stream_options": {"include_usage": True}}, Call())
    assert incoming.warnings == ("stream_options: ignored, the answer is not streamed",)
    assert incoming.reply.include_usage is False


def test_modalities_of_text_alone_ask_for_nothing() -> None:
    assert asked(modalities=["text"]) == Request("m", HELLO, dialect="chat")


# --- messages ----------------------------------------------------------------------------------------------------

MESSAGES: list[tuple[Any, Message]] = [
    ({"role": "system", "content": "s", "name": "n"}, Message("system", (Text("s"),), "n")),
    ({"role": "developer", "content": [{"type": "text", "text": "a"}]}, Message("developer", (Text("a"),))),
    ({"role": "user", "content": ""}, Message("user", ())),
    ({"role": "user", "content": ["a", {"type": "text", "text": "b"}]}, Message("user", (Text("a"), Text("b")))),
    (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a/b.png", "detail": "low"}}]},
        Message("user", (Media("image", url="https://a/b.png", detail="low"),)),
    ),
    (
        {"role": "user", "content": [{"type": "image_url", "image_url": "data:image/png;base64,AAAA"}]},
        Message("user", (Media("image", "image/png", "AAAA"),)),
    ),
    (
        {"role": "user", "content": [{"type": "video_url", "video_url": {"url": "https://a/b.mp4"}}]},
        Message("user", (Media("video", url="https://a/b.mp4"),)),
    ),
    (
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}}]},
        Message("user", (Media("audio", "audio/mpeg", "AAAA"),)),
    ),
    (
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "flac"}}]},
        Message("user", (Media("audio", "audio/flac", "AAAA"),)),
    ),
    (
        {
            "role": "user",
            "content": [
                {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"}}
            ],
        },
        Message("user", (Media("file", "application/pdf", "AAAA", name="a.pdf"),)),
    ),
    (
        {"role": "user", "content": [{"type": "file", "file": {"file_data": "AAAA"}}]},
        Message("user", (Media("file", None, "AAAA"),)),
    ),
    (
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "f1"}}]},
        Message("user", (Media("file", file_id="f1"),)),
    ),
    (
        {"role": "user", "content": [{"type": "file", "file": {"file_data": "https://a/b.pdf"}}]},
        Message("user", (Media("file", url="https://a/b.pdf"),)),
    ),
    (
        {"role": "user", "content": [{"type": "hologram", "text": "seen", "x": 1}]},
        Message("user", (Opaque(OWN, {"type": "hologram", "text": "seen", "x": 1}, "seen"),)),
    ),
    (
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "a", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
                {"type": "text", "text": "b", "prompt_cache_breakpoint": {"mode": "explicit"}},
                {"type": "text", "text": "c", "flavour": 1},
            ],
        },
        Message(
            "user",
            (
                Text("a", CacheMark("1h")),
                Text("b", CacheMark(), extras={OWN: {"prompt_cache_breakpoint": {"mode": "explicit"}}}),
                Text("c", extras={OWN: {"flavour": 1}}),
            ),
        ),
    ),
    (
        {"role": "user", "content": "a", "cache_control": {"type": "ephemeral"}, "mood": "good"},
        Message("user", (Text("a", CacheMark()),), extras={OWN: {"mood": "good"}}),
    ),
    ({"role": "assistant", "content": None}, Message("assistant", ())),
    ({"role": "assistant"}, Message("assistant", ())),
    (
        {
            "role": "assistant",
            "content": "a",
            "refusal": None,
            "annotations": [],
            "audio": None,
            "function_call": None,
            "tool_calls": None,
            "reasoning_content": None,
        },
        Message("assistant", (Text("a"),)),
    ),
    (
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}],
            "refusal": "never",
            "name": "bot",
            "audio": {"id": "au1"},
            "prefix": True,
        },
        Message(
            "assistant",
            (Text("a"), Refusal("no"), Refusal("never"), Opaque(OWN, {"audio": {"id": "au1"}})),
            "bot",
            {OWN: {"prefix": True}},
        ),
    ),
    (
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1 }'}},
                {"id": "c2", "function": {"name": "g", "arguments": {"n": 12345678901234567890123}}, "index": 1},
                {"id": "c3", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}},
                {"type": "function", "function": {"name": "h"}},
            ],
        },
        Message(
            "assistant",
            (
                ToolCall("c1", "f", '{"a": 1 }'),
                ToolCall("c2", "g", '{"n":12345678901234567890123}'),
                ToolCall("c3", "sql", "SELECT 1", "custom"),
                ToolCall("", "h", ""),
            ),
        ),
    ),
    (
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                    "extra_content": {
                        "google": {"thought_signature": "SIG"},
                        "toolwire": {"origin": "gemini"},
                        "acme": 1,
                    },
                    "caller": "x",
                }
            ],
        },
        Message(
            "assistant",
            (
                ToolCall(
                    "c1",
                    "f",
                    "{}",
                    signature="SIG",
                    origin="gemini",
                    extras={OWN: {"caller": "x", "extra_content": {"acme": 1}}},
                ),
            ),
        ),
    ),
    (
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        Message("assistant", (ToolCall("", "f", "{}"),)),
    ),
    (
        {
            "role": "assistant",
            "content": "see",
            "annotations": [
                {"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 3, "url": "u", "title": "t"}}
            ],
        },
        Message("assistant", (Text("see", citations=(Citation("u", "t", 0, 3),)),)),
    ),
    (
        {"role": "assistant", "content": "a", "reasoning_content": "r"},
        Message("assistant", (Reasoning("r"), Text("a"))),
    ),
    ({"role": "assistant", "content": "a", "reasoning": "r"}, Message("assistant", (Reasoning("r"), Text("a")))),
    (
        {"role": "tool", "tool_call_id": "c1", "content": "ok", "name": "f"},
        Message("tool", (ToolResult("c1", (Text("ok"),), name="f"),)),
    ),
    (
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
        },
        Message("tool", (ToolResult("c1", (Text("a"), Media("image", "image/png", "AAAA"))),)),
    ),
    ({"role": "tool", "tool_call_id": "c1", "content": None}, Message("tool", (ToolResult("c1", ()),))),
    (
        {"role": "function", "name": "f", "content": "ok"},
        Message("tool", (ToolResult("", (Text("ok"),), name="f"),)),
    ),
]


@pytest.mark.parametrize(("given", "expected"), MESSAGES)
def test_message(given: Any, expected: Message) -> None:
    before = json.dumps(given)
    assert told(given) == (expected,)
    assert json.dumps(given) == before


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
DETAILS: list[tuple[str | None, list[Any], tuple[Any, ...]]] = [
    (  # a signed block of Anthropic, as we gave it out: the entry tells the text
        "r",
        [
            {
                "type": "reasoning.text",
                "text": "r",
                "signature": "S",
                "id": None,
                "format": "anthropic-messages",
                "origin": "o",
                "position": 0,
                "block": 0,
                "index": 0,
            }
        ],
        (Reasoning("r", "anthropic-messages", "o", signature="S"), Text("a"), ToolCall("c1", "f", "{}")),
    ),
    (  # a redacted block before the call, and text that nobody signed
        "top",
        [
            {
                "type": "reasoning.encrypted",
                "data": "D",
                "format": "anthropic-messages",
                "origin": "o",
                "position": 1,
                "block": 0,
                "index": 0,
            }
        ],
        (Reasoning("top"), Text("a"), Reasoning("", "anthropic-messages", "o", data="D"), ToolCall("c1", "f", "{}")),
    ),
    (  # two items of the Responses API, the second placed behind all there is
        "s1\n\ns2",
        [
            {
                "type": "reasoning.summary",
                "summary": "s1",
                "id": "rs_1",
                "format": "openai-responses",
                "origin": "o",
                "position": 0,
                "block": 0,
                "index": 0,
            },
            {
                "type": "reasoning.summary",
                "summary": "s2",
                "id": "rs_1",
                "format": "openai-responses",
                "origin": "o",
                "position": 0,
                "block": 0,
                "index": 1,
            },
            {
                "type": "reasoning.encrypted",
                "data": "D",
                "id": "rs_1",
                "format": "openai-responses",
                "origin": "o",
                "position": 0,
                "block": 0,
                "index": 2,
                "native": {"status": None},
            },
            {
                "type": "reasoning.encrypted",
                "data": "E",
                "id": "rs_2",
                "format": "openai-responses",
                "origin": "o",
                "position": 9,
                "block": 1,
                "index": 3,
            },
        ],
        (
            Reasoning(
                "s1\n\ns2",
                "openai-responses",
                "o",
                "rs_1",
                None,
                "D",
                ("s1", "s2"),
                {"openai-responses": {"status": None}},
            ),
            Text("a"),
            ToolCall("c1", "f", "{}"),
            Reasoning("", "openai-responses", "o", "rs_2", None, "E"),
        ),
    ),
    (  # blocks that lost our numbers
        None,
        [
            {"type": "reasoning.text", "text": "r", "signature": "S", "format": "anthropic-messages"},
            {"type": "reasoning.text", "text": "s", "signature": "T", "format": "anthropic-messages"},
        ],
        (
            Reasoning("r", "anthropic-messages", signature="S"),
            Reasoning("s", "anthropic-messages", signature="T"),
            Text("a"),
            ToolCall("c1", "f", "{}"),
        ),
    ),
    (  # OpenRouter's own, from a client that knows nothing of us
        None,
        [
            {"type": "reasoning.text", "text": "r", "signature": "S", "format": "anthropic-claude-v1", "index": 0},
            {"type": "reasoning.encrypted", "data": "D", "format": "anthropic-claude-v1", "index": 0},
        ],
        (
            Reasoning(
                "r",
                OWN,
                None,
                None,
                "S",
                "D",
                None,
                {
                    OWN: {
                        "reasoning_details": [
                            {
                                "type": "reasoning.text",
                                "text": "r",
                                "signature": "S",
                                "format": "anthropic-claude-v1",
                                "index": 0,
                            },
                            {"type": "reasoning.encrypted", "data": "D", "format": "anthropic-claude-v1", "index": 0},
                        ]
                    }
                },
            ),
            Text("a"),
            ToolCall("c1", "f", "{}"),
        ),
    ),
    (  # the same, as it came through us
        "r",
        [
            {
                "type": "reasoning.text",
                "text": "r",
                "format": "unknown",
                "index": 0,
                "origin": "router",
                "position": 2,
                "block": 0,
            }
        ],
        (
            Text("a"),
            ToolCall("c1", "f", "{}"),
            Reasoning(
                "r",
                OWN,
                "router",
                extras={
                    OWN: {
                        "reasoning_details": [{"type": "reasoning.text", "text": "r", "format": "unknown", "index": 0}]
                    }
                },
            ),
        ),
    ),
]


@pytest.mark.parametrize(("text", "entries", "expected"), DETAILS)
def test_reasoning_details(text: str | None, entries: list[Any], expected: tuple[Any, ...]) -> None:
    message = {
        "role": "assistant",
        "content": "a",
        "tool_calls": [CALL],
        "reasoning_content": text,
        "reasoning_details": entries,
    }
    assert told(message) == (Message("assistant", expected),)


# --- tools -------------------------------------------------------------------------------------------------------

TOOLS: list[tuple[Any, Tool]] = [
    (
        {
            "type": "function",
            "function": {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True},
        },
        Tool("f", "d", {"type": "object"}, True),
    ),
    ({"type": "function", "function": {"name": "f"}}, Tool("f")),
    ({"type": "function", "function": {"name": "f", "strict": None, "parameters": None}}, Tool("f")),
    (
        {"type": "function", "function": {"name": "f", "x": 1}, "cache_control": {"type": "ephemeral"}, "y": 2},
        Tool("f", cache=CacheMark(), extras={OWN: {"y": 2, "function": {"x": 1}}}),
    ),
    ({"type": "custom", "custom": {"name": "sql", "description": "d"}}, Tool("sql", "d", kind="custom")),
    ({"type": "custom", "custom": {"name": "sql", "format": {"type": "text"}}}, Tool("sql", kind="custom")),
    (
        {
            "type": "custom",
            "custom": {
                "name": "sql",
                "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: /a/"}},
            },
        },
        Tool("sql", kind="custom", grammar=Grammar("lark", "start: /a/")),
    ),
    (
        {"type": "web_search", "web_search": {"count": 3}},
        Tool(
            "web_search",
            kind="builtin",
            builtin="web_search",
            extras={OWN: {"type": "web_search", "web_search": {"count": 3}}},
        ),
    ),
    (
        {"type": "browser_search"},
        Tool("browser_search", kind="builtin", builtin="web_search", extras={OWN: {"type": "browser_search"}}),
    ),
]


@pytest.mark.parametrize(("given", "expected"), TOOLS)
def test_tool(given: Any, expected: Tool) -> None:
    before = json.dumps(given)
    assert asked(tools=[given]).tools == (expected,)
    assert json.dumps(given) == before


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("none", ToolChoice("none")),
        ("auto", ToolChoice("auto")),
        ("required", ToolChoice("required")),
        ({"type": "function", "function": {"name": "f"}}, ToolChoice("named", ("f",))),
        ({"type": "custom", "custom": {"name": "sql"}}, ToolChoice("named", ("sql",))),
        ({"type": "web_search"}, ToolChoice("named", ("web_search",))),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [
                        {"type": "function", "function": {"name": "f"}},
                        {"type": "custom", "custom": {"name": "sql"}},
                        {"type": "web_search"},
                    ],
                },
            },
            ToolChoice("allowed", ("f", "sql", "web_search"), True),
        ),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "f"}}]},
            },
            ToolChoice("allowed", ("f",), False),
        ),
    ],
)
def test_tool_choice(given: Any, expected: ToolChoice) -> None:
    assert asked(tools=[{"type": "function", "function": {"name": "f"}}], tool_choice=given).tool_choice == expected


def test_the_older_form_of_tools() -> None:
    body = {
        "model": "m",
        "messages": HI,
        "functions": [{"name": "f", "description": "d", "parameters": {"type": "object"}}],
        "function_call": {"name": "f"},
    }
    incoming = DIALECT.decode(body, Call())
    assert incoming.reply.legacy is True
    assert incoming.request == Request(
        "m", HELLO, (Tool("f", "d", {"type": "object"}),), ToolChoice("named", ("f",)), parallel=False, dialect="chat"
    )


@pytest.mark.parametrize(("word", "expected"), [("none", ToolChoice("none")), ("auto", ToolChoice("auto"))])
def test_the_older_choice(word: str, expected: ToolChoice) -> None:
    assert asked(functions=[{"name": "f"}], function_call=word).tool_choice == expected


# --- what is refused ---------------------------------------------------------------------------------------------


def _ask(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": HI, **fields}


def _said(message: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [message]}


def _sent(part: Any) -> dict[str, Any]:
    return _said({"role": "user", "content": [part]})


def _called(call: Any) -> dict[str, Any]:
    return _said({"role": "assistant", "tool_calls": [call]})


REFUSED: list[tuple[Any, str | None]] = [
    ([], None),
    ("text", None),
    ({"messages": HI}, "model"),
    ({"model": "", "messages": HI}, "model"),
    ({"model": 3, "messages": HI}, "model"),
    ({"model": "m"}, "messages"),
    ({"model": "m", "messages": "hello"}, "messages"),
    ({"model": "m", "messages": []}, "messages"),
    (_said("a"), "messages[0]"),
    (_said({"content": "a"}), "messages[0].role"),
    (_said({"role": "robot", "content": "a"}), "messages[0].role"),
    (_said({"role": "user"}), "messages[0].content"),
    (_said({"role": "user", "content": None}), "messages[0].content"),
    (_said({"role": "user", "content": 3}), "messages[0].content"),
    (_sent(3), "messages[0].content[0]"),
    (_sent({}), "messages[0].content[0].type"),
    (_sent({"type": "text"}), "messages[0].content[0].text"),
    (_sent({"type": "image_url", "image_url": {}}), "messages[0].content[0].image_url.url"),
    (_sent({"type": "input_audio", "input_audio": {}}), "messages[0].content[0].input_audio.data"),
    (_sent({"type": "file", "file": {}}), "messages[0].content[0].file"),
    (_said({"role": "tool", "content": "a"}), "messages[0].tool_call_id"),
    (_said({"role": "function", "content": "a"}), "messages[0].name"),
    (_said({"role": "assistant", "tool_calls": {}}), "messages[0].tool_calls"),
    (_called({}), "messages[0].tool_calls[0].function"),
    (_called({"function": {}}), "messages[0].tool_calls[0].function.name"),
    (_called({"function": {"name": "f", "arguments": 3}}), "messages[0].tool_calls[0].function.arguments"),
    (_called({"type": "magic"}), "messages[0].tool_calls[0].type"),
    (_said({"role": "assistant", "reasoning_details": ["x"]}), "messages[0].reasoning_details[0]"),
    (_ask(tools=[{}]), "tools[0].type"),
    (_ask(tools=[{"type": "function"}]), "tools[0].function"),
    (_ask(tools=[{"type": "function", "function": {}}]), "tools[0].function.name"),
    (_ask(tools=[{"type": "function", "function": {"name": "f", "parameters": []}}]), "tools[0].function.parameters"),
    (_ask(tool_choice="any"), "tool_choice"),
    (_ask(tool_choice={"type": "function"}), "tool_choice.function"),
    (_ask(tool_choice={"type": "allowed_tools", "allowed_tools": {}}), "tool_choice.allowed_tools.tools"),
    (_ask(function_call=3), "function_call"),
    (_ask(functions=[{"name": "f"}], tools=[{"type": "function", "function": {"name": "g"}}]), "functions"),
    (_ask(n=0), "n"),
    (_ask(n=1.5), "n"),
    (_ask(max_tokens="9"), "max_tokens"),
    (_ask(temperature=True), "temperature"),
    (_ask(stop=[1]), "stop"),
    (_ask(stream="yes"), "stream"),
    (_ask(stream_options=1), "stream_options"),
    (_ask(reasoning_effort="extreme"), "reasoning_effort"),
    (_ask(response_format={"type": "json_schema"}), "response_format.json_schema"),
    (_ask(response_format={"type": "json_schema", "json_schema": {}}), "response_format.json_schema.name"),
    (_ask(modalities=[1]), "modalities"),
    (_ask(provider_options={"x": 1}), "provider_options.x"),
    (_ask(metadata=[]), "metadata"),
]


@pytest.mark.parametrize(("body", "param"), REFUSED)
def test_refused(body: Any, param: str | None) -> None:
    with pytest.raises(Rejected) as caught:
        decode(body)
    assert caught.value.failure.type == "invalid_request_error"
    assert caught.value.failure.param == param
