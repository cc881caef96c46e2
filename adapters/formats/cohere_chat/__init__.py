"""Cohere's v2 chat (2026-11): what upstreams speak."""

from adapters.format import Api
from adapters.formats.cohere_chat.api import CohereChat

API: Api = CohereChat()
