"""The model list, in the shape of the client's dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adapters import registry
from adapters.errors import Failure
from proxy.access import allowed
from proxy.endpoints import Endpoint
from proxy.http import Scope, Send, request_id, respond, safe_value

if TYPE_CHECKING:
    from proxy.app import App


async def list_models(app: App, endpoint: Endpoint, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
    """Answers `GET /models` or one entry of it, as far as the client's key may see."""
    dialect: Any = registry.dialect(endpoint.dialect)
    gateway = app.gateway
    started = app.clock()
    client = gateway.access.client(headers, scope["query_string"])
    status, extra, label = 200, [], endpoint.label
    if isinstance(client, Failure):
        answer = dialect.error(client, (), request_id(headers, app.new_id))
        status, body = answer.status, answer.body
        extra = [(name.encode(), safe_value(value)) for name, value in answer.headers]
    else:
        names = [name for name in gateway.models() if allowed(client, name)]
        wanted = endpoint.argument
        if wanted is None:
            body = dialect.models(names, int(app.wall()))
        elif (name := wanted.removeprefix("models/")) in names:
            body = dialect.model(name, int(app.wall()))
        else:
            failure = Failure("not_found_error", f"There is no model {name!r} here.", code="model_not_found",
                              param="model")
            answer = dialect.error(failure, (), request_id(headers, app.new_id))
            status, body = answer.status, answer.body
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *extra]
    await respond(send, status, head, body)
    seconds = app.clock() - started
    app.metrics.request(label, "", status, seconds, seconds)
