"""What a Gemini client says of its output's form, in the older three fields or the newer one."""

from __future__ import annotations

from typing import Literal

from adapters.formats.google_gemini.client_schema import json_schema
from adapters.formats.google_gemini.structured import JSON
from adapters.formats.google_gemini.target import API
from adapters.formats.shared.fields import Fields, wrong
from adapters.model import Json, OutputFormat

PLAIN = "text/plain"
_FIELDS = ("responseMimeType", "responseSchema", "responseJsonSchema", "responseFormat")


def output(fields: Fields) -> OutputFormat | None:
    """The neutral form, with the fields as they came for an upstream of this API.

    Forms that others have no word for (`text/x.enum`, audio and image formats) stay among the unknown fields.
    """
    given = {name: fields.values[name] for name in _FIELDS if fields.values.get(name) is not None}
    mime, schema = given.get("responseMimeType"), given.get("responseJsonSchema")
    if mime is not None and not isinstance(mime, str):
        raise wrong(fields.at("responseMimeType"), "a string")
    if schema is None and "responseSchema" in given:
        schema = json_schema(given["responseSchema"], fields.at("responseSchema"))
    if "responseFormat" in given:
        mime, schema = _newer(given["responseFormat"], fields.at("responseFormat"), mime, schema)
    kind: Literal["json", "schema"] | None = None
    if mime in (None, JSON):
        kind = "schema" if schema is not None else "json" if mime == JSON else None
    if kind is None and mime != PLAIN:
        return None
    for name in given:
        fields.take(name)
    return OutputFormat(kind, schema if kind == "schema" else None, extras={API: given}) if kind else None


def _newer(value: Json, path: str, mime: str | None, schema: Json) -> tuple[str | None, Json]:
    """responseFormat: a list of objects by modality, of which the text one counts here."""
    listed = value if isinstance(value, list) else [value]
    for one in listed:
        if not isinstance(one, dict):
            raise wrong(path, "an array of objects")
        text = one.get("text")
        if isinstance(text, dict):
            found = text.get("mimeType")
            return (found if isinstance(found, str) else mime), text.get("schema", schema)
    return mime, schema
