"""What a client drops comes back, to its own client and its own upstream only."""

import asyncio
from dataclasses import replace

import pytest

from adapters.model import Answer, Message, Reasoning, Request, Text, ToolCall
from proxy.state.memory import MemoryStore
from proxy.state.reasoning import remember, restored

SIGNED = Reasoning("hm", api="a", signature="s1")
REDACTED = Reasoning(api="a", data="blob")
OURS = "p/x"


def play(answer, message, client="c", asks="c", origins=(OURS,)):
    async def both():
        store = MemoryStore(100_000)
        await remember(store, client, answer, OURS, 60)
        return (await restored(store, asks, Request("m", (message,)), origins)).messages[0]

    return asyncio.run(both())


def says(*parts):
    return Message("assistant", parts)


CALL = ToolCall("call_0", "f", '{"a": 1}')
SPACED = ToolCall("call_0", "f", '{"a":1}')


def own(part):
    return Reasoning(part.text, part.api, OURS, part.id, part.signature, part.data, part.sections)


@pytest.mark.parametrize(
    "answered, returned, expected",
    [
        ((SIGNED, CALL), (CALL,), (own(SIGNED), CALL)),
        ((SIGNED, CALL), (SPACED,), (own(SIGNED), SPACED)),
        ((SIGNED, CALL), (replace(CALL, id="call_0|fc_1"),), (own(SIGNED), replace(CALL, id="call_0|fc_1"))),
        ((SIGNED, Text("t"), REDACTED, CALL), (Text("t"), CALL), (own(SIGNED), Text("t"), own(REDACTED), CALL)),
        ((SIGNED, CALL), (Reasoning("hm"), CALL), (own(SIGNED), CALL)),
        ((SIGNED, CALL), (Reasoning("hm", api="b", id="rs_1"), CALL), (own(SIGNED), CALL)),
        ((Reasoning("plain"), CALL), (CALL,), (Reasoning("plain", origin=OURS), CALL)),
        (
            (ToolCall("call_0", "f", "{}", signature="g"),),
            (ToolCall("call_0", "f", ""),),
            (ToolCall("call_0", "f", "", signature="g", origin=OURS),),
        ),
    ],
)
def test_put_back_in_place(answered, returned, expected):
    assert play(Answer(answered), says(*returned)).parts == expected


def test_what_the_client_kept_is_not_touched():
    message = says(Reasoning("kept", api="a", signature="other"), CALL)
    assert play(Answer((SIGNED, CALL)), message) == message


@pytest.mark.parametrize(
    "returned, more",
    [
        (CALL, {"asks": "another"}),
        (CALL, {"asks": None}),
        (CALL, {"client": None}),
        (CALL, {"origins": ("p/other",)}),
        (ToolCall("call_1", "f", '{"a":1}'), {}),
        (ToolCall("call_0", "g", '{"a":1}'), {}),
        (ToolCall("call_0", "f", '{"a":2}'), {}),
    ],
)
def test_nothing_crosses_clients_upstreams_or_calls(returned, more):
    assert play(Answer((SIGNED, CALL)), says(returned), **more) == says(returned)


def test_conversations_that_share_an_id_but_not_an_upstream_stay_apart():
    async def both():
        store = MemoryStore(100_000)
        await remember(store, "c", Answer((SIGNED, CALL)), "p/x", 60)
        await remember(store, "c", Answer((REDACTED, CALL)), "q/y", 60)
        found = [await restored(store, "c", Request("m", (says(CALL),)), (origin,)) for origin in ("p/x", "q/y")]
        return [request.messages[0].parts[0] for request in found]

    first, second = asyncio.run(both())
    assert first.signature == "s1" and second.data == "blob"
