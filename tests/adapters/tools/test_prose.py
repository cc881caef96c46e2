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
    ("an escaped \\", True),
    ("~~~\n", True),
    ("~~~xml\ncode\n", True),
    ("~~~\ncode\n~~~\n", False),
    ("~~~\n```\n", True),
    ("```\n~~~\n", True),
    ("~~~~\n~~~\n", True),
    ("~~~ a ~~~\n", True),
    ("a ~~~\n", False),
    ("~~gone~~ ", False),
    ("~~~`", True),
    ("a\n\n    ", True),
    ("a\n\n\t", True),
    ("a\n\n  \t", True),
    ("a\n\n    b ", True),
    ("a\n\n    b\n    ", True),
    ("a\n\n    b\n\n    ", True),
    ("a\n\n    b\n  ", False),
    ("a\n\n    b\nc\n    ", False),
    ("a\n\n   ", False),
    ("a\n    ", False),
    ("    ", False),
    ("\n\n    ", False),
    ("a\n\n        `b` ", True),
    ("1. a\n\n    ", False),
    ("1. a\n\n       ", True),
    ("- a\n  - b\n\n      ", False),
    ("- a\n  - b\n\n        ", True),
    ("- a\n\nb\n\n    ", True),
    ("-a\n\n    ", True),
    ("<pre>", True),
    ("<PRE class='x'>\n\n", True),
    ("<pre><code>a</code>", True),
    ("<pre>a</pre>", False),
    ("<pre>a</pre> b <code>", True),
    ("so <code>a\nb", True),
    ("so <code>a</code> ", False),
    ("a <pre> tag\n\n", False),
    ("<code>\n\n", False),
    ("<prefix>", False),
    ("<coder>", False),
    ("<pre", False),
    ("`<pre>` ", False),
    ("```\n<pre>\n```\n", False),
    ("</pre>", False),
    ("<<pre>", True),
]


@pytest.mark.parametrize(("text", "expected"), SHOWN)
def test_markup_behind_a_text(text: str, expected: bool) -> None:
    for size in (1, 2, 3, 5, 100):
        prose = Prose()
        for at in range(0, len(text), size):
            prose.feed(text[at : at + size])
        assert prose.shows_markup() is expected, size


def test_what_stands_behind_a_block_is_not_what_stood_before_it() -> None:
    prose = Prose()
    prose.feed("- a\n\n    ")
    prose.restart()
    prose.feed("\n\n    ")
    assert not prose.shows_markup()
    prose.feed("b\n\n    ")
    assert prose.shows_markup()


def test_plain_words_say_the_same() -> None:
    for head, words in (("a\n\n    ", "b"), ("a\n\n", "b"), ("a\n\n   ", " b"), ("-", " a"), ("<pre", " x")):
        fed, plain = Prose(), Prose()
        fed.feed(head + words)
        plain.feed(head)
        plain.plain(words)
        for rest in ("", ">", "\n\n    ", "\n    "):
            fed.feed(rest)
            plain.feed(rest)
            assert fed.shows_markup() is plain.shows_markup(), (head, words, rest)


def test_a_line_is_blank_until_something_stands_on_it() -> None:
    prose = Prose()
    for text, blank in [("", True), (" \t", True), ("a", False), ("\n", True), ("`", True)]:
        prose.feed(text)
        assert prose.is_blank is blank
