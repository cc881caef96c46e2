"""The attempt loop against a simple model: any chain, any script of upstream outcomes, in virtual time.

The upstream is a scripted transport: it stands for the network. Time jumps to the next timer, so waits cost nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import compat, registry
from adapters.errors import DEFAULT_ON_ERRORS, Failure, Rejected
from adapters.events import Failed, fold
from adapters.format import Upstream
from adapters.model import Media, Message, Request, Text, Tool, ToolChoice, ToolResult
from proxy.config.model import Retry, Timeouts
from proxy.engine.decide import matches
from proxy.engine.health import Circuits
from proxy.engine.plan import Candidate, Destination, Plan
from proxy.engine.run import Job, Lost, Streaming, Tools, Whole, run
from proxy.upstream.transport import Broken, Site


class Instant(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer as soon as nothing else can run."""

    def __init__(self):
        super().__init__()
        self._now = 0.0

    def time(self):
        return self._now

    def _run_once(self):
        waiting = [timer.when() for timer in self._scheduled if not timer.cancelled()]
        if not self._ready and waiting:
            self._now = max(self._now, min(waiting))
        super()._run_once()


WHOLE = (
    '{{"id":"x","object":"chat.completion","choices":[{{"index":0,"finish_reason":"stop",'
    '"message":{{"role":"assistant","content":"{}"}}}}]}}'
)
CHUNK = 'data: {{"id":"x","choices":[{{"index":0,"delta":{{"content":"{}"}}}}]}}\n\n'
END = 'data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@dataclass
class Answer:
    """A response of scripted pieces: bytes, or an exception to raise, or seconds to wait."""

    status: int
    headers: dict
    pieces: list
    closed: bool = False

    async def read(self):
        while self.pieces:
            piece = self.pieces.pop(0)
            if isinstance(piece, float):
                await asyncio.sleep(piece)
            elif isinstance(piece, Exception):
                raise piece
            else:
                return piece.encode()
        return b""

    async def body(self, limit):
        return b"".join([piece async for piece in self._all()])

    async def _all(self):
        while piece := await self.read():
            yield piece

    def close(self):
        self.closed = True


def outcome(word, name, stream):
    """What the upstream `name` does for a word of the script."""
    reset = Broken(Failure("connection_error", "reset"))
    head = {"content-type": "text/event-stream" if stream else "application/json"}
    good = [CHUNK.format(name), END] if stream else [WHOLE.format(name)]
    match word:
        case "ok":
            return Answer(200, head, good)
        case "slow":
            return Answer(200, head, [3.0, *good])
        case "never":
            return Answer(200, head, [1e6])
        case "slow-500":
            return Answer(500, head, [3.0, '{"error":{"message":"m","type":"t","code":null}}'])
        case "empty":
            return Answer(200, head, [END] if stream else [WHOLE.format("")])
        case "cut":
            return Answer(200, head, [reset])
        case "late-cut" if stream:
            return Answer(200, head, [CHUNK.format(name), 0.5, reset])
        case "refused" | "late-cut":
            return reset
        case str() as status:
            headers = {"retry-after": "2"} if status == "429" else {}
            return Answer(int(status), headers, ['{"error":{"message":"m","type":"t","code":null}}'])


@dataclass
class Network:
    """Plays the script, call by call; `calls` is what was asked, and when."""

    script: list
    stream: bool
    clock: object
    calls: list = field(default_factory=list)
    opened: list = field(default_factory=list)

    async def open(self, site, method, url, headers, body):
        name = url.removeprefix("http://").partition("/")[0]
        self.calls.append((name, headers.get("authorization"), self.clock()))
        result = outcome(self.script[(len(self.calls) - 1) % len(self.script)], name, self.stream)
        if isinstance(result, Exception):
            raise result
        self.opened.append(result)
        return result

    async def aclose(self):
        pass


API = registry.api("openai-chat")
FLAGS = compat.defaults("openai-chat")


