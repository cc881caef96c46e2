"""Anthropic Messages from the provider's side: endpoints, errors, and the request as the agent sees it.

The request check is in `anthropic_check`, the answers are in `anthropic_answer`.
"""

from __future__ import annotations

from typing import Any

from proxy.emulate.agent import Choice, Result, Task, Tool, tokens
from proxy.emulate.anthropic_answer import QUIRKS, stream, whole
from proxy.emulate.anthropic_check import LARGEST, betas_of, check, is_forced, marks
from proxy.emulate.anthropic_families import family
from proxy.emulate.anthropic_rules import Problem
from proxy.emulate.anthropic_thinking import blocks, unmarked
from proxy.emulate.api import Api, Ask, Received, Refused, Reply, dumps, key_of
from proxy.emulate.faults import LISTED, Mode, mode
from proxy.emulate.sse import event
from proxy.emulate.turns import Entry, asked

Json = Any

REQUEST_ID = "req_emulated"
JSON_HEADERS = (("content-type", "application/json"), ("request-id", REQUEST_ID))


def error(status: int, kind: str, message: str, details: Json = None) -> Reply:
    """An error in the API's envelope."""
    inner = {"type": kind, "message": message, **({"details": details} if details else {})}
    body = {"type": "error", "error": inner, "request_id": REQUEST_ID}
    headers = list(JSON_HEADERS)
    if status == 429:
        headers += [("retry-after", "1"), ("anthropic-ratelimit-requests-remaining", "0")]
    return Reply(status, dumps(body), tuple(headers))


_KINDS = {
    400: ("invalid_request_error", "The request is invalid."),
    401: ("authentication_error", "invalid x-api-key"),
    402: ("billing_error", "Your payment details need attention."),
    403: ("permission_error", "Your API key does not have permission to use the specified resource."),
    404: ("not_found_error", "The requested resource could not be found."),
    408: ("timeout_error", "The request timed out."),
    409: ("conflict_error", "The request conflicts with the state of the resource."),
    413: ("request_too_large", "Request exceeds the maximum size"),
    429: ("rate_limit_error", "This request would exceed your organization's rate limit."),
    504: ("timeout_error", "The request timed out."),
    529: ("overloaded_error", "Overloaded"),
}


def failure(how: Mode) -> Reply:
    """What the API says to a fault."""
    match how.kind:
        case "quota":
            text = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."
            return error(400, "invalid_request_error", text)
        case "context":
            return error(400, "invalid_request_error", "prompt is too long: 205007 tokens > 200000 maximum")
        case "auth":
            return error(401, *_KINDS[401])
        case "model":
            return error(404, "not_found_error", f"model: {how.model}")
        case _:
            server = ("api_error", "Internal server error")
            return error(how.status, *_KINDS.get(how.status, server if how.status >= 500 else _KINDS[400]))


def refuse(received: Received) -> Reply | None:
    """A 401 unless the request has a key: `x-api-key`, else a bearer token."""
    header, scheme = ("x-api-key", "") if "x-api-key" in received.headers else ("authorization", "Bearer ")
    return None if key_of(received, header, scheme) else failure(Mode("", "auth"))


def unreadable(received: Received) -> Reply:
    """The answer to a body that is not JSON."""
    return error(400, "invalid_request_error", "The request body is not valid JSON")


