"""Path -> endpoint. `/v1` may be left out, double and trailing slashes are forgiven.

Plain dictionary look-ups in place of a router: a request is dispatched on a path that was normalized first, and the
answer to an unknown path lists what there is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

Kind = Literal["generate", "count", "models", "model", "response", "root", "health", "ready", "metrics"]


@dataclass(slots=True, frozen=True)
class Endpoint:
    """What a path stands for. `argument` is the model or id in the path, `stream` what a Gemini method says.

    `label` is the contract's metric label; `id_headers` are the names under which the request id goes back.
    """

    kind: Kind
    dialect: str = "chat"
    label: str = ""
    methods: tuple[str, ...] = ("POST",)
    argument: str | None = None
    stream: bool | None = None
    id_headers: tuple[str, ...] = ("x-request-id",)


GET = ("GET", "HEAD")
MESSAGES_IDS = ("x-request-id", "request-id")

FIXED: dict[str, Endpoint] = {
    "/chat/completions": Endpoint("generate", "chat", "chat"),
    "/responses": Endpoint("generate", "responses", "responses"),
    "/messages": Endpoint("generate", "messages", "messages", id_headers=MESSAGES_IDS),
    "/messages/count_tokens": Endpoint("count", "messages", "count_tokens", id_headers=MESSAGES_IDS),
    "/models": Endpoint("models", "chat", "models", GET),
    "": Endpoint("root", methods=GET),
    "/healthz": Endpoint("health", methods=GET),
    "/readyz": Endpoint("ready", methods=GET),
    "/metrics": Endpoint("metrics", methods=GET),
}

LISTED = (
    "POST /v1/chat/completions",
    "POST /v1/responses",
    "GET, DELETE /v1/responses/{id}",
    "POST /v1/messages",
    "POST /v1/messages/count_tokens",
    "POST /v1beta/models/{model}:generateContent",
    "POST /v1beta/models/{model}:streamGenerateContent",
    "POST /v1beta/models/{model}:countTokens",
    "GET /v1/models",
    "GET /v1/models/{id}",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
)

_VERSION = re.compile(r"^/v1(?:beta|alpha)?(?=/|$)")
_SLASHES = re.compile("/{2,}")


def find(raw_path: bytes, headers: Mapping[str, str]) -> Endpoint | None:
    """The endpoint of a path as it came over the wire (percent-encoded), None for an unknown one."""
    path = raw_path.decode("latin-1")
    if "//" in path:
        path = _SLASHES.sub("/", path)
    path = path.rstrip("/")
    version = _VERSION.match(path)
    short = path[version.end() :] if version else path
    if short == "/models":
        return Endpoint("models", lister(headers, version), "models", GET)
    if (found := FIXED.get(short)) is not None:
        return found
    if short.startswith("/models/"):
        return _model(unquote(short.removeprefix("/models/")), headers, version)
    if short.startswith("/responses/") and "/" not in (name := short.removeprefix("/responses/")):
        return Endpoint("response", "responses", "responses", ("GET", "DELETE"), unquote(name))
    return None


_METHOD = re.compile(r"[a-z]+[A-Z][A-Za-z]*")


def _model(name: str, headers: Mapping[str, str], version: re.Match[str] | None) -> Endpoint | None:
    """A Gemini call, whose method is what follows the last colon, or one entry of the model list."""
    model, colon, method = name.rpartition(":")
    if colon and method in ("generateContent", "streamGenerateContent", "countTokens"):
        model = model.removeprefix("models/")
        if method == "countTokens":
            return Endpoint("count", "gemini", "count_tokens", argument=model)
        return Endpoint("generate", "gemini", "gemini", argument=model, stream=method == "streamGenerateContent")
    if colon and _METHOD.fullmatch(method):
        return None
    return Endpoint("model", lister(headers, version), "models", GET, name)


def lister(headers: Mapping[str, str], version: re.Match[str] | None = None) -> str:
    """Whose model list a client expects."""
    if "x-goog-api-key" in headers or (version is not None and version.group() in ("/v1beta", "/v1alpha")):
        return "gemini"
    return "messages" if "anthropic-version" in headers else "chat"


def guessed(path: str, headers: Mapping[str, str]) -> str:
    """The dialect in whose envelope an unknown path is answered."""
    if "x-goog-api-key" in headers or path.startswith(("/v1beta", "/v1alpha")) or "enerateContent" in path:
        return "gemini"
    if "anthropic-version" in headers or "/messages" in path:
        return "messages"
    return "responses" if "/responses" in path else "chat"
