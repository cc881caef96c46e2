"""Messages written as input items (openai-responses §2, §9).

Reasoning stands directly before what it led to and only where the API can read it: with its encrypted content, with raw
content (open models), or stored. Items keep their own ids only in a turn whose reasoning is replayed, since the API
checks that pairing by id; an assistant message otherwise gets an id by its place, which older vLLM demands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adapters.errors import Rejected
from adapters.formats.openai_responses.items import CONTENT_PART
from adapters.formats.openai_responses.words import NAME, own, rest
from adapters.formats.shared import data_url
from adapters.history import NO_RESULT
from adapters.model import Citation, Json, Media, Message, Opaque, Part, Reasoning, Refusal, Text, ToolCall, ToolResult

_AUDIO = {"audio/mpeg": "mp3", "audio/wav": "wav", "audio/x-wav": "wav"}
_SUFFIX = {"application/pdf": "pdf", "text/plain": "txt", "text/csv": "csv", "text/markdown": "md", "text/html": "html"}
_OWN_ID = re.compile(r"(fc|ctc|msg|rs)_[a-zA-Z0-9_-]{1,60}")
_OF_PART = frozenset({"prompt_cache_breakpoint"})


@dataclass(slots=True, frozen=True)
class Host:
    """What the upstream knows. `native`: it is OpenAI's own API. `stores`: it keeps responses, and so their items."""

    native: bool
    stores: bool


class Writer:
    """Collects the items of one conversation; `warnings` names what has no place in them."""

    def __init__(self, host: Host, warnings: dict[str, None]) -> None:
        self.items: list[Json] = []
        self._host = host
        self._warnings = warnings
        self._last: tuple[int, Json, Mapping[str, Json]] | None = None

    def write(self, messages: Iterable[Message]) -> list[Json]:
        for message in messages:
            if message.name is not None:
                self._warnings[f"the name of a {message.role} message is left out, {NAME} has no such field"] = None
            match message.role:
                case "assistant":
                    self._turn(message)
                case "tool":
                    self.items += [self._output(part) for part in message.parts if isinstance(part, ToolResult)]
                case _:
                    self._message(message)
        return self.items

    # --- not the model's -----------------------------------------------------------------------------------------

    def _message(self, message: Message) -> None:
        content: list[Json] = []
        for part in message.parts:
            if isinstance(part, Opaque) and (item := self._item(part)) is not None:
                self._flush(message.role, content)
                content = []
                self.items.append(item)
            else:
                content += self._content(part)
        self._flush(message.role, content)

    def _flush(self, role: str, content: list[Json]) -> None:
        if content:
            self.items.append({"type": "message", "role": role, "content": content})

    def _item(self, part: Opaque) -> Json | None:
        """The native item of an opaque part; None where it is a part of the content."""
        if part.api != NAME or not isinstance(part.data, dict) or CONTENT_PART in part.data:
            return None
        if part.data.get("type", "item_reference") == "item_reference" and not self._host.stores:
            raise Rejected("item_reference needs an upstream that stores responses (compat.store)", "input")
        return part.data

    def _content(self, part: Part) -> Iterable[Json]:
        """A content part of anything but the assistant's messages."""
        match part:
            case Text(text=text) | Refusal(text=text):
                yield {"type": "input_text", "text": text, **_point(part.extras)}
            case Media():
                yield {**_media(part), **_point(part.extras)}
            case Opaque(api=api, data={"content_part": native}) if api == NAME:
                yield native

    def _output(self, result: ToolResult) -> Json:
        content = [piece for part in result.content for piece in self._content(part)]
        custom = result.kind == "custom"
        if result.is_error and result.content != (Text(NO_RESULT),):
            self._warnings[f"is_error of a tool result: left out, {NAME} has no such field"] = None
        output: Json = content
        if all(piece.keys() == {"type", "text"} and piece["type"] == "input_text" for piece in content) and (
            len(content) <= 1 or not self._host.native
        ):
            output = "\n".join(piece["text"] for piece in content)
        known = frozenset({"uncalled"} if self._host.native else {"uncalled", "namespace"})
        return {
            "type": "custom_tool_call_output" if custom else "function_call_output",
            "call_id": result.call_id,
            "output": output,
            **rest(own(result.extras), known),
        }

    # --- the model's ---------------------------------------------------------------------------------------------

    def _turn(self, message: Message) -> None:
        begin = len(self.items)
        led = False
        for part in message.parts:
            match part:
                case Reasoning():
                    item = self._reasoning(part)
                    if item is not None:
                        self.items.append(item)
                        led = True
                case Text() | Refusal():
                    self._say(part, led, begin)
                case ToolCall():
                    self.items.append(self._call(part, led))
                case Opaque():
                    if (native := self._item(part)) is not None:
                        self.items.append(native)
                case Media(kind=kind):
                    self._warnings[f"{kind} in an assistant message is left out, {NAME} takes none there"] = None
        while len(self.items) > begin and self.items[-1].get("type") == "reasoning":
            self.items.pop()

    def _reasoning(self, part: Reasoning) -> Json | None:
        extra = own(part.extras)
        raw = extra.get("raw", 0)
        sections = part.sections if part.sections is not None else ((part.text,) if part.text else ())
        parted = len(sections) - raw if isinstance(raw, int) and 0 <= raw <= len(sections) else len(sections)
        if not part.data and parted == len(sections) and not self._host.stores:
            return None
        item: dict[str, Json] = {"type": "reasoning"}
        if item_id := _own_id(part.id, "rs"):
            item["id"] = item_id
        item["summary"] = [{"type": "summary_text", "text": text} for text in sections[:parted]]
        if parted < len(sections):
            item["content"] = [{"type": "reasoning_text", "text": text} for text in sections[parted:]]
        if part.data:
            item["encrypted_content"] = part.data
        return {**item, **rest(extra, frozenset({"raw"}))}

    def _say(self, part: Text | Refusal, led: bool, begin: int) -> None:
        """One more part of the assistant's message; parts of one native message stay together."""
        about = rest(own(part.extras), _OF_PART)
        known = about.pop("id", None)
        said: dict[str, Json]
        if isinstance(part, Refusal):
            said = {"type": "refusal", "refusal": part.text}
        else:
            said = {"type": "output_text", "text": part.text, "annotations": citations_of(part.citations)}
        said |= _point(part.extras)
        place = len(self.items)
        if place > begin and self._last == (place, known, about):
            self.items[-1]["content"].append(said)
            return
        self.items.append(
            {
                "type": "message",
                "role": "assistant",
                "id": (_own_id(known, "msg") if led else None) or f"msg_{place}",
                "status": "completed",
                "content": [said],
                **about,
            }
        )
        self._last = (place + 1, known, about)

    def _call(self, call: ToolCall, led: bool) -> Json:
        extra = own(call.extras)
        custom = call.kind == "custom"
        item: dict[str, Json] = {"type": "custom_tool_call" if custom else "function_call"}
        if led and (item_id := _own_id(extra.get("id"), "ctc" if custom else "fc")):
            item["id"] = item_id
        item |= {"call_id": call.id, "name": call.name}
        if custom:
            item["input"] = call.arguments
        else:
            item["arguments"] = call.arguments if call.arguments.strip() else "{}"
        return {**item, **rest(extra, frozenset({"id"} if self._host.native else {"id", "namespace"}))}


