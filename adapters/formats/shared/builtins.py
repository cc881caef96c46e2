"""Built-in tools of other dialects, for APIs that have few or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adapters.errors import Rejected
from adapters.model import Json, Request, Tool, ToolChoice


def usable(request: Request, api: str, native: Mapping[str, Json], warnings: dict[str, None]) -> Request:
    """The request with those built-in tools that `native` has a declaration for (by their neutral word), in the extras
    of `api`; the others are left out. Raises Rejected where a call of one of those is forced."""
    tools: list[Tool] = []
    lost: set[str] = set()
    for tool in request.tools:
        if tool.kind != "builtin":
            tools.append(tool)
        elif (made := native.get(tool.builtin or "")) is not None:
            tools.append(replace(tool, extras={api: made}))
        else:
            lost.add(tool.name)
            warnings[f"tools: {tool.builtin or tool.name} is left out, {api} has no such built-in tool"] = None
    choice = _without(request.tool_choice, lost, bool(tools), api) if lost else request.tool_choice
    return replace(request, tools=tuple(tools), tool_choice=choice)


def _without(choice: ToolChoice | None, lost: set[str], some: bool, api: str) -> ToolChoice | None:
    if choice is None:
        return None
    names = tuple(name for name in choice.names if name not in lost)
    must = choice.mode == "required" or (choice.mode == "allowed" and choice.required)
    none_left = not some or (choice.mode == "allowed" and not names)
    if (choice.mode == "named" and not names) or (must and none_left):
        raise Rejected(f"tool_choice asks for a built-in tool that {api} does not have", "tool_choice")
    return replace(choice, names=names)
