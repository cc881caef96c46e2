"""Chat Completions by the openai SDK: a neutral conversation as its call, its answer in the neutral form."""

from __future__ import annotations

import json
from typing import Any

import openai

from tests.matrix.neutral import Answered, Asked, Conversation, Image, Json, Result, Said, Turn, User, failed

_STOPS = {"stop": "stop", "length": "length", "tool_calls": "tool_calls", "content_filter": "refusal"}


class Chat:
    """The whole answer by `create`, a stream added up chunk by chunk as agents do."""

    def __init__(self, client: openai.OpenAI) -> None:
        self._client = client

    def ask(self, asked: Asked) -> Answered:
        body = _body(asked)
        message: dict[str, Json] = {"role": "assistant", "content": ""}
        finish, usage = None, None
        try:
            if not asked.stream:
                whole = self._client.chat.completions.create(**body)
                choice = whole.choices[0]
                message, finish, usage = choice.message.model_dump(exclude_none=True), choice.finish_reason, whole.usage
            else:
                options: Any = {"stream": True, "stream_options": {"include_usage": True}}
                for chunk in self._client.chat.completions.create(**body, **options):
                    usage = chunk.usage or usage
                    for choice in chunk.choices:
                        finish = choice.finish_reason or finish
                        _add(message, choice.delta.model_dump(exclude_none=True))
        except openai.APIError as error:
            return failed(str(error.type), _said(message, finish, usage))
        ids = tuple(call["id"] for call in message.get("tool_calls", []))
        return Answered(_said(message, finish, usage), message, ids)


def _body(asked: Asked) -> dict[str, Any]:
    about = asked.conversation
    head = [{"role": "system", "content": about.system}] if about.system else []
    messages = [message for turn, before in _with_before(asked.turns) for message in _messages(turn, before, about)]
    body: dict[str, Any] = {
        "model": asked.model,
        "messages": [*head, *messages],
        "max_completion_tokens": about.max_tokens,
    }
    if about.tools:
        body["tools"] = [
            {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.schema}}
            for t in about.tools
        ]
    if about.choice:
        body["tool_choice"] = about.choice
    if about.thinking:
        body["reasoning_effort"] = "high"
    if about.output is not None:
        wanted = {"name": "answer", "schema": about.output, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return body


def _with_before(turns: tuple[Turn, ...]) -> list[tuple[Turn, Turn | None]]:
    return list(zip(turns, (None, *turns), strict=False))


def _messages(turn: Turn, before: Turn | None, about: Conversation) -> list[dict[str, Json]]:
    match turn:
        case User(content):
            return [{"role": "user", "content": _content(content)}]
        case Answered(native=message):
            return [_forgotten(message) if about.forgets else message]
    assert isinstance(before, Answered)
    return [
        {"role": "tool", "tool_call_id": id, "content": _result(result)}
        for id, result in zip(before.ids, turn.results, strict=True)
    ]


def _content(content: tuple[str | Image, ...]) -> Json:
    if all(isinstance(part, str) for part in content):
        return "\n".join(str(part) for part in content)
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": f"data:{part.mime};base64,{part.data}"}}
        for part in content
    ]


def _result(result: Result) -> Json:
    """The format has no word for a failed call: clients say it in the text."""
    return _content(result.content)


def _forgotten(message: dict[str, Json]) -> dict[str, Json]:
    kept: dict[str, Json] = {name: value for name, value in message.items() if name in ("role", "content")}
    calls = [{name: call[name] for name in ("id", "type", "function")} for call in message.get("tool_calls", [])]
    return {**kept, "tool_calls": calls} if calls else kept


def _add(message: dict[str, Json], delta: dict[str, Json]) -> None:
    for name in ("content", "refusal", "reasoning_content"):
        if delta.get(name):
            message[name] = (message.get(name) or "") + delta[name]
    message.setdefault("reasoning_details", []).extend(delta.get("reasoning_details", []))
    if not message["reasoning_details"]:
        del message["reasoning_details"]
    for piece in delta.get("tool_calls", []):
        calls = message.setdefault("tool_calls", [])
        if (index := piece.pop("index")) == len(calls):
            calls.append(piece)
        else:
            calls[index]["function"]["arguments"] += piece["function"]["arguments"]


def _said(message: dict[str, Json], finish: str | None, usage: Any) -> Said:
    calls = tuple(
        (call["function"]["name"], _object(call["function"]["arguments"])) for call in message.get("tool_calls", [])
    )
    refused = bool(message.get("refusal"))
    return Said(
        message.get("content") or "",
        calls,
        "refusal" if refused else _STOPS.get(finish or "", "none"),  # type: ignore[arg-type]
        message.get("reasoning_content") or "",
        counted=usage is not None and usage.prompt_tokens > 0,
        spent=usage and usage.completion_tokens,
    )


def _object(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text
