"""The request body for an upstream (wire page §1, §3, §10, §11)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from adapters import json
from adapters.errors import Rejected
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.openai_chat.details import API
from adapters.formats.openai_chat.history import Host, Writer
from adapters.formats.openai_chat.thinking import Told, known_model, told
from adapters.formats.shared.instruct import ANSWER_JSON, CALL_NOW, answer_schema, instructed, says_json
from adapters.formats.shared.merge import merge
from adapters.formats.shared.openai_models import refuses_stop
from adapters.formats.shared.refusals import refused
from adapters.formats.shared.refusals import told as told_refusals
from adapters.formats.shared.repeats import PIECE, TWICE, continued
from adapters.history import HistoryRules
from adapters.model import NOTHING, Json, Message, OutputFormat, Request, Text, Tool, ToolChoice
from adapters.prepare import Prepared, Rules, prepare
from adapters.tools.ids import CHAT, MISTRAL, IdRule
from adapters.tools.names import OPENAI
from adapters.tools.schema import Level, Projection, deepseek_strict, openai_base, openai_strict
from adapters.tools.text_calls import is_prompted

_CHOICES: Mapping[str, frozenset[str]] = {
    "full": frozenset({"auto", "none", "required", "named", "allowed"}),
    "no-allowed_tools": frozenset({"auto", "none", "required", "named"}),
    "no-named": frozenset({"auto", "none", "required"}),
    "no-required": frozenset({"auto", "none", "named"}),
    "auto-only": frozenset({"auto", "none"}),
}
_ANY_ID = IdRule("^\x00-\x1f", 512)
"""Ids such as Kimi's `functions.f:0` go back as they came."""

_IDS: Mapping[str, IdRule] = {"any": _ANY_ID, "max-40": CHAT, "9-alnum": MISTRAL}
_KNOWN_TO = {
    "safety_identifier": "openai_reasoning_models",
    "moderation": "openai_reasoning_models",
    "prompt_cache_options": "prompt_cache_key",
    "prompt_cache_retention": "prompt_cache_key",
}
"""Fields of OpenAI's own -> the flag of the hosts that take them."""

_NO_TEMPERATURE = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs",
                   "top_logprobs")


def rules(upstream: Upstream) -> Rules:
    """What the host can carry."""
    flag = upstream.compat.get
    return Rules(
        api=API,
        names=OPENAI,
        ids=_IDS[flag("tool_id", "any")],
        history=HistoryRules(
            images_in_results=False,
            user_after_results=not flag("assistant_after_tool_result", False),
            later_system="user" if flag("merge_system", False) else "keep",
            merge_system=bool(flag("merge_system", False)),
            reasoning="none" if flag("reasoning_echo", "drop") == "drop" else "text",
        ),
        schema=_schema,
        choices=_CHOICES[flag("tool_choice", "no-allowed_tools")],
        custom_tools=flag("custom_tools", "project") == "native",
        sort_tools=bool(flag("sort_tools", True)),
        modalities=frozenset({"audio", "image"}),
    )


_NO_STRICT = "strict: left out, the host is not known to take it (strict_tools: off)"


def _schema(tool: Tool, upstream: Upstream) -> Projection:
    """Strict is sent to hosts that know it only, and told in so many words where the client said it."""
    level: Level = upstream.compat.get("strict_tools", "off")
    unsupported = frozenset(upstream.compat.get("unsupported_schema_keywords", ()))
    if level == "off":
        base = openai_base(tool.schema, unsupported)
        return replace(base, strict=None, notes=(*base.notes, _NO_STRICT) if tool.strict else base.notes)
    if not tool.strict:
        return replace(openai_base(tool.schema, unsupported), strict=tool.strict)
    strict = deepseek_strict if upstream.compat.get("strict_formats") == "deepseek" else openai_strict
    return strict(tool.schema, level, unsupported)


