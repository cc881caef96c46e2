"""Structured output on Cohere (2026-11): `response_format`, which excludes tools, or a tool that takes the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters.formats.shared.instructions import instructed, json_only, schema_words
from adapters.model import Json, OutputFormat, Request
from adapters.prepare import with_answer_tool
from adapters.tools.schema import cohere_strict


@dataclass(slots=True, frozen=True)
class Shaped:
    """The request as its output format asks, the native `response_format`, the name of the answer tool."""

    request: Request
    format: Json = None
    answer_tool: str | None = None


def shape(request: Request, warnings: dict[str, None]) -> Shaped:
    """How the output gets its form. Where the client forces a call there is no text to form."""
    output, choice = request.output, request.tool_choice
    if output is None or output.kind == "text":
        return Shaped(replace(request, output=None))
    if request.tools and choice is not None and choice.mode == "none":
        request = replace(request, tools=(), tool_choice=None)
    if not request.tools:
        return _native(request, output, warnings)
    if choice is not None and (choice.mode in ("required", "named") or choice.required):
        warnings["response_format: left out, tool_choice asks for a call instead"] = None
        return Shaped(replace(request, output=None))
    if isinstance(output.schema, dict) and output.schema.get("type") == "object":
        if choice is not None and choice.mode == "allowed":
            kept = tuple(tool for tool in request.tools if tool.name in choice.names)
            request = replace(request, tools=kept)
        asked, name = with_answer_tool(request)
        return Shaped(asked, answer_tool=name)
    warnings["response_format: told in words, cohere-chat takes none beside tools"] = None
    return Shaped(json_only(request, output.schema))


def _native(request: Request, output: OutputFormat, warnings: dict[str, None]) -> Shaped:
    """A schema goes as far as it fits the strict subset; else it is told in words, and JSON is all that is enforced."""
    request = replace(request, output=None)
    if output.kind == "json" or output.schema is None:
        return Shaped(request, {"type": "json_object"})
    made = cohere_strict(output.schema)
    if made.strict is True and made.inverse is None:
        warnings.update(dict.fromkeys(f"response_format: {note}" for note in made.notes))
        return Shaped(request, {"type": "json_object", "json_schema": made.schema})
    warnings["response_format: the schema is outside of what cohere-chat enforces, it is told in words"] = None
    return Shaped(instructed(request, schema_words(output.schema)), {"type": "json_object"})
