"""Work grows with the text and no faster, whatever the text, and little of it is ever held."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from adapters.events import Event, Finish, PartEnd, TextDelta
from adapters.tools.grammars.reader import MAX_BLOCK, Reader
from adapters.tools.recover import Recoverer, recoverer
from tests.adapters.tools.recovering import compact, reading

OPEN = '<tool_call>{"name":"f","arguments":{"a":'
FLOODS: dict[str, tuple[str, str]] = {
    "prose": ("", "The quick brown fox jumps over the lazy dog.\n"),
    "less-than": ("", "a < b "),
    "marks": ("", "<tool_call>"),
    "marks that go on": ("", '<tool_call>{"x": "'),
    "unknown calls": ("", '<tool_call>{"name":"nope"}</tool_call>'),
    "calls": ("", '<tool_call>{"name":"ping"}</tool_call>'),
    "brackets": ("", "[TOOL_CALLS]"),
    "backticks": ("", "`"),
    "fences": ("", "```\n"),
    "spaces": ("", " "),
    "thoughts": ("", "<think>"),
    "parameters": ("<function=write>\n<parameter=content>\n", "</parameter>"),
    "white space in parameters": ("<function=write>\n<parameter=content>\n", "</parameter>" + " " * 900),
    "nested": (OPEN, '{"a":['),
    "closers": (OPEN + "x", "}"),
    "digits": (OPEN, "1"),
    "backslashes": (OPEN + '"', "\\"),
    "arguments": (OPEN + '"', "text "),
    "glm": ("<tool_call>f\n<arg_key>a</arg_key><arg_value>", "<arg_key>"),
    "channels": ("", "<|channel|>analysis<|message|>x<|end|><|start|>assistant"),
    "prefixes": ("", "]<]minimax[>["),
}


def held(stage: Recoverer) -> int:
    """Characters that wait in the stage."""
    reader: Reader = stage._at.text._reader
    return len(reader.buffer) - reader.at + sum(map(len, reader._held)) + len(stage._at.text._flow.pending)


def flooded(text: str, size: int) -> int:
    """Python's calls while the text goes through the stage in pieces of this size."""
    stage = recoverer(reading("auto", "think"), [].append)
    assert stage is not None
    count = 0

    def step(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(step)
    try:
        for at in range(0, len(text), size):
            stage.feed([TextDelta(0, text[at : at + size])])
        stage.feed([PartEnd(0), Finish("stop")])
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("size", [1, 50, 10_000_000])
@pytest.mark.parametrize("name", FLOODS)
def test_twice_the_text_is_twice_the_work(name: str, size: int) -> None:
    start, unit = FLOODS[name]
    once, twice = (flooded(start + unit * (length // len(unit)), size) for length in (3_000, 6_000))
    assert twice < 2.4 * once + 200


@pytest.mark.parametrize("name", ["prose", "less-than", "spaces", "calls", "arguments", "digits"])
def test_little_is_held(name: str) -> None:
    start, unit = FLOODS[name]
    stage = recoverer(reading("auto", "think"), [].append)
    assert stage is not None
    most = 0
    text = start + unit * (20_000 // len(unit))
    for at in range(0, len(text), 7):
        stage.feed([TextDelta(0, text[at : at + 7])])
        most = max(most, held(stage))
    assert most < (20_000 if name == "digits" else 150)


def test_a_megabyte_of_ordinary_text_comes_out_as_it_went_in() -> None:
    line = "A line of text: if a < b and c > d, then [x] is `y`, «z» or <em>not</em>.\n"
    text = line * (1_000_000 // len(line))
    stage = recoverer(reading("auto", "think"), [].append)
    assert stage is not None
    out: list[Event] = []
    for at in range(0, len(text), 1000):
        out += stage.feed([TextDelta(0, text[at : at + 1000])])
        assert held(stage) < 100
    out += stage.feed([PartEnd(0), Finish("stop")])
    assert compact(out) == [text]


BLOCKS: list[Callable[[str], str]] = [
    lambda filler: f'<tool_call>{{"arguments":{{"a":"{filler}"}},"name":"f"}}</tool_call>',
    lambda filler: f"<function=write>\n<parameter=tags>\n{filler}\n</parameter>\n</function>",
    lambda filler: f'[TOOL_CALLS][{{"name":"f","arguments":{{"a":"{filler}"}},"id":"abcdefghi"}}]',
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_that_must_be_held_has_a_limit(block: Callable[[str], str]) -> None:
    """Under it the call is read; over it nothing more is held."""
    stage = recoverer(reading("auto"), [].append)
    assert stage is not None
    out = [*stage.feed([TextDelta(0, block("x" * (MAX_BLOCK - 200))), PartEnd(0), Finish("stop")])]
    assert [part[0] for part in compact(out)] in (["f"], ["write"])
    stage = recoverer(reading("auto"), [].append)
    assert stage is not None
    text = block("x" * 4 * MAX_BLOCK)
    for at in range(0, len(text), 4096):
        stage.feed([TextDelta(0, text[at : at + 4096])])
        assert held(stage) < MAX_BLOCK + 5000


def test_too_long_a_block_is_text() -> None:
    text = BLOCKS[0]("x" * 2 * MAX_BLOCK)
    stage = recoverer(reading("auto"), [].append)
    assert stage is not None
    assert compact([*stage.feed([TextDelta(0, text), PartEnd(0), Finish("stop")])]) == [text]


def test_streamed_arguments_have_no_limit() -> None:
    text = f'<tool_call>{{"name":"f","arguments":{{"a":"{"x" * 4 * MAX_BLOCK}"}}}}</tool_call>'
    stage = recoverer(reading("auto"), [].append)
    assert stage is not None
    assert compact([*stage.feed([TextDelta(0, text), PartEnd(0), Finish("stop")])]) == [
        ("f", f'{{"a":"{"x" * 4 * MAX_BLOCK}"}}')
    ]  # fmt: skip
