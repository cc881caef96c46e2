"""Chunks of chat-like APIs -> events. A whole answer is one chunk whose choices have a `message` instead of a `delta`.

What hosts really send is taken as openai-chat §6 lists it (2026-11). The finish waits for the end of the stream, since
hosts send more after a finish reason: usage, calls, repetitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from adapters.errors import ErrorType, Failure, Malformed
from adapters.events import (
    Choice,
    Cited,
    Event,
    Failed,
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
from adapters.format import Reading
from adapters.formats.shared.chat_calls import Calls, known_names
from adapters.formats.shared.chat_parts import Thoughts, citation, pieces
from adapters.formats.shared.chat_usage import usage
from adapters.formats.shared.choices import number_of
from adapters.model import NOTHING, Json, StopReason

Kind = Literal["text", "refusal", "reasoning"]

FINISH: Mapping[str, StopReason] = {
    **dict.fromkeys(("tool_calls", "tool_call", "function_call", "tool_use"), "tool_calls"),
    **dict.fromkeys(("stop", "end", "eos", "end_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "length"),
    **dict.fromkeys(("content_filter", "sensitive", "safety", "recitation", "refusal"), "content_filter"),
}
"""Finish reasons in lower case; others mean `stop`."""

FAILED: Mapping[str, ErrorType] = {
    "error": "api_error",
    "network_error": "api_error",
    "insufficient_system_resource": "overloaded_error",
    "abort": "connection_error",
}
"""Finish reasons that are failures."""

_CHUNK = frozenset({"id", "object", "created", "model", "choices", "usage", "obfuscation", "error", "base_resp"})
_CHOICE = frozenset({"index", "delta", "message", "messages", "finish_reason", "logprobs", "usage", "error"})
_NOISE = frozenset({"prompt_filter_results", "content_filter_results", "content_filter_offsets", "x_groq"})
"""What a stream's clients need not see; whole answers keep it."""
_DELTA = frozenset({
    "role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio", "images", "reasoning",
    "reasoning_content", "reasoning_text", "reasoning_details", "toolCalls",
})
_NATIVE = ("audio", "images")
_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_text")
_RARE = frozenset({"error", "base_resp", "x_groq"})


@dataclass(slots=True, frozen=True)
class Wire:
    """What differs between the APIs of this family.

    failure: what an error inside a 200 means. own: there are clients of the same dialect, who get unknown fields and
    native parts. thinking: thinking parts of a content are native blocks, which are sent back.
    """

    api: str
    failure: Callable[[Json], Failure]
    own: bool = False
    thinking: bool = False


@dataclass(slots=True, eq=False)
class _State:
    """One choice under way: the answer's `index`-th. `kind` and `part` are the open part; `text` the last text part."""

    index: int
    calls: Calls
    kind: Kind | None = None
    part: int = -1
    text: int | None = None
    said: bool = False
    by_deltas: bool = False
    thoughts: Thoughts = field(default_factory=Thoughts)
    tokens: list[Json] = field(default_factory=list)
    finish: str | None = None
    choice_fields: dict[str, Json] = field(default_factory=dict)
    message_fields: dict[str, Json] = field(default_factory=dict)


