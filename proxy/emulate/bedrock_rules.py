"""The building blocks of Converse's request checks, with the service's words."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

Json = Any
Rule = Callable[[Json, str], None]
"""Raises Problem unless the value at this path is good. Null stands for an absent optional member."""


class Problem(Exception):
    """A rule that the request breaks, with what the service answers."""

    def __init__(self, message: str, code: str = "ValidationException") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def unreadable(path: str, expected: str) -> Problem:
    """A value of another type than the shape's."""
    return Problem(f"Unexpected value at '{path}': expected {expected}", "SerializationException")


def constraint(path: str, text: str) -> Problem:
    """A value that its shape does not allow."""
    head = f"1 validation error detected: Value at '{path}' failed to satisfy constraint"
    return Problem(f"{head}: Member must {text}")


def model(text: str) -> Problem:
    """What the model behind the service says."""
    return Problem(f"The model returned the following errors: {text}")


def fields(value: Json, rules: Mapping[str, Rule], required: Collection[str], path: str) -> None:
    """An object with these members and no others."""
    if not isinstance(value, dict):
        raise unreadable(path or "body", "an object")
    dot = f"{path}." if path else ""
    for name, member in value.items():
        if name not in rules:
            text = (
                f"Malformed input request: #{'/' if path else ''}{path.replace('.', '/')}: extraneous key [{name}] is"
            )
            raise Problem(f"{text} not permitted, please reformat your input and try again.")
        if member is not None:
            rules[name](member, f"{dot}{name}")
    for name in required:
        if value.get(name) is None:
            raise constraint(f"{dot}{name}", "not be null")


def record(rules: Mapping[str, Rule], *required: str) -> Rule:
    return lambda value, path: fields(value, rules, required, path)


def union(kind: str, rules: Mapping[str, Rule]) -> Rule:
    """An object with exactly one of these members."""

    def rule(value: Json, path: str) -> None:
        if not isinstance(value, dict):
            raise unreadable(path, "an object")
        given = [name for name, member in value.items() if member is not None]
        if len(given) != 1 or given[0] not in rules:
            names = ", ".join(rules)
            raise Problem(f"The {kind} object at {path} must set one of the following keys: {names}.")
        rules[given[0]](value[given[0]], f"{path}.{given[0]}")

    return rule


def anything(value: Json, path: str) -> None:
    """No rule."""


def mapping(value: Json, path: str) -> None:
    if not isinstance(value, dict):
        raise unreadable(path, "an object")


def document(value: Json, path: str) -> None:
    """A JSON object that is passed on to the model."""
    if not isinstance(value, dict):
        text = f"The format of the value at {path} is invalid. Provide a json object for the field and try again."
        raise Problem(text)


def boolean(value: Json, path: str) -> None:
    if not isinstance(value, bool):
        raise unreadable(path, "a boolean")


def string(least: int = 0, most: int | None = None, pattern: str | None = None) -> Rule:
    def rule(value: Json, path: str) -> None:
        if not isinstance(value, str):
            raise unreadable(path, "a string")
        if len(value) < least:
            raise constraint(path, f"have length greater than or equal to {least}")
        if most is not None and len(value) > most:
            raise constraint(path, f"have length less than or equal to {most}")
        if pattern is not None and not re.fullmatch(pattern, value):
            raise constraint(path, f"satisfy regular expression pattern: {pattern}")

    return rule


def blob(value: Json, path: str) -> None:
    """Bytes, as base64."""
    string(1)(value, path)
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise unreadable(path, "a base64 text") from None


def one_of(*names: str) -> Rule:
    def rule(value: Json, path: str) -> None:
        if value not in names:
            raise constraint(path, f"satisfy enum value set: [{', '.join(names)}]")

    return rule


def number(low: float, high: float) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise unreadable(path, "a number")
        if not low <= value <= high:
            word, bound = ("greater", low) if value < low else ("less", high)
            raise constraint(path, f"have value {word} than or equal to {bound}")

    return rule


def integer(low: int) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise unreadable(path, "an integer")
        if value < low:
            raise constraint(path, f"have value greater than or equal to {low}")

    return rule


def array(each: Rule, least: int = 0, most: int | None = None) -> Rule:
    def rule(value: Json, path: str) -> None:
        if not isinstance(value, list):
            raise unreadable(path, "an array")
        if len(value) < least:
            raise constraint(path, f"have length greater than or equal to {least}")
        if most is not None and len(value) > most:
            raise constraint(path, f"have length less than or equal to {most}")
        for index, item in enumerate(value):
            each(item, f"{path}.{index}")

    return rule
