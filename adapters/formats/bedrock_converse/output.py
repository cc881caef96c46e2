"""Structured output on Converse (2026-11): `outputConfig`, a tool that takes the answer, or words in the prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from adapters import json
from adapters.formats.bedrock_converse.models import Known
from adapters.formats.shared.instructions import json_only
from adapters.model import Json, OutputFormat, Request
from adapters.prepare import with_answer_tool
from adapters.tools.schema import bedrock_strict

Mode = Literal["auto", "native", "tool"]


@dataclass(slots=True, frozen=True)
class Shaped:
    """The request as its output format asks, the native `outputConfig`, the name of the answer tool."""

    request: Request
    config: Json = None
    answer_tool: str | None = None
    warnings: tuple[str, ...] = ()


def shape(request: Request, model: Known, mode: Mode) -> Shaped:
    """How the output gets its form. Where the client forces a call there is no text to form."""
    wanted = request.output
    if wanted is None or wanted.kind == "text":
        return Shaped(replace(request, output=None))
    if wanted.kind == "json" or wanted.schema is None:
        return Shaped(json_only(request))
    wants = mode == "native" or (mode == "auto" and model.family.structured) or not model.facts.forced
    if wants and (native := _native(request, wanted)) is not None:
        return native
    choice = request.tool_choice
    if choice is not None and (choice.mode in ("required", "named") or choice.required):
        told = "response_format: left out, tool_choice asks for a call instead"
        return Shaped(replace(request, output=None), warnings=(told,))
    if not model.family.choice or not model.facts.forced:
        told = "response_format: the model cannot be held to it here, it is told in the prompt"
        return Shaped(json_only(request, wanted.schema), warnings=(told,))
    if choice is not None and choice.mode == "allowed":
        request = replace(request, tools=tuple(tool for tool in request.tools if tool.name in choice.names))
    asked, name = with_answer_tool(request)
    return Shaped(asked, answer_tool=name)


def _native(request: Request, wanted: OutputFormat) -> Shaped | None:
    """The schema stands in it as a text."""
    made = bedrock_strict(wanted.schema)
    if made.strict is not True or made.inverse is not None:
        return None
    form: dict[str, Json] = {"schema": json.text(made.schema)}
    if wanted.name:
        form["name"] = wanted.name
    if wanted.description:
        form["description"] = wanted.description
    config = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": form}}}
    notes = tuple(f"response_format: {note}" for note in made.notes)
    return Shaped(replace(request, output=None), config, warnings=notes)

