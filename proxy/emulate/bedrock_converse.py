"""Amazon Bedrock's Converse from the provider's side: endpoints, keys and signatures, errors, the request as a task.

The request check is in `bedrock_check`, `bedrock_blocks` and `bedrock_messages`, the answers in `bedrock_answer`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proxy.emulate.agent import Choice, Result, Task, Tool, tokens
from proxy.emulate.api import Api, Ask, Received, Refused, Reply, dumps, key_of
from proxy.emulate.aws_frames import damaged
from proxy.emulate.aws_signature import ALGORITHM, Unsigned
from proxy.emulate.aws_signature import check as check_signature
from proxy.emulate.bedrock_answer import JSON_HEADERS, QUIRKS, error_frame, stream, whole
from proxy.emulate.bedrock_blocks import kind
from proxy.emulate.bedrock_check import cache_points, check, output_schema, specs
from proxy.emulate.bedrock_families import family
from proxy.emulate.bedrock_messages import merged
from proxy.emulate.bedrock_rules import Problem
from proxy.emulate.faults import Mode, mode
from proxy.emulate.turns import Entry, asked

Json = Any


def error(status: int, code: str, message: str) -> Reply:
    """An error: its code stands in a header."""
    headers = [*JSON_HEADERS, ("x-amzn-errortype", f"{code}:http://internal.amazon.com/coral/com.amazon.bedrock/")]
    return Reply(status, dumps({"message": message}), (*headers, *([("retry-after", "1")] if status == 429 else [])))


_STATUS = {
    400: ("ValidationException", "The request is invalid."),
    401: ("UnrecognizedClientException", "The security token included in the request is invalid."),
    403: ("AccessDeniedException", "You don't have access to the model with the specified model ID."),
    404: ("ResourceNotFoundException", "This model version has reached the end of its life."),
    408: ("ModelTimeoutException", "The model timed out while processing your request."),
    413: ("RequestEntityTooLargeException", "The request is too large."),
    424: ("ModelErrorException", "The model failed while processing your request."),
    429: ("ThrottlingException", "Too many requests, please wait before trying again."),
    503: ("ServiceUnavailableException", "Bedrock is unable to process your request."),
    529: ("ServiceUnavailableException", "Bedrock is unable to process your request."),
}
_SERVER = ("InternalServerException", "The system encountered an unexpected error during processing.")


def failure(how: Mode) -> Reply:
    """What the service says to a fault."""
    match how.kind:
        case "quota":
            text = "Your request exceeds the service quota for your account."
            return error(400, "ServiceQuotaExceededException", text)
        case "context":
            return error(400, "ValidationException", "Input is too long for requested model.")
        case "auth":
            return error(403, *_STATUS[401])
        case "model":
            return error(400, "ValidationException", "The provided model identifier is invalid.")
        case _:
            return error(how.status, *_STATUS.get(how.status, _SERVER if how.status >= 500 else _STATUS[400]))


def refuse(received: Received) -> Reply | None:
    """A bearer key, or a signature with the one key that is known."""
    given = received.headers.get("authorization", "")
    if not given:
        return error(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
    if not given.startswith(ALGORITHM):
        text = "Authentication failed: Please make sure your API Key is valid."
        return None if key_of(received) else error(403, "AccessDeniedException", text)
    try:
        check_signature(received.method, received.target, received.query, received.headers, received.raw)
    except Unsigned as unsigned:
        return error(403, unsigned.code, unsigned.message)
    return None


def unreadable(received: Received) -> Reply:
    """The answer to a body that is not JSON."""
    return error(400, "SerializationException", "The body is not JSON.")


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the service would."""
    name = received.params["model"]
    how = mode(name, QUIRKS)
    operation = received.path.rpartition("/")[2]
    if received.target.partition("/model/")[2].count("/") > 1:  # a model is one segment, its slashes encoded
        raise Refused(error(404, "UnknownOperationException", "The path names no operation."))
    body = _checked(received.body, how)
    prompt = _prompt(body)
    return Ask(
        name,
        operation == "converse-stream",
        _task(body, how),
        prompt,
        body,
        marks=_marks(body),
        conversation=dumps(body.get("requestMetadata") or "").decode(),
    )


def _checked(body: Json, how: Mode) -> Json:
    try:
        check(body, family(how.family))
    except Problem as problem:
        raise Refused(error(400, problem.code, problem.message)) from None
    return body


def _prompt(body: Json) -> tuple[str, ...]:
    """Tools, system, and every message; cache points do not count."""
    parts = [(body.get("toolConfig") or {}).get("tools") or [], body.get("system") or []]
    parts += [message["content"] for message in body["messages"]]
    return tuple(dumps([block for block in part if not block.get("cachePoint")]).decode() for part in parts)


