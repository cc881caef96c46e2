"""Reads a client's schema into one canonical form, from which the projections start.

In the canonical form every keyword holds what draft 2020-12 says, older spellings are gone (`nullable`, tuples in
`items`, `dependencies`, boolean exclusive bounds), and a reference is either written out in place or reads
`#/$defs/NAME` (`#` for the root), with all definitions in the root's `$defs` and none unused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from adapters.tools.schema.legacy import LEGACY
from adapters.tools.schema.merge import beside
from adapters.tools.schema.refs import Pointer, Refs, written
from adapters.tools.schema.words import (
    ANNOTATIONS,
    CHECKS,
    DEFINITIONS,
    INVERTING,
    LISTED,
    MAX_DEPTH,
    MAX_NODES,
    MISSING,
    NAMED,
    NULLABLE_KEYWORDS,
    SINGLE,
    Node,
    Path,
    Schema,
    text_of,
)

_INLINE_DEPTH = MAX_DEPTH // 2
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(slots=True)
class Canonical:
    """recursive: the references in `schema` that lead back to themselves, as they are written there.

    no_object: what was given is no schema of an object, so that the root says nothing of it.
    """

    schema: Node
    notes: list[str] = field(default_factory=list)
    recursive: frozenset[str] = frozenset()
    no_object: bool = False


def canonical(schema: object, inline: bool = True) -> Canonical:
    """The canonical form of any JSON value.

    inline: references that do not lead back to themselves are written out. Else only those are that have siblings or
    stand in an `allOf`.
    """
    match schema:
        case dict():
            return _Reader(schema, inline).read()
        case None | True:
            return Canonical({})
        case _:
            note = "root: this is no JSON Schema of an object, the tool is sent without parameters"
            return Canonical({}, [note], no_object=True)


class _Reader:
    def __init__(self, root: Node, inline: bool) -> None:
        self._root = root
        self._inline = inline
        self._refs: Refs | None = None
        self._notes: dict[str, None] = {}
        self._count = 0
        self._names: dict[Pointer, str] = {}
        self._top: set[Pointer] = {()}

    def read(self) -> Canonical:
        root = self._root
        while isinstance(ref := root.get("$ref"), str) and root.keys() <= _BESIDE_ROOT:
            refs = self._graph()
            pointer = refs.pointer(ref)
            if pointer is None or pointer in refs.looping or not isinstance(target := refs.target(pointer), dict):
                break
            self._top.add(pointer)
            root = {**target, **{key: value for key, value in root.items() if key != "$ref"}}
        read = self.node(root, (), 0)
        out = read if isinstance(read, dict) else {}
        definitions: Node = {}
        for pointer, name in self._queue():
            definitions[name] = self.schema(self._graph().target(pointer), ("$defs", name), 1)
        if definitions:
            out = {**out, "$defs": definitions}
        return Canonical(out, list(self._notes), self._recursive())

    def _queue(self) -> Any:
        done = 0
        while done < len(self._names):
            yield list(self._names.items())[done]
            done += 1

    def _recursive(self) -> frozenset[str]:
        if self._refs is None:
            return frozenset()
        names = {written(name) for pointer, name in self._names.items() if pointer in self._refs.recursive}
        return frozenset(names | ({"#"} if self._top & self._refs.recursive else set()))

    def _graph(self) -> Refs:
        if self._refs is None:
            self._refs = Refs(self._root)
        return self._refs

    def note(self, path: Path, text: str) -> None:
        self._notes[f"{text_of(path)}: {text}"] = None

    # --- nodes ---

    def schema(self, raw: Any, path: Path, depth: int, in_all: bool = False) -> Schema:
        """The canonical form of what stands at a schema position."""
        if isinstance(raw, dict):
            return self.node(raw, path, depth, in_all)
        if isinstance(raw, bool):
            return raw
        self.note(path, "this is no JSON Schema, anything is allowed there")
        return {}

    def node(self, raw: Node, path: Path, depth: int, in_all: bool = False) -> Schema:
        self._count += 1
        if depth > MAX_DEPTH:
            self.note(path, f"more than {MAX_DEPTH} levels deep, anything is allowed there")
            return {}
        for keyword, modern in LEGACY.items():
            if keyword in raw:
                raw = modern(raw)
        if "$ref" in raw:
            return self._ref(raw, path, depth, in_all)
        return self._plain(raw, path, depth)

    def _plain(self, raw: Node, path: Path, depth: int) -> Node:
        out: Node = {}
        for key, value in raw.items():
            noted = len(self._notes)
            if (value is None and key in NULLABLE_KEYWORDS) or (path and key in _RESOURCE):
                continue
            if key in CHECKS:
                read = CHECKS[key](value)
            elif key in NAMED or key in DEFINITIONS:
                read = None if key in DEFINITIONS else self._named(value, (*path, key), depth)
                if read is None:
                    continue
            elif key in LISTED:
                read = self._listed(key, value, (*path, key), depth)
            elif key in SINGLE:
                read = self.schema(value, (*path, key), depth + 1)
            else:
                read = value
            if read is MISSING or (read == [] and key in LISTED):
                self.note(path, f"{key} is not valid JSON Schema and is left out")
                continue
            if key in INVERTING and len(self._notes) > noted:
                # Parts of it allow anything now, so the whole would forbid more.
                self.note(path, f"{key} is left out")
                continue
            out[key] = read
        if "if" in raw and "if" not in out:
            out = {key: value for key, value in out.items() if key not in ("then", "else")}
        return raw if len(out) == len(raw) and all(out[key] is value for key, value in raw.items()) else out

    def _named(self, value: Any, path: Path, depth: int) -> Any:
        if not isinstance(value, dict):
            return MISSING
        out = {name: self.schema(item, (*path, name), depth + 1) for name, item in value.items()}
        return value if all(out[name] is item for name, item in value.items()) else out

    def _listed(self, key: str, value: Any, path: Path, depth: int) -> Any:
        if not isinstance(value, list):
            return MISSING
        out = [self.schema(item, (*path, at), depth + 1, key == "allOf") for at, item in enumerate(value)]
        return value if all(new is old for new, old in zip(out, value, strict=True)) else out

    # --- references ---

    def _ref(self, raw: Node, path: Path, depth: int, in_all: bool) -> Schema:
        ref = raw["$ref"]
        rest = {key: value for key, value in raw.items() if key != "$ref"}
        if ref is None:
            return self._plain(rest, path, depth)
        graph = self._graph()
        pointer = graph.pointer(ref) if isinstance(ref, str) else None
        if pointer is None:
            self.note(path, f"$ref {ref!r:.100} leads nowhere in this schema, anything is allowed there")
            return self._plain(rest, path, depth)
        if pointer in graph.looping:
            self.note(path, f"$ref {ref!r:.100} only leads back to itself, anything is allowed there")
            return self._plain(rest, path, depth)
        target = graph.target(pointer)
        siblings = self._plain(rest, path, depth)
        if isinstance(target, dict) and self._kept(pointer, depth, bool(siblings) or in_all):
            return self._reference(raw, siblings, pointer)
        read = self.schema(target, path, depth + 1)
        return beside(read, siblings)

    def _kept(self, pointer: Pointer, depth: int, needed: bool) -> bool:
        """Whether the reference stays one. needed: it stands where it should be written out."""
        if pointer in self._graph().recursive or self._count > MAX_NODES or depth > _INLINE_DEPTH:
            return True
        return not self._inline and not needed

    def _reference(self, raw: Node, siblings: Node, pointer: Pointer) -> Node:
        name = "#" if pointer in self._top else written(self._name(pointer))
        if not siblings:
            return raw if len(raw) == 1 and raw["$ref"] == name else {"$ref": name}
        here = {key: name if key == "$ref" else siblings[key] for key in raw if key == "$ref" or key in siblings}
        return {**here, **siblings}

    def _name(self, pointer: Pointer) -> str:
        if pointer not in self._names:
            name = base = _UNSAFE.sub("_", pointer[-1]) or "schema"
            taken = set(self._names.values())
            number = 2
            while name in taken:
                name = f"{base}_{number}"
                number += 1
            self._names[pointer] = name
        return self._names[pointer]


_RESOURCE = frozenset({"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"})
"""Keywords that would move the base of references, were they left below the root."""
_BESIDE_ROOT = ANNOTATIONS | DEFINITIONS | {"$ref"}
