"""The OpenAPI subset of Gemini clients (`Schema`) as JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.errors import Rejected
from adapters.model import Json

_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_KEPT = ("title", "description", "pattern", "minimum", "maximum", "default")
_REF = "#/defs/"
DEEPEST = 100


def json_schema(schema: Json, path: str, depth: int = 0) -> Json:
    """The JSON Schema that means the same. int64 counts may be strings; type names may be in either case."""
    if not isinstance(schema, dict):
        raise Rejected(f"{path} must be an object", path)
    if depth > DEEPEST:
        raise Rejected(f"{path} is nested too deeply", path)
    made: dict[str, Json] = {}
    kind = schema.get("type")
    if isinstance(kind, str) and kind.upper() != "TYPE_UNSPECIFIED":
        made["type"] = kind.lower()
    if schema.get("format") not in (None, "enum"):
        made["format"] = schema["format"]
    made.update((key, schema[key]) for key in _KEPT if key in schema)
    made.update((key, _count(schema[key])) for key in _COUNTS if key in schema)
    if "example" in schema:
        made["examples"] = [schema["example"]]
    if isinstance(schema.get("enum"), list):
        made["enum"] = list(schema["enum"])
    _nested(schema, made, path, depth + 1)
    return _nullable(made) if schema.get("nullable") is True else made


def _nested(schema: Mapping[str, Json], made: dict[str, Json], path: str, depth: int) -> None:
    if isinstance(schema.get("properties"), dict):
        made["properties"] = {
            key: json_schema(one, f"{path}.properties.{key}", depth) for key, one in schema["properties"].items()
        }
    if isinstance(schema.get("required"), list):
        made["required"] = list(schema["required"])
    if "items" in schema:
        made["items"] = json_schema(schema["items"], f"{path}.items", depth)
    if isinstance(schema.get("anyOf"), list):
        made["anyOf"] = [json_schema(one, f"{path}.anyOf[{i}]", depth) for i, one in enumerate(schema["anyOf"])]
    more = schema.get("additionalProperties")
    if isinstance(more, bool):
        made["additionalProperties"] = more
    elif more is not None:
        made["additionalProperties"] = json_schema(more, f"{path}.additionalProperties", depth)
    ref = schema.get("ref", schema.get("$ref"))
    if isinstance(ref, str):
        made["$ref"] = ref.replace(_REF, "#/$defs/", 1)
    defs = schema.get("defs", schema.get("$defs"))
    if isinstance(defs, dict):
        made["$defs"] = {key: json_schema(one, f"{path}.defs.{key}", depth) for key, one in defs.items()}


def _count(value: Json) -> Json:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _nullable(made: dict[str, Json]) -> dict[str, Json]:
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    if isinstance(made.get("type"), str):
        return {**made, "type": [made["type"], "null"]} if made["type"] != "null" else made
    if "anyOf" in made:
        return {**made, "anyOf": [*made["anyOf"], {"type": "null"}]}
    return {"anyOf": [made, {"type": "null"}]} if made else made