class Mending:
    """The API with a way to mend refused requests: `mend` makes the changed one."""

    def __init__(self, mend):
        self.mended = lambda request, upstream, failure: mend(request)

    def __getattr__(self, name):
        return getattr(API, name)


class Refusing:
    """The API, where it cannot carry the request."""

    def encode(self, request, upstream):
        raise Rejected("no", "messages")

    def __getattr__(self, name):
        return getattr(API, name)


def destination(name, keys, network, lacks=(), api=API):
    return Destination(
        name=f"{name}/m",
        provider=name,
        label="m",
        api=api,
        upstream=Upstream("m", name, FLAGS),
        base=f"http://{name}",
        keys=tuple(f"{name}-key{n}" for n in range(keys)),
        headers={},
        query={},
        timeouts=Timeouts(10, 20, 20, 30),
        site=Site(name, 10, 20),
        transport=network,
        lacks=frozenset(lacks),
    )


HI = Request("r", (Message("user", (Text("hi"),)),))


def play(
    script, chain, attempts=2, deadline=60.0, stream=False, circuits=None, rounds=1, asked=HI, facts=None, api=API,
    apis=None,
):
    """Runs the loop (several times with the same circuits); the last result, the network, events of a stream, job.

    `facts`: target -> (what it lacks, its context window).
    """
    loop = Instant()
    known = facts or {}

    async def one(shared):
        network = Network(list(script), stream, loop.time)
        candidates = tuple(
            Candidate(
                destination(name, keys, network, known.get(name, ((), None))[0], (apis or {}).get(name, api)),
                on,
                known.get(name, ((), None))[1],
            )
            for name, keys, on in chain
        )
        plan = Plan("r", candidates, Retry(attempts, 0.25, 8.0), deadline, "off", False, False, {}, {})
        moves = []
        tools = Tools(
            shared,
            loop.time,
            lambda: 1.0,
            lambda n: "i" * n,
            lambda *_: None,
            lambda job, a, b, failure: moves.append((a.name, b.name, failure.type)),
        )
        job = Job(replace(asked, stream=stream), plan, stream, loop.time())
        result = await run(job, tools)
        events = []
        if isinstance(result, Streaming):
            events += result.first
            while result.live is not None and (more := await result.live.read()) is not None:
                events += more
            if result.live is not None:
                result.live.close()
        return result, network, events, job, moves, loop.time() - job.started

    async def many():
        shared = circuits or Circuits()
        for _ in range(rounds):
            last = await one(shared)
        return last

    try:
        return loop.run_until_complete(many())
    finally:
        loop.close()


def in_rule_order(asked, failures, fit):
    """Each target is the first of those that can take the request whose rules name the failure before it."""
    at = 0
    assert asked[0] == fit[0][0]
    for name, failure in zip(asked[1:], failures, strict=False):
        if name != fit[at][0]:
            at = next(n for n, (_, on) in enumerate(fit) if n > at and matches(on, failure))
            assert name == fit[at][0]


WORDS = ["ok", "slow", "never", "empty", "cut", "late-cut", "refused", "429", "500", "503", "401", "400", "402", "404"]
RULES = st.sampled_from(
    [DEFAULT_ON_ERRORS, ("all",), ("rate_limit_error",), ("5xx", "timeout_error"), ("content_filter",)]
)
CHAINS = st.lists(st.tuples(st.integers(1, 2), RULES), min_size=1, max_size=3).map(
    lambda rows: [(f"t{n}", keys, on) for n, (keys, on) in enumerate(rows)]
)


