"""The attempt loop: the one place that awaits upstreams.

It walks a plan's chain until one target has said something (a stream) or all (a whole answer), and hands over either
that or the first attempt's failure. Up to that point nothing has reached the client, so every failure may move on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from adapters.errors import Attempt, Failure, Malformed, Rejected
from adapters.events import Event, fold
from adapters.format import IdSource, Mends, Outgoing
from adapters.model import Answer, Request
from adapters.registry import WANT_BYTES
from adapters.restore import Restorer
from adapters.tools import ids
from proxy.engine.decide import Budget, Next, NextKey, Retry, Stop, after, backoff, decide, names_filter
from proxy.engine.gate import Gate
from proxy.engine.health import Circuits
from proxy.engine.live import MAX_WHOLE, Live, Tally
from proxy.engine.plan import Candidate, Destination, Plan, characters, fits, needs
from proxy.upstream.images import Fetched, Images, urls, with_bytes
from proxy.upstream.secrets import scrub
from proxy.upstream.transport import Broken, Response

MAX_ERROR_BODY = 1024 * 1024


@dataclass(slots=True)
class Job:
    """A client's request on its way. `request` is dropped once an answer has begun."""

    request: Request | None
    plan: Plan
    stream: bool
    started: float
    attempts: list[Attempt] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    upstream_seconds: float = 0.0


@dataclass(slots=True, frozen=True)
class Tools:
    """What the loop uses of its surroundings. `told` hears of each ended attempt, `fell_back` of each move."""

    circuits: Circuits
    clock: Callable[[], float]
    random: Callable[[], float]
    new_id: IdSource
    told: Callable[[Job, Destination, Attempt, Tally | None], None]
    fell_back: Callable[[Job, Destination, Destination, Failure], None]
    signer: Callable[[Destination, Outgoing, str], Mapping[str, str]] | None = None
    images: Callable[[], Images | None] = lambda: None


@dataclass(slots=True)
class Streaming:
    """A stream that has begun: `first` are the events that were held, `live` gives the rest (None: that was all)."""

    to: Destination
    first: list[Event]
    live: Live | None
    began: float
    tally: Tally
    key: int = 0


@dataclass(slots=True)
class Whole:
    """A whole answer."""

    to: Destination
    answer: Answer
    tally: Tally


@dataclass(slots=True)
class Lost:
    """The chain is exhausted: the failure that the client sees."""

    failure: Failure


async def run(job: Job, tools: Tools) -> Streaming | Whole | Lost:
    """Walks the chain. Raises Rejected where the request cannot be carried by the first target that is asked."""
    return await _Walk(job, tools).go()


