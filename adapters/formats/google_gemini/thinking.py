"""`thinkingConfig`: how much a model thinks, from effort or budget, by what the model takes (2026-11)."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.formats.google_gemini.models import LEVELS, Facts
from adapters.formats.google_gemini.target import API
from adapters.model import Effort, Json, Thinking

_EFFORT_LEVEL: dict[Effort, str] = {
    "minimal": "MINIMAL",
    "low": "LOW",
    "medium": "MEDIUM",
    "high": "HIGH",
    "xhigh": "HIGH",
    "max": "HIGH",
}
_EFFORT_BUDGET: dict[Effort, int] = {
    "none": 0,
    "minimal": 128,
    "low": 2048,
    "medium": 8192,
    "high": 24576,
    "xhigh": 24576,
    "max": 24576,
}
_LEVEL_ROOM = {"MINIMAL": 1024, "LOW": 2048, "MEDIUM": 8192, "HIGH": 24576}
LEAST_ROOM = 1024


@dataclass(slots=True, frozen=True)
class Config:
    """`body` is the thinkingConfig ({}: send none). `room`: tokens that thinking may take of the output limit."""

    body: dict[str, Json]
    room: int
    warnings: tuple[str, ...] = ()


def effort_of(budget: int) -> Effort | None:
    """The effort that a budget in tokens stands for; -1 leaves it to the model."""
    if budget < 0:
        return None
    if budget == 0:
        return "none"
    return "low" if budget <= 2048 else "medium" if budget <= 8192 else "high"


def config(asked: Thinking, model: Facts, vertex: bool, name: str) -> Config:
    """The thinkingConfig of a request that says something about thinking."""
    effort = asked.effort or (effort_of(asked.budget) if asked.budget is not None else None)
    match model.thinking:
        case "none":
            refused = effort not in (None, "none") or asked.visible
            return Config({}, 0, (f"reasoning effort: left out, {name} does not think",) if refused else ())
        case "level":
            made = _level(effort, model, vertex, name)
        case _:
            made = _budget(asked, effort, model, name)
    visible = asked.visible if asked.visible is not None else effort not in (None, "none")
    shown = {"includeThoughts": True} if visible and made.room else {}
    own = dict(asked.extras.get(API, {}))
    if own.get("thinkingLevel") == "XHIGH" and (effort != "xhigh" or model.thinking != "level" or vertex):
        del own["thinkingLevel"]
    return Config({**shown, **made.body, **own}, made.room if effort else 0, made.warnings)


def _level(effort: Effort | None, model: Facts, vertex: bool, name: str) -> Config:
    if effort is None:
        return Config({}, LEAST_ROOM)
    if effort == "none":
        if vertex and "3.1-pro" in name:
            return Config({"thinkingBudget": 0}, 0)
        lowest = model.levels[0]
        return Config({"thinkingLevel": lowest}, _LEVEL_ROOM[lowest],
                      (f"reasoning effort none: {name} cannot stop thinking, its lowest level {lowest} is asked for",))
    wanted = LEVELS.index(_EFFORT_LEVEL[effort])
    level = min(model.levels, key=lambda one: (abs(LEVELS.index(one) - wanted), LEVELS.index(one)))
    return Config({"thinkingLevel": level}, _LEVEL_ROOM[level])


def _budget(asked: Thinking, effort: Effort | None, model: Facts, name: str) -> Config:
    lowest, highest = model.budget
    if asked.budget is None and effort is None:
        return Config({}, LEAST_ROOM)
    wanted = asked.budget if asked.budget is not None else _EFFORT_BUDGET[effort or "low"]
    if wanted < 0:
        return Config({"thinkingBudget": -1}, LEAST_ROOM)
    if wanted == 0 and model.can_stop_thinking:
        return Config({"thinkingBudget": 0}, 0)
    budget = min(max(wanted, lowest), highest)
    told: tuple[str, ...] = ()
    if wanted == 0:
        told = (f"reasoning effort none: {name} cannot stop thinking, a budget of {lowest} tokens is asked for",)
    elif budget != wanted and asked.budget is not None:
        told = (f"thinking budget {wanted}: {name} takes {lowest} to {highest} tokens, {budget} is asked for",)
    return Config({"thinkingBudget": budget}, max(budget, LEAST_ROOM), told)
