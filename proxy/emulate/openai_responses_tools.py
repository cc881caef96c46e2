"""The tools of OpenAI Responses: flat functions, custom tools, namespaces, built-ins, and the choice among them.

openai-responses §3, §4, §7 (2026-11). A function without `strict` is made strict where that can be done.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from proxy.emulate.openai_rules import (
    Problem,
    Rule,
    anything,
    array,
    boolean,
    fields,
    integer,
    invalid_type,
    invalid_value,
    mapping,
    name,
    one_of,
    record,
    string,
)
from proxy.emulate.openai_schemas import base_problem, strict_problem

Json = Any

MOST_TOOLS = 128
LONGEST_NAME = 128
BUILT_IN = (
    "web_search", "web_search_preview", "file_search", "code_interpreter", "mcp", "image_generation", "computer",
    "computer_use_preview", "local_shell", "shell", "apply_patch", "programmatic_tool_calling",
)  # fmt: skip
KINDS = ("function", "custom", "namespace", "tool_search", *BUILT_IN)


@dataclass(frozen=True, slots=True)
class Declared:
    """A callable tool. `name` is its own, without the namespace."""

    tool: Json
    name: str
    namespace: str | None = None

    @property
    def key(self) -> str:
        """A name that no other tool of the request has: names hold no dots."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name

    @property
    def is_custom(self) -> bool:
        return bool(self.tool["type"] == "custom")

    @property
    def replayed(self) -> str | None:
        """The namespace that a call carries: a deferred tool is its own."""
        return self.namespace or (self.name if self.tool.get("defer_loading") else None)


def declared(body: Json) -> Iterator[Declared]:
    """The callable tools of a request that was checked."""
    for tool in body.get("tools") or []:
        if tool["type"] in ("function", "custom"):
            yield Declared(tool, tool["name"])
        elif tool["type"] == "namespace":
            yield from (Declared(inner, inner["name"], tool["name"]) for inner in tool["tools"])


def schema_of(tool: Json) -> Json:
    """What the model is held to: a function that was made strict has all its members, none of them null."""
    schema = tool.get("parameters") or {"type": "object", "properties": {}}
    if tool.get("strict") is None and strict_problem(normalized(schema)) is None:
        return _all_required(schema)
    return schema


def echoed(tool: Json) -> Json:
    """The tool as the response shows it: what `strict` became, and the schema with it."""
    if tool["type"] == "namespace":
        return {**tool, "tools": [echoed(inner) for inner in tool["tools"]]}
    if tool["type"] != "function":
        return tool
    parameters, strict = tool.get("parameters"), tool.get("strict")
    if strict is None:
        made = normalized(parameters or {"type": "object", "properties": {}})
        strict = strict_problem(made) is None
        parameters = made if strict else parameters
    return {"description": None, **tool, "parameters": parameters, "strict": strict}


def normalized(schema: Json) -> Json:
    """The schema closed, with every optional member required and nullable."""
    if not isinstance(schema, dict):
        return schema
    made = _inside(schema, normalized)
    properties = made.get("properties")
    if made.get("type") == "object" and isinstance(properties, dict):
        required = made.get("required") if isinstance(made.get("required"), list) else []
        made["properties"] = {key: v if key in required else _nullable(v) for key, v in properties.items()}
        made["required"] = list(properties)
        made.setdefault("additionalProperties", False)
    return made


def without_optionals(schema: Json) -> Json:
    """The schema of a model that sends null for whatever is optional."""
    made = copy.deepcopy(normalized(schema))
    for key, node in (made.get("properties") or {}).items():
        if key not in (schema.get("required") or []) and node != schema["properties"][key]:
            made["properties"][key] = {"type": "null"}
    return made


def _all_required(schema: Json) -> Json:
    if not isinstance(schema, dict):
        return schema
    made = _inside(schema, _all_required)
    if made.get("type") == "object" and isinstance(made.get("properties"), dict):
        made["required"] = list(made["properties"])
    return made


def _inside(schema: Json, change: Any) -> Json:
    """The schema with each schema directly inside it changed."""
    made = dict(schema)
    for keyword in ("properties", "$defs"):
        if isinstance(made.get(keyword), dict):
            made[keyword] = {key: change(node) for key, node in made[keyword].items()}
    if isinstance(made.get("anyOf"), list):
        made["anyOf"] = [change(node) for node in made["anyOf"]]
    if isinstance(made.get("items"), dict):
        made["items"] = change(made["items"])
    return made


def _nullable(node: Json) -> Json:
    if not isinstance(node, dict):
        return node
    kind = node.get("type")
    if isinstance(kind, str) and kind not in ("object", "array", "null") and not node.keys() & {"enum", "const"}:
        return {**node, "type": [kind, "null"]}
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return node
    return {"anyOf": [node, {"type": "null"}]}


