"""Ollama's native chat from the provider's side: endpoints, errors, and the request as the agent sees it.

What is read and refused is in `ollama_rules` and `ollama_check`, the answers are in `ollama_answer`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proxy.emulate.agent import Result, Task, Tool, tokens
from proxy.emulate.api import Api, Ask, Received, Refused, Reply, dumps, key_of
from proxy.emulate.faults import LISTED, Mode, mode
from proxy.emulate.ollama_answer import CREATED_AT, JSON_HEADERS, QUIRKS, error_frame, loaded, stream, whole
from proxy.emulate.ollama_check import check_model, family, read_request, thinks
from proxy.emulate.ollama_rules import Problem
from proxy.emulate.turns import Entry, asked

Json = Any


def error(status: int, message: str, **more: Json) -> Reply:
    """An error as the server writes it."""
    headers = (*JSON_HEADERS, ("retry-after", "1")) if status == 429 else JSON_HEADERS
    return Reply(status, dumps({"error": message, **more}), headers)


_STATUS = {
    400: "invalid request",
    403: "forbidden",
    404: "not found",
    429: "rate limit exceeded, please try again later",
    499: "client closed request",
    502: "bad gateway",
    503: "server busy, please try again.  maximum pending requests exceeded",
}


def failure(how: Mode) -> Reply:
    """What the server, or the cloud behind it, says to a fault."""
    match how.kind:
        case "quota":
            return error(402, "you have reached your weekly usage limit, please upgrade your subscription")
        case "context":
            return error(400, "the input length exceeds the context length")
        case "model":
            return error(404, f"model '{how.model}' not found")
        case _ if how.kind == "auth" or how.status == 401:
            return error(401, "unauthorized", signin_url="https://ollama.com/connect?name=emulated")
        case _:
            return error(how.status, _STATUS.get(how.status, "llama runner process has terminated: exit status 2"))


def refuse(received: Received) -> Reply | None:
    """No key is needed; a bad one is refused all the same."""
    return failure(Mode("", "auth")) if "authorization" in received.headers and not key_of(received) else None


def unreadable(received: Received) -> Reply:
    """The answer to a body that is not JSON."""
    return error(400, "unexpected EOF" if received.raw else "missing request body")


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the server would answer something else."""
    try:
        body = read_request(received.body)
        name = mode(body["model"], QUIRKS).family
        check_model(body, name)
        prompt = _fitting(body)
    except Problem as problem:
        raise Refused(error(problem.status, problem.message)) from None
    streams = body.get("stream") is not False
    ask = Ask(body["model"], streams, _task(body, received.body, name), prompt, body)
    if not body["messages"] and mode(ask.model, QUIRKS).kind != "model":
        raise Refused(loaded(ask))
    return ask


def _fitting(body: Json) -> tuple[str, ...]:
    """The prompt's parts, tools first. What does not fit into `num_ctx` is cut silently, the oldest messages first,
    unless the client forbids it."""
    most = body["options"].get("num_ctx", 0)
    parts = [dumps(message).decode() for message in body["messages"]]
    tools = dumps(body["tools"]).decode() if body["tools"] else ""
    if most and tokens(tools) + sum(map(tokens, parts)) > most:
        if body.get("truncate") is False:
            raise Problem("the input length exceeds the context length")
        body["messages"] = _kept(body["messages"], most - tokens(tools))
        parts = [dumps(message).decode() for message in body["messages"]]
    return (tools, *parts)


def _kept(messages: list[Json], room: int) -> list[Json]:
    """All system messages and the last one, then the latest that fit."""
    sizes = [tokens(dumps(message).decode()) for message in messages]
    last = len(messages) - 1
    kept = {index for index, message in enumerate(messages) if message["role"] == "system"} | {last}
    for index in reversed(range(last)):
        if index not in kept and sum(sizes[one] for one in kept) + sizes[index] > room:
            break
        kept.add(index)
    return [messages[index] for index in sorted(kept)]


def _task(body: Json, given: Json, name: str) -> Task:
    messages, options = body["messages"], body["options"]
    now = asked([_entry(message) for message in messages])
    wants = body.get("format") or None
    most = options.get("num_predict", -1)
    return Task(
        user=now.user,
        tools=tuple(_tools(body, given, name)),
        results=_results(messages, now.since),
        rounds=now.rounds,
        reasoning=thinks(body, name),
        stop=tuple(options.get("stop") or ()),
        max_tokens=int(most) if most >= 0 else None,
        output={} if wants == "json" else wants,
    )


def _tools(body: Json, given: Json, name: str) -> list[Tool]:
    """A model sees what the server's struct keeps of a schema; the nameless family sees all of it."""
    found = []
    for index, tool in enumerate(body["tools"]):
        function = tool.get("function", {})
        schema = function.get("parameters", {"type": "object", "properties": {}})
        if family(name).whole and len(given.get("tools") or ()) == len(body["tools"]):
            schema = (given["tools"][index].get("function") or {}).get("parameters") or schema
        found.append(Tool(function.get("name", ""), schema))
    return found


def _entry(message: Json) -> Entry:
    if message["role"] == "assistant":
        return Entry("model", calls=bool(message.get("tool_calls")))
    if message["role"] == "tool":
        return Entry("results")
    return Entry("user", message["content"]) if message["role"] == "user" else Entry("other")


def _results(messages: list[Json], since: int) -> tuple[Result, ...]:
    """Of the last turn: by name, else by id, else in the order of the calls."""
    calls = messages[since - 1].get("tool_calls") or [] if since else []
    functions = [(call or {}).get("function", {}).get("name", "") for call in calls]
    names = {call["id"]: name for call, name in zip(calls, functions, strict=True) if call and "id" in call}
    found = []
    for index, message in enumerate(m for m in messages[since:] if m["role"] == "tool"):
        ordered = functions[index] if index < len(functions) else ""
        identifier = message.get("tool_call_id", "")
        found.append(Result(identifier, message.get("tool_name") or names.get(identifier, ordered), message["content"]))
    return tuple(found)


# other endpoints


def _listed() -> list[str]:
    return [*LISTED, *(f"quirk-{name}" for name in sorted(QUIRKS))]


def tags(received: Received) -> Reply:
    """The models that are there."""
    return Reply(200, dumps({"models": [_model(name) for name in _listed()]}), JSON_HEADERS)


def _model(name: str) -> Json:
    details = {"format": "gguf", "family": "emulated", "parameter_size": "8.0B", "quantization_level": "Q4_K_M"}
    return {"name": name, "model": name, "modified_at": CREATED_AT, "size": 1, "digest": "0" * 64, "details": details}


def show(received: Received) -> Reply:
    """What a model can."""
    name = str((received.body if isinstance(received.body, dict) else {}).get("model") or "")
    how = mode(name, QUIRKS)
    if how.kind == "model":
        return failure(replace(how, model=name))
    model = family(how.family)
    can = ["completion", *(["tools"] if model.tools else []), *(["thinking"] if model.thinks != "never" else [])]
    return Reply(200, dumps({**_model(name), "capabilities": can, "model_info": {}}), JSON_HEADERS)


def version(received: Received) -> Reply:
    return Reply(200, dumps({"version": "0.30.1"}), JSON_HEADERS)


API = Api(
    name="ollama-chat",
    base="",
    generate=("/api/chat",),
    refuse=refuse,
    unreadable=unreadable,
    read=read,
    whole=whole,
    stream=stream,
    failure=failure,
    error_frame=error_frame,
    others=(("GET", "/api/tags", tags), ("POST", "/api/show", show), ("GET", "/api/version", version)),
    quirks=QUIRKS,
)
