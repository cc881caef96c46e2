"""Streamed answers of Converse (2026-11): event-stream messages whose payload is the inner object of the event.

    messageStart block* messageStop        and `metadata`, usually last
    block = contentBlockStart? contentBlockDelta* contentBlockStop

Only calls have a contentBlockStart; other blocks begin with their first delta. Blocks do not interleave. Usage comes
after messageStop. What no client could be shown (system tools, images) is read over.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters import json
from adapters.errors import Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Failed,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.format import Reading
from adapters.formats.bedrock_converse.errors import exception
from adapters.formats.bedrock_converse.response import name_of
from adapters.formats.bedrock_converse.wire import NAME, SERVER_TOOL, STOP, citation, ending, usage_of
from adapters.framing.aws import EventStream, Headers
from adapters.model import Json


@dataclass(slots=True)
class _Block:
    """The open block. `kind`: text, reasoning, call, other. `shown`: events of it have gone out."""

    index: int
    kind: str = ""
    shown: bool = False
    said: bool = False
    signature: str | None = None
    redacted: list[str] = field(default_factory=list)


class Decoder:
    """One stream. After an exception, or once it has both stopped and told its metadata, nothing more is read."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._frames = EventStream()
        self._started = False
        self._open: _Block | None = None
        self._last = -1
        self._part = 0
        self._stopped = False
        self._counted = False
        self._failed = False

    @property
    def _over(self) -> bool:
        return self._failed or (self._stopped and self._counted)

    def feed(self, data: bytes) -> list[Event]:
        out: list[Event] = []
        if self._over:
            return out
        for headers, payload in self._frames.feed(data):
            if not self._over:
                self._message(headers, payload, out)
        return out

    def close(self) -> list[Event]:
        if self._over:
            return []
        self._frames.close()
        if not self._stopped:
            raise Malformed("the stream ended without messageStop")
        return []

    def _message(self, headers: Headers, payload: bytes, out: list[Event]) -> None:
        match headers.get(":message-type"):
            case "exception":
                self._fail(str(headers.get(":exception-type", "")), payload, out)
            case "error":
                text = str(headers.get(":error-message", "")).encode("utf-8", "replace")
                self._fail(str(headers.get(":error-code", "")), text or payload, out)
            case _:
                self._event(str(headers.get(":event-type", "")), payload, out)

    def _fail(self, code: str, payload: bytes, out: list[Event]) -> None:
        self._failed = True
        out.append(Failed(exception(code, payload)))

    def _event(self, name: str, payload: bytes, out: list[Event]) -> None:
        try:
            event = json.loads(payload)
        except ValueError:
            raise Malformed(f"an event that is no JSON: {payload[:80]!r}") from None
        if not isinstance(event, dict):
            raise Malformed("an event that is no object")
        if not self._started and name != "metadata":
            self._started = True
            out.append(Started())
        match name:
            case "contentBlockDelta":
                self._delta(event, out)
            case "contentBlockStart":
                self._start(event, out)
            case "contentBlockStop":
                self._stop(event, out)
            case "messageStop":
                self._end(event, out)
            case "metadata":
                self._counted = True
                if (usage := usage_of(event.get("usage"))) is not None:
                    out.append(UsageUpdate(usage))

    def _end(self, event: dict[str, Json], out: list[Event]) -> None:
        word = event.get("stopReason")
        if not isinstance(word, str):
            raise Malformed("messageStop without stopReason")
        if self._stopped:
            raise Malformed("a second messageStop")
        self._leave(out, cut=STOP.get(word) == "length")
        self._stopped = True
        finish = ending(word, event.get("additionalModelResponseFields"), self._reading)
        self._failed = isinstance(finish, Failed)
        out.append(finish)

    # --- blocks ----------------------------------------------------------------------------------------------------

    def _enter(self, event: dict[str, Json], out: list[Event]) -> _Block:
        """The block of an event, opened where it is new."""
        index = event.get("contentBlockIndex")
        if not isinstance(index, int) or isinstance(index, bool):
            raise Malformed("a block event without contentBlockIndex")
        if self._open is not None and self._open.index == index:
            return self._open
        if index <= self._last or self._stopped:
            raise Malformed(f"an event of block {index}, which has ended")
        self._leave(out)
        self._last = index
        self._open = _Block(index)
        return self._open

    def _start(self, event: dict[str, Json], out: list[Event]) -> None:
        block = self._enter(event, out)
        if block.kind:
            raise Malformed(f"a second contentBlockStart of block {block.index}")
        match event.get("start"):
            case {"toolUse": dict(call)} if call.get("type") != SERVER_TOOL:
                found = call.get("toolUseId")
                block.kind = "call"
                self._say(block, CallStart(self._part, found if isinstance(found, str) else "", name_of(call)), out)
            case {"reasoningContent": dict(reasoning)}:
                self._reason(block, reasoning, out)
            case _:
                block.kind = "other"

    def _delta(self, event: dict[str, Json], out: list[Event]) -> None:
        block = self._enter(event, out)
        match event.get("delta"):
            case {"text": str(text)}:
                _is(block, "text")
                if text:
                    self._say(block, TextDelta(self._part, text), out)
            case {"toolUse": {"input": str(text)}}:
                if block.kind == "other":
                    return
                if block.kind != "call":
                    raise Malformed(f"input for block {block.index}, which is no call")
                if text:
                    block.said = True
                    out.append(CallDelta(self._part, text))
            case {"reasoningContent": dict(reasoning)}:
                self._reason(block, reasoning, out)
            case {"citation": dict(native)}:
                _is(block, "text")
                if block.shown:
                    out.append(Cited(self._part, citation(native)))
            case dict():
                block.kind = block.kind or "other"
            case _:
                raise Malformed("contentBlockDelta without a delta")

    def _reason(self, block: _Block, reasoning: Mapping[str, Json], out: list[Event]) -> None:
        """Text as it comes; the signature and redacted content wait for the block's end."""
        _is(block, "reasoning")
        match reasoning:
            case {"text": str(text)}:
                if text:
                    self._say(block, ReasoningDelta(self._part, text), out)
            case {"signature": str(signature)}:
                block.signature = signature or block.signature
            case {"redactedContent": str(data)}:
                block.redacted.append(data)

    def _say(self, block: _Block, event: Event, out: list[Event]) -> None:
        block.shown = True
        out.append(event)

    def _stop(self, event: dict[str, Json], out: list[Event]) -> None:
        self._enter(event, out)
        self._leave(out)

    def _leave(self, out: list[Event], cut: bool = False) -> None:
        """Closes the open block. A call without input has none, unless it was cut off before its input began."""
        block, self._open = self._open, None
        if block is None:
            return
        if block.kind == "call" and not block.said and not cut:
            out.append(CallDelta(self._part, "{}"))
        if block.signature is not None or block.redacted:
            self._say(block, self._signed(block), out)
        if block.shown:
            out.append(PartEnd(self._part))
            self._part += 1

    def _signed(self, block: _Block) -> Signed:
        return Signed(
            self._part, NAME, signature=block.signature, data=_joined(block.redacted),
            origin=self._reading.origin or None,
        )


def _is(block: _Block, kind: str) -> None:
    """Sets the kind of a block by its first delta. Raises Malformed where it is another."""
    if block.kind and block.kind != kind:
        raise Malformed(f"a delta of another kind in block {block.index}")
    block.kind = kind


def _joined(pieces: list[str]) -> str | None:
    """Base64 of all pieces' bytes; one piece as it is."""
    if len(pieces) < 2:
        return pieces[0] if pieces else None
    try:
        return b64encode(b"".join(b64decode(piece, validate=True) for piece in pieces)).decode("ascii")
    except ValueError:
        raise Malformed("redactedContent that is no base64") from None