def _own_id(item_id: Json, prefix: str) -> str | None:
    """The id, if it has the form of the API's own."""
    found = _OWN_ID.fullmatch(item_id) if isinstance(item_id, str) else None
    return found[0] if found is not None and found[1] == prefix else None


def _point(extras: Mapping[str, Mapping[str, Json]]) -> dict[str, Json]:
    point = own(extras).get("prompt_cache_breakpoint")
    return {} if point is None else {"prompt_cache_breakpoint": point}


def _media(media: Media) -> dict[str, Json]:
    match media.kind:
        case "image":
            source = _source(media, "image_url", "image_url")
            return {"type": "input_image", **source, "detail": media.detail or "auto"}
        case "file":
            return _file(media)
        case "audio" if media.data is not None:
            form = _AUDIO.get(media.mime or "", (media.mime or "audio/wav").rpartition("/")[2])
            return {"type": "input_audio", "input_audio": {"data": media.data, "format": form}}
    raise Rejected(f"{NAME} takes no {media.kind} {'by URL' if media.kind == 'audio' else 'input'}", "input")


def _file(media: Media) -> dict[str, Json]:
    if media.text is not None:
        return {"type": "input_text", "text": f"{media.name}:\n{media.text}" if media.name else media.text}
    item: dict[str, Json] = {"type": "input_file"}
    if media.data is not None:
        item["filename"] = media.name or f"file.{_SUFFIX.get(media.mime or '', 'bin')}"
    elif media.name is not None:
        item["filename"] = media.name
    item |= _source(media, "file_url", "file_data")
    return item | ({"detail": media.detail} if media.detail else {})


def _source(media: Media, url: str, data: str) -> dict[str, Json]:
    if media.data is not None:
        return {data: data_url.join(media.mime or ("image/png" if media.kind == "image" else None), media.data)}
    if media.url is not None:
        return {url: media.url}
    return {"file_id": media.file_id}


def citations_of(citations: Iterable[Citation]) -> list[Json]:
    """Annotations: in their native form where they have one, else those with a URL."""
    written: list[Json] = []
    for one in citations:
        native = one.extras.get(NAME)
        if native is not None:
            written.append(dict(native))
        elif one.url is not None:
            place = {"start_index": one.start or 0, "end_index": one.end or 0}
            written.append({"type": "url_citation", **place, "url": one.url, "title": one.title or ""})
    return written
