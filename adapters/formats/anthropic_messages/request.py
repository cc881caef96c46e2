"""Requests to the Messages API (2026-11), written.

The body is built from a fixed list of fields: the API refuses unknown ones. Only what a client of this API's own
dialect sent beyond them is passed on, after them; the client's and the operator's options come last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from adapters import json
from adapters.errors import Rejected
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.anthropic_messages.blocks import Block, placed, system, turns
from adapters.formats.anthropic_messages.caching import settle
from adapters.formats.anthropic_messages.continued import may_pause
from adapters.formats.anthropic_messages.output import Shaped, shape
from adapters.formats.anthropic_messages.thinking import decide
from adapters.formats.anthropic_messages.tools import (
    choice,
    declarations,
    facts_of,
    offered,
    schema_rule,
    streaming,
)
from adapters.formats.anthropic_messages.wire import NAME, SAMPLING_REFUSED, VERSION
from adapters.formats.shared.claude import Facts
from adapters.formats.shared.claude_betas import betas
from adapters.formats.shared.claude_thinking import Limit, Plan, limit
from adapters.formats.shared.merge import merge
from adapters.history import HistoryRules, leading_system
from adapters.model import NOTHING, Json, Request
from adapters.prepare import Prepared, Rules, prepare
from adapters.tools.ids import ANTHROPIC as IDS
from adapters.tools.names import ANTHROPIC as NAMES

LONGEST_WHOLE = 21_333
"""`max_tokens` above which a whole answer may take over ten minutes: it is streamed and assembled."""

_CHOICES = frozenset({"auto", "none", "required", "named"})
_COUNTED = frozenset(
    {"model", "system", "messages", "tools", "tool_choice", "thinking", "output_config", "cache_control",
     "context_management", "speed"}
)
"""The fields that count_tokens takes."""

_LEFT_OUT = ("seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs")
_PERSONAL = re.compile(r"[^@\s]+@[^@\s]+\.\w+|\+?[\d\s().-]{7,}")
"""What the API refuses as a user id: mail addresses and phone numbers."""


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request.

    Body: model, max_tokens, system, messages, tools, tool_choice, thinking, output_config, stop_sequences,
    temperature, top_p, top_k, metadata, service_tier, stream, then what else the client's own dialect said.
    """
    draft = _draft(request, upstream)
    return _outgoing("/v1/messages", draft, draft.body, "stream" in draft.body)


def count_tokens(request: Request, upstream: Upstream) -> Outgoing:
    """The native request that counts the prompt's tokens."""
    draft = _draft(request, upstream)
    body = {key: value for key, value in draft.body.items() if key in _COUNTED}
    return _outgoing("/v1/messages/count_tokens", draft, body, False)


def auth(key: str, upstream: Upstream) -> Mapping[str, str]:
    """The header that carries the key."""
    if upstream.compat.get("key_header", "x-api-key") == "authorization":
        return {"authorization": f"Bearer {key}"}
    return {"x-api-key": key}


@dataclass(slots=True, frozen=True)
class _Draft:
    """A body without options, and what goes with it."""

    request: Request
    upstream: Upstream
    body: Block
    reading: Reading
    headers: Mapping[str, str]
    warnings: dict[str, None]


def _outgoing(path: str, draft: _Draft, body: Block, streams: bool) -> Outgoing:
    for options in (draft.request.options.get(NAME, NOTHING), draft.upstream.options):
        body = merge(body, options)
    for name in draft.upstream.compat.get("unsupported_fields", ()):
        if body.pop(name, None) is not None:
            draft.warnings[f"{name}: left out, the host does not take it"] = None
    return Outgoing(
        path, json.dumps(body), replace(draft.reading, stream=streams), streams, draft.headers,
        warnings=tuple(draft.warnings), may_pause=may_pause(draft.request, body),
    )


