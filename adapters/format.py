"""What a wire format offers: `Dialect` is its server half (towards clients), `Api` its client half (towards upstreams).

Both are stateless objects; what an answer needs from its request travels as a value (`Reading` for the API's decoder,
`Incoming.reply` for the dialect's encoder). Streams are sans-IO machines made one per stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from adapters.errors import Attempt, Failure
from adapters.events import Event
from adapters.model import NOTHING, Answer, Json, Request

if TYPE_CHECKING:
    from adapters.tools.schema import Inverse

IdSource = Callable[[int], str]
"""Gives n fresh characters of [A-Za-z0-9]."""


# --- towards upstreams -------------------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Upstream:
    """Where a request goes, as far as a format must know.

    `model` is the upstream's own name. `origin` marks who signs reasoning there (provider and model family): equal
    origins accept each other's signed parts. `compat` is complete (`adapters.compat.resolve`). `options` are the
    operator's `provider_options` for this API, merged last into the body. `vertex` and the like go by `compat`.
    `variant` is equal where model, family and compat flags are: the key under which pure work for it is remembered.
    """

    model: str
    origin: str = ""
    compat: Mapping[str, Any] = NOTHING
    max_output_tokens: int | None = None
    family: str | None = None
    options: Mapping[str, Json] = NOTHING
    variant: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        flags = sorted(self.compat.items(), key=str)
        object.__setattr__(self, "variant", f"{self.model}\0{self.family}\0{flags}")


@dataclass(slots=True, frozen=True)
class Reading:
    """What reading the answer needs from the request that was sent.

    `names`: wire name -> the client's, for changed names only. `inverses`: client's name -> how to undo its schema's
    projection. `custom`: client's names of custom tools that were sent as functions. `namespaces`: client's flat name
    -> (namespace, plain name). `answer_tool`: wire name of the tool that stands for structured output. `declared`: all
    names the client declared. `after_results`: the last message held tool results. `facts`: the API's own.
    `schemas`: client's flat name -> the JSON text of its own schema, for each tool that was offered (b"" where there
    is none to check against: built-in and custom tools). Bytes, and shared: running streams keep no parsed request.
    `recover`: what to look for in the answer's text (`adapters.tools.recover`); empty: nothing. `may_call`: functions
    were offered, and not forbidden to be called. `choices`: how many answers were asked for.
    `one_call`: the client wants no more than one call at a time.
    """

    model: str
    origin: str = ""
    stream: bool = False
    names: Mapping[str, str] = NOTHING  # type: ignore[assignment]
    inverses: Mapping[str, Inverse] = field(default_factory=dict)
    custom: frozenset[str] = frozenset()
    namespaces: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    answer_tool: str | None = None
    declared: frozenset[str] = frozenset()
    after_results: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    schemas: Mapping[str, bytes] = field(default_factory=dict)
    recover: tuple[str, ...] = ()
    may_call: bool = False
    choices: int = 1
    one_call: bool = False


@dataclass(slots=True, frozen=True)
class Outgoing:
    """A native request. `path` begins with "/" and is appended to the provider's base URL; it is percent-encoded.

    `headers` without authentication. `stream`: whether the upstream is asked to stream, which may differ from what
    the client asked (a whole answer assembled from a stream). `may_pause`: the answer may come in pieces that only a
    client of the API's own dialect would ask for (`Continues`).
    """

    path: str
    body: bytes
    reading: Reading
    stream: bool
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    method: str = "POST"
    may_pause: bool = False


class StreamDecoder(Protocol):
    """Reads one streamed answer, in pieces of any size.

    A reason to finish is not its end: what the wire allows behind it belongs to the answer. Behind the API's terminal
    event nothing is read.
    """

    def feed(self, data: bytes) -> list[Event]:
        """Events of this piece. Raises Malformed for what the API does not allow."""

    def close(self) -> list[Event]:
        """Call once at the end of the body. Raises Malformed if the stream lacks its terminal event."""


class Api(Protocol):
    """The client half of a format."""

    name: str

    def encode(self, request: Request, upstream: Upstream) -> Outgoing:
        """The native request: pure, the same bytes for the same input. Raises Rejected for what cannot be carried."""

    def auth(self, key: str, upstream: Upstream) -> Mapping[str, str]:
        """Headers that carry the key."""

    def whole(self, body: bytes, reading: Reading, headers: Mapping[str, str]) -> list[Event]:
        """The events of a whole 2xx answer (the last may be Failed: an error inside a 200). Raises Malformed."""

    def decoder(self, reading: Reading) -> StreamDecoder:
        """A decoder for one stream."""

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        """The failure that a non-2xx answer means. Header names are lower case. Never raises."""

    def count_tokens(self, request: Request, upstream: Upstream) -> Outgoing | None:
        """The native request that counts the prompt's tokens; None where the API has none."""

    def counted(self, body: bytes) -> int:
        """Tokens from the answer to `count_tokens`. Raises Malformed."""


