"""Presets: hosts with their base URL and quirks, as data (wire pages, 2026-11)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from adapters.compat import BASE_URLS, Flags


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of the models whose names match a pattern: flags that differ by API, the context window."""

    compat: Mapping[str, Flags] = field(default_factory=dict)
    context_window: int | None = None
    max_output_tokens: int | None = None
    family: str | None = None


@dataclass(frozen=True, slots=True)
class Preset:
    """A host. `compat` has an entry for each API that it speaks; `api` is the one taken when none is configured.

    `base_url` is `None` where it names the customer's own resource; `example` then shows its form. `options` go into
    each native body unless configured otherwise.
    """

    api: str
    base_url: str | None
    compat: Mapping[str, Flags]
    note: str
    example: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    date: str = "2026-11"


def _chat(**flags: Any) -> dict[str, Flags]:
    return {"openai-chat": flags}


_OPENAI_CHAT = {
    "max_tokens_field": "max_completion_tokens",
    "developer_role": True,
    "store": True,
    "metadata": True,
    "service_tier": True,
    "prompt_cache_key": True,
    "strict_tools": "lossless",
    "tool_choice": "full",
    "custom_tools": "native",
    "reasoning_style": "effort",
    "openai_reasoning_models": True,
    "parsed_arguments": False,
    "tool_id": "max-40",
    "inline_think": False,
}
_OPENAI_RESPONSES = {"custom_tools": "native", "metadata": True, "service_tier": True, "prompt_cache_key": True}
_AZURE = {"service_tier": False, "key_header": "api-key"}
_PLAIN_RESPONSES = {"encrypted_reasoning": False, "strict_tools": "off"}
_LOCAL_RESPONSES = {**_PLAIN_RESPONSES, "max_tools": None}
_PENALTIES = ("presence_penalty", "frequency_penalty")
_MISTRAL_MODEL = ModelFacts(
    {
        "openai-chat": {
            "max_tokens_field": "max_tokens",
            "tool_id": "9-alnum",
            "assistant_after_tool_result": True,
            "tool_result_name": True,
        }
    }
)
_KIMI_REASONING = ModelFacts({"openai-chat": {"unsupported_fields": ("temperature",)}})

