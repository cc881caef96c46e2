"""Tool call ids: the ids a wire accepts for ids that came from elsewhere, and ids where an upstream gave none.

History ids are projected by hash, never by cutting (prefixes such as `call_` would collide), so the same conversation
always gives the same ids. A fresh id comes from a passed-in source of random characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

MISSING = frozenset({"", "null", "None"})
"""Ids that mean "no id": Mistral's SDK writes the string "null" (2026-11)."""

_JOINED = re.compile(r"([^|]+)\|((?:fc|ctc)_[^|]*)")
"""How clients of the Responses API join a call's id and its item's to one (2026-11)."""

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(slots=True, frozen=True)
class IdRule:
    """`alphabet` is the body of a character class; `exact`: the id has just `max_length` characters.

    `prefix` begins a made id, which has `fresh` characters after it.
    """

    alphabet: str
    max_length: int
    prefix: str = "call_"
    fresh: int = 24
    exact: bool = False

    @property
    def pattern(self) -> str:
        """A regular expression that matches a whole valid id."""
        return rf"[{self.alphabet}]{{{self.max_length if self.exact else 1},{self.max_length}}}"


CHAT = IdRule("a-zA-Z0-9_-", 40)
RESPONSES = IdRule("a-zA-Z0-9_-", 64)
ANTHROPIC = IdRule("a-zA-Z0-9_-", 64, "toolu_")
GEMINI = IdRule("a-zA-Z0-9_-", 64)
MISTRAL = IdRule("a-zA-Z0-9", 9, "", 9, exact=True)
OLLAMA = IdRule("a-zA-Z0-9_-", 64, "call_", 8)
COHERE = IdRule("a-zA-Z0-9_-", 64)
BEDROCK = IdRule("a-zA-Z0-9_.:-", 64, "tooluse_", 22)

RULES = {
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "anthropic-messages": ANTHROPIC,
    "google-gemini": GEMINI,
    "mistral-chat": MISTRAL,
    "ollama-chat": OLLAMA,
    "cohere-chat": COHERE,
    "bedrock-converse": BEDROCK,
}
"""By API: also how the ids look that are made where the API gave none."""


def digest(text: str, length: int) -> str:
    """`length` base-62 characters from a hash of the text."""
    number = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest(), "big")
    made = []
    for _ in range(length):
        number, index = divmod(number, 62)
        made.append(_BASE62[index])
    return "".join(made)


def fresh(rule: IdRule, source: Callable[[int], str]) -> str:
    """A new id for a call that came without one."""
    return rule.prefix + source(rule.fresh)


def split(call_id: str) -> tuple[str, str | None]:
    """The call's own id, and the id of its item where a client joined the two: `call_x|fc_y`."""
    found = _JOINED.fullmatch(call_id) if "|" in call_id else None
    return (found[1], found[2]) if found else (call_id, None)


class IdMap:
    """Projects the ids of one conversation, call by call in order of appearance.

    An id that occurs again belongs to a new call: it gets another wire id, and results that follow go with the latest
    call of their id.
    """

    def __init__(self, rule: IdRule) -> None:
        self._rule = rule
        self._valid = re.compile(rule.pattern)
        self._taken: set[str] = set()

    def call(self, call_id: str, position: int, name: str, arguments: str) -> str:
        """The wire id of a call. `position` is its place among all calls of the conversation."""
        call_id, _ = split(call_id)
        if call_id in MISSING:
            seed = f"{position}\0{name}\0{arguments}"
        elif self._valid.fullmatch(call_id) and call_id not in self._taken:
            self._taken.add(call_id)
            return call_id
        else:
            seed = call_id
        length = self._rule.fresh if self._rule.exact else min(24, self._rule.max_length - len(self._rule.prefix))
        wire, salt = self._rule.prefix + digest(seed, length), 0
        while wire in self._taken:
            salt += 1
            wire = self._rule.prefix + digest(f"{seed}\0{salt}", length)
        self._taken.add(wire)
        return wire
