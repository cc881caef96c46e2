"""The message rules of OpenAI Chat Completions: roles, parts, calls and their results (openai-chat §2, 2026-11)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.openai_chat_families import reasoning_fields
from proxy.emulate.openai_rules import (
    Problem,
    Rule,
    anything,
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

LONGEST_ID = 40
ROLES = ("system", "assistant", "user", "function", "tool", "developer")


def check_messages(messages: list[Json], family: str) -> None:
    """Every message by itself, then calls against results."""
    for index, message in enumerate(messages):
        _message(message, f"messages[{index}]", family)
    _check_pairs(messages)


def _message(message: Json, path: str, family: str) -> None:
    mapping(message, path)
    match message.get("role"):
        case "system" | "developer":
            fields(message, {"role": string(), "name": string(), "content": _content("text")}, ("content",), path)
        case "user":
            kinds = _content("text", "image_url", "input_audio", "file")
            fields(message, {"role": string(), "name": string(), "content": kinds}, ("content",), path)
        case "assistant":
            _assistant(message, path, family)
        case "tool":
            rules = {"role": string(), "name": string(), "content": _content("text"), "tool_call_id": string()}
            fields(message, rules, ("content", "tool_call_id"), path)
        case "function":
            fields(message, {"role": string(), "name": name(), "content": _text_or_null}, ("name", "content"), path)
        case role:
            raise invalid_value(f"{path}.role", role, ROLES)


def _text_or_null(value: Json, path: str) -> None:
    if value is not None and not isinstance(value, str):
        raise invalid_type(path, "a string", value)


def _assistant(message: Json, path: str, family: str) -> None:
    rules: dict[str, Rule] = {
        "role": string(),
        "name": string(),
        "content": _content("text", "refusal"),
        "refusal": string(),
        "annotations": array(least=0),
        "audio": record({"id": string()}, "id"),
        "tool_calls": array(_call, most=128),
        "function_call": record({"name": name(), "arguments": string()}, "name", "arguments"),
        **dict.fromkeys(reasoning_fields(family), anything),
    }
    fields(message, rules, (), path)
    replacements = ("tool_calls", "function_call", "audio", "refusal")
    if message.get("content") is None and all(message.get(field) is None for field in replacements):
        at = path.replace("[", ".[")
        raise Problem(f"Invalid value for 'content': expected a string, got null. ({at})", f"{at}.content")


def _call(call: Json, path: str) -> None:
    mapping(call, path)
    kind = call.get("type")
    match kind:
        case "function":
            inside = record({"name": name(), "arguments": string()}, "name", "arguments")
        case "custom":
            inside = record({"name": name(), "input": string()}, "name", "input")
        case _:
            raise invalid_value(f"{path}.type", kind, ("function", "custom"))
    fields(call, {"id": string(LONGEST_ID, 1), "type": string(), kind: inside}, ("id", "type", kind), path)


# content


def _content(*kinds: str) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, str):
            return
        if not isinstance(value, list):
            raise invalid_type(path, "one of a string or array of objects", value)
        array(lambda part, at: _part(part, at, kinds))(value, path)

    return rule


def _part(part: Json, path: str, kinds: tuple[str, ...]) -> None:
    mapping(part, path)
    kind = part.get("type")
    if kind not in kinds:
        raise invalid_value(f"{path}.type", kind, kinds)
    rules = {"type": string(), "prompt_cache_breakpoint": mapping, kind: PARTS[kind]}
    fields(part, rules, ("type", kind), path)


def _url(value: Json, path: str) -> None:
    string()(value, path)
    if not value.startswith(("http://", "https://", "data:image/")):
        raise Problem(f"Failed to download image from {value[:40]}. Image URL is invalid.", path, "invalid_image_url")


PARTS: dict[str, Rule] = {
    "text": string(),
    "refusal": string(),
    "image_url": record({"url": _url, "detail": one_of("auto", "low", "high", "original")}, "url"),
    "input_audio": record({"data": string(), "format": one_of("wav", "mp3")}, "data", "format"),
    "file": record({"file_data": string(), "file_id": string(), "filename": string()}),
}


# calls and results


def _check_pairs(messages: list[Json]) -> None:
    open_ids: list[str] = []
    answered: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            _answer(message["tool_call_id"], index, open_ids, answered)
            continue
        _check_answered(open_ids, answered, index)
        answered = {}
        open_ids = [call["id"] for call in message.get("tool_calls") or []]
        for identifier in open_ids:
            if open_ids.count(identifier) > 1:
                text = f"Invalid parameter: Duplicate value for 'tool_call_id' of '{identifier}', in messages[{index}]."
                raise Problem(text, f"messages.[{index}].tool_calls")
    _check_answered(open_ids, answered, len(messages))


def _answer(identifier: str, index: int, open_ids: list[str], answered: dict[str, int]) -> None:
    if identifier in answered:
        text = f"Invalid parameter: Duplicate value for 'tool_call_id' of '{identifier}', in "
        text += f"messages[{answered[identifier]}] and messages[{index}]."
        raise Problem(text, f"messages.[{index}].tool_call_id")
    if not open_ids:
        text = (
            "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
        )
        raise Problem(text, f"messages.[{index}].role")
    if identifier not in open_ids:
        text = f"Invalid parameter: 'tool_call_id' of '{identifier}' not found in 'tool_calls' of previous message."
        raise Problem(text, f"messages.[{index}].tool_call_id")
    answered[identifier] = index


def _check_answered(open_ids: list[str], answered: dict[str, int], index: int) -> None:
    missing = [identifier for identifier in open_ids if identifier not in answered]
    if missing:
        text = "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        text += f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(missing)}"
        raise Problem(text, f"messages.[{index}].role")
