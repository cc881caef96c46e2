"""What a model name asks the emulator to play: the table of CONTRACT §7, and single quirks of streams."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "agent", "status", "quota", "context", "auth", "model", "refusal", "empty", "malformed", "bad-arguments",
    "error-first", "cut", "reset", "stall", "silent",
]  # fmt: skip

NAMED: tuple[Kind, ...] = (
    "quota", "context", "auth", "refusal", "empty", "malformed", "bad-arguments", "error-first", "cut", "reset",
    "stall", "silent",
)  # fmt: skip

LISTED = (
    "agent",
    *(f"fault-{status}" for status in (400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529)),
    *(f"fault-{name}" for name in NAMED),
    "slow-50",
    "flaky-1",
    "flaky-2",
)
"""The names that a model list shows; every other status and number works too, and real models' names play the agent
by their family's rules, so that a real route can be tried."""

_PATTERN = re.compile(
    r"agent(?:-(?P<family>.+))?|(?P<real>"
    r"(?:claude|gpt|gemini|gemma|mistral|magistral|ministral|llama|command|qwen|deepseek|glm|kimi)[-\d].*|o\d(?:-.*)?"
    r"|(?:[a-z]{2,6}\.)?(?:anthropic|amazon|mistral|meta|cohere|openai|deepseek|qwen|ai21|writer)\.[a-z].*"
    r")|fault-(?P<status>[345]\d\d)|fault-(?P<named>[a-z-]+)|slow-(?P<ms>\d{1,6})"
    r"|flaky-(?P<times>\d{1,6})|quirk-(?P<quirk>[a-z0-9-]+)"
)


@dataclass(frozen=True, slots=True)
class Mode:
    """How to answer. `model` is the asked name; `family` the model whose rules `agent-FAMILY` borrows.

    `delay` is in seconds between stream events; `times` is how often `flaky-N` fails before it plays the agent.
    """

    model: str
    kind: Kind = "agent"
    status: int = 0
    family: str = ""
    delay: float = 0.0
    times: int = 0
    quirk: str = ""


def mode(model: str, quirks: frozenset[str] = frozenset()) -> Mode:
    """The mode of a model name; kind `model` for a name that nobody serves. `quirks` are those the API can play."""
    found = _PATTERN.fullmatch(model)
    match found.groupdict() if found else {}:
        case {"real": str(real)}:
            return Mode(model, family=real)
        case {"status": str(status)}:
            return Mode(model, "status", int(status))
        case {"named": str(name)} if name in NAMED:
            return Mode(model, next(kind for kind in NAMED if kind == name))
        case {"ms": str(ms)}:
            return Mode(model, delay=int(ms) / 1000)
        case {"times": str(times)}:
            return Mode(model, times=int(times))
        case {"quirk": str(quirk)} if quirk in quirks:
            return Mode(model, quirk=quirk)
        case {"family": str(family)}:
            return Mode(model, quirk=family) if family in quirks else Mode(model, family=family)
        case {"named": None, "quirk": None}:
            return Mode(model)
    return Mode(model, "model", 404)


class Flaky:
    """Counts failures by key. After the last one the count starts again."""

    def __init__(self) -> None:
        self._failed: dict[str, int] = {}

    def fails(self, key: str, times: int) -> bool:
        """Whether this try fails, when `times` of them must fail before one succeeds."""
        failed = self._failed.pop(key, 0)
        if failed >= times:
            return False
        self._failed[key] = failed + 1
        return True
