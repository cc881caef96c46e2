"""Arguments arrive byte for byte, and go back into the history as they came."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest

from proxy.emulate import Emulation
from tests.contract.chats import WAYS, Way, whole


def tool(name: str, properties: dict[str, Any]) -> Any:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


EXACT = [
    # 2^53 + 1, 2^63 - 1, 2^64, beyond; in the tool's own order, which no alphabet has.
    (
        {
            "zeta": {"const": 9007199254740993},
            "alpha": {"const": 9223372036854775807},
            "mid": {"const": 18446744073709551616},
            "beta": {"const": -123456789012345678901234567890},
        },
        '{"zeta":9007199254740993,"alpha":9223372036854775807,"mid":18446744073709551616,'
        '"beta":-123456789012345678901234567890}',
    ),
    (
        {
            "grosse": {"const": "東京 — São Paulo 🌧️"},
            "quotes": {"const": 'a "b" \\ / \n\t\u2028 \u0001'},
            "html": {"const": "</script>&amp;"},
        },
        '{"grosse":"東京 — São Paulo 🌧️","quotes":"a \\"b\\" \\\\ / \\n\\t\u2028 \\u0001","html":"</script>&amp;"}',
    ),
    (
        {
            "tiny": {"const": 1e-7},
            "half": {"const": 0.5},
            "nothing": {"const": None},
            "deep": {"const": {"b": [1, [2, {"a": False}]], "a": {}}},
        },
        '{"tiny":1e-07,"half":0.5,"nothing":null,"deep":{"b":[1,[2,{"a":false}]],"a":{}}}',
    ),
    ({}, "{}"),
]


def asked(client: openai.OpenAI, way: Way, model: str, tools: list[Any]) -> Any:
    messages: Any = [{"role": "user", "content": "call 1"}]
    first = way(client, model=model, messages=messages, tools=tools)
    ((id, name, arguments),) = first.calls
    result: Any = {"role": "tool", "tool_call_id": id, "content": "done"}
    way(client, model=model, messages=[*messages, first.message, result], tools=tools)
    return name, arguments


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(("properties", "text"), EXACT, ids=["integers", "characters", "kinds", "empty"])
def test_same_api(chat: openai.OpenAI, emulated: Emulation, way: Way, properties: Any, text: str) -> None:
    assert asked(chat, way, "openai-chat/agent", [tool("exact", properties)]) == ("exact", text)
    ((call,),) = [m["tool_calls"] for m in emulated.requests[-1].body["messages"] if m["role"] == "assistant"]
    assert call["function"]["arguments"] == text


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(("properties", "text"), EXACT, ids=["integers", "characters", "kinds", "empty"])
def test_other_api(chat: openai.OpenAI, emulated: Emulation, way: Way, properties: Any, text: str) -> None:
    """Where calls hold objects: the same values in the same order, whatever the spelling."""
    name, arguments = asked(chat, way, "anthropic-messages/agent", [tool("exact", properties)])
    assert (name, pairs(arguments)) == ("exact", pairs(text))
    sent = json.loads(emulated.requests[-1].raw, object_pairs_hook=list)
    (blocks,) = [dict(m)["content"] for m in dict(sent)["messages"] if dict(m)["role"] == "assistant"]
    (call,) = [dict(block) for block in blocks if dict(block)["type"] == "tool_use"]
    assert call["input"] == pairs(text)


def pairs(text: str) -> Any:
    return json.loads(text, object_pairs_hook=list)


MEMBERS = {"größe": {"const": 1}, "日付": {"const": 2}, "a b": {"const": 3}, "x" * 80: {"const": 4}, "": {"const": 5}}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_member_names(chat: openai.OpenAI, api: str, way: Way) -> None:
    """Names of members come back as the client's schema has them, where an upstream forbids some too."""
    _, arguments = asked(chat, way, f"{api}/agent", [tool("members", MEMBERS)])
    assert pairs(arguments) == [(name, one["const"]) for name, one in MEMBERS.items()]


NAMES = [
    "get_weather",
    "a" * 64,
    "weather.lookup.v2",
    "mcp__server__" + "long_" * 20,
    "größe",
    "東京 天気",
    "with space",
    "files/read:v1",
    "7up",
    "-dash",
    "🌧️",
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_tool_names(chat: openai.OpenAI, api: str, way: Way) -> None:
    """Every name that the client chose comes back as it is, whatever the upstream allows."""
    tools = [tool(name, {"n": {"const": number}}) for number, name in enumerate(NAMES)]
    messages: Any = [{"role": "user", "content": f"call {len(NAMES)}"}]
    first = way(chat, model=f"{api}/agent", messages=messages, tools=tools)
    assert {name: json.loads(text)["n"] for _, name, text in first.calls} == {n: i for i, n in enumerate(NAMES)}
    results = [{"role": "tool", "tool_call_id": id, "content": name} for id, name, _ in first.calls]
    history = [*messages, first.message, *results]
    again = way(chat, model=f"{api}/agent", messages=history, tools=tools)
    assert again.text.count("\n") == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_named_tool_is_called(chat: openai.OpenAI, api: str, name: str) -> None:
    said = whole(
        chat,
        model=f"{api}/agent",
        messages=[{"role": "user", "content": "hi"}],
        tools=[tool(one, {}) for one in NAMES],
        tool_choice={"type": "function", "function": {"name": name}},
        parallel_tool_calls=False,
    )
    assert [called for _, called, _ in said.calls] == [name]


def test_the_same_request_gives_the_same_bytes(chat: openai.OpenAI, emulated: Emulation, model: str) -> None:
    """So that a provider's prompt cache hits."""
    tools = [tool(name, {"n": {"const": number}}) for number, name in enumerate(NAMES)]
    for way in (whole, whole, *WAYS[1:], *WAYS[1:]):
        asked(chat, way, model, tools)
    sent = [received.raw for received in emulated.requests]
    assert len(sent) == 12
    for turn in (0, 1):
        assert sent[turn] == sent[turn + 2]
        assert sent[turn + 4] == sent[turn + 8]
        assert sent[turn + 6] == sent[turn + 10]


def test_tools_in_another_order_give_the_same_bytes(chat: openai.OpenAI, emulated: Emulation, api: str) -> None:
    tools = [tool(name, {}) for name in NAMES]
    for some in (tools, tools[::-1], tools[3:] + tools[:3]):
        whole(chat, model=f"{api}/agent", messages=[{"role": "user", "content": "hi"}], tools=some)
    kept = api == "cohere-chat"  # no prompt cache to keep: the client's order stays
    assert len({received.raw for received in emulated.requests}) == (3 if kept else 1)
