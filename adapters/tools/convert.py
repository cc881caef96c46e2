"""Makes values fit a schema where only their notation is wrong: text that is exactly a number, a boolean, an object or
a list where one is wanted, and null where a member should be absent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from jsonschema_rs import ValidationError, ValidationErrorKind

from adapters import json
from adapters.tools.check import MAX_TOLD, Compiled
from adapters.tools.schema.words import Node

Path = tuple[str | int, ...]

_PASSES = 4
"""An object that was text may hold more of the kind."""
_MOST_ERRORS = 256
_MOST_NESTED = 8

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,99})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][+-]?[0-9]{1,3})?")
_BOOLEANS = {"true": True, "True": True, "false": False, "False": False}

_ABSENT = object()


@dataclass(slots=True)
class Fitted:
    """A value that was changed, and the names of what was done."""

    value: Node
    repairs: list[str] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class _Edit:
    path: Path
    value: Any
    name: str


def fitted(schema: Compiled, value: Node, length: int) -> Fitted | None:
    """The value with what can be converted; None where that is nothing. It need not fit then: the caller checks.

    `length` is that of the value's text. The value is changed in place.
    """
    if not schema.bears(value, length, MAX_TOLD):
        return None
    made = Fitted(value)
    for _ in range(_PASSES):
        edits: dict[Path, _Edit] = {}
        for error in schema.errors(value, _MOST_ERRORS):
            for edit in _edits(error, value, 0) or ():
                edits.setdefault(edit.path, edit)
        if not edits:
            break
        for edit in edits.values():
            _apply(value, edit)
            if edit.name not in made.repairs:
                made.repairs.append(edit.name)
    return made if made.repairs else None


def _apply(value: Node, edit: _Edit) -> None:
    *way, last = edit.path
    place: Any = value
    for step in way:
        place = place[step]
    if edit.value is _ABSENT:
        del place[last]
    else:
        place[last] = edit.value


def _edits(error: ValidationError, value: Node, nested: int) -> list[_Edit] | None:
    """What would mend this error; None where nothing would."""
    path = tuple(error.instance_path)
    found = _at(value, path)
    if not path:
        return None
    match error.kind:
        case ValidationErrorKind.Type(types) if isinstance(found, str):
            return _converted(path, found, types)
        case ValidationErrorKind.AnyOf(branches) | ValidationErrorKind.OneOfNotValid(branches):
            for branch in branches if nested < _MOST_NESTED else ():
                if (edits := _of_branch(branch, value, nested)) is not None:
                    return edits
    if found is None and isinstance(path[-1], str):
        return [_Edit(path, _ABSENT, "null_for_absent")]
    return None


def _of_branch(branch: Iterable[ValidationError], value: Node, nested: int) -> list[_Edit] | None:
    """What would make the value fit one schema of a union."""
    found: list[_Edit] = []
    for error in branch:
        edits = _edits(error, value, nested + 1)
        if edits is None:
            return None
        found += edits
    return found or None


def _converted(path: Path, text: str, types: Iterable[str]) -> list[_Edit] | None:
    for kind in types:
        convert = _CONVERSIONS.get(kind)
        if convert is not None and (made := convert(text)) is not None:
            return [_Edit(path, made, _NAMES[kind])]
    return None


def _integer(text: str) -> Any:
    return int(text) if _INTEGER.fullmatch(text) else None


def _number(text: str) -> Any:
    return _loaded(text) if _NUMBER.fullmatch(text) else None


def _container(kind: type) -> Callable[[str], Any]:
    return lambda text: made if isinstance(made := _loaded(text), kind) else None


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


_CONVERSIONS: dict[str, Callable[[str], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _BOOLEANS.get,
    "object": _container(dict),
    "array": _container(list),
}
_NAMES = {
    "integer": "number_as_text",
    "number": "number_as_text",
    "boolean": "boolean_as_text",
    "object": "object_as_text",
    "array": "array_as_text",
}


def _at(value: Any, path: Path) -> Any:
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return _ABSENT
    return value
