"""The server half: what a Responses client sends and gets."""

from __future__ import annotations

from adapters.errors import Attempt, Failure
from adapters.format import Call, ErrorAnswer, Incoming
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

    def encoder(self, reply: Reply) -> Encoder:
        return Encoder(reply)

    def content_type(self, reply: Reply) -> str:
        return "text/event-stream; charset=utf-8"

    def error(self, failure: Failure, attempts: tuple[Attempt, ...], request_id: str) -> ErrorAnswer:
        return openai_envelope.answer(failure, attempts)


DIALECT = ResponsesDialect()
