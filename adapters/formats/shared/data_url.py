"""Data URLs (RFC 2397) as far as the LLM APIs use them: a media type and base64."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import unquote_to_bytes


def split(url: str) -> tuple[str | None, str] | None:
    """Media type without parameters (None: not named) and base64 of a data URL; None for any other URL."""
    if url[:5].lower() != "data:":
        return None
    head, comma, data = url[5:].partition(",")
    if not comma:
        return None
    mime, *parameters = head.split(";")
    if not any(parameter.strip().lower() == "base64" for parameter in parameters):
        data = b64encode(unquote_to_bytes(data)).decode("ascii")
    return mime.strip().lower() or None, data


def join(mime: str | None, data: str) -> str:
    """A data URL of base64 text."""
    return f"data:{mime or 'application/octet-stream'};base64,{data}"
