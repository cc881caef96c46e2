"""OpenAI Responses from the provider's side: endpoints, and the request as the agent sees it.

The request check is in `openai_responses_check`, the answers are in `openai_responses_answer`. Nothing is stored: a
response cannot be fetched or continued by its id.
"""

from __future__ import annotations

from typing import Any

from proxy.emulate.agent import Choice, Result, Task, Tool
from proxy.emulate.api import Api, Ask, Received, Refused, Reply, dumps
from proxy.emulate.faults import Mode, mode
from proxy.emulate.openai_errors import error, failure, models, refuse, unreadable
from proxy.emulate.openai_responses_answer import QUIRKS, error_frame, stream, whole
from proxy.emulate.openai_responses_check import check, items_of, thinks
from proxy.emulate.openai_responses_tools import declared, schema_of, without_optionals
from proxy.emulate.openai_rules import Problem
from proxy.emulate.turns import Entry, asked

Json = Any

CALLS = ("function_call", "custom_tool_call")
OUTPUTS = ("function_call_output", "custom_tool_call_output")


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the API would."""
    body = received.body
    named = body.get("model") if isinstance(body, dict) else None
    how = mode(named, QUIRKS) if isinstance(named, str) else Mode("")
    try:
        check(body, how.family)
    except Problem as problem:
        raise Refused(error(problem.status, problem.message, problem.kind, problem.param, problem.code)) from None
    items = items_of(body)
    head = [body.get("tools"), body.get("instructions")]
    return Ask(
        body["model"],
        body.get("stream") is True,
        _task(body, items, how),
        tuple(dumps(part).decode() for part in (head, *items)),
        body,
        conversation=str(body.get("prompt_cache_key") or body.get("user") or ""),
    )


def _task(body: Json, items: list[Json], how: Mode) -> Task:
    now = asked([_entry(item) for item in items])
    choice, allowed = _choice(body.get("tool_choice"))
    wants = (body.get("text") or {}).get("format") or {}
    sparse = how.quirk == "null-optionals"
    return Task(
        user=now.user,
        tools=tuple(Tool(one.key, None if one.is_custom else _schema(one.tool, sparse)) for one in declared(body)),
        choice=choice,
        allowed=allowed,
        parallel=body.get("parallel_tool_calls") is not False,
        results=_results(items, now.since),
        rounds=now.rounds,
        reasoning=thinks(body, how.family),
        max_tokens=body.get("max_output_tokens"),
        output={"json_object": {}, "json_schema": wants.get("schema") or {}}.get(wants.get("type", "text")),
    )


def _schema(tool: Json, sparse: bool) -> Json:
    """Null for optional members is what a function without `strict` may get."""
    if sparse and tool.get("strict") is None and tool.get("parameters"):
        return without_optionals(tool["parameters"])
    return schema_of(tool)


def _choice(choice: Json) -> tuple[Choice, tuple[str, ...] | None]:
    match choice:
        case "none" | "required":
            return choice, None
        case {"type": "function" | "custom", "name": str(name)}:
            return "required", (name,)
        case {"type": "allowed_tools", "mode": mode, "tools": tools}:
            names = tuple(tool["name"] for tool in tools if tool.get("type") in ("function", "custom"))
            return "required" if mode == "required" else "auto", names
        case {"type": _}:  # a built-in tool: nothing here can be called
            return "none", None
    return "auto", None


def _entry(item: Json) -> Entry:
    if item.get("type") in OUTPUTS:
        return Entry("results")
    if item.get("role") == "user":
        return Entry("user", text_of(item.get("content")))
    if item.get("role") in ("system", "developer"):
        return Entry("other")
    return Entry("model", calls=item.get("type") in CALLS)


def _results(items: list[Json], since: int) -> tuple[Result, ...]:
    """The outputs of the last turn."""
    names = {item["call_id"]: _name(item) for item in items[:since] if item.get("type") in CALLS}
    found = [item for item in items[since:] if item.get("type") in OUTPUTS]
    called = [(item.get("call_id", ""), text_of(item["output"])) for item in found]
    return tuple(Result(call, names.get(call, ""), text) for call, text in called)


def _name(call: Json) -> str:
    own, namespace = str(call["name"]), call.get("namespace")
    return own if namespace in (None, own) else f"{namespace}.{own}"


def text_of(content: Json) -> str:
    """The text of a content: a string, or its text parts on lines of their own."""
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if "text" in part)
    return content or ""


def _failure(how: Mode) -> Reply:
    return failure(how, "input")


def stored(received: Received) -> Reply:
    """The answer to GET and DELETE: nothing is stored."""
    return error(404, f"Response with id '{received.params['id']}' not found.", "invalid_request_error")


_MODELS = models(QUIRKS)

API = Api(
    name="openai-responses",
    base="/v1",
    generate=("/v1/responses",),
    refuse=refuse,
    unreadable=unreadable,
    read=read,
    whole=whole,
    stream=stream,
    failure=_failure,
    error_frame=error_frame,
    others=(
        ("GET", "/v1/models", _MODELS),
        ("GET", "/v1/models/{model:path}", _MODELS),
        ("GET", "/v1/responses/{id}", stored),
        ("DELETE", "/v1/responses/{id}", stored),
    ),
    quirks=QUIRKS,
)
