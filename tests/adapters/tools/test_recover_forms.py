"""Each form of text-tool-calls §1: one call, several, text around, no arguments, values that hold markup."""

from __future__ import annotations

import pytest

from adapters.compat import TEXT_FORMS
from adapters.tools.grammars.forms import FORMS
from tests.adapters.tools.recovering import TOOLS, Found, everywhere, read

UTC = '{"tz":"UTC"}'
HARD = '{"tz":"}\\"]</tool_call>\\n{\\\\","o":{"l":[1, {"x": null}],"ü":"日本 \\u00e9"}}'
"""Closers, markup, quotes, nesting, spaces: it must come out byte for byte."""

BAR, ONE = "｜", "▁"
DS = {name: f"<{BAR}tool{ONE}{name.replace(' ', ONE)}{BAR}>" for name in (
    "calls begin", "call begin", "sep", "call end", "calls end", "outputs begin"
)}  # fmt: skip
NS = "antml:"
M3 = "]<]minimax[>["

Row = tuple[str, str, list[Found]]

ROWS: list[Row] = [
    # --- hermes
    ("hermes", '<tool_call>\n{"name": "get_time", "arguments": {"tz": "UTC"}}\n</tool_call>',
     [("get_time", '{"tz": "UTC"}')]),
    ("hermes", f'Ok.\n\n<tool_call>\n{{"name":"get_time","arguments":{UTC}}}\n</tool_call>\n'
     '<tool_call>\n{"name":"ping","arguments":{}}\n</tool_call>\n\nDone.',
     ["Ok.", ("get_time", UTC), ("ping", "{}"), "Done."]),
    ("hermes", f'<tool_call>{{"name":"f","arguments":{HARD}}}</tool_call>', [("f", HARD)]),
    ("hermes", f'<tool_call>{{"arguments":{HARD},"name":"f"}}</tool_call>', [("f", HARD)]),
    ("hermes", f'<tool_call>{{"name":"get_time","parameters":{UTC}}}</tool_call>', [("get_time", UTC)]),
    ("hermes", '<tool_call>{"name":"get_time","arguments":"{\\"tz\\":\\"UTC\\"}"}</tool_call>', [("get_time", UTC)]),
    ("hermes", '<tool_call>{"name":"ping"}</tool_call>', [("ping", "{}")]),
    ("hermes", '<tool_call>{"id":"x","type":"function","name":"ping","arguments":null}</tool_call>', [("ping", "{}")]),
    ("hermes", f'<tool_call>{{"name":"get_time","arguments":{UTC}}}', [("get_time", UTC)]),
    ("hermes", '<tool_call>[{"name":"ping","arguments":{}},{"name":"f","arguments":{"a":1}}]</tool_call>',
     [("ping", "{}"), ("f", '{"a":1}')]),
    ("hermes", "<scratch_pad>\nhm </scratch_pad>\n"
     '<tool_call>{"name":"ping","arguments":{}}</tool_call>',
     [("thought", "\nhm "), ("ping", "{}")]),
    # --- qwen3-coder
    ("qwen3-coder", "<tool_call>\n<function=get_time>\n<parameter=tz>\nUTC\n</parameter>\n</function>\n</tool_call>",
     [("get_time", UTC)]),
    ("qwen3-coder", "I look.\n<tool_call>\n<function=get_time>\n<parameter=tz>\nUTC\n</parameter>\n</function>\n"
     "<function=ping>\n</function>\n</tool_call>\nSo.",
     ["I look.", ("get_time", UTC), ("ping", "{}"), "So."]),
    ("qwen3-coder", "<function=write>\n<parameter=path>\na.html\n</parameter>\n<parameter=content>\n"
     '  <p id="x">\n</parameter> here</p>\n</tool_call>\n\n</parameter>\n<parameter=mode>\n420\n</parameter>\n'
     '</function>',
     [("write", '{"path":"a.html","content":"  <p id=\\"x\\">\\n</parameter> here</p>\\n'
     '</tool_call>\\n","mode":420}')]),
    ("qwen3-coder", "<tool_call><function=get_time><parameter=tz>UTC</parameter></function></tool_call>",
     [("get_time", UTC)]),
    ("qwen3-coder", "<tool_call>\n<function=write>\n<parameter=path>\na\n<parameter=content>\nb\n</function>\n"
     "</tool_call>",
     [("write", '{"path":"a","content":"b"}')]),
    ("qwen3-coder", "<tool_call>\n<function=ping>\n</function>\n</tool_call>", [("ping", "{}")]),
    # --- invoke
    ("invoke", '<function_calls>\n<invoke name="get_time">\n<parameter name="tz">UTC</parameter>\n</invoke>\n'
     "</function_calls>", [("get_time", UTC)]),
    ("invoke", f'Yes.\n<{NS}function_calls>\n<{NS}invoke name="get_time">\n<{NS}parameter name="tz">UTC</{NS}'
     f'parameter>\n'
     f'</{NS}invoke>\n<{NS}invoke name=\'ping\'>\n</{NS}invoke>\n</{NS}function_calls>\nAnd?',
     ["Yes.", ("get_time", UTC), ("ping", "{}"), "And?"]),
    ("invoke", '<invoke name="write">\n<parameter name="content">\n&lt;b&gt;\n "x" </invoke> \n</parameter>\n'
     '<parameter name="force">true</parameter>\n</invoke>',
     [("write", '{"content":"&lt;b&gt;\\n \\"x\\" </invoke> ","force":true}')]),
    ("invoke", f'<invoke name="f">{HARD}</invoke>', [("f", HARD)]),
    ("invoke", '<tool_call>\n<invoke name="ping"></invoke>\n</tool_call>', [("ping", "{}")]),
    # --- nullclaw
    ("nullclaw", f'<tool_call>{{"name":"get_time","arguments":{UTC}}}</tool_call>', [("get_time", UTC)]),
    ("nullclaw", f'A\n[TOOL_CALL]{{"name":"get_time","arguments":{UTC}}}[/TOOL_CALL] b '
     '[tool_call]{"name":"ping"}</tool_call> c', ["A", ("get_time", UTC), "b", ("ping", "{}"), "c"]),
    ("nullclaw", '<tool_call>\n<function=get_time>\n<parameter=tz>UTC</parameter>\n</function>\n</tool_call>',
     [("get_time", UTC)]),
    ("nullclaw", '<tool_call><invoke name="get_time"><parameter name="tz">UTC</parameter></invoke></tool_call>',
     [("get_time", UTC)]),
    ("nullclaw", '<tool_call>\n"name": "get_time",\n<parameter name="tz">UTC</parameter>\n</tool_call>',
     [("get_time", UTC)]),
    ("nullclaw", '<tool_call><tool name="ping"></tool></tool_call>', [("ping", "{}")]),
    ("nullclaw", '{"content":"Hi","tool_calls":[{"id":"1","type":"function","function":{"name":"get_time",'
     '"arguments":"{\\"tz\\":\\"UTC\\"}"}},{"name":"f","arguments":{"a":1}}]}',
     ["Hi", ("get_time", UTC), ("f", '{"a":1}')]),
    ("nullclaw", '<tool_call>{"name":"{\\"name\\":\\"f\\",\\"arguments\\":{\\"a\\":1}}"}</tool_call>',
     [("f", '{"a":1}')]),
    # --- deepseek
    ("deepseek-v3", f"{DS['calls begin']}{DS['call begin']}function{DS['sep']}get_time\n```json\n{UTC}"
     f"\n```{DS['call end']}"
     f"{DS['calls end']}", [("get_time", UTC)]),
    ("deepseek-v3", f"Ok{DS['calls begin']}{DS['call begin']}function{DS['sep']}f\n```json\n{HARD}"
     f"\n```{DS['call end']}\n"
     f"{DS['call begin']}function{DS['sep']}ping\n```json\n{{}}\n```{DS['call end']}{DS['calls end']}more",
     ["Ok", ("f", HARD), ("ping", "{}")]),
    ("deepseek-v31", f"{DS['calls begin']}{DS['call begin']}get_time{DS['sep']}{UTC}{DS['call end']}{DS['calls end']}",
     [("get_time", UTC)]),
    ("deepseek-v31", f"a {DS['call begin']}f{DS['sep']}{HARD}{DS['call end']}{DS['call begin']}ping{DS['sep']}"
     f"{DS['call end']}", ["a", ("f", HARD), ("ping", "{}")]),
    # --- dsml
    ("dsml", f'<{BAR}DSML{BAR}function_calls>\n<{BAR}DSML{BAR}invoke name="write">\n<{BAR}DSML{BAR}parameter'
     f' name="path" '
     f'string="true">a&lt;b</{BAR}DSML{BAR}parameter>\n<{BAR}DSML{BAR}parameter name="note" string="false">null'
     f"</{BAR}DSML{BAR}parameter>\n</{BAR}DSML{BAR}invoke>\n</{BAR}DSML{BAR}function_calls>",
     [("write", '{"path":"a<b","note":null}')]),
    ("dsml", '1\n<|DSML|tool_calls>\n<|DSML|invoke name="ping">\n</|DSML|invoke>\n<|DSML|invoke name="get_time">'
     '<|DSML|parameter name="tz" string="true">UTC</|DSML|parameter></|DSML|invoke>\n</|DSML|tool_calls>\n2',
     ["1", ("ping", "{}"), ("get_time", UTC), "2"]),
    ("dsml", f'<{BAR}{BAR}DSML{BAR}{BAR}tool_call>{{"name":"get_time","arguments":{UTC}}}</{BAR}{BAR}DSML{BAR}{BAR}'
     f'tool_call>',
     [("get_time", UTC)]),
    ("dsml", "x <|DSML|tool_use_error>boo</|DSML|tool_use_error> y", ["x  y"]),
    # --- llama
    ("llama3-json", '{"name": "get_time", "parameters": {"tz": "UTC"}}', [("get_time", '{"tz": "UTC"}')]),
    ("llama3-json", '\n {"name": "get_time", "parameters": {"tz": "UTC"}}; {"name": "ping", "parameters": {}}'
     '<|eot_id|>',
     [("get_time", '{"tz": "UTC"}'), ("ping", "{}")]),
    ("llama3-json", f'So: <|python_tag|>{{"type":"function","name":"f","parameters":{HARD}}}<|eom_id|>',
     ["So:", ("f", HARD)]),
    ("llama3-json", '<|python_tag|>get_time.call(tz="UTC")', [("get_time", UTC)]),
    ("llama3-json", '{"answer": {"name": "get_time"}}', ['{"answer": {"name": "get_time"}}']),
    ("llama3-func", '<function=get_time>{"tz": "UTC"}</function>', [("get_time", '{"tz": "UTC"}')]),
    ("llama3-func", f'a <function=get_time{UTC}</function> <function=f>{HARD}<function> b',
     ["a", ("get_time", UTC), ("f", HARD), "b"]),
    ("llama3-func", f"<function(get_time)>{UTC}", [("get_time", UTC)]),
    # --- pythonic
    ("pythonic", '[get_time(tz="UTC"), f(a=1, b=[True, None], c={"x": 07, \'y\': "\\x41\\d"})]',
     [("get_time", UTC), ("f", '{"a":1,"b":[true, null],"c":{"x": 7, "y": "\\u0041\\\\d"}}')]),
    ("pythonic", "Ok <|python_start|>[ping(), f(from=1, b='it\\'s \"x\"\n)]')]<|python_end|>",
     ["Ok", ("ping", "{}"), ("f", '{"from":1,"b":"it\'s \\"x\\"\\n)]"}')]),
    ("pythonic", '<function_calls>\nget_time(tz="UTC")\nping()\n</function_calls>',
     [("get_time", UTC), ("ping", "{}")]),
    ("pythonic", '```tool_code\nget_time("UTC")\n```', [("get_time", UTC)]),
    ("pythonic", 'a <|tool_call_start|>[get_time(tz="UTC")]<|tool_call_end|>[get_time(tz="UTC")]<|tool_call_end|> b',
     ["a", ("get_time", UTC), "b"]),
    ("pythonic", "[1, 2]", ["[1, 2]"]),
    # --- mistral
    ("mistral-v3", '[TOOL_CALLS] [{"name": "get_time", "arguments": {"tz": "UTC"}, "id": "aB3dE5gH7"}]',
     [("get_time", '{"tz": "UTC"}', "aB3dE5gH7")]),
    ("mistral-v3", f'Ok[TOOL_CALLS][{{"name":"f","arguments":{HARD}'
     f'}},{{"id":"abcdefghi","name":"ping","arguments":{{}}}}] bye',
     ["Ok", ("f", HARD), ("ping", "{}", "abcdefghi"), "bye"]),
    ("mistral-v11", f'[TOOL_CALLS]get_time{UTC}[TOOL_CALLS]f{HARD}', [("get_time", UTC), ("f", HARD)]),
    ("mistral-v11", f"Hm. [TOOL_CALLS]get_time[CALL_ID]aB3dE5gH7[ARGS]{UTC}[TOOL_CALLS]ping[ARGS]{{}}",
     ["Hm.", ("get_time", UTC, "aB3dE5gH7"), ("ping", "{}")]),
    ("mistral-v11", f"get_time{UTC}", [("get_time", UTC)]),
    # --- kimi
    ("kimi-k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>"
     f"{UTC}<|tool_call_end|><|tool_calls_section_end|>", [("get_time", UTC, "functions.get_time:0")]),
    ("kimi-k2", "Ok<|tool_call_section_begin|><|tool_call_begin|> functions.f:3 <|tool_call_argument_begin|> "
     f"{HARD} <|tool_call_end|>\n<|tool_call_begin|>functions.ping:4<|tool_call_argument_begin|>{{}}<|tool_call_end|>"
     "<|tool_call_section_end|>left out", ["Ok", ("f", HARD, "functions.f:3"), ("ping", "{}", "functions.ping:4")]),
    ("kimi-k2", f"<|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>{UTC}<|tool_call_end|> ok",
     [("get_time", UTC, "functions.get_time:0"), "ok"]),
    ("kimi-k2", f"functions.get_time:0{UTC}", [("get_time", UTC, "functions.get_time:0")]),
    ("kimi-k3", "<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>response<|sep|>Hi <|close|> x<|close|>response"
     "<|sep|>"
     '<|open|>tools<|sep|><|open|>call tool="write" index="1"<|sep|><|open|>argument key="path" type="string"<|sep|>'
     '"a"\n<|close|>argument<|sep|><|open|>argument key="meta" type="object"<|sep|>{"n": [1]}<|close|>argument<|sep|>'
     '<|close|>call<|sep|><|open|>call tool="ping" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
     [("thought", "hm"), "Hi <|close|> x", ("write", '{"path":"\\"a\\"\\n","meta":{"n": [1]}}'), ("ping", "{}")]),
    # --- glm45
    ("glm45", "<tool_call>get_time\n<arg_key>tz</arg_key>\n<arg_value>UTC</arg_value>\n</tool_call>",
     [("get_time", UTC)]),
    ("glm45", "Ok.\n<tool_call>write<arg_key> content </arg_key><arg_value>\nx </tool_call> y</arg_value>"
     "<arg_key>mode</arg_key><arg_value>7</arg_value><arg_key>tags</arg_key><arg_value>[\"a\"]<arg_key>force</arg_key>"
     "<arg_value>False</arg_value></tool_call><tool_call>ping</tool_call>\nSo.",
     ["Ok.", ("write", '{"content":"\\nx </tool_call> y","mode":7,"tags":["a"],"force":false}'),
      ("ping", "{}"), "So."]),
    # --- minimax
    ("minimax-m2", '<minimax:tool_call>\n<invoke name="get_time">\n<parameter name="tz">UTC</parameter>\n</invoke>\n'
     '<invoke name="ping">\n</invoke>\n</minimax:tool_call>', [("get_time", UTC), ("ping", "{}")]),
    ("minimax-m3", f'{M3}<tool_call>\n{M3}<invoke name="get_time">\n{M3}<tz>UTC{M3}</tz>\n{M3}</invoke>\n{M3}'
     f'</tool_call>',
     [("get_time", UTC)]),
    ("minimax-m3", f'a{M3} b {M3}<tool_call>{M3}<invoke name="write">{M3}<content>1 <br> 2</content>{M3}<meta>{M3}'
     f'<x>1</x>'
     f"{M3}<l>{M3}<i>a{M3}</i>{M3}<i>b{M3}</i>{M3}</l>{M3}</meta>{M3}</invoke>{M3}<invoke name=\"ping\">{M3}</invoke>"
     f"{M3}</tool_call> c",
     ["a b", ("write", '{"content":"1 <br> 2","meta":{"x":1,"l":["a","b"]}}'), ("ping", "{}"), "c"]),
    ("minimax-m1", f'<tool_calls>\n{{"name": "get_time", "arguments": {UTC}}}\n{{"name": "ping", "arguments": {{}}}}\n'
     "</tool_calls> x", [("get_time", UTC), ("ping", "{}"), "x"]),
    # --- harmony
    ("harmony", "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>I look."
     "<|end|><|start|>assistant<|channel|>commentary to=functions.get_time <|constrain|>json<|message|>"
     f"{UTC}<|call|>", [("thought", "hm"), "I look.", ("get_time", UTC)]),
    ("harmony", f"<|start|>assistant to=functions.f<|channel|>commentary<|message|>{HARD}<|call|><|start|>assistant"
     "<|channel|>commentary to=functions.functions.ping<|constrain|>JSON<|message|>{}<|call|>",
     [("f", HARD), ("ping", "{}")]),
    ("harmony", "<|channel|>final<|message|>Hello <b> there<|return|>", ["Hello <b> there"]),
    ("harmony", "<|channel|>analysis to=python <|constrain|>code<|message|>1+1<|call|>", [("thought", "1+1")]),
    # --- gemma
    ("gemma4", '<|tool_call>call:get_time{tz:<|"|>UTC<|"|>}<tool_call|>', [("get_time", UTC)]),
    ("gemma4", 'x <|tool_call>call:f{a:42,b:{c:<|"|>say "hi"\\n}<|"|>,d:[true,null]}}<tool_call|>'
     '<|tool_call>call:ping{}'
     "<tool_call|>", ["x", ("f", '{"a":42,"b":{"c":"say \\"hi\\"\\\\n}","d":[true,null]}}'), ("ping", "{}")]),
    ("gemma4", "<start_function_call>call:get_time{tz:<escape>UTC<escape>}<end_function_call>", [("get_time", UTC)]),
    # --- lists of objects
    ("phi4-mini", f'Ok functools[{{"name": "get_time", "arguments": {UTC}}}, {{"name": "ping", "parameters": {{}}}}]',
     ["Ok", ("get_time", UTC), ("ping", "{}")]),
    ("granite", f'<|tool_call|>[{{"name":"get_time","arguments":{UTC}}},{{"name":"f","arguments":{HARD}}}]',
     [("get_time", UTC), ("f", HARD)]),
    ("granite", f'<tool_call>{{"name":"get_time","arguments":{UTC}}}</tool_call>', [("get_time", UTC)]),
    ("granite", f'<function_call> {{"name":"get_time","arguments":{UTC}}}', [("get_time", UTC)]),
    ("cohere", f'<|START_RESPONSE|>Hi<|END_RESPONSE|><|START_ACTION|>[{{"tool_call_id":"0","tool_name":"get_time",'
     f'"parameters":{UTC}}}, {{"tool_call_id":"1","tool_name":"ping","parameters":{{}}}}]<|END_ACTION|>',
     ["Hi", ("get_time", UTC), ("ping", "{}")]),
    ("internlm", f'Ok<|action_start|><|plugin|>\n{{"name": "get_time", "parameters": {UTC}}}<|action_end|>\n',
     ["Ok", ("get_time", UTC)]),
    ("jamba", f'<tool_calls>[{{"name": "get_time", "arguments": {UTC}}}]</tool_calls>', [("get_time", UTC)]),
    ("seed-oss", "<seed:tool_call>\n<function=get_time>\n<parameter=tz>UTC</parameter>\n</function>\n<function=ping>\n"
     "</function>\n</seed:tool_call>", [("get_time", UTC), ("ping", "{}")]),
    ("xlam", f'[{{"name": "get_time", "arguments": {UTC}}}, {{"name": "ping", "arguments": {{}}}}]',
     [("get_time", UTC), ("ping", "{}")]),
    ("nemotron-nano", f'a <TOOLCALL>[{{"name": "get_time", "arguments": {UTC}}}]</TOOLCALL>', ["a", ("get_time", UTC)]),
    ("functionary", f">>>all\nHi\n>>>get_time\n{UTC}\n>>>ping\n{{}}", ["Hi", ("get_time", UTC), ("ping", "{}")]),
    ("command-r", 'I look.\nAction: ```json\n[\n  {"tool_name": "get_time", "parameters": {"tz": "UTC"}}\n]\n```',
     ["I look.", ("get_time", '{"tz": "UTC"}')]),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "expected"), ROWS)
