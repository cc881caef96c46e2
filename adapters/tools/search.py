"""What is looked for in an answer's text, which changes as the text goes on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from adapters.tools.grammars.forms import END_TOKENS, RESULTS, THOUGHTS, Mark, of_forms
from adapters.tools.grammars.marks import Marks, marks

OPENINGS = {opening: closing for opening, closing in THOUGHTS}
"""Marks that reasoning begins with, and those that end it."""

CLOSINGS = tuple(OPENINGS.values())


@dataclass(slots=True, frozen=True)
class Search:
    """What is looked for: `forms` by their marks, `starting` without any at the answer's start, reasoning at the start
    (`think`) or the answer beginning inside of it (`within`)."""

    forms: frozenset[str] = frozenset()
    starting: frozenset[str] = frozenset()
    think: bool = False
    within: bool = False


@dataclass(slots=True, frozen=True)
class Sought:
    """What is looked for now. `stops` interrupt a text, `in_thoughts` reasoning; a piece that has nothing of `quick` is
    plain text for sure."""

    forms: frozenset[str]
    marks: Mapping[str, Mark]
    stops: Marks
    quick: re.Pattern[str]
    in_thoughts: Marks


def sought(
    forms: frozenset[str], offered: bool, called: bool, thoughts: bool, closings: tuple[str, ...]
) -> Sought:
    """`offered`: there are tools to call; `called`: calls have come, results may be made up; `thoughts`: reasoning may
    begin; `closings`: what ends the reasoning under way."""
    known = of_forms(forms) if offered else {}
    texts = tuple(known)
    if called:
        texts += (*RESULTS, *END_TOKENS)
    if thoughts:
        texts += tuple(OPENINGS)
    return Sought(forms, known, marks(texts), _beginnings(texts), marks((*closings, *known)))


@lru_cache(maxsize=64)
def _beginnings(texts: tuple[str, ...]) -> re.Pattern[str]:
    """What a piece of text must not have to be plain: beginnings of these texts, Markdown, white space at its end."""
    rare = "".join(sorted({text[0] for text in texts if not text[0].isalpha()}))
    words = "".join(f"|{re.escape(text[:2])}|{text[0]}\\Z" for text in texts if text[0].isalpha())
    return re.compile(f"[{re.escape(rare)}`~<>\\n]|[ \\t\\r]\\Z{words}")
