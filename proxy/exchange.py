"""One client request: read, decoded, answered whole or as a stream, measured and logged.

What goes out is one write per upstream read. A watcher on the client's side cancels the work the moment the client
goes away, which closes the upstream at once, before its head too.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import parse_qsl

from adapters import json, params, registry
from adapters.errors import Attempt, Failure, Malformed, Rejected
from adapters.events import Folder
from adapters.format import Call, Dialect, Incoming, Quota, StreamEncoder
from adapters.model import Answer, Request
from adapters.tools.arguments import OBJECT_DIALECTS
from proxy.access import allowed, forbidden, limited
from proxy.config.model import ToolCheck
from proxy.engine.live import Tally
from proxy.engine.plan import OTHER, Destination, Plan
from proxy.engine.run import CANCELLED, Job, Lost, Streaming, Tools, Whole, run
from proxy.http import (
    ClientGone,
    Receive,
    Scope,
    Send,
    body_of,
    depth_over,
    headers_of,
    request_id,
    respond,
    safe_value,
)
from proxy.pump import Pump, unfit
from proxy.state.kept import fetched, keep
from proxy.state.makers import named, note
from proxy.state.reasoning import remember, restored

if TYPE_CHECKING:
    from proxy.app import App
    from proxy.config.model import Client
    from proxy.endpoints import Endpoint
    from proxy.gateway import Gateway


FAULT = "The proxy failed on this request, by a mistake of its own: its log has the place."
TOOL_CHECK = "x-toolwire-tool-check"
MODES: tuple[ToolCheck, ...] = get_args(ToolCheck)


@dataclass(slots=True)
class Record:
    """What the metrics and the request's log line say at its end. `waited`: seconds that were others' (upstreams, the
    client's own body, pauses between tries); what is left is the proxy's own share."""

    endpoint: str
    id: str
    started: float
    client: str | None = None
    model: str | None = None
    label: str = OTHER
    target: str | None = None
    type: str = "ok"
    status: int = 0
    stream: bool = False
    first_content: float | None = None
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    waited: float = 0.0
    repairs: list[str] = field(default_factory=list)
    invalid_calls: list[str] = field(default_factory=list)


class Exchange:
    """One request at one generating or counting endpoint."""

    def __init__(self, app: App, endpoint: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
        self.app = app
        self.gateway: Gateway = app.gateway
        self.endpoint = endpoint
        self._scope = scope
        self._receive = receive
        self._send = send
        self.headers = headers_of(scope)
        dialect = registry.dialect(endpoint.dialect)
        assert dialect is not None
        self.dialect: Dialect = dialect
        self.record = Record(endpoint.label, request_id(self.headers, app.new_id), app.clock())
        self._head_sent = False
        self._encoder: StreamEncoder | None = None
        self._gone = False
        self._client: Client | None = None
        self._quota: Quota | None = None
        self._remembers = False
        self.reply: Any = None

    # --- the whole of it ---------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Answers the request, whatever happens. Never raises; a server that is torn down cancels it."""
        self.app.metrics.inflight.inc()
        watcher: asyncio.Task[None] | None = None
        try:
            incoming = await self._incoming()
            if isinstance(incoming, Failure):
                await self.refuse(incoming)
                return
            task = asyncio.current_task()
            assert task is not None
            watcher = asyncio.get_running_loop().create_task(self._watch(task))
            await self._answer(incoming)
        except Rejected as error:
            await self.refuse(error.failure)
        except ClientGone:
            self._cut_short("client_gone")
        except asyncio.CancelledError:
            if self._gone:
                self._cut_short("client_gone")
            else:
                await self._torn_down()
        except Exception as error:
            self.app.fault(self.record.id, error)
            await self._failed(Failure("api_error", FAULT))
        finally:
            if watcher is not None:
                watcher.cancel()
            self.app.metrics.inflight.dec()
            self._tell()

    def _cut_short(self, why: str) -> None:
        """The request ended before its answer did, and with it the attempt that was under way."""
        self.record.type = why
        self.record.status = self.record.status or 499
        attempts = self.record.attempts
        if attempts and attempts[-1].type == CANCELLED:
            attempts[-1] = replace(attempts[-1], type=why)

    async def _watch(self, task: asyncio.Task[Any]) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        task.cancel()

    async def _incoming(self) -> Incoming | Failure:
        """The decoded request, after the client's key was checked."""
        server = self.gateway.config.server
        client = self.gateway.access.client(self.headers, self._scope["query_string"])
        if isinstance(client, Failure):
            return client
        self._client = client
        self.record.client = client.name if client else None
        began = self.app.clock()
        body = await body_of(self._receive, self.headers, server.max_request_bytes)
        self.record.waited += self.app.clock() - began
        if isinstance(body, Failure):
            return body
        self._quota, refused = await limited(client, self.app.store, self.app.wall())
        if refused is not None:
            return refused
        try:
            if depth_over(body, server.max_json_depth):
                return Failure("invalid_request_error", f"The body nests deeper than {server.max_json_depth} levels.")
            decoded = json.loads(body)
        except (ValueError, RecursionError) as error:
            return Failure("invalid_request_error", f"The body is no valid JSON: {error}.")
        if not isinstance(decoded, dict):
            return Failure("invalid_request_error", "The body must be a JSON object.")
        kept = await fetched(self.app.store, self.record.client, self.dialect, decoded)
        return self._decoded(decoded, client, kept)

    def _decoded(self, body: dict[str, Any], client: Client | None, kept: Any) -> Incoming | Failure:
        call = Call(
            headers=self.headers,
            query=dict(parse_qsl(self._scope["query_string"].decode("latin-1"), keep_blank_values=True)),
            model=self.endpoint.argument,
            stream=self.endpoint.stream,
            kept=kept,
            new_id=self.app.new_id,
            now=int(self.app.wall()),
        )
        try:
            incoming = self._decode(body, call)
        except RecursionError:
            return Failure("invalid_request_error", "The body is nested too deeply.")
        self.record.model = incoming.request.model
        self.record.stream = incoming.request.stream
        self.record.warnings += incoming.warnings
        if not allowed(client, incoming.request.model):
            return forbidden(incoming.request.model)
        return incoming

    def _decode(self, body: dict[str, Any], call: Call) -> Incoming:
        return self.dialect.decode(body, call)

    def plan(self, request: Request) -> tuple[Plan, Request] | Failure:
        """The chain for this request, and the request with the route's parameters."""
        plan = self.gateway.table.find(request.model, self.app.random, self._may_ask)
        if isinstance(plan, Failure):
            return plan
        self.record.label = plan.label
        if plan.params or plan.force:
            request = params.apply(request, plan.params, plan.force)
        return plan, request

    def _may_ask(self, model: str) -> bool:
        return allowed(self._client, model)

    # --- answers -----------------------------------------------------------------------------------------------

    async def _answer(self, incoming: Incoming) -> None:
        planned = self.plan(incoming.request)
        if isinstance(planned, Failure):
            await self.refuse(planned)
            return
        plan, request = planned
        if TOOL_CHECK in self.headers:
            plan = replace(plan, tool_check=self._tool_check(plan.tool_check))
        origins = tuple(dict.fromkeys(candidate.to.upstream.origin for candidate in plan.chain))
        request = await restored(self.app.store, self.record.client, request, origins)
        request = await named(self.app.store, self.record.client, request, origins)
        job = Job(
            request, plan, request.stream, self.record.started, warnings=self.record.warnings,
            objects=self.dialect.name in OBJECT_DIALECTS,
        )
        self._remembers = bool(request.tools)
        self.reply = reply = incoming.reply
        self.record.attempts, self.record.invalid_calls = job.attempts, job.invalid_calls
        del incoming, planned, request
        tools = self.app.tools
        if job.stream:
            await self._stream(job, tools, reply)
            return
        try:
            result = await run(job, tools)
        finally:
            self.record.waited += job.upstream_seconds
        if isinstance(result, Whole):
            await self._whole(result, reply)
        elif isinstance(result, Lost):
            await self.refuse(result.failure)

    def _tool_check(self, configured: ToolCheck) -> ToolCheck:
        """The mode that the client chose by header, where it may. Raises Rejected for a word that is none."""
        if self._client is not None and "tool_check" not in self._client.allow:
            self.record.warnings.append(f"{TOOL_CHECK}: ignored, this client may not choose (clients[].allow)")
            return configured
        asked = self.headers[TOOL_CHECK].strip().lower()
        for mode in MODES:
            if mode == asked:
                return mode
        raise Rejected(f"{TOOL_CHECK} must be one of {', '.join(MODES)}", TOOL_CHECK)

    async def _whole(self, result: Whole, reply: Any) -> None:
        self._answered(result.to.name, result.tally)
        self._checked(result.tally)
        try:
            body = self.dialect.answer(result.answer, reply)
        except Malformed as error:
            await self.refuse(unfit(error))
            return
        except RecursionError:
            await self.refuse(unfit(Malformed("it is nested too deeply")))
            return
        await self.note(result.to, result.tally)
        await self.remember(result.answer, result.to)
        await self.keep(reply, body)
        await self.give(body)

    async def give(self, body: bytes) -> None:
        """A whole answer."""
        self._head_sent = True
        self.record.status = 200
        await respond(self._send, 200, self._head(b"application/json", len(body)), body)

    async def note(self, to: Destination, tally: Tally) -> None:
        """Keeps who made what the client cannot say that it is of."""
        if tally.signed and to.api.name == self.dialect.api:
            ttl = self.gateway.config.state.ttl_seconds
            await note(self.app.store, self.record.client, tally.signed, to.upstream.origin, ttl)

    async def remember(self, answer: Answer, to: Destination) -> None:
        """Keeps what the next turn needs, before the client can ask for it."""
        if self._remembers:
            ttl = self.gateway.config.state.ttl_seconds
            await remember(self.app.store, self.record.client, answer, to.upstream.origin, ttl)

    async def keep(self, reply: Any, whole: bytes) -> None:
        """Keeps the answer itself, where the client wants to continue or fetch it."""
        await keep(self.app.store, self.record.client, self.dialect, reply, whole,
                   self.gateway.config.state.ttl_seconds)

    async def _stream(self, job: Job, tools: Tools, reply: Any) -> None:
        """Waits for the stream to say something; after `early_head_seconds` the head goes out all the same."""
        encoder = self._encoder = self.dialect.encoder(reply)
        content_type = self.dialect.content_type(reply).encode()
        runner = asyncio.get_running_loop().create_task(run(job, tools))
        try:
            await asyncio.wait({runner}, timeout=self.gateway.config.server.early_head_seconds)
            while not runner.done():
                if not self._head_sent:
                    await self._start_stream(content_type)
                if data := encoder.ping():
                    await self.write(data)
                await asyncio.wait({runner}, timeout=self.gateway.config.server.keepalive_seconds)
            result = runner.result()
        except Rejected as error:
            result = Lost(error.failure)
        finally:
            if not runner.done():
                runner.cancel()
                await asyncio.wait({runner})  # it tells of the attempt that is cut short
            self.record.waited += job.upstream_seconds
        if isinstance(result, Streaming):
            await self._pump(result, encoder, content_type)
        elif isinstance(result, Lost):
            if self._head_sent:
                await self._broken(encoder, result.failure, tuple(self.record.attempts))
            else:
                await self.refuse(result.failure)

    async def _pump(self, stream: Streaming, encoder: StreamEncoder, content_type: bytes) -> None:
        """Content has come: events are written as they arrive, to the clean end or the break."""
        self.record.first_content = self.app.clock() - stream.began
        self._answered(stream.to.name, stream.tally)
        pump = Pump(self, stream, encoder, Folder() if self._remembers else None)
        try:
            if not self._head_sent:
                await self._start_stream(content_type)
            failure = await pump.run(stream.to.timeouts.total - self.record.first_content)
        finally:
            if stream.live is not None:
                stream.live.close()
            self._streamed(stream, pump)
        if failure is not None:
            await self._broken(encoder, failure, ())

    async def _start_stream(self, content_type: bytes) -> None:
        self._head_sent = True
        self.record.status = 200
        headers = [*self._head(content_type, None), (b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def write(self, data: bytes, more: bool = True) -> None:
        """A piece of a stream; returns once the client takes more."""
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def _broken(self, encoder: StreamEncoder, failure: Failure, attempts: tuple[Attempt, ...]) -> None:
        """An error after the head: the dialect's error event, and no clean end."""
        self.record.type = failure.type
        await self.write(encoder.fail(failure, attempts), more=False)

    async def refuse(self, failure: Failure) -> None:
        """An error before anything else was sent."""
        if self._head_sent:
            return
        self._head_sent = True
        self.record.type = failure.type
        answer = self.dialect.error(failure, tuple(self.record.attempts), self.record.id)
        self.record.status = answer.status
        head = self._head(b"application/json", len(answer.body))
        known = {name for name, _ in head}
        extra = [(name.lower().encode(), safe_value(value)) for name, value in answer.headers]
        await respond(self._send, answer.status, [*head, *(h for h in extra if h[0] not in known)], answer.body)

    async def _torn_down(self) -> None:
        """The server ends before the answer did."""
        self._cut_short(CANCELLED)
        if self._head_sent:
            await self._failed(Failure("stream_interrupted", "The proxy is shutting down."))
        else:
            await self._failed(Failure("overloaded_error", "The proxy is shutting down.", retry_after=1.0))

    async def _failed(self, failure: Failure) -> None:
        """An error at any point: an answer of its own, or the event that ends a running stream."""
        if not self._head_sent:
            await self.refuse(failure)
        elif self._encoder is not None:
            await self._broken(self._encoder, failure, ())

    def _head(self, content_type: bytes, length: int | None) -> list[tuple[bytes, bytes]]:
        record = self.record
        headers = [(b"content-type", content_type)]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        headers += [(name.encode(), record.id.encode()) for name in self.endpoint.id_headers]
        if record.target is not None:
            headers.append((b"x-toolwire-target", safe_value(record.target)))
        if record.attempts:
            headers.append((b"x-toolwire-attempts", str(len(record.attempts)).encode()))
        if self._quota is not None:
            told = self.dialect.quota(self._quota, self.app.wall())
            headers += [(name.encode(), value.encode()) for name, value in told]
        if record.warnings:
            headers.append((b"x-toolwire-warnings", safe_value("; ".join(dict.fromkeys(record.warnings)))))
        return headers

    # --- what is told ------------------------------------------------------------------------------------------

    def _answered(self, target: str, tally: Tally) -> None:
        self.record.target = target

    def _checked(self, tally: Tally) -> None:
        """The answer is complete: what became of its calls."""
        if (checked := tally.checked) is not None:
            self.record.warnings += checked.told()
            self.record.repairs += checked.repairs
            self.record.invalid_calls += checked.invalid

    def _streamed(self, stream: Streaming, pump: Pump) -> None:
        """A stream is over: its attempt is told now. A client that left says nothing against the target."""
        app, to, failure = self.app, stream.to, pump.failure
        began = self.record.attempts[-1]
        told = Attempt(to.name, failure.type if failure else "ok", began.status, app.clock() - stream.began)
        app.circuits.told(to.name, stream.key, failure, app.clock())
        self._checked(stream.tally)
        app.told_attempt(self.record, to, told, stream.tally)
        app.metrics.first_content(to.provider, to.label, self.record.first_content or 0.0)
        self.record.waited += told.seconds - began.seconds
        if failure is None and not pump.complete:
            self.record.attempts[-1] = replace(told, type=CANCELLED)

    def _tell(self) -> None:
        self.app.told_request(self.record)
