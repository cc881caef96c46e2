"""One answer under way: bytes of an upstream, as events in the client's terms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from adapters.checker import Checked, Checker, Offence
from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Event,
    Failed,
    Finish,
    PartEnd,
    ReasoningDelta,
    Signed,
    TextDelta,
    UsageUpdate,
    is_answer,
    is_content,
)
from adapters.format import Outgoing, StreamDecoder
from adapters.joined import Joined
from adapters.model import Usage
from adapters.restore import Restorer
from proxy.upstream.transport import Broken, Response

MAX_WHOLE = 256 * 1024 * 1024
"""Bytes of a whole answer, over which an upstream counts as broken."""


_SILENT = frozenset({CallDelta, PartEnd, ReasoningDelta})
"""Events that tell a tally nothing."""


@dataclass(slots=True)
class Tally:
    """What the metrics, the log and the next turn want to know of an answer. `calls`: those that began; `checked`: what
    became of them, where they are checked; `signed`: signatures and encrypted blocks; `unverified`: the target could
    not verify some of those it was asked with, and answered without."""

    usage: Usage = field(default_factory=Usage)
    finish: Finish | None = None
    calls: int = 0
    answered: bool = False
    failure: Failure | None = None
    checked: Checked | None = None
    signed: list[str] = field(default_factory=list)
    unverified: bool = False

    def outcomes(self) -> dict[str, int]:
        """Calls by outcome of their check."""
        return {"unchecked": self.calls} if self.checked is None else self.checked.counts()

    def take(self, events: list[Event]) -> None:
        """Counts these events."""
        for event in events:
            kind = type(event)
            if kind in _SILENT or (kind is TextDelta and self.answered):
                continue
            if not self.answered and is_answer(event):
                self.answered = True
            match event:
                case UsageUpdate(usage):
                    self.usage = self.usage.updated(usage)
                case CallStart(signature=signature):
                    self.calls += 1
                    self.signed += [signature] if signature else []
                case Signed():
                    self.signed += filter(None, [event.signature or event.data])
                case Finish():
                    self.finish = event
                case Failed(failure):
                    self.failure = failure

    def emptiness(self) -> Failure | None:
        """The failure that an empty answer is. Call after Finish."""
        finish = self.finish
        if self.answered or finish is None or finish.may_be_empty or finish.reason in ("length", "content_filter"):
            return None
        return Failure("malformed_response", "The upstream ended its answer without text, refusal or tool call.")


@dataclass(slots=True, frozen=True)
class Pieces:
    """How an answer goes on that the upstream may pause: `ask` sends a request on, `decoder` reads its answer."""

    joined: Joined
    ask: Callable[[Outgoing], Awaitable[Response | Failure]]
    decoder: Callable[[], StreamDecoder]


class Live:
    """A streamed answer. `read` gives events, None at its clean end; failures come as Failed, once, as the last event.

    Call `commit` once content reaches the client: a break is then told as `stream_interrupted`, and an invalid call is
    no failure. `heard`: the upstream has sent content, though it may still be kept back.
    """

    __slots__ = (
        "_checker", "_decoder", "_ended", "_paused", "_pieces", "_response", "_restorer", "content", "heard", "tally"
    )  # fmt: skip

    def __init__(
        self, response: Response, decoder: StreamDecoder, restorer: Restorer, checker: Checker | None,
        pieces: Pieces | None = None,
    ) -> None:
        self._response = response
        self._decoder = decoder
        self._restorer = restorer
        self._checker = checker
        self._pieces = pieces
        self._paused = False
        self._ended = False
        self.tally = Tally(checked=checker.checked if checker is not None else None)
        self.content = False
        self.heard = False

    def commit(self) -> None:
        """Content reaches the client from now on."""
        self.content = True
        if self._checker is not None:
            self._checker.committed = True

    @property
    def offence(self) -> Offence | None:
        """The invalid call that is the answer's failure."""
        return None if self._checker is None else self._checker.offence

    def _read(self, events: list[Event]) -> list[Event]:
        """What the decoder gave, in the client's terms."""
        if not self.content and not self.heard:
            self.heard = any(map(is_content, events))
        if self._pieces is not None:
            events = self._pieces.joined.feed(events)
        events = self._restorer.feed(events)
        return events if self._checker is None else self._checker.feed(events)

    async def read(self) -> list[Event] | None:
        """The events of the next read (maybe none). Awaits the upstream once."""
        if self._ended:
            return None
        if self._paused:
            return await self._go_on()
        try:
            data = await self._response.read()
        except Broken as broken:
            return self._end(broken.failure)
        if not data:
            return self._end(None)
        try:
            events = self._read(self._decoder.feed(data))
        except Malformed as error:
            return self._fail(Failure("malformed_response", f"The upstream broke its protocol: {error}."))
        return self._told(events)

    def _told(self, events: list[Event]) -> list[Event]:
        """The events, counted. A failure is the last of them: some upstreams put the usage so far behind it."""
        self.tally.take(events)
        if (failure := self.tally.failure) is not None:
            self._ended = True
            return [*(event for event in events if not isinstance(event, Failed)), Failed(failure)]
        return events

    def _end(self, broken: Failure | None) -> list[Event]:
        """The body is over. What was complete before a connection broke is a complete answer."""
        try:
            events = self._read(self._decoder.close())
        except Malformed as error:
            if broken is not None and broken.type == "timeout_error":
                return self._fail(broken)
            if self.content:
                return self._fail(Failure("stream_interrupted", f"The upstream broke off: {error}."))
            return self._fail(broken or Failure("malformed_response", f"The upstream broke off: {error}."))
        self._paused = self._pieces is not None and self._pieces.joined.next is not None
        self._ended = not self._paused
        return self._told(events)

    async def _go_on(self) -> list[Event]:
        """Asks for the next piece of a paused answer."""
        assert self._pieces is not None
        self._paused = False
        self._response.close()
        result = await self._pieces.ask(self._pieces.joined.begin())
        if isinstance(result, Failure):
            if self.content and result.type == "connection_error":
                return self._fail(Failure("stream_interrupted", f"The upstream broke off: {result.message}"))
            return self._fail(result)
        self._response, self._decoder = result, self._pieces.decoder()
        return []

    def _fail(self, failure: Failure) -> list[Event]:
        self._ended = True
        self.tally.failure = failure
        return [Failed(failure)]

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._ended

    def close(self) -> None:
        """Lets go of the upstream, at once."""
        self._response.close()
