"""Requests to Cohere's `/v2/chat` (2026-11), written.

The API refuses unknown fields, also inside tools: the body is built from a fixed list. Values outside of its ranges are
moved to the nearest one, each with a warning.
"""

from __future__ import annotations

import re
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
from adapters.model import NOTHING, Effort, Json, Request, Thinking

NAME = "cohere-chat"

_LEFT_OUT = left_out.FIELDS - {"top_k", "seed", "presence_penalty", "frequency_penalty", "logprobs"}
_COHERES = re.compile(r"command|c4ai|aya")
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
    body: dict[str, Json] = {
        "model": upstream.model,
        "stream": True if request.stream else None,
        "messages": written(prepared.request.messages, _thinks(request.thinking, upstream), warnings),
        "tools": [tool(one) for one in prepared.request.tools] or None,
        "tool_choice": _CHOICES.get(choice.mode) if choice is not None and prepared.request.tools else None,
        "strict_tools": True if offer.strict else None,
        "response_format": shaped.format,
        "thinking": _thinking(request.thinking, upstream, warnings),
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


def _reasons(upstream: Upstream) -> bool | None:
    """Whether the model thinks apart from its tool plan, as some do (2026-11). None: it is no model of Cohere's own."""
    name = (upstream.family or upstream.model).lower()
    return True if "reasoning" in name else (False if _COHERES.match(name) else None)


def _effort(wish: Thinking | None) -> Effort | None:
    if wish is None:
        return None
    return wish.effort or (effort_of(wish.budget) if wish.budget is not None else None)


def _thinks(wish: Thinking | None, upstream: Upstream) -> bool:
    """Whether the answer may hold thinking. A model that nobody knows does where it is asked to."""
    known = _reasons(upstream)
    if known is not None:
        return known
    return wish is not None and _effort(wish) != "none" and (wish.effort is not None or wish.budget is not None)


def _thinking(wish: Thinking | None, upstream: Upstream, warnings: dict[str, None]) -> Json:
    """On by default; a budget must be positive."""
    effort = _effort(wish)
    if wish is None or (effort is None and wish.budget is None):
        return None
    if _reasons(upstream) is False:
        if effort != "none":
            warnings["reasoning_effort: left out, the model does not think"] = None
        return None
    if effort == "none":
        return {"type": "disabled"}
    budget = wish.budget if wish.budget is not None and wish.budget > 0 else BUDGETS[effort] if effort else None
    return {"type": "enabled"} if budget is None else {"type": "enabled", "token_budget": budget}
