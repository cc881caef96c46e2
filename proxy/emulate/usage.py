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

    def look_up(self, parts: Sequence[str], upto: int | None = None) -> tuple[int, int]:
        """Tokens read from and written to the cache, for the prefix `parts[:upto]`; then remembers that prefix.

        `upto` None is a cache without marks: everything but the last message may be read, nothing counts as written.
        """
        chain = hashlib.sha256()
        readable = len(parts) - 1 if upto is None else upto
        read = size = 0
        for index, part in enumerate(parts[: len(parts) if upto is None else upto]):
            chain.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
            size += tokens(part)
            key = chain.digest()
            if key in self._seen and index < readable:
                read = size
            self._remember(key)
        return read, 0 if upto is None else size - read

    def _remember(self, key: bytes) -> None:
        self._seen[key] = None
        self._seen.move_to_end(key)
        if len(self._seen) > REMEMBERED_PREFIXES:
            self._seen.popitem(last=False)


def count(plan: Plan) -> tuple[int, int]:
    """Tokens of an answer: all of it, and its reasoning alone."""
    reasoning = tokens(plan.reasoning or "")
    return reasoning + tokens(plan.text or "") + sum(tokens(c.name) + tokens(c.text) for c in plan.calls), reasoning
