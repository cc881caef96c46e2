"""What is known of the model families behind Converse, as data (2026-11). What a family refuses is a 400.

Families are told by the model's id in any form: plain, with a region (`us.`, `global.`), as an ARN of a model or of an
inference profile. An application inference profile hides the model: there the configured `family` must name it. What no
row knows gets OTHER, the cautious row. For Claude see also the facts of each version in `shared/claude`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from adapters.format import Upstream
from adapters.formats.shared import claude
from adapters.model import Effort, Json


@dataclass(slots=True, frozen=True)
class Levels:
    """How a reasoning effort is said: where it stands in `additionalModelRequestFields`, the word for each effort.

    `beside` stands in the same object. An effort without a word is not sent; `stops`: "none" does switch reasoning off.
    """

    path: tuple[str, ...]
    words: Mapping[Effort, str]
    beside: Mapping[str, Json] = field(default_factory=dict)
    stops: bool = False


@dataclass(slots=True, frozen=True)
class Family:
    """One row.

    choice: `toolChoice` is known to be taken. status: the status of results is honoured. cache: cachePoints, placed by
    us or by the client alone; tool_cache: in the tool list too; hour: with a `ttl` of an hour. first_assistant: the
    conversation may begin with the assistant. sampling: temperature and topP are taken. top_k: the path of its field.
    reasoning: what goes back of it. in_results: media that a result may hold. beside_results: blocks that may share a
    turn with results (None: any). media: further media of user turns. structured: `outputConfig` and strict tools.
    json_results: results that are objects go as such. short_ids: call ids have just 9 letters and digits.
    streams_tools: it streams when tools are offered. system_tools: neutral word -> declaration.
    """

    name: str
    choice: bool = False
    status: bool = False
    cache: Literal["none", "client", "auto"] = "none"
    tool_cache: bool = False
    hour: bool = False
    first_assistant: bool = False
    sampling: bool = True
    top_k: tuple[str, ...] = ()
    levels: Levels | None = None
    reasoning: Literal["signed", "text", "none"] = "none"
    in_results: frozenset[str] = frozenset()
    beside_results: frozenset[str] | None = None
    media: frozenset[str] = frozenset()
    structured: bool = False
    json_results: bool = False
    short_ids: bool = False
    streams_tools: bool = True
    system_tools: Mapping[str, Json] = field(default_factory=dict)


_LOW: Mapping[Effort, str] = {"none": "low", "minimal": "low", "low": "low"}
_TO_HIGH: Mapping[Effort, str] = {**_LOW, "medium": "medium", "high": "high", "xhigh": "high", "max": "high"}
_TO_XHIGH: Mapping[Effort, str] = {**_TO_HIGH, "xhigh": "xhigh", "max": "xhigh"}
_TO_MAX: Mapping[Effort, str] = {**_TO_XHIGH, "max": "max"}
_SWITCH: Mapping[Effort, str] = {
    "none": "none", "minimal": "high", "low": "high", "medium": "high", "high": "high", "xhigh": "high", "max": "high",
}  # fmt: skip
_QWEN: Mapping[Effort, str] = {**_SWITCH, "minimal": "low", "low": "low"}
_NOVA: Mapping[Effort, str] = {effort: word for effort, word in _TO_HIGH.items() if effort != "none"}

_PLAIN = ("reasoning_effort",)
GPT_OSS = Levels(_PLAIN, _TO_HIGH)
OPENAI = Levels(("reasoning", "effort"), _TO_MAX)
GROK = Levels(("reasoning", "effort"), _TO_XHIGH)
QWEN = Levels(("reasoning_config",), _QWEN, stops=True)
SWITCH = Levels(_PLAIN, _SWITCH, stops=True)
GLM = Levels(_PLAIN, _TO_MAX)
NOVA = Levels(("reasoningConfig", "maxReasoningEffort"), _NOVA, {"type": "enabled"}, stops=True)

OTHER = Family("other", media=frozenset({"video", "audio"}))

_CLAUDE = Family(
    "claude", choice=True, status=True, cache="auto", tool_cache=True, first_assistant=True, top_k=("top_k",),
    reasoning="signed", in_results=frozenset({"image", "document", "text"}),
    beside_results=frozenset({"text", "image"}),
)  # fmt: skip
_NOVA_1 = Family(
    "nova", choice=True, status=True, cache="auto", top_k=("inferenceConfig", "topK"),
    in_results=frozenset({"image", "text"}), media=frozenset({"video", "audio"}),
    system_tools={"web_search": {"systemTool": {"name": "nova_grounding"}}},
)  # fmt: skip
_MISTRAL = Family(
    "mistral", choice=True, json_results=True, short_ids=True, in_results=frozenset({"document", "text"}),
    beside_results=frozenset(),
)  # fmt: skip
_LLAMA = Family("llama", in_results=frozenset({"image", "document", "text"}), beside_results=frozenset())
_GLM = Family("glm", choice=True, structured=True)

FAMILIES: tuple[tuple[str, Family], ...] = (
    (r"claude", _CLAUDE),
    (r"nova-2", replace(_NOVA_1, levels=NOVA)),
    (r"nova", _NOVA_1),
    (r"gpt-oss", Family("gpt-oss", levels=GPT_OSS)),
    (r"gpt-(?:5[.-][6-9]|[6-9])", Family("openai", sampling=False, cache="client", levels=OPENAI)),
    (r"magistral-small|ministral-3|mistral-large-3", replace(_MISTRAL, structured=True)),
    (r"mistral|ministral|magistral|mixtral|pixtral|devstral|voxtral", _MISTRAL),
    (r"llama-?[23](?!\d)", replace(_LLAMA, streams_tools=False)),
    (r"llama", _LLAMA),
    (r"qwen-?3", Family("qwen", first_assistant=True, structured=True, levels=QWEN)),
    (r"qwen", Family("qwen", first_assistant=True)),
    (r"deepseek[.-]r1", Family("deepseek", reasoning="text")),
    (r"deepseek[.-]v3[.-]2", Family("deepseek", levels=SWITCH)),
    (r"deepseek", Family("deepseek")),
    (r"gemma-3", Family("gemma", structured=True)),
    (r"glm-?5[.-]3", replace(_GLM, levels=GLM)),
    (r"glm-?(?:4[.-]7|5)", replace(_GLM, levels=SWITCH)),
    (r"glm", _GLM),
    (r"kimi", Family("kimi", choice=True, structured=True)),
    (r"minimax-m2", Family("minimax", structured=True)),
    (r"nemotron", Family("nemotron", structured=True)),
    (r"grok", Family("grok", choice=True, sampling=False, levels=GROK)),
    (r"palmyra", Family("palmyra", beside_results=frozenset())),
    (r"ai21|jamba", Family("ai21", streams_tools=False)),
)
"""A part of the model's id -> its row; the first that fits holds."""

