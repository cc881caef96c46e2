"""Tools of Cohere's v2 chat (2026-11), for requests. `strict_tools` holds for all tools of a request or for none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from adapters.format import Upstream
from adapters.formats.shared.left_out import STRICT_OFF
from adapters.history import HistoryRules
from adapters.model import Json, Request, Tool
from adapters.prepare import Prepared, Rules, SchemaRule, prepare
from adapters.tools.ids import COHERE as IDS
from adapters.tools.names import COHERE as NAMES
from adapters.tools.schema import Projection, cohere, cohere_strict
from adapters.tools.schema.words import schemas_in

MOST_FIELDS = 200
"""Properties over all strict tools of a request."""

_HISTORY = HistoryRules(images_in_results=False, later_system="user", merge_system=True, reasoning="text")
_NOT_ALL = "strict: left out, cohere-chat takes it for all tools of a request or for none"


@dataclass(slots=True, frozen=True)
class Offer:
    """The prepared request, and whether its tools go strict."""

    prepared: Prepared
    strict: bool


def prepared_with_tools(request: Request, upstream: Upstream, warnings: dict[str, None]) -> Offer:
    """Strict where each tool of the client asks for it and fits; else no tool is."""
    asking = [tool for tool in request.tools if tool.strict is True]
    if asking:
        off = upstream.compat.get("strict_tools", "lossless") == "off"
        why = STRICT_OFF if off else _NOT_ALL
        if not off and len(asking) == len(request.tools):
            strict = prepare(request, upstream, _rules(_strict, upstream))
            if (found := _unfit(strict.request.tools)) is None:
                return Offer(strict, bool(strict.request.tools))
            why = found
        warnings.update(dict.fromkeys(f"tools.{tool.name}: {why}" for tool in asking))
    return Offer(prepare(request, upstream, _rules(_plain, upstream)), False)


def _rules(schema: SchemaRule, upstream: Upstream) -> Rules:
    return Rules(
        api="cohere-chat",
        names=NAMES,
        ids=IDS,
        history=_HISTORY,
        schema=schema,
        choices=frozenset({"auto", "none", "required"}),
        sort_tools=bool(upstream.compat.get("sort_tools", False)),
    )


def _plain(tool: Tool, upstream: Upstream) -> Projection:
    return replace(cohere(tool.schema), strict=None)


def _strict(tool: Tool, upstream: Upstream) -> Projection:
    """With `strict_tools: lossless` a schema that must change is not strict."""
    made = cohere_strict(tool.schema)
    if made.strict is True and made.notes and upstream.compat.get("strict_tools", "lossless") != "rewrite":
        return replace(made, strict=False)
    return made


def _unfit(tools: tuple[Tool, ...]) -> str | None:
    """Why the projected tools cannot be strict together."""
    if not all(tool.strict is True and tool.schema.get("required") for tool in tools):
        return "strict: left out, not every tool of the request fits the strict subset"
    if sum(_properties(tool.schema) for tool in tools) > MOST_FIELDS:
        return f"strict: left out, the tools have more than {MOST_FIELDS} properties"
    return None


def _properties(schema: Json) -> int:
    count = 0
    todo: list[Any] = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            for key, _, child in schemas_in(node):
                count += key == "properties"
                todo.append(child)
    return count


def tool(one: Tool) -> dict[str, Json]:
    """A declaration. One without parameters needs a description."""
    function: dict[str, Json] = {"name": one.name}
    if one.description and one.description.strip():
        function["description"] = one.description
    elif not one.schema.get("properties"):
        function["description"] = f"The tool {one.name}."
    return {"type": "function", "function": {**function, "parameters": one.schema}}
