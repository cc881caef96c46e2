"""What one client made no other can read, continue, delete, restore or guess, whatever the clients are called."""

import asyncio

import pytest

from adapters.formats.openai_responses.dialect import DIALECT
from adapters.model import Answer, Message, Reasoning, Request, ToolCall
from proxy.state.kept import drop, entry, keep
from proxy.state.makers import named, note
from proxy.state.memory import MemoryStore
from proxy.state.owner import owner
from proxy.state.reasoning import remember, restored

OWNERS = [None, "a", "b", "", "open", "a:b", "client:a", "1:a", "a:1:b", "x:p/m"]
BLOCK = Reasoning("hm", "openai-responses", data="sealed")
CALL = ToolCall("call_0", "f", "{}")
ORIGINS = ("p/m", "b:p/m", "x:p/m")


async def fill(store, client):
    for origin in ORIGINS:
        await remember(store, client, Answer((BLOCK, CALL)), origin, 60)
        await note(store, client, ["sealed"], origin, 60)
    await keep(store, client, DIALECT, Reply, b'{"id":"resp_1"}', 60)


class Reply:
    """What is read of a reply that is kept."""

    keep, id, items = True, "resp_1", b"[]"


@pytest.mark.parametrize("asks", OWNERS)
@pytest.mark.parametrize("made", OWNERS)
def test_nothing_crosses_client_keys(made, asks):
    """Each asks for all that it could name: the other's ids, calls and signatures, and ids that try to lead there."""

    async def play():
        store = MemoryStore(1_000_000)
        await fill(store, made)
        ids = ["resp_1", *(f"{text}resp_1" for text in ("b:", ":", "a:", "1:a:", f"{made}:", f"{owner(made)}:"))]
        kept = [await entry(store, asks, id) for id in ids]
        bare = Request("m", (Message("assistant", (CALL,)),))
        again = await restored(store, asks, bare, ORIGINS)
        signed = Request("m", (Message("assistant", (BLOCK, CALL)),))
        told, _ = await named(store, asks, signed, ORIGINS)
        dropped = [await drop(store, asks, id) for id in ids]
        return any(kept), again is not bare, told is not signed, any(dropped)

    assert asyncio.run(play()) == ((made == asks),) * 4
