"""Token counts of a prompt: by the target's own API where it has one, else estimated."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from adapters import json
from adapters.errors import Failure, Malformed, Rejected
from adapters.format import Call, Counts, Incoming, Outgoing
from adapters.model import Request
from proxy.engine.attempt import opened
from proxy.engine.job import Tools
from proxy.engine.plan import Destination, Plan, characters
from proxy.exchange import Exchange
from proxy.upstream.transport import Broken

CHARACTERS_PER_TOKEN = 4.0
TOKENS_PER_MESSAGE = 4
MAX_BODY = 1024 * 1024


class Counting(Exchange):
    """A request for a prompt's token count: natively where the first target can, else an estimate, marked as such."""

    def _decode(self, body: dict[str, Any], call: Call) -> Incoming:
        assert isinstance(self.dialect, Counts)
        return self.dialect.decode_count(body, call)

    async def _answer(self, incoming: Incoming) -> None:
        planned = self.plan(incoming.request)
        if isinstance(planned, Failure):
            await self.out.refuse(planned)
            return
        plan, request = planned
        began = self.app.clock()
        tokens, to, doubt = await count(plan, request, self.app.tools)
        self.record.waited += self.app.clock() - began
        self.record.target = to.name
        if doubt:
            self.record.warnings.append(f"the count is an estimate: {doubt}")
        assert isinstance(self.dialect, Counts)
        await self.out.give(self.dialect.counted(tokens))


async def count(plan: Plan, request: Request, tools: Tools) -> tuple[int, Destination, str]:
    """Tokens, who was asked, and why it is an estimate ("": it is none)."""
    to = plan.chain[0].to
    doubt = "this target counts no tokens"
    try:
        if (outgoing := to.api.count_tokens(request, to.upstream)) is not None:
            async with asyncio.timeout(to.timeouts.first_content):
                return await _asked(to, outgoing, tools), to, ""
    except (Broken, Malformed, Rejected, TimeoutError):
        doubt = "this target could not count"
    return estimate(request), to, doubt


async def _asked(to: Destination, outgoing: Outgoing, tools: Tools) -> int:
    """The upstream's count. Raises Broken, Malformed."""
    response = await opened(to, outgoing, to.keys[0], tools.signer)
    try:
        body = await response.body(MAX_BODY)
    finally:
        response.close()
    if response.status >= 300:
        raise Malformed(f"status {response.status}")
    return to.api.counted(body)


def estimate(request: Request) -> int:
    """About four characters of text or tool declaration a token, and a few for each message."""
    tools = sum(
        len(tool.name) + len(tool.description or "") + len(json.dumps(tool.schema)) for tool in request.tools
    )
    return math.ceil((characters(request) + tools) / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE * len(request.messages)
