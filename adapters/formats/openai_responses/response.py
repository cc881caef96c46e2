"""A whole Responses answer as events (openai-responses §5)."""

from __future__ import annotations

from adapters import json
from adapters.errors import Malformed
from adapters.events import Event, Failed
from adapters.formats.openai_responses.output import Items
from adapters.formats.openai_responses.stream import ending, started
from adapters.formats.shared.openai_errors import failure_inside


def decode(body: bytes) -> list[Event]:
    """The events of a 2xx body; a failed response and an error inside a 200 end in Failed. Raises Malformed."""
    try:
        response = json.loads(body)
    except ValueError:
        raise Malformed("an answer that is no JSON") from None
    if not isinstance(response, dict):
        raise Malformed("an answer that is no JSON object")
    if "output" not in response and response.get("error"):
        return [Failed(failure_inside(response))]
    if not isinstance(response.get("output"), list) and response.get("status") not in ("failed", "cancelled"):
        raise Malformed("a response without output")
    events = ending(response, Items())
    return events if isinstance(events[0], Failed) else [started(response), *events]
