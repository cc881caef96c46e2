"""Server-sent chunks of chat-like APIs: the machine from bytes to events."""

from __future__ import annotations

from adapters import json
from adapters.errors import Malformed
from adapters.events import Event
from adapters.format import Reading
from adapters.formats.shared.chat_chunks import Chunks, Wire
from adapters.framing.sse import SSE, Frame


class ChatDecoder:
    """One per stream. It ends with `[DONE]`, or with the body after every finish reason."""

    def __init__(self, wire: Wire, reading: Reading) -> None:
        self._sse = SSE()
        self._chunks = Chunks(wire, reading)

    def feed(self, data: bytes) -> list[Event]:
        out: list[Event] = []
        if self._chunks.over:
            return out
        for frame in self._sse.feed(data):
            self._take(frame, out)
        return out

    def close(self) -> list[Event]:
        """A last event without its blank line counts; broken off, it is no matter once every choice has finished."""
        out: list[Event] = []
        if self._chunks.over:
            return out
        for frame in self._sse.close():
            try:
                self._take(frame, out)
            except Malformed:
                if not self._chunks.finished:
                    raise
        self._chunks.end(False, out)
        return out

    def _take(self, frame: Frame, out: list[Event]) -> None:
        name, data = frame
        if self._chunks.over:
            return
        if data.startswith(b"[DONE]"):
            self._chunks.end(True, out)
            return
        if not data.strip():
            return
        try:
            chunk = json.loads(data)
        except ValueError:
            if name == b"error":
                chunk = {"error": data.decode("utf-8", "replace")}
            else:
                raise Malformed("an event's data is no JSON") from None
        if name == b"error" and isinstance(chunk, dict) and "error" not in chunk:
            chunk = {"error": chunk}
        self._chunks.take(chunk, out)


def whole(body: bytes, wire: Wire, reading: Reading) -> list[Event]:
    """The events of a whole answer. Raises Malformed for what is none."""
    try:
        value = json.loads(body)
    except ValueError:
        raise Malformed("the answer is no JSON") from None
    out: list[Event] = []
    chunks = Chunks(wire, reading)
    chunks.take(value, out)
    chunks.end(True, out)
    return out
