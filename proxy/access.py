"""Who may ask for what: client keys, models allowed, requests per minute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import get_args
from urllib.parse import parse_qs

from adapters.errors import Failure, Rejected
from adapters.format import Quota
from proxy.config.model import Client, ToolCheck
from proxy.config.patterns import matches
from proxy.http import shortened
from proxy.state.limits import counted
from proxy.state.store import Store

TOOL_CHECK = "x-toolwire-tool-check"
MODES: tuple[ToolCheck, ...] = get_args(ToolCheck)


class Access:
    """The clients of one configuration. Without any, everyone may everything (loopback only, see `check`)."""

    def __init__(self, clients: Sequence[Client]) -> None:
        # Looked up by hash: the time a look-up takes then says nothing of the keys.
        self._clients = {_digest(client.key): client for client in clients}

    def client(self, headers: Mapping[str, str], query: bytes, dialect: str) -> Client | Failure | None:
        """The client of this request (None: keys are not asked for), or authentication_error. A key in the query is
        Gemini's way alone: an address is written to more logs than a header."""
        if not self._clients:
            return None
        key = given_key(headers, query if dialect == "gemini" else b"")
        if not key:
            return Failure("authentication_error", "No API key: send it as `Authorization: Bearer KEY`, `x-api-key` or "
                           "`x-goog-api-key`.", code="invalid_api_key")
        client = self._clients.get(_digest(key))
        return client or Failure("authentication_error", "The API key is not known here.", code="invalid_api_key")


async def limited(client: Client | None, store: Store, wall: float) -> tuple[Quota | None, Failure | None]:
    """What the client has left of its requests a minute (None: it may ask without limit), and rate_limit_error where
    that is nothing. Counts the request otherwise."""
    if client is None or client.requests_per_minute is None:
        return None, None
    most = client.requests_per_minute
    quota, wait = await counted(store, client.name, most, wall)
    if wait is None:
        return quota, None
    return quota, Failure("rate_limit_error", f"More than {most} requests in a minute.", code="rate_limit_exceeded",
                          retry_after=wait)


def allowed(client: Client | None, model: str) -> bool:
    """Whether the client may use the model, by its name as the client wrote it."""
    return client is None or any(matches(pattern, model) for pattern in client.models)


def forbidden(model: str) -> Failure:
    """permission_error for a model."""
    return Failure("permission_error", f"This API key may not use the model {shortened(model)!r}.", param="model")


def given_key(headers: Mapping[str, str], query: bytes) -> str:
    """The key from any dialect's place, "" where there is none."""
    if key := headers.get("x-api-key") or headers.get("x-goog-api-key"):
        return key.strip()
    scheme, _, value = headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer" and value:
        return value.strip()
    if b"key=" in query:
        return parse_qs(query.decode("latin-1")).get("key", [""])[0]
    return ""


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogateescape")).digest()


def chosen_check(word: str, client: Client | None, configured: ToolCheck, warnings: list[str]) -> ToolCheck:
    """The mode of the tool check that a client asks for, where it may. Raises Rejected for a word that is none."""
    if client is not None and "tool_check" not in client.allow:
        warnings.append(f"{TOOL_CHECK}: ignored, this client may not choose (clients[].allow)")
        return configured
    asked = word.strip().lower()
    for mode in MODES:
        if mode == asked:
            return mode
    raise Rejected(f"{TOOL_CHECK} must be one of {', '.join(MODES)}", TOOL_CHECK)
