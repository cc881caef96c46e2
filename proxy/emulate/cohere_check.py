"""What Cohere's v2 chat refuses (cohere-chat §2–§4, 2026-11)."""

from __future__ import annotations

import re
from typing import Any

from proxy.emulate.cohere_rules import (
    Problem,
    Rule,
    anything,
    array,
    boolean,
    fields,
    integer,
    invalid,
    mapping,
    number,
    one_of,
    record,
    string,
    tagged,
)
from proxy.emulate.cohere_schemas import check_output, check_parameters, check_strict_tools

Json = Any

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OLD = ("command-r-", "command-r+", "command-light", "command-nightly", "c4ai-aya-expanse")
"""Families whose `tool_choice` cannot be REQUIRED; those that reason have it in their name."""
OUTPUT_LIMITS = {"command-a-reasoning": 32_768, "command-a": 8192, "command-r": 4096}


def check(body: Json, family: str = "") -> None:
    """Raises Problem for the first rule that is broken. `family` is the model whose own rules apply too."""
    fields(body, FIELDS, ("model", "messages"), "")
    check_messages(body["messages"])
    _check_tools(body)
    _check_format(body)
    _check_together(body)
    _check_family(body, family)


# messages


def _empty(where: str) -> Problem:
    return invalid(f"message must not be empty in a turn ({where})")


def _content(**parts: Rule) -> Rule:
    each = array(tagged(parts, "type"))

    def rule(value: Json, path: str) -> None:
        if not isinstance(value, str):
            each(value, path)

    return rule


def _url(value: Json, path: str) -> None:
    record({"url": string, "detail": one_of("auto", "low", "high")}, "url")(value, path)
    if not value["url"].startswith(("http://", "https://", "data:image/")):
        raise invalid(f"{path}.url must be a http(s) or data URL")


_TEXT = record({"type": anything, "text": string}, "text")
_DOCUMENT = record({"type": anything, "document": record({"id": string, "data": mapping}, "data")}, "document")
_CALL = record(
    {
        "id": string,
        "type": one_of("function"),
        "function": record({"name": string, "arguments": string}, "name", "arguments"),
    },
    "id", "type", "function",
)  # fmt: skip

ROLES: dict[str, Rule] = {
    "system": record({"role": anything, "content": _content(text=_TEXT)}, "content"),
    "user": record(
        {
            "role": anything,
            "content": _content(text=_TEXT, image_url=record({"type": anything, "image_url": _url}, "image_url")),
        },
        "content",
    ),
    "assistant": record(
        {
            "role": anything,
            "content": _content(text=_TEXT, thinking=record({"type": anything, "thinking": string}, "thinking")),
            "tool_calls": array(_CALL),
            "tool_plan": string,
            "citations": array(mapping),
        }
    ),
    "tool": record(
        {"role": anything, "content": _content(text=_TEXT, document=_DOCUMENT), "tool_call_id": string}, "content"
    ),
}


def check_messages(messages: list[Json]) -> None:
    """A system turn first, no empty turns, every call with its result before the conversation goes on."""
    if not messages:
        raise invalid("messages must not be empty")
    known: set[str] = set()
    waiting: set[str] = set()
    answered: set[str] = set()
    for index, message in enumerate(messages):
        role = message["role"]
        if role == "system" and index:
            raise invalid("system turn must be the first in the list")
        if role == "tool":
            _check_result(message, known, answered)
            waiting.discard(message["tool_call_id"])
            continue
        if waiting:
            raise invalid(f"tool call ids without a tool message: {', '.join(sorted(waiting))}")
        if not message.get("content") and not message.get("tool_calls"):
            raise _empty(role)
        for call in message.get("tool_calls") or []:
            if call["id"] in known:
                raise invalid("cannot have duplicate tool ids")
            known.add(call["id"])
            waiting.add(call["id"])
    if waiting:
        raise invalid(f"tool call ids without a tool message: {', '.join(sorted(waiting))}")


def _check_result(message: Json, known: set[str], answered: set[str]) -> None:
    identifier = message.get("tool_call_id")
    if not identifier:
        raise invalid("tool call id must be provided with tool message")
    if identifier not in known:
        raise invalid("tool call id not found in previous tool calls")
    if identifier in answered:
        raise invalid("cannot have duplicate tool ids")
    if not message["content"]:
        raise _empty("tool")
    answered.add(identifier)


