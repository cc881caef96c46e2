"""The message rules of Anthropic Messages: roles, blocks, calls and results (anthropic-messages §3, §6, 2026-11)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.anthropic_families import Family
from proxy.emulate.anthropic_rules import (
    CACHE_CONTROL,
    Problem,
    Rule,
    anything,
    array,
    boolean,
    fields,
    mapping,
    nullable,
    one_of,
    record,
    string,
    tagged,
)
from proxy.emulate.anthropic_thinking import blocks

Json = Any

NEWER = "2026-10-21"
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
CALL_ID = r"^[a-zA-Z0-9_-]+$"
SERVER_CALL_ID = r"^srvtoolu_[a-zA-Z0-9_]+$"
NAME = r"^[a-zA-Z0-9_-]{1,128}$"
ADDITIONS = ("tool_addition", "tool_removal")


def _text(value: Json, path: str) -> None:
    string()(value, path)
    if not value:
        raise Problem(f"{path.partition('.')[0]}: text content blocks must be non-empty")
    if not value.strip():
        raise Problem(f"{path.partition('.')[0]}: text content blocks must contain non-whitespace text")


def _source(**kinds: Rule) -> Rule:
    return tagged(kinds)


_FILE = record({"type": anything, "file_id": string(1)}, "file_id")
_URL = record({"type": anything, "url": string(1)}, "url")
_IMAGE_SOURCE = _source(
    base64=record({"type": anything, "media_type": one_of(*IMAGES), "data": string(1)}, "media_type", "data"),
    url=_URL,
    file=_FILE,
)
_DOCUMENT_SOURCE = _source(
    base64=record({"type": anything, "media_type": one_of("application/pdf"), "data": string(1)}, "media_type", "data"),
    text=record({"type": anything, "media_type": one_of("text/plain"), "data": string()}, "media_type", "data"),
    content=record({"type": anything, "content": anything}, "content"),
    url=_URL,
    file=_FILE,
)

TEXT: Rule = record(
    {"type": anything, "text": _text, "citations": nullable(array()), "cache_control": CACHE_CONTROL}, "text"
)
IMAGE: Rule = record({"type": anything, "source": _IMAGE_SOURCE, "cache_control": CACHE_CONTROL}, "source")
DOCUMENT: Rule = record(
    {
        "type": anything,
        "source": _DOCUMENT_SOURCE,
        "title": nullable(string()),
        "context": nullable(string()),
        "citations": nullable(record({"enabled": boolean})),
        "cache_control": CACHE_CONTROL,
    },
    "source",
)
SEARCH_RESULT: Rule = record(
    {
        "type": anything,
        "source": string(),
        "title": string(),
        "content": array(tagged({"text": TEXT})),
        "citations": nullable(record({"enabled": boolean})),
        "cache_control": CACHE_CONTROL,
    },
    "source",
    "title",
    "content",
)
TOOL_USE: Rule = record(
    {
        "type": anything,
        "id": string(1, pattern=CALL_ID),
        "name": string(1, 200),
        "input": mapping,
        "caller": anything,
        "toolset_name": nullable(string()),
        "cache_control": CACHE_CONTROL,
    },
    "id",
    "name",
    "input",
)


def _result_content(value: Json, path: str) -> None:
    if isinstance(value, str):
        return
    kinds = {"text": TEXT, "image": IMAGE, "document": DOCUMENT, "search_result": SEARCH_RESULT}
    array(tagged({**kinds, "tool_reference": anything, "browser_state": anything}))(value, path)
    if not value:
        raise Problem(f"{path}: List should have at least 1 item after validation, not 0")


def _tool_result(value: Json, path: str) -> None:
    rules: dict[str, Rule] = {
        "type": anything,
        "tool_use_id": string(1, pattern=CALL_ID),
        "content": _result_content,
        "is_error": boolean,
        "toolset_name": nullable(string()),
        "cache_control": CACHE_CONTROL,
    }
    fields(value, rules, ("tool_use_id",), path)
    if value.get("is_error") and not value.get("content"):
        raise Problem(f"{path}: content cannot be empty if `is_error` is true")


THINKING: Rule = record({"type": anything, "thinking": string(), "signature": string(1)}, "thinking", "signature")
REDACTED: Rule = record({"type": anything, "data": string(1)}, "data")
SERVER_TOOL_USE: Rule = record(
    {
        "type": anything,
        "id": string(pattern=SERVER_CALL_ID),
        "name": string(1),
        "input": mapping,
        "caller": anything,
        "cache_control": CACHE_CONTROL,
    },
    "id",
    "name",
    "input",
)

_SERVER_RESULTS = (
    "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result", "tool_search_tool_result", "mcp_tool_result",
)  # fmt: skip
_OPAQUE = (*_SERVER_RESULTS, "mcp_tool_use", "container_upload", "compaction", "fallback")

BLOCKS: dict[str, Rule] = {
    "text": TEXT,
    "image": IMAGE,
    "document": DOCUMENT,
    "search_result": SEARCH_RESULT,
    "thinking": THINKING,
    "redacted_thinking": REDACTED,
    "tool_use": TOOL_USE,
    "tool_result": _tool_result,
    "server_tool_use": SERVER_TOOL_USE,
    **dict.fromkeys(_OPAQUE, anything),
}
_OF_ASSISTANT = ("tool_use", "thinking", "redacted_thinking", "server_tool_use")


def check_messages(body: Json, model: Family, version: str) -> None:
    """Every message by itself, then their order, then calls against results."""
    messages = body["messages"]
    array()(messages, "messages")
    if not messages:
        raise Problem("messages: at least one message is required")
    for index, message in enumerate(messages):
        _check_message(message, index, index == len(messages) - 1)
    _check_version(messages, version)
    _check_citations(messages)
    _check_system_turns(messages, model)
    turns = merged(messages)
    if turns[0][1] != "user":
        raise Problem('messages: first message must use the "user" role')
    _check_calls(turns)
    _check_server_calls(turns)
    _check_prefill(body, model)


def _check_message(message: Json, index: int, is_last: bool) -> None:
    path = f"messages.{index}"
    mapping(message, path)
    if message.get("role") == "system":
        return _check_system_turn(message, path)
    rules: dict[str, Rule] = {"role": one_of("user", "assistant"), "content": _content}
    fields(message, rules, ("role", "content"), path)
    content, is_assistant = message["content"], message["role"] == "assistant"
    if not content and not (is_last and is_assistant):
        text = "all messages must have non-empty content except for the optional final assistant message"
        raise Problem(f"{path}: {text}")
    for block in blocks(content) if content else []:
        if block["type"] == "tool_result" and is_assistant:
            raise Problem(f"{path}: `tool_result` blocks can only be in `user` messages")
        if block["type"] in _OF_ASSISTANT and not is_assistant:
            raise Problem(f"{path}: `{block['type']}` blocks can only be in `assistant` messages")


def _content(value: Json, path: str) -> None:
    if isinstance(value, str):
        if value and not value.strip():
            raise Problem("messages: text content blocks must contain non-whitespace text")
        return
    array(tagged(BLOCKS))(value, path)


def _check_system_turn(message: Json, path: str) -> None:
    def content(value: Json, at: str) -> None:
        if not isinstance(value, str):
            array(tagged({"text": TEXT, **dict.fromkeys(ADDITIONS, anything)}))(value, at)

    rules: dict[str, Rule] = {
        "role": one_of("system"),
        "content": content,
        "output_config": record({"effort": one_of("low", "medium", "high", "xhigh", "max")}),
        "clear_at": one_of("next_user_message", "never"),
    }
    fields(message, rules, ("content",), path)
    if not message["content"] and "output_config" not in message:
        raise Problem("messages: text content blocks must be non-empty")


def _check_system_turns(messages: list[Json], model: Family) -> None:
    for index, message in enumerate(messages):
        if message["role"] != "system":
            continue
        if not model.system_turns:
            raise Problem(f"messages.{index}: role 'system' is not supported on this model")
        before = messages[index - 1] if index else {"role": "none", "content": []}
        after = messages[index + 1]["role"] if index + 1 < len(messages) else "assistant"
        last = (before["content"] or [{}])[-1] if isinstance(before["content"], list) else {}
        follows = before["role"] == "user" or last.get("type") in _SERVER_RESULTS
        if message["content"] and not (follows and after == "assistant"):
            text = "role 'system' must follow a 'user' message and precede an 'assistant' message or end the array"
            raise Problem(f"messages.{index}: {text}")


def merged(messages: list[Json]) -> list[tuple[int, str, list[Json]]]:
    """Turns: neighbours of one role as one, system entries left out. With the index of their first message."""
    turns: list[tuple[int, str, list[Json]]] = []
    for index, message in enumerate(messages):
        if message["role"] == "system":
            continue
        if turns and turns[-1][1] == message["role"]:
            turns[-1][2].extend(blocks(message["content"]))
        else:
            turns.append((index, message["role"], blocks(message["content"])))
    return turns or [(0, "none", [])]


def _check_calls(turns: list[tuple[int, str, list[Json]]]) -> None:
    seen: set[str] = set()
    waiting: list[str] = []
    for index, role, content in turns:
        if role == "user":
            _check_results(index, content, waiting)
        waiting = [block["id"] for block in content if block["type"] == "tool_use"]
        if len(seen | set(waiting)) < len(seen) + len(waiting):
            raise Problem(f"messages.{index}.content: `tool_use` ids must be unique")
        seen |= set(waiting)
    if waiting:
        _missing(turns[-1][0], waiting)


def _check_results(index: int, content: list[Json], waiting: list[str]) -> None:
    kinds = [block["type"] == "tool_result" for block in content]
    first = kinds.index(False) if False in kinds else len(kinds)
    immediate = [block["tool_use_id"] for block in content[:first]]
    for at, block in enumerate(content):
        if block["type"] == "tool_result" and block["tool_use_id"] not in waiting:
            text = f"unexpected `tool_use_id` found in `tool_result` blocks: {block['tool_use_id']}. Each `tool_result`"
            text += " block must have a corresponding `tool_use` block in the previous message."
            raise Problem(f"messages.{index}.content.{at}: {text}")
    for identifier in immediate:
        if immediate.count(identifier) > 1:
            text = "each tool_use must have a single result. Found multiple `tool_result` blocks with id"
            raise Problem(f"messages.{index}.content: {text}: {identifier}")
    if missing := [identifier for identifier in waiting if identifier not in immediate]:
        _missing(index - 1, missing)


def _missing(index: int, identifiers: list[str]) -> None:
    text = "`tool_use` ids were found without `tool_result` blocks immediately after: "
    text += f"{', '.join(identifiers)}. Each `tool_use` block must have a corresponding `tool_result` block"
    raise Problem(f"messages.{index}: {text} in the next message.")


def _check_server_calls(turns: list[tuple[int, str, list[Json]]]) -> None:
    """A server tool's call stands with its result, except in the last message, which may be continued."""
    for index, role, content in turns[:-1] if turns[-1][1] == "assistant" else turns:
        if role != "assistant":
            continue
        answered = [block.get("tool_use_id") for block in content if block["type"] in _SERVER_RESULTS]
        for block in content:
            if block["type"] == "server_tool_use" and block["id"] not in answered:
                text = f"`{block['name']}` tool use with id `{block['id']}` was found without its result block"
                raise Problem(f"messages.{index}: {text}")


