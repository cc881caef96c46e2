"""The client half of the format, as one object."""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import Event
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.anthropic_messages import continued, errors, request, response
from adapters.formats.anthropic_messages.stream import Decoder
from adapters.formats.anthropic_messages.wire import NAME
from adapters.formats.shared import unverified
from adapters.model import Answer, Request


class AnthropicMessages:
    """`POST /v1/messages` and `/v1/messages/count_tokens` of an upstream."""

    name = NAME

    def encode(self, asked: Request, upstream: Upstream) -> Outgoing:
        return request.encode(asked, upstream)

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        return request.auth(key, upstream)

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        return response.decode(body, reading)

    def decoder(self, reading: Reading) -> Decoder:
        return Decoder(reading)

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        return errors.failure(status, headers, body)

    def count_tokens(self, asked: Request, upstream: Upstream) -> Outgoing | None:
        return request.count_tokens(asked, upstream)

    def counted(self, body: bytes) -> int:
        try:
            answer = json.loads(body)
        except ValueError:
            raise Malformed("the token count is no JSON") from None
        match answer:
            case {"input_tokens": int(tokens)} if not isinstance(tokens, bool):
                return tokens
        raise Malformed("a token count without input_tokens")

    def mended(self, asked: Request, upstream: Upstream, failure: Failure) -> Request | None:
        return unverified.mended(asked, NAME, failure)

    def continued(self, outgoing: Outgoing, piece: Answer) -> Outgoing | None:
        return continued.continued(outgoing, piece)
