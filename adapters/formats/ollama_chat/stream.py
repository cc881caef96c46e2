"""Answers of Ollama's `/api/chat` (2026-11): one JSON object a line, deltas, calls whole; a whole answer is one object.

The last object says `done`. Thinking comes before content; calls may come over several lines and text after them.
`function.index` is not read: older servers always say 0 or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from adapters import json
from adapters.errors import Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Event,
    Failed,
    Finish,
    Logprobs,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.formats.ollama_chat.errors import failure_inside
from adapters.framing.ndjson import Lines
from adapters.model import Json, StopReason, Usage

_STOP: Mapping[str, StopReason] = {"stop": "stop", "length": "length", "load": "stop", "unload": "stop"}


def decode_whole(body: bytes) -> list[Event]:
    """The events of a whole answer, the same as those of its stream. Raises Malformed."""
    reader = _Reader()
    events = reader.line(body)
    if not reader.over:
        raise Malformed("an answer that does not say done")
    return events


class Decoder:
    """One stream. After the last object nothing more is read."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._reader = _Reader()

    def feed(self, data: bytes) -> list[Event]:
        return self._read(self._lines.feed(data))

    def close(self) -> list[Event]:
        events = self._read(self._lines.close())
        if not self._reader.over:
            raise Malformed("the stream ended without done")
        return events

    def _read(self, lines: list[bytes]) -> list[Event]:
        reader = self._reader
        events: list[Event] = []
        for line in lines:
            if not reader.over:
                events += reader.line(line)
        return events


class _Reader:
    """Objects to events. `over`: the answer has ended, or failed."""

    __slots__ = ("_open", "_part", "_started", "over")

    def __init__(self) -> None:
        self._open: Literal["", "text", "reasoning"] = ""
        self._part = 0
        self._started = False
        self.over = False

    def line(self, text: bytes) -> list[Event]:
        try:
            data = json.loads(text)
        except ValueError:
            raise Malformed(f"a line that is no JSON: {text[:80]!r}") from None
        if not isinstance(data, dict):
            raise Malformed("a line that is no object")
        if error := data.get("error"):
            self.over = True
            return [Failed(failure_inside(error, data.get("status")))]
        out: list[Event] = []
        if not self._started:
            self._started = True
            model = data.get("model")
            out.append(Started(model=model if isinstance(model, str) else None))
        message = data.get("message")
        if message is not None:
            self._message(message, data, out)
        if data.get("done") is True:
            self._done(data, out)
        return out

    def _message(self, message: Json, data: Mapping[str, Json], out: list[Event]) -> None:
        if not isinstance(message, dict):
            raise Malformed("a message that is no object")
        if thinking := _text(message, "thinking"):
            self._enter("reasoning", out)
            out.append(ReasoningDelta(self._part, thinking))
        if content := _text(message, "content"):
            self._enter("text", out)
            out.append(TextDelta(self._part, content))
            if tokens := _logprobs(data.get("logprobs")):
                out.append(Logprobs(self._part, tokens))
        for call in message.get("tool_calls") or ():
            self._enter("", out)
            self._call(call, out)

    def _enter(self, kind: Literal["", "text", "reasoning"], out: list[Event]) -> None:
        """Closes the open part where another kind begins."""
        if self._open and self._open != kind:
            out.append(PartEnd(self._part))
            self._part += 1
        self._open = kind

    def _call(self, call: Json, out: list[Event]) -> None:
        match call:
            case {"function": {"name": str(name), **function}} if name:
                found = call.get("id")
                arguments = _arguments(function.get("arguments"))
            case _:
                raise Malformed("a tool call without a name")
        part = self._part
        out += [
            CallStart(part, found if isinstance(found, str) else "", name), CallDelta(part, arguments), PartEnd(part)
        ]
        self._part += 1

    def _done(self, data: Mapping[str, Json], out: list[Event]) -> None:
        self._enter("", out)
        self.over = True
        out.append(UsageUpdate(Usage(_count(data, "prompt_eval_count"), _count(data, "eval_count"))))
        word = data.get("done_reason")
        word = word if isinstance(word, str) and word else None
        out.append(Finish(_STOP.get(word or "", "stop"), word))


def _text(message: Mapping[str, Json], key: str) -> str:
    value = message.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Malformed(f"{key} that is no text")
    return value


def _arguments(value: Json) -> str:
    """The argument text of an object. Imitators of the API send a text."""
    match value:
        case None:
            return "{}"
        case str():
            return value
        case dict():
            return json.text(value)
    raise Malformed("arguments that are no object")


def _logprobs(value: Json) -> tuple[Json, ...]:
    """In Chat Completions' shape, which is this API's but for fields that may be missing."""
    if not isinstance(value, list):
        return ()
    return tuple({**_scored(one), "top_logprobs": _tops(one)} for one in value if isinstance(one, dict))


def _tops(one: Mapping[str, Json]) -> list[Json]:
    tops = one.get("top_logprobs")
    return [_scored(top) for top in tops if isinstance(top, dict)] if isinstance(tops, list) else []


def _scored(one: Mapping[str, Json]) -> dict[str, Json]:
    return {"token": one.get("token"), "logprob": one.get("logprob"), "bytes": one.get("bytes")}


def _count(data: Mapping[str, Json], key: str) -> int:
    """Missing where the prompt was fully cached, and on error paths."""
    value = data.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
