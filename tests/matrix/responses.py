"""Responses by the openai SDK: a neutral conversation as its call, its answer in the neutral form."""

from __future__ import annotations

import json
from typing import Any

import openai

from tests.matrix.neutral import Answered, Asked, Conversation, Image, Json, Said, Turn, User, failed

_EXACT = ("response.completed", "response.incomplete")


class Responses:
    """The whole answer by `create`; of a stream the last event's response, checked against the deltas."""

    def __init__(self, client: openai.OpenAI) -> None:
        self._client = client

    def ask(self, asked: Asked) -> Answered:
        body = _body(asked)
        text: list[str] = []
        try:
            response = self._client.responses.create(**body) if not asked.stream else self._streamed(body, text)
        except openai.APIError as error:
            return failed(str(error.type), Said("".join(text)))
        items = [item.to_dict() for item in response.output]
        ids = tuple(item["call_id"] for item in items if item["type"] == "function_call")
        said = _said(items, response.status, response.incomplete_details, response.usage)
        assert not asked.stream or "".join(text) == said.text
        return Answered(said, items, ids)

    def _streamed(self, body: dict[str, Any], text: list[str]) -> Any:
        last = None
        for event in self._client.responses.create(**body, stream=True):
            assert last is None, "something follows the terminal event"
            if event.type == "response.output_text.delta":
                text.append(event.delta)
            elif event.type in _EXACT:
                last = event.response
        assert last is not None, "the stream has no terminal event"
        return last


def _body(asked: Asked) -> dict[str, Any]:
    about = asked.conversation
    body: dict[str, Any] = {
        "model": asked.model,
        "input": _input(asked.turns, about),
        "max_output_tokens": about.max_tokens,
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if about.system:
        body["instructions"] = about.system
    if about.tools:
        body["tools"] = [
            {"type": "function", "name": t.name, "description": t.description, "parameters": t.schema, "strict": False}
            for t in about.tools
        ]
    if about.choice:
        body["tool_choice"] = about.choice
    if about.thinking:
        body["reasoning"] = {"effort": "high", "summary": "auto"}
    if about.output is not None:
        body["text"] = {"format": {"type": "json_schema", "name": "answer", "schema": about.output, "strict": True}}
    return body


def _input(turns: tuple[Turn, ...], about: Conversation) -> list[Json]:
    items: list[Json] = []
    ids: tuple[str, ...] = ()
    for turn in turns:
        match turn:
            case User(content):
                items.append({"role": "user", "content": _content(content)})
            case Answered(native=output):
                ids = turn.ids
                items += [item for item in output if not (about.forgets and item["type"] == "reasoning")]
            case _:
                items += [
                    {"type": "function_call_output", "call_id": id, "output": _content(result.content)}
                    for id, result in zip(ids, turn.results, strict=True)
                ]
    return items


def _content(content: tuple[str | Image, ...]) -> Json:
    if all(isinstance(part, str) for part in content):
        return "\n".join(str(part) for part in content)
    return [
        {"type": "input_text", "text": part}
        if isinstance(part, str)
        else {"type": "input_image", "detail": "auto", "image_url": f"data:{part.mime};base64,{part.data}"}
        for part in content
    ]


def _said(items: list[Json], status: str | None, incomplete: Any, usage: Any) -> Said:
    parts = [part for item in items if item["type"] == "message" for part in item["content"]]
    calls = tuple((i["name"], json.loads(i["arguments"])) for i in items if i["type"] == "function_call")
    thoughts = [part["text"] for item in items if item["type"] == "reasoning" for part in item["summary"]]
    thoughts += [p["text"] for i in items if i["type"] == "reasoning" for p in i.get("content") or []]
    stop: Any = "tool_calls" if calls else "stop"
    if status == "incomplete":
        stop = {"max_output_tokens": "length", "content_filter": "refusal"}[incomplete.reason]
    elif status != "completed":
        stop = "none"
    if any(part["type"] == "refusal" for part in parts):
        stop = "refusal"
    return Said(
        "".join(part["text"] for part in parts if part["type"] == "output_text"),
        calls,
        stop,
        "\n\n".join(thoughts),
        counted=usage is not None and usage.input_tokens > 0,
        spent=usage and usage.output_tokens,
    )
