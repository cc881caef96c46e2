"""JSON Schema as each wire takes it: pure functions from a client's schema to a `Projection`."""

from adapters.tools.schema.inverse import Inverse
from adapters.tools.schema.model import Level, Projection
from adapters.tools.schema.plain import (
    anthropic,
    anthropic_strict,
    bedrock,
    bedrock_strict,
    cohere,
    cohere_strict,
    gemini_json_schema,
    gemini_parameters,
    generic,
    mistral,
    ollama,
    openai_base,
    openai_strict,
    untouched,
)

__all__ = [
    "Inverse",
    "Level",
    "Projection",
    "anthropic",
    "anthropic_strict",
    "bedrock",
    "bedrock_strict",
    "cohere",
    "cohere_strict",
    "gemini_json_schema",
    "gemini_parameters",
    "generic",
    "mistral",
    "ollama",
    "openai_base",
    "openai_strict",
    "untouched",
]
