"""Small ASGI helpers: headers, bodies, answers. They know HTTP and no wire format."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from adapters.errors import Failure
from adapters.format import IdSource

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

MAX_HEADER_VALUE = 4000
_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,200}")


class ClientGone(Exception):
    """The client left before its request was complete."""


def headers_of(scope: Scope) -> dict[str, str]:
    """The request's headers: lower-case names; values of a repeated name joined by a comma."""
    headers: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name, text = raw.decode("latin-1").lower(), value.decode("latin-1")
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    return headers


def request_id(headers: Mapping[str, str], new_id: IdSource) -> str:
    """The client's `x-request-id` where it is a printable word, else a new one."""
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else f"req_{new_id(24)}"


async def body_of(receive: Receive, headers: Mapping[str, str], limit: int) -> bytes | Failure:
    """The whole body, or request_too_large. Raises ClientGone."""
    if headers.get("content-encoding", "identity").lower() != "identity":
        return Failure("invalid_request_error", "Send the body uncompressed: content-encoding is not supported here.")
    too_large = Failure("request_too_large", f"The body is larger than {limit} bytes (server.max_request_bytes).")
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        return too_large
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size > limit:
            return too_large
        if not message.get("more_body", False):
            return b"".join([*pieces, piece]) if pieces else piece
        pieces.append(piece)


_NO_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))
_SQUARE = bytes.maketrans(b"{}", b"[]")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_RUN = re.compile(rb"\[+|\]+")
_TAKEN = 16
"""Levels taken off at once each: more than requests have, few enough to stay linear."""


def depth_over(body: bytes, limit: int) -> bool:
    """Whether the JSON text is nested over `limit` levels. Linear in the text, however it is made.

    Brackets inside strings make some texts look deeper than they are: these are looked at again without strings. They
    can make a text look flatter too; the decoders' own limits stand behind.
    """
    return _nested(body, limit) and _nested(_STRING.sub(b"", body), limit)


def _nested(text: bytes, limit: int) -> bool:
    """Takes the innermost levels off everywhere, which leaves nothing of ordinary texts, and counts the rest."""
    left, taken = text.translate(_SQUARE, _NO_BRACKETS), 0
    while taken < _TAKEN and len(shorter := left.replace(b"[]", b"")) < len(left):
        left, taken = shorter, taken + 1
    depth = taken
    for run in _RUN.finditer(left):
        start, end = run.span()
        if left[start] == ord("["):
            depth += end - start
            if depth > limit:
                return True
        else:
            depth -= end - start
    return taken > limit


def shortened(text: str, most: int = 200) -> str:
    """Text of a client's, fit for a message or a log line."""
    return text if len(text) <= most else text[: most - 1] + "…"


_NOT_PRINTABLE = re.compile(rb"[^\x20-\x7e]")


def safe_value(text: str) -> bytes:
    """A header value: printable ASCII with `?` for all else, one line, bounded."""
    line = " ".join(text.split())
    printable = _NOT_PRINTABLE.sub(b"?", line.encode("ascii", "replace"))
    return printable if len(printable) <= MAX_HEADER_VALUE else printable[: MAX_HEADER_VALUE - 3] + b"..."


async def begin(send: Send, status: int, headers: Headers) -> None:
    """The head. Whatever its values are made of, they go out as printable ASCII: the server drops the connection over
    any other (uvicorn 0.54, 2026-11)."""
    if _NOT_PRINTABLE.search(b"".join([value for _, value in headers])):
        headers = [(name, _NOT_PRINTABLE.sub(b"?", value)) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def respond(send: Send, status: int, headers: Headers, body: bytes) -> None:
    """A whole answer."""
    await begin(send, status, headers)
    await send({"type": "http.response.body", "body": body, "more_body": False})
