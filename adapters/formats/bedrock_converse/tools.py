"""Tools and tool choice of Converse (2026-11), for requests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.bedrock_converse.messages import Block, point
from adapters.formats.bedrock_converse.models import Known, known
from adapters.formats.bedrock_converse.wire import NAME
from adapters.formats.shared import builtins
from adapters.formats.shared.claude_strict import Left
from adapters.formats.shared.left_out import STRICT_OFF
from adapters.model import Json, Message, Request, Tool, ToolCall, ToolChoice, ToolResult
from adapters.tools.schema import Projection, bedrock, bedrock_strict

_NO_STRICT = "strict: left out, the model is not known to have strict tools"


def usable(request: Request, model: Known, warnings: dict[str, None]) -> Request:
    """The request with the system tools that the family has. Raises Rejected where a built-in tool is forced."""
    choice = request.tool_choice
    system = {tool.name for tool in request.tools if tool.kind == "builtin"}
    if choice is not None and choice.mode == "named" and system.intersection(choice.names):
        raise Rejected(f"tool_choice forces a built-in tool, which {NAME} cannot", "tool_choice")
    return builtins.usable(request, NAME, model.family.system_tools, warnings)


def schema_rule(tool: Tool, upstream: Upstream) -> Projection:
    """Strict where the operator allows it, the client asks, the model can and the schema fits."""
    level = upstream.compat.get("strict_tools", "off")
    plain = replace(bedrock(tool.schema), strict=None)
    if tool.strict is not True:
        return plain
    if level == "off":
        return replace(plain, notes=(*plain.notes, STRICT_OFF))
    if not known(upstream).family.structured:
        return replace(plain, notes=(*plain.notes, _NO_STRICT))
    strict = bedrock_strict(tool.schema)
    if strict.strict is True and (level == "rewrite" or not strict.notes):
        return strict
    return replace(plain, notes=(*plain.notes, f"strict: left out, {strict.notes[0]}"))


@dataclass(slots=True, frozen=True)
class Config:
    """`toolConfig`, and what of the choice only Claude's own field can say."""

    body: Block | None = None
    native_choice: Block | None = None


def config(request: Request, asked: Request, model: Known, warnings: dict[str, None]) -> Config:
    """The tools of a prepared request. `asked` is the client's: whether it forbade parallel calls.

    "none" does not exist: tools are withheld, unless the history has calls, which need them declared.
    """
    choice = request.tool_choice
    if not request.tools:
        return Config()
    if choice is not None and choice.mode == "none":
        if not _called(request.messages):
            return Config()
        if model.claude:
            return Config({"tools": _declarations(request.tools, model, warnings)}, {"type": "none"})
        if asked.tool_choice is not None:
            warnings["tool_choice: none cannot be enforced, the conversation's calls need their tools declared"] = None
        return Config({"tools": _declarations(request.tools, model, warnings)})
    body: Block = {"tools": _declarations(request.tools, model, warnings)}
    native = _choice(choice)
    if asked.parallel is False:
        if model.claude and native is None:
            return Config(body, {"type": "auto", "disable_parallel_tool_use": True})
        warnings["parallel_tool_calls: left out, it cannot be said to this model here"] = None
    if native is not None:
        body["toolChoice"] = native
    return Config(body)


def _choice(choice: ToolChoice | None) -> Block | None:
    """auto is the default."""
    match choice.mode if choice is not None else None:
        case "required":
            return {"any": {}}
        case "named" if choice is not None:
            return {"tool": {"name": choice.names[0]}}
    return None


def _called(messages: Iterable[Message]) -> bool:
    return any(isinstance(part, ToolCall | ToolResult) for message in messages for part in message.parts)


def _declarations(tools: Iterable[Tool], model: Known, warnings: dict[str, None]) -> list[Block]:
    left = Left()
    made: list[Block] = []
    for tool in tools:
        if tool.kind == "builtin":
            made.append(dict(tool.extras[NAME]))
            continue
        spec: dict[str, Json] = {"name": tool.name}
        if tool.description and tool.description.strip():
            spec["description"] = tool.description
        spec["inputSchema"] = {"json": tool.schema}
        if tool.strict is True:
            if not model.claude or left.takes(tool.schema):
                spec["strict"] = True
            else:
                told = f"tools.{tool.name}: strict: left out, the request has more strict tools than {NAME} takes"
                warnings[told] = None
        made += [{"toolSpec": spec}, *point(tool.cache)]
    return made
