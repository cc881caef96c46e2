"""The server half: what a Chat Completions client sends and gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adapters import json
from adapters.errors import Attempt, Failure
from adapters.format import Call, ErrorAnswer, Incoming, Quota
from adapters.formats.openai_chat import request, response
from adapters.formats.openai_chat.details import API
from adapters.formats.openai_chat.stream import Encoder
from adapters.formats.shared import openai_envelope
from adapters.model import Answer, Json


class ChatDialect:
    """Chat Completions towards clients."""

    name = "chat"
    api = API

    def decode(self, body: Json, call: Call) -> Incoming:
        return request.decode(body, call)

    def answer(self, answer: Answer, reply: Any) -> bytes:
        return response.encode(answer, reply)

    def encoder(self, reply: Any) -> Encoder:
        return Encoder(reply)

    def content_type(self, reply: Any) -> str:
        return "text/event-stream"

    def error(self, failure: Failure, attempts: tuple[Attempt, ...], request_id: str) -> ErrorAnswer:
        return openai_envelope.answer(failure, attempts)

    def quota(self, quota: Quota, now: float) -> tuple[tuple[str, str], ...]:
        return openai_envelope.quota_headers(quota)

    def models(self, names: Sequence[str], now: int) -> bytes:
        """The model list, on one page."""
        return json.dumps({"object": "list", "data": [_model(name, now) for name in names]})

    def model(self, name: str, now: int) -> bytes:
        """One entry of the model list."""
        return json.dumps(_model(name, now))


def _model(name: str, now: int) -> dict[str, Json]:
    return {"id": name, "object": "model", "created": now, "owned_by": "toolwire"}


DIALECT = ChatDialect()
