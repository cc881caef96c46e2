"""The server half of the format, as one object."""

from __future__ import annotations

from collections.abc import Iterable

from adapters import json
from adapters.errors import Attempt, Failure
from adapters.format import Call, ErrorAnswer, Incoming, Quota
from adapters.formats.google_gemini import client_request, errors, response
from adapters.formats.google_gemini.encoder import Encoder
from adapters.formats.google_gemini.reply import Reply
from adapters.formats.google_gemini.target import API, DIALECT
from adapters.model import Answer, Json

METHODS = ("generateContent", "streamGenerateContent", "countTokens")


class Gemini:
    """What google-genai clients speak, under `/v1`, `/v1beta` and `/v1alpha` alike."""

    name = DIALECT
    api = API

    def decode(self, body: Json, call: Call) -> Incoming:
        return client_request.decode(body, call)

    def decode_count(self, body: Json, call: Call) -> Incoming:
        return client_request.decode_count(body, call)

    def counted(self, tokens: int) -> bytes:
        return json.dumps({"totalTokens": tokens})

    def answer(self, answer: Answer, reply: Reply) -> bytes:
        return response.encode(answer, reply)

    def encoder(self, reply: Reply) -> Encoder:
        return Encoder(reply)

    def content_type(self, reply: Reply) -> str:
        return "text/event-stream" if reply.sse else "application/json; charset=UTF-8"

    def error(self, failure: Failure, attempts: tuple[Attempt, ...], request_id: str) -> ErrorAnswer:
        return errors.answer(failure, attempts)

    def quota(self, quota: Quota, now: float) -> tuple[tuple[str, str], ...]:
        """None: this API has no such headers, its clients read `RetryInfo` in the body of a 429."""
        return ()

    def models(self, ids: Iterable[str], now: int) -> bytes:
        """`GET /models`: every name that a client may use."""
        return json.dumps({"models": [_model(name) for name in ids]})

    def model(self, id: str, now: int) -> bytes:
        """`GET /models/{id}`."""
        return json.dumps(_model(id))


def _model(name: str) -> dict[str, Json]:
    return {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": list(METHODS)}
