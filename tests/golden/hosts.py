"""Upstreams as an operator configures them, with real model names: what a format knows of each comes from there."""

from __future__ import annotations

import json
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from adapters import registry
from adapters.events import Event, fold
from adapters.format import Api, Call, Outgoing, Upstream
from adapters.model import ToolCall
from adapters.restore import Restorer
from adapters.tools.ids import RULES
from proxy.gateway import family
from tests.serving import config_of

Json = Any

HOSTS = {
    "openai-chat": ("api: openai-chat", "gpt-4.1"),
    "openai-responses": ("api: openai-responses", "gpt-5.1"),
    "openai-responses-rewrite": ("api: openai-responses, compat: {strict_tools: rewrite}", "gpt-5.1"),
    "anthropic-messages": ("api: anthropic-messages", "claude-sonnet-4-5"),
    "google-gemini": ("api: google-gemini", "gemini-3-pro-preview"),
    "google-gemini-parameters": ("api: google-gemini, compat: {use_parameters: true}", "gemini-2.5-flash"),
    "mistral-chat": ("api: mistral-chat", "mistral-large-latest"),
    "ollama-chat": ("api: ollama-chat", "qwen3:8b"),
    "bedrock-converse": (
        "api: bedrock-converse, aws: {region: eu-central-1}", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
    ),
    "cohere-chat": ("api: cohere-chat", "command-a-03-2025"),
    "deepseek": ("preset: deepseek", "deepseek-v4-pro"),
}  # fmt: skip
"""Name -> the provider in YAML, the model."""

AGENT: Json = json.loads((Path(__file__).parent / "agent20.json").read_text("utf-8"))
"""A coding agent's request in the Chat dialect, in the middle of a tool turn."""


@cache
def target(host: str) -> tuple[Api, Upstream]:
    """The API of a host, and what it is told of the host."""
    text, model = HOSTS[host]
    provider = config_of(f"providers: {{it: {{{text}, api_key: k}}}}").providers["it"]
    api = registry.api(provider.api)
    assert api is not None
    info = provider.info(model)
    origin = f"it/{info.family or family(provider.api, model)}"
    options = provider.provider_options.get(provider.api, {})
    return api, Upstream(model, origin, provider.flags(model), info.max_output_tokens, info.family, options)


def sent(host: str, body: Json, dialect: str = "chat", **call: Any) -> Outgoing:
    """What a client's request becomes for a host."""
    server = registry.dialect(dialect)
    assert server is not None
    api, upstream = target(host)
    return api.encode(server.decode(body, Call(**call)).request, upstream)


def heard(host: str, outgoing: Outgoing, reply: bytes) -> list[Event]:
    """What the client is told of a whole answer to this request."""
    api, _ = target(host)
    return _restored(api.name, outgoing, api.whole(reply, outgoing.reading, {}))


def streamed(host: str, outgoing: Outgoing, reply: bytes) -> list[Event]:
    """The same of a stream, read byte by byte."""
    api, _ = target(host)
    decoder = api.decoder(outgoing.reading)
    events = [event for byte in reply for event in decoder.feed(bytes([byte]))]
    return _restored(api.name, outgoing, [*events, *decoder.close()])


def _restored(api: str, outgoing: Outgoing, events: list[Event]) -> list[Event]:
    numbers = count(1)
    restorer = Restorer(outgoing.reading, RULES[api], lambda length: f"{next(numbers):0{length}d}")
    return restorer.feed(events)


def calls_of(events: list[Event]) -> list[tuple[str, str, str]]:
    """Id, name and argument text of each call."""
    return [(part.id, part.name, part.arguments) for part in fold(events).parts if isinstance(part, ToolCall)]
