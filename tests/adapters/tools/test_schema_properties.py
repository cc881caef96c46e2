"""What holds for every projection of every schema."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adapters.presets import PRESETS
from adapters.tools import schema as project
from adapters.tools.schema import Projection
from tests.adapters.tools.schema_space import Sampler, fitting, roots, validator

HOSTS = {
    name: frozenset(words) for name, preset in PRESETS.items()
    if (words := preset.compat.get("openai-chat", {}).get("unsupported_schema_keywords"))
}  # fmt: skip
PROJECTIONS: dict[str, Callable[[object], Projection | None]] = {
    "untouched": project.untouched,
    "openai_base": project.openai_base,
    "strict_lossless": lambda schema: project.openai_strict(schema, "lossless"),
    "strict_rewrite": lambda schema: project.openai_strict(schema, "rewrite"),
    "deepseek_strict": lambda schema: project.deepseek_strict(schema, "rewrite"),
    "anthropic": project.anthropic,
    "anthropic_strict": project.anthropic_strict,
    "bedrock": project.bedrock,
    "bedrock_strict": project.bedrock_strict,
    "gemini_json_schema": project.gemini_json_schema,
    "gemini_parameters": project.gemini_parameters,
    "gemini_vertex": lambda schema: project.gemini_parameters(schema, vertex=True),
    "mistral": project.mistral,
    "ollama": project.ollama,
    "cohere": project.cohere,
    "cohere_strict": project.cohere_strict,
    **{f"base_{name}": partial(project.openai_base, unsupported=words) for name, words in HOSTS.items()},
    "base_narrow": lambda schema: project.openai_base(
        schema, frozenset({"oneOf", "allOf", "const", "$ref", "format", "default", "additionalProperties", "if"})
    ),
}
REWRITING = {"strict_rewrite", "deepseek_strict"}

quick = settings(max_examples=100, phases=[Phase.generate], suppress_health_check=list(HealthCheck))

def plain(schema: Any, closed: bool = False) -> Any:
    """A wire schema as JSON Schema. Gemini's own form has types in capitals and `nullable`; its objects with
    properties are closed, for nothing but what is declared is ever generated."""
    if isinstance(schema, list):
        return [plain(item, closed) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: value for key, value in schema.items() if key not in ("nullable", "format")}
    for key in ("items", "anyOf", "additionalProperties"):
        if key in out:
            out[key] = plain(out[key], closed)
    if "properties" in out:
        out["properties"] = {name: plain(child, closed) for name, child in out["properties"].items()}
    if isinstance(out.get("type"), str):
        out["type"] = out["type"].lower()
    if closed and out.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return {"anyOf": [out, {"type": "null"}]} if schema.get("nullable") else out


def wire(name: str, schema: dict[str, Any], closed: bool = False) -> Any:
    return plain(schema, closed) if name.startswith("gemini_p") or name == "gemini_vertex" else schema


def with_nulls(value: Any, schema: Any, root: Any) -> Any:
    """The value with null for each required member that it lacks, as a strict wire would have it."""
    if not isinstance(schema, dict):
        return value
    if "$ref" in schema:
        return with_nulls(value, Sampler(root, 0).target(schema["$ref"]) if schema["$ref"] != "#" else root, root)
    for branch in schema.get("anyOf", ()):
        filled = with_nulls(value, branch, root)
        whole = {"$defs": {**root.get("$defs", {}), "wire root": root}, "anyOf": [branch]}
        if validator(json.loads(json.dumps(whole).replace('"#"', '"#/$defs/wire root"'))).is_valid(filled):
            return filled
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        full = {**{key: None for key in schema.get("required", ()) if key not in value}, **value}
        return {key: with_nulls(item, properties.get(key), root) for key, item in full.items()}
    if isinstance(value, list):
        return [with_nulls(item, schema.get("items"), root) for item in value]
    return value


@quick
@given(schema=roots(), seed=st.integers(0, 999))
def test_no_legal_call_becomes_impossible(schema: dict[str, Any], seed: int) -> None:
    values = fitting(schema, seed, 12)
    for name, run in PROJECTIONS.items():
        projection = run(schema)
        if projection is None:
            assert not any(values)
            continue
        accepts = validator(wire(name, projection.schema))
        for value in values:
            sent = projection.inverse.forward(value) if projection.inverse else value
            if projection.strict and name in REWRITING:
                sent = with_nulls(sent, projection.schema, projection.schema)
            assert accepts.is_valid(sent), (name, value, sent, projection)


@quick
@given(schema=roots(), seed=st.integers(0, 999))
def test_what_the_wire_accepts_is_legal_unless_a_note_says_otherwise(schema: dict[str, Any], seed: int) -> None:
    accepts = validator(schema)
    for name, run in PROJECTIONS.items():
        projection = run(schema)
        if projection is None or any("not strict" not in note for note in projection.notes):
            continue
        for value in fitting(wire(name, projection.schema, closed=True), seed, 12):
            taken = projection.inverse.backward(value) if projection.inverse else value
            assert accepts.is_valid(taken), (name, value, taken, projection)


@quick
@given(schema=roots(), seed=st.integers(0, 999))
def test_arguments_survive_the_way_there_and_back(schema: dict[str, Any], seed: int) -> None:
    values = fitting(schema, seed, 8)
    for name, run in PROJECTIONS.items():
        projection = run(schema)
        if projection is None or projection.inverse is None:
            continue
        for value in values:
            back = projection.inverse.backward(projection.inverse.forward(value))
            assert validator(schema).is_valid(back), (name, value, back)


@quick
@given(schema=roots())
def test_twice_is_once_and_nothing_is_written_to(schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    for name, run in PROJECTIONS.items():
        once = run(schema)
        assert schema == before, name
        if once is None:
            continue
        frozen = json.dumps(once.schema)
        twice = run(once.schema)
        assert twice is not None
        assert json.dumps(twice.schema) == frozen, name
        assert json.dumps(once.schema) == frozen, name
        assert twice.strict == once.strict, name
        assert run(before) == once, name


WORDS = [
    "type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "then", "$ref",
    "$defs", "definitions", "additionalProperties", "patternProperties", "prefixItems", "nullable", "format", "pattern",
    "minimum", "exclusiveMinimum", "minLength", "maxItems", "default", "description", "title", "dependencies",
    "dependentRequired", "dependentSchemas", "additionalItems", "unevaluatedProperties", "contains", "$id", "a", "",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**70) | st.floats(allow_nan=False) | st.text(max_size=3)
    | st.sampled_from(["object", "string", "^(?=a)"])
    | st.sampled_from(["#", "#/$defs/a", "#/properties/a", "#/anyOf/0", "#/definitions/a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=24,
)  # fmt: skip


@settings(quick, max_examples=200)
@given(schema=JSON, value=JSON)
def test_any_json_is_taken(schema: object, value: object) -> None:
    before = copy.deepcopy(schema)
    for name, run in PROJECTIONS.items():
        projection = run(schema)
        assert schema == before, name
        if projection is None:
            continue
        assert isinstance(projection.schema, dict), name
        assert all(isinstance(note, str) and ": " in note for note in projection.notes), name
        twice = run(projection.schema)
        assert twice is not None
        if "root: not strict, the root is no object" not in projection.notes:
            assert json.dumps(twice.schema) == json.dumps(projection.schema), name
        if projection.inverse is not None:
            projection.inverse.backward(projection.inverse.forward(value))
            projection.inverse.forward(projection.inverse.backward(value))
