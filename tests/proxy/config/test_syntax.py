"""A file that is no YAML: what is wrong, where, what to do, and the line."""

import pytest

from proxy.config.load import load
from proxy.config.problem import Problems

GOOD = """\
providers:
  up: {api: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: "${KEY}"}
models:
  smart:
    target: up/m
    fallbacks:
      - up/n
"""
MISSING = '"," or "}" is missing before this (the "{" is in line 2, column 7)'
FITS_NO = "the indentation fits no block: this begins in column"
NEITHER = 'this is neither "key: value" nor "- item": a colon or the space after ":" or "-" is missing'


def told(text: str) -> list[str]:
    """The lines that a user reads, without the file's name."""
    problems = load(text, "f", {"KEY": "k"})
    assert isinstance(problems, Problems)
    return str(problems).removeprefix("f:").splitlines()


def test_the_good_one_is_good():
    assert not isinstance(load(GOOD, "f", {"KEY": "k"}), Problems)


@pytest.mark.parametrize(("right", "wrong", "place", "message"), [
    ("    fallbacks:", "   fallbacks:", "6:4",
     f"{FITS_NO} 4; begin in column 5 as line 5 or in column 3 as line 4"),
    ("      - up/n", "      - up/n\n     - up/o", "8:6",
     f"{FITS_NO} 6; begin in column 7 as line 7 or in column 5 as line 6"),
    ("    fallbacks:", "      fallbacks:", "6:16", "this line is indented too far: line 5 has a value already, so that "
     "nothing can stand within it"),
    ("    target", "\ttarget", "5:1", "a tab cannot indent in YAML: use spaces"),
    ("target: up/m", "target:up/m", "6:14", "a space is missing after the colon in line 5"),
    ("  smart:", "  smart", "5:11", 'a colon is missing in line 4: a key is written "key:"'),
    ("models:", "models", "3:1", NEITHER),
    ("      - up/n", "    -up/n", "7:5", NEITHER),
    ("up/m", "up/llama: 8b", "5:21", "a second colon in this line: quote a value that contains a colon and a space"),
    ('"${KEY}"}', '"${KEY}"', "3:1", MISSING),
    ("openai-chat,", "openai-chat", "2:33", MISSING),
    ('"${KEY}"', "${KEY}", "2:71", 'quote a reference within { } and [ ]: "${NAME}"'),
    ("- up/n", "[up/n", "7:7", 'this "[" is not closed: "]" is missing'),
    ('"${KEY}"', '"${KEY}', "2:70", "this quote is not closed"),
    ("      - up/n", "  }", "7:3", 'this "}" closes nothing: take it out'),
    ("smart:", "*:", "4:3", 'a text that begins with "*" must be quoted'),
    ("up/m", "|m", "5:13", 'a text that begins with "|" must be quoted'),
    ("up/m", "& m", "5:13", 'a text that begins with "&" must be quoted'),
    ("- up/n", "- [up/n, ]]", "7:17", 'this "]" closes nothing: take it out'),
    ("- up/n", "- {target: up/n} x", "7:24",
     "this cannot follow on what is before it in the line: a comma, a quote or a new line is missing"),
    ("- up/n", "- [,]", "7:10", 'a value is expected here, not ","'),
    ("up/m", "@m", "5:13", 'a text that begins with "@" must be quoted'),
    ("up/m", r'"a\q"', "5:16", r'double quotes know no "\q": write \\ for a backslash, or use single quotes'),
    ("models:", "---\nmodels:", "3:1", 'a second document begins here: one file is one, take out the "---"'),
])  # fmt: skip
def test_what_is_told(right, wrong, place, message):
    assert GOOD.count(right) == 1
    text = GOOD.replace(right, wrong)
    line, column = map(int, place.split(":"))
    shown = text.splitlines()[line - 1].replace("\t", " ")
    assert told(text) == [f"{place}  {message}", f"  {line} | {shown}", f"    | {' ' * (column - 1)}^", "1 problem"]


def test_a_key_in_the_file_is_not_shown():
    text = "providers:\n  up: {api: openai-chat api_key: sk-1, headers: {x-other: [0123456789abcdefghij]}}\n"
    assert told(text)[1] == "  2 |   up: {api: openai-chat api_key: ****, headers: {x-other: [********************]}}"


def test_the_name_of_a_model_is_shown():
    assert told("a: [anthropic/claude-opus-4-5-20251101\n")[1] == "  1 | a: [anthropic/claude-opus-4-5-20251101"


def test_a_long_line_is_not_shown():
    assert told("a: " + "x" * 200 + ": b\n")[1:] == ["1 problem"]
