"""The request body for Mistral (wire page §2, §4, §10). It is built from scratch: an unknown field is a 422."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from adapters import json
from adapters.errors import Rejected
from adapters.format import Outgoing, Upstream
from adapters.formats.mistral_chat.history import NAME, Writer
from adapters.formats.shared.effort import effort_of
from adapters.formats.shared.instruct import ANSWER_JSON, instructed, says_json
from adapters.formats.shared.left_out import STRICT_OFF
from adapters.formats.shared.merge import merge
from adapters.formats.shared.openai_clients import stores
from adapters.formats.shared.repeats import PREFIX, continued
from adapters.history import HistoryRules
from adapters.model import NOTHING, Json, Message, Request, Tool, ToolChoice
from adapters.prepare import Rules, prepare
from adapters.tools.ids import MISTRAL
from adapters.tools.names import OPENAI
from adapters.tools.schema import Level, Projection, mistral, openai_strict

PATH = "/v1/chat/completions"
MAX_TOOLS = 128
HOTTEST = 1.5

_MISSING = ("logit_bias", "logprobs", "top_logprobs", "top_k")
_UNKNOWN = ("user", "service_tier", "verbosity")
_CHOICES: Mapping[str, str] = {"auto": "auto", "none": "none", "required": "any"}
_OFF = ("none", "minimal")
_THINKS = re.compile(r"mistral-small-latest|mistral-medium-3[.-]5")
_MAGISTRAL = re.compile(r"magistral")


def rules(upstream: Upstream) -> Rules:
    """What Mistral's validator demands of the message list, the same for its models on any host."""
    return Rules(
        api=NAME,
        names=OPENAI,
        ids=MISTRAL,
        history=HistoryRules(
            images_in_results=False,
            user_after_results=False,
            first_user=True,
            later_system="user",
            merge_roles=frozenset({"assistant"}),
            reasoning="text",
        ),
        schema=_schema,
        choices=frozenset({"auto", "none", "required", "named"}),
        sort_tools=bool(upstream.compat.get("sort_tools", True)),
    )


