"""`CONTINUATION` (2026-11): models since Gemini 4 break long answers off, with a token by which the request goes on.

Clients of the API's own dialect see the token and do that themselves.
"""

from __future__ import annotations

from dataclasses import replace

from adapters import json
from adapters.format import Outgoing, Upstream
from adapters.formats.google_gemini import models
from adapters.formats.google_gemini.target import API, DIALECT
from adapters.model import NOTHING, Answer, Request

BROKEN_OFF = "CONTINUATION"
TOKEN = "continuationToken"


def may_pause(request: Request, upstream: Upstream) -> bool:
    """Whether the answer may be broken off, for a client that cannot see it. Several candidates cannot go on."""
    if request.dialect == DIALECT or (request.sampling.n or 1) > 1:
        return False
    return models.breaks_off(upstream.model, upstream.family)


def continued(outgoing: Outgoing, piece: Answer) -> Outgoing | None:
    """The same request with the token of the piece; None where the answer is complete, or without a token."""
    token = piece.extras.get(API, NOTHING).get(TOKEN)
    if piece.native_stop != BROKEN_OFF or not isinstance(token, str) or not token:
        return None
    return replace(outgoing, body=json.dumps({**json.loads(outgoing.body), TOKEN: token}))
