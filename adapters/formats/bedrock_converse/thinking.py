"""How much to reason, in the family's own fields of `additionalModelRequestFields` (2026-11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adapters.formats.bedrock_converse.models import Known, Levels
from adapters.formats.shared.claude_thinking import Limit, Plan, plan
from adapters.formats.shared.effort import effort_of
from adapters.model import Json, Message, Reasoning, Thinking, ToolCall

NO_DISPLAY = "us-gov."
"""GovCloud refuses `thinking.display`."""


@dataclass(slots=True, frozen=True)
class Decided:
    """`fields` for the model, the output limit that goes with them, whether a thinking budget is spent."""

    max_tokens: int
    fields: dict[str, Json] = field(default_factory=dict)
    budgeted: bool = False
    thinks: bool = False
    warnings: tuple[str, ...] = ()


def decide(wish: Thinking | None, model: Known, limits: Limit, name: str) -> Decided:
    """What to send for the client's wish. `name` is the model's id."""
    if model.claude:
        return _claude(plan(wish, model.facts, limits), name)
    effort = None
    if wish is not None:
        effort = wish.effort or (effort_of(wish.budget) if wish.budget is not None else None)
    if effort is None:
        return Decided(limits.tokens)
    levels = model.family.levels
    if levels is None:
        told = () if effort == "none" else ("reasoning_effort: left out, the model is not known to take one",)
        return Decided(limits.tokens, warnings=told)
    word = levels.words.get(effort)
    if word is None:
        return Decided(limits.tokens)
    told = ("reasoning_effort: the model cannot stop reasoning, the lowest effort is sent",) if (
        effort == "none" and not levels.stops) else ()
    return Decided(limits.tokens, _at(levels, word), warnings=told)


def off(limits: Limit, told: str, fields: dict[str, Json] | None = None) -> Decided:
    """No thinking, though it was asked for."""
    return Decided(limits.tokens, fields or {}, warnings=(told,))


def _claude(made: Plan, name: str) -> Decided:
    fields: dict[str, Json] = {}
    if made.thinking is not None:
        fields["thinking"] = dict(made.thinking)
        if name.startswith(NO_DISPLAY):
            fields["thinking"].pop("display", None)
    if made.effort is not None:
        fields["output_config"] = {"effort": made.effort}
    thinks = made.thinking is not None and made.thinking.get("type") in ("enabled", "adaptive")
    return Decided(made.max_tokens, fields, made.budgeted, thinks, made.warnings)


def _at(levels: Levels, word: str) -> dict[str, Json]:
    """The word at its path, with what stands beside it."""
    *outer, last = levels.path
    made: dict[str, Json] = {**levels.beside, last: word}
    for name in reversed(outer):
        made = {name: made}
    return made


def lost(messages: Sequence[Message]) -> bool:
    """Whether the tool turn under way has calls but no signed thinking: with a thinking budget that is a 400."""
    called = False
    for message in reversed(messages):
        if message.role == "assistant":
            if any(isinstance(part, Reasoning) for part in message.parts):
                return False
            called = called or any(isinstance(part, ToolCall) for part in message.parts)
        elif message.role != "tool":
            break
    return called
