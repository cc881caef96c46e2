"""The compat data hangs together, and the rows say what the wire pages say."""

import pytest

from adapters.compat import APIS, BASE_URLS, FLAGS, PATHS, TEXT_FORMS, Flag, defaults, resolve
from adapters.presets import PRESETS, preset_of


def accepts(flag: Flag, value: object) -> bool:
    if isinstance(value, tuple):
        return flag.words is not None and all(isinstance(w, str) and (not flag.words or w in flag.words) for w in value)
    if any(value is allowed or (isinstance(allowed, str) and value == allowed) for allowed in flag.values):
        return True
    return flag.counts and isinstance(value, int) and not isinstance(value, bool) and value >= 1


@pytest.mark.parametrize("api", APIS)
def test_every_api_has_flags_base_url_and_path(api):
    assert FLAGS[api] and BASE_URLS[api].startswith("http") and PATHS[api]
    names = [flag.name for flag in FLAGS[api]]
    assert len(names) == len(set(names))
    for flag in FLAGS[api]:
        assert accepts(flag, flag.default), flag.name
        assert flag.doc.endswith(".") and flag.date == "2026-11"


def test_no_api_without_a_name():
    assert set(FLAGS) == set(BASE_URLS) == set(PATHS) == set(APIS)


PRESET_FLAGS = [
    (name, api, flag, value)
    for name, preset in PRESETS.items()
    for flags in (preset.compat, *(facts.compat for facts in preset.models.values()))
    for api, known in flags.items()
    for flag, value in known.items()
]


@pytest.mark.parametrize(("preset", "api", "flag", "value"), PRESET_FLAGS)
def test_presets_use_flags_of_their_api(preset, api, flag, value):
    known = {row.name: row for row in FLAGS[api]}
    assert accepts(known[flag], value)
    assert api in PRESETS[preset].compat


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_a_base_url_or_show_one(name):
    preset = PRESETS[name]
    assert (preset.base_url is None) == (preset.example is not None)
    assert preset.api in preset.compat
    assert not (preset.base_url or preset.example).endswith("/")


def test_names_of_presets():
    assert set(PRESETS) == {
        "openai", "azure", "deepseek", "qwen", "xai", "groq", "together", "fireworks", "openrouter", "cerebras",
        "moonshot", "zai", "minimax", "vllm", "llama-cpp", "lm-studio", "perplexity", "nvidia",
    }  # fmt: skip


RESOLVED = [
    # an unknown host (openai-chat.md 11, first column)
    ("openai-chat", None, {}, "max_tokens_field", "max_tokens"),
    ("openai-chat", None, {}, "developer_role", False),
    ("openai-chat", None, {}, "strict_tools", "off"),
    ("openai-chat", None, {}, "stream_usage", True),
    ("openai-chat", None, {}, "parallel_tool_calls", True),
    ("openai-chat", None, {}, "tool_choice", "no-allowed_tools"),
    ("openai-chat", None, {}, "custom_tools", "project"),
    ("openai-chat", None, {}, "response_format", "pass"),
    ("openai-chat", None, {}, "reasoning_style", "none"),
    ("openai-chat", None, {}, "reasoning_echo", "drop"),
    ("openai-chat", None, {}, "tool_result_name", False),
    ("openai-chat", None, {}, "assistant_after_tool_result", False),
    ("openai-chat", None, {}, "max_tools", 128),
    ("openai-chat", None, {}, "text_tool_calls", "off"),
    ("openai-chat", None, {}, "tools", "native"),
    ("openai-chat", None, {}, "store", False),
    # the contract's defaults
    ("openai-responses", None, {}, "strict_tools", "lossless"),
    ("openai-responses", None, {}, "store", False),
    ("anthropic-messages", None, {}, "cache", "auto"),
    ("anthropic-messages", None, {}, "betas", ("*",)),
    ("anthropic-messages", None, {}, "eager_input_streaming", "auto"),
    ("google-gemini", None, {}, "use_parameters", False),
    ("bedrock-converse", None, {}, "strict_tools", "off"),
    ("cohere-chat", None, {}, "sort_tools", False),
    # the exceptions
    ("openai-chat", "openai", {}, "max_tokens_field", "max_completion_tokens"),
    ("openai-chat", "openai", {}, "developer_role", True),
    ("openai-chat", "openai", {}, "tool_choice", "full"),
    ("openai-chat", "openai", {}, "custom_tools", "native"),
    ("openai-responses", "openai", {}, "custom_tools", "native"),
    ("openai-chat", "azure", {}, "key_header", "api-key"),
    ("openai-responses", "azure", {}, "key_header", "api-key"),
    ("openai-chat", "cerebras", {}, "max_tokens_field", "max_completion_tokens"),
    ("openai-chat", "minimax", {}, "max_tokens_field", "max_completion_tokens"),
    ("openai-chat", "deepseek", {}, "response_format", "json_object-only"),
    ("openai-chat", "deepseek", {}, "parallel_tool_calls", False),
    ("openai-chat", "moonshot", {}, "parallel_tool_calls", False),
    ("openai-chat", "zai", {}, "parallel_tool_calls", False),
    ("openai-chat", "lm-studio", {}, "tool_choice", "no-named"),
    ("openai-chat", "qwen", {}, "tool_choice", "no-required"),
    ("openai-chat", "perplexity", {}, "tools", "prompted"),
    ("openai-chat", "openrouter", {}, "reasoning_echo", "reasoning_details"),
    # what is configured wins
    ("openai-chat", "openai", {"developer_role": False}, "developer_role", False),
    ("openai-chat", None, {"max_tools": None}, "max_tools", None),
]


@pytest.mark.parametrize(("api", "preset", "compat", "flag", "value"), RESOLVED)
def test_resolve(api, preset, compat, flag, value):
    flags = resolve(api, preset, compat)
    assert flags[flag] == value
    assert set(flags) == set(defaults(api))


@pytest.mark.parametrize(
    ("api", "base_url", "preset"),
    [
        ("openai-chat", None, "openai"),
        ("openai-responses", None, "openai"),
        ("openai-chat", "https://api.openai.com/v1", "openai"),
        ("openai-chat", "https://API.openai.com/v1/", "openai"),
        ("openai-chat", "https://mine.openai.azure.com/openai/v1", "azure"),
        ("openai-chat", "https://api.deepseek.com/beta", "deepseek"),
        ("openai-responses", "https://api.deepseek.com", None),
        ("openai-chat", "http://127.0.0.1:8080/v1", None),
        ("openai-chat", "https://api.openai.com.example/v1", None),
        ("openai-chat", "https://openai.azure.com.example/v1", None),
        ("anthropic-messages", None, None),
    ],
)
def test_a_host_takes_its_preset(api, base_url, preset):
    assert preset_of(api, base_url) == preset


def test_text_forms_are_named_once():
    assert len(TEXT_FORMS) == len(set(TEXT_FORMS))
