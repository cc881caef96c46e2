"""JSON Schema as each wire takes it: pure functions from a client's schema to a `Projection`.

Any JSON value is taken for a schema, none raises. The same schema gives the same bytes, and the projection of a
projection is the projection.
"""

from adapters.tools.schema.claude import anthropic, anthropic_strict, bedrock, bedrock_strict, strict_load
from adapters.tools.schema.gemini import gemini_json_schema, gemini_parameters
from adapters.tools.schema.inverse import Inverse
from adapters.tools.schema.model import Level, Projection
from adapters.tools.schema.openai import deepseek_strict, openai_base, openai_strict
from adapters.tools.schema.plain import cohere, cohere_strict, mistral, ollama, untouched

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
    "deepseek_strict",
    "gemini_json_schema",
    "gemini_parameters",
    "mistral",
    "ollama",
    "openai_base",
    "openai_strict",
    "strict_load",
    "untouched",
]
