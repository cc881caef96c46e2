"""The emulated APIs. A new one is a module and a line here."""

from __future__ import annotations

from proxy.emulate.anthropic_messages import API as ANTHROPIC_MESSAGES
from proxy.emulate.api import Api
from proxy.emulate.bedrock_converse import API as BEDROCK_CONVERSE
from proxy.emulate.cohere_chat import API as COHERE_CHAT
from proxy.emulate.google_gemini import API as GOOGLE_GEMINI
from proxy.emulate.mistral_chat import API as MISTRAL_CHAT
from proxy.emulate.ollama_chat import API as OLLAMA_CHAT
from proxy.emulate.openai_chat import API as OPENAI_CHAT
from proxy.emulate.openai_responses import API as OPENAI_RESPONSES

APIS: tuple[Api, ...] = (
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    ANTHROPIC_MESSAGES,
    GOOGLE_GEMINI,
    MISTRAL_CHAT,
    OLLAMA_CHAT,
    COHERE_CHAT,
    BEDROCK_CONVERSE,
)
