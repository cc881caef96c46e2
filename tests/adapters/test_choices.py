"""Several choices of one answer on their way back, and what a request asks of other APIs."""

import pytest

from adapters.errors import Rejected
from adapters.events import CallDelta, CallStart, Choice, Event, Finish, PartEnd, TextDelta
from adapters.format import Reading, Upstream
from adapters.history import HistoryRules
from adapters.model import Message, Request, Text
from adapters.prepare import Rules, prepare
from adapters.restore import Restorer
from adapters.tools.ids import CHAT
from adapters.tools.names import OPENAI
from adapters.tools.schema import untouched

RULES = Rules("openai-chat", OPENAI, CHAT, HistoryRules(), lambda tool, upstream: untouched(tool.schema), frozenset())
ASK = Request("m", (Message("user", (Text("hi"),)),))


def test_the_finish_of_each_choice_follows_its_own_calls() -> None:
    events: list[Event] = [
        CallStart(0, "call_1", "f"),
        CallDelta(0, "{}"),
        Choice(1),
        TextDelta(1, "a"),
        Choice(0),
        PartEnd(0),
        Finish("stop"),
        Choice(1),
        PartEnd(1),
        Finish("tool_calls"),
    ]
    finishes = [e.reason for e in Restorer(Reading("m"), CHAT, str).feed(events) if isinstance(e, Finish)]
    assert finishes == ["tool_calls", "stop"]


def test_fields_of_other_apis_are_named() -> None:
    extras = {"openai-chat": {"a": 1}, "google-gemini": {"safetySettings": [], "b": 2}}
    request = Request("m", ASK.messages, extras=extras)
    assert prepare(request, Upstream("m"), RULES).warnings == (
        "safetySettings: left out, openai-chat has no such field",
        "b: left out, openai-chat has no such field",
    )


def test_an_answer_that_the_api_cannot_give_is_refused() -> None:
    request = Request("m", ASK.messages, modalities=("audio",))
    with pytest.raises(Rejected, match="openai-chat cannot answer with audio here") as caught:
        prepare(request, Upstream("m"), RULES)
    assert caught.value.failure.param == "modalities"
