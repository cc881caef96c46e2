"""Messages of a Chat request -> neutral messages.

Beside OpenAI's own fields (wire page §2) an assistant message may carry `reasoning_content`, `reasoning` and
`reasoning_details`, a call `extra_content`, any part or message `cache_control`. What is unknown travels in `extras`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adapters import json
from adapters.errors import Rejected
from adapters.formats.openai_chat import details
from adapters.formats.openai_chat.details import API
from adapters.formats.shared import data_url
from adapters.formats.shared.chat_parts import citation
from adapters.formats.shared.fields import Fields, wrong
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
    Text,
    ToolCall,
    ToolResult,
)

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_AUDIO = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def decode(values: Json) -> tuple[Message, ...]:
    """The neutral messages. Raises Rejected with the path of what is wrong."""
    if not isinstance(values, list) or not values:
        raise wrong("messages", "an array of at least one message")
    return tuple(_message(Fields.of(value, f"messages[{index}]")) for index, value in enumerate(values))


def _message(fields: Fields) -> Message:
    role = fields.word("role", ROLES)
    name = fields.text("name")
    mark = _mark(fields)
    match role:
        case "system" | "developer" | "user":
            if "content" not in fields.values or fields.values["content"] is None:
                raise Rejected(f"{fields.at('content')} is required", fields.at("content"))
            return Message(role, _marked(_content(fields), mark), name, _rest(fields))
        case "assistant":
            parts = _marked(_assistant(fields), mark)
            return Message(role, parts, name, _rest(fields))
        case "tool":
            call_id = fields.needed("tool_call_id")
            content = _content(fields)
            return Message("tool", (ToolResult(call_id, content, name=name, cache=mark, extras=_rest(fields)),))
        case "function":
            if not name:
                raise Rejected(f"{fields.at('name')} is required", fields.at("name"))
            return Message("tool", (ToolResult("", _content(fields), name=name),))
    raise Rejected(f"{fields.at('role')} is required", fields.at("role"))


def _rest(fields: Fields) -> Extras:
    rest = {key: value for key, value in fields.values.items() if value is not None}
    return {API: rest} if rest else NOTHING


# --- content -----------------------------------------------------------------------------------------------------


def _content(fields: Fields) -> tuple[Part, ...]:
    """An empty text is no part, except where a message has nothing else."""
    match fields.take("content"):
        case None | "":
            return ()
        case str() as text:
            return (Text(text),)
        case list() as values:
            path = fields.at("content")
            return tuple(_part(value, f"{path}[{index}]") for index, value in enumerate(values))
    raise wrong(fields.at("content"), "a string or an array of parts")


def _part(value: Json, path: str) -> Part:
    if isinstance(value, str):
        return Text(value)
    fields = Fields.of(value, path)
    kind = fields.needed("type")
    mark = _mark(fields)
    match kind:
        case "text":
            return Text(_given(fields, "text"), cache=mark, extras=_rest(fields))
        case "refusal":
            return Refusal(_given(fields, "refusal"))
        case "image_url" | "video_url":
            return _link(fields, kind, mark)
        case "input_audio":
            audio = Fields.of(fields.take("input_audio"), fields.at("input_audio"))
            form = audio.text("format")
            mime = _AUDIO.get(form, f"audio/{form}") if form else None
            return Media("audio", mime, audio.needed("data"), cache=mark, extras=_rest(fields))
        case "file":
            return _file(fields, mark)
    return Opaque(API, value, value["text"] if isinstance(value.get("text"), str) else "")


def _given(fields: Fields, name: str) -> str:
    text = fields.text(name)
    if text is None:
        raise Rejected(f"{fields.at(name)} is required", fields.at(name))
    return text


def _link(fields: Fields, field: str, mark: CacheMark | None) -> Media:
    """`image_url: {url, detail}`; a bare URL is taken too."""
    value = fields.take(field)
    link = Fields.of({"url": value} if isinstance(value, str) else value, fields.at(field))
    url, detail = link.needed("url"), link.text("detail")
    inline = data_url.split(url)
    mime, data = inline or (None, None)
    return Media(
        "image" if field == "image_url" else "video",
        mime,
        data,
        None if inline else url,
        detail=detail,
        cache=mark,
        extras=_rest(fields),
    )


def _file(fields: Fields, mark: CacheMark | None) -> Media:
    file = Fields.of(fields.take("file"), fields.at("file"))
    data, file_id, name = file.text("file_data"), file.text("file_id"), file.text("filename")
    if not data and not file_id:
        raise Rejected(f"{file.path} needs file_data or file_id", file.path)
    if file_id:
        return Media("file", file_id=file_id, name=name, cache=mark, extras=_rest(fields))
    assert data is not None
    if data.startswith(("https://", "http://")):
        return Media("file", url=data, name=name, cache=mark, extras=_rest(fields))
    mime, base64 = data_url.split(data) or (None, data)
    return Media("file", mime, base64, name=name, cache=mark, extras=_rest(fields))


def _mark(fields: Fields) -> CacheMark | None:
    """A cache marker: Anthropic's form as OpenRouter and DashScope take it, or OpenAI's, which also stays in extras."""
    for name in ("cache_control", "prompt_cache_breakpoint"):
        match fields.values.get(name):
            case {"ttl": str() as ttl}:
                mark = CacheMark(ttl)
            case {}:
                mark = CacheMark()
            case _:
                continue
        if name == "cache_control":
            fields.take(name)
        return mark
    return None


def _marked(parts: tuple[Part, ...], mark: CacheMark | None) -> tuple[Part, ...]:
    """A marker of the whole message stands after its last part that can carry one."""
    if mark is None or not parts or not isinstance(parts[-1], Text | Media | ToolCall):
        return parts
    return (*parts[:-1], replace(parts[-1], cache=mark))


# --- assistant ---------------------------------------------------------------------------------------------------


def _assistant(fields: Fields) -> tuple[Part, ...]:
    parts = list(_content(fields))
    citations = tuple(c for value in fields.items("annotations") if (c := citation(value, API)) is not None)
    if citations and len(parts) == 1 and isinstance(parts[0], Text):
        parts[0] = replace(parts[0], citations=citations)
    if refusal := fields.text("refusal"):
        parts.append(Refusal(refusal))
    if audio := fields.object("audio"):
        parts.append(Opaque(API, {"audio": audio}))
    calls = [_call(value, f"{fields.at('tool_calls')}[{i}]") for i, value in enumerate(fields.items("tool_calls"))]
    if legacy := fields.object("function_call"):
        named = Fields(dict(legacy), fields.at("function_call"))
        calls = calls or [ToolCall("", named.needed("name"), _arguments(named, "arguments"))]
    parts += calls
    return _with_reasoning(parts, fields)


def _with_reasoning(parts: list[Part], fields: Fields) -> tuple[Part, ...]:
    """Blocks at the positions that they tell; a text alone stands first."""
    texts = [fields.text(name) for name in ("reasoning_content", "reasoning", "reasoning_text")]
    text = next(filter(None, texts), None)
    blocks = details.decode(fields.items("reasoning_details"), fields.at("reasoning_details"))
    if text and not any(block.text for _, block in blocks):
        blocks.insert(0, (0, Reasoning(text)))
    if not blocks:
        return tuple(parts)
    placed: list[Part] = []
    for index in range(len(parts) + 1):
        placed += [block for position, block in blocks if min(position, len(parts)) == index]
        placed += parts[index : index + 1]
    return tuple(placed)


def _call(value: Json, path: str) -> ToolCall:
    fields = Fields.of(value, path)
    kind = fields.text("type") or "function"
    if kind not in ("function", "custom"):
        raise wrong(fields.at("type"), "function or custom")
    inner = Fields.of(fields.take(kind), fields.at(kind))
    call_id, mark = fields.text("id") or "", _mark(fields)
    signature, origin = _signature(fields)
    name = inner.needed("name")
    text = _arguments(inner, "arguments" if kind == "function" else "input")
    for known in ("function", "custom", "index"):
        fields.take(known)
    return ToolCall(
        call_id, name, text, "custom" if kind == "custom" else "function", signature, origin, mark, _rest(fields)
    )


def _arguments(fields: Fields, name: str) -> str:
    """Text as it is; an object that a client sends instead is written down."""
    match fields.take(name):
        case None:
            return ""
        case str() as text:
            return text
        case dict() as value:
            return json.text(value)
    raise wrong(fields.at(name), "a string")


def _signature(fields: Fields) -> tuple[str | None, str | None]:
    """Gemini's thought signature and who made it; other extra content stays for upstreams of this API."""
    extra = fields.take("extra_content")
    if not isinstance(extra, dict):
        return None, None
    rest = {key: value for key, value in extra.items() if key not in ("google", "toolwire")}
    if rest:
        fields.values["extra_content"] = rest
    return _word(extra, "google", "thought_signature"), _word(extra, "toolwire", "origin")


def _word(extra: Mapping[str, Json], owner: str, name: str) -> str | None:
    match extra.get(owner):
        case dict() as own if isinstance(word := own.get(name), str) and word:
            return word
    return None
