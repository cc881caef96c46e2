"""Arguments against schemas of every quality: what is valid, what is not, what cannot be said."""

import http.server
import json
import threading
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.tools import check as module
from adapters.tools.check import MAX_ARGUMENTS, MAX_SCHEMA, VALID, Invalid, Unchecked, check, check_text, compiled


def text(schema):
    return json.dumps(schema).encode()


def object_of(**properties):
    return {"type": "object", "properties": properties, "additionalProperties": False}


CITY = text({**object_of(city={"type": "string"}, days={"type": "integer"}), "required": ["city"]})

KIDS = text({"properties": {"kids": {"items": {"$ref": "#"}}}, "required": ["kids"]})


@pytest.mark.parametrize(
    "schema, arguments, reason",
    [
        (CITY, '{"city":"Rome"}', None),
        (CITY, ' {"city": "Rome", "days": 3}\n', None),
        (CITY, '{"city":"Rome","days":3.0}', None),
        (CITY, '{"city":"Rome","days":123456789012345678901234567890}', None),
        (CITY, '{"city":"a","city":"b"}', None),
        (CITY, "{}", "schema: required"),
        (CITY, "", "schema: required"),
        (CITY, '{"city":5}', "schema: properties.city.type"),
        (CITY, '{"city":"Rome","days":"3"}', "schema: properties.days.type"),
        (CITY, '{"city":"Rome","days":3.5}', "schema: properties.days.type"),
        (CITY, '{"city":"Rome","days":true}', "schema: properties.days.type"),
        (CITY, '{"city":"Rome","day":3}', "schema: additionalProperties"),
        (CITY, '{"city":"Ro', "no JSON"),
        (CITY, "Rome", "no JSON"),
        (CITY, '{"city":NaN}', "no JSON"),
        (CITY, "[]", "no object"),
        (CITY, '"{}"', "no object"),
        (CITY, "null", "no object"),
        (b"null", "", None),
        (b"null", "  ", None),
        (b"null", '{"anything":[1]}', None),
        (b"true", "{}", None),
        (b"{}", '{"anything":null}', None),
        (text({"type": ["object", "null"], "required": ["a"]}), "{}", "schema: required"),
        (text(object_of(a={"enum": ["x", 1]})), '{"a":1.0}', None),
        (text(object_of(a={"enum": ["x", 1]})), '{"a":true}', "schema: properties.a.enum"),
        (text(object_of(a={"const": 2**70})), f'{{"a":{2**70}}}', None),
        (text(object_of(a={"const": 2**70})), f'{{"a":{2**70 + 1}}}', "schema: properties.a.const"),
        (text(object_of(a={"type": "string", "format": "email"})), '{"a":"no address"}', None),
        (text(object_of(a={"pattern": "^[a-z]+$"})), '{"a":"ABC"}', "schema: properties.a.pattern"),
        (text(object_of(a={"pattern": "^(?!no)"})), '{"a":"yes"}', None),
        (text({"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}), '{"a":1}', None),
        (
            text({"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}),
            '{"a":"1"}',
            "schema: $defs.n.type",
        ),
        (KIDS, '{"kids":[{"kids":[]}]}', None),
        (KIDS, '{"kids":[{}]}', "schema: required"),
    ],
)
def test_verdicts(schema, arguments, reason):
    verdict = check(schema, arguments)
    assert (verdict.reason if isinstance(verdict, Invalid) else verdict) == (VALID if reason is None else reason)


@pytest.mark.parametrize(
    "schema, good, bad",
    [
        (object_of(a={"type": "string", "nullable": True}), '{"a":null}', '{"a":1}'),
        (object_of(a={"type": "STRING"}), '{"a":"x"}', '{"a":1}'),
        ({"type": "object", "properties": {"a": {"items": [{"type": "string"}]}}}, '{"a":["x",1]}', '{"a":[1]}'),
        (object_of(a={"type": "number", "minimum": 1, "exclusiveMinimum": True}), '{"a":2}', '{"a":1}'),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"n": {"type": "integer"}},
             "properties": {"a": {"$ref": "#/definitions/n"}}},
            '{"a":1}',
            '{"a":"x"}',
        ),
        ({"properties": {"a": True, "b": True}, "dependencies": {"a": ["b"]}}, '{"a":1,"b":1}', '{"a":1}'),
    ],
    ids=["nullable", "upper-case", "tuple", "draft-4-bound", "draft-7", "dependencies"],
)
def test_older_and_openapi_spellings(schema, good, bad):
    assert check(text(schema), good) == VALID
    assert isinstance(check(text(schema), bad), Invalid)


DEEP = '{"a":' * 70 + "1" + "}" * 70
WIDE = '{"a":[' + ",".join("1" * 20000) + "]}"
DOUBLING = {
    "$defs": {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(40)}
    | {"d40": {"type": "integer"}},
    "properties": {"a": {"$ref": "#/$defs/d0"}},
}
NESTED = {"properties": {"a": True}}
for _ in range(20):
    NESTED = {"allOf": [NESTED], "unevaluatedProperties": False}
UNION = {"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]}


@pytest.mark.parametrize(
    "schema, arguments, reason",
    [
        (CITY, '{"city":"' + "x" * MAX_ARGUMENTS + '"}', "arguments over 262144 characters"),
        (CITY, DEEP, "arguments over 64 levels deep"),
        (CITY, "[" * 2000, "arguments over 64 levels deep"),
        (text({"description": "x" * MAX_SCHEMA}), "{}", "a schema over 65536 bytes"),
        (text({"properties": {f"{n}": {"pattern": "a"} for n in range(101)}}), "{}", "a schema with over 100 patterns"),
        (text(DOUBLING), '{"a":1}', "checking would take too long"),
        (text(NESTED), '{"a":1}', "checking would take too long"),
        (text(UNION), '{"a":' * 40 + "1" + "}" * 40, "checking would take too long"),
        (text(object_of(a={"items": {"enum": list(range(200))}})), WIDE, "checking would take too long"),
        (text({"$dynamicRef": "#x"}), "{}", "the schema is not valid JSON Schema"),
        (text({"properties": {"a": {"$recursiveRef": "#"}}}), "{}", "checking would take too long"),
        (text({"properties": {"a": {"pattern": "(a*)*\\1b"}}}), f'{{"a":"{"a" * 3000}"}}',
         "a pattern of the schema takes too long"),
        (text({"properties": {"a": {"pattern": "("}}}), "{}", "the schema is not valid JSON Schema"),
        (text({"properties": {"a": {"pattern": "(((a{100}){100}){100})"}}}), "{}",
         "the schema is not valid JSON Schema"),
        (text({"$ref": "#"}), "{}", "schema: root: $ref '#' only leads back to itself, anything is allowed there"),
        (text({"required": "city"}), "{}", "schema: root: required is not valid JSON Schema and is left out"),
        (text({"properties": {"a": {"type": "text"}}}), "{}",
         "schema: properties.a: type is not valid JSON Schema and is left out"),
        (b"[]", "{}", "schema: root: this is no JSON Schema of an object, the tool is sent without parameters"),
        (b'"string"', "{}", "schema: root: this is no JSON Schema of an object, the tool is sent without parameters"),
        (b'{"const":Infinity}', "{}", "the schema is no JSON"),
        (b"false", "{}", "schema: root: this is no JSON Schema of an object, the tool is sent without parameters"),
    ],
)
def test_what_cannot_be_judged(schema, arguments, reason):
    assert check(schema, arguments) == Unchecked(reason)


def test_what_is_within_the_bounds_is_judged():
    assert check(CITY, '{"city":"' + "x" * (MAX_ARGUMENTS - 20) + '"}') == VALID
    assert check(text({}), '{"a":' * 63 + "1" + "}" * 63) == VALID
    assert check(text(object_of(a={"items": {"type": "integer"}})), WIDE) == VALID
    assert check(text(UNION), '{"a":' * 8 + "1" + "}" * 8) == VALID
    assert check(text({"properties": {"a": {"pattern": "^(a+)+$"}}}), f'{{"a":"{"a" * 5000}b"}}') == Invalid(
        "schema: properties.a.pattern", 'a: the value does not match "^(a+)+$"'
    )


class Panic(BaseException):
    """As a panic of the validator's Rust side comes: no Exception."""


class Failing:
    def __init__(self, error):
        self.error = error

    def is_valid(self, value):
        raise self.error


def test_a_validator_that_fails_is_no_verdict():
    for error in (Panic("index out of bounds"), ValueError("odd"), MemoryError()):
        assert module.Compiled(Failing(error), b"{}", 100).judge({}, 2) == Unchecked("the validator failed")
    with pytest.raises(KeyboardInterrupt):
        module.Compiled(Failing(KeyboardInterrupt()), b"{}", 100).judge({}, 2)


def test_brackets_in_strings_are_no_levels():
    assert check(CITY, '{"city":"' + "[{" * 100 + '"}') == VALID


class _Counting(http.server.BaseHTTPRequestHandler):
    seen: ClassVar[list[str]] = []

    def do_GET(self):
        self.seen.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass


@pytest.fixture
def elsewhere():
    server = http.server.HTTPServer(("127.0.0.1", 0), _Counting)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "{}/a"},
        {"properties": {"a": {"$ref": "{}/a#/x"}}},
        {"$schema": "{}/schema", "type": "object"},
        {"$id": "{}/b", "properties": {"a": {"$ref": "other.json"}}},
        {"$defs": {"x": {"$id": "{}/c", "$ref": "d.json"}}, "properties": {"a": {"$ref": "#/$defs/x"}}},
        {"properties": {"a": {"$dynamicRef": "{}/e#f"}}},
        {"properties": {"a": {"$ref": "file:///etc/hostname"}}},
        {"unknown": {"$ref": "{}/g"}, "properties": {"a": {"$recursiveRef": "{}/h"}}},
    ],
)
def test_nothing_is_fetched(elsewhere, schema):
    _Counting.seen.clear()
    written = json.dumps(schema).replace("{}/", f"{elsewhere}/").encode()
    for arguments in ("{}", '{"a":{"b":1}}'):
        assert not isinstance(check(written, arguments), Invalid)
    assert _Counting.seen == []


