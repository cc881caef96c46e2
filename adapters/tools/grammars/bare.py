"""Calls that an answer begins with, without a mark: only where the form is asked for by name (text-tool-calls §2)."""

from __future__ import annotations

import re

from adapters import json
from adapters.model import Json
from adapters.tools.grammars import literals, objects, tokens
from adapters.tools.grammars.objects import Shape
from adapters.tools.grammars.reader import NotCalls, Read, Reader
from adapters.tools.grammars.values import value

_FIRST_KEY = re.compile(r"""\{[ \t\r\n]*["']([^"'\\]{0,64})["']""")
_LONGEST_LOOK = 256
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_STRIPPED = frozenset({"kimi-k2", "mistral-v11"})
STARTING = frozenset({"llama3-json", "pythonic", "xlam", "nullclaw", *_STRIPPED})
"""Forms whose calls an answer may begin with, without a mark."""


def start(r: Reader) -> Read[None]:
    """The beginning of an answer, taken for calls only if it says a known tool's name where a call has it."""
    char = yield from r.ahead(1)
    if char == "{":
        yield from _object_at_start(r)
    elif char == "[" and r.forms & {"pythonic", "xlam"}:
        two = yield from r.after_white(("{",), 1)
        if two and "xlam" in r.forms:
            yield from objects.calls(r, Shape(bare=True))
        elif not two and "pythonic" in r.forms:
            yield from literals.python_list(r)
        else:
            raise NotCalls("another list")
    elif char and r.forms & _STRIPPED and (char.isalpha() or char == "_"):
        yield from _stripped(r)
    else:
        raise NotCalls("another beginning")


def _object_at_start(r: Reader) -> Read[None]:
    """Its first key decides, so that an answer in JSON is not kept back."""
    while (found := _FIRST_KEY.match(r.buffer, r.at)) is None:
        if r.ended or len(r.buffer) - r.at > _LONGEST_LOOK:
            raise NotCalls("another object")
        yield
    key = found[1]
    if key in ("name", "type", "function") and "llama3-json" in r.forms:
        yield from objects.calls(r, Shape(("<|eom_id|>", "<|eot_id|>"), bare=True))
    elif key in ("content", "tool_calls") and "nullclaw" in r.forms:
        yield from _whole_answer(r)
    else:
        raise NotCalls("another object")


def _stripped(r: Reader) -> Read[None]:
    """What is left of a call where the server took the special tokens away: `functions.get_time:0{…}`."""
    while (found := _PLAIN_NAME.match(r.buffer, r.at)) is not None and found.end() == len(r.buffer) and not r.ended:
        if len(found[0]) > _LONGEST_LOOK:
            break
        yield
    head = r.take(len(found[0]) if found else 0)
    named = tokens.KIMI_ID.fullmatch(head)
    if named is None or r.offered.wire(named[1]) is None or not (yield from r.after_white(("{",))):
        raise NotCalls("no call")
    r.open(named[1], head if ":" in head and "kimi-k2" in r.forms else "")
    yield from r.space()
    yield from objects.arguments(r, r.args)
    r.shut()


def _whole_answer(r: Reader) -> Read[None]:
    """`{"content": …, "tool_calls": […]}` as the whole answer (text-tool-calls §5)."""
    pieces: list[str] = []
    yield from value(r, pieces.append)
    answer: Json = json.loads("".join(pieces))
    found = answer.get("tool_calls")
    calls = [_named(one) for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    if not calls or any(r.offered.wire(name) is None for name, _ in calls):
        raise NotCalls("another object")
    if isinstance(content := answer.get("content"), str) and content:
        r.text(content)
    for name, given in calls:
        r.open(name)
        r.args((given or "{}") if isinstance(given, str) else json.text(given))
        r.shut()


def _named(one: Json) -> tuple[str, Json]:
    inner = one["function"] if isinstance(one.get("function"), dict) else one
    name = inner.get("name")
    return name if isinstance(name, str) else "", inner.get("arguments", {})
