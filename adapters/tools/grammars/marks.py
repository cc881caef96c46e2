"""Texts that are looked for in a text which arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


class Marks:
    """Texts to be found, and the end of a text that may be the beginning of one."""

    __slots__ = ("_first", "_longest", "_pattern", "_prefixes")

    def __init__(self, texts: Iterable[str]) -> None:
        known = sorted(set(texts), key=lambda text: (-len(text), text))
        self._pattern = re.compile("|".join(map(re.escape, known)) or r"(?!)")
        self._prefixes = frozenset(text[:end] for text in known for end in range(1, len(text)))
        self._longest = max(map(len, known), default=1) - 1
        firsts = "".join(sorted({re.escape(text[0]) for text in known if len(text) > 1}))
        self._first = re.compile(f"[{firsts}]" if firsts else r"(?!)")

    def find(self, text: str, at: int) -> re.Match[str] | None:
        return self._pattern.search(text, at)

    def begun(self, text: str, at: int) -> int:
        """Characters at the end of `text`, from `at` on, that more text may make one of the marks."""
        for found in self._first.finditer(text, max(at, len(text) - self._longest)):
            if text[found.start() :] in self._prefixes:
                return len(text) - found.start()
        return 0


@lru_cache(maxsize=256)
def marks(texts: tuple[str, ...]) -> Marks:
    return Marks(texts)
