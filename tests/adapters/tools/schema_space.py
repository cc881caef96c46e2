"""Schemas for property tests, and values that fit them.

Schemas are drawn by hypothesis, so that failures shrink; values come from a seeded generator, as many as wanted.
"""

from __future__ import annotations

import random
from typing import Any

import jsonschema_rs
from hypothesis import strategies as st

NAMES = ["a", "b", "kind", "default", "type", "$ref", "enum", "x y", "items", "required", "名前", "const"]
TEXTS = ["", "a", "abc", "x1", "2024-01-01", "long text " * 3, "[1]", "null"]
PATTERNS = {"^[a-z]+$": ["a", "abc"], "^(?=a)abc$": ["abc"], "1": ["x1"]}
SCALARS = st.sampled_from(["a", "b", 1, 2, 2.5, True, False, None])
DEFINITIONS = ["Alpha", "Beta", "Ga/mma"]


def sometimes(draw: Any, one_in: int = 3) -> bool:
    return draw(st.integers(0, one_in - 1)) == one_in - 1


def annotated(draw: Any, node: dict[str, Any]) -> dict[str, Any]:
    if sometimes(draw, 4):
        node["description"] = draw(st.sampled_from(["Text.", "Other"]))
    if sometimes(draw, 8):
        node["title"] = "T"
    if sometimes(draw, 8):
        node["default"] = draw(st.sampled_from([None, 1, "a", {"$ref": "#/nowhere"}]))
    if sometimes(draw, 12):
        node["x-own"] = {"type": 5}
    return node


def text_schema(draw: Any) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "string"}
    match draw(st.integers(0, 6)):
        case 6:
            node["enum"] = draw(st.lists(st.sampled_from(["a", "b", "abc"]), min_size=1, unique=True))
        case 1:
            node["const"] = draw(st.sampled_from(["a", "b"]))
        case 2:
            node["minLength"] = draw(st.integers(0, 3))
        case 3:
            node["pattern"] = draw(st.sampled_from(sorted(PATTERNS)))
        case 4:
            node["format"] = draw(st.sampled_from(["date-time", "uri", "own", "email"]))
    return node


def number_schema(draw: Any) -> dict[str, Any]:
    node: dict[str, Any] = {"type": draw(st.sampled_from(["integer", "number"]))}
    match draw(st.integers(0, 6)):
        case 6:
            node["exclusiveMinimum"] = draw(st.sampled_from([0, 1.5]))
        case 1:
            node["minimum"], node["exclusiveMaximum"] = 0, 7
        case 2:
            node["multipleOf"] = 2
        case 3:
            node["enum"] = draw(st.lists(st.integers(0, 4), min_size=1, unique=True))
        case 4:
            node["const"] = 3
    return node


def array_schema(draw: Any, depth: int, refs: bool) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "array"}
    match draw(st.integers(0, 5)):
        case 5:
            node["prefixItems"] = [schema(draw, depth - 1, refs) for _ in range(draw(st.integers(1, 2)))]
            if sometimes(draw):
                node["items"] = draw(st.sampled_from([False, {"type": "string"}]))
        case 4:
            pass
        case _:
            node["items"] = schema(draw, depth - 1, refs)
    if sometimes(draw, 6):
        node["minItems"] = draw(st.integers(0, 2))
    if sometimes(draw, 10):
        node["uniqueItems"] = True
    return node


def object_schema(draw: Any, depth: int, refs: bool) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
    node: dict[str, Any] = {"type": "object"}
    if names or sometimes(draw, 2):
        node["properties"] = {name: schema(draw, depth - 1, refs) for name in names}
    if sometimes(draw, 2):
        node["required"] = list(names)
    elif names and sometimes(draw, 2):
        node["required"] = names[:1]
    match draw(st.integers(0, 9)):
        case 6 | 7 | 8:
            node["additionalProperties"] = False
        case 9:
            node["additionalProperties"] = draw(st.sampled_from([True, {"type": "string"}]))
    if sometimes(draw, 15):
        node["minProperties"] = 1
    if sometimes(draw, 20):
        node["dependentRequired"] = {"a": ["b"]}
    if sometimes(draw, 25):
        node["unevaluatedProperties"] = False
    return node


