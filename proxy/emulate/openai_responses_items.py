"""The input items of OpenAI Responses: each item's rules, then calls against outputs (openai-responses §2, 2026-11)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.openai_rules import (
    Problem,
    Rule,
    array,
    fields,
    invalid_type,
    invalid_value,
    mapping,
    name,
    one_of,
    record,
    string,
)

Json = Any

LONGEST_ID = 64
LONGEST_NAME = 128
LONGEST_OUTPUT = 10_485_760
ROLES = ("assistant", "system", "developer", "user")
STATUS = one_of("in_progress", "completed", "incomplete")
OPAQUE = (
    "tool_search_call", "tool_search_output", "additional_tools", "compaction", "compaction_trigger",
    "configuration_update", "program", "program_output", "shell_call", "shell_call_output", "local_shell_call",
    "local_shell_call_output", "apply_patch_call", "apply_patch_call_output", "computer_call", "computer_call_output",
    "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
    "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
)  # fmt: skip


def identity(prefix: str) -> Rule:
    """The id of an item of this kind."""

    def rule(value: Json, path: str) -> None:
        string(LONGEST_ID, 1)(value, path)
        if not value.startswith(prefix):
            text = f"Invalid '{path}': '{value}'. Expected an ID that begins with '{prefix}'."
            raise Problem(text, path, "invalid_value")

    return rule


def check_items(items: list[Json]) -> None:
    """Every item by itself, then the order of calls and outputs."""
    for index, item in enumerate(items):
        _item(item, f"input[{index}]")
    _check_pairs(items)


def _item(item: Json, path: str) -> None:
    mapping(item, path)
    kind = item.get("type", "message")
    if kind == "message":
        return _message(item, path)
    if kind == "item_reference":
        fields(item, {"type": string(), "id": string(LONGEST_ID, 1)}, ("id",), path)
        raise Problem(f"Item with id '{item['id']}' not found.", "input", status=404)
    if kind in OPAQUE:
        return None
    if not isinstance(kind, str) or kind not in ITEMS:
        raise invalid_value(f"{path}.type", kind, ("message", *ITEMS, "item_reference", *OPAQUE))
    rules, required = ITEMS[kind]
    return fields(item, {"type": string(), **rules}, required, path)


# messages


def _message(item: Json, path: str) -> None:
    role = item.get("role")
    if "role" not in item:
        raise Problem(f"Missing required parameter: '{path}.role'.", f"{path}.role", "missing_required_parameter")
    if role not in ROLES:
        raise invalid_value(f"{path}.role", role, ROLES)
    kinds = ("output_text", "refusal") if role == "assistant" else ("input_text", "input_image", "input_file")
    rules: dict[str, Rule] = {
        "type": string(),
        "role": string(),
        "content": _content(*kinds, *(("input_audio",) if role == "user" else ())),
        "id": identity("msg"),
        "status": STATUS,
    }
    if role == "assistant":
        rules["phase"] = one_of("commentary", "final_answer")
    fields(item, rules, ("content",), path)


def _content(*kinds: str) -> Rule:
    def part(value: Json, path: str) -> None:
        mapping(value, path)
        kind = value.get("type")
        if kind not in kinds:
            raise invalid_value(f"{path}.type" if kind is None else path, kind, kinds)
        rules, required = PARTS[kind]
        fields(value, {"type": string(), "prompt_cache_breakpoint": mapping, **rules}, required, path)
        if kind == "input_image" and value.get("image_url") is None and value.get("file_id") is None:
            raise Problem(f"Missing required parameter: '{path}.image_url'.", path, "missing_required_parameter")

    def rule(value: Json, path: str) -> None:
        if isinstance(value, str):
            return
        if not isinstance(value, list):
            raise invalid_type(path, "one of an array of objects or string", value)
        array(part, least=0)(value, path)

    return rule


def _url(value: Json, path: str) -> None:
    string(20_971_520)(value, path)
    if not value.startswith(("http://", "https://", "data:image/")):
        text = f"Invalid '{path}'. Expected a valid URL, but got a value with an invalid format."
        raise Problem(text, path, "invalid_value")


PARTS: dict[str, tuple[dict[str, Rule], tuple[str, ...]]] = {
    "input_text": ({"text": string()}, ("text",)),
    "input_image": (
        {"image_url": _url, "file_id": string(), "detail": one_of("auto", "low", "high", "original")},
        (),
    ),
    "input_file": (
        {
            "file_data": string(),
            "file_id": string(),
            "file_url": string(),
            "filename": string(),
            "detail": one_of("auto", "low", "high"),
        },
        (),
    ),
    "input_audio": ({"input_audio": record({"data": string(), "format": one_of("wav", "mp3")}, "data", "format")}, ()),
    "output_text": ({"text": string(), "annotations": array(least=0), "logprobs": array(least=0)}, ("text",)),
    "refusal": ({"refusal": string()}, ("refusal",)),
}


# the other items


def _output(value: Json, path: str) -> None:
    if isinstance(value, str):
        return string(LONGEST_OUTPUT)(value, path)
    return _content("input_text", "input_image", "input_file")(value, path)


_CALL: dict[str, Rule] = {"call_id": string(LONGEST_ID, 1), "status": STATUS, "namespace": string(), "caller": mapping}
_SUMMARY = array(record({"type": one_of("summary_text"), "text": string()}, "type", "text"), least=0)
_THOUGHT = array(record({"type": one_of("reasoning_text"), "text": string()}, "type", "text"), least=0)

ITEMS: dict[str, tuple[dict[str, Rule], tuple[str, ...]]] = {
    "function_call": (
        {**_CALL, "id": identity("fc"), "name": name(LONGEST_NAME), "arguments": string()},
        ("call_id", "name", "arguments"),
    ),
    "function_call_output": (
        {**_CALL, "id": string(LONGEST_ID), "name": name(LONGEST_NAME), "output": _output},
        ("output",),
    ),
    "custom_tool_call": (
        {**_CALL, "id": identity("ctc"), "name": name(LONGEST_NAME), "input": string()},
        ("call_id", "name", "input"),
    ),
    "custom_tool_call_output": ({**_CALL, "id": string(LONGEST_ID), "output": _output}, ("call_id", "output")),
    "reasoning": (
        {
            "id": identity("rs"),
            "summary": _SUMMARY,
            "content": _THOUGHT,
            "encrypted_content": string(),
            "status": STATUS,
        },
        ("summary",),
    ),
}


# calls and outputs


def _check_pairs(items: list[Json]) -> None:
    """Every call has an output after it, every output that names a call that call before it."""
    for call, output, words in (
        ("function_call", "function_call_output", "function call"),
        ("custom_tool_call", "custom_tool_call_output", "custom tool call"),
    ):
        called: set[str] = set()
        for item in items:
            if item.get("type") == call:
                called.add(item["call_id"])
            elif item.get("type") == output and "call_id" in item and item["call_id"] not in called:
                text = f"No tool call found for {words} output with call_id {item['call_id']}."
                raise Problem(text, "input")
        answered = {item.get("call_id") for item in items if item.get("type") == output}
        for item in items:
            if item.get("type") == call and item["call_id"] not in answered:
                raise Problem(f"No tool output found for {words} {item['call_id']}.", "input")
