"""Gemini's two schema fields, row by row (google-gemini wire notes 4, 2026-11)."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.tools.schema import gemini_json_schema, gemini_parameters

Node = dict[str, Any]
STRING = {"type": "string"}


def tool(schema: Any, **others: Any) -> Node:
    return {"type": "object", "properties": {"p": schema}, "required": ["p"], **others}


def told(keyword: str) -> tuple[str, ...]:
    return (f"properties.p: {keyword} is told in the description",)


# --- parametersJsonSchema ----------------------------------------------------------------------------------------

JSON_SCHEMA = [
    # dropped
    *[({"type": "string", key: value}, STRING, ()) for key, value in [
        ("$schema", "s"), ("title", "T"), ("examples", ["e"]), ("discriminator", {}), ("$id", "i"), ("$comment", "c"),
        ("readOnly", True), ("x-google-enum-descriptions", ["a"])]],
    # exclusive bounds
    ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5},
     {"type": "integer", "minimum": 1, "maximum": 9}, ()),
    ({"type": "integer", "exclusiveMinimum": 0, "minimum": 5}, {"type": "integer", "minimum": 5}, ()),
    ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "description": "(exclusiveMinimum=0)"},
     told("exclusiveMinimum")),
    ({"type": "number", "exclusiveMaximum": 1}, {"type": "number", "description": "(exclusiveMaximum=1)"},
     told("exclusiveMaximum")),
    # constants
    ({"const": "a"}, {"type": "string", "enum": ["a"]}, ()),
    ({"const": 5, "type": "integer"}, {"type": "integer", "enum": [5]}, ()),
    ({"oneOf": [{"const": "a", "description": "first"}, {"const": "b", "title": "second"}]},
     {"type": "string", "enum": ["a", "b"], "description": '("a": first, "b": second)'}, ()),
    ({"anyOf": [{"const": "a"}, {"enum": ["b"], "type": "string"}], "description": "D"},
     {"type": "string", "enum": ["a", "b"], "description": "D"}, ()),
    ({"anyOf": [{"const": "a"}, STRING]}, {"anyOf": [{"type": "string", "enum": ["a"]}, STRING]}, ()),
    # formats
    ({"type": "string", "format": "date-time"}, {"type": "string", "description": '(format="date-time")'},
     told("format")),
    ({"type": "integer", "format": "int32"}, {"type": "integer", "format": "int32"}, ()),
    # accepted as they are
    *[(schema, schema, ()) for schema in [
        {"anyOf": [STRING, {"type": "integer"}]}, {"oneOf": [STRING, {"type": "integer"}]},
        {"type": "object", "additionalProperties": STRING}, {"type": "object", "additionalProperties": False},
        {"type": "array", "prefixItems": [STRING], "items": False}, {"type": ["string", "null"]},
        {"type": "string", "enum": ["a"], "description": "D", "pattern": "a", "minLength": 1, "default": "a"}, {}]],
    ({"enum": ["c", "f"], "description": "unit"}, {"type": "string", "enum": ["c", "f"], "description": "unit"}, ()),
    # what Gemini lacks
    *[({"type": "string", key: {"const": "a"}},
       {"type": "string", "description": f'({key}={{"const":"a"}})'}, told(key))
      for key in ("not", "if", "then", "else")],
    ({"type": "number", "multipleOf": 2}, {"type": "number", "description": "(multipleOf=2)"}, told("multipleOf")),
    ({"type": "array", "items": STRING, "uniqueItems": True},
     {"type": "array", "items": STRING, "description": "(uniqueItems=true)"}, told("uniqueItems")),
    ({"type": "object", "propertyNames": {"pattern": "a"}, "patternProperties": {"b": {}}},
     {"type": "object", "description": '(propertyNames={"pattern":"a"}, patternProperties={"b":{}})'},
     (*told("propertyNames"), *told("patternProperties"))),
    ({"allOf": [{"type": "object", "properties": {"a": STRING}}, {"required": ["a"]}]},
     {"type": "object", "properties": {"a": STRING}, "required": ["a"]}, ()),
    ({"type": "object", "properties": {"a": STRING}, "required": ["a", "z"]},
     {"type": "object", "properties": {"a": STRING}, "required": ["a"]},
     ('properties.p: required names "z", which is no property, and is left out',)),
]  # fmt: skip


JSON_SCHEMA += [
    ({"type": "object", "patternProperties": {"^a": {}}, "additionalProperties": False},
     {"type": "object", "description": '(patternProperties={"^a":{}})'},
     (*told("patternProperties"), "properties.p: additionalProperties is left out")),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), JSON_SCHEMA)
def test_json_schema(given: Any, expected: Any, notes: tuple[str, ...]) -> None:
    projection = gemini_json_schema(tool(given))
    assert projection.schema == tool(expected)
    assert projection.notes == notes
    assert (projection.strict, projection.inverse) == (None, None)


def test_json_schema_keeps_references_that_stand_alone() -> None:
    definitions = {"M": {"type": "object", "properties": {"cents": {"type": "integer"}}, "required": ["cents"]}}
    given = tool({"$ref": "#/$defs/M"}, **{"$defs": definitions})
    assert gemini_json_schema(given).schema == given
    given = tool({"$ref": "#/$defs/M", "description": "Price."}, **{"$defs": definitions})
    assert gemini_json_schema(given).schema == tool({**definitions["M"], "description": "Price."})


def test_json_schema_has_an_object_at_the_root() -> None:
    given = {"$ref": "#/$defs/M", "$defs": {"M": {"anyOf": [tool(STRING), {"type": "null"}]}}}
    assert gemini_json_schema(given).schema == tool(STRING)


# --- parameters --------------------------------------------------------------------------------------------------


def upper(schema: Any, required: bool = True) -> Node:
    return {"type": "OBJECT", "properties": {"p": schema}, **({"required": ["p"]} if required else {})}


TEXT = "(a JSON object as text)"
ANY = "Any JSON value."
UPPER = {"type": "STRING"}
AS_TEXT = ("properties.p: an object without declared properties goes as JSON text",)
PARAMETERS = [
    # types
    *[({"type": kind}, {"type": kind.upper()}, ()) for kind in ("string", "number", "integer", "boolean", "null")],
    ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}, ()),
    ({"type": ["number", "integer"]}, {"type": "NUMBER"}, ()),
    ({"type": ["string", "array", "null"], "items": STRING, "format": "date-time", "minLength": 1, "minItems": 2},
     {"anyOf": [{"type": "STRING", "format": "date-time", "minLength": 1, "nullable": True},
                {"type": "ARRAY", "items": UPPER, "minItems": 2, "nullable": True}]}, ()),
    ({"type": "STRING", "nullable": True}, {"type": "STRING", "nullable": True}, ()),
    # unions
    ({"anyOf": [STRING, {"type": "null"}]}, {"type": "STRING", "nullable": True}, ()),
    ({"anyOf": [STRING, {"type": "null"}], "description": "D"},
     {"description": "D", "type": "STRING", "nullable": True}, ()),
    ({"anyOf": [STRING, {"type": "integer", "description": "E"}, {"type": "null"}], "description": "D", "title": "T"},
     {"anyOf": [{"type": "STRING", "nullable": True, "description": "D"},
                {"type": "INTEGER", "description": "D E", "nullable": True}]}, ()),
    ({"oneOf": [STRING, {"type": "integer"}]}, {"anyOf": [UPPER, {"type": "INTEGER"}]}, ()),
    ({"anyOf": [STRING, {"const": None}]}, {"type": "STRING", "nullable": True}, ()),
    ({"anyOf": [STRING, {"anyOf": [{"type": "null"}]}]}, {"type": "STRING", "nullable": True}, ()),
    ({"anyOf": [STRING, False]}, UPPER, ("properties.p.anyOf.1: this can never be given and is left out",)),
    ({"type": "object", "properties": {"a": STRING}, "anyOf": [{"required": ["a"]}, {"type": "null"}]},
     {"type": "OBJECT", "properties": {"a": UPPER}, "required": ["a"]}, ()),
    ({"oneOf": [STRING, {"const": "a"}]},
     {"anyOf": [UPPER, {"type": "STRING", "enum": ["a"], "format": "enum"}]},
     ("properties.p: oneOf is sent as anyOf",)),
    ({"type": "string", "anyOf": [{"maxLength": 1}, {"minLength": 5}]},
     {"anyOf": [{"type": "STRING", "maxLength": 1}, {"type": "STRING", "minLength": 5}]}, ()),
    ({"anyOf": [{"const": "a", "description": "x"}, {"const": "b"}]},
     {"type": "STRING", "enum": ["a", "b"], "description": '("a": x)'}, ()),
    ({"allOf": [{"type": "object", "properties": {"a": STRING}, "description": "E"}, {"required": ["a"]}],
      "description": "D"},
     {"description": "D", "type": "OBJECT", "properties": {"a": UPPER}, "required": ["a"]}, ()),
    ({"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]}, {"type": "STRING", "pattern": "a"},
     ("properties.p: allOf: pattern cannot be said together",)),
    # constants and enums
    ({"const": "a", "description": "D"}, {"type": "STRING", "description": "D", "enum": ["a"], "format": "enum"}, ()),
    ({"const": 5}, {"type": "INTEGER", "description": "(const=5)"}, told("const")),
    ({"enum": ["a", "b"]}, {"type": "STRING", "enum": ["a", "b"]}, ()),
    ({"enum": [1, 2]}, {"type": "INTEGER", "description": "(enum=[1,2])"}, told("enum")),
    ({"enum": ["a", None]}, {"type": "STRING", "enum": ["a"], "nullable": True}, ()),
    ({"enum": ["a", 1]},
     {"anyOf": [{"type": "STRING", "enum": ["a"]}, {"type": "INTEGER", "description": "(enum=[1])"}]},
     ("properties.p.anyOf.1: enum is told in the description",)),
    ({"enum": ["", "a"]}, {"type": "STRING", "enum": ["a"]},
     ("properties.p: the empty string cannot be among the values of an enum and is left out",)),
    # formats
    *[({"type": "string", "format": name}, {"type": "STRING", "format": name}, ()) for name in ("enum", "date-time")],
    *[({"type": "number", "format": name}, {"type": "NUMBER", "format": name}, ())
      for name in ("int32", "int64", "float", "double")],
    ({"type": "string", "format": "email"}, {"type": "STRING", "description": '(format="email")'}, told("format")),
    # bounds
    ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 4},
     {"type": "INTEGER", "minimum": 2, "maximum": 3}, ()),
    *[({"type": "number", key: 1}, {"type": "NUMBER", "description": f"({key}=1)"}, told(key))
      for key in ("exclusiveMinimum", "exclusiveMaximum", "multipleOf")],
    ({"type": "array", "items": STRING, "uniqueItems": True},
     {"type": "ARRAY", "items": UPPER, "description": "(uniqueItems=true)"}, told("uniqueItems")),
    # kept
    *[({"type": kind, key: 1}, {"type": kind.upper(), key: 1}, ()) for kind, key in [
        ("string", "minLength"), ("string", "maxLength"), ("number", "minimum"), ("number", "maximum")]],
    *[({"type": "string", key: "x"}, {"type": "STRING", key: "x"}, ()) for key in
      ("title", "description", "default", "example", "pattern")],
    ({"type": "object", "properties": {"a": STRING}, "propertyOrdering": ["a"], "minProperties": 1, "maxProperties": 2},
     {"type": "OBJECT", "properties": {"a": UPPER}, "propertyOrdering": ["a"], "minProperties": 1, "maxProperties": 2},
     ()),
    # dropped
    *[({"type": "string", key: "x"}, UPPER, ()) for key in ("$comment", "$id", "$schema", "x-own")],
    *[({"type": "string", key: value}, UPPER, ()) for key, value in [("examples", ["x"]), ("readOnly", True)]],
    ({"type": "object", "properties": {"a": STRING}, "additionalProperties": False},
     {"type": "OBJECT", "properties": {"a": UPPER}}, ()),
    ({"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING},
     {"type": "OBJECT", "properties": {"a": UPPER}}, ("properties.p: additionalProperties is left out",)),
    # told
    *[({"type": "string", key: {"const": "a"}},
       {"type": "STRING", "description": f'({key}={{"const":"a"}})'}, told(key))
      for key in ("not", "if", "then", "else")],
    *[({"type": "object", "properties": {"a": STRING}, key: value},
       {"type": "OBJECT", "properties": {"a": UPPER}, "description": f"({key}={text})"}, told(key))
      for key, value, text in [("dependentRequired", {"a": ["b"]}, '{"a":["b"]}'),
                               ("dependentSchemas", {"a": {"minProperties": 2}}, '{"a":{"minProperties":2}}'),
                               ("patternProperties", {"b": {"type": "null"}}, '{"b":{"type":"null"}}'),
                               ("propertyNames", {"maxLength": 3}, '{"maxLength":3}')]],
    ({"type": "array", "items": STRING, "contains": {"minLength": 2}},
     {"type": "ARRAY", "items": UPPER, "description": '(contains={"minLength":2})'}, told("contains")),
    # free objects
    ({"type": "object"}, {"type": "STRING", "description": TEXT}, AS_TEXT),
    ({"type": "object", "properties": {}, "description": "Labels."},
     {"type": "STRING", "description": f"Labels. {TEXT}"}, AS_TEXT),
    ({"type": ["object", "null"], "additionalProperties": {"type": "integer"}},
     {"type": "STRING", "nullable": True,
      "description": '(a JSON object as text: {"additionalProperties":{"type":"integer"}})'}, AS_TEXT),
    # arrays
    ({"type": "array", "items": STRING}, {"type": "ARRAY", "items": UPPER}, ()),
    ({"type": "array", "items": False}, {"type": "ARRAY", "items": UPPER, "maxItems": 0}, ()),
    *[(schema, {"type": "ARRAY", "items": UPPER},
       ("properties.p: any items are allowed, those that are no string go as JSON text",))
      for schema in [{"type": "array"}, {"type": "array", "items": {}}, {"type": "array", "items": True}]],
    ({"type": "array", "prefixItems": [STRING, {"type": "number"}], "minItems": 2},
     {"type": "ARRAY", "minItems": 2, "maxItems": 2, "items": {"anyOf": [UPPER, {"type": "NUMBER"}]}},
     ("properties.p: prefixItems is sent as a union of its positions",)),
    ({"type": "array", "items": [STRING, STRING], "additionalItems": False},
     {"type": "ARRAY", "maxItems": 2, "items": UPPER}, ()),
    ({"type": "array", "prefixItems": [STRING], "items": {"type": "number"}},
     {"type": "ARRAY", "items": {"anyOf": [UPPER, {"type": "NUMBER"}]}},
     ("properties.p: prefixItems is sent as a union of its positions",)),
    # required
    ({"type": "object", "properties": {"a": STRING}, "required": ["z", "a"]},
     {"type": "OBJECT", "properties": {"a": UPPER}, "required": ["a"]},
     ('properties.p: required names "z", which is no property, and is left out',)),
    # booleans
    (True, {"description": ANY}, ()),
    ({}, {"description": ANY}, ()),
    ({"description": "D"}, {"description": "D"}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), PARAMETERS)
def test_parameters(given: Any, expected: Any, notes: tuple[str, ...]) -> None:
    projection = gemini_parameters(tool(given))
    assert projection is not None
    assert projection.schema == upper(expected)
    assert projection.notes == notes


def test_a_property_that_can_never_be_given_goes() -> None:
    projection = gemini_parameters({"type": "object", "properties": {"p": STRING, "never": False}, "required": ["p"]})
    assert projection is not None
    assert projection.schema == upper(UPPER)
    assert projection.notes == ("properties.never: this can never be given and is left out",)


@pytest.mark.parametrize(
    "schema",
    [None, {}, True, {"type": "object"}, {"type": "object", "properties": {}}, {"additionalProperties": False}, 5],
)
@pytest.mark.parametrize("vertex", [False, True])
def test_a_tool_without_parameters_has_no_schema(schema: object, vertex: bool) -> None:
    assert gemini_parameters(schema, vertex=vertex) is None


def test_a_root_of_free_properties_is_one_text_parameter() -> None:
    projection = gemini_parameters({"type": "object", "additionalProperties": {"type": "integer"}})
    assert projection is not None
    text = {"type": "STRING", "description": '(a JSON object as text: {"additionalProperties":{"type":"integer"}})'}
    assert projection.schema == {"type": "OBJECT", "properties": {"json": text}, "required": ["json"]}
    assert projection.notes == ("root: any property is allowed, all go as JSON text in the parameter json",)
    assert projection.inverse is not None
    assert projection.inverse.forward({"a": 1}) == {"json": '{"a":1}'}
    assert projection.inverse.backward({"json": '{"a": 1}'}) == {"a": 1}
    assert projection.inverse.backward({"json": "{broken"}) == {"json": "{broken"}


def test_free_objects_go_as_text_both_ways() -> None:
    given = {
        "type": "object",
        "properties": {
            "labels": {"type": "object", "additionalProperties": STRING},
            "either": {"anyOf": [STRING, {"type": "object"}, {"type": "null"}]},
            "list": {"type": "array"},
        },
    }
    projection = gemini_parameters(given)
    assert projection is not None and projection.inverse is not None
    client = {"labels": {"a": "b"}, "either": {"c": 12345678901234567890123}, "list": ["x", 1, {"y": None}]}
    wire = {"labels": '{"a":"b"}', "either": '{"c":12345678901234567890123}', "list": ["x", "1", '{"y":null}']}
    assert projection.inverse.forward(client) == wire
    assert projection.inverse.backward(wire) == {**client, "list": ["x", "1", '{"y":null}']}
    assert projection.inverse.backward({"either": "{no JSON"}) == {"either": "{no JSON"}
    assert projection.inverse.forward({"either": "text"}) == {"either": "text"}
    assert projection.inverse.forward({"either": None}) == {"either": None}
    assert projection.inverse.backward({"labels": "no object"}) == {"labels": "no object"}


def test_references_are_written_out_and_recursion_ends_as_text() -> None:
    node = {"type": "object", "properties": {"v": STRING, "next": {"$ref": "#/$defs/N"}}, "required": ["v"]}
    projection = gemini_parameters(tool({"$ref": "#/$defs/N"}, **{"$defs": {"N": node}}))
    assert projection is not None
    assert projection.schema == upper(
        {"type": "OBJECT", "properties": {"v": UPPER, "next": {**UPPER, "description": TEXT}}, "required": ["v"]}
    )
    assert projection.notes == (
        "properties.p.properties.next: $ref is recursive, from the second level on it goes as JSON text",
    )
    assert projection.inverse is not None
    client = {"p": {"v": "a", "next": {"v": "b", "next": {"v": "c"}}}}
    wire = {"p": {"v": "a", "next": '{"v":"b","next":{"v":"c"}}'}}
    assert projection.inverse.forward(client) == wire
    assert projection.inverse.backward(wire) == client


def test_recursion_through_something_else_than_an_object() -> None:
    tree = {"anyOf": [STRING, {"type": "array", "items": {"$ref": "#/$defs/T"}}]}
    projection = gemini_parameters(tool({"$ref": "#/$defs/T"}, **{"$defs": {"T": tree}}))
    assert projection is not None and projection.inverse is not None
    text = {"type": "STRING", "description": "(JSON as text)"}
    assert projection.schema == upper({"anyOf": [UPPER, {"type": "ARRAY", "items": text}]})
    client = {"p": ["a", ["b", ["1"]]]}
    assert projection.inverse.forward(client) == {"p": ['"a"', '["b",["1"]]']}
    assert projection.inverse.backward({"p": ['"a"', '["b",["1"]]', "bare"]}) == {"p": ["a", ["b", ["1"]], "bare"]}


def test_a_recursive_root() -> None:
    projection = gemini_parameters(tool({"$ref": "#"}))
    assert projection is not None
    assert projection.schema == upper({**UPPER, "description": TEXT})


VERTEX = [
    ({"type": "object", "additionalProperties": STRING}, {"type": "OBJECT", "additionalProperties": UPPER}),
    ({"type": "object", "additionalProperties": True}, {"type": "OBJECT", "additionalProperties": True}),
    (
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": False},
        {"type": "OBJECT", "properties": {"a": UPPER}, "additionalProperties": False},
    ),
    ({"type": "object"}, {"type": "STRING", "description": TEXT}),
]


@pytest.mark.parametrize(("given", "expected"), VERTEX)
def test_vertex_takes_maps(given: Node, expected: Node) -> None:
    projection = gemini_parameters(tool(given), vertex=True)
    assert projection is not None
    assert projection.schema == upper(expected)


def test_keywords_that_a_host_refuses() -> None:
    given = tool({"type": ["string", "null"], "pattern": "a"})
    words = frozenset({"pattern"})
    older = gemini_parameters(given, unsupported=words)
    assert older is not None
    assert older.schema == upper({"type": "STRING", "description": '(pattern="a")', "nullable": True})
    assert older.notes == told("pattern")
    newer = gemini_json_schema(given, words)
    assert newer.schema == tool({"type": ["string", "null"], "description": '(pattern="a")'})
    assert newer.notes == told("pattern")


# --- the shared failure cases ------------------------------------------------------------------------------------

TOWN = {"type": "object", "properties": {"town": {**STRING, "x-order": 1}}, "required": ["town"]}
CASES = [
    (
        "gemini-array-without-items",
        {"type": "object", "properties": {
            "tags": {"type": "array"}, "grid": {"type": "array", "items": {"type": "array"}}}},
        {"type": "OBJECT", "properties": {
            "tags": {"type": "ARRAY", "items": UPPER},
            "grid": {"type": "ARRAY", "items": {"type": "ARRAY", "items": UPPER}}}},
    ),
    (
        "gemini-meta-keywords-removed",
        {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "trip", "type": "object",
         "additionalProperties": False,
         "properties": {
             "stops": {"type": "array", "items": {**TOWN, "additionalProperties": False}},
             "labels": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": STRING}},
         "required": ["stops"]},
        {"type": "OBJECT", "properties": {
            "stops": {"type": "ARRAY",
                      "items": {"type": "OBJECT", "properties": {"town": UPPER}, "required": ["town"]}},
            "labels": {
                "type": "STRING",
                "description": '(a JSON object as text: {"propertyNames":{"pattern":"^[a-z]+$"},'
                               '"additionalProperties":{"type":"string"}})'}},
         "required": ["stops"]},
    ),
    (
        "gemini-required-without-property",
        {"type": "object", "properties": {"text": STRING}, "required": ["ref", "text"]},
        {"type": "OBJECT", "properties": {"text": UPPER}, "required": ["text"]},
    ),
    (
        "gemini-type-list-to-nullable",
        {"type": "object", "properties": {
            "limit": {"type": ["number", "null"]}, "rows": {"type": "array", "items": {"type": ["string", "null"]}}},
         "required": ["limit"]},
        {"type": "OBJECT", "properties": {
            "limit": {"type": "NUMBER", "nullable": True},
            "rows": {"type": "ARRAY", "items": {"type": "STRING", "nullable": True}}},
         "required": ["limit"]},
    ),
    (
        "gemini-vendor-keys-removed",
        {"type": "object", "properties": {
            "x_user": {**STRING, "x-google-enum-descriptions": ["a"]},
            "level": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 2}}},
        {"type": "OBJECT", "properties": {
            "x_user": UPPER, "level": {"type": "NUMBER", "description": "(exclusiveMinimum=0, multipleOf=2)"}}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("case", "given", "expected"), CASES)
def test_case_in_the_older_field(case: str, given: Node, expected: Node) -> None:
    projection = gemini_parameters(given)
    assert projection is not None
    assert projection.schema == expected
    assert list(projection.schema["properties"]) == list(expected["properties"])


JSON_CASES = [
    (
        "gemini-array-without-items",
        {"type": "object", "properties": {"tags": {"type": "array"}}},
        {"type": "object", "properties": {"tags": {"type": "array"}}},
    ),
    (
        "gemini-enum-without-type",
        {"type": "object", "properties": {"unit": {"enum": ["c", "f"], "description": "unit"}}, "required": ["unit"]},
        {"type": "object", "properties": {"unit": {"type": "string", "enum": ["c", "f"], "description": "unit"}},
         "required": ["unit"]},
    ),
    (
        "gemini-meta-keywords-removed",
        {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "trip", "type": "object",
         "additionalProperties": False,
         "properties": {
             "stops": {"type": "array", "items": {**TOWN, "additionalProperties": False}},
             "labels": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": STRING}},
         "required": ["stops"]},
        {"type": "object", "additionalProperties": False,
         "properties": {
             "stops": {"type": "array", "items": {"type": "object", "properties": {"town": STRING},
                                                  "required": ["town"], "additionalProperties": False}},
             "labels": {"type": "object", "additionalProperties": STRING,
                        "description": '(propertyNames={"pattern":"^[a-z]+$"})'}},
         "required": ["stops"]},
    ),
    (
        "gemini-refs-resolved",
        {"type": "object", "$defs": {"Money": {"type": "object", "properties": {"cents": {"type": "integer"}},
                                               "required": ["cents"]}},
         "properties": {"price": {"$ref": "#/$defs/Money"},
                        "fees": {"type": "array", "items": {"$ref": "#/$defs/Money"}}},
         "required": ["price"]},
        {"type": "object",
         "properties": {"price": {"$ref": "#/$defs/Money"},
                        "fees": {"type": "array", "items": {"$ref": "#/$defs/Money"}}},
         "required": ["price"],
         "$defs": {"Money": {"type": "object", "properties": {"cents": {"type": "integer"}}, "required": ["cents"]}}},
    ),
    (
        "gemini-required-without-property",
        {"type": "object", "properties": {"text": STRING}, "required": ["ref", "text"]},
        {"type": "object", "properties": {"text": STRING}, "required": ["text"]},
    ),
    (
        "gemini-vendor-keys-removed",
        {"type": "object", "properties": {
            "x_user": {**STRING, "x-google-enum-descriptions": ["a"]},
            "level": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 2}}},
        {"type": "object", "properties": {
            "x_user": STRING, "level": {"type": "number", "description": "(exclusiveMinimum=0, multipleOf=2)"}}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("case", "given", "expected"), JSON_CASES)
def test_case_in_the_json_schema_field(case: str, given: Node, expected: Node) -> None:
    projection = gemini_json_schema(given)
    assert projection.schema == expected
    assert list(projection.schema["properties"]) == list(expected["properties"])