def _draft(request: Request, upstream: Upstream) -> _Draft:
    warnings: dict[str, None] = {}
    facts = facts_of(upstream)
    _refused(request)
    shaped = shape(offered(_without_directives(request, facts), warnings), facts)
    limits = limit(request.sampling.max_tokens, facts, upstream.max_output_tokens, request.stream)
    plan = decide(request.thinking, facts, limits)
    if shaped.answer_tool is not None and plan.budgeted:
        plan = Plan(limits.tokens, warnings=("reasoning_effort: left out, the forced form of the answer excludes it",))
    draft = _written(request, upstream, shaped, plan, limits)
    if plan.budgeted and _lost(draft.body["messages"]):
        off = Plan(limits.tokens, {"type": "disabled"}, None, (
            "thinking: switched off for this request, the reasoning of its tool calls is lost",))
        draft = _written(request, upstream, shaped, off, limits)
    draft.warnings.update(warnings)
    return draft


def _written(request: Request, upstream: Upstream, shaped: Shaped, plan: Plan, limits: Limit) -> _Draft:
    facts = facts_of(upstream)
    prepared = prepare(shaped.request, upstream, _rules(upstream, facts, plan, shaped))
    warnings = dict.fromkeys((*limits.warnings, *plan.warnings, *shaped.warnings, *prepared.warnings))
    headers = _headers(request, upstream, warnings)
    body = _body(request, prepared, plan, warnings)
    body["tools"] = declarations(prepared.request.tools, streaming(request, upstream), warnings)
    body["tool_choice"] = choice(prepared.request)
    if plan.thinking is not None:
        body["thinking"] = dict(plan.thinking)
    body["output_config"] = _output_config(request, plan, shaped.format)
    body.update(_sampling(request, facts, plan, headers["anthropic-version"], warnings))
    body.update(_account(request, warnings))
    if request.stream or plan.max_tokens > LONGEST_WHOLE:
        body["stream"] = True
    body = {key: value for key, value in body.items() if value is not None and value not in ([], {})}
    body.update({key: value for key, value in _own_fields(request).items() if key not in body})
    settle(body, upstream.compat.get("cache", "auto"), warnings)
    _told_left_out(request, warnings)
    reading = replace(prepared.reading, answer_tool=shaped.answer_tool)
    return _Draft(request, upstream, body, reading, headers, warnings)


def _body(request: Request, prepared: Prepared, plan: Plan, warnings: dict[str, None]) -> Block:
    messages = prepared.request.messages
    lead = leading_system(messages)
    return {
        "model": prepared.reading.model,
        "max_tokens": plan.max_tokens,
        "system": system(messages[:lead]),
        "messages": turns(placed(messages[lead:]), warnings),
    }


def _rules(upstream: Upstream, facts: Facts, plan: Plan, shaped: Shaped) -> Rules:
    """What the model behind this request can carry."""
    continues = facts.prefill and not plan.budgeted and shaped.format is None
    forced = facts.forced and not plan.budgeted
    return _carried(facts.system_entries, continues, forced, bool(upstream.compat.get("sort_tools", True)))


@cache
def _carried(system_entries: bool, continues: bool, forced: bool, sort_tools: bool) -> Rules:
    return Rules(
        api=NAME,
        names=NAMES,
        ids=IDS,
        history=HistoryRules(
            first_user=True,
            later_system="keep" if system_entries else "user",
            reasoning="signed",
            prefill="keep" if continues else "user",
            tools_from_history=True,
        ),
        schema=schema_rule,
        choices=_CHOICES if forced else frozenset({"auto", "none"}),
        sort_tools=sort_tools,
    )


# --- checks ------------------------------------------------------------------------------------------------------


def _refused(request: Request) -> None:
    """Raises Rejected for what would change the answer's meaning if it were left out."""
    if (request.sampling.n or 1) > 1:
        raise Rejected(f"{NAME} gives one answer a request, n must be 1", "n")


def _without_directives(request: Request, facts: Facts) -> Request:
    """Without system entries that hold nothing but settings, for models that do not honour such entries."""
    if facts.system_entries:
        return request
    kept = tuple(m for m in request.messages if m.parts or m.role not in ("system", "developer"))
    return request if len(kept) == len(request.messages) else replace(request, messages=kept)


def _lost(messages: list[Block]) -> bool:
    """Whether the tool turn under way has calls but no thinking: with a thinking budget that is a 400."""
    called = False
    for turn in reversed(messages):
        kinds = {block.get("type") for block in turn["content"]}
        if turn["role"] == "user" and "tool_result" not in kinds:
            break
        if turn["role"] == "assistant":
            if not kinds.isdisjoint({"thinking", "redacted_thinking"}):
                return False
            called = called or "tool_use" in kinds
    return called


