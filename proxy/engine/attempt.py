"""One request to one upstream: sent, read up to its first content (a stream) or its end (a whole answer), judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from adapters.errors import Failure, Malformed
from adapters.events import Event, fold
from adapters.format import Outgoing
from adapters.restore import Restorer
from adapters.tools import ids
from proxy.engine.gate import Gate
from proxy.engine.job import Job, Streaming, Tools, Whole
from proxy.engine.live import MAX_WHOLE, Live, Tally
from proxy.engine.plan import Destination
from proxy.upstream.transport import Broken, Response

MAX_ERROR_BODY = 1024 * 1024


class Try:
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
        try:
            url, headers = address(to, outgoing, self._key, self._tools.signer)
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