PRESETS: Mapping[str, Preset] = {
    "openai": Preset(
        "openai-responses",
        "https://api.openai.com/v1",
        {"openai-responses": _OPENAI_RESPONSES, "openai-chat": _OPENAI_CHAT},
        "Function tools with reasoning need `openai-responses` from gpt-5.4 on.",
        hosts=("api.openai.com",),
    ),
    "azure": Preset(
        "openai-chat",
        None,
        {
            "openai-chat": {**_OPENAI_CHAT, **_AZURE},
            "openai-responses": {**_OPENAI_RESPONSES, **_AZURE},
        },
        "A model is the deployment's name. Entra tokens go with `key_header: authorization`.",
        example="https://RESOURCE.openai.azure.com/openai/v1",
        models={"mistral*": _MISTRAL_MODEL, "Mistral*": _MISTRAL_MODEL},
        hosts=(".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"),
    ),
    "deepseek": Preset(
        "openai-chat",
        "https://api.deepseek.com",
        _chat(
            parallel_tool_calls=False,
            response_format="json_object-only",
            reasoning_style="thinking-effort",
            strict_formats="deepseek",
            text_tool_calls=("dsml",),
        ),
        "Strict tools need base URL `https://api.deepseek.com/beta` and `strict_tools: lossless`.",
        models={
            "deepseek-reasoner": ModelFacts({"openai-chat": {"tool_choice": "auto-only"}}),
            "deepseek-v4-*": ModelFacts({"openai-chat": {"tool_choice": "auto-only", "reasoning_echo": "required"}}),
        },
        hosts=("api.deepseek.com",),
    ),
    "qwen": Preset(
        "openai-chat",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        _chat(tool_choice="no-required", reasoning_style="enable_thinking", cache="client"),
        "China: `https://dashscope.aliyuncs.com/compatible-mode/v1`.",
        hosts=("dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com", "dashscope-us.aliyuncs.com"),
    ),
    "xai": Preset(
        "openai-chat",
        "https://api.x.ai/v1",
        {
            "openai-chat": {
                "reasoning_style": "effort",
                "message_name": False,
                "unsupported_schema_keywords": ("additionalProperties:false",),
                "repeats": ("continued", "reasoning"),
            },
            "openai-responses": {"unsupported_schema_keywords": ("additionalProperties:false",), "strict_tools": "off"},
        },
        "Reasoning models refuse `stop` and both penalties.",
        models={
            "grok-4*": ModelFacts({"openai-chat": {"unsupported_fields": ("stop", *_PENALTIES)}}),
            "*non-reasoning*": ModelFacts({"openai-chat": {"unsupported_fields": ()}}),
        },
        hosts=("api.x.ai",),
    ),
    "groq": Preset(
        "openai-chat",
        "https://api.groq.com/openai/v1",
        {
            "openai-chat": {
                "reasoning_style": "effort",
                "reasoning_echo": "reasoning",
                "message_name": False,
                "unsupported_fields": ("logprobs", "top_logprobs", "logit_bias", "n"),
            },
            "openai-responses": _PLAIN_RESPONSES,
        },
        "Strict tools work with some models only.",
        hosts=("api.groq.com",),
    ),
    "together": Preset(
        "openai-chat",
        "https://api.together.xyz/v1",
        _chat(reasoning_style="reasoning-switch", reasoning_echo="reasoning_content"),
        "gpt-oss takes an effort, the others a `reasoning` switch.",
        models={"*gpt-oss*": ModelFacts({"openai-chat": {"reasoning_style": "effort"}})},
        hosts=("api.together.xyz", "api.together.ai"),
    ),
    "fireworks": Preset(
        "openai-chat",
        "https://api.fireworks.ai/inference/v1",
        _chat(reasoning_style="effort"),
        "Models are named `accounts/fireworks/models/NAME`.",
        hosts=("api.fireworks.ai",),
    ),
    "openrouter": Preset(
        "openai-chat",
        "https://openrouter.ai/api/v1",
        {
            "openai-chat": {
                "store": True,
                "metadata": True,
                "service_tier": True,
                "prompt_cache_key": True,
                "reasoning_style": "reasoning",
                "reasoning_echo": "reasoning_details",
                "cache": "client",
            },
            "openai-responses": {"strict_tools": "off"},
        },
        "Models are named `vendor/model`.",
        hosts=("openrouter.ai",),
    ),
    "cerebras": Preset(
        "openai-chat",
        "https://api.cerebras.ai/v1",
        _chat(
            max_tokens_field="max_completion_tokens",
            parallel_tool_calls=False,
            reasoning_style="effort",
            reasoning_echo="reasoning",
            unsupported_fields=(*_PENALTIES, "logit_bias"),
        ),
        "gpt-oss cannot be told not to reason.",
        hosts=("api.cerebras.ai",),
    ),
    "moonshot": Preset(
        "openai-chat",
        "https://api.moonshot.ai/v1",
        _chat(
            parallel_tool_calls=False,
            tool_choice="no-required",
            response_format="json_object-only",
            reasoning_style="thinking",
            reasoning_echo="required",
            unsupported_schema_keywords=("type:beside-anyOf",),
        ),
        "China: `https://api.moonshot.cn/v1`; coding plan: `https://api.kimi.com/coding/v1`.",
        models={"kimi-k2.5*": _KIMI_REASONING, "kimi-k2.6*": _KIMI_REASONING, "kimi-k3*": _KIMI_REASONING},
        hosts=("api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"),
    ),
    "zai": Preset(
        "openai-chat",
        "https://api.z.ai/api/paas/v4",
        _chat(
            parallel_tool_calls=False,
            tool_choice="auto-only",
            response_format="json_object-only",
            reasoning_style="thinking",
            reasoning_echo="reasoning_content",
            cache="client",
            unsupported_fields=("n", "seed", "logit_bias", "logprobs", "top_logprobs", *_PENALTIES),
        ),
        "Coding plan: `https://api.z.ai/api/coding/paas/v4`; China: `https://open.bigmodel.cn/api/paas/v4`.",
        hosts=("api.z.ai", "open.bigmodel.cn"),
    ),
    "minimax": Preset(
        "openai-chat",
        "https://api.minimax.io/v1",
        _chat(
            max_tokens_field="max_completion_tokens",
            parallel_tool_calls=False,
            reasoning_echo="reasoning_details",
            unsupported_fields=("n",),
        ),
        "China: `https://api.minimaxi.com/v1`. Reasoning is asked for apart from the text.",
        options={"reasoning_split": True},
        hosts=("api.minimax.io", "api.minimaxi.com"),
    ),
    "vllm": Preset(
        "openai-chat",
        "http://127.0.0.1:8000/v1",
        {
            "openai-chat": {"reasoning_style": "chat_template_kwargs", "max_tools": None, "text_tool_calls": "auto"},
            "openai-responses": _LOCAL_RESPONSES,
        },
        "Tools need the server's `--enable-auto-tool-choice` and `--tool-call-parser`.",
    ),
    "llama-cpp": Preset(
        "openai-chat",
        "http://127.0.0.1:8080/v1",
        {
            "openai-chat": {
                "reasoning_style": "chat_template_kwargs",
                "max_tools": None,
                "unsupported_schema_keywords": ("pattern:unanchored",),
                "text_tool_calls": "auto",
            },
            "openai-responses": {**_LOCAL_RESPONSES, "unsupported_schema_keywords": ("pattern:unanchored",)},
        },
        "Servers older than late 2025 need `--jinja` for tools. An unanchored `pattern` breaks its grammars.",
    ),
    "lm-studio": Preset(
        "openai-chat",
        "http://127.0.0.1:1234/v1",
        {
            "openai-chat": {"tool_choice": "no-named", "max_tools": None, "text_tool_calls": "auto"},
            "openai-responses": _LOCAL_RESPONSES,
        },
        "A named tool is sent alone, with `required`.",
    ),
    "perplexity": Preset(
        "openai-chat",
        "https://api.perplexity.ai",
        _chat(
            tools="prompted",
            parallel_tool_calls=False,
            reasoning_style="effort",
            unsupported_fields=("stop", "seed", "n", "logit_bias", "logprobs", "top_logprobs"),
        ),
        "No tools of its own: they are written into the prompt.",
        hosts=("api.perplexity.ai",),
    ),
    "nvidia": Preset(
        "openai-chat",
        "https://integrate.api.nvidia.com/v1",
        _chat(reasoning_style="chat_template_kwargs"),
        "What works depends on the model behind.",
        hosts=("integrate.api.nvidia.com",),
    ),
}


def preset_of(api: str, base_url: str | None) -> str | None:
    """The preset whose host the base URL names, if that host speaks the API; no base URL is the API's own host."""
    host = urlsplit(base_url or BASE_URLS[api]).hostname or ""
    for name, preset in PRESETS.items():
        if api in preset.compat and any(_is_host(host, known) for known in preset.hosts):
            return name
    return None


def _is_host(host: str, known: str) -> bool:
    return host.endswith(known) if known.startswith(".") else host == known
