"""Compat flags: what hosts that speak the same API do differently, as data.

A flag's default fits a host nobody knows; presets and the configuration override it. Facts: the wire pages of 2026-11.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Flags = Mapping[str, Any]

APIS = (
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "google-gemini",
    "mistral-chat",
    "ollama-chat",
    "bedrock-converse",
    "cohere-chat",
)

BASE_URLS: Mapping[str, str] = {
    "openai-chat": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic-messages": "https://api.anthropic.com",
    "google-gemini": "https://generativelanguage.googleapis.com",
    "mistral-chat": "https://api.mistral.ai",
    "ollama-chat": "http://127.0.0.1:11434",
    "bedrock-converse": "https://bedrock-runtime.REGION.amazonaws.com",
    "cohere-chat": "https://api.cohere.com",
}
"""The base URL of an API where none is configured. REGION stands for the provider's `aws.region`."""

PATHS: Mapping[str, tuple[str, ...]] = {
    "openai-chat": ("/chat/completions",),
    "openai-responses": ("/responses",),
    "anthropic-messages": ("/v1/messages",),
    "google-gemini": ("/v1beta/models", "/v1/models"),
    "mistral-chat": ("/v1/chat/completions",),
    "ollama-chat": ("/api/chat",),
    "bedrock-converse": ("/model",),
    "cohere-chat": ("/v2/chat",),
}
"""What each API appends to its base URL; a base URL must not repeat the beginning of it."""

TEXT_FORMS = (
    "hermes",
    "qwen3-coder",
    "invoke",
    "nullclaw",
    "deepseek-v3",
    "deepseek-v31",
    "dsml",
    "llama3-json",
    "llama3-func",
    "pythonic",
    "mistral-v3",
    "mistral-v11",
    "kimi-k2",
    "kimi-k3",
    "glm45",
    "minimax-m2",
    "minimax-m3",
    "minimax-m1",
    "harmony",
    "gemma4",
    "phi4-mini",
    "granite",
    "cohere",
    "internlm",
    "jamba",
    "seed-oss",
    "xlam",
    "nemotron-nano",
    "functionary",
    "command-r",
)
"""Names of tool calls written as text; `text_tool_calls` takes a list of them."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag of one API.

    `values` are the single values allowed. With `words` a list of strings is allowed too: these, or any if `words` is
    empty. With `counts` a whole number from 1 is allowed too. `date` is when the fact behind the default was looked at.
    """

    name: str
    default: Any
    doc: str
    values: tuple[Any, ...] = ()
    words: tuple[str, ...] | None = None
    counts: bool = False
    date: str = "2026-11"


def _switch(name: str, default: bool, doc: str) -> Flag:
    return Flag(name, default, doc, values=(True, False))


def _strict(default: str) -> Flag:
    return Flag(
        "strict_tools",
        default,
        "`lossless`: a tool goes strict where the client asks and its schema need not change. `rewrite`: optional "
        "properties become nullable, undone on the way back. `off`: `strict` is never sent.",
        values=("off", "lossless", "rewrite"),
    )


_CACHE_WORDS = {
    "auto": "breakpoints on the last tool, the last system block and the last user block, if the request has tools and "
    "the client set none",
    "client": "only the client's breakpoints",
    "off": "none",
}


def _cache(default: str, *values: str) -> Flag:
    return Flag("cache", default, "; ".join(f"`{value}`: {_CACHE_WORDS[value]}" for value in values) + ".", values)


