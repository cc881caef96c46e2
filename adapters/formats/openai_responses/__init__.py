"""OpenAI Responses, both halves (wire page openai-responses, 2026-11)."""
