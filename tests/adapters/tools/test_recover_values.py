"""How values are read: parameters in tags by their types, JSON as models write it (text-tool-calls §4)."""

from __future__ import annotations

import json

import pytest

from tests.adapters.tools.recovering import Found, everywhere

# --- parameters in tags ------------------------------------------------------------------------------------------

TYPED = [
    # a declared string is never converted
    ("path", "123", '"123"'),
    ("path", "true", '"true"'),
    ("path", "null", '"null"'),
    ("path", "None", '"None"'),
    ("path", '"quoted"', '"\\"quoted\\""'),
    ("path", '{"a": 1}', '"{\\"a\\": 1}"'),
    ("path", "", '""'),
    ("path", "  two  spaces  ", '"  two  spaces  "'),
    ("path", "日本\té\\n", '"日本\\té\\\\n"'),
    # integers
    ("mode", "420", "420"),
    ("mode", " -7 ", "-7"),
    ("mode", "5.0", "5"),
    ("mode", "5.5", '"5.5"'),
    ("mode", "007", '"007"'),
    ("mode", "123456789012345678901234567890", "123456789012345678901234567890"),
    # numbers keep their digits
    ("ratio", "0.10", "0.10"),
    ("ratio", "1e-7", "1e-7"),
    ("ratio", ".5", '".5"'),
    # booleans
    ("force", "true", "true"),
    ("force", "True", "true"),
    ("force", "1", '"1"'),
    # arrays and objects, also as Python writes them
    ("tags", '["a", "b"]', '["a", "b"]'),
    ("tags", "['a', \"b's\", None]", '["a", "b\'s", null]'),
    ("tags", "[1, 12345678901234567890123]", "[1, 12345678901234567890123]"),
    ("tags", "a, b", '"a, b"'),
    ("tags", "[open", '"[open"'),
    ("meta", '{"x": {"y": [true]}}', '{"x": {"y": [true]}}'),
    ("meta", "{'x': False, }", '{"x": false}'),
    ("meta", "[1]", '"[1]"'),
    # several types, in the order null, boolean, integer, number, array, object, string
    ("note", "null", "null"),
    ("note", "nul", '"nul"'),
    ("either", "5", "5"),
    ("either", "five", '"five"'),
    # nothing is known of the parameter
    ("other", "5", "5"),
    ("other", "true", "true"),
    ("other", "null", '"null"'),
    ("other", "text", '"text"'),
    ("other", '"text"', '"\\"text\\""'),
    ("other", "[1]", "[1]"),
]


@pytest.mark.parametrize(("name", "text", "expected"), TYPED)
def test_a_value_by_its_type(name: str, text: str, expected: str) -> None:
    xml = f"<function=write>\n<parameter={name}>\n{text}\n</parameter>\n</function>"
    assert everywhere(xml, "qwen3-coder")[0] == [("write", f'{{"{name}":{expected}}}')]
    json.loads(expected)


@pytest.mark.parametrize(("name", "text", "expected"), TYPED)
def test_the_same_on_one_line(name: str, text: str, expected: str) -> None:
    invoked = f'<invoke name="write"><parameter name="{name}">{text}</parameter></invoke>'
    assert everywhere(invoked, "invoke", every_split=False)[0] == [("write", f'{{"{name}":{expected}}}')]


def value(body: str) -> str:
    return f"<function=write>\n<parameter=content>{body}"


CLOSE = "\n</parameter>\n</function>"
LINES = [
    (value(f"\n\n\n  a\n\n{CLOSE}"), "\n\n  a\n\n"),
    (value(f"\n{CLOSE}"), ""),
    (value(f"\na </parameter> b{CLOSE}"), "a </parameter> b"),
    (value(f"\na\n</parameter> b{CLOSE}"), "a\n</parameter> b"),
    (value(f"\n<b>&amp;</b>{CLOSE}"), "<b>&amp;</b>"),
    (value(f"\n</function>\nmore{CLOSE}"), "</function>\nmore"),
    (value(f"\n<parameter=unknown>\nx{CLOSE}"), "<parameter=unknown>\nx"),
    (value(f"\n<parameter=pathological{CLOSE}"), "<parameter=pathological"),
    (value("\na</parameter>\n</function>"), "a"),
    (value("\na</parameter></function>\n</parameter>\n</function>"), "a</parameter></function>"),
    (value("a</parameter>   </function>"), "a"),
    (value("\na\n</function>"), "a"),
    (value("\na\n</parameter>"), "a"),
    (value("\na\n</parameter>   "), "a"),
]


@pytest.mark.parametrize(("text", "content"), LINES)
def test_where_a_value_begins_and_ends(text: str, content: str) -> None:
    assert everywhere(text, "qwen3-coder") == ([("write", json.dumps({"content": content}, separators=(",", ":")))], [])


def test_a_parameter_that_comes_twice_counts_once() -> None:
    text = '<invoke name="f"><parameter name="a">1</parameter><parameter name="a">2</parameter></invoke>'
    assert everywhere(text, "invoke") == (
        [("f", '{"a":1}')], ["call of f, read from the text, repaired: repeated_parameter"]
    )  # fmt: skip


def test_a_call_without_the_tags_ends_at_the_text_behind_it() -> None:
    text = "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\nand so on"
    assert everywhere(text, "qwen3-coder")[0] == [("f", '{"a":1}'), "and so on"]


# --- JSON --------------------------------------------------------------------------------------------------------

