"""Calls that are JSON objects, `{"name": …, "arguments": {…}}`, alone, in rows or lists, between a form's own marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from adapters import json
from adapters.model import Json
from adapters.tools.grammars.marks import marks
from adapters.tools.grammars.reader import MAX_WHITE, Emit, NotCalls, Read, Reader, TooLong, Unfinished
from adapters.tools.grammars.values import Unclosed, normal, plain_string, raw, value

_NAMES = frozenset({"name", "tool_name"})
_ARGUMENTS = frozenset({"arguments", "parameters"})
_BETWEEN = re.compile(r"[ \t\r\n,;]+")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+-]+")
_WORD = re.compile(r"[A-Za-z]+")
_CLOSERS = "} \t\r\n"
_MOST_NESTED = 3


@dataclass(slots=True, frozen=True)
class Shape:
    """One form's objects. `close` ends the block, any of them; `ids`: keys of the call's id, which a call then waits
    for, whole. `bare`: no mark tells calls from data, so that an object without arguments is none."""

    close: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()
    bare: bool = False


@dataclass(slots=True)
class _Call:
    """A call while its object is read. `early` are arguments that came before it could be opened."""

    shape: Shape
    name: str | None = None
    id: str = ""
    early: list[str] | None = None
    opened: bool = False
    given: bool = False

    @property
    def is_complete(self) -> bool:
        return self.name is not None and self.given


def calls(r: Reader, shape: Shape) -> Read[None]:
    """One object, several, or a list of them, maybe in a code fence, and the closing mark if there is one."""
    fenced = yield from fence(r)
    yield from r.space()
    if (yield from r.literal("[")):
        yield from items(r, shape)
    else:
        yield from call(r, shape)
        while (yield from _another(r)):
            yield from call(r, shape)
    yield from end(r, shape, fenced)


def items(r: Reader, shape: Shape) -> Read[None]:
    """A list of calls behind its bracket."""
    while True:
        yield from r.space()
        if (yield from r.literal("]")):
            return
        yield from call(r, shape)
        yield from r.space()
        if not (yield from r.literal(",")):
            yield from r.literal("]")
            return


def end(r: Reader, shape: Shape, fenced: bool = False) -> Read[None]:
    """What closes a block: closers too many (models double them, 2026-11), the fence, the mark."""
    while (yield from r.closing(("}", "]"))):
        pass
    if fenced:
        yield from r.closing(("```",))
    if shape.close:
        yield from r.closing(shape.close)


def fence(r: Reader) -> Read[bool]:
    """The beginning of a code fence with its language, if one stands here."""
    yield from r.space()
    if not (yield from r.literal("```")):
        return False
    yield from r.match(_LANGUAGE)
    return True


def _another(r: Reader) -> Read[bool]:
    """Whether another object follows, maybe behind a comma or semicolon, which are taken then."""
    while True:
        found = _BETWEEN.match(r.buffer, r.at)
        count = found.end() - r.at if found else 0
        if r.at + count < len(r.buffer) or r.ended or count > MAX_WHITE:
            break
        yield
    if r.buffer[r.at + count : r.at + count + 1] != "{":
        return False
    r.take(count)
    return True


# --- one object --------------------------------------------------------------------------------------------------


def call(r: Reader, shape: Shape) -> Read[None]:
    """One object as one call. Raises NotCalls where it names no tool that was offered."""
    one = _Call(shape)
    yield from _members(r, one, 0)
    if one.name is None:
        raise NotCalls("no name")
    if shape.bare and not one.given:
        raise NotCalls("no arguments")
    _open(r, one)
    if not one.given:
        r.args("{}")
    r.shut()


def _open(r: Reader, one: _Call) -> None:
    """Begins the call, if it has not yet; arguments that came earlier follow at once."""
    assert one.name is not None
    if one.opened:
        return
    one.opened = True
    r.open(one.name, one.id)
    if one.early is not None:
        r.args("".join(one.early))


def _members(r: Reader, one: _Call, depth: int) -> Read[None]:
    if not (yield from r.literal("{")):
        raise Unfinished if r.out else NotCalls("no object")
    is_first = True
    while True:
        yield from r.space()
        if (yield from r.literal("}")):
            return
        if not is_first:
            if not (yield from r.literal(",")):
                if one.is_complete:
                    if not r.broken:
                        r.note("missing_closers")
                    return
                raise Unfinished if r.out else NotCalls("no comma")
            yield from r.space()
            if (yield from r.literal("}")):
                r.note("trailing_comma")
                return
        is_first = False
        if (yield from r.ahead(1)) not in ('"', "'"):
            raise Unfinished if r.out else NotCalls("no key")
        key = yield from plain_string(r)
        yield from r.space()
        if not (yield from r.literal(":")):
            raise Unfinished if r.out else NotCalls("no colon")
        yield from r.space()
        yield from _member(r, key, one, depth)


def _member(r: Reader, key: str, one: _Call, depth: int) -> Read[None]:
    """A member's value: what is none of a call's is read over."""
    char = yield from r.ahead(1)
    if key in _NAMES and one.name is None and char in ('"', "'"):
        one.name = _within(one, (yield from plain_string(r)))
        if one.shape.bare and r.offered.wire(one.name) is None:
            raise NotCalls("unknown tool")
        if not one.shape.ids and not (one.shape.bare and not one.given):
            _open(r, one)
    elif key in _ARGUMENTS and not one.given:
        if one.shape.bare and one.name is not None and char == "{":
            _open(r, one)
        if one.opened:
            yield from arguments(r, r.args, one.shape.close, inside=True)
        else:
            one.early = []
            yield from arguments(r, one.early.append, one.shape.close, inside=True)
            if one.shape.bare and r.broken:
                raise NotCalls("no arguments")
        one.given = True
    elif key in one.shape.ids and char in ('"', "'"):
        one.id = yield from plain_string(r)
    elif key == "function" and char == "{" and depth < _MOST_NESTED:
        yield from _members(r, one, depth + 1)
    else:
        yield from value(r, _nothing)


def _within(one: _Call, name: str) -> str:
    """The name; some models put the whole call there once more, as a text (text-tool-calls §5)."""
    if name.lstrip().startswith("{"):
        try:
            inner: Json = json.loads(name)
        except ValueError:
            return name
        match inner:
            case {"name": str(name)}:
                found = inner.get("arguments", {})
                one.early, one.given = [found if isinstance(found, str) else json.text(found)], True
    return name


def _nothing(text: str) -> None:
    pass


# --- arguments ---------------------------------------------------------------------------------------------------


def arguments(r: Reader, emit: Emit, close: Sequence[str] = (), inside: bool = False) -> Read[None]:
    """A call's arguments: an object as it comes, a string that holds one, or nothing, which is `{}`.

    What is neither goes on as the model wrote it, up to `close`. `inside`: the closer of an object around it follows.
    """
    char = yield from r.ahead(1)
    if char == "{":
        try:
            yield from value(r, emit)
        except Unclosed as error:
            if close and (yield from r.after_white(close)):
                r.note("missing_closers")
                emit(error.closers)
            elif r.out:
                raise Unfinished from None
            else:
                yield from _verbatim(r, emit, close, inside)
        except (Unfinished, TooLong):
            raise
        except NotCalls:
            yield from _verbatim(r, emit, close, inside)
    elif char in ('"', "'"):
        emit(_held_object(r, (yield from plain_string(r))))
    elif not char:
        raise Unfinished
    elif (inside and char in "},") or (close and (yield from r.which(tuple(close)))):
        emit("{}")
    else:
        word = yield from r.match(_WORD)
        if word in ("null", "None"):
            emit("{}")
        else:
            emit(word)
            yield from _verbatim(r, emit, close, inside)


def _held_object(r: Reader, text: str) -> str:
    if not text.strip():
        return "{}"
    try:
        if isinstance(json.loads(text), dict):
            return text
    except ValueError:
        pass
    made = normal(text)
    if made is None or not made.startswith("{"):
        r.broken = True
        return text
    r.note("notation")
    return made


def _verbatim(r: Reader, emit: Emit, close: Sequence[str], inside: bool) -> Read[None]:
    """The rest of arguments that are no JSON, as it stands."""
    r.broken = True
    tail = ""

    def held_back(text: str) -> None:
        nonlocal tail
        text = tail + text
        length = len(text.rstrip(_CLOSERS)) if len(text) < MAX_WHITE else len(text)
        emit(text[:length])
        tail = text[length:]

    yield from raw(r, held_back, marks(tuple(close)))
    tail = tail.rstrip()
    emit(tail.removesuffix("}") if inside else tail)
