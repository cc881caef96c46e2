"""How much a Claude model is to think, and the output limit that goes with it: the neutral wish in its own fields.

Facts: Messages API, 2026-11. Budgets must be at least 1024 and less than `max_tokens`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.formats.shared.claude import Facts
from adapters.formats.shared.effort import BUDGETS, effort_of
from adapters.model import Effort, Json, Thinking

LEAST = 1024
"""The smallest budget."""

_LEVELS: Mapping[Effort, tuple[str, ...]] = {
    "minimal": ("low",),
    "low": ("low",),
    "medium": ("medium",),
    "high": ("high",),
    "xhigh": ("xhigh", "max", "high"),
    "max": ("max", "high"),
}


@dataclass(slots=True, frozen=True)
class Plan:
    """`thinking` and `effort` as the wire has them (None: the field is left out), `max_tokens` with room for both."""

    max_tokens: int
    thinking: Mapping[str, Json] | None = None
    effort: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def budgeted(self) -> bool:
        """Whether the model thinks within a budget: then no call can be forced and no assistant message continued."""
        return self.thinking is not None and self.thinking.get("type") == "enabled"


@dataclass(slots=True, frozen=True)
class Limit:
    """The output limit, asked for or the default, and the most that the model takes (None: unknown)."""

    tokens: int
    ceiling: int | None = None
    warnings: tuple[str, ...] = ()


def limit(asked: int | None, facts: Facts, ceiling: int | None, stream: bool) -> Limit:
    """`ceiling` is what the operator knows of the model. A limit above what the model takes is lowered."""
    known = [most for most in (facts.maximum, ceiling) if most is not None]
    most = min(known) if known else None
    wanted = asked if asked is not None else (facts.default_stream if stream else facts.default_whole)
    if most is None or wanted <= most:
        return Limit(wanted, most)
    told = () if asked is None else (f"max_tokens: {asked} is more than the model takes, {most} is sent",)
    return Limit(most, most, told)


def level(effort: Effort | None, facts: Facts) -> str | None:
    """The model's own effort level nearest to this one; None where it has none."""
    return next((word for word in _LEVELS.get(effort, ()) if word in facts.efforts), None) if effort else None


def plan(wish: Thinking | None, facts: Facts, limits: Limit) -> Plan:
    """What to send for the client's wish."""
    if wish is None or (wish.effort is None and wish.budget is None and wish.visible is not True):
        return Plan(limits.tokens)
    effort = wish.effort or (effort_of(wish.budget) if wish.budget is not None else None)
    if facts.thinking == "none":
        told = ("reasoning_effort: left out, the model does not think",) if effort not in (None, "none") else ()
        return Plan(limits.tokens, warnings=told)
    if limits.tokens == 0:  # only fills the prompt cache
        return Plan(0)
    if effort == "none":
        return _off(facts, limits)
    if facts.thinking == "adaptive":
        display = "omitted" if wish.visible is False else "summarized"
        return Plan(limits.tokens, {"type": "adaptive", "display": display}, level(effort, facts))
    return _budget(wish, effort, facts, limits)


def _off(facts: Facts, limits: Limit) -> Plan:
    match facts.off:
        case "disabled" | "between_tools":
            return Plan(limits.tokens, {"type": facts.off})
        case "never":
            told = "reasoning_effort: the model cannot stop thinking, the lowest effort is sent"
            return Plan(limits.tokens, {"type": "adaptive"}, "low", (told,))
    return Plan(limits.tokens)


def _budget(wish: Thinking, effort: Effort | None, facts: Facts, limits: Limit) -> Plan:
    """A budget and room for the answer: the limit is raised, else the budget lowered, else thinking is off."""
    budget = wish.budget if wish.budget is not None and wish.budget > 0 else BUDGETS[effort or "medium"]
    budget = max(budget, LEAST)
    tokens = limits.tokens
    if tokens <= budget:
        answer, tokens = tokens, budget + tokens
        if limits.ceiling is not None and tokens > limits.ceiling:
            tokens = limits.ceiling
            budget = tokens - min(answer, tokens // 2)
    if budget < LEAST:
        told = "reasoning_effort: left out, the output limit leaves no room for thinking"
        return Plan(limits.tokens, warnings=(told,))
    thinking: dict[str, Json] = {"type": "enabled", "budget_tokens": budget}
    if wish.visible is False and facts.known:
        thinking["display"] = "omitted"
    return Plan(tokens, thinking)
