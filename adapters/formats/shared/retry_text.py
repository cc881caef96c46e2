"""How long an upstream asks to wait, in its own words: for answers without a `retry-after` header."""

from __future__ import annotations

import re

_WAIT = re.compile(
    r"(?:try again|retry|wait)\D{0,24}?"
    r"(?=\d)(?:(?P<h>\d+) ?h(?:ours?)?)? ?"
    r"(?:(?P<m>\d+) ?m(?:in(?:ute)?s?)?(?![a-z]))? ?"
    r"(?:(?P<s>\d+(?:\.\d+)?) ?(?P<unit>ms|s)[a-z]*)?",
    re.IGNORECASE,
)
_LONGEST = 4000


def wait_in(text: str) -> float | None:
    """Seconds. OpenAI and Groq write "try again in 1.2s", "in 20s", "in 1m3s", "in 340ms" (2026-11)."""
    for found in _WAIT.finditer(text[:_LONGEST]):
        hours, minutes, seconds = found["h"], found["m"], found["s"]
        if hours or minutes or seconds:
            last = float(seconds or 0) / (1000 if (found["unit"] or "").lower() == "ms" else 1)
            return int(hours or 0) * 3600.0 + int(minutes or 0) * 60.0 + last
    return None
