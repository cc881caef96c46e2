"""Messages as Converse turns (2026-11): strict alternation, results of a turn together, media where a family takes any.

What a result cannot hold, and what may not stand beside results, goes into a later user turn; a minimal assistant turn
parts it from the results, because Bedrock merges neighbours of one role again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adapters import json
from adapters.errors import Rejected
from adapters.formats.bedrock_converse.media import Names, block, kind_of
from adapters.formats.bedrock_converse.models import Family
from adapters.formats.bedrock_converse.wire import NAME
from adapters.formats.shared.texts import joined
from adapters.history import FILLER, NO_RESULT
from adapters.model import (
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

_FILLER: Block = {"text": FILLER}
_MOVED = "(see the attachment that follows)"


def system(messages: Iterable[Message]) -> list[Block]:
    """The `system` blocks: one for each text."""
    return [
        made
        for message in messages
        for part in message.parts
        if isinstance(part, Text)
        for made in ({"text": json.clean(part.text)}, *point(part.cache))
    ]


def point(mark: CacheMark | None) -> tuple[Block, ...]:
    """The cachePoint that a mark stands for."""
    if mark is None:
        return ()
    made: Block = {"type": "default"} if mark.ttl is None else {"type": "default", "ttl": mark.ttl}
    return ({"cachePoint": made},)


class Writer:
    """Collects the turns of one conversation; `warnings` names what has no place in them."""

    def __init__(self, family: Family, warnings: dict[str, None]) -> None:
        self._family = family
        self._warnings = warnings
        self._names = Names()
        self._turns: list[Block] = []

    def write(self, messages: Iterable[Message]) -> list[Block]:
        """The `messages`: at least one user turn. Raises Rejected for media that the API has no form for."""
        for message in messages:
            match message.role:
                case "assistant":
                    self._add("assistant", [made for part in message.parts for made in self._assistant(part)])
                case "tool":
                    self._results([part for part in message.parts if isinstance(part, ToolResult)])
                case _:
                    self._user([made for part in message.parts for made in self._block(part)])
        if not self._turns:
            self._add("user", [dict(_FILLER)])
        for turn in self._turns:
            _with_text(turn["content"])
        last = self._turns[-1]
        if last["role"] == "assistant" and "text" in last["content"][-1]:
            last["content"][-1]["text"] = last["content"][-1]["text"].rstrip()  # trailing whitespace there is a 400
        return self._turns

    def _add(self, role: str, blocks: list[Block]) -> None:
        if not blocks:
            return
        if self._turns and self._turns[-1]["role"] == role:
            self._turns[-1]["content"] += blocks
        else:
            self._turns.append({"role": role, "content": blocks})

    def _user(self, blocks: list[Block]) -> None:
        """A user's content, in the turn of the results before it where the family takes that."""
        allowed = self._family.beside_results
        if allowed is not None and self._turns and any("toolResult" in made for made in self._turns[-1]["content"]):
            kinds = {next(iter(made)) for made in blocks} - {"cachePoint"}
            if not kinds <= allowed:
                self._add("assistant", [dict(_FILLER)])
        self._add("user", blocks)

    # --- parts -----------------------------------------------------------------------------------------------------

    def _block(self, part: Part) -> Iterator[Block]:
        """Blocks of a user's part."""
        match part:
            case Text() | Refusal():
                yield {"text": json.clean(part.text)}
            case Media():
                if part.kind in ("video", "audio") and part.kind not in self._family.media:
                    raise Rejected(f"{NAME} takes no {part.kind} input with this model", "messages")
                yield block(part, self._names)
            case Opaque(api=api, data=dict() as data) if api == NAME:
                yield dict(data)
        if isinstance(part, Text | Media):
            yield from point(part.cache)

    def _assistant(self, part: Part) -> Iterator[Block]:
        match part:
            case Text() | Opaque():
                yield from self._block(part)
            case Refusal(text=text):
                if text.strip():
                    yield {"text": json.clean(text)}
            case Reasoning():
                yield {"reasoningContent": _reasoning(part, self._family.reasoning == "signed")}
            case ToolCall():
                yield {"toolUse": {"toolUseId": part.id, "name": part.name, "input": as_object(part.arguments)}}
                yield from point(part.cache)
            case Media(kind=kind):
                self._warnings[
                    f"messages: {kind} of an assistant message is left out, {NAME} takes none there"] = None

    # --- results ---------------------------------------------------------------------------------------------------

    def _results(self, results: list[ToolResult]) -> None:
        """All results in one turn; their media after them where results cannot hold them."""
        after: list[Block] = []
        blocks: list[Block] = []
        for result in results:
            content, moved = self._content(result)
            blocks.append({"toolResult": self._result(result, content)})
            marks = [result.cache, *(inner.cache for inner in result.content if isinstance(inner, Text | Media))]
            blocks += point(next((mark for mark in marks if mark is not None), None))
            if moved:
                line = f"Attached to the result of {result.name or 'the tool'} (call {result.call_id}):"
                after += [{"text": line}, *(made for media in moved for made in self._block(media))]
        self._add("user", blocks)
        if after:
            self._user(after)

    def _content(self, result: ToolResult) -> tuple[list[Block], list[Media]]:
        """What stands in a result, and the media that cannot."""
        content: list[Block] = []
        moved: list[Media] = []
        for inner in result.content:
            match inner:
                case Text(text=text) | Refusal(text=text):
                    content.append({"text": json.clean(text)})
                case Media() if kind_of(inner) in self._family.in_results:
                    content.append(block(inner, self._names))
                case Media(text=str()):
                    content.append({"text": joined((inner,))})
                case Media():
                    moved.append(inner)
                case Opaque(api=api, data=dict() as data) if api == NAME:
                    content.append(dict(data))
        return content or [{"text": _MOVED}], moved

    def _result(self, result: ToolResult, content: list[Block]) -> Block:
        body: Block = {"toolUseId": result.call_id, "content": content}
        if self._family.status:
            if result.is_error is not None:
                body["status"] = "error" if result.is_error else "success"
        elif result.is_error and result.content != (Text(NO_RESULT),):
            first = content[0]
            content[:1] = [{"text": f"error: {first['text']}"}] if "text" in first else [{"text": "error:"}, first]
        elif self._family.json_results and len(content) == 1 and "text" in content[0]:
            body["content"] = [_as_json(content[0]["text"])]
        return body


def _as_json(text: str) -> Block:
    """An object as such, anything else as text."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return {"json": value} if isinstance(value, dict) else {"text": text}


def _reasoning(part: Reasoning, signed: bool) -> Block:
    """The native block. Only Claude's has a signature; it is never changed."""
    if part.data is not None:
        return {"redactedContent": part.data}
    if signed and part.signature is not None:
        return {"reasoningText": {"text": part.text, "signature": part.signature}}
    return {"reasoningText": {"text": part.text}}


def _with_text(content: list[Block]) -> None:
    """A turn with a document must also hold a text."""
    first = next((index for index, made in enumerate(content) if "document" in made), None)
    if first is not None and not any("text" in made for made in content):
        content.insert(first, dict(_FILLER))
