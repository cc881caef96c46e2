"""A Gemini client's body (`generateContent`, v1 and v1beta, 2026-11) -> neutral request.

What only this API knows (safetySettings, cachedContent, labels, speechConfig …) stays in `extras` in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.errors import Rejected
from adapters.format import Call, Incoming
from adapters.formats.google_gemini.client_contents import messages, system
from adapters.formats.google_gemini.client_output import output
from adapters.formats.google_gemini.client_tools import choice, tools
from adapters.formats.google_gemini.reply import Reply
from adapters.formats.google_gemini.spelling import camel
from adapters.formats.google_gemini.target import API, DIALECT
from adapters.formats.google_gemini.thinking import effort_of
from adapters.formats.shared.fields import Fields, wrong
from adapters.model import NOTHING, Effort, Extras, Json, OutputFormat, Request, Sampling, Thinking

_EFFORTS: Mapping[str, Effort] = {
    "MINIMAL": "minimal",
    "LOW": "low",
    "MEDIUM": "medium",
    "HIGH": "high",
    "XHIGH": "xhigh",
}
_OWN_OPTIONS = ("provider_options", "providerOptions")
FRESH = 22


def decode(body: Json, call: Call) -> Incoming:
    """The neutral request. Raises Rejected with the field's path."""
    if not isinstance(body, dict):
        raise wrong("", "an object")
    options = _options(body)
    fields = Fields(camel({key: value for key, value in body.items() if key not in _OWN_OPTIONS}))
    given = fields.text("model")
    model = (call.model or given or "").removeprefix("models/")
    if not model:
        raise Rejected("model is required", "model")
    config = _Config.of(Fields.of(fields.take("generationConfig") or {}, "generationConfig"))
    instruction = fields.take("systemInstruction")
    first = system(instruction, "systemInstruction") if instruction is not None else None
    said = messages(fields.take("contents"))
    offered = tools(fields.items("tools"))
    tool_config = Fields.of(fields.take("toolConfig") or {}, "toolConfig")
    chosen = choice(tool_config, offered)
    tier = fields.text("serviceTier")
    extras = {**fields.values, "generationConfig": config.rest, "toolConfig": tool_config.values}
    extras = {key: value for key, value in extras.items() if value not in (None, {})}
    request = Request(
        model=model,
        messages=said if first is None else (first, *said),
        tools=offered,
        tool_choice=chosen,
        sampling=config.sampling,
        output=config.output,
        thinking=config.thinking,
        stream=bool(call.stream),
        service_tier=None if tier is None or tier.lower() == "service_tier_unspecified" else tier.lower(),
        modalities=config.modalities,
        dialect=DIALECT,
        extras={API: extras} if extras else NOTHING,
        options=options,
    )
    shown = config.thinking is not None and config.thinking.visible is True
    sse = call.query.get("alt") == "sse"
    return Incoming(request, Reply(model, call.new_id(FRESH), bool(call.stream), sse, shown))


def decode_count(body: Json, call: Call) -> Incoming:
    """`countTokens`: the contents alone, or a whole request in `generateContentRequest`."""
    if not isinstance(body, dict):
        raise wrong("", "an object")
    for name in ("generateContentRequest", "generate_content_request"):
        if body.get(name) is not None:
            return decode(body[name], call)
    return decode(body, call)


def _options(body: Mapping[str, Json]) -> Extras:
    for name in _OWN_OPTIONS:
        value = body.get(name)
        if value is not None:
            if not isinstance(value, dict) or not all(isinstance(own, dict) for own in value.values()):
                raise wrong(name, "an object of objects")
            return value
    return NOTHING


# --- generationConfig --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Config:
    """generationConfig, read; `rest` are the fields that only this API knows."""

    sampling: Sampling
    output: OutputFormat | None
    thinking: Thinking | None
    modalities: tuple[str, ...]
    rest: dict[str, Json]

    @classmethod
    def of(cls, fields: Fields) -> _Config:
        sampling = _sampling(fields)
        form = output(fields)
        thinking = _thinking(fields)
        rest = {key: value for key, value in fields.values.items() if value is not None}
        return cls(sampling, form, thinking, _modalities(fields.values.get("responseModalities")), rest)


def _modalities(value: Json) -> tuple[str, ...]:
    """What the answer may hold besides text. The field itself stays among those that only this API knows."""
    listed = value if isinstance(value, list) else []
    words = [one.lower() for one in listed if isinstance(one, str)]
    return tuple(word for word in words if word not in ("text", "modality_unspecified"))


def _sampling(fields: Fields) -> Sampling:
    stop = fields.items("stopSequences")
    if not all(isinstance(one, str) for one in stop):
        raise wrong(fields.at("stopSequences"), "an array of strings")
    top_k = _whole(fields, "topK")
    return Sampling(
        max_tokens=_whole(fields, "maxOutputTokens"),
        temperature=fields.number("temperature"),
        top_p=fields.number("topP"),
        top_k=top_k,
        stop=tuple(stop),
        seed=_whole(fields, "seed"),
        presence_penalty=fields.number("presencePenalty"),
        frequency_penalty=fields.number("frequencyPenalty"),
        logprobs=fields.flag("responseLogprobs"),
        top_logprobs=_whole(fields, "logprobs"),
        n=_whole(fields, "candidateCount"),
    )


def _whole(fields: Fields, name: str) -> int | None:
    """An integer; proto-JSON also takes one as text or as a float without a fraction (the SDK sends topK so)."""
    value = fields.values.get(name)
    written = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdecimal()
    if written or (isinstance(value, float) and value.is_integer()):
        fields.values[name] = int(value or 0)
    return fields.integer(name)


def _thinking(fields: Fields) -> Thinking | None:
    """Level -> effort; a budget keeps its number and says an effort too. Thoughts are shown only when asked for."""
    given = fields.take("thinkingConfig")
    if given is None:
        return None
    inner = Fields.of(given, fields.at("thinkingConfig"))
    visible = inner.flag("includeThoughts")
    budget = _whole(inner, "thinkingBudget")
    level = (inner.text("thinkingLevel") or "").upper().removeprefix("THINKING_LEVEL_")
    effort = _EFFORTS.get(level) or (effort_of(budget) if budget is not None else None)
    rest = {key: value for key, value in inner.values.items() if value is not None}
    if level == "XHIGH":
        rest["thinkingLevel"] = "XHIGH"
    return Thinking(effort, budget, bool(visible), {API: rest} if rest else NOTHING)
