"""Messages as Cohere's v2 chat takes them (2026-11).

A message with calls has no content: what the model said before them is its `tool_plan`. Reasoning models have their
thinking there instead, replayed for the tool loop under way only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adapters import json
from adapters.errors import Rejected
from adapters.formats.shared import data_url
from adapters.formats.shared.texts import joined, told
from adapters.formats.shared.turns import loop_start
from adapters.model import Json, Media, Message, Part, Reasoning, Refusal, Text, ToolCall, ToolResult

Entry = dict[str, Json]

_GAP = "\n\n"


def written(messages: Sequence[Message], thinks: bool, warnings: dict[str, None]) -> list[Entry]:
    """The `messages`. `thinks`: the model has thinking apart from its plan. Raises Rejected for unknown media."""
    begin = loop_start(messages)
    made: list[Entry] = []
    for index, message in enumerate(messages):
        match message.role:
            case "assistant":
                thoughts = [part.text for part in message.parts if isinstance(part, Reasoning) and part.text]
                for part in message.parts:
                    if isinstance(part, Media) and part.text is None:
                        warnings[_NO_MEDIA.format(part.kind)] = None
                if entry := _assistant(message, thoughts if not thinks or index >= begin else [], thinks):
                    made.append({"role": "assistant", **entry})
            case "tool":
                made += [_result(part) for part in message.parts if isinstance(part, ToolResult)]
            case "user":
                made.append({"role": "user", "content": _content(message.parts)})
            case _:
                made.append({"role": "system", "content": _content(message.parts)})
    return made


_NO_MEDIA = "messages: {} of an assistant message is left out, cohere-chat takes none there"


def _assistant(message: Message, thoughts: list[str], thinks: bool) -> Entry:
    """The entry without its role; empty where nothing is left to say."""
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCall)]
    thinking = [{"type": "thinking", "thinking": json.clean(_GAP.join(thoughts))}] if thinks and thoughts else []
    if not calls:
        texts = _texts(message.parts)
        content: Json = [*thinking, *texts] if thinking or len(texts) != 1 else texts[0]["text"]
        return {"content": content} if content else {}
    entry: Entry = {"content": thinking} if thinking else {}
    said = joined(message.parts)
    if plan := _GAP.join([*([] if thinks else thoughts), *([said] if said else [])]):
        entry["tool_plan"] = json.clean(plan)
    return {**entry, "tool_calls": calls}


def _call(call: ToolCall) -> Entry:
    function = {"name": call.name, "arguments": json.clean(call.arguments) if call.arguments.strip() else "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _result(result: ToolResult) -> Entry:
    return {"role": "tool", "tool_call_id": result.call_id, "content": told(result)}


def _content(parts: Iterable[Part]) -> Json:
    """One text as it is, anything else as parts."""
    made = [entry for part in parts if (entry := _part(part)) is not None]
    return made[0]["text"] if len(made) == 1 and "text" in made[0] else made


def _texts(parts: Iterable[Part]) -> list[Entry]:
    return [entry for part in parts if isinstance(part, Text | Refusal) and (entry := _part(part)) is not None]


def _part(part: Part) -> Entry | None:
    match part:
        case Text(text=text) | Refusal(text=text):
            return {"type": "text", "text": json.clean(text)}
        case Media(text=str()):
            return {"type": "text", "text": joined((part,))}
        case Media():
            return {"type": "image_url", "image_url": _image(part)}
    return None


def _image(media: Media) -> Entry:
    if media.kind != "image":
        raise Rejected(f"cohere-chat takes no {media.kind} input", "messages")
    if media.file_id is not None:
        raise Rejected("cohere-chat knows no files of other APIs", "messages")
    url = media.url if media.data is None else data_url.join(media.mime or "image/png", media.data)
    return {"url": url} if media.detail is None else {"url": url, "detail": media.detail}
