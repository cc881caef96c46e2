"""Mends a call's arguments where what the model meant is beyond doubt.

Nothing is invented: a repair takes wrapping, repetition or wrong notation away, or closes what a model that ended by
itself left open. What comes out fits the tool's schema, or nothing comes out; what fits already is not touched.
Sources: text-tool-calls §2 and §4, openai-chat §6 (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters import json
from adapters.tools.check import VALID, Compiled, Invalid, Unchecked, Valid, check, compiled
from adapters.tools.convert import fitted

MAX_MENDED = 64 * 1024
"""Characters of arguments that are mended."""

_LANGUAGE = re.compile("[A-Za-z0-9_+-]*")
_TOKEN = re.compile(
    r"""\s+|[{}\[\],:]|"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|[^\s{}\[\],:"']+""", re.DOTALL
)
_ESCAPE_OR_RAW = re.compile(r"\\.|[\x00-\x1f\"]", re.DOTALL)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_CLOSERS = {"{": "}", "[": "]"}

Tokens = list[str]


@dataclass(slots=True, frozen=True)
class Mended:
    """Valid arguments, and the names of the repairs that made them so."""

    arguments: str
    repairs: tuple[str, ...]


def mend(schema: bytes, arguments: str, ended: bool) -> Mended | None:
    """Mended arguments; None where they are valid already, or cannot be made so.

    `schema` as `check` takes it. `ended`: the model itself ended the answer; only then may closers be missing.
    """
    if len(arguments) > MAX_MENDED or not isinstance(check(schema, arguments), Invalid):
        return None
    read = _as_object(arguments, ended)
    judge = compiled(schema)
    if read is None or isinstance(judge, Unchecked):
        return None
    return _made_to_fit(judge, schema, *read)


def parted(schema: bytes, arguments: str) -> list[str]:
    """The arguments of several calls that came as one: complete objects in a row, no two alike, each valid as it is.

    Empty where they are not that: what stands beside an object that is cut off, or does not fit, may be anything.
    """
    if len(arguments) > MAX_MENDED:
        return []
    objects = _objects(arguments)
    alike = len({json.sorted_bytes(json.loads(one)) for one in objects}) < len(objects)
    return [] if len(objects) < 2 or alike or not all(check(schema, one) is VALID for one in objects) else objects


def _made_to_fit(judge: Compiled, schema: bytes, text: str, repairs: list[str]) -> Mended | None:
    match check(schema, text):
        case Valid():
            return Mended(text, tuple(dict.fromkeys(repairs)))
        case Invalid():
            found = fitted(judge, json.loads(text), len(text))
            if found is not None and isinstance(check(schema, made := json.text(found.value)), Valid):
                return Mended(made, tuple(dict.fromkeys((*repairs, *found.repairs))))
    return None


def _as_object(text: str, ended: bool) -> tuple[str, list[str]] | None:
    """The text as a JSON object, by the repairs that need no schema."""
    repairs: list[str] = []
    for name, whole in _ON_TEXTS:
        if _is_object(text):
            return text, repairs
        if (changed := whole(text)) is not None:
            text = changed
            repairs.append(name)
    if _is_object(text):
        return text, repairs
    tokens = _tokens(text)
    if tokens is None:
        return None
    for name, repair in _ON_TOKENS if ended else _ON_TOKENS[:-1]:
        if (mended := repair(tokens)) is not None:
            tokens = mended
            repairs.append(name)
    text = "".join(tokens)
    return (text, repairs) if _is_object(text) else None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


# --- the text as a whole -----------------------------------------------------------------------------------------


def code_fence(text: str) -> str | None:
    """What stands in a Markdown fence around everything."""
    inner = text.strip()
    if not inner.startswith("```"):
        return None
    inner = inner[3:].removesuffix("```")
    return _LANGUAGE.sub("", inner, count=1).strip() if inner[:1] not in "{\"" else inner.strip()


def doubled_encoding(text: str) -> str | None:
    """The object that a JSON string holds."""
    if not text.lstrip().startswith('"'):
        return None
    try:
        inner = json.loads(text)
    except ValueError:
        return None
    return inner if isinstance(inner, str) and inner.lstrip().startswith(("{", '"', "```")) else None


def placeholder(text: str) -> str | None:
    """Without an empty object that stood for arguments to come, before those that came (openai-chat §6)."""
    objects = _objects(text)
    said = [one for one in objects if json.loads(one)]
    return said[0] if len(said) == 1 and objects[0] is not said[0] else None


def repeated_object(text: str) -> str | None:
    """The first of several objects that say the same. Objects that differ are several calls: nobody knows which."""
    objects = _objects(text)
    if len(objects) < 2 or len({json.sorted_bytes(json.loads(one)) for one in objects}) > 1:
        return None
    return objects[0]