_HOUR = re.compile(r"claude-(?:opus|sonnet|haiku|fable|mythos)-(?:4-[5-9]|[5-9])")
_TOOL_FORM = re.compile(
    r"claude-(?:opus-4-[78]|sonnet-4-6|haiku-4-5|(?:opus|sonnet|fable|haiku|mythos)-[5-9])(?!\d)"
)
"""Newer Claude models whose `outputConfig` is reported not to work: a forced tool takes the answer."""


@dataclass(slots=True, frozen=True)
class Known:
    """What is known of one model: its family and, for Claude, its version's facts (else OTHER's)."""

    family: Family
    facts: claude.Facts

    @property
    def claude(self) -> bool:
        return self.family.name == "claude"


def known(upstream: Upstream) -> Known:
    """By the family that the operator names, else by the model's id."""
    found = _known(upstream.family) if upstream.family else None
    return found if found is not None and found.family is not OTHER else _known(upstream.model)


@lru_cache(maxsize=1024)
def _known(model: str) -> Known:
    name = model.lower()
    family = next((row for pattern, row in FAMILIES if re.search(pattern, name)), OTHER)
    if family is not _CLAUDE:
        return Known(family, claude.OTHER)
    facts = claude.facts(name)
    dashed = name.replace(".", "-")
    structured = facts.structured and _TOOL_FORM.search(dashed) is None
    hour = _HOUR.search(dashed) is not None
    return Known(replace(family, structured=structured or not facts.forced, hour=hour), facts)
