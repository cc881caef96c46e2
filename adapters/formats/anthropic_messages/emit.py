"""Streamed answers for Messages clients (2026-11), written.

Both SDKs address blocks by index and want them one after the other; frames without an `event` line are skipped, an
`error` event is raised. The frequent deltas are a prefix made once per block, the text as JSON, and a suffix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from adapters import json
from adapters.errors import Attempt, Failure, InvalidCall
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Finish,
    Native,
    Opened,
    PartEnd,
    Pass,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.formats.anthropic_messages import citations
from adapters.formats.anthropic_messages.decode import Reply
from adapters.formats.anthropic_messages.errors import envelope
from adapters.formats.anthropic_messages.wire import NAME, NO_DETAILS, ROOT_OF_DELTA, stop_word, write_usage
from adapters.formats.shared.reference import pack
from adapters.model import NOTHING, Json, Reasoning, Usage
from adapters.sequence import Sequencer
from adapters.tools.arguments import is_object

PING = b'event: ping\ndata: {"type": "ping"}\n\n'
_SUFFIX = b"}}\n\n"
_DELTAS = {
    "text": b'{"type":"text_delta","text":',
    "thinking": b'{"type":"thinking_delta","thinking":',
    "tool_use": b'{"type":"input_json_delta","partial_json":',
}
_GAP = "\n\n"


def frame(data: dict[str, Json]) -> bytes:
    """One event, named by its type."""
    return b"event: %s\ndata: %s\n\n" % (str(data["type"]).encode(), json.dumps(data))


@dataclass(slots=True)
class _Block:
    """The open block. `lengths`: characters of each section of a reasoning text; `section`: the one under way."""

    part: int
    kind: str
    prefix: bytes
    lengths: list[int] = field(default_factory=list)
    section: int = -1
    signed: Signed | None = None
    arguments: list[str] = field(default_factory=list)


class Encoder:
    """One stream. `message_start` waits for the first thing to show, so that it can tell the input tokens."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._sequencer = Sequencer()
        self._started = Started()
        self._begun = False
        self._open: _Block | None = None
        self._ending = False
        self._index = -1
        self._usage = Usage()
        self._finish = Finish("stop")
        self._refused = False
        self._no_object: str | None = None

    def feed(self, events: Iterable[Event]) -> bytes:
        out: list[bytes] = []
        for event in self._sequencer.feed(events):
            kind = type(event)
            if self._ending:
                self._end_or_go_on(event, out)
            if kind is TextDelta or kind is CallDelta:
                self._delta(event.part, event.text, "text" if kind is TextDelta else "tool_use", out)  # type: ignore[union-attr]
            elif kind is ReasoningDelta:
                self._reasoning(event, out)  # type: ignore[arg-type]
            else:
                self._event(event, out)
        if self._ending:
            self._end_or_go_on(None, out)
        return b"".join(out)

    def close(self) -> bytes:
        out: list[bytes] = []
        self._begin(out)
        self._stop(out)
        finish = self._finish
        word = stop_word(finish.reason, finish.native, finish.sequence, refused=self._refused)
        extras = dict(finish.extras.get(NAME, NOTHING))
        root = {key: extras.pop(key) for key in ROOT_OF_DELTA if key in extras}
        for key in self._started.extras.get(NAME, NOTHING):
            extras.pop(key, None)
        if word == "refusal":
            extras = {"stop_details": dict(NO_DETAILS), **extras}
        delta = {"stop_reason": word, "stop_sequence": finish.sequence, **extras}
        out.append(frame({"type": "message_delta", "delta": delta, "usage": write_usage(self._usage), **root}))
        out.append(frame({"type": "message_stop"}))
        return b"".join(out)

    def fail(self, failure: Failure, attempts: tuple[Attempt, ...]) -> bytes:
        return frame({**envelope(failure, attempts, None), "type": "error"})

    def ping(self) -> bytes:
        return PING

    # --- events --------------------------------------------------------------------------------------------------

    def _event(self, event: Event, out: list[bytes]) -> None:
        match event:
            case PartEnd(part):
                if self._open is not None and self._open.part == part:
                    if self._open.kind == "text":
                        self._ending = True
                    else:
                        if self._open.arguments and not is_object(told := "".join(self._open.arguments)):
                            self._no_object = told
                        self._stop(out)
            case CallStart():
                block = {"type": "tool_use", "id": event.id, "name": event.name, "input": {}}
                self._start(event.part, {**block, **event.extras.get(NAME, NOTHING)}, out)
            case RefusalDelta(part, text):
                self._refused = self._refused or bool(text)
                self._delta(part, text, "text", out)
            case Signed(kind="reasoning"):
                self._signed(event, out)
            case Opened(extras=extras) if NAME in extras:
                self._ensure(event.part, "thinking" if event.kind == "reasoning" else "text", out)
            case Cited(part, citation):
                for native in citations.write((citation,)):
                    self._ensure(part, "text", out)
                    out.append(self._change({"type": "citations_delta", "citation": native}))
            case Native():
                self._native(event, out)
            case Pass(api, name, data) if api == NAME:
                self._pass(name, data, out)
            case UsageUpdate(usage):
                self._usage = self._usage.updated(usage)
            case Started():
                self._started = event
            case Finish():
                if self._no_object is not None and event.reason != "length":
                    raise InvalidCall("the arguments of a call are no JSON object")
                self._finish = event

    def _end_or_go_on(self, event: Event | None, out: list[bytes]) -> None:
        """A signed text right after a text is the same text: Gemini signs the last piece of one (2026-11)."""
        self._ending = False
        if isinstance(event, Signed) and event.kind == "text" and self._open is not None:
            self._open.part = event.part
        else:
            self._stop(out)

    def _delta(self, part: int, text: str, kind: str, out: list[bytes]) -> None:
        block = self._open
        if block is None or block.part != part or block.kind != kind:
            if not text or kind == "tool_use":
                return
            block = self._ensure(part, kind, out)
        elif not text:
            return
        if kind == "tool_use":
            block.arguments.append(text)
        out.append(block.prefix + json.dumps(text) + _SUFFIX)

    def _reasoning(self, event: ReasoningDelta, out: list[bytes]) -> None:
        """Sections of a summary are parted by a blank line."""
        if not event.text and self._open is None:
            return
        block = self._ensure(event.part, "thinking", out)
        text = event.text
        if event.section != block.section:
            text = _GAP + text if block.lengths else text
            block.section = event.section
            block.lengths.append(0)
        block.lengths[-1] += len(event.text)
        if text:
            out.append(block.prefix + json.dumps(text) + _SUFFIX)

    def _signed(self, event: Signed, out: list[bytes]) -> None:
        if event.api == NAME and event.data is not None:
            block = {"type": "redacted_thinking", "data": event.data, **event.extras.get(NAME, NOTHING)}
            self._start(event.part, block, out)
        else:
            self._ensure(event.part, "thinking", out).signed = event

    def _native(self, event: Native, out: list[bytes]) -> None:
        """The input of a server tool's call goes as a delta, as this API itself has it."""
        if event.api != NAME:
            self._delta(event.part, event.text, "text", out)
            return
        data = dict(event.data)
        given = data.get("input")
        if isinstance(given, dict) and given:
            data["input"] = {}
        self._start(event.part, data, out)
        if isinstance(given, dict) and given:
            out.append(self._change({"type": "input_json_delta", "partial_json": json.text(given)}))

    def _pass(self, name: str | None, data: Json, out: list[bytes]) -> None:
        """An unknown event as it came; an unknown delta in the block that is open here."""
        if not isinstance(data, dict):
            return
        kind = data.get("type") if isinstance(data.get("type"), str) else name
        if kind == "content_block_delta":
            if self._open is not None:
                out.append(self._change(data.get("delta")))
        elif kind and not set(kind) & {"\n", "\r"}:
            self._begin(out)
            out.append(b"event: %s\ndata: %s\n\n" % (kind.encode(), json.dumps(data)))

    # --- blocks --------------------------------------------------------------------------------------------------

    def _begin(self, out: list[bytes]) -> None:
        if self._begun:
            return
        self._begun = True
        found = self._started.id
        message = {
            "id": found if found is not None and found.startswith("msg_") else self._reply.message_id,
            "type": "message",
            "role": "assistant",
            "model": self._reply.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": write_usage(self._usage),
            **self._started.extras.get(NAME, NOTHING),
        }
        out.append(frame({"type": "message_start", "message": message}))

    def _ensure(self, part: int, kind: str, out: list[bytes]) -> _Block:
        """The block of the part, opened if it is not."""
        block = self._open
        if block is not None and block.part == part and block.kind == kind:
            return block
        empty: dict[str, Json] = {"type": kind, "thinking": "", "signature": ""} if kind == "thinking" else {
            "type": kind, "text": ""}
        return self._start(part, empty, out)

    def _start(self, part: int, block: dict[str, Json], out: list[bytes]) -> _Block:
        self._begin(out)
        self._stop(out)
        self._index += 1
        kind = block["type"]
        head = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,"delta":' % self._index
        self._open = _Block(part, kind, head + _DELTAS.get(kind, b""))
        out.append(frame({"type": "content_block_start", "index": self._index, "content_block": block}))
        return self._open

    def _stop(self, out: list[bytes]) -> None:
        block = self._open
        if block is None:
            return
        if block.kind == "thinking":
            out.append(self._change({"type": "signature_delta", "signature": _signature(block)}))
        self._open = None
        out.append(frame({"type": "content_block_stop", "index": self._index}))

    def _change(self, delta: Json) -> bytes:
        return frame({"type": "content_block_delta", "index": self._index, "delta": delta})


def _signature(block: _Block) -> str:
    """This API's own signature; for a block of another API, or an unsigned one, our reference to it."""
    signed = block.signed
    if signed is not None and signed.api == NAME and signed.signature is not None:
        return signed.signature
    sections = tuple(" " * length for length in block.lengths) or None
    if signed is None:
        return pack(Reasoning(sections=sections))
    return pack(
        Reasoning(
            "", signed.api, signed.origin, signed.id, signed.signature, signed.data, sections, signed.extras
        )
    )
