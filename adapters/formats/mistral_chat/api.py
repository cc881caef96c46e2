"""What Mistral is sent, and how its answers are read."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.errors import Failure, Malformed
from adapters.events import Event
from adapters.format import Outgoing, Reading, StreamDecoder, Upstream
from adapters.formats.mistral_chat import errors, request
from adapters.formats.mistral_chat.history import NAME
from adapters.formats.shared.chat_chunks import Wire
from adapters.formats.shared.chat_stream import ChatDecoder, whole
from adapters.formats.shared.repeats import filtered, without_prefix
from adapters.model import Request

WIRE = Wire(NAME, errors.inside, thinking=True)


class MistralApi:
    """Mistral towards upstreams."""

    name = NAME

    def encode(self, request_: Request, upstream: Upstream) -> Outgoing:
        return request.encode(request_, upstream)

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        return without_prefix(whole(body, WIRE, reading), reading)

    def decoder(self, reading: Reading) -> StreamDecoder:
        return filtered(ChatDecoder(WIRE, reading), reading)

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        return errors.failure(status, headers, body)

    def count_tokens(self, request_: Request, upstream: Upstream) -> Outgoing | None:
        return None

    def counted(self, body: bytes) -> int:
        raise Malformed(f"{NAME} counts no tokens")


API = MistralApi()