_SORT = _switch("sort_tools", True, "Tools are sent sorted by name; a client's own cache marker keeps its order.")
_TEXT = Flag(
    "text_tool_calls",
    "off",
    "Tool calls written into the text are recognized: `auto` by every mark that is unmistakable, a list only those "
    "forms.",
    values=("off", "auto"),
    words=TEXT_FORMS,
)
_TOOLS = Flag(
    "tools",
    "native",
    "`prompted`: tools are described in the system message and calls read from the text, for models without tools.",
    values=("native", "prompted"),
)
_THINK = Flag(
    "inline_think",
    "auto",
    "Reasoning in the text between `<think>` and `</think>`, or other models' marks, is given as reasoning. `auto`: "
    "where the answer begins with the opening mark; `true`: also where it begins inside of it; `false`: never.",
    values=("auto", True, False),
)
_PARALLEL = _switch("parallel_tool_calls", True, "The host knows `parallel_tool_calls`; else it is left out.")
_MAX_TOOLS = Flag(
    "max_tools", 128, "The most tools a request may carry; null is no limit.", values=(None,), counts=True
)
_BEARER = Flag(
    "key_header",
    "authorization",
    "The header with the key: `authorization` as `Bearer KEY`, `api-key` bare.",
    values=("authorization", "api-key"),
)
_SCHEMA_WORDS = Flag(
    "unsupported_schema_keywords",
    (),
    "JSON Schema keywords that the host refuses; they are said otherwise or told in the description. A case after a "
    "colon narrows it: `additionalProperties:false`, `pattern:unanchored`, `pattern:lookaround`, `type:beside-anyOf`.",
    words=(),
)
_FIELDS = Flag(
    "unsupported_fields",
    (),
    "Fields of the request body that the host refuses, by their wire name; they are left out with a warning.",
    words=(),
)
_BETAS = Flag("betas", ("*",), "Patterns of the client's `anthropic-beta` values that go on.", words=())
_CUSTOM = Flag(
    "custom_tools",
    "project",
    "`native`: custom (grammar) tools go as they are. `project`: as a function with one string parameter `input`.",
    values=("project", "native"),
)
_PASSED = (
    _switch("metadata", False, "The host knows `metadata`; else it is left out."),
    _switch("service_tier", False, "The host knows `service_tier`; else it is left out."),
    _switch("prompt_cache_key", False, "The host knows `prompt_cache_key`; else it is left out."),
)

_OPENAI_CHAT = (
    Flag(
        "max_tokens_field",
        "max_tokens",
        "The name under which the output limit is sent.",
        values=("max_tokens", "max_completion_tokens"),
    ),
    _switch("developer_role", False, "The host knows the role `developer`; else it is sent as `system`."),
    _switch("store", False, "The client's `store` goes on; else it is left out."),
    *_PASSED,
    _strict("off"),
    Flag(
        "strict_formats",
        "openai",
        "Which string formats the host takes in strict tools: OpenAI's, or the five of DeepSeek's `/beta`.",
        values=("openai", "deepseek"),
    ),
    _switch("stream_usage", True, "Streams ask for usage by `stream_options`."),
    _PARALLEL,
    Flag(
        "tool_choice",
        "no-allowed_tools",
        "What the host takes: everything; all but `allowed_tools`; neither that nor a named tool; neither that nor "
        "`required`; `auto` and `none` only. What it does not take is weakened with a warning.",
        values=("full", "no-allowed_tools", "no-named", "no-required", "auto-only"),
    ),
    _CUSTOM,
    Flag(
        "response_format",
        "pass",
        "`json_object-only`: a JSON schema is sent as `json_object` and told in the prompt.",
        values=("pass", "json_object-only"),
    ),
    Flag(
        "reasoning_style",
        "none",
        "How the effort is told: `reasoning_effort`; a `thinking` object, alone or with `reasoning_effort` beside it; "
        "`enable_thinking`; a `reasoning` object, with the effort or as a mere switch; `chat_template_kwargs`; or not "
        "at all.",
        values=(
            "none",
            "effort",
            "thinking",
            "thinking-effort",
            "enable_thinking",
            "reasoning",
            "reasoning-switch",
            "chat_template_kwargs",
        ),
    ),
    _switch(
        "openai_reasoning_models",
        False,
        "The host is OpenAI's own or Azure's: what its models are known to take of efforts, sampling and tools beside "
        "reasoning is kept to, and its own fields go on.",
    ),
    Flag(
        "reasoning_echo",
        "drop",
        "The field in which earlier reasoning goes back to the host. `required`: `reasoning_content` on every "
        "assistant message, filled in where it is lost.",
        values=("drop", "reasoning_content", "reasoning", "reasoning_details", "required"),
    ),
    _switch("tool_result_name", False, "Tool results carry the tool's `name`."),
    _switch("message_name", True, "The host knows a message's `name`; else it is left out."),
    _switch("assistant_after_tool_result", False, "A short assistant message parts a result and a user message."),
    _switch("merge_system", False, "The leading system messages become one, later ones marked user text."),
    _switch("null_content", True, "An assistant message with calls alone has `content: null`; else an empty text."),
    _switch("parsed_arguments", True, 'Arguments in history must be JSON; text that is not goes as `{"_raw": text}`.'),
    Flag(
        "tool_id",
        "any",
        "The call ids that the host takes: any, at most 40 characters, or exactly 9 letters and digits.",
        values=("any", "max-40", "9-alnum"),
    ),
    Flag(
        "repeats",
        (),
        "What the host's streams may say twice, and is taken off: `continued`, the last assistant message of the "
        "request as the first piece of its continuation; `reasoning`, each piece of reasoning.",
        words=("continued", "reasoning"),
    ),
    _MAX_TOOLS,
    _SCHEMA_WORDS,
    _FIELDS,
    _cache("off", "client", "off"),
    _BEARER,
    _SORT,
    _TEXT,
    _TOOLS,
    _THINK,
)