@dataclass(slots=True)
class _Job:
    """One request on its way."""

    request: Request
    upstream: Upstream
    told: Told
    warnings: dict[str, None]

    def flag(self, name: str, default: Any) -> Any:
        return self.upstream.compat.get(name, default)

    def left_out(self, name: str, why: str = "the upstream does not take it") -> None:
        self.warnings[f"{name}: left out, {why}"] = None


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request.

    Key order: model, messages, tools, tool_choice, parallel_tool_calls, response_format, max tokens, sampling, the
    reasoning fields, stream, stream_options, store, metadata, service_tier, prompt_cache_key, user, verbosity, then the
    fields that only a Chat client knows. Raises Rejected for what cannot be carried.
    """
    asked = request
    rule = rules(upstream)
    if not is_prompted(upstream) and _must_be_told(request, rule):
        request = replace(request, messages=(*request.messages, Message("user", (Text(CALL_NOW),))))
    prepared = prepare(request, upstream, rule)
    warnings = dict.fromkeys(prepared.warnings)
    job = _Job(prepared.request, upstream, told(prepared.request, upstream, warnings), warnings)
    stream = asked.stream or (job.told.on and job.flag("reasoning_style", "none") == "enable_thinking")
    body = {key: value for key, value in _body(job, stream).items() if value is not None}
    for name in (*job.flag("unsupported_fields", ()), *refused(request)):
        if body.pop(name, None) is not None:
            job.left_out(name)
    told_refusals(request, warnings)
    body = merge(merge(body, request.options.get(API, NOTHING)), upstream.options)
    return Outgoing("/chat/completions", json.dumps(body), _reading(prepared, job), stream, warnings=tuple(warnings))


def _reading(prepared: Prepared, job: _Job) -> Reading:
    """With what the host may say twice."""
    repeats, facts = job.flag("repeats", ()), dict[str, Json]()
    if "continued" in repeats and (text := continued(prepared.request.messages)):
        facts[PIECE] = text
    if "reasoning" in repeats:
        facts[TWICE] = True
    return replace(prepared.reading, facts=facts) if facts else prepared.reading


def _must_be_told(request: Request, rule: Rules) -> bool:
    """Whether a call is demanded of a host that cannot be forced: then the prompt says so."""
    choice = request.tool_choice
    if choice is None or not request.tools or "required" in rule.choices:
        return False
    if choice.mode == "named":
        return "named" not in rule.choices
    return choice.mode == "required" or (choice.mode == "allowed" and choice.required)


def _body(job: _Job, stream: bool) -> dict[str, Json]:
    request = job.request
    tools = _tools(job)
    extra = _extra(job, stream)
    stream_options = extra.pop("stream_options", {})
    form = _response_format(job)
    messages = Writer(Host.of(request, job.upstream), job.warnings).write(_instructed(job))
    usage = {"include_usage": True} if job.flag("stream_usage", True) else {}
    return {
        "model": job.upstream.model,
        "messages": messages,
        "tools": tools or None,
        "tool_choice": _choice(request.tool_choice, request.tools) if tools else None,
        "parallel_tool_calls": _parallel(job) if tools else None,
        "response_format": form,
        **_sampling(job),
        **job.told.fields,
        "stream": True if stream else None,
        "stream_options": ({**usage, **stream_options} or None) if stream else None,
        **_passed(job),
        "user": request.user,
        "verbosity": request.verbosity,
        **extra,
    }


# --- tools -------------------------------------------------------------------------------------------------------


def _tools(job: _Job) -> list[Json]:
    written = [one for tool in job.request.tools if (one := _tool(tool, job)) is not None]
    limit = job.flag("max_tools", 128)
    if limit is not None and len(written) > limit:
        raise Rejected(f"{len(written)} tools, but the upstream takes at most {limit}", "tools")
    return written


def _tool(tool: Tool, job: _Job) -> Json:
    extras = dict(tool.extras.get(API, NOTHING))
    if tool.kind == "builtin":
        if not extras:
            job.warnings[f"tools: the built-in {tool.name} is left out, {API} has no such tool"] = None
        return extras or None
    inner: dict[str, Json] = {"name": tool.name}
    if tool.description is not None:
        inner["description"] = tool.description
    if tool.kind == "custom":
        if tool.grammar is not None:
            grammar = {"syntax": tool.grammar.syntax, "definition": tool.grammar.definition}
            inner["format"] = {"type": "grammar", "grammar": grammar}
        return {"type": "custom", "custom": inner, **extras}
    inner["parameters"] = tool.schema
    if tool.strict is not None:
        inner["strict"] = tool.strict
    inner.update(extras.pop("function", NOTHING))
    fields = {"type": "function", "function": inner, **extras}
    if tool.cache is not None:
        if job.flag("cache", "off") == "client":
            fields["cache_control"] = {"type": "ephemeral", **({"ttl": tool.cache.ttl} if tool.cache.ttl else {})}
        else:
            job.left_out("cache_control", "the upstream takes no cache markers")
    return fields


def _choice(choice: ToolChoice | None, tools: Iterable[Tool]) -> Json:
    kinds = {tool.name: tool for tool in tools}
    match choice:
        case None:
            return None
        case ToolChoice(mode="named", names=(name,)):
            return _named(name, kinds)
        case ToolChoice(mode="allowed", names=names, required=required):
            allowed = {"mode": "required" if required else "auto", "tools": [_named(name, kinds) for name in names]}
            return {"type": "allowed_tools", "allowed_tools": allowed}
    return choice.mode


def _named(name: str, tools: Mapping[str, Tool]) -> Json:
    tool = tools.get(name)
    if tool is not None and tool.kind == "builtin":
        kind = tool.extras.get(API, NOTHING).get("type")
        if kind is None:
            raise Rejected(f"{API} cannot force the built-in tool {name}", "tool_choice")
        return {"type": kind}
    kind = "custom" if tool is not None and tool.kind == "custom" else "function"
    return {"type": kind, kind: {"name": name}}


def _parallel(job: _Job) -> bool | None:
    parallel = job.request.parallel
    if parallel is None or job.flag("parallel_tool_calls", True):
        return parallel
    if parallel is False:
        job.left_out("parallel_tool_calls")
    return None


# --- output ------------------------------------------------------------------------------------------------------


def _response_format(job: _Job) -> Json:
    wanted = job.request.output
    if wanted is None:
        return None
    raw = wanted.extras.get(API)
    if wanted.kind == "text":
        return {"type": "text"} if job.request.dialect == "chat" else None
    if wanted.kind == "json" or _only_json(job):
        return {"type": "json_object"}
    if raw is not None:
        return raw
    name = re.sub(r"[^A-Za-z0-9_-]", "_", wanted.name or "response")[:64]
    form: dict[str, Json] = {"name": name}
    if wanted.description is not None:
        form["description"] = wanted.description
    form["schema"], strict = _output_schema(job, wanted)
    if strict is not None:
        form["strict"] = strict
    return {"type": "json_schema", "json_schema": form}


def _output_schema(job: _Job, wanted: OutputFormat) -> tuple[Json, bool | None]:
    """A Chat client's schema goes as it is; others' go strict where OpenAI's subset can say them unchanged."""
    if job.request.dialect == "chat":
        return wanted.schema, wanted.strict
    if job.flag("strict_tools", "off") == "off":
        return wanted.schema, None
    projection = openai_strict(wanted.schema, "lossless", frozenset(job.flag("unsupported_schema_keywords", ())))
    if projection.strict:
        return projection.schema, True
    job.warnings["the output's schema is not enforced: it is outside of the strict subset"] = None
    return wanted.schema, False