# --- fields ------------------------------------------------------------------------------------------------------


def _headers(request: Request, upstream: Upstream, warnings: dict[str, None]) -> Mapping[str, str]:
    """The version and the allowed betas of a client of this API's own dialect."""
    sent: Mapping[str, str] = request.headers.get(NAME, {})
    headers = {"anthropic-version": sent.get("anthropic-version", VERSION)}
    asked = betas(request, upstream)
    for beta in (beta for beta, allowed in asked.items() if not allowed):
        warnings[f"anthropic-beta: {beta} is left out, the provider's configuration does not allow it"] = None
    if taken := [beta for beta, allowed in asked.items() if allowed]:
        headers["anthropic-beta"] = ",".join(taken)
    return headers


def _output_config(request: Request, plan: Plan, form: Json) -> Block:
    kept = request.extras.get(NAME, NOTHING).get("output_config")
    config: Block = dict(kept) if isinstance(kept, Mapping) else {}
    if plan.effort is not None:
        config["effort"] = plan.effort
    if form is not None:
        config["format"] = form
    return config


def _sampling(request: Request, facts: Facts, plan: Plan, version: str, warnings: dict[str, None]) -> Block:
    """Stop sequences and what of temperature, top_p and top_k the model takes."""
    asked = request.sampling
    stop = [text for text in asked.stop if text.strip()]
    if len(stop) < len(asked.stop):
        warnings[f"stop: blank sequences are left out, {NAME} refuses them"] = None
    temperature = asked.temperature
    if temperature is not None and not 0 <= temperature <= 1:
        temperature = min(max(temperature, 0), 1)
        warnings[f"temperature: {NAME} takes 0 to 1, {temperature} is sent"] = None
    wanted = {"temperature": temperature, "top_p": asked.top_p, "top_k": asked.top_k}
    for name in _unsampled(wanted, facts, plan, version):
        if wanted[name] is not None and (wanted[name] != 1 or name == "top_k"):
            warnings[f"{name}: left out, the model does not take it here"] = None
        wanted[name] = None
    return {"stop_sequences": stop, **wanted}


def _unsampled(wanted: Mapping[str, Json], facts: Facts, plan: Plan, version: str) -> tuple[str, ...]:
    """The sampling fields that must not be sent."""
    if facts.sampling == "none" or (version[:2] == "20" and version >= SAMPLING_REFUSED):
        return ("temperature", "top_p", "top_k")
    if plan.thinking is not None and plan.thinking.get("type") in ("enabled", "adaptive"):
        return ("temperature", "top_k")
    return ("top_p",) if facts.sampling == "one" and wanted["temperature"] is not None else ()


def _account(request: Request, warnings: dict[str, None]) -> Block:
    """`metadata.user_id` and `service_tier`."""
    fields: Block = {}
    if request.user is not None:
        if _PERSONAL.fullmatch(request.user.strip()):
            warnings["user: left out, it looks like a mail address or a phone number"] = None
        else:
            fields["metadata"] = {"user_id": request.user}
    match request.service_tier:
        case None:
            pass
        case "auto":
            fields["service_tier"] = "auto"
        case "default" | "standard_only":
            fields["service_tier"] = "standard_only"
        case other:
            warnings[f"service_tier: {other} is left out, {NAME} has auto and default"] = None
    return fields


def _own_fields(request: Request) -> Mapping[str, Json]:
    """What a client of this API's own dialect sent beyond the neutral fields."""
    return {k: v for k, v in request.extras.get(NAME, NOTHING).items() if k != "output_config"}


def _told_left_out(request: Request, warnings: dict[str, None]) -> None:
    names = [name for name in _LEFT_OUT if getattr(request.sampling, name) not in (None, False, 0)]
    fields = {"verbosity": request.verbosity, "metadata": request.metadata, "prompt_cache_key": request.cache_key}
    names += [name for name, value in fields.items() if value is not None]
    for name in names:
        warnings[f"{name}: left out, {NAME} has no such field"] = None
