"""Cohere's v2 chat from the provider's side: endpoints, errors, and the request as the agent sees it.

The request check is in `cohere_check` and `cohere_schemas`, the answers are in `cohere_answer`.
"""

from __future__ import annotations

from typing import Any

from proxy.emulate.agent import Choice, Result, Task, Tool
from proxy.emulate.api import Api, Ask, Received, Refused, Reply, dumps, key_of
from proxy.emulate.cohere_answer import JSON_HEADERS, QUIRKS, error_frame, stream, whole
from proxy.emulate.cohere_check import check, schema_of, thinks
from proxy.emulate.cohere_rules import Problem
from proxy.emulate.faults import LISTED, Mode, mode
from proxy.emulate.turns import Entry, asked

Json = Any


def error(status: int, message: str) -> Reply:
    """An error as the API writes it."""
    headers = (*JSON_HEADERS, ("retry-after", "1")) if status == 429 else JSON_HEADERS
    return Reply(status, dumps({"id": "emulated", "message": message}), headers)


_STATUS = {
    400: "invalid request: the request cannot be processed",
    401: "invalid api token",
    402: "Maximum billing reached for this API key as set in your dashboard, please go to the billing page.",
    403: "this API key has no access to this resource",
    404: "resource not found",
    422: "request was unprocessable",
    429: "You are past the per minute request limit, please wait and try again later.",
    498: "the request was blocked by our usage policy",
    499: "request cancelled by the client",
    503: "service is temporarily unavailable",
    504: "request timed out",
}


def failure(how: Mode) -> Reply:
    """What the API says to a fault."""
    match how.kind:
        case "quota":
            return error(402, "Please add or update your payment method to continue.")
        case "context":
            text = "too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 128007."
            return error(400, text)
        case "auth":
            return error(401, _STATUS[401])
        case "model":
            text = f"model '{how.model}' not found, make sure the correct model ID was used and that you have access"
            return error(404, f"{text} to the model.")
        case _:
            server = "internal server error, this has been reported to our developers."
            return error(how.status, _STATUS.get(how.status, server if how.status >= 500 else _STATUS[400]))


def refuse(received: Received) -> Reply | None:
    """A 401 unless the request has a bearer key."""
    if "authorization" not in received.headers:
        return error(401, "no api key supplied")
    return None if key_of(received) else failure(Mode("", "auth"))


def unreadable(received: Received) -> Reply:
    """The answer to a body that is not JSON."""
    return error(400, "invalid request: failed to parse the JSON body")


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the API would."""
    body = received.body
    named = body.get("model") if isinstance(body, dict) else None
    family = mode(named, QUIRKS).family if isinstance(named, str) else ""
    try:
        check(body, family)
    except Problem as problem:
        raise Refused(error(problem.status, problem.message)) from None
    prompt = tuple(dumps(part).decode() for part in ([body.get("tools"), body.get("documents")], *body["messages"]))
    return Ask(body["model"], body.get("stream") is True, _task(body, family), prompt, body)


def _task(body: Json, family: str) -> Task:
    messages: list[Json] = body["messages"]
    now = asked([_entry(message) for message in messages])
    wants, choice = body.get("response_format") or {}, body.get("tool_choice")
    choices: dict[Json, Choice] = {"REQUIRED": "required", "NONE": "none"}
    reasoning = thinks(body, family)
    return Task(
        user=now.user,
        tools=tuple(Tool(tool["function"]["name"], _schema(tool["function"])) for tool in body.get("tools") or []),
        choice=choices.get(choice, "auto"),
        results=_results(messages, now.since),
        rounds=now.rounds,
        reasoning=reasoning,
        stop=tuple(body.get("stop_sequences") or ()),
        max_tokens=body.get("max_tokens"),
        output=(schema_of(wants) or {}) if wants.get("type") == "json_object" else None,
        aloud=not reasoning,
    )


def _schema(function: Json) -> Json:
    return function.get("parameters") or {"type": "object", "properties": {}}


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
    """The text of a content: a string, or its parts on lines of their own; a document's as JSON."""
    if not isinstance(content, list):
        return content or ""
    texts = []
    for part in content:
        if part["type"] == "text":
            texts.append(str(part["text"]))
        elif part["type"] == "document":
            texts.append(dumps(part["document"]["data"]).decode())
    return "\n".join(texts)


def models(received: Received) -> Reply:
    """The model list, or one model."""
    names = [*LISTED, *(f"quirk-{name}" for name in sorted(QUIRKS))]
    if "model" in received.params:
        how = mode(received.params["model"], QUIRKS)
        return failure(how) if how.kind == "model" else Reply(200, dumps(_model(how.model)), JSON_HEADERS)
    return Reply(200, dumps({"models": [_model(name) for name in names]}), JSON_HEADERS)


def _model(name: str) -> Json:
    return {"name": name, "endpoints": ["chat"], "finetuned": False, "context_length": 128_000, "features": ["tools"]}


API = Api(
    name="cohere-chat",
    base="",
    generate=("/v2/chat",),
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