@settings(max_examples=200)
@given(
    script=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    chain=CHAINS,
    attempts=st.integers(1, 3),
    stream=st.booleans(),
    deadline=st.sampled_from([5.0, 60.0]),
    rounds=st.integers(1, 3),
    lacking=st.sets(st.sampled_from(["t0", "t1", "t2"]), max_size=2),
)
def test_always_one_answer_or_one_error_within_bounds(script, chain, attempts, stream, deadline, rounds, lacking):
    facts = {name: (("tools",), None) for name in lacking}
    result, network, events, job, _, _ = play(
        script, chain, attempts, deadline, stream, rounds=rounds, asked=WITH_TOOL, facts=facts
    )
    started = job.started
    fit = [(name, on) for name, _, on in chain if name not in lacking]
    if not fit:
        assert network.calls == [] and result.failure.type == "invalid_request_error"
        return
    assert lacking.isdisjoint(name for name, _, _ in network.calls)
    if not job.skipped:
        in_rule_order([name for name, _, _ in network.calls], job.failures, fit)
    assert isinstance(result, Whole | Streaming | Lost)
    most = sum(attempts * keys for _, keys, _ in chain)
    assert 1 <= len(network.calls) <= most
    assert all(at - started <= deadline for _, _, at in network.calls)
    assert all(answer.closed for answer in network.opened[:-1]), "a failed attempt lets go of its upstream"
    assert len(job.attempts) == len(network.calls)
    asked = [name for name, _, _ in network.calls]
    if isinstance(result, Whole):
        assert [part.text for part in result.answer.parts] == [asked[-1]]
    elif isinstance(result, Streaming):
        failed = [event for event in events if isinstance(event, Failed)]
        told = fold(event for event in events if not isinstance(event, Failed))
        assert [part.text for part in told.parts] == [asked[-1]], "content of the winner alone"
        assert len(failed) <= 1
    else:
        assert result.failure.type == job.failures[0].type, "the first attempt's error"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "script, chain, asked, outcome_type",
    [
        (["ok"], [("a", 1, ())], ["a"], "ok"),
        (["503", "ok"], [("a", 1, ())], ["a", "a"], "ok"),
        (["400", "ok"], [("a", 1, ()), ("b", 1, DEFAULT_ON_ERRORS)], ["a"], "invalid_request_error"),
        (["400", "ok"], [("a", 1, ()), ("b", 1, ("all",))], ["a", "b"], "ok"),
        (["429", "ok"], [("a", 2, ())], ["a", "a"], "ok"),
        (["401", "401", "ok"], [("a", 2, ()), ("b", 1, DEFAULT_ON_ERRORS)], ["a", "a", "b"], "ok"),
        (
            ["503", "503", "ok"],
            [("a", 1, ()), ("b", 1, ("rate_limit_error",)), ("c", 1, ("5xx",))],
            ["a", "a", "c"],
            "ok",
        ),
        (["empty", "ok"], [("a", 1, ())], ["a", "a"], "ok"),
        (["cut", "refused", "ok"], [("a", 1, ()), ("b", 1, DEFAULT_ON_ERRORS)], ["a", "a", "b"], "ok"),
        (["429", "429", "503", "500"], [("a", 1, ()), ("b", 1, ("all",))], ["a", "a", "b", "b"], "rate_limit_error"),
    ],
)
def test_walks(script, chain, asked, outcome_type, stream):
    result, network, _, job, _, _ = play(script, chain, stream=stream)
    assert [name for name, _, _ in network.calls] == asked
    assert job.attempts[-1].type == "ok" if outcome_type == "ok" else result.failure.type == outcome_type


def test_the_next_key_is_asked_at_once_and_a_retry_waits_for_retry_after():
    _, network, _, _, _, _ = play(["429", "ok"], [("a", 2, ())])
    assert [(key, at) for _, key, at in network.calls] == [("Bearer a-key0", 0.0), ("Bearer a-key1", 0.0)]
    _, network, _, _, _, _ = play(["429", "ok"], [("a", 1, ())])
    assert [at for _, _, at in network.calls] == [0.0, 2.0]