class _Walk:
    """One walk along a chain: where it is, and what was skipped for an open circuit."""

    def __init__(self, job: Job, tools: Tools) -> None:
        self._job = job
        self._tools = tools
        self._rules = [candidate.on_errors for candidate in job.plan.chain]
        self._skipped: list[int] = []
        self._outgoing: dict[str, Outgoing] = {}
        self._fetched: Fetched | None = None
        chain = job.plan.chain
        request = job.request
        measured = request is not None and any(candidate.context_window is not None for candidate in chain)
        self._characters = characters(request) if request is not None and measured else 0
        lacking = any(candidate.to.lacks for candidate in chain)
        self._needs = needs(request) if request is not None and lacking else frozenset()
        self._ends = job.started + job.plan.deadline

    async def go(self) -> Streaming | Whole | Lost:
        at: int | None = 0
        unfit: Failure | None = None
        while at is not None:
            candidate = self._job.plan.chain[at]
            now = self._tools.clock()
            if (reason := self._unfit(candidate)) is not None:
                unfit = unfit or reason
                at = at + 1 if at + 1 < len(self._rules) else None
                continue
            failure: Failure | None = self._tools.circuits.opened_by(candidate.to.name, len(candidate.to.keys), now)
            if failure is not None:
                self._skipped.append(at)
            else:
                result = await self._target(at, self._job.plan.retry.attempts)
                if not isinstance(result, Failure):
                    return result
                failure = result
            at = self._onward(failure, at)
        return await self._last_chances(unfit)

    def _unfit(self, candidate: Candidate) -> Failure | None:
        """Why this target is skipped, unasked: it cannot take such a request."""
        if missing := self._needs & candidate.to.lacks:
            words = " or ".join(sorted(missing))
            return Failure("invalid_request_error", f"No target of this model takes {words}.")
        if not fits(candidate, self._characters):
            return Failure("context_length_exceeded", "The prompt surely exceeds the context window of every target "
                           "of this model.", code="context_length_exceeded")
        return None

    def _onward(self, failure: Failure, at: int) -> int | None:
        if self._tools.clock() >= self._ends:
            return None
        match after(failure, at, self._rules):
            case Next(index):
                chain = self._job.plan.chain
                self._tools.fell_back(self._job, chain[at].to, chain[index].to, failure)
                return index
        return None

    async def _last_chances(self, unfit: Failure | None) -> Streaming | Whole | Lost:
        """Targets with an open circuit are asked once, if nothing else answered: no request fails by circuits alone."""
        for at in self._skipped:
            if self._tools.clock() >= self._ends:
                break
            result = await self._target(at, 1, last=True)
            if not isinstance(result, Failure):
                return result
        if self._job.failures:
            return Lost(_seen(self._job))
        if unfit is not None:
            return Lost(unfit)
        return Lost(Failure("timeout_error", "The deadline passed before a target was asked."))

    async def _target(self, at: int, attempts: int, last: bool = False) -> Streaming | Whole | Failure:
        """All tries of one target: retries with one key, then its other keys."""
        candidate, job, tools = self._job.plan.chain[at], self._job, self._tools
        to = candidate.to
        try:
            outgoing = await self._encode(to)
        except Rejected as error:
            if not self._job.failures:
                raise
            return error.failure
        keys = tools.circuits.keys(to.name, len(to.keys), tools.clock())
        place, tries, mended = 0, 0, False
        while True:
            tries += 1
            result = await self._try(at, candidate, outgoing, keys[place])
            if not isinstance(result, Failure):
                return result
            if not mended and tries < attempts and (again := await self._mended(to, result)) is not None:
                outgoing, mended = again, True
                continue
            retry = job.plan.retry
            wait = backoff(tries, retry.backoff_seconds, retry.max_backoff_seconds, tools.random())
            budget = Budget(attempts, self._ends - tools.clock(), wait, retry.max_backoff_seconds)
            match decide(result, at, tries, not last and place + 1 < len(keys), self._rules, budget):
                case Retry(wait):
                    await asyncio.sleep(wait)
                case NextKey():
                    place, tries = place + 1, 0
                case Next() | Stop():
                    return result

    async def _encode(self, to: Destination) -> Outgoing:
        """The native request, made once per target. Raises Rejected for what this target cannot carry."""
        made = self._outgoing.get(to.name)
        if made is None:
            request = self._job.request
            assert request is not None
            if to.api.name in WANT_BYTES:
                request = await self._with_images(request)
            made = self._outgoing[to.name] = to.api.encode(request, to.upstream)
        return made

    async def _with_images(self, request: Request) -> Request:
        """The request with its remote images fetched, once for all targets, where the configuration says so."""
        images = self._tools.images()
        if images is None or not (wanted := urls(request)):
            return request
        if self._fetched is None:
            self._fetched = await images.fetch(wanted)
        return with_bytes(request, self._fetched)

    async def _mended(self, to: Destination, failure: Failure) -> Outgoing | None:
        """The request as the API's own advice after this failure has it (without reasoning that it refuses, …)."""
        request = self._job.request
        if request is None or not isinstance(to.api, Mends):
            return None
        changed = to.api.mended(request, to.upstream, failure)
        if changed is None:
            return None
        if to.api.name in WANT_BYTES:
            changed = await self._with_images(changed)
        return to.api.encode(changed, to.upstream)

    async def _try(
        self, at: int, candidate: Candidate, outgoing: Outgoing, key: int
    ) -> Streaming | Whole | Failure:
        """One attempt, timed and told."""
        to, tools = candidate.to, self._tools
        began = tools.clock()
        tools.circuits.asked(to.name, key, began)
        attempt = _Attempt(self._job, tools, to, outgoing, to.keys[key])
        limit = self._ends - began
        first = to.timeouts.first_content if self._job.stream else to.timeouts.total
        try:
            async with asyncio.timeout(max(0.0, min(limit, first))):
                result = await attempt.go(names_filter(self._rules, at))
        except TimeoutError:
            attempt.close()
            what = "the deadline of the chain passed" if limit <= first else f"no answer within {first:g} seconds"
            result = Failure("timeout_error", f"The upstream did not answer in time: {what}.")
        except BaseException:
            attempt.close()
            raise
        return self._ended(result, to, key, tools.clock() - began, outgoing)

    def _ended(
        self, result: Streaming | Whole | Failure, to: Destination, key: int, seconds: float, outgoing: Outgoing
    ) -> Streaming | Whole | Failure:
        """Remembers how an attempt went. A stream is told by whoever reads it to its end."""
        job, tools = self._job, self._tools
        job.upstream_seconds += seconds
        if isinstance(result, Failure):
            result = replace(result, message=scrub(result.message, to.keys))
            job.failures.append(result)
            told = Attempt(to.name, result.type, result.status, seconds)
            tools.circuits.told(to.name, key, result, tools.clock())
        else:
            told = Attempt(to.name, "ok", 200, seconds)
            job.warnings += outgoing.warnings
            job.request = None
            self._outgoing.clear()
        job.attempts.append(told)
        if isinstance(result, Streaming):
            result.key = key
        else:
            if isinstance(result, Whole):
                tools.circuits.told(to.name, key, None, tools.clock())
            tools.told(job, to, told, result.tally if isinstance(result, Whole) else None)
        return result


