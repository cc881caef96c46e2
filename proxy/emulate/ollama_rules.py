"""Go's JSON decoding, as Ollama's server does it: names in any case, unknown ones ignored, types not forgiven.

Every kind reads a value at a path and gives it back under the known names; null leaves the zero value.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any

Json = Any
Kind = Callable[[Json, str], Json]


class Problem(Exception):
    """Something that the server cannot read or will not do, with its status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def mismatch(value: Json, path: str, kind: str) -> Problem:
    """Go's sentence about a value that its field cannot hold."""
    got = {str: "string", bool: "bool", list: "array", dict: "object"}.get(type(value), "number")
    if isinstance(value, float) and kind == "int":
        got = f"number {value}"
    return Problem(f"json: cannot unmarshal {got} into Go struct field {path} of type {kind}")


def struct(fields: Mapping[str, Kind], kind: str) -> Kind:
    """An object with these fields; what else it has is ignored."""
    names = {name.lower(): name for name in fields}

    def read(value: Json, path: str) -> Json:
        if not isinstance(value, dict):
            raise mismatch(value, path, kind)
        found: dict[str, Json] = {}
        for given, member in value.items():
            name = names.get(given.lower())
            if name is not None and member is not None:
                found[name] = fields[name](member, f"{path}.{name}")
        return found

    return read


def array(each: Kind, kind: str) -> Kind:
    def read(value: Json, path: str) -> Json:
        if not isinstance(value, list):
            raise mismatch(value, path, f"[]{kind}")
        return [None if item is None else each(item, path) for item in value]

    return read


def mapping(each: Kind, kind: str) -> Kind:
    def read(value: Json, path: str) -> Json:
        if not isinstance(value, dict):
            raise mismatch(value, path, f"map[string]{kind}")
        return {name: None if item is None else each(item, path) for name, item in value.items()}

    return read


def anything(value: Json, path: str) -> Json:
    return value


def text(value: Json, path: str) -> Json:
    if not isinstance(value, str):
        raise mismatch(value, path, "string")
    return value


def boolean(value: Json, path: str) -> Json:
    if not isinstance(value, bool):
        raise mismatch(value, path, "bool")
    return value


def integer(value: Json, path: str) -> Json:
    if isinstance(value, bool) or not isinstance(value, int):
        raise mismatch(value, path, "int")
    return value


def arguments(value: Json, path: str) -> Json:
    """A call's arguments: an object, never its text."""
    if not isinstance(value, dict):
        raise mismatch(value, path, "api.ToolCallFunctionArguments")
    return value


def property_type(value: Json, path: str) -> Json:
    """A property's type: a name, or a list of names."""
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        return value
    raise Problem(f"invalid property type: {path}")


def image(value: Json, path: str) -> Json:
    """Bytes, as plain base64."""
    text(value, path)
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        bad = re.search(r"[^A-Za-z0-9+/=]", value)
        raise Problem(f"illegal base64 data at input byte {bad.start() if bad else len(value)}") from None
    return value


_DURATION = re.compile(r"-?(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+|-?0")


def duration(value: Json, path: str) -> Json:
    """Go's duration text, or a number of seconds."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Problem(f"Unsupported type: '{type(value).__name__}'")
    if isinstance(value, str) and not _DURATION.fullmatch(value):
        raise Problem(f'time: invalid duration "{value}"')
    return value
