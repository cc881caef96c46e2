"""What Gemini models accept, by name, as data (2026-11): generation, thinking levels and budgets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Generation = tuple[int, int]

NEWEST: Generation = (3, 0)
"""Taken for names that say no generation (`gemini-flash-latest`, tuned models): new rules are supersets of old ones."""

LEVELS = ("MINIMAL", "LOW", "MEDIUM", "HIGH")
"""Thinking levels, lowest first."""

_LEVELS: dict[str, tuple[str, ...]] = {
    "3-pro": ("LOW", "HIGH"),
    "3.1-pro": ("LOW", "MEDIUM", "HIGH"),
    "3.7-flash": ("LOW", "MEDIUM", "HIGH"),
    "3.8-flash": ("LOW", "MEDIUM", "HIGH"),
    "4-argon": ("LOW", "MEDIUM", "HIGH"),
    "4-carbon": ("LOW", "MEDIUM", "HIGH"),
    "3.1-flash-lite-image": ("MINIMAL", "HIGH"),
}
"""Models that lack a level, by the name after `gemini-` without release suffixes."""

_BUDGETS: tuple[tuple[str, int, int, bool], ...] = (
    ("flash-lite", 512, 24576, True),
    ("flash", 1, 24576, True),
    ("pro", 128, 32768, False),
)
"""Gemini 2.5: word in the name, lowest and highest budget, whether 0 turns thinking off."""

_NAME = re.compile(r"gemini-(\d+)(?:\.(\d+))?(?:-|$)")
_OLD = re.compile(r"gemini-(?:ultra|pro|pro-vision)(?:-\d+)?$")
_RELEASE = re.compile(r"(?:-(?:preview|exp|latest|customtools|\d+))*$")


@dataclass(slots=True, frozen=True)
class Facts:
    """What a model accepts. `levels` where thinking is told by level, `budget` (lowest, highest) where by budget."""

    generation: Generation
    thinking: Literal["level", "budget", "none"]
    levels: tuple[str, ...] = ()
    budget: tuple[int, int] = (0, 0)
    can_stop_thinking: bool = False
    system: bool = True
    penalties: bool = True


def breaks_off(model: str, family: str | None = None) -> bool:
    """Whether the model may break a long answer off, to be asked on (Gemini 4, 2026-11); names that do not say may."""
    for name in (model, family or ""):
        if (found := _NAME.search(name.lower().rpartition("/")[2])) is not None:
            return int(found[1]) >= 4
    return "gemma" not in model.lower()


@lru_cache(maxsize=512)
def facts(model: str, family: str | None = None) -> Facts:
    """The facts of a model; its family's where the name alone says nothing."""
    name = model.lower().rpartition("/")[2]
    if "gemma" in name:
        return Facts((2, 0), "none", system=False)
    found = _NAME.search(name)
    if found is None and _OLD.search(name):
        return Facts((1, 0), "none")
    if found is None:
        return facts(family) if family and family != model else Facts(NEWEST, "level", LEVELS, penalties=False)
    generation = (int(found[1]), int(found[2] or 0))
    rest = name[found.start() + len("gemini-") :]
    if generation >= (3, 0):
        return Facts(generation, "level", _LEVELS.get(_RELEASE.sub("", rest), LEVELS), penalties=False)
    penalties = "preview" not in name
    if generation < (2, 5) or "image" in name:
        return Facts(generation, "none", penalties=penalties)
    for word, lowest, highest, can_stop in _BUDGETS:
        if word in rest:
            return Facts(generation, "budget", (), (lowest, highest), can_stop, penalties=penalties)
    return Facts(generation, "budget", (), (1, 24576), True, penalties=penalties)
