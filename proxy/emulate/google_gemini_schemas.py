"""The OpenAPI subset of Gemini: what it refuses, and the JSON Schema that it stands for (google-gemini §4, 2026-11)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.google_gemini_proto import Problem
from proxy.emulate.metaschema import is_schema

Json = Any

FORMATS = {"STRING": ("enum", "date-time"), "INTEGER": ("int32", "int64"), "NUMBER": ("float", "double")}
BESIDE_ANY_OF = frozenset({"anyOf", "nullable", "title", "description", "default", "example"})
DEEPEST = 100


def check_schema(schema: Json, path: str, vertex: bool, depth: int = 0) -> None:
    """The rules that the spelling alone does not tell."""

    def problem(field: str, text: str) -> Problem:
        where = f"{path}.{field}" if field else path
        return Problem(f"* GenerateContentRequest.{where}: {text}", field=where)

    kind = schema.get("type")
    if depth > DEEPEST:
        raise problem("", "schema is nested too deeply.")
    if "anyOf" in schema:
        if others := sorted(schema.keys() - BESIDE_ANY_OF):
            raise problem("any_of", f"when using any_of, it must be the only field set, found {others[0]}")
        for index, branch in enumerate(schema["anyOf"]):
            check_schema(branch, f"{path}.any_of[{index}]", vertex, depth + 1)
        return
    if "enum" in schema and kind != "STRING":
        raise problem("enum", "only allowed for STRING type")
    if any(not value for value in schema.get("enum", ())):
        raise problem("enum", "cannot be empty")
    if "format" in schema and schema["format"] not in FORMATS.get(str(kind), ()):
        known = " and ".join(f"'{name}'" for name in FORMATS.get(str(kind), ()))
        raise problem("format", f"only {known or 'no formats'} are supported for {kind or 'no'} type")
    if kind == "ARRAY" and "items" not in schema:
        raise problem("items", "missing field.")
    if kind == "OBJECT" and not schema.get("properties") and not (vertex and "additionalProperties" in schema):
        raise problem("properties", "should be non-empty for OBJECT type")
    for index, name in enumerate(schema.get("required", ())):
        if name not in schema.get("properties", {}):
            raise problem(f"required[{index}]", "property is not defined")
    if "items" in schema:
        check_schema(schema["items"], f"{path}.items", vertex, depth + 1)
    for name, inner in schema.get("properties", {}).items():
        check_schema(inner, f"{path}.properties[{name}]", vertex, depth + 1)


def check_root(schema: Json, path: str, vertex: bool) -> None:
    """A function's `parameters`: an object."""
    if schema.get("type") != "OBJECT":
        text = f"* GenerateContentRequest.{path}: functionDeclaration parameters schema should be of type OBJECT"
        raise Problem(text, field=path)
    check_schema(schema, path, vertex)


def check_json_schema(schema: Json, path: str, *, is_function: bool) -> None:
    """A real JSON Schema; a function's is an object's."""
    if not is_schema(schema):
        raise Problem(f"* GenerateContentRequest.{path}: is not a valid JSON schema", field=path)
    if is_function and (not isinstance(schema, dict) or (schema and schema.get("type") != "object")):
        text = f"* GenerateContentRequest.{path}: functionDeclaration parameters schema should be of type OBJECT"
        raise Problem(text, field=path)


_KEPT = (
    "format", "title", "description", "default", "enum", "minItems", "maxItems", "required", "minProperties",
    "maxProperties", "minLength", "maxLength", "pattern", "minimum", "maximum",
)  # fmt: skip


def as_json_schema(schema: Json) -> Json:
    """What the subset says, as JSON Schema."""
    found = {name: schema[name] for name in _KEPT if name in schema}
    if found.get("format") in ("enum", "int32", "int64", "float", "double"):
        del found["format"]
    if (kind := schema.get("type")) not in (None, "TYPE_UNSPECIFIED"):
        found["type"] = [kind.lower(), "null"] if schema.get("nullable") and "enum" not in schema else kind.lower()
    if "items" in schema:
        found["items"] = as_json_schema(schema["items"])
    if "properties" in schema:
        found["properties"] = {name: as_json_schema(inner) for name, inner in schema["properties"].items()}
    if "anyOf" in schema:
        found["anyOf"] = [as_json_schema(branch) for branch in schema["anyOf"]]
    return found
