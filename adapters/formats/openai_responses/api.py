"""The client half: what an upstream that speaks Responses is sent, and how its answers are read."""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import Event
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.openai_responses import request, response
from adapters.formats.openai_responses.stream import Decoder
from adapters.formats.openai_responses.words import NAME
from adapters.formats.shared import openai_errors, refusals, unverified
from adapters.model import Request


class ResponsesApi:
    """OpenAI Responses towards upstreams."""

    name = NAME

    def encode(self, request_: Request, upstream: Upstream) -> Outgoing:
        return request.encode(request_, upstream)

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        if upstream.compat.get("key_header") == "api-key":
            return {"api-key": key}
        return {"authorization": f"Bearer {key}"}

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        return response.decode(body)

    def decoder(self, reading: Reading) -> Decoder:
        return Decoder(reading)

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        return openai_errors.failure(status, headers, body)

    def count_tokens(self, request_: Request, upstream: Upstream) -> Outgoing | None:
        return request.count(request_, upstream)

    def counted(self, body: bytes) -> int:
        try:
            told = json.loads(body)
        except ValueError:
            raise Malformed("a token count that is no JSON") from None
        match told:
            case {"input_tokens": int() as tokens} if tokens is not True and tokens is not False:
                return tokens
        raise Malformed("a token count without input_tokens")

    def mended(self, request_: Request, upstream: Upstream, failure: Failure) -> Request | None:
        if (changed := unverified.mended(request_, NAME, failure)) is not None:
            return changed
        return refusals.without_strict(request_, failure, request.rules(request_, upstream).schema, upstream)


API = ResponsesApi()