def test_a_form(form: str, text: str, expected: list[Found]) -> None:
    assert everywhere(text, form) == (expected, [])


WRAPPED = {"cohere", "dsml", "functionary", "harmony", "kimi-k3", "minimax-m3"}
"""Forms whose markup surrounds more than calls; it is no text."""


@pytest.mark.parametrize("form", sorted(set(TEXT_FORMS) - WRAPPED))
def test_what_is_cut_off_is_neither_lost_nor_made_up(form: str) -> None:
    """Wherever the answer ends: a call of an offered tool has come, or the text is what it was."""
    for _, text, _ in (row for row in ROWS if row[0] == form):
        for end in range(1, len(text)):
            found = read(text[:end], form, finish="length")
            if all(isinstance(part, str) for part in found):
                assert "".join(map(str, found)) == text[:end] or text[:end] == "<scratch_pad>"
            for part in found:
                assert part in text[:end] if isinstance(part, str) else part[0] in (*TOOLS, "thought")


NO_MARK = ("{", "\n {", "[{", "[get", "[1", "get_time", "functions.")
MARKED = [row for row in ROWS if not row[1].startswith(NO_MARK)]
BARE = [row for row in ROWS if row[1].startswith(NO_MARK)]


@pytest.mark.parametrize(("form", "text", "expected"), MARKED)
def test_auto_knows_the_form_by_its_marks(form: str, text: str, expected: list[Found]) -> None:
    assert everywhere(text, "auto", every_split=False) == (expected, [])


