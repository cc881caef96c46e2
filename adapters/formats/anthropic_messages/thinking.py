"""`thinking` and `output_config.effort` of the Messages API (2026-11), read and decided.

A client of this API's own dialect has its words passed on where the model takes them; else, and for other dialects, the
neutral wish is put into the model's own form.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters.formats.anthropic_messages.wire import NAME, own
from adapters.formats.shared.claude import Facts
from adapters.formats.shared.claude_thinking import Limit, Plan, level, plan
from adapters.formats.shared.effort import effort_of
from adapters.model import Effort, Json, Thinking

_EFFORTS: Mapping[str, Effort] = {"low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max"}


def read(thinking: Mapping[str, Json] | None, effort: str | None, turn: str | None = None) -> Thinking | None:
    """The neutral wish, with the native words in its extras. Adaptive without an effort is a dynamic budget.

    `turn`: the effort that a system entry sets for the coming turn alone; it overrides `effort`.
    """
    if thinking is None and effort is None and turn is None:
        return None
    kind = thinking.get("type") if thinking is not None else None
    said = _EFFORTS.get(turn or effort or "")
    budget: int | None = None
    if kind in ("disabled", "between_tools"):
        said = "none"
    elif kind == "enabled" and thinking is not None and isinstance(thinking.get("budget_tokens"), int):
        budget = thinking["budget_tokens"]
        said = said or effort_of(budget)
    elif kind == "adaptive" and said is None:
        budget = -1
    display = thinking.get("display") if thinking is not None else None
    visible = None if display is None else display != "omitted"
    native: dict[str, Json] = {} if thinking is None else {"thinking": dict(thinking)}
    native.update({key: word for key, word in (("effort", effort), ("turn_effort", turn)) if word is not None})
    return Thinking(said, budget, visible, own(native))


def decide(wish: Thinking | None, facts: Facts, limits: Limit) -> Plan:
    """What to send: the client's own words where they still hold and the model takes them."""
    native: Mapping[str, Json] = wish.extras.get(NAME, {}) if wish is not None else {}
    if wish is None or not native or not _holds(wish, native):
        return plan(wish, facts, limits)
    thinking, effort = native.get("thinking"), native.get("effort")
    if not facts.system_entries:
        effort = native.get("turn_effort") or effort
    if thinking is not None and not _takes(thinking, facts, limits):
        return plan(wish, facts, limits)
    if effort is None or not facts.known or effort in facts.efforts:
        return Plan(limits.tokens, thinking, effort)
    sent = level(_EFFORTS.get(effort), facts)
    told = f"{sent} is sent" if sent else "left out"
    return Plan(limits.tokens, thinking, sent, (f"output_config.effort: {effort} is not known to the model, {told}",))


def _holds(wish: Thinking, native: Mapping[str, Json]) -> bool:
    """Whether the wish is still what the native words say: the operator may have overridden it."""
    before = read(native.get("thinking"), native.get("effort"), native.get("turn_effort"))
    return before is not None and (before.effort, before.budget) == (wish.effort, wish.budget)


def _takes(thinking: Mapping[str, Json], facts: Facts, limits: Limit) -> bool:
    budget = thinking.get("budget_tokens")
    if limits.warnings and isinstance(budget, int) and budget >= limits.tokens:
        return False
    if not facts.known:
        return True
    match thinking.get("type"):
        case "adaptive":
            return facts.thinking == "adaptive"
        case "enabled":
            return facts.thinking == "budget" or facts.budget_too
        case "disabled":
            return facts.off in ("disabled", "omit")
        case "between_tools":
            return facts.off == "between_tools"
    return True
