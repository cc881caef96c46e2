"""Anthropic Messages (2026-11): what upstreams speak, and the dialect of its clients."""

from adapters.format import Api, Dialect
from adapters.formats.anthropic_messages.api import AnthropicMessages
from adapters.formats.anthropic_messages.dialect import Messages

API: Api = AnthropicMessages()
DIALECT: Dialect = Messages()