_OPENAI_RESPONSES = (
    _strict("lossless"),
    _switch("store", False, "The upstream stores what the client asks to be stored; else `store: false` is sent."),
    _switch("encrypted_reasoning", True, "Encrypted reasoning is asked for when the upstream does not store."),
    _CUSTOM,
    *_PASSED,
    _PARALLEL,
    _MAX_TOOLS,
    _SCHEMA_WORDS,
    _FIELDS,
    _BEARER,
    _SORT,
)

FLAGS: Mapping[str, tuple[Flag, ...]] = {
    "openai-chat": _OPENAI_CHAT,
    "openai-responses": _OPENAI_RESPONSES,
    "anthropic-messages": (
        _strict("lossless"),
        _cache("auto", "auto", "client", "off"),
        Flag(
            "eager_input_streaming",
            "auto",
            "Arguments stream as they are made, unbuffered: `auto` for streams.",
            values=("auto", True, False),
        ),
        _BETAS,
        Flag(
            "key_header",
            "x-api-key",
            "The header with the key: `x-api-key` bare, `authorization` as `Bearer KEY`.",
            values=("x-api-key", "authorization"),
        ),
        _FIELDS,
        _SORT,
    ),
    "google-gemini": (
        _switch("use_parameters", False, "Schemas go in the older field `parameters`, in its OpenAPI subset."),
        _SCHEMA_WORDS,
        _FIELDS,
        _SORT,
    ),
    "mistral-chat": (_strict("lossless"), _SORT, _TEXT, _TOOLS, _THINK),
    "ollama-chat": (_SORT, _TEXT, _TOOLS, _THINK),
    "bedrock-converse": (
        _strict("off"),
        _cache("auto", "auto", "client", "off"),
        Flag(
            "structured_output",
            "auto",
            "How an answer is held to a JSON schema: `native` by `outputConfig`, `tool` by a forced tool; `auto` by "
            "what is known of the model.",
            values=("auto", "native", "tool"),
        ),
        Flag(
            "stream_tools",
            "auto",
            "Requests with tools are streamed; `false`: they are answered whole and replayed. `auto` by what is known "
            "of the model.",
            values=("auto", True, False),
        ),
        _BETAS,
        _SORT,
    ),
    "cohere-chat": (
        _strict("lossless"),
        _switch("sort_tools", False, "Tools are sent sorted by name; off: no prompt cache is documented here."),
    ),
}


def defaults(api: str) -> dict[str, Any]:
    """Every flag of the API with the value for a host nobody knows."""
    return {flag.name: flag.default for flag in FLAGS[api]}


def resolve(api: str, preset: str | None, compat: Flags) -> dict[str, Any]:
    """All flags of the API: its defaults, over them the preset's, over them the configured ones."""
    from adapters.presets import PRESETS

    known = PRESETS[preset].compat.get(api, {}) if preset else {}
    return {**defaults(api), **known, **compat}
