"""Values inside of calls: JSON as models write it, read and written on as strict JSON, piece by piece.

What is valid goes on byte for byte. Mended on the way: raw control characters and wrong escapes in strings, single
quotes, Python's literals, commas before a closer. Nothing goes out that could still change: a number waits for its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from adapters import json
from adapters.model import Json
from adapters.tools.grammars.offered import Kinds
from adapters.tools.grammars.reader import Emit, Marks, NotCalls, Read, Reader, Unfinished, marks, whole

MAX_DEPTH = 64

_CLOSERS = {"{": "}", "[": "]"}
_PLAIN = {'"': re.compile(r'[^"\\\x00-\x1f]+'), "'": re.compile(r"[^'\"\\\x00-\x1f]+")}
_WORD = re.compile(r"[A-Za-z0-9_+.-]+")
_KEY = re.compile(r"[A-Za-z0-9_$.-]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LOOSE_NUMBER = re.compile(r"[+-]?([0-9]*)((?:\.[0-9]*)?)((?:[eE][+-]?[0-9]+)?)")
_INTEGRAL = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.0+)?")
_WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_HEX = re.compile(r"[0-9A-Fa-f]+")
_MOST_DIGITS = 4096


@dataclass(slots=True, frozen=True)
class Notation:
    """`delimiters`: further marks that a string stands between, without escapes. `bare`: keys need no quotes.
    `strict`: what is no JSON is a mistake, and noted."""

    delimiters: tuple[str, ...] = ()
    bare: bool = False
    strict: bool = True


JSON = Notation()
PYTHON = Notation(strict=False)


class Unclosed(NotCalls):
    """Something stands where a comma or a closer must. `closers` would close all that is open."""

    def __init__(self, closers: str) -> None:
        super().__init__("unclosed")
        self.closers = closers


def value(r: Reader, emit: Emit, notation: Notation = JSON) -> Read[None]:
    """One value, of any size. Raises NotCalls at what is none, having written on all before it."""
    opened: list[str] = []
    expected, comma = "value", ""
    while True:
        gap = yield from r.space()
        char = yield from r.ahead(1)
        if not char:
            emit(comma + gap)
            raise Unfinished
        if opened and char == opened[-1] and expected != "value":
            if comma:
                _note(r, "trailing_comma", notation)
            emit((gap if not comma else "") + r.take(1))
            opened.pop()
            if not opened:
                return
            expected, comma = "comma", ""
            continue
        if expected == "comma":
            emit(gap)
            if char != ",":
                raise Unclosed("".join(reversed(opened)))
            comma, expected = r.take(1), "member"
            continue
        emit(comma + gap)
        comma = ""
        if expected == "member" and opened[-1] == "}":
            yield from _key(r, emit, notation)
            expected = "value"
        elif char in _CLOSERS:
            opened.append(_CLOSERS[char])
            if len(opened) > MAX_DEPTH:
                raise NotCalls("nested too deeply")
            emit(r.take(1))
            expected = "member"
        else:
            yield from _scalar(r, emit, notation)
            if not opened:
                return
            expected = "comma"


def _key(r: Reader, emit: Emit, notation: Notation) -> Read[None]:
    """A member's name and its colon."""
    if not (yield from _quoted(r, emit, notation)):
        word = (yield from r.match(_KEY)) if notation.bare else ""
        if not word:
            raise NotCalls("no key")
        emit(json.text(word))
    gap = yield from r.space()
    emit(gap)
    if not (yield from r.literal(":")):
        raise Unfinished if r.out else NotCalls("no colon")
    emit(":")


def _scalar(r: Reader, emit: Emit, notation: Notation) -> Read[None]:
    if (yield from _quoted(r, emit, notation)):
        return
    word = yield from r.match(_WORD)
    try:
        emit(_literal(r, word, notation))
    except NotCalls:
        emit(word)
        raise


def _note(r: Reader, name: str, notation: Notation) -> None:
    if notation.strict:
        r.note(name)


def _literal(r: Reader, word: str, notation: Notation) -> str:
    """A number or a word, as JSON has it."""
    if word in _WORDS:
        if word[0].isupper():
            _note(r, "python_literals", notation)
        return _WORDS[word]
    if _NUMBER.fullmatch(word):
        return word
    found = _LOOSE_NUMBER.fullmatch(word)
    if not word or found is None or not (found[1] or len(found[2]) > 1) or len(word) > _MOST_DIGITS:
        raise Unfinished if r.out and word else NotCalls("no value")
    _note(r, "numbers", notation)
    sign = "-" if word[0] == "-" else ""
    return sign + (found[1].lstrip("0") or "0") + (found[2] if len(found[2]) > 1 else "") + found[3]


# --- strings -----------------------------------------------------------------------------------------------------


