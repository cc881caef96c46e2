"""Events -> a stream for a Gemini client (`streamGenerateContent`, v1beta, 2026-11).

The official SDKs are brittle: no comments, no event names, no `[DONE]`, a space after `data:`, parts in every chunk
(a chat's history drops the turn otherwise), `finishReason` in the last chunk only, `error` as an error's first key.
So there is no keep-alive frame. Calls go out whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from adapters import json
from adapters.errors import Attempt, Failure, InvalidCall
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Event,
    Finish,
    Logprobs,
    Native,
    PartEnd,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.formats.google_gemini import errors, usage
from adapters.formats.google_gemini.reply import Reply
from adapters.formats.google_gemini.response import PartWriter, beside, word
from adapters.formats.google_gemini.target import API
from adapters.model import Citation, Json, Opaque, Reasoning, Text, ToolCall, Usage
from adapters.sequence import Sequencer
from adapters.tools.arguments import is_object

GAP = "\n\n"
"""Between the sections of a summary."""


@dataclass(slots=True)
class _Candidate:
    """One candidate while it is written."""

    head: bytes
    thought: bytes
    tail: bytes
    writer: PartWriter
    sequencer: Sequencer = field(default_factory=Sequencer)
    call: CallStart | None = None
    arguments: list[str] = field(default_factory=list)
    reasoning: dict[int, list[str]] = field(default_factory=dict)
    signed: Signed | None = None
    text: list[str] = field(default_factory=list)
    cited: list[Citation] = field(default_factory=list)
    sources: list[tuple[str, tuple[Citation, ...]]] = field(default_factory=list)
    logprobs: list[Json] = field(default_factory=list)
    cut: CallStart | None = None
    finish: Finish | None = None
    refused: bool = False


class Encoder:
    """Writes one stream."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._id = reply.response_id
        self._usage = Usage()
        self._index = 0
        self._candidates: dict[int, _Candidate] = {}
        self._opened = False

    # --- the protocol --------------------------------------------------------------------------------------------

    def feed(self, events: Iterable[Event]) -> bytes:
        """Bytes for these events. Raises InvalidCall for a call whose arguments are no object."""
        out: list[bytes] = []
        run: list[Event] = []
        for event in events:
            if isinstance(event, Choice | Started | UsageUpdate):
                self._run(run, out)
                run = []
                self._head(event)
            else:
                run.append(event)
        self._run(run, out)
        return b"".join(out)

    def close(self) -> bytes:
        """The last chunk: each candidate's finishReason, and the usage."""
        candidates = [self._last(index, one) for index, one in sorted(self._candidates.items())]
        body: dict[str, Json] = {"candidates": candidates or [_content([{"text": ""}], 0)]}
        if counts := usage.metadata(self._usage):
            body["usageMetadata"] = counts
        return self._frame({**body, **self._names()}) + (b"" if self._reply.sse else b"]")

    def fail(self, failure: Failure, attempts: tuple[Attempt, ...]) -> bytes:
        """The error as the stream's last element."""
        return self._frame(errors.envelope(failure, attempts)) + (b"" if self._reply.sse else b"]")

    def ping(self) -> bytes:
        """Nothing: a comment breaks the Python SDK, and a chunk without parts makes its chats drop the turn."""
        return b""

    # --- chunks --------------------------------------------------------------------------------------------------

    def _names(self) -> dict[str, Json]:
        return {"modelVersion": self._reply.model, "responseId": self._id}

    def _before(self) -> bytes:
        """What stands before a chunk's JSON."""
        if self._reply.sse:
            return b"data: "
        opened, self._opened = self._opened, True
        return b",\n" if opened else b"["

    def _after(self) -> bytes:
        return b"\r\n\r\n" if self._reply.sse else b"\n"

    def _frame(self, body: dict[str, Json]) -> bytes:
        return self._before() + json.dumps(body) + self._after()

    def _chunk(self, parts: list[dict[str, Json]], index: int) -> bytes:
        return self._frame({"candidates": [_content(parts, index)], **self._names()})

    def _head(self, event: Choice | Started | UsageUpdate) -> None:
        match event:
            case Choice(index):
                self._index = index
            case Started(id=str() as id) if id and not self._candidates:
                self._id = id
            case UsageUpdate(counted):
                self._usage = self._usage.updated(counted)

    def _candidate(self) -> _Candidate:
        """The current candidate, with the bytes around its text made once."""
        found = self._candidates.get(self._index)
        if found is None:
            tail = b"}],\"role\":\"model\"},\"index\":%d}],%s%s" % (
                self._index, json.dumps(self._names())[1:], self._after()
            )
            head = b'{"candidates":[{"content":{"parts":[{"text":'
            found = _Candidate(head, b',"thought":true', tail, PartWriter(self._reply))
            self._candidates[self._index] = found
        return found

    # --- parts ---------------------------------------------------------------------------------------------------

    def _run(self, run: list[Event], out: list[bytes]) -> None:
        """Events of one candidate."""
        if not run:
            return
        one = self._candidate()
        for event in one.sequencer.feed(run):
            match event:
                case TextDelta(_, text):
                    self._text(one, text, out)
                case CallDelta(_, text):
                    one.arguments.append(text)
                case ReasoningDelta(_, text, section):
                    shown = GAP + text if one.reasoning and section not in one.reasoning else text
                    one.reasoning.setdefault(section, []).append(text)
                    if shown and self._reply.thoughts:
                        out += (self._before(), one.head, json.dumps(shown), one.thought, one.tail)
                case RefusalDelta(_, text) if text:
                    one.refused = True
                    out += (self._before(), one.head, json.dumps(text), one.tail)
                case _:
                    self._other(one, event, out)

    def _text(self, one: _Candidate, text: str, out: list[bytes]) -> None:
        if one.signed is not None:
            self._signed_text(one, text, out)
        elif text:
            out += (self._before(), one.head, json.dumps(text), one.tail)
        one.text.append(text)

    def _signed_text(self, one: _Candidate, text: str, out: list[bytes]) -> None:
        """The signature goes out on the part it came with."""
        signed, one.signed = one.signed, None
        if signed is not None:
            part = Text(text, signature=signed.signature, extras=signed.extras)
            out += (self._chunk(made, self._index) for made in (one.writer.part(part),) if made)

    def _other(self, one: _Candidate, event: Event, out: list[bytes]) -> None:
        match event:
            case CallStart():
                self._refuse_cut(one)
                one.call, one.arguments = event, []
            case Signed():
                one.signed = event
            case PartEnd():
                self._end(one, out)
            case Native(api=api, data=data, text=text):
                made = one.writer.part(Opaque(api, data, text))
                if made:
                    out.append(self._chunk(made, self._index))
            case Cited(_, citation):
                one.cited.append(citation)
            case Logprobs(_, tokens):
                one.logprobs += tokens
            case Finish():
                if event.reason != "length":
                    self._refuse_cut(one)
                one.finish = event

    def _end(self, one: _Candidate, out: list[bytes]) -> None:
        """A part is complete: calls and reasoning are known only now."""
        parts: list[dict[str, Json]] = []
        signed = one.signed
        if one.call is not None:
            parts = self._call(one, one.call)
        elif signed is not None and signed.kind == "text":
            self._signed_text(one, "", out)
        elif one.reasoning or signed is not None:
            parts = self._reasoning(one, signed)
        if parts:
            out.append(self._chunk(parts, self._index))
        if one.cited:
            one.sources.append(("".join(one.text), tuple(one.cited)))
        one.call = one.signed = None
        one.reasoning, one.text, one.cited = {}, [], []

    def _call(self, one: _Candidate, start: CallStart) -> list[dict[str, Json]]:
        arguments = "".join(one.arguments)
        call = ToolCall(start.id, start.name, arguments, start.kind, start.signature, start.origin, extras=start.extras)
        if start.kind == "function" and not is_object(arguments):
            one.cut = start
            return []
        return one.writer.part(call)

    def _refuse_cut(self, one: _Candidate) -> None:
        """A call that is no object is left out where the output limit cut it off, else it is an error."""
        if one.cut is not None:
            raise InvalidCall(f"the arguments of {one.cut.name} are no JSON object")

    def _reasoning(self, one: _Candidate, signed: Signed | None) -> list[dict[str, Json]]:
        """What is left of a reasoning block whose text has gone out: its signature, or a reference to keep."""
        if signed is None:
            return []
        native = signed.api == API
        sections = tuple("".join(texts) for texts in one.reasoning.values())
        part = Reasoning("" if native else GAP.join(sections), signed.api, signed.origin, signed.id, signed.signature,
                         signed.data, sections or None, signed.extras)
        made = one.writer.part(part)
        return made if native else []

    def _last(self, index: int, one: _Candidate) -> dict[str, Json]:
        """An empty text stands where all has been said: a chunk without parts makes the SDK's chats drop the turn."""
        made = _content([{"text": ""}], index)
        if one.finish is None:
            return made
        reason = word(one.finish.reason, one.finish.native, refused=one.refused)
        return {**made, "finishReason": reason, **beside(one.finish.extras, one.sources, one.logprobs)}


def _content(parts: list[dict[str, Json]], index: int) -> dict[str, Json]:
    return {"content": {"parts": parts, "role": "model"}, "index": index}
