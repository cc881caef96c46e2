"""The model list, in the shape of the client's dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from adapters import registry
from adapters.errors import Failure
from adapters.format import Lists
from proxy.access import allowed
from proxy.endpoints import Endpoint
from proxy.http import Scope, Send
from proxy.plain import Asked, answer

if TYPE_CHECKING:
    from proxy.app import App


async def list_models(app: App, endpoint: Endpoint, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
    """Answers `GET /models` or one entry of it, as far as the client's key may see."""
    dialect = registry.dialect(endpoint.dialect)
    assert dialect is not None and isinstance(dialect, Lists)
    asked = Asked(dialect, endpoint, headers, app.clock())
    client = app.gateway.access.client(headers, scope["query_string"], endpoint.dialect)
    if isinstance(client, Failure):
        await answer(app, asked, send, client)
        return
    asked.client = client.name if client else None
    names = [name for name in app.gateway.models() if allowed(client, name)]
    now = app.started
    if endpoint.argument is None:
        await answer(app, asked, send, dialect.models(names, now))
    elif (name := endpoint.argument.removeprefix("models/")) in names:
        await answer(app, asked, send, dialect.model(name, now))
    else:
        text = f"There is no model {name!r} here."
        await answer(app, asked, send, Failure("not_found_error", text, code="model_not_found", param="model"))