@runtime_checkable
class Mends(Protocol):
    """An API with documented refusals that a changed request answers."""

    def mended(self, request: Request, upstream: Upstream, failure: Failure) -> Request | None:
        """The request changed as the API documents for this refusal (reasoning it cannot verify left out, a field it
        does not know dropped), to be tried once more at once; None where there is nothing to mend."""


@runtime_checkable
class Continues(Protocol):
    """An API that pauses an answer, to be asked on for the rest of it."""

    def continued(self, outgoing: Outgoing, piece: Answer) -> Outgoing | None:
        """The request for what follows `piece`, the answer to `outgoing` in wire names; None where that is all."""


# --- towards clients ---------------------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Call:
    """What surrounds a client's body: the model and stream switch where the path says them (Gemini), headers, query.

    Header names are lower case. `now` is in seconds since 1970. `kept`: what `Keeps.kept` gave of the response that the
    request continues.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    stream: bool | None = None
    kept: Json = None
    new_id: IdSource = lambda n: "0" * n
    now: int = 0


@dataclass(slots=True, frozen=True)
class Incoming:
    """A decoded client request: the neutral request and what the dialect's own answer needs beside it.

    `warnings` name what the dialect itself left out.
    """

    request: Request
    reply: Any
    warnings: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class ErrorAnswer:
    """An error in a dialect's envelope. Headers beside `content-type`, `x-request-id` and `x-toolwire-*`."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, frozen=True)
class Quota:
    """A client's requests per minute: at most `limit`, of which `remaining` are left; `seconds` until all are."""

    limit: int
    remaining: int
    seconds: float


class StreamEncoder(Protocol):
    """Writes one streamed answer. Nothing is written before the first `feed`."""

    def feed(self, events: Iterable[Event]) -> bytes:
        """Bytes for these events, b"" for none. After Finish the end (usage, terminal events) waits for `close`."""

    def close(self) -> bytes:
        """The clean end; call once after the upstream ended and Finish was fed."""

    def fail(self, failure: Failure, attempts: tuple[Attempt, ...]) -> bytes:
        """The dialect's error event and whatever must follow it; never a clean end. Also before any event was fed."""

    def ping(self) -> bytes:
        """A sign of life that the dialect's clients accept between events, b"" where there is none."""


class Dialect(Protocol):
    """The server half of a format."""

    name: str
    api: str

    def decode(self, body: Json, call: Call) -> Incoming:
        """The neutral request. Raises Rejected with the field's path for what is wrong with it."""

    def answer(self, answer: Answer, reply: Any) -> bytes:
        """A whole answer's body. Raises Malformed where the dialect cannot express the answer's calls."""

    def encoder(self, reply: Any) -> StreamEncoder:
        """An encoder for one stream."""

    def content_type(self, reply: Any) -> str:
        """Of a stream."""

    def error(self, failure: Failure, attempts: tuple[Attempt, ...], request_id: str) -> ErrorAnswer:
        """An error before anything else was sent."""

    def quota(self, quota: Quota, now: float) -> tuple[tuple[str, str], ...]:
        """Headers that tell the client its quota, on answers and errors alike. `now` is in seconds since 1970."""


@runtime_checkable
class Keeps(Protocol):
    """A dialect whose clients continue, fetch and delete answers that the server kept."""

    def previous(self, body: Json) -> str | None:
        """The id of the kept answer that a request continues."""

    def kept(self, reply: Any, whole: bytes) -> tuple[str, bytes] | None:
        """Id and entry of an answer (`whole`: its body) that the client wants kept; None where it does not."""

    def shown(self, entry: Json) -> bytes:
        """The answer to a fetch."""

    def deleted(self, id: str) -> bytes:
        """The answer to a deletion."""


@runtime_checkable
class Lists(Protocol):
    """A dialect whose clients ask which models there are. `now` is in seconds since 1970."""

    def models(self, names: Sequence[str], now: int, /) -> bytes:
        """The model list, on one page."""

    def model(self, name: str, now: int, /) -> bytes:
        """One entry of it."""


@runtime_checkable
class Counts(Protocol):
    """A dialect whose clients ask for the tokens of a prompt."""

    def decode_count(self, body: Json, call: Call) -> Incoming:
        """The neutral request of such a question. Raises Rejected."""

    def counted(self, tokens: int) -> bytes:
        """The answer to it."""
