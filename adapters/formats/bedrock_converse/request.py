"""Requests to Converse (2026-11), written. The model stands in the path, what only a model family knows in
`additionalModelRequestFields`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from urllib.parse import quote

from adapters import json
from adapters.errors import Rejected
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.bedrock_converse.caching import settle
from adapters.formats.bedrock_converse.messages import Block, Writer, system
from adapters.formats.bedrock_converse.models import Known, known
from adapters.formats.bedrock_converse.output import Shaped, shape
from adapters.formats.bedrock_converse.sampling import sampled
from adapters.formats.bedrock_converse.thinking import Decided, decide, lost, off
from adapters.formats.bedrock_converse.tools import config, schema_rule, usable
from adapters.formats.bedrock_converse.wire import NAME
from adapters.formats.shared import left_out
from adapters.formats.shared.claude_betas import betas
from adapters.formats.shared.claude_thinking import Limit, limit
from adapters.formats.shared.merge import merge
from adapters.history import HistoryRules, leading_system
from adapters.model import NOTHING, Json, Request
from adapters.prepare import Rules, prepare
from adapters.tools.ids import BEDROCK as IDS
from adapters.tools.ids import MISTRAL as SHORT_IDS
from adapters.tools.names import BEDROCK as NAMES

_ALL_CHOICES = frozenset({"auto", "none", "required", "named"})
_FEW_CHOICES = frozenset({"auto", "none"})
_LEFT_OUT = left_out.FIELDS - {
    "top_k", "user", "metadata", "service_tier", "parallel_tool_calls", "cache_control",
}  # fmt: skip
_TIERS: Mapping[str, str | None] = {
    "auto": None, "default": "default", "standard_only": "default", "priority": "priority", "flex": "flex",
    "reserved": "reserved",
}  # fmt: skip
_PAIR = re.compile(r"[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}")
"""What `requestMetadata` may hold, as key and as value (which may be empty too)."""
_MOST_PAIRS = 16
_REFUSED_BETAS = ("advanced-tool-use*", "prompt-caching*", "compact-2026-01-12")
"""Values of `anthropic_beta` that Converse refuses."""
_COUNTED = ("messages", "system", "toolConfig", "additionalModelRequestFields")


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request.

    Body: system, messages, inferenceConfig, toolConfig, additionalModelRequestFields,
    additionalModelResponseFieldPaths, outputConfig, requestMetadata, serviceTier.
    """
    draft = _draft(request, upstream)
    body = draft.body
    for options in (request.options.get(NAME, NOTHING), upstream.options):
        body = merge(body, options)
    streams = request.stream and _streams(body, upstream)
    return Outgoing(
        _path(upstream, "converse-stream" if streams else "converse"), json.dumps(body),
        replace(draft.reading, stream=streams), streams, warnings=tuple(draft.warnings),
    )


def count_tokens(request: Request, upstream: Upstream) -> Outgoing | None:
    """The native request that counts the prompt's tokens: for Claude only."""
    if not known(upstream).claude:
        return None
    draft = _draft(request, upstream)
    counted = {key: draft.body[key] for key in _COUNTED if key in draft.body}
    body = json.dumps({"input": {"converse": counted}})
    return Outgoing(_path(upstream, "count-tokens"), body, draft.reading, False, warnings=tuple(draft.warnings))


def _path(upstream: Upstream, operation: str) -> str:
    """The model, an id or an ARN, is one segment: `:` and `/` in it are encoded. Raises Rejected for one of dots."""
    if upstream.model in (".", ".."):
        raise Rejected(f"{NAME} has no model {upstream.model!r}", "model", type="not_found_error")
    return f"/model/{quote(upstream.model, safe='')}/{operation}"


def _streams(body: Block, upstream: Upstream) -> bool:
    """Whether the model can stream this: some cannot when tools are offered."""
    flag = upstream.compat.get("stream_tools", "auto")
    able = known(upstream).family.streams_tools if flag == "auto" else bool(flag)
    return able or "toolConfig" not in body


@dataclass(slots=True, frozen=True)
class _Draft:
    """A body without options, and what goes with it."""

    body: Block
    reading: Reading
    warnings: dict[str, None]


def _draft(request: Request, upstream: Upstream) -> _Draft:
    if (request.sampling.n or 1) > 1:
        raise Rejected(f"{NAME} gives one answer a request, n must be 1", "n")
    model = known(upstream)
    warnings: dict[str, None] = {}
    shaped = shape(usable(request, model, warnings), model, upstream.compat.get("structured_output", "auto"))
    limits = limit(request.sampling.max_tokens, model.facts, upstream.max_output_tokens, request.stream)
    decided = decide(request.thinking, model, limits, upstream.model)
    if shaped.answer_tool is not None and decided.budgeted:
        decided = off(limits, "reasoning_effort: left out, the forced form of the answer excludes it")
    draft = _written(request, upstream, shaped, decided, limits)
    if draft is None:
        told = "thinking: switched off for this request, the reasoning of its tool calls is lost"
        decided = off(limits, told, {"thinking": {"type": "disabled"}})
        draft = _written(request, upstream, shaped, decided, limits)
        assert draft is not None
    draft.warnings.update(warnings)
    return draft


