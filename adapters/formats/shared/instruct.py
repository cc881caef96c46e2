"""What must be said in the prompt because a wire has no field for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from adapters import json
from adapters.history import leading_system
from adapters.model import Json, Message, Text

CALL_NOW = "Call one of the tools now."
ANSWER_JSON = "Answer with one JSON object."


def answer_schema(schema: Json) -> str:
    """The instruction that stands for a schema of the answer."""
    return f"Answer with one JSON object that fits this JSON Schema:\n{json.text(schema)}"


def instructed(messages: tuple[Message, ...], text: str) -> tuple[Message, ...]:
    """The messages with a text at the end of the leading system message."""
    lead = leading_system(messages)
    if lead == 0:
        return (Message("system", (Text(text),)), *messages)
    last = messages[lead - 1]
    return (*messages[: lead - 1], replace(last, parts=(*last.parts, Text(text))), *messages[lead:])


def says_json(messages: Iterable[Message]) -> bool:
    """Whether the prompt has the word, without which some hosts refuse to promise JSON."""
    return any(isinstance(part, Text) and "json" in part.text.lower() for message in messages for part in message.parts)
