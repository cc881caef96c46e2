"""The client half of the format, as one object."""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import Event
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.bedrock_converse import errors, request, response
from adapters.formats.bedrock_converse.stream import Decoder
from adapters.formats.bedrock_converse.wire import NAME
from adapters.formats.shared import unverified
from adapters.model import Request


class BedrockConverse:
    """`converse`, `converse-stream` and `count-tokens` of Bedrock. Without a key whoever sends a request signs it."""

    name = NAME

    def encode(self, asked: Request, upstream: Upstream) -> Outgoing:
        return request.encode(asked, upstream)

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        """A Bedrock API key."""
        return {"authorization": f"Bearer {key}"}

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        return response.decode(body, reading, headers)

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
            case {"inputTokens": int(tokens)} if not isinstance(tokens, bool):
                return tokens
        raise Malformed("a token count without inputTokens")

    def mended(self, asked: Request, upstream: Upstream, failure: Failure) -> Request | None:
        return unverified.mended(asked, NAME, failure)
