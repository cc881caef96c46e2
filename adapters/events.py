"""The events of a streamed answer, and `fold`, by which a whole answer has the same meaning.

Every API's decoder emits these, every dialect's encoder takes them. A part is opened by its first event, extended,
and closed by PartEnd; parts are numbered 0, 1, 2 … in order of appearance over the whole answer. Parts may interleave
(a Chat upstream may mix calls by index): an encoder whose wire forbids that puts a `sequence.Sequencer` before itself.

    Started (part events | UsageUpdate | Pass)* Finish UsageUpdate*        or, at any point, Failed as the last event
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from adapters.errors import Failure, Malformed
from adapters.model import (
    NOTHING,
    Answer,
    Citation,
    Extras,
    Json,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    StopReason,
    Text,
    ToolCall,
    Usage,
)


@dataclass(slots=True)
class Started:
    """The upstream began to answer: its own response id and model, where it names them. No content."""

    id: str | None = None
    model: str | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class Choice:
    """The part events and the Finish that follow belong to this choice (requests with n > 1 only; 0 until told)."""

    index: int


@dataclass(slots=True)
class Opened:
    """What only clients of the API's own dialect need to know of a part before its content (item id, phase).

    Optional; the first event of its part. No content. Folded into the extras of a text or refusal.
    """

    part: int
    kind: Literal["text", "refusal", "reasoning"]
    extras: Extras


@dataclass(slots=True)
class TextDelta:
    """A piece of text; maybe empty."""

    part: int
    text: str


@dataclass(slots=True)
class RefusalDelta:
    """A piece of a refusal."""

    part: int
    text: str


@dataclass(slots=True)
class ReasoningDelta:
    """A piece of readable reasoning. `section` counts the entries of a Responses summary."""

    part: int
    text: str
    section: int = 0


@dataclass(slots=True)
class Signed:
    """The opaque half of a part, whole, sent at most once and before its PartEnd.

    On a reasoning part it may be all there is (redacted or encrypted). On a text part it is Gemini's signature.
    """

    part: int
    api: str
    kind: Literal["reasoning", "text"] = "reasoning"
    id: str | None = None
    signature: str | None = None
    data: str | None = None
    origin: str | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class CallStart:
    """A tool call begins, with its final name; its arguments follow as CallDelta. `id` "" where the API gave none."""

    part: int
    id: str
    name: str
    kind: Literal["function", "custom"] = "function"
    signature: str | None = None
    origin: str | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class CallDelta:
    """A piece of the call's argument JSON (or raw custom input), as text, untouched."""

    part: int
    text: str


@dataclass(slots=True)
class Cited:
    """A citation of a text part."""

    part: int
    citation: Citation


@dataclass(slots=True)
class Logprobs:
    """Token log probabilities of the text so far not covered, in Chat Completions' shape."""

    part: int
    tokens: tuple[Json, ...]


@dataclass(slots=True)
class Native:
    """A whole native block of `api` (server tools …), in place among the parts. Other dialects show `text` if any."""

    part: int
    api: str
    data: Json
    text: str = ""


@dataclass(slots=True)
class PartEnd:
    """The part is complete."""

    part: int


@dataclass(slots=True)
class UsageUpdate:
    """Counts known so far; the last known of each field holds."""

    usage: Usage


@dataclass(slots=True)
class Pass:
    """An event that toolwire does not know, for a client of the API's own dialect only: name and decoded data."""

    api: str
    name: str | None
    data: Json


@dataclass(slots=True)
class Finish:
    """The answer ended. `native` is the API's own word. `may_be_empty`: an answer without content is legal here."""

    reason: StopReason
    native: str | None = None
    sequence: str | None = None
    may_be_empty: bool = False
    extras: Extras = NOTHING


@dataclass(slots=True)
class Failed:
    """The upstream said that it failed. Nothing follows."""

    failure: Failure


Event = (
    Started
    | Choice
    | Opened
    | TextDelta
    | RefusalDelta
    | ReasoningDelta
    | Signed
    | CallStart
    | CallDelta
    | Cited
    | Logprobs
    | Native
    | PartEnd
    | UsageUpdate
    | Pass
    | Finish
    | Failed
)


def is_content(event: Event) -> bool:
    """Whether the event shows the client something of the answer (the commit rule of the contract, §4)."""
    match event:
        case TextDelta() | ReasoningDelta() | RefusalDelta() | CallDelta():
            return event.text != ""
        case CallStart() | Native():
            return True
    return False


def is_answer(event: Event) -> bool:
    """Content other than reasoning: what makes an answer not empty."""
    return is_content(event) and not isinstance(event, ReasoningDelta)


@dataclass(slots=True)
class _Open:
    """A part while it is collected."""

    kind: str
    choice: int
    texts: list[str] = field(default_factory=list)
    sections: dict[int, list[str]] = field(default_factory=dict)
    opened: Opened | None = None
    signed: Signed | None = None
    start: CallStart | None = None
    native: Native | None = None
    citations: list[Citation] = field(default_factory=list)


