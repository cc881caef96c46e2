"""Tools and tool choice, read from clients and written to upstreams (openai-responses §3, §4, §8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.openai_responses.words import NAME, own, rest
from adapters.formats.shared.fields import Fields
from adapters.model import NOTHING, Extras, Grammar, Json, Tool, ToolChoice
from adapters.tools.offered import ToolLists
from adapters.tools.schema import Level, Projection, openai_base, openai_strict

BUILTINS: Mapping[str, str] = {
    "web_search": "web_search",
    "web_search_2025_08_26": "web_search",
    "web_search_preview": "web_search",
    "web_search_preview_2025_03_11": "web_search",
    "file_search": "file_search",
    "code_interpreter": "code_execution",
    "computer": "computer",
    "computer_use": "computer",
    "computer_use_preview": "computer",
    "image_generation": "image_generation",
}
"""Type of a built-in tool -> neutral word; any other type is its own word."""

NATIVE: Mapping[str, Mapping[str, Json]] = {
    "web_search": {"type": "web_search"},
    "code_execution": {"type": "code_interpreter", "container": {"type": "auto"}},
    "image_generation": {"type": "image_generation"},
}
"""Neutral word -> declaration, for built-in tools that were declared in another API's form."""

_MODES = ("auto", "none", "required")


# --- from clients --------------------------------------------------------------------------------------------------


def read_tools(declared: Iterable[Json], path: str = "tools", extra: Mapping[str, Json] = NOTHING) -> tuple[Tool, ...]:
    """The declared tools; those of a namespace stand for themselves. `extra` goes into the own extras of each."""
    tools: list[Tool] = []
    for index, value in enumerate(declared):
        fields = Fields.of(value, f"{path}[{index}]")
        match fields.needed("type"):
            case "function":
                tools.append(_function(fields, extra))
            case "custom":
                tools.append(_custom(fields, extra))
            case "namespace":
                tools += _namespace(fields, extra)
            case str() as kind:
                tools.append(_builtin(kind, value, extra))
    return tuple(tools)


listed = ToolLists(read_tools)
"""The tools that a request declares itself."""


def _function(fields: Fields, extra: Mapping[str, Json]) -> Tool:
    return Tool(
        name=fields.needed("name"),
        description=fields.text("description"),
        schema=fields.object("parameters"),
        strict=fields.flag("strict"),
        deferred=fields.flag("defer_loading") or False,
        extras=_extras(fields, extra),
    )


def _custom(fields: Fields, extra: Mapping[str, Json]) -> Tool:
    grammar = None
    shape = Fields.of(fields.object("format") or {"type": "text"}, fields.at("format"))
    if shape.word("type", ("text", "grammar")) == "grammar":
        grammar = Grammar(shape.needed("syntax"), shape.needed("definition"))
    return Tool(
        name=fields.needed("name"),
        description=fields.text("description"),
        kind="custom",
        grammar=grammar,
        deferred=fields.flag("defer_loading") or False,
        extras=_extras(fields, extra),
    )


def _namespace(fields: Fields, extra: Mapping[str, Json]) -> Iterable[Tool]:
    name, description = fields.needed("name"), fields.text("description")
    inside = {**extra, "namespace_description": description} if description else extra
    for tool in read_tools(fields.items("tools"), fields.at("tools"), inside):
        yield replace(tool, namespace=name)


def _builtin(kind: str, value: Mapping[str, Json], extra: Mapping[str, Json]) -> Tool:
    label = value.get("server_label")
    name = f"mcp:{label}" if kind == "mcp" and isinstance(label, str) else kind
    return Tool(name, kind="builtin", builtin=BUILTINS.get(kind, kind), extras={NAME: {**extra, "tool": value}})


def _extras(fields: Fields, extra: Mapping[str, Json]) -> Extras:
    unknown = {**extra, **{key: value for key, value in fields.values.items() if value is not None}}
    return {NAME: unknown} if unknown else NOTHING


def read_choice(value: Json, tools: tuple[Tool, ...]) -> ToolChoice | None:
    """The tool choice; built-in tools are meant by their type."""
    match value:
        case None:
            return None
        case "auto" | "none" | "required":
            return ToolChoice(value)
        case {"type": "allowed_tools"}:
            fields = Fields.of(value, "tool_choice")
            mode = fields.word("mode", ("auto", "required"))
            names = tuple(_meant(one, tools, "tool_choice.tools") for one in fields.items("tools"))
            return ToolChoice("allowed", names, required=mode == "required")
        case {"type": str()}:
            return ToolChoice("named", (_meant(value, tools, "tool_choice"),))
    raise Rejected(f"tool_choice must be one of {', '.join(_MODES)}, or an object with a type", "tool_choice")


