"""Kept calls and the loop's limits, in virtual time: what a call that is not given out yet may cost."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from adapters.errors import DEFAULT_ON_ERRORS
from adapters.events import Failed, fold
from adapters.model import Message, Request, Text, Tool, ToolCall
from proxy.config.model import Retry
from proxy.engine.health import Circuits
from proxy.engine.plan import Candidate, Plan
from proxy.engine.run import Job, Lost, Streaming, Tools, Whole, run
from tests.proxy.engine.test_run import Answer, Instant, destination

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
REQUEST = Request("r", (Message("user", (Text("go"),)),), tools=(Tool("f", schema=SCHEMA), Tool("g", schema=SCHEMA)))


def chunk(finish=None, **delta):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'id': 'x', 'choices': [choice]})}\n\n"


def begun(name="f", index=0):
    call = {"index": index, "id": f"c{index}", "type": "function", "function": {"name": name, "arguments": ""}}
    return chunk(tool_calls=[call])


def more(text, index=0):
    return chunk(tool_calls=[{"index": index, "function": {"arguments": text}}])


END = [chunk("tool_calls"), "data: [DONE]\n\n"]
LIMITED = ["429"]
CUT = [chunk("length"), "data: [DONE]\n\n"]


def whole(pieces):
    """The same answer in one body."""
    choices = [json.loads(piece[6:])["choices"][0] for piece in pieces if piece.startswith("data: {")]
    calls = {}
    for entry in (entry for choice in choices for entry in choice["delta"].get("tool_calls", ())):
        call = calls.setdefault(entry["index"], {**entry, "function": {"name": "", "arguments": ""}})
        for key, text in entry["function"].items():
            call["function"][key] += text
    message = {"role": "assistant", "content": None, "tool_calls": list(calls.values())}
    choice = {"index": 0, "message": message, "finish_reason": choices[-1]["finish_reason"]}
    return [json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]})]


class Network:
    """Each request is answered by the next list of pieces (text, or seconds to wait), or with 429."""

    def __init__(self, answers, stream, clock):
        self.kind = "text/event-stream" if stream else "application/json"
        self.answers = [list(pieces) if stream or pieces == LIMITED else whole(pieces) for pieces in answers]
        self.clock = clock
        self.calls = []
        self.bodies = []
        self.opened = []

    async def open(self, site, method, url, headers, body):
        self.calls.append((url.removeprefix("http://").partition("/")[0], self.clock()))
        self.bodies.append(json.loads(body))
        pieces = self.answers.pop(0)
        limited = pieces == LIMITED
        answer = Answer(429 if limited else 200, {"content-type": self.kind}, [] if limited else pieces)
        self.opened.append(answer)
        return answer

    async def aclose(self):
        pass


class Played:
    """The loop over targets a and b, whose timeouts are: first content 20, total 30 seconds."""

    def __init__(
        self, answers, mode="fallback", hint=False, attempts=1, deadline=60.0, stream=True, commit=False, keys=1
    ):
        self.told = []
        self.keys = keys
        self.times = []
        loop = Instant()
        try:
            loop.run_until_complete(self._play(loop, answers, (mode, hint, attempts, deadline, commit), stream))
        finally:
            loop.close()

    async def _play(self, loop, answers, settings, stream):
        mode, hint, attempts, deadline, commit = settings
        self.network = Network(answers, stream, loop.time)
        chain = tuple(
            Candidate(destination(name, self.keys, self.network), on)
            for name, on in (("a", ()), ("b", DEFAULT_ON_ERRORS))
        )
        plan = Plan("r", chain, Retry(attempts, 0.25, 8.0), deadline, mode, hint, commit, {}, {})
        tools = Tools(
            Circuits(), loop.time, lambda: 1.0, lambda n: "i" * n, lambda *told: self.told.append(told), lambda *_: None
        )
        self.job = Job(replace(REQUEST, stream=stream), plan, stream, loop.time())
        self.result = await run(self.job, tools)
        self.events = []
        if isinstance(self.result, Streaming):
            self.times.append(loop.time())
            self.events += self.result.first
            while (more := await self.result.live.read()) is not None:
                self.events += more
            self.result.live.close()

    @property
    def asked(self):
        return [name for name, _ in self.network.calls]

    @property
    def calls(self):
        answer = self.result.answer if isinstance(self.result, Whole) else fold(self.events)
        return [(part.name, part.arguments) for part in answer.parts if isinstance(part, ToolCall)]


GOOD = [begun(), more('{"a"'), more(":1}"), *END]
BAD = [begun(), more('{"a":"x"}'), *END]


def test_a_kept_call_meets_first_content_with_its_first_piece():
    """Twenty seconds to the first content; the call takes longer to be whole."""
    slow = [5.0, begun(), 10.0, more('{"a"'), 10.0, more(":1}"), *END]
    played = Played([slow])
    assert played.asked == ["a"] and played.times == [25.0] and played.calls == [("f", '{"a":1}')]
    assert Played([slow], mode="report").times == [5.0], "nothing is kept"
    late = Played([[21.0, *GOOD], GOOD])
    assert late.asked == ["a", "b"] and late.job.failures[0].type == "timeout_error"


def test_a_kept_call_meets_the_other_limits():
    never = [begun(), more('{"a"'), 1e4]
    played = Played([never, GOOD])
    assert played.network.calls == [("a", 0.0), ("b", 30.0)], "total"
    assert "within 30 seconds" in played.job.failures[0].message
    played = Played([never], deadline=25.0)
    assert isinstance(played.result, Lost) and played.result.failure.type == "timeout_error"
    assert "the deadline of the chain passed" in played.result.failure.message


@pytest.mark.parametrize("stream", [True, False])
def test_an_invalid_call_moves_the_chain_and_is_told(stream):
    played = Played([BAD, GOOD], stream=stream)
    assert played.asked == ["a", "b"] and played.calls == [("f", '{"a":1}')]
    assert played.network.opened[0].closed
    (job, to, attempt, tally), *_ = played.told
    assert (to.name, attempt.type) == ("a/m", "invalid_tool_call")
    assert tally.outcomes() == {"invalid": 1} and job.invalid_calls == ["f: schema: properties.a.type"]


def test_reasoning_commits_unless_the_route_waits_for_the_answer():
    thinking = [chunk(reasoning_content="hm"), *BAD]
    assert Played([thinking, GOOD]).asked == ["a"]
    assert Played([thinking, GOOD], commit=True).asked == ["a", "b"]


def test_one_valid_call_commits():
    """The first call is whole and goes out; the second then goes out as it came."""
    two = [begun(), more('{"a":1}'), begun("g", 1), more('{"a":"x"}', 1), *END]
    played = Played([two, GOOD])
    assert played.asked == ["a"] and played.calls == [("f", '{"a":1}'), ("g", '{"a":"x"}')]
    assert not any(isinstance(event, Failed) for event in played.events)
    assert played.result.tally.outcomes() == {"valid": 1, "invalid": 1}
    assert played.result.tally.checked.told() == ["call of g is invalid (schema: properties.a.type), left as it came"]
    whole = Played([two, GOOD], stream=False)
    assert whole.asked == ["a", "b"], "of a whole answer nothing has gone out"


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("mode", ["report", "repair", "fallback"])
def test_a_cut_call_is_an_answer(mode, stream):
    played = Played([[begun(), more('{"a":'), *CUT], GOOD], mode=mode, stream=stream)
    assert played.asked == ["a"] and played.calls == [("f", '{"a":')]
    assert played.result.tally.outcomes() == {"invalid": 1} and played.job.warnings == []


@pytest.mark.parametrize("stream", [True, False])
def test_a_hint_is_for_one_retry_of_the_same_target(stream):
    played = Played([BAD, BAD, GOOD], hint=True, attempts=2, stream=stream)
    assert played.asked == ["a", "a", "b"]
    first, second, third = (body["messages"] for body in played.network.bodies)
    assert first == third == [{"role": "user", "content": "go"}]
    assert second[0] == first[0] and [message["role"] for message in second] == ["user", "assistant", "tool"]
    assert second[1]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a":"x"}'}
    assert 'a: the value is not of type "integer"' in second[2]["content"]
    assert played.calls == [("f", '{"a":1}')]


def test_what_is_said_of_the_turns_that_a_hint_adds_is_not_told():
    """A call in a history whose arguments are no object is wrapped, with a warning; the client's request has none."""
    played = Played([[begun(), more("[1]"), *END], GOOD], hint=True, attempts=2)
    assert '"_raw' in played.network.bodies[1]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert played.calls == [("f", '{"a":1}')] and played.job.warnings == []


