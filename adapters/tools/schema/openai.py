"""OpenAI's projections: the base form of every Responses tool, and its strict subset.

Source: openai-responses wire notes 7.1 to 7.6 (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adapters.tools.schema.canon import Canonical, canonical
from adapters.tools.schema.inverse import Inverse, located
from adapters.tools.schema.model import Level, Projection, bounded
from adapters.tools.schema.root import object_root, used_definitions
from adapters.tools.schema.steps import infer_type
from adapters.tools.schema.strict import DEEPSEEK_FORMATS, Closing, check_limits, strict_target
from adapters.tools.schema.unsupported import narrowed
from adapters.tools.schema.walk import Action, Rule, Target, Work
from adapters.tools.schema.words import Node, Path, types_of

NOTHING: frozenset[str] = frozenset()

BASE: Mapping[str, Rule] = dict.fromkeys(
    (
        "discriminator", "externalDocs", "readOnly", "writeOnly", "xml", "example", "examples", "deprecated", "$schema",
        "$id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary",
    ),
    Action.DROP,
)  # fmt: skip
"""keyword -> what happens to it in the base form; the others stay."""


def _items(node: Node, work: Work, path: Path) -> Node:
    """Some validators refuse an array that says nothing of its items."""
    if "array" in types_of(node) and "items" not in node and "prefixItems" not in node:
        return {**node, "items": {}}
    return node


BASE_TARGET = Target(BASE, after=(infer_type, _items))


def openai_base(schema: object, unsupported: frozenset[str] = NOTHING) -> Projection:
    """The form of every tool: an object at the root, references written out, bookkeeping gone.

    unsupported: further keywords that the host refuses (`schema.unsupported`).
    """
    root, read = _base(schema, unsupported)
    return Projection(root, None, bounded(read.notes))


def openai_strict(schema: object, level: Level, unsupported: frozenset[str] = NOTHING) -> Projection:
    """The strict subset, where the schema can be said in it at this level; else the base form, with the reasons."""
    return _strict(schema, level, unsupported, Closing())


def deepseek_strict(schema: object, level: Level, unsupported: frozenset[str] = NOTHING) -> Projection:
    """As `openai_strict`, with the string formats of DeepSeek's `/beta` (openai-chat wire notes 10, 2026-11)."""
    return _strict(schema, level, unsupported, Closing(DEEPSEEK_FORMATS))


def _strict(schema: object, level: Level, unsupported: frozenset[str], closing: Closing) -> Projection:
    root, read = _base(schema, unsupported)
    if level == "off":
        return Projection(root, False, bounded(read.notes))
    work = Work(root, strict_target(closing, level), dict.fromkeys(read.notes))
    if read.no_object:
        work.fail((), "the root is no object")
    strict = used_definitions(work.run())
    if not work.failures:
        check_limits(strict, work)
    if work.failures:
        return Projection(root, False, bounded([*read.notes, *work.failures]))
    edits = located(strict, work.edits)
    return Projection(strict, True, bounded(work.notes), Inverse(strict, edits=edits) if edits else None)


def _base(schema: object, unsupported: frozenset[str]) -> tuple[Node, Canonical]:
    """The base form, and what it was read from with the notes of both."""
    read = canonical(schema)
    root = object_root(read)
    target = narrowed(BASE_TARGET, unsupported) if unsupported else BASE_TARGET
    work = Work(root, target, dict.fromkeys(read.notes))
    base = used_definitions(work.run())
    return base, replace(read, notes=list(work.notes))
