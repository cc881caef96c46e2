"""What OpenAI Responses refuses beside items and tools: fields, output format, reasoning (openai-responses §1, §7)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.openai_chat_families import effort_in_force, is_openai, is_reasoning, unsupported
from proxy.emulate.openai_responses_items import check_items
from proxy.emulate.openai_responses_seal import check_reasoning
from proxy.emulate.openai_responses_tools import MOST_TOOLS, check_choice, check_tools, tool_rule
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
    string,
)
from proxy.emulate.openai_schemas import strict_problem

Json = Any

ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
INCLUDES = (
    ENCRYPTED, LOGPROBS, "file_search_call.results", "web_search_call.results", "web_search_call.action.sources",
    "message.input_image.image_url", "computer_call_output.output.image_url", "code_interpreter_call.outputs",
)  # fmt: skip


def check(body: Json, family: str = "") -> None:
    """Raises Problem for the first rule that is broken. `family` is the model whose own rules apply too."""
    fields(body, FIELDS, ("model",))
    _check_state(body)
    items = items_of(body)
    check_items(items)
    check_tools(body)
    check_choice(body)
    _check_format(body)
    _check_family(body, family)
    check_reasoning(items, family)


def items_of(body: Json) -> list[Json]:
    """The input as items."""
    found = body.get("input")
    return [{"role": "user", "content": found}] if isinstance(found, str) else list(found or [])


def _input(value: Json, path: str) -> None:
    if not isinstance(value, str | list):
        raise invalid_type(path, "one of a string or an array of objects", value)


def _background(value: Json, path: str) -> None:
    boolean(value, path)
    if value:
        raise unsupported(path)


def _check_state(body: Json) -> None:
    """Nothing is stored here: no response and no conversation can be found."""
    if body.get("stream_options") is not None and not body.get("stream"):
        text = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise Problem(text, "stream_options")
    previous, conversation = body.get("previous_response_id"), body.get("conversation")
    if previous is not None and conversation is not None:
        text = "Mutually exclusive parameters: 'previous_response_id' and 'conversation'."
        raise Problem(text, None, "mutually_exclusive_parameters")
    if previous is not None:
        text = f"Previous response with id '{previous}' not found."
        raise Problem(text, "previous_response_id", "previous_response_not_found")
    if conversation is not None:
        raise Problem(f"Conversation with id '{conversation}' not found.", "conversation", status=404)
    if (prompt := body.get("prompt")) is not None:
        raise Problem(f"Prompt with id '{prompt.get('id')}' not found.", "prompt", status=404)
    if not body.get("input"):
        text = "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided."
        raise Problem(text, "input", "missing_required_parameter")


# output format


def _format(value: Json, path: str) -> None:
    mapping(value, path)
    match value.get("type"):
        case "text" | "json_object":
            fields(value, {"type": string()}, (), path)
        case "json_schema":
            rules = {"type": string(), "name": name(), "description": string(), "schema": mapping, "strict": boolean}
            fields(value, rules, ("name", "schema"), path)
        case kind:
            raise invalid_value(f"{path}.type", kind, ("json_object", "json_schema", "text"))


def _check_format(body: Json) -> None:
    wanted = (body.get("text") or {}).get("format") or {}
    if wanted.get("type") == "json_object" and "json" not in str(body["input"]).lower():
        text = "Response input messages must contain the word 'json' in some form to use 'text.format' of type"
        raise Problem(f"{text} 'json_object'.", "input")
    if wanted.get("strict") and (problem := strict_problem(wanted["schema"])):
        text = f"Invalid schema for response_format '{wanted['name']}': {problem}"
        raise Problem(text, "text.format.schema", "invalid_json_schema")


# families


def _is_closed(family: str) -> bool:
    """Whether the model is OpenAI's and not one of those with open weights."""
    return is_openai(family) and not family.startswith("gpt-oss")


def _check_family(body: Json, family: str) -> None:
    reasoning = body.get("reasoning") or {}
    if not _is_closed(family):
        return
    if not is_reasoning(family):
        for field in ("effort", "summary"):
            if reasoning.get(field) is not None:
                raise unsupported(f"reasoning.{field}")
        if ENCRYPTED in (body.get("include") or []):
            raise Problem("Encrypted content is not supported with this model.", "include")
        return
    effort = effort_in_force(reasoning.get("effort"), family, "reasoning.effort")
    for field in ("temperature", "top_p", "top_logprobs"):
        if body.get(field) is not None and effort != "none":
            raise unsupported(field)


def thinks(body: Json, family: str) -> bool:
    """Whether the answer reasons."""
    reasoning = body.get("reasoning") or {}
    if _is_closed(family):
        return is_reasoning(family) and effort_in_force(reasoning.get("effort"), family, "") != "none"
    if reasoning.get("effort") is not None:
        return bool(reasoning["effort"] != "none")
    return reasoning.get("summary") is not None or family.startswith("gpt-oss")


FIELDS: dict[str, Rule] = {
    "model": string(),
    "input": _input,
    "instructions": string(),
    "tools": array(tool_rule, MOST_TOOLS, 0),
    "tool_choice": anything,
    "parallel_tool_calls": boolean,
    "max_tool_calls": integer(1),
    "max_output_tokens": integer(16),
    "text": record({"format": _format, "verbosity": one_of("low", "medium", "high")}),
    "reasoning": record(
        {
            "effort": one_of(*EFFORTS),
            "summary": one_of("auto", "concise", "detailed"),
            "generate_summary": one_of("auto", "concise", "detailed"),
            "context": one_of("auto", "current_turn", "all_turns"),
            "mode": one_of("standard", "pro"),
        }
    ),
    "include": array(one_of(*INCLUDES), least=0),
    "store": boolean,
    "previous_response_id": string(),
    "conversation": anything,
    "truncation": one_of("auto", "disabled"),
    "temperature": number(0, 2),
    "top_p": number(0, 1),
    "top_logprobs": integer(0, 20),
    "metadata": metadata,
    "service_tier": one_of("auto", "default", "flex", "scale", "priority", "fast", "ultrafast"),
    "client_metadata": mapping,  # undocumented; Codex sends it (2026-11)
    "safety_identifier": string(128),
    "user": string(),
    "prompt": mapping,
    "prompt_cache_key": string(64),
    "prompt_cache_options": mapping,
    "prompt_cache_retention": one_of("in_memory", "24h"),
    "stream": boolean,
    "stream_options": record({"include_obfuscation": boolean}),
    "context_management": anything,
    "moderation": anything,
    "background": _background,
}
