"""Mistral's chat from the provider's side: endpoints, errors, and the request as the agent sees it.

The request check is in `mistral_check` and `mistral_messages`, the answers are in `mistral_answer`.
"""

from __future__ import annotations

from typing import Any

from proxy.emulate.agent import Choice, Result, Task, Tool
from proxy.emulate.anthropic_rules import Problem
from proxy.emulate.api import CREATED, Api, Ask, Received, Refused, Reply, dumps, key_of
from proxy.emulate.faults import LISTED, Mode, mode
from proxy.emulate.mistral_answer import QUIRKS, stream, whole
from proxy.emulate.mistral_check import check, thinks
from proxy.emulate.mistral_messages import Invalid
from proxy.emulate.mistral_quirks import error as late_error
from proxy.emulate.sse import data
from proxy.emulate.turns import Entry, asked

Json = Any

_JSON = (("content-type", "application/json"), ("x-kong-request-id", "emulated"))


def error(status: int, message: str, kind: str, code: str | None = None) -> Reply:
    """An error of the API behind the gateway."""
    body = {"object": "error", "message": message, "type": kind, "param": None, "code": code}
    return Reply(status, dumps(body), (*_JSON, ("retry-after", "1")) if status == 429 else _JSON)


def gateway(status: int, message: str) -> Reply:
    """An error of the gateway before it."""
    return Reply(status, dumps({"message": message, "request_id": "emulated"}), _JSON)


def invalid(problem: Problem) -> Reply:
    """A 422 with the place as a list."""
    path, _, text = problem.message.partition(": ")
    place = [int(step) if step.isdigit() else step for step in path.split(".") if step]
    kinds = {"Field required": "missing", "Extra inputs are not permitted": "extra_forbidden"}
    detail = {"type": kinds.get(text, "value_error"), "loc": ["body", *place], "msg": text, "input": None}
    return Reply(422, dumps({"detail": [detail]}), _JSON)


def failure(how: Mode) -> Reply:
    """What the API says to a fault."""
    match how.kind:
        case "quota":
            return gateway(402, "You have reached the end of your prepaid usage. A payment is required to continue.")
        case "context":
            text = "Prompt contains 131080 tokens and 0 draft tokens, too large for model with 131072 maximum context"
            return error(400, f"{text} length", "invalid_request_error", "3051")
        case "auth":
            return gateway(401, "Unauthorized")
        case "model":
            return error(400, f"Invalid model: {how.model}", "invalid_model", "1500")
    match how.status:
        case 401 | 403:
            return gateway(how.status, "Unauthorized" if how.status == 401 else "You cannot consume this service")
        case 429:
            return error(429, "Rate limit exceeded", "rate_limited", "1300")
        case 503:
            text = "Service tier capacity exceeded for this model."
            return error(503, text, "service_tier_capacity_exceeded", "3505")
        case status if status >= 500:
            return error(status, "Internal server error", "internal_server_error", "3000")
        case status:
            return error(status, "The request is invalid.", "invalid_request_error", None)


def refuse(received: Received) -> Reply | None:
    """A 401 unless the request has a bearer key."""
    return None if key_of(received) else failure(Mode("", "auth"))


def unreadable(received: Received) -> Reply:
    """The answer to a body that is not JSON."""
    detail = {"type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error", "input": {}}
    return Reply(422, dumps({"detail": [detail]}), _JSON)


def error_frame(ask: Ask) -> bytes:
    """An error inside a stream."""
    return data(late_error())


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the API would."""
    body = received.body
    named = body.get("model") if isinstance(body, dict) else None
    family = mode(named, QUIRKS).family if isinstance(named, str) else ""
    try:
        check(body, family)
    except Problem as problem:
        raise Refused(invalid(problem)) from None
    except Invalid as problem:
        raise Refused(error(400, problem.message, problem.kind, problem.code)) from None
    prompt = tuple(dumps(part).decode() for part in (body.get("tools"), *body["messages"]))
    talk = body.get("prompt_cache_key") or (body.get("metadata") or {}).get("conversation") or ""
    return Ask(body["model"], body.get("stream") is True, _task(body, family), prompt, body, conversation=str(talk))


def _task(body: Json, family: str) -> Task:
    messages: list[Json] = body["messages"]
    now = asked([_entry(message) for message in messages])
    choice, allowed = _choice(body.get("tool_choice"))
    wants = body.get("response_format") or {}
    stop = body.get("stop")
    return Task(
        user=now.user,
        tools=tuple(Tool(t["function"]["name"], _schema(t["function"])) for t in body.get("tools") or []),
        choice=choice,
        allowed=allowed,
        parallel=body.get("parallel_tool_calls") is not False,
        results=_results(messages, now.since),
        rounds=now.rounds,
        reasoning=thinks(body, family),
        stop=(stop,) if isinstance(stop, str) else tuple(stop or ()),
        max_tokens=body.get("max_tokens"),
        output={"json_object": {}, "json_schema": (wants.get("json_schema") or {}).get("schema") or {}}.get(
            wants.get("type", "text")
        ),
    )


def _schema(function: Json) -> Json:
    return function["parameters"] or {"type": "object", "properties": {}}


def _choice(choice: Json) -> tuple[Choice, tuple[str, ...] | None]:
    match choice:
        case "none":
            return "none", None
        case "any" | "required":
            return "required", None
        case {"function": {"name": str(name)}}:
            return "required", (name,)
    return "auto", None


def _entry(message: Json) -> Entry:
    if message["role"] == "assistant":
        return Entry("model", calls=bool(message.get("tool_calls")))
    if message["role"] == "tool":
        return Entry("results")
    return Entry("user", text_of(message.get("content"))) if message["role"] == "user" else Entry("other")


def _results(messages: list[Json], since: int) -> tuple[Result, ...]:
    calls = messages[since - 1].get("tool_calls") or [] if since else []
    found = [message for message in messages[since:] if message["role"] == "tool"]
    names = {call["id"]: call["function"]["name"] for call in calls}
    return tuple(
        Result(m["tool_call_id"], names.get(m["tool_call_id"], ""), text_of(m["content"])) for m in found
    )


def text_of(content: Json) -> str:
    """The text of a content: a string, or its text chunks on lines of their own."""
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if part.get("type") == "text")
    return content or ""


def models(received: Received) -> Reply:
    """The model list, or one model."""
    names = [*LISTED, *(f"quirk-{name}" for name in sorted(QUIRKS))]
    if "model" in received.params:
        how = mode(received.params["model"], QUIRKS)
        return failure(how) if how.kind == "model" else Reply(200, dumps(_model(how.model)), _JSON)
    return Reply(200, dumps({"object": "list", "data": [_model(name) for name in names]}), _JSON)


def _model(name: str) -> Json:
    able = {"completion_chat": True, "function_calling": True, "completion_fim": False, "fine_tuning": False}
    kept = {"id": name, "object": "model", "created": CREATED, "owned_by": "mistralai", "name": name, "aliases": []}
    return {**kept, "capabilities": able, "max_context_length": 131_072, "type": "base"}


API = Api(
    name="mistral-chat",
    base="",
    generate=("/v1/chat/completions",),
    refuse=refuse,
    unreadable=unreadable,
    read=read,
    whole=whole,
    stream=stream,
    failure=failure,
    error_frame=error_frame,
    others=(("GET", "/v1/models", models), ("GET", "/v1/models/{model:path}", models)),
    quirks=QUIRKS,
)
