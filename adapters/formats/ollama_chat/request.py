"""Requests to Ollama's `/api/chat` (2026-11), written.

What the API has no field for is emulated (a forced tool) or named in a warning. `truncate: false` is always sent: else
a prompt that does not fit is cut without a word. `num_ctx` and other options of the model's runner come by
`provider_options`.
"""

from __future__ import annotations

from dataclasses import replace

from adapters import json
from adapters.errors import Failure, Rejected
from adapters.format import Outgoing, Upstream
from adapters.formats.ollama_chat.messages import written
from adapters.formats.shared import builtins, left_out
from adapters.formats.shared.effort import effort_of
from adapters.formats.shared.instructions import instructed
from adapters.formats.shared.merge import merge
from adapters.history import HistoryRules
from adapters.model import NOTHING, Effort, Json, OutputFormat, Request, Sampling, Thinking, Tool
from adapters.prepare import Rules, prepare
from adapters.tools.ids import OLLAMA as IDS
from adapters.tools.names import OPENAI as NAMES
from adapters.tools.schema import Projection, ollama
from adapters.tools.text_calls import is_prompted

NAME = "ollama-chat"

_HISTORY = HistoryRules(images_in_results=False, later_system="user", merge_system=True, reasoning="text")
_LEFT_OUT = left_out.FIELDS - {
    "top_k", "seed", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs",
}  # fmt: skip
_NO_STRICT = f"strict: left out, {NAME} has no strict tools"
_LEVELS: dict[Effort, str] = {"minimal": "low", "low": "low", "medium": "medium"}
"""Effort -> level of a model that knows levels only; all above are high ("max" is treated as high)."""

_REFUSED = "refused"
"""Marks a wish to think that the model has refused."""

_ONE = "Answer by calling the tool that you have, not in text."
_ANY = "Answer by calling one of your tools, not in text."


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request.

    Body: model, stream, messages, tools, think, format, options (num_predict, temperature, top_k, top_p, stop, seed,
    presence_penalty, frequency_penalty), logprobs, top_logprobs, truncate. `stream` is always said: absent it is true.
    """
    warnings: dict[str, None] = {}
    if (request.sampling.n or 1) > 1:
        raise Rejected(f"{NAME} gives one answer a request, n must be 1", "n")
    usable = builtins.usable(request, NAME, {}, warnings)
    prepared = prepare(usable if is_prompted(upstream) else _urged(usable), upstream, _rules(upstream))
    asked = prepared.request
    body: dict[str, Json] = {
        "model": upstream.model,
        "stream": request.stream,
        "messages": written(asked.messages, warnings),
        "tools": [_tool(tool) for tool in asked.tools] or None,
        "think": _think(request.thinking, upstream, warnings),
        "format": _format(request.output),
        "options": _options(request.sampling) or None,
        "logprobs": request.sampling.logprobs or None,
        "top_logprobs": request.sampling.top_logprobs,
        "truncate": False,
    }
    body = {key: value for key, value in body.items() if value is not None}
    left_out.told(request, NAME, _LEFT_OUT, warnings)
    body = merge(merge(body, request.options.get(NAME, NOTHING)), upstream.options)
    return Outgoing(
        "/api/chat", json.dumps(body), prepared.reading, request.stream,
        warnings=tuple(dict.fromkeys((*warnings, *prepared.warnings))),
    )


def mended(request: Request, failure: Failure) -> Request | None:
    """Without `think`, where the model has no such thing. Nothing tells that beforehand."""
    thinks = request.thinking is not None and _REFUSED not in request.thinking.extras.get(NAME, NOTHING)
    if not thinks or failure.status != 400 or "does not support thinking" not in failure.message:
        return None
    return replace(request, thinking=Thinking(extras={NAME: {_REFUSED: True}}))


def _rules(upstream: Upstream) -> Rules:
    """No tool choice but auto: `none` and a choice among tools work by what is offered."""
    return Rules(
        api=NAME,
        names=NAMES,
        ids=IDS,
        history=_HISTORY,
        schema=_schema,
        choices=frozenset({"auto"}),
        sort_tools=bool(upstream.compat.get("sort_tools", True)),
    )


def _schema(tool: Tool, upstream: Upstream) -> Projection:
    made = ollama(tool.schema)
    return replace(made, strict=None, notes=(*made.notes, _NO_STRICT)) if tool.strict is True else made


def _urged(request: Request) -> Request:
    """With an instruction where the client forces a call, which the API cannot."""
    choice = request.tool_choice
    if choice is None or not request.tools:
        return request
    must = choice.mode in ("required", "named") or (choice.mode == "allowed" and choice.required)
    return instructed(request, _ONE if len(choice.names or request.tools) == 1 else _ANY) if must else request


def _tool(tool: Tool) -> dict[str, Json]:
    function: dict[str, Json] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": {**function, "parameters": tool.schema}}


def _think(wish: Thinking | None, upstream: Upstream, warnings: dict[str, None]) -> bool | str | None:
    """true or false; a level for gpt-oss, which knows nothing else and cannot stop thinking (2026-11)."""
    if wish is None:
        return None
    if _REFUSED in wish.extras.get(NAME, NOTHING):
        warnings["reasoning_effort: left out, the model does not think"] = None
        return None
    effort = wish.effort or (effort_of(wish.budget) if wish.budget is not None else None)
    if effort is None:
        return True if wish.budget is not None else None
    if "gpt-oss" not in (upstream.family or upstream.model).lower():
        return effort != "none"
    if effort == "none":
        warnings["reasoning_effort: the model cannot stop thinking, the lowest effort is sent"] = None
        return "low"
    return _LEVELS.get(effort, "high")


def _format(output: OutputFormat | None) -> Json:
    if output is None or output.kind == "text":
        return None
    return output.schema if output.kind == "schema" and isinstance(output.schema, dict) and output.schema else "json"


def _options(asked: Sampling) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "num_predict": asked.max_tokens,
        "temperature": asked.temperature,
        "top_k": asked.top_k,
        "top_p": asked.top_p,
        "stop": list(asked.stop) or None,
        "seed": asked.seed,
        "presence_penalty": asked.presence_penalty,
        "frequency_penalty": asked.frequency_penalty,
    }
    return {key: value for key, value in fields.items() if value is not None}
