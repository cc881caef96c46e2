"""The table of what a pair of dialect and upstream does not carry (`docs/cannot-carry.toml`), and its page.

`python -m tests.matrix.cannot_carry` prints the page.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parents[2] / "docs" / "cannot-carry.toml"
PAGE = TABLE.with_suffix(".md")

FIELDS = {
    "text": "the text",
    "calls": "the calls",
    "stop": "why the answer ended",
    "reasoning": "reasoning text",
    "output": "structured output",
    "error": "the error's type",
    "counted": "usage of the prompt",
    "spent": "usage of the answer",
    "images": "images",
    "replayed": "reasoning that comes back as it was",
    "flagged": "the error flag of a tool result",
}

HEAD = """\
# What is not carried

Every client dialect is tested with every upstream API on the same conversations, whole and streamed, by the official
SDKs (`tests/matrix`). These rows are all that differs; the tests fail for a difference without a row, and for a row
without a difference. What is told by a warning is named in `x-toolwire-warnings` and in the log.

| from clients of | to | not carried | why | warning |
| --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A row. Without dialects or targets it holds for all of them."""

    field: str
    why: str
    conversations: tuple[str, ...]
    dialects: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    warning: str = ""

    def holds(self, dialect: str, target: str, conversation: str) -> bool:
        return (
            conversation in self.conversations
            and (not self.dialects or dialect in self.dialects)
            and (not self.targets or target in self.targets)
        )


@cache
def rows() -> tuple[Row, ...]:
    """All rows, in order."""
    return tuple(_rows())


def _rows() -> Iterator[Row]:
    for raw in tomllib.loads(TABLE.read_text("utf-8"))["row"]:
        yield Row(
            raw.pop("field"),
            raw.pop("why"),
            tuple(raw.pop("conversations")),
            tuple(raw.pop("dialect", ())),
            tuple(raw.pop("target", ())),
            raw.pop("warning", ""),
        )
        assert not raw, f"unknown keys: {sorted(raw)}"


def excused(dialect: str, target: str, conversation: str) -> set[str]:
    """Fields in which this pair must differ."""
    return {row.field for row in rows() if row.holds(dialect, target, conversation)}


def warned(dialect: str, target: str, conversation: str) -> tuple[str, ...]:
    """How the warnings begin that must be told."""
    return tuple(row.warning for row in rows() if row.warning and row.holds(dialect, target, conversation))


def page() -> str:
    """The page, as Markdown."""
    lines = [
        f"| {', '.join(row.dialects) or 'any dialect'} | {', '.join(row.targets) or 'any API'} | {FIELDS[row.field]} "
        f"| {row.why} | {f'`{row.warning}`' if row.warning else ''} |\n"
        for row in rows()
    ]
    return HEAD + "".join(lines)


if __name__ == "__main__":
    print(page(), end="")
