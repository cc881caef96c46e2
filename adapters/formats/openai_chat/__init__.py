"""OpenAI Chat Completions: the dialect `chat` towards clients, the API `openai-chat` towards upstreams.

Facts: the wire page openai-chat (2026-11): OpenAI's OpenAPI 2.3.0, SDKs openai 3.57.0 (Python) and 6.49.0 (Node).
"""

from adapters.formats.openai_chat.api import API
from adapters.formats.openai_chat.dialect import DIALECT

__all__ = ["API", "DIALECT"]
