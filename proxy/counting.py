"""Token counts of a prompt: by the target's own API where it has one, else estimated."""

from __future__ import annotations

import math

from adapters import json
from adapters.errors import Malformed, Rejected
from adapters.model import Request
from proxy.engine.attempt import address
from proxy.engine.job import Tools
from proxy.engine.plan import Destination, Plan, characters
from proxy.upstream.transport import Broken

CHARACTERS_PER_TOKEN = 4.0
TOKENS_PER_MESSAGE = 4
MAX_BODY = 1024 * 1024


async def count(plan: Plan, request: Request, tools: Tools) -> tuple[int, Destination, bool]:
    """Tokens, who was asked, and whether it is an estimate."""
    to = plan.chain[0].to
    try:
        outgoing = to.api.count_tokens(request, to.upstream)
        if outgoing is not None:
            url, headers = address(to, outgoing, to.keys[0], tools.signer)
            response = await to.transport.open(to.site, outgoing.method, url, headers, outgoing.body)
            try:
                body = await response.body(MAX_BODY)
            finally:
                response.close()
            if response.status < 300:
                return to.api.counted(body), to, False
    except (Broken, Malformed, Rejected):
        pass
    return estimate(request), to, True


def estimate(request: Request) -> int:
    """About four characters of text or tool declaration a token, and a few for each message."""
    tools = sum(
        len(tool.name) + len(tool.description or "") + len(json.dumps(tool.schema)) for tool in request.tools
    )
    return math.ceil((characters(request) + tools) / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE * len(request.messages)