def test_the_validator_itself_fetches_nothing_either(elsewhere):
    _Counting.seen.clear()
    for keyword in ("$ref", "$dynamicRef"):
        with pytest.raises(ValueError, match="retrieving it failed"):
            module._validator({keyword: f"{elsewhere}/a"})
    assert _Counting.seen == []


def test_hints_tell_the_model_what_was_wrong():
    assert check(CITY, '{"city":5}').hint == 'city: the value is not of type "string"'
    assert check(CITY, "{}").hint == 'The arguments: "city" is a required property'
    assert check(CITY, '{"city"').hint.startswith("The arguments are no valid JSON: ")


def test_reasons_quote_no_argument():
    secret = "hunter2"
    for arguments in (f'{{"city":["{secret}"]}}', f'{{"city":"a","{secret}":1}}', f'{{"city":"{secret}', f'"{secret}"'):
        assert secret not in check(CITY, arguments).reason


def test_custom_tools_take_any_text_but_none():
    assert check_text("SELECT 1") == VALID
    assert check_text("{broken") == VALID
    assert check_text("") == check_text(" \n") == Invalid("no input", "The input is empty.")


def test_a_schema_is_compiled_once_however_it_is_written():
    first = compiled(text({"type": "object", "title": "once", "required": ["a"]}))
    assert compiled(text({"type": "object", "title": "once", "required": ["a"]})) is first
    assert compiled(text({"required": ["a"], "title": "once", "type": "object"})) is first
    assert compiled(b'{ "type":"object","title":"once","required":["a"] }') is first


