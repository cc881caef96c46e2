"""Requests once more without what an upstream refused (openai-chat §10, §11, openai-responses §10, 2026-11).

What was refused travels with the changed request, so that its encoder leaves it out and says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from adapters.errors import Failure
from adapters.format import Upstream
from adapters.model import NOTHING, Json, Request, Tool
from adapters.prepare import SchemaRule
from adapters.tools.schema import Projection

_KEY = "refused"
"""Where it stands in a request's `options`: no API is called so."""

STRICT = "strict"


def refused(request: Request) -> Mapping[str, Json]:
    """What the upstream refused of this request before."""
    return request.options.get(_KEY, NOTHING)


def without_fields(
    request: Request, sent: Mapping[str, Json], failure: Failure, names: tuple[str, ...]
) -> Request | None:
    """The request without those of the fields that were sent and that a 400 names. None where it names none."""
    if failure.status != 400 or failure.type != "invalid_request_error":
        return None
    told = f"{failure.param or ''} {failure.message}"
    named = [name for name in names if name in sent and re.search(rf"\b{name}\b", told)]
    return _marked(request, *named) if named else None


def without_strict(request: Request, failure: Failure, rule: SchemaRule, upstream: Upstream) -> Request | None:
    """No tool strict any more, where a schema was refused and toolwire had made one strict."""
    if failure.code != "invalid_function_parameters":
        return None
    if not any(_is_made_strict(tool, rule(tool, upstream)) for tool in request.tools if tool.kind == "function"):
        return None
    tools = tuple(replace(tool, strict=False) if tool.strict else tool for tool in request.tools)
    return _marked(replace(request, tools=tools), STRICT)


def _is_made_strict(tool: Tool, made: Projection | None) -> bool:
    return made is not None and bool(made.strict) and made.schema != tool.schema


def told(request: Request, warnings: dict[str, None]) -> None:
    """Names what is weakened by it beside fields."""
    if STRICT in refused(request):
        warnings["tools: sent without strict, the upstream refused a schema in its strict form"] = None


def _marked(request: Request, *names: str) -> Request:
    return replace(request, options={**request.options, _KEY: {**refused(request), **dict.fromkeys(names, True)}})

