"""Names what a request says and an API has no field for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from adapters.model import Json, Request

_SAID: Mapping[str, Callable[[Request], Json]] = {
    "top_k": lambda asked: asked.sampling.top_k,
    "seed": lambda asked: asked.sampling.seed,
    "presence_penalty": lambda asked: asked.sampling.presence_penalty,
    "frequency_penalty": lambda asked: asked.sampling.frequency_penalty,
    "logit_bias": lambda asked: asked.sampling.logit_bias or None,
    "logprobs": lambda asked: asked.sampling.logprobs or None,
    "top_logprobs": lambda asked: asked.sampling.top_logprobs,
    "user": lambda asked: asked.user,
    "metadata": lambda asked: asked.metadata or None,
    "service_tier": lambda asked: None if asked.service_tier in ("auto", "default") else asked.service_tier,
    "verbosity": lambda asked: asked.verbosity,
    "prompt_cache_key": lambda asked: asked.cache_key,
    "parallel_tool_calls": lambda asked: True if asked.parallel is False and asked.tools else None,
    "cache_control": lambda asked: _marked(asked) or None,
    "name of a message": lambda asked: any(message.name is not None for message in asked.messages) or None,
}
"""Field as clients know it -> what the request says in it; None: nothing that could be lost."""

FIELDS = frozenset(_SAID)

STRICT_OFF = "strict: left out, strict_tools is off"
"""Of a tool whose client asks for it."""


def told(request: Request, api: str, names: Iterable[str], warnings: dict[str, None]) -> None:
    """Adds a warning for each of these fields that the request uses."""
    for name in _SAID:
        if name in names and _SAID[name](request) is not None:
            warnings[f"{name}: left out, {api} has no such field"] = None


def _marked(request: Request) -> bool:
    parts = (part for message in request.messages for part in message.parts)
    return any(getattr(part, "cache", None) for part in parts) or any(tool.cache for tool in request.tools)