# tools and output


def _check_tools(body: Json) -> None:
    functions = [tool["function"] for tool in body.get("tools") or []]
    for function in functions:
        if not NAME.fullmatch(function["name"]):
            text = "tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit"
            raise invalid(text)
        if not function.get("description") and function.get("parameters") is None:
            raise invalid(f"tool '{function['name']}' must have a description or parameters")
        if function.get("parameters") is not None:
            check_parameters(function["parameters"], function["name"])
    names = [function["name"] for function in functions]
    if len(set(names)) < len(names):
        raise invalid("tool names must be unique")
    if body.get("strict_tools"):
        check_strict_tools([function.get("parameters") for function in functions])
    if body.get("tool_choice") == "REQUIRED" and not functions:
        raise invalid("tool_choice REQUIRED needs tools")


def schema_of(wanted: Json) -> Json:
    """The schema of a response format, under either name."""
    return wanted.get("json_schema") or wanted.get("schema")


def _check_format(body: Json) -> None:
    wanted = body.get("response_format") or {}
    if wanted.get("type") != "json_object":
        return
    for name in ("tools", "documents"):
        if body.get(name):
            raise invalid(f"response_format json_object is not supported with {name}")
    if (schema := schema_of(wanted)) is not None:
        check_output(schema)


def _check_together(body: Json) -> None:
    if body.get("safety_mode") and (body.get("tools") or body.get("documents")):
        raise invalid("safety_mode is not configurable with tools or documents")
    if body.get("frequency_penalty") and body.get("presence_penalty"):
        raise invalid("frequency_penalty and presence_penalty cannot be used together")


def _check_family(body: Json, family: str) -> None:
    reasons = "reasoning" in family
    if family and not reasons and (body.get("thinking") or {}).get("type") == "enabled":
        raise invalid("thinking is not supported by this model")
    if body.get("tool_choice") == "REQUIRED" and family.startswith(OLD):
        raise Problem("tool_choice is not supported by this model", 422)
    if family and "vision" not in family and any(_has_image(message) for message in body["messages"]):
        raise invalid("this model does not support images")
    limit = next((most for start, most in OUTPUT_LIMITS.items() if family.startswith(start)), None)
    if limit is not None and (body.get("max_tokens") or 0) > limit:
        raise Problem(f"too many tokens: max tokens must be less than or equal to {limit}, the maximum output")


def _has_image(message: Json) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(part["type"] == "image_url" for part in content)


def thinks(body: Json, family: str) -> bool:
    """Whether the answer reasons."""
    kind = (body.get("thinking") or {}).get("type")
    return kind == "enabled" or ("reasoning" in family and kind != "disabled")


def _document(value: Json, path: str) -> None:
    if not isinstance(value, str):
        record({"id": string, "data": mapping}, "data")(value, path)


FIELDS: dict[str, Rule] = {
    "model": string,
    "messages": array(tagged(ROLES, "role")),
    "stream": boolean,
    "tools": array(
        record(
            {
                "type": one_of("function"),
                "function": record({"name": string, "description": string, "parameters": mapping}, "name"),
            },
            "type", "function",
        )
    ),
    "tool_choice": one_of("REQUIRED", "NONE"),
    "strict_tools": boolean,
    "documents": array(_document),
    "citation_options": record({"mode": one_of("ENABLED", "DISABLED", "FAST", "ACCURATE", "OFF")}),
    "response_format": tagged(
        {
            "text": record({"type": anything}),
            "json_object": record({"type": anything, "json_schema": mapping, "schema": mapping}),
        },
        "type",
    ),
    "safety_mode": one_of("CONTEXTUAL", "STRICT", "OFF"),
    "max_tokens": integer(0),
    "stop_sequences": array(string, 5),
    "temperature": number(0, 1.0),
    "p": number(0.01, 0.99),
    "k": integer(0, 500),
    "seed": integer(0),
    "frequency_penalty": number(0, 1.0),
    "presence_penalty": number(0, 1.0),
    "thinking": record({"type": one_of("enabled", "disabled"), "token_budget": integer(1)}, "type"),
    "logprobs": boolean,
    "priority": integer(0),
}  # fmt: skip
