"""`pause_turn` (2026-11): the loop of the server's own tools paused.

The answer is sent back as the assistant's turn, as it came, and the model goes on with it. Clients of the API's own
dialect see the pause and do that themselves.
"""

from __future__ import annotations

from dataclasses import replace

from adapters import json
from adapters.format import Outgoing
from adapters.formats.anthropic_messages.blocks import Block, turns
from adapters.model import Answer, Message, Request

PAUSED = "pause_turn"


def may_pause(request: Request, body: Block) -> bool:
    """Whether the answer may pause: something is run by the server, and the client cannot see a pause."""
    tools = body.get("tools")
    served = any(isinstance(tool, dict) and tool.get("type", "custom") != "custom" for tool in tools or ())
    return request.dialect != "messages" and (served or bool(body.get("mcp_servers")))


def continued(outgoing: Outgoing, piece: Answer) -> Outgoing | None:
    """The request with the paused answer as its last turn; None where it is not paused, or is empty."""
    if piece.native_stop != PAUSED:
        return None
    made = turns([Message("assistant", piece.parts)], {})
    if not made or not made[0]["content"]:
        return None
    body = json.loads(outgoing.body)
    messages = body["messages"]
    if messages[-1]["role"] == "assistant":
        messages[-1]["content"] += made[0]["content"]
    else:
        messages += made
    return replace(outgoing, body=json.dumps(body))
