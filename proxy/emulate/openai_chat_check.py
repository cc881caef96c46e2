"""What OpenAI Chat Completions refuses beside messages: fields, tools, choice, output format (openai-chat §1, §3)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.openai_chat_families import check_family, extra_fields, missing_fields, takes_marks, unmarked
from proxy.emulate.openai_chat_hosts import EXTRA, check_host, host_of
from proxy.emulate.openai_chat_messages import check_messages
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
    metadata,
    name,
    number,
    one_of,
    record,
    stops,
    string,
)
from proxy.emulate.openai_schemas import base_problem, strict_problem

Json = Any

MOST_TOOLS = 128

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def check(body: Json, family: str = "") -> None:
    """Raises Problem for the first rule that is broken. `family` is the model whose own rules apply too."""
    body = unmarked(body) if takes_marks(family) else body
    host = host_of(family)
    known = {**FIELDS, **dict.fromkeys(extra_fields(family), anything)}
    if host is not None:
        known |= {**dict.fromkeys(EXTRA, anything), "tools": array(_tool, host.most_tools)}
    lacking = missing_fields(family)
    fields(body, {name: rule for name, rule in known.items() if name not in lacking}, ("model", "messages"))
    check_messages(body["messages"], family)
    _check_together(body)
    for index, tool in enumerate(body.get("tools") or []):
        _check_schema(tool, f"tools[{index}]")
    _check_choice(body)
    _check_format(body)
    check_family(body, family)
    check_host(body, family)


def _check_together(body: Json) -> None:
    """Fields that need or exclude one another."""
    if body.get("stream_options") is not None and not body.get("stream"):
        text = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise Problem(text, "stream_options")
    for field in ("tool_choice", "parallel_tool_calls"):
        if body.get(field) is not None and not body.get("tools"):
            text = f"Invalid value for '{field}': '{field}' is only allowed when 'tools' are specified."
            raise Problem(text, field)
    if body.get("function_call") is not None and not body.get("functions"):
        text = "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified."
        raise Problem(text, "function_call")
    if body.get("functions") and body.get("tools"):
        raise Problem("'functions' and 'tools' cannot be used together.", "functions")
    if body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None:
        raise Problem(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", "max_tokens"
        )
    if body.get("top_logprobs") is not None and not body.get("logprobs"):
        raise Problem("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", "top_logprobs")


# tools


def _tool(value: Json, path: str) -> None:
    mapping(value, path)
    kind = value.get("type")
    if kind not in ("function", "custom"):
        raise invalid_value(f"{path}.type", kind, ("function", "custom"))
    fields(value, {"type": string(), kind: FUNCTION if kind == "function" else CUSTOM}, ("type", kind), path)


def _format(value: Json, path: str) -> None:
    mapping(value, path)
    if value.get("type") == "grammar":
        grammar = record({"syntax": one_of("lark", "regex"), "definition": string()}, "syntax", "definition")
        return fields(value, {"type": string(), "grammar": grammar}, ("grammar",), path)
    return fields(value, {"type": one_of("text", "grammar")}, ("type",), path)


FUNCTION: Rule = record({"name": name(), "description": string(), "parameters": anything, "strict": boolean}, "name")
CUSTOM: Rule = record({"name": name(), "description": string(), "format": _format}, "name")


def _check_schema(tool: Json, path: str) -> None:
    function = tool.get("function")
    if not function or function.get("parameters") is None:
        return
    schema = function["parameters"]
    problem = strict_problem(schema) if function.get("strict") else base_problem(schema)
    if problem:
        text = f"Invalid schema for function '{function['name']}': {problem}"
        raise Problem(text, f"{path}.function.parameters", "invalid_function_parameters")


def _check_choice(body: Json) -> None:
    choice = body.get("tool_choice")
    offered = {(tool["type"], tool[tool["type"]]["name"]) for tool in body.get("tools") or []}
    match choice:
        case None | "none" | "auto" | "required":
            return
        case str():
            raise invalid_value("tool_choice", choice, ("none", "auto", "required"))
        case {"type": "function" | "custom"}:
            _check_named(choice, offered, "tool_choice")
        case {"type": "allowed_tools", **rest}:
            named: Rule = lambda value, path: _check_named(value, offered, path)  # noqa: E731
            allowed = record({"mode": one_of("auto", "required"), "tools": array(named)}, "mode", "tools")
            fields(rest, {"allowed_tools": allowed}, ("allowed_tools",), "tool_choice")
        case {"type": kind}:
            raise invalid_value("tool_choice.type", kind, ("function", "custom", "allowed_tools"))
        case _:
            raise invalid_type("tool_choice", "one of a string or an object", choice)


def _check_named(choice: Json, offered: set[tuple[str, str]], path: str) -> None:
    mapping(choice, path)
    kind = str(choice.get("type"))
    fields(choice, {"type": one_of("function", "custom"), kind: record({"name": name()}, "name")}, ("type", kind), path)
    if (kind, choice[kind]["name"]) not in offered:
        text = f"Tool choice '{choice[kind]['name']}' not found in 'tools' parameter."
        raise Problem(text, path)


# output format


def _response_format(value: Json, path: str) -> None:
    mapping(value, path)
    match value.get("type"):
        case "text" | "json_object":
            fields(value, {"type": string()}, (), path)
        case "json_schema":
            fields(value, {"type": string(), "json_schema": JSON_SCHEMA}, ("json_schema",), path)
        case kind:
            raise invalid_value(f"{path}.type", kind, ("json_object", "json_schema", "text"))


JSON_SCHEMA: Rule = record({"name": name(), "description": string(), "schema": mapping, "strict": boolean}, "name")


def _check_format(body: Json) -> None:
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_object" and "json" not in str(body["messages"]).lower():
        text = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        raise Problem(text, "messages")
    inner = wanted.get("json_schema") or {}
    if inner.get("strict") and (problem := strict_problem(inner.get("schema"))):
        raise Problem(f"Invalid schema for response_format '{inner['name']}': {problem}", "response_format")


FIELDS: dict[str, Rule] = {
    "model": string(),
    "messages": array(),
    "max_completion_tokens": integer(1),
    "max_tokens": integer(1),
    "temperature": number(0, 2),
    "top_p": number(0, 1),
    "presence_penalty": number(-2, 2),
    "frequency_penalty": number(-2, 2),
    "logit_bias": mapping,
    "logprobs": boolean,
    "top_logprobs": integer(0, 20),
    "n": integer(1, 128),
    "seed": integer(),
    "stop": stops,
    "user": string(),
    "safety_identifier": string(64),
    "tools": array(_tool, MOST_TOOLS),
    "tool_choice": anything,
    "parallel_tool_calls": boolean,
    "functions": array(record({"name": name(), "description": string(), "parameters": mapping}, "name"), MOST_TOOLS),
    "function_call": anything,
    "response_format": _response_format,
    "reasoning_effort": one_of(*EFFORTS),
    "verbosity": one_of("low", "medium", "high"),
    "modalities": array(one_of("text", "audio")),
    "audio": mapping,
    "prediction": record({"type": one_of("content"), "content": anything}, "type", "content"),
    "web_search_options": mapping,
    "stream": boolean,
    "stream_options": record({"include_usage": boolean, "include_obfuscation": boolean}),
    "store": boolean,
    "metadata": metadata,
    "service_tier": one_of("auto", "default", "flex", "scale", "priority", "fast"),
    "moderation": anything,
    "prompt_cache_key": string(),
    "prompt_cache_options": record({"mode": one_of("implicit", "explicit"), "ttl": string()}),
    "prompt_cache_retention": one_of("in_memory", "24h"),
}
