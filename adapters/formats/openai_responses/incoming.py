"""A Responses client's request (openai-responses §1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters import json
from adapters.errors import Rejected
from adapters.format import Call, IdSource, Incoming
from adapters.formats.openai_responses.items import Conversation
from adapters.formats.openai_responses.tools import listed, read_choice
from adapters.formats.openai_responses.words import ENCRYPTED, LOGPROBS, NAME
from adapters.formats.shared.fields import Fields, wrong
from adapters.formats.shared.openai_models import ORDER
from adapters.model import NOTHING, Extras, Json, Message, OutputFormat, Request, Sampling, Text, Thinking, Tool

DIALECT = "responses"


@dataclass(slots=True, frozen=True)
class Reply:
    """What the answer needs of its request.

    `echo` holds the members of the response object that say what was asked, as JSON without the braces: bytes, so that
    nothing of the request itself is kept alive by a stream. `sealed`: the client asked for encrypted reasoning;
    `scored`: for log probabilities.
    """

    id: str
    model: str
    created: int
    new_id: IdSource = field(compare=False)
    echo: bytes = b""
    sealed: bool = False
    scored: bool = False
    keep: bool = False
    items: bytes = b"[]"
    """The whole input as items, earlier turns included: what the next turn continues from. Empty where not kept."""


def decode(body: Json, call: Call) -> Incoming:
    """The neutral request. Raises Rejected with the path of what is wrong."""
    fields = Fields.of(body)
    warnings: list[str] = []
    model = fields.needed("model")
    previous = _continued(fields, call.kept)
    keep = fields.values.get("store") is not False
    include = _include(fields)
    reply = Reply(
        id=f"resp_{call.new_id(32)}",
        model=model,
        created=call.now,
        new_id=call.new_id,
        echo=_echo(fields.values, previous),
        sealed=ENCRYPTED in include,
        scored=LOGPROBS in include,
        keep=keep,
        items=json.dumps(_items_of(fields.values.get("input"))) if keep else b"[]",
    )
    return Incoming(_request(fields, model, include, warnings), reply, tuple(warnings))


def _request(fields: Fields, model: str, include: list[str], warnings: list[str]) -> Request:
    conversation = _conversation(fields)
    tools = _all_tools(listed(fields.items("tools")), conversation.tools)
    stream = fields.flag("stream") or False
    store = fields.flag("store")
    output, verbosity = _text(fields)
    _stream_options(fields, stream, warnings)
    return Request(
        model=model,
        messages=tuple(conversation.messages),
        tools=tools,
        tool_choice=read_choice(fields.take("tool_choice"), tools),
        parallel=fields.flag("parallel_tool_calls"),
        sampling=_sampling(fields, LOGPROBS in include),
        output=output,
        thinking=_thinking(fields),
        stream=stream,
        user=fields.text("user"),
        metadata=fields.object("metadata"),
        service_tier=fields.text("service_tier"),
        verbosity=verbosity,
        cache_key=fields.text("prompt_cache_key"),
        store=store,
        dialect=DIALECT,
        options=_options(fields),
        extras=_extras(fields, include),
    )


def _conversation(fields: Fields) -> Conversation:
    """Instructions and input. A prompt template may stand for the input."""
    conversation = Conversation()
    instructions = fields.text("instructions")
    if instructions and instructions.strip():
        conversation.messages.append(
            Message("system", (Text(instructions),), extras={NAME: {"instructions": True}})
        )
    if (given := fields.take("input")) is not None:
        conversation.read(given)
    elif "prompt" not in fields.values:
        raise Rejected("input is required", "input")
    return conversation


def _continued(fields: Fields, kept: Json) -> str | None:
    """Puts the items of the response that is continued before the input; its id.

    Raises Rejected for a response that is not there, and for what this server does not do.
    """
    if (previous := fields.text("previous_response_id")) is not None:
        if kept is None:
            raise Rejected(
                f"Previous response with id '{previous}' not found.", "previous_response_id",
                code="previous_response_not_found",
            )
        given = fields.values.get("input")
        if given is not None and not isinstance(given, str | list):
            raise wrong("input", "a string or an array")
        fields.values["input"] = [*kept["input"], *kept["response"]["output"], *_items_of(given)]
    if fields.take("conversation") is not None:
        raise Rejected("conversation is not supported: send the whole input", "conversation")
    if fields.flag("background"):
        raise Rejected("background is not supported: the answer is sent at once, or streamed", "background")
    return previous


def _items_of(given: Json) -> list[Json]:
    """The input as a list of items; a string is one user message."""
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": given}]}]
    return given if isinstance(given, list) else []


def _include(fields: Fields) -> list[str]:
    include = fields.items("include")
    for index, one in enumerate(include):
        if not isinstance(one, str):
            raise wrong(f"include[{index}]", "a string")
    return include


def _all_tools(declared: tuple[Tool, ...], loaded: list[Tool]) -> tuple[Tool, ...]:
    """The declared tools, then those that items of the input declare anew."""
    known = {(tool.namespace, tool.name) for tool in declared}
    late: list[Tool] = []
    for tool in loaded:
        if (tool.namespace, tool.name) not in known:
            known.add((tool.namespace, tool.name))
            late.append(tool)
    return (*declared, *late) if late else declared


def _sampling(fields: Fields, scored: bool) -> Sampling:
    return Sampling(
        max_tokens=fields.integer("max_output_tokens", 0),
        temperature=fields.number("temperature"),
        top_p=fields.number("top_p"),
        logprobs=True if scored else None,
        top_logprobs=fields.integer("top_logprobs", 0),
    )


def _thinking(fields: Fields) -> Thinking | None:
    given = fields.object("reasoning")
    if given is None:
        return None
    own = Fields.of(given, "reasoning")
    effort = own.word("effort", ORDER)
    rest = {name: value for name, value in own.values.items() if value is not None}
    visible = True if any(rest.get(name) for name in ("summary", "generate_summary")) else None
    return Thinking(effort, visible=visible, extras={NAME: rest} if rest else NOTHING)  # type: ignore[arg-type]


def _text(fields: Fields) -> tuple[OutputFormat | None, str | None]:
    """Output format and verbosity; what else `text` says goes back to the fields."""
    text = Fields.of(fields.object("text") or {}, "text")
    verbosity, form = text.text("verbosity"), text.object("format")
    if rest := {name: value for name, value in text.values.items() if value is not None}:
        fields.values["text"] = rest
    if form is None:
        return None, verbosity
    own = Fields.of(form, "text.format")
    match own.word("type", ("text", "json_object", "json_schema")):
        case "text":
            return OutputFormat("text"), verbosity
        case "json_object":
            return OutputFormat("json"), verbosity
        case "json_schema":
            schema = own.object("schema")
            if schema is None:
                raise Rejected("text.format.schema is required", "text.format.schema")
            name, described = own.needed("name"), own.text("description")
            return OutputFormat("schema", schema, name, described, own.flag("strict")), verbosity
    raise Rejected("text.format.type is required", "text.format.type")


def _stream_options(fields: Fields, stream: bool, warnings: list[str]) -> None:
    """`include_usage` is Chat's: here usage is in every stream. What is left goes on to an upstream of this API."""
    options = fields.object("stream_options")
    if options is None:
        return
    if "include_usage" in options:
        warnings.append("stream_options.include_usage: left out, usage is always in the last event")
    rest = {name: value for name, value in options.items() if name != "include_usage"}
    if rest and stream:
        fields.values["stream_options"] = rest


