"""A streamed answer as `chat.completion.chunk` events, in the order that both official SDKs accumulate (wire page §5).

Role, id, name and type go out exactly once, tool indexes are dense and in order, `reasoning_details` entries have their
index in the whole list and are sent whole, the usage chunk is the last. Calls may interleave by index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from adapters import json
from adapters.errors import Attempt, Failure
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
    Pass,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.formats.openai_chat import details
from adapters.formats.openai_chat.details import API, Place
from adapters.formats.openai_chat.request import Reply
from adapters.formats.openai_chat.shapes import ReasoningText, annotation, call_extras, finish_word, own, usage_fields
from adapters.formats.shared.openai_envelope import error_fields
from adapters.model import Json, Reasoning, Usage

DONE = b"data: [DONE]\n\n"
PING = b": keep-alive\n\n"
_CLOSE = b"}"


class _Frame:
    """The bytes around a delta, the same for a whole stream; `after` ends a chunk whose delta stands last."""

    __slots__ = ("after", "before", "common", "usage")

    def __init__(self, reply: Reply, fields: dict[str, Json]) -> None:
        common = {
            **fields,
            "id": reply.id,
            "object": "chat.completion.chunk",
            "created": reply.created,
            "model": reply.model,
        }
        self.common = json.dumps(common)[:-1]
        self.usage = b',"usage":null' if reply.include_usage else b""
        self.before = b"data: " + self.common + b',"choices":[{"index":'
        self.after = b',"logprobs":null,"finish_reason":null}]' + self.usage + b"}\n\n"

    def delta(self, index: int, key: str) -> bytes:
        """What stands before the value of a delta that has this one key."""
        return self.before + b'%d,"delta":{"%b":' % (index, key.encode())

    def choice(self, index: int, fields: dict[str, Json]) -> bytes:
        """A chunk of one choice, in full."""
        return self.before + b"%d," % index + json.dumps(fields)[1:] + b"]" + self.usage + b"}\n\n"


    def answer(self, fields: dict[str, Json]) -> bytes:
        """A chunk without choices."""
        return b"data: " + self.common + b',"choices":[],' + json.dumps(fields)[1:-1] + self.usage + b"}\n\n"


class _Call:
    """An open call. `empty`: no arguments were written yet."""

    __slots__ = ("before", "empty", "function")

    def __init__(self, before: bytes, function: bool) -> None:
        self.before = before
        self.empty = True
        self.function = function


class _Choice:
    """One choice under way; `text` and `reasoning` are what stands before a piece of either."""

    def __init__(self, index: int, frame: _Frame) -> None:
        self.index = index
        self.text = frame.delta(index, "content")
        self.reasoning = frame.delta(index, "reasoning_content")
        self.started = False
        self.said = False
        self.refused = False
        self.gaps = ReasoningText()
        self.calls: dict[int, _Call] = {}
        self.blocks = 0
        self.entries = 0
        self.annotations: list[Json] = []
        self.tokens: list[Json] = []
        self.finished = False

    def place(self) -> Place:
        """Where a reasoning block stands that comes now."""
        return Place(self.said + self.refused + len(self.calls), self.blocks)


class Encoder:
    """One per stream."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._frame = _Frame(reply, {})
        self._end = _CLOSE + self._frame.after
        self._choices: dict[int, _Choice] = {}
        self._at = self._choice(0)
        self._thoughts: dict[int, list[tuple[int, str]]] = {}
        self._usage = Usage()
        self._out: list[bytes] = []

    def feed(self, events: Iterable[Event]) -> bytes:
        out = self._out
        for event in events:
            if type(event) is TextDelta and (at := self._at).said and not at.tokens:
                if event.text:
                    out += (at.text, json.dumps(event.text), self._end)
            elif type(event) is CallDelta:
                self._arguments(event)
            elif handle := _HANDLERS.get(type(event)):
                handle(self, event)
        self._out = []
        return b"".join(out)

    def close(self) -> bytes:
        usage = usage_fields(self._usage) if self._reply.include_usage else None
        if usage is None:
            return DONE
        return b"data: " + self._frame.common + b',"choices":[],"usage":' + json.dumps(usage) + b"}\n\n" + DONE

    def fail(self, failure: Failure, attempts: tuple[Attempt, ...]) -> bytes:
        return b"data: " + json.dumps({"error": error_fields(failure, attempts)}) + b"\n\n"

    def ping(self) -> bytes:
        return PING

    # --- events, by type ---------------------------------------------------------------------------------------------

    def _begun(self, event: Started) -> None:
        fields = own(event.extras, "answer")
        if fields and not any(choice.started for choice in self._choices.values()):
            self._frame = _Frame(self._reply, dict(fields))
            self._end = _CLOSE + self._frame.after
            self._choices = {}
            self._at = self._choice(0)

    def _chosen(self, event: Choice) -> None:
        self._at = self._choice(event.index)

    def _choice(self, index: int) -> _Choice:
        found = self._choices.get(index)
        if found is None:
            found = self._choices[index] = _Choice(index, self._frame)
        return found

    def _text(self, event: TextDelta) -> None:
        if event.text:
            self._start("").said = True
            self._send({"content": event.text})

    def _refusal(self, event: RefusalDelta) -> None:
        if event.text:
            self._start(None).refused = True
            self._send({"refusal": event.text})

    def _reasoning(self, event: ReasoningDelta) -> None:
        self._thoughts.setdefault(event.part, []).append((event.section, event.text))
        if event.text:
            at = self._start("")
            gap = at.gaps.gap(event.part, event.section)
            self._out += (at.reasoning, json.dumps(gap + event.text), self._end)

    def _signed(self, event: Signed) -> None:
        """The block whole, in `reasoning_details`. Signatures of texts have no place in this dialect."""
        if event.kind != "reasoning":
            return
        at = self._at
        sections: dict[int, str] = {}
        for section, text in self._thoughts.pop(event.part, []):
            sections[section] = sections.get(section, "") + text
        texts = tuple(text for _, text in sorted(sections.items())) or None
        text = "\n\n".join(texts or ())
        block = Reasoning(text, event.api, event.origin, event.id, event.signature, event.data, texts, event.extras)
        made = details.entries(block, at.place())
        if made:
            self._start("")
            self._send({"reasoning_details": [{**entry, "index": at.entries + i} for i, entry in enumerate(made)]})
            at.blocks += 1
            at.entries += len(made)

    def _opened(self, event: CallStart) -> None:
        at = self._start(None)
        kind, argument = ("custom", "input") if event.kind == "custom" else ("function", "arguments")
        inner = {"name": event.name, argument: ""}
        if self._reply.legacy:
            if not at.calls:
                self._send({"function_call": inner})
            before = self._frame.delta(at.index, "function_call") + b'{"arguments":'
            at.calls[event.part] = _Call(before, True)
            return
        index = len(at.calls)
        extras = call_extras(event.signature, event.origin, event.extras)
        self._send({"tool_calls": [{"index": index, "id": event.id, "type": kind, kind: inner, **extras}]})
        before = self._frame.delta(at.index, "tool_calls") + b'[{"index":%d,"%b":{"%b":' % (
            index, kind.encode(), argument.encode())
        at.calls[event.part] = _Call(before, kind == "function")

    def _arguments(self, event: CallDelta) -> None:
        at = self._at
        call = at.calls.get(event.part)
        if call is None or not event.text or (self._reply.legacy and call is not next(iter(at.calls.values()))):
            return
        call.empty = False
        self._out += (call.before, json.dumps(event.text), b"}}" if self._reply.legacy else b"}}]}", self._frame.after)

    def _cited(self, event: Cited) -> None:
        if (made := annotation(event.citation)) is not None:
            self._at.annotations.append(made)

    def _logprobs(self, event: Logprobs) -> None:
        """Kept for the chunk of the text that follows."""
        self._at.tokens += event.tokens

    def _native(self, event: Native) -> None:
        if event.api == API and isinstance(event.data, dict):
            self._start(None)
            self._send(event.data)
        elif event.text:
            self._text(TextDelta(event.part, event.text))

    def _ended(self, event: PartEnd) -> None:
        self._thoughts.pop(event.part, None)

    def _pass(self, event: Pass) -> None:
        if event.api != API or not isinstance(event.data, dict):
            return
        match event.name:
            case "delta":
                self._start("")
                self._send(event.data)
            case "choice":
                at = self._start("")
                fields = {"delta": {}, "logprobs": None, "finish_reason": None, **event.data}
                self._out.append(self._frame.choice(at.index, fields))
            case "answer":
                self._out.append(self._frame.answer(event.data))

    def _used(self, event: UsageUpdate) -> None:
        self._usage = self._usage.updated(event.usage)

    def _finish(self, event: Finish) -> None:
        at = self._start("")
        if at.finished:
            return
        if at.tokens:
            self._send({})
        if at.annotations:
            self._send({"annotations": at.annotations})
        if event.reason != "length":
            for part, call in list(at.calls.items()):
                if call.empty and call.function:
                    self._arguments(CallDelta(part, "{}"))
        at.finished = True
        word = finish_word(event.reason, self._reply.legacy)
        self._out.append(self._frame.choice(at.index, {"delta": {}, "logprobs": None, "finish_reason": word}))

    # --- chunks ------------------------------------------------------------------------------------------------------

    def _start(self, content: str | None) -> _Choice:
        """The choice, its role told. Content is null where something else than text follows at once."""
        at = self._at
        if not at.started:
            at.started = True
            self._send({"role": "assistant", "content": content, "refusal": None})
        return at

    def _send(self, delta: Json) -> None:
        """A chunk with this delta, and the token probabilities that wait for one."""
        at = self._at
        logprobs: Json = None
        if at.tokens and "role" not in delta:
            kinds = ("refusal", "content") if "refusal" in delta else ("content", "refusal")
            logprobs, at.tokens = dict(zip(kinds, (at.tokens, None), strict=True)), []
        self._out.append(self._frame.choice(at.index, {"delta": delta, "logprobs": logprobs, "finish_reason": None}))


_HANDLERS: dict[type, Callable[..., None]] = {
    Started: Encoder._begun,
    Choice: Encoder._chosen,
    TextDelta: Encoder._text,
    RefusalDelta: Encoder._refusal,
    ReasoningDelta: Encoder._reasoning,
    Signed: Encoder._signed,
    CallStart: Encoder._opened,
    Cited: Encoder._cited,
    Logprobs: Encoder._logprobs,
    Native: Encoder._native,
    Pass: Encoder._pass,
    UsageUpdate: Encoder._used,
    PartEnd: Encoder._ended,
    Finish: Encoder._finish,
}
