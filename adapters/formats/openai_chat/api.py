"""The client half: what an upstream that speaks Chat Completions is sent, and how its answers are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import Event
from adapters.format import Outgoing, Reading, StreamDecoder, Upstream
from adapters.formats.openai_chat import encode
from adapters.formats.openai_chat.details import API as NAME
from adapters.formats.shared import openai_errors, refusals, unverified
from adapters.formats.shared.chat_chunks import Wire
from adapters.formats.shared.chat_stream import ChatDecoder, whole
from adapters.formats.shared.repeats import filtered
from adapters.model import Request

WIRE = Wire(NAME, openai_errors.failure_inside, own=True)
OPTIONAL = ("stream_options", "parallel_tool_calls")
"""Fields that old Azure versions and Mistral-like hosts refuse (openai-chat §10, §11, 2026-11)."""

WAY_OUT = " A provider with api: openai-responses takes tools and reasoning together."


class ChatApi:
    """Chat Completions towards upstreams."""

    name = NAME

    def encode(self, request: Request, upstream: Upstream) -> Outgoing:
        return encode.encode(request, upstream)

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        if upstream.compat.get("key_header") == "api-key":
            return {"api-key": key}
        return {"authorization": f"Bearer {key}"}

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        return whole(body, WIRE, reading)

    def decoder(self, reading: Reading) -> StreamDecoder:
        return filtered(ChatDecoder(WIRE, reading), reading)

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        found = openai_errors.failure(status, headers, body)
        if found.param == "reasoning_effort" and "tools" in found.message and "not supported" in found.message:
            return replace(found, message=found.message + WAY_OUT)
        return found

    def count_tokens(self, request: Request, upstream: Upstream) -> Outgoing | None:
        return None

    def counted(self, body: bytes) -> int:
        raise Malformed(f"{NAME} counts no tokens")

    def mended(self, request: Request, upstream: Upstream, failure: Failure) -> Request | None:
        if (changed := unverified.mended(request, NAME, failure)) is not None:
            return changed
        if (changed := refusals.without_strict(request, failure, encode.rules(upstream).schema, upstream)) is not None:
            return changed
        sent = json.loads(encode.encode(request, upstream).body)
        return refusals.without_fields(request, sent, failure, OPTIONAL)


API = ChatApi()