def _objects(text: str) -> list[str]:
    """The JSON objects that a text is a row of; none if it is something else."""
    objects: list[str] = []
    depth = start = at = 0
    for token in _tokens(text) or ():
        if token in _CLOSERS:
            start = at if not depth else start
            depth += 1
        elif token in ("}", "]"):
            depth -= 1
        at += len(token)
        if not depth and token == "}":
            objects.append(text[start:at])
        elif not depth and not token.isspace():
            return []
    return objects if not depth and all(map(_is_object, objects)) else []


_ON_TEXTS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("code_fence", code_fence),
    ("doubled_encoding", doubled_encoding),
    ("doubled_encoding", doubled_encoding),
    ("code_fence", code_fence),
    ("placeholder", placeholder),
    ("repeated_object", repeated_object),
)


# --- its notation ------------------------------------------------------------------------------------------------


def _tokens(text: str) -> Tokens | None:
    """White space, brackets, commas, colons, strings in either quotes and words; None for a string without its end."""
    tokens = _TOKEN.findall(text)
    return tokens if sum(map(len, tokens)) == len(text) else None


def control_characters(tokens: Tokens) -> Tokens | None:
    """Raw line ends, tabs and the like in strings are escaped."""
    return _each(tokens, lambda token: _ESCAPE_OR_RAW.sub(_escaped, token) if token[0] == '"' else token)


def _escaped(found: re.Match[str]) -> str:
    raw = found[0]
    return _SHORT.get(raw, f"\\u{ord(raw):04x}") if len(raw) == 1 and raw < " " else raw


def single_quotes(tokens: Tokens) -> Tokens | None:
    """Strings get double quotes; an escaped single quote in any string needs no escape."""
    return _each(tokens, _requoted)


def _requoted(token: str) -> str:
    return f'"{_ESCAPE_OR_RAW.sub(_plain, token[1:-1])}"' if token[0] in "\"'" else token


def _plain(found: re.Match[str]) -> str:
    match found[0]:
        case "\\'":
            return "'"
        case '"':
            return '\\"'
    return _escaped(found)


def python_literals(tokens: Tokens) -> Tokens | None:
    """True, False and None."""
    return _each(tokens, lambda token: _LITERALS.get(token, token))


def _each(tokens: Tokens, change: Callable[[str], str]) -> Tokens | None:
    changed = [change(token) for token in tokens]
    return None if changed == tokens else changed


def trailing_comma(tokens: Tokens) -> Tokens | None:
    """A comma after the last member or item."""
    kept: Tokens = []
    for token in tokens:
        if token in ("}", "]") and (last := _last(kept)) is not None and kept[last] == ",":
            before = _last(kept[:last])
            if before is not None and kept[before] not in ("{", "[", ",", ":"):
                del kept[last]
        kept.append(token)
    return None if len(kept) == len(tokens) else kept


def extra_closers(tokens: Tokens) -> Tokens | None:
    """Closers after the object's own one (MiniMax M1 and Hermes models double it, text-tool-calls §4)."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token in _CLOSERS) - (token in ("}", "]"))
        if not depth and token == "}":
            rest = [other for other in tokens[at + 1 :] if not other.isspace()]
            return tokens[: at + 1] if rest and set(rest) <= {"}", "]"} else None
    return None


def missing_closers(tokens: Tokens) -> Tokens | None:
    """The brackets that a text leaves open behind a complete value.

    A string has its own end, and so has a literal; a number could go on, and what ends in the middle of a member or a
    list was cut off.
    """
    opened: list[str] = []
    for token in tokens:
        if token in _CLOSERS:
            opened.append(_CLOSERS[token])
        elif token in ("}", "]") and (not opened or opened.pop() != token):
            return None
    last = _last(tokens)
    if not opened or last is None:
        return None
    word = tokens[last]
    complete = word[0] == '"' or word in ("}", "]", "true", "false", "null")
    return [*tokens, *reversed(opened)] if complete else None


def _last(tokens: Sequence[str]) -> int | None:
    """The index of the last token that is not white space."""
    return next((at for at in range(len(tokens) - 1, -1, -1) if not tokens[at].isspace()), None)


_ON_TOKENS: tuple[tuple[str, Callable[[Tokens], Tokens | None]], ...] = (
    ("trailing_comma", trailing_comma),
    ("control_characters", control_characters),
    ("single_quotes", single_quotes),
    ("python_literals", python_literals),
    ("extra_closers", extra_closers),
    ("missing_closers", missing_closers),
)
