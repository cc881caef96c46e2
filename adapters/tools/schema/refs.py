"""Local references of a schema: where each leads, and which of them lead back to themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from adapters.tools.schema.words import DEFINITIONS, IN_PLACE, Node, Schema, schemas_in

Pointer = tuple[str, ...]


class Refs:
    """The references that can be reached from the root of one schema. Built in one pass over it, never recursing."""

    def __init__(self, root: Node) -> None:
        self._root = root
        base = root.get("$id")
        self._base = base if isinstance(base, str) and base else None
        self._found: dict[str, Pointer | None] = {}
        self._targets: dict[Pointer, Schema] = {(): root}
        self._discover()
        edges, in_place = self._edges()
        self.recursive = _cyclic(edges)
        """Pointers that reach themselves, or stand between two that do."""
        self.looping = _cyclic(in_place)
        """Pointers that reach themselves without going down into the value: they describe nothing."""

    def pointer(self, ref: str) -> Pointer | None:
        """Where a reference leads; None for what is remote, missing, or no schema."""
        if ref not in self._found:
            pointer = _parsed(ref, self._base)
            target = None if pointer is None else _resolved(self._root, pointer)
            if isinstance(target, dict | bool) and pointer is not None:
                self._targets.setdefault(pointer, target)
            else:
                pointer = None
            self._found[ref] = pointer
        return self._found[ref]

    def target(self, pointer: Pointer) -> Schema:
        return self._targets[pointer]

    def _discover(self) -> None:
        seen: set[int] = set()
        todo: list[Any] = [self._root]
        while todo:
            node = todo.pop()
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(ref := node.get("$ref"), str) and (pointer := self.pointer(ref)) is not None:
                todo.append(self._targets[pointer])
            todo.extend(child for _, child in _content(node))

    def _edges(self) -> tuple[dict[Pointer, set[Pointer]], dict[Pointer, set[Pointer]]]:
        owners = {id(target): pointer for pointer, target in reversed(self._targets.items())}
        edges: dict[Pointer, set[Pointer]] = {pointer: set() for pointer in self._targets}
        in_place: dict[Pointer, set[Pointer]] = {pointer: set() for pointer in self._targets}
        for pointer, target in self._targets.items():
            todo: list[tuple[Any, bool]] = [(target, True)]
            while todo:
                node, here = todo.pop()
                if not isinstance(node, dict):
                    continue
                owner = owners.get(id(node))
                if owner is not None and node is not target:
                    edges[pointer].add(owner)
                    if here:
                        in_place[pointer].add(owner)
                    continue
                if isinstance(ref := node.get("$ref"), str) and (other := self._found.get(ref)) is not None:
                    edges[pointer].add(other)
                    if here:
                        in_place[pointer].add(other)
                todo.extend((child, here and key in IN_PLACE) for key, child in _content(node))
        return edges, in_place


def written(name: str) -> str:
    """The reference to a definition."""
    return "#/$defs/" + name.replace("~", "~0").replace("/", "~1")


def _content(node: Node) -> Iterator[tuple[str, Any]]:
    return ((key, child) for key, _, child in schemas_in(node) if key not in DEFINITIONS)


def _parsed(ref: str, base: str | None) -> Pointer | None:
    if base is not None and ref.startswith(base):
        ref = ref[len(base) :] or "#"
    if not ref.startswith("#"):
        return None
    steps = unquote(ref[1:])
    if not steps:
        return ()
    if not steps.startswith("/"):
        return None
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps[1:].split("/"))


def _resolved(root: Node, pointer: Pointer) -> Any:
    place: Any = root
    for step in pointer:
        if isinstance(place, dict):
            place = place.get(step)
        elif isinstance(place, list) and step.isascii() and step.isdecimal() and int(step[:9]) < len(place):
            place = place[int(step[:9])]
        else:
            return None
    return place


def _cyclic(edges: dict[Pointer, set[Pointer]]) -> frozenset[Pointer]:
    """The nodes of a graph without those that no cycle leads to, or that lead to none."""
    return frozenset(_peeled(_peeled(edges, backward=True), backward=False))


def _peeled(edges: dict[Pointer, set[Pointer]], backward: bool) -> dict[Pointer, set[Pointer]]:
    """What is left when nodes without successors (or, backward, without predecessors) are taken off again and again."""
    onward: dict[Pointer, set[Pointer]] = {node: set() for node in edges}
    degree = dict.fromkeys(edges, 0)
    for node, nexts in edges.items():
        for other in nexts & edges.keys():
            source, sink = (node, other) if backward else (other, node)
            onward[source].add(sink)
            degree[sink] += 1
    bare = [node for node, count in degree.items() if not count]
    gone = set(bare)
    while bare:
        for other in onward[bare.pop()]:
            degree[other] -= 1
            if not degree[other]:
                bare.append(other)
                gone.add(other)
    return {node: nexts - gone for node, nexts in edges.items() if node not in gone}
