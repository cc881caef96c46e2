"""Texts that match a regular expression: the common part of ECMA 262, without look-around and back references.

What is left out here is ignored or refused; the caller validates the whole value afterwards.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from random import Random

MORE = 3
"""How many repetitions an open quantifier adds at most."""

_WORD = string.ascii_letters + string.digits + "_"
_PRINTABLE = "".join(map(chr, range(32, 127)))
_CLASSES = {"d": string.digits, "w": _WORD, "s": " ", "n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_PROPERTIES = {"N": string.digits, "Nd": string.digits, "Lu": string.ascii_uppercase + "ÄÉ", "Ll": "abcxyzäé"}
_LETTERS = string.ascii_letters + "éßñ漢"
_MOST_OF_A_RANGE = 200


class Unsupported(ValueError):
    """The pattern uses what this module does not know."""


@dataclass(frozen=True, slots=True)
class _Repeat:
    """Characters to choose one from, or alternatives, `least` to `most` times."""

    what: str | tuple[tuple[_Repeat, ...], ...]
    least: int = 1
    most: int = 1


def matching(pattern: str, random: Random) -> str:
    """A text which the whole pattern matches. Raises Unsupported."""
    reader = _Reader(pattern)
    alternatives = reader.alternatives()
    if reader.at < len(pattern):
        raise Unsupported(f"unbalanced {pattern!r}")
    return _text(alternatives, random)


def _text(alternatives: tuple[tuple[_Repeat, ...], ...], random: Random) -> str:
    return "".join(_one(item, random) for item in random.choice(alternatives))


def _one(item: _Repeat, random: Random) -> str:
    times = random.randint(item.least, item.most)
    if isinstance(item.what, str):
        return "".join(random.choice(item.what) for _ in range(times)) if item.what else ""
    return "".join(_text(item.what, random) for _ in range(times))


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0

    def _peek(self) -> str:
        return self._pattern[self.at : self.at + 1]

    def _next(self) -> str:
        if self.at >= len(self._pattern):
            raise Unsupported(f"{self._pattern!r} ends early")
        self.at += 1
        return self._pattern[self.at - 1]

    def _skip(self, text: str) -> bool:
        found = self._pattern.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def alternatives(self) -> tuple[tuple[_Repeat, ...], ...]:
        found = [self._sequence()]
        while self._skip("|"):
            found.append(self._sequence())
        return tuple(found)

    def _sequence(self) -> tuple[_Repeat, ...]:
        items: list[_Repeat] = []
        while self._peek() not in ("", "|", ")"):
            what = self._atom()
            least, most = self._quantifier()
            items.append(_Repeat(what, least, most))
        return tuple(items)

    def _atom(self) -> str | tuple[tuple[_Repeat, ...], ...]:
        match self._next():
            case "^" | "$":
                return ""
            case ".":
                return _PRINTABLE
            case "[":
                return self._class()
            case "(":
                return self._group()
            case "\\":
                return self._escape()
            case letter:
                return letter

    def _group(self) -> str | tuple[tuple[_Repeat, ...], ...]:
        looks = any(self._skip(mark) for mark in ("?=", "?!", "?<=", "?<!"))
        if not looks and not self._skip("?:") and (self._skip("?<") or self._skip("?P<")):
            while self._next() != ">":
                pass
        inside = self.alternatives()
        if self._next() != ")":
            raise Unsupported(self._pattern)
        return "" if looks else inside

    def _quantifier(self) -> tuple[int, int]:
        match self._peek():
            case "?":
                bounds = (0, 1)
            case "*":
                bounds = (0, MORE)
            case "+":
                bounds = (1, MORE)
            case "{":
                inside, end, _ = self._pattern[self.at + 1 :].partition("}")
                least, comma, most = inside.partition(",")
                if not end or not least.isdigit():
                    return (1, 1)
                self.at += len(inside) + 1
                bounds = (int(least), int(most) if most else int(least) + (MORE if comma else 0))
            case _:
                return (1, 1)
        self.at += 1
        self._skip("?") or self._skip("+")
        return bounds

    def _escape(self) -> str:
        match self._next():
            case "b" | "B":
                return ""
            case letter if letter in _CLASSES:
                return _CLASSES[letter]
            case "D" | "W" | "S" as letter:
                return "".join(c for c in _PRINTABLE if c not in _CLASSES[letter.lower()])
            case "p" | "P":
                return _PROPERTIES.get(self._braced(), _LETTERS)
            case "u":
                return chr(int(self._braced() if self._peek() == "{" else "".join(self._next() for _ in range(4)), 16))
            case "x":
                return chr(int(self._next() + self._next(), 16))
            case letter if letter in string.digits or letter == "k":
                raise Unsupported("back reference")
            case letter:
                return letter

    def _braced(self) -> str:
        if not self._skip("{"):
            raise Unsupported(self._pattern)
        name = ""
        while (letter := self._next()) != "}":
            name += letter
        return name

    def _class(self) -> str:
        excluded = self._skip("^")
        found = ""
        while (letter := self._next()) != "]":
            first = self._escape() if letter == "\\" else letter
            if len(first) == 1 and self._peek() == "-" and self._pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self._next()
                last = self._next()
                last = self._escape() if last == "\\" else last
                found += "".join(map(chr, range(ord(first), min(ord(last), ord(first) + _MOST_OF_A_RANGE) + 1)))
            else:
                found += first
        return "".join(c for c in _PRINTABLE if c not in found) if excluded else found