def union_schema(draw: Any, depth: int, refs: bool) -> dict[str, Any]:
    branches = [schema(draw, depth - 1, refs) for _ in range(draw(st.integers(1, 3)))]
    node: dict[str, Any] = {draw(st.sampled_from(["anyOf", "anyOf", "oneOf"])): branches}
    if sometimes(draw, 3):
        branches.append({"type": "null"})
    if sometimes(draw, 6):
        node = {**object_schema(draw, depth - 1, refs), **node}
    return node


def both_schema(draw: Any, depth: int, refs: bool) -> dict[str, Any]:
    parts = [object_schema(draw, depth - 1, refs) for _ in range(draw(st.integers(1, 2)))]
    node: dict[str, Any] = {"allOf": parts}
    return {**object_schema(draw, depth - 1, refs), **node} if sometimes(draw) else node


def odd_schema(draw: Any, depth: int, refs: bool) -> Any:
    kind = draw(st.sampled_from(["string", "integer", "object", "array", "boolean"]))
    return draw(
        st.sampled_from(
            [
                {},
                True,
                {"type": [kind, "null"]},
                {"type": ["string", "integer"], "minLength": 1, "minimum": 1},
                {"enum": ["a", 1, None]},
                {"enum": ["a", "b"]},
                {"const": None},
                {"type": ["string", "null"], "enum": ["a", None]},
                {"type": "string", "not": {"const": "a"}},
                {"type": "integer", "if": {"minimum": 2}, "then": {"multipleOf": 2}},
                {"type": "object", "patternProperties": {"^a": {"type": "string"}}},
                {"type": "object", "additionalProperties": {"type": "integer"}},
                {"type": "array", "contains": {"type": "string"}},
                {"oneOf": [{"const": "a", "description": "first"}, {"const": "b", "title": "second"}]},
            ]
        )
    )


def schema(draw: Any, depth: int, refs: bool = True) -> Any:
    kind = draw(st.integers(0, 11 if depth > 0 else 4))
    match kind:
        case 0 | 1:
            node: Any = text_schema(draw)
        case 2:
            node = number_schema(draw)
        case 3:
            node = {"type": draw(st.sampled_from(["boolean", "null"]))}
        case 4:
            node = odd_schema(draw, depth, refs)
        case 5 | 6 | 7:
            node = object_schema(draw, depth, refs)
        case 8:
            node = array_schema(draw, depth, refs)
        case 9:
            node = union_schema(draw, depth, refs)
        case 10:
            node = both_schema(draw, depth, refs)
        case _:
            if not refs:
                return {"type": "boolean"}
            node = {"$ref": "#/$defs/" + draw(st.sampled_from(DEFINITIONS)).replace("/", "~1")}
            if sometimes(draw, 6):
                node["maxProperties"] = 5
    return annotated(draw, dict(node)) if isinstance(node, dict) else node


@st.composite
def roots(draw: Any) -> dict[str, Any]:
    """A tool's schema: an object, sometimes with a union at the root."""
    root = object_schema(draw, 3, True)
    if sometimes(draw, 5):
        parts = [object_schema(draw, 2, True) for _ in range(draw(st.integers(1, 3)))]
        root[draw(st.sampled_from(["anyOf", "oneOf", "allOf"]))] = parts
    if "$ref" in str(root):
        root["$defs"] = {name: definition(draw) for name in DEFINITIONS}
    return annotated(draw, root)


def definition(draw: Any) -> dict[str, Any]:
    """Never a reference in place, which would lead nowhere."""
    return annotated(draw, draw(st.sampled_from([text_schema, lambda d: object_schema(d, 1, True)]))(draw))


def validator(root: Any) -> Any:
    return jsonschema_rs.Draft202012Validator(root, retriever=refuse)


def refuse(uri: str) -> Any:
    raise AssertionError(f"asked for {uri}")


# --- values ------------------------------------------------------------------------------------------------------


