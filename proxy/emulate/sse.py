"""Server-sent events, as the provider writes them."""

from __future__ import annotations

from collections.abc import Callable

from proxy.emulate.api import Json, dumps

HEADERS = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))


def data(value: Json) -> bytes:
    """An event with data alone."""
    return b"data: " + dumps(value) + b"\n\n"


def event(name: str, value: Json) -> bytes:
    """A named event."""
    return b"event: " + name.encode() + b"\ndata: " + dumps(value) + b"\n\n"


WRITING: dict[str, Callable[[bytes, int], bytes]] = {
    "comments": lambda data, index: b": OPENROUTER PROCESSING\n\n: keep-alive\n" + data,
    "crlf": lambda data, index: data.replace(b"\n", b"\r\n"),
    "cr": lambda data, index: data.replace(b"\n", b"\r"),
    "bom": lambda data, index: data if index else b"\xef\xbb\xbf" + data,
    "no-space": lambda data, index: data.replace(b"data: ", b"data:", 1),
    "blank-lines": lambda data, index: b"\n\n" + data + b"\n",
}
"""Oddities of writing, by quirk name: what becomes of the event with this index. A client has to take them all."""
