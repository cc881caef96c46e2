"""Two schemas that both hold, as one.

The merged schema accepts whatever both accept. Where one schema cannot say exactly both, it accepts more, and the
keywords that lost something are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adapters.tools.schema.words import ANNOTATIONS, Node, Schema, key_of, same, type_of, types_of, values_of

Merged = tuple[Schema, tuple[str, ...]]
"""The schema, False if nothing can satisfy both; and the keywords of which something is lost."""

_DEPTH = 40


def merge(first: Schema, second: Schema, depth: int = 0) -> Merged:
    """Both at once. Of annotations, and of what cannot be said at once, `first`'s hold."""
    if isinstance(first, bool) or not first:
        return (second if first is not False else False), ()
    if isinstance(second, bool) or not second:
        return (first if second is not False else False), ()
    if depth > _DEPTH:
        return first, ("nesting",)
    out = dict(first)
    lost: list[str] = []
    for key, value in second.items():
        if key not in out:
            out[key] = value
        elif key in ANNOTATIONS or key in _WHOLE or same(out[key], value):
            continue
        elif key in _COMBINE:
            out[key] = _COMBINE[key](out[key], value)
        else:
            lost.append(key)
    _values(out, first, second)
    _types(out, first, second)
    _objects(out, first, second, lost, depth)
    _arrays(out, first, second, lost, depth)
    _conditions(out, first, second, lost)
    never = out.get("enum") == [] or out.get("type") == []
    return (False if never else out), tuple(lost)


def apart(part: Schema) -> Merged:
    """One of several parts that hold at once, without what it alone forbids to the others' properties and items."""
    if not isinstance(part, dict) or _UNEVALUATED.isdisjoint(part):
        return part, ()
    rest = {key: value for key, value in part.items() if key not in _UNEVALUATED}
    idle = {"unevaluatedProperties"} if part.get("additionalProperties") is False else set()
    return rest, tuple(sorted(_UNEVALUATED & part.keys() - idle))


_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_WHOLE = frozenset(
    {
        "type", "enum", "const", "properties", "patternProperties", "additionalProperties", "unevaluatedProperties",
        "dependentSchemas", "items", "prefixItems", "unevaluatedItems", "contains", "minContains", "maxContains", "if",
        "then", "else",
    }
)  # fmt: skip
"""Keywords that are merged together with others, below."""


def _union(first: list[Any], second: list[Any]) -> list[Any]:
    return list(dict.fromkeys([*first, *second]))


def _name_lists(first: Node, second: Node) -> Node:
    return {name: _union(first.get(name, []), second.get(name, [])) for name in _union(list(first), list(second))}


_COMBINE: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    "uniqueItems": lambda first, second: first or second,
    "required": _union,
    "allOf": lambda first, second: [*first, *second],
    "dependentRequired": _name_lists,
}
"""keyword -> both values as one."""


def _values(out: Node, first: Node, second: Node) -> None:
    one, other = values_of(first), values_of(second)
    if one is None or other is None:
        return
    keys = {key_of(value) for value in other}
    both = [value for value in one if key_of(value) in keys]
    out.pop("const", None)
    out.pop("enum", None)
    if len(both) == 1 and ("const" in first or "const" in second):
        out["const"] = both[0]
    else:
        out["enum"] = both


def _types(out: Node, first: Node, second: Node) -> None:
    one, other = types_of(first), types_of(second)
    if one and other:
        both = [kind for kind in one if kind in other or (kind == "integer" and "number" in other)]
        both += [kind for kind in other if kind == "integer" and "number" in one and kind not in both]
        out["type"] = both[0] if len(both) == 1 else both
    allowed = types_of(out)
    values = values_of(out)
    if allowed and values is not None and (("type" in first) != ("type" in second) or one != other):
        kept = [value for value in values if type_of(value) in _wide(allowed)]
        if len(kept) != len(values):
            out.pop("const", None)
            out["enum"] = kept


def _wide(types: tuple[str, ...]) -> tuple[str, ...]:
    return (*types, "integer") if "number" in types else types


