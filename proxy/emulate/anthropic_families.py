"""Rules that differ between Claude models (anthropic-messages §3, §5, §7, §8, 2026-11), chosen by `agent-FAMILY`.

The family is found by the longest beginning in the table; without one everything is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ALL_MODES = frozenset({"adaptive", "enabled", "disabled", "between_tools"})
ALL_EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Family:
    """What a model takes.

    `modes` are the accepted thinking types, `thinks` says whether it thinks when none is given, `off_needs_low` that
    switching it off needs an effort of at most high. `sampling`: all parameters, `one` of temperature and top_p, or
    `none`. `bound`: thinking blocks are bound to all that stands before them. `omits`: thinking text is left out
    unless asked for. `strict`: strict tools and output formats. `most` is the largest `max_tokens`.
    """

    modes: frozenset[str] = ALL_MODES
    thinks: bool = False
    off_needs_low: bool = False
    efforts: tuple[str, ...] = ALL_EFFORTS
    sampling: Literal["all", "one", "none"] = "all"
    prefill: bool = True
    system_turns: bool = True
    forcing: bool = True
    bound: bool = False
    omits: bool = False
    strict: bool = True
    most: int = 128_000


def _modes(names: str) -> frozenset[str]:
    return frozenset(names.split())


_OLD = Family(_modes("disabled"), efforts=(), system_turns=False, strict=False, most=8192)
_BUDGET = Family(_modes("enabled disabled"), efforts=(), sampling="one", system_turns=False, strict=False, most=64_000)
_BUDGET_STRICT = Family(_modes("enabled disabled"), efforts=(), sampling="one", system_turns=False, most=64_000)
_FOUR_SIX = Family(
    _modes("adaptive enabled disabled"), efforts=("low", "medium", "high", "max"), sampling="one", prefill=False,
    system_turns=False,
)  # fmt: skip
_FOUR_SEVEN = Family(_modes("adaptive disabled"), sampling="none", prefill=False, system_turns=False, omits=True)
_FOUR_EIGHT = Family(_modes("adaptive disabled"), sampling="none", prefill=False, omits=True)
_FIVE = Family(_modes("adaptive disabled"), thinks=True, sampling="none", prefill=False, omits=True)
_OPUS_FIVE = Family(
    _modes("adaptive disabled"), thinks=True, off_needs_low=True, sampling="none", prefill=False, omits=True
)
_HAIKU_FIVE_FIVE = Family(
    _modes("adaptive disabled"), thinks=True, off_needs_low=True, sampling="none", prefill=False, bound=True, omits=True
)
_SONNET_FIVE_FIVE = Family(
    _modes("adaptive between_tools"), thinks=True, off_needs_low=True, sampling="none", prefill=False, forcing=False,
    bound=True, omits=True,
)  # fmt: skip
_ALWAYS = Family(_modes("adaptive"), thinks=True, sampling="none", prefill=False, omits=True)
_ALWAYS_UNFORCED = Family(_modes("adaptive"), thinks=True, sampling="none", prefill=False, forcing=False, omits=True)
_ALWAYS_BOUND = Family(
    _modes("adaptive"), thinks=True, sampling="none", prefill=False, forcing=False, bound=True, omits=True
)

FAMILIES: dict[str, Family] = {
    "": Family(),
    "claude-3": _OLD,
    "claude-3-7": Family(_modes("enabled disabled"), efforts=(), system_turns=False, strict=False, most=64_000),
    "claude-sonnet-4": _BUDGET,
    "claude-opus-4": Family(
        _modes("enabled disabled"), efforts=(), sampling="one", system_turns=False, strict=False, most=32_000
    ),
    "claude-opus-4-1": Family(_modes("enabled disabled"), efforts=(), sampling="one", system_turns=False, most=32_000),
    "claude-haiku-4-5": _BUDGET_STRICT,
    "claude-sonnet-4-5": _BUDGET_STRICT,
    "claude-opus-4-5": Family(
        _modes("enabled disabled"), efforts=("low", "medium", "high"), sampling="one", system_turns=False, most=64_000
    ),
    "claude-opus-4-6": _FOUR_SIX,
    "claude-sonnet-4-6": _FOUR_SIX,
    "claude-opus-4-7": _FOUR_SEVEN,
    "claude-opus-4-8": _FOUR_EIGHT,
    "claude-opus-5": _OPUS_FIVE,
    "claude-sonnet-5": _FIVE,
    "claude-haiku-5-5": _HAIKU_FIVE_FIVE,
    "claude-sonnet-5-5": _SONNET_FIVE_FIVE,
    "claude-opus-5-5": _ALWAYS_BOUND,
    "claude-fable-5": _ALWAYS,
    "claude-fable-5-1": _ALWAYS_BOUND,
    "claude-fable-5-2": _ALWAYS_BOUND,
    "claude-mythos-5": _ALWAYS,
    "claude-mythos-5-1": _ALWAYS_UNFORCED,
    "claude-mythos-5-2": _ALWAYS_BOUND,
    "claude-mythos-preview": _ALWAYS,
}


def family(name: str) -> Family:
    """The rules of a model name."""
    found = [prefix for prefix in FAMILIES if name == prefix or name.startswith(f"{prefix}-" if prefix else "")]
    return FAMILIES[max(found, key=len)]
