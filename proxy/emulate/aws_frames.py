"""AWS event stream messages, as the service writes them (bedrock-converse §10)."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from proxy.emulate.api import dumps

Json = Any

CONTENT_TYPE = "application/vnd.amazon.eventstream"
_STRING = 7


def message(headers: dict[str, str], payload: bytes) -> bytes:
    """Lengths, their checksum, headers, payload, the checksum of everything."""
    packed = b"".join(
        bytes((len(name),))
        + name.encode()
        + bytes((_STRING,))
        + struct.pack(">H", len(value.encode()))
        + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", len(packed) + len(payload) + 16, len(packed))
    prelude += struct.pack(">I", zlib.crc32(prelude))
    body = prelude + packed + payload
    return body + struct.pack(">I", zlib.crc32(body))


def event(name: str, payload: Json) -> bytes:
    """An event with a JSON payload."""
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return message(headers, dumps(payload))


def exception(name: str, payload: Json) -> bytes:
    """An exception that the service model knows."""
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, dumps(payload))


def error(code: str, text: str) -> bytes:
    """An error that it does not know: only headers."""
    return message({":error-code": code, ":error-message": text, ":message-type": "error"}, b"")


def damaged(data: bytes) -> bytes:
    """The message with one byte of its payload changed: its checksum is wrong."""
    at = len(data) - 6
    return data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]
