"""A parameter's raw text as the JSON value that its schema wants, of forms that tell no types."""

from __future__ import annotations

import re
from collections.abc import Callable

from adapters import json
from adapters.model import Json
from adapters.tools.grammars.offered import Kinds
from adapters.tools.grammars.values import MOST_DIGITS, NUMBER, normal

_INTEGRAL = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.0+)?")


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
    found = _INTEGRAL.fullmatch(text) if len(text) <= MOST_DIGITS else None
    return found[1] if found else None


def _number(text: str) -> str | None:
    return text if len(text) <= MOST_DIGITS and NUMBER.fullmatch(text) else None


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
