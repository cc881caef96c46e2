"""Streams towards Responses clients (openai-responses §6).

Items come strictly one after the other with dense indexes. What the SDKs' helpers demand: `response.created` first, a
part before its deltas, call id and name with the item's first event, a complete `output` in the last one. The end of an
item waits for what follows, since only then it is known whether the limit cut it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from adapters import json
from adapters.errors import Attempt, Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Finish,
    Logprobs,
    Native,
    Opened,
    PartEnd,
    Pass,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    TextDelta,
    UsageUpdate,
)
from adapters.formats.openai_responses import answer
from adapters.formats.openai_responses.answer import Ending, Item
from adapters.formats.openai_responses.history import citations_of
from adapters.formats.openai_responses.incoming import Reply
from adapters.formats.openai_responses.words import NAME, RAW, own
from adapters.formats.shared.openai_envelope import error_fields
from adapters.model import NOTHING, Json, Reasoning, Usage
from adapters.sequence import Sequencer

PING = b": keep-alive\n\n"


@dataclass(slots=True)
class _Open:
    """The open item. `texts` are the pieces of its open part; `part` numbers the neutral part, -1 between two parts."""

    kind: str
    id: str
    about: Mapping[str, Json]
    part: int = -1
    texts: list[str] = field(default_factory=list)
    content: list[Item] = field(default_factory=list)
    annotations: list[Json] = field(default_factory=list)
    scores: list[Json] = field(default_factory=list)
    refusal: bool = False
    section: int = -1
    summary: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    signed: Signed | None = None
    start: CallStart | None = None
    native: Item | None = None


class Encoder:
    """One stream."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._sequencer = Sequencer()
        self._number = 0
        self._items: list[bytes] = []
        self._open: _Open | None = None
        self._hints: dict[int, Mapping[str, Json]] = {}
        self._places: dict[int, int] = {}
        self._usage = Usage()
        self._finish: Finish | None = None
        self._begun = False
        self.whole = b""
        """The response object, once the stream is closed."""
        self._head = self._middle = self._tail = b""

    # --- the machine ---------------------------------------------------------------------------------------------

    def feed(self, events: Iterable[Event]) -> bytes:
        out: list[bytes] = []
        if not self._begun:
            self._begin(out)
        told = self._sequencer.feed(events)
        self._take(self._score(told, out) if self._reply.scored else told, out)
        return b"".join(out)

    def _take(self, events: Iterable[Event], out: list[bytes]) -> None:
        for event in events:
            kind = type(event)
            if (kind is TextDelta or kind is CallDelta) and self._open is not None and (
                event.part == self._open.part  # type: ignore[union-attr]
            ):
                self._delta(event.text, out)  # type: ignore[union-attr]
            else:
                self._other(event, out)

    def _score(self, events: list[Event], out: list[bytes]) -> list[Event]:
        """Writes each delta whose log probabilities follow at once together with them; gives back what comes after."""
        waiting: list[Event] = []
        written = False
        for event, after in zip_longest(events, events[1:]):
            if written:
                written = False
            elif (
                isinstance(event, TextDelta) and event.text and isinstance(after, Logprobs) and after.part == event.part
            ):
                self._take(waiting, out)
                waiting = []
                self._say(event.part, False, out)
                self._scored(event.text, list(after.tokens), out)
                written = True
            else:
                waiting.append(event)
        return waiting

    def _scored(self, text: str, tokens: list[Json], out: list[bytes]) -> None:
        opened = self._open
        assert opened is not None
        place = self._place(opened, content_index=len(opened.content))
        self._write(out, "response.output_text.delta", {**place, "delta": text, "logprobs": tokens})
        opened.texts.append(text)
        opened.scores += tokens

    def close(self) -> bytes:
        out: list[bytes] = []
        if not self._begun:
            self._begin(out)
        self._end_item(out)
        finish = self._finish or Finish("stop")
        ending = Ending(finish.reason, finish.native, self._usage, finish.extras)
        self.whole = answer.ended(self._reply, self._items, ending)
        self._event(out, f"response.{ending.status}", b'"response":' + self.whole)
        return b"".join(out)

    def fail(self, failure: Failure, attempts: tuple[Attempt, ...]) -> bytes:
        out: list[bytes] = []
        if not self._begun:
            self._begin(out)
        error = error_fields(failure, attempts)
        flat = {name: error[name] for name in ("code", "message", "param")}
        self._write(out, "error", {"error": error, **flat})
        self._event(out, "response.failed", b'"response":' + answer.failed(self._reply, self._items, failure))
        return b"".join(out)

    def ping(self) -> bytes:
        return PING

    def _begin(self, out: list[bytes]) -> None:
        self._begun = True
        whole = b'"response":' + answer.response(self._reply, "in_progress")
        self._event(out, "response.created", whole)
        self._event(out, "response.in_progress", whole)

    def _event(self, out: list[bytes], name: str, members: bytes) -> None:
        word = name.encode()
        head = b'event: %b\ndata: {"type":"%b","sequence_number":%d,' % (word, word, self._number)
        out += (head, members, b"}\n\n")
        self._number += 1

    def _write(self, out: list[bytes], name: str, data: Mapping[str, Json]) -> None:
        self._event(out, name, json.dumps(data)[1:-1])

    # --- the events ----------------------------------------------------------------------------------------------

    def _other(self, event: Event, out: list[bytes]) -> None:
        match event:
            case TextDelta(part, text) if text:
                self._say(part, False, out)
                self._delta(text, out)
            case RefusalDelta(part, text) if text:
                self._say(part, True, out)
                self._delta(text, out)
            case ReasoningDelta(part, text, section) if text:
                self._think(part, section, out)
                self._delta(text, out)
            case CallStart():
                self._call(event, out)
            case Opened(part, _, extras):
                self._hints[part] = own(extras)
            case Signed(part, kind="reasoning"):
                self._sign(event, out)
            case Cited(part):
                self._cite(event, out)
            case Logprobs(part, tokens) if self._reply.scored and self._open and self._open.part == part:
                self._open.scores += tokens
            case Native():
                self._native(event, out)
            case Pass(api, name, data) if api == NAME and name is not None and isinstance(data, dict):
                self._pass(name, data, out)
            case PartEnd(part):
                self._hints.pop(part, None)
                if self._open is not None and self._open.part == part:
                    self._end_part(self._open, out)
            case UsageUpdate(usage):
                self._usage = self._usage.updated(usage)
            case Finish(reason):
                self._finish = event
                self._end_item(out, cut=reason in ("length", "content_filter"))

    def _delta(self, text: str, out: list[bytes]) -> None:
        """A piece of the open part, by what was prepared when it opened."""
        opened = self._open
        if not text or opened is None:
            return
        opened.texts.append(text)
        out += (self._head, b"%d" % self._number, self._middle, json.dumps(text), self._tail)
        self._number += 1

    def _prepare(self, name: str, place: Mapping[str, Json], tail: bytes = b"}\n\n") -> None:
        """Prepares the deltas of a part: `name` with `place`, the delta itself, `tail`."""
        word = name.encode()
        self._head = b'event: %b\ndata: {"type":"%b","sequence_number":' % (word, word)
        self._middle = b"," + json.dumps(place)[1:-1] + b',"delta":'
        self._tail = tail

    def _place(self, opened: _Open, **more: Json) -> dict[str, Json]:
        return {"item_id": opened.id, "output_index": len(self._items), **more}

    # --- items ---------------------------------------------------------------------------------------------------

    def _start_item(self, opened: _Open, item: Item, out: list[bytes]) -> _Open:
        self._end_item(out)
        self._open = opened
        self._write(out, "response.output_item.added", {"output_index": len(self._items), "item": item})
        return opened

    def _end_item(self, out: list[bytes], cut: bool = False) -> None:
        """Closes the open item, if there is one; `cut`: by the limit."""
        opened = self._open
        if opened is None:
            return
        if opened.part != -1:
            self._end_part(opened, out)
        self._open = None
        item = json.dumps(self._whole(opened, "incomplete" if cut else "completed"))
        self._event(out, "response.output_item.done", b'"output_index":%d,"item":%b' % (len(self._items), item))
        self._items.append(item)

    def _whole(self, opened: _Open, status: str) -> Item:
        match opened:
            case _Open(kind="message"):
                return answer.message(opened.id, status, opened.content, opened.about)
            case _Open(kind="reasoning"):
                sealed = answer.sealed_content(_signed(opened), self._reply)
                about = own(opened.signed.extras) if opened.signed is not None else NOTHING
                return answer.reasoning(opened.id, opened.summary, opened.raw, sealed, about)
            case _Open(start=CallStart() as start):
                return answer.call(opened.id, start, "".join(opened.texts), status)
        return opened.native or {}

    def _end_part(self, opened: _Open, out: list[bytes]) -> None:
        opened.part = -1
        match opened:
            case _Open(kind="message"):
                self._end_content(opened, out)
            case _Open(kind="reasoning"):
                self._end_section(opened, out)
            case _Open(start=CallStart() as start):
                text = "".join(opened.texts)
                if start.kind == "custom":
                    self._write(out, "response.custom_tool_call_input.done", self._place(opened, input=text))
                else:
                    done = self._place(opened, name=start.name, arguments=text)
                    self._write(out, "response.function_call_arguments.done", done)

    def _say(self, part: int, refusal: bool, out: list[bytes]) -> None:
        """Opens a part of a message, in the open one where it belongs there."""
        opened = self._open
        about = self._hints.get(part, NOTHING)
        if opened is not None and opened.kind == "message" and opened.part == part:
            return
        if opened is None or opened.kind != "message" or opened.about != about:
            item_id = answer.message_id(self._reply, about)
            item = answer.message(item_id, "in_progress", [], about)
            opened = self._start_item(_Open("message", item_id, about), item, out)
        opened.part, opened.refusal = part, refusal
        place = self._place(opened, content_index=len(opened.content))
        empty: Item = {"type": "refusal", "refusal": ""} if refusal else answer.text_part("", [], [])
        self._write(out, "response.content_part.added", {**place, "part": empty})
        if refusal:
            self._prepare("response.refusal.delta", place)
        else:
            self._prepare("response.output_text.delta", place, b',"logprobs":[]}\n\n')

    def _end_content(self, opened: _Open, out: list[bytes]) -> None:
        text = "".join(opened.texts)
        place = self._place(opened, content_index=len(opened.content))
        piece: Item
        if opened.refusal:
            piece = {"type": "refusal", "refusal": text}
            self._write(out, "response.refusal.done", {**place, "refusal": text})
        else:
            piece = answer.text_part(text, opened.annotations, opened.scores)
            self._write(out, "response.output_text.done", {**place, "text": text, "logprobs": opened.scores})
        self._write(out, "response.content_part.done", {**place, "part": piece})
        opened.content.append(piece)
        opened.texts, opened.annotations, opened.scores = [], [], []

    def _cite(self, event: Cited, out: list[bytes]) -> None:
        written = citations_of((event.citation,))
        if not written:
            return
        self._say(event.part, False, out)
        opened = self._open
        assert opened is not None
        place = self._place(opened, content_index=len(opened.content), annotation_index=len(opened.annotations))
        self._write(out, "response.output_text.annotation.added", {**place, "annotation": written[0]})
        opened.annotations += written

    def _think(self, part: int, section: int, out: list[bytes]) -> None:
        """Opens a section of a reasoning item: an entry of its summary, or raw content."""
        opened = self._reason(part, out)
        if opened.section == section:
            return
        self._end_section(opened, out)
        opened.section = section
        if section >= RAW:
            place = self._place(opened, content_index=len(opened.raw))
            begin, kind, delta = "response.content_part.added", "reasoning_text", "response.reasoning_text.delta"
        else:
            place = self._place(opened, summary_index=len(opened.summary))
            begin, kind = "response.reasoning_summary_part.added", "summary_text"
            delta = "response.reasoning_summary_text.delta"
        self._write(out, begin, {**place, "part": {"type": kind, "text": ""}})
        self._prepare(delta, place)

    def _end_section(self, opened: _Open, out: list[bytes]) -> None:
        if opened.section == -1:
            return
        text = "".join(opened.texts)
        if opened.section >= RAW:
            place = self._place(opened, content_index=len(opened.raw))
            done, kind = ("response.reasoning_text.done", "response.content_part.done"), "reasoning_text"
            opened.raw.append(text)
        else:
            place = self._place(opened, summary_index=len(opened.summary))
            done = ("response.reasoning_summary_text.done", "response.reasoning_summary_part.done")
            kind = "summary_text"
            opened.summary.append(text)
        self._write(out, done[0], {**place, "text": text})
        self._write(out, done[1], {**place, "part": {"type": kind, "text": text}})
        opened.texts, opened.section = [], -1

    def _reason(self, part: int, out: list[bytes]) -> _Open:
        """The reasoning item of a part, opened where it is not."""
        opened = self._open
        if opened is not None and opened.kind == "reasoning" and opened.part == part:
            return opened
        known = self._hints.get(part, NOTHING).get("id")
        item_id = answer.reasoning_id(self._reply, known if isinstance(known, str) else None)
        item = {"id": item_id, "type": "reasoning", "summary": []}
        return self._start_item(_Open("reasoning", item_id, NOTHING, part), item, out)

    def _sign(self, event: Signed, out: list[bytes]) -> None:
        opened = self._open
        if opened is None or opened.kind != "reasoning" or opened.part != event.part:
            alone = Reasoning("", event.api, event.origin, event.id, event.signature, event.data)
            if event.api != NAME and answer.sealed_content(alone, self._reply) is None:
                return
            if event.part not in self._hints and event.id and event.api == NAME:
                self._hints[event.part] = {"id": event.id}
            opened = self._reason(event.part, out)
        opened.signed = event

    def _call(self, start: CallStart, out: list[bytes]) -> None:
        item_id = answer.call_id(self._reply, start)
        opened = _Open("call", item_id, NOTHING, start.part, start=start)
        self._start_item(opened, answer.call(item_id, start, "", "in_progress"), out)
        custom = start.kind == "custom"
        name = "response.custom_tool_call_input.delta" if custom else "response.function_call_arguments.delta"
        self._prepare(name, self._place(opened))

    # --- what only this API knows --------------------------------------------------------------------------------

    def _native(self, event: Native, out: list[bytes]) -> None:
        if event.api != NAME:
            if event.text:
                self._say(event.part, False, out)
                self._delta(event.text, out)
            return
        if not isinstance(event.data, dict):
            return
        opened = self._open
        if opened is None or opened.kind != "native":
            opened = self._start_item(_Open("native", "", NOTHING), event.data, out)
        opened.native = event.data
        self._end_item(out)

    def _pass(self, name: str, data: dict[str, Any], out: list[bytes]) -> None:
        """An event that goes on as it came, with our numbers."""
        if name == "response.output_item.added":
            self._end_item(out)
            self._open = _Open("native", "", NOTHING, native=data.get("item"))
            self._places[_index(data)] = len(self._items)
        told = {key: value for key, value in data.items() if key not in ("type", "sequence_number")}
        if (place := self._places.get(_index(told))) is not None:
            told["output_index"] = place
        self._write(out, name, told)


def _index(data: Mapping[str, Json]) -> int:
    """The upstream's own `output_index`."""
    index = data.get("output_index")
    return index if isinstance(index, int) else -1


def _signed(opened: _Open) -> Reasoning:
    signed = opened.signed
    sections = tuple(opened.summary + opened.raw)
    text = "\n\n".join(sections)
    if signed is None:
        return Reasoning(text, sections=sections or None)
    return Reasoning(
        text, signed.api, signed.origin, signed.id, signed.signature, signed.data, sections or None, signed.extras
    )