def test_one_deadline_for_the_whole_chain():
    result, network, _, _, _, seconds = play(["never"], [("a", 1, ()), ("b", 1, ("all",))], deadline=25.0)
    assert isinstance(result, Lost) and result.failure.type == "timeout_error"
    assert seconds == 25.0 and [name for name, _, _ in network.calls] == ["a"]
    result, network, _, _, _, seconds = play(
        ["never"], [("a", 1, ()), ("b", 1, ("all",))], 1, deadline=50.0, stream=True
    )
    assert [(name, at) for name, _, at in network.calls] == [("a", 0.0), ("b", 20.0)] and seconds == 40.0


def test_an_open_circuit_is_skipped_and_asked_last_once():
    chain = [("a", 1, ()), ("b", 1, ("all",))]
    circuits = Circuits()
    play(["500"], [chain[0]], attempts=3, circuits=circuits, rounds=2)
    _, network, _, _, moves, _ = play(["ok"], chain, circuits=circuits)
    assert [name for name, _, _ in network.calls] == ["b"] and moves == [("a/m", "b/m", "api_error")]
    circuits = Circuits()
    play(["500"], [chain[0]], attempts=3, circuits=circuits, rounds=2)
    result, network, _, _, _, _ = play(["500", "500", "ok"], chain, circuits=circuits)
    assert [name for name, _, _ in network.calls] == ["b", "b", "a"] and isinstance(result, Whole)


def test_the_soonest_retry_after_of_the_chain():
    result, *_ = play(["429", "429", "503", "503"], [("a", 1, ()), ("b", 1, ("all",))])
    assert result.failure.type == "rate_limit_error" and result.failure.retry_after == 2


def test_a_break_after_content_keeps_what_was_said_and_is_told():
    _, network, events, _, _, _ = play(["late-cut", "ok"], [("a", 1, ()), ("b", 1, ("all",))], stream=True)
    assert [name for name, _, _ in network.calls] == ["a"]
    assert isinstance(events[-1], Failed) and events[-1].failure.type == "stream_interrupted"


WITH_TOOL = replace(HI, tools=(Tool("f"),))
SEEN = Media("image", mime="image/png", data="AAAA")
LONG = Request("r", (Message("user", (Text("x" * 9000),)),))
WITH_IMAGE = Request("r", (Message("user", (SEEN,)),))
WITH_RESULT_IMAGE = Request("r", (Message("tool", (ToolResult("c", (SEEN,)),)),))
CHAIN = [("a", 1, ()), ("b", 1, ("rate_limit_error",))]


@pytest.mark.parametrize(
    "request_, facts, asked, failure",
    [
        (LONG, {"a": ((), 1000)}, ["b"], None),
        (HI, {"a": ((), 1000)}, ["a"], None),
        (LONG, {"a": ((), 1000), "b": ((), 500)}, [], "context_length_exceeded"),
        (WITH_IMAGE, {"a": (("images",), None)}, ["b"], None),
        (WITH_RESULT_IMAGE, {"a": (("images",), None)}, ["b"], None),
        (WITH_TOOL, {"a": (("tools",), None)}, ["b"], None),
        (HI, {"a": (("tools", "images"), None)}, ["a"], None),
        (WITH_TOOL, {"a": (("tools",), None), "b": (("tools",), None)}, [], "invalid_request_error"),
    ],
)
def test_a_target_that_cannot_take_the_request_is_skipped_unasked(request_, facts, asked, failure):
    result, network, *_ = play(["ok"], CHAIN, asked=request_, facts=facts)
    assert [name for name, _, _ in network.calls] == asked
    assert isinstance(result, Whole) if failure is None else result.failure.type == failure


THREE = [("a", 1, ()), ("b", 1, ("rate_limit_error",)), ("c", 1, ("content_filter",)), ("d", 1, ("all",))]


