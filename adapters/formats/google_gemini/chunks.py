"""`GenerateContentResponse` objects -> events: one machine for whole answers and streams.

Candidates interleave by `index`; each chunk brings new parts. Neighbouring unsigned texts of one kind are one part; a
part with a signature, or with side fields of its own, stands alone, because it must go back just as it came. Only
`thought: true` marks reasoning (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from adapters import json
from adapters.errors import ErrorType, Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Event,
    Failed,
    Finish,
    Logprobs,
    Native,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.format import Reading
from adapters.formats.google_gemini import errors, finish
from adapters.formats.google_gemini.grounding import citations
from adapters.formats.google_gemini.logprobs import to_chat
from adapters.formats.google_gemini.partial import PartialCall
from adapters.formats.google_gemini.target import API
from adapters.formats.google_gemini.usage import usage
from adapters.formats.shared.choices import number_of
from adapters.model import NOTHING, Extras, Json

_TEXT_FIELDS = frozenset({"text", "thought", "thoughtSignature"})
_CALL_FIELDS = frozenset({"functionCall", "thoughtSignature"})
_UNFINISHED = "the stream ended without a finishReason"
_READ = frozenset({"content", "finishReason", "index", "logprobsResult"})
_PLAIN = frozenset({"content", "finishReason", "index"})
_HEAD = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId", "promptFeedback"})


@dataclass(slots=True)
class _Candidate:
    """One candidate while it is read: the answer's `number`-th. `texts` is kept only where citations may come."""

    number: int
    open: int | None = None
    kind: Literal["text", "reasoning"] = "text"
    last_text: int = -1
    texts: list[str] = field(default_factory=list)
    content: bool = False
    calls: bool = False
    partial: PartialCall | None = None
    reason: str | None = None
    rest: dict[str, Json] = field(default_factory=dict)


