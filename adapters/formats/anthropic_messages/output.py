"""Structured output on Claude: the native format, a tool that stands for the answer, or words in the system prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters import json
from adapters.formats.anthropic_messages.wire import NAME
from adapters.formats.shared.claude import Facts
from adapters.model import Json, Message, OutputFormat, Request, Text
from adapters.prepare import with_answer_tool
from adapters.tools.schema import anthropic_strict

_JSON = "Reply with one JSON object and nothing else: no text around it and no code fence."


@dataclass(slots=True, frozen=True)
class Shaped:
    """The request as its output format asks, the native `format`, the client name of the answer tool."""

    request: Request
    format: Json = None
    answer_tool: str | None = None
    warnings: tuple[str, ...] = ()


def shape(request: Request, facts: Facts) -> Shaped:
    """How the output gets its form. Where the client forces a call there is no text to form."""
    wanted = request.output
    if wanted is None or wanted.kind == "text":
        return Shaped(replace(request, output=None))
    if wanted.kind == "json" or wanted.schema is None:
        return Shaped(_told(request, _JSON))
    if (native := _native(request, wanted, facts)) is not None:
        return native
    if request.tool_choice is not None and request.tool_choice.mode in ("required", "named"):
        told = "response_format: left out, tool_choice asks for a call instead"
        return Shaped(replace(request, output=None), warnings=(told,))
    if not facts.forced:
        return Shaped(
            _told(request, f"{_JSON} It must fit this JSON Schema:\n{json.text(wanted.schema)}"),
            warnings=(f"response_format: {NAME} cannot carry this schema, it is told in the prompt",),
        )
    asked, name = with_answer_tool(request)
    return Shaped(asked, answer_tool=name)


def _native(request: Request, wanted: OutputFormat, facts: Facts) -> Shaped | None:
    if request.dialect == "messages" and (facts.structured or not facts.known):
        return Shaped(replace(request, output=None), {"type": "json_schema", "schema": wanted.schema})
    if not facts.structured:
        return None
    projection = anthropic_strict(wanted.schema)
    if projection.strict is not True or projection.inverse is not None:
        return None
    notes = tuple(f"response_format: {note}" for note in projection.notes)
    return Shaped(replace(request, output=None), {"type": "json_schema", "schema": projection.schema}, warnings=notes)


def _told(request: Request, words: str) -> Request:
    """The request with a last system text before the conversation."""
    lead = next(
        (i for i, m in enumerate(request.messages) if m.role not in ("system", "developer")), len(request.messages)
    )
    messages = (*request.messages[:lead], Message("system", (Text(words),)), *request.messages[lead:])
    return replace(request, messages=messages, output=None)
