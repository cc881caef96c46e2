"""The client half of the format, as one object."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.errors import Failure, Malformed
from adapters.events import Event
from adapters.format import Outgoing, Reading, Upstream
from adapters.formats.ollama_chat import errors, request
from adapters.formats.ollama_chat.request import NAME
from adapters.formats.ollama_chat.stream import Decoder, decode_whole
from adapters.model import Request


class OllamaChat:
    """`POST /api/chat` of an Ollama server. A key is for the cloud only; nothing counts tokens."""

    name = NAME

    def encode(self, asked: Request, upstream: Upstream) -> Outgoing:
        return request.encode(asked, upstream)

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        return decode_whole(body)

    def decoder(self, reading: Reading) -> Decoder:
        return Decoder()

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        return errors.failure(status, headers, body)

    def mended(self, asked: Request, upstream: Upstream, failure: Failure) -> Request | None:
        return request.mended(asked, failure)

    def count_tokens(self, asked: Request, upstream: Upstream) -> Outgoing | None:
        return None

    def counted(self, body: bytes) -> int:
        raise Malformed("ollama-chat counts no tokens")
