"""Newline-delimited JSON (Ollama): bytes in any pieces to lines. Blank lines are dropped, CRLF is taken."""

from __future__ import annotations

from adapters.errors import Malformed
from adapters.framing.sse import MAX_EVENT


class Lines:
    """`feed` gives the complete lines of a piece. Raises Malformed when one line exceeds `limit` bytes."""

    __slots__ = ("_buffer", "_limit")

    def __init__(self, limit: int = MAX_EVENT) -> None:
        self._buffer: list[bytes] = []
        self._limit = limit

    def feed(self, data: bytes) -> list[bytes]:
        if b"\n" not in data:
            self._buffer.append(data)
            if sum(map(len, self._buffer)) > self._limit:
                raise Malformed(f"a line of more than {self._limit} bytes")
            return []
        *lines, rest = (b"".join(self._buffer) + data).split(b"\n")
        self._buffer = [rest]
        return [stripped for line in lines if (stripped := line.strip())]

    def close(self) -> list[bytes]:
        """The last line where the stream ended without a line end."""
        rest = b"".join(self._buffer).strip()
        self._buffer = []
        return [rest] if rest else []
