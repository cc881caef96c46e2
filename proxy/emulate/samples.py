"""Instances of a JSON Schema (2020-12, and what older drafts add): made by construction, validated, else made anew.

The same schema and seed give the same instance in every process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any, NoReturn

import jsonschema_rs

from proxy.emulate.merging import Impossible, merged, resolved
from proxy.emulate.scalars import WORDS, integer, number, text

Json = Any
Schema = dict[str, Json]

TRIES = 80
SHALLOW = 3
"""From this depth on, optional members and further branches stay out."""
DEEPEST = 40

NONSENSE = (AttributeError, TypeError, ValueError, LookupError, ArithmeticError, re.error)
"""What the makers run into where a schema is none, such as an enum that is empty or no list."""

_TYPE_OF_KEYWORD = {
    "properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object",
    "propertyNames": "object", "minProperties": "object", "dependentRequired": "object",
    "items": "array", "prefixItems": "array", "minItems": "array", "uniqueItems": "array", "contains": "array",
    "pattern": "string", "minLength": "string", "maxLength": "string", "format": "string",
    "minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
    "multipleOf": "number",
}  # fmt: skip


def instance(schema: Json, seed: str) -> Json:
    """A value that the schema accepts; if no try finds one (`not: {}`), the last value tried."""
    check = _checker(schema)
    value: Json = {}
    for attempt in range(TRIES):
        maker = _Maker(schema, Random(f"{seed}/{attempt}"), sparing=attempt >= TRIES // 2)
        try:
            value = maker.make(schema, 0)
        except (Impossible, RecursionError, *NONSENSE):
            continue
        if check(value):
            return value
    return value


def _checker(schema: Json) -> Callable[[Json], bool]:
    try:
        return jsonschema_rs.validator_for(schema, validate_formats=True, retriever=_no_remote).is_valid
    except ValueError:  # not a schema: nothing can be said about its instances
        return lambda value: True


def _no_remote(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not fetched")


class _Maker:
    def __init__(self, root: Json, random: Random, sparing: bool) -> None:
        self._root = root
        self._random = random
        self._sparing = sparing

    def make(self, schema: Json, depth: int) -> Json:
        if schema is False or depth > DEEPEST:
            raise Impossible
        if not isinstance(schema, dict) or not (schema := self._flat(schema, depth)):
            return self._random.choice(WORDS)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        match self._type(schema):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return text(schema, self._random)
            case "integer":
                return integer(schema, self._random)
            case "number":
                return number(schema, self._random)
            case "boolean":
                return self._random.random() < 0.5
            case _:
                return None

    def _few(self, depth: int) -> bool:
        return self._sparing or depth >= SHALLOW

    def _flat(self, schema: Schema, depth: int) -> Schema:
        """The schema without references, combinations and conditions: one way through them, chosen at random."""
        for _ in range(100):
            rest = dict(schema)
            if "$ref" in rest:
                schema = merged(resolved(self._root, rest.pop("$ref")), rest)
            elif "allOf" in rest:
                schema = merged(*rest.pop("allOf"), rest)
            elif "anyOf" in rest or "oneOf" in rest:
                branches = rest.pop("anyOf", None) or rest.pop("oneOf")
                schema = merged(self._branch(branches, depth), rest)
            elif "if" in rest:
                condition, then, other = rest.pop("if"), rest.pop("then", True), rest.pop("else", True)
                schema = merged(other, rest) if self._random.random() < 0.5 else merged(condition, then, rest)
            else:
                return schema
        raise Impossible

    def _branch(self, branches: list[Json], depth: int) -> Json:
        possible = [branch for branch in branches if branch is not False]
        if not possible:
            raise Impossible
        if self._few(depth):
            possible = [branch for branch in possible if '"$ref"' not in json.dumps(branch)] or possible
        return self._random.choice(possible)

    def _type(self, schema: Schema) -> str:
        match schema.get("type"):
            case str(name):
                return name.lower()
            case list(names) if names:
                real = [name for name in names if name != "null"]
                return self._random.choice(real) if real and self._random.random() < 0.9 else str(names[-1])
            case list():
                raise Impossible
        return next((kind for keyword, kind in _TYPE_OF_KEYWORD.items() if keyword in schema), "string")

    # arrays

    def _array(self, schema: Schema, depth: int) -> list[Json]:
        items, first = schema.get("items", True), schema.get("prefixItems", [])
        if isinstance(items, list):  # up to draft 2019-09
            items, first = schema.get("additionalItems", True), items
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", max(least, len(first)) + 2)
        if items is False:
            most = min(most, len(first))
        wanted = max(least, min(most, len(first))) if first else max(least, 0 if self._few(depth) else 1)
        size = min(most, wanted + (0 if self._few(depth) or first else self._random.randint(0, 1)))
        kinds = [first[index] if index < len(first) else items for index in range(size)]
        if "contains" in schema:
            self._put_contained(kinds, schema, len(first))
        found: list[Json] = []
        for kind in kinds:
            found.append(self._another(kind, found, depth) if schema.get("uniqueItems") else self.make(kind, depth + 1))
        return found

    def _put_contained(self, kinds: list[Json], schema: Schema, after: int) -> None:
        for offset in range(schema.get("minContains", 1)):
            at = after + offset
            if at < len(kinds):
                kinds[at] = merged(kinds[at], schema["contains"])
            else:
                kinds.append(merged(schema.get("items", True), schema["contains"]))

    def _another(self, kind: Json, found: list[Json], depth: int) -> Json:
        taken = {json.dumps(value, sort_keys=True) for value in found}
        for _ in range(50):
            value = self.make(kind, depth + 1)
            if json.dumps(value, sort_keys=True) not in taken:
                return value
        raise Impossible

    # objects

    def _object(self, schema: Schema, depth: int) -> dict[str, Json]:
        schema = self._with_dependencies(schema)
        properties: Schema = schema.get("properties", {})
        names = self._names(schema, depth)
        found = {name: self.make(self._member(schema, name), depth + 1) for name in properties if name in names}
        found |= {name: self.make(self._member(schema, name), depth + 1) for name in names if name not in properties}
        self._add_free(schema, found, depth)
        return found

    def _with_dependencies(self, schema: Schema) -> Schema:
        """Schemas that depend on a member apply always: simpler, and never wrong."""
        parts = [s for s in schema.get("dependentSchemas", {}).values() if isinstance(s, dict)]
        parts += [s for s in schema.get("dependencies", {}).values() if isinstance(s, dict)]
        return self._flat(merged(*parts, schema), 0) if parts else schema

    def _names(self, schema: Schema, depth: int) -> list[str]:
        """Members to write: the required ones, some optional ones, and what those depend on."""
        names = list(dict.fromkeys(schema.get("required", [])))
        optional = [
            name for name, kind in schema.get("properties", {}).items() if name not in names and kind is not False
        ]
        least, most = schema.get("minProperties", 0), schema.get("maxProperties", 1000)
        for name in optional:
            if len(names) < most and (len(names) < least or (not self._few(depth) and self._random.random() < 0.6)):
                names.append(name)
        needs = {**schema.get("dependencies", {}), **schema.get("dependentRequired", {})}
        for name in names:  # grows while it is read: what a needed member needs is needed too
            wanted = needs.get(name, [])
            names.extend(other for other in wanted if isinstance(wanted, list) and other not in names)
        return names

    def _member(self, schema: Schema, name: str) -> Json:
        kinds = [schema["properties"][name]] if name in schema.get("properties", {}) else []
        kinds += [kind for pattern, kind in schema.get("patternProperties", {}).items() if re.search(pattern, name)]
        return merged(*kinds) if kinds else schema.get("additionalProperties", True)

    def _add_free(self, schema: Schema, found: dict[str, Json], depth: int) -> None:
        """Members without a name of their own: of maps, and where minProperties asks for more."""
        patterns: Schema = schema.get("patternProperties", {})
        extra = schema.get("additionalProperties", not patterns)
        is_map = not schema.get("properties") and (patterns or isinstance(extra, dict))
        wanted = max(schema.get("minProperties", 0), 1 if is_map and not self._few(depth) else 0)
        wanted = min(wanted, schema.get("maxProperties", 1000))
        for _ in range(50):
            if len(found) >= wanted:
                return
            name = self._free_name(schema, extra)
            if name not in found:
                found[name] = self.make(self._member(schema, name), depth + 1)

    def _free_name(self, schema: Schema, extra: Json) -> str:
        if isinstance(kind := schema.get("propertyNames"), dict):
            return str(self.make(merged({"type": "string"}, kind), 1))
        patterns = list(schema.get("patternProperties", {}))
        if patterns and (extra is False or self._random.random() < 0.7):
            return text({"pattern": self._random.choice(patterns)}, self._random)
        return self._random.choice(("größe", "key one", "plain", "x-2", "日付", "_id", "a.b", "Nº"))
