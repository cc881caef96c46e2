"""Streamed answers of the Messages API (2026-11), read.

    message_start (ping | block)* message_delta+ message_stop
    block = content_block_start(index) content_block_delta(index)* content_block_stop(index)

Blocks never interleave. What the grammar forbids is Malformed; unknown events and deltas pass. Blocks that only this
API knows (server tools and their results) are collected and given whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adapters import json
from adapters.errors import Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Failed,
    Finish,
    Native,
    Opened,
    PartEnd,
    Pass,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.format import Reading
from adapters.formats.anthropic_messages.citations import read as read_citation
from adapters.formats.anthropic_messages.citations import read_all as read_citations
from adapters.formats.anthropic_messages.errors import failure_of
from adapters.formats.anthropic_messages.wire import (
    NAME,
    OF_MESSAGE,
    known_counts,
    own,
    read_usage,
    stop_reason,
    without,
)
from adapters.framing.sse import SSE
from adapters.model import Json

_SAYS: dict[tuple[str, str], tuple[str, type[TextDelta | CallDelta | ReasoningDelta]]] = {
    ("text", "text_delta"): ("text", TextDelta),
    ("tool_use", "input_json_delta"): ("partial_json", CallDelta),
    ("thinking", "thinking_delta"): ("thinking", ReasoningDelta),
}
"""Kind of block and of delta -> where its text stands, and the event."""

_DELTAS = frozenset({"text_delta", "input_json_delta", "thinking_delta", "signature_delta", "citations_delta"})


@dataclass(slots=True)
class _Block:
    """The open block. `shown`: events of it have gone out, so its part exists; `said`: deltas with text came."""

    index: int
    kind: str
    part: int
    start: dict[str, Json]
    shown: bool = False
    said: bool = False
    signature: str | None = None
    pieces: list[str] = field(default_factory=list)


class Decoder:
    """One stream. Part numbers are dense; a block in which nothing was said has none."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._sse = SSE()
        self._id: str | None = None
        self._state = "waiting"
        self._open: _Block | None = None
        self._index = -1
        self._part = 0
        self._usage: dict[str, Json] = {}
        self._stop: str | None = None
        self._sequence: str | None = None
        self._extras: dict[str, Json] = {}

    def feed(self, data: bytes) -> list[Event]:
        out: list[Event] = []
        for name, payload in self._sse.feed(data):
            self._frame(name, payload, out)
        return out

    def close(self) -> list[Event]:
        out: list[Event] = []
        for name, payload in self._sse.close():
            self._frame(name, payload, out)
        if self._state != "ended":
            raise Malformed("the stream ended without message_stop")
        return out

    def _frame(self, name: bytes | None, payload: bytes, out: list[Event]) -> None:
        if self._state == "ended" or payload == b"[DONE]":
            return
        try:
            event = json.loads(payload)
        except ValueError:
            raise Malformed(f"an event that is no JSON: {payload[:80]!r}") from None
        if not isinstance(event, dict):
            raise Malformed("an event that is no object")
        kind = event.get("type")
        if kind == "content_block_delta":
            self._delta(event, out)
        else:
            self._event(kind if isinstance(kind, str) else (name or b"").decode("utf-8", "replace"), event, out)

    def _event(self, kind: str, event: dict[str, Json], out: list[Event]) -> None:
        match kind:
            case "content_block_start":
                self._block(event, out)
            case "content_block_stop":
                self._end(event, out)
            case "message_start":
                self._start(event, out)
            case "message_delta":
                self._message(event, out)
            case "message_stop":
                self._finish(out)
            case "error":
                error = event.get("error")
                out.append(Failed(failure_of(error if isinstance(error, dict) else {"message": error})))
                self._state = "ended"
            case "ping" | "":
                pass
            case _:
                out.append(Pass(NAME, kind, event))

    # --- the message ---------------------------------------------------------------------------------------------

    def _start(self, event: dict[str, Json], out: list[Event]) -> None:
        message = event.get("message")
        if not isinstance(message, dict):
            raise Malformed("message_start without a message")
        found = message.get("id")
        if self._state != "waiting":
            if found != self._id:
                raise Malformed("a second message_start, of another message")
            return
        self._id, self._state = found, "blocks"
        model = message.get("model")
        self._extras = {key: value for key, value in without(message, *OF_MESSAGE).items() if value is not None}
        out.append(
            Started(
                found if isinstance(found, str) else None, model if isinstance(model, str) else None, own(self._extras)
            )
        )
        self._counts(message.get("usage"), out)

    def _counts(self, raw: Json, out: list[Event]) -> None:
        if counts := known_counts(raw):
            self._usage = {**self._usage, **counts}
            out.append(UsageUpdate(read_usage(self._usage)))

    def _message(self, event: dict[str, Json], out: list[Event]) -> None:
        if self._state not in ("blocks", "delta") or self._open is not None:
            raise Malformed("message_delta out of place")
        self._state = "delta"
        given = event.get("delta")
        delta: dict[str, Json] = given if isinstance(given, dict) else {}
        word, sequence = delta.get("stop_reason"), delta.get("stop_sequence")
        self._stop = word if isinstance(word, str) else self._stop
        self._sequence = sequence if isinstance(sequence, str) else self._sequence
        found = {**without(delta, "stop_reason", "stop_sequence"), **without(event, "type", "delta", "usage")}
        self._extras = {**self._extras, **{key: value for key, value in found.items() if value is not None}}
        self._counts(event.get("usage"), out)

    def _finish(self, out: list[Event]) -> None:
        if self._open is not None or self._stop is None:
            raise Malformed("message_stop before the message was complete")
        self._state = "ended"
        out.append(finish(self._stop, self._sequence, self._extras, self._reading))

    # --- blocks --------------------------------------------------------------------------------------------------

    def _block(self, event: dict[str, Json], out: list[Event]) -> None:
        index, start = event.get("index"), event.get("content_block")
        if self._state != "blocks" or self._open is not None:
            raise Malformed("content_block_start out of place")
        if not isinstance(index, int) or index <= self._index:
            raise Malformed(f"content_block_start with index {index!r} after {self._index}")
        if not isinstance(start, dict) or not isinstance(start.get("type"), str):
            raise Malformed("content_block_start without a typed block")
        self._index = index
        block = self._open = _Block(index, start["type"], self._part, start)
        match block.kind:
            case "text":
                self._say(block, TextDelta(block.part, string(start, "text")), out)
                for citation in read_citations(start.get("citations")):
                    self._say(block, Cited(block.part, citation), out)
            case "thinking":
                self._say(block, ReasoningDelta(block.part, string(start, "thinking")), out)
                block.signature = string(start, "signature") or None
            case "redacted_thinking":
                self._say(block, redacted(block.part, start, self._reading), out)
            case "tool_use":
                self._say(block, call_start(block.part, start), out)

    def _say(self, block: _Block, event: Event, out: list[Event]) -> None:
        """Nothing is shown of a block before there is something to show."""
        if isinstance(event, TextDelta | ReasoningDelta) and not event.text:
            return
        block.shown = True
        out.append(event)

    def _delta(self, event: dict[str, Json], out: list[Event]) -> None:
        block, delta = self._open, event.get("delta")
        if block is None or event.get("index") != block.index:
            raise Malformed(f"a delta for block {event.get('index')!r}, which is not open")
        if not isinstance(delta, dict):
            raise Malformed("content_block_delta without a delta")
        word = delta.get("type")
        if not isinstance(word, str):
            raise Malformed("content_block_delta without a typed delta")
        says = _SAYS.get((block.kind, word))
        if says is None:
            self._rare(block, delta, event, out)
            return
        key, kind = says
        text = string(delta, key)
        if text:
            block.shown = block.said = True
            out.append(kind(block.part, text))
        if kind is ReasoningDelta and len(delta) > 2:  # beta thinking-token-count: `estimated_tokens`
            self._pass(block, {**event, "delta": {**delta, "thinking": ""}}, out)

    def _rare(self, block: _Block, delta: dict[str, Json], event: dict[str, Json], out: list[Event]) -> None:
        match block.kind, delta:
            case "thinking", {"type": "signature_delta"}:
                block.signature = string(delta, "signature") or None
            case "text", {"type": "citations_delta", "citation": citation}:
                self._say(block, Cited(block.part, read_citation(citation)), out)
            case ("text" | "thinking" | "redacted_thinking" | "tool_use"), {"type": str(kind)}:
                if kind in _DELTAS:
                    raise Malformed(f"{kind} in a {block.kind} block")
                self._pass(block, event, out)
            case _:
                _collect(block, delta)

    def _pass(self, block: _Block, event: dict[str, Json], out: list[Event]) -> None:
        if not block.shown:
            block.shown = True
            out.append(Opened(block.part, "reasoning" if block.kind == "thinking" else "text", {NAME: {}}))
        out.append(Pass(NAME, "content_block_delta", event))

    def _end(self, event: dict[str, Json], out: list[Event]) -> None:
        block = self._open
        if block is None or event.get("index") != block.index:
            raise Malformed(f"content_block_stop for block {event.get('index')!r}, which is not open")
        self._open = None
        match block.kind:
            case "tool_use":
                if not block.said:
                    out.append(CallDelta(block.part, whole_input(block.start.get("input") or {})))
            case "thinking":
                if block.signature is not None:
                    self._say(block, signed(block.part, block.signature, block.start, self._reading), out)
            case "text" | "redacted_thinking":
                pass
            case _:
                self._say(block, Native(block.part, NAME, _collected(block)), out)
        if block.shown:
            out.append(PartEnd(block.part))
            self._part += 1


