"""The request once more, with what was wrong with the model's call: `tool_check_hint`."""

from __future__ import annotations

from dataclasses import replace

from adapters.checker import Offence
from adapters.errors import Malformed
from adapters.events import fold
from adapters.model import Message, Part, Request, Text, ToolCall, ToolResult


def hinted(request: Request, offence: Offence) -> Request:
    """The request with the model's own turn, of whose calls only the invalid one is kept, and a result that says why
    it failed. Signed reasoning stays: some APIs take no call without it."""
    try:
        said = fold(offence.before).parts
    except Malformed:
        said = ()
    turn: list[Part] = [part for part in said if not isinstance(part, ToolCall) and part != Text("")]
    call = offence.call
    told = f"The call was not executed. {offence.hint} Call the tool again, with arguments that fit its schema."
    result = ToolResult(call.id, (Text(told),), is_error=True, name=call.name, kind=call.kind)
    return replace(
        request, messages=(*request.messages, Message("assistant", (*turn, call)), Message("tool", (result,)))
    )
