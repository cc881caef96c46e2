"""Messages as Ollama takes them: content is one string, images are raw base64 beside it, arguments are objects."""

from __future__ import annotations

from collections.abc import Sequence

from adapters import json
from adapters.errors import Rejected
from adapters.formats.shared import data_url
from adapters.formats.shared.texts import joined, told
from adapters.formats.shared.turns import loop_start
from adapters.model import Json, Media, Message, Part, Reasoning, ToolCall, ToolResult
from adapters.tools.arguments import as_object

Entry = dict[str, Json]


def written(messages: Sequence[Message], warnings: dict[str, None]) -> list[Entry]:
    """The `messages`. Raises Rejected for media that the API has no place for."""
    begin = loop_start(messages)
    made: list[Entry] = []
    for index, message in enumerate(messages):
        match message.role:
            case "assistant":
                made.append(_assistant(message, index >= begin, warnings))
            case "tool":
                made += [_result(part) for part in message.parts if isinstance(part, ToolResult)]
            case "user":
                made.append(_said("user", message.parts))
            case _:
                made.append(_said("system", message.parts))
    return made


def _said(role: str, parts: Sequence[Part]) -> Entry:
    entry: Entry = {"role": role, "content": joined(parts)}
    if images := [_image(part) for part in parts if isinstance(part, Media) and part.text is None]:
        entry["images"] = images
    return entry


def _image(media: Media) -> str:
    """Base64 without a prefix."""
    if media.kind != "image":
        raise Rejected(f"ollama-chat takes no {media.kind} input", "messages")
    if media.data is not None:
        return media.data
    found = data_url.split(media.url or "")
    if found is not None:
        return found[1]
    if media.url is not None:
        raise Rejected(
            "ollama-chat reads no remote images: send the bytes, or let the proxy fetch them (server.fetch_images)",
            "messages",
        )
    raise Rejected("ollama-chat knows no files of other APIs", "messages")


def _assistant(message: Message, replayed: bool, warnings: dict[str, None]) -> Entry:
    entry: Entry = {"role": "assistant", "content": joined(message.parts)}
    thoughts = [part.text for part in message.parts if isinstance(part, Reasoning) and part.text]
    if thoughts and replayed:
        entry["thinking"] = json.clean("\n\n".join(thoughts))
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    if calls:
        entry["tool_calls"] = [_call(index, call) for index, call in enumerate(calls)]
    for part in message.parts:
        if isinstance(part, Media) and part.text is None:
            warnings[f"messages: {part.kind} of an assistant message is left out, ollama-chat takes none there"] = None
    return entry


def _call(index: int, call: ToolCall) -> Entry:
    function = {"index": index, "name": call.name, "arguments": as_object(call.arguments)}
    return {"id": call.id, "function": function}


def _result(result: ToolResult) -> Entry:
    """The name for templates that know nothing else, the id for servers that do."""
    return {
        "role": "tool", "content": told(result), "tool_name": result.name or "", "tool_call_id": result.call_id,
    }  # fmt: skip
