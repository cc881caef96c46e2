"""Gemini by google-genai: a neutral conversation as its call, its answer in the neutral form."""

from __future__ import annotations

import base64
from typing import Any

from google import genai
from google.genai import errors, types

from tests.matrix.neutral import Answered, Asked, Conversation, Image, Json, Result, Results, Said, Turn, User, failed

_REFUSALS = ("SAFETY", "PROHIBITED_CONTENT", "RECITATION", "BLOCKLIST", "SPII")


class Gemini:
    """The whole answer, or a stream whose parts are put together as they come."""

    def __init__(self, client: genai.Client) -> None:
        self._client = client

    def ask(self, asked: Asked) -> Answered:
        body: Any = {
            "model": asked.model,
            "contents": _contents(asked.turns, asked.conversation),
            "config": _config(asked.conversation),
        }
        parts: list[types.Part] = []
        finish, usage = None, None
        try:
            models = self._client.models
            answers = models.generate_content_stream(**body) if asked.stream else [models.generate_content(**body)]
            for answer in answers:
                usage = answer.usage_metadata or usage
                for candidate in answer.candidates or []:
                    finish = candidate.finish_reason or finish
                    parts += (candidate.content and candidate.content.parts) or []
        except errors.APIError as error:
            return failed(_kind(error), _said(parts, finish, usage))
        calls = [part.function_call for part in parts if part.function_call]
        content = types.Content(role="model", parts=parts)
        return Answered(_said(parts, finish, usage), content, tuple(call.id or "" for call in calls))


def _kind(error: errors.APIError) -> str:
    details: Any = error.details
    inside = details.get("error", details)
    return str(inside.get("toolwire_type") or inside.get("status"))


def _config(about: Conversation) -> types.GenerateContentConfig:
    config: dict[str, Any] = {
        "max_output_tokens": about.max_tokens,
        "system_instruction": about.system,
        "automatic_function_calling": types.AutomaticFunctionCallingConfig(disable=True),
    }
    if about.tools:
        declared = [
            types.FunctionDeclaration(name=t.name, description=t.description, parameters_json_schema=t.schema)
            for t in about.tools
        ]
        config["tools"] = [types.Tool(function_declarations=declared)]
    if about.choice:
        mode: Any = {"required": "ANY", "none": "NONE"}[about.choice]
        config["tool_config"] = types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode=mode))
    if about.thinking:
        config["thinking_config"] = types.ThinkingConfig(include_thoughts=True, thinking_budget=1024)
    if about.output is not None:
        config |= {"response_mime_type": "application/json", "response_json_schema": about.output}
    return types.GenerateContentConfig(**config)


def _contents(turns: tuple[Turn, ...], about: Conversation) -> list[types.Content]:
    contents: list[types.Content] = []
    calls: list[types.FunctionCall] = []
    for turn in turns:
        match turn:
            case User(content):
                contents.append(types.Content(role="user", parts=[_part(part) for part in content]))
            case Answered(native=types.Content() as said):
                parts = said.parts or []
                calls = [part.function_call for part in parts if part.function_call]
                contents.append(_forgotten(parts) if about.forgets else said)
            case Results(results):
                parts = [_result(call, result) for call, result in zip(calls, results, strict=True)]
                contents.append(types.Content(role="user", parts=parts))
    return contents


def _forgotten(parts: list[types.Part]) -> types.Content:
    kept = [part.model_copy(update={"thought_signature": None}) for part in parts if not part.thought]
    return types.Content(role="model", parts=[part for part in kept if part.text or part.function_call])


def _part(part: str | Image) -> types.Part:
    if isinstance(part, str):
        return types.Part(text=part)
    return types.Part(inline_data=types.Blob(mime_type=part.mime, data=base64.b64decode(part.data)))


def _result(call: types.FunctionCall, result: Result) -> types.Part:
    text = "\n".join(part for part in result.content if isinstance(part, str))
    images = [
        types.FunctionResponsePart(
            inline_data=types.FunctionResponseBlob(mime_type=part.mime, data=base64.b64decode(part.data))
        )
        for part in result.content
        if isinstance(part, Image)
    ]
    response = {"error" if result.error else "output": text}
    made = types.FunctionResponse(id=call.id, name=call.name, response=response, parts=images or None)
    return types.Part(function_response=made)


def _said(parts: list[types.Part], finish: Any, usage: Any) -> Said:
    calls: tuple[tuple[str, Json], ...] = tuple(
        (str(part.function_call.name), part.function_call.args) for part in parts if part.function_call
    )
    name = finish.name if finish else ""
    stop: Any = {"STOP": "tool_calls" if calls else "stop", "MAX_TOKENS": "length"}.get(name, "none")
    return Said(
        "".join(part.text for part in parts if part.text and not part.thought),
        calls,
        "refusal" if name in _REFUSALS else stop,
        "".join(part.text for part in parts if part.text and part.thought),
        counted=usage is not None and (usage.prompt_token_count or 0) > 0,
        spent=usage and (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
    )
