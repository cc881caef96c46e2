"""A route's `params` (defaults) and `force` (overrides) on a neutral request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from adapters.model import Request, Sampling, Thinking

SAMPLING = frozenset(field.name for field in fields(Sampling))
SPELLED = {"parallel_tool_calls": "parallel"}
"""Names in the configuration that differ from the model's."""


def apply(request: Request, params: Mapping[str, Any], force: Mapping[str, Any]) -> Request:
    """The request with `params` where the client said nothing and `force` in any case."""
    for names, forced in ((params, False), (force, True)):
        for name, value in names.items():
            request = _set(request, name, tuple(value) if name == "stop" and isinstance(value, list) else value, forced)
    return request


def _set(request: Request, name: str, value: Any, forced: bool) -> Request:
    if name == "effort":
        thinking = request.thinking or Thinking()
        said = thinking.effort is not None or thinking.budget is not None
        return request if said and not forced else replace(
            request, thinking=replace(thinking, effort=value, budget=None))
    if name in SAMPLING:
        said = getattr(request.sampling, name) not in (None, ())
        return request if said and not forced else replace(request, sampling=replace(request.sampling, **{name: value}))
    name = SPELLED.get(name, name)
    said = getattr(request, name) is not None
    return request if said and not forced else replace(request, **{name: value})
