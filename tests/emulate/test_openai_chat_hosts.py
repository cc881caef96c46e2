"""Each preset against the host that it is for: what it sends is taken, and without a flag that shows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from adapters import json
from adapters.compat import defaults
from adapters.errors import Rejected
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
from adapters.presets import PRESETS
from proxy.config.model import Provider
from proxy.emulate.api import Received, Refused
from proxy.emulate.openai_chat import API as EMULATED
from proxy.emulate.openai_chat_families import signature
from proxy.emulate.openai_chat_hosts import PLAYED
from proxy.reference import providers
from tests.serving import config_of

Json = Any
OWN = "openai-chat"
MODELS = {
    "openai": (("gpt-5.1", "gpt-5.1"), ("of-tomorrow", "")),
    "azure": (("o3", "o3"), ("my-deployment", "azure")),
    "deepseek": (("deepseek-v4-pro", "deepseek-v4-pro"),),
    "xai": (("grok-4", "xai"),),
    "moonshot": (("kimi-k2.6", "kimi-k2.6"),),
    "openrouter": (("anthropic/claude-opus-4.6", "openrouter-claude"),),
}
"""Preset -> models, and the families of the emulated ones; else the preset's name is the family."""

NAMES = tuple(name for name, preset in PRESETS.items() if OWN in preset.compat)
READ = frozenset({"text_tool_calls", "inline_think", "repeats", "key_header"})
"""Of answers and keys, not of bodies: each has tests of its own."""

TOLD = frozenset({
    "custom_tools", "developer_role", "metadata", "prompt_cache_key", "service_tier", "store", "strict_tools",
    "parsed_arguments", "cache", "reasoning_echo",
})  # fmt: skip
"""What a host takes, and does not miss: its flag shows in the body alone."""

MOOT = frozenset({("perplexity", "parallel_tool_calls"), ("deepseek", "strict_formats")})
"""Tools in the prompt leave nothing that could be parallel; strict tools are for DeepSeek's `/beta`."""

FLAGS = [
    (name, flag) for name in NAMES for flag, value in sorted(PRESETS[name].compat[OWN].items())
    if value != defaults(OWN)[flag] and flag not in READ and (name, flag) not in MOOT
]  # fmt: skip

SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "pattern": "x"},
        "b": {"type": "string", "anyOf": [{"enum": ["x"]}, {"pattern": "^y$"}]},
    },
    "required": ["a", "b"],
    "additionalProperties": False,
}  # fmt: skip
F, G = Tool("f", "d", SCHEMA, strict=True), Tool("g", "d", {"type": "object", "properties": {}}, cache=CacheMark())
DETAIL = {"type": "reasoning.text", "text": "Hm.", "signature": signature("Hm."), "index": 0}
DETAILS: Json = {OWN: {"reasoning_details": [DETAIL]}}
HI = Message("user", (Text("Hi, as JSON."),), name="ann")
TURN = (
    Message("developer", (Text("Be brief."),)),
    HI,
    Message("assistant", (Reasoning("Hm.", extras=DETAILS), ToolCall("call_1", "f", '{"a":'))),
    Message("tool", (ToolResult("call_1", (Text("ok"),)),)),
    Message("user", (Text("Go on, as JSON."),)),
)
SAMPLING = Sampling(
    max_tokens=50, temperature=0.5, presence_penalty=0.5, frequency_penalty=0.5, logit_bias={"1": 2}, logprobs=True,
    top_logprobs=2, seed=7, stop=("END",), n=1,
)  # fmt: skip
BASE = Request("m", TURN, (F, G), dialect="chat", store=True, metadata={"a": "b"}, service_tier="auto", cache_key="k")
MOST = tuple(Tool(f"t{number}", None, {"type": "object", "properties": {}}) for number in range(129))
ASKED = (
    BASE,
    replace(BASE, sampling=SAMPLING),
    replace(BASE, parallel=False),
    replace(BASE, tool_choice=ToolChoice("required")),
    replace(BASE, tool_choice=ToolChoice("named", ("f",))),
    replace(BASE, tool_choice=ToolChoice("allowed", ("f",))),
    replace(BASE, tools=(), messages=(HI,), output=OutputFormat("schema", SCHEMA, "answer")),
    replace(BASE, tools=(Tool("q", "d", kind="custom"),), messages=(HI,)),
    replace(BASE, tools=MOST, messages=(HI,)),
    *(replace(BASE, messages=(HI,), thinking=Thinking(effort)) for effort in ("low", "none")),
)
LONG = replace(BASE, messages=(HI, Message("assistant", (ToolCall("call_" + "1" * 60, "f", "{}"),))))
"""For OpenAI's own hosts: others take ids of any length."""



@cache
def provider(name: str) -> Provider:
    text = f"providers: {{it: {{preset: {name}, api: {OWN}, base_url: 'http://127.0.0.1:9/v1', api_key: k}}}}"
    return config_of(text).providers["it"]


@cache
def outcomes(name: str, without: str | None = None) -> tuple[list[str], list[bytes]]:
    """What the host says to each request (whether it reasons, or why it refuses), and what it was sent."""
    known, told, sent = provider(name), [], []
    for model, family in MODELS.get(name, (("m", name),)):
        flags = {**known.flags(model), **({without: defaults(OWN)[without]} if without else {})}
        upstream = Upstream(model, "o", flags, options=known.provider_options.get(OWN, {}))
        for request in (*ASKED, LONG) if name in ("openai", "azure") else ASKED:
            try:
                body = API.encode(request, upstream).body
            except Rejected as error:
                told.append(f"rejected: {error}")
                continue
            sent.append(body)
            told.append(_outcome({**json.loads(body), "model": f"agent-{family}".rstrip("-")}))
    return told, sent


def _outcome(body: Json) -> str:
    try:
        ask = EMULATED.read(Received(OWN, "POST", "/v1/chat/completions", {}, {}, {}, json.dumps(body), body))
    except Refused as error:
        return f"refused: {error}"
    return "reasons" if ask.task.reasoning else "answers"


@pytest.mark.parametrize("name", NAMES)
def test_what_a_preset_sends_is_taken(name: str) -> None:
    told, _ = outcomes(name)
    limited = provider(name).flags("m")["max_tools"] == 128 and name != "perplexity"
    over = ["rejected: 129 tools, but the upstream takes at most 128"] * limited * len(MODELS.get(name, "1"))
    assert [one for one in told if one not in ("reasons", "answers")] == over


@pytest.mark.parametrize(("name", "flag"), FLAGS)
def test_a_flag_of_a_preset_shows(name: str, flag: str) -> None:
    """Without it the host refuses something, or does not hear the wish to reason."""
    told, sent = outcomes(name)
    told_without, sent_without = outcomes(name, flag)
    full = flag == "tool_choice" and name in ("openai", "azure")
    assert sent != sent_without if flag in TOLD or full else told != told_without


def test_presets_without_an_emulated_host_are_listed_as_addresses_alone() -> None:
    assert {name for name, flag in FLAGS if flag not in TOLD} == set(PLAYED) & set(PRESETS)
    rows = {line.split("`")[1]: line for line in providers().splitlines() if line.startswith("| `")}
    assert {name for name in PRESETS if "address only" in rows[name]} == set(PRESETS) - set(PLAYED)
