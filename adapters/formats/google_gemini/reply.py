"""What an answer to a Gemini client needs from its request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Reply:
    """`model` is the name the client asked for. `sse`: a stream goes as SSE, else as one JSON array over time.

    `thoughts`: the client asked to see them. `response_id` stands in where the upstream gave no id.
    """

    model: str
    response_id: str
    stream: bool = False
    sse: bool = True
    thoughts: bool = False