@pytest.mark.parametrize(("form", "text", "expected"), BARE)
def test_auto_leaves_what_has_no_mark(form: str, text: str, expected: list[Found]) -> None:
    assert everywhere(text.partition(";")[0], "auto") == ([text.partition(";")[0]], [])


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_every_form_has_rows(form: str) -> None:
    assert any(isinstance(part, tuple) and len(part) > 1 for row in ROWS if row[0] == form for part in row[2])


def test_the_table_of_forms_is_that_of_the_configuration() -> None:
    assert set(TEXT_FORMS) == FORMS


ALIKE = [
    {"hermes", "granite", "nullclaw"},
    {"qwen3-coder", "nullclaw", "seed-oss"},
    {"llama3-func", "qwen3-coder", "nullclaw"},
    {"invoke", "minimax-m2", "nullclaw"},
    {"deepseek-v3", "deepseek-v31"},
    {"mistral-v3", "mistral-v11", "kimi-k2"},
    {"minimax-m1", "jamba"},
]
"""Forms that read what others of their group write."""


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_a_form_that_is_not_asked_for_is_text(form: str) -> None:
    for other, text, _ in ROWS:
        if other != form and not any({other, form} <= group for group in ALIKE):
            calls = [part for part in read(text, form) if isinstance(part, tuple) and part[0] != "thought"]
            assert calls == [], (other, text)