def _check_prefill(body: Json, model: Family) -> None:
    last = body["messages"][-1]
    if last["role"] != "assistant" or not last["content"]:
        return
    end = blocks(last["content"])[-1]
    if end["type"] in ("server_tool_use", *_SERVER_RESULTS):
        return
    thinking = (body.get("thinking") or {}).get("type")
    if not model.prefill or model.thinks or thinking in ("enabled", "adaptive"):
        text = "This model does not support assistant message prefill."
        raise Problem(f"{text} The conversation must end with a user message.")
    if end["type"] == "text" and end["text"] != end["text"].rstrip():
        raise Problem("messages: final assistant content cannot end with trailing whitespace")


def _check_version(messages: list[Json], version: str) -> None:
    """What version 2026-10-21 no longer takes."""
    if version != NEWER:
        return
    for index, message in enumerate(messages):
        for at, block in enumerate(blocks(message["content"])):
            path = f"messages.{index}.content.{at}"
            if block["type"] == "document" and message["role"] == "assistant":
                raise Problem(f"{path}: `document` blocks are not permitted in `assistant` messages")
            inner = block["content"] if block["type"] == "search_result" else [block]
            if message["role"] == "user" and any(part["type"] == "text" and part.get("citations") for part in inner):
                raise Problem(f"{path}.text.citations: citations are not permitted in `user` messages")


def _check_citations(messages: list[Json]) -> None:
    found = {
        bool((block.get("citations") or {}).get("enabled"))
        for message in messages
        for block in blocks(message["content"])
        if block["type"] == "document"
    }
    if len(found) > 1:
        raise Problem("messages: citations must be enabled on all documents or none")
