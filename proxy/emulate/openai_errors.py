"""OpenAI's error envelope, key check and model list: the same for Chat Completions and for Responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxy.emulate.api import CREATED, Received, Reply, dumps, key_of
from proxy.emulate.faults import LISTED, Mode, mode

Json = Any

OWNER = "toolwire"


def error(status: int, message: str, kind: str, param: str | None = None, code: str | None = None) -> Reply:
    """An error in the API's envelope."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    headers = [("content-type", "application/json"), ("x-request-id", "req_emulated")]
    if status == 429:
        headers += [("retry-after", "1"), ("x-ratelimit-remaining-requests", "0")]
    return Reply(status, dumps(body), tuple(headers))


_STATUS = {
    400: ("The request is invalid.", "invalid_request_error", None),
    401: ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
    403: ("Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"),
    404: ("The requested resource does not exist.", "invalid_request_error", None),
    429: ("Rate limit reached for requests. Please try again in 1s.", "requests", "rate_limit_exceeded"),
    503: ("The engine is currently overloaded, please try again later", "server_error", None),
}
SERVER = ("The server had an error while processing your request.", "server_error")
_CLIENT = ("The request cannot be processed.", "invalid_request_error", None)


def failure(how: Mode, too_long: str = "messages") -> Reply:
    """What the API says to a fault. `too_long` names the field that holds the prompt."""
    match how.kind:
        case "quota":
            text = "You exceeded your current quota, please check your plan and billing details."
            return error(429, text, "insufficient_quota", None, "insufficient_quota")
        case "context":
            text = "This model's maximum context length is 128000 tokens. Your messages resulted in 128007 tokens."
            return error(400, text, "invalid_request_error", too_long, "context_length_exceeded")
        case "auth":
            return error(401, *_STATUS[401][:2], None, _STATUS[401][2])
        case "model":
            text = f"The model `{how.model}` does not exist or you do not have access to it."
            return error(404, text, "invalid_request_error", None, "model_not_found")
        case _:
            message, kind, code = _STATUS.get(how.status, (*SERVER, None) if how.status >= 500 else _CLIENT)
            return error(how.status, message, kind, None, code)


def refuse(received: Received) -> Reply | None:
    """A 401 unless the request has a bearer key."""
    return None if key_of(received) else failure(Mode("", "auth"))


def unreadable(received: Received) -> Reply:
    """The answer to a body that is not JSON."""
    return error(400, "We could not parse the JSON body of your request.", "invalid_request_error")


def models(quirks: frozenset[str], names: tuple[str, ...] = ()) -> Callable[[Received], Reply]:
    """The model list, or one model. `names` are served beside the usual ones and the quirks."""

    def answer(received: Received) -> Reply:
        listed = [*LISTED, *names, *(f"quirk-{name}" for name in sorted(quirks))]
        entries = [{"id": name, "object": "model", "created": CREATED, "owned_by": OWNER} for name in listed]
        if "model" not in received.params:
            return Reply(200, dumps({"object": "list", "data": entries}))
        name = received.params["model"]
        how = mode(name, quirks)
        return failure(how) if how.kind == "model" else Reply(200, dumps({**entries[0], "id": name}))

    return answer
