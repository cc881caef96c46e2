"""What an emulated API offers to the server, and the values that pass between them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from proxy.emulate.agent import Plan, Task
from proxy.emulate.faults import Mode
from proxy.emulate.usage import Usage

Json = Any

CREATED = 1_795_000_000
"""Every answer's time, in seconds: the same request gives the same bytes."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came. Header names are lower case; repeated headers are joined by a comma.

    `path` is without the API's prefix, percent-decoded; `target` is the path as it was on the wire, prefix included.
    `body` is None if there is none or it is not JSON.
    """

    api: str
    method: str
    path: str
    query: Mapping[str, str]
    params: Mapping[str, str]
    headers: Mapping[str, str]
    raw: bytes
    body: Json
    target: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole HTTP answer."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)


class Refused(Exception):
    """The real API would refuse this request; `reply` is how."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.body.decode("utf-8", "replace"))
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Frame:
    """One event of a stream, as bytes.

    `start` says nothing, wherever it stands (lifecycle, pings, empty deltas); `end` is what makes a stream complete.
    """

    kind: Literal["start", "content", "end"]
    data: bytes


@dataclass(frozen=True, slots=True)
class Stream:
    """A streamed answer: the head's headers (content-type among them) and the events."""

    headers: tuple[tuple[str, str], ...]
    frames: Sequence[Frame]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for an answer that passed the API's check.

    `prompt` are the parts that tokens are counted over: system with tools first, then each message. `marks`
    says how many of them stand before each cache mark, for an API with marks (None: an API that caches by itself).
    `conversation` is whatever the client names its conversation or user with, "" if nothing. `betas` are the
    optional features that the client switched on by header.
    """

    model: str
    stream: bool
    task: Task
    prompt: tuple[str, ...]
    body: Json
    marks: tuple[int, ...] | None = None
    conversation: str = ""
    betas: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer to give: what was asked, what the agent says, what it costs."""

    ask: Ask
    plan: Plan
    usage: Usage
    mode: Mode


def halved(data: bytes) -> bytes:
    """The first half of an event's bytes, as if it were all."""
    return data[: len(data) // 2] + b"\n\n"


@dataclass(frozen=True, slots=True)
class Api:
    """An emulated API, as functions. Paths are Starlette's, below `/NAME`.

    `base` is the part of them that belongs to the base URL an SDK takes. `generate` are the POST paths that answer.
    `refuse` gives the answer to a request without a good key, None if the key is good; `unreadable` the one to a body
    that is not JSON. `read` checks as strictly as the real API and raises `Refused`. `failure` makes the API's own
    error for the kinds `status`, `quota`, `context`, `auth` and `model`; `error_frame` is the error event of a stream
    that had begun with 200.
    `others` are further endpoints: method, path, answer. `damaged` makes an event one that cannot be read.
    """

    name: str
    base: str
    generate: tuple[str, ...]
    refuse: Callable[[Received], Reply | None]
    unreadable: Callable[[Received], Reply]
    read: Callable[[Received], Ask]
    whole: Callable[[Turn], Reply]
    stream: Callable[[Turn], Stream]
    failure: Callable[[Mode], Reply]
    error_frame: Callable[[Ask], bytes]
    others: tuple[tuple[str, str, Callable[[Received], Reply]], ...] = ()
    quirks: frozenset[str] = field(default_factory=frozenset)
    damaged: Callable[[bytes], bytes] = halved


def dumps(value: Json) -> bytes:
    """Compact JSON; a lone surrogate, which UTF-8 cannot carry, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def loads(text: bytes | str) -> Json:
    """Strict JSON (no NaN, no Infinity), integers of any size. Raises ValueError."""
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def identifier(ask: Ask, what: str, length: int = 24) -> str:
    """Letters and digits that depend on the prompt and on `what` alone, not on whether the answer is streamed."""
    number = int.from_bytes(hashlib.sha512(dumps([what, ask.model, *ask.prompt])).digest(), "big")
    letters = []
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[digit])
    return "".join(letters)


def key_of(received: Received, header: str = "authorization", scheme: str = "Bearer ") -> str | None:
    """The key in a header, None if the header is missing or in another form or the key is `bad-key`."""
    value = received.headers.get(header, "")
    key = value[len(scheme) :].strip() if value.lower().startswith(scheme.lower()) else ""
    return None if key in ("", "bad-key") else key
