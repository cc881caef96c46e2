"""The building blocks of Anthropic's request checks, with its words: `path: what is wrong`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

Json = Any
Rule = Callable[[Json, str], None]
"""Raises Problem unless the value at this path is good. Null is good only for `nullable` rules."""


class Problem(Exception):
    """A rule that the request breaks, with what the API answers."""

    def __init__(
        self, message: str, status: int = 400, kind: str = "invalid_request_error", details: Json = None
    ) -> None:
        super().__init__(message)
        self.details = details
        self.message = message
        self.status = status
        self.kind = kind


def fields(body: Json, rules: Mapping[str, Rule], required: Collection[str] = (), path: str = "") -> None:
    """An object with these members and no others."""
    mapping(body, path)
    dot = f"{path}." if path else ""
    for name in required:
        if name not in body:
            raise Problem(f"{dot}{name}: Field required")
    for name, value in body.items():
        if name not in rules:
            raise Problem(f"{dot}{name}: Extra inputs are not permitted")
        rules[name](value, f"{dot}{name}")


def record(rules: Mapping[str, Rule], *required: str) -> Rule:
    """An object inside the request."""
    return lambda value, path: fields(value, rules, required, path)


def anything(value: Json, path: str) -> None:
    """No rule."""


def nullable(rule: Rule) -> Rule:
    return lambda value, path: None if value is None else rule(value, path)


def mapping(value: Json, path: str) -> None:
    if not isinstance(value, dict):
        raise Problem(f"{path}: Input should be a valid dictionary")


def boolean(value: Json, path: str) -> None:
    if not isinstance(value, bool):
        raise Problem(f"{path}: Input should be a valid boolean")


def string(least: int = 0, most: int | None = None, pattern: str | None = None) -> Rule:
    def rule(value: Json, path: str) -> None:
        if not isinstance(value, str):
            raise Problem(f"{path}: Input should be a valid string")
        if len(value) < least:
            raise Problem(f"{path}: String should have at least {least} character")
        if most is not None and len(value) > most:
            raise Problem(f"{path}: String should have at most {most} characters")
        if pattern is not None and not re.fullmatch(pattern, value):
            raise Problem(f"{path}: String should match pattern '{pattern}'")

    return rule


def integer(least: int) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Problem(f"{path}: Input should be a valid integer")
        if value < least:
            raise Problem(f"{path}: Input should be greater than or equal to {least}")

    return rule


def number(least: float, most: float) -> Rule:
    def rule(value: Json, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Problem(f"{path}: Input should be a valid number")
        if not least <= value <= most:
            word, bound = ("greater", least) if value < least else ("less", most)
            raise Problem(f"{path}: Input should be {word} than or equal to {bound}")

    return rule


def one_of(*names: str) -> Rule:
    def rule(value: Json, path: str) -> None:
        if value not in names:
            quoted = [f"'{name}'" for name in names]
            either = f"{', '.join(quoted[:-1])} or {quoted[-1]}" if len(names) > 1 else quoted[0]
            raise Problem(f"{path}: Input should be {either}")

    return rule


def array(each: Rule = anything) -> Rule:
    def rule(value: Json, path: str) -> None:
        if not isinstance(value, list):
            raise Problem(f"{path}: Input should be a valid list")
        for index, item in enumerate(value):
            each(item, f"{path}.{index}")

    return rule


def tagged(rules: Mapping[str, Rule]) -> Rule:
    """An object whose `type` says which rule it follows; the type becomes a step of the path."""

    def rule(value: Json, path: str) -> None:
        mapping(value, path)
        kind = value.get("type")
        if kind is None:
            raise Problem(f"{path}.type: Field required")
        if not isinstance(kind, str) or kind not in rules:
            tags = ", ".join(f"'{name}'" for name in rules)
            text = f"Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"
            raise Problem(f"{path}: {text}")
        rules[kind](value, f"{path}.{kind}")

    return rule


CACHE_CONTROL: Rule = nullable(record({"type": one_of("ephemeral"), "ttl": one_of("5m", "1h")}, "type"))