class Chunks:
    """Feed it every chunk; `close` once at the end."""

    def __init__(self, reading: Reading, *, whole: bool) -> None:
        self._whole = whole
        self._grounded = bool(reading.facts.get("grounded"))
        self._vertex = bool(reading.facts.get("vertex"))
        self._started = False
        self._failed = False
        self._next = 0
        self._choice = 0
        self._asked = reading.choices
        self._candidates: dict[int, _Candidate] = {}
        """By the upstream's index."""
        self._counts: dict[str, Json] = {}
        self._told: dict[str, Json] = {}

    def feed(self, data: Json) -> list[Event]:
        """The events of one chunk, or of a list of chunks. Raises Malformed for what is none."""
        out: list[Event] = []
        self.take(data, out)
        return out

    def take(self, data: Json, out: list[Event]) -> None:
        """`feed` that adds to the events of a read."""
        for chunk in data if isinstance(data, list) else (data,):
            if not isinstance(chunk, dict):
                raise Malformed("a chunk that is no object")
            if not self._failed:
                self._chunk(chunk, out)

    def close(self) -> list[Event]:
        """The end of the body, and of every candidate: some imitators send a finishReason with each chunk.

        Raises Malformed for a stream without one.
        """
        out: list[Event] = []
        if self._failed:
            return out
        if not self._candidates:
            raise Malformed("the answer has no candidates" if self._whole else _UNFINISHED)
        if not self._whole and any(one.reason is None for one in self._candidates.values()):
            raise Malformed(_UNFINISHED)
        self._usage(out)
        for candidate in sorted(self._candidates.values(), key=lambda one: one.number):
            if not self._failed:
                self._turn(candidate.number, out)
                self._finish(candidate, candidate.reason or "", out)
        return out

    def _chunk(self, chunk: dict[str, Json], out: list[Event]) -> None:
        if "error" in chunk and (error := errors.error_in(chunk)) is not None:
            self._fail(errors.of_error(error, None, {}), out)
            return
        if isinstance(counts := chunk.get("usageMetadata"), dict):
            if None in counts.values():
                counts = {key: value for key, value in counts.items() if value is not None}
            self._counts.update(counts)
        if not self._started:
            self._start(chunk, out)
        candidates = chunk.get("candidates")
        if not candidates:
            self._without_candidates(chunk, out)
            return
        for candidate in candidates if isinstance(candidates, list) else ():
            if not isinstance(candidate, dict):
                raise Malformed("a candidate that is no object")
            if not self._failed:
                self._candidate(candidate, out)

    def _start(self, chunk: Mapping[str, Json], out: list[Event]) -> None:
        self._started = True
        response, model = chunk.get("responseId"), chunk.get("modelVersion")
        rest = {key: value for key, value in chunk.items() if key not in _HEAD}
        out.append(Started(
            response if isinstance(response, str) and response else None,
            model if isinstance(model, str) and model else None,
            {API: rest} if rest else NOTHING,
        ))
        if not self._whole:
            self._usage(out)

    def _without_candidates(self, chunk: Mapping[str, Json], out: list[Event]) -> None:
        """A blocked prompt, or counts that came on their own."""
        match chunk.get("promptFeedback"):
            case {"blockReason": str(reason), **more} if reason not in finish.NOT_BLOCKED and not self._candidates:
                words = more.get("blockReasonMessage")
                told = f"the prompt was blocked: {reason}" + (f": {words}" if isinstance(words, str) and words else "")
                self._usage(out)
                self._fail(Failure("content_filter", told, code=reason), out)
                return

    def _candidate(self, data: Mapping[str, Json], out: list[Event]) -> None:
        index = data.get("index") or 0
        if not isinstance(index, int):
            raise Malformed("a candidate's index is no integer")
        candidate = self._candidates.get(index)
        if candidate is None:
            number = number_of(index, {one.number for one in self._candidates.values()}, self._asked)
            candidate = self._candidates[index] = _Candidate(number)
        content = data.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        self._turn(candidate.number, out)
        for part in parts or ():
            if not isinstance(part, dict):
                raise Malformed("a part that is no object")
            self._part(candidate, part, out)
        self._beside(candidate, data, out)
        reason = data.get("finishReason")
        if isinstance(reason, str) and reason not in finish.UNSET:
            candidate.reason = reason
            self._usage(out)
            if (failed := finish.FAILURES.get(reason)) is not None:
                self._end(candidate, out)
                self._fail(_failure(failed, reason, candidate.rest.get("finishMessage")), out)

    def _turn(self, number: int, out: list[Event]) -> None:
        if number != self._choice:
            self._choice = number
            out.append(Choice(number))

    # --- parts ---------------------------------------------------------------------------------------------------

    def _part(self, candidate: _Candidate, part: dict[str, Json], out: list[Event]) -> None:
        text = part.get("text")
        if len(part) == 1 and isinstance(text, str):
            if text and candidate.open is not None and candidate.kind == "text":
                out.append(TextDelta(candidate.open, text))
                if self._grounded:
                    candidate.texts.append(text)
            else:
                self._text(candidate, text, part, out)
        elif isinstance(text, str) or "thought" in part:
            self._text(candidate, text if isinstance(text, str) else "", part, out)
        elif isinstance(call := part.get("functionCall"), dict):
            self._call(candidate, call, part, out)
        elif part.keys() == {"thoughtSignature"}:
            # Vertex signs media processing by such parts, which must not be replayed (2026-11).
            if not self._vertex:
                self._text(candidate, "", part, out)
        elif part:
            self._end(candidate, out)
            candidate.content = True
            out += (Native(self._next, API, part), PartEnd(self._next))
            self._next += 1

    def _text(self, candidate: _Candidate, text: str, part: Mapping[str, Json], out: list[Event]) -> None:
        kind: Literal["text", "reasoning"] = "reasoning" if part.get("thought") is True else "text"
        signature, side = _signature(part), _side(part, _TEXT_FIELDS)
        alone = signature is not None or bool(side)
        if not text and not alone:
            return
        if alone or candidate.open is None or candidate.kind != kind:
            self._end(candidate, out)
            candidate.open, candidate.kind = self._next, kind
            self._next += 1
            if kind == "text":
                candidate.last_text, candidate.texts = candidate.open, []
        number = candidate.open
        signed = Signed(number, API, kind, signature=signature, extras=side) if alone else None
        if kind == "text":
            candidate.content = candidate.content or bool(text)
            if signed is not None:
                out.append(signed)
            if text:
                out.append(TextDelta(number, text))
            if self._grounded:
                candidate.texts.append(text)
        else:
            if text:
                out.append(ReasoningDelta(number, text))
            if signed is not None:
                out.append(signed)
        if alone:
            self._end(candidate, out)

    def _end(self, candidate: _Candidate, out: list[Event]) -> None:
        if candidate.open is not None:
            out.append(PartEnd(candidate.open))
            candidate.open = None

    def _call(
        self, candidate: _Candidate, call: Mapping[str, Json], part: Mapping[str, Json], out: list[Event]
    ) -> None:
        more = call.get("willContinue") is True
        pieces = call.get("partialArgs")
        if candidate.partial is None:
            name, call_id = call.get("name"), call.get("id")
            if not isinstance(name, str) or not name:
                raise Malformed("a function call without a name")
            start = CallStart(self._next, call_id if isinstance(call_id, str) else "", name,
                              signature=_signature(part), extras=_side(part, _CALL_FIELDS))
            if not pieces and not more:
                self._called(candidate, start, _arguments(call), out)
                return
            candidate.partial = PartialCall(start)
        for piece in pieces if isinstance(pieces, list) else ():
            candidate.partial.add(piece)
        if not more:
            partial, candidate.partial = candidate.partial, None
            self._called(candidate, replace(partial.start, part=self._next), json.text(partial.args), out)

    def _called(self, candidate: _Candidate, start: CallStart, arguments: str, out: list[Event]) -> None:
        """A call, whole."""
        self._end(candidate, out)
        candidate.content = candidate.calls = True
        self._next += 1
        out += (start, CallDelta(start.part, arguments), PartEnd(start.part))

    # --- beside and after the parts ------------------------------------------------------------------------------

    def _beside(self, candidate: _Candidate, data: Mapping[str, Json], out: list[Event]) -> None:
        """Fields of the candidate that are not content. What only this API knows goes with the Finish."""
        if data.keys() <= _PLAIN:
            return
        for key, value in data.items():
            if key not in _READ and value is not None:
                candidate.rest[key] = value
        if (tokens := data.get("logprobsResult")) is not None:
            candidate.rest["logprobsResult"] = tokens
            if (made := to_chat(tokens)) and candidate.last_text >= 0:
                out.append(Logprobs(candidate.last_text, made))
        if (found := data.get("groundingMetadata")) is not None and self._open_text(candidate):
            out += [Cited(candidate.last_text, one) for one in citations(found, "".join(candidate.texts))]

    def _open_text(self, candidate: _Candidate) -> bool:
        """Whether a text part can still take citations: it is open, or the answer is whole."""
        return bool(candidate.texts) if self._whole else candidate.open == candidate.last_text

    def _finish(self, candidate: _Candidate, reason: str, out: list[Event]) -> None:
        self._end(candidate, out)
        stop = finish.REASONS.get(reason, "stop" if candidate.content else None)
        failed = finish.NEEDS_CONTENT.get(reason, finish.EMPTY) if stop is None else None
        if candidate.partial is not None and stop != "length":
            failed = finish.UNENDED
        if failed is not None or stop is None:
            self._fail(_failure(failed or finish.EMPTY, reason, candidate.rest.get("finishMessage")), out)
            return
        extras: Extras = {API: candidate.rest} if candidate.rest else NOTHING
        out.append(Finish("tool_calls" if stop == "stop" and candidate.calls else stop, reason or None, extras=extras))

    def _usage(self, out: list[Event]) -> None:
        """The counts so far, where they changed since the last time."""
        if self._counts and self._counts != self._told:
            self._told = dict(self._counts)
            out.append(UsageUpdate(usage(self._counts)))

    def _fail(self, failure: Failure, out: list[Event]) -> None:
        self._failed = True
        out.append(Failed(failure))


def _failure(what: tuple[ErrorType, str], reason: str, message: Json) -> Failure:
    """The failure of a finishReason; Google's own words win."""
    kind, words = what
    return Failure(kind, message if isinstance(message, str) and message else words, code=reason or None)


def _signature(part: Mapping[str, Json]) -> str | None:
    signature = part.get("thoughtSignature")
    return signature if isinstance(signature, str) and signature else None


def _side(part: Mapping[str, Json], known: frozenset[str]) -> Extras:
    if part.keys() <= known:
        return NOTHING
    return {API: {key: value for key, value in part.items() if key not in known}}


def _arguments(call: Mapping[str, Json]) -> str:
    """The arguments' text; a call without any has no `args`."""
    args = call.get("args")
    if args is None:
        return "{}"
    if not isinstance(args, dict):
        raise Malformed("the args of a function call are no object")
    try:
        return json.text(args)
    except RecursionError:
        raise Malformed("the args of a function call are nested too deeply") from None
