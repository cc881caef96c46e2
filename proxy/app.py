"""The ASGI application. One object a worker; nothing global.

Plain ASGI in place of a framework's router and response classes: the hot endpoints need the raw `receive` and `send`
(a watcher for a client that leaves, one write per upstream read), and dispatch is one dictionary look-up.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import string
import time
import traceback
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from adapters import registry
from adapters.errors import Attempt, Failure
from proxy import __version__
from proxy.config.model import Config, Provider
from proxy.counting import Counting
from proxy.endpoints import LISTED, Endpoint, find, guessed
from proxy.engine.health import Circuits
from proxy.engine.live import Tally
from proxy.engine.plan import Destination
from proxy.engine.run import Job, Tools
from proxy.exchange import FAULT, Exchange
from proxy.gateway import Gateway
from proxy.http import Receive, Scope, Send, headers_of, respond, shortened
from proxy.listing import list_models
from proxy.observe.logs import Log, json_log
from proxy.observe.metrics import Metrics
from proxy.plain import JSON, Asked, answer
from proxy.record import Record
from proxy.state import make as make_store
from proxy.state.shared import SharedCircuits
from proxy.stored import stored
from proxy.upstream import make
from proxy.upstream.aws import Signer
from proxy.upstream.google import SignIns
from proxy.upstream.images import Images
from proxy.upstream.transport import Transport

TEXT = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
CIRCUITS_EVERY = 1.0
"""Seconds between two looks at the circuits for the gauge, where requests come (a scrape looks in any case)."""
_ALPHABET = (string.ascii_letters + string.digits).encode()
_ENDPOINTS = f"Endpoints: {'; '.join(LISTED)}."
_CHARACTERS = bytes(_ALPHABET[byte % len(_ALPHABET)] for byte in range(256))


def new_id(length: int) -> str:
    """Random characters of [A-Za-z0-9]; eight of them come a little more often than the others."""
    return secrets.token_bytes(length).translate(_CHARACTERS).decode()


class App:
    """The proxy. `clock` is monotonic, `wall` the time of day, both in seconds."""

    def __init__(
        self,
        config: Config,
        environ: Mapping[str, str],
        log: Log = json_log,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._environ = environ
        self.log = log
        self.clock = clock
        self.wall = wall
        self.started = int(wall())
        self.random = random.random
        self.new_id = new_id
        self.circuits = Circuits()
        self.store = make_store(config.state, self._told_state)
        self._shared: asyncio.Task[None] | None = None
        self._state_shared = config.state.backend == "redis"
        self.metrics = Metrics(__version__)
        self._transports: dict[str, Transport] = {}
        self._signer = Signer(self._provider, environ, wall)
        self._signer.warm(config.providers)
        self.tools = Tools(
            self.circuits, clock, random.random, new_id, self._told, self._fell_back, self._signer, self._images
        )
        self._sign_ins = SignIns(environ, wall)
        self.gateway = Gateway(config, environ, self._transport, self._sign_ins)
        self.draining = False
        self._circuits_told = 0.0

    def reload(self, config: Config) -> None:
        """Takes a new configuration for requests from now on. What was learned of a provider that it changes (a key
        that was refused, and is now another) is forgotten."""
        old = self.gateway.config.providers
        self.gateway = Gateway(config, self._environ, self._transport, self._sign_ins)
        self.circuits.forget({name for name in old if config.providers.get(name) != old[name]})
        self._signer.warm(config.providers)

    def _provider(self, name: str) -> Provider | None:
        return self.gateway.config.providers.get(name)

    def _transport(self, kind: str) -> Transport:
        if kind not in self._transports:
            self._transports[kind] = make(kind)
        return self._transports[kind]

    def _told_state(self, operation: str, kind: str, turned: bool) -> None:
        """An operation on the store failed, or (`turned`) the store was lost, or found again."""
        if kind != "ok":
            self.metrics.state_error(operation)
        if turned:
            self.log("state", type=kind, operation=operation)

    def _circuit_names(self) -> dict[tuple[str, int | None], str]:
        """The records that are shared: those of configured targets and their keys."""
        names: dict[tuple[str, int | None], str] = {}
        for to in self.gateway.targets():
            names[to.name, None] = ""
            for index, key in enumerate(to.keys):
                names[to.name, index] = blake2b(key.encode(), digest_size=8).hexdigest()
        return names

    def _images(self) -> Images | None:
        server = self.gateway.config.server
        return Images(server.image_hosts) if server.fetch_images == "public" else None

    def _circuit_states(self) -> list[tuple[str, str, bool]]:
        now, opened_by = self.clock(), self.circuits.opened_by
        return [
            (to.provider, to.label, opened_by(to.name, len(to.keys), now) is not None) for to in self.gateway.targets()
        ]

    # --- ASGI --------------------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await self._http(scope, receive, send)
            except Exception as error:
                self.fault("", error)
                await self._unknown(Failure("api_error", FAULT), scope, headers_of(scope), send, ())
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                if self._state_shared:
                    circuits = SharedCircuits(self.store, self.circuits, self._circuit_names, self.clock, self.wall)
                    self._shared = asyncio.get_running_loop().create_task(circuits.run())
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.aclose()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def aclose(self) -> None:
        """Closes the connections to upstreams and to the store."""
        if self._shared is not None:
            self._shared.cancel()
        for transport in self._transports.values():
            await transport.aclose()
        await self.store.aclose()

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        endpoint = find(scope.get("raw_path") or scope["path"].encode(), headers)
        method = scope["method"]
        if endpoint is None or registry.dialect(endpoint.dialect) is None:
            text = f"There is nothing at {shortened(scope['path'])!r}. {_ENDPOINTS}"
            await self._unknown(Failure("not_found_error", text), scope, headers, send, ())
        elif endpoint.kind == "generate" and method == "HEAD":
            await respond(send, 200, [JSON], b"")
        elif method not in endpoint.methods:
            text = f"{method} is not allowed here, {' or '.join(endpoint.methods)} is. {_ENDPOINTS}"
            failure = Failure("not_found_error", text, code="method_not_allowed")
            await self._unknown(failure, scope, headers, send, endpoint.methods)
        elif endpoint.kind == "generate":
            await Exchange(self, endpoint, scope, receive, send).serve()
        elif endpoint.kind == "count":
            await Counting(self, endpoint, scope, receive, send).serve()
        else:
            await self._plain(endpoint, scope, headers, send)

    async def _plain(self, endpoint: Endpoint, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
        match endpoint.kind:
            case "models" | "model":
                await list_models(self, endpoint, scope, headers, send)
            case "metrics":
                self.metrics.circuits(self._circuit_states())
                await respond(send, 200, [TEXT], await asyncio.to_thread(self.metrics.render))
            case "health":
                await respond(send, 200, [JSON], b'{"status":"ok"}')
            case "ready":
                status = 503 if self.draining else 200
                await respond(send, status, [JSON], orjson.dumps({"status": "draining" if self.draining else "ready"}))
            case "response":
                await stored(self, endpoint, scope, headers, send)
            case _:
                about = {"name": "toolwire", "version": __version__, "endpoints": LISTED}
                await respond(send, 200, [JSON], orjson.dumps(about))

    async def _unknown(
        self, failure: Failure, scope: Scope, headers: Mapping[str, str], send: Send, allow: tuple[str, ...]
    ) -> None:
        dialect = registry.dialect(guessed(scope["path"], headers)) or registry.dialect("chat")
        assert dialect is not None
        await answer(self, Asked(dialect, None, headers, self.clock()), send, failure, allow)

    # --- what is told ------------------------------------------------------------------------------------------

    def _told(self, job: Job, to: Destination, attempt: Attempt, tally: Tally | None) -> None:
        self.metrics.attempt(to.provider, to.label, attempt.type)
        if tally is not None:
            self._tallied(to, tally)

    def told_attempt(self, record: Record, to: Destination, attempt: Attempt, tally: Tally) -> None:
        """A stream's attempt has ended."""
        self.metrics.attempt(to.provider, to.label, attempt.type)
        self._tallied(to, tally)
        record.attempts[-1] = attempt

    def _tallied(self, to: Destination, tally: Tally) -> None:
        usage = tally.usage
        for kind in ("input", "output", "cache_read", "cache_write", "reasoning"):
            if (tokens := getattr(usage, kind)) is not None:
                self.metrics.tokens(to.provider, to.label, kind, tokens)
        for outcome, count in tally.outcomes().items():
            self.metrics.tool_calls(to.provider, to.label, outcome, count)

    def _fell_back(self, job: Job, origin: Destination, to: Destination, failure: Failure) -> None:
        self.metrics.fallback(job.plan.label, _target(origin), _target(to), failure.type)

    def fault(self, id: str, error: Exception) -> None:
        """A mistake of the proxy itself: what and where, without the values that were at hand."""
        frames = traceback.extract_tb(error.__traceback__)
        where = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[-4:]]
        self.log("fault", request_id=id, type=type(error).__name__, where=where)

    def told_request(self, record: Record) -> None:
        """A request has ended: its metrics, one line for each attempt and one for itself."""
        now = self.clock()
        seconds = now - record.started
        model = None if record.model is None else shortened(record.model)
        if now - self._circuits_told > CIRCUITS_EVERY:
            self._circuits_told = now
            self.metrics.circuits(self._circuit_states())
        overhead = max(0.0, seconds - record.waited)
        self.metrics.request(record.endpoint, record.label, record.status, seconds, overhead)
        for number, attempt in enumerate(record.attempts, 1):
            self.log(
                "attempt", request_id=record.id, endpoint=record.endpoint, model=model, number=number,
                target=attempt.target, type=attempt.type, status=attempt.status, seconds=round(attempt.seconds, 4),
            )
        told = {
            "warnings": record.warnings, "repairs": record.repairs, "invalid_calls": record.invalid_calls,
            "skipped": record.skipped,
        }
        fields: dict[str, Any] = {name: values for name, values in told.items() if values}
        self.log(
            "request", request_id=record.id, endpoint=record.endpoint, client=record.client, model=model,
            target=record.target, type=record.type, status=record.status, seconds=round(seconds, 4),
            stream=record.stream, attempts=len(record.attempts), **fields,
        )
        if record.content is not None:
            given, sent = (bytes(body).decode("utf-8", "replace") for body in record.content)
            self.log("content", request_id=record.id, client=record.client, model=model, request=given, answer=sent)


def _target(to: Destination) -> str:
    return f"{to.provider}/{to.label}"
