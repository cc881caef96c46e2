"""Schemas of Mistral, Ollama, Cohere and of hosts of OpenAI's chat API (their wire notes, 2026-11)."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.presets import PRESETS
from adapters.tools.schema import cohere, cohere_strict, mistral, ollama, openai_base, untouched

Node = dict[str, Any]
STRING = {"type": "string"}
EMPTY: Node = {"type": "object", "properties": {}}
MONEY = {"type": "object", "properties": {"cents": {"type": "integer"}}, "required": ["cents"]}
TREE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Tree"}}}


def tool(schema: Any, **others: Any) -> Node:
    return {"type": "object", "properties": {"p": schema}, "required": ["p"], **others}


def told(keyword: str) -> tuple[str, ...]:
    return (f"properties.p: {keyword} is told in the description",)


# --- untouched ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [{}, {"type": 5}, {"$ref": "#"}, {"properties": None}, {"nullable": True}])
def test_untouched(schema: Node) -> None:
    projection = untouched(schema)
    assert projection.schema is schema
    assert (projection.strict, projection.notes, projection.inverse) == (None, (), None)


@pytest.mark.parametrize(("schema", "noted"), [(None, False), (True, False), (False, True), (5, True), ([], True)])
def test_what_is_no_object_cannot_stay(schema: object, noted: bool) -> None:
    projection = untouched(schema)
    assert projection.schema == EMPTY
    assert bool(projection.notes) is noted


# --- Mistral -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, EMPTY),
        ({"$schema": "s", "$id": "i", **tool(STRING)}, tool(STRING)),
        (tool({"$ref": "#/$defs/M"}, **{"$defs": {"M": MONEY}}), tool(MONEY)),
        (
            tool({"$ref": "#/definitions/Tree"}, definitions={
                "Tree": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Tree"}}}}),
            tool({"$ref": "#/$defs/Tree"}, **{"$defs": {"Tree": TREE}}),
        ),
        (tool({"const": 1, "title": "T", "examples": [1], "oneOf": [{}], "not": {}, "x-own": 1}),) * 2,
        ({"anyOf": [MONEY, STRING]}, {"type": "object", "properties": {}, "anyOf": [MONEY, STRING]}),
    ],
)  # fmt: skip
def test_mistral(given: object, expected: Node) -> None:
    projection = mistral(given)
    assert projection.schema == expected
    assert projection.notes == ()


# --- Ollama ------------------------------------------------------------------------------------------------------

OLLAMA = [
    # kept
    *[(schema, schema, ()) for schema in [
        {"type": "string", "description": "D", "enum": ["a"]}, {"type": ["string", "null"]},
        {"anyOf": [STRING, {"type": "integer"}]}, {"type": "array", "items": STRING}, MONEY]],
    # said otherwise
    ({"const": "a"}, {"type": "string", "enum": ["a"]}, ()),
    ({"oneOf": [STRING, {"type": "null"}]}, {"anyOf": [STRING, {"type": "null"}]}, ()),
    ({"oneOf": [STRING, STRING]}, {"anyOf": [STRING, STRING]}, ("properties.p: oneOf is sent as anyOf",)),
    ({"allOf": [MONEY, {"type": "object", "properties": {"unit": STRING}}]},
     {**MONEY, "properties": {"cents": {"type": "integer"}, "unit": STRING}}, ()),
    ({"$ref": "#/$defs/M"}, MONEY, ()),
    # told
    ({"type": "string", "default": "x"}, {"type": "string", "description": '(default="x")'}, ()),
    *[({"type": "string", key: value}, {"type": "string", "description": f"({key}={text})"}, told(key))
      for key, value, text in [("format", "date", '"date"'), ("pattern", "^a$", '"^a$"'), ("minLength", 1, "1"),
                               ("maxLength", 1, "1")]],
    *[({"type": "number", key: 1}, {"type": "number", "description": f"({key}=1)"}, told(key)) for key in
      ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")],
    *[({"type": "array", "items": STRING, key: 1}, {"type": "array", "items": STRING, "description": f"({key}=1)"},
       told(key)) for key in ("minItems", "maxItems")],
    ({"type": "object", "additionalProperties": STRING},
     {"type": "object", "description": '(additionalProperties={"type":"string"})'}, told("additionalProperties")),
    # lost
    ({"type": "string", "title": "T", "$comment": "c", "x-own": 1}, STRING, ()),
    ({**MONEY, "additionalProperties": True}, MONEY, ()),
    ({**MONEY, "additionalProperties": False}, MONEY, ("properties.p: additionalProperties is left out",)),
    (True, {}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), OLLAMA)
def test_ollama(given: Any, expected: Any, notes: tuple[str, ...]) -> None:
    projection = ollama(tool(given, **{"$defs": {"M": MONEY}}))
    assert projection.schema == tool(expected)
    assert projection.notes == notes
    assert projection.inverse is None


def test_ollama_writes_recursion_out_once() -> None:
    projection = ollama(tool({"$ref": "#/$defs/Tree"}, **{"$defs": {"Tree": TREE}}))
    again = {"type": "object", "description": "(again as in Tree)"}
    assert projection.schema == tool({"type": "object", "properties": {"next": again}})
    assert projection.notes == ("properties.p.properties.next: $ref is recursive, it is written out once",)
    projection = ollama(tool({"$ref": "#"}))
    assert projection.schema == tool({"type": "object", "description": "(again the whole)"})


@pytest.mark.parametrize("schema", [None, {}, {"type": ["object"]}, {"properties": None}, {"type": "object"}])
def test_ollama_root(schema: object) -> None:
    assert ollama(schema).schema == EMPTY


def test_case_ollama_tool_schema_kept() -> None:
    job = {"type": "object", "properties": {"cmd": STRING}, "required": ["cmd"]}
    given = {"type": "object", "properties": {"jobs": {"type": "array", "items": job}}, "required": ["jobs"]}
    projection = ollama(given)
    assert projection.schema == given
    assert projection.notes == ()


# --- Cohere ------------------------------------------------------------------------------------------------------

COHERE = [
    *[(schema, schema, ()) for schema in [
        {"type": "string", "minLength": 1, "format": "uri", "not": {}, "title": "T"}, {"type": ["string", "null"]}]],
    ({"enum": ["a"]}, {"type": "string", "enum": ["a"]}, ()),
    ({"anyOf": [STRING, {"type": "null"}]}, {"type": ["string", "null"], "anyOf": [STRING, {"type": "null"}]}, ()),
    ({"oneOf": [STRING, STRING]}, {"type": "string", "oneOf": [STRING, STRING]}, ()),
    ({"$ref": "#/$defs/M"}, MONEY, ()),
    ({"description": "D"}, {"type": "string", "description": "D"},
     ("properties.p: any value is allowed, what is no string goes as JSON text",)),
    (True, STRING, ("properties.p: any value is allowed, what is no string goes as JSON text",)),
    ({**MONEY, "required": ["cents", "z"]}, MONEY,
     ('properties.p: required names "z", which is no property, and is left out',)),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), COHERE)
def test_cohere(given: Any, expected: Any, notes: tuple[str, ...]) -> None:
    projection = cohere(tool(given, **{"$defs": {"M": MONEY}}))
    assert projection.schema == tool(expected)
    assert projection.notes == notes
    assert projection.strict is None


def test_cohere_says_any_value_as_text() -> None:
    inverse = cohere(tool({})).inverse
    assert inverse is not None
    assert inverse.forward({"p": {"a": 1}}) == {"p": '{"a":1}'}
    assert inverse.forward({"p": "1"}) == {"p": "1"}
    assert inverse.backward({"p": "1"}) == {"p": "1"}


def test_cohere_keeps_recursive_references_with_a_type() -> None:
    projection = cohere(tool({"$ref": "#/$defs/Tree"}, **{"$defs": {"Tree": TREE}}))
    typed = {"type": "object", "$ref": "#/$defs/Tree"}
    assert projection.schema == tool(typed, **{"$defs": {"Tree": {"type": "object", "properties": {"next": typed}}}})


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"properties": None}])
def test_cohere_root(schema: object) -> None:
    assert cohere(schema).schema == EMPTY


COHERE_STRICT = [
    *[({"type": "string", key: value}, {"type": "string", "description": f"({key}={text})"}, told(key))
      for key, value, text in [("minLength", 1, "1"), ("maxLength", 1, "1"), ("pattern", "^a", '"^a"'),
                               ("pattern", "a$", '"a$"'), ("pattern", "(?=a)", '"(?=a)"'),
                               ("pattern", "(?!a)", '"(?!a)"'),
                               ("format", "email", '"email"'), ("not", {"const": "a"}, '{"const":"a"}')]],
    *[({"type": "number", key: 1}, {"type": "number", "description": f"({key}=1)"}, told(key)) for key in
      ("minimum", "maximum")],
    *[({"type": "array", "items": STRING, key: value},
       {"type": "array", "items": STRING, "description": f"({key}={text})"}, told(key))
      for key, value, text in [("minItems", 1, "1"), ("maxItems", 1, "1"), ("uniqueItems", True, "true")]],
    *[({"type": "string", "format": name}, {"type": "string", "format": name}, ()) for name in
      ("date-time", "uuid", "date", "time")],
    ({"type": "string", "pattern": "a+"}, {"type": "string", "pattern": "a+"}, ()),
    ({"type": "string", "const": "a"}, {"type": "string", "const": "a"}, ()),
    ({"allOf": [MONEY, {"properties": {"unit": STRING}}]},
     {**MONEY, "properties": {"cents": {"type": "integer"}, "unit": STRING}}, ()),
    ({"oneOf": [STRING, {"type": "null"}]}, {"type": ["string", "null"], "anyOf": [STRING, {"type": "null"}]}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "notes"), COHERE_STRICT)
def test_cohere_strict(given: Any, expected: Any, notes: tuple[str, ...]) -> None:
    projection = cohere_strict(tool(given))
    assert projection.strict is True, projection.notes
    assert projection.schema == tool(expected)
    assert projection.notes == notes


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({}, "root"),
        ({"type": "object", "properties": {"a": STRING}}, "root"),
        (tool({"type": "object"}), "properties.p"),
    ],
)
def test_cohere_is_not_strict_where_nothing_is_required(schema: Node, path: str) -> None:
    projection = cohere_strict(schema)
    assert projection.strict is False
    assert projection.notes == (f"{path}: not strict, it requires no property",)


# --- what hosts refuse -------------------------------------------------------------------------------------------

HOSTS = ("deepseek", "fireworks", "groq", "llama-cpp", "moonshot", "xai")


def words_of(host: str) -> frozenset[str]:
    """The keywords that a preset names."""
    return frozenset(PRESETS[host].compat["openai-chat"].get("unsupported_schema_keywords", ()))


# --- keywords that hang on others --------------------------------------------------------------------------------


def test_a_weaker_branch_never_makes_one_of_forbid_more() -> None:
    given = tool({"oneOf": [{**MONEY, "additionalProperties": False}, {"type": "object", "required": ["unit"]}]})
    projection = openai_base(given, words_of("xai"))
    assert projection.schema == tool({"anyOf": [MONEY, {"type": "object", "required": ["unit"]}]})
    assert projection.notes == (
        "properties.p.oneOf.0: additionalProperties is left out",
        "properties.p: oneOf is sent as anyOf",
    )


@pytest.mark.parametrize("keyword", ["not", "if"])
def test_a_weaker_part_never_makes_a_negation_forbid_more(keyword: str) -> None:
    part = {"type": "string", "pattern": "a"}
    given = tool({"type": "string", keyword: part, "then": {"minLength": 9}, "title": "T"})
    projection = openai_base(given, words_of("llama-cpp"))
    kept = {"type": "string", "title": "T"} if keyword == "if" else {
        "type": "string", "then": {"minLength": 9}, "title": "T"}  # fmt: skip
    told_part = f'({keyword}={{"type":"string","pattern":"a"}})'
    assert projection.schema == tool({**kept, "description": told_part})
    assert f"properties.p: {keyword} is told in the description" in projection.notes


def test_what_cannot_be_read_never_makes_a_negation_forbid_more() -> None:
    projection = mistral(tool({"type": "string", "not": {"$ref": "#/nowhere"}}))
    assert projection.schema == tool(STRING)
    assert projection.notes == (
        "properties.p.not: $ref '#/nowhere' leads nowhere in this schema, anything is allowed there",
        "properties.p: not is left out",
    )


def test_items_do_not_stay_without_the_positions_before_them() -> None:
    projection = ollama(tool({"type": "array", "prefixItems": [{"type": "integer"}], "items": STRING}))
    assert projection.schema == tool({"type": "array", "description": '(prefixItems=[{"type":"integer"}])'})
    assert projection.notes == (*told("prefixItems"), "properties.p: items is left out")


def test_what_never_holds_goes_without_moving_positions() -> None:
    projection = cohere(tool({"type": "array", "prefixItems": [False, STRING], "contains": {"anyOf": [False]}}))
    assert projection.schema == tool({"type": "array", "prefixItems": [{}, STRING], "contains": {}})
    assert projection.notes == (
        "properties.p.prefixItems.0: this can never be given and is left out",
        "properties.p.contains.anyOf.0: this can never be given and is left out",
    )


# --- hosts of the chat API ---------------------------------------------------------------------------------------

UNANCHORED = [("a", False), ("^a", False), ("a$", False), ("^a\\$", False), ("^(?=a)$", False), ("^a$", True)]


@pytest.mark.parametrize(("pattern", "kept"), UNANCHORED)
def test_llama_cpp_wants_anchored_patterns(pattern: str, kept: bool) -> None:
    projection = openai_base(tool({"type": "string", "pattern": pattern}), words_of("llama-cpp"))
    found = projection.schema["properties"]["p"]
    assert found.get("pattern") == (pattern if kept else None)
    assert projection.notes == (() if kept else told("pattern"))


def test_moonshot_moves_a_type_into_the_branches() -> None:
    given = tool({"type": "string", "anyOf": [{"const": "a"}, {"minLength": 3}], "description": "D"})
    branches = [{"type": "string", "const": "a"}, {"type": "string", "minLength": 3}]
    assert openai_base(given, words_of("moonshot")).schema == tool({"anyOf": branches, "description": "D"})
    tuples = openai_base(tool({"type": "array", "items": [STRING]}), words_of("moonshot"))
    assert tuples.schema == tool({"type": "array", "prefixItems": [STRING]})
    union = openai_base({"anyOf": [tool(STRING), {"type": "null"}]}, words_of("moonshot"))
    assert union.schema == tool(STRING)


def test_xai_wants_no_closed_objects() -> None:
    words = {"type": "object", "additionalProperties": STRING}
    projection = openai_base(tool(words, additionalProperties=False), words_of("xai"))
    assert projection.schema == tool(words)
    assert projection.notes == ("root: additionalProperties is left out",)


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_gets_references_written_out(host: str) -> None:
    given = tool({"$ref": "#/definitions/M"}, definitions={"M": MONEY})
    assert openai_base(given, words_of(host)).schema == tool(MONEY)


UNSUPPORTED = [
    ("const", {"const": "a"}, {"type": "string", "enum": ["a"]}, ()),
    ("oneOf", {"oneOf": [STRING, {"type": "null"}]}, {"anyOf": [STRING, {"type": "null"}]}, ()),
    ("allOf", {"allOf": [MONEY]}, MONEY, ()),
    ("format", {"type": "string", "format": "uri"}, {"type": "string", "description": '(format="uri")'},
     told("format")),
    ("default", {"type": "string", "default": 1}, {"type": "string", "description": "(default=1)"}, ()),
    ("pattern", {"type": "string", "pattern": "^a$"}, {"type": "string", "description": '(pattern="^a$")'},
     told("pattern")),
    ("pattern:lookaround", {"pattern": "(?<!a)"}, {"description": '(pattern="(?<!a)")'}, told("pattern")),
    ("pattern:lookaround", {"pattern": "a"}, {"pattern": "a"}, ()),
    ("additionalProperties", {**MONEY, "additionalProperties": False}, MONEY,
     ("properties.p: additionalProperties is left out",)),
    ("$ref", {"$ref": "#/$defs/Tree"},
     {"type": "object", "properties": {"next": {"type": "object", "description": "(again as in Tree)"}}},
     ("properties.p.properties.next: $ref is recursive, it is written out once",)),
    ("nonsense:word", {"const": 1}, {"type": "integer", "const": 1}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("word", "given", "expected", "notes"), UNSUPPORTED)
def test_unsupported_keywords(word: str, given: Node, expected: Node, notes: tuple[str, ...]) -> None:
    projection = openai_base(tool(given, **{"$defs": {"Tree": TREE}}), frozenset({word}))
    assert projection.schema == tool(expected)
    assert projection.notes == notes
