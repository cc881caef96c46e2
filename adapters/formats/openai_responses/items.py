"""Input items read from clients into messages (openai-responses §2).

Consecutive reasoning, assistant messages and calls are one turn, consecutive outputs one message of results. What only
this API knows stays opaque, in place: items of the model's side in the turn, others as a message of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import Rejected
from adapters.formats.openai_responses.output import citation
from adapters.formats.openai_responses.tools import read_tools
from adapters.formats.openai_responses.words import (
    CALL_FIELDS,
    MESSAGE_FIELDS,
    NAME,
    REASONING_FIELDS,
    TEXTS,
    rest,
)
from adapters.formats.shared import data_url
from adapters.formats.shared.fields import Fields, wrong
from adapters.formats.shared.reference import unpack
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
    Role,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)

MODEL_SIDE = frozenset(
    {
        "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "computer_call",
        "local_shell_call", "shell_call", "apply_patch_call", "mcp_call", "mcp_list_tools", "mcp_approval_request",
        "tool_search_call", "program", "program_output",
    }
)
"""Opaque items that belong to the model's turn; the others stand between turns."""

LOADERS = frozenset({"additional_tools", "tool_search_output"})
"""Items that declare tools in the middle of a conversation."""

_OUTPUT_FIELDS = frozenset({"type", "call_id", "output", "name"})
CONTENT_PART = "content_part"
"""Key under which an opaque part of a message's content, unlike an opaque item, holds its native form."""
_AUDIO = {"mp3": "audio/mpeg", "wav": "audio/wav"}


class Conversation:
    """The messages of one input, and the tools that its items declare."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.tools: list[Tool] = []
        self._role: Role = "user"
        self._parts: list[Part] = []

    def read(self, value: Json) -> None:
        """Takes the whole `input`: a text, or items."""
        match value:
            case str():
                self.messages.append(Message("user", (Text(value),)))
            case list():
                for index, item in enumerate(value):
                    self._item(item, f"input[{index}]")
                self._close()
            case _:
                raise wrong("input", "a string or an array of items")

    def _item(self, item: Json, path: str) -> None:
        fields = Fields.of(item, path)
        kind = fields.text("type")
        if kind is None:
            kind = "message" if "role" in item else "item_reference" if "id" in item else None
        match kind:
            case None:
                raise Rejected(f"{path}.type is required", f"{path}.type")
            case "message":
                self._message(fields)
            case "reasoning":
                self._put("assistant", _reasoning(item, fields))
            case "function_call" | "custom_tool_call":
                self._put("assistant", _call(item, fields, kind))
            case "function_call_output" | "custom_tool_call_output":
                self._put("tool", _result(item, fields, kind))
            case _ if kind in MODEL_SIDE:
                self._put("assistant", Opaque(NAME, item, told(item)))
            case _:
                self._close()
                self.messages.append(Message("user", (Opaque(NAME, item, told(item)),)))
                if kind in LOADERS:
                    self.tools += read_tools(fields.items("tools"), fields.at("tools"), {"loaded": True})

    def _message(self, fields: Fields) -> None:
        role = fields.word("role", ("user", "assistant", "system", "developer"))
        content = fields.take("content")
        if role == "assistant":
            about = rest(fields.values, MESSAGE_FIELDS)
            self._put("assistant", *read_content(content, fields.at("content"), {NAME: about} if about else NOTHING))
            return
        if role is None:
            raise Rejected(f"{fields.at('role')} is required", fields.at("role"))
        self._close()
        self.messages.append(Message(role, tuple(read_content(content, fields.at("content")))))  # type: ignore[arg-type]

    def _put(self, role: Role, *parts: Part) -> None:
        if self._role != role:
            self._close()
            self._role = role
        self._parts += parts

    def _close(self) -> None:
        if self._parts:
            self.messages.append(Message(self._role, tuple(self._parts)))
        self._role, self._parts = "user", []


def read_content(content: Json, path: str, extras: Extras = NOTHING) -> list[Part]:
    """The parts of a message or of a tool's output. `extras`: what the message of a text says of itself."""
    match content:
        case str():
            return [Text(content, extras=extras)]
        case list():
            return [_part(part, f"{path}[{index}]", extras) for index, part in enumerate(content)]
    raise wrong(path, "a string or an array of parts")


