"""OpenAI Chat Completions from the provider's side: endpoints, errors, and the request as the agent sees it.

The request check is in `openai_chat_check`, the answers are in `openai_chat_answer`.
"""

from __future__ import annotations

from typing import Any

from proxy.emulate import openai_chat_text as text
from proxy.emulate.agent import Choice, Result, Task, Tool, plan
from proxy.emulate.api import Api, Ask, Received, Refused, Reply, dumps
from proxy.emulate.faults import mode
from proxy.emulate.openai_chat_answer import QUIRKS, stream, whole
from proxy.emulate.openai_chat_check import check
from proxy.emulate.openai_chat_families import thinks
from proxy.emulate.openai_errors import SERVER, error, failure, models, refuse, unreadable
from proxy.emulate.openai_rules import Problem
from proxy.emulate.sse import data
from proxy.emulate.turns import Entry, asked

Json = Any


def error_frame(ask: Ask) -> bytes:
    """An error inside a stream."""
    return data({"error": {"message": SERVER[0], "type": SERVER[1], "param": None, "code": None}})


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the API would."""
    body = received.body
    named = body.get("model") if isinstance(body, dict) else None
    family = mode(named, QUIRKS).family if isinstance(named, str) else ""
    try:
        check(body, family)
    except Problem as problem:
        raise Refused(error(problem.status, problem.message, problem.kind, problem.param, problem.code)) from None
    messages: list[Json] = body["messages"]
    task = _task(body, family)
    quirk = mode(body["model"], QUIRKS).quirk
    if quirk == text.PROMPTED:
        task = text.prompted(task, [(message["role"], text_of(message.get("content"))) for message in messages])
    elif quirk == text.REFUSED and (planned := plan(task)).calls:
        raise Refused(Reply(400, dumps(text.refused(planned))))
    prompt = tuple(dumps(part).decode() for part in (body.get("tools"), *messages))
    return Ask(
        body["model"],
        bool(body.get("stream")),
        task,
        prompt,
        body,
        conversation=str(body.get("user") or ""),
    )


def _task(body: Json, family: str) -> Task:
    messages: list[Json] = body["messages"]
    now = asked([_entry(message) for message in messages])
    functions = [{"type": "function", "function": function} for function in body.get("functions") or []]
    choice, allowed = _choice(_legacy_choice(body.get("function_call")) if functions else body.get("tool_choice"))
    wants = body.get("response_format") or {}
    return Task(
        user=now.user,
        tools=tuple(_tool(tool) for tool in functions or body.get("tools") or []),
        choice=choice,
        allowed=allowed,
        parallel=body.get("parallel_tool_calls") is not False and not functions,
        results=_results(messages, now.since),
        rounds=now.rounds,
        reasoning=thinks(body, family),
        stop=_stops(body.get("stop")),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
        output={"json_object": {}, "json_schema": (wants.get("json_schema") or {}).get("schema") or {}}.get(
            wants.get("type", "text")
        ),
    )


def _tool(tool: Json) -> Tool:
    if tool["type"] == "custom":
        return Tool(tool["custom"]["name"], None)
    return Tool(tool["function"]["name"], tool["function"].get("parameters") or {"type": "object", "properties": {}})


def _choice(choice: Json) -> tuple[Choice, tuple[str, ...] | None]:
    match choice:
        case "none" | "required":
            return choice, None
        case {"type": "function", "function": {"name": str(name)}} | {"type": "custom", "custom": {"name": str(name)}}:
            return "required", (name,)
        case {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}:
            names = tuple(tool[tool["type"]]["name"] for tool in tools)
            return "required" if mode == "required" else "auto", names
    return "auto", None


def _legacy_choice(choice: Json) -> Json:
    return {"type": "function", "function": choice} if isinstance(choice, dict) else choice


def _entry(message: Json) -> Entry:
    if message["role"] == "assistant":
        return Entry("model", calls=bool(message.get("tool_calls") or message.get("function_call")))
    if message["role"] in ("tool", "function"):
        return Entry("results")
    return Entry("user", text_of(message.get("content"))) if message["role"] == "user" else Entry("other")


def _results(messages: list[Json], since: int) -> tuple[Result, ...]:
    if legacy := [message for message in messages[since:] if message["role"] == "function"]:
        return tuple(Result("", message["name"], message.get("content") or "") for message in legacy)
    calls = messages[since - 1].get("tool_calls") or [] if since else []
    found = [message for message in messages[since:] if message["role"] == "tool"]
    names = {call["id"]: call[call["type"]]["name"] for call in calls}
    return tuple(
        Result(m["tool_call_id"], names.get(m["tool_call_id"], ""), text_of(m.get("content"))) for m in found
    )


def _stops(stop: Json) -> tuple[str, ...]:
    return (stop,) if isinstance(stop, str) else tuple(stop or ())


def text_of(content: Json) -> str:
    """The text of a content: a string, or its text parts on lines of their own."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
    return content or ""


_MODELS = models(QUIRKS, ("agent-onechunk",))

API = Api(
    name="openai-chat",
    base="/v1",
    generate=("/v1/chat/completions",),
    refuse=refuse,
    unreadable=unreadable,
    read=read,
    whole=whole,
    stream=stream,
    failure=failure,
    error_frame=error_frame,
    others=(("GET", "/v1/models", _MODELS), ("GET", "/v1/models/{model:path}", _MODELS)),
    quirks=QUIRKS,
)
