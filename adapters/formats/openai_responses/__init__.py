"""OpenAI Responses: the API `openai-responses` towards upstreams, the dialect `responses` towards clients.

Facts: the wire page openai-responses (2026-11): OpenAPI 2.3.0, SDKs openai 3.57.0 (Python) and 6.49.0 (Node).
"""

from adapters.formats.openai_responses.api import API
from adapters.formats.openai_responses.dialect import DIALECT

__all__ = ["API", "DIALECT"]
