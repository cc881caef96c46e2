"""What Mistral's chat refuses beside messages: fields, tools, choice, output format (mistral-chat §2, §4, 2026-11).

The shapes are checked in pydantic's words, the same that Anthropic uses.
"""

from __future__ import annotations

from typing import Any

from proxy.emulate.anthropic_rules import (
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
)
from proxy.emulate.metaschema import is_schema
from proxy.emulate.mistral_messages import Invalid, check_name, check_order, messages_rule

Json = Any

MOST_TOOLS = 128
EFFORTS = ("none", "minimal", "low", "medium", "high")
CHOICES = ("auto", "none", "any", "required")
PLAIN = ("mistral-large", "ministral", "codestral", "devstral", "pixtral", "open-", "mistral-tiny")
"""Families that do not reason."""


def check(body: Json, family: str = "") -> None:
    """Raises Problem (422) or Invalid (400) for the first rule that is broken."""
    fields(body, FIELDS, ("model", "messages"))
    if not body["messages"]:
        raise Invalid("Conversation must have at least one message", "invalid_request_message_order", "3230")
    tools = body.get("tools") or []
    if len(tools) > MOST_TOOLS:
        raise Invalid(f"Too many tools: {len(tools)}, at most {MOST_TOOLS}", "invalid_request_error", None)
    for tool in tools:
        check_name(tool["function"]["name"])
        _check_schema(tool["function"])
    check_order(body["messages"])
    _check_format(body)
    _check_family(body, family)


def _check_schema(function: Json) -> None:
    if not is_schema(function["parameters"]):
        text = f"Invalid tool schema for function {function['name']}: it must be a valid JSON schema"
        raise Invalid(text, "invalid_request_error", None)


def _check_format(body: Json) -> None:
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema" and not wanted.get("json_schema"):
        raise Problem("response_format.json_schema: Field required")


def _check_family(body: Json, family: str) -> None:
    if body.get("reasoning_effort") is not None and family.startswith((*PLAIN, "magistral")):
        text = f"reasoning_effort is not enabled for model {family}"
        raise Invalid(text, "invalid_request_error", None)
    if body.get("prompt_mode") is not None and family and not family.startswith("magistral"):
        raise Invalid(f"Reasoning prompt mode is not enabled for model {family}", "invalid_request_error", None)


def thinks(body: Json, family: str) -> bool:
    """Whether the answer reasons."""
    if family.startswith("magistral") or body.get("prompt_mode") == "reasoning":
        return True
    return body.get("reasoning_effort") not in (None, "none")


def _stop(value: Json, path: str) -> None:
    if not isinstance(value, str):
        array(string())(value, path)


def _choice(value: Json, path: str) -> None:
    if isinstance(value, str):
        return one_of(*CHOICES)(value, path)
    named = record({"name": string(1)}, "name")
    return record({"type": one_of("function"), "function": named}, "function")(value, path)


_FUNCTION = record(
    {"name": string(), "description": string(), "parameters": mapping, "strict": boolean}, "name", "parameters"
)
_JSON_SCHEMA: dict[str, Rule] = {
    "name": string(1),
    "schema": mapping,
    "description": nullable(string()),
    "strict": boolean,
}
_FORMAT = record(
    {
        "type": one_of("text", "json_object", "json_schema"),
        "json_schema": nullable(record(_JSON_SCHEMA, "name", "schema")),
    }
)

FIELDS: dict[str, Rule] = {
    "model": string(1),
    "messages": messages_rule,
    "temperature": nullable(number(0, 1.5)),
    "top_p": nullable(number(0, 1)),
    "max_tokens": nullable(integer(0)),
    "random_seed": nullable(integer(0)),
    "stop": nullable(_stop),
    "presence_penalty": nullable(number(-2, 2)),
    "frequency_penalty": nullable(number(-2, 2)),
    "n": nullable(integer(1)),
    "prediction": nullable(record({"type": one_of("content"), "content": string()}, "content")),
    "response_format": nullable(_FORMAT),
    "tools": nullable(array(record({"type": one_of("function"), "function": _FUNCTION}, "function"))),
    "tool_choice": nullable(_choice),
    "parallel_tool_calls": boolean,
    "reasoning_effort": nullable(one_of(*EFFORTS)),
    "prompt_mode": nullable(one_of("reasoning")),
    "safe_prompt": boolean,
    "guardrails": anything,
    "metadata": nullable(mapping),
    "prompt_cache_key": nullable(string()),
    "service_tier": anything,
    "stream": boolean,
}