def _options(fields: Fields) -> Extras:
    """`provider_options`: API name -> what is merged last into that API's native body."""
    options = fields.object("provider_options") or {}
    return {api: Fields.of(own, f"provider_options.{api}").values for api, own in options.items()}


def _extras(fields: Fields, include: list[str]) -> Extras:
    """The fields that only this API knows. Encrypted reasoning and log probabilities are asked for by others, too."""
    extra = {name: value for name, value in fields.values.items() if value is not None}
    if others := [one for one in include if one not in (ENCRYPTED, LOGPROBS)]:
        extra["include"] = others
    return {NAME: extra} if extra else NOTHING


def _echo(asked: Mapping[str, Json], previous: str | None) -> bytes:
    """What the response object says of the request."""
    reasoning, text = asked.get("reasoning"), asked.get("text")
    told = {
        "background": False,
        "instructions": asked.get("instructions"),
        "max_output_tokens": asked.get("max_output_tokens"),
        "max_tool_calls": asked.get("max_tool_calls"),
        "metadata": asked.get("metadata") or {},
        "parallel_tool_calls": asked.get("parallel_tool_calls") is not False,
        "previous_response_id": previous,
        "prompt_cache_key": asked.get("prompt_cache_key"),
        "reasoning": {"effort": None, "summary": None, **(reasoning if isinstance(reasoning, dict) else {})},
        "safety_identifier": asked.get("safety_identifier"),
        "service_tier": asked.get("service_tier"),
        "store": asked.get("store") is not False,
        "temperature": asked.get("temperature"),
        "text": {"format": {"type": "text"}, **(text if isinstance(text, dict) else {})},
        "tool_choice": asked.get("tool_choice") or "auto",
        "tools": asked.get("tools") or [],
        "top_logprobs": asked.get("top_logprobs"),
        "top_p": asked.get("top_p"),
        "truncation": asked.get("truncation") or "disabled",
        "user": asked.get("user"),
    }
    return json.dumps(told)[1:-1]
