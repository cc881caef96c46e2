"""Anthropic Messages (2026-11): what upstreams speak, and the dialect of its clients."""

from adapters.format import Api
from adapters.formats.anthropic_messages.api import AnthropicMessages

API: Api = AnthropicMessages()
