"""OpenAI's base form and strict subset, keyword by keyword (openai-responses wire notes 7, 2026-11)."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.tools.schema import deepseek_strict, openai_base, openai_strict

Node = dict[str, Any]


def tool(schema: Any, **others: Any) -> Node:
    return {"type": "object", "properties": {"p": schema}, "required": ["p"], **others}


# --- base --------------------------------------------------------------------------------------------------------

EMPTY: Node = {"type": "object", "properties": {}}


@pytest.mark.parametrize("schema", [None, True, {}, {"type": "object"}, {"properties": None}, EMPTY])
def test_a_tool_without_parameters_gets_an_empty_object(schema: object) -> None:
    projection = openai_base(schema)
    assert projection.schema == EMPTY
    assert (projection.strict, projection.notes, projection.inverse) == (None, (), None)


@pytest.mark.parametrize("schema", [False, 5, "object", [], [{"type": "object"}]])
def test_what_is_no_schema_is_named(schema: object) -> None:
    projection = openai_base(schema)
    assert projection.schema == EMPTY
    assert projection.notes == ("root: this is no JSON Schema of an object, the tool is sent without parameters",)


BASE = [
    # nullable
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}, ()),
    ({"type": "string", "nullable": False}, {"type": "string"}, ()),
    (
        {"type": "string", "enum": ["a"], "nullable": True},
        {"type": ["string", "null"], "enum": ["a", None]},
        (),
    ),
    ({"minimum": 3, "nullable": True}, {"anyOf": [{"minimum": 3}, {"type": "null"}]}, ()),
    # bookkeeping
    *[
        ({"type": "string", keyword: value}, {"type": "string"}, ())
        for keyword, value in [
            ("discriminator", {"propertyName": "t"}), ("externalDocs", {"url": "u"}), ("readOnly", True),
            ("writeOnly", True), ("xml", {}), ("example", "x"), ("examples", ["x"]), ("deprecated", True),
            ("$schema", "s"), ("$id", "i"), ("$comment", "c"),
        ]
    ],
    # types that are implied
    ({"properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"a": {"type": "string"}}}, ()),
    ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}, ()),
    ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}, ()),
    ({"enum": [1, "b", None]}, {"type": ["integer", "string", "null"], "enum": [1, "b", None]}, ()),
    ({"enum": [1, 2.5]}, {"type": "number", "enum": [1, 2.5]}, ()),
    ({"const": True}, {"type": "boolean", "const": True}, ()),
    # arrays say what their items are
    ({"type": "array"}, {"type": "array", "items": {}}, ()),
    ({"type": ["array", "null"]}, {"type": ["array", "null"], "items": {}}, ()),
    # older drafts
    (
        {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        (),
    ),
    (
        {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 9},
        (),
    ),
    (
        {"type": "object", "properties": {"a": {}}, "dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
        {
            "type": "object",
            "properties": {"a": {}},
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"c": {"required": ["d"]}},
        },
        (),
    ),
    # what is no valid keyword
    *[
        ({"type": "string", keyword: value}, {"type": "string"}, (f"properties.p: {keyword} is not valid JSON Schema "
                                                                  "and is left out",))
        for keyword, value in [
            ("required", "x"), ("properties", [1]), ("minLength", "three"), ("enum", "x"), ("enum", []), ("anyOf", {}),
            ("anyOf", []), ("pattern", 5), ("multipleOf", 0), ("uniqueItems", "yes"), ("minimum", True),
            ("exclusiveMinimum", float("inf")),
            ("dependentRequired", {"a": 1}), ("description", 5),
        ]
    ],
    ({"type": 5}, {}, ("properties.p: type is not valid JSON Schema and is left out",)),
    ({"type": ["string", "any"]}, {}, ("properties.p: type is not valid JSON Schema and is left out",)),
    ("string", {}, ("properties.p: this is no JSON Schema, anything is allowed there",)),
    (None, {}, ("properties.p: this is no JSON Schema, anything is allowed there",)),
    # null keywords are absent ones
    *[({"type": "string", key: None}, {"type": "string"}, ())
      for key in ("description", "enum", "items", "$ref", "anyOf")],
    ({"type": "STRING", "minLength": "3"}, {"type": "string", "minLength": 3}, ()),
    ({"type": ["string", "string"]}, {"type": "string"}, ()),
    # everything else stays, in its order
    (
        {"x-own": 1, "description": "d", "type": "string", "minLength": 2, "default": None, "pattern": "(?=a)"},
        {"x-own": 1, "description": "d", "type": "string", "minLength": 2, "default": None, "pattern": "(?=a)"},
        (),
    ),
    ({"allOf": [{"type": "object"}, {"required": ["a"]}]}, {"allOf": [{"type": "object"}, {"required": ["a"]}]}, ()),
    (True, True, ()),
    (False, False, ()),
    # names and values that look like keywords
    (
        {"type": "object", "properties": {"$ref": {"type": "string"}, "default": {"enum": [1]}, "nullable": {}}},
        {
            "type": "object",
            "properties": {"$ref": {"type": "string"}, "default": {"type": "integer", "enum": [1]}, "nullable": {}},
        },
        (),
    ),
    (
        {"type": "object", "default": {"$ref": "#/x", "nullable": True}, "enum": [{"nullable": True}]},
        {"type": "object", "default": {"$ref": "#/x", "nullable": True}, "enum": [{"nullable": True}]},
        (),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), BASE)
def test_base(given: Any, expected: Any, notes: tuple[str, ...]) -> None:
    projection = openai_base(tool(given))
    assert projection.schema == tool(expected)
    assert projection.notes == notes
    if isinstance(expected, dict):
        assert list(projection.schema["properties"]["p"]) == list(expected)


POINT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
REFS = [
    ({"$ref": "#/$defs/Point"}, POINT, ()),
    ({"$ref": "#/definitions/Old"}, {"type": "boolean"}, ()),
    ({"$ref": "#/$defs/with~1slash~0and%20space"}, {"type": "null"}, ()),
    ({"$ref": "#/$defs/Point/properties/x"}, {"type": "integer"}, ()),
    ({"$ref": "#/$defs/List/anyOf/1"}, {"type": "string"}, ()),
    ({"$ref": "#/$defs/Chain"}, POINT, ()),
    ({"$ref": "#/$defs/Point", "description": "Here."}, {**POINT, "description": "Here."}, ()),
    ({"$ref": "#/$defs/Point", "maxProperties": 3}, {"maxProperties": 3, **POINT}, ()),
    (
        {"$ref": "#/$defs/Word", "pattern": "b"},
        {"pattern": "b", "allOf": [{"type": "string", "pattern": "a"}]},
        (),
    ),
    ({"$ref": "#/$defs/Any"}, True, ()),
    ({"$ref": "#/$defs/None"}, {}, ("properties.p: $ref '#/$defs/None' leads nowhere in this schema, anything is "
                                    "allowed there",)),
    ({"$ref": "https://example.com/s.json"}, {}, ("properties.p: $ref 'https://example.com/s.json' leads nowhere in "
                                                  "this schema, anything is allowed there",)),
    ({"$ref": 5, "type": "string"}, {"type": "string"}, ("properties.p: $ref 5 leads nowhere in this schema, anything "
                                                         "is allowed there",)),
    ({"$ref": "#/$defs/Loop"}, {}, ("properties.p: $ref '#/$defs/Loop' only leads back to itself, anything is allowed "
                                    "there",)),
    ({"$ref": "#/$defs/Ring"}, {}, ("properties.p: $ref '#/$defs/Ring' only leads back to itself, anything is allowed "
                                    "there",)),
]  # fmt: skip
DEFS = {
    "Point": POINT,
    "with/slash~and space": {"type": "null"},
    "List": {"anyOf": [{"type": "null"}, {"type": "string"}]},
    "Chain": {"$ref": "#/$defs/Point"},
    "Word": {"type": "string", "pattern": "a"},
    "Any": True,
    "Loop": {"$ref": "#/$defs/Loop"},
    "Ring": {"anyOf": [{"allOf": [{"$ref": "#/$defs/Ring"}]}, {"type": "string"}]},
}


@pytest.mark.parametrize(("given", "expected", "notes"), REFS)
def test_base_writes_references_out(given: Node, expected: Any, notes: tuple[str, ...]) -> None:
    projection = openai_base(tool(given, **{"$defs": DEFS, "definitions": {"Old": {"type": "boolean"}}}))
    assert projection.schema == tool(expected)
    assert projection.notes == notes


NODE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}


def test_base_keeps_recursive_references_with_their_definitions() -> None:
    given = tool({"$ref": "#/definitions/Node"}, definitions={"Node": {**NODE, "properties": {
        "kids": {"type": "array", "items": {"$ref": "#/definitions/Node"}}}}, "Unused": {}})  # fmt: skip
    assert openai_base(given).schema == tool({"$ref": "#/$defs/Node"}, **{"$defs": {"Node": NODE}})


def test_base_puts_a_definition_at_the_root_in_its_place() -> None:
    given = {"$schema": "s", "$ref": "#/$defs/Node", "$defs": {"Node": NODE}}
    assert openai_base(given).schema == {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}},
    }


@pytest.mark.parametrize(
    ("root", "expected", "notes"),
    [
        (  # allOf: both
            {"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]},
                       {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}]},
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "type": "object",
             "required": ["a", "b"]},
            (),
        ),
        (  # anyOf: properties of all, required of all
            {"type": "object", "anyOf": [{"properties": {"id": {"type": "integer"}}, "required": ["id"]},
                                         {"properties": {"slug": {"type": "string"}}, "required": ["slug"]}]},
            {"type": "object", "properties": {"id": {"type": "integer"}, "slug": {"type": "string"}},
             "description": "(one of: id | slug)"},
            ("root: anyOf is flattened into one object, the description tells the alternatives",),
        ),
        (  # oneOf with a discriminator: enums are merged, other schemas of one name are a union
            {"description": "Do.", "oneOf": [
                {"type": "object", "required": ["kind", "n"], "additionalProperties": False,
                 "properties": {"kind": {"type": "string", "const": "x"}, "n": {"type": "integer"}}},
                {"type": "object", "required": ["kind"], "additionalProperties": False,
                 "properties": {"kind": {"type": "string", "const": "y"}, "n": {"type": "string"}}}]},
            {"type": "object", "description": "Do. (one of: kind=\"x\", n | kind=\"y\")",
             "properties": {"kind": {"type": "string", "enum": ["x", "y"]},
                            "n": {"anyOf": [{"type": "integer"}, {"type": "string"}]}},
             "required": ["kind"], "additionalProperties": False},
            ("root: oneOf is flattened into one object, the description tells the alternatives",),
        ),
        (  # variants that no object satisfies
            {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/A"}], "$defs": {"A": {"type": "object", "required": ["a"]}}},
            {"type": "object", "properties": {}, "required": ["a"]},
            (),
        ),
        (  # only required differs
            {"type": "object", "properties": {"a": {}, "b": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"type": "object", "properties": {"a": {}, "b": {}}, "description": "(one of: a | b)"},
            ("root: oneOf is flattened into one object, the description tells the alternatives",),
        ),
        ({"type": ["object", "null"]}, EMPTY, ()),
        (
            {"type": "array", "items": {}},
            EMPTY,
            ("root: the type is array and not object, the tool is sent without parameters",),
        ),
    ],
)  # fmt: skip
def test_base_has_one_object_at_the_root(root: Node, expected: Node, notes: tuple[str, ...]) -> None:
    projection = openai_base(root)
    assert projection.schema == expected
    assert projection.notes == notes


def test_base_tells_what_a_host_does_not_support() -> None:
    projection = openai_base(tool({"type": "string", "format": "uri"}, additionalProperties=False),
                             frozenset({"additionalProperties", "format"}))  # fmt: skip
    assert projection.schema == tool({"type": "string", "description": '(format="uri")'})
    assert projection.notes == (
        "properties.p: format is told in the description",
        "root: additionalProperties is left out",
    )


# --- strict ------------------------------------------------------------------------------------------------------


def closed(schema: Any) -> Node:
    return tool(schema, additionalProperties=False)


def test_example_of_the_wire_notes() -> None:
    opt = {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]}
    given = {
        "type": "object",
        "properties": {"q": {"type": "string", "minLength": 1, "default": "x"}, "opt": opt},
        "required": ["q", "opt"],
    }
    q = {"type": "string", "description": '(minLength=1, default="x")'}
    expected = {
        "type": "object",
        "properties": {"q": q, "opt": {**opt, "additionalProperties": False}},
        "required": ["q", "opt"],
        "additionalProperties": False,
    }
    projection = openai_strict(given, "lossless")
    assert projection.schema == expected
    assert (projection.strict, projection.inverse) == (True, None)
    assert projection.notes == ("properties.q: minLength is told in the description",)
    given["required"] = ["q"]
    projection = openai_strict(given, "lossless")
    assert (projection.schema, projection.strict) == (given, False)
    assert projection.notes == ("properties.opt: not strict, it is not required",)
    projection = openai_strict(given, "rewrite")
    expected["properties"]["opt"] = {"anyOf": [expected["properties"]["opt"], {"type": "null"}]}
    assert (projection.schema, projection.strict) == (expected, True)
    assert projection.inverse is not None
    assert projection.inverse.backward({"q": "a", "opt": None}) == {"q": "a"}
    assert projection.inverse.backward({"q": "a", "opt": {"k": 1}}) == {"q": "a", "opt": {"k": 1}}
    assert projection.inverse.forward({"q": "a"}) == {"q": "a"}


def told(keyword: str) -> tuple[str, ...]:
    return (f"properties.p: {keyword} is told in the description",)


STRING = {"type": "string"}
ONE = {"type": "object", "properties": {"k": STRING}, "required": ["k"]}
ONE_CLOSED = {**ONE, "additionalProperties": False}
STRICT = [
    # kept
    *[({"type": "string", key: value}, {"type": "string", key: value}, ()) for key, value in [
        ("title", "T"), ("description", "D"), ("enum", ["a"]), ("const", "a"), ("pattern", "^a+$"),
        ("pattern", "(?:a|b)(?<name>c)"), ("format", "date-time"), ("format", "time"), ("format", "date"),
        ("format", "duration"), ("format", "email"), ("format", "hostname"), ("format", "ipv4"), ("format", "ipv6"),
        ("format", "uuid")]],
    *[({"type": "number", key: 2}, {"type": "number", key: 2}, ()) for key in
      ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")],
    *[({"type": "array", "items": STRING, key: 2}, {"type": "array", "items": STRING, key: 2}, ()) for key in
      ("minItems", "maxItems")],
    ({"type": ["string", "null"]}, {"type": ["string", "null"]}, ()),
    # objects are closed
    (ONE, ONE_CLOSED, ()),
    (ONE_CLOSED, ONE_CLOSED, ()),
    ({"type": "array", "items": ONE}, {"type": "array", "items": ONE_CLOSED}, ()),
    ({**ONE, "type": ["object", "null"]}, {**ONE_CLOSED, "type": ["object", "null"]}, ()),
    ({"type": "object", "additionalProperties": False},
     {"type": "object", "additionalProperties": False, "properties": {}, "required": []}, ()),
    ({**ONE, "unevaluatedProperties": False}, ONE_CLOSED, ()),
    ({**ONE_CLOSED, "required": ["k", "z"]}, ONE_CLOSED,
     ('properties.p: required names "z", which is no property, and is left out',)),
    # told in the description
    *[({"type": "string", key: value}, {"type": "string", "description": f"({key}={text})"}, told(key))
      for key, value, text in [
        ("minLength", 3, "3"), ("maxLength", 3, "3"), ("format", "uri", '"uri"'), ("pattern", "(?=a)", '"(?=a)"'),
        ("pattern", "(?!a)", '"(?!a)"'), ("pattern", "(?<=a)", '"(?<=a)"'), ("pattern", "(?<!a)", '"(?<!a)"'),
        ("pattern", "(?P<n>a)", '"(?P<n>a)"'), ("pattern", "(?i)a", '"(?i)a"'), ("pattern", "\\Aa\\Z", '"\\\\Aa\\\\Z"'),
        ("contentEncoding", "base64", '"base64"'), ("contentMediaType", "text/x", '"text/x"')]],
    *[({"type": "array", "items": STRING, key: value},
       {"type": "array", "items": STRING, "description": f"({key}={text})"}, told(key))
      for key, value, text in [("uniqueItems", True, "true"), ("contains", {"type": "null"}, '{"type":"null"}'),
                               ("minContains", 1, "1"), ("maxContains", 1, "1")]],
    *[({**ONE, key: 1}, {**ONE_CLOSED, "description": f"({key}=1)"}, told(key))
      for key in ("minProperties", "maxProperties")],
    ({"type": "string", "description": "D.", "minLength": 1, "maxLength": 2},
     {"type": "string", "description": "D. (minLength=1, maxLength=2)"},
     (*told("minLength"), *told("maxLength"))),
    # no constraints
    ({"type": "string", "default": None}, STRING, ()),
    ({"type": "string", "default": "ü"}, {"type": "string", "description": '(default="ü")'}, ()),
    ({"type": "string", "x-own": 1}, STRING, ()),
    ({"type": "string", "minimum": 3, "items": True, "properties": {"a": {}}}, STRING, ()),
    # unions
    ({"oneOf": [STRING, {"type": "null"}]}, {"anyOf": [STRING, {"type": "null"}]}, ()),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, {"anyOf": [{"type": "integer"}, {"type": "number"}]},
     ("properties.p: oneOf is sent as anyOf",)),
    ({"anyOf": [STRING], "description": "D"}, {"description": "D", "type": "string"}, ()),
    ({"anyOf": [STRING, {"type": "null"}], "description": "D"},
     {"anyOf": [STRING, {"type": "null"}], "description": "D"}, ()),
    ({"type": "string", "anyOf": [{"const": "a"}, {"pattern": "b"}]},
     {"anyOf": [{"type": "string", "const": "a"}, {"type": "string", "pattern": "b"}]}, ()),
    # object branches begin with different properties
    ({"anyOf": [
        {"type": "object", "properties": {"t": {"type": "string", "const": "a"}, "x": STRING}, "required": ["t", "x"]},
        {"type": "object", "properties": {"t": {"type": "string", "const": "b"}}, "required": ["t"]}]},
     {"anyOf": [
        {"type": "object", "properties": {"x": STRING, "t": {"type": "string", "const": "a"}}, "required": ["t", "x"],
         "additionalProperties": False},
        {"type": "object", "properties": {"t": {"type": "string", "const": "b"}}, "required": ["t"],
         "additionalProperties": False}]}, ()),
    # allOf
    ({"allOf": [ONE], "description": "D"}, {"description": "D", **ONE_CLOSED}, ()),
    ({"allOf": [ONE, {"type": "object", "properties": {"m": STRING}, "required": ["m"]}]},
     {**ONE_CLOSED, "properties": {"k": STRING, "m": STRING}, "required": ["k", "m"]}, ()),
    ({"allOf": [{"type": "integer", "minimum": 1}, {"type": "number", "minimum": 3}]},
     {"type": "integer", "minimum": 3}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), STRICT)
def test_strict(given: Node, expected: Node, notes: tuple[str, ...]) -> None:
    projection = openai_strict(tool(given), "lossless")
    assert projection.strict is True, projection.notes
    assert projection.schema == closed(expected)
    assert projection.notes == notes
    assert projection.inverse is None
    properties = projection.schema["properties"]["p"]
    branches = [*properties.get("anyOf", []), properties]
    wanted = [*expected.get("anyOf", []), expected]
    assert [list(b.get("properties", {})) for b in branches] == [list(b.get("properties", {})) for b in wanted]


SAME_KEY = {"type": "object", "properties": {"t": STRING}, "required": ["t"]}
FAILING = [
    ({**ONE, "additionalProperties": True}, "it takes any property"),
    ({**ONE, "additionalProperties": STRING}, "it takes any property"),
    ({"type": "object"}, "it takes any property, none is declared"),
    ({**ONE, "required": ["k", "z"]}, 'required names "z", which is no property'),
    ({}, "it has no type"),
    ({"description": "D"}, "it has no type"),
    ({"type": "array", "items": True}, "the items have no type"),
    ({"type": "array", "prefixItems": [STRING]}, "prefixItems is not allowed"),
    ({"anyOf": [STRING, {"type": "null"}], "oneOf": [STRING, {"const": 1}]}, "oneOf beside anyOf is left out"),
    ({"anyOf": [SAME_KEY, SAME_KEY]}, "branches of anyOf begin with the same property"),
    ({"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]}, "allOf: pattern cannot be said together"),
    ({"allOf": [ONE_CLOSED, {"type": "object", "properties": {"m": STRING}, "required": ["m"]}]},
     "allOf: additionalProperties cannot be said together"),
    ({"allOf": [{**ONE, "unevaluatedProperties": False}, {"type": "object", "properties": {"m": STRING}}]},
     "allOf: unevaluatedProperties cannot be said together"),
    *[({"type": "string", key: value}, f"{key} is not allowed") for key, value in [
        ("not", {"const": "a"}), ("if", {"const": "a"}), ("then", {"const": "a"}), ("else", {"const": "a"}),
        ("contentSchema", {})]],
    *[({**ONE, key: value}, f"{key} is not allowed") for key, value in [
        ("dependentRequired", {"k": []}), ("dependentSchemas", {"k": {}}), ("patternProperties", {"a": STRING}),
        ("propertyNames", {"maxLength": 3}), ("unevaluatedProperties", {"type": "string"})]],
    ({"type": "array", "items": STRING, "unevaluatedItems": False}, "unevaluatedItems is not allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "reason"), FAILING)
@pytest.mark.parametrize("level", ["lossless", "rewrite"])
def test_not_strict(given: Node, reason: str, level: Any) -> None:
    projection = openai_strict(tool(given), level)
    assert projection.strict is False
    assert projection.schema == openai_base(tool(given)).schema
    assert f"properties.p: not strict, {reason}" in projection.notes
    assert projection.inverse is None


@pytest.mark.parametrize("given", [{"type": "array"}, {"type": "array", "items": {}}])
def test_items_without_a_type_are_not_strict(given: Node) -> None:
    projection = openai_strict(tool(given), "lossless")
    assert projection.strict is False
    assert projection.notes == ("properties.p.items: not strict, it has no type",)


def test_not_strict_names_every_reason() -> None:
    projection = openai_strict({"type": "object", "properties": {"a": STRING, "b": {}, "c": True}, "required": ["b"]},
                               "lossless")  # fmt: skip
    assert projection.notes == (
        "properties.b: not strict, it has no type",
        "properties.c: not strict, it has no type",
        "properties.a: not strict, it is not required",
        "properties.c: not strict, it is not required",
    )


@pytest.mark.parametrize("schema", [{}, EMPTY, {"type": "object", "additionalProperties": False}])
def test_strict_takes_a_tool_without_parameters(schema: Node) -> None:
    projection = openai_strict(schema, "lossless")
    assert projection.strict is True
    assert projection.schema == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


@pytest.mark.parametrize("schema", [{"type": "array", "items": STRING}, {"type": "string"}, 5, False])
def test_strict_is_never_claimed_for_what_is_no_object(schema: object) -> None:
    projection = openai_strict(schema, "lossless")
    assert (projection.schema, projection.strict) == (EMPTY, False)
    assert projection.notes[-1] == "root: not strict, the root is no object"


def test_strict_off_is_the_base_form() -> None:
    projection = openai_strict(closed(STRING), "off")
    assert (projection.schema, projection.strict, projection.notes) == (closed(STRING), False, ())


NULLABLE = [
    (STRING, {"type": ["string", "null"]}),
    ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
    ({"type": "string", "const": "a"}, {"type": ["string", "null"], "enum": ["a", None]}),
    ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
    ({"type": "array", "items": STRING}, {"type": ["array", "null"], "items": STRING}),
    ({"anyOf": [STRING, {"type": "integer"}]}, {"anyOf": [STRING, {"type": "integer"}, {"type": "null"}]}),
    (ONE, {"anyOf": [ONE_CLOSED, {"type": "null"}]}),
    ({**ONE, "description": "D"}, {"anyOf": [{**ONE_CLOSED, "description": "D"}, {"type": "null"}]}),
]


@pytest.mark.parametrize(("given", "expected"), NULLABLE)
def test_rewrite_makes_optional_properties_nullable(given: Node, expected: Node) -> None:
    schema = {"type": "object", "properties": {"a": STRING, "p": given}, "required": ["a"]}
    projection = openai_strict(schema, "rewrite")
    assert projection.strict is True, projection.notes
    assert projection.schema == {
        "type": "object",
        "properties": {"a": STRING, "p": expected},
        "required": ["a", "p"],
        "additionalProperties": False,
    }
    assert projection.notes == ()
    assert projection.inverse is not None
    assert projection.inverse.backward({"a": "x", "p": None}) == {"a": "x"}


@pytest.mark.parametrize(
    "given", [{"type": ["string", "null"]}, {"type": "null"}, {"anyOf": [STRING, {"type": "null"}]}]
)
def test_rewrite_leaves_null_where_it_means_something(given: Node) -> None:
    projection = openai_strict({"type": "object", "properties": {"p": given}}, "rewrite")
    assert projection.schema == closed(given)
    assert projection.inverse is None


def test_rewrite_is_undone_deep_down() -> None:
    step = {"type": "object", "properties": {"verb": STRING, "note": STRING}, "required": ["verb"]}
    schema = {
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": {"anyOf": [
                {"type": "object", "properties": {"kind": {"type": "string", "const": "go"}, "to": STRING},
                 "required": ["kind"]},
                {"type": "object", "properties": {"to": {"type": ["string", "null"]},
                                                  "kind": {"type": "string", "const": "stop"}},
                 "required": ["kind", "to"]}]}},
            "first": step,
        },
        "required": ["steps"],
    }  # fmt: skip
    projection = openai_strict(schema, "rewrite")
    assert projection.strict is True, projection.notes
    assert projection.inverse is not None
    wire = {
        "steps": [{"kind": "go", "to": None}, {"kind": "stop", "to": None}, {"kind": "go", "to": "x"}],
        "first": {"verb": "v", "note": None},
    }
    assert projection.inverse.backward(wire) == {
        "steps": [{"kind": "go"}, {"kind": "stop", "to": None}, {"kind": "go", "to": "x"}],
        "first": {"verb": "v"},
    }
    assert projection.inverse.backward({"steps": [], "first": None}) == {"steps": []}
    assert projection.inverse.backward(["no", {"object": None}]) == ["no", {"object": None}]


def test_rewrite_follows_recursive_references() -> None:
    node = {"type": "object", "properties": {"v": STRING, "next": {"$ref": "#/$defs/N"}}, "required": ["v"]}
    projection = openai_strict(tool({"$ref": "#/$defs/N"}, **{"$defs": {"N": node}}), "rewrite")
    assert projection.strict is True, projection.notes
    assert projection.schema["$defs"]["N"] == {
        "type": "object",
        "properties": {"v": STRING, "next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}},
        "required": ["v", "next"],
        "additionalProperties": False,
    }
    assert projection.inverse is not None
    wire = {"p": {"v": "a", "next": {"v": "b", "next": None}}}
    assert projection.inverse.backward(wire) == {"p": {"v": "a", "next": {"v": "b"}}}


def test_strict_recursion() -> None:
    node = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}}}
    node["required"] = ["kids"]
    strict = {**node, "additionalProperties": False}
    given = tool({"$ref": "#/$defs/N", "description": "Tree."}, **{"$defs": {"N": node}})
    projection = openai_strict(given, "lossless")
    assert projection.strict is True, projection.notes
    assert projection.schema == {
        **closed({"anyOf": [{"$ref": "#/$defs/N"}], "description": "Tree."}), "$defs": {"N": strict},
    }  # fmt: skip
    given["properties"]["p"]["maxProperties"] = 3
    projection = openai_strict(given, "lossless")
    assert projection.strict is False
    assert projection.notes == ("properties.p: not strict, a recursive $ref has keywords beside it",)


def nested(levels: int) -> Node:
    schema: Node = STRING
    for _ in range(levels):
        schema = tool(schema)
    return schema


LIMITS = [
    (nested(10), None),
    (nested(11), "properties.p" + ".properties.p" * 9 + ": not strict, it is nested deeper than 10 levels"),
    ({"type": "object", "properties": {f"p{n}": STRING for n in range(5001)},
      "required": [f"p{n}" for n in range(5001)]}, "root: not strict, it has 5001 properties, more than 5000"),
    (tool({"type": "string", "enum": [f"{n}" for n in range(1001)]}),
     "root: not strict, it has 1001 enum values, more than 1000"),
    (tool({"type": "string", "enum": [f"{n:060}" for n in range(251)]}),
     "properties.p: not strict, an enum of over 250 values has over 15000 characters"),
    (tool({"type": "string", "enum": [f"{n:059}" for n in range(250)]}), None),
    (tool({"type": "string", "const": "x" * 120_000}),
     "root: not strict, it has 120001 characters of names and values, more than 120000"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "reason"), LIMITS)
def test_strict_limits(schema: Node, reason: str | None) -> None:
    projection = openai_strict(schema, "lossless")
    assert projection.strict is (reason is None)
    assert projection.notes == (() if reason is None else (reason,))


@pytest.mark.parametrize(
    ("text_format", "kept"),
    [("email", True), ("hostname", True), ("ipv4", True), ("ipv6", True), ("uuid", True), ("date-time", False)],
)
def test_deepseek_has_fewer_formats(text_format: str, kept: bool) -> None:
    given = {"type": "string", "format": text_format}
    projection = deepseek_strict(tool(given), "lossless")
    assert projection.strict is True
    expected = given if kept else {"type": "string", "description": f'(format="{text_format}")'}
    assert projection.schema == closed(expected)


# --- the shared failure cases ------------------------------------------------------------------------------------


def test_case_responses_strict_stays_off() -> None:
    search = {"type": "object", "properties": {"q": STRING, "year": {"type": "integer"}}, "required": ["q"]}
    assert openai_base(search).schema == search
    assert openai_strict(search, "lossless").strict is False
    exact = {"type": "object", "properties": {"q": STRING}, "required": ["q"], "additionalProperties": False}
    projection = openai_strict(exact, "lossless")
    assert (projection.schema, projection.strict, projection.notes) == (exact, True, ())


def test_case_responses_response_format() -> None:
    verdict = {
        "type": "object",
        "properties": {"good": {"type": "boolean"}},
        "required": ["good"],
        "additionalProperties": False,
    }
    projection = openai_strict(verdict, "lossless")
    assert projection.schema is verdict
    assert projection.strict is True
