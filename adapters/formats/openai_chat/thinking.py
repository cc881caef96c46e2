"""How much to reason, as each kind of host is told (wire page §7, §10, 2026-11)."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.format import Upstream
from adapters.formats.shared.effort import effort_of
from adapters.formats.shared.openai_models import Facts, facts, nearest, tools_while_reasoning
from adapters.model import NOTHING, Effort, Json, Part, Reasoning, Request, Thinking, ToolCall

NEXT_TO_TOOLS = (
    "reasoning_effort: none is sent, since {model} takes no function tools while it reasons here; "
    "a provider with api: openai-responses has both"
)
LOST = "reasoning: off for this answer, the calls before it came without the reasoning that their model checks"


@dataclass(slots=True, frozen=True)
class Told:
    """`fields` of the body; `sampling`: temperature and the like are taken; `on`: the host is asked to reason."""

    fields: dict[str, Json]
    sampling: bool = True
    on: bool = False


def known_model(upstream: Upstream) -> Facts | None:
    """What is known of the model, where the host is OpenAI's own."""
    if not upstream.compat.get("openai_reasoning_models", False):
        return None
    return facts(upstream.model) or facts(upstream.family or "")


def told(request: Request, upstream: Upstream, warnings: dict[str, None]) -> Told:
    """What the host is told."""
    thinking = request.thinking or Thinking()
    effort = thinking.effort
    if effort is None and thinking.budget is not None:
        effort = effort_of(thinking.budget)
    known = known_model(upstream)
    if known is not None:
        return _openai(effort, known, request, upstream, warnings)
    style = upstream.compat.get("reasoning_style", "none")
    if style == "none":
        if effort is not None:
            warnings["reasoning_effort: left out, the upstream has no such field"] = None
        return Told({})
    fields = _fields(style, effort, thinking)
    if style == "reasoning" and _asks(fields) and _lost(request, upstream):
        warnings[LOST] = None
        return Told({"reasoning": {"enabled": False}})
    return Told(fields, on=bool(fields) and effort != "none")


def _asks(fields: dict[str, Json]) -> bool:
    return bool(fields) and fields["reasoning"].get("enabled") is not False


def _lost(request: Request, upstream: Upstream) -> bool:
    """Whether a call of the turn under way came without the signed reasoning that Claude checks there (2026-11)."""
    if "claude" not in f"{upstream.model} {upstream.family}".lower():
        return False
    for message in reversed(request.messages):
        if message.role == "user":
            return False
        calls = any(isinstance(part, ToolCall) for part in message.parts)
        if calls and not any(_details(part) for part in message.parts):
            return True
    return False


def _details(part: Part) -> bool:
    return isinstance(part, Reasoning) and bool(part.extras.get("openai-chat", NOTHING).get("reasoning_details"))


def _openai(
    effort: Effort | None, known: Facts, request: Request, upstream: Upstream, warnings: dict[str, None]
) -> Told:
    if not known.efforts:
        if effort is not None and (known.reasons or effort != "none"):
            warnings[f"reasoning_effort: left out, {upstream.model} takes none"] = None
        return Told({}, not known.refuses_sampling(None))
    if effort is not None:
        taken = nearest(effort, known.efforts)
        if taken != effort:
            warnings[f"reasoning_effort: {upstream.model} takes {taken} instead of {effort}"] = None
        return Told({"reasoning_effort": taken}, not known.refuses_sampling(taken), taken != "none")
    functions = any(tool.kind == "function" for tool in request.tools)
    refused = not all(tools_while_reasoning(name) for name in (upstream.model, upstream.family or ""))
    if functions and refused and "none" in known.efforts:
        warnings[NEXT_TO_TOOLS.format(model=upstream.model)] = None
        return Told({"reasoning_effort": "none"}, not known.refuses_sampling("none"))
    return Told({}, not known.refuses_sampling(None))


def _fields(style: str, effort: Effort | None, thinking: Thinking) -> dict[str, Json]:
    on = effort != "none"
    budget = thinking.budget if thinking.budget is not None and thinking.budget > 0 else None
    match style:
        case "reasoning":
            fields: dict[str, Json] = {"exclude": True} if thinking.visible is False else {}
            if not on:
                fields["enabled"] = False
            elif budget is not None:
                fields["max_tokens"] = budget
            elif effort is not None:
                fields["effort"] = effort
            return {"reasoning": fields} if fields else {}
        case _ if effort is None:
            return {}
        case "effort":
            return {"reasoning_effort": effort}
        case "thinking":
            return {"thinking": {"type": "enabled" if on else "disabled"}}
        case "thinking-effort":
            switch: dict[str, Json] = {"thinking": {"type": "enabled" if on else "disabled"}}
            return {**switch, "reasoning_effort": "max" if effort == "xhigh" else effort} if on else switch
        case "reasoning-switch":
            return {"reasoning": {"enabled": on}}
        case "enable_thinking":
            return {"enable_thinking": on, **({"thinking_budget": budget} if on and budget is not None else {})}
        case "chat_template_kwargs":
            return {"chat_template_kwargs": {"enable_thinking": on}}
    return {}
