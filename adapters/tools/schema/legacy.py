"""Older spellings of a schema node, of OpenAPI and of earlier drafts, as draft 2020-12 has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adapters.tools.schema.words import ANNOTATIONS, IN_PLACE, Node, types_of


def _nullable(node: Node) -> Node:
    rest = {key: value for key, value in node.items() if key != "nullable"}
    if node["nullable"] is not True or "null" in types_of(node):
        return rest
    kinds = types_of(rest)
    if not kinds or "$ref" in rest or not IN_PLACE.isdisjoint(rest):
        inner = {key: value for key, value in rest.items() if key not in ANNOTATIONS}
        outer = {key: value for key, value in rest.items() if key in ANNOTATIONS}
        return {"anyOf": [inner, {"type": "null"}], **outer} if inner else rest
    rest["type"] = [*kinds, "null"]
    if isinstance(values := rest.get("enum"), list) and None not in values:
        rest["enum"] = [*values, None]
    if rest.get("const") is not None:
        rest = {("enum" if key == "const" else key): value for key, value in rest.items()}
        rest["enum"] = [node["const"], None]
    return rest


def _exclusive(keyword: str, bound: str) -> Callable[[Node], Node]:
    def modern(node: Node) -> Node:
        if not isinstance(node[keyword], bool):
            return node
        rest = {key: value for key, value in node.items() if key != keyword}
        if node[keyword] and bound in rest:
            rest = {(keyword if key == bound else key): value for key, value in rest.items()}
        return rest

    return modern


def _tuple(node: Node) -> Node:
    """`items` as a list, and what `additionalItems` says then."""
    positions = node.get("items")
    rest = {key: value for key, value in node.items() if key != "additionalItems"}
    if not isinstance(positions, list):
        return rest
    others = node.get("additionalItems")
    rest = {("prefixItems" if key == "items" else key): value for key, value in rest.items()}
    if not positions:
        del rest["prefixItems"]
    if others is not None and others is not True:
        rest["items"] = others
    return rest


def _items(node: Node) -> Node:
    return _tuple(node) if isinstance(node["items"], list) else node


def _dependencies(node: Node) -> Node:
    rest = {key: value for key, value in node.items() if key != "dependencies"}
    if not isinstance(given := node["dependencies"], dict):
        return rest
    names = {key: value for key, value in given.items() if isinstance(value, list)}
    schemas = {key: value for key, value in given.items() if not isinstance(value, list)}
    for keyword, new in (("dependentRequired", names), ("dependentSchemas", schemas)):
        if new:
            old = rest.get(keyword)
            rest[keyword] = {**(old if isinstance(old, dict) else {}), **new}
    return rest


LEGACY: Mapping[str, Callable[[Node], Node]] = {
    "items": _items,
    "nullable": _nullable,
    "additionalItems": _tuple,
    "dependencies": _dependencies,
    "exclusiveMinimum": _exclusive("exclusiveMinimum", "minimum"),
    "exclusiveMaximum": _exclusive("exclusiveMaximum", "maximum"),
}
"""keyword -> the node without it, saying the same."""
