"""One request to one upstream: sent, read up to its first content (a stream) or its end (a whole answer), judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from email.utils import formatdate
from functools import partial
from urllib.parse import urlencode

from adapters.checker import Checker, Offence, checker
from adapters.errors import Failure, Malformed
from adapters.events import Event, fold
from adapters.format import Continues, Outgoing
from adapters.joined import Joined
from adapters.model import Answer, ToolCall
from adapters.restore import Restorer
from adapters.tools import ids
from adapters.tools.arguments import is_object
from adapters.tools.recover import recoverer, salvaged
from proxy.engine.gate import Gate
from proxy.engine.job import Job, Streaming, Tools, Whole
from proxy.engine.live import MAX_WHOLE, Live, Pieces, Tally
from proxy.engine.plan import Destination
from proxy.upstream.transport import Broken, Response

MAX_ERROR_BODY = 1024 * 1024


class Try:
    """One request to one upstream. `heard` is called when a stream has content that is still kept back.

    `offence` is the invalid call that it failed for, `tally` then what else is to be told of it.
    """

    def __init__(self, job: Job, tools: Tools, to: Destination, outgoing: Outgoing, key: str) -> None:
        self.offence: Offence | None = None
        self.tally: Tally | None = None
        self._job = job
        self._tools = tools
        self._to = to
        self.outgoing = outgoing
        self._key = key
        self._response: Response | None = None
        self._began = tools.clock()

    def close(self) -> None:
        """Lets go of the upstream."""
        if self._response is not None:
            self._response.close()

    async def go(self, filter_moves: bool, heard: Callable[[], None]) -> Streaming | Whole | Failure:
        """Sends and reads, up to the first content of a stream or all of a whole answer."""
        result = await self._asked(filter_moves, heard)
        if isinstance(result, Failure) and result.generation is not None:
            return self._salvaged(result, result.generation, filter_moves)
        return result

    def _salvaged(self, failure: Failure, generation: str, filter_moves: bool) -> Streaming | Whole | Failure:
        """The calls in what the model wrote, which the upstream could not read; else its failure."""
        events = salvaged(self.outgoing.reading, generation)
        if events is None:
            return failure
        self._job.warnings.append("a call that the upstream refused as malformed is read from its text")
        return self._taken(self._restorer().feed(events), filter_moves)

    async def _asked(self, filter_moves: bool, heard: Callable[[], None]) -> Streaming | Whole | Failure:
        try:
            response = await self._sent(self.outgoing)
            if isinstance(response, Failure):
                return response
            if self.outgoing.stream and not _is_json(response):
                return await self._streamed(response, filter_moves, heard)
            return await self._complete(response, filter_moves)
        except Broken as broken:
            self.close()
            return broken.failure

    async def _sent(self, outgoing: Outgoing) -> Response | Failure:
        """The answer to a request, its head read. Raises Broken."""
        response = self._response = await opened(self._to, outgoing, self._key, self._tools.signer)
        return await self._refused(response) if response.status >= 300 else response

    async def _sent_on(self, outgoing: Outgoing) -> Response | Failure:
        """The answer to a request for more of a paused answer. A stream has begun: it goes on within `idle`."""
        try:
            async with asyncio.timeout(self._to.timeouts.idle if self.outgoing.stream else None):
                return await self._sent(outgoing)
        except Broken as broken:
            return broken.failure
        except TimeoutError:
            return Failure("timeout_error", "The upstream did not go on with its answer in time.")

    def _joined(self) -> Joined | None:
        """What joins the pieces of an answer that may be paused."""
        api, outgoing = self._to.api, self.outgoing
        if outgoing.may_pause and isinstance(api, Continues):
            return Joined(api, outgoing, self._job.warnings.append)
        return None

    async def _refused(self, response: Response) -> Failure:
        try:
            body = await response.body(MAX_ERROR_BODY)
        except Broken:
            body = b""
        finally:
            response.close()
        headers = response.headers
        if "date" not in headers:  # a retry-after date is measured against the answer's own; formats read no clock
            headers = {**headers, "date": formatdate(usegmt=True)}
        return self._to.api.failure(response.status, headers, body)

    def _restorer(self) -> Restorer:
        reading = self.outgoing.reading
        first = recoverer(reading, self._job.warnings.append)
        return Restorer(reading, ids.RULES[self._to.api.name], self._tools.new_id, first)

    def _checker(self, objects: bool = False) -> Checker | None:
        """Keeps nothing of the request alive but its reading."""
        reading, rule, new_id = self.outgoing.reading, ids.RULES[self._to.api.name], self._tools.new_id
        mode = self._job.plan.tool_check
        return checker(mode, reading, lambda events: Restorer(reading, rule, new_id).feed(events), objects)

    async def _complete(self, response: Response, filter_moves: bool) -> Streaming | Whole | Failure:
        """A whole answer, or a stream's request that was answered whole. Raises Broken."""
        joined, restorer = self._joined(), self._restorer()
        events: list[Event] = []
        while True:
            body = await response.body(MAX_WHOLE)
            response.close()
            try:
                piece = self._to.api.whole(body, self.outgoing.reading, response.headers)
                events += restorer.feed(piece if joined is None else joined.feed(piece))
            except Malformed as error:
                told = f"The upstream broke its protocol: {error}."
                return Failure("malformed_response", told, status=response.status)
            if joined is None or joined.next is None:
                return self._taken(events, filter_moves)
            following = await self._sent_on(joined.begin())
            if isinstance(following, Failure):
                return following
            response = following

    def _taken(self, events: list[Event], filter_moves: bool) -> Streaming | Whole | Failure:
        """A whole answer in the client's terms, checked and counted."""
        tally = Tally()
        if (calls := self._checker()) is not None:
            events = calls.feed(events)
            tally.checked = calls.checked
            self._offended(calls.offence, tally)
        tally.take(events)
        return self._judged(events, tally, filter_moves)

    def _offended(self, offence: Offence | None, tally: Tally) -> None:
        if offence is not None:
            self.offence, self.tally = offence, tally

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
        answer = fold(events)
        if self._job.objects and (name := _no_object(answer)) is not None:
            told = f"The arguments of the model's call of {name!r:.100} are no JSON object."
            return Failure("invalid_tool_call", told)
        return Whole(self._to, answer, tally)

    async def _streamed(
        self, response: Response, filter_moves: bool, heard: Callable[[], None]
    ) -> Streaming | Whole | Failure:
        decoder = partial(self._to.api.decoder, self.outgoing.reading)
        joined = self._joined()
        pieces = None if joined is None else Pieces(joined, self._sent_on, decoder)
        live = Live(response, decoder(), self._restorer(), self._checker(self._job.objects), pieces)
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
                self._offended(live.offence, live.tally)
                return failure
            if gate.is_open:
                live.commit()
                return Streaming(self._to, first, live, self._began, live.tally)
            if live.heard:
                heard()

    def _unsaid(self, live: Live, gate: Gate, filter_moves: bool) -> Failure | None:
        """The failure of a stream that has failed or ended before it said anything."""
        tally = live.tally
        if not gate.is_open or live.offence is not None:
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
        self._offended(live.offence, live.tally)
        return self._judged(collected, live.tally, filter_moves)