def _meant(value: Json, tools: tuple[Tool, ...], path: str) -> str:
    """The name of the tool that one entry means."""
    match value:
        case {"type": "function" | "custom", "name": str() as name}:
            return name
        case {"type": "mcp", "server_label": str() as label}:
            return f"mcp:{label}"
        case {"type": str() as kind} if kind not in ("function", "custom", "mcp"):
            word = BUILTINS.get(kind, kind)
            same = [tool.name for tool in tools if tool.kind == "builtin" and kind == tool.name]
            alike = [tool.name for tool in tools if tool.kind == "builtin" and word == tool.builtin]
            return next(iter(same + alike), kind)
    raise Rejected(f"{path} must name a tool by type and name", path)


# --- to upstreams --------------------------------------------------------------------------------------------------


def schema_of_own(tool: Tool, upstream: Upstream) -> Projection | None:
    """For a Responses client: unset stays unset, which lets the API try for strict."""
    return _schema(tool, upstream, tool.strict)


def schema_of_others(tool: Tool, upstream: Upstream) -> Projection | None:
    """For any other client: unset is not strict, said in so many words."""
    return _schema(tool, upstream, tool.strict or False)


_NO_STRICT = "strict: left out, the host is not known to take it (strict_tools: off)"


def _schema(tool: Tool, upstream: Upstream, strict: bool | None) -> Projection:
    level: Level = upstream.compat.get("strict_tools", "lossless")
    unsupported = frozenset(upstream.compat.get("unsupported_schema_keywords", ()))
    if level == "off":
        base = openai_base(tool.schema, unsupported)
        return replace(base, strict=None, notes=(*base.notes, _NO_STRICT) if tool.strict else base.notes)
    if strict:
        return openai_strict(tool.schema, level, unsupported)
    return replace(openai_base(tool.schema, unsupported), strict=strict)


def write_tools(tools: Iterable[Tool], native: bool, warnings: dict[str, None]) -> list[Json]:
    """The declarations, tools of a namespace inside it, built-ins last. `native`: the host is OpenAI's own API."""
    written: list[Json] = []
    builtins: list[Json] = []
    spaces: dict[str, list[Json]] = {}
    for tool in tools:
        if own(tool.extras).get("loaded"):
            continue
        if tool.kind == "builtin":
            builtins += _declared(tool, native, warnings)
            continue
        one = _tool(tool, native)
        if tool.namespace is None:
            written.append(one)
        elif tool.namespace in spaces:
            spaces[tool.namespace].append(one)
        else:
            inside = spaces[tool.namespace] = [one]
            description = own(tool.extras).get("namespace_description") or tool.namespace
            written.append(
                {"type": "namespace", "name": tool.namespace, "description": description, "tools": inside}
            )
    return written + builtins


def _tool(tool: Tool, native: bool) -> Json:
    one: dict[str, Json] = {"type": tool.kind, "name": tool.name}
    if tool.description is not None:
        one["description"] = tool.description
    if tool.kind == "function":
        one["parameters"] = tool.schema
        if tool.strict is not None:
            one["strict"] = tool.strict
    elif tool.grammar is not None:
        one["format"] = {"type": "grammar", "syntax": tool.grammar.syntax, "definition": tool.grammar.definition}
    if tool.deferred and native:
        one["defer_loading"] = True
    return {**one, **rest(own(tool.extras), frozenset({"namespace_description", "loaded"}))}


def _declared(tool: Tool, native: bool, warnings: dict[str, None]) -> Iterable[Json]:
    given = own(tool.extras).get("tool")
    if given is not None:
        yield given
    elif native and (known := NATIVE.get(tool.builtin or "")):
        yield dict(known)
    else:
        warnings[f"tools: the built-in {tool.name} is left out, {NAME} has no such tool here"] = None


def write_choice(choice: ToolChoice | None, tools: tuple[Tool, ...]) -> Json:
    """The choice in the wire's form; the names are wire names. Raises Rejected for a forced tool that is not there."""
    match choice:
        case None:
            return None
        case ToolChoice(mode="named", names=(name,)):
            return _entry(name, tools)
        case ToolChoice(mode="allowed", names=names, required=required):
            entries = [_entry(name, tools) for name in names]
            return {"type": "allowed_tools", "mode": "required" if required else "auto", "tools": entries}
    return choice.mode


def _entry(name: str, tools: tuple[Tool, ...]) -> Json:
    found = sorted((tool for tool in tools if tool.name == name), key=lambda tool: tool.kind == "builtin")
    match found:
        case [Tool(kind="builtin") as tool, *_]:
            given = own(tool.extras).get("tool", NATIVE.get(tool.builtin or ""))
            if given is None:
                raise Rejected(f"{NAME} cannot force the built-in tool {name} here", "tool_choice")
            if given["type"] == "mcp":
                return {"type": "mcp", "server_label": given.get("server_label")}
            return {"type": given["type"]}
        case [Tool(kind=kind), *_]:
            return {"type": kind, "name": name}
    raise Rejected(f"tool_choice names {name!r}, which is not among the declared tools", "tool_choice")
