"""Model name patterns: `*` stands for any run of characters, everything else for itself. Case matters."""

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def matches(pattern: str, name: str) -> bool:
    return pattern == name if "*" not in pattern else _compiled(pattern).fullmatch(name) is not None


def matching(patterns: Iterable[str], name: str) -> list[str]:
    """Those that match, the best first: the exact one, then the longest; of equally long ones the first."""
    found = [pattern for pattern in patterns if matches(pattern, name)]
    return sorted(found, key=lambda pattern: (pattern != name, -len(pattern)))


def covers(wide: str, narrow: str) -> bool:
    """Every name that `narrow` matches is matched by `wide` too (a sufficient test, not a necessary one)."""
    return matches(wide, narrow) if "*" not in narrow else matches(wide, narrow.replace("*", "\0"))