class Chunks:
    """Reads the chunks of one answer. `over`: it failed or ended, nothing more is read."""

    def __init__(self, wire: Wire, reading: Reading) -> None:
        self._wire = wire
        self._known = known_names(reading)
        self._asked = reading.choices
        self._parts = -1
        self._states: dict[int, _State] = {}
        self._current = 0
        """The host's index of the choice that spoke last."""
        self._told = 0
        self._started = False
        self._fields: dict[str, Json] = {}
        self._usage: Json = None
        self._plain = frozenset({""})
        self._repeated: tuple[str, ...] = ()
        self.over = False

    def take(self, chunk: Json, out: list[Event]) -> None:
        """One chunk. Raises Malformed for what is none."""
        if self.over or (type(chunk) is dict and chunk.keys() == self._plain and self._take_plain(chunk, out)):
            return
        error = error_in(chunk)
        if error is not None:
            self._fail(self._wire.failure(error), out)
            return
        choices = chunk.get("choices")
        if choices:
            if not isinstance(choices, list):
                raise Malformed("choices is no array")
            if not self._started:
                self._start(chunk, out)
            for choice in choices:
                if not self.over:
                    self._choice(choice, out)
        self._count(chunk, choices, out)
        if not self.over and not chunk.keys() <= _CHUNK:
            self._unknown(chunk, out)
        if choices and chunk.keys() != self._plain and not chunk.keys() & _RARE:
            self._plain = frozenset(chunk)
            self._repeated = tuple(self._plain - _CHUNK)

    def _take_plain(self, chunk: dict[str, Json], out: list[Event]) -> bool:
        """The short way for a chunk that has the fields of the one before and says nothing but a delta of the same
        choice. False: nothing was done."""
        choices = chunk["choices"]
        if type(choices) is not list or len(choices) != 1 or chunk.get("usage") is not None:
            return False
        choice = choices[0]
        if type(choice) is not dict or choice.get("finish_reason") is not None or choice.get("logprobs") is not None:
            return False
        delta, state = choice.get("delta"), self._states.get(self._current)
        known = 2 + ("finish_reason" in choice) + ("logprobs" in choice)
        if type(delta) is not dict or state is None or len(choice) != known or choice.get("index") != self._current:
            return False
        if self._repeated and not all(self._fields.get(name) == chunk[name] for name in self._repeated):
            return False
        self._delta(state, delta, out)
        return True

    def end(self, clean: bool, out: list[Event]) -> None:
        """The end of the answer; `clean`: the upstream said so. Raises Malformed where it broke off."""
        if self.over:
            return
        if not self._states:
            raise Malformed("the answer ended without any choice")
        for state in self._states.values():
            if state.finish is None and not clean:
                raise Malformed("the stream ended without a finish reason")
        for state in sorted(self._states.values(), key=lambda one: one.index):
            if not self.over:
                self._finish(state, out)
        self.over = True

    @property
    def finished(self) -> bool:
        """Whether every choice has said how it ended."""
        return bool(self._states) and all(state.finish is not None for state in self._states.values())

    # --- chunk -------------------------------------------------------------------------------------------------------

    def _fail(self, failure: Failure, out: list[Event]) -> None:
        self.over = True
        out.append(Failed(failure))

    def _start(self, chunk: Mapping[str, Json], out: list[Event]) -> None:
        """Short fields go with every chunk of a stream, long ones once."""
        self._started = True
        own = chunk.items() if self._wire.own else ()
        short = {key: value for key, value in own if key not in _CHUNK and isinstance(value, str | int)}
        self._fields.update(short)
        extras = {self._wire.api: {"answer": short}} if short else NOTHING
        answer_id, model = chunk.get("id"), chunk.get("model")
        out.append(Started(
            answer_id if isinstance(answer_id, str) and answer_id else None,
            model if isinstance(model, str) and model else None,
            extras,
        ))

    def _unknown(self, chunk: Mapping[str, Json], out: list[Event]) -> None:
        """Fields of the whole answer that toolwire does not know, once for each value."""
        if not self._wire.own:
            return
        news = {k: v for k, v in chunk.items() if k not in _CHUNK and v is not None and self._fields.get(k) != v}
        if news:
            self._fields.update(news)
            if self._started and (shown := {k: v for k, v in news.items() if k not in _NOISE}):
                out.append(Pass(self._wire.api, "answer", shown))

    def _count(self, chunk: Mapping[str, Json], choices: Json, out: list[Event]) -> None:
        """Usage stands at the chunk, in a choice (Moonshot) or in `x_groq`. The last one holds."""
        raw = chunk.get("usage")
        if not isinstance(raw, dict):
            beside = chunk.get("x_groq")
            raw = beside.get("usage") if isinstance(beside, dict) else None
            if raw is None and choices:
                raw = next((c["usage"] for c in choices if isinstance(c, dict) and c.get("usage")), None)
        if isinstance(raw, dict) and raw and raw != self._usage:
            self._usage = raw
            out.append(UsageUpdate(usage(raw, self._wire.api if self._wire.own else None)))

    # --- choice ------------------------------------------------------------------------------------------------------

    def _number(self) -> int:
        self._parts += 1
        return self._parts

    def _state(self, index: Json, out: list[Event]) -> _State:
        """The choice with this index, which the events that follow belong to."""
        if not isinstance(index, int) or index < 0:
            index = self._current if self._asked == 1 else 0
        state = self._states.get(index)
        if state is None:
            calls = Calls(self._wire.api if self._wire.own else None, self._known, self._number)
            number = number_of(index, {one.index for one in self._states.values()}, self._asked)
            state = self._states[index] = _State(number, calls)
        self._current = index
        self._turn(state, out)
        return state

    def _turn(self, state: _State, out: list[Event]) -> None:
        if state.index != self._told:
            self._told = state.index
            out.append(Choice(state.index))

    def _choice(self, choice: Json, out: list[Event]) -> None:
        if not isinstance(choice, dict):
            raise Malformed("a choice is no object")
        state = self._state(choice.get("index"), out)
        if isinstance(logprobs := choice.get("logprobs"), dict):
            for name in ("content", "refusal"):
                state.tokens += _list(logprobs.get(name))
        for delta in _deltas(choice, state):
            self._delta(state, delta, out)
        if not choice.keys() <= _CHOICE:
            self._keep(state, choice, "choice", out)
        reason = choice.get("finish_reason", choice.get("finishReason"))
        if isinstance(reason, str) and reason:
            state.finish = reason.lower()
        if state.finish in FAILED or choice.get("error"):
            self._fail(self._failed(choice.get("error"), state.finish), out)

    def _failed(self, error: Json, finish: str | None) -> Failure:
        """The failure that a finish reason tells, or the error beside it explains."""
        kind = FAILED.get(finish or "", "api_error")
        if not error:
            return Failure(kind, f"The upstream ended its answer with {finish}.")
        failure = self._wire.failure({"error": error})
        return replace(failure, type=kind) if failure.type == "api_error" else failure

    def _keep(self, state: _State, fields: Mapping[str, Json], place: str, out: list[Event]) -> None:
        """Fields that toolwire does not know: into the whole answer, and past it for a stream's clients."""
        if not self._wire.own:
            return
        known, kept = (_CHOICE, state.choice_fields) if place == "choice" else (_DELTA, state.message_fields)
        news = {k: v for k, v in fields.items() if k not in known and v is not None}
        kept.update(news)
        if shown := {k: v for k, v in news.items() if k not in _NOISE and v not in ({}, [])}:
            out.append(Pass(self._wire.api, place, shown))

    # --- delta -------------------------------------------------------------------------------------------------------

    def _delta(self, state: _State, delta: Mapping[str, Json], out: list[Event]) -> None:
        if len(delta) == 1 and not state.tokens and self._short(state, delta, out):
            return
        content = delta.get("content")
        self._reasoning(state, delta, out)
        for kind, text, raw in pieces(content):
            if raw is not None and self._wire.thinking:
                self._enter(state, "reasoning", out).sign(raw)
            self._say(state, kind, text, out)
        refusal = delta.get("refusal")
        if isinstance(refusal, str):
            self._say(state, "refusal", refusal, out)
        for value in _list(delta.get("annotations")):
            if (cited := citation(value, self._wire.api)) is not None:
                if state.text is None:
                    self._enter(state, "text", out)
                out.append(Cited(state.part if state.text is None else state.text, cited))
        self._calls(state, delta, out)
        if self._wire.own and not delta.keys() <= _DELTA:
            self._keep(state, delta, "delta", out)
        for name in _NATIVE:
            if delta.get(name) and self._wire.own:
                self._native(state, name, delta[name], out)

    def _short(self, state: _State, delta: Mapping[str, Json], out: list[Event]) -> bool:
        """A piece of what is open already; False: it is something else."""
        for name, value in delta.items():
            if name == "content" and state.kind == "text" and type(value) is str:
                if value:
                    out.append(TextDelta(state.part, value))
                return True
            if name in _THOUGHTS and state.kind == "reasoning" and type(value) is str:
                if value:
                    out.append(ReasoningDelta(state.part, value))
                return True
            if name == "tool_calls" and state.kind is None and type(value) is list:
                state.calls.feed(value, out)
                return True
        return False

    def _reasoning(self, state: _State, delta: Mapping[str, Json], out: list[Event]) -> None:
        text = next((value for name in _THOUGHTS if isinstance(value := delta.get(name), str) and value), "")
        entries = delta.get("reasoning_details")
        if isinstance(entries, list) and entries:
            told, visible = self._enter(state, "reasoning", out).take(entries)
            self._say(state, "reasoning", text or told, out)
            self._say(state, "text", visible, out)
        else:
            self._say(state, "reasoning", text, out)

    def _say(self, state: _State, kind: Kind, text: str, out: list[Event]) -> None:
        if not text:
            return
        self._enter(state, kind, out)
        if kind == "reasoning":
            out.append(ReasoningDelta(state.part, text))
            return
        state.said = True
        if state.tokens:
            out.append(Logprobs(state.part, tuple(state.tokens)))
            state.tokens = []
        out.append(TextDelta(state.part, text) if kind == "text" else RefusalDelta(state.part, text))

    def _enter(self, state: _State, kind: Kind, out: list[Event]) -> Thoughts:
        """Makes a part of this kind the open one; another one ends. The opaque half of an open reasoning part."""
        if state.kind != kind:
            self._leave(state, out)
            state.kind, state.part, state.thoughts = kind, self._number(), Thoughts()
            if kind == "text":
                state.text = state.part
        return state.thoughts

    def _leave(self, state: _State, out: list[Event]) -> None:
        if state.kind is None:
            return
        if state.kind == "reasoning" and (block := state.thoughts.block(self._wire.api)) is not None:
            opaque = (block.id, block.signature, block.data)
            out.append(Signed(state.part, self._wire.api, "reasoning", *opaque, extras=block.extras))
        out.append(PartEnd(state.part))
        state.kind = None

    def _calls(self, state: _State, delta: Mapping[str, Json], out: list[Event]) -> None:
        values = delta.get("tool_calls") or delta.get("toolCalls")
        legacy = delta.get("function_call")
        if not values and isinstance(legacy, dict):
            values = [{"index": 0, "function": legacy}]
        if values:
            if not isinstance(values, list):
                raise Malformed("tool_calls is no array")
            self._leave(state, out)
            state.calls.feed(values, out)

    def _native(self, state: _State, name: str, value: Json, out: list[Event]) -> None:
        self._leave(state, out)
        part = self._number()
        text = value.get("transcript") if isinstance(value, dict) else None
        out.append(Native(part, self._wire.api, {name: value}, text if isinstance(text, str) else ""))
        out.append(PartEnd(part))
        state.said = True

    # --- end ---------------------------------------------------------------------------------------------------------

    def _finish(self, state: _State, out: list[Event]) -> None:
        self._turn(state, out)
        word = state.finish or "stop"
        reason = FINISH.get(word, "stop")
        if word == "model_context_window_exceeded":
            if not state.said and not state.calls:
                text = "The prompt does not fit the model's context window."
                self._fail(Failure("context_length_exceeded", text, code="context_length_exceeded"), out)
                return
            reason = "length"
        self._leave(state, out)
        if state.tokens:
            out.append(Logprobs(state.text or 0, tuple(state.tokens)))
        state.calls.close(reason == "length", out)
        out.append(Finish(reason, state.finish, extras=self._extras(state)))

    def _extras(self, state: _State) -> Mapping[str, Mapping[str, Json]]:
        fields = {"answer": self._fields, "choice": state.choice_fields, "message": state.message_fields}
        own = {place: dict(kept) for place, kept in fields.items() if kept}
        return {self._wire.api: own} if own else NOTHING


