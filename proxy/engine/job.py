"""What the attempt loop works on and with, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from adapters.errors import Attempt, Failure
from adapters.events import Event
from adapters.format import IdSource, Outgoing
from adapters.model import Answer, Request
from proxy.engine.health import Circuits
from proxy.engine.live import Live, Tally
from proxy.engine.plan import Destination, Plan
from proxy.upstream.images import Images


@dataclass(slots=True)
class Job:
    """A client's request on its way. `request` is dropped once an answer has begun. `upstream_seconds`: in attempts, up
    to the first content of a stream, and in pauses between them.

    `objects`: the client's dialect cannot carry a whole answer whose calls hold anything but JSON objects.
    `invalid_calls`: tools and reasons, of failed attempts too. `skipped`: targets and the types that opened their
    circuits.
    """

    request: Request | None
    plan: Plan
    stream: bool
    started: float
    attempts: list[Attempt] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    upstream_seconds: float = 0.0
    objects: bool = False
    invalid_calls: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


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
