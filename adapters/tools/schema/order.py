"""OpenAI wants the object branches of a union to begin with different properties (2026-11)."""

from __future__ import annotations

from adapters.tools.schema.walk import Work
from adapters.tools.schema.words import Node, types_of


def distinct_first_keys(branches: list[Node], work: Work) -> list[Node] | None:
    """The branches with properties in such an order that no two begin with the same; None if there is none.

    Branches that are fine stay as they are, the same list comes back if all are.
    """
    choices = [_choices(branch, work) for branch in branches]
    firsts = [names[0] for names in choices if names]
    if len(set(firsts)) == len(firsts):
        return branches
    taken: dict[str, int] = {}
    for at in range(len(branches)):
        if choices[at] and not _place(at, choices, taken, set()):
            return None
    first = {at: name for name, at in taken.items()}
    return [_beginning(branch, first[at], work) if at in first else branch for at, branch in enumerate(branches)]


def _choices(branch: Node, work: Work) -> list[str]:
    """The properties that may come first in an object branch; a definition's order is not ours to change."""
    if "$ref" in branch:
        target = work.definition(branch["$ref"])
        return _choices(target, work)[:1] if isinstance(target, dict) and "$ref" not in target else []
    return list(branch.get("properties", ())) if "object" in types_of(branch) else []


def _place(at: int, choices: list[list[str]], taken: dict[str, int], tried: set[str]) -> bool:
    """Gives branch `at` a first property of its own, moving other branches to their next choice where needed."""
    for name in choices[at][:16]:
        if name in tried:
            continue
        tried.add(name)
        if name not in taken or _place(taken[name], choices, taken, tried):
            taken[name] = at
            return True
    return False


def _beginning(branch: Node, name: str, work: Work) -> Node:
    properties = branch.get("properties", {})
    if "$ref" in branch or next(iter(properties)) == name:
        return branch
    out = {**branch, "properties": {name: properties[name], **properties}}
    work.moved(branch, out)
    return out
