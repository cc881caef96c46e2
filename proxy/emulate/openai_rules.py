"""The building blocks of OpenAI's request checks, with its words and codes; for Chat Completions and for Responses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

Json = Any
Rule = Callable[[Json, str], None]
"""Raises Problem unless the value at this path is good."""

NAME = re.compile(r"[a-zA-Z0-9_-]+")


class Problem(Exception):
    """A rule that the request breaks, with what the API answers."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.status = status
        self.kind = "invalid_request_error"


def fields(body: Json, rules: Mapping[str, Rule], required: Collection[str] = (), path: str = "") -> None:
    """An object with these members and no others. Null stands for an absent optional member."""
    if not isinstance(body, dict):
        raise invalid_type(path, "an object", body)
    dot = f"{path}." if path else ""
    for name in required:
        if name not in body:
            raise Problem(f"Missing required parameter: '{dot}{name}'.", f"{dot}{name}", "missing_required_parameter")
    for name, value in body.items():
        if name not in rules:
            raise Problem(f"Unknown parameter: '{dot}{name}'.", f"{dot}{name}", "unknown_parameter")
        if value is not None or name in required:
            rules[name](value, f"{dot}{name}")


def invalid_type(path: str, expected: str, value: Json) -> Problem:
    """The API's sentence about a value of the wrong type."""
    got = {
        bool: "a boolean",
        int: "an integer",
        float: "a decimal",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    text = f"Invalid type for '{path}': expected {expected}, but got {got.get(type(value), 'null')} instead."
    return Problem(text, path, "invalid_type")


def invalid_value(path: str, value: Json, supported: Collection[str]) -> Problem:
    """The API's sentence about a value that is not in its list."""
    names = ", ".join(f"'{name}'" for name in supported)
    return Problem(f"Invalid value: '{value}'. Supported values are: {names}.", path, "invalid_value")


def anything(value: Json, path: str) -> None:
    """No rule."""


def mapping(value: Json, path: str) -> None:
    if not isinstance(value, dict):
        raise invalid_type(path, "an object", value)


def boolean(value: Json, path: str) -> None:
    if not isinstance(value, bool):
        raise invalid_type(path, "a boolean", value)


def string(most: int | None = None, least: int = 0) -> Rule:
    def rule(value: Json, path: str) -> None:
        if not isinstance(value, str):
            raise invalid_type(path, "a string", value)
        if most is not None and len(value) > most:
            raise Problem(
                f"Invalid '{path}': string too long. Expected a string with maximum length {most}, "
                f"but got a string with length {len(value)} instead.", path, "string_above_max_length",
            )  # fmt: skip
        if len(value) < least:
            raise Problem(
                f"Invalid '{path}': empty string. Expected a string with minimum length {least}.",
                path, "empty_string",
            )  # fmt: skip

    return rule


def name(most: int = 64) -> Rule:
    """A name of letters, digits, underscores and dashes."""

    def rule(value: Json, path: str) -> None:
        string(most, 1)(value, path)
        if not NAME.fullmatch(value):
            raise Problem(
                f"Invalid '{path}': string does not match pattern. Expected a string that matches the pattern "
                f"'^[a-zA-Z0-9_-]+$'.", path, "invalid_value",
            )  # fmt: skip

    return rule


def one_of(*names: str) -> Rule:
    def rule(value: Json, path: str) -> None:
        if value not in names:
            raise invalid_value(path, value, names)

    return rule


def number(low: float, high: float) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise invalid_type(path, "a decimal", value)
        _within(value, (low, high), path, "decimal")

    return rule


def integer(low: int | None = None, high: int | None = None) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise invalid_type(path, "an integer", value)
        _within(value, (low, high), path, "integer")

    return rule


def _within(value: float, bounds: tuple[float | None, float | None], path: str, kind: str) -> None:
    low, high = bounds
    if low is not None and value < low:
        text = f"Invalid '{path}': {kind} below minimum value. Expected a value >= {low}, but got {value} instead."
        raise Problem(text, path, f"{kind}_below_min_value")
    if high is not None and value > high:
        text = f"Invalid '{path}': {kind} above maximum value. Expected a value <= {high}, but got {value} instead."
        raise Problem(text, path, f"{kind}_above_max_value")


def array(each: Rule = anything, most: int | None = None, least: int = 1) -> Rule:
    def rule(value: Json, path: str) -> None:
        if not isinstance(value, list):
            raise invalid_type(path, "an array", value)
        if len(value) < least:
            raise Problem(
                f"Invalid '{path}': empty array. Expected an array with minimum length {least}, "
                "but got an empty array instead.", path, "empty_array",
            )  # fmt: skip
        if most is not None and len(value) > most:
            raise Problem(
                f"Invalid '{path}': array too long. Expected an array with maximum length {most}, "
                f"but got an array with length {len(value)} instead.", path, "array_above_max_length",
            )  # fmt: skip
        for index, item in enumerate(value):
            each(item, f"{path}[{index}]")

    return rule


def record(rules: Mapping[str, Rule], *required: str) -> Rule:
    """An object inside the request."""
    return lambda value, path: fields(value, rules, required, path)


def metadata(value: Json, path: str) -> None:
    """At most 16 pairs of strings, keys up to 64 and values up to 512 characters."""
    mapping(value, path)
    if len(value) > 16:
        text = f"Invalid '{path}': too many properties. Expected an object with at most 16 properties."
        raise Problem(text, path, "object_above_max_properties")
    for key, text in value.items():
        string(64)(key, path)
        string(512)(text, f"{path}.{key}")


def stops(value: Json, path: str) -> None:
    """A string, or up to four."""
    if not isinstance(value, str):
        array(string(), most=4)(value, path)
