"""Thought signatures: made for a part of an answer, checked when the part comes back (google-gemini §6).

A signature covers the platform and the part it was made for, so that a moved, merged or foreign one is found.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

from proxy.emulate.api import dumps
from proxy.emulate.google_gemini_families import Family
from proxy.emulate.google_gemini_proto import Problem, decoded

Json = Any

_KEY = b"the emulator's own"
_MARK = b"\x12\x26emulated"
_SKIP = (b"skip_thought_signature_validator", b"context_engineering_is_the_way_to_go")
BYPASSES = frozenset({*_SKIP, *(decoded(word.decode()) for word in _SKIP)})
"""What stands for a signature that nobody has: the words, plain or as base64, in a field that holds bytes."""


def sign(platform: str, part: Json) -> str:
    """The signature of a part, standard base64."""
    kind, content = _content(part)
    body = _MARK + platform.encode()[:1] + hashlib.sha256(dumps([kind, content])).digest()[:16]
    return base64.b64encode(body + hmac.new(_KEY, body, hashlib.sha256).digest()[:16]).decode()


def _content(part: Json) -> tuple[str, Json]:
    """What a signature is made over: a call's name and arguments; of a text only that it is one, clients cut it."""
    if call := part.get("functionCall"):
        return "call", [call.get("name"), sorted_members(call.get("args") or {})]
    return "thought" if part.get("thought") else "text", None


def sorted_members(value: Json) -> Json:
    """Objects as lists of sorted members: the order of keys does not count, nor whether 1 was written 1.0."""
    if isinstance(value, dict):
        return [[name, sorted_members(value[name])] for name in sorted(value)]
    if isinstance(value, list):
        return [sorted_members(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def check_signatures(contents: list[Json], model: Family, platform: str) -> None:
    """Raises Problem for a signature that is foreign, moved or missing. `contents` are those of a checked request."""
    for index, part in _parts(contents):
        if "thoughtSignature" in part and model.signs and not _passes(part):
            _check(part, index, platform)
    if not model.needs_signatures:
        return
    for index, content in _current_turn(contents):
        calls = [part for part in content["parts"] if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0]:
            name = calls[0]["functionCall"]["name"]
            text = f"Function call `{name}` in the {index + 1}. content block is missing a `thought_signature`."
            raise Problem(text, field=f"contents[{index}]")


def _passes(part: Json) -> bool:
    """Whether the part's signature asks for no check."""
    return decoded(part["thoughtSignature"]) in BYPASSES


def _check(part: Json, index: int, platform: str) -> None:
    given = decoded(part["thoughtSignature"]) or b""
    body, mac = given[:-16], given[-16:]
    genuine = hmac.compare_digest(hmac.new(_KEY, body, hashlib.sha256).digest()[:16], mac)
    if not genuine or body[len(_MARK) : len(_MARK) + 1] != platform.encode()[:1]:
        raise Problem("Invalid thought signature.", field=f"contents[{index}]")
    if given != decoded(sign(platform, part)):
        raise Problem("Corrupted thought signature.", field=f"contents[{index}]")


def _parts(contents: list[Json]) -> Iterator[tuple[int, Json]]:
    for index, content in enumerate(contents):
        yield from ((index, part) for part in content["parts"])


def _current_turn(contents: list[Json]) -> Iterator[tuple[int, Json]]:
    """The model's steps after the last user content that is more than function responses, neighbours as one."""
    last = max((i for i, c in enumerate(contents) if is_user(c)), default=-1)
    steps: list[tuple[int, Json]] = []
    for index, content in enumerate(contents[last + 1 :], last + 1):
        if content.get("role") != "model":
            steps.append((index, {"parts": []}))
        elif steps and steps[-1][1].get("role") == "model":
            before, step = steps[-1]
            steps[-1] = (before, {**step, "parts": [*step["parts"], *content["parts"]]})
        else:
            steps.append((index, content))
    yield from steps


def is_user(content: Json) -> bool:
    """Whether a content is the user's own and not the results of calls."""
    return content.get("role") != "model" and not any("functionResponse" in part for part in content["parts"])
