"""`tools` and `toolConfig` of a Gemini client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adapters.errors import Rejected
from adapters.formats.google_gemini.client_schema import json_schema
from adapters.formats.google_gemini.target import API
from adapters.formats.google_gemini.tools import NATIVE_SCHEMA
from adapters.formats.shared.fields import Fields, wrong
from adapters.model import NOTHING, Json, Tool, ToolChoice
from adapters.tools.offered import ToolLists

_WORDS: Mapping[str, str] = {
    "googleSearch": "web_search",
    "googleSearchRetrieval": "web_search",
    "enterpriseWebSearch": "web_search",
    "parallelAiSearch": "web_search",
    "exaAiSearch": "web_search",
    "urlContext": "web_fetch",
    "codeExecution": "code_execution",
    "fileSearch": "file_search",
    "retrieval": "file_search",
    "computerUse": "computer",
    "mcpServers": "mcp",
    "googleMaps": "maps",
}
"""A built-in tool -> its neutral word; an unknown one keeps its own name."""

_LIVE_ONLY = frozenset({"behavior"})


@ToolLists
def tools(listed: Sequence[Json]) -> list[Tool]:
    """Functions and built-in tools; one object of the list may hold several kinds."""
    made: list[Tool] = []
    for index, entry in enumerate(listed):
        path = f"tools[{index}]"
        if not isinstance(entry, dict):
            raise wrong(path, "an object")
        for kind, value in entry.items():
            if value is None:
                continue
            if kind == "functionDeclarations":
                made += _functions(value, f"{path}.functionDeclarations")
            else:
                made.append(Tool(kind, kind="builtin", builtin=_WORDS.get(kind, kind), extras={API: {kind: value}}))
    return made


def _functions(value: Json, path: str) -> list[Tool]:
    if not isinstance(value, list):
        raise wrong(path, "an array")
    return [_function(Fields.of(one, f"{path}[{index}]")) for index, one in enumerate(value)]


def _function(fields: Fields) -> Tool:
    name, description = fields.needed("name"), fields.text("description")
    schema, older = fields.take("parametersJsonSchema"), fields.object("parameters")
    own: dict[str, Json] = {}
    if older is not None:
        if schema is not None:
            raise Rejected(f"{fields.path}: parameters and parametersJsonSchema exclude each other", fields.path)
        schema = json_schema(older, fields.at("parameters"))
        own[NATIVE_SCHEMA] = older
    elif schema is not None and not isinstance(schema, dict):
        raise wrong(fields.at("parametersJsonSchema"), "an object")
    own.update((key, rest) for key, rest in fields.values.items() if rest is not None and key not in _LIVE_ONLY)
    return Tool(name, description, schema, extras={API: own} if own else NOTHING)


def choice(config: Fields, offered: Sequence[Tool]) -> ToolChoice | None:
    """functionCallingConfig. What else is in it, and in toolConfig, stays in `config`."""
    given = config.take("functionCallingConfig")
    if given is None:
        return None
    fields = Fields.of(given, config.at("functionCallingConfig"))
    mode = (fields.text("mode") or "").upper()
    names = tuple(name for name in fields.items("allowedFunctionNames") if isinstance(name, str))
    rest = {key: value for key, value in fields.values.items() if value is not None}
    if rest:
        config.values["functionCallingConfig"] = rest
    if not any(tool.kind == "function" for tool in offered):
        return None
    match mode:
        case "ANY" if len(names) == 1:
            return ToolChoice("named", names)
        case "ANY" if names:
            return ToolChoice("allowed", names, required=True)
        case "ANY":
            return ToolChoice("required")
        case "NONE":
            return ToolChoice("none")
        case "AUTO" | "VALIDATED" if names:
            return ToolChoice("allowed", names)
        case "VALIDATED":
            return ToolChoice("auto", extras={API: {"mode": "VALIDATED"}})
        case "AUTO":
            return ToolChoice("auto")
        case "" | "MODE_UNSPECIFIED":
            return None
    raise Rejected(f"{fields.at('mode')} must be AUTO, ANY, NONE or VALIDATED", fields.at("mode"))
