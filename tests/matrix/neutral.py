"""Conversations and their expected answers in no wire's form, and how an answer differs from what is expected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

Json = Any


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, as base64."""

    data: str
    mime: str = "image/png"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the client offers."""

    name: str
    schema: Json
    description: str = "A tool."


@dataclass(frozen=True, slots=True)
class Result:
    """What a call returned: texts and images."""

    content: tuple[str | Image, ...]
    error: bool = False


@dataclass(frozen=True, slots=True)
class User:
    """The user's turn."""

    content: tuple[str | Image, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The results of the answer before, in the order of its calls."""

    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: what it says, and its native form, which goes back into the history."""

    said: Said
    native: Json = None
    ids: tuple[str, ...] = ()
    """Of the calls, in their order."""


Turn = User | Results | Answered


@dataclass(frozen=True, slots=True)
class Said:
    """An answer. In an expected one a field that is None may be anything.

    `calls` are (name, arguments). `holds` are pieces that the text must have (expected answers only). `refused`: the
    dialect's own word for a refusal or a safety stop. `output` is the text read as JSON. `error` is the type of the
    error that the SDK raised, `so_far` whether text came before it. `counted`: whether the prompt's tokens were told,
    `spent`: the tokens of the answer.
    """

    text: str | None = ""
    calls: tuple[tuple[str, Json], ...] | None = ()
    stop: Literal["stop", "length", "tool_calls", "refusal", "none"] | None = "stop"
    reasoning: str | None = ""
    output: Json = None
    holds: tuple[str, ...] = ()
    error: str | None = ""
    so_far: bool | None = None
    counted: bool | None = True
    spent: int | None = None
    any_order: bool = False
    """Whether the calls may come in another order: some APIs offer the tools in theirs."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What the last request upstream had in it.

    `images`: how many pictures; `replayed`: whether earlier reasoning came back, signed where the API signs;
    `flagged`: whether a result is marked as an error.
    """

    images: int | None = None
    replayed: bool | None = None
    flagged: bool | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A turn that is added, and what must come of it, streamed or whole."""

    turn: User | Results
    said: Said
    sent: Sent = Sent()
    attempts: int = 1
    streamed: Said | None = None
    """Where a stream ends otherwise."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """`model`: the upstream's agent or one that fails. `forgets`: the client keeps only texts and calls of answers."""

    name: str
    steps: tuple[Step, ...]
    tools: tuple[Tool, ...] = ()
    system: str | None = None
    model: Literal["agent", "refuses", "fails", "breaks", "stalls"] = "agent"
    thinking: bool = False
    output: Json = None
    max_tokens: int = 2000
    choice: Literal["none", "required"] | None = None
    forgets: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: the conversation so far."""

    conversation: Conversation
    model: str
    turns: tuple[Turn, ...]
    stream: bool


class Client(Protocol):
    """One official SDK."""

    def ask(self, asked: Asked) -> Answered:
        """The answer; an error that the SDK raises is one too."""


# --- comparing -----------------------------------------------------------------------------------------------------


def differences(expected: Said, said: Said) -> Iterator[str]:
    """Names of the fields that are not as expected."""
    if expected.text is not None and expected.text != said.text:
        yield "text"
    if any(piece not in (said.text or "") for piece in expected.holds):
        yield "text"
    if expected.output is not None and expected.output != _json(said.text or ""):
        yield "output"
    if expected.calls is not None and _ordered(expected.calls, expected) != _ordered(said.calls or (), expected):
        yield "calls"
    for name in ("stop", "reasoning", "error", "so_far", "counted", "spent"):
        wanted = getattr(expected, name)
        if wanted is not None and wanted != getattr(said, name):
            yield name


def _ordered(calls: tuple[tuple[str, Json], ...], expected: Said) -> list[tuple[str, Json]]:
    return sorted(calls, key=str) if expected.any_order else list(calls)


def sent_differences(expected: Sent, sent: Sent) -> Iterator[str]:
    """Names of the fields that are not as expected."""
    for name in ("images", "replayed", "flagged"):
        wanted = getattr(expected, name)
        if wanted is not None and wanted != getattr(sent, name):
            yield name


def _json(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return None


def failed(kind: str, so_far: Said | None = None) -> Answered:
    """An answer that is an error."""
    before = so_far or Said(text="")
    return Answered(replace(before, stop="none", error=kind, so_far=bool(before.text)))


