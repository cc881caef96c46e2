"""The building blocks of Cohere's request checks: unknown names are a 422, the rest a 400 in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

Json = Any
Rule = Callable[[Json, str], None]
"""Raises Problem unless the value with this name is good. Null stands for an absent optional member."""


class Problem(Exception):
    """A rule that the request breaks, with what the API answers."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def invalid(message: str) -> Problem:
    return Problem(f"invalid request: {message}")


def fields(value: Json, rules: Mapping[str, Rule], required: Collection[str], path: str) -> None:
    """An object with these members and no others."""
    if not isinstance(value, dict):
        raise invalid(f"{path or 'body'} must be an object")
    dot = f"{path}." if path else ""
    for name, member in value.items():
        if name not in rules:
            text = f"unknown field: parameter '{name}' is not a valid field. Consider checking the documentation."
            raise Problem(text, 422)
        if member is not None:
            rules[name](member, f"{dot}{name}")
    for name in required:
        if value.get(name) is None:
            raise invalid(f"{dot}{name} is required")


def record(rules: Mapping[str, Rule], *required: str) -> Rule:
    return lambda value, path: fields(value, rules, required, path)


def anything(value: Json, path: str) -> None:
    """No rule."""


def mapping(value: Json, path: str) -> None:
    if not isinstance(value, dict):
        raise invalid(f"{path} must be an object")


def boolean(value: Json, path: str) -> None:
    if not isinstance(value, bool):
        raise invalid(f"{path} must be a boolean")


def string(value: Json, path: str) -> None:
    if not isinstance(value, str):
        raise invalid(f"{path} must be a string")


def one_of(*names: str) -> Rule:
    def rule(value: Json, path: str) -> None:
        if value not in names:
            raise invalid(f"{path} must be one of {', '.join(names)}")

    return rule


def number(low: float, high: float) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise invalid(f"{path} must be a number")
        if not low <= value <= high:
            raise invalid(f"{path} must be between {low} and {high}")

    return rule


def integer(low: int, high: int | None = None) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise invalid(f"{path} must be an integer")
        if value < low or (high is not None and value > high):
            raise invalid(f"{path} must be between {low} and {high}" if high is not None else f"{path} is too small")

    return rule


def array(each: Rule, most: int | None = None) -> Rule:
    def rule(value: Json, path: str) -> None:
        if not isinstance(value, list):
            raise invalid(f"{path} must be an array")
        if most is not None and len(value) > most:
            raise invalid(f"{path} must have at most {most} entries")
        for index, item in enumerate(value):
            each(item, f"{path}[{index}]")

    return rule


def tagged(rules: Mapping[str, Rule], tag: str) -> Rule:
    """An object whose tag says which rule it follows."""

    def rule(value: Json, path: str) -> None:
        mapping(value, path)
        kind = value.get(tag)
        if not isinstance(kind, str) or kind not in rules:
            raise invalid(f"{path}.{tag} must be one of {', '.join(rules)}")
        rules[kind](value, path)

    return rule
