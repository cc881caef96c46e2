"""Whether a provider's own SDK would have been able to send a request: its parameter types, field by field."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from anthropic.types import message_count_tokens_params, message_create_params
from anthropic.types.beta import message_count_tokens_params as beta_count_tokens_params
from anthropic.types.beta import message_create_params as beta_create_params
from botocore.session import Session
from botocore.validate import ParamValidator
from google.genai import types
from mistralai.client import models as mistral
from ollama._types import ChatRequest
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params
from pydantic import BaseModel, TypeAdapter, ValidationError

from proxy.emulate.api import Received


@cache
def _types(api: str, path: str, stream: bool, beta: bool) -> TypeAdapter[Any] | None:
    """The parameters of the endpoint; None where the provider has no types for it."""
    match api, path:
        case "openai-chat", "/v1/chat/completions":
            chat = completion_create_params
            kind: Any = (
                chat.CompletionCreateParamsStreaming if stream else chat.CompletionCreateParamsNonStreaming
            )
        case "anthropic-messages", "/v1/messages":
            messages: Any = beta_create_params if beta else message_create_params
            kind = messages.MessageCreateParamsStreaming if stream else messages.MessageCreateParamsNonStreaming
        case "anthropic-messages", "/v1/messages/count_tokens":
            counting: Any = beta_count_tokens_params if beta else message_count_tokens_params
            kind = counting.MessageCountTokensParams
        case "openai-responses", "/v1/responses":
            responses = response_create_params
            kind = responses.ResponseCreateParamsStreaming if stream else responses.ResponseCreateParamsNonStreaming
        case "mistral-chat", "/v1/chat/completions":
            kind = mistral.ChatCompletionStreamRequest if stream else mistral.ChatCompletionRequest
        case "ollama-chat", "/api/chat":
            kind = ChatRequest
        case _:
            return None
    return TypeAdapter(kind)


_BEYOND = {"ollama-chat": {"truncate"}}
"""What an API takes and its SDK does not know (ollama-chat §2, 2026-11)."""


def accepted(received: Received) -> None:
    """Fails for a field that the SDK does not know, or whose type is another one there."""
    if received.body is None:
        return
    if received.api == "google-gemini":
        return _gemini(received)
    if received.api == "bedrock-converse":
        return _bedrock(received)
    stream, beta = received.body.get("stream") is True, "anthropic-beta" in received.headers
    types = _types(received.api, received.path, stream, beta)
    if types is None:
        return
    body = {name: value for name, value in received.body.items() if name not in _BEYOND.get(received.api, ())}
    try:
        read = _plain(types.validate_python(body))
    except ValidationError as error:
        raise AssertionError(f"{received.api} would not take {_short(received.body)}: {error.errors()[:3]}") from None
    unknown = _differences(body, read, "")
    assert not unknown, f"unknown to {received.api}: {unknown}"


_GEMINI: dict[str, Any] = {
    "contents": list[types.Content],
    "systemInstruction": types.Content,
    "tools": list[types.Tool],
    "toolConfig": types.ToolConfig,
    "generationConfig": types.GenerationConfig,
    "safetySettings": list[types.SafetySetting],
    "cachedContent": str,
}


def _gemini(received: Received) -> None:
    """google-genai has no one type for the body, and its types forbid unknown members."""
    if not received.path.lower().endswith("generatecontent"):
        return
    for name, value in received.body.items():
        try:
            _gemini_type(name).validate_python(value)
        except ValidationError as error:
            raise AssertionError(f"Gemini would not take {name}: {error.errors()[:3]}") from None


@cache
def _gemini_type(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_GEMINI[name])


@cache
def _converse() -> Any:
    return Session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def _bedrock(received: Received) -> None:
    """By botocore's own check of a call's parameters, which names unknown members too."""
    if not received.path.endswith(("/converse", "/converse-stream")):
        return
    report = ParamValidator().validate({"modelId": received.params["model"], **received.body}, _converse())
    assert not report.has_errors(), f"Bedrock would not take {_short(received.body)}: {report.generate_report()}"


def _plain(value: Any) -> Any:
    """The SDK's lists are validated one item at a time, as they are read."""
    match value:
        case BaseModel():
            return _plain(value.model_dump(exclude_unset=True, by_alias=True))
        case dict():
            return {name: _plain(one) for name, one in value.items()}
        case str() | int() | float() | None:
            return value
    return [_plain(one) for one in value]


_FREE = (".input_schema", ".parameters", ".schema", ".input", ".metadata")
"""Members that hold any JSON, whatever the SDK's types name of it."""


def _differences(sent: Any, read: Any, path: str) -> list[str]:
    if path.endswith(_FREE):
        return []
    if isinstance(sent, dict) and isinstance(read, dict):
        return [line for name in sent for line in _differences(sent[name], read.get(name), f"{path}.{name}")]
    if isinstance(sent, list) and isinstance(read, list) and len(sent) == len(read):
        pairs = enumerate(zip(sent, read, strict=True))
        return [line for index, (a, b) in pairs for line in _differences(a, b, f"{path}[{index}]")]
    return [] if sent == read else [f"{path}: {sent!r} became {read!r}"]


def _short(body: Any) -> str:
    text = json.dumps(body, ensure_ascii=False)
    return text if len(text) < 2000 else f"{text[:2000]} …"
