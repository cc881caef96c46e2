"""Anthropic Messages by the anthropic SDK: a neutral conversation as its call, its answer in the neutral form."""

from __future__ import annotations

from typing import Any

import anthropic

from tests.matrix.neutral import Answered, Asked, Conversation, Image, Json, Result, Said, Turn, User, failed

_STOPS = {"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "refusal"}
_THINKING = ("thinking", "redacted_thinking")


class Messages:
    """The whole answer by `create`, a stream by the SDK's own helper."""

    def __init__(self, client: anthropic.Anthropic) -> None:
        self._client = client

    def ask(self, asked: Asked) -> Answered:
        body = _body(asked)
        so_far = None
        try:
            if not asked.stream:
                message = self._client.messages.create(**body)
            else:
                with self._client.messages.stream(**body) as stream:
                    for _ in stream:
                        so_far = stream.current_message_snapshot
                    message = stream.get_final_message()
        except anthropic.APIStatusError as error:
            return failed(_kind(error), _said(so_far) if so_far else None)
        ids = tuple(block.id for block in message.content if block.type == "tool_use")
        blocks = [_sent_back(block.to_dict()) for block in message.content]
        return Answered(_said(message), blocks, ids)


def _sent_back(block: dict[str, Json]) -> dict[str, Json]:
    """Without what the SDK's helper adds."""
    return {name: value for name, value in block.items() if name not in ("parsed_output", "partial_json")}


def _kind(error: anthropic.APIStatusError) -> str:
    body: Any = error.body
    inside = body["error"]
    return str(inside.get("toolwire_type") or inside["type"])


def _body(asked: Asked) -> dict[str, Any]:
    about = asked.conversation
    body: dict[str, Any] = {
        "model": asked.model,
        "messages": _messages(asked.turns, about),
        "max_tokens": about.max_tokens,
    }
    if about.system:
        body["system"] = about.system
    if about.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": t.schema} for t in about.tools
        ]
    if about.choice:
        body["tool_choice"] = {"type": {"required": "any", "none": "none"}[about.choice]}
    if about.thinking:
        body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    if about.output is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": about.output}}
    return body


def _messages(turns: tuple[Turn, ...], about: Conversation) -> list[Json]:
    messages: list[Json] = []
    ids: tuple[str, ...] = ()
    for turn in turns:
        match turn:
            case User(content):
                messages.append({"role": "user", "content": _content(content)})
            case Answered(native=blocks):
                ids = turn.ids
                kept = [block for block in blocks if not (about.forgets and block["type"] in _THINKING)]
                messages.append({"role": "assistant", "content": kept})
            case _:
                blocks = [_result(id, result) for id, result in zip(ids, turn.results, strict=True)]
                messages.append({"role": "user", "content": blocks})
    return messages


def _content(content: tuple[str | Image, ...]) -> list[Json]:
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "source": {"type": "base64", "media_type": part.mime, "data": part.data}}
        for part in content
    ]


def _result(id: str, result: Result) -> Json:
    block = {"type": "tool_result", "tool_use_id": id, "content": _content(result.content)}
    return {**block, "is_error": True} if result.error else block


def _said(message: Any) -> Said:
    blocks = message.content
    return Said(
        "".join(block.text for block in blocks if block.type == "text"),
        tuple((block.name, block.input) for block in blocks if block.type == "tool_use"),
        _STOPS.get(message.stop_reason, "none"),  # type: ignore[arg-type]
        "".join(block.thinking for block in blocks if block.type == "thinking"),
        counted=_input(message.usage) > 0,
        spent=message.usage.output_tokens,
    )


def _input(usage: Any) -> int:
    """Tokens read from the cache or written to it are counted apart."""
    return sum(
        count or 0
        for count in (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    )
