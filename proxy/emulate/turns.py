"""What a conversation asks for now, the same for every API: told by who speaks in each of its entries.

Between two entries of the model stands a turn of the user: texts, results, or both (programs add notes behind results).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "results", "model", "other"]


@dataclass(frozen=True, slots=True)
class Entry:
    """`text`: what the user says in it. `calls`: whether the model calls tools in it. `results` are the user's too."""

    role: Role
    text: str = ""
    calls: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """`user`: all that the user said in the last turn that has texts. `rounds`: the model's turns with calls since the
    user last spoke without giving results. `since`: where the entries after the model's last one begin."""

    user: str
    rounds: int
    since: int


def asked(entries: Sequence[Entry]) -> Asked:
    """What the model is to answer."""
    user, rounds, since = "", 0, 0
    texts: list[str] = []
    gave = called = False
    for index, entry in enumerate(entries):
        match entry.role:
            case "model":
                rounds = _rounds(rounds, texts, gave)
                texts, gave, since = [], False, index + 1
                rounds += entry.calls and not called
                called = called or entry.calls
            case "user" | "results":
                called = False
                gave = gave or entry.role == "results"
                if entry.text:
                    texts.append(entry.text)
                    user = "\n".join(texts)
    return Asked(user, _rounds(rounds, texts, gave), since)


def _rounds(rounds: int, texts: list[str], gave: bool) -> int:
    return 0 if texts and not gave else rounds
