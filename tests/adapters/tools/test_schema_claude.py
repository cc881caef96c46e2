"""Anthropic's and Bedrock's schemas (anthropic-messages wire notes 4 and 7b, bedrock-converse 4 and 7, 2026-11)."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.tools.schema import anthropic, anthropic_strict, bedrock, bedrock_strict, strict_load

Node = dict[str, Any]
STRING = {"type": "string"}
EMPTY: Node = {"type": "object", "properties": {}}


def tool(schema: Any, **others: Any) -> Node:
    return {"type": "object", "properties": {"p": schema}, "required": ["p"], **others}


def closed(schema: Any) -> Node:
    return tool(schema, additionalProperties=False)


# --- tools -------------------------------------------------------------------------------------------------------

UNTOUCHED = [
    {"type": "object"},
    {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": STRING}},
    tool({"const": 1, "x-own": None, "pattern": "(?=a)", "type": ["string", "null"], "examples": [None]}),
    tool({"$ref": "#/$defs/D"}, **{"$defs": {"D": STRING, "Unused": {}}}),
    tool({"$ref": "#/definitions/D"}, definitions={"D": STRING}),
    tool({"anyOf": [{"allOf": [STRING]}, {"oneOf": [STRING]}], "not": {}, "if": {}, "items": [STRING]}),
    {"properties": {"z": {}, "a": {}}, "required": ["z"], "type": "object", "additionalProperties": True},
    tool(STRING, patternProperties={"a b": {}}, dependentRequired={"a b": ["c d"]}),
    tool({"nullable": True, "type": "string", "default": None, "const": None}),
]


@pytest.mark.parametrize("schema", UNTOUCHED)
@pytest.mark.parametrize("project", [anthropic, bedrock])
def test_a_plain_object_is_untouched(schema: Node, project: Any) -> None:
    projection = project(schema)
    assert projection.schema is schema
    assert (projection.strict, projection.notes, projection.inverse) == (None, (), None)


ROOTS = [
    (None, EMPTY, ()),
    ({}, EMPTY, ()),
    ({"properties": {"a": STRING}}, {"type": "object", "properties": {"a": STRING}}, ()),
    ({"type": "object", "properties": None}, {"type": "object"}, ()),
    (
        {"type": "object", "required": None, "properties": {"a": {"type": "string", "enum": None, "default": None}}},
        {"type": "object", "properties": {"a": {"type": "string", "default": None}}},
        (),
    ),
    ({"type": ["object", "null"], "properties": {"a": STRING}}, {"type": "object", "properties": {"a": STRING}}, ()),
    (
        {"type": "string"},
        EMPTY,
        ("root: the type is string and not object, the tool is sent without parameters",),
    ),
    ("text", EMPTY, ("root: this is no JSON Schema of an object, the tool is sent without parameters",)),
    (
        {"$ref": "#/$defs/A",
         "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/B"}}}, "B": STRING}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/B"}}, "$defs": {"B": STRING}},
        (),
    ),
    (  # the case anthropic-root-union
        {"type": "object", "anyOf": [{"properties": {"id": {"type": "integer"}}, "required": ["id"]},
                                     {"properties": {"slug": STRING}, "required": ["slug"]}]},
        {"type": "object", "properties": {"id": {"type": "integer"}, "slug": STRING},
         "description": "(one of: id | slug)"},
        ("root: anyOf is flattened into one object, the description tells the alternatives",),
    ),
    (
        {"allOf": [{"$ref": "#/definitions/A"}, {"properties": {"b": STRING}, "required": ["b"]}],
         "definitions": {"A": {"type": "object", "properties": {"a": STRING}, "required": ["a"]}}},
        {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a", "b"]},
        (),
    ),
    (  # only the root is flat
        {"type": "object", "oneOf": [tool({"anyOf": [STRING, {"type": "null"}]})]},
        tool({"anyOf": [STRING, {"type": "null"}]}),
        (),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), ROOTS)
@pytest.mark.parametrize("project", [anthropic, bedrock])
def test_the_root_is_an_object_without_a_union(
    given: object, expected: Node, notes: tuple[str, ...], project: Any
) -> None:
    projection = project(given)
    assert projection.schema == expected
    assert projection.notes == notes


def test_property_order_stays() -> None:
    given = {"type": "object", "anyOf": [{"properties": {"zeta": {}, "alpha": {}}}, {"properties": {"mid": {}}}]}
    assert list(anthropic(given).schema["properties"]) == ["zeta", "alpha", "mid"]


NAMES = [
    ("user name", "user_name"),
    ("a/b:c", "a_b_c"),
    ("名前", "__"),
    ("", "_"),
    ("x" * 65, "x" * 64),
    ("ok-1.2_X", "ok-1.2_X"),
    ("y" * 64, "y" * 64),
]


@pytest.mark.parametrize(("name", "wire"), NAMES)
def test_property_names_are_renamed_both_ways(name: str, wire: str) -> None:
    projection = anthropic({"type": "object", "properties": {name: STRING, "other": STRING}, "required": [name]})
    told = STRING if name == wire else {**STRING, "description": f'(name="{name}")'}
    assert projection.schema == {"type": "object", "properties": {wire: told, "other": STRING}, "required": [wire]}
    assert (projection.inverse is None) == (name == wire)
    if projection.inverse is not None:
        assert projection.inverse.backward({wire: "v", "other": "w"}) == {name: "v", "other": "w"}
        assert projection.inverse.forward({name: "v", "other": "w"}) == {wire: "v", "other": "w"}


def test_names_that_would_collide_differ() -> None:
    projection = anthropic({"type": "object", "properties": {"a b": STRING, "a_b": STRING, "a:b": STRING}})
    names = list(projection.schema["properties"])
    assert names[1] == "a_b"
    assert len(set(names)) == 3
    assert all(name.startswith("a_b") and len(name) <= 64 for name in names)
    assert projection.inverse is not None
    value = {"a b": "1", "a_b": "2", "a:b": "3"}
    assert projection.inverse.backward(projection.inverse.forward(value)) == value
    assert projection.inverse.forward(value).keys() == set(names)


def test_names_are_renamed_in_every_place_of_a_schema_and_in_no_value() -> None:
    item = {"type": "object", "properties": {"x y": {"enum": ["x y"], "default": {"x y": 1}}}, "required": ["x y"]}
    given = {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"$ref": "#/$defs/I"}},
            "map": {"type": "object", "additionalProperties": {"anyOf": [STRING, {"$ref": "#/$defs/I"}]}},
            "free": {"type": "object"},
            "fixed": {"properties": {"x y": {}}, "const": {"x y": 1}},
        },
        "dependentRequired": {"list": ["x y"]},
        "$defs": {"I": item},
    }
    wire_item = {
        "type": "object",
        "properties": {"x_y": {"enum": ["x y"], "default": {"x y": 1}, "description": '(name="x y")'}},
        "required": ["x_y"],
    }
    projection = anthropic(given)
    assert projection.schema == {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"$ref": "#/$defs/I"}},
            "map": {"type": "object", "additionalProperties": {"anyOf": [STRING, {"$ref": "#/$defs/I"}]}},
            "free": {"type": "object"},
            "fixed": {"properties": {"x_y": {"description": '(name="x y")'}}, "const": {"x_y": 1}},
        },
        "dependentRequired": {"list": ["x_y"]},
        "$defs": {"I": wire_item},
    }
    wire = {"list": [{"x_y": "x y"}], "map": {"x_y": {"x_y": "x y"}}, "free": {"x_y": 1}}
    client = {"list": [{"x y": "x y"}], "map": {"x_y": {"x y": "x y"}}, "free": {"x_y": 1}}
    assert projection.inverse is not None
    assert projection.inverse.backward(wire) == client
    assert projection.inverse.forward(client) == wire


def test_references_through_renamed_properties_still_lead_somewhere() -> None:
    given = {"type": "object", "properties": {"a b": STRING, "c": {"$ref": "#/properties/a%20b"}}}
    projection = anthropic(given)
    assert projection.schema == {
        "type": "object",
        "properties": {"a_b": {**STRING, "description": '(name="a b")'}, "c": {"$ref": "#/$defs/a_b"}},
        "$defs": {"a_b": STRING},
    }


# --- strict ------------------------------------------------------------------------------------------------------


def told(keyword: str) -> tuple[str, ...]:
    return (f"properties.p: {keyword} is told in the description",)


ONE = {"type": "object", "properties": {"k": STRING}}
ONE_CLOSED = {**ONE, "additionalProperties": False}
STRICT = [
    # kept
    *[({"type": "string", key: value}, {"type": "string", key: value}, ()) for key, value in [
        ("title", "T"), ("description", "D"), ("enum", ["a"]), ("const", "a"), ("default", "a"),
        *(("format", name) for name in ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4",
                                        "ipv6", "uuid"))]],
    *[({"type": "array", "items": STRING, "minItems": n}, {"type": "array", "items": STRING, "minItems": n}, ())
      for n in (0, 1)],
    ({"type": "array", "items": ONE}, {"type": "array", "items": ONE_CLOSED}, ()),
    ({"anyOf": [STRING, ONE]}, {"anyOf": [STRING, ONE_CLOSED]}, ()),
    ({"enum": ["a", 1]}, {"type": ["string", "integer"], "enum": ["a", 1]}, ()),
    ({"anyOf": [{"enum": ["a", 1]}]}, {"type": ["string", "integer"], "enum": ["a", 1]}, ()),
    ({"$ref": "#/$defs/W", "pattern": "a"}, {"type": "string", "description": '(pattern="a")'}, told("pattern")),
    # closed
    (ONE, ONE_CLOSED, ()),
    (ONE_CLOSED, ONE_CLOSED, ()),
    ({"type": "object", "additionalProperties": False}, {"type": "object", "additionalProperties": False}, ()),
    ({**ONE, "unevaluatedProperties": False}, ONE_CLOSED, ()),
    # unions
    ({"oneOf": [STRING, {"type": "null"}]}, {"anyOf": [STRING, {"type": "null"}]}, ()),
    ({"oneOf": [STRING, {"const": "a"}]}, {"anyOf": [STRING, {"type": "string", "const": "a"}]},
     ("properties.p: oneOf is sent as anyOf",)),
    ({"allOf": [ONE, {"required": ["k"]}]}, {**ONE_CLOSED, "required": ["k"]}, ()),
    # told
    *[({"type": "string", key: value}, {"type": "string", "description": f"({key}={text})"}, told(key))
      for key, value, text in [("minLength", 1, "1"), ("maxLength", 1, "1"), ("pattern", "a", '"a"'),
                               ("format", "own", '"own"'), ("not", {"const": "a"}, '{"const":"a"}')]],
    *[({"type": "number", key: 2}, {"type": "number", "description": f"({key}=2)"}, told(key)) for key in
      ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")],
    *[({"type": "array", "items": STRING, key: value},
       {"type": "array", "items": STRING, "description": f"({key}={text})"}, told(key)) for key, value, text in [
        ("minItems", 2, "2"), ("maxItems", 1, "1"), ("uniqueItems", True, "true"),
        ("contains", STRING, '{"type":"string"}')]],
    *[({**ONE, key: 2}, {**ONE_CLOSED, "description": f"({key}=2)"}, told(key)) for key in
      ("minProperties", "maxProperties")],
    ({"type": "string", "x-own": 1}, STRING, ()),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), STRICT)
def test_strict(given: Node, expected: Node, notes: tuple[str, ...]) -> None:
    projection = anthropic_strict(tool(given, **{"$defs": {"W": STRING, "Unused": {"type": "object"}}}))
    assert projection.strict is True, projection.notes
    assert projection.schema == closed(expected)
    assert projection.notes == notes


BEDROCK = [
    ({"type": "string", "minLength": 1, "maxLength": 2}, {"type": "string", "minLength": 1, "maxLength": 2}, ()),
    ({"type": "string", "pattern": "^a$"}, {"type": "string", "pattern": "^a$"}, ()),
    ({"type": "string", "pattern": "(?!a)"}, {"type": "string", "description": '(pattern="(?!a)")'}, told("pattern")),
    (
        {"type": "string", "pattern": "(a)\\1"},
        {"type": "string", "description": '(pattern="(a)\\\\1")'},
        told("pattern"),
    ),
    ({"type": "integer", "minimum": 1}, {"type": "integer", "description": "(minimum=1)"}, told("minimum")),
    (
        {"type": "array", "items": STRING, "minItems": 2},
        {"type": "array", "items": STRING, "description": "(minItems=2)"},
        told("minItems"),
    ),
]


@pytest.mark.parametrize(("given", "expected", "notes"), BEDROCK)
def test_bedrock_strict(given: Node, expected: Node, notes: tuple[str, ...]) -> None:
    projection = bedrock_strict(tool(given))
    assert projection.strict is True, projection.notes
    assert projection.schema == closed(expected)
    assert projection.notes == notes


TREE = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}
RECURSIVE = tool({"$ref": "#/$defs/N"}, **{"$defs": {"N": TREE}})
FAILING = [
    (RECURSIVE, "root: not strict, it is recursive"),
    (tool({"type": "object"}), "properties.p: not strict, it takes any property, none is declared"),
    (tool({**ONE, "additionalProperties": True}), "properties.p: not strict, additionalProperties is not allowed"),
    (tool({**ONE, "additionalProperties": STRING}), "properties.p: not strict, additionalProperties is not allowed"),
    (tool({**ONE, "patternProperties": {"a": STRING}}), "properties.p: not strict, patternProperties is not allowed"),
    (tool({"type": "array", "prefixItems": [STRING]}), "properties.p: not strict, prefixItems is not allowed"),
    (tool({}), "properties.p: not strict, it has no type"),
    (tool(True), "root: not strict, a part of it takes anything or nothing"),
    ({"type": "array", "items": STRING}, "root: not strict, the root is no object"),
    (
        {"type": "object", "properties": {f"p{n}": STRING for n in range(25)}},
        "root: not strict, it has 25 optional properties, more than 24",
    ),
    (
        {
            "type": "object",
            "properties": {f"p{n}": {"type": ["string", "null"]} for n in range(17)},
            "required": [f"p{n}" for n in range(17)],
        },
        "root: not strict, it has 17 union types, more than 16",
    ),
]


@pytest.mark.parametrize(("given", "reason"), FAILING)
@pytest.mark.parametrize(("strict", "plain"), [(anthropic_strict, anthropic), (bedrock_strict, bedrock)])
def test_not_strict(given: Node, reason: str, strict: Any, plain: Any) -> None:
    projection = strict(given)
    assert projection.strict is False
    assert reason in projection.notes
    assert projection.schema == plain(given).schema


def test_strict_keeps_references() -> None:
    given = tool({"$ref": "#/$defs/O"}, **{"$defs": {"O": ONE}})
    projection = anthropic_strict(given)
    assert projection.strict is True
    assert projection.schema == {**closed({"$ref": "#/$defs/O"}), "$defs": {"O": ONE_CLOSED}}
    assert strict_load(projection.schema) == (0, 0)


def test_strict_renames_too() -> None:
    projection = anthropic_strict({"type": "object", "properties": {"a b": STRING}})
    assert projection.strict is True
    assert projection.schema == {
        "type": "object",
        "properties": {"a_b": {"type": "string", "description": '(name="a b")'}},
        "additionalProperties": False,
    }
    assert projection.inverse is not None
    assert projection.inverse.backward({"a_b": "x"}) == {"a b": "x"}


def test_strict_load_counts_optional_properties_and_unions() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [STRING, {"type": "null"}]},
            "b": {"type": "object", "properties": {"c": {"type": ["string", "null"]}, "d": STRING}, "required": ["c"]},
        },
        "required": ["a"],
        "$defs": {"X": {"type": "object", "properties": {"y": {"type": ["string", "null"]}}}},
    }
    assert strict_load(schema) == (2, 2)
