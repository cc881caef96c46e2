"""A streamed answer -> events. `alt=sse` frames; also one JSON array over time, and errors as bare JSON.

Google's frames end in two CRLF, have no event names and no `[DONE]`; the end is the connection's (2026-11). Vertex and
some proxies write an error into the stream as JSON of many lines without `data:`, sometimes in a list.
"""

from __future__ import annotations

import re

from adapters import json
from adapters.errors import Malformed
from adapters.events import Event
from adapters.format import Reading
from adapters.formats.google_gemini.chunks import Chunks
from adapters.framing.sse import MAX_EVENT, SSE, Frame

_OPENING = (b"{", b"[")


class Objects:
    """The objects of concatenated JSON, or of a JSON array, in pieces of any size. Raises Malformed over `limit`."""

    __slots__ = ("_buffer", "_depth", "_limit", "_quoted", "_scanned")

    _MARKS = re.compile(rb'\\.|["{}]', re.DOTALL)
    _BETWEEN = b" \t\r\n,[]"

    def __init__(self, limit: int = MAX_EVENT) -> None:
        self._buffer = b""
        self._limit = limit
        self._scanned = 0
        self._depth = 0
        self._quoted = False

    def feed(self, data: bytes) -> list[bytes]:
        self._buffer += data
        found: list[bytes] = []
        while (end := self._end()) is not None:
            found.append(self._buffer[:end])
            self._buffer = self._buffer[end:]
            self._scanned = 0
        if len(self._buffer) > self._limit:
            raise Malformed(f"an object of more than {self._limit} bytes")
        return found

    def _end(self) -> int | None:
        """Where the first object of the buffer ends; what parts it from the one before is dropped."""
        if not self._depth:
            self._buffer = self._buffer.lstrip(self._BETWEEN)
            self._scanned = 0
        at = self._scanned
        while (mark := self._MARKS.search(self._buffer, at)) is not None:
            at = mark.end()
            match mark[0]:
                case b'"':
                    self._quoted = not self._quoted
                case b"{" if not self._quoted:
                    self._depth += 1
                case b"}" if not self._quoted:
                    self._depth -= 1
                    if self._depth <= 0:
                        self._depth = 0
                        return at
        self._scanned = max(at, len(self._buffer) - 1) if self._buffer[-1:] == b"\\" else len(self._buffer)
        return None

    def close(self) -> bytes:
        """What is left: an object that never ended."""
        return self._buffer.strip(self._BETWEEN)


class Decoder:
    """One stream of `streamGenerateContent`."""

    __slots__ = ("_chunks", "_line_start", "_objects", "_sse")

    def __init__(self, reading: Reading) -> None:
        self._chunks = Chunks(reading, whole=False)
        self._sse = SSE()
        self._objects: Objects | None = None
        self._line_start = True

    def feed(self, data: bytes) -> list[Event]:
        """Events of this piece. Raises Malformed for what the API does not allow."""
        if self._objects is not None:
            return self._bare(data)
        start = self._bare_start(data)
        if start is None:
            self._line_start = data.endswith(b"\n") if data else self._line_start
            return self._frames(self._sse.feed(data))
        self._objects = Objects()
        return [*self._frames(self._sse.feed(data[:start] + b"\n\n")), *self._bare(data[start:])]

    def _bare_start(self, data: bytes) -> int | None:
        """Where a line begins that is JSON instead of an SSE field: all that follows is JSON then."""
        if self._line_start and data[:1] != b"d" and data.lstrip()[:1] in _OPENING:
            return 0
        if b"\n{" not in data and b"\n[" not in data:
            return None
        return min(at + 1 for at in (data.find(b"\n{"), data.find(b"\n[")) if at >= 0)

    def close(self) -> list[Event]:
        """The end of the body."""
        if self._objects is None:
            return [*self._frames(self._sse.close()), *self._chunks.close()]
        if self._objects.close():
            raise Malformed("the stream ended in the middle of an object")
        return self._chunks.close()

    def _bare(self, data: bytes) -> list[Event]:
        assert self._objects is not None
        events: list[Event] = []
        for text in self._objects.feed(data):
            self._chunks.take(_json(text), events)
        return events

    def _frames(self, frames: list[Frame]) -> list[Event]:
        events: list[Event] = []
        for _, data in frames:
            if data.strip() and data != b"[DONE]":
                self._chunks.take(_json(data), events)
        return events


def _json(text: bytes) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Malformed(f"a chunk that is no JSON: {error}") from None
