"""Ollama's native chat (2026-11): what upstreams speak."""

from adapters.format import Api
from adapters.formats.ollama_chat.api import OllamaChat

API: Api = OllamaChat()