@dataclass(slots=True)
class _Head:
    """What an answer has beside its parts, for one choice."""

    stop: Finish | None = None
    logprobs: list[Json] = field(default_factory=list)


_DELTAS: Mapping[type[Event], str] = {TextDelta: "text", CallDelta: "call"}


class Folder:
    """Collects events; `answer()` is what they amount to."""

    def __init__(self) -> None:
        self._started = Started()
        self._parts: dict[int, _Open] = {}
        self._heads: dict[int, _Head] = {0: _Head()}
        self._choice = 0
        self.usage = Usage()
        self.failure: Failure | None = None

    def feed(self, events: Iterable[Event]) -> None:
        parts = self._parts
        for event in events:
            if (kind := _DELTAS.get(type(event))) is not None:
                found = parts.get(event.part)  # type: ignore[union-attr]
                if found is not None and found.kind == kind:
                    found.texts.append(event.text)  # type: ignore[union-attr]
                    continue
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case TextDelta(part, text):
                self._open(part, "text").texts.append(text)
            case CallDelta(part, text):
                self._open(part, "call").texts.append(text)
            case RefusalDelta(part, text):
                self._open(part, "refusal").texts.append(text)
            case ReasoningDelta(part, text, section):
                self._open(part, "reasoning").sections.setdefault(section, []).append(text)
            case CallStart():
                self._open(event.part, "call").start = event
            case Signed():
                self._open(event.part, event.kind).signed = event
            case Native():
                self._open(event.part, "native").native = event
            case Opened():
                self._open(event.part, event.kind).opened = event
            case Cited(part, citation):
                self._open(part, "text").citations.append(citation)
            case UsageUpdate(usage):
                self.usage = self.usage.updated(usage)
            case Started():
                self._started = event
            case Choice(index):
                self._choice = index
                self._heads.setdefault(index, _Head())
            case Logprobs(_, tokens):
                self._heads[self._choice].logprobs.extend(tokens)
            case Finish():
                self._heads[self._choice].stop = event
            case Failed(failure):
                self.failure = failure

    def _open(self, part: int, kind: str) -> _Open:
        found = self._parts.get(part)
        if found is None:
            found = self._parts[part] = _Open(kind, self._choice)
        elif found.kind != kind:
            raise Malformed(f"part {part} is {found.kind}, not {kind}")
        return found

    def answer(self) -> Answer:
        """The answer so far. A choice that nothing was said of is none, where there are others."""
        told = {part.choice for part in self._parts.values()} | {i for i, head in self._heads.items() if head.stop}
        first, *others = [self._one(index) for index in sorted(self._heads.keys() & told or {0})]
        return replace(first, others=tuple(others)) if others else first

    def _one(self, choice: int) -> Answer:
        head, start = self._heads[choice], self._started
        stop = head.stop
        parts = tuple(_part(p) for _, p in sorted(self._parts.items()) if p.choice == choice)
        late = stop.extras if stop else NOTHING
        extras = {**start.extras, **late} if start.extras or late else NOTHING
        return Answer(
            parts=parts,
            stop=stop.reason if stop else None,
            usage=self.usage,
            id=start.id,
            model=start.model,
            native_stop=stop.native if stop else None,
            sequence=stop.sequence if stop else None,
            logprobs=tuple(head.logprobs),
            extras=extras,
        )


def _part(opened: _Open) -> Part:
    text = "".join(opened.texts)
    extras = opened.opened.extras if opened.opened else NOTHING
    match opened:
        case _Open(kind="call", start=CallStart() as start):
            return ToolCall(
                start.id, start.name, text, start.kind, start.signature, start.origin, extras=start.extras
            )
        case _Open(kind="call"):
            raise Malformed("arguments of a call that never began")
        case _Open(kind="native", native=Native() as native):
            return Opaque(native.api, native.data, native.text)
        case _Open(kind="refusal"):
            return Refusal(text, extras)
        case _Open(kind="reasoning"):
            return _reasoning(opened)
    signed = opened.signed
    return Text(
        text,
        citations=tuple(opened.citations),
        signature=signed.signature if signed else None,
        extras={**extras, **signed.extras} if signed and signed.extras else extras,
    )


def _reasoning(opened: _Open) -> Reasoning:
    sections = tuple("".join(texts) for _, texts in sorted(opened.sections.items()))
    text = "\n\n".join(sections)
    signed = opened.signed
    if signed is None:
        return Reasoning(text, sections=sections or None)
    return Reasoning(
        text, signed.api, signed.origin, signed.id, signed.signature, signed.data, sections or None, signed.extras
    )


def fold(events: Iterable[Event]) -> Answer:
    """The whole answer that a stream's events amount to. Raises Malformed for events that contradict each other."""
    folder = Folder()
    folder.feed(events)
    return folder.answer()
