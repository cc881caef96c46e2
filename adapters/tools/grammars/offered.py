"""The tools that a model may have called: their wire names, and the types of their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.format import Reading
from adapters.model import Json

Kinds = tuple[str, ...]
"""Type names of JSON Schema; empty: any, or nothing is known."""

_STRING: Kinds = ("string",)
_PREFIXES = ("functions.", "function.", "tools.", "tool.")
_DEEPEST = 20
_TYPES = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})


class Offered:
    """What a request offered. Schemas are looked at when a call needs one."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        to_wire = {client: wire for wire, client in reading.names.items()}
        offered = reading.declared & reading.schemas.keys()
        self._client = {to_wire.get(client, client): client for client in sorted(offered)}
        self._meant = {client: wire for wire, client in self._client.items()} | {wire: wire for wire in self._client}
        self._kinds: dict[str, Mapping[str, Kinds]] = {}

    @classmethod
    def nothing(cls) -> Offered:
        return cls(Reading(""))

    def __bool__(self) -> bool:
        return bool(self._client)

    def wire(self, name: str) -> str | None:
        """The wire name that is meant: as it is, or without white space, quotes, a prefix; or the client's own name."""
        if name not in self._meant:
            name = name.strip().strip("\"'`")
        while (prefix := next(filter(name.startswith, _PREFIXES), "")) and name not in self._meant:
            name = name.removeprefix(prefix)
        return self._meant.get(name)

    def kinds(self, wire: str) -> Mapping[str, Kinds]:
        """The parameters of a tool in the order of its schema, with their types."""
        found = self._kinds.get(wire)
        if found is None:
            found = self._kinds[wire] = self._read(self._client[wire])
        return found

    def _read(self, client: str) -> Mapping[str, Kinds]:
        if client in self._reading.custom:
            return {"input": _STRING}
        source = self._reading.schemas.get(client)
        schema: Json = json.loads(source) if source else None
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict):
            return {}
        return {name: tuple(dict.fromkeys(_kinds(one, schema, 0))) for name, one in properties.items()}


def _kinds(schema: Json, root: Json, depth: int) -> list[str]:
    """The types that a schema can be seen to allow; empty where it allows any."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return []
    match schema:
        case {"type": str(kind)} if kind.lower() in _TYPES:
            kinds = [kind.lower()]
            return [*kinds, "null"] if schema.get("nullable") is True else kinds
        case {"type": list(kinds)}:
            return [kind for kind in kinds if isinstance(kind, str)]
        case {"const": value}:
            return [_kind(value)]
        case {"enum": [_, *_] as values}:
            return [_kind(value) for value in values]
        case {"$ref": str(ref)}:
            return _kinds(_target(ref, root), root, depth + 1)
        case {"anyOf": list(branches)} | {"oneOf": list(branches)}:
            found = [_kinds(branch, root, depth + 1) for branch in branches]
            return [kind for kinds in found for kind in kinds] if all(found) else []
        case {"allOf": list(branches)}:
            return next(filter(None, (_kinds(branch, root, depth + 1) for branch in branches)), [])
        case {"properties": _}:
            return ["object"]
        case {"items": _}:
            return ["array"]
    return []


def _target(ref: str, root: Json) -> Json:
    found = root
    for step in ref.removeprefix("#").split("/")[1:] if ref.startswith("#") else ["?"]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"
