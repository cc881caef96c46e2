"""Neutral messages, prepared for this API -> the messages of a Chat request (wire page §2, §7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adapters import json
from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.openai_chat.details import API
from adapters.formats.shared import data_url
from adapters.history import NO_RESULT
from adapters.model import (
    NOTHING,
    CacheMark,
    Extras,
    Json,
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    Request,
    Text,
    ToolCall,
    ToolResult,
)
from adapters.tools.arguments import as_object, is_object

_AUDIO = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
_SUFFIX = {"application/pdf": ".pdf", "text/plain": ".txt", "text/markdown": ".md", "application/json": ".json"}
_LOST = " "
"""Stands for reasoning that a host demands and nobody has any more."""


@dataclass(slots=True, frozen=True)
class Host:
    """What one host does its own way; the flags are those of `adapters.compat`.

    parts: it takes several texts of a message apart (OpenAI's own models), else they are joined. chat: the client
    speaks this dialect too, so what it said of a signature without its maker is meant for this host.
    """

    origin: str
    chat: bool
    parts: bool
    developer_role: bool
    message_name: bool
    tool_result_name: bool
    null_content: bool
    parsed_arguments: bool
    cache: bool
    echo: str

    @classmethod
    def of(cls, request: Request, upstream: Upstream) -> Host:
        flag = upstream.compat.get
        return cls(
            origin=upstream.origin,
            chat=request.dialect == "chat",
            parts=bool(flag("openai_reasoning_models", False)),
            developer_role=bool(flag("developer_role", False)),
            message_name=bool(flag("message_name", True)),
            tool_result_name=bool(flag("tool_result_name", False)),
            null_content=bool(flag("null_content", True)),
            parsed_arguments=bool(flag("parsed_arguments", True)),
            cache=flag("cache", "off") == "client",
            echo=flag("reasoning_echo", "drop"),
        )


class Writer:
    """Writes the messages of one request; what is left out goes into `warnings`."""

    def __init__(self, host: Host, warnings: dict[str, None]) -> None:
        self._host = host
        self._warnings = warnings

    def write(self, messages: Iterable[Message]) -> list[Json]:
        written: list[Json] = []
        for message in messages:
            match message.role:
                case "tool":
                    written += [self._result(part) for part in message.parts if isinstance(part, ToolResult)]
                case "assistant":
                    written.append(self._assistant(message))
                case role:
                    word = "system" if role == "developer" and not self._host.developer_role else role
                    fields: dict[str, Json] = {"role": word, "content": self._content(message.parts)}
                    written.append({**fields, **self._beside(message)})
        return written

    def _beside(self, message: Message) -> dict[str, Json]:
        """The name, and the fields that only clients of this API know."""
        fields: dict[str, Json] = {}
        if message.name is not None:
            if self._host.message_name:
                fields["name"] = message.name
            else:
                self._warnings["messages.name: left out, the upstream does not take it"] = None
        return {**fields, **message.extras.get(API, NOTHING)}

    # --- content -----------------------------------------------------------------------------------------------------

    def _content(self, parts: Sequence[Part]) -> Json:
        """One text where there is nothing but text, else parts."""
        texts = [part.text for part in parts if isinstance(part, Text | Refusal) and not self._is_marked(part)]
        if len(texts) == len(parts) and (len(texts) == 1 or not self._host.parts):
            return "\n".join(texts)
        return [self._part(part) for part in parts]

    def _is_marked(self, part: Part) -> bool:
        """Whether the part has to stand for itself."""
        return isinstance(part, Text) and ((part.cache is not None and self._host.cache) or API in part.extras)

    def _part(self, part: Part) -> Json:
        match part:
            case Text(text=text):
                return {"type": "text", "text": text, **self._extras(part.cache, part.extras)}
            case Refusal(text=text):
                return {"type": "text", "text": text}
            case Media():
                return {**self._media(part), **self._extras(part.cache, part.extras)}
            case Opaque(data=data):
                return data
        raise Rejected(f"{type(part).__name__} cannot stand in a message of this role", "messages")

    def _extras(self, mark: CacheMark | None, extras: Extras) -> dict[str, Json]:
        fields = dict(extras.get(API, NOTHING))
        if not self._host.parts and fields.pop("prompt_cache_breakpoint", None) is not None and not self._host.cache:
            self._warnings["prompt_cache_breakpoint: left out, the upstream does not take it"] = None
        if mark is not None and "prompt_cache_breakpoint" not in fields:
            fields.update(self._mark(mark))
        return fields

    def _mark(self, mark: CacheMark | None) -> dict[str, Json]:
        if mark is None:
            return {}
        if not self._host.cache:
            self._warnings["cache_control: left out, the upstream takes no cache markers"] = None
            return {}
        return {"cache_control": {"type": "ephemeral", **({"ttl": mark.ttl} if mark.ttl else {})}}

    def _media(self, media: Media) -> dict[str, Json]:
        match media:
            case Media(text=str() as text):
                return {"type": "text", "text": f"{media.name}\n\n{text}" if media.name else text}
            case Media(kind="image" | "video" as kind) if media.file_id is None:
                link: dict[str, Json] = {"url": _url(media)}
                if media.detail is not None:
                    link["detail"] = media.detail
                return {"type": f"{kind}_url", f"{kind}_url": link}
            case Media(kind="audio", data=str() as data):
                form = _AUDIO.get(media.mime or "", (media.mime or "audio/wav").partition("/")[2])
                return {"type": "input_audio", "input_audio": {"data": data, "format": form}}
            case Media(kind="file", file_id=str() as file_id):
                return {"type": "file", "file": {"file_id": file_id}}
            case Media(kind="file", url=str()) if self._host.parts:
                raise Rejected("the upstream takes files as data, not by URL", "messages")
            case Media(kind="file"):
                name = media.name or "file" + _SUFFIX.get(media.mime or "", "")
                return {"type": "file", "file": {"filename": name, "file_data": _url(media)}}
        source = "by file id" if media.file_id else "by URL"
        raise Rejected(f"{API} does not take {media.kind} {source}", "messages")

    # --- assistant ---------------------------------------------------------------------------------------------------

    def _assistant(self, message: Message) -> Json:
        """Content is one text, since some models mirror a list of parts as text; refusals stay apart at OpenAI only."""
        calls = [part for part in message.parts if isinstance(part, ToolCall)]
        said = [part for part in message.parts if isinstance(part, Text | Refusal)]
        fields: dict[str, Json] = {"role": "assistant", "content": self._said(said, bool(calls))}
        fields.update(self._reasoning([part for part in message.parts if isinstance(part, Reasoning)], bool(calls)))
        for part in message.parts:
            if isinstance(part, Opaque) and isinstance(part.data, dict):
                fields.update(part.data)
        if calls:
            fields["tool_calls"] = [self._call(call) for call in calls]
        return {**fields, **self._beside(message)}

    def _said(self, said: list[Text | Refusal], called: bool) -> Json:
        for part in said:
            if isinstance(part, Text) and part.cache is not None:
                if self._host.cache:
                    return [self._part(one) for one in said]
                self._mark(part.cache)
        if self._host.parts and any(isinstance(part, Refusal) for part in said):
            return [self._apart(part) for part in said]
        text = "".join(part.text for part in said)
        return text if text or not called or not self._host.null_content else None

    def _apart(self, part: Text | Refusal) -> Json:
        return {"type": "refusal", "refusal": part.text} if isinstance(part, Refusal) else self._part(part)

    def _reasoning(self, blocks: list[Reasoning], called: bool) -> dict[str, Json]:
        """Earlier reasoning in the host's own field; which blocks may go was decided before."""
        text = "\n\n".join(block.text for block in blocks if block.text)
        match self._host.echo:
            case "required":
                if called and not text:
                    self._warnings["reasoning_content: that of an earlier call is lost, a blank stands for it"] = None
                return {"reasoning_content": text or _LOST}
            case "reasoning_content" | "reasoning" as name if text:
                return {name: text}
            case "reasoning_details":
                return _details(blocks)
        return {}

    def _call(self, call: ToolCall) -> Json:
        if call.kind == "custom":
            inner: dict[str, Json] = {"name": call.name, "input": call.arguments}
        else:
            inner = {"name": call.name, "arguments": self._arguments(call)}
        fields: dict[str, Json] = {"id": call.id, "type": call.kind, call.kind: inner}
        extras = dict(call.extras.get(API, NOTHING))
        ours = call.origin == self._host.origin or (call.origin is None and self._host.chat)
        if call.signature is not None and ours:
            extras["extra_content"] = {
                **(extras.get("extra_content") or {}), "google": {"thought_signature": call.signature}
            }
        return {**fields, **extras, **self._mark(call.cache)}

    def _arguments(self, call: ToolCall) -> str:
        if not self._host.parsed_arguments:
            return call.arguments
        if not is_object(call.arguments):
            self._warnings[f"the arguments of an earlier call of {call.name} are no JSON object: sent as _raw"] = None
            return json.text(as_object(call.arguments))
        return call.arguments if call.arguments.strip() else "{}"

    # --- results -----------------------------------------------------------------------------------------------------

    def _result(self, result: ToolResult) -> Json:
        fields: dict[str, Json] = {"role": "tool", "tool_call_id": result.call_id}
        if self._host.tool_result_name and result.name:
            fields["name"] = result.name
        if result.is_error and result.content != (Text(NO_RESULT),):
            self._warnings["is_error of a tool result: left out, the API has no such field"] = None
        mark = result.cache or next((p.cache for p in result.content if isinstance(p, Text) and p.cache), None)
        text = "\n".join(part.text for part in result.content if isinstance(part, Text))
        marked = self._mark(mark)
        fields["content"] = [{"type": "text", "text": text, **marked}] if marked else text
        return {**fields, **result.extras.get(API, NOTHING)}


def _url(media: Media) -> str:
    return media.url if media.url is not None else data_url.join(media.mime, media.data or "")


def _details(blocks: list[Reasoning]) -> dict[str, Json]:
    """The entries as they came. Text that came without is `reasoning`: an entry that nobody signed is refused."""
    entries: list[Json] = []
    texts: list[str] = []
    for block in blocks:
        raw = block.extras.get(API, NOTHING).get("reasoning_details")
        entries += raw or ()
        texts += [block.text] if block.text and not raw else ()
    fields: dict[str, Json] = {"reasoning": "\n\n".join(texts)} if texts else {}
    return {**fields, "reasoning_details": entries} if entries else fields
