"""Server-sent events (WHATWG HTML, "event stream interpretation"), read in pieces of any size.

Whole grammar: LF, CRLF and CR line ends also mixed, comments, several `data` lines, fields with and without a space
after the colon, a byte-order mark, events split anywhere. `id` and `retry` are read over: no LLM API uses them.
"""

from __future__ import annotations

from adapters.errors import Malformed

Frame = tuple[bytes | None, bytes]
"""Event name (None: the stream gave none) and data."""

MAX_EVENT = 32 * 1024 * 1024


class SSE:
    """`feed` gives the complete events of a piece. Raises Malformed when one event exceeds `limit` bytes."""

    __slots__ = ("_buffer", "_limit", "_skip_lf", "_start")

    def __init__(self, limit: int = MAX_EVENT) -> None:
        self._buffer = b""
        self._limit = limit
        self._skip_lf = False
        self._start = True

    def feed(self, data: bytes) -> list[Frame]:
        if b"\r" in data or self._skip_lf:
            data = self._plain(data)
        buffer = self._buffer + data if self._buffer else data
        if self._start and buffer:
            if len(buffer) < 3 and b"\xef\xbb\xbf".startswith(buffer):
                self._buffer = buffer
                return []
            buffer = buffer.removeprefix(b"\xef\xbb\xbf")
            self._start = False
        if b"\n\n" not in buffer:
            self._keep(buffer)
            return []
        *blocks, rest = buffer.split(b"\n\n")
        self._keep(rest)
        frames: list[Frame] = []
        for block in blocks:
            if block.startswith(b"data:") and b"\n" not in block:
                frames.append((None, block[6:] if block[5:6] == b" " else block[5:]))
            elif block.startswith(b"event: ") and block.count(b"\n") == 1 and (at := block.find(b"\ndata: ")) > 0:
                frames.append((block[7:at], block[at + 7 :]))
            elif (frame := _frame(block)) is not None:
                frames.append(frame)
        return frames

    def close(self) -> list[Frame]:
        """The last event where the stream ended without its blank line. A cut one shows as broken data."""
        rest, self._buffer = self._buffer, b""
        frame = _frame(rest.rstrip(b"\n"))
        return [] if frame is None else [frame]

    def _plain(self, data: bytes) -> bytes:
        """The piece with LF line ends. A CR at its end counts as a line end at once; an LF that follows it does not."""
        if self._skip_lf and data:
            data = data.removeprefix(b"\n")
            self._skip_lf = False
        if data.endswith(b"\r"):
            self._skip_lf = True
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _keep(self, rest: bytes) -> None:
        if len(rest) > self._limit:
            raise Malformed(f"an event of more than {self._limit} bytes")
        self._buffer = rest


def _frame(block: bytes) -> Frame | None:
    name: bytes | None = None
    data: list[bytes] = []
    for line in block.split(b"\n"):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
    return (name, b"\n".join(data)) if data else None
