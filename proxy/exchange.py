"""One client request: read, decoded, answered whole or as a stream, measured and logged.

What goes out is one write per upstream read. A watcher on the client's side cancels the work the moment the client
goes away, which closes the upstream at once, before its head too.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from adapters import json, params, registry
from adapters.errors import Attempt, Failure, Malformed, Rejected
from adapters.events import Folder
from adapters.format import Call, Dialect, Incoming, StreamEncoder
from adapters.model import Request
from adapters.tools.arguments import OBJECT_DIALECTS
from proxy.access import TOOL_CHECK, allowed, chosen_check, forbidden, limited
from proxy.config.patterns import matches
from proxy.engine.live import Tally
from proxy.engine.plan import Plan
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
)
from proxy.memory import Memory
from proxy.output import MOST_CONTENT, Output
from proxy.pump import Pump, unfit
from proxy.record import Record
from proxy.state.kept import fetched

if TYPE_CHECKING:
    from proxy.app import App
    from proxy.config.model import Client
    from proxy.endpoints import Endpoint
    from proxy.gateway import Gateway


FAULT = "The proxy failed on this request, by a mistake of its own: its log has the place."


class Exchange:
    """One request at one generating or counting endpoint."""

    def __init__(self, app: App, endpoint: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
        self.app = app
        self.gateway: Gateway = app.gateway
        self.endpoint = endpoint
        self._scope = scope
        self._receive = receive
        self.headers = headers_of(scope)
        dialect = registry.dialect(endpoint.dialect)
        assert dialect is not None
        self.dialect: Dialect = dialect
        self.record = Record(endpoint.label, request_id(self.headers, app.new_id), app.clock())
        self.out = Output(send, dialect, endpoint, self.record, app.wall)
        self._gone = False
        self._client: Client | None = None
        self.memory: Memory
        self.reply: Any = None

    # --- the whole of it ---------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Answers the request, whatever happens. Never raises; a server that is torn down cancels it."""
        self.app.metrics.inflight.inc()
        watcher: asyncio.Task[None] | None = None
        try:
            incoming = await self._incoming()
            if isinstance(incoming, Failure):
                await self.out.refuse(incoming)
                return
            task = asyncio.current_task()
            assert task is not None
            watcher = asyncio.get_running_loop().create_task(self._watch(task))
            await self._answer(incoming)
        except Rejected as error:
            await self.out.refuse(error.failure)
        except ClientGone:
            self.record.cut_short("client_gone")
        except asyncio.CancelledError:
            if self._gone:
                self.record.cut_short("client_gone")
            else:
                await self._torn_down()
        except Exception as error:
            self.app.fault(self.record.id, error)
            await self.out.failed(Failure("api_error", FAULT))
        finally:
            if watcher is not None:
                watcher.cancel()
            self.app.metrics.inflight.dec()
            self._tell()

    async def _watch(self, task: asyncio.Task[Any]) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        task.cancel()

    async def _incoming(self) -> Incoming | Failure:
        """The decoded request, after the client's key was checked."""
        server = self.gateway.config.server
        client = self.gateway.access.client(self.headers, self._scope["query_string"], self.endpoint.dialect)
        if isinstance(client, Failure):
            return client
        self._client = client
        self.record.client = client.name if client else None
        began = self.app.clock()
        body = await body_of(self._receive, self.headers, server.max_request_bytes)
        self.record.waited += self.app.clock() - began
        if isinstance(body, Failure):
            return body
        self.out.quota, refused = await limited(client, self.app.store, self.app.wall())
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
        incoming = self._decoded(decoded, client, kept)
        if any(matches(pattern, self.record.model or "") for pattern in server.log_content):
            self.record.content = body[:MOST_CONTENT], self.out.copied()
        return incoming

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
            await self.out.refuse(planned)
            return
        plan, request = planned
        if TOOL_CHECK in self.headers:
            chosen = chosen_check(self.headers[TOOL_CHECK], self._client, plan.tool_check, self.record.warnings)
            plan = replace(plan, tool_check=chosen)
        self.memory = Memory(
            self.app.store, self.record.client, self.dialect, self.gateway.config.state.ttl_seconds
        )
        request = await self.memory.recalled(request, plan)
        job = Job(
            request, plan, request.stream, self.record.started, warnings=self.record.warnings,
            objects=self.dialect.name in OBJECT_DIALECTS,
        )
        self.reply = reply = incoming.reply
        self.record.of(job)
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
            await self.out.refuse(result.failure)

    async def _whole(self, result: Whole, reply: Any) -> None:
        self._answered(result.to.name, result.tally)
        self.record.checked(result.tally)
        try:
            body = self.dialect.answer(result.answer, reply)
        except Malformed as error:
            await self.out.refuse(unfit(error))
            return
        except RecursionError:
            await self.out.refuse(unfit(Malformed("it is nested too deeply")))
            return
        await self.memory.note(result.to, result.tally)
        await self.memory.remember(result.answer, result.to)
        await self.memory.keep(reply, body)
        await self.out.give(body)

    async def _stream(self, job: Job, tools: Tools, reply: Any) -> None:
        """Waits for the stream to say something; after `early_head_seconds` the head goes out all the same."""
        encoder = self.out.encoder = self.dialect.encoder(reply)
        content_type = self.dialect.content_type(reply).encode()
        runner = asyncio.get_running_loop().create_task(run(job, tools))
        try:
            await asyncio.wait({runner}, timeout=self.gateway.config.server.early_head_seconds)
            while not runner.done():
                if not self.out.begun:
                    await self.out.start(content_type)
                if data := encoder.ping():
                    await self.out.write(data)
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
            if self.out.begun:
                await self.out.broken(encoder, result.failure, tuple(self.record.attempts))
            else:
                await self.out.refuse(result.failure)

    async def _pump(self, stream: Streaming, encoder: StreamEncoder, content_type: bytes) -> None:
        """Content has come: events are written as they arrive, to the clean end or the break."""
        self.record.first_content = self.app.clock() - stream.began
        self._answered(stream.to.name, stream.tally)
        pump = Pump(self, stream, encoder, Folder() if self.memory.calls else None)
        try:
            if not self.out.begun:
                await self.out.start(content_type)
            failure = await pump.run(stream.to.timeouts.total - self.record.first_content)
        finally:
            if stream.live is not None:
                stream.live.close()
            self._streamed(stream, pump)
        if failure is not None:
            await self.out.broken(encoder, failure, ())

    async def _torn_down(self) -> None:
        """The server ends before the answer did."""
        self.record.cut_short(CANCELLED)
        if self.out.begun:
            await self.out.failed(Failure("stream_interrupted", "The proxy is shutting down."))
        else:
            await self.out.failed(Failure("overloaded_error", "The proxy is shutting down.", retry_after=1.0))

    # --- what is told ------------------------------------------------------------------------------------------

    def _answered(self, target: str, tally: Tally) -> None:
        self.record.target = target

    def _streamed(self, stream: Streaming, pump: Pump) -> None:
        """A stream is over: its attempt is told now. A client that left says nothing against the target."""
        app, to, failure = self.app, stream.to, pump.failure
        began = self.record.attempts[-1]
        told = Attempt(to.name, failure.type if failure else "ok", began.status, app.clock() - stream.began)
        app.circuits.told(to.name, stream.key, failure, app.clock())
        self.record.checked(stream.tally)
        app.told_attempt(self.record, to, told, stream.tally)
        app.metrics.first_content(to.provider, to.label, self.record.first_content or 0.0)
        self.record.waited += told.seconds - began.seconds
        if failure is None and not pump.complete:
            self.record.attempts[-1] = replace(told, type=CANCELLED)

    def _tell(self) -> None:
        self.app.told_request(self.record)
