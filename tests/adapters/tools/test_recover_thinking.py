"""Reasoning inside of the text, and calls inside of reasoning (text-tool-calls §3)."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.events import CallStart, Event, Finish, PartEnd, ReasoningDelta, TextDelta
from tests.adapters.tools.recovering import Found, compact, everywhere, reading, recovered

UTC = '{"tz":"UTC"}'
CALL = f'<tool_call>{{"name":"get_time","arguments":{UTC}}}</tool_call>'
GIVEN = ("get_time", UTC)


def thought(text: str) -> tuple[str, str]:
    return "thought", text


AT_THE_START: list[tuple[str, list[Found]]] = [
    ("<think>hm</think>Hi", [thought("hm"), "Hi"]),
    ("\n <think>\nhm\n</think>\n\nHi", [thought("\nhm\n"), "\nHi"]),
    ("<think></think>Hi", ["Hi"]),
    ("<think>hm", [thought("hm")]),
    ("<think>a < b </thin k> </think>Hi", [thought("a < b </thin k> "), "Hi"]),
    ("[THINK]hm[/THINK]Hi", [thought("hm"), "Hi"]),
    ("<|START_THINKING|>hm<|END_THINKING|>Hi", [thought("hm"), "Hi"]),
    ("<seed:think>hm</seed:think>Hi", [thought("hm"), "Hi"]),
    ("<|channel>thought\nhm<channel|>Hi", [thought("\nhm"), "Hi"]),
    ("<think>a [/THINK] b</think>Hi", [thought("a [/THINK] b"), "Hi"]),
    ("<think>a</think><think>b</think>Hi", [thought("ab"), "Hi"]),
    # not at the start, or no opening
    ("Hi <think>hm</think>", ["Hi <think>hm</think>"]),
    ("hm</think>Hi", ["hm</think>Hi"]),
    ("`<think>` opens it", ["`<think>` opens it"]),
    ("<thinking>hm</thinking>", ["<thinking>hm</thinking>"]),
]


@pytest.mark.parametrize(("text", "expected"), AT_THE_START)
def test_reasoning_at_the_start(text: str, expected: list[Found]) -> None:
    assert everywhere(text, "think") == (expected, [])


NEVER_ENDED = ["reasoning that never ended is given as the answer too"]
WITHIN: list[tuple[str, str, list[Found], list[str]]] = [
    ("stop", "hm</think>\nHi", [thought("hm"), "Hi"], []),
    ("stop", "<think>hm</think>\nHi", [thought("hm"), "Hi"], []),
    ("stop", "\n<think>hm</think>Hi", [thought("hm"), "Hi"], []),
    ("stop", "hm[/THINK]Hi", [thought("hm"), "Hi"], []),
    ("stop", "</think>Hi", ["Hi"], []),
    ("stop", " < hm</think>Hi", [thought(" < hm"), "Hi"], []),
    ("length", "hm, no end", [thought("hm, no end")], []),
    ("stop", "<think>hm, no end", [thought("hm, no end")], []),
    # it had not been reasoning
    ("stop", "Hello.", [thought("Hello."), "Hello."], NEVER_ENDED),
]


@pytest.mark.parametrize(("finish", "text", "expected", "warnings"), WITHIN)
def test_an_answer_that_begins_inside(finish: str, text: str, expected: list[Found], warnings: list[str]) -> None:
    assert everywhere(text, "within", finish=finish) == (expected, warnings)


CALLS: list[tuple[str, str, list[Found]]] = [
    ("stop", f"<think>hm</think>\n\n{CALL}", [thought("hm"), GIVEN]),
    ("stop", f"<think>Draft: {CALL} or so</think>Hi {CALL}", [thought(f"Draft: {CALL} or so"), "Hi", GIVEN]),
    ("stop", f"<think>Draft: {CALL}\n</think>{CALL}", [thought(f"Draft: {CALL}\n"), GIVEN]),
    # </think> was forgotten before the real call
    ("stop", f"<think>I call it.\n{CALL}\n", [thought("I call it.\n"), GIVEN]),
    ("tool_calls", f"<think>I call it.{CALL}{CALL}", [thought("I call it."), GIVEN, GIVEN]),
    ("length", f"<think>I call it.{CALL}", [thought(f"I call it.{CALL}")]),
    ("stop", f"<think>{CALL} and more", [thought(f"{CALL} and more")]),
    ("stop", f"<think>`{CALL}`", [thought(f"`{CALL}`")]),
    ("stop", '<think><tool_call>{"name":"nope"}</tool_call>', [thought('<tool_call>{"name":"nope"}</tool_call>')]),
    ("stop", '<think><tool_call>{"name":"get_time","argum', [thought('<tool_call>{"name":"get_time","argum')]),
]


@pytest.mark.parametrize(("finish", "text", "expected"), CALLS)
def test_calls_inside_of_reasoning(finish: str, text: str, expected: list[Found]) -> None:
    assert everywhere(text, "auto", "think", finish=finish)[0] == expected


def native(text: str, *rest: Event, finish: Any = "stop") -> list[Event]:
    """Reasoning that comes as such."""
    return [ReasoningDelta(0, text[:9]), ReasoningDelta(0, text[9:]), PartEnd(0), *rest, Finish(finish)]


def test_calls_in_reasoning_that_comes_as_such() -> None:
    how = reading("auto", "think")
    assert compact(recovered(native(f"I call it. {CALL}"), how)) == [thought("I call it. "), GIVEN]
    text = f"I call it. {CALL}"
    assert compact(recovered(native(text, finish="length"), how)) == [thought(text)]
    said = [TextDelta(1, "Hi"), PartEnd(1)]
    assert compact(recovered(native(text, *said), how)) == [thought(text), "Hi"]
    came = [CallStart(1, "c", "ping"), PartEnd(1)]
    assert compact(recovered(native(text, *came), how)) == [thought(text), ("ping", "", "c")]


def test_reasoning_passes_where_no_calls_are_looked_for() -> None:
    events = native(f"I call it. {CALL}")
    assert recovered(events, reading("think")) == events


def test_an_answer_without_tags_passes_as_it_is() -> None:
    """Once it has begun otherwise, nothing is copied any more."""
    events: list[Event] = [TextDelta(0, "Hi"), TextDelta(0, " <think> \n"), PartEnd(0), Finish("stop")]
    assert recovered(events, reading("think")) == events


def test_too_long_a_draft_is_reasoning() -> None:
    call = CALL.replace("UTC", "x" * 300_000)
    assert compact(recovered(native(call), reading("auto"))) == [thought(call)]