def _marks(body: Json) -> tuple[int, ...]:
    """How many parts of the prompt stand before each cache point, its own included."""
    found = []
    for path, _ in cache_points(body):
        where, index, *_ = path.split(".")
        found.append({"tools": 1, "system": 2}.get(where) or 3 + int(index))
    return tuple(found)


def _task(body: Json, how: Mode) -> Task:
    turns = merged(body["messages"])
    extra, config = body.get("additionalModelRequestFields") or {}, body.get("inferenceConfig") or {}
    choice, allowed = _choice((body.get("toolConfig") or {}).get("toolChoice"), extra.get("tool_choice") or {})
    now = asked([_entry(turn) for turn in turns])
    return Task(
        user=now.user,
        tools=tuple(Tool(spec["name"], spec["inputSchema"]["json"]) for spec in specs(body)),
        choice=choice,
        allowed=allowed,
        parallel=not (extra.get("tool_choice") or {}).get("disable_parallel_tool_use"),
        results=_results(turns),
        rounds=now.rounds,
        reasoning=_thinks(body, extra, how),
        stop=tuple(config.get("stopSequences") or ()),
        max_tokens=config.get("maxTokens"),
        output=output_schema(body),
        aloud=True,
    )


def _choice(choice: Json, native: Json) -> tuple[Choice, tuple[str, ...] | None]:
    """The service's own choice, or the model's."""
    match choice or native:
        case {"any": _} | {"type": "any"}:
            return "required", None
        case {"tool": {"name": str(name)}} | {"type": "tool", "name": str(name)}:
            return "required", (name,)
        case {"type": "none"}:
            return "none", None
    return "auto", None


def _thinks(body: Json, extra: Json, how: Mode) -> bool:
    """In the model's own words, or in the service's."""
    rules = family(how.family)
    if rules.reasoning == "none":
        return False
    thinking = extra.get("thinking") or {}
    if thinking.get("type") in ("enabled", "adaptive"):
        return True
    words = [
        extra.get("reasoning_effort"),
        extra.get("reasoning_config"),
        (body.get("outputConfig") or {}).get("effort"),
    ]
    for name, member in (("reasoning", "effort"), ("reasoningConfig", "maxReasoningEffort")):
        if isinstance(native := extra.get(name), dict):
            words.append(native.get(member))
    if any(word not in (None, "none") for word in words):
        return True
    return bool(rules.claude and rules.claude.thinks and thinking.get("type") != "disabled")


def _entry(turn: Json) -> Entry:
    if turn["role"] == "assistant":
        return Entry("model", calls=_has(turn, "toolUse"))
    return Entry("results" if _has(turn, "toolResult") else "user", _text(turn))


def _has(turn: Json, name: str) -> bool:
    return any(kind(block) == name for block in turn["content"])


def _text(turn: Json) -> str:
    return "\n".join(block["text"] for block in turn["content"] if kind(block) == "text")


def _results(turns: list[Json]) -> tuple[Result, ...]:
    """Of the last turn."""
    last = turns[-1]["content"] if turns[-1]["role"] == "user" else []
    calls = turns[-2]["content"] if len(turns) > 1 else []
    names = {b["toolUse"]["toolUseId"]: b["toolUse"]["name"] for b in calls if kind(b) == "toolUse"}
    found = [block["toolResult"] for block in last if kind(block) == "toolResult"]
    return tuple(Result(one["toolUseId"], names.get(one["toolUseId"], ""), _shown(one["content"])) for one in found)


def _shown(content: list[Json]) -> str:
    texts = []
    for block in content:
        if kind(block) == "text":
            texts.append(str(block["text"]))
        elif kind(block) == "json":
            texts.append(dumps(block["json"]).decode())
    return "\n".join(texts)


def count_tokens(received: Received) -> Reply:
    """The size of a prompt; for Claude alone."""
    how = mode(received.params["model"], QUIRKS)
    if how.kind in ("status", "quota", "auth", "model"):
        return failure(how)
    if family(how.family).reasoning != "claude":
        return error(400, "ValidationException", "The provided model doesn't support counting tokens.")
    inside = received.body.get("input") if isinstance(received.body, dict) else None
    body = inside.get("converse") if isinstance(inside, dict) else None
    try:
        checked = _checked(body, replace(how, quirk=""))
    except Refused as refused:
        return refused.reply
    return Reply(200, dumps({"inputTokens": sum(map(tokens, _prompt(checked)))}), JSON_HEADERS)


API = Api(
    name="bedrock-converse",
    base="",
    generate=("/model/{model:path}/converse", "/model/{model:path}/converse-stream"),
    refuse=refuse,
    unreadable=unreadable,
    read=read,
    whole=whole,
    stream=stream,
    failure=failure,
    error_frame=error_frame,
    others=(("POST", "/model/{model:path}/count-tokens", count_tokens),),
    quirks=QUIRKS,
    damaged=damaged,
)