def _only_json(job: _Job) -> bool:
    return bool(job.flag("response_format", "pass") == "json_object-only")


def _instructed(job: _Job) -> tuple[Message, ...]:
    """The messages, with what must be said of the output where the host cannot be told otherwise.

    OpenAI refuses `json_object` where the prompt does not have the word (2026-11).
    """
    wanted, messages = job.request.output, job.request.messages
    if wanted is None or wanted.kind == "text":
        return messages
    if wanted.kind == "schema" and _only_json(job):
        job.warnings["response_format: the schema is told in the prompt, the upstream does not enforce it"] = None
        return instructed(messages, answer_schema(wanted.schema))
    if wanted.kind == "json" and job.request.dialect != "chat" and not says_json(messages):
        return instructed(messages, ANSWER_JSON)
    return messages


# --- fields ------------------------------------------------------------------------------------------------------


def _sampling(job: _Job) -> dict[str, Json]:
    asked = job.request.sampling
    if asked.n is not None and "n" in job.flag("unsupported_fields", ()):
        if asked.n > 1:
            raise Rejected(f"the upstream gives one answer, not {asked.n}", "n")
        asked = replace(asked, n=None)
    if asked.top_k is not None:
        job.left_out("top_k", f"{API} has no such field")
    fields: dict[str, Json] = {
        job.flag("max_tokens_field", "max_tokens"): _limit(job),
        "temperature": asked.temperature,
        "top_p": asked.top_p,
        "presence_penalty": asked.presence_penalty,
        "frequency_penalty": asked.frequency_penalty,
        "logit_bias": asked.logit_bias,
        "logprobs": asked.logprobs,
        "top_logprobs": asked.top_logprobs,
        "n": asked.n,
        "seed": asked.seed,
        "stop": (asked.stop[0] if len(asked.stop) == 1 else list(asked.stop)) if asked.stop else None,
    }
    if asked.stop and known_model(job.upstream) is not None and _refuses_stop(job.upstream):
        del fields["stop"]
        job.left_out("stop", f"{job.upstream.model} has no such field")
    if not job.told.sampling:
        for name in _NO_TEMPERATURE:
            if fields.pop(name) is not None:
                job.left_out(name, f"{job.upstream.model} refuses it while it reasons")
    return fields


def _refuses_stop(upstream: Upstream) -> bool:
    return refuses_stop(upstream.model) or refuses_stop(upstream.family or "")


def _limit(job: _Job) -> int | None:
    """The output limit, at most what the model can give."""
    asked, most = job.request.sampling.max_tokens, job.upstream.max_output_tokens
    if asked is None or most is None or asked <= most:
        return asked
    job.warnings[f"max_tokens: {asked} is lowered to {most}, the most that the model gives"] = None
    return most


def _passed(job: _Job) -> dict[str, Json]:
    """Fields that go to hosts that know them. `store` means the upstream's only where a Chat client says it."""
    request = job.request
    fields: dict[str, Json] = {
        "store": request.store if request.dialect == "chat" else None,
        "metadata": dict(request.metadata) if request.metadata is not None else None,
        "service_tier": request.service_tier,
        "prompt_cache_key": request.cache_key,
    }
    for name, value in fields.items():
        if value is not None and not job.flag(name, False):
            fields[name] = None
            job.left_out(name)
    return fields


def _extra(job: _Job, stream: bool) -> dict[str, Json]:
    """A Chat client's fields that toolwire does not know, without those of OpenAI's that the host does not take."""
    extra = dict(job.request.extras.get(API, NOTHING))
    for name, flag in _KNOWN_TO.items():
        if name in extra and not job.flag(flag, False):
            del extra[name]
            job.left_out(name)
    if not stream or not isinstance(extra.get("stream_options", {}), dict):
        extra.pop("stream_options", None)
    return extra