def _part(part: Json, path: str, extras: Extras) -> Part:
    fields = Fields.of(part, path)
    kind = fields.needed("type")
    mark, extras = _mark(fields, extras)
    match kind:
        case _ if kind in TEXTS or kind == "input_text":
            text = fields.text("text")
            if text is None:
                raise Rejected(f"{fields.at('text')} is required", fields.at("text"))
            cited = tuple(citation(one) for one in fields.items("annotations") if isinstance(one, dict))
            return Text(text, mark, cited, extras=extras)
        case "refusal":
            return Refusal(fields.text("refusal") or "", extras)
        case "input_image":
            return _media(fields, "image", "image_url", mark, extras)
        case "input_file":
            return _media(fields, "file", "file_url", mark, extras)
        case "input_audio":
            sound = Fields.of(fields.object("input_audio"), fields.at("input_audio"))
            form = sound.text("format") or "wav"
            return Media("audio", _AUDIO.get(form, f"audio/{form}"), data=sound.needed("data"))
    return Opaque(NAME, {CONTENT_PART: part})


def _mark(fields: Fields, extras: Extras) -> tuple[CacheMark | None, Extras]:
    """A part's own cache breakpoint, kept in its native form beside the neutral mark."""
    point = fields.object("prompt_cache_breakpoint")
    if point is None:
        return None, extras
    ttl = point.get("ttl")
    about = {**extras.get(NAME, NOTHING), "prompt_cache_breakpoint": point}
    return CacheMark(ttl if isinstance(ttl, str) else None), {NAME: about}


def _media(fields: Fields, kind: str, url_field: str, mark: CacheMark | None, extras: Extras) -> Media:
    url, file_id, name = fields.text(url_field), fields.text("file_id"), fields.text("filename")
    data, detail = fields.text("file_data"), fields.text("detail")
    if sum(source is not None for source in (url, file_id, data)) != 1:
        names = f"{url_field}, file_id" + (", file_data" if kind == "file" else "")
        raise Rejected(f"{fields.path} needs exactly one of {names}", fields.path)
    mime = None
    split = data_url.split(data or url or "")
    if split is not None:
        (mime, data), url = split, None
    return Media(kind, mime, data, url, file_id, name=name, detail=detail, cache=mark, extras=extras)  # type: ignore[arg-type]


def _reasoning(item: Mapping[str, Json], fields: Fields) -> Reasoning:
    summary = tuple(_words(fields.items("summary")))
    raw = tuple(_words(fields.items("content")))
    item_id, sealed = fields.text("id"), fields.text("encrypted_content")
    sections = summary + raw
    text = "\n\n".join(sections)
    if sealed is not None and (foreign := unpack(sealed, text)) is not None:
        return foreign
    about = {**rest(item, REASONING_FIELDS), **({"raw": len(raw)} if raw else {})}
    extras = {NAME: about} if about else NOTHING
    return Reasoning(text, NAME, id=item_id, data=sealed or None, sections=sections or None, extras=extras)


def _words(entries: list[Json]) -> list[str]:
    return [entry["text"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("text"), str)]


def _call(item: Mapping[str, Json], fields: Fields, kind: str) -> ToolCall:
    about = rest(item, CALL_FIELDS)
    custom = kind == "custom_tool_call"
    arguments = fields.text("input" if custom else "arguments")
    return ToolCall(
        id=fields.needed("call_id"),
        name=fields.needed("name"),
        arguments=arguments or "",
        kind="custom" if custom else "function",
        extras={NAME: about} if about else NOTHING,
    )


def _result(item: Mapping[str, Json], fields: Fields, kind: str) -> ToolResult:
    """One without a call's id (Codex tells the model things by such, 2026-11) is kept as it came, too."""
    about = rest(item, _OUTPUT_FIELDS)
    about.pop("id", None)
    about.pop("status", None)
    custom = kind == "custom_tool_call_output"
    call_id = fields.needed("call_id") if custom else fields.text("call_id") or ""
    if not call_id:
        about["uncalled"] = dict(item)
    return ToolResult(
        call_id=call_id,
        content=tuple(read_content(fields.take("output"), fields.at("output"))),
        name=fields.text("name"),
        kind="custom" if custom else "function",
        extras={NAME: about} if about else NOTHING,
    )


def told(item: Mapping[str, Json]) -> str:
    """What an opaque item says to APIs that do not know it; "" where there is nothing readable in it."""
    match item:
        case {"type": "mcp_call", "name": str() as name}:
            return f"[{name}({item.get('arguments') or ''}): {item.get('output') or item.get('error') or 'no output'}]"
        case {"type": "local_shell_call", "action": {"command": list() as command}}:
            return f"[shell: {' '.join(str(word) for word in command)}]"
        case {"type": "shell_call", "action": {"commands": list() as commands}}:
            return "\n".join(f"[shell: {command}]" for command in commands)
        case {"type": "shell_call_output", "output": list() as outputs}:
            return "\n".join(str(one.get("stdout", "")) for one in outputs if isinstance(one, dict))
        case {"type": "apply_patch_call", "operation": dict() as operation}:
            return f"[patch: {json.text(operation)}]"
        case {"type": "code_interpreter_call", "code": str() as code}:
            return f"[code: {code}]"
        case {"output": str() as output}:
            return output
    return ""
