"""Schemas and arguments that are too large, too deep, or made to blow up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from adapters.tools import schema as project
from adapters.tools.schema import Inverse, Projection

Node = dict[str, Any]
STRING = {"type": "string"}

PROJECTIONS: dict[str, Callable[[object], Projection | None]] = {
    "openai_base": project.openai_base,
    "lossless": lambda schema: project.openai_strict(schema, "lossless"),
    "rewrite": lambda schema: project.openai_strict(schema, "rewrite"),
    "anthropic": project.anthropic,
    "anthropic_strict": project.anthropic_strict,
    "gemini_json_schema": project.gemini_json_schema,
    "gemini_parameters": project.gemini_parameters,
    "mistral": project.mistral,
    "ollama": project.ollama,
    "cohere": project.cohere,
    "moonshot": lambda schema: project.openai_base(schema, frozenset({"type:beside-anyOf"})),
}


def doubling(levels: int) -> Node:
    """2 ** levels schemas when all references are written out."""
    definitions: Node = {
        f"D{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/D{n + 1}"} for side in "lr"}}
        for n in range(levels)
    }
    definitions[f"D{levels}"] = STRING
    return {"type": "object", "properties": {"p": {"$ref": "#/$defs/D0"}}, "$defs": definitions}


def entangled(size: int) -> Node:
    """Definitions that each refer to all the others: size! paths through them."""
    definitions: Node = {
        f"D{n}": {"type": "object", "properties": {f"d{m}": {"$ref": f"#/$defs/D{m}"} for m in range(size) if m != n}}
        for n in range(size)
    }
    return {"type": "object", "properties": {"p": {"$ref": "#/$defs/D0"}}, "$defs": definitions}


def crossed(levels: int) -> Node:
    """Unions beside properties: distributed, they double at each level."""
    schema: Node = STRING
    for _ in range(levels):
        schema = {
            "type": "object",
            "properties": {"inner": schema, "a": STRING},
            "anyOf": [{"required": ["a"]}, {"required": ["inner"]}],
        }
    return {"type": "object", "properties": {"p": schema}}


def deep(levels: int, keyword: str) -> Node:
    schema: Node = STRING
    for _ in range(levels):
        match keyword:
            case "properties":
                schema = {"type": "object", "properties": {"a": schema}}
            case "items":
                schema = {"type": "array", "items": schema}
            case _:
                schema = {keyword: [schema, {"type": "null"}]}
    return {"type": "object", "properties": {"p": schema}}


def chain(length: int) -> Node:
    definitions: Node = {f"D{n}": {"$ref": f"#/$defs/D{n + 1}"} for n in range(length)}
    definitions[f"D{length}"] = STRING
    return {"type": "object", "properties": {"p": {"$ref": "#/$defs/D0"}}, "$defs": definitions}


def deep_value(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


HEAVY = {
    "deep values": {"properties": {
        "a": {"enum": [deep_value(900), deep_value(901), "x"]},
        "b": {"const": deep_value(900), "default": deep_value(900)},
        "c": {"allOf": [{"const": deep_value(900)}, {"const": deep_value(900)}]},
        "d": {"not": {"enum": [deep_value(900)]}, "x-own": deep_value(900)}}},
    "doubling": doubling(40),
    "entangled": entangled(9),
    "crossed": crossed(30),
    **{f"deep {keyword}": deep(300, keyword) for keyword in ("properties", "items", "anyOf", "oneOf", "allOf")},
    "chain": chain(2000),
    "root unions": {"anyOf": [{"properties": {"a": {"const": n}, "b": {"minimum": n}}} for n in range(2000)]},
    "wide enum": {"properties": {"a": {"enum": [[n] for n in range(5000)]}, "b": {"oneOf": [
        {"const": n} for n in range(3000)]}}},
    "many properties": {"properties": {f"p{n}": {"type": "string", "minLength": 1} for n in range(4000)}},
}  # fmt: skip


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("target", PROJECTIONS)
def test_heavy_schemas_stay_bounded(name: str, target: str) -> None:
    started = time.process_time()
    projection = PROJECTIONS[target](HEAVY[name])
    assert time.process_time() - started < 2
    assert projection is not None
    given = len(json.dumps(HEAVY[name]))
    assert len(json.dumps(projection.schema)) < 3 * given + 1_000_000
    assert len(projection.notes) <= 101


def test_more_schemas_than_the_bound_keep_their_references() -> None:
    schema = project.openai_base(doubling(40)).schema
    text = json.dumps(schema)
    assert '"$ref": "#/$defs/D30"' in text
    assert schema["$defs"].keys() <= {f"D{n}" for n in range(41)}


def test_too_deep_schemas_allow_anything_there() -> None:
    projection = project.openai_base(deep(60, "items"))
    assert any("more than 48 levels deep, anything is allowed there" in note for note in projection.notes)
    assert project.openai_base(deep(40, "items")).notes == ()


def test_notes_are_short_lines_whatever_the_names() -> None:
    properties = {"a\r\nb": {"type": "string", "minLength": 1}, "x" * 5000: {"$ref": "#/no"}}
    schema = {"type": "object", "properties": properties}
    notes = project.openai_strict(schema, "rewrite").notes
    assert notes[0].startswith("properties.x")
    assert len(notes[0]) < 400
    assert notes[0].endswith("leads nowhere in this schema, anything is allowed there")
    notes = project.ollama(schema).notes
    assert "properties.a  b: minLength is told in the description" in notes


def inverse_of(projection: Projection | None) -> Inverse:
    assert projection is not None and projection.inverse is not None
    return projection.inverse


LIST = {
    "type": "object",
    "properties": {"v": STRING, "a b": STRING, "next": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/L"}]}},
}
NESTED = {"type": "object", "properties": {"p": {"$ref": "#/$defs/L"}}, "$defs": {"L": LIST}}


@pytest.mark.parametrize("target", ["rewrite", "anthropic", "gemini_parameters"])
def test_deep_arguments_are_taken(target: str) -> None:
    inverse = inverse_of(PROJECTIONS[target](NESTED))
    value: Any = None
    for _ in range(800):
        value = {"v": None, "a b": "x", "a_b": None, "next": value}
    started = time.process_time()
    inverse.backward({"p": value})
    inverse.forward({"p": value})
    assert time.process_time() - started < 2


def test_unions_of_unions_are_matched_in_reasonable_time() -> None:
    again = {"$ref": "#/$defs/T"}
    nodes = [{"type": "object", "properties": {f"k{n}": again, "l": again}, "required": [f"k{n}"]} for n in range(4)]
    tree = {"anyOf": [*nodes, STRING]}
    schema = {"type": "object", "properties": {"p": {"$ref": "#/$defs/T"}}, "required": ["p"], "$defs": {"T": tree}}
    projection = project.openai_strict(schema, "rewrite")
    assert projection.strict is True, projection.notes
    inverse = inverse_of(projection)
    wire: Any = "leaf"
    client: Any = "leaf"
    for level in range(24):
        wire = {f"k{level % 4}": wire, "l": None}
        client = {f"k{level % 4}": client}
    started = time.process_time()
    assert inverse.backward({"p": wire}) == {"p": client}
    assert inverse.forward({"p": client}) == {"p": client}
    assert time.process_time() - started < 2


def test_arguments_that_fit_nothing_are_left_alone() -> None:
    schema = {
        "type": "object",
        "properties": {"p": {"anyOf": [
            {"type": "object", "properties": {"a": {"const": 1}, "x": STRING}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"const": 2}}, "required": ["b"]}]}},
        "required": ["p"],
    }  # fmt: skip
    inverse = inverse_of(project.openai_strict(schema, "rewrite"))
    for value in (None, 5, "text", [], {}, {"p": 5}, {"p": [None]}, {"q": {"x": None}}):
        assert inverse.backward(value) == value
        assert inverse.forward(value) == value
    value = {"p": {"a": 1, "x": "y"}}
    assert inverse.backward(value) is value


def test_the_same_schema_gives_the_same_bytes() -> None:
    for target in PROJECTIONS.values():
        once, again = target(NESTED), target(json.loads(json.dumps(NESTED)))
        assert once == again
        assert once is not None and again is not None
        assert json.dumps(once.schema) == json.dumps(again.schema)
