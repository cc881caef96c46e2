"""Gemini's generateContent from the provider's side, on the Gemini API's paths and on Vertex's.

The request check is in `google_gemini_check`, the answers are in `google_gemini_answer`.
"""

from __future__ import annotations

from typing import Any

from proxy.emulate.agent import Choice, Result, Task, Tool, tokens
from proxy.emulate.api import Api, Ask, Received, Refused, Reply, dumps, key_of
from proxy.emulate.faults import LISTED, Mode, mode
from proxy.emulate.google_gemini_answer import QUIRKS, SSE, VERTEX, error_frame, stream, whole
from proxy.emulate.google_gemini_check import check, declarations
from proxy.emulate.google_gemini_families import family
from proxy.emulate.google_gemini_proto import Problem, camel
from proxy.emulate.google_gemini_schemas import as_json_schema
from proxy.emulate.google_gemini_signatures import is_user
from proxy.emulate.turns import Entry, asked

Json = Any

HTTP = {"INVALID_ARGUMENT": 400, "PERMISSION_DENIED": 403, "NOT_FOUND": 404}
VERSIONS = ("v1", "v1beta", "v1alpha", "v1beta1")
_RPC = "type.googleapis.com/google.rpc."


def error(status: int, word: str, message: str, *details: Json) -> Reply:
    """An error in Google's envelope."""
    inside = {"code": status, "message": message, "status": word} | ({"details": list(details)} if details else {})
    headers = [("content-type", "application/json; charset=UTF-8")] + ([("retry-after", "1")] if status == 429 else [])
    return Reply(status, dumps({"error": inside}), tuple(headers))


