"""Repairs: each by itself, then a corpus of what models write, then what must hold for any text."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.tools import repair
from adapters.tools.check import VALID, Invalid, check
from adapters.tools.repair import MAX_MENDED, Mended, mend, parted

CORPUS = Path(__file__).parents[3] / "fixtures" / "tool-calls"
BOOK = json.dumps(json.loads((CORPUS / "tool.json").read_text())["schema"]).encode()
ROWS = [
    (f"{file.stem}-{number}", row)
    for file in sorted(CORPUS.glob("*.json"))
    if file.stem != "tool"
    for number, row in enumerate(json.loads(file.read_text()), 1)
]


@pytest.mark.parametrize("row", [row for _, row in ROWS], ids=[name for name, _ in ROWS])
def test_corpus(row):
    verdict = check(BOOK, row["text"])
    mended = mend(BOOK, row["text"], row.get("ended", True))
    match row["expect"]:
        case "valid":
            assert verdict == VALID and mended is None
        case "invalid":
            assert isinstance(verdict, Invalid) and mended is None
        case "repaired":
            assert isinstance(verdict, Invalid)
            assert mended == Mended(row["arguments"], tuple(row["repairs"]))
            assert check(BOOK, mended.arguments) == VALID


def test_the_corpus_is_what_it_should_be():
    expected = [row["expect"] for _, row in ROWS]
    assert len(ROWS) >= 120 and expected.count("invalid") >= 30
    assert sum(name.startswith("cut-at-every-byte") for name, _ in ROWS) >= 20
    used = {name for _, row in ROWS for name in row.get("repairs", ())}
    assert used == REPAIRS - {"name_in_other_case", "concatenated_objects"}, "every repair has a text"
    assert all(row["from"] for _, row in ROWS)


REPAIRS = {
    "code_fence", "doubled_encoding", "placeholder", "repeated_object", "trailing_comma", "control_characters",
    "single_quotes", "python_literals", "extra_closers", "missing_closers", "number_as_text", "boolean_as_text",
    "object_as_text", "array_as_text", "null_for_absent", "name_in_other_case", "concatenated_objects",
}  # fmt: skip


def test_the_documentation_lists_every_repair():
    page = (CORPUS.parents[1] / "docs" / "tool-check.md").read_text()
    assert {name for name in REPAIRS if f"`{name}`" in page} == REPAIRS


@pytest.mark.parametrize(
    "text, expected",
    [
        ('{"city":"Rome"}{"city":"Oslo"}', ['{"city":"Rome"}', '{"city":"Oslo"}']),
        (' {"city":"Rome"}\n{"city":"a } b"} {"city":"\\u00e9"}',
         ['{"city":"Rome"}', '{"city":"a } b"}', '{"city":"\\u00e9"}']),
        ('{"city":"Rome"}{"city":"Ro', []),
        ('{"city":"Rome"}{"city":"Ro"', []),
        ('{"city":"Rome"}{"city":5}', []),
        ('{"city":"Rome"}{}', []),
        ('{"city":"Rome"}{"city":"Oslo"}{"city":"Rome"}', []),
        ('{"city":"Rome"},{"city":"Oslo"}', []),
        ('[{"city":"Rome"}{"city":"Oslo"}]', []),
        ('{"city":"Rome"}{"city":"Oslo"} so', []),
        ('{"city":"Rome"}', []),
        ("", []),
    ],
)
def test_objects_in_a_row_are_calls_where_each_is_complete_and_valid(text, expected):
    """Byte for byte; two that are alike may be one call said twice."""
    assert parted(BOOK, text) == expected
    assert parted(BOOK, '{"city":"' + "x" * MAX_MENDED + '"}{"city":"y"}') == []


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("code_fence", "```json\n{}\n```", "{}"),
        ("code_fence", "```\n{}", "{}"),
        ("code_fence", "{}", None),
        ("code_fence", "a ```{}```", None),
        ("doubled_encoding", '"{}"', "{}"),
        ("doubled_encoding", '"a"', None),
        ("doubled_encoding", '"{}', None),
        ("doubled_encoding", "{}", None),
        ("placeholder", '{}{"a":1}', '{"a":1}'),
        ("placeholder", '{"a":1}{}', None),
        ("placeholder", "{}{}", None),
        ("placeholder", '{}{"a":1}{"a":2}', None),
        ("repeated_object", "{}{}", "{}"),
        ("repeated_object", '{"a":1}{"a":1.0}', None),
        ("repeated_object", '{"a":1}{"a":true}', None),
        ("repeated_object", '{"a":1},{"a":1}', None),
        ("repeated_object", '{"a":1}', None),
        ("repeated_object", "", None),
    ],
)
def test_repairs_of_the_whole_text(name, text, expected):
    assert getattr(repair, name)(text) == expected


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("trailing_comma", '{"a":[1,],}', '{"a":[1]}'),
        ("trailing_comma", '{"a":1 , }', '{"a":1  }'),
        ("trailing_comma", '{"a":",}"}', None),
        ("trailing_comma", "[,]", None),
        ("trailing_comma", '{"a":,}', None),
        ("trailing_comma", "[1,,]", None),
        ("control_characters", '{"a\n":"b\tc"}', '{"a\\n":"b\\tc"}'),
        ("control_characters", '{"a":"\\\n"}', None),
        ("control_characters", '{"a":\n"b"}', None),
        ("single_quotes", "{'a':'b\"c'}", '{"a":"b\\"c"}'),
        ("single_quotes", "{'a':'b\\\"c'}", '{"a":"b\\"c"}'),
        ("single_quotes", '{"a":"it\'s"}', None),
        ("single_quotes", '{"a":"it\\\'s"}', '{"a":"it\'s"}'),
        ("python_literals", '{"a":[True,None],"True":False}', '{"a":[true,null],"True":false}'),
        ("python_literals", '{"a":"None"}', None),
        ("extra_closers", "{}}", "{}"),
        ("extra_closers", "{} ] } ", "{}"),
        ("extra_closers", "{}", None),
        ("extra_closers", "{} a }", None),
        ("extra_closers", "{}{", None),
        ("missing_closers", '{"a":["b"', '{"a":["b"]}'),
        ("missing_closers", '{"a":{"b":null', '{"a":{"b":null}}'),
        ("missing_closers", '{"a":[]', '{"a":[]}'),
        ("missing_closers", "{", None),
        ("missing_closers", '{"a":', None),
        ("missing_closers", '{"a":"b",', None),
        ("missing_closers", '{"a":1', None),
        ("missing_closers", '{"a":["b"}', None),
        ("missing_closers", "{}", None),
    ],
)
def test_repairs_of_notation(name, text, expected):
    mended = getattr(repair, name)(repair._tokens(text))
    assert (None if mended is None else "".join(mended)) == expected


@pytest.mark.parametrize("text", ['{"a', "{'a", '{"a":"b\\"}', "{'a':'it's'}"])
def test_a_string_without_its_end_is_no_text_to_mend(text):
    assert repair._tokens(text) is None


def test_long_arguments_are_not_mended():
    long = '{"city":"' + "x" * MAX_MENDED + '",}'
    assert mend(BOOK, long, True) is None
    assert mend(BOOK, long.replace("x" * 100, "x", 1), True) is not None


def test_a_call_that_cannot_be_checked_is_not_mended():
    assert mend(b'{"properties":{"a":{"type":"text"}}}', '{"a":1,}', True) is None


@pytest.mark.parametrize(
    "schema, text, expected",
    [
        ({}, '{"a":1,}', '{"a":1}'),
        (None, '{"a":"1",}', '{"a":"1"}'),
        ({"required": ["a"], "properties": {"a": {"type": ["string", "null"]}}}, '{"a":null}', None),
        ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, '{"a":null}', None),
        ({"additionalProperties": {"type": "integer"}}, '{"a":"1","b":null,"c":2}', '{"a":1,"c":2}'),
        ({"properties": {"a": {"type": ["integer", "boolean"]}}}, '{"a":"true"}', '{"a":true}'),
        ({"properties": {"a": {"type": "integer", "minimum": 5}}}, '{"a":"3"}', None),
        ({"properties": {"a": {"type": "integer", "enum": [1, 2]}}}, '{"a":"2"}', '{"a":2}'),
        ({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "boolean"}]}}}, '{"a":"7"}', '{"a":7}'),
        ({"properties": {"a": {"items": {"properties": {"b": {"type": "number"}}}}}}, '{"a":[{"b":"1e3"}]}',
         '{"a":[{"b":1000.0}]}'),
        ({"properties": {"a": {"type": "number"}}}, '{"a":"1e999"}', None),
        ({"properties": {"a": {"type": "object"}}}, '{"a":"[1]"}', None),
        ({"properties": {"a": {"type": "array", "items": {"type": "boolean"}}}}, '{"a":"[\\"true\\"]"}',
         '{"a":[true]}'),
        ({"properties": {"a": {"type": "integer"}}, "type": "object"}, '{"b":1.10,"a":"1"}', '{"b":1.1,"a":1}'),
    ],
)
def test_values_by_their_schema(schema, text, expected):
    mended = mend(json.dumps(schema).encode(), text, True)
    assert (None if mended is None else mended.arguments) == expected


def test_many_values_at_once():
    schema = json.dumps({"properties": {"a": {"items": {"type": "integer"}}}}).encode()
    text = json.dumps({"a": [str(number) for number in range(600)]})
    assert mend(schema, text, True) == Mended(
        json.dumps({"a": list(range(600))}, separators=(",", ":")), ("number_as_text",)
    )
    assert mend(schema, json.dumps({"a": ["1", *[1] * 5000]}), True) is None, "it takes too long to say what is wrong"


# --- for any text ------------------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["1", "1e999", "true", "null", "{}", "[]", "", "a'b", 'a"b', "\n", "True", "}", ",}"])
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])
NODES = st.recursive(
    TYPES.map(lambda name: {"type": name}) | st.just({}),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("abcd"), inner, max_size=3).map(lambda p: {"type": "object", "properties": p}),
        inner.map(lambda item: {"type": "array", "items": item}),
        st.lists(inner, min_size=1, max_size=3).map(lambda branches: {"anyOf": branches}),
    ),
    max_leaves=6,
)
SCHEMAS = st.builds(
    lambda properties, required: {"type": "object", "properties": properties, "required": required},
    st.dictionaries(st.sampled_from("abcd"), NODES, max_size=4),
    st.lists(st.sampled_from("abcd"), unique=True, max_size=2),
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)
DAMAGES = st.sampled_from(
    [
        lambda text: text,
        lambda text: text.replace("}", ",}"),
        lambda text: text.replace('"', "'"),
        lambda text: text.replace("true", "True").replace("null", "None"),
        lambda text: text[:-1],
        lambda text: text + "}",
        lambda text: text + text,
        lambda text: "{}" + text,
        lambda text: f"```json\n{text}\n```",
        json.dumps,
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(":", "", 1),
    ]
)


@settings(max_examples=200)
@given(schema=SCHEMAS, value=OBJECTS, damages=st.lists(DAMAGES, max_size=3), ended=st.booleans())
def test_a_repair_never_changes_a_valid_call_and_its_result_is_valid(schema, value, damages, ended):
    source, text = json.dumps(schema).encode(), json.dumps(value)
    for damage in damages:
        text = damage(text)
    mended = mend(source, text, ended)
    if not isinstance(check(source, text), Invalid):
        assert mended is None
    elif mended is not None:
        assert check(source, mended.arguments) == VALID
        assert mended.repairs and set(mended.repairs) <= REPAIRS
        assert mend(source, mended.arguments, ended) is None


@settings(max_examples=200)
@given(text=st.text(alphabet="{}[]:,\"'\\ab1TrueNone`\n ", max_size=30), ended=st.booleans())
def test_any_text(text, ended):
    mended = mend(b"null", text, ended)
    assert mended is None or check(b"null", mended.arguments) == VALID


@settings(max_examples=200)
@given(value=OBJECTS.filter(bool), cut=st.integers(1, 200))
def test_a_cut_text_is_not_mended(value, cut):
    """Whatever the schema: a text that the limit ended in the middle of its object stays as it is."""
    text = json.dumps(value)
    if cut < len(text):
        assert mend(b"null", text[:cut], ended=False) is None