def test_each_hint_is_about_the_last_try():
    other = [begun("g"), more("[]"), *END]
    played = Played([BAD, other, GOOD], hint=True, attempts=3)
    assert played.asked == ["a", "a", "a"] and played.calls == [("f", '{"a":1}')]
    second, third = (body["messages"] for body in played.network.bodies[1:])
    assert len(second) == len(third) == 3
    assert (second[1]["tool_calls"][0]["function"]["name"], third[1]["tool_calls"][0]["function"]["name"]) == ("f", "g")


@pytest.mark.parametrize("stream", [True, False])
def test_the_next_key_gets_no_hint(stream):
    played = Played([BAD, LIMITED, GOOD], hint=True, attempts=2, keys=2, stream=stream)
    assert played.asked == ["a", "a", "a"] and played.calls == [("f", '{"a":1}')]
    first, second, third = (body["messages"] for body in played.network.bodies)
    assert len(second) == 3 and first == third == [{"role": "user", "content": "go"}]


def test_without_the_hint_a_retry_is_the_same_request():
    played = Played([BAD, GOOD], attempts=2)
    assert played.asked == ["a", "a"] and played.network.bodies[0] == played.network.bodies[1]


def test_a_break_before_a_kept_call_is_whole_may_still_be_replaced():
    played = Played([[begun(), more('{"a"')], GOOD])
    assert played.asked == ["a", "b"] and played.calls == [("f", '{"a":1}')]
    assert played.job.failures[0].type == "malformed_response"


@pytest.mark.parametrize("mode", ["off", "report", "repair", "fallback"])
def test_nothing_of_the_request_outlives_the_commit(mode):
    played = Played([GOOD], mode=mode)
    assert played.job.request is None and played.calls == [("f", '{"a":1}')]
    assert played.result.tally.outcomes() == ({"unchecked": 1} if mode == "off" else {"valid": 1})
