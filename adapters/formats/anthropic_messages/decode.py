"""Requests of Messages clients (2026-11), read.

Accepted are all forms that SDKs and Claude Code send: texts for blocks, system entries inside the conversation, either
API version, fields of betas. What has no neutral word stays in the extras of this API.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from adapters.errors import Rejected
from adapters.format import Call, Incoming
from adapters.formats.anthropic_messages.decode_blocks import blocks, cache_mark, system
from adapters.formats.anthropic_messages.thinking import read as read_thinking
from adapters.formats.anthropic_messages.wire import NAME, own
from adapters.formats.shared.fields import Fields, wrong
from adapters.model import (
    NOTHING,
    Extras,
    Json,
    Media,
    Message,
    Opaque,
    OutputFormat,
    Reasoning,
    Request,
    Role,
    Sampling,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)
from adapters.tools.offered import ToolLists

DIALECT = "messages"
_HEADERS = ("anthropic-version", "anthropic-beta")
_WORDS: Mapping[str, str] = {
    "tool_search_tool_bm25": "tool_search",
    "tool_search_tool_regex": "tool_search",
    "computer_toolset": "computer",
    "browser_toolset": "browser",
    "mcp_toolset": "mcp",
}
"""Native tool type without its date -> neutral word, where they differ."""
_TIERS: Mapping[str | None, str] = {"auto": "auto", "standard_only": "default"}
_HOLDS: Mapping[str, tuple[type, ...]] = {
    "user": (Text, Media, Opaque, ToolResult),
    "assistant": (Text, Opaque, Reasoning, ToolCall, Media),
    "system": (Text, Opaque),
}


@dataclass(slots=True, frozen=True)
class Reply:
    """What the answer needs from the request: the model as the client named it, a new message id."""

    model: str
    message_id: str


def decode(body: Json, call: Call) -> Incoming:
    """The neutral request. Raises Rejected with the path of what is wrong."""
    fields = Fields.of(body)
    if fields.values.get("max_tokens") is None:
        raise Rejected("max_tokens is required", "max_tokens")
    return _incoming(fields, call)


def decode_count(body: Json, call: Call) -> Incoming:
    """The neutral request of a token count, which has no `max_tokens`."""
    return _incoming(Fields.of(body), call)


def _incoming(fields: Fields, call: Call) -> Incoming:
    model = fields.needed("model")
    messages = _system(fields.take("system")) + _messages(fields.take("messages"))
    tools = _tools(fields.items("tools"))
    choice, parallel = _choice(fields.object("tool_choice"))
    output_config = Fields.of(fields.object("output_config") or {}, "output_config")
    effort, output = output_config.text("effort"), _output(fields, output_config)
    tier = fields.text("service_tier")
    request = Request(
        model=model,
        messages=tuple(messages),
        tools=tools,
        tool_choice=choice,
        parallel=parallel,
        sampling=_sampling(fields),
        output=output,
        thinking=read_thinking(fields.object("thinking"), effort, _turn_effort(messages)),
        stream=fields.flag("stream") or False,
        service_tier=_TIERS.get(tier),
        dialect=DIALECT,
        headers={NAME: sent} if (sent := {h: call.headers[h] for h in _HEADERS if h in call.headers}) else {},
        options=_options(fields),
    )
    if tier is not None and tier not in _TIERS:
        fields.values["service_tier"] = tier
    if output_config.values:
        fields.values["output_config"] = output_config.values
    return Incoming(replace(request, extras=own(fields.values)), Reply(model, "msg_" + call.new_id(24)))


# --- fields ------------------------------------------------------------------------------------------------------


def _sampling(fields: Fields) -> Sampling:
    stop = fields.items("stop_sequences")
    if not all(isinstance(text, str) for text in stop):
        raise wrong("stop_sequences", "an array of strings")
    return Sampling(
        max_tokens=fields.integer("max_tokens", 0),
        temperature=fields.number("temperature"),
        top_p=fields.number("top_p"),
        top_k=fields.integer("top_k"),
        stop=tuple(stop),
    )


def _output(fields: Fields, config: Fields) -> OutputFormat | None:
    """`output_config.format`, or the older field `output_format`. A form unknown here stays where it is."""
    for holder, name in ((config, "format"), (fields, "output_format")):
        match holder.values.get(name):
            case {"type": "json_schema", "schema": dict(schema)}:
                holder.take(name)
                return OutputFormat("schema", schema, strict=True)
            case None | {"type": _}:
                continue
            case _:
                raise wrong(holder.at(name), "an object with a type and a schema")
    return None


def _options(fields: Fields) -> Extras:
    options = fields.object("provider_options")
    if options is None:
        return NOTHING
    return {api: Fields.of(value, f"provider_options.{api}").values for api, value in options.items()}


def _choice(value: dict[str, Json] | None) -> tuple[ToolChoice | None, bool | None]:
    if value is None:
        return None, None
    fields = Fields.of(value, "tool_choice")
    parallel = False if fields.flag("disable_parallel_tool_use") else None
    match fields.word("type", ("auto", "any", "tool", "none")):
        case "auto":
            return ToolChoice("auto"), parallel
        case "any":
            return ToolChoice("required"), parallel
        case "none":
            return ToolChoice("none"), parallel
        case "tool":
            return ToolChoice("named", (fields.needed("name"),)), parallel
    raise Rejected("tool_choice.type is required", "tool_choice.type")


@ToolLists
def _tools(values: list[Json]) -> Iterable[Tool]:
    return (_tool(value, f"tools.{index}") for index, value in enumerate(values))


def _tool(value: Json, path: str) -> Tool:
    fields = Fields.of(value, path)
    kind = fields.text("type")
    if kind not in (None, "custom"):
        return _builtin(str(kind), fields, value)
    name, description, schema = fields.needed("name"), fields.text("description"), fields.object("input_schema")
    if schema is None:
        raise Rejected(f"{path}.input_schema is required", f"{path}.input_schema")
    strict, deferred, mark = fields.flag("strict"), fields.flag("defer_loading") or False, cache_mark(fields)
    return Tool(name, description, schema, strict, deferred=deferred, cache=mark, extras=own(fields.values))


def _builtin(kind: str, fields: Fields, value: dict[str, Json]) -> Tool:
    word = re.sub(r"_\d{8}$", "", kind)
    mark = cache_mark(fields)
    native = {key: item for key, item in value.items() if key != "cache_control" or key in fields.values}
    return Tool(
        fields.text("name") or kind, kind="builtin", builtin=_WORDS.get(word, word), cache=mark,
        deferred=fields.flag("defer_loading") or False, extras=own(native),
    )


# --- messages ----------------------------------------------------------------------------------------------------


def _system(content: Json) -> list[Message]:
    parts = system(content, "system") if content is not None else []
    return [Message("system", tuple(parts))] if parts else []


def _messages(value: Json) -> list[Message]:
    if not isinstance(value, list) or not value:
        raise wrong("messages", "an array with at least one message")
    return [made for index, item in enumerate(value) for made in _message(item, f"messages.{index}")]


def _message(value: Json, path: str) -> list[Message]:
    fields = Fields.of(value, path)
    role = fields.word("role", ("user", "assistant", "system"))
    content = fields.take("content")
    if role is None or content is None:
        missing = fields.at("role" if role is None else "content")
        raise Rejected(f"{missing} is required", missing)
    parts = (system if role == "system" else blocks)(content, fields.at("content"))
    for index, part in enumerate(parts):
        if not isinstance(part, _HOLDS[role]):
            raise wrong(f"{path}.content.{index}", f"a block that a message of role {role} may hold")
    results = tuple(part for part in parts if isinstance(part, ToolResult))
    if not results:
        named: Role = "system" if role == "system" else "assistant" if role == "assistant" else "user"
        return [Message(named, tuple(parts), extras=own(fields.values))]
    rest = tuple(part for part in parts if not isinstance(part, ToolResult))
    made = [Message("tool", results)]
    return [*made, Message("user", rest, extras=own(fields.values))] if rest else made


def _turn_effort(messages: list[Message]) -> str | None:
    """The effort that a system entry sets for the turn that is asked for."""
    for message in reversed(messages):
        match message.extras.get(NAME, NOTHING).get("output_config"):
            case {"effort": str(effort)} if message.role == "system":
                return effort
        if message.role == "assistant":
            return None
    return None
