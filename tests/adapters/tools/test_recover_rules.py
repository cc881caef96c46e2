"""When markup is a call and when it is text, and what the stage does to the events around it (text-tool-calls §2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.errors import Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Event,
    Failed,
    Finish,
    Logprobs,
    Native,
    PartEnd,
    Pass,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.format import Reading
from adapters.model import Citation, Usage
from adapters.restore import Restorer
from adapters.tools import ids
from adapters.tools.recover import recoverer, salvaged
from tests.adapters.tools.recovering import Found, answer, compact, everywhere, read, reading, recovered

UTC = '{"tz":"UTC"}'
CALL = f'<tool_call>{{"name":"get_time","arguments":{UTC}}}</tool_call>'
GIVEN = ("get_time", UTC)
UNFINISHED = ["an unfinished tool call is left in the text"]


# --- what is a call ----------------------------------------------------------------------------------------------

TEXTS = [
    "if a < b then",
    "a </tool_call> b",
    "<",
    "ends with <tool_ca",
    "<tool_call>not json</tool_call>",
    "<tool_call></tool_call>",
    '<tool_call>{"name":"nope","arguments":{}}</tool_call>',
    '<tool_call>{"name":7,"arguments":{}}</tool_call>',
    '<tool_call>{"arguments":{}}</tool_call>',
    '<tool_call>{"name":"GET_TIME","arguments":{}}</tool_call>',
    "<function=nope>\n<parameter=a>\n1\n</parameter>\n</function>",
    '<invoke name="nope"></invoke> or <invoke nothing>',
    "<tool_call>nope\n<arg_key>a</arg_key>",
    "Write `<tool_call>` and then JSON.",
    f"As in `{CALL}`.",
    f"Like this:\n```xml\n{CALL}\n```\nThat is all.",
    f"````md\n```\n{CALL}\n```\n{CALL}\n````",
    f"```\nnever closed\n{CALL}",
    f'The text "{CALL}" is markup.',
    f"» Er sagte: „{CALL}“",
    f"> {CALL}\n> quoted",
    f"~~~\n{CALL}\n~~~",
    f"For example:\n\n~~~xml\n{CALL}\n```\n{CALL}\n~~~\n\nThat is how.",
    f"Like this:\n\n    {CALL}\n\n    {CALL}\nThat is all.",
    f"Like this:\n\n\t<tool_call>\n\t{CALL[11:]}",
    f"1. So:\n\n       {CALL}",
    f"<pre>{CALL}</pre>",
    f"As in\n<PRE lang='xml'>\n\n{CALL}\n</PRE> or <code>{CALL}</code>.",
    f"<pre><code>\n{CALL}\n</code></pre>",
    "[TOOL_CALLS]nope{}",
    "functools[1, 2]",
    ">>> get_time\n{}",
    "see >>>get_time\n{}",
    "Observation: none. Action: none.",
    "<tool_response>{}</tool_response>",
    "<|im_end|>",
    "text\n\n   ",
    "\n\n text",
    " ",
    "x" + " " * 200,
    "<function_calls>\nget_weather(1)\n</function_calls>",
]


@pytest.mark.parametrize("text", TEXTS)
def test_ordinary_text_comes_out_as_it_is(text: str) -> None:
    assert everywhere(text, "auto", "think")[0] == [text]


@pytest.mark.parametrize("mark", [
    "[TOOL_CALLS]get_time{}", "<|tool_call>call:get_time{}<tool_call|>", "<function=get_time>{}</function>",
    "<|python_tag|>get_time.call()", "<｜tool▁call▁begin｜>get_time<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
    '<invoke name="get_time"></invoke>', "functools[]", "<tool_response>",
])
@pytest.mark.parametrize("shown", ["```\n{}\n```", "~~~\n{}\n~~~", "a\n\n    {}", "<pre>{}</pre>", "<code>{}</code>"])
def test_marks_of_every_kind_are_shown_in_code(mark: str, shown: str) -> None:
    text = shown.replace("{}", mark, 1)
    assert everywhere(text, "auto", "llama3-json")[0] == [text]
    assert read(f"{CALL}\n{text}", "auto", "llama3-json") == [GIVEN, text.removeprefix(CALL)]


DATA = [
    '{"name": "f", "age": 5}',
    '{"name": "f"}',
    '{"name": "f", "role": "admin", "tags": ["x"]}',
    '{"name": "f", "description": "does f", "parameters": 5}',
    '{"name": "f", "arguments": "hello"}',
    '{"name": "nope", "arguments": {}}',
    '{"arguments": {"a": 1}, "of": "f"}',
    '[{"name":"f","id":1},{"name":"Bob"}]',
    '[{"name":"f","id":1}]',
    '[{"name":"Bob","arguments":{}},{"name":"f","arguments":{}}]',
    "[]",
    "[1, 2]",
]


@pytest.mark.parametrize("text", DATA)
def test_an_answer_in_json_is_data_unless_it_calls(text: str) -> None:
    """A name alone calls nothing where no mark says so (text-tool-calls §1, rule 14)."""
    for around in ("{}", "{}\n", "{}\nThat is all."):
        said = around.replace("{}", text)
        assert everywhere(said, "llama3-json", "xlam", "pythonic", "nullclaw", "kimi-k2") == ([said], [])


@pytest.mark.parametrize("text", [
    '{"name": "get_time", "parameters": {"tz":"UTC"}}', '[{"parameters": {"tz":"UTC"}, "name": "get_time"}]',
    '{"type": "function", "name": "get_time", "id": 7, "arguments": "{\\"tz\\":\\"UTC\\"}"}',
    '{"function": {"name": "get_time", "arguments": {"tz":"UTC"}}}',
    '[{"name": "get_time", "arguments": {"tz":"UTC"}}]',
])
def test_an_object_with_name_and_arguments_calls(text: str) -> None:
    assert everywhere(text, "llama3-json", "xlam") == ([GIVEN], [])


FOUND: list[tuple[str, list[Found]]] = [
    (f"`a` and ``b``\n{CALL}", ["`a` and ``b``", GIVEN]),
    (f"```\ncode\n```\n{CALL}", ["```\ncode\n```", GIVEN]),
    (f"a ` alone\n{CALL}", ["a ` alone", GIVEN]),
    (f"```inline``` {CALL}", ["```inline```", GIVEN]),
    (f"> quoted\n\n{CALL}", ["> quoted", GIVEN]),
    (f"~~~\ncode\n~~~\n{CALL}", ["~~~\ncode\n~~~", GIVEN]),
    (f"a\n\n    code\n{CALL}", ["a\n\n    code", GIVEN]),
    (f"    {CALL}\n\n    {CALL}", [GIVEN, GIVEN]),
    (f"- I look.\n\n    {CALL}", ["- I look.", GIVEN]),
    (f"<pre>a</pre> <code>b</code> {CALL}", ["<pre>a</pre> <code>b</code>", GIVEN]),
    (f"I close the <code> tag.\n\n{CALL}", ["I close the <code> tag.", GIVEN]),
    (f"Ok.\n\n \n{CALL}\n\n{CALL}\n ", ["Ok.", GIVEN, GIVEN]),
    (f"{CALL}\n\nAnd text.\n", [GIVEN, "And text.\n"]),
    (f"{CALL}<|im_end|>", [GIVEN]),
    (f"{CALL}\n<tool_response>\n12:00\n</tool_response>\nIt is noon.", [GIVEN]),
    (f"{CALL}\nObservation: 12:00", [GIVEN]),
    (f"{CALL} Observation: 12:00", [GIVEN]),
    (f"{CALL} An Observation: is a word", [GIVEN, "An Observation: is a word"]),
    (f"{CALL} `<tool_response>`", [GIVEN, "`<tool_response>`"]),
    (f"<tool_call>oops</tool_call>{CALL}", ["<tool_call>oops</tool_call>", GIVEN]),
    (f"{CALL}<tool_call>{{\"name\":\"nope\"}}</tool_call>", [GIVEN, '<tool_call>{"name":"nope"}</tool_call>']),
    (f'<tool_call>{{"name":"functions.get_time","arguments":{UTC}}}</tool_call>', [GIVEN]),
    (f'<tool_call>{{"name":" get_time\\n","arguments":{UTC}}}</tool_call>', [GIVEN]),
    (f"<tool_call>\n```json\n{{\"name\":\"get_time\",\"arguments\":{UTC}}}\n```\n</tool_call>", [GIVEN]),
    (f"<tool_call>{{\"name\":\"get_time\",\"arguments\":{UTC}}}}}}}</tool_call>", [GIVEN]),
    (f"{CALL}[TOOL_CALLS]get_time{UTC}", [GIVEN, f"[TOOL_CALLS]get_time{UTC}"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_calls_among_text(text: str, expected: list[Found]) -> None:
    assert everywhere(text, "auto")[0] == expected


def test_made_up_results_end_the_answer() -> None:
    assert everywhere(f"{CALL}<tool_response>x</tool_response>{CALL}", "auto") == (
        [GIVEN], ["what the model made up as results of its calls is left out"]
    )  # fmt: skip


UNDONE: list[tuple[str, str, list[Found], list[str]]] = [
    ("stop", '<tool_call>{"name":"get_time","arguments":{}}', [("get_time", "{}")], []),
    ("length", '<tool_call>{"name":"get_time","arguments":{}}', [("get_time", "{}")], []),
    ("stop", '<tool_call>{"name":"get_ti', ['<tool_call>{"name":"get_ti'], UNFINISHED),
    ("length", 'Ok. <tool_call>{"name":"get_ti', ['Ok. <tool_call>{"name":"get_ti'], UNFINISHED),
    ("stop", '<tool_call>{"arguments":{"tz":"U', ['<tool_call>{"arguments":{"tz":"U'], UNFINISHED),
    ("length", '<tool_call>{"name":"get_time","arguments":{"tz":"U', [("get_time", '{"tz":"U')], []),
    ("stop", '<tool_call>{"name":"get_time","arguments":{"tz":"U', [("get_time", '{"tz":"U')],
     ["call of get_time, read from the text, is incomplete"]),
    ("stop", "<function=get_time>\n<parameter=tz>\nU", [("get_time", '{"tz":"U')],
     ["call of get_time, read from the text, is incomplete"]),
    ("length", "<function=get_time>\n<parameter=tz>\nU", [("get_time", '{"tz":"U')], []),
    ("stop", "<function=get_time>\n<parameter=tz>\nU\n</parameter>", [("get_time", '{"tz":"U"}')], []),
    ("length", "<function=get_time>\n<parameter=tz>\nU\n</parameter>", [("get_time", '{"tz":"U"')], []),
    ("stop", '<invoke name="get_time">', [("get_time", "{}")], []),
    ("length", '<invoke name="get_time">', ['<invoke name="get_time">'], UNFINISHED),
    ("length", '<invoke name="get_time', ['<invoke name="get_time'], UNFINISHED),
    ("stop", "[TOOL_CALLS]get_time", ["[TOOL_CALLS]get_time"], UNFINISHED),
    ("stop", '[TOOL_CALLS]get_time{"tz":"U"', [("get_time", '{"tz":"U"')],
     ["call of get_time, read from the text, is incomplete"]),
    ("stop", f"{CALL}<tool_call>{{\"name\":", [GIVEN, '<tool_call>{"name":'], UNFINISHED),
    ("stop", "<|channel|>commentary to=functions.get_time", ["<|channel|>commentary"
         " to=functions.get_time"], UNFINISHED),
]  # fmt: skip


@pytest.mark.parametrize(("finish", "text", "expected", "warnings"), UNDONE)
def test_an_end_inside_of_a_call(finish: str, text: str, expected: list[Found], warnings: list[str]) -> None:
    assert everywhere(text, "auto", finish=finish) == (expected, warnings)


def test_names_are_the_wires_and_the_clients_own_are_known_too() -> None:
    how = reading("auto", tools={"look.up": {"type": "object"}}, names={"look_up": "look.up"})
    for name in ("look_up", "look.up"):
        text = f'<tool_call>{{"name":"{name}","arguments":{{}}}}</tool_call>'
        assert compact(recovered(answer([text]), how)) == [("look_up", "{}")]


def test_nothing_is_read_where_nothing_was_offered() -> None:
    assert compact(recovered(answer([CALL]), reading("auto", tools={}))) == [CALL]
    offered_elsewhere = Reading("m", declared=frozenset({"get_time"}), recover=("auto",))
    assert compact(recovered(answer([CALL]), offered_elsewhere)) == [CALL]


def test_no_stage_where_nothing_is_looked_for() -> None:
    assert recoverer(reading(), [].append) is None


# --- when it goes out --------------------------------------------------------------------------------------------

CHUNKS = [
    (["Sure.\n<to", 'ol_call>{"name": "get_t', 'ime", "argu', 'ments": {"tz": "U', 'TC"}}</tool_', "call>"], [
        [TextDelta(0, "Sure.")], [], [PartEnd(0), CallStart(1, "", "get_time")], [("args", '{"tz": "U')],
        [("args", 'TC"}'), PartEnd(1)], [],
    ]),
    (["if a <", " b then"], [[TextDelta(0, "if a")], [TextDelta(0, " < b then")]]),
    (["Hi", " there,", " you", "\n", "all"], [
        [TextDelta(0, "Hi")], [TextDelta(0, " there,")], [TextDelta(0, " you")], [], [TextDelta(0, "\nall")],
    ]),
    (["<tool_call>", "!no json", "</tool_call>"], [
        [], [TextDelta(0, "<tool_call>!no json")], [TextDelta(0, "</tool_call")],
    ]),
    (["<function=write>\n<parameter=content>\n", "line 1\n", "line 2", "\n</parameter>\n", "</function>"], [
        [CallStart(0, "", "write"), ("args", '{"content":"')], [("args", "line 1")], [("args", "\\nline 2")], [],
        [("args", '"}'), PartEnd(0)],
    ]),
    (['<tool_call>{"name":"f","arguments":{"a":10', "8,", '"b":tr', "ue}}"], [
        [CallStart(0, "", "f"), ("args", '{"a":')], [("args", "108")], [("args", ',"b":')],
        [("args", "true}"), PartEnd(0)],
    ]),
]  # fmt: skip
"""Pieces, and what each lets out at once: text waits for nothing but a possible mark and white space before it."""


@pytest.mark.parametrize(("pieces", "expected"), CHUNKS)
def test_what_each_piece_lets_out(pieces: list[str], expected: list[list[Any]]) -> None:
    stage = recoverer(reading("auto"), [].append)
    assert stage is not None
    got: list[list[Any]] = []
    for piece in pieces:
        row: list[Any] = []
        for event in stage.feed([TextDelta(0, piece)]):
            last = row[-1] if row else None
            if isinstance(event, TextDelta) and isinstance(last, TextDelta):
                row[-1] = TextDelta(event.part, last.text + event.text)
            elif isinstance(event, CallDelta):
                before = row.pop()[1] if isinstance(last, tuple) else ""
                row.append(("args", before + event.text))
            else:
                row.append(event)
        got.append(row)
    assert got == expected


# --- the events around -------------------------------------------------------------------------------------------


def test_other_events_pass_and_parts_are_numbered_anew() -> None:
    events: list[Event] = [
        Started("a", "m"),
        UsageUpdate(Usage(input=1)),
        ReasoningDelta(0, "hm"),
        Signed(0, "openai-chat", data="d"),
        PartEnd(0),
        TextDelta(1, f"Ok {CALL} then"),
        Logprobs(1, ({"token": "x"},)),
        Cited(1, Citation(url="u")),
        PartEnd(1),
        Native(2, "openai-chat", {"audio": {}}),
        PartEnd(2),
        Pass("openai-chat", "x", {}),
        Finish("stop"),
    ]
    assert recovered(events, reading("auto")) == [
        Started("a", "m"),
        UsageUpdate(Usage(input=1)),
        ReasoningDelta(0, "hm"),
        Signed(0, "openai-chat", data="d"),
        PartEnd(0),
        TextDelta(1, "Ok"),
        PartEnd(1),
        CallStart(2, "", "get_time"),
        *(CallDelta(2, piece) for piece in ("{", '"', "tz", '"', ":", '"', "UTC", '"', "}")),
        PartEnd(2),
        TextDelta(3, "then"),
        Logprobs(3, ({"token": "x"},)),
        Cited(3, Citation(url="u")),
        PartEnd(3),
        Native(4, "openai-chat", {"audio": {}}),
        PartEnd(4),
        Pass("openai-chat", "x", {}),
        Finish("stop"),
    ]


def came(part: int, name: str, arguments: str) -> list[Event]:
    return [CallStart(part, f"c{part}", name), CallDelta(part, arguments), PartEnd(part)]


def test_calls_that_come_as_such_win() -> None:
    """Beside them other markup is text, and what says the same is taken out."""
    events = [*came(0, "get_time", '{"tz": "UTC"}'), TextDelta(1, f"a {CALL} b"), PartEnd(1), Finish("tool_calls")]
    told: list[str] = []
    assert compact(recovered(events, reading("auto"), told)) == [("get_time", '{"tz": "UTC"}', "c0"), "a b"]
    assert told == ["a tool call that the upstream also wrote as text is given once"]
    other = CALL.replace("UTC", "CET")
    events = [*came(0, "get_time", '{"tz": "UTC"}'), TextDelta(1, other), PartEnd(1), Finish("tool_calls")]
    assert compact(recovered(events, reading("auto"))) == [("get_time", '{"tz": "UTC"}', "c0"), other]


def test_a_call_that_comes_after_its_text_is_given_once() -> None:
    events = [TextDelta(0, CALL), PartEnd(0), *came(1, "get_time", '{ "tz": "UTC" }'), Finish("tool_calls")]
    assert compact(recovered(events, reading("auto"))) == [GIVEN]
    others = [*came(1, "get_time", '{"tz":"CET"}'), *came(2, "ping", "{}")]
    events = [TextDelta(0, CALL), PartEnd(0), *others, Finish("stop")]
    expected = [GIVEN, ("get_time", '{"tz":"CET"}', "c1"), ("ping", "{}", "c2")]
    assert compact(recovered(events, reading("auto"))) == expected


def test_a_call_that_never_ends_is_let_go() -> None:
    events: list[Event] = [
        TextDelta(0, CALL), PartEnd(0), CallStart(1, "c1", "get_time"), CallDelta(1, '{"tz'), Finish("length")
    ]  # fmt: skip
    *_, start, delta, finish = recovered(events, reading("auto"))
    assert [start, delta, finish] == [CallStart(1, "c1", "get_time"), CallDelta(1, '{"tz'), Finish("length")]


def test_choices_are_read_apart() -> None:
    events: list[Event] = [
        TextDelta(0, "<tool_"), Choice(1), TextDelta(1, "one <"), Choice(0), TextDelta(0, CALL[6:]), Choice(1),
        TextDelta(1, " two"), Choice(0), PartEnd(0), Finish("stop"), Choice(1), PartEnd(1), Finish("stop"),
    ]  # fmt: skip
    out = recovered(events, reading("auto"))
    said: dict[int, str] = {}
    for event in out:
        if isinstance(event, TextDelta | CallDelta):
            said[event.part] = said.get(event.part, "") + event.text
    assert said == {0: "one < two", 1: UTC}
    assert [event for event in out if isinstance(event, CallStart | Choice)] == [
        Choice(1), Choice(0), CallStart(1, "", "get_time"), Choice(1), Choice(0), Choice(1),
    ]  # fmt: skip
    assert out[-2:] == [PartEnd(0), Finish("stop")]


@pytest.mark.parametrize("fed", ["one by one", "at once"])
def test_every_choice_has_its_own_thoughts(fed: str) -> None:
    """Also those that begin when nothing is looked for in the first any more."""
    events: list[Event] = [
        TextDelta(0, "plain"), TextDelta(0, " text"), Choice(1), TextDelta(1, "<think>a"), TextDelta(1, "b</think>c"),
        Choice(0), PartEnd(0), Finish("stop"), Choice(1), PartEnd(1), Finish("stop"),
    ]  # fmt: skip
    how = reading("think", tools={}, choices=2)
    if fed == "one by one":
        out = recovered(events, how)
    else:
        stage = recoverer(how, [].append)
        assert stage is not None
        out = list(stage.feed(events))
    assert out == [
        TextDelta(0, "plain"), TextDelta(0, " text"), Choice(1), ReasoningDelta(1, "a"), ReasoningDelta(1, "b"),
        PartEnd(1), TextDelta(2, "c"), Choice(0), PartEnd(0), Finish("stop"), Choice(1), PartEnd(2), Finish("stop"),
    ]  # fmt: skip


def test_a_failure_is_the_last_event() -> None:
    failed = Failed(Failure("api_error", "gone"))
    assert recovered([TextDelta(0, "a <tool"), failed], reading("auto")) == [TextDelta(0, "a"), failed]


def test_the_restorer_gives_ids_names_and_the_finish() -> None:
    how = reading("auto", tools={"look.up": {"type": "object"}}, names={"look_up": "look.up"})
    restorer = Restorer(how, ids.CHAT, lambda n: "x" * n, recoverer(how, [].append))
    text = '<tool_call>{"name":"look_up","arguments":{}}</tool_call>'
    events = restorer.feed(answer([text]))
    assert [event for event in events if isinstance(event, CallStart | Finish)] == [
        CallStart(0, "call_" + "x" * 24, "look.up"), Finish("tool_calls")
    ]  # fmt: skip


def test_free_text_tools_have_one_string() -> None:
    how = reading("auto", tools={"sql": {}}, custom=frozenset({"sql"}))
    text = "<function=sql>\n<parameter=input>\n42\n</parameter>\n</function>"
    assert compact(recovered(answer([text]), how)) == [("sql", '{"input":"42"}')]


# --- what an upstream refused ------------------------------------------------------------------------------------

REFUSED: list[tuple[str, list[Found] | None]] = [
    (f"<function=get_time>{UTC}</function>", [GIVEN]),
    (f"<function=get_time{UTC}</function>", [GIVEN]),
    (f"I look. <function=get_time>{UTC}<function>", ["I look.", GIVEN]),
    ('{"name": "get_time", "parameters": {"tz": "UTC"}}', [("get_time", '{"tz": "UTC"}')]),
    ("<function=nope>{}</function>", None),
    ("Just text.", None),
    ('<function=get_time>{"tz":', None),
]


@pytest.mark.parametrize(("text", "expected"), REFUSED)
def test_what_an_upstream_refused_as_malformed(text: str, expected: list[Found] | None) -> None:
    events = salvaged(reading(), text)
    assert (None if events is None else compact(events)) == expected


def test_nothing_is_salvaged_where_no_call_was_allowed() -> None:
    how = Reading("m", declared=frozenset({"get_time"}), schemas={"get_time": json.dumps({}).encode()})
    assert salvaged(how, f"<function=get_time>{UTC}</function>") is None


def test_a_text_is_read_as_it_comes_whole() -> None:
    assert read(CALL, "hermes") == [GIVEN]