# the check


def check_tools(body: Json) -> None:
    """Tools that need one another, and every schema."""
    tools = body.get("tools") or []
    every = list(declared(body))
    if any(one.tool.get("defer_loading") for one in every) and not _offers(tools, "tool_search"):
        raise Problem("Deferred tools require tools.tool_search.", "tools")
    for index, tool in enumerate(tools):
        _check_schema(tool, f"tools[{index}]")
        for at, inner in enumerate(tool.get("tools") or [] if tool["type"] == "namespace" else []):
            _check_schema(inner, f"tools[{index}].tools[{at}]")


def _offers(tools: list[Json], kind: str) -> bool:
    return any(tool["type"] == kind for tool in tools)


def _check_schema(tool: Json, path: str) -> None:
    schema = tool.get("parameters")
    if tool["type"] != "function" or schema is None:
        return
    if problem := strict_problem(schema) if tool.get("strict") else base_problem(schema):
        text = f"Invalid schema for function '{tool['name']}': {problem}"
        raise Problem(text, f"{path}.parameters", "invalid_function_parameters")


def tool_rule(value: Json, path: str) -> None:
    """One entry of `tools`."""
    mapping(value, path)
    match value.get("type"):
        case "function":
            FUNCTION(value, path)
        case "custom":
            CUSTOM(value, path)
        case "namespace":
            rules = {"type": string(), "name": name(), "description": string(), "tools": array(_inner)}
            fields(value, rules, ("name", "description", "tools"), path)
        case "tool_search":
            SEARCH(value, path)
        case kind if kind not in BUILT_IN:
            if "type" not in value:
                raise Problem(f"Missing required parameter: '{path}.type'.", f"{path}.type",
                              "missing_required_parameter")  # fmt: skip
            raise invalid_value(f"{path}.type", kind, KINDS)


def _inner(value: Json, path: str) -> None:
    mapping(value, path)
    if value.get("type") not in ("function", "custom"):
        raise invalid_value(f"{path}.type", value.get("type"), ("function", "custom"))
    tool_rule(value, path)


def _format(value: Json, path: str) -> None:
    mapping(value, path)
    rules: dict[str, Rule] = {"type": one_of("text", "grammar")}
    if value.get("type") == "grammar":
        rules |= {"syntax": one_of("lark", "regex"), "definition": string()}
    fields(value, rules, tuple(rules), path)


_COMMON: dict[str, Rule] = {
    "type": string(),
    "name": name(LONGEST_NAME),
    "description": string(),
    "defer_loading": boolean,
    "allowed_callers": array(one_of("direct", "programmatic")),
}
FUNCTION: Rule = record(
    {**_COMMON, "parameters": anything, "strict": boolean, "output_schema": mapping, "async": boolean}, "name"
)
CUSTOM: Rule = record({**_COMMON, "format": _format}, "name")
SEARCH: Rule = record(
    {
        "type": string(),
        "execution": one_of("server", "client"),
        "description": string(),
        "parameters": mapping,
        "max_results": integer(1),
    }
)


# the choice


def check_choice(body: Json) -> None:
    """Raises Problem for a choice that is none, or of a tool that was not offered."""
    choice, tools = body.get("tool_choice"), body.get("tools") or []
    offered = [(tool["type"], tool.get("name")) for tool in tools]
    match choice:
        case None | "none" | "auto":
            return
        case "required":
            if not tools:
                raise Problem("Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice")
        case str():
            raise invalid_value("tool_choice", choice, ("none", "auto", "required"))
        case {"type": "function" | "custom"}:
            _check_named(choice, offered, "tool_choice")
        case {"type": "allowed_tools"}:
            rules = {"type": string(), "mode": one_of("auto", "required"), "tools": array(mapping)}
            fields(choice, rules, ("mode", "tools"), "tool_choice")
            for index, entry in enumerate(choice["tools"]):
                if entry.get("type") in ("function", "custom"):
                    _check_named(entry, offered, f"tool_choice.tools[{index}]")
        case {"type": str(kind)} if kind in BUILT_IN:
            if not _offers(tools, kind):
                raise Problem(f"Tool choice '{kind}' not found in 'tools' parameter.", "tool_choice")
        case {"type": kind}:
            raise invalid_value("tool_choice.type", kind, ("function", "custom", "allowed_tools", *BUILT_IN))
        case _:
            raise invalid_type("tool_choice", "one of a string or an object", choice)


def _check_named(choice: Json, offered: list[tuple[str, Json]], path: str) -> None:
    fields(choice, {"type": string(), "name": name(LONGEST_NAME)}, ("name",), path)
    if (choice["type"], choice["name"]) not in offered:
        raise Problem(f"Tool choice '{choice['name']}' not found in 'tools' parameter.", path)
