"""Instances of schemas: always valid, always the same, sometimes awkward."""

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from proxy.emulate.agent import Task, Tool, plan
from proxy.emulate.merging import Impossible, merged, resolved
from proxy.emulate.patterns import Unsupported, matching
from proxy.emulate.samples import instance

SCHEMAS: dict[str, Any] = json.loads((Path(__file__).parent / "schemas.json").read_text("utf-8"))


def test_there_are_enough_schemas() -> None:
    assert len(SCHEMAS) >= 50


@pytest.mark.parametrize("name", SCHEMAS)
def test_instances_are_valid(name: str) -> None:
    schema = SCHEMAS[name]
    judge = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    judge.check_schema(schema)
    strict = judge(schema, format_checker=judge.FORMAT_CHECKER)
    other = jsonschema_rs.validator_for(schema, validate_formats=True)
    for seed in range(40):
        value = instance(schema, str(seed))
        strict.validate(value)
        other.validate(value)


def test_the_same_seed_gives_the_same_instance() -> None:
    for schema in SCHEMAS.values():
        assert instance(schema, "a") == instance(schema, "a")


def test_seeds_differ() -> None:
    values = {json.dumps(instance(SCHEMAS["send_email"], str(seed))) for seed in range(10)}
    assert len(values) > 5


def test_strings_try_quotes_newlines_and_other_scripts() -> None:
    said = "".join(instance({"type": "string"}, str(seed)) for seed in range(100))
    assert {'"', "\n", "\\", "ü", "東", "🚀"} <= set(said)


def test_optional_members_are_sometimes_there_and_sometimes_not() -> None:
    found = {tuple(instance(SCHEMAS["get_weather"], str(seed))) for seed in range(20)}
    assert found == {("city",), ("city", "unit")}


def test_recursion_ends() -> None:
    sizes = [len(json.dumps(instance(SCHEMAS["expression"], str(seed)))) for seed in range(40)]
    assert max(sizes) < 2000
    assert any("left" in json.dumps(instance(SCHEMAS["expression"], str(seed))) for seed in range(40))


@pytest.mark.parametrize("schema", [{"not": {}}, {"type": "array", "minItems": 1, "items": False}, {"enum": []}])
def test_what_nothing_satisfies_does_not_hang(schema: Any) -> None:
    instance(schema, "a")


NONSENSE: list[Any] = [
    {"$ref": "https://example.org/x.json"}, {"type": 3}, {"$ref": "#"}, True, None, {"properties": []}, {"enum": 3},
    {"type": "integer", "multipleOf": 0}, {"anyOf": []}, {"type": "array", "minItems": "x"}, {"required": 3},
    {"type": "object", "patternProperties": {"(": {}}}, {"allOf": 3}, {"if": 3}, {"type": "string", "minLength": []},
]  # fmt: skip


@pytest.mark.parametrize("schema", NONSENSE)
def test_nonsense_does_not_raise(schema: Any) -> None:
    instance(schema, "a")
    (call,) = plan(Task("hi", (Tool("f", schema),))).calls
    assert isinstance(call.arguments, dict) or schema is None


@pytest.mark.parametrize(
    "pattern",
    [
        "abc", "^a|b$", "[a-f0-9]{8}", "(?:ab){2,3}c?", "(?<year>\\d{4})-\\d\\d", "\\w+@\\w+\\.org", "[^a-z]+", "x{2,}",
        "\\u00e4\\x41", "a.c", "[\\d\\-x]+", "\\S\\s\\D", "a*?b", "{x}", "",
    ],
)  # fmt: skip
def test_patterns_match_what_they_make(pattern: str) -> None:
    import re

    for seed in range(20):
        assert re.fullmatch(pattern.replace("?<", "?P<"), matching(pattern, Random(seed)))


@pytest.mark.parametrize("pattern", ["(", "[a", "a)", "\\", "(a)\\1", "\\p"])
def test_patterns_that_are_not_known(pattern: str) -> None:
    with pytest.raises(Unsupported):
        matching(pattern, Random(1))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (True, {"type": "string"}, {"type": "string"}),
        ({"type": "string"}, False, False),
        ({"type": ["string", "null"]}, {"type": "string"}, {"type": ["string"]}),
        ({"type": "number"}, {"type": "integer"}, {"type": ["integer"]}),
        ({"enum": [1, 2]}, {"enum": [2, 3]}, {"enum": [2]}),
        ({"minimum": 1, "maximum": 9}, {"minimum": 3, "maximum": 7}, {"minimum": 3, "maximum": 7}),
        ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        (
            {"properties": {"a": {"type": "string"}, "b": True}},
            {"properties": {"a": {"minLength": 1}}},
            {"properties": {"a": {"type": "string", "minLength": 1}, "b": True}},
        ),
        ({"anyOf": [{"a": 1}]}, {"anyOf": [{"b": 1}]}, {"anyOf": [{"a": 1}], "allOf": [{"anyOf": [{"b": 1}]}]}),
    ],
)
def test_merged(one: Any, other: Any, expected: Any) -> None:
    assert merged(one, other) == expected


def test_references() -> None:
    root = {"$defs": {"a/b": {"type": "string"}, "n": [{"x": 1}], "t": {"$anchor": "here", "const": 1}}}
    assert resolved(root, "#") is root
    assert resolved(root, "#/$defs/a~1b") == {"type": "string"}
    assert resolved(root, "#/$defs/n/0/x") == 1
    assert resolved(root, "#here") == {"$anchor": "here", "const": 1}
    for missing in ("#/$defs/none", "#none", "other.json", None):
        with pytest.raises(Impossible):
            resolved(root, missing)
