"""Signed reasoning that an upstream says it cannot verify: the request once more without it (wire pages, 2026-11).

A client of the API's own dialect does not say who made a block, so that it may come from another provider or model.
"""

from __future__ import annotations

import re
from dataclasses import replace

from adapters.errors import Failure
from adapters.model import Message, Reasoning, Request

NOBODY = "unverified"
"""The origin of a block that its upstream refused: no target's, so that it is left out with a warning."""

_REFUSED = re.compile(r"Invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`? block|"
                      r"[Ee]ncrypted content .*could not be (?:verified|decrypted)")  # fmt: skip
_CODE = "invalid_encrypted_content"


def mended(request: Request, api: str, failure: Failure) -> Request | None:
    """The request with this API's blocks nobody's. None for another failure, or where there is none."""
    if failure.code != _CODE and (failure.status != 400 or not _REFUSED.search(failure.message)):
        return None
    messages = tuple(_message(message, api) for message in request.messages)
    return None if messages == request.messages else replace(request, messages=messages)


def _message(message: Message, api: str) -> Message:
    parts = tuple(
        replace(part, origin=NOBODY) if isinstance(part, Reasoning) and part.api == api else part
        for part in message.parts
    )
    return replace(message, parts=parts)
