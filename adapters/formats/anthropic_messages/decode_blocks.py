"""Content blocks of a client's request, read (2026-11). A block of a type unknown here stays opaque and in place."""

from __future__ import annotations

from dataclasses import replace

from adapters import json
from adapters.errors import Malformed, Rejected
from adapters.formats.anthropic_messages import citations
from adapters.formats.anthropic_messages.wire import NAME, own
from adapters.formats.shared.fields import Fields, wrong
from adapters.formats.shared.reference import unpack
from adapters.model import CacheMark, Citation, Json, Media, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

_BILLING = "x-anthropic-billing-header:"
"""Claude Code's first system text begins so; it differs by version, and is for this API alone (2.1.332)."""


def blocks(content: Json, path: str) -> list[Part]:
    """The parts of a `content`: a text, or a list of blocks."""
    if isinstance(content, str):
        return [Text(content)]
    if not isinstance(content, list):
        raise wrong(path, "a string or an array of blocks")
    return [_block(value, f"{path}.{index}") for index, value in enumerate(content)]


def system(content: Json, path: str) -> list[Part]:
    """The parts of a system prompt."""
    parts = blocks(content, path)
    for index, part in enumerate(parts):
        if not isinstance(part, Text | Opaque):
            raise wrong(f"{path}.{index}", "a text block")
        if isinstance(part, Text) and part.text.startswith(_BILLING) and isinstance(content, list):
            parts[index] = Opaque(NAME, content[index])
    return parts


def cache_mark(fields: Fields) -> CacheMark | None:
    """The `cache_control`; one with more than a lifetime stays among the leftover fields as well."""
    value = fields.object("cache_control")
    if value is None:
        return None
    mark = Fields.of(value, fields.at("cache_control"))
    kind, ttl = mark.text("type"), mark.text("ttl")
    if mark.values or kind != "ephemeral":
        fields.values["cache_control"] = value
    return CacheMark(ttl)


def _block(value: Json, path: str) -> Part:
    fields = Fields.of(value, path)
    match fields.needed("type"):
        case "text":
            return _text(fields)
        case "tool_use":
            return _call(fields)
        case "tool_result":
            return _result(fields)
        case "thinking":
            return _thinking(fields)
        case "redacted_thinking":
            data = fields.needed("data")
            return Reasoning(api=NAME, data=data, extras=own(fields.values))
        case "image":
            return _media(fields, "image") or Opaque(NAME, value)
        case "document":
            return _media(fields, "file") or Opaque(NAME, value, _shown(value))
    return Opaque(NAME, value, _shown(value))


def _text(fields: Fields) -> Text:
    text = fields.text("text")
    if text is None:
        raise Rejected(f"{fields.at('text')} is required", fields.at("text"))
    mark = cache_mark(fields)
    cited = fields.items("citations")
    return Text(text, mark, tuple(_citation(native, fields) for native in cited), extras=own(fields.values))


def _citation(native: Json, fields: Fields) -> Citation:
    try:
        return citations.read(native)
    except Malformed:
        raise wrong(fields.at("citations"), "an array of objects") from None


def _call(fields: Fields) -> ToolCall:
    call_id, name = fields.needed("id"), fields.needed("name")
    arguments = json.text(fields.object("input") or {})
    mark = cache_mark(fields)
    return ToolCall(call_id, name, arguments, cache=mark, extras=own(fields.values))


def _result(fields: Fields) -> ToolResult:
    call_id, content = fields.needed("tool_use_id"), fields.take("content")
    inner = tuple(blocks(content, fields.at("content"))) if content is not None else ()
    for index, part in enumerate(inner):
        if not isinstance(part, Text | Media | Opaque):
            raise wrong(f"{fields.at('content')}.{index}", "a block that a tool result may hold")
    failed, mark = fields.flag("is_error"), cache_mark(fields)
    return ToolResult(call_id, inner, failed, cache=mark, extras=own(fields.values))


def _thinking(fields: Fields) -> Reasoning:
    """Signed by this API, a reference of ours to another API's block, or text that nobody signed."""
    text, signature = fields.text("thinking") or "", fields.text("signature")
    if not signature:
        return Reasoning(text)
    if (found := unpack(signature, text)) is not None:
        return found
    return Reasoning(text, NAME, signature=signature, extras=own(fields.values))


def _media(fields: Fields, kind: str) -> Media | None:
    """An image or a document; None where its source has no neutral form."""
    source = Fields.of(fields.take("source"), fields.at("source"))
    mark = cache_mark(fields)
    media = Media("image" if kind == "image" else "file", cache=mark)
    match source.needed("type"):
        case "base64":
            media = replace(media, mime=source.needed("media_type"), data=source.needed("data"))
        case "url":
            media = replace(media, url=source.needed("url"))
        case "file":
            media = replace(media, file_id=source.needed("file_id"))
        case "text" if kind == "file":
            media = replace(media, mime=source.text("media_type"), text=source.text("data") or "")
        case _:
            return None
    name = fields.text("title") if kind == "file" else None
    return replace(media, name=name, extras=own(fields.values))


def _shown(block: dict[str, Json]) -> str:
    """What other APIs are told of a block: the texts of a search result, document or summary, a tool's name."""
    match block:
        case {"type": "search_result", "content": list(content)}:
            return "\n".join([*_words(block, "title", "source"), *_texts(content)])
        case {"type": "document", "source": {"content": list(content)}}:
            return "\n".join([*_words(block, "title"), *_texts(content)])
        case {"type": "document", "source": {"content": str(text)}} | {"type": "compaction", "content": str(text)}:
            return text
        case {"type": "tool_reference", "tool_name": str(name)}:
            return name
    return ""


def _words(block: dict[str, Json], *names: str) -> list[str]:
    return [block[name] for name in names if isinstance(block.get(name), str)]


def _texts(content: list[Json]) -> list[str]:
    return [block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)]
