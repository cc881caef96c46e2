"""Building blocks of the config schema."""

from dataclasses import fields
from typing import Any

Schema = dict[str, Any]

HOUR = 3600
DAY = 24 * HOUR


def closed(description: str, properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if description:
        made["description"] = description
    if required:
        made["required"] = list(required)
    return made


def mapping(description: str, values: Schema, names: str, **more: Any) -> Schema:
    return {
        "type": "object",
        "description": description,
        "propertyNames": {"pattern": names},
        "additionalProperties": values,
        **more,
    }


def open_object(description: str) -> Schema:
    return {"type": "object", "description": description}


def listing(description: str, items: Schema, **more: Any) -> Schema:
    return {"type": "array", "description": description, "items": items, **more}


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, "minLength": 1, **more}


def secret(description: str) -> Schema:
    return text(description, pattern="^\\S*$", patternErrorMessage="must have no spaces or line breaks")


def choice(description: str, values: tuple[str, ...], default: str | None = None) -> Schema:
    made: Schema = {"enum": list(values), "description": description}
    return made if default is None else {**made, "default": default}


def switch(description: str, default: bool) -> Schema:
    return {"type": "boolean", "description": description, "default": default}


def whole(description: str, low: int, high: int | None = None, default: int | None = None) -> Schema:
    made: Schema = {"type": "integer", "description": description, "minimum": low}
    if high is not None:
        made["maximum"] = high
    return made if default is None else {**made, "default": default}


def seconds(description: str, default: float | None, high: float = DAY, low: float | None = None) -> Schema:
    made: Schema = {"type": "number", "description": description}
    made["exclusiveMinimum" if low is None else "minimum"] = low or 0
    made["maximum"] = high
    return made if default is None else {**made, "default": default}


def ref(name: str, **more: Any) -> Schema:
    return {"$ref": f"#/$defs/{name}", **more}


def default_of(cls: type, name: str) -> Any:
    return next(field.default for field in fields(cls) if field.name == name)
