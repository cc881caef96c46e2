"""Token counts that the same conversation always gets, and a prompt cache that lives as long as its process."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from proxy.emulate.agent import Plan, tokens

REMEMBERED_PREFIXES = 20_000


@dataclass(frozen=True, slots=True)
class Usage:
    """In tokens. `cached` (read) and `written` are parts of `prompt`; `reasoning` is part of `output`."""

    prompt: int
    output: int
    cached: int = 0
    written: int = 0
    reasoning: int = 0


class PromptCache:
    """Which prompt prefixes were seen. A prompt is a sequence of parts: system with tools, then every message."""

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, None] = OrderedDict()

    def look_up(self, parts: Sequence[str], marks: Sequence[int] | None = None) -> tuple[int, int]:
        """Tokens read from and written to the cache; then remembers the prompt.

        `marks` are the lengths of the prefixes (in parts) that the client marked: the longest known one is read, the
        rest up to the last mark is written. None is a cache without marks: all but the last message may be read.
        """
        keys, sizes = _prefixes(parts)
        readable = range(1, len(parts)) if marks is None else marks
        read = max((sizes[length] for length in readable if keys[length] in self._seen), default=0)
        for length in range(1, len(parts) + 1) if marks is None else marks:
            self._remember(keys[length])
        return read, sizes[max(marks)] - read if marks else 0

    def _remember(self, key: bytes) -> None:
        self._seen[key] = None
        self._seen.move_to_end(key)
        if len(self._seen) > REMEMBERED_PREFIXES:
            self._seen.popitem(last=False)


def _prefixes(parts: Sequence[str]) -> tuple[list[bytes], list[int]]:
    """A key and the tokens of each prefix, by its length in parts."""
    chain = hashlib.sha256()
    keys, sizes = [chain.digest()], [0]
    for part in parts:
        chain.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
        keys.append(chain.digest())
        sizes.append(sizes[-1] + tokens(part))
    return keys, sizes


def count(plan: Plan) -> tuple[int, int]:
    """Tokens of an answer: all of it, and its reasoning alone."""
    reasoning = tokens(plan.reasoning or "")
    return reasoning + tokens(plan.text or "") + sum(tokens(c.name) + tokens(c.text) for c in plan.calls), reasoning
