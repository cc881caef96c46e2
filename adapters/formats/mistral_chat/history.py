"""Neutral messages, prepared for Mistral -> its messages (wire page §3). Every field that it does not know is a 422."""

from __future__ import annotations

from collections.abc import Sequence

from adapters import json
from adapters.errors import Rejected
from adapters.formats.shared import data_url
from adapters.history import NO_RESULT
from adapters.model import NOTHING, Json, Media, Message, Part, Reasoning, Refusal, Text, ToolCall, ToolResult
from adapters.tools.arguments import as_object, is_object

NAME = "mistral-chat"


class Writer:
    """Writes the messages of one request; what is left out goes into `warnings`."""

    def __init__(self, warnings: dict[str, None]) -> None:
        self._warnings = warnings

    def write(self, messages: Sequence[Message]) -> list[Json]:
        written: list[Json] = []
        for message in messages:
            if message.name is not None:
                self._left_out("messages.name")
            match message.role:
                case "tool":
                    written += [self._result(part) for part in message.parts if isinstance(part, ToolResult)]
                case "assistant":
                    said = self._assistant(message)
                    if said.get("content") or "tool_calls" in said:
                        written.append(said)
                case "user":
                    written.append({"role": "user", "content": self._content(message.parts)})
                case _:
                    written.append({"role": "system", "content": self._content(message.parts)})
        if messages and messages[-1].role == "assistant" and written and written[-1]["role"] == "assistant":
            written[-1]["prefix"] = True
        return written

    def _left_out(self, name: str) -> None:
        self._warnings[f"{name}: left out, {NAME} has no such field"] = None

    def _content(self, parts: Sequence[Part]) -> Json:
        chunks = [self._chunk(part) for part in parts]
        return chunks[0]["text"] if len(chunks) == 1 and chunks[0]["type"] == "text" else chunks

    def _chunk(self, part: Part) -> dict[str, Json]:
        if isinstance(part, Text | Media) and part.cache is not None:
            self._left_out("cache_control")
        match part:
            case Text(text=text) | Refusal(text=text):
                return {"type": "text", "text": text}
            case Media():
                return _media(part)
        raise Rejected(f"{NAME} has no such part in a message", "messages")

    # --- assistant ---------------------------------------------------------------------------------------------------

    def _assistant(self, message: Message) -> dict[str, Json]:
        """Thinking that came from Mistral goes back as chunks; content and calls may stand side by side."""
        thoughts = [self._thought(part) for part in message.parts if isinstance(part, Reasoning)]
        chunks = [chunk for chunk in thoughts if chunk is not None]
        text = "".join(part.text for part in message.parts if isinstance(part, Text | Refusal))
        calls = [part for part in message.parts if isinstance(part, ToolCall)]
        for part in message.parts:
            if isinstance(part, Text | ToolCall) and part.cache is not None:
                self._left_out("cache_control")
        fields: dict[str, Json] = {"role": "assistant"}
        if chunks:
            fields["content"] = [*chunks, {"type": "text", "text": text}] if text else chunks
        elif text or not calls:
            fields["content"] = text
        if calls:
            fields["tool_calls"] = [self._call(call) for call in calls]
        return fields

    def _thought(self, block: Reasoning) -> dict[str, Json] | None:
        if block.api != NAME:
            self._warnings["reasoning of another provider or model is left out of the history"] = None
            return None
        inner: list[Json] = [{"type": "text", "text": block.text}] if block.text else []
        more = block.extras.get(NAME, NOTHING).get("more")
        inner += [one for one in more if isinstance(one, dict)] if isinstance(more, list) else []
        chunk: dict[str, Json] = {"type": "thinking", "thinking": inner, "closed": True}
        return chunk if block.signature is None else {**chunk, "signature": block.signature}

    def _call(self, call: ToolCall) -> Json:
        arguments = call.arguments if call.arguments.strip() else "{}"
        if not is_object(arguments):
            self._warnings[f"the arguments of an earlier call of {call.name} are no JSON object: sent as _raw"] = None
            arguments = json.text(as_object(arguments))
        return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}

    def _result(self, result: ToolResult) -> Json:
        if result.is_error and result.content != (Text(NO_RESULT),):
            self._left_out("is_error of a tool result")
        if result.cache is not None or any(isinstance(p, Text) and p.cache is not None for p in result.content):
            self._left_out("cache_control")
        text = "\n".join(part.text for part in result.content if isinstance(part, Text))
        fields = {"role": "tool", "tool_call_id": result.call_id, "name": result.name, "content": text}
        return {key: value for key, value in fields.items() if value is not None}


def _media(media: Media) -> dict[str, Json]:
    match media:
        case Media(text=str() as text):
            return {"type": "text", "text": f"{media.name}\n\n{text}" if media.name else text}
        case Media(file_id=str() as file_id):
            return {"type": "file", "file_id": file_id}
        case Media(kind="image"):
            link = _url(media)
            return {"type": "image_url", "image_url": {"url": link, "detail": media.detail} if media.detail else link}
        case Media(kind="audio"):
            return {"type": "input_audio", "input_audio": media.url or media.data or ""}
        case Media(kind="file"):
            chunk: dict[str, Json] = {"type": "document_url", "document_url": _url(media)}
            return {**chunk, "document_name": media.name} if media.name else chunk
    raise Rejected(f"{NAME} takes no {media.kind}", "messages")


def _url(media: Media) -> str:
    return media.url if media.url is not None else data_url.join(media.mime, media.data or "")
