"""`GET` and `DELETE /v1/responses/{id}`: kept answers of the client's own key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from adapters import registry
from adapters.errors import Failure
from adapters.format import Keeps
from proxy.endpoints import Endpoint
from proxy.http import Scope, Send, request_id, respond, safe_value
from proxy.state.kept import drop, entry

if TYPE_CHECKING:
    from proxy.app import App


async def stored(app: App, endpoint: Endpoint, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
    """Answers with the kept response, or deletes it; 404 where this client has none of that id."""
    dialect = registry.dialect(endpoint.dialect)
    assert dialect is not None and isinstance(dialect, Keeps)
    id, started = endpoint.argument or "", app.clock()
    client = app.gateway.access.client(headers, scope["query_string"])
    status, body, failure = 200, b"", None
    if isinstance(client, Failure):
        failure = client
    else:
        name = client.name if client else None
        if scope["method"] == "DELETE":
            body = dialect.deleted(id) if await drop(app.store, name, id) else b""
        elif (found := await entry(app.store, name, id)) is not None:
            body = dialect.shown(found)
        if not body:
            failure = Failure("not_found_error", f"Response with id '{id}' not found.", code="response_not_found")
    extra: list[tuple[bytes, bytes]] = []
    if failure is not None:
        answer = dialect.error(failure, (), request_id(headers, app.new_id))
        status, body = answer.status, answer.body
        extra = [(header.lower().encode(), safe_value(value)) for header, value in answer.headers]
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *extra]
    await respond(send, status, head, body)
    seconds = app.clock() - started
    app.metrics.request(endpoint.label, "", status, seconds, seconds)