def test_compiled_schemas_are_forgotten_in_time():
    size = 40_000
    for number in range(250):
        check(text({"title": f"{number}" + "x" * size}), "{}")
    assert len(module._by_text) <= 4 * 1024 * 1024 // size
    assert len(module._by_sense) <= 4 * 1024 * 1024 // size


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
KEYWORDS = st.sampled_from(
    ["type", "properties", "required", "items", "anyOf", "allOf", "$ref", "enum", "const", "additionalProperties",
     "pattern", "patternProperties", "not", "if", "then", "$defs", "minimum", "format", "unevaluatedProperties",
     "dependentSchemas", "prefixItems", "contains", "propertyNames", "$id", "$anchor", "nullable", "multipleOf"]
)
WORDS = st.sampled_from(["object", "string", "integer", "a", "#", "#/$defs/a", "#a", "a*", "("])
SCHEMAS = st.recursive(
    JSON | WORDS,
    lambda inner: st.dictionaries(KEYWORDS | st.just("a"), inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=15,
)


@settings(max_examples=200)
@given(schema=SCHEMAS, arguments=JSON.map(json.dumps) | st.text(max_size=20))
def test_any_schema_and_any_text_get_a_verdict(schema, arguments):
    verdict = check(text(schema), arguments)
    assert isinstance(verdict, type(VALID) | Invalid | Unchecked)
    assert check(text(schema), arguments) == verdict
