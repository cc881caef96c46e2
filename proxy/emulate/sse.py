"""Server-sent events, as the provider writes them."""

from __future__ import annotations

from proxy.emulate.api import Json, dumps

HEADERS = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))


def data(value: Json) -> bytes:
    """An event with data alone."""
    return b"data: " + dumps(value) + b"\n\n"


def event(name: str, value: Json) -> bytes:
    """A named event."""
    return b"event: " + name.encode() + b"\ndata: " + dumps(value) + b"\n\n"
