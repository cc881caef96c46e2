"""Mistral's chat API, the client half (wire page mistral-chat, 2026-11: OpenAPI of 2026-08, mistralai 3.7.0)."""

from adapters.formats.mistral_chat.api import API

__all__ = ["API"]