def error_frame(ask: Ask) -> bytes:
    """An error inside a stream."""
    inner = {"type": "overloaded_error", "message": "Overloaded"}
    return event("error", {"type": "error", "error": inner, "request_id": REQUEST_ID})


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the API would."""
    body = _checked(received, counting=False)
    return Ask(
        body["model"],
        body.get("stream") is True,
        _task(body, betas_of(received.headers)),
        _prompt(body),
        body,
        marks=_marks(body),
        conversation=str((body.get("metadata") or {}).get("user_id") or ""),
        betas=betas_of(received.headers),
    )


def _checked(received: Received, *, counting: bool) -> Json:
    try:
        if len(received.raw) > LARGEST:
            raise Problem("Request exceeds the maximum size", 413, "request_too_large")
        check(received.body, received.headers, _family_of(received.body), counting=counting)
    except Problem as problem:
        raise Refused(error(problem.status, problem.kind, problem.message, problem.details)) from None
    return received.body


def _family_of(body: Json) -> str:
    name = body.get("model") if isinstance(body, dict) else None
    return mode(name, QUIRKS).family if isinstance(name, str) else ""


def _prompt(body: Json) -> tuple[str, ...]:
    """Tools, system, and every message; cache marks do not count."""
    parts = [body.get("tools") or [], blocks(body.get("system") or []), *body["messages"]]
    return tuple(dumps(unmarked(part)).decode() for part in parts)


def _marks(body: Json) -> tuple[int, ...]:
    """How many parts of the prompt stand before each cache mark, the marked one included."""
    found = [2 + len(body["messages"])] if body.get("cache_control") else []
    for path, _ in marks(body):
        where, index, *_ = path.split(".")
        found.append({"tools": 1, "system": 2}.get(where) or 3 + int(index))
    return tuple(found)


def _task(body: Json, betas: frozenset[str]) -> Task:
    """A forced call begins the answer: nothing can be said before it (2026-11)."""
    messages = [message for message in body["messages"] if message["role"] != "system"]
    choice, allowed = _choice(body.get("tool_choice"))
    now = asked([_entry(message) for message in messages])
    results = _results(messages, now.since)
    wanted = (body.get("output_config") or {}).get("format")
    return Task(
        user=now.user,
        tools=tuple(Tool(t["name"], t["input_schema"]) for t in body.get("tools") or [] if "input_schema" in t),
        choice=choice,
        allowed=allowed,
        parallel=not (body.get("tool_choice") or {}).get("disable_parallel_tool_use"),
        results=results,
        rounds=now.rounds,
        reasoning=_thinks(body, betas, bool(results)),
        stop=tuple(body.get("stop_sequences") or ()),
        max_tokens=body["max_tokens"],
        output=wanted["schema"] if wanted else None,
        aloud=wanted is None and not is_forced(body),
    )


def _choice(choice: Json) -> tuple[Choice, tuple[str, ...] | None]:
    match choice:
        case {"type": "none"}:
            return "none", None
        case {"type": "any"}:
            return "required", None
        case {"type": "tool", "name": str(name)}:
            return "required", (name,)
    return "auto", None


def _thinks(body: Json, betas: frozenset[str], after_results: bool) -> bool:
    """Adaptive thinking also thinks between calls, a budget only with the beta; a forced call comes without."""
    match (body.get("thinking") or {}).get("type"):
        case "enabled":
            return not after_results or any(beta.startswith("interleaved-thinking-") for beta in betas)
        case "adaptive":
            return not is_forced(body)
        case "between_tools":
            return after_results
        case None:
            return family(_family_of(body)).thinks and not is_forced(body)
    return False


def _entry(message: Json) -> Entry:
    kinds = {block["type"] for block in blocks(message["content"])}
    if message["role"] == "assistant":
        return Entry("model", calls="tool_use" in kinds)
    return Entry("results" if "tool_result" in kinds else "user", _text(message["content"]))


def _text(content: Json) -> str:
    return "\n".join(block["text"] for block in blocks(content) if block["type"] == "text")


def _results(messages: list[Json], since: int) -> tuple[Result, ...]:
    """Of the last turn, however many messages it was sent in."""
    last = [block for message in messages[since:] for block in blocks(message["content"])]
    calls = blocks(messages[since - 1]["content"]) if since else []
    names = {block["id"]: block["name"] for block in calls if block["type"] == "tool_use"}
    return tuple(
        Result(b["tool_use_id"], names.get(b["tool_use_id"], ""), _text(b.get("content") or []))
        for b in last
        if b["type"] == "tool_result"
    )


# other endpoints


def count_tokens(received: Received) -> Reply:
    """The size of a prompt."""
    if received.body is None:
        return unreadable(received)
    try:
        body = _checked(received, counting=True)
    except Refused as refused:
        return refused.reply
    how = mode(body["model"], QUIRKS)
    if how.kind in ("status", "quota", "auth", "model"):
        return failure(how)
    return Reply(200, dumps({"input_tokens": sum(map(tokens, _prompt(body)))}), JSON_HEADERS)


def models(received: Received) -> Reply:
    """The model list, or one model."""
    names = [*LISTED, *(f"quirk-{name}" for name in sorted(QUIRKS))]
    if "model" in received.params:
        how = mode(received.params["model"], QUIRKS)
        return failure(how) if how.kind == "model" else Reply(200, dumps(_model(how.model)), JSON_HEADERS)
    page = {"data": [_model(name) for name in names], "has_more": False, "first_id": names[0], "last_id": names[-1]}
    return Reply(200, dumps(page), JSON_HEADERS)


def _model(name: str) -> Json:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-11-19T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": 200_000,
        "max_tokens": family(mode(name, QUIRKS).family).most,
    }


API = Api(
    name="anthropic-messages",
    base="",
    generate=("/v1/messages",),
    refuse=refuse,
    unreadable=unreadable,
    read=read,
    whole=whole,
    stream=stream,
    failure=failure,
    error_frame=error_frame,
    others=(
        ("POST", "/v1/messages/count_tokens", count_tokens),
        ("GET", "/v1/models", models),
        ("GET", "/v1/models/{model:path}", models),
    ),
    quirks=QUIRKS,
)