@pytest.mark.parametrize(
    "script, lacking, asked, moves",
    [
        (["429"], ["b"], ["a", "d"], [("a/m", "d/m", "rate_limit_error")]),
        (["500"], ["b", "d"], ["a"], []),
        (["429"], ["a"], ["b", "d"], [("b/m", "d/m", "rate_limit_error")]),
        (["500"], ["a"], ["b", "d"], [("b/m", "d/m", "api_error")]),
        (["429"], ["a", "b", "d"], ["c"], []),
    ],
)
def test_a_target_that_is_skipped_leaves_the_last_failure_to_the_next(script, lacking, asked, moves):
    """The very next target stands in only where nothing has failed yet."""
    facts = {name: (("tools",), None) for name in lacking}
    _, network, _, _, told, _ = play(script, THREE, attempts=1, asked=WITH_TOOL, facts=facts)
    assert [name for name, _, _ in network.calls] == asked and told == moves


def test_a_target_that_cannot_carry_the_request_is_no_failure():
    """Its rejection is given only where nothing was asked, or is left to be asked."""
    chain = [("a", 1, ()), ("b", 1, ("all",)), ("c", 1, ("5xx",))]
    apis = {"b": Refusing()}
    result, network, *_ = play(["500"], chain, attempts=1, apis=apis)
    assert [name for name, _, _ in network.calls] == ["a", "c"] and result.failure.type == "api_error"
    circuits = Circuits()
    play(["500"], chain[:1], attempts=3, circuits=circuits, rounds=2)
    result, network, *_ = play(["ok"], chain[:2], circuits=circuits, apis=apis)
    assert [name for name, _, _ in network.calls] == ["a"] and isinstance(result, Whole)
    with pytest.raises(Rejected):
        play(["ok"], [chain[1], chain[2]], apis=apis)


def test_open_keys_are_skipped():
    """Also where the last that is left fails: they are asked only where no target has another."""
    circuits, chain = Circuits(), [("a", 3, ()), ("b", 1, ("all",))]
    for key in (0, 1):
        circuits.told("a/m", key, Failure("rate_limit_error", "", 429, retry_after=200), 0.0)
    _, network, *_ = play(["429", "429", "ok"], chain, circuits=circuits)
    assert [key for _, key, _ in network.calls] == ["Bearer a-key2", "Bearer a-key2", "Bearer b-key0"]
    circuits.told("a/m", 2, Failure("rate_limit_error", "", 429, retry_after=100), 0.0)
    result, network, _, job, *_ = play(["500", "500", "429"], chain, circuits=circuits)
    assert [key for _, key, _ in network.calls] == ["Bearer b-key0", "Bearer b-key0", "Bearer a-key2"]
    assert job.skipped == ["a/m: rate_limit_error"] and result.failure.type == "api_error"


@pytest.mark.parametrize("left, asked", [(0.0, ["a"]), (0.009, ["a"]), (0.011, ["a", "b"])])
def test_nothing_is_started_in_the_last_moment_of_the_deadline(left, asked):
    chain = [("a", 1, ()), ("b", 1, ("all",))]
    _, network, _, job, moves, _ = play(["slow-500"], chain, attempts=1, deadline=3.0 + left)
    assert [name for name, _, _ in network.calls] == asked
    assert len(job.attempts) == len(asked) == len(moves) + 1


SOUND = replace(HI, messages=(Message("user", (Text("mended"),)),))
CANNOT = replace(HI, tool_choice=ToolChoice("required"))


@pytest.mark.parametrize(
    "script, mend, deadline, asked",
    [
        (["400", "ok"], lambda request: SOUND, 60.0, ["a", "a"]),
        (["400", "400", "ok"], lambda request: SOUND, 60.0, ["a", "a", "b"]),
        (["400", "ok"], lambda request: None, 60.0, ["a", "b"]),
        (["400", "ok"], lambda request: CANNOT, 60.0, ["a", "b"]),
        (["never"], lambda request: SOUND, 5.0, ["a"]),
    ],
)
def test_a_refused_request_is_mended_once_within_the_deadline(script, mend, deadline, asked):
    """A mended request that cannot be carried after all moves the chain on; nothing starts after the deadline."""
    chain = [("a", 1, ()), ("b", 1, ("all",))]
    _, network, *_ = play(script, chain, deadline=deadline, api=Mending(mend))
    assert [name for name, _, _ in network.calls] == asked
