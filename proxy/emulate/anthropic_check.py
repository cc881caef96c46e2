"""What Anthropic Messages refuses: fields, tools, choice, thinking, sampling, cache marks (anthropic-messages §2–§9).

The messages' own rules are in `anthropic_content`, those of returned thinking in `anthropic_thinking`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.emulate.anthropic_content import NAME, NEWER, TEXT, check_messages
from proxy.emulate.anthropic_families import Family, family
from proxy.emulate.anthropic_rules import (
    CACHE_CONTROL,
    Problem,
    Rule,
    anything,
    array,
    boolean,
    fields,
    integer,
    mapping,
    nullable,
    number,
    one_of,
    record,
    string,
    tagged,
)
from proxy.emulate.anthropic_schemas import check_complexity, check_input_schema, check_strict
from proxy.emulate.anthropic_thinking import blocks, check_echo

Json = Any

VERSIONS = ("2023-01-01", "2023-06-01", NEWER)
SAMPLING = ("temperature", "top_p", "top_k")
LARGEST = 32 * 1024 * 1024
SERVER_TOOLS = (
    "web_search", "web_fetch", "code_execution", "tool_search_tool_bm25", "tool_search_tool_regex", "bash",
    "text_editor", "memory", "computer_toolset", "browser_toolset", "mcp_toolset", "advisor",
)  # fmt: skip

_SERVER_TYPE = re.compile(rf"(?:{'|'.join(SERVER_TOOLS)})(?:_20\d{{6}})?")


def check(body: Json, headers: Mapping[str, str], name: str = "", *, counting: bool = False) -> None:
    """Raises Problem for the first rule that is broken. `name` is the model whose own rules apply."""
    version, model, betas = _version(headers), family(name), betas_of(headers)
    rules = FIELDS if not counting else {field: FIELDS[field] for field in COUNTED}
    if isinstance(body, dict) and body.get("thread") is not None and any("thread" in beta for beta in betas):
        details = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
        raise Problem("thread: Message threads are not available here", details=details)
    if version == NEWER:
        rules = {field: rule for field, rule in rules.items() if field not in SAMPLING}
    fields(body, {**rules, **_beta_fields(betas)}, ("model", "messages", *(() if counting else ("max_tokens",))))
    _check_system(body.get("system"))
    _check_tools(body)
    check_messages(body, model, version)
    _check_choice(body)
    _check_thinking(body, model, betas)
    _check_sampling(body, model)
    _check_output(body, model)
    _check_marks(body)
    check_echo(body, model, betas)
    if not counting and body["max_tokens"] > model.most:
        text = f"max_tokens: {body['max_tokens']} > {model.most}, which is the maximum allowed number of output tokens"
        raise Problem(f"{text} for {body['model']}")


def betas_of(headers: Mapping[str, str]) -> frozenset[str]:
    """The values of `anthropic-beta`, a comma list."""
    return frozenset(beta.strip() for beta in headers.get("anthropic-beta", "").split(",") if beta.strip())


def _version(headers: Mapping[str, str]) -> str:
    version = headers.get("anthropic-version")
    if version is None:
        raise Problem("anthropic-version: header is required")
    if version not in VERSIONS:
        raise Problem(f'anthropic-version: "{version}" is not a valid version')
    return version


def _beta_fields(betas: frozenset[str]) -> dict[str, Rule]:
    """Top-level fields that need a beta."""
    known = {
        "context-management-": "context_management",
        "mcp-client-": "mcp_servers",
        "structured-outputs-": "output_format",
        "server-side-fallback-": "fallbacks",
        "compact": "compaction",
    }
    return {field: anything for prefix, field in known.items() if any(beta.startswith(prefix) for beta in betas)}


def _check_system(system: Json) -> None:
    if system is not None and not isinstance(system, str):
        array(tagged({"text": TEXT}))(system, "system")


# tools


def _tool(value: Json, path: str) -> None:
    mapping(value, path)
    kind = value.get("type")
    if kind is not None and kind != "custom":
        if not isinstance(kind, str) or not _SERVER_TYPE.fullmatch(kind):
            raise Problem(f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags")
        return
    rules: dict[str, Rule] = {
        "type": anything,
        "name": string(1, 128, NAME),
        "description": string(),
        "input_schema": check_input_schema,
        "cache_control": CACHE_CONTROL,
        "strict": boolean,
        "eager_input_streaming": nullable(boolean),
        "defer_loading": boolean,
        "allowed_callers": array(string(1)),
        "input_examples": array(mapping),
    }
    fields(value, rules, ("name", "input_schema"), f"{path}.custom")


def _check_tools(body: Json) -> None:
    tools = body.get("tools") or []
    names = [tool.get("name") for tool in tools if tool.get("name") is not None]
    if any(names.count(name) > 1 for name in names):
        raise Problem("tools: Tool names must be unique.")
    for index, tool in enumerate(tools):
        if tool.get("defer_loading") and tool.get("cache_control"):
            raise Problem(f"tools.{index}: Tools with defer_loading=true cannot use prompt caching (cache_control)")
    if tools and all(tool.get("defer_loading") for tool in tools):
        raise Problem("tools: At least one tool must have defer_loading=false")


def _check_choice(body: Json) -> None:
    choice = body.get("tool_choice")
    if choice is None:
        return
    if not body.get("tools"):
        raise Problem("tool_choice: tool_choice may only be specified while providing tools.")
    if choice["type"] == "tool" and choice["name"] not in [tool.get("name") for tool in body["tools"]]:
        raise Problem(f"tool_choice: Tool '{choice['name']}' not found in provided tools")


def is_forced(body: Json) -> bool:
    """Whether the model has to call a tool."""
    return bool((body.get("tool_choice") or {}).get("type") in ("any", "tool"))


# thinking, effort, sampling


def _check_thinking(body: Json, model: Family, betas: frozenset[str]) -> None:
    thinking = body.get("thinking") or {}
    mode, effort = thinking.get("type"), (body.get("output_config") or {}).get("effort")
    if mode is not None and mode not in model.modes:
        known = ", ".join(f"'{name}'" for name in sorted(model.modes))
        raise Problem(f"thinking.type: '{mode}' is not supported on this model. Supported: {known}")
    if mode in ("disabled", "between_tools") and model.off_needs_low and effort in ("xhigh", "max"):
        raise Problem(f"thinking: '{mode}' is only supported with effort 'high' or lower on this model")
    if effort is not None and effort not in model.efforts:
        raise Problem(f"output_config.effort: '{effort}' is not supported on this model")
    if is_forced(body) and (mode == "enabled" or not model.forcing):
        if mode == "enabled":
            raise Problem("Thinking may not be enabled when tool_choice forces tool use.")
        raise Problem("tool_choice: forcing tool use is not supported on this model")
    if mode == "enabled":
        _check_budget(body, thinking["budget_tokens"], betas)


def _check_budget(body: Json, budget: int, betas: frozenset[str]) -> None:
    interleaved = any(beta.startswith("interleaved-thinking-") for beta in betas)
    if "max_tokens" in body and budget >= body["max_tokens"] and not interleaved:
        raise Problem("`max_tokens` must be greater than `thinking.budget_tokens`.")
    if body.get("temperature", 1) != 1:
        raise Problem("`temperature` may only be set to 1 when thinking is enabled.")
    if "top_k" in body:
        raise Problem("`top_k` must be unset when thinking is enabled.")


def _check_sampling(body: Json, model: Family) -> None:
    given = [field for field in SAMPLING if field in body]
    if model.sampling == "none":
        for field in given:
            if field == "top_k" or body[field] != 1:
                raise Problem(f"`{field}` is not supported on this model.")
    if model.sampling == "one" and "temperature" in given and "top_p" in given:
        raise Problem("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")


def _check_output(body: Json, model: Family) -> None:
    """Strict tools and the output format."""
    strict = [tool for tool in body.get("tools") or [] if tool.get("strict")]
    wanted = (body.get("output_config") or {}).get("format") or {}
    if not model.strict and (strict or wanted):
        raise Problem("Structured outputs are not supported on this model")
    for index, tool in enumerate(body.get("tools") or []):
        if tool.get("strict"):
            check_strict(tool["input_schema"], f"tools.{index}.custom")
    schemas = [tool["input_schema"] for tool in strict]
    if wanted:
        check_strict(wanted["schema"], "output_config.format.schema")
        schemas.append(wanted["schema"])
        if body["messages"][-1]["role"] == "assistant":
            raise Problem("output_config.format: prefill is not supported with structured outputs")
        if any((block.get("citations") or {}).get("enabled") for block in _documents(body["messages"])):
            raise Problem("output_config.format: citations are not supported with structured outputs")
    check_complexity(schemas, len(strict))


def _documents(messages: list[Json]) -> Iterator[Json]:
    for message in messages:
        yield from (block for block in blocks(message["content"]) if block["type"] == "document")


# cache marks


def marks(body: Json) -> Iterator[tuple[str, Json]]:
    """Every `cache_control` inside the prompt with the place it stands in, in prompt order."""
    for index, tool in enumerate(body.get("tools") or []):
        yield from _marks_of(tool, f"tools.{index}")
    for index, block in enumerate(body["system"] if isinstance(body.get("system"), list) else []):
        yield from _marks_of(block, f"system.{index}")
    for index, message in enumerate(body["messages"]):
        for at, block in enumerate(message["content"] if isinstance(message["content"], list) else []):
            path = f"messages.{index}.content.{at}"
            inner = block.get("content") if block["type"] == "tool_result" else None
            for deep, part in enumerate(inner if isinstance(inner, list) else []):
                yield from _marks_of(part, f"{path}.content.{deep}")
            yield from _marks_of(block, path)


def _marks_of(node: Json, path: str) -> Iterator[tuple[str, Json]]:
    if node.get("cache_control"):
        yield path, node["cache_control"]


def _check_marks(body: Json) -> None:
    found = list(marks(body))
    if len(found) > 4:
        text = f"A maximum of 4 blocks with cache_control may be provided. Found {len(found)}."
        raise Problem(text)
    lives = [mark.get("ttl", "5m") for _, mark in found]
    for (path, _), before, life in zip(found[1:], lives, lives[1:], strict=False):
        if before == "5m" and life == "1h":
            text = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
            raise Problem(f"{path}.cache_control.ttl: {text}")
    top = body.get("cache_control")
    if top and found and found[-1][0] == _last_place(body) and lives[-1] != top.get("ttl", "5m"):
        raise Problem("cache_control: the last block already has a cache_control with another ttl")


def _last_place(body: Json) -> str:
    last = len(body["messages"]) - 1
    content = body["messages"][last]["content"]
    return f"messages.{last}.content.{len(content) - 1}"


# the table of fields


def _stops(value: Json, path: str) -> None:
    array(string(1))(value, path)
    for index, word in enumerate(value):
        if not word.strip():
            raise Problem(f"{path}.{index}: each stop sequence must contain non-whitespace")


def _user_id(value: Json, path: str) -> None:
    string(0, 512)(value, path)
    if re.fullmatch(r"[^@\s\"{]+@[^@\s\"{]+\.[a-z]+|\+?[\d\s()-]{7,}", value):
        raise Problem(f"{path}: user_id appears to contain an email address or phone number")


_DISPLAY = nullable(one_of("summarized", "omitted", "updates"))
_NO_PARALLEL: dict[str, Rule] = {"type": anything, "disable_parallel_tool_use": boolean}
_BINDING = record({"prefix_mismatch_behavior": one_of("error", "drop_block")})

FIELDS: dict[str, Rule] = {
    "model": string(1, 256),
    "messages": anything,
    "max_tokens": integer(0),
    "system": anything,
    "tools": array(_tool),
    "tool_choice": tagged(
        {
            "auto": record(_NO_PARALLEL),
            "any": record(_NO_PARALLEL),
            "tool": record({**_NO_PARALLEL, "name": string(1)}, "name"),
            "none": record({"type": anything}),
        }
    ),
    "thinking": tagged(
        {
            "adaptive": record({"type": anything, "display": _DISPLAY, "block_binding": _BINDING}),
            "enabled": record(
                {"type": anything, "budget_tokens": integer(1024), "display": _DISPLAY, "block_binding": _BINDING},
                "budget_tokens",
            ),
            "disabled": record({"type": anything}),
            "between_tools": record({"type": anything}),
        }
    ),
    "output_config": record(
        {
            "effort": nullable(one_of("low", "medium", "high", "xhigh", "max")),
            "format": nullable(record({"type": one_of("json_schema"), "schema": mapping}, "type", "schema")),
            "task_budget": anything,
        }
    ),
    "stop_sequences": _stops,
    "temperature": number(0, 1),
    "top_p": number(0, 1),
    "top_k": integer(0),
    "stream": boolean,
    "metadata": record({"user_id": nullable(_user_id)}),
    "service_tier": one_of("auto", "standard_only"),
    "speed": nullable(one_of("standard", "fast")),
    "cache_control": CACHE_CONTROL,
    "container": anything,
    "inference_geo": nullable(string()),
    "diagnostics": anything,
    "user_profile_id": string(),
    "workspace_id": string(),
}

COUNTED = (
    "model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control", "speed",
    "user_profile_id", "workspace_id",
)  # fmt: skip
