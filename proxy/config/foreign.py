"""Keys of other programs' configs (LiteLLM 1.110, SDKs, 2026-11), and what stands for them here."""

from collections.abc import Container

ALIASES = {
    "api_base": "base_url",
    "base": "base_url",
    "endpoint": "base_url",
    "url": "base_url",
    "key": "api_key",
    "keys": "api_key",
    "token": "api_key",
    "type": "api",
    "provider": "api",
    "extra_headers": "headers",
    "upstreams": "providers",
    "backends": "providers",
    "routes": "models",
    "extra_body": "provider_options",
    "max_input_tokens": "context_window",
    "rpm": "requests_per_minute",
}
"""Foreign key -> the key that means the same; taken where that one may stand."""

HINTS = {
    "model_list": '"models" and "providers" stand for it, see docs/litellm.md',
    "litellm_params": 'its "model" is a "target", the rest stands once in "providers", see docs/litellm.md',
    "model_name": "it is the name under \"models\", see docs/litellm.md",
    "model_info": '"models" of a provider holds facts about models',
    "litellm_settings": "see docs/litellm.md, key by key",
    "router_settings": "see docs/litellm.md, key by key",
    "general_settings": 'its "master_key" is "clients", see docs/litellm.md',
    "master_key": 'it is "clients": [{name: me, key: KEY}]',
    "environment_variables": "set them in the environment; ${NAME} takes them into any value",
    "num_retries": 'it is "retry": {attempts: N + 1} of a model',
    "max_retries": 'it is "retry": {attempts: N + 1} of a model',
    "retries": 'it is "retry": {attempts: N + 1} of a model',
    "request_timeout": 'it is "timeout": {total: SECONDS} of a provider, "deadline_seconds" of a model',
    "api_version": 'Azure\'s /openai/v1 takes none; else "query": {api-version: VERSION}',
    "organization": 'it is "headers": {openai-organization: ID}',
    "default_fallbacks": 'it is "fallbacks" of each model',
    "context_window_fallbacks": "it is a fallback with on_errors: [context_length_exceeded]",
    "content_policy_fallbacks": "it is a fallback with on_errors: [content_filter]",
    "drop_params": "always so: what cannot be carried is named in a warning, or refused",
    "redis_host": 'it is "state": {backend: redis, url: "redis://HOST:PORT/0"}',
    "redis_url": 'it is "state": {backend: redis, url: "redis://HOST:PORT/0"}',
}
"""Foreign key -> what to write, where it is no key of the same kind."""


def alias(key: str, known: Container[str]) -> str | None:
    """The key here that a foreign one means."""
    found = ALIASES.get(key.lower())
    return found if found in known else None


def hint(key: str) -> str | None:
    return HINTS.get(key.lower())
