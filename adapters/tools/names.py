"""Tool names: the names a wire accepts, and the way back.

A valid name stays as it is. Another one has each forbidden character replaced by "_"; one that is too long, or that
meets a name already taken, ends in a hash of the original. A name depends on its own text and on collisions only,
never on its place in the list, so that a prompt's cached prefix survives when tools come and go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b


@dataclass(slots=True, frozen=True)
class NameRule:
    """`first` and `rest` are bodies of character classes; `max_length` counts characters."""

    first: str
    rest: str
    max_length: int

    @property
    def pattern(self) -> str:
        """A regular expression that matches a whole valid name."""
        return rf"[{self.first}][{self.rest}]{{0,{self.max_length - 1}}}"


OPENAI = NameRule("a-zA-Z0-9_-", "a-zA-Z0-9_-", 64)
ANTHROPIC = NameRule("a-zA-Z0-9_-", "a-zA-Z0-9_-", 128)
GEMINI = NameRule("a-zA-Z_", "a-zA-Z0-9_-", 64)
COHERE = NameRule("a-zA-Z_", "a-zA-Z0-9_", 64)
BEDROCK = NameRule("a-zA-Z", "a-zA-Z0-9_-", 64)


@dataclass(slots=True, frozen=True)
class NameMap:
    """`wire`: client's name -> wire name; `original`: wire name -> client's, for changed names only."""

    wire: Mapping[str, str]
    original: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.wire.get(name, name)


def _hash(name: str, salt: int = 0) -> str:
    text = f"{salt}\0{name}" if salt else name
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def spelled(name: str, rule: NameRule) -> str:
    """The name in the wire's characters, at its full length: wire names sort by it, so that a hash decides nothing."""
    alias = re.sub(f"[^{rule.rest}]", "_", name) or "_"
    if not re.match(f"[{rule.first}]", alias):
        alias = ("_" if re.match(f"[{rule.first}]", "_") else "t_") + alias
    return alias


def _alias(name: str, rule: NameRule) -> str:
    """The rewritten form before any collision is looked at."""
    alias = spelled(name, rule)
    return alias if len(alias) <= rule.max_length else _suffixed(alias, _hash(name), rule)


def _suffixed(alias: str, suffix: str, rule: NameRule) -> str:
    return f"{alias[: rule.max_length - len(suffix) - 1]}_{suffix}"


def project(names: Iterable[str], rule: NameRule) -> NameMap:
    """Wire names for these names: valid, unique, deterministic whatever their order."""
    valid = re.compile(rule.pattern)
    distinct = set(names)
    bad = sorted(name for name in distinct if not valid.fullmatch(name))
    wire = {name: name for name in distinct}
    if not bad:
        return NameMap(wire, {})
    taken = distinct.difference(bad)
    aliases = {name: _alias(name, rule) for name in bad}
    wanted: dict[str, int] = {}
    for alias in aliases.values():
        wanted[alias] = wanted.get(alias, 0) + 1
    for name, alias in aliases.items():
        salt = 0
        final = alias if wanted[alias] == 1 else _suffixed(alias, _hash(name), rule)
        while final in taken:
            final = _suffixed(alias, _hash(name, salt), rule)
            salt += 1
        taken.add(final)
        wire[name] = final
    return NameMap(wire, {wire[name]: name for name in bad})
