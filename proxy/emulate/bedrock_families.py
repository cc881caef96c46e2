"""Rules that differ between the model families on Bedrock (bedrock-converse §2–§8, 2026-11).

The family is found in the model's name, of whatever region and vendor prefix; without one everything is allowed that
a Claude model allows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from proxy.emulate.anthropic_families import Family as Claude
from proxy.emulate.anthropic_families import family as claude_family

Reasoning = Literal["claude", "text", "none"]
"""Signed as Claude's, plain, or not there."""


@dataclass(frozen=True, slots=True)
class Family:
    """What a model takes.

    `choice`: whether it knows `toolChoice`. `cache` are the lifetimes of its cache points. `starts` and `ends` say
    whether a conversation may begin or end with the assistant. `system_turns`: system messages between others. `ids`
    of nine letters. `status` of results. `media` in results, `beside` results in one turn. `known` names of
    `additionalModelRequestFields` (None: all). `strict`: strict tools and output schemas.
    """

    name: str = ""
    choice: bool = True
    cache: tuple[str, ...] = ("5m", "1h")
    starts: bool = True
    ends: bool = True
    system_turns: bool = True
    ids: bool = False
    status: bool = True
    media: frozenset[str] = frozenset({"image", "document", "video"})
    beside: frozenset[str] = frozenset({"text", "image", "document", "video", "audio"})
    known: frozenset[str] | None = None
    reasoning: Reasoning = "claude"
    strict: bool = True
    claude: Claude | None = None


_CLAUDE_KNOWN = frozenset({
    "thinking", "output_config", "anthropic_beta", "tool_choice", "top_k", "context_management", "metadata",
    "reasoning_config",
})  # fmt: skip


def _fields(names: str) -> frozenset[str]:
    return frozenset(names.split())


_OTHER = Family("other", cache=(), starts=False, ends=False, system_turns=False, known=frozenset(),
                reasoning="none", strict=False, media=frozenset())  # fmt: skip


def _of(name: str, **changes: object) -> Family:
    values = {field: getattr(_OTHER, field) for field in Family.__slots__} | {"name": name} | changes
    return Family(**values)


_NOVA_GIVES = {"media": _fields("image document"), "beside": _fields("text image document video")}
FAMILIES: dict[str, Family] = {
    "nova": _of(
        "nova", cache=("5m",), known=_fields("inferenceConfig reasoningConfig"), reasoning="text", **_NOVA_GIVES
    ),
    "mistral": _of("mistral", ids=True, media=_fields("document"), beside=frozenset(), strict=True),
    "llama": _of("llama", choice=False, media=_fields("image document"), beside=frozenset()),
    "palmyra": _of("palmyra", choice=False, status=False, beside=frozenset()),
    "command": _of("command", choice=False),
    "titan": _of("titan", choice=False),
    "jamba": _of("jamba", choice=False),
    "qwen": _of("qwen", starts=True, known=_fields("reasoning_config"), reasoning="text", strict=True),
    "gpt-oss": _of("gpt-oss", known=_fields("reasoning_effort"), reasoning="text"),
    "deepseek": _of("deepseek", known=_fields("reasoning_effort"), reasoning="text"),
    "glm": _of("glm", known=_fields("reasoning_effort"), reasoning="text", strict=True),
    "kimi": _of("kimi", known=_fields("reasoning_effort"), reasoning="text", strict=True),
    "grok": _of("grok", known=_fields("reasoning"), reasoning="text"),
    "gpt": _of("gpt", known=_fields("reasoning"), reasoning="text", cache=("5m",)),
}

_PREFIX = re.compile(
    r"(?:arn:.*/)?(?:(?:us|eu|apac|au|jp|us-gov|global)\.)?(?:(?:anthropic|amazon|mistral|meta|cohere|openai|deepseek|qwen"
    r"|ai21|writer|zai|moonshotai?|xai|google|nvidia|minimax)\.)?(?P<rest>.*)"
)
_VERSION = re.compile(r"-\d{8}.*|-v\d.*")


def family(name: str) -> Family:
    """The rules of a model name."""
    if not name:
        return Family()
    found = _PREFIX.fullmatch(name)
    rest = found["rest"] if found else name
    if rest.startswith("claude"):
        claude = claude_family(_VERSION.sub("", rest))
        return Family(
            "claude", ends=claude.prefill, system_turns=claude.system_turns, media=_fields("image document"),
            beside=_fields("text image"), known=_CLAUDE_KNOWN, strict=claude.strict, claude=claude,
        )  # fmt: skip
    for start, rules in FAMILIES.items():
        if rest.startswith(start) or (start == "mistral" and rest.startswith(("ministral", "magistral", "pixtral"))):
            return rules
    return _OTHER
