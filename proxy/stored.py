"""`GET` and `DELETE /v1/responses/{id}`: kept answers of the client's own key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from adapters import registry
from adapters.errors import Failure
from adapters.format import Keeps
from proxy.endpoints import Endpoint
from proxy.http import Scope, Send
from proxy.plain import Asked, answer
from proxy.state.kept import drop, entry

if TYPE_CHECKING:
    from proxy.app import App


async def stored(app: App, endpoint: Endpoint, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
    """Answers with the kept response, or deletes it; 404 where this client has none of that id."""
    dialect = registry.dialect(endpoint.dialect)
    assert dialect is not None and isinstance(dialect, Keeps)
    id = endpoint.argument or ""
    asked = Asked(dialect, endpoint, headers, app.clock())
    client = app.gateway.access.client(headers, scope["query_string"], endpoint.dialect)
    if isinstance(client, Failure):
        await answer(app, asked, send, client)
        return
    asked.client = client.name if client else None
    body = b""
    if scope["method"] == "DELETE":
        body = dialect.deleted(id) if await drop(app.store, asked.client, id) else b""
    elif (found := await entry(app.store, asked.client, id)) is not None:
        body = dialect.shown(found)
    missing = Failure("not_found_error", f"Response with id '{id}' not found.", code="response_not_found")
    await answer(app, asked, send, body or missing)
