"""Messages and their parts as native turns and blocks, for requests (2026-11)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence

from adapters import json
from adapters.errors import Rejected
from adapters.formats.anthropic_messages import citations
from adapters.formats.anthropic_messages.response import thinking
from adapters.formats.anthropic_messages.wire import NAME
from adapters.history import as_user
from adapters.model import (
    NOTHING,
    CacheMark,
    Json,
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    Text,
    ToolCall,
    ToolResult,
)
from adapters.tools.arguments import as_object

Block = dict[str, Json]

_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


def turns(messages: Iterable[Message], warnings: dict[str, None]) -> list[Block]:
    """The `messages` of a request: results are the user's, neighbours of one role are one turn."""
    made: list[Block] = []
    for message in messages:
        role = {"tool": "user", "developer": "system"}.get(message.role, message.role)
        blocks = [block for part in message.parts for block in _block(part, role, warnings)]
        extras = message.extras.get(NAME, NOTHING)
        if made and made[-1]["role"] == role and not extras and (role != "system" or len(made[-1]) == 2):
            made[-1]["content"] += blocks
        elif blocks or (extras and role == "system"):
            made.append({"role": role, "content": blocks, **extras})
    if made and made[-1]["role"] == "assistant" and made[-1]["content"][-1].get("type") == "text":
        last = made[-1]["content"][-1]
        last["text"] = last["text"].rstrip()  # trailing whitespace there is a 400
    return made


def placed(messages: Sequence[Message]) -> list[Message]:
    """Later system messages stay where the API takes them: after a user turn and before an assistant's or the end."""
    kept: list[Message] = []
    for index, message in enumerate(messages):
        if message.role not in ("system", "developer") or not message.parts:
            kept.append(message)
            continue
        before = next((m for m in reversed(kept) if m.role not in ("system", "developer")), None)
        after = next((m for m in messages[index + 1 :] if m.role not in ("system", "developer")), None)
        fits = before is not None and (before.role in ("user", "tool") or _ends_in_server_result(before))
        kept.append(message if fits and (after is None or after.role == "assistant") else as_user(message))
    return kept


def _ends_in_server_result(message: Message) -> bool:
    last = message.parts[-1] if message.parts else None
    return isinstance(last, Opaque) and last.api == NAME and str(last.data.get("type")).endswith("_tool_result")


def system(messages: Iterable[Message]) -> list[Block]:
    """The `system` blocks: one for each text."""
    return [
        _marked(text(part), part.cache) if isinstance(part, Text) else dict(part.data)
        for message in messages
        for part in message.parts
        if isinstance(part, Text) or (isinstance(part, Opaque) and part.api == NAME)
    ]


def _block(part: Part, role: str, warnings: dict[str, None]) -> list[Block]:
    match part:
        case Text():
            block = text(part)
            if role == "assistant" and (cited := citations.write(part.citations)):
                block["citations"] = cited
            return [_marked(block, part.cache)]
        case Refusal():
            return [{"type": "text", "text": part.text}] if part.text.strip() else []
        case Reasoning():
            return [thinking(part)]
        case ToolCall():
            block = {"type": "tool_use", "id": part.id, "name": part.name, "input": as_object(part.arguments)}
            return [{**_marked(block, part.cache), **part.extras.get(NAME, NOTHING)}]
        case ToolResult():
            return [_result(part)]
        case Opaque():
            return [dict(part.data)] if part.api == NAME else []
        case Media():
            if role != "assistant":
                return [media(part)]
            warnings[f"messages: a {part.kind} in an assistant message is left out, {NAME} takes none there"] = None
    return []


def text(part: Text) -> Block:
    return {"type": "text", "text": json.clean(part.text), **part.extras.get(NAME, NOTHING)}


def _result(part: ToolResult) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": part.call_id, "content": _result_content(part)}
    if part.is_error is not None:
        block["is_error"] = part.is_error
    return {**_marked(block, part.cache), **part.extras.get(NAME, NOTHING)}


def _result_content(part: ToolResult) -> Json:
    match part.content:
        case (Text(cache=None) as only,) if NAME not in only.extras:
            return json.clean(only.text)
    blocks: list[Block] = []
    for inner in part.content:
        match inner:
            case Text():
                blocks.append(_marked(text(inner), inner.cache))
            case Media():
                blocks.append(media(inner))
            case Opaque() if inner.api == NAME:
                blocks.append(dict(inner.data))
    return blocks


def _marked(block: Block, mark: CacheMark | None) -> Block:
    if mark is not None and "cache_control" not in block:
        block["cache_control"] = cache_control(mark)
    return block


def cache_control(mark: CacheMark) -> Block:
    return {"type": "ephemeral"} if mark.ttl is None else {"type": "ephemeral", "ttl": mark.ttl}


# --- media -------------------------------------------------------------------------------------------------------


def media(part: Media) -> Block:
    """An image or document block. Raises Rejected for what the API has no block for."""
    if part.kind not in ("image", "file"):
        raise Rejected(f"{NAME} takes no {part.kind} input", "messages")
    own = part.extras.get(NAME, NOTHING)
    block: Block = {"type": "image", "source": _image(part)} if part.kind == "image" else _document(part)
    return {**_marked(block, part.cache), **own}


def _remote(part: Media) -> Mapping[str, Json] | None:
    if part.url is not None:
        if not part.url.lower().startswith(("https://", "http://")):
            raise Rejected(f"{NAME} takes images and documents by http(s) URL only", "messages")
        return {"type": "url", "url": part.url}
    return {"type": "file", "file_id": part.file_id} if part.file_id is not None else None


def _image(part: Media) -> Mapping[str, Json]:
    if (remote := _remote(part)) is not None:
        return remote
    mime = "image/jpeg" if part.mime == "image/jpg" else part.mime
    if mime not in _IMAGES or part.data is None:
        raise Rejected(f"{NAME} takes jpeg, png, gif and webp images, not {part.mime}", "messages")
    return {"type": "base64", "media_type": mime, "data": part.data}


def _document(part: Media) -> Block:
    block: Block = {"type": "document", "source": _remote(part) or _inline(part)}
    if part.name is not None:
        block["title"] = part.name
    return block


def _inline(part: Media) -> Mapping[str, Json]:
    """A PDF as it is, any kind of text as plain text."""
    if part.text is not None:
        return {"type": "text", "media_type": "text/plain", "data": json.clean(part.text)}
    mime = part.mime or ("application/pdf" if (part.name or "").lower().endswith(".pdf") else None)
    if mime == "application/pdf":
        return {"type": "base64", "media_type": mime, "data": part.data}
    if mime is not None and (mime.startswith("text/") or mime in ("application/json", "application/xml")):
        try:
            return {"type": "text", "media_type": "text/plain", "data": b64decode(part.data or "").decode("utf-8")}
        except ValueError:
            raise Rejected(f"a {mime} document must be UTF-8 text", "messages") from None
    raise Rejected(f"{NAME} takes PDF and text documents, not {mime or 'one of an unknown type'}", "messages")
