"""What is known of OpenAI's models by their names: which reason, which efforts they take (openai-chat §7, 2026-11)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from adapters.model import Effort

ORDER: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(slots=True, frozen=True)
class Facts:
    """`efforts`: what `reasoning_effort` may say, () where the model takes none; `default`: where nobody says."""

    reasons: bool
    efforts: tuple[Effort, ...] = ()
    default: Effort | None = None

    def refuses_sampling(self, effort: Effort | None) -> bool:
        """Whether temperature and the like are a 400: for a model while it reasons."""
        return self.reasons and (effort or self.default) != "none"


def refuses_stop(model: str) -> bool:
    """Whether `stop` is a 400: for reasoning models since o3."""
    known = facts(model)
    return known is not None and known.reasons and not model.rsplit("/", 1)[-1].lower().startswith("o1")


_PLAIN = Facts(False)
_O = Facts(True, ("low", "medium", "high"), "medium")
_FIXED = Facts(True)
_OSS = Facts(False, ("low", "medium", "high"), "medium")
_GPT = re.compile(r"gpt-(?P<major>\d+)(?:\.(?P<minor>\d+))?(?P<rest>.*)")


@lru_cache(maxsize=1024)
def facts(model: str) -> Facts | None:
    """None: no model of OpenAI's, as far as its name tells. A vendor before a slash does not count."""
    name = model.rsplit("/", 1)[-1].lower()
    if name.startswith("gpt-oss"):
        return _OSS
    if re.match(r"o\d(?:$|-)", name):
        return _FIXED if name.startswith(("o1-mini", "o1-preview")) else _O
    if name.startswith(("gpt-3.5", "gpt-4", "chatgpt-4")):
        return _PLAIN
    found = _GPT.match(name)
    if found is None or int(found["major"]) < 5:
        return None
    return _gpt(int(found["major"]), int(found["minor"] or 0), found["rest"])


def tools_while_reasoning(model: str) -> bool:
    """Whether Chat Completions takes function tools while the model reasons: up to gpt-5.3."""
    found = _GPT.match(model.rsplit("/", 1)[-1].lower())
    return found is None or (int(found["major"]), int(found["minor"] or 0)) < (5, 4)


def _gpt(major: int, minor: int, rest: str) -> Facts:
    version = (major, minor)
    if "chat" in rest:
        return _PLAIN if version == (5, 0) else _FIXED
    efforts: list[Effort] = ["minimal", "low", "medium", "high"]
    if version >= (5, 1) and "-pro" not in rest:
        efforts.insert(0, "none")
    if version >= (5, 2):
        efforts.append("xhigh")
    if version >= (5, 6):
        efforts.remove("minimal")
        efforts.append("max")
    sleeps = (5, 1) <= version <= (5, 4) and "none" in efforts
    return Facts(True, tuple(efforts), "none" if sleeps else "medium")


def nearest(effort: Effort, efforts: tuple[Effort, ...]) -> Effort:
    """The effort itself where it is taken, else the next lower one that still reasons, else the lowest."""
    if effort in efforts:
        return effort
    awake = [one for one in efforts if one != "none"]
    lower = [one for one in awake if ORDER.index(one) < ORDER.index(effort)]
    return lower[-1] if lower else awake[0]