_STATUS = {
    400: ("INVALID_ARGUMENT", "Request contains an invalid argument."),
    401: ("UNAUTHENTICATED", "Request had invalid authentication credentials."),
    402: ("RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
    403: ("PERMISSION_DENIED", "The caller does not have permission"),
    404: ("NOT_FOUND", "Requested entity was not found."),
    409: ("ABORTED", "The operation was aborted."),
    413: ("INVALID_ARGUMENT", "Request payload size exceeds the limit."),
    499: ("CANCELLED", "The operation was cancelled."),
    500: ("INTERNAL", "An internal error has occurred."),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
    504: ("DEADLINE_EXCEEDED", "The request timed out. Please try again."),
}


def _limit(quota: str) -> tuple[Json, Json]:
    violation = {"quotaId": quota, "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests"}
    retry = {"@type": _RPC + "RetryInfo", "retryDelay": "1s"}
    return {"@type": _RPC + "QuotaFailure", "violations": [violation]}, retry


def failure(how: Mode) -> Reply:
    """What the API says to a fault."""
    exceeded = "You exceeded your current quota, please check your plan and billing details."
    match how.kind:
        case "quota":
            return error(429, "RESOURCE_EXHAUSTED", exceeded, *_limit("GenerateRequestsPerDayPerProjectPerModel"))
        case "context":
            text = "The input token count (1048583) exceeds the maximum number of tokens allowed (1048576)."
            return error(400, "INVALID_ARGUMENT", text)
        case "auth":
            info = {"@type": _RPC + "ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
            return error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", info)
        case "model":
            text = f"models/{how.model} is not found for API version v1beta, or is not supported for generateContent."
            return error(404, "NOT_FOUND", text)
        case _ if how.status == 429:
            return error(429, "RESOURCE_EXHAUSTED", exceeded, *_limit("GenerateRequestsPerMinutePerProjectPerModel"))
        case _:
            word, text = _STATUS.get(how.status, _STATUS[500 if how.status >= 500 else 400])
            return error(how.status, word, text)


def refuse(received: Received) -> Reply | None:
    """The Gemini API takes a key in a header or the query, Vertex a bearer token."""
    if _is_vertex(received):
        return None if key_of(received) else failure(Mode("", "status", 401))
    if received.params.get("version") not in VERSIONS:
        return failure(Mode("", "status", 404))
    key = received.headers.get("x-goog-api-key") or received.query.get("key") or key_of(received)
    if key is None and "authorization" not in received.headers:
        text = "Method doesn't allow unregistered callers (callers without established identity)."
        return error(403, "PERMISSION_DENIED", text)
    return failure(Mode("", "auth")) if key in (None, "bad-key") else None


def unreadable(received: Received) -> Reply:
    """The answer to a body that is not JSON."""
    return error(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Expected a value.")


def _is_vertex(received: Received) -> bool:
    return "/publishers/google/" in received.path


def _refused(problem: Problem) -> Refused:
    violation = {"field": problem.field, "description": problem.message}
    details = [{"@type": _RPC + "BadRequest", "fieldViolations": [violation]}] if problem.field else []
    return Refused(error(HTTP[problem.status], problem.status, problem.message, *details))


def read(received: Received) -> Ask:
    """The request as a task. Raises Refused where the API would."""
    model = received.params["model"].removeprefix("models/")
    try:
        body = check(received.body, mode(model, QUIRKS).family, vertex=_is_vertex(received))
    except Problem as problem:
        raise _refused(problem) from None
    streams = received.path.endswith(":streamGenerateContent")
    marks = {SSE: streams and received.query.get("alt") == "sse", VERTEX: _is_vertex(received)}
    head = [body.get("tools"), body.get("systemInstruction")]
    return Ask(
        model,
        streams,
        _task(body, mode(model, QUIRKS).family),
        tuple(dumps(part).decode() for part in (head, *body["contents"])),
        body,
        conversation=dumps(body.get("labels") or "").decode(),
        betas=frozenset(name for name, on in marks.items() if on),
    )


def _task(body: Json, name: str) -> Task:
    contents, config = body["contents"], body.get("generationConfig") or {}
    now = asked([_entry(content) for content in contents])
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    choice: dict[str, Choice] = {"ANY": "required", "NONE": "none"}
    return Task(
        user=now.user,
        tools=tuple(Tool(one["name"], _schema(one)) for one in declarations(body)),
        choice=choice.get(calling.get("mode", "AUTO"), "auto"),
        allowed=tuple(calling["allowedFunctionNames"]) if calling.get("allowedFunctionNames") else None,
        results=_results(contents[now.since :]),
        rounds=now.rounds,
        reasoning=_thinks(config.get("thinkingConfig") or {}, name),
        stop=tuple(config.get("stopSequences") or ()),
        max_tokens=config.get("maxOutputTokens"),
        output=_output(config),
    )


def _schema(one: Json) -> Json:
    if "parameters" in one:
        return as_json_schema(one["parameters"])
    return one.get("parametersJsonSchema") or {"type": "object", "properties": {}}


def _output(config: Json) -> Json:
    """The schema of a structured answer."""
    for entry in config.get("responseFormat") or []:
        if "text" in entry:
            return entry["text"].get("schema") or {}
    if config.get("responseMimeType", "text/plain") == "text/plain":
        return None
    if "responseSchema" in config:
        return as_json_schema(config["responseSchema"])
    return config.get("responseJsonSchema") or {}


def _thinks(thinking: Json, name: str) -> bool:
    model = family(name)
    if not model.levels and model.budget is None:
        return False
    if thinking.get("thinkingBudget") == 0:
        return not model.off
    return model.thinks or bool(thinking)


def _text(content: Json) -> str:
    return "\n".join(part["text"] for part in content["parts"] if part.get("text"))


def _entry(content: Json) -> Entry:
    if content.get("role") == "model":
        return Entry("model", calls=any("functionCall" in part for part in content["parts"]))
    return Entry("user" if is_user(content) else "results", _text(content))


def _results(contents: list[Json]) -> tuple[Result, ...]:
    """Of the last turn; a lone text is shown as it is."""
    parts = [part for content in contents for part in content["parts"]]
    found = [part["functionResponse"] for part in parts if "functionResponse" in part]
    return tuple(Result(one.get("id", ""), one["name"], _shown(one["response"])) for one in found)


def _shown(response: Json) -> str:
    for name in ("output", "result"):
        if list(response) == [name] and isinstance(response[name], str):
            return str(response[name])
    return dumps(response).decode()


# other endpoints


def count_tokens(received: Received) -> Reply:
    """The size of a prompt: bare contents, or a whole request."""
    if not isinstance(received.body, dict):
        return unreadable(received)
    body = {camel(name): value for name, value in received.body.items()}
    inside = body.get("generateContentRequest", body)
    model = received.params["model"].removeprefix("models/")
    how = mode(model, QUIRKS)
    try:
        found = check(inside, how.family, vertex=_is_vertex(received))
    except Problem as problem:
        return _refused(problem).reply
    if how.kind in ("status", "quota", "auth", "model"):
        return failure(how)
    head = [found.get("tools"), found.get("systemInstruction")]
    total = sum(tokens(dumps(part).decode()) for part in (head, *found["contents"]))
    details = [{"modality": "TEXT", "tokenCount": total}]
    return Reply(200, dumps({"totalTokens": total, "promptTokensDetails": details}))


def models(received: Received) -> Reply:
    """The model list, or one model."""
    names = [*LISTED, *(f"quirk-{name}" for name in sorted(QUIRKS))]
    if "model" in received.params:
        how = mode(received.params["model"].removeprefix("models/"), QUIRKS)
        return failure(how) if how.kind == "model" else Reply(200, dumps(_model(how.model)))
    return Reply(200, dumps({"models": [_model(name) for name in names]}))


def _model(name: str) -> Json:
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name,
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


_GEMINI = "/{version}/models/{model:path}"
_ON_VERTEX = "/{version}/projects/{project}/locations/{location}/publishers/google/models/{model:path}"

API = Api(
    name="google-gemini",
    base="",
    generate=tuple(
        f"{path}:{method}" for path in (_GEMINI, _ON_VERTEX) for method in ("generateContent", "streamGenerateContent")
    ),
    refuse=refuse,
    unreadable=unreadable,
    read=read,
    whole=whole,
    stream=stream,
    failure=failure,
    error_frame=error_frame,
    others=(
        ("POST", f"{_GEMINI}:countTokens", count_tokens),
        ("POST", f"{_ON_VERTEX}:countTokens", count_tokens),
        ("GET", "/{version}/models", models),
        ("GET", _GEMINI, models),
    ),
    quirks=QUIRKS,
)
