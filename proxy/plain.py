"""Answers that need no upstream, errors among them: each with its request id, one metric and one log line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.errors import Failure
from adapters.format import Dialect
from proxy.http import Send, request_id, respond, safe_value

if TYPE_CHECKING:
    from proxy.app import App
    from proxy.endpoints import Endpoint

JSON = (b"content-type", b"application/json")


@dataclass(slots=True)
class Asked:
    """A request that is answered at once. `endpoint` None: an unknown path, which no metric counts."""

    dialect: Dialect
    endpoint: Endpoint | None
    headers: Mapping[str, str]
    started: float
    client: str | None = None


async def answer(
    app: App, asked: Asked, send: Send, result: bytes | Failure, allow: tuple[str, ...] = ()
) -> None:
    """Sends a 200 with the body, or the failure in the dialect's envelope: a 405 where `allow` names methods."""
    id, status = request_id(asked.headers, app.new_id), 200
    head = [JSON]
    if isinstance(result, Failure):
        told = asked.dialect.error(result, (), id)
        status, body = 405 if allow else told.status, told.body
        head += [(name.lower().encode(), safe_value(value)) for name, value in told.headers]
    else:
        body = result
    if allow:
        head.append((b"allow", ", ".join(allow).encode()))
    known = {name for name, _ in head}
    names = [name.encode() for name in asked.endpoint.id_headers] if asked.endpoint else [b"x-request-id"]
    head += [(name, id.encode()) for name in names if name not in known]
    head.append((b"content-length", str(len(body)).encode()))
    await respond(send, status, head, body)
    seconds = app.clock() - asked.started
    label = asked.endpoint.label if asked.endpoint else ""
    if label:
        app.metrics.request(label, "", status, seconds, seconds)
    app.log(
        "request", request_id=id, endpoint=label or None, client=asked.client, model=None, target=None,
        type=result.type if isinstance(result, Failure) else "ok", status=status, seconds=round(seconds, 4),
    )