def _schema(tool: Tool, upstream: Upstream) -> Projection:
    """Strict only where the client asks for it and the schema can be said that way."""
    level: Level = upstream.compat.get("strict_tools", "lossless")
    if tool.strict and level != "off":
        projection = openai_strict(tool.schema, level)
        return projection if projection.strict else replace(projection, strict=None)
    plain = mistral(tool.schema)
    return replace(plain, strict=None, notes=(*plain.notes, STRICT_OFF) if tool.strict else plain.notes)


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request.

    Key order: model, messages, tools, tool_choice, parallel_tool_calls, response_format, max_tokens, sampling,
    reasoning_effort or prompt_mode, metadata, prompt_cache_key, stream. Raises Rejected for what cannot be carried.
    """
    prepared = prepare(request, upstream, rules(upstream))
    warnings = dict.fromkeys(prepared.warnings)
    body = _body(prepared.request, upstream, warnings)
    body = merge(merge(body, request.options.get(NAME, NOTHING)), upstream.options)
    prefix = continued(prepared.request.messages)
    reading = replace(prepared.reading, facts={PREFIX: prefix}) if prefix else prepared.reading
    return Outgoing(PATH, json.dumps(body), reading, request.stream, warnings=tuple(warnings))


def _body(request: Request, upstream: Upstream, warnings: dict[str, None]) -> dict[str, Json]:
    tools = _tools(request.tools, warnings)
    for name in _UNKNOWN:
        if getattr(request, name) is not None:
            _left_out(name, warnings)
    if stores(request):
        _left_out("store", warnings)
    fields: dict[str, Json] = {
        "model": upstream.model,
        "messages": Writer(warnings).write(_instructed(request)),
        "tools": tools or None,
        "tool_choice": _choice(request.tool_choice, request.tools) if tools else None,
        "parallel_tool_calls": request.parallel if tools else None,
        "response_format": _response_format(request),
        **_sampling(request, upstream, warnings),
        **_thinking(request, upstream, warnings),
        "metadata": dict(request.metadata) if request.metadata is not None else None,
        "prompt_cache_key": _cache_key(request.cache_key, warnings),
        "stream": True if request.stream else None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _left_out(name: str, warnings: dict[str, None]) -> None:
    warnings[f"{name}: left out, {NAME} has no such field"] = None


# --- tools -------------------------------------------------------------------------------------------------------


def _tools(tools: Iterable[Tool], warnings: dict[str, None]) -> list[Json]:
    written: list[Json] = []
    for tool in tools:
        if tool.kind == "builtin":
            warnings[f"tools: the built-in {tool.name} is left out, {NAME} has no such tool"] = None
            continue
        if tool.cache is not None:
            _left_out("cache_control", warnings)
        function: dict[str, Json] = {
            "name": tool.name, "description": tool.description or "", "parameters": tool.schema
        }
        if tool.strict:
            function["strict"] = True
        written.append({"type": "function", "function": function})
    if len(written) > MAX_TOOLS:
        raise Rejected(f"{len(written)} tools, but {NAME} takes at most {MAX_TOOLS}", "tools")
    return written


def _choice(choice: ToolChoice | None, tools: Iterable[Tool]) -> Json:
    if choice is None:
        return None
    if choice.mode != "named":
        return _CHOICES[choice.mode]
    (name,) = choice.names
    if any(tool.name == name and tool.kind == "builtin" for tool in tools):
        raise Rejected(f"{NAME} cannot force the built-in tool {name}", "tool_choice")
    return {"type": "function", "function": {"name": name}}


# --- output ------------------------------------------------------------------------------------------------------


def _response_format(request: Request) -> Json:
    wanted = request.output
    if wanted is None or wanted.kind == "text":
        return None
    if wanted.kind == "json":
        return {"type": "json_object"}
    form: dict[str, Json] = {"name": re.sub(r"[^A-Za-z0-9_-]", "_", wanted.name or "response")[:64]}
    if wanted.description is not None:
        form["description"] = wanted.description
    form["schema"] = wanted.schema
    if wanted.strict is not None:
        form["strict"] = wanted.strict
    return {"type": "json_schema", "json_schema": form}


def _instructed(request: Request) -> tuple[Message, ...]:
    """`json_object` must be asked for in the prompt as well."""
    if request.output is not None and request.output.kind == "json" and not says_json(request.messages):
        return instructed(request.messages, ANSWER_JSON)
    return request.messages


# --- fields ------------------------------------------------------------------------------------------------------


def _sampling(request: Request, upstream: Upstream, warnings: dict[str, None]) -> dict[str, Json]:
    asked = request.sampling
    for name in _MISSING:
        if getattr(asked, name) not in (None, {}, False):
            _left_out(name, warnings)
    temperature, limit = asked.temperature, asked.max_tokens
    if temperature is not None and temperature > HOTTEST:
        warnings[f"temperature: {temperature} is lowered to {HOTTEST}, the most there is"] = None
        temperature = HOTTEST
    most = upstream.max_output_tokens
    if limit is not None and most is not None and limit > most:
        warnings[f"max_tokens: {limit} is lowered to {most}, the most that the model gives"] = None
        limit = most
    return {
        "max_tokens": limit,
        "temperature": temperature,
        "top_p": asked.top_p,
        "random_seed": asked.seed,
        "stop": list(asked.stop) or None,
        "presence_penalty": asked.presence_penalty,
        "frequency_penalty": asked.frequency_penalty,
        "n": asked.n,
    }


def _thinking(request: Request, upstream: Upstream, warnings: dict[str, None]) -> dict[str, Json]:
    """Models that reason know `none` and `high`; Magistral has a prompt mode; the others take neither."""
    thinking = request.thinking
    effort = thinking.effort if thinking is not None else None
    if effort is None and thinking is not None and thinking.budget is not None:
        effort = effort_of(thinking.budget)
    if effort is None:
        return {}
    name = f"{upstream.model} {upstream.family or ''}".lower()
    if _THINKS.search(name):
        return {"reasoning_effort": "none" if effort in _OFF else "high"}
    if _MAGISTRAL.search(name) and effort not in _OFF:
        return {"prompt_mode": "reasoning"}
    if effort not in _OFF:
        warnings[f"reasoning_effort: left out, {upstream.model} does not reason"] = None
    return {}


def _cache_key(key: str | None, warnings: dict[str, None]) -> str | None:
    if key is None or key.isascii():
        return key
    warnings["prompt_cache_key: left out, it must be ASCII"] = None
    return None
