"""What signs requests to a provider by tokens that run out: one fetch at a time, off the event loop, for all requests.

A token is used until shortly before its end. In its last minutes the next one is fetched beside the requests, and only
where that has not worked do they wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from adapters.errors import Failure
from proxy.upstream.transport import Broken

EARLY_SECONDS = 180.0
"""Before its end, a token's successor is fetched. Google's metadata server gives out a new one from 300 s (2026-11)."""

SPENT_SECONDS = 20.0
"""Before its end, a token is used no more."""

AGAIN_SECONDS = 60.0
"""Between two renewals of tokens that look good but were refused."""


@dataclass(slots=True, frozen=True)
class Token:
    """An access token. `ends` in seconds since 1970. `project`: who is billed, where the credentials say so."""

    value: str = field(repr=False)
    ends: float
    project: str | None = None

    def headers(self) -> dict[str, str]:
        made = {"authorization": f"Bearer {self.value}"}
        return {**made, "x-goog-user-project": self.project} if self.project else made


class SignIn(Protocol):
    """The engine's view of it."""

    async def headers(self) -> Mapping[str, str]:
        """What a request carries. Raises Broken where there is no token to be had."""

    async def renewed(self, refused: Mapping[str, str]) -> bool:
        """After a 401: whether `headers` now differ from those that were refused. Raises Broken."""

    def secrets(self) -> tuple[str, ...]:
        """Values that no error may show."""


class Tokens:
    """The tokens of one set of credentials. `fetch` blocks, and raises Broken. `wall` is in seconds since 1970."""

    def __init__(self, fetch: Callable[[], Token], wall: Callable[[], float]) -> None:
        self._fetch = fetch
        self._wall = wall
        self._token: Token | None = None
        self._fetching: asyncio.Future[Token] | None = None
        self._began = float("-inf")
        self._renewed = float("-inf")

    async def headers(self) -> Mapping[str, str]:
        token, now = self._token, self._wall()
        if token is None or now >= token.ends - SPENT_SECONDS:
            token = await self._next()
        elif now >= token.ends - EARLY_SECONDS and now - self._began >= SPENT_SECONDS:
            self._begun()
        return token.headers()

    async def renewed(self, refused: Mapping[str, str]) -> bool:
        token = self._token
        if token is not None and token.headers() != refused:
            return True
        now = self._wall()
        if self._fetching is None:
            if 0 <= now - self._renewed < AGAIN_SECONDS:
                return False
            self._renewed = now
        return (await self._next()).headers() != refused

    def secrets(self) -> tuple[str, ...]:
        return (self._token.value,) if self._token is not None else ()

    async def _next(self) -> Token:
        """The next token. A request that leaves does not end the fetch for the others."""
        try:
            return await asyncio.shield(self._begun())
        except Broken as broken:
            raise Broken(broken.failure) from None

    def _begun(self) -> asyncio.Future[Token]:
        """The fetch under way, or a new one, in a thread that no shutdown waits for."""
        if self._fetching is None:
            loop = asyncio.get_running_loop()
            self._began = self._wall()
            self._fetching = loop.create_future()
            self._fetching.add_done_callback(self._ended)
            threading.Thread(target=self._run, args=(loop, self._fetching), name="sign-in", daemon=True).start()
        return self._fetching

    def _run(self, loop: asyncio.AbstractEventLoop, future: asyncio.Future[Token]) -> None:
        result: Token | Broken
        try:
            result = self._fetch()
        except Broken as broken:
            result = broken
        except Exception as error:
            result = Broken(Failure("upstream_auth_error", f"No access token: {type(error).__name__}."))
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(_settle, future, result)

    def _ended(self, future: asyncio.Future[Token]) -> None:
        self._fetching = None
        if not future.cancelled() and future.exception() is None:
            self._token = future.result()


def _settle(future: asyncio.Future[Token], result: Token | Broken) -> None:
    if future.cancelled():
        return
    if isinstance(result, Broken):
        future.set_exception(result)
    else:
        future.set_result(result)
