"""A client's JSON object, read field by field: what was asked for is checked, what is left over is unknown."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.errors import Rejected
from adapters.model import Json


def wrong(path: str, expected: str) -> Rejected:
    """The error of a field that is there, but is something else than `expected`."""
    return Rejected(f"{path or 'the body'} must be {expected}", path or None)


@dataclass(slots=True)
class Fields:
    """`values` holds what nobody asked for yet; `path` is where the object stands in the body ("" for the body).

    A field that is null counts as absent. Each method takes its field out and raises Rejected for a wrong type.
    """

    values: dict[str, Json]
    path: str = ""

    @classmethod
    def of(cls, value: Json, path: str = "") -> Fields:
        if not isinstance(value, dict):
            raise wrong(path, "an object")
        return cls(dict(value), path)

    def at(self, name: str) -> str:
        """The dotted path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def take(self, name: str) -> Json:
        return self.values.pop(name, None)

    def text(self, name: str) -> str | None:
        value = self.values.pop(name, None)
        if value is None or isinstance(value, str):
            return value
        raise wrong(self.at(name), "a string")

    def needed(self, name: str) -> str:
        """A text that must be there and not be empty."""
        value = self.values.pop(name, None)
        if value and isinstance(value, str):
            return value
        if value is None or value == "":
            raise Rejected(f"{self.at(name)} is required", self.at(name))
        raise wrong(self.at(name), "a string")

    def flag(self, name: str) -> bool | None:
        value = self.values.pop(name, None)
        if value is None or isinstance(value, bool):
            return value
        raise wrong(self.at(name), "true or false")

    def integer(self, name: str, least: int | None = None) -> int | None:
        value = self.values.pop(name, None)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong(self.at(name), "an integer")
        if least is not None and value < least:
            raise wrong(self.at(name), f"at least {least}")
        return value

    def number(self, name: str) -> float | None:
        value = self.values.pop(name, None)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise wrong(self.at(name), "a number")
        return value

    def object(self, name: str) -> dict[str, Json] | None:
        value = self.values.pop(name, None)
        if value is None or isinstance(value, dict):
            return value
        raise wrong(self.at(name), "an object")

    def items(self, name: str) -> list[Json]:
        """A list; empty where there is none."""
        value = self.values.pop(name, None)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        raise wrong(self.at(name), "an array")

    def word(self, name: str, words: tuple[str, ...]) -> str | None:
        """One of these words."""
        value = self.text(name)
        if value is None or value in words:
            return value
        raise wrong(self.at(name), f"one of {', '.join(words)}")
