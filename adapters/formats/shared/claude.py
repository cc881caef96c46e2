"""What is known of Claude models, wherever they run: limits, ways to think, fields they refuse (2026-11).

A row holds for its version of a line and for later ones up to the next row, so a newer model is taken for the newest
row of its line. Bedrock, Vertex and router spellings of a name (`us.anthropic.claude-…-v1:0`, `claude-…@date`,
`anthropic/claude-opus-4.5`) are understood. A name that is no Claude's gets OTHER, the cautious row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal


@dataclass(slots=True, frozen=True)
class Facts:
    """One row.

    maximum: the largest `max_tokens` (None: unknown). default_stream, default_whole: what to send when nobody says.
    thinking: how it is asked for; `budget_too`: an adaptive model that takes a budget as well. off: how it is switched
    off ("never": it cannot be). default_on: it thinks when nobody asks. efforts: the effort levels it takes.
    sampling: temperature and top_p both, only one of them, or none. structured: `output_config.format` and strict
    tools. prefill: it continues an assistant message. forced: tool_choice may force a call. system_entries: it honours
    system messages inside the conversation. bound: its signatures are bound to everything before them.
    """

    maximum: int | None
    default_stream: int
    default_whole: int
    thinking: Literal["none", "budget", "adaptive"]
    budget_too: bool = False
    off: Literal["omit", "disabled", "between_tools", "never"] = "omit"
    default_on: bool = False
    efforts: tuple[str, ...] = ()
    sampling: Literal["both", "one", "none"] = "one"
    structured: bool = False
    prefill: bool = True
    forced: bool = True
    system_entries: bool = False
    bound: bool = False
    known: bool = True


_TO_HIGH = ("low", "medium", "high")
_ALL = ("low", "medium", "high", "xhigh", "max")

OTHER = Facts(None, 8192, 8192, "budget", sampling="both", known=False)

_3 = Facts(4096, 4096, 4096, "none", sampling="both")
_35 = replace(_3, maximum=8192)
_37 = replace(_3, maximum=64_000, thinking="budget")
_SONNET_4 = replace(_37, sampling="one")
_OPUS_4 = replace(_SONNET_4, maximum=32_000)
_45 = replace(_SONNET_4, default_stream=32_000, default_whole=20_000, structured=True)
_46 = Facts(
    128_000, 128_000, 20_000, "adaptive", True, "disabled", efforts=(*_TO_HIGH, "max"), structured=True, prefill=False
)
_47 = replace(_46, budget_too=False, efforts=_ALL, sampling="none")
_48 = replace(_47, system_entries=True)
_5 = replace(_47, default_on=True)
_OPUS_5 = replace(_5, system_entries=True)
_ALWAYS = replace(_OPUS_5, off="never")
_BOUND = replace(_ALWAYS, forced=False, bound=True)

_LINES: dict[str, tuple[tuple[tuple[int, int], Facts], ...]] = {
    "opus": (
        ((3, 0), _3),
        ((4, 0), _OPUS_4),
        ((4, 1), replace(_OPUS_4, structured=True)),
        ((4, 5), replace(_45, efforts=_TO_HIGH)),
        ((4, 6), _46),
        ((4, 7), _47),
        ((4, 8), _48),
        ((5, 0), _OPUS_5),
        ((5, 5), _BOUND),
    ),
    "sonnet": (
        ((3, 0), _3),
        ((3, 5), _35),
        ((3, 7), _37),
        ((4, 0), _SONNET_4),
        ((4, 5), _45),
        ((4, 6), _46),
        ((5, 0), _5),
        ((5, 5), replace(_BOUND, off="between_tools")),
    ),
    "haiku": (
        ((3, 0), _3),
        ((3, 5), _35),
        ((4, 5), _45),
        ((5, 5), replace(_OPUS_5, bound=True)),
    ),
    "fable": (((5, 0), _ALWAYS), ((5, 1), _BOUND)),
    "mythos": (
        ((0, 0), replace(_ALWAYS, system_entries=False)),
        ((5, 0), _ALWAYS),
        ((5, 1), replace(_BOUND, bound=False)),
        ((5, 2), _BOUND),
    ),
}
"""Line -> rows by version. mythos-preview has no version."""

_LINE_FIRST = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?![\d])")
_VERSION_FIRST = re.compile(r"claude-(\d)(?:-(\d{1,2}))?-(opus|sonnet|haiku)")


@lru_cache(maxsize=1024)
def facts(model: str) -> Facts:
    """The row of a model or family name."""
    name = model.lower().replace(".", "-")
    if found := _VERSION_FIRST.search(name):
        return _row(found[3], (int(found[1]), int(found[2] or 0)))
    if found := _LINE_FIRST.search(name):
        unknown = (0, 0) if "-preview" in name else (99, 0)
        return _row(found[1], (int(found[2]), int(found[3] or 0)) if found[2] else unknown)
    return _3 if re.search(r"claude-(2|instant)", name) else OTHER


def _row(line: str, version: tuple[int, int]) -> Facts:
    rows = _LINES[line]
    held = [row for at, row in rows if at <= version]
    return held[-1] if held else rows[0][1]