MENDED = [
    ('{"a":1,}', '{"a":1}', "trailing_comma"),
    ('{"a":[1, 2, ] }', '{"a":[1, 2] }', "trailing_comma"),
    ('{"a":"x\ny\tz"}', '{"a":"x\\ny\\tz"}', "control_characters"),
    ("{'a': 'it\\'s \"b\"'}", '{"a": "it\'s \\"b\\""}', "single_quotes, escapes"),
    ('{"a":True,"b":None}', '{"a":true,"b":null}', "python_literals"),
    ('{"a":"\\d+ \\x41 \\u00e9 \\uzz"}', '{"a":"\\\\d+ \\u0041 \\u00e9 \\\\uzz"}', "escapes"),
    ('{"a":+07,"b":.5}', '{"a":7,"b":0.5}', "numbers"),
]


@pytest.mark.parametrize(("written", "mended", "name"), MENDED)
def test_notation_is_mended_on_the_way(written: str, mended: str, name: str) -> None:
    found, warnings = everywhere(f'<tool_call>{{"name":"f","arguments":{written}}}</tool_call>', "hermes")
    assert found == [("f", mended)]
    assert warnings == [f"call of f, read from the text, repaired: {name}"]
    json.loads(mended)


UNTOUCHED = [
    '{ "a" : 1 , "b":[ ] }',
    '{"a":12345678901234567890123456789,"b":-0.0e+10}',
    '{"a":"\\u0041\\/\\n","b":"\\ud83d\\ude00"}',
    '{"a":"</tool_call>{\\"name\\":\\"f\\"}"}',
    '{"a":{"a":{"a":{}}},"a":1}',
]


@pytest.mark.parametrize("arguments", UNTOUCHED)
def test_valid_json_is_not_touched(arguments: str) -> None:
    text = f'<tool_call>{{"name":"f","arguments":{arguments}}}</tool_call>'
    assert everywhere(text, "hermes") == ([("f", arguments)], [])


NO_JSON = "call of f, read from the text: its arguments are no JSON object"
UNCLOSED = "call of f, read from the text, repaired: missing_closers"
BROKEN: list[tuple[str, list[Found], list[str]]] = [
    ('{"name":"f","arguments":{"a":1}</tool_call> x', [("f", '{"a":1}'), "x"], [UNCLOSED]),
    ('{"name":"f","arguments":{"a":[1</tool_call> x', [("f", '{"a":[1]}'), "x"], [UNCLOSED]),
    ('{"name":"f","arguments":{"a" 1}}</tool_call> x', [("f", '{"a" 1}'), "x"], [NO_JSON]),
    ('{"name":"f","arguments":{"a": b}}</tool_call>', [("f", '{"a": b}')], [NO_JSON]),
    ('{"name":"f","arguments":{"a": {b: 1}, }}</tool_call>', [("f", '{"a": {b: 1}, }')], [NO_JSON]),
    ('{"name":"f","arguments":7}</tool_call>', [("f", "7")], [NO_JSON]),
    ('{"name":"f","arguments":"no"}</tool_call>', [("f", "no")], [NO_JSON]),
    ('{"name":"f","arguments":"{\\"a\\": True}"}</tool_call>', [("f", '{"a": true}')],
     ["call of f, read from the text, repaired: notation"]),
    ('{"name":"f","arguments":""}</tool_call>', [("f", "{}")], []),
    ("{'name':'f','arguments':{}}</tool_call>", [("f", "{}")],
     ["call of f, read from the text, repaired: single_quotes"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected", "warnings"), BROKEN)
def test_broken_json(body: str, expected: list[Found], warnings: list[str]) -> None:
    assert everywhere(f"<tool_call>{body}", "hermes") == (expected, warnings)


def test_nesting_has_a_limit() -> None:
    deep = '{"a":' + "[" * 64 + "]" * 64 + "}"
    text = f'<tool_call>{{"name":"f","arguments":{deep}}}</tool_call>'
    found, warnings = everywhere(text, "hermes", every_split=False)
    assert (found, warnings) == ([("f", deep)], [NO_JSON])
    fine = '{"a":' + "[" * 63 + "]" * 63 + "}"
    assert everywhere(f"[TOOL_CALLS]f{fine}", "mistral-v11", every_split=False) == ([("f", fine)], [])


# --- Python ------------------------------------------------------------------------------------------------------

PYTHON = [
    ("write(path='a', mode=-1)", "write", '{"path":"a","mode":-1}'),
    ('write("a", "b", 3)', "write", '{"path":"a","content":"b","mode":3}'),
    ('write("a", force=True, note=None)', "write", '{"path":"a","force":true,"note":null}'),
    ("f(a={'k': [1, 2.5]}, b=\"two\nlines\")", "f", '{"a":{"k": [1, 2.5]},"b":"two\\nlines"}'),
    ("f(True, None, [])", "f", '{"a":true,"b":null,"c":[]}'),
    ("f(class='x', from=1)", "f", '{"class":"x","from":1}'),
    ("f(a=1, )", "f", '{"a":1}'),
    ("tools.ping( )", "ping", "{}"),
]


@pytest.mark.parametrize(("text", "name", "arguments"), PYTHON)
def test_python_calls(text: str, name: str, arguments: str) -> None:
    assert everywhere(f"[{text}]", "pythonic") == ([(name, arguments)], [])


@pytest.mark.parametrize("text", ["[nope(a=1)]", "[f]", "[f, g]", "[see f(x) there]", '["f(a=1)"]'])
def test_other_lists_are_text(text: str) -> None:
    assert everywhere(text, "pythonic") == ([text], [])
