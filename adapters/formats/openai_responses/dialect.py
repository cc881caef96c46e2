"""The server half: what a Responses client sends and gets."""

from __future__ import annotations

from adapters import json
from adapters.errors import Attempt, Failure
from adapters.format import Call, ErrorAnswer, Incoming, Quota
from adapters.formats.openai_responses import answer, incoming
from adapters.formats.openai_responses.emit import Encoder
from adapters.formats.openai_responses.incoming import Reply
from adapters.formats.openai_responses.words import NAME
from adapters.formats.shared import openai_envelope
from adapters.model import Answer, Json


class ResponsesDialect:
    """OpenAI Responses towards clients."""

    name = incoming.DIALECT
    api = NAME

    def decode(self, body: Json, call: Call) -> Incoming:
        return incoming.decode(body, call)

    def answer(self, answer_: Answer, reply: Reply) -> bytes:
        return answer.encode(answer_, reply)

    def previous(self, body: Json) -> str | None:
        previous = body.get("previous_response_id")
        return previous if isinstance(previous, str) else None

    def kept(self, reply: Reply, whole: bytes) -> tuple[str, bytes] | None:
        return (reply.id, b'{"input":' + reply.items + b',"response":' + whole + b"}") if reply.keep else None

    def shown(self, entry: Json) -> bytes:
        return json.dumps(entry["response"])

    def deleted(self, id: str) -> bytes:
        return json.dumps({"id": id, "object": "response", "deleted": True})

    def encoder(self, reply: Reply) -> Encoder:
        return Encoder(reply)

    def content_type(self, reply: Reply) -> str:
        return "text/event-stream; charset=utf-8"

    def error(self, failure: Failure, attempts: tuple[Attempt, ...], request_id: str) -> ErrorAnswer:
        return openai_envelope.answer(failure, attempts)

    def quota(self, quota: Quota, now: float) -> tuple[tuple[str, str], ...]:
        return openai_envelope.quota_headers(quota)


DIALECT = ResponsesDialect()