def _seen(job: Job) -> Failure:
    """The first attempt's failure, with the soonest retry-after of the chain."""
    waits = [failure.retry_after for failure in job.failures if failure.retry_after is not None]
    return replace(job.failures[0], retry_after=min(waits) if waits else None)


class _Attempt:
    """One request to one upstream."""

    def __init__(self, job: Job, tools: Tools, to: Destination, outgoing: Outgoing, key: str) -> None:
        self._job = job
        self._tools = tools
        self._to = to
        self._outgoing = outgoing
        self._key = key
        self._response: Response | None = None
        self._began = tools.clock()

    def close(self) -> None:
        """Lets go of the upstream."""
        if self._response is not None:
            self._response.close()

    async def go(self, filter_moves: bool) -> Streaming | Whole | Failure:
        """Sends and reads, up to the first content of a stream or all of a whole answer."""
        to, outgoing = self._to, self._outgoing
        url, headers = address(to, outgoing, self._key, self._tools.signer)
        try:
            response = await to.transport.open(to.site, outgoing.method, url, headers, outgoing.body)
            self._response = response
            if response.status >= 300:
                return await self._refused(response)
            if outgoing.stream and not _is_json(response):
                return await self._streamed(response, filter_moves)
            body = await response.body(MAX_WHOLE)
        except Broken as broken:
            self.close()
            return broken.failure
        response.close()
        return self._complete(body, response, filter_moves)

    async def _refused(self, response: Response) -> Failure:
        try:
            body = await response.body(MAX_ERROR_BODY)
        except Broken:
            body = b""
        finally:
            response.close()
        return self._to.api.failure(response.status, response.headers, body)

    def _restorer(self) -> Restorer:
        return Restorer(self._outgoing.reading, ids.RULES[self._to.api.name], self._tools.new_id)

    def _complete(self, body: bytes, response: Response, filter_moves: bool) -> Streaming | Whole | Failure:
        """A whole answer, or a stream's request that was answered whole."""
        try:
            events = self._restorer().feed(
                self._to.api.whole(body, self._outgoing.reading, response.headers))
        except Malformed as error:
            return Failure("malformed_response", f"The upstream broke its protocol: {error}.", status=response.status)
        tally = Tally()
        tally.take(events)
        return self._judged(events, tally, filter_moves)

    def _judged(self, events: list[Event], tally: Tally, filter_moves: bool) -> Streaming | Whole | Failure:
        if tally.failure is not None:
            return tally.failure
        if tally.finish is None:
            return Failure("malformed_response", "The upstream's answer has no end.")
        if (empty := tally.emptiness()) is not None:
            return empty
        if filter_moves and tally.finish.reason == "content_filter":
            return Failure("content_filter", "The model refused to answer.")
        if self._job.stream:
            return Streaming(self._to, events, None, self._began, tally)
        return Whole(self._to, fold(events), tally)

    async def _streamed(self, response: Response, filter_moves: bool) -> Streaming | Whole | Failure:
        live = Live(response, self._outgoing, self._to.api.decoder(self._outgoing.reading), self._restorer())
        if not self._job.stream:
            return await self._collected(live, filter_moves)
        gate = Gate(self._job.plan.commit_answer)
        while True:
            events = await live.read()
            if events is None:
                live.close()
                return Failure("malformed_response", "The upstream's stream ended without an answer.")
            try:
                first = gate.push(events)
            except Malformed as error:
                live.close()
                return Failure("malformed_response", f"The upstream sent {error}.")
            failure = self._unsaid(live, gate, filter_moves)
            if failure is not None:
                live.close()
                return failure
            if gate.is_open:
                live.content = True
                return Streaming(self._to, first, live, self._began, live.tally)

    def _unsaid(self, live: Live, gate: Gate, filter_moves: bool) -> Failure | None:
        """The failure of a stream that has failed or ended before it said anything."""
        tally = live.tally
        if not gate.is_open:
            return tally.failure
        if tally.finish is None:
            return None
        if filter_moves and tally.finish.reason == "content_filter":
            return Failure("content_filter", "The model refused to answer.")
        return tally.emptiness()

    async def _collected(self, live: Live, filter_moves: bool) -> Streaming | Whole | Failure:
        """A whole answer that is read from a stream."""
        collected: list[Event] = []
        while (events := await live.read()) is not None:
            collected += events
        live.close()
        return self._judged(collected, live.tally, filter_moves)


def _is_json(response: Response) -> bool:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def address(
    to: Destination, outgoing: Outgoing, key: str,
    signer: Callable[[Destination, Outgoing, str], Mapping[str, str]] | None = None,
) -> tuple[str, dict[str, str]]:
    """URL and headers of a native request."""
    query = {**outgoing.query, **to.query}
    url = to.base + outgoing.path
    if query:
        url += ("&" if "?" in url else "?") + urlencode(query)
    headers = {"content-type": "application/json", **outgoing.headers}
    if key:
        headers.update(to.api.auth(key, to.upstream))
    headers.update(to.headers)
    if signer is not None:
        headers.update(signer(to, outgoing, url))
    return url, headers
