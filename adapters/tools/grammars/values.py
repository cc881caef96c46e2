"""Values inside of calls: JSON as models write it, read and written on as strict JSON, piece by piece.

What is valid goes on byte for byte. Mended on the way: raw control characters and wrong escapes in strings, single
quotes, Python's literals, commas before a closer. Nothing goes out that could still change: a number waits for its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters import json
from adapters.tools.grammars.marks import Marks, marks
from adapters.tools.grammars.reader import Emit, NotCalls, Read, Reader, Unfinished, whole

MAX_DEPTH = 64

_CLOSERS = {"{": "}", "[": "]"}
_PLAIN = {'"': re.compile(r'[^"\\\x00-\x1f]+'), "'": re.compile(r"[^'\"\\\x00-\x1f]+")}
_WORD = re.compile(r"[A-Za-z0-9_+.-]+")
_KEY = re.compile(r"[A-Za-z0-9_$.-]+")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LOOSE_NUMBER = re.compile(r"[+-]?([0-9]*)((?:\.[0-9]*)?)((?:[eE][+-]?[0-9]+)?)")
_WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_HEX = re.compile(r"[0-9A-Fa-f]+")
MOST_DIGITS = 4096


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
    if NUMBER.fullmatch(word):
        return word
    found = _LOOSE_NUMBER.fullmatch(word)
    if not word or found is None or not (found[1] or len(found[2]) > 1) or len(word) > MOST_DIGITS:
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
