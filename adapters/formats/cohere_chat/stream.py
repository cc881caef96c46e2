"""Streamed answers of Cohere's v2 chat (2026-11).

    message-start (tool-plan-delta | block | call)* message-end
    block = content-start (content-delta | citation-start citation-end)* content-end
    call  = tool-call-start tool-call-delta* tool-call-end

Content and calls are numbered apart, so that both get numbers of our own. A part ends where the next begins: a citation
may follow the end of its block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from adapters import json
from adapters.errors import Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Failed,
    Logprobs,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
)
from adapters.formats.cohere_chat.answer import arguments, citations, ending, logprobs
from adapters.formats.cohere_chat.errors import failure_inside
from adapters.framing.sse import SSE
from adapters.model import NOTHING, Json

_NO_ARGUMENTS = "null"


@dataclass(slots=True)
class _Open:
    """The open part. `kind`: plan, text, thinking or call. `index` is the wire's; `held`: arguments that may yet turn
    out to mean none; `said`: some have gone out."""

    kind: str
    index: Json
    held: str = ""
    said: bool = False


class Decoder:
    """One stream. After message-end nothing more is read."""

    def __init__(self) -> None:
        self._sse = SSE()
        self._open: _Open | None = None
        self._part = 0
        self._started = False
        self._over = False

    def feed(self, data: bytes) -> list[Event]:
        out: list[Event] = []
        for name, payload in self._sse.feed(data):
            self._frame(name, payload, out)
        return out

    def close(self) -> list[Event]:
        out: list[Event] = []
        for name, payload in self._sse.close():
            self._frame(name, payload, out)
        if not self._over:
            raise Malformed("the stream ended without message-end")
        return out

    def _frame(self, name: bytes | None, payload: bytes, out: list[Event]) -> None:
        if self._over or payload.strip() in (b"", b"[DONE]"):
            return
        try:
            event = json.loads(payload)
        except ValueError:
            raise Malformed(f"an event that is no JSON: {payload[:80]!r}") from None
        if not isinstance(event, dict):
            raise Malformed("an event that is no object")
        kind = event.get("type")
        if not isinstance(kind, str):
            kind = (name or b"").decode("utf-8", "replace")
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, event, out)
        elif kind in ("error", "") and isinstance(message := event.get("message"), str):
            self._over = True
            out.append(Failed(failure_inside(message)))

    # --- the message -----------------------------------------------------------------------------------------------

    def start(self, event: dict[str, Json], out: list[Event]) -> None:
        if self._started:
            raise Malformed("a second message-start")
        self._started = True
        found = event.get("id")
        out.append(Started(found if isinstance(found, str) else None))

    def end(self, event: dict[str, Json], out: list[Event]) -> None:
        delta = event.get("delta")
        if not isinstance(delta, dict) or not isinstance(word := delta.get("finish_reason"), str):
            raise Malformed("message-end without finish_reason")
        self._leave(out, cut=word == "MAX_TOKENS")
        self._over = True
        out += ending(word, delta.get("error"), delta.get("usage"))

    def _leave(self, out: list[Event], cut: bool = False) -> None:
        """Closes the open part. A call without arguments has none, unless it was cut off before they began."""
        opened, self._open = self._open, None
        if opened is None:
            return
        if opened.kind == "call" and not opened.said and not cut:
            out.append(CallDelta(self._part, arguments(opened.held)))
        if opened.said or opened.kind == "call":
            out.append(PartEnd(self._part))
            self._part += 1

    def _enter(self, kind: str, index: Json, out: list[Event]) -> _Open:
        self._leave(out)
        opened = self._open = _Open(kind, index)
        return opened

    # --- plan and content ------------------------------------------------------------------------------------------

    def plan(self, event: dict[str, Json], out: list[Event]) -> None:
        opened = self._open
        if opened is None or opened.kind != "plan":
            opened = self._enter("plan", None, out)
        if text := _text(_message(event), "tool_plan"):
            opened.said = True
            out.append(ReasoningDelta(self._part, text))

    def content_start(self, event: dict[str, Json], out: list[Event]) -> None:
        content = _object(_message(event), "content")
        kind = content.get("type")
        if not isinstance(kind, str):
            raise Malformed("content-start without a type")
        self._say(self._enter(kind, event.get("index"), out), content, event, out)

    def content_delta(self, event: dict[str, Json], out: list[Event]) -> None:
        opened = self._open
        if opened is None or opened.kind in ("plan", "call") or event.get("index") not in (None, opened.index):
            raise Malformed(f"content-delta for block {event.get('index')!r}, which is not open")
        self._say(opened, _object(_message(event), "content"), event, out)

    def _say(
        self, opened: _Open, content: Mapping[str, Json], event: Mapping[str, Json], out: list[Event]
    ) -> None:
        said: Event | None = None
        if text := _text(content, "thinking"):
            said = ReasoningDelta(self._part, text)
        elif text := _text(content, "text"):
            said = TextDelta(self._part, text)
        if said is None:
            return
        if isinstance(said, ReasoningDelta) != (opened.kind == "thinking"):
            raise Malformed(f"a delta of another kind in a {opened.kind} block")
        opened.said = True
        out.append(said)
        if (scores := event.get("logprobs")) and opened.kind == "text" and (tokens := logprobs(scores)):
            out.append(Logprobs(self._part, tokens))

    def citation(self, event: dict[str, Json], out: list[Event]) -> None:
        opened = self._open
        native: Json = _message(event).get("citations")
        listed: list[Json] = native if isinstance(native, list) else [native]
        for one in listed:
            for citation in citations(one):
                if opened is not None and opened.kind == "text" and _of(one, opened.index):
                    opened.said = True
                    out.append(Cited(self._part, citation))

    # --- calls -----------------------------------------------------------------------------------------------------

    def call_start(self, event: dict[str, Json], out: list[Event]) -> None:
        call = _object(_message(event), "tool_calls")
        function = _object(call, "function")
        name, found = function.get("name"), call.get("id")
        if not isinstance(name, str) or not name:
            raise Malformed("tool-call-start without a name")
        opened = self._enter("call", event.get("index"), out)
        out.append(CallStart(self._part, found if isinstance(found, str) else "", name))
        self._argue(opened, _text(function, "arguments"), out)

    def call_delta(self, event: dict[str, Json], out: list[Event]) -> None:
        opened = self._open
        if opened is None or opened.kind != "call" or event.get("index") not in (None, opened.index):
            raise Malformed(f"tool-call-delta for call {event.get('index')!r}, which is not open")
        self._argue(opened, _text(_object(_object(_message(event), "tool_calls"), "function"), "arguments"), out)

    def _argue(self, opened: _Open, text: str, out: list[Event]) -> None:
        """Passes arguments on. What may become "null" waits."""
        if not opened.said:
            text, opened.held = opened.held + text, ""
            if _NO_ARGUMENTS.startswith(text.strip()):
                opened.held = text
                return
            opened.said = True
        if text:
            out.append(CallDelta(self._part, text))

    def call_end(self, event: dict[str, Json], out: list[Event]) -> None:
        opened = self._open
        if opened is None or opened.kind != "call" or event.get("index") not in (None, opened.index):
            raise Malformed(f"tool-call-end for call {event.get('index')!r}, which is not open")
        self._leave(out)


def _of(citation: Mapping[str, Json], index: Json) -> bool:
    """Whether a citation is one of this content block."""
    return citation.get("content_index") in (None, index)


def _nothing(decoder: Decoder, event: dict[str, Json], out: list[Event]) -> None:
    return None


_HANDLERS: Mapping[str, Callable[[Decoder, dict[str, Any], list[Event]], None]] = {
    "content-delta": Decoder.content_delta,
    "tool-call-delta": Decoder.call_delta,
    "tool-plan-delta": Decoder.plan,
    "content-start": Decoder.content_start,
    "content-end": _nothing,
    "tool-call-start": Decoder.call_start,
    "tool-call-end": Decoder.call_end,
    "citation-start": Decoder.citation,
    "citation-end": _nothing,
    "message-start": Decoder.start,
    "message-end": Decoder.end,
}


def _message(event: Mapping[str, Json]) -> Mapping[str, Json]:
    delta = event.get("delta")
    message = delta.get("message") if isinstance(delta, dict) else None
    if not isinstance(message, dict):
        raise Malformed(f"{event.get('type')} without a message")
    return message


def _object(holder: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    """An object of a delta; nothing where it is missing. Lists stand in message-start only."""
    found = holder.get(key)
    if found is None:
        return NOTHING
    if not isinstance(found, dict):
        raise Malformed(f"{key} that is no object")
    return found


def _text(holder: Mapping[str, Json], key: str) -> str:
    value = holder.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Malformed(f"{key} that is no text")
    return value
