"""The attempt loop: the one place that awaits upstreams.

It walks a plan's chain until one target has said something (a stream) or all (a whole answer), and hands over either
that or the first attempt's failure. Up to that point nothing has reached the client, so every failure may move on.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from adapters.checker import Offence
from adapters.errors import Attempt, Failure, Rejected
from adapters.format import Mends, Outgoing
from adapters.hint import hinted
from adapters.model import Request
from adapters.registry import WANT_BYTES
from proxy.engine.attempt import Try
from proxy.engine.decide import Budget, Next, NextKey, Retry, Stop, after, backoff, decide, names_filter
from proxy.engine.job import Job, Lost, Streaming, Tools, Whole
from proxy.engine.plan import Candidate, Destination, characters, fits, needs
from proxy.upstream.images import Fetched, urls, with_bytes

__all__ = ["CANCELLED", "Job", "Lost", "Streaming", "Tools", "Whole", "run"]

CANCELLED = "cancelled"
"""The type of an attempt that its own request cut short."""

LEAST_SECONDS = 0.01
"""With less than this left of the deadline nothing is started: timers are early by a millisecond, and a target that had
no time to be asked must not count as failed."""


async def run(job: Job, tools: Tools) -> Streaming | Whole | Lost:
    """Walks the chain. Raises Rejected where the request cannot be carried by the first target that is asked."""
    return await _Walk(job, tools).go()


class _Walk:
    """One walk along a chain: where it is, what was skipped for an open circuit, why a target cannot take such a
    request."""

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
        self._offence: Offence | None = None
        self._cannot: Failure | None = None

    async def go(self) -> Streaming | Whole | Lost:
        at: int | None = 0
        failed: tuple[Failure, int] | None = None
        """The last failure, and whose it is."""
        while at is not None and not self._late():
            to = self._job.plan.chain[at].to
            if (reason := self._unfit(self._job.plan.chain[at])) is None:
                if failed is not None:
                    self._tools.fell_back(self._job, self._job.plan.chain[failed[1]].to, to, failed[0])
                result = self._opened(at) or await self._target(at, self._job.plan.retry.attempts)
                if not isinstance(result, Failure | Rejected):
                    return result
                if isinstance(result, Failure):
                    failed = result, at
                else:
                    reason = result.failure
            self._cannot = self._cannot or reason
            at = self._onward(failed, at)
        return await self._last_chances()

    def _late(self) -> bool:
        """Whether too little of the deadline is left to start anything."""
        return self._ends - self._tools.clock() < LEAST_SECONDS

    def _opened(self, at: int) -> Failure | None:
        """The failure that keeps this target from being asked now."""
        to = self._job.plan.chain[at].to
        failure = self._tools.circuits.opened_by(to.name, len(to.keys), self._tools.clock())
        if failure is not None:
            self._skipped.append(at)
            self._job.skipped.append(f"{to.name}: {failure.type}")
        return failure

    def _unfit(self, candidate: Candidate) -> Failure | None:
        """Why this target is skipped, unasked: it cannot take such a request."""
        if missing := self._needs & candidate.to.lacks:
            words = " or ".join(sorted(missing))
            return Failure("invalid_request_error", f"No target of this model takes {words}.")
        if not fits(candidate, self._characters):
            return Failure("context_length_exceeded", "The prompt surely exceeds the context window of every target "
                           "of this model.", code="context_length_exceeded")
        return None

    def _onward(self, failed: tuple[Failure, int] | None, at: int) -> int | None:
        """The next target: the first that stands in for the last failure, or the very next where nothing failed."""
        if failed is None:
            return at + 1 if at + 1 < len(self._rules) else None
        match after(failed[0], at, self._rules):
            case Next(index):
                return index
        return None

    async def _last_chances(self) -> Streaming | Whole | Lost:
        """Targets with an open circuit are asked once, if nothing else answered: no request fails by circuits alone."""
        for at in self._skipped:
            if self._late():
                break
            result = await self._target(at, 1, last=True)
            if not isinstance(result, Failure | Rejected):
                return result
            if isinstance(result, Rejected):
                self._cannot = self._cannot or result.failure
        if self._job.failures:
            return Lost(_seen(self._job))
        if self._cannot is not None:
            return Lost(self._cannot)
        return Lost(Failure("timeout_error", "The deadline passed before a target was asked."))

    async def _target(self, at: int, attempts: int, last: bool = False) -> Streaming | Whole | Failure | Rejected:
        """All tries of one target: retries with one key, then its other keys. Rejected is given where another target
        was asked, or is still to be asked; raised, where the request ends here."""
        candidate, job, tools = self._job.plan.chain[at], self._job, self._tools
        to = candidate.to
        try:
            outgoing = await self._encode(to)
        except Rejected as error:
            if not self._job.failures and not self._skipped:
                raise
            return error
        keys = tools.circuits.keys(to.name, len(to.keys), tools.clock())
        place, tries, mended, unverified, sent = 0, 0, False, False, outgoing
        while True:
            tries += 1
            result = await self._try(at, candidate, sent, keys[place])
            if not isinstance(result, Failure):
                result.tally.unverified = unverified
                return result
            if not mended and tries < attempts and (again := await self._mended(to, result)) is not None:
                sent, unverified = again
                outgoing, mended = sent, True
                continue
            retry = job.plan.retry
            wait = backoff(tries, retry.backoff_seconds, retry.max_backoff_seconds, tools.random())
            budget = Budget(attempts, self._ends - LEAST_SECONDS - tools.clock(), wait, retry.max_backoff_seconds)
            match decide(result, at, tries, not last and place + 1 < len(keys), self._rules, budget):
                case Retry(wait):
                    await asyncio.sleep(wait)
                    job.upstream_seconds += wait
                    if self._late():
                        return result
                    sent = await self._hinted(to, outgoing) or outgoing
                case NextKey():
                    place, tries, sent = place + 1, 0, outgoing
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
            try:
                made = self._outgoing[to.name] = to.api.encode(request, to.upstream)
            except RecursionError:
                raise Rejected("A part of the request is nested too deeply for this upstream.", "messages") from None
        return made

    async def _with_images(self, request: Request) -> Request:
        """The request with its remote images fetched, once for all targets, where the configuration says so."""
        images = self._tools.images()
        if images is None or not (wanted := urls(request)):
            return request
        if self._fetched is None:
            self._fetched = await images.fetch(wanted)
        return with_bytes(request, self._fetched)

    async def _mended(self, to: Destination, failure: Failure) -> tuple[Outgoing, bool] | None:
        """The request as the API's own advice after this failure has it (without reasoning that it refuses, …), and
        whether its history is another."""
        request = self._job.request
        if request is None or not isinstance(to.api, Mends) or self._late():
            return None
        changed = to.api.mended(request, to.upstream, failure)
        again = None if changed is None else await self._again(changed, to)
        return None if changed is None or again is None else (again, changed.messages is not request.messages)

    async def _again(self, changed: Request, to: Destination) -> Outgoing | None:
        """A changed request for a target that was asked before; None where it cannot be carried after all."""
        try:
            if to.api.name in WANT_BYTES:
                changed = await self._with_images(changed)
            return to.api.encode(changed, to.upstream)
        except (Rejected, RecursionError):
            return None

    async def _hinted(self, to: Destination, outgoing: Outgoing) -> Outgoing | None:
        """The request with what was wrong with the call that the last attempt failed for, where that is asked for. Its
        warnings stay those of the client's own request: the turns that are added are not the client's."""
        request = self._job.request
        if self._offence is None or request is None or not self._job.plan.tool_check_hint:
            return None
        again = await self._again(hinted(request, self._offence), to)
        return None if again is None else replace(again, warnings=outgoing.warnings)

    async def _try(
        self, at: int, candidate: Candidate, outgoing: Outgoing, key: int
    ) -> Streaming | Whole | Failure:
        """One attempt, timed and told."""
        to, tools, job = candidate.to, self._tools, self._job
        began = tools.clock()
        tools.circuits.asked(to.name, key, began)
        attempt = Try(job, tools, to, outgoing, to.keys[key])
        limit = self._ends - began
        first = to.timeouts.first_content if job.stream else to.timeouts.total

        def heard() -> None:
            """Content has come, but is kept back: `first_content` is met, the other limits hold."""
            nonlocal first
            if first != to.timeouts.total:
                first = to.timeouts.total
                left = began + min(limit, first) - tools.clock()
                timer.reschedule(asyncio.get_running_loop().time() + max(0.0, left))

        try:
            async with asyncio.timeout(max(0.0, min(limit, first))) as timer:
                result = await attempt.go(names_filter(self._rules, at), heard)
        except TimeoutError:
            attempt.close()
            what = "the deadline of the chain passed" if limit <= first else f"no answer within {first:g} seconds"
            result = Failure("timeout_error", f"The upstream did not answer in time: {what}.")
        except BaseException:
            attempt.close()
            tools.circuits.left(to.name, key)
            job.attempts.append(Attempt(to.name, CANCELLED, None, tools.clock() - began))
            raise
        self._offence = attempt.offence
        return self._ended(result, attempt, to, key, tools.clock() - began)

    def _ended(
        self, result: Streaming | Whole | Failure, attempt: Try, to: Destination, key: int, seconds: float
    ) -> Streaming | Whole | Failure:
        """Remembers how an attempt went. A stream is told by whoever reads it to its end."""
        job, tools = self._job, self._tools
        job.upstream_seconds += seconds
        if isinstance(result, Failure):
            result = to.cleaned(result)
            job.failures.append(result)
            told = Attempt(to.name, result.type, result.status, seconds)
            tools.circuits.told(to.name, key, result, tools.clock())
            if attempt.tally is not None and attempt.tally.checked is not None:
                job.invalid_calls += attempt.tally.checked.invalid
        else:
            told = Attempt(to.name, "ok", 200, seconds)
            job.warnings += attempt.outgoing.warnings
            if result.tally.checked is not None:
                job.warnings += result.tally.checked.told()
            job.request = None
            self._outgoing.clear()
        job.attempts.append(told)
        if isinstance(result, Streaming):
            result.key = key
        else:
            if isinstance(result, Whole):
                tools.circuits.told(to.name, key, None, tools.clock())
            tools.told(job, to, told, result.tally if isinstance(result, Whole) else attempt.tally)
        return result


def _seen(job: Job) -> Failure:
    """The first attempt's failure, with the soonest retry-after of the chain."""
    waits = [failure.retry_after for failure in job.failures if failure.retry_after is not None]
    return replace(job.failures[0], retry_after=min(waits) if waits else None)
