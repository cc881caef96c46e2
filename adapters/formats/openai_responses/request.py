"""The request body for an upstream (openai-responses §1, §11)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters import json
from adapters.errors import Rejected
from adapters.format import Outgoing, Upstream
from adapters.formats.openai_responses.history import Host, Writer
from adapters.formats.openai_responses.tools import schema_of_others, schema_of_own, write_choice, write_tools
from adapters.formats.openai_responses.words import ENCRYPTED, LOGPROBS, NAME, own
from adapters.formats.shared import refusals
from adapters.formats.shared.effort import effort_of
from adapters.formats.shared.instruct import ANSWER_JSON, instructed, says_json
from adapters.formats.shared.merge import merge
from adapters.formats.shared.openai_clients import may_choose, schema_path, strict_output
from adapters.formats.shared.openai_models import Facts, facts, nearest
from adapters.history import HistoryRules
from adapters.model import Effort, Json, Message, OutputFormat, Request, Text, Thinking
from adapters.prepare import Rules, prepare
from adapters.tools.ids import RESPONSES, digest
from adapters.tools.names import OPENAI
from adapters.tools.schema import openai_strict

LEAST_TOKENS = 16
LONGEST_CACHE_KEY = 64
LONGEST_NAME = 64

_CHOICES = frozenset({"auto", "none", "required", "named"})
_MISSING = ("stop", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "top_k")
_COUNTED = ("model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text",
            "truncation")


@dataclass(slots=True)
class _Job:
    """One request on its way: what was asked, of whom, what is known of the model, and what is left out so far."""

    request: Request
    upstream: Upstream
    known: Facts | None
    warnings: dict[str, None]

    def flag(self, name: str, default: Any = False) -> Any:
        return self.upstream.compat.get(name, default)

    def left_out(self, name: str, why: str = f"{NAME} has no such field") -> None:
        self.warnings[f"{name}: left out, {why}"] = None


def rules(request: Request, upstream: Upstream) -> Rules:
    """What the host can carry. Tools of a namespace can be neither forced nor listed as allowed (2026-11)."""
    native = upstream.compat.get("custom_tools") == "native"
    choices = _CHOICES | {"allowed"} if native else _CHOICES
    chosen = request.tool_choice.names if request.tool_choice is not None else ()
    if any(tool.namespace is not None and tool.name in chosen for tool in request.tools):
        choices = choices - {"named", "allowed"}
    return Rules(
        api=NAME,
        names=OPENAI,
        ids=RESPONSES,
        history=HistoryRules(reasoning="signed"),
        schema=schema_of_own if request.dialect == "responses" else schema_of_others,
        choices=choices,
        custom_tools=native,
        namespaces=native,
        sort_tools=bool(upstream.compat.get("sort_tools", True)),
    )


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request.

    Key order: model, instructions, input, tools, tool_choice, parallel_tool_calls, max_output_tokens, temperature,
    top_p, top_logprobs, text, reasoning, include, store, stream, prompt_cache_key, metadata, service_tier, user, then
    the fields that only a Responses client knows. Raises Rejected for what cannot be carried.
    """
    prepared = prepare(request, upstream, rules(request, upstream))
    known = facts(upstream.model) or facts(upstream.family or "")
    job = _Job(prepared.request, upstream, known, dict.fromkeys(prepared.warnings))
    body = _body(job)
    refusals.told(request, job.warnings)
    for name in job.flag("unsupported_fields", ()):
        if body.pop(name, None) is not None:
            job.left_out(name, "the upstream refuses it")
    body = merge(merge(body, request.options.get(NAME, {})), upstream.options)
    return Outgoing(
        path="/responses",
        body=json.dumps(body),
        reading=prepared.reading,
        stream=request.stream,
        warnings=tuple(job.warnings),
    )


def count(request: Request, upstream: Upstream) -> Outgoing:
    """The request that counts the prompt's tokens: the same body, as far as it makes the prompt."""
    outgoing = encode(request, upstream)
    body = json.loads(outgoing.body)
    counted = {name: body[name] for name in _COUNTED if name in body}
    return Outgoing("/responses/input_tokens", json.dumps(counted), outgoing.reading, False)


