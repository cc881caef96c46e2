"""Names of APIs and dialects -> their formats. A format is imported when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from adapters.format import Api, Dialect, Keeps

APIS = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic-messages": "anthropic_messages",
    "google-gemini": "google_gemini",
    "mistral-chat": "mistral_chat",
    "ollama-chat": "ollama_chat",
    "bedrock-converse": "bedrock_converse",
    "cohere-chat": "cohere_chat",
}
WANT_BYTES = frozenset({"google-gemini", "ollama-chat", "bedrock-converse"})
"""APIs that read no image at an http(s) address, or only some models do: the proxy may fetch for them."""

DIALECTS = {
    "chat": "openai_chat",
    "responses": "openai_responses",
    "messages": "anthropic_messages",
    "gemini": "google_gemini",
}


@cache
def api(name: str) -> Api | None:
    """The API's format, None where this version does not have it."""
    module = _module(APIS[name])
    return cast("Api | None", getattr(module, "API", None))


@cache
def dialect(name: str) -> Dialect | None:
    """The dialect's format, None where this version does not have it."""
    module = _module(DIALECTS[name])
    return cast("Dialect | None", getattr(module, "DIALECT", None))


@cache
def keeper(name: str) -> Keeps | None:
    """The dialect, where its clients continue, fetch and delete answers. Asked at each request: `isinstance` of a
    protocol takes as long as reading a message."""
    found = dialect(name)
    return found if isinstance(found, Keeps) else None


def built() -> frozenset[str]:
    """Names of the APIs that this version has."""
    return frozenset(name for name in APIS if api(name) is not None)


def _module(package: str) -> object:
    full = f"adapters.formats.{package}"
    try:
        return import_module(full)
    except ModuleNotFoundError as error:
        if error.name == full:
            return None
        raise
