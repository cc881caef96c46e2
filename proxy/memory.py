"""What is kept between the turns of one client's conversations, as one request reads and writes it."""

from __future__ import annotations

from typing import Any

from adapters.format import Dialect
from adapters.model import Answer, Request
from proxy.engine.live import Tally
from proxy.engine.plan import Destination, Plan
from proxy.state.kept import keep
from proxy.state.makers import named, note, refused
from proxy.state.reasoning import remember, restored
from proxy.state.store import Store


class Memory:
    """One per request. All entries are the client's own and are kept for `ttl` seconds."""

    def __init__(self, store: Store, client: str | None, dialect: Dialect, ttl: float) -> None:
        self._store = store
        self._client = client
        self._dialect = dialect
        self._ttl = ttl
        self._unknown: tuple[str, ...] = ()
        self.calls = False
        """Whether the answer may hold calls, with which signed parts are remembered."""

    async def recalled(self, request: Request, plan: Plan) -> Request:
        """The request with the signed parts that its client has dropped, and who made those that do not say."""
        self.calls = bool(request.tools)
        origins = tuple(dict.fromkeys(candidate.to.upstream.origin for candidate in plan.chain))
        request = await restored(self._store, self._client, request, origins)
        request, self._unknown = await named(self._store, self._client, request, origins)
        return request

    async def note(self, to: Destination, tally: Tally) -> None:
        """Keeps who made what the client cannot say that it is of, and who could not verify what it sent."""
        if tally.unverified:
            await refused(self._store, self._unknown, to.upstream.origin, self._ttl)
        if tally.signed and to.api.name == self._dialect.api:
            await note(self._store, self._client, tally.signed, to.upstream.origin, self._ttl)

    async def remember(self, answer: Answer, to: Destination) -> None:
        """Keeps what the next turn needs, before the client can ask for it."""
        if self.calls:
            await remember(self._store, self._client, answer, to.upstream.origin, self._ttl)

    async def keep(self, reply: Any, whole: bytes) -> None:
        """Keeps the answer itself, where the client wants to continue or fetch it."""
        await keep(self._store, self._client, self._dialect, reply, whole, self._ttl)