def _collect(block: _Block, delta: dict[str, Json]) -> None:
    """Adds a delta to a block that is given whole; an unknown one sets its fields (`compaction_delta`)."""
    match delta:
        case {"type": "input_json_delta", "partial_json": str(text)}:
            block.pieces.append(text)
        case {"type": "text_delta", "text": str(text)}:
            block.start["text"] = string(block.start, "text") + text
        case {"type": "citations_delta", "citation": citation}:
            before = block.start.get("citations")
            block.start["citations"] = [*(before if isinstance(before, list) else ()), citation]
        case _:
            block.start.update(without(delta, "type"))


def _collected(block: _Block) -> dict[str, Json]:
    text = "".join(block.pieces)
    if not text:
        return block.start
    try:
        return {**block.start, "input": json.loads(text)}
    except ValueError:
        return block.start


# --- shared with whole answers -----------------------------------------------------------------------------------


def string(block: dict[str, Json], key: str) -> str:
    """A text of a block, "" where it is missing or null. Raises Malformed for anything else."""
    value = block.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Malformed(f"{key} of a {block.get('type')} block is no text")
    return value


def call_start(part: int, block: dict[str, Json]) -> CallStart:
    name = block.get("name")
    if not isinstance(name, str) or not name:
        raise Malformed("a tool_use block without a name")
    return CallStart(part, string(block, "id"), name, extras=own(without(block, "type", "id", "name", "input")))


def whole_input(value: Json) -> str:
    """The argument text of an `input` that came as a value. Raises Malformed where it is no object."""
    if not isinstance(value, dict):
        raise Malformed("input of a tool_use block is no object")
    return json.text(value)


def signed(part: int, signature: str, block: dict[str, Json], reading: Reading) -> Signed:
    extras = own(without(block, "type", "thinking", "signature"))
    return Signed(part, NAME, signature=signature, origin=reading.origin or None, extras=extras)


def redacted(part: int, block: dict[str, Json], reading: Reading) -> Signed:
    data = block.get("data")
    if not isinstance(data, str) or not data:
        raise Malformed("a redacted_thinking block without data")
    return Signed(part, NAME, data=data, origin=reading.origin or None, extras=own(without(block, "type", "data")))


def finish(word: str, sequence: str | None, extras: dict[str, Json], reading: Reading) -> Finish:
    """`end_turn` without content is legal directly after tool results."""
    empty = reading.after_results and word == "end_turn"
    return Finish(stop_reason(word), word, sequence, empty, own(extras))
