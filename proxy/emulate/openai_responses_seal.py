"""Item ids that know their turn, and encrypted reasoning that is checked when it comes back (openai-responses §9).

An id says which turn made the item, whether the turn reasoned, and whether the response was stored; so a missing or
misplaced reasoning item is found without keeping anything.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Any

from proxy.emulate.api import dumps, loads
from proxy.emulate.openai_rules import Problem

Json = Any

_KEY = b"the emulator's own"
_TURN = "[0-9A-Za-z]{20}"
_LED = re.compile(rf"(?:fc|ctc|msg)_(?P<turn>{_TURN})r\d+")
_STORED = re.compile(rf"rs_{_TURN}s")
_FOLLOWING = frozenset({
    "message", "function_call", "custom_tool_call", "web_search_call", "file_search_call", "code_interpreter_call",
    "computer_call", "image_generation_call", "mcp_call", "shell_call", "local_shell_call", "apply_patch_call",
    "tool_search_call", "reasoning", "compaction", "program",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seal:
    """What an encrypted reasoning knows: who made it, its item's id, and the call that it led to ("" for a text)."""

    family: str
    item: str
    call: str


def reasoning_id(turn: str, stored: bool) -> str:
    return f"rs_{turn}{'s' if stored else 't'}"


def item_id(prefix: str, turn: str, reasoned: bool, index: int) -> str:
    """The id of a message or call."""
    return f"{prefix}_{turn}{'r' if reasoned else 'n'}{index}"


def encrypt(seal: Seal, variant: int = 0) -> str:
    """The encrypted content. Variants differ and are all good, as the API's own are."""
    inside = dumps([seal.family, seal.item, seal.call, variant])
    mac = hmac.new(_KEY, inside, hashlib.sha256).digest()[:16]
    return "gAAAAA" + base64.urlsafe_b64encode(mac + inside).decode()


def decrypt(text: str) -> Seal | None:
    """None if it is none of ours."""
    try:
        raw = base64.urlsafe_b64decode(text.removeprefix("gAAAAA"))
        family, item, call, _ = loads(raw[16:])
    except (ValueError, TypeError):
        return None
    mac = hmac.new(_KEY, raw[16:], hashlib.sha256).digest()[:16]
    return Seal(family, item, call) if hmac.compare_digest(mac, raw[:16]) else None


def check_reasoning(items: list[Json], family: str) -> None:
    """Raises Problem for reasoning that is foreign, unknown, misplaced or missing."""
    known: set[str] = set()
    for index, item in enumerate(items):
        if item.get("type") == "reasoning":
            known.add(_check_item(item, items[index + 1] if index + 1 < len(items) else {}, index, family))
        elif (led := _LED.fullmatch(str(item.get("id")))) and not known & _ids(led["turn"]):
            needed = reasoning_id(led["turn"], True)[:-1]
            text = f"Item '{item['id']}' of type '{item.get('type', 'message')}' was provided without its required"
            raise Problem(f"{text} 'reasoning' item: '{needed}'.", "input")


def _ids(turn: str) -> set[str]:
    return {reasoning_id(turn, True), reasoning_id(turn, False)}


def _check_item(item: Json, following: Json, index: int, family: str) -> str:
    """The id of a reasoning item that may stand where it stands."""
    name, call = str(item.get("id") or ""), None
    if encrypted := item.get("encrypted_content"):
        seal = decrypt(encrypted)
        if seal is None or seal.family != family or name not in ("", seal.item):
            shown = f"{encrypted[:4]}...{encrypted[-4:]}" if len(encrypted) > 8 else encrypted
            text = f"The encrypted content {shown} could not be verified. Reason: Encrypted content could not be"
            raise Problem(f"{text} decrypted or parsed.", None, "invalid_encrypted_content")
        name, call = seal.item, seal.call
    elif not name:
        raise Problem(f"Missing required parameter: 'input[{index}].id'.", f"input[{index}].id",
                      "missing_required_parameter")  # fmt: skip
    elif not item.get("content") and not _STORED.fullmatch(name):
        text = f"Item with id '{name}' not found. Items are not persisted when `store` is set to false. Try again"
        raise Problem(f"{text} with `store` set to true, or remove this item from your input.", "input", status=404)
    if not _leads(following, call):
        text = f"Item '{name}' of type 'reasoning' was provided without its required following item."
        raise Problem(text, "input")
    return name


def _leads(following: Json, call: str | None) -> bool:
    """Whether an item may follow a reasoning that led to this call ("" to a text, None: unknown)."""
    kind = following.get("type", "message" if "role" in following else None)
    if kind not in _FOLLOWING or (kind == "message" and following.get("role") != "assistant"):
        return False
    if call is None or kind == "reasoning":
        return True
    return bool(following.get("call_id") == call) if call else kind == "message"
