"""Tools and tool choice of the Messages API (2026-11), for requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.anthropic_messages.blocks import Block, cache_control
from adapters.formats.anthropic_messages.wire import NAME, own
from adapters.formats.shared.claude import OTHER, Facts, facts
from adapters.formats.shared.claude_strict import Left
from adapters.formats.shared.left_out import STRICT_OFF
from adapters.model import NOTHING, Json, Request, Tool, ToolChoice
from adapters.tools.offered import derive
from adapters.tools.schema import Projection, anthropic, anthropic_strict

_BUILT_IN: Mapping[str, Mapping[str, Json]] = {
    "web_search": {"type": "web_search_20250305", "name": "web_search"},
    "web_fetch": {"type": "web_fetch_20250910", "name": "web_fetch"},
    "code_execution": {"type": "code_execution_20250825", "name": "code_execution"},
}
"""Neutral word -> declaration, for built-in tools of other dialects."""

_NO_STRICT = "strict: left out, the model has no strict tools"


def facts_of(upstream: Upstream) -> Facts:
    """By the family that the operator names, else by the model's name."""
    named = facts(upstream.family) if upstream.family else OTHER
    return named if named.known else facts(upstream.model)


def schema_rule(tool: Tool, upstream: Upstream) -> Projection:
    """Strict where the client asks, the model can and the schema fits; else mended where the API refuses it."""
    level = upstream.compat.get("strict_tools", "lossless")
    plain = replace(anthropic(tool.schema), strict=None)
    if tool.strict is not True:
        return plain
    if level == "off":
        return replace(plain, notes=(*plain.notes, STRICT_OFF))
    if not facts_of(upstream).structured:
        return replace(plain, notes=(*plain.notes, _NO_STRICT))
    strict = anthropic_strict(tool.schema)
    if strict.strict is True and (level == "rewrite" or not strict.notes):
        return strict
    return replace(plain, notes=(*plain.notes, f"strict: left out, {strict.notes[0]}"))


def offered(request: Request, warnings: dict[str, None]) -> Request:
    """The request with native built-in tools; those without such a form are left out, a forced one is Rejected."""
    if derive(request.tools, f"{NAME}: own", lambda: not any(t.kind == "builtin" or t.deferred for t in request.tools)):
        return request
    tools: list[Tool] = []
    renamed: dict[str, str | None] = {}
    for tool in request.tools:
        native = None if tool.kind != "builtin" or NAME in tool.extras else _BUILT_IN.get(tool.builtin or "")
        if tool.kind != "builtin" or NAME in tool.extras:
            tools.append(tool)
        elif native is not None:
            renamed[tool.name] = native["name"]
            tools.append(replace(tool, name=native["name"], extras=own(native)))
        else:
            renamed[tool.name] = None
            warnings[f"tools: {tool.builtin or tool.name} is left out, {NAME} has no such built-in tool"] = None
    searching = any(str(t.extras.get(NAME, NOTHING).get("type")).startswith("tool_search") for t in tools)
    if request.dialect != "messages" and not searching:
        tools = [replace(tool, deferred=False) if tool.deferred else tool for tool in tools]
    return replace(request, tools=tuple(tools), tool_choice=_renamed(request.tool_choice, renamed))


def _renamed(choice: ToolChoice | None, renamed: Mapping[str, str | None]) -> ToolChoice | None:
    if choice is None or renamed.keys().isdisjoint(choice.names):
        return choice
    names = [renamed.get(name, name) for name in choice.names]
    if choice.mode == "named" and None in names:
        raise Rejected(f"{NAME} has no built-in tool {choice.names[0]}", "tool_choice")
    return replace(choice, names=tuple(name for name in names if name is not None))


@dataclass(slots=True, frozen=True)
class Streaming:
    """`eager_input_streaming` of each function tool: what to set where the client says nothing (None: nothing)."""

    eager: bool | None


def streaming(request: Request, upstream: Upstream) -> Streaming:
    flag = upstream.compat.get("eager_input_streaming", "auto")
    if flag != "auto":
        return Streaming(bool(flag))
    wanted = request.stream and request.dialect != "messages" and facts_of(upstream).known
    return Streaming(True if wanted else None)


def declarations(tools: tuple[Tool, ...], streams: Streaming, warnings: dict[str, None]) -> list[Block]:
    """The `tools` of a request, strict as far as the limits allow. The blocks are the caller's to mark."""
    made, told = derive(tools, (NAME, streams.eager), lambda: _declarations(tools, streams))
    warnings.update(told)
    return [block.copy() for block in made]


def _declarations(tools: Iterable[Tool], streams: Streaming) -> tuple[list[Block], dict[str, None]]:
    warnings: dict[str, None] = {}
    left = Left()
    made: list[Block] = []
    for tool in tools:
        native = tool.extras.get(NAME, NOTHING)
        if tool.kind == "builtin":
            made.append(_marked(dict(native), tool))
            continue
        block: Block = {"name": tool.name}
        if tool.description:
            block["description"] = tool.description
        block["input_schema"] = tool.schema if tool.schema is not None else {"type": "object", "properties": {}}
        strict = tool.strict is True and left.takes(tool.schema)
        if strict:
            block["strict"] = True
        elif tool.strict is True:
            warnings[f"tools.{tool.name}: strict: left out, the request has more strict tools than {NAME} takes"] = None
        if streams.eager is not None and not (strict and streams.eager):
            block["eager_input_streaming"] = streams.eager
        if tool.deferred:
            block["defer_loading"] = True
        made.append(_marked({**block, **native}, tool))
    return made, warnings


def _marked(block: Block, tool: Tool) -> Block:
    if tool.deferred:  # a breakpoint there is a 400
        block.pop("cache_control", None)
    elif tool.cache is not None and "cache_control" not in block:
        block["cache_control"] = cache_control(tool.cache)
    return block


def choice(request: Request) -> Block | None:
    """`tool_choice`; None where the default says the same."""
    if not request.tools:
        return None
    wanted = request.tool_choice
    single: Block = {"disable_parallel_tool_use": True} if request.parallel is False else {}
    match wanted.mode if wanted is not None else None:
        case "none":
            return {"type": "none"}
        case "required":
            return {"type": "any", **single}
        case "named" if wanted is not None:
            return {"type": "tool", "name": wanted.names[0], **single}
        case "auto":
            return {"type": "auto", **single}
    return {"type": "auto", **single} if single else None
