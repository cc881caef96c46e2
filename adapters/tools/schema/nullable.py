"""Node rewritings for Gemini's OpenAPI subset: one type a node, null as `nullable`, unions without siblings."""

from __future__ import annotations

from adapters.tools.schema.steps import (
    constants_to_enum,
    distribute,
    infer_type,
    merge_all_of,
    one_of_to_any_of,
    single_branch,
    structure,
    with_values,
    without,
)
from adapters.tools.schema.walk import Work
from adapters.tools.schema.words import (
    ANNOTATIONS,
    Node,
    Path,
    Schema,
    json_text,
    speaks_of,
    type_of,
    types_of,
    values_of,
)

_ROUNDS = 8
NUMBER_FORMATS = frozenset({"int32", "int64", "float", "double"})


def one_type(node: Node, work: Work, path: Path) -> Node:
    """One type a node: null as `nullable`, several types as a union, which has nothing but annotations beside it."""
    steps = (
        merge_all_of, infer_type, constants_to_enum, one_of_to_any_of, distribute, null_branches, single_branch,
        null_type, several_types,
    )  # fmt: skip
    for _ in range(_ROUNDS):
        start = node
        for step in steps:
            node = step(node, work, path)
        if node is start:
            break
    return node


def null_branches(node: Node, work: Work, path: Path) -> Node:
    branches = node.get("anyOf")
    if branches is None:
        return node
    others = [branch for branch in branches if not _only_null(branch)]
    if len(others) == len(branches):
        return node
    rest = without(node, "anyOf")
    if not others:
        return {**rest, "type": "null"}
    return {key: ([_or_null(branch) for branch in others] if key == "anyOf" else node[key]) for key in node}


def _only_null(branch: Schema) -> bool:
    if not isinstance(branch, dict):
        return False
    values = values_of(branch)
    return types_of(branch) == ("null",) or (values is not None and all(value is None for value in values))


def _or_null(branch: Schema) -> Schema:
    return {**branch, "nullable": True} if isinstance(branch, dict) and structure(branch) else branch


def null_type(node: Node, work: Work, path: Path) -> Node:
    kinds = types_of(node)
    if "null" not in kinds or len(kinds) == 1 or "anyOf" in node:
        return node
    rest = [kind for kind in kinds if kind != "null"]
    out = {**node, "type": rest[0] if len(rest) == 1 else rest, "nullable": True}
    values = values_of(node)
    if values is not None and any(value is None for value in values):
        kept = [value for value in values if value is not None]
        out = with_values(out, kept) if kept else {**without(out, "const", "enum", "nullable"), "type": "null"}
    return out


def several_types(node: Node, work: Work, path: Path) -> Node:
    kinds = types_of(node)
    if len(kinds) < 2 or "anyOf" in node:
        return node
    kinds = tuple(kind for kind in kinds if kind != "integer" or "number" not in kinds)
    branches = [branch for kind in kinds if (branch := _of_type(node, kind)) is not None]
    if not branches:
        return {**node, "type": kinds[0]}
    outer = {key: value for key, value in node.items() if key in ANNOTATIONS}
    return {**outer, "anyOf": branches} if len(branches) > 1 else {**branches[0], **outer}


def _of_type(node: Node, kind: str) -> Node | None:
    """The part of the node that speaks of one type; None if its values have none of that type."""
    out: Node = {"type": kind}
    for key, value in node.items():
        if key in ANNOTATIONS or key == "type" or not speaks_of(key, (kind,)):
            continue
        if key == "format" and kind not in (("number", "integer") if value in NUMBER_FORMATS else ("string",)):
            continue
        out[key] = value
    values = values_of(out)
    if values is not None:
        kept = [value for value in values if type_of(value) == kind or (type_of(value), kind) == ("integer", "number")]
        if not kept:
            return None
        out = with_values(out, kept)
    return out


def union_bare(node: Node, work: Work, path: Path) -> Node:
    """`anyOf` takes no siblings: what is said of the whole is said of each branch."""
    if "anyOf" not in node or len(node) == 1:
        return node
    told = node.get("description") or node.get("title")
    if "default" in node:
        told = f"{told or ''} (default={json_text(node['default'])})".strip()
    branches = [_told(branch, told) if told else branch for branch in node["anyOf"]]
    return {"anyOf": branches}


def _told(branch: Schema, told: str) -> Schema:
    if isinstance(branch, bool):
        return {"description": told} if branch else branch
    old = branch.get("description")
    return {**branch, "description": f"{told} {old}" if old else told}


def settled(node: Node, work: Work, path: Path) -> Node:
    """A union once more, for branches of which only null, or nothing, is left."""
    branches = node.get("anyOf")
    if branches is None:
        return node
    others = [branch for branch in branches if branch.get("type") != "NULL"]
    if len(others) == len(branches) > 1:
        return node
    nullable = len(others) < len(branches)
    kept = [_nullable(branch, work) if nullable else branch for branch in others] or branches[:1]
    return kept[0] if len(kept) == 1 else {**node, "anyOf": kept}


def _nullable(branch: Node, work: Work) -> Node:
    if not structure(branch):
        return branch
    out = {**branch, "nullable": True}
    work.moved(branch, out)
    return out
