"""What is wrong with a configuration, as the user reads it."""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Path = tuple[str | int, ...]

_PLAIN = re.compile(r"[\w*-]+")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """`line` and `column` count from 1. `path` is dotted; empty for the file as a whole."""

    line: int
    column: int
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Problems:
    """All that is wrong at once. `name` is the file's."""

    name: str
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        count = len(self.problems)
        return "\n".join([*rows(self.name, self.problems), f"{count} problem{'s' if count > 1 else ''}"])


def rows(name: str, problems: Sequence[Problem], kind: str = "") -> list[str]:
    """One line each, the places aligned. `kind` stands before each path."""
    places = [f"{name}:{problem.line}:{problem.column}" for problem in problems]
    width = max(map(len, places), default=0)
    return [
        f"{place.ljust(width)}  {kind}{problem.path}{': ' if problem.path else ''}{problem.message}"
        for place, problem in zip(places, problems, strict=True)
    ]


def dotted(path: Path) -> str:
    """`models.smart.fallbacks[0].on_errors[1]`; other keys than words are quoted: `models["gpt-4.1"].target`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{quoted(part)}]"
    return text


def quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return near[0] if near else next((name for name in names if name.lower() == word.lower()), None)


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean "x"?`, or the known words in brackets where none is near."""
    names = sorted(known)
    if (near := nearest(word, names)) is not None:
        return f"; did you mean {quoted(near)}?"
    return f" (known: {', '.join(names)})" if names else ""