def _written(
    request: Request, upstream: Upstream, shaped: Shaped, decided: Decided, limits: Limit
) -> _Draft | None:
    """None where a thinking budget cannot be spent, because the reasoning of the tool turn under way is lost."""
    model = known(upstream)
    prepared = prepare(shaped.request, upstream, _rules(upstream, model, decided, shaped))
    asked = prepared.request
    if decided.budgeted and lost(asked.messages):
        return None
    warnings = dict.fromkeys((*limits.warnings, *decided.warnings, *shaped.warnings, *prepared.warnings))
    lead = leading_system(asked.messages)
    tools = config(asked, request, model, warnings)
    sampling = sampled(request.sampling, model, decided, warnings)
    body: dict[str, Json] = {
        "system": system(asked.messages[:lead]),
        "messages": Writer(model.family, warnings).write(asked.messages[lead:]),
        "inferenceConfig": sampling.config,
        "toolConfig": tools.body,
        "additionalModelRequestFields": _model_fields(request, upstream, tools.native_choice, {
            **decided.fields, **sampling.fields}),
        "additionalModelResponseFieldPaths": _response_fields(request, model, "stopSequences" in sampling.config),
        "outputConfig": shaped.config,
        "requestMetadata": _metadata(request, warnings),
        "serviceTier": _tier(request, warnings),
    }
    body = {key: value for key, value in body.items() if value}
    settle(body, upstream.compat.get("cache", "auto"), model.family, warnings)
    left_out.told(request, NAME, _LEFT_OUT, warnings)
    return _Draft(body, replace(prepared.reading, answer_tool=shaped.answer_tool), warnings)


def _rules(upstream: Upstream, model: Known, decided: Decided, shaped: Shaped) -> Rules:
    """What the model behind this request can carry."""
    family = model.family
    continues = model.claude and model.facts.prefill and not decided.budgeted and shaped.config is None
    forces = family.choice and model.facts.forced and not decided.budgeted
    return Rules(
        api=NAME,
        names=NAMES,
        ids=SHORT_IDS if family.short_ids else IDS,
        history=HistoryRules(
            first_user=not family.first_assistant,
            later_system="user",
            reasoning=family.reasoning,
            prefill="keep" if continues else "user",
            tools_from_history=True,
        ),
        schema=schema_rule,
        choices=_ALL_CHOICES if forces else _FEW_CHOICES,
        sort_tools=bool(upstream.compat.get("sort_tools", True)),
    )


# --- fields ------------------------------------------------------------------------------------------------------


def _model_fields(
    request: Request, upstream: Upstream, native_choice: Block | None, decided: dict[str, Json]
) -> dict[str, Json]:
    """Claude's betas first, then thinking, effort and sampling, then Claude's own tool choice."""
    fields: dict[str, Json] = {}
    if known(upstream).claude and (betas := _betas(request, upstream)):
        fields["anthropic_beta"] = betas
    fields.update(decided)
    if native_choice is not None:
        fields["tool_choice"] = native_choice
    return fields


def _betas(request: Request, upstream: Upstream) -> list[str]:
    """The beta values of a Messages client that `compat.betas` lets through and Converse takes."""
    return [
        value
        for value, allowed in betas(request, upstream).items()
        if allowed and not any(fnmatchcase(value, pattern) for pattern in _REFUSED_BETAS)
    ]


def _response_fields(request: Request, model: Known, stops: bool) -> list[str]:
    """Where Claude tells which stop text matched."""
    if not model.claude or not stops:
        return []
    return ["/delta/stop_sequence" if request.stream else "/stop_sequence"]


def _metadata(request: Request, warnings: dict[str, None]) -> dict[str, Json]:
    """`requestMetadata`: pairs of short texts, the user's id among them."""
    said = {**(request.metadata or {}), **({"user": request.user} if request.user is not None else {})}
    pairs: dict[str, Json] = {}
    for key, value in said.items():
        fits = isinstance(value, str) and (not value or _PAIR.fullmatch(value)) and _PAIR.fullmatch(key)
        if fits and len(pairs) < _MOST_PAIRS:
            pairs[key] = value
        else:
            told = "user" if key == "user" and request.user is not None else f"metadata.{key}"
            warnings[f"{told}: left out, {NAME} takes {_MOST_PAIRS} pairs of short plain texts"] = None
    return pairs


def _tier(request: Request, warnings: dict[str, None]) -> Block | None:
    tier = request.service_tier
    if tier is None:
        return None
    if tier not in _TIERS:
        warnings[f"service_tier: {tier} is left out, {NAME} has no such tier"] = None
        return None
    native = _TIERS[tier]
    return None if native is None else {"type": native}
