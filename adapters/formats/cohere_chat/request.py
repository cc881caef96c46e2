"""Requests to Cohere's `/v2/chat` (2026-11), written.

The API refuses unknown fields, also inside tools: the body is built from a fixed list. Values outside of its ranges are
moved to the nearest one, each with a warning.
"""

from __future__ import annotations

from dataclasses import replace

from adapters import json
from adapters.errors import Rejected
from adapters.format import Outgoing, Upstream
from adapters.formats.cohere_chat.messages import written
from adapters.formats.cohere_chat.output import shape
from adapters.formats.cohere_chat.sampling import fields as sampling_fields
from adapters.formats.cohere_chat.tools import prepared_with_tools, tool
from adapters.formats.shared import builtins, left_out
from adapters.formats.shared.effort import BUDGETS, effort_of
from adapters.formats.shared.merge import merge
from adapters.model import NOTHING, Json, Request, Thinking

NAME = "cohere-chat"

_LEFT_OUT = left_out.FIELDS - {"top_k", "seed", "presence_penalty", "frequency_penalty", "logprobs"}
_CHOICES = {"required": "REQUIRED", "none": "NONE"}
"""Neutral mode -> word. auto is no value at all; a named tool is sent alone."""


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request.

    Body: model, stream, messages, tools, tool_choice, strict_tools, response_format, thinking, max_tokens,
    stop_sequences, temperature, p, k, seed, frequency_penalty, presence_penalty, logprobs.
    """
    warnings: dict[str, None] = {}
    if (request.sampling.n or 1) > 1:
        raise Rejected(f"{NAME} gives one answer a request, n must be 1", "n")
    shaped = shape(builtins.usable(request, NAME, {}, warnings), warnings)
    offer = prepared_with_tools(shaped.request, upstream, warnings)
    prepared = offer.prepared
    choice = prepared.request.tool_choice
    thinks = reasons(upstream)
    body: dict[str, Json] = {
        "model": upstream.model,
        "stream": True if request.stream else None,
        "messages": written(prepared.request.messages, thinks, warnings),
        "tools": [tool(one) for one in prepared.request.tools] or None,
        "tool_choice": _CHOICES.get(choice.mode) if choice is not None and prepared.request.tools else None,
        "strict_tools": True if offer.strict else None,
        "response_format": shaped.format,
        "thinking": _thinking(request.thinking, thinks, warnings),
        **sampling_fields(request.sampling, warnings),
    }
    body = {key: value for key, value in body.items() if value is not None}
    left_out.told(request, NAME, _LEFT_OUT, warnings)
    body = merge(merge(body, request.options.get(NAME, NOTHING)), upstream.options)
    return Outgoing(
        "/v2/chat", json.dumps(body), replace(prepared.reading, answer_tool=shaped.answer_tool), request.stream,
        {"accept": "text/event-stream"} if request.stream else {},
        warnings=tuple(dict.fromkeys((*warnings, *prepared.warnings))),
    )


def reasons(upstream: Upstream) -> bool:
    """Whether the model thinks apart from its tool plan (command-a-reasoning and its kin, 2026-11)."""
    return "reasoning" in (upstream.family or upstream.model).lower()


def _thinking(wish: Thinking | None, thinks: bool, warnings: dict[str, None]) -> Json:
    """On by default; a budget must be positive."""
    if wish is None:
        return None
    effort = wish.effort or (effort_of(wish.budget) if wish.budget is not None else None)
    if effort is None and wish.budget is None:
        return None
    if not thinks:
        if effort != "none":
            warnings["reasoning_effort: left out, the model does not think"] = None
        return None
    if effort == "none":
        return {"type": "disabled"}
    budget = wish.budget if wish.budget is not None and wish.budget > 0 else BUDGETS[effort] if effort else None
    return {"type": "enabled"} if budget is None else {"type": "enabled", "token_budget": budget}
