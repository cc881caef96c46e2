"""Where the tool loop under way begins: reasoning of earlier turns is not replayed to models that do not sign it."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.model import Message


def loop_start(messages: Sequence[Message]) -> int:
    """Index of the user message that began it. One between results and the model's next turn is part of the loop."""
    for index in range(len(messages) - 1, 0, -1):
        if messages[index].role == "user" and messages[index - 1].role != "tool":
            return index
    return 0
