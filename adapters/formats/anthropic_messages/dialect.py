"""The server half of the format, as one object."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil

from adapters import json
from adapters.errors import Attempt, Failure
from adapters.format import Call, ErrorAnswer, Incoming, Quota
from adapters.formats.anthropic_messages import decode, errors, response
from adapters.formats.anthropic_messages.decode import Reply
from adapters.formats.anthropic_messages.emit import Encoder
from adapters.formats.anthropic_messages.wire import NAME
from adapters.model import Answer, Json


class Messages:
    """`/v1/messages`, `/v1/messages/count_tokens` and `/v1/models` as Messages clients know them."""

    name = decode.DIALECT
    api = NAME

    def decode(self, body: Json, call: Call) -> Incoming:
        return decode.decode(body, call)

    def decode_count(self, body: Json, call: Call) -> Incoming:
        """The request of a token count: `max_tokens` may be missing."""
        return decode.decode_count(body, call)

    def counted(self, tokens: int) -> bytes:
        """The answer to a token count."""
        return json.dumps({"input_tokens": tokens})

    def answer(self, answer: Answer, reply: Reply) -> bytes:
        return response.encode(answer, reply.model, reply.message_id)

    def encoder(self, reply: Reply) -> Encoder:
        return Encoder(reply)

    def content_type(self, reply: Reply) -> str:
        return "text/event-stream; charset=utf-8"

    def error(self, failure: Failure, attempts: tuple[Attempt, ...], request_id: str) -> ErrorAnswer:
        return errors.answer(failure, attempts, request_id)

    def quota(self, quota: Quota, now: float) -> tuple[tuple[str, str], ...]:
        """`reset` is the moment when the quota is whole again, in RFC 3339."""
        reset = datetime.fromtimestamp(ceil(now + quota.seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        values = (("limit", str(quota.limit)), ("remaining", str(quota.remaining)), ("reset", reset))
        return tuple((f"anthropic-ratelimit-requests-{name}", value) for name, value in values)

    def models(self, ids: Sequence[str], now: int) -> bytes:
        """The model list, on one page."""
        page = {
            "data": [_model(name, now) for name in ids],
            "has_more": False,
            "first_id": ids[0] if ids else None,
            "last_id": ids[-1] if ids else None,
        }
        return json.dumps(page)

    def model(self, name: str, now: int) -> bytes:
        """One entry of the model list."""
        return json.dumps(_model(name, now))


def _model(name: str, now: int) -> dict[str, Json]:
    made = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"type": "model", "id": name, "display_name": name, "created_at": made, "lifecycle": "active"}
