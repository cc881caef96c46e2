"""Neutral request -> `generateContent` (v1beta, 2026-11): path, body, and what reading the answer needs.

Key order of the body: systemInstruction, contents, tools, toolConfig, generationConfig, then a Gemini client's own
fields (safetySettings, cachedContent, labels …). `provider_options` are laid over it last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

from adapters import json
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.google_gemini import structured, thinking
from adapters.formats.google_gemini.contents import contents
from adapters.formats.google_gemini.continued import may_pause
from adapters.formats.google_gemini.labels import labels
from adapters.formats.google_gemini.target import API, DIALECT, Target, rules, target
from adapters.formats.google_gemini.tools import tool_config, tool_list, usable
from adapters.formats.shared.merge import merge
from adapters.model import NOTHING, Json, OutputFormat, Request, Sampling
from adapters.prepare import prepare

INT32 = 2**31
_NAMED = "{}: left out, google-gemini has no such field"
_TIERS = {"default": "standard", "standard": "standard", "flex": "flex", "priority": "priority"}
_NESTED = ("toolConfig", "generationConfig")
_VERTEX_TIER = "x-vertex-ai-llm-shared-request-type"


def encode(request: Request, upstream: Upstream) -> Outgoing:
    """The native request, whole or streamed as `request.stream` says."""
    to = target(upstream)
    warnings: dict[str, None] = {}
    shaped = structured.fitted(usable(request, to, warnings), to, warnings)
    prepared = prepare(shaped.request, upstream, rules(to, request))
    reading = replace(
        prepared.reading,
        answer_tool=_wire_name(shaped.answer_tool, prepared.reading),
        facts={"vertex": to.vertex, "grounded": any(tool.kind == "builtin" for tool in prepared.request.tools)},
    )
    body = _body(prepared.request, shaped.output, to, warnings)
    headers = _tier(request, body, to, warnings)
    _told(request, warnings)
    body = merge(merge(_without(body, to, warnings), request.options.get(API, NOTHING)), upstream.options)
    method = "streamGenerateContent" if request.stream else "generateContent"
    return Outgoing(
        path=f"{model_path(to)}:{method}",
        body=json.dumps(body),
        reading=reading,
        stream=request.stream,
        headers=headers,
        query={"alt": "sse"} if request.stream else {},
        warnings=(*warnings, *prepared.warnings),
        may_pause=may_pause(request, upstream),
    )


def encode_count(request: Request, upstream: Upstream) -> Outgoing:
    """`countTokens` of the same prompt."""
    to = target(upstream)
    warnings: dict[str, None] = {}
    shaped = structured.fitted(usable(request, to, warnings), to, warnings)
    prepared = prepare(shaped.request, upstream, rules(to, request))
    body = _body(prepared.request, shaped.output, to, warnings)
    if to.vertex:
        body = {key: body[key] for key in ("systemInstruction", "contents", "tools") if key in body}
    else:
        body = {"generateContentRequest": {"model": f"models/{_name(upstream.model)}", **body}}
    return Outgoing(f"{model_path(to)}:countTokens", json.dumps(body), prepared.reading, stream=False)


def _wire_name(name: str | None, reading: Reading) -> str | None:
    return next((wire for wire, original in reading.names.items() if original == name), name)


def model_path(to: Target) -> str:
    """The path of the model: one percent-encoded segment after `models`."""
    model = quote(_name(to.upstream.model), safe="")
    if not to.vertex:
        return f"/v1beta/models/{model}"
    project, location = to.upstream.compat.get("vertex_project"), to.upstream.compat.get("vertex_location")
    if not project:
        return f"/v1beta1/publishers/google/models/{model}"
    place = f"/v1/projects/{quote(project, safe='')}/locations/{quote(location or 'global', safe='')}"
    return f"{place}/publishers/google/models/{model}"


def _name(model: str) -> str:
    return model.removeprefix("publishers/google/").removeprefix("models/")


def _body(request: Request, output: OutputFormat | None, to: Target, warnings: dict[str, None]) -> dict[str, Json]:
    own = request.extras.get(API, NOTHING)
    system, entries = contents(request.messages, to, warnings)
    body: dict[str, Json] = {} if system is None else {"systemInstruction": system}
    body["contents"] = entries
    if tools := tool_list(request.tools, to):
        body["tools"] = tools
    if config := tool_config(request.tool_choice, request.tools, own.get("toolConfig", NOTHING), to):
        body["toolConfig"] = config
    if generation := _generation(request, output, to, warnings):
        body["generationConfig"] = generation
    if made := labels(request, to, warnings):
        body["labels"] = made
    return {**body, **{key: value for key, value in own.items() if key not in body and key not in _NESTED}}


def _generation(
    request: Request, output: OutputFormat | None, to: Target, warnings: dict[str, None]
) -> dict[str, Json]:
    own = request.extras.get(API, NOTHING).get("generationConfig", NOTHING)
    asked = thinking.Config({}, 0)
    if request.thinking is not None:
        asked = thinking.config(request.thinking, to.model, to.vertex, to.upstream.model)
        warnings.update(dict.fromkeys(asked.warnings))
    config: dict[str, Json] = {
        **_sampling(request, to, asked.room, warnings),
        **structured.fields(output, to),
        "thinkingConfig": asked.body or None,
    }
    made = {key: value for key, value in config.items() if value is not None}
    return {**made, **{key: value for key, value in own.items() if key not in made}}


def _sampling(request: Request, to: Target, room: int, warnings: dict[str, None]) -> dict[str, Json]:
    asked = request.sampling
    penalties = (asked.presence_penalty, asked.frequency_penalty)
    if penalties != (None, None) and not to.model.penalties:
        warnings[f"presence_penalty, frequency_penalty: left out, {to.upstream.model} refuses them"] = None
        penalties = (None, None)
    return {
        "candidateCount": asked.n if asked.n != 1 else None,
        "stopSequences": list(asked.stop) or None,
        "maxOutputTokens": _limit(request, asked, to, room),
        "temperature": asked.temperature,
        "topP": asked.top_p,
        "topK": asked.top_k,
        "seed": asked.seed if asked.seed is None or -INT32 <= asked.seed < INT32 else asked.seed % INT32,
        "presencePenalty": penalties[0],
        "frequencyPenalty": penalties[1],
        "responseLogprobs": True if asked.logprobs else None,
        "logprobs": asked.top_logprobs if asked.logprobs and asked.top_logprobs else None,
    }


def _limit(request: Request, asked: Sampling, to: Target, room: int) -> int | None:
    """Thinking counts against maxOutputTokens, so its share comes on top of what the client wants to read.

    Gemini clients count it in, and so do clients that name a budget below their limit.
    """
    limit = asked.max_tokens
    if limit is None or request.dialect == DIALECT:
        return limit
    budget = request.thinking.budget if request.thinking is not None else None
    if budget is not None and 0 < budget < limit:
        return limit
    most = to.upstream.max_output_tokens
    return limit + room if most is None else max(limit, min(limit + room, most))


def _tier(request: Request, body: dict[str, Json], to: Target, warnings: dict[str, None]) -> Mapping[str, str]:
    """The service tier: a field of the Gemini API, a header on Vertex."""
    tier = request.service_tier
    if tier in (None, "auto"):
        return {}
    native = _TIERS.get(tier or "")
    if native is None:
        warnings[f"service_tier {tier}: left out, google-gemini has no such tier"] = None
    elif not to.vertex:
        body["serviceTier"] = native
    elif native != "standard":
        return {_VERTEX_TIER: native}
    return {}


def _told(request: Request, warnings: dict[str, None]) -> None:
    """Names what this API has no field for."""
    left = {
        "logit_bias": request.sampling.logit_bias,
        "verbosity": request.verbosity,
        "prompt_cache_key": request.cache_key,
        "cache_control": _marked(request),
    }
    warnings.update(dict.fromkeys(_NAMED.format(name) for name, value in left.items() if value))
    if request.parallel is False:
        warnings["parallel_tool_calls: google-gemini has no switch, several calls may come"] = None


def _marked(request: Request) -> bool:
    parts = (part for message in request.messages for part in message.parts)
    return any(getattr(part, "cache", None) for part in parts) or any(tool.cache for tool in request.tools)


def _without(body: dict[str, Json], to: Target, warnings: dict[str, None]) -> dict[str, Json]:
    """Without the fields that the host refuses (compat `unsupported_fields`)."""
    for name in to.upstream.compat.get("unsupported_fields", ()):
        for place in (body, body.get("generationConfig", {}), body.get("toolConfig", {})):
            if place.pop(name, None) is not None:
                warnings[f"{name}: left out, this host does not take it"] = None
    return body