def _no_object(answer: Answer) -> str | None:
    """The tool of a call without a JSON object, unless the limit cut it off."""
    if answer.stop == "length":
        return None
    calls = (part for part in answer.parts if isinstance(part, ToolCall) and part.kind == "function")
    return next((call.name for call in calls if not is_object(call.arguments)), None)


def _is_json(response: Response) -> bool:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


Signer = Callable[[Destination, Outgoing, str], Mapping[str, str]]


async def opened(to: Destination, outgoing: Outgoing, key: str, signer: Signer | None) -> Response:
    """The answer's head. A token that the upstream refuses is renewed once, and the request sent again as part of the
    same attempt. Raises Broken."""
    url, headers = address(to, outgoing, key, signer)
    if to.sign_in is None:
        return await to.transport.open(to.site, outgoing.method, url, headers, outgoing.body)
    token = await to.sign_in.headers()
    response = await to.transport.open(to.site, outgoing.method, url, {**token, **headers}, outgoing.body)
    if response.status != 401:
        return response
    try:
        renewed = await to.sign_in.renewed(token)
    except BaseException:
        response.close()
        raise
    if not renewed:
        return response
    response.close()
    token = await to.sign_in.headers()
    return await to.transport.open(to.site, outgoing.method, url, {**token, **headers}, outgoing.body)


def address(
    to: Destination, outgoing: Outgoing, key: str, signer: Signer | None = None
) -> tuple[str, dict[str, str]]:
    """URL and headers of a native request. Raises Broken where it cannot be signed."""
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
