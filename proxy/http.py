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
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        return body if len(body) <= limit else too_large
    pieces, size = [body], len(body)
    while message.get("more_body", False):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > limit:
            return too_large
    return b"".join(pieces)


_NO_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))


def depth_over(body: bytes, limit: int) -> bool:
    """Whether the JSON text is nested over `limit` levels. Cheap for ordinary bodies: each pass takes one level off.

    Brackets inside strings can make a text look flatter or deeper than it is: a deeper look is taken by counting
    outside of strings, and the decoders' own recursion limits stand behind.
    """
    brackets = body.translate(None, _NO_BRACKETS)
    for _ in range(limit):
        if not brackets:
            return False
        shorter = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    return bool(brackets) and _depth(body) > limit


_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def _depth(body: bytes) -> int:
    depth = deepest = 0
    for byte in _STRING.sub(b"", body).translate(None, _NO_BRACKETS):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def shortened(text: str, most: int = 200) -> str:
    """Text of a client's, fit for a message or a log line."""
    return text if len(text) <= most else text[: most - 1] + "…"


def safe_value(text: str) -> bytes:
    """A header value: ASCII, one line, bounded."""
    line = " ".join(text.split())
    ascii_only = line.encode("ascii", "replace")
    return ascii_only if len(ascii_only) <= MAX_HEADER_VALUE else ascii_only[: MAX_HEADER_VALUE - 3] + b"..."


async def respond(send: Send, status: int, headers: Headers, body: bytes) -> None:
    """A whole answer."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
