"""Instructions of our own: what an API has no field for is told to the model in words."""

from __future__ import annotations

from dataclasses import replace

from adapters import json
from adapters.history import leading_system
from adapters.model import Json, Message, Request, Text

_JSON = "Reply with one JSON object and nothing else: no text around it and no code fence."


def instructed(request: Request, words: str) -> Request:
    """The request with a last system text before the conversation, so that the client's own prefix stays as it is."""
    lead = leading_system(request.messages)
    told = Message("system", (Text(words),))
    return replace(request, messages=(*request.messages[:lead], told, *request.messages[lead:]))


def json_only(request: Request, schema: Json = None) -> Request:
    """The request with its output format told in words, and without the field."""
    return replace(instructed(request, _JSON if schema is None else schema_words(schema)), output=None)


def schema_words(schema: Json) -> str:
    """An instruction to reply with an object that fits the schema."""
    return f"{_JSON} It must fit this JSON Schema:\n{json.text(schema)}"
