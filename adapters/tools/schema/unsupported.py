"""Keywords that a host refuses, named one by one in its compat flags.

A name is a keyword, or one case of it after a colon: `pattern:unanchored`. Keywords with a counterpart are said with
that (`const` as `enum`), the others are told in the description.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from adapters.tools.schema.steps import const_to_enum, merge_all_of, one_of_to_any_of, union_alone
from adapters.tools.schema.walk import Action, Rule, Step, Target, Work
from adapters.tools.schema.words import Node, Path, definition_name, types_of

_LOOKAROUND = re.compile(r"\(\?<?[=!]")


def additional(value: Any, _node: Node) -> Action:
    """`additionalProperties` where a wire has none: a schema is worth telling, true and false are not."""
    if isinstance(value, bool):
        return Action.DROP if value else Action.LEAVE
    return Action.TELL if value else Action.DROP


def _closing(value: Any, _node: Node) -> Action:
    return Action.LEAVE if value is False else Action.KEEP


def _anchored(value: Any, _node: Node) -> Action:
    anchored = value.startswith("^") and value.endswith("$") and not value.endswith("\\$")
    return Action.KEEP if anchored and not _LOOKAROUND.search(value) else Action.TELL


def _without_lookaround(value: Any, _node: Node) -> Action:
    return Action.TELL if _LOOKAROUND.search(value) else Action.KEEP


CASES: Mapping[str, tuple[str, Rule]] = {
    "additionalProperties": ("additionalProperties", additional),
    "additionalProperties:false": ("additionalProperties", _closing),
    "pattern:lookaround": ("pattern", _without_lookaround),
    "pattern:unanchored": ("pattern", _anchored),
}
"""name -> the keyword and when it goes; `pattern:unanchored` includes lookaround."""

STEPS: Mapping[str, tuple[Step, ...]] = {
    "allOf": (merge_all_of,),
    "oneOf": (one_of_to_any_of,),
    "const": (const_to_enum,),
    "type:beside-anyOf": (union_alone,),
}
"""name -> how it is said otherwise."""


def cut(node: Node, work: Work, path: Path) -> Node:
    """What stands at the second visit of a recursive definition, where references cannot stay."""
    target = work.definition(node["$ref"])
    kinds = types_of(target) if isinstance(target, dict) else ()
    work.note(path, "$ref is recursive, it is written out once")
    told = f"(again as in {definition_name(node['$ref'])})" if node["$ref"] != "#" else "(again the whole)"
    old = node.get("description")
    kind: Node = {"type": kinds[0] if len(kinds) == 1 else list(kinds)} if kinds else {}
    return {**kind, "description": f"{old} {told}" if old else told}


def narrowed(target: Target, unsupported: Collection[str]) -> Target:
    """The target without these keywords."""
    rules: dict[str, Rule] = dict(target.rules)
    before: list[Step] = list(target.before)
    for name in sorted(unsupported):
        if name in CASES:
            keyword, rule = CASES[name]
            rules[keyword] = rule
        elif name in STEPS:
            before += STEPS[name]
        elif ":" not in name and name != "$ref":
            rules[name] = Action.TELL
    stop: Callable[[Node, Work, Path], Node] | None = target.cut or (cut if "$ref" in unsupported else None)
    return replace(target, rules=rules, before=tuple(before), cut=stop)
