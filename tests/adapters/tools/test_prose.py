"""Where markup would be shown rather than meant."""

from __future__ import annotations

import pytest

from adapters.tools.prose import Prose

SHOWN = [
    ("", False),
    ("text ", False),
    ("`", True),
    ("`a`", True),
    ("`a` ", False),
    ("`a\n", False),
    ("``a` ", True),
    ("``a`` ", False),
    ("```\n", True),
    ("```py\ncode\n", True),
    ("```\ncode\n```\n", False),
    ("```\ncode\n``\n", True),
    ("````\n```\n", True),
    ("````\n`````\n", False),
    ("  ```\n", True),
    ("x ```\n", False),
    ("```x``` ", False),
    ("> ", True),
    (" > a ", True),
    ("> a\n", False),
    ("a > b ", False),
    ('"', True),
    ("say “", True),
    ("it's ", False),
]


@pytest.mark.parametrize(("text", "expected"), SHOWN)
def test_markup_behind_a_text(text: str, expected: bool) -> None:
    for size in (1, 2, 3, 100):
        prose = Prose()
        for at in range(0, len(text), size):
            prose.feed(text[at : at + size])
        assert prose.shows_markup() is expected, size


def test_a_line_is_blank_until_something_stands_on_it() -> None:
    prose = Prose()
    for text, blank in [("", True), (" \t", True), ("a", False), ("\n", True), ("`", True)]:
        prose.feed(text)
        assert prose.is_blank is blank
