"""The root of a tool's schema: arguments are always one object, so it is one `type: object` without a union."""

from __future__ import annotations

from adapters.tools.schema.canon import Canonical
from adapters.tools.schema.merge import apart, merge
from adapters.tools.schema.steps import without
from adapters.tools.schema.words import (
    Node,
    Schema,
    definition,
    definition_name,
    json_text,
    key_of,
    references,
    types_of,
    values_of,
)

_ROUNDS = 16
_SHOWN = 12


def object_root(read: Canonical, flat: bool = True) -> Node:
    """The canonical root as an object with `properties`. flat: unions at the root are merged into it, with a note."""
    root = read.schema
    kinds = types_of(root)
    if kinds and "object" not in kinds:
        read.notes.append(f"root: the type is {' or '.join(kinds)} and not object, the tool is sent without parameters")
        read.no_object = True
        return {"type": "object", "properties": {}}
    if flat:
        root = _flat(root, read, 0)
        definitions = root.get("$defs")
        if isinstance(reference := root.get("$ref"), str):
            # A root that is a reference with siblings: one copy of the definition stands at the root.
            root = _all(without(root, "$ref", "$defs"), [{"$ref": reference}], read)
            root = _flat({**root, "$defs": definitions} if definitions else root, read, 0)
    if root.get("type") != "object":
        root = {**root, "type": "object"} if "type" in root else {"type": "object", **root}
    return root if "properties" in root else _with_properties(root)


def _with_properties(root: Node) -> Node:
    out: Node = {}
    for key, value in root.items():
        out[key] = value
        if key == "type":
            out["properties"] = {}
    return out


def used_definitions(root: Node) -> Node:
    """The root without definitions that nothing refers to; the others stand at its end."""
    definitions = root.get("$defs")
    if not isinstance(definitions, dict):
        return root
    rest = without(root, "$defs")
    used: set[str] = set()
    todo = [rest]
    while todo:
        node = todo.pop()
        for ref in references(node):
            name = definition_name(ref)
            if name in definitions and name not in used:
                used.add(name)
                if isinstance(definitions[name], dict):
                    todo.append(definitions[name])
    if len(used) == len(definitions) and next(reversed(root)) == "$defs":
        return root
    kept = {name: schema for name, schema in definitions.items() if name in used}
    return {**rest, "$defs": kept} if kept else rest


# --- unions ------------------------------------------------------------------------------------------------------


def _flat(root: Node, read: Canonical, depth: int) -> Node:
    for _ in range(_ROUNDS):
        if "allOf" in root:
            root = _all(without(root, "allOf"), root["allOf"], read)
        elif "anyOf" in root or "oneOf" in root:
            key = "anyOf" if "anyOf" in root else "oneOf"
            root = _any(root, key, read, depth)
        else:
            return root
    return without(root, "allOf", "anyOf", "oneOf")


def _resolved(schema: Schema, read: Canonical) -> Schema:
    if not isinstance(schema, dict) or "$ref" not in schema:
        return schema
    target = definition(read.schema, schema["$ref"])
    whole, lost = merge(without(schema, "$ref"), target)
    if lost:
        read.notes.append(f"root: {', '.join(lost)} beside $ref cannot be said together with it")
    return whole


def _all(root: Node, parts: list[Schema], read: Canonical) -> Node:
    for part in parts:
        alone, less = apart(_resolved(part, read))
        whole, lost = merge(root, alone)
        lost = (*less, *lost)
        if whole is False:
            read.notes.append("root: nothing can satisfy allOf, a part of it is left out")
        elif isinstance(whole, dict):
            root = whole
        if lost:
            read.notes.append(f"root: allOf is merged into one object, {', '.join(lost)} cannot be said together")
    return root


def _any(root: Node, key: str, read: Canonical, depth: int) -> Node:
    own = without(root, key)
    variants = _variants(root[key], read, depth)
    if len(variants) == 1:
        return _all(own, list(variants), read)
    read.notes.append(f"root: {key} is flattened into one object, the description tells the alternatives")
    if not variants:
        return own
    out = dict(own)
    properties = _properties(own, variants)
    if properties:
        out["properties"] = properties
    shared = [name for name in variants[0].get("required", ()) if all(name in v.get("required", ()) for v in variants)]
    required = list(dict.fromkeys([*own.get("required", ()), *shared]))
    if required:
        out["required"] = required
    if any(map(_takes_others, variants)):
        out.setdefault("additionalProperties", True)
        out.pop("unevaluatedProperties", None)
    elif all(variant.get("additionalProperties") is False for variant in variants):
        out.setdefault("additionalProperties", False)
    told = "(one of: " + " | ".join(map(_told, variants[:_SHOWN])) + (" | …)" if len(variants) > _SHOWN else ")")
    out["description"] = f"{own['description']} {told}" if own.get("description") else told
    return out


def _takes_others(variant: Node) -> bool:
    """Whether the variant speaks of properties that it does not name."""
    keywords = ("additionalProperties", "patternProperties", "unevaluatedProperties")
    return any(variant.get(keyword, False) is not False for keyword in keywords)


def _variants(branches: list[Schema], read: Canonical, depth: int) -> list[Node]:
    """The branches that an object can satisfy, each without a union of its own."""
    found: list[Node] = []
    for branch in branches:
        node = _resolved(branch, read)
        if node is True:
            node = {}
        if node is False or (types_of(node) and "object" not in types_of(node)):
            continue
        if depth < _ROUNDS:
            node = _flat(node, read, depth + 1)
        found.append(without(node, "allOf", "anyOf", "oneOf"))
    return found


def _properties(own: Node, variants: list[Node]) -> Node:
    out: Node = dict(own.get("properties", {}))
    given: dict[str, list[Schema]] = {}
    for variant in variants:
        for name, schema in variant.get("properties", {}).items():
            given.setdefault(name, []).append(schema)
    for name, schemas in given.items():
        if name not in out:
            out[name] = _union(schemas)
        elif len(schemas) == len(variants):
            whole, lost = merge(out[name], _union(schemas))
            if not lost and whole is not False:
                out[name] = whole
    return out


def _union(schemas: list[Schema]) -> Schema:
    """What any of these accepts: enums of one type as one enum, else `anyOf`."""
    distinct = list({key_of(schema): schema for schema in schemas}.values())
    if len(distinct) == 1:
        return distinct[0]
    lists = [_only_values(schema) for schema in distinct]
    kinds = {types_of(schema) for schema in distinct if isinstance(schema, dict)}
    if all(lists) and len(kinds) == 1:
        enum = list({key_of(value): value for values in lists for value in values or ()}.values())
        kind = kinds.pop()
        return {"type": kind[0] if len(kind) == 1 else list(kind), "enum": enum} if kind else {"enum": enum}
    return {"anyOf": distinct}


def _only_values(schema: Schema) -> list[object] | None:
    if not isinstance(schema, dict) or schema.keys() - {"type", "enum", "const", "title", "description", "default"}:
        return None
    return values_of(schema)


def _told(variant: Node) -> str:
    """A variant by the names that it needs, or by all that it has; constants with their value."""
    properties = variant.get("properties", {})
    names = variant.get("required") or list(properties)
    words: list[str] = []
    for name in names[:_SHOWN]:
        values = values_of(properties[name]) if isinstance(properties.get(name), dict) else None
        words.append(f"{name}={json_text(values[0], 60)}" if values and len(values) == 1 else name)
    return ", ".join(words) if words else "nothing"
