"""Structured output: JSON mode where the model takes it, a tool or words where it does not.

Before Gemini 3, JSON mode together with tools is a 400 (`Function calling with a response mime type …`, 2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters import json
from adapters.formats.google_gemini.target import API, Target
from adapters.history import leading_system
from adapters.model import Json, Message, OutputFormat, Request, Text
from adapters.prepare import with_answer_tool
from adapters.tools.schema import gemini_json_schema, gemini_parameters

JSON = "application/json"


@dataclass(slots=True, frozen=True)
class Shaped:
    """The request, the output format left for JSON mode, and the client's name of the tool that stands for it."""

    request: Request
    output: OutputFormat | None
    answer_tool: str | None = None


def fitted(request: Request, to: Target, warnings: dict[str, None]) -> Shaped:
    """The request in a form in which the model can be held to its output format."""
    output = request.output
    if output is None or output.kind == "text":
        return Shaped(request, None)
    if to.json_beside_tools or not request.tools:
        if not _fits(output, to):
            warnings[f"response_format: its schema is told in words, {to.upstream.model} cannot take it whole"] = None
            return Shaped(_told(request, output), OutputFormat("json"))
        return Shaped(request, output)
    choice = request.tool_choice
    if choice is not None and choice.mode == "none":
        return Shaped(replace(request, tools=(), tool_choice=None), output)
    if choice is not None and (choice.mode in ("required", "named") or choice.required):
        warnings["response_format: left out, the model must call a tool"] = None
        return Shaped(request, None)
    functions = all(tool.kind != "builtin" for tool in request.tools)
    if functions and isinstance(output.schema, dict) and output.schema.get("type") == "object":
        return _by_tool(request)
    warnings[f"response_format: told in words, {to.upstream.model} takes none beside tools"] = None
    return Shaped(_told(request, output), None)


def _fits(output: OutputFormat, to: Target) -> bool:
    """Whether the older field can say the schema without changing what an answer looks like."""
    if not to.use_parameters or output.kind != "schema" or API in output.extras:
        return True
    made = gemini_parameters(output.schema, vertex=to.vertex)
    return made is not None and made.inverse is None


def _by_tool(request: Request) -> Shaped:
    """A tool that takes the answer: the model must call it or one of the others."""
    choice = request.tool_choice
    if choice is not None and choice.mode == "allowed":
        request = replace(request, tools=tuple(tool for tool in request.tools if tool.name in choice.names))
    asked, name = with_answer_tool(request)
    return Shaped(asked, None, name)


def _told(request: Request, output: OutputFormat) -> Request:
    text = "Give the final answer as one JSON value and nothing else: no words around it, no code fence."
    if output.schema is not None:
        text += f" It must fit this JSON Schema:\n{json.text(output.schema)}"
    lead = leading_system(request.messages)
    told = Message("system", (Text(text),))
    return replace(request, messages=(*request.messages[:lead], told, *request.messages[lead:]), output=None)


def fields(output: OutputFormat | None, to: Target) -> dict[str, Json]:
    """The fields of generationConfig; those of a Gemini client as they came."""
    if output is None or output.kind == "text":
        return {}
    if native := output.extras.get(API):
        return dict(native)
    if output.kind == "json" or output.schema is None:
        return {"responseMimeType": JSON}
    if to.use_parameters:
        made = gemini_parameters(output.schema, vertex=to.vertex)
        return {"responseMimeType": JSON, "responseSchema": made.schema if made is not None else {}}
    if not isinstance(output.schema, dict) or output.schema.get("type", "object") != "object":
        return {"responseMimeType": JSON, "responseJsonSchema": output.schema}
    return {"responseMimeType": JSON, "responseJsonSchema": gemini_json_schema(output.schema).schema}