def _objects(out: Node, first: Node, second: Node, lost: list[str], depth: int) -> None:
    for key in ("properties", "patternProperties", "dependentSchemas"):
        if key in first and key in second:
            out[key] = _by_name(first[key], second[key], lost, depth)
    one, other = first.get("additionalProperties", True), second.get("additionalProperties", True)
    if one is False or other is False:
        out["additionalProperties"] = False
    elif one is not True and other is not True:
        out["additionalProperties"] = _one(one, other, "additionalProperties", lost, depth)
    elif "additionalProperties" in out:
        out["additionalProperties"] = one if one is not True else other
    if _reaches_beyond(first, second) or _reaches_beyond(second, first):
        lost.append("additionalProperties")
    _unevaluated(out, first, second, "unevaluatedProperties", lost)


def _by_name(first: Node, second: Node, lost: list[str], depth: int) -> Node:
    out = dict(first)
    for name, schema in second.items():
        out[name] = _one(first[name], schema, name, lost, depth) if name in first else schema
    return out


def _one(first: Schema, second: Schema, name: str, lost: list[str], depth: int) -> Schema:
    merged, missing = merge(first, second, depth + 1)
    lost.extend(f"{name}.{keyword}" for keyword in missing)
    return merged


def _reaches_beyond(closed: Node, other: Node) -> bool:
    """Whether `closed` forbids or restricts properties that `other` names."""
    if closed.get("additionalProperties", True) in (True, {}):
        return False
    named = closed.get("properties", {}).keys()
    patterns = closed.get("patternProperties", {}).keys()
    return bool(other.get("properties", {}).keys() - named or other.get("patternProperties", {}).keys() - patterns)


def _unevaluated(out: Node, first: Node, second: Node, key: str, lost: list[str]) -> None:
    """`first` also sees what `second` declares, if second is its branch; second's own does not see first's."""
    if key in second and not same(first.get(key), second[key]):
        if key not in first:
            del out[key]
        lost.append(key)
    elif key in first and key in second:
        lost.append(key)


def _arrays(out: Node, first: Node, second: Node, lost: list[str], depth: int) -> None:
    if "items" in first and "items" in second:
        out["items"] = _one(first["items"], second["items"], "items", lost, depth)
    if "prefixItems" in first and "prefixItems" in second and not same(first["prefixItems"], second["prefixItems"]):
        lost.append("prefixItems")
    for one, other in ((first, second), (second, first)):
        if "prefixItems" in one and "prefixItems" not in other and other.get("items", True) not in (True, {}):
            lost.append("items")
    if "contains" in first and "contains" in second:
        keys = ("contains", "minContains", "maxContains")
        if not same([first.get(key) for key in keys], [second.get(key) for key in keys]):
            lost.append("contains")
        for key in keys:
            _keep(out, first, key)
    elif "contains" in second:
        for key in ("minContains", "maxContains"):
            _keep(out, second, key)
    _unevaluated(out, first, second, "unevaluatedItems", lost)


def _keep(out: Node, source: Node, key: str) -> None:
    if key in source:
        out[key] = source[key]
    else:
        out.pop(key, None)


def _conditions(out: Node, first: Node, second: Node, lost: list[str]) -> None:
    if "if" not in first and "if" not in second:
        return
    keys = ("if", "then", "else")
    source = first if "if" in first else second
    if "if" in first and "if" in second and not same([first.get(k) for k in keys], [second.get(k) for k in keys]):
        lost.append("if")
    for key in keys:
        _keep(out, source, key)


def beside(read: Schema, siblings: Node) -> Schema:
    """A written-out reference together with the keywords that stood beside it."""
    if not siblings or read is False:
        return read
    if read is True:
        return siblings
    assert isinstance(read, dict)
    if siblings.keys() <= ANNOTATIONS:
        return {**read, **siblings}
    merged, lost = merge(siblings, read)
    if lost or isinstance(merged, bool):
        return {**siblings, "allOf": [*siblings.get("allOf", ()), read]}
    return merged
