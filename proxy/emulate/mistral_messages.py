"""The message rules of Mistral's chat: shapes, order, ids (mistral-chat §3, §5, 2026-11)."""

from __future__ import annotations

import re
from typing import Any

from proxy.emulate.anthropic_rules import (
    Problem,
    Rule,
    anything,
    array,
    boolean,
    integer,
    mapping,
    nullable,
    record,
    string,
    tagged,
)

Json = Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9]{9}")
ROLES = ("system", "user", "assistant", "tool")


class Invalid(Exception):
    """What the validator behind the API says: a 400 with a type and a number as text."""

    def __init__(self, message: str, kind: str, code: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.code = code


def order(message: str) -> Invalid:
    """The conversation is in the wrong order."""
    return Invalid(message, "invalid_request_message_order", "3230")


# shapes


def messages_rule(value: Json, path: str) -> None:
    """Every message by itself."""
    array(_message)(value, path)


def _message(value: Json, path: str) -> None:
    mapping(value, path)
    role = value.get("role")
    if role not in ROLES:
        tags = ", ".join(f"'{name}'" for name in ROLES)
        text = f"Input tag '{role}' found using 'role' does not match any of the expected tags: {tags}"
        raise Problem(f"{path}: {text}")
    rules, required = MESSAGES[role]
    record({"role": anything, **rules}, *required)(value, f"{path}.{role}")


def _content(*kinds: str) -> Rule:
    chunks = array(tagged({kind: CHUNKS[kind] for kind in kinds}))

    def rule(value: Json, path: str) -> None:
        if not isinstance(value, str):
            chunks(value, path)

    return rule


def _url(value: Json, path: str) -> None:
    if not isinstance(value, str):
        record({"url": string(1), "detail": nullable(string())}, "url")(value, path)


def _arguments(value: Json, path: str) -> None:
    """Arguments: an object or a text."""
    if not isinstance(value, str | dict):
        raise Problem(f"{path}: Input should be a valid string")


_TEXT = record({"type": anything, "text": string()}, "text")
_REFERENCE = record({"type": anything, "reference_ids": array(anything)}, "reference_ids")
_INSIDE = tagged({"text": _TEXT, "reference": _REFERENCE, "tool_reference": mapping})
CHUNKS: dict[str, Rule] = {
    "text": _TEXT,
    "image_url": record({"type": anything, "image_url": _url}, "image_url"),
    "document_url": record(
        {"type": anything, "document_url": string(1), "document_name": nullable(string())}, "document_url"
    ),
    "file": record({"type": anything, "file_id": string(1)}, "file_id"),
    "reference": _REFERENCE,
    "thinking": record(
        {"type": anything, "thinking": array(_INSIDE), "signature": nullable(string()), "closed": boolean}, "thinking"
    ),
    "input_audio": record({"type": anything, "input_audio": anything}, "input_audio"),
    "resource": mapping,
    "resource_link": mapping,
}

_CALL = record(
    {
        "id": nullable(string()),
        "type": anything,
        "function": record({"name": string(), "arguments": _arguments}, "name", "arguments"),
        "index": nullable(integer(0)),
    },
    "function",
)

_CALLS = nullable(array(_CALL))

MESSAGES: dict[str, tuple[dict[str, Rule], tuple[str, ...]]] = {
    "system": ({"content": _content("text", "thinking")}, ("content",)),
    "user": ({"content": _content(*CHUNKS)}, ("content",)),
    "assistant": ({"content": nullable(_content(*CHUNKS)), "tool_calls": _CALLS, "prefix": boolean}, ()),
    "tool": (
        {"content": _content(*CHUNKS), "tool_call_id": nullable(string()), "name": nullable(string())},
        ("content",),
    ),
}


# order

_AFTER: dict[str, tuple[str, ...]] = {
    "": ("system", "user"),
    "system": ("system", "user"),
    "user": ("system", "user", "assistant"),
    "assistant": ("system", "user", "assistant"),
    "calls": ("tool",),
    "tool": ("assistant", "tool"),
}


def check_order(messages: list[Json]) -> None:
    """Roles that may follow one another, calls with as many results, a last message that can be answered."""
    before, open_ids = "", list[str]()
    for index, message in enumerate(messages):
        role, calls = message["role"], message.get("tool_calls") or []
        if open_ids and role != "tool":
            raise order("Not the same number of function calls and responses")
        if role not in _AFTER[before]:
            raise order(f"Unexpected role '{role}' after role '{'assistant' if before == 'calls' else before or None}'")
        if role == "tool":
            _check_result(message, open_ids)
            before = "calls" if open_ids else "tool"
            continue
        if role == "assistant":
            _check_assistant(message, is_last=index == len(messages) - 1)
        open_ids = [call["id"] for call in calls]
        before = "calls" if calls else role
    if open_ids:
        raise order("Not the same number of function calls and responses")
    if before in ("assistant", "system") and not messages[-1].get("prefix"):
        text = "Expected last role User or Tool (or Assistant with prefix True) for serving but got"
        raise order(f"{text} {before}")


def _check_result(message: Json, open_ids: list[str]) -> None:
    identifier = message.get("tool_call_id")
    _check_id(identifier)
    if identifier not in open_ids:
        raise order(f"Unexpected tool call id {identifier} in tool results")
    open_ids.remove(identifier)


def _check_assistant(message: Json, *, is_last: bool) -> None:
    calls = message.get("tool_calls") or []
    if not calls and not message.get("content"):
        text = "Assistant message must have either content or tool_calls, but not none."
        raise Invalid(text, "invalid_assistant_message", "3240")
    if message.get("prefix") and not is_last:
        raise order("Assistant message with prefix True must be the last message")
    for call in calls:
        _check_id(call.get("id"))
        check_name(call["function"]["name"])


def _check_id(identifier: Json) -> None:
    if identifier in (None, "", "null"):
        raise Invalid("Tool call id has to be defined.", "invalid_function_call", "3280")
    if not ID.fullmatch(identifier):
        text = f"Tool call id was {identifier} but must be a-z, A-Z, 0-9, with a length of 9."
        raise Invalid(text, "invalid_function_call", "3280")


def check_name(name: str) -> None:
    """Raises Invalid for a function name that the API does not take."""
    if not NAME.fullmatch(name):
        text = f"Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum"
        raise Invalid(f"{text} length of 64.", "invalid_function_call", None)
