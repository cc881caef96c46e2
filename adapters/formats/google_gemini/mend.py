"""Refusals that a changed request answers: thought signatures that this upstream cannot verify (2026-11)."""

from __future__ import annotations

import re
from dataclasses import replace

from adapters.errors import Failure
from adapters.formats.google_gemini.target import API
from adapters.model import Message, Opaque, Part, Reasoning, Request, Text, ToolCall

_REFUSED = re.compile(r"missing a .?thought_signature|(?:Invalid|Corrupted) thought signature", re.IGNORECASE)
_REASON = "MISSING_THOUGHT_SIGNATURE"


def mended(request: Request, failure: Failure) -> Request | None:
    """The request without signatures: where one is needed the documented bypass takes its place. None: it had none."""
    if failure.code != _REASON and (failure.status != 400 or not _REFUSED.search(failure.message)):
        return None
    messages = tuple(_unsigned(message) for message in request.messages)
    return None if messages == request.messages else replace(request, messages=messages)


def _unsigned(message: Message) -> Message:
    if message.role != "assistant":
        return message
    return replace(message, parts=tuple(made for part in message.parts for made in _part(part)))


def _part(part: Part) -> list[Part]:
    match part:
        case ToolCall(signature=str()) | Text(signature=str()):
            return [replace(part, signature=None)]
        case Reasoning(api=api, signature=str()) if api == API:
            return [Reasoning(part.text)] if part.text else []
        case Opaque(api=api, data={"thoughtSignature": _, **rest}) if api == API:
            return [replace(part, data=rest)]
    return [part]