def error_in(chunk: Json) -> Json:
    """The error inside a 200: `error`, `base_resp`, `x_groq.error`, or an envelope alone; None where there is none."""
    match chunk:
        case {"error": error} if error:
            return chunk
        case {"object": "error"}:
            return chunk
        case {"base_resp": {"status_code": int(code)}} if code:
            return {"base_resp": chunk["base_resp"]}
        case {"x_groq": {"error": error}} if error:
            return {"error": error}
        case dict():
            if chunk.get("choices") is not None or chunk.get("usage") is not None:
                return None
            return chunk if any(name in chunk for name in ("msg", "message", "detail", "errors")) else None
        case str() | [{"error": _}, *_]:
            return chunk
    raise Malformed("a chunk is no object")


def _deltas(choice: Mapping[str, Json], state: _State) -> Iterator[Mapping[str, Json]]:
    """The delta. A message in its place counts as one; after deltas it only adds what they had nothing of."""
    if isinstance(delta := choice.get("delta"), dict):
        state.by_deltas = state.by_deltas or any(delta.values())
        yield delta
        return
    said = {"content", "refusal"} if state.by_deltas and state.said else set()
    called = {"tool_calls", "function_call"} if state.by_deltas and state.calls else set()
    for message in (choice.get("message"), *_list(choice.get("messages"))):
        if isinstance(message, dict):
            yield {key: value for key, value in message.items() if key not in said | called}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
