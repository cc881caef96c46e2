"""Applies one target's rules to a canonical schema.

A target is data: a table keyword -> what happens, and node rewritings before and after the table is applied.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from adapters.tools.schema.inverse import Edit
from adapters.tools.schema.merge import beside, merge
from adapters.tools.schema.words import (
    ANNOTATIONS,
    COUPLED,
    INVERTING,
    LISTED,
    MAX_DEPTH,
    MAX_NODES,
    MISSING,
    NAMED,
    SINGLE,
    Node,
    Path,
    Schema,
    definition,
    json_text,
    text_of,
)

_ROUNDS = 8


class Action(Enum):
    KEEP = "stays"
    DROP = "goes without a word: it never forbade anything"
    TELL = "goes, the description tells it"
    LEAVE = "goes, a note says so"
    FAIL = "the schema cannot be strict"


Rule = Action | Callable[[Any, Node], Action]
"""What happens to a keyword, or a function of its value and its node that says so."""
Step = Callable[[Node, "Work", Path], Node]
"""A rewriting of one node, without its children. Gives the same node back where there is nothing to do."""


@dataclass(slots=True, frozen=True)
class Target:
    """unknown: what happens to keywords that are not in `rules`.

    booleans: the wire takes true and false as schemas. cut: the wire takes no references; they are written out once
    along each path, and `cut` makes what stands at the second visit. exact: a rewriting that would accept more is a
    failure, elsewhere it is a note.
    """

    rules: Mapping[str, Rule]
    unknown: Action = Action.KEEP
    before: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()
    booleans: bool = True
    cut: Callable[[Node, Work, Path], Node] | None = None
    exact: bool = False


@dataclass(slots=True)
class Work:
    """One schema on its way to a target. `edits` are by identity of the node, which they keep alive.

    recursive: references that must stay; others are written out where keywords stand beside them. None: all stay.
    """

    root: Node
    target: Target
    notes: dict[str, None] = field(default_factory=dict)
    recursive: frozenset[str] | None = None
    failures: dict[str, None] = field(default_factory=dict)
    edits: dict[int, tuple[Node, Edit]] = field(default_factory=dict)
    count: int = 0
    open: set[str] = field(default_factory=lambda: {"#"})

    def note(self, path: Path, text: str) -> None:
        self.notes[f"{text_of(path)}: {text}"] = None

    def fail(self, path: Path, reason: str) -> None:
        self.failures[f"{text_of(path)}: not strict, {reason}"] = None

    def lossy(self, path: Path, text: str) -> None:
        """A rewriting here accepts more than it should."""
        if self.target.exact:
            self.fail(path, text)
        else:
            self.note(path, text)

    def edit(self, node: Node, edit: Edit) -> None:
        """Arguments at this node of the finished schema must be changed on the way."""
        self.edits[id(node)] = (node, edit)

    def moved(self, node: Node, new: Node) -> None:
        """`new` stands in the place of `node`."""
        if id(node) in self.edits:
            self.edits[id(new)] = (new, self.edits[id(node)][1])

    def definition(self, ref: str) -> Schema:
        return definition(self.root, ref)

    def run(self) -> Node:
        """The whole schema. Definitions stay where references may."""
        root = self.root
        if self.target.cut is not None and "$defs" in root:
            root = {key: value for key, value in root.items() if key != "$defs"}
        return self.walk(root, ())

    def schema(self, schema: Schema, path: Path) -> Any:
        """A schema below another; MISSING where it goes away."""
        if isinstance(schema, dict):
            return self.walk(schema, path)
        if self.target.booleans:
            return schema
        if schema:
            return self.walk({}, path)
        self.note(path, "this can never be given and is left out")
        return MISSING

    def walk(self, node: Node, path: Path) -> Node:
        self.count += 1
        for _ in range(_ROUNDS):
            node = self._opened(node)
            for step in self.target.before:
                node = step(node, self, path)
            if not self._opens(node):
                break
        if "$ref" in node and self.target.cut is not None:
            return self._written_out(node, path)
        node = self._apply(node, path)
        for step in self.target.after:
            node = step(node, self, path)
        return node

    def _opens(self, node: Node) -> bool:
        """Whether this is a reference that keywords stand beside, and that need not stay one."""
        if self.recursive is None or len(node) == 1 or "$ref" not in node:
            return False
        return node["$ref"] not in self.recursive and self.count <= MAX_NODES

    def _opened(self, node: Node) -> Node:
        for _ in range(_ROUNDS):
            if not self._opens(node):
                break
            whole = beside(self.definition(node["$ref"]), {key: value for key, value in node.items() if key != "$ref"})
            node = whole if isinstance(whole, dict) else {"not": {}}
        return node

    def _written_out(self, node: Node, path: Path) -> Node:
        ref = node["$ref"]
        assert self.target.cut is not None
        if ref in self.open or self.count > MAX_NODES or len(path) > MAX_DEPTH:
            return self.target.cut(node, self, path)
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        whole, lost = merge(siblings, self.definition(ref))
        if lost:
            self.note(path, f"{', '.join(lost)} beside $ref: not all of it can be said")
        self.open.add(ref)
        out = self.walk(whole if isinstance(whole, dict) else siblings, path)
        self.open.discard(ref)
        return out

    def _apply(self, node: Node, path: Path) -> Node:
        rules, unknown = self.target.rules, self.target.unknown
        out: Node = {}
        told: list[str] = []
        for key, value in node.items():
            rule = rules.get(key, unknown)
            action = rule if isinstance(rule, Action) else rule(value, node)
            if action is Action.KEEP:
                noted = len(self.notes)
                new = self._children(key, value, path)
                name = key
                if key in INVERTING and len(self.notes) > noted:
                    name, new = self._softened(key, new, node, path)
                    told += [f"{key}={json_text(value)}"] if new is MISSING else []
                if new is not MISSING:
                    out[name] = new
            elif action is Action.FAIL:
                self.fail(path, f"{key} is not allowed")
            elif action is not Action.DROP:
                if action is Action.TELL:
                    told.append(f"{key}={json_text(value)}")
                if key not in ANNOTATIONS:
                    word = "told in the description" if action is Action.TELL else "left out"
                    self.note(path, f"{key} is {word}")
        self._uncoupled(node, out, path)
        if told:
            return told_in(out, told)
        return node if len(out) == len(node) and all(out.get(key, MISSING) is node[key] for key in node) else out

    def _uncoupled(self, node: Node, out: Node, path: Path) -> None:
        """Takes those keywords from `out` that do not stand without one that is gone."""
        for key in COUPLED.keys() & node.keys() - out.keys():
            for other in COUPLED[key]:
                if out.pop(other, None) not in (None, True):
                    self.note(path, f"{other} is left out")

    def _softened(self, key: str, new: Any, node: Node, path: Path) -> tuple[str, Any]:
        """The keyword when a part of it accepts more now, so that the whole forbids no more than before."""
        if key == "oneOf" and "anyOf" not in node:
            self.note(path, "oneOf is sent as anyOf")
            return "anyOf", new
        self.note(path, f"{key} is told in the description")
        return key, MISSING

    def _children(self, key: str, value: Any, path: Path) -> Any:
        if key in NAMED:
            read = ((name, self.schema(item, (*path, key, name))) for name, item in value.items())
            named = {name: item for name, item in read if item is not MISSING}
            return value if len(named) == len(value) and all(named[name] is value[name] for name in value) else named
        if key in LISTED:
            items = [self.schema(item, (*path, key, at)) for at, item in enumerate(value)]
            if key == "prefixItems":
                kept = [{} if item is MISSING else item for item in items]
            else:
                kept = [item for item in items if item is not MISSING]
            if not kept:
                return MISSING
            return value if len(kept) == len(value) and all(map(operator.is_, kept, value)) else kept
        if key in SINGLE and not (key == "additionalProperties" and isinstance(value, bool)):
            return self.schema(value, (*path, key))
        return value


def told_in(node: Node, told: list[str]) -> Node:
    """The node with these facts at the end of its description."""
    text = f"({', '.join(told)})"
    old = node.get("description")
    return {**node, "description": f"{old} {text}" if old else text}
