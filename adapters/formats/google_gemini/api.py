"""The client half of the format, as one object."""

from __future__ import annotations

from collections.abc import Mapping

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import Event
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.google_gemini import continued, errors, mend, request, response
from adapters.formats.google_gemini.stream import Decoder
from adapters.formats.google_gemini.target import API
from adapters.model import Answer, Request


class GoogleGemini:
    """`:generateContent`, `:streamGenerateContent` and `:countTokens` of the Gemini API, or of Vertex."""

    name = API

    def encode(self, asked: Request, upstream: Upstream) -> Outgoing:
        return request.encode(asked, upstream)

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        """An OAuth token for a Vertex project, else an API key."""
        if upstream.compat.get("vertex") and upstream.compat.get("vertex_project"):
            return {"authorization": f"Bearer {key}"}
        return {"x-goog-api-key": key}

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        return response.decode(body, reading)

    def decoder(self, reading: Reading) -> Decoder:
        return Decoder(reading)

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        return errors.failure(status, headers, body)

    def count_tokens(self, asked: Request, upstream: Upstream) -> Outgoing | None:
        return request.encode_count(asked, upstream)

    def counted(self, body: bytes) -> int:
        try:
            answer = json.loads(body)
        except ValueError:
            raise Malformed("the token count is no JSON") from None
        match answer:
            case {"totalTokens": int(tokens)} if not isinstance(tokens, bool):
                return tokens
        raise Malformed("a token count without totalTokens")

    def mended(self, asked: Request, upstream: Upstream, failure: Failure) -> Request | None:
        return mend.mended(asked, failure)

    def continued(self, outgoing: Outgoing, piece: Answer) -> Outgoing | None:
        return continued.continued(outgoing, piece)
