"""AWS event streams (`application/vnd.amazon.eventstream`): bytes in any pieces to messages, both checksums verified.

    u32 total | u32 headers | u32 crc32 of these 8 bytes | headers | payload | u32 crc32 of everything before
    header = u8 length, name, u8 type, value

Big endian. A type 7 header is a text; the others are read too, though Bedrock sends none (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, error
from typing import Any
from uuid import UUID
from zlib import crc32

from adapters.errors import Malformed

Headers = Mapping[str, Any]
Message = tuple[Headers, bytes]
"""Headers by name, and the payload."""

MAX_HEADERS = 128 * 1024
MAX_PAYLOAD = 24 * 1024 * 1024

_PRELUDE = Struct("!III")
_CRC = Struct("!I")
_LEAST = _PRELUDE.size + _CRC.size
_NUMBERS = {2: Struct("!b"), 3: Struct("!h"), 4: Struct("!i"), 5: Struct("!q"), 8: Struct("!q")}
_MOST_KNOWN = 64


class EventStream:
    """`feed` gives the complete messages of a piece. Raises Malformed for a wrong checksum or length: with what comes
    next, or at the end, where whole messages stood before it."""

    __slots__ = ("_broken", "_buffer", "_known")

    def __init__(self) -> None:
        self._broken: Malformed | None = None
        self._buffer = b""
        self._known: dict[bytes, Headers] = {}

    def feed(self, data: bytes) -> list[Message]:
        if self._broken is not None:
            raise self._broken
        buffer = self._buffer + data if self._buffer else data
        messages: list[Message] = []
        at, end = 0, len(buffer)
        try:
            while end - at >= _PRELUDE.size:
                total, headers, checksum = _PRELUDE.unpack_from(buffer, at)
                _check(total, headers, checksum, buffer[at : at + 8])
                if end - at < total:
                    break
                messages.append(self._message(buffer[at : at + total], headers))
                at += total
        except Malformed as broken:
            if not messages:
                raise
            self._broken = broken
        self._buffer = buffer[at:] if at else buffer
        return messages

    def close(self) -> None:
        """Raises Malformed where the stream ended inside a message."""
        if self._broken is not None:
            raise self._broken
        if self._buffer:
            raise Malformed("the stream ended inside a message")

    def _message(self, frame: bytes, headers: int) -> Message:
        (checksum,) = _CRC.unpack_from(frame, len(frame) - _CRC.size)
        if crc32(frame[: -_CRC.size]) != checksum:
            raise Malformed("a message with a wrong checksum")
        start = _PRELUDE.size + headers
        packed = frame[_PRELUDE.size : start]
        known = self._known.get(packed)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[packed] = _headers(packed)
        return known, frame[start : -_CRC.size]


def _check(total: int, headers: int, checksum: int, lengths: bytes) -> None:
    if crc32(lengths) != checksum:
        raise Malformed("what should be a message has a wrong checksum in its head")
    payload = total - headers - _LEAST
    if payload < 0 or headers > MAX_HEADERS or payload > MAX_PAYLOAD:
        raise Malformed(f"a message of {total} bytes with {headers} bytes of headers")


def _headers(packed: bytes) -> Headers:
    found: dict[str, Any] = {}
    at = 0
    try:
        while at < len(packed):
            length = packed[at]
            name = packed[at + 1 : at + 1 + length].decode()
            at += 1 + length
            found[name], at = _value(packed, packed[at], at + 1)
    except (IndexError, error, UnicodeDecodeError):
        raise Malformed("a message with broken headers") from None
    if at != len(packed):
        raise Malformed("a message with broken headers")
    return found


def _value(packed: bytes, kind: int, at: int) -> tuple[Any, int]:
    """The value that begins here, and where it ends."""
    if kind in (0, 1):
        return kind == 0, at
    if (number := _NUMBERS.get(kind)) is not None:
        return number.unpack_from(packed, at)[0], at + number.size
    if kind in (6, 7):
        end = at + 2 + int.from_bytes(packed[at : at + 2], "big")
        raw = packed[at + 2 : end]
        return (raw if kind == 6 else raw.decode()), end
    if kind == 9:
        if len(packed) < at + 16:
            raise Malformed("a message with broken headers")
        return UUID(bytes=packed[at : at + 16]), at + 16
    raise Malformed(f"a header of unknown type {kind}")
