"""Who made a signed block: known to its own client alone, whatever alphabet the client writes it in."""

import asyncio

import pytest

from adapters.model import Message, Reasoning, Request, Text, ToolCall, ToolResult
from proxy.state.makers import named, note, refused
from proxy.state.memory import MemoryStore

OURS, OTHERS = "p/x", "q/x"
CALL = ToolCall("c", "f", "{}", signature="YWI-_w==")


def play(part, noted=("YWI-_w==",), client="c", asks="c", origins=(OTHERS,)):
    async def both():
        store = MemoryStore(100_000)
        await note(store, client, noted, OURS, 60)
        request, _ = await named(store, asks, Request("m", (Message("assistant", (Text("t"), part)),)), origins)
        return request

    return asyncio.run(both()).messages[0].parts[1]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Reasoning("hm", "a", signature="YWI-_w=="), Reasoning("hm", "a", OURS, signature="YWI-_w==")),
        (Reasoning(api="a", data="YWI-_w=="), Reasoning(api="a", origin=OURS, data="YWI-_w==")),
        (Reasoning(api="a", data="YWI+/w"), Reasoning(api="a", origin=OURS, data="YWI+/w")),
        (CALL, ToolCall("c", "f", "{}", signature="YWI-_w==", origin=OURS)),
        (Text("t", signature="YWI-_w=="), Text("t")),
    ],
)
def test_known(part, expected):
    assert play(part) == expected


@pytest.mark.parametrize(
    "part",
    [
        Reasoning("hm", "a", signature="YWI-_x=="),
        Reasoning("hm", "a", "r/y", signature="YWI-_w=="),
        Reasoning("hm"),
        ToolCall("c", "f", "{}"),
        ToolResult("c", (Text("t"),)),
    ],
)
def test_unknown_or_said(part):
    assert play(part) is part


def test_a_text_keeps_a_signature_of_its_own_target():
    part = Text("t", signature="YWI-_w==")
    assert play(part, origins=(OTHERS, OURS)) is part


@pytest.mark.parametrize(("client", "asks"), [("c", "d"), ("c", None), (None, "c"), ("c", "client:c")])
def test_no_other_client_learns_it(client, asks):
    assert play(CALL, client=client, asks=asks) is CALL


def test_a_long_history_asks_once():
    class Counting(MemoryStore):
        asked = 0

        async def get(self, keys):
            self.asked += 1
            return await super().get(keys)

    store = Counting(100_000)
    turns = tuple(Message("assistant", (Reasoning(api="a", data=f"d{n}"),)) for n in range(50))
    asyncio.run(named(store, None, Request("m", turns), ()))
    assert store.asked == 1


def test_what_an_upstream_could_not_verify_is_not_shown_to_it_again():
    async def play():
        store = MemoryStore(100_000)
        sent = Request("m", (Message("assistant", (Reasoning("hm", "a", signature="s1"), CALL)),))
        same, unknown = await named(store, "c", sent, (OURS,))
        assert same is sent and len(unknown) == 2
        await refused(store, unknown, OURS, 60)
        marked, rest = await named(store, "c", sent, (OURS, OTHERS))
        assert [part.origin for part in marked.messages[0].parts] == [f"!{OURS}"] * 2 and rest == ()
        assert await named(store, "c", sent, (OTHERS,)) == (sent, unknown), "another may know it"
        assert (await named(store, "d", sent, (OURS,)))[0] is sent

    asyncio.run(play())
