"""The rules of contents: roles, parts, calls and their responses (google-gemini §3, §5, 2026-11)."""

from __future__ import annotations

import re
from typing import Any

from proxy.emulate.google_gemini_families import MEDIA_RESULTS, Family
from proxy.emulate.google_gemini_messages import DATA
from proxy.emulate.google_gemini_proto import Problem

Json = Any

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
ROLES = ("user", "model")
RESULT_MEDIA = ("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain")


def check_contents(contents: list[Json], model: Family, vertex: bool) -> None:
    """Every content by itself, then their order."""
    if not contents:
        raise Problem("* GenerateContentRequest.contents: contents is not specified", field="contents")
    for index, content in enumerate(contents):
        _check_role(content, index, vertex)
        check_parts(content, f"contents[{index}]", model, vertex)
    if contents[0].get("role") == "model":
        raise Problem("Please ensure that the first content is the user's.", field="contents[0]")
    _check_turns(contents)


def _check_role(content: Json, index: int, vertex: bool) -> None:
    role = content.get("role")
    if role is None and not vertex:
        content["role"] = "user"
    elif role not in ROLES:
        raise Problem("Please use a valid role: user, model.", field=f"contents[{index}].role")


def check_parts(content: Json, path: str, model: Family, vertex: bool) -> None:
    """At least one part, each with one kind of data."""
    if not content.get("parts"):
        text = f"* GenerateContentRequest.{path}.parts: contents must have at least one Part"
        raise Problem(text, field=f"{path}.parts")
    for index, part in enumerate(content["parts"]):
        _check_part(part, f"{path}.parts[{index}]", model, vertex)


def _check_part(part: Json, path: str, model: Family, vertex: bool) -> None:
    def problem(field: str, text: str) -> Problem:
        return Problem(f"* GenerateContentRequest.{path}.{field}: {text}", field=f"{path}.{field}")

    if not part.keys() & DATA:
        raise problem("data", "required oneof field 'data' must have one initialized field")
    if vertex and part.keys() & {"toolCall", "toolResponse"}:
        raise problem("data", "tool calls of the server are not supported")
    for kind in ("inlineData", "fileData"):
        if kind in part and not part[kind].get("mimeType"):
            raise problem("mime_type", "mime type must be specified")
    if "fileData" in part and not part["fileData"].get("fileUri"):
        raise problem("file_uri", "file uri must be specified")
    if "functionCall" in part:
        call = part["functionCall"]
        _check_name(call, f"{path}.function_call")
        if not vertex and call.keys() & {"partialArgs", "willContinue"}:
            raise problem("function_call.partial_args", "not supported in requests")
    if "functionResponse" in part:
        _check_response(part["functionResponse"], f"{path}.function_response", model)


def _check_name(value: Json, path: str) -> None:
    name = value.get("name") or ""
    if not name:
        raise Problem(f"* GenerateContentRequest.{path}.name: Name cannot be empty.", field=f"{path}.name")
    if not NAME.fullmatch(name):
        raise Problem(f"* GenerateContentRequest.{path}.name: {NAME_RULE}", field=f"{path}.name")


NAME_RULE = (
    "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, "
    "0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128."
)


def _check_response(response: Json, path: str, model: Family) -> None:
    _check_name(response, path)
    if "response" not in response:
        raise Problem(f"* GenerateContentRequest.{path}.response: is not specified", field=path)
    if _has_reference(response["response"]):
        raise Problem(f"* GenerateContentRequest.{path}.response: $ref names no part of the response", field=path)
    parts = response.get("parts") or []
    if parts and MEDIA_RESULTS not in model.can:
        text = "Multimodal function responses are not supported for this model"
        raise Problem(f"* GenerateContentRequest.{path}.parts: {text}", field=path)
    for part in parts:
        if "inlineData" in part and part["inlineData"].get("mimeType") not in RESULT_MEDIA:
            text = f"Unsupported MIME type: {part['inlineData'].get('mimeType')}"
            raise Problem(f"* GenerateContentRequest.{path}.parts: {text}", field=path)


def _has_reference(value: Json) -> bool:
    if isinstance(value, dict):
        return "$ref" in value or any(map(_has_reference, value.values()))
    return isinstance(value, list) and any(map(_has_reference, value))


# turns

_AFTER_USER = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
_AFTER_CALL = "Please ensure that function response turn comes immediately after a function call turn."
_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
_ORDER = "Please ensure that the function response parts are those of the function call turn, in its order."


def _check_turns(contents: list[Json]) -> None:
    """A call turn follows a user or response turn, its responses follow it: as many, in one content."""
    turns = _turns(contents)
    for index, turn in enumerate(turns):
        before = turns[index - 1] if index else {"role": "", "parts": []}
        calls, responses = _parts(turn, "functionCall"), _parts(turn, "functionResponse")
        called = _parts(before, "functionCall")
        if calls and (turn["role"] != "model" or before["role"] != "user"):
            raise Problem(_AFTER_USER, field="contents")
        if responses and not called:
            raise Problem(_AFTER_CALL, field="contents")
        if called and len(responses) != len(called):
            raise Problem(_COUNT, field="contents")
        if responses and not _in_order(called, responses):
            raise Problem(_ORDER, field="contents")


def _turns(contents: list[Json]) -> list[Json]:
    """Neighbours of the model are one turn: a streamed answer comes back as one content a chunk."""
    turns: list[Json] = []
    for content in contents:
        if turns and content["role"] == turns[-1]["role"] == "model":
            turns[-1] = {"role": "model", "parts": [*turns[-1]["parts"], *content["parts"]]}
        else:
            turns.append(content)
    return turns


def _parts(turn: Json, kind: str) -> list[Json]:
    return [part[kind] for part in turn["parts"] if kind in part]


def _in_order(calls: list[Json], responses: list[Json]) -> bool:
    """By ids where all have them, else by names in order."""
    wanted, given = [call.get("id") for call in calls], [response.get("id") for response in responses]
    if all(wanted) and all(given):
        return sorted(wanted) == sorted(given)
    return [call["name"] for call in calls] == [response["name"] for response in responses]