def _body(job: _Job) -> dict[str, Json]:
    request = job.request
    native = job.flag("custom_tools") == "native"
    stores = bool(job.flag("store"))
    instructions, messages = _instructions(_asking_json(request))
    extra = dict(own(request.extras))
    extra.pop("include", None)
    if not request.stream:
        extra.pop("stream_options", None)
    tools = write_tools(request.tools, native, job.warnings)
    limit = job.flag("max_tools", None)
    if limit is not None and len(tools) > limit:
        raise Rejected(f"{len(tools)} tools, but the upstream takes at most {limit}", "tools")
    effort = _effort(job)
    body: dict[str, Json] = {
        "model": job.upstream.model,
        "instructions": instructions,
        "input": Writer(Host(native, stores), job.warnings).write(messages),
        "tools": tools or None,
        "tool_choice": write_choice(request.tool_choice, request.tools) if tools else None,
        "parallel_tool_calls": _parallel(job) if tools else None,
        **_sampling(job, effort),
        "text": _text(job, extra.pop("text", None)),
        "reasoning": _reasoning(job, effort),
        "include": _include(job, stores) or None,
        "store": request.store is not False if stores else False,
        "stream": True if request.stream else None,
        **_passed(job),
        **extra,
    }
    return {name: value for name, value in body.items() if value is not None}


def _asking_json(request: Request) -> tuple[Message, ...]:
    """JSON mode is refused where no input has the word (2026-11): a Responses client knows that, others need not."""
    output = request.output
    if output is None or output.kind != "json" or request.dialect == "responses" or says_json(request.messages):
        return request.messages
    return instructed(request.messages, ANSWER_JSON)


def _instructions(messages: tuple[Message, ...]) -> tuple[str | None, tuple[Message, ...]]:
    """The instructions of a Responses client, which are a field of their own, and the other messages."""
    match messages:
        case (Message(role="system", parts=(Text(text=text),)) as first, *_) if own(first.extras).get("instructions"):
            return text, messages[1:]
    return None, messages


# --- fields --------------------------------------------------------------------------------------------------------


def _parallel(job: _Job) -> bool | None:
    parallel = job.request.parallel
    if parallel is None or job.flag("parallel_tool_calls", True):
        return parallel
    if parallel is False:
        job.left_out("parallel_tool_calls", "the upstream does not know it")
    return None


def _sampling(job: _Job, effort: Effort | None) -> dict[str, Json]:
    asked = job.request.sampling
    if asked.n is not None and asked.n > 1:
        raise Rejected(f"{NAME} gives one answer, not {asked.n}", "n")
    for name in _MISSING:
        if getattr(asked, name) not in (None, ()):
            job.left_out(name)
    if asked.max_tokens is not None and asked.max_tokens < LEAST_TOKENS:
        job.warnings[f"max_output_tokens: {asked.max_tokens} is raised to {LEAST_TOKENS}, the least there is"] = None
    fields: dict[str, Json] = {
        "max_output_tokens": None if asked.max_tokens is None else max(asked.max_tokens, LEAST_TOKENS),
        "temperature": asked.temperature,
        "top_p": asked.top_p,
        "top_logprobs": asked.top_logprobs,
    }
    if job.known is not None and job.known.refuses_sampling(effort):
        for name in ("temperature", "top_p", "top_logprobs"):
            if fields.pop(name) is not None:
                job.left_out(name, f"{job.upstream.model} refuses it while it reasons")
    return fields


def _text(job: _Job, extra: Json) -> Json:
    wanted = job.request.output
    fields: dict[str, Json] = {
        "format": _format(job, wanted) if wanted is not None else None,
        "verbosity": job.request.verbosity,
        **(extra if isinstance(extra, dict) else {}),
    }
    text = {name: value for name, value in fields.items() if value is not None}
    return text or None


