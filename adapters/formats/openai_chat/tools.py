"""Tools and tool choice of a Chat request -> neutral ones, today's form and the older `functions`."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.errors import Rejected
from adapters.formats.openai_chat.details import API
from adapters.formats.shared.fields import Fields, wrong
from adapters.model import NOTHING, CacheMark, Grammar, Json, Tool, ToolChoice
from adapters.tools.offered import ToolLists

_BUILTIN = {
    "web_search": "web_search",
    "web_search_preview": "web_search",
    "browser_search": "web_search",
    "code_interpreter": "code_execution",
}
"""Types of tools that a host runs itself -> neutral words; others keep their type as the word."""


@ToolLists
def decode(values: list[Json]) -> Iterable[Tool]:
    """The neutral tools."""
    return (_tool(Fields.of(value, f"tools[{index}]"), value) for index, value in enumerate(values))


def _tool(fields: Fields, raw: Json) -> Tool:
    match fields.needed("type"):
        case "function":
            return _function(Fields.of(fields.take("function"), fields.at("function")), fields)
        case "custom":
            return _custom(Fields.of(fields.take("custom"), fields.at("custom")), fields)
        case kind:
            return Tool(kind, kind="builtin", builtin=_BUILTIN.get(kind, kind), extras={API: raw})


def _function(function: Fields, outer: Fields | None) -> Tool:
    name, description = function.needed("name"), function.text("description")
    schema, strict = function.object("parameters"), function.flag("strict")
    mark = _mark(outer) or _mark(function) if outer else None
    extras = dict(outer.values) if outer else {}
    if function.values and outer:
        extras["function"] = function.values
    return Tool(name, description, schema, strict, cache=mark, extras={API: extras} if extras else NOTHING)


def _mark(fields: Fields) -> CacheMark | None:
    match fields.take("cache_control"):
        case {"ttl": str() as ttl}:
            return CacheMark(ttl)
        case {}:
            return CacheMark()
    return None


def _custom(custom: Fields, outer: Fields) -> Tool:
    name, description = custom.needed("name"), custom.text("description")
    grammar = None
    if (form := custom.object("format")) is not None and form.get("type") == "grammar":
        inner = Fields.of(form.get("grammar"), custom.at("format.grammar"))
        grammar = Grammar(inner.needed("syntax"), inner.needed("definition"))
    return Tool(name, description, kind="custom", grammar=grammar, cache=_mark(outer))


def functions(values: list[Json]) -> tuple[Tool, ...]:
    """The tools of the older field `functions`."""
    return tuple(_function(Fields.of(value, f"functions[{i}]"), None) for i, value in enumerate(values))


# --- choice ------------------------------------------------------------------------------------------------------


def choice(value: Json) -> ToolChoice | None:
    """The neutral choice of `tool_choice`."""
    match value:
        case None:
            return None
        case "none" | "auto" | "required":
            return ToolChoice(value)
        case dict():
            return _choice(Fields.of(value, "tool_choice"))
    raise wrong("tool_choice", "none, auto, required or an object")


def _choice(fields: Fields) -> ToolChoice:
    match fields.needed("type"):
        case "function" | "custom" as kind:
            named = Fields.of(fields.take(kind), fields.at(kind))
            return ToolChoice("named", (named.needed("name"),))
        case "allowed_tools":
            allowed = Fields.of(fields.take("allowed_tools"), fields.at("allowed_tools"))
            mode = allowed.word("mode", ("auto", "required")) or "auto"
            values = allowed.items("tools")
            if not values:
                raise Rejected(f"{allowed.at('tools')} is required", allowed.at("tools"))
            names = tuple(_allowed(value, f"{allowed.at('tools')}[{i}]") for i, value in enumerate(values))
            return ToolChoice("allowed", names, mode == "required")
        case kind:
            return ToolChoice("named", (kind,))


def _allowed(value: Json, path: str) -> str:
    fields = Fields.of(value, path)
    kind = fields.needed("type")
    if kind not in ("function", "custom"):
        return kind
    return Fields.of(fields.take(kind), fields.at(kind)).needed("name")


def function_call(value: Json) -> ToolChoice | None:
    """The neutral choice of the older field `function_call`."""
    match value:
        case None:
            return None
        case "none" | "auto":
            return ToolChoice(value)
        case dict():
            return ToolChoice("named", (Fields.of(value, "function_call").needed("name"),))
    raise wrong("function_call", "none, auto or an object")
