"""Signed thinking: made for an answer, checked when it comes back (anthropic-messages §7).

A signature covers the text, the block's place in its message, how many such blocks the message had, and the
conversation before it; so a changed, moved or missing block is found without keeping anything.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import Any

from proxy.emulate.anthropic_families import Family
from proxy.emulate.anthropic_rules import Problem
from proxy.emulate.api import dumps

Json = Any

BINDING_BETA = "thinking-binding-controls-2026-08-01"

_KEY = b"the emulator's own"
_KINDS = ("thinking", "redacted_thinking")
_MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)


@dataclass(frozen=True, slots=True)
class Seal:
    """Where a block was made: the conversation's digest, its index among the blocks, and how many they were."""

    conversation: str
    index: int
    total: int


def sign(seal: Seal, text: str) -> str:
    """The signature of a thinking text; the data of redacted thinking if the text is empty."""
    head = f"{seal.conversation}.{seal.index}.{seal.total}"
    mac = hmac.new(_KEY, f"{head}.{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]
    return base64.b64encode(f"{head}.{mac}".encode()).decode()


def opened(signature: str, text: str) -> Seal | None:
    """The seal of a signature, None if it is not one of ours over this text."""
    try:
        conversation, index, total, _ = base64.b64decode(signature, validate=True).decode().split(".")
        seal = Seal(conversation, int(index), int(total))
    except ValueError:
        return None
    return seal if hmac.compare_digest(sign(seal, text), signature) else None


def digest(body: Json, before: int) -> str:
    """What a block is bound to: tools, system and the first `before` messages, without cache marks."""
    turns: list[Json] = []
    for message in body["messages"][:before]:
        content = blocks(message["content"])
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1]["content"] += content
        else:
            turns.append({"role": message["role"], "content": content})
    prefix = [body.get("tools") or [], blocks(body.get("system") or []), turns]
    return hashlib.sha256(dumps(unmarked(prefix))).hexdigest()[:16]


def blocks(content: Json) -> list[Json]:
    """A content as a list of blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def unmarked(value: Json) -> Json:
    """The value without any `cache_control`."""
    if isinstance(value, dict):
        return {name: unmarked(member) for name, member in value.items() if name != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def check_echo(body: Json, model: Family, betas: frozenset[str]) -> None:
    """Raises Problem for thinking that is changed, moved, bound elsewhere or missing."""
    latest = _latest_turn(body["messages"])
    for index, message in enumerate(body["messages"]):
        if message["role"] == "assistant" and isinstance(message["content"], list):
            _check_message(body, index, model, index >= latest)
    thinking = body.get("thinking") or {}
    if "block_binding" in thinking and BINDING_BETA not in betas:
        raise Problem("thinking.block_binding: Extra inputs are not permitted")
    if thinking.get("type") == "enabled":
        _check_start(body["messages"], latest)


def _check_message(body: Json, index: int, model: Family, is_latest: bool) -> None:
    content = body["messages"][index]["content"]
    seals = []
    for at, block in enumerate(content):
        if block["type"] not in _KINDS:
            continue
        path = f"messages.{index}.content.{at}"
        if block["type"] == "thinking":
            seal = opened(block["signature"], block["thinking"])
        else:
            seal = opened(block["data"], "")
        if seal is None:
            raise Problem(f"{path}: Invalid `{_field(block)}` in `{block['type']}` block")
        if seal.index != at:
            raise Problem(f"{path}: {_MODIFIED}")
        if model.bound and not _drops(body) and seal.conversation != digest(body, index):
            text = f"Invalid `{_field(block)}` in `{block['type']}` block."
            raise Problem(f"{path}: {text} The block is bound to a different conversation")
        seals.append(seal)
    if seals and is_latest and len(seals) != seals[0].total:
        raise Problem(f"messages.{index}.content: {_MODIFIED}")


def _field(block: Json) -> str:
    return "signature" if block["type"] == "thinking" else "data"


def _drops(body: Json) -> bool:
    binding = (body.get("thinking") or {}).get("block_binding") or {}
    return bool(binding.get("prefix_mismatch_behavior") == "drop_block")


def _latest_turn(messages: list[Json]) -> int:
    """Index after the last user message that is more than tool results."""
    for index in range(len(messages) - 1, -1, -1):
        content = blocks(messages[index]["content"])
        if messages[index]["role"] == "user" and any(block["type"] != "tool_result" for block in content):
            return index + 1
    return 0


def _check_start(messages: list[Json], latest: int) -> None:
    for index, message in enumerate(messages[latest:], latest):
        if message["role"] != "assistant":
            continue
        content = blocks(message["content"])
        calls = any(block["type"] == "tool_use" for block in content)
        if calls and content[0]["type"] not in _KINDS:
            text = f"Expected `thinking` or `redacted_thinking`, but found `{content[0]['type']}`."
            text += " When `thinking` is enabled, a final `assistant` message must start with a thinking block."
            raise Problem(f"messages.{index}.content.0.type: {text}")
        return