def _format(job: _Job, wanted: OutputFormat) -> Json:
    if wanted.kind == "text":
        return {"type": "text"} if job.request.dialect == "responses" else None
    if wanted.kind == "json":
        return {"type": "json_object"}
    schema, strict = wanted.schema, wanted.strict
    if strict or (strict is None and not may_choose(job.request)):
        projection = openai_strict(schema, "lossless", frozenset(job.flag("unsupported_schema_keywords", ())))
        if projection.strict:
            schema, strict = projection.schema, True
        elif strict:
            why = "; ".join(projection.notes) or "it is outside of the strict subset"
            raise Rejected(f"the schema cannot be strict: {why}", schema_path(job.request))
        else:
            strict = False
            job.warnings["the output's schema is not enforced: it is outside of the strict subset"] = None
    elif strict is None:
        strict = strict_output(job.request)
    form: dict[str, Json] = {"type": "json_schema", "name": _format_name(wanted.name)}
    if wanted.description is not None:
        form["description"] = wanted.description
    form["schema"] = schema
    return form if strict is None else {**form, "strict": strict}


def _format_name(name: str | None) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name or "response")[:LONGEST_NAME]


def _effort(job: _Job) -> Effort | None:
    """The effort that is sent: what was asked, as far as the model takes it."""
    thinking = job.request.thinking
    if thinking is None:
        return None
    effort = thinking.effort
    if effort is None and thinking.budget is not None:
        effort = effort_of(thinking.budget)
    if effort is None or job.known is None:
        return effort
    if not job.known.efforts:
        if job.known.reasons or effort != "none":
            job.left_out("reasoning effort", f"{job.upstream.model} takes none")
        return None
    taken = nearest(effort, job.known.efforts)
    if taken != effort:
        job.warnings[f"reasoning effort: {job.upstream.model} takes {taken} instead of {effort}"] = None
    return taken


def _reasoning(job: _Job, effort: Effort | None) -> Json:
    thinking = job.request.thinking or Thinking()
    extra = own(thinking.extras)
    if job.known is not None and not job.known.reasons and not job.known.efforts:
        return None
    fields: dict[str, Json] = {"effort": effort}
    if thinking.visible and not any(extra.get(name) for name in ("summary", "generate_summary")):
        fields["summary"] = "auto"
    fields |= extra
    reasoning = {name: value for name, value in fields.items() if value is not None}
    return reasoning or None


def _include(job: _Job, stores: bool) -> list[str]:
    told = own(job.request.extras).get("include")
    asked = [one for one in told if isinstance(one, str)] if isinstance(told, list) else []
    wanted = [one for one in asked if one != ENCRYPTED]
    if job.request.sampling.logprobs and LOGPROBS not in wanted:
        wanted.append(LOGPROBS)
    if LOGPROBS in wanted and job.known is not None and job.known.refuses_sampling(_quiet_effort(job)):
        wanted.remove(LOGPROBS)
        job.left_out("logprobs", f"{job.upstream.model} refuses it while it reasons")
    reasons = job.known is None or job.known.reasons or bool(job.known.efforts)
    if reasons and job.flag("encrypted_reasoning", True) and (not stores or job.request.dialect == "responses"):
        return [ENCRYPTED, *wanted]
    return wanted


def _quiet_effort(job: _Job) -> Effort | None:
    """`_effort` without its warnings, which were given before."""
    return _effort(_Job(job.request, job.upstream, job.known, {}))


def _passed(job: _Job) -> dict[str, Json]:
    """Fields that pass where the host knows them."""
    request = job.request
    key = request.cache_key
    if key is not None and len(key) > LONGEST_CACHE_KEY:
        key = digest(key, 43)
    fields: Mapping[str, Json] = {
        "prompt_cache_key": key,
        "metadata": dict(request.metadata) if request.metadata else None,
        "service_tier": request.service_tier,
    }
    passed: dict[str, Json] = {}
    for name, value in fields.items():
        if value is None:
            continue
        if job.flag(name):
            passed[name] = value
        else:
            job.left_out(name, "the upstream is not known to take it")
    if request.user is not None:
        passed["user"] = request.user
    return passed
