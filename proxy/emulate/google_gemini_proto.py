"""Proto JSON as Google's servers read it: names in both spellings, enums in any case, unknown names refused.

Every kind reads a value at a path and gives it back in one spelling (camelCase, enums in capitals, 64-bit texts as
numbers), or raises Problem in the server's words.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any

Json = Any
Kind = Callable[[Json, str], Json]

PACKAGE = "type.googleapis.com/google.ai.generativelanguage.v1beta."


class Problem(Exception):
    """A rule that the request breaks: the message, the canonical status, the field it is about."""

    def __init__(self, message: str, status: str = "INVALID_ARGUMENT", field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.field = field


def unknown(name: str, path: str, why: str = "Cannot find field.") -> Problem:
    """A name that the message does not have."""
    at = f" at '{path}'" if path else ""
    return Problem(f'Invalid JSON payload received. Unknown name "{name}"{at}: {why}', field=path)


def invalid(path: str, kind: str, value: Json) -> Problem:
    """A value that the field cannot hold."""
    shown = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return Problem(f"Invalid value at '{path}' ({kind}), {shown}", field=path)


def camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name)


def message(kind: str, fields: Mapping[str, Kind], oneof: frozenset[str] = frozenset()) -> Kind:
    """An object with these fields. Null is absence. At most one of `oneof` may be set."""

    def read(value: Json, path: str) -> Json:
        _no_list(value, path)
        if not isinstance(value, dict):
            raise invalid(path, PACKAGE + kind, value)
        found: dict[str, Json] = {}
        for given, member in value.items():
            name = camel(given)
            if name not in fields:
                raise unknown(given, path)
            if member is None:
                continue
            if name in found:
                raise invalid(path, "oneof", f"field '{snake(name)}' is already set")
            if name in oneof and (other := next(iter(oneof & found.keys()), None)):
                text = f"Invalid value at '{path}' (oneof), oneof field 'data' is already set. Cannot set"
                raise Problem(f"{text} '{name}' beside '{other}'", field=path)
            found[name] = fields[name](member, f"{path}.{snake(name)}" if path else snake(name))
        return found

    return read


def _no_list(value: Json, path: str) -> None:
    if isinstance(value, list):
        where, _, name = path.rpartition(".")
        raise unknown(name, where, "Proto field is not repeating, cannot start list.")


def repeated(each: Kind) -> Kind:
    """A list; a single value stands for a list of one."""

    def read(value: Json, path: str) -> Json:
        if not isinstance(value, list):
            return [each(value, path)]
        return [each(item, f"{path}[{index}]") for index, item in enumerate(value)]

    return read


def string(value: Json, path: str) -> Json:
    _no_list(value, path)
    if not isinstance(value, str):
        raise invalid(path, "TYPE_STRING", value)
    return value


def boolean(value: Json, path: str) -> Json:
    if not isinstance(value, bool):
        raise invalid(path, "TYPE_BOOL", value)
    return value


def number(value: Json, path: str) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid(path, "TYPE_FLOAT", value)
    return value


def integer(bits: int) -> Kind:
    """A whole number, also as text or with a zero fraction."""

    def read(value: Json, path: str) -> Json:
        kind = f"TYPE_INT{bits}"
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise invalid(path, kind, value)
        return value

    return read


def enum(kind: str, *names: str) -> Kind:
    """One of these names, in any case, or a number."""

    def read(value: Json, path: str) -> Json:
        _no_list(value, path)
        if isinstance(value, str) and value.upper() in names:
            return value.upper()
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
            return names[value]
        raise invalid(path, PACKAGE + kind, value)

    return read


def decoded(text: str) -> bytes | None:
    """The bytes of a base64 text, in either alphabet, padded or not; None if it is none."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except ValueError:
        return None


def octets(value: Json, path: str) -> Json:
    """Bytes, as base64."""
    string(value, path)
    if decoded(value) is None:
        raise Problem(f"Invalid value at '{path}' (TYPE_BYTES), Base64 decoding failed for \"{value}\"", field=path)
    return value


def struct(value: Json, path: str) -> Json:
    """Any JSON object, as it is."""
    if not isinstance(value, dict):
        raise invalid(path, "type.googleapis.com/google.protobuf.Struct", value)
    return value


def anything(value: Json, path: str) -> Json:
    """Any JSON value, as it is."""
    return value