def _quoted(r: Reader, emit: Emit, notation: Notation) -> Read[bool]:
    """A string, if one begins here."""
    quote = yield from r.which(("'", '"', *notation.delimiters))
    if not quote:
        return False
    if quote in _PLAIN:
        yield from string(r, emit, notation)
    else:
        r.take(len(quote))
        emit('"')
        if (yield from raw(r, lambda text: emit(escaped(text)), marks((quote,)))) == "":
            raise Unfinished
        r.take(len(quote))
        emit('"')
    return True


def string(r: Reader, emit: Emit, notation: Notation = JSON) -> Read[None]:
    """A string in either quotes."""
    quote = r.take(1)
    if quote == "'":
        _note(r, "single_quotes", notation)
    emit('"')
    while True:
        found = _PLAIN[quote].match(r.buffer, r.at)
        if found is not None:
            emit(r.take(found.end() - r.at))
        char = yield from r.ahead(1)
        if not char:
            raise Unfinished
        if char == quote:
            r.take(1)
            emit('"')
            return
        if char == "\\":
            yield from _escape(r, emit, notation)
        elif char == '"':
            emit("\\" + r.take(1))
        elif char < " ":
            _note(r, "control_characters", notation)
            emit(escaped(r.take(1)))


def _escape(r: Reader, emit: Emit, notation: Notation) -> Read[None]:
    """A backslash and what belongs to it. JSON's escapes stay; of others the backslash is meant as it stands."""
    two = yield from r.ahead(2)
    if len(two) < 2:
        raise Unfinished
    length = {"u": 6, "x": 4}.get(two[1], 2)
    full = yield from r.ahead(length)
    is_hex = len(full) == length and _HEX.fullmatch(full[2:]) is not None
    if two[1] in '"\\/bfnrt' or (two[1] == "u" and is_hex):
        emit(r.take(length))
        return
    _note(r, "escapes", notation)
    if two[1] == "'":
        emit(r.take(2)[1:])
    elif two[1] == "x" and is_hex:
        emit("\\u00" + r.take(4)[2:])
    else:
        r.take(1)
        emit("\\\\")


def escaped(text: str) -> str:
    """The text as it stands inside of a JSON string."""
    return json.text(text)[1:-1]


def raw(r: Reader, emit: Emit, stops: Marks) -> Read[str]:
    """Text as it is, up to a stop, which is given and not taken ("": the text has ended)."""
    while True:
        piece, stop = yield from r.upto(stops)
        if piece:
            emit(piece)
        if stop or r.out:
            return stop


def plain_string(r: Reader) -> Read[str]:
    """The text that a string holds."""
    pieces: list[str] = []
    yield from string(r, pieces.append)
    try:
        text: str = json.loads("".join(pieces))
    except ValueError:
        raise NotCalls("no string") from None
    return text


# --- whole texts -------------------------------------------------------------------------------------------------


def normal(text: str, notation: Notation = JSON) -> str | None:
    """A complete text as strict JSON; None where it is no value."""
    pieces: list[str] = []

    def grammar(r: Reader) -> Read[bool]:
        yield from r.space()
        yield from value(r, pieces.append, notation)
        return True

    return "".join(pieces) if whole(text, grammar) else None


def typed(text: str, kinds: Kinds) -> str:
    """A parameter's raw text as the JSON value that its schema wants: the first of its types that the text has.

    A declared string is never converted; without a type only what cannot be meant as text is (text-tool-calls §4).
    """
    for kind in _ORDER:
        if (kind in kinds or (not kinds and kind in _GUESSED)) and (made := _READERS[kind](text.strip())) is not None:
            return made
    return json.text(text)


def _null(text: str) -> str | None:
    return "null" if text in ("null", "None") else None


def _boolean(text: str) -> str | None:
    return {"true": "true", "True": "true", "false": "false", "False": "false"}.get(text)


def _integer(text: str) -> str | None:
    found = _INTEGRAL.fullmatch(text) if len(text) <= _MOST_DIGITS else None
    return found[1] if found else None


def _number(text: str) -> str | None:
    return text if len(text) <= _MOST_DIGITS and _NUMBER.fullmatch(text) else None


def _container(kind: type, opening: str) -> Callable[[str], str | None]:
    def read(text: str) -> str | None:
        if not text.startswith(opening):
            return None
        for made in (text, normal(text)):
            try:
                found: Json = json.loads(made) if made is not None else None
            except ValueError:
                continue
            if isinstance(found, kind):
                return made
        return None

    return read


def _any(text: str) -> str | None:
    """A value of whatever type."""
    return normal(text) if text[:1] in "'\"{[" else _null(text) or _boolean(text) or _number(text)


_READERS: dict[str, Callable[[str], str | None]] = {
    "null": _null,
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "array": _container(list, "["),
    "object": _container(dict, "{"),
    "json": _any,
}
_ORDER = tuple(_READERS)
_GUESSED = frozenset({"boolean", "number", "array", "object"})
