"""`tools` and `toolConfig`: functions, built-in tools, and which of them go together (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adapters.errors import Rejected
from adapters.formats.google_gemini.target import API, Target
from adapters.model import NOTHING, Json, Request, Tool, ToolChoice

_BUILTINS: Mapping[str, str] = {
    "web_search": "googleSearch",
    "web_fetch": "urlContext",
    "code_execution": "codeExecution",
}
"""Neutral word -> the tool of this API that does the same."""

NATIVE_SCHEMA = "parameters"
_NAMES_ONLY = frozenset({"type", "name"})


def usable(request: Request, to: Target, warnings: dict[str, None]) -> Request:
    """The request with those built-in tools that this upstream has and can offer beside the others.

    Schemas that a Gemini client wrote for the field `parameters` are taken out of the projection's way.
    """
    builtins = [tool for tool in request.tools if tool.kind == "builtin"]
    functions = [replace(tool, schema=None) if _is_native(tool) else tool
                 for tool in request.tools if tool.kind != "builtin"]
    choice = request.tool_choice
    if choice is not None and builtins:
        _refuse_forced(choice, builtins, not functions)
        names = {tool.name for tool in builtins}
        if choice.mode == "allowed" and (wanted := names.intersection(choice.names)):
            builtins = [tool for tool in builtins if tool.name in wanted]
            choice = replace(choice, names=tuple(name for name in choice.names if name not in names))
            functions = functions if choice.names else []
    kept = [tool for tool in builtins if _stays(tool, choice, bool(functions), to, warnings)]
    return replace(request, tools=(*functions, *kept), tool_choice=choice if functions or not request.tools else None)


def _stays(
    tool: Tool, choice: ToolChoice | None, functions: bool, to: Target, warnings: dict[str, None]
) -> bool:
    """Whether a built-in tool is offered."""
    why = None
    if choice is not None and choice.mode == "none":
        why = "tool_choice is none"
    elif _declared(tool, to) is None:
        why = "google-gemini has no such built-in tool"
    elif functions and not to.newest:
        why = f"{to.upstream.model} takes no built-in tools beside functions"
    if why is not None:
        warnings[f"tools: {tool.name} is left out, {why}"] = None
        return False
    for api, own in tool.extras.items():
        if api != API and API not in tool.extras and own.keys() - _NAMES_ONLY:
            warnings[f"tools: the options of {tool.name} are left out, they are another API's"] = None
    return True


def _refuse_forced(choice: ToolChoice, builtins: Sequence[Tool], only: bool) -> None:
    names = {tool.name for tool in builtins}
    must = choice.mode == "required" or choice.required
    if (choice.mode == "named" and names & set(choice.names)) or (must and only):
        raise Rejected("tool_choice forces a built-in tool, which google-gemini cannot", "tool_choice")


def _is_native(tool: Tool) -> bool:
    """Whether the declaration goes out in the client's own `parameters`."""
    return tool.kind == "function" and NATIVE_SCHEMA in tool.extras.get(API, NOTHING)


def _declared(tool: Tool, to: Target) -> dict[str, Json] | None:
    """The native declaration of a built-in tool."""
    own = tool.extras.get(API)
    if own:
        return dict(own)
    name = _BUILTINS.get(tool.builtin or "")
    if name == "googleSearch" and to.model.generation < (2, 0):
        name = "googleSearchRetrieval"
    return None if name is None else {name: {}}


def tool_list(tools: Sequence[Tool], to: Target) -> list[dict[str, Json]]:
    """All functions in one object, each built-in tool in its own."""
    functions = [_function(tool, to) for tool in tools if tool.kind != "builtin"]
    builtins = [made for tool in tools if tool.kind == "builtin" and (made := _declared(tool, to)) is not None]
    return [*([{"functionDeclarations": functions}] if functions else []), *builtins]


def _function(tool: Tool, to: Target) -> dict[str, Json]:
    """A tool without arguments has no schema field; the two schema fields exclude each other."""
    made: dict[str, Json] = {"name": tool.name}
    if tool.description is not None:
        made["description"] = tool.description
    if tool.schema is not None:
        made["parameters" if to.use_parameters else "parametersJsonSchema"] = tool.schema
    return {**made, **tool.extras.get(API, NOTHING)}


def tool_config(
    choice: ToolChoice | None, tools: Sequence[Tool], own: Mapping[str, Json], to: Target
) -> dict[str, Json] | None:
    """toolConfig; `own` are a Gemini client's other fields of it. None: none is needed.

    Without function declarations a functionCallingConfig is a 400.
    """
    functions = [tool for tool in tools if tool.kind != "builtin"]
    mixed = len(functions) not in (0, len(tools))
    config = {key: value for key, value in own.items() if key != "functionCallingConfig"}
    if functions:
        calling = _calling(choice, mixed, any(tool.strict is True for tool in functions), to)
        more = own.get("functionCallingConfig", NOTHING)
        if calling or more:
            config = {"functionCallingConfig": {**calling, **more}, **config}
    if mixed and not to.vertex:
        config.setdefault("includeServerSideToolInvocations", True)
    return config or None


def _calling(choice: ToolChoice | None, mixed: bool, strict: bool, to: Target) -> dict[str, Json]:
    native = choice is not None and choice.extras.get(API, NOTHING).get("mode") == "VALIDATED"
    match choice:
        case None | ToolChoice(mode="auto"):
            if native or (to.validated and (strict or mixed)):
                return {"mode": "VALIDATED"}
            return {} if choice is None else {"mode": "AUTO"}
        case ToolChoice(mode="none"):
            return {"mode": "NONE"}
        case ToolChoice(mode="required"):
            return {"mode": "ANY"}
        case ToolChoice(mode="allowed", required=False):
            return {"mode": "VALIDATED", "allowedFunctionNames": list(choice.names)}
    return {"mode": "ANY", "allowedFunctionNames": list(choice.names)}
