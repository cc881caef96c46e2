"""The client's side of one request: the one place that writes to it, heads, bodies and errors."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from adapters.errors import STATUS, Attempt, Failure
from adapters.format import Dialect, Quota, StreamEncoder
from proxy.endpoints import Endpoint
from proxy.http import Send, begin, respond, safe_value
from proxy.record import Record

MOST_CONTENT = 65_536
"""Bytes of a body that the log shows."""


class Output:
    """One per request. `wall`: seconds since 1970. `quota`: what is left to this client; `encoder`: of a stream."""

    def __init__(
        self, send: Send, dialect: Dialect, endpoint: Endpoint, record: Record, wall: Callable[[], float]
    ) -> None:
        self._send = send
        self._dialect = dialect
        self._endpoint = endpoint
        self._record = record
        self._wall = wall
        self.quota: Quota | None = None
        self.encoder: StreamEncoder | None = None
        self.begun = False
        self._headed = False

    def copied(self) -> bytearray:
        """Holds, from now on, what is sent as a body, up to MOST_CONTENT."""
        copy, send = bytearray(), self._send

        async def both(message: MutableMapping[str, Any]) -> None:
            copy.extend(message.get("body", b"")[: MOST_CONTENT - len(copy)])
            await send(message)

        self._send = both
        return copy

    async def give(self, body: bytes) -> None:
        """A whole answer."""
        self.begun = True
        self._record.status = 200
        await respond(self._send, 200, self._head(b"application/json", len(body)), body)

    async def start(self, content_type: bytes) -> None:
        """The head of a stream."""
        self.begun = True
        self._record.status = 200
        headers = [*self._head(content_type, None), (b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]
        await begin(self._send, 200, headers)
        self._headed = True

    async def write(self, data: bytes, more: bool = True) -> None:
        """A piece of a stream; returns once the client takes more."""
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def broken(self, encoder: StreamEncoder, failure: Failure, attempts: tuple[Attempt, ...]) -> None:
        """An error after the head: the dialect's error event, and no clean end."""
        self._record.type = failure.type
        await self.write(encoder.fail(failure, attempts), more=False)

    async def refuse(self, failure: Failure) -> None:
        """An error before anything else was sent."""
        if self.begun:
            return
        self.begun = True
        self._record.type = failure.type
        answer = self._dialect.error(failure, tuple(self._record.attempts), self._record.id)
        self._record.status = answer.status
        head = self._head(b"application/json", len(answer.body))
        known = {name for name, _ in head}
        extra = [(name.lower().encode(), safe_value(value)) for name, value in answer.headers]
        await respond(self._send, answer.status, [*head, *(h for h in extra if h[0] not in known)], answer.body)

    async def failed(self, failure: Failure) -> None:
        """An error at any point: an answer of its own, or the event that ends a running stream. Where there is no way
        to tell the client, its connection ends, and the log says why."""
        if not self.begun:
            await self.refuse(failure)
        elif self._headed and self.encoder is not None:
            await self.broken(self.encoder, failure, ())
        elif self._record.type == "ok":
            self._record.type, self._record.status = failure.type, STATUS[failure.type]

    def _head(self, content_type: bytes, length: int | None) -> list[tuple[bytes, bytes]]:
        record = self._record
        headers = [(b"content-type", content_type)]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        headers += [(name.encode(), record.id.encode()) for name in self._endpoint.id_headers]
        if record.target is not None:
            headers.append((b"x-toolwire-target", safe_value(record.target)))
        if record.attempts:
            headers.append((b"x-toolwire-attempts", str(len(record.attempts)).encode()))
        if self.quota is not None:
            told = self._dialect.quota(self.quota, self._wall())
            headers += [(name.encode(), safe_value(value)) for name, value in told]
        if record.warnings:
            headers.append((b"x-toolwire-warnings", safe_value("; ".join(dict.fromkeys(record.warnings)))))
        return headers