class Sampler:
    """Values for a schema; not all of them fit, so check."""

    def __init__(self, root: dict[str, Any], seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)

    def value(self, node: Any, depth: int = 0) -> Any:
        if not isinstance(node, dict) or depth > 12:
            return self.any()
        if "$ref" in node:
            return self.value(self.target(node["$ref"]), depth + 1)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return self.random.choice(node["enum"])
        for key in ("anyOf", "oneOf", "allOf"):
            if key in node:
                rest = {name: item for name, item in node.items() if name != key}
                parts = node[key] if key == "allOf" else [self.random.choice(node[key])]
                return self.together([*parts, rest], depth)
        return self.typed(node, depth)

    def together(self, parts: list[Any], depth: int) -> Any:
        values = [self.value(part, depth + 1) for part in parts if part is not True and structural(part)]
        if values and all(isinstance(value, dict) for value in values):
            return {name: item for value in reversed(values) for name, item in value.items()}
        return values[0] if values else self.any()

    def target(self, ref: str) -> Any:
        place: Any = self.root
        for step in ref.lstrip("#").split("/")[1:]:
            place = place[step.replace("~1", "/").replace("~0", "~")]
        return place

    def any(self) -> Any:
        return self.random.choice(["a", "b", "abc", 1, 2.5, None, True, [], ["a"], [1], {}, {"a": "b"}])

    def typed(self, node: dict[str, Any], depth: int) -> Any:
        kinds = node.get("type")
        kind = self.random.choice(kinds) if isinstance(kinds, list) else kinds
        match kind:
            case "string":
                return self.random.choice(PATTERNS.get(node.get("pattern"), TEXTS))
            case "integer":
                return self.random.choice([0, 1, 2, 3, 4, 6, 10])
            case "number":
                return self.random.choice([0, 1, 2, 2.5, 3, 6.0])
            case "boolean":
                return self.random.choice([True, False])
            case "null":
                return None
            case "array":
                return self.array(node, depth)
            case "object":
                return self.object(node, depth)
        return self.any()

    def array(self, node: dict[str, Any], depth: int) -> list[Any]:
        positions = node.get("prefixItems", [])
        out = [self.value(item, depth + 1) for item in positions[: self.random.randint(0, len(positions))]]
        if len(out) == len(positions) and node.get("items", not positions) is not False and depth < 8:
            rest = node.get("items", True)
            out += [self.value(rest, depth + 1) for _ in range(self.random.randint(0, 2))]
        return out

    def object(self, node: dict[str, Any], depth: int) -> dict[str, Any]:
        required = node.get("required", [])
        out = {}
        for name, child in node.get("properties", {}).items():
            if name in required or (depth < 5 and self.random.random() < 0.6):
                out[name] = self.value(child, depth + 1)
        rest = node.get("additionalProperties")
        if rest not in (None, False) and self.random.random() < 0.6:
            out["free"] = self.value(rest, depth + 1)
        if "patternProperties" in node and self.random.random() < 0.5:
            out["ab"] = self.random.choice(["a", 1])
        return out


def structural(part: Any) -> bool:
    return isinstance(part, dict) and bool(part.keys() - {"description", "title", "default", "$defs", "x-own"})


def fitting(root: dict[str, Any], seed: int, count: int) -> list[Any]:
    """Up to `count` objects that the schema accepts, without properties that it does not speak of."""
    checks = validator(root)
    sampler = Sampler(root, seed)
    values = [sampler.value(root) for _ in range(count)]
    return [value for value in values if isinstance(value, dict) and checks.is_valid(value) and declared(root, value)]


def declared(root: dict[str, Any], value: dict[str, Any]) -> bool:
    """Whether the value is one of the root's variants with that variant's own properties."""
    variants = root.get("anyOf") or root.get("oneOf")
    if not variants:
        return True
    own = root.get("properties", {}).keys() | {"free", "ab"}
    for variant in variants:
        alone = {**variant, "$defs": root.get("$defs", {})}
        if value.keys() <= own | variant.get("properties", {}).keys() and validator(alone).is_valid(value):
            return True
    return False
