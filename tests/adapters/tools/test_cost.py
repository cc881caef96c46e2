"""The bound on how often a schema is applied: exact on small schemas, never below what a validator does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.tools.cost import LIMIT, weights
from adapters.tools.schema.canon import canonical

LEAF = {"type": "string"}
TREE = {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "kids": {"items": {"$ref": "#"}}}}
TWICE = {"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]}
LOOP = {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}
VALUE = {"anyOf": [LEAF, {"items": {"$ref": "#"}}, {"additionalProperties": {"$ref": "#"}}]}


@pytest.mark.parametrize(
    "schema, expected",
    [
        ({}, (1,)),
        (LEAF, (1,)),
        ({"enum": ["a"] * 31}, (1,)),
        ({"enum": ["a"] * 64}, (3,)),
        ({"required": ["a"] * 17}, (3,)),
        ({"dependentSchemas": {"a": LEAF, "b": LEAF}}, (5,)),
        ({"pattern": "^a+$"}, (2,)),
        ({"pattern": "(?=a)"}, (201,)),
        ({"pattern": "(a)\\1"}, (201,)),
        ({"anyOf": [LEAF, LEAF]}, (3,)),
        ({"not": LEAF, "if": LEAF, "then": LEAF}, (4,)),
        ({"properties": {"a": {"enum": [1, 2]}, "b": LEAF}}, (1, 1)),
        ({"properties": {f"p{n}": LEAF for n in range(16)}}, (3, 3)),
        ({"properties": {"a": {"anyOf": [LEAF] * 5}}}, (1, 6)),
        ({"properties": {"a": LEAF}, "patternProperties": {"b": LEAF, "c": LEAF}}, (3, 3)),
        ({"allOf": [LEAF, {"unevaluatedProperties": False}], "unevaluatedProperties": False}, (7, 7)),
        ({"allOf": [{"properties": {"a": {"anyOf": [LEAF] * 5}}}], "unevaluatedProperties": True}, (4, 19)),
        (TREE, (1, 2)),
        (VALUE, (4, 5)),
        (TWICE, (3, 8, 16, 32)),
        ({"$recursiveRef": "#"}, (LIMIT,)),
        ({"properties": {"a": {"$dynamicRef": "#a"}}}, (LIMIT,)),
        (LOOP, (LIMIT,)),
    ],
)
def test_bounds_by_level(schema, expected):
    found = weights(schema)
    assert (found[: len(expected)] if len(expected) == 4 else found) == expected


def test_what_grows_with_every_level_has_no_bound_at_last():
    assert weights(TWICE)[-1] == LIMIT
    assert len(weights(TWICE)) < 64


def applied(schema, value, root):
    """How often schemas are applied to places of the value, by doing it."""
    if not isinstance(schema, dict):
        return 1
    if "$ref" in schema:
        rest = {key: item for key, item in schema.items() if key != "$ref"}
        target = root if schema["$ref"] == "#" else root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        return applied(rest, value, root) + applied(target, value, root)
    total = 1
    for key in ("allOf", "anyOf"):
        total += sum(applied(inner, value, root) for inner in schema.get(key, ()))
    if "not" in schema:
        total += applied(schema["not"], value, root)
    if isinstance(value, dict):
        for name, item in value.items():
            if name in schema.get("properties", {}):
                total += applied(schema["properties"][name], item, root)
            elif "additionalProperties" in schema:
                total += applied(schema["additionalProperties"], item, root)
    if isinstance(value, list) and "items" in schema:
        total += sum(applied(schema["items"], item, root) for item in value)
    return total


NAMES = st.sampled_from("ab")
NODES = st.recursive(
    st.sampled_from([{}, LEAF, True, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=2),
            "additionalProperties": inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    ),
    max_leaves=8,
)
VALUES = st.recursive(
    st.just(1), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2), max_leaves=8
)


def places(value):
    match value:
        case dict():
            return 1 + sum(map(places, value.values()))
        case list():
            return 1 + sum(map(places, value))
    return 1


def levels(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(levels, inner), default=-1)


@settings(max_examples=250)
@given(root=NODES.filter(lambda node: isinstance(node, dict)), a=NODES, b=NODES, value=VALUES)
def test_never_below_what_is_done(root, a, b, value):
    schema = canonical({**root, "$defs": {"a": a, "b": b}}, inline=False).schema
    bounds = weights(schema)
    if bounds == (LIMIT,):
        return
    assert applied(schema, value, schema) <= places(value) * bounds[min(levels(value), len(bounds) - 1)]
