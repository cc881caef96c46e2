"""Property names that a wire refuses, renamed reversibly.

A name is changed in the same way wherever it stands in one schema.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from adapters.tools.schema.inverse import Inverse
from adapters.tools.schema.walk import told_in
from adapters.tools.schema.words import LISTED, NAMED, SINGLE, Node, json_text, schemas_in

_VALID = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_OTHER = re.compile(r"[^a-zA-Z0-9_.-]")


def invalid_names(root: Node) -> dict[str, str]:
    """The declared names that must change -> their wire names; empty for nearly every schema."""
    names: dict[str, None] = {}
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            for key, name, child in schemas_in(node):
                if key == "properties" and isinstance(name, str):
                    names[name] = None
                todo.append(child)
    bad = sorted(name for name in names if _VALID.fullmatch(name) is None)
    if not bad:
        return {}
    taken = set(names)
    wire: dict[str, str] = {}
    for name in bad:
        alias = _OTHER.sub("_", name)[:64] or "_"
        if alias in taken:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
            alias = f"{alias[:51]}_{digest[:12]}"
        taken.add(alias)
        wire[name] = alias
    return wire


def renamed_keys(root: Node, wire: Mapping[str, str]) -> tuple[Node, Inverse]:
    """The schema with these names changed, and the way back. References must be canonical."""
    out = _Renaming(wire).node(root)
    inverse = Inverse(out, {alias: name for name, alias in wire.items()})
    _rename_values(out, inverse)
    return out, inverse


class _Renaming:
    def __init__(self, wire: Mapping[str, str]) -> None:
        self._wire = wire

    def node(self, schema: Any) -> Any:
        if not isinstance(schema, dict):
            return schema
        return {key: self._keyword(key, value) for key, value in schema.items()}

    def _keyword(self, key: str, value: Any) -> Any:
        name = self._wire.get
        if key == "properties" and isinstance(value, dict):
            return {name(old, old): self._property(old, child) for old, child in value.items()}
        if key == "dependentSchemas" and isinstance(value, dict):
            return {name(old, old): self.node(child) for old, child in value.items()}
        if key == "dependentRequired" and isinstance(value, dict):
            return {name(old, old): self._keyword("required", names) for old, names in value.items()}
        if key == "required" and isinstance(value, list):
            return [name(old, old) if isinstance(old, str) else old for old in value]
        if key in NAMED and isinstance(value, dict):
            return {old: self.node(child) for old, child in value.items()}
        if key in LISTED and isinstance(value, list):
            return [self.node(child) for child in value]
        return self.node(value) if key in SINGLE else value

    def _property(self, name: str, schema: Any) -> Any:
        out = self.node(schema)
        if name not in self._wire or not isinstance(out, dict) or "$ref" in out:
            return out
        return told_in(out, [f"name={json_text(name, 120)}"])


def _rename_values(root: Node, inverse: Inverse) -> None:
    """Renames members of objects in `enum` and `const`. Writes to nodes that were made just now."""
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if not isinstance(node, dict):
            continue
        if isinstance(values := node.get("enum"), list):
            node["enum"] = [inverse.forward_at(item, node) if isinstance(item, dict) else item for item in values]
        if isinstance(value := node.get("const"), dict):
            node["const"] = inverse.forward_at(value, node)
        todo.extend(child for _, _, child in schemas_in(node))
