"""A client's Chat Completions request -> the neutral request.

Every field of the wire page's §1 is read; what has no neutral place, and whatever is unknown, travels in `extras` to an
upstream of the same API.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_args

from adapters.errors import Rejected
from adapters.format import Call, Incoming
from adapters.formats.openai_chat import messages, tools
from adapters.formats.openai_chat.details import API
from adapters.formats.shared.fields import Fields, wrong
from adapters.model import (
    NOTHING,
    Effort,
    Extras,
    Json,
    OutputFormat,
    Request,
    Sampling,
    Thinking,
    Tool,
    ToolChoice,
)


@dataclass(slots=True, frozen=True)
class Reply:
    """What the answer needs from the request. `legacy`: it offered `functions`, so calls go in the older form."""

    id: str
    created: int
    model: str
    include_usage: bool = False
    legacy: bool = False


def decode(body: Json, call: Call) -> Incoming:
    """The neutral request. Raises Rejected with the path of what is wrong."""
    fields = Fields.of(body)
    warnings: list[str] = []
    model = fields.needed("model")
    offered, choice, legacy = _tools(fields)
    stream = fields.flag("stream") or False
    include_usage = _stream_options(fields, stream, warnings)
    parallel = fields.flag("parallel_tool_calls")
    output = _output(fields)
    request = Request(
        model=model,
        messages=messages.decode(fields.take("messages")),
        tools=offered,
        tool_choice=choice,
        parallel=False if legacy and parallel is None else parallel,
        sampling=_sampling(fields),
        output=output,
        thinking=_thinking(fields),
        stream=stream,
        user=fields.text("user"),
        metadata=fields.object("metadata"),
        service_tier=fields.text("service_tier"),
        verbosity=fields.text("verbosity"),
        cache_key=fields.text("prompt_cache_key"),
        store=fields.flag("store"),
        dialect="chat",
        options=_options(fields),
        modalities=_modalities(fields),
        extras={API: fields.values} if fields.values else NOTHING,
    )
    reply = Reply(f"chatcmpl-{call.new_id(29)}", call.now, model, include_usage, legacy)
    return Incoming(request, reply, tuple(warnings))


def _tools(fields: Fields) -> tuple[tuple[Tool, ...], ToolChoice | None, bool]:
    """Tools, choice, and whether they came in the older form."""
    offered = tools.decode(fields.items("tools"))
    choice = tools.choice(fields.take("tool_choice"))
    older = tools.functions(fields.items("functions"))
    older_choice = tools.function_call(fields.take("function_call"))
    if offered and older:
        raise Rejected("tools and functions cannot be given together", "functions")
    return (older, older_choice, True) if older else (offered, choice or older_choice, False)


def _stream_options(fields: Fields, stream: bool, warnings: list[str]) -> bool:
    """Whether the client wants usage in its stream. Other options go on to an upstream of the same API."""
    options = Fields.of(fields.take("stream_options") or {}, "stream_options")
    wanted = options.flag("include_usage") or False
    if not stream:
        if wanted or options.values:
            warnings.append("stream_options: ignored, the answer is not streamed")
        return False
    if options.values:
        fields.values["stream_options"] = options.values
    return wanted


def _sampling(fields: Fields) -> Sampling:
    current, older = fields.integer("max_completion_tokens", 0), fields.integer("max_tokens", 0)
    return Sampling(
        max_tokens=older if current is None else current,
        temperature=fields.number("temperature"),
        top_p=fields.number("top_p"),
        stop=_stop(fields.take("stop")),
        seed=fields.integer("seed"),
        presence_penalty=fields.number("presence_penalty"),
        frequency_penalty=fields.number("frequency_penalty"),
        logit_bias=fields.object("logit_bias"),
        logprobs=fields.flag("logprobs"),
        top_logprobs=fields.integer("top_logprobs", 0),
        n=fields.integer("n", 1),
    )


def _stop(value: Json) -> tuple[str, ...]:
    match value:
        case None:
            return ()
        case str():
            return (value,)
        case list() if all(isinstance(word, str) for word in value):
            return tuple(value)
    raise wrong("stop", "a string or an array of strings")


def _thinking(fields: Fields) -> Thinking | None:
    effort = fields.word("reasoning_effort", get_args(Effort))
    return None if effort is None else Thinking(cast(Effort, effort))


def _output(fields: Fields) -> OutputFormat | None:
    """Structured output. A form that OpenAI does not have stays, as it came, for an upstream of the same API."""
    raw = fields.object("response_format")
    if raw is None:
        return None
    form = Fields(dict(raw), "response_format")
    match form.needed("type"):
        case "text":
            return OutputFormat("text")
        case "json_object":
            schema = form.object("schema")
            return OutputFormat("json") if schema is None else OutputFormat("schema", schema, extras={API: raw})
        case "json_schema":
            return _schema(Fields.of(form.take("json_schema"), form.at("json_schema")))
    fields.values["response_format"] = raw
    return None


def _schema(form: Fields) -> OutputFormat:
    name, description = form.needed("name"), form.text("description")
    return OutputFormat("schema", form.object("schema"), name, description, form.flag("strict"))


def _modalities(fields: Fields) -> tuple[str, ...]:
    """What the answer may hold besides text. The field itself then also stays for an upstream of the same API."""
    raw = fields.items("modalities")
    if not all(isinstance(kind, str) for kind in raw):
        raise wrong("modalities", "an array of strings")
    kinds = tuple(kind for kind in raw if kind != "text")
    if kinds:
        fields.values["modalities"] = raw
    return kinds


def _options(fields: Fields) -> Extras:
    """`provider_options`: API name -> what is merged last into that API's native body."""
    options: Mapping[str, Json] = fields.object("provider_options") or NOTHING
    for api, own in options.items():
        if not isinstance(own, dict):
            raise wrong(f"provider_options.{api}", "an object")
    return options
