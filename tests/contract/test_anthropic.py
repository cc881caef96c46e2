"""The official anthropic SDK as the client, over each upstream and transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Literal

import anthropic
import pytest
from anthropic.types import Message
from pydantic import BaseModel

from proxy.emulate import Emulation
from tests.serving import Served

CITY = {"enum": ["Köln", "São Paulo", "東京", "Reykjavík"]}
WEATHER: Any = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "input_schema": {
        "type": "object",
        "properties": {"city": CITY, "days": {"type": "integer", "enum": [1, 3, 9]}},
        "required": ["city", "days"],
    },
}
TIME: Any = {
    "name": "get.time",
    "input_schema": {"type": "object", "properties": {"city": CITY}, "required": ["city"]},
}
HI: Any = [{"role": "user", "content": "hi there"}]

Way = Callable[..., Message]


def whole(client: anthropic.Anthropic, **body: Any) -> Message:
    return client.messages.create(max_tokens=4000, **body)


def events(client: anthropic.Anthropic, **body: Any) -> Message:
    """`stream=True`, added up by hand; a block is open, extended, closed, one after the other."""
    message, texts = None, {}
    open_block: int | None = None
    for event in client.messages.create(max_tokens=4000, stream=True, **body):
        match event.type:
            case "message_start":
                message = event.message
            case "content_block_start":
                assert message and open_block is None and event.index == len(message.content)
                open_block, texts[event.index] = event.index, ""
                message.content.append(event.content_block)  # type: ignore[arg-type]
            case "content_block_delta":
                assert event.index == open_block
                texts[event.index] += getattr(event.delta, "partial_json", None) or getattr(event.delta, "text", "")
            case "content_block_stop":
                assert event.index == open_block
                open_block = None
            case "message_delta":
                assert message and open_block is None
                message.stop_reason = event.delta.stop_reason
                for name, count in event.usage:
                    if count is not None:
                        setattr(message.usage, name, count)
            case "message_stop":
                assert message
                for index, block in enumerate(message.content):
                    if block.type == "tool_use":
                        block.input = json.loads(texts[index] or "{}")
                    elif block.type == "text":
                        block.text = texts[index]
                return message
    raise AssertionError("no message_stop")


def helper(client: anthropic.Anthropic, **body: Any) -> Message:
    with client.messages.stream(max_tokens=4000, **body) as stream:
        return stream.get_final_message()


WAYS: tuple[Way, ...] = (whole, events, helper)


def calls_of(message: Message) -> list[tuple[str, str, Any]]:
    return [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]


def prompt_tokens(message: Message) -> int:
    """Cached tokens stand beside `input_tokens` in this API."""
    usage = message.usage
    return usage.input_tokens + (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)


def loop(client: anthropic.Anthropic, way: Way, model: str, count: int) -> list[tuple[str, str, Any]]:
    messages: Any = [{"role": "user", "content": f"Please call {count} at once."}]
    first = way(client, model=model, messages=messages, tools=[TIME, WEATHER])
    calls = calls_of(first)
    assert (first.stop_reason, first.model, first.role) == ("tool_use", model, "assistant")
    assert [name for _, name, _ in calls] == [("get.time", "get_weather")[i % 2] for i in range(count)]
    assert len({id for id, _, _ in calls}) == count
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": f"result {n}"} for n, (id, _, _) in enumerate(calls)
    ]
    answered: Any = {"role": "assistant", "content": [block.to_dict() for block in first.content]}
    history: Any = [*messages, answered, {"role": "user", "content": results}]
    second = way(client, model=model, messages=history, tools=[TIME, WEATHER])
    (text,) = second.content
    assert text.type == "text"
    quoted = [line.partition(": ")[2] for line in text.text.splitlines()[1:]]
    assert quoted == [f"result {n}" for n in range(count)]
    assert second.stop_reason == "end_turn"
    assert second.usage.output_tokens > 0 < prompt_tokens(second)
    return calls


@pytest.mark.parametrize("count", [1, 2, 20])
def test_loop(claude: anthropic.Anthropic, model: str, count: int) -> None:
    first, *others = [loop(claude, way, model, count) for way in WAYS]
    assert others == [first, first], "each way of asking gives the same calls"


def test_tool_runner(claude: anthropic.Anthropic, api: str) -> None:
    """The SDK's own loop over Python functions. It asks for a server-held thread first, and must learn that there is
    none before it sends a turn without its history."""
    asked = []

    @anthropic.beta_tool
    def look_up(city: Literal["Köln", "東京"], days: int = 1) -> str:
        """The weather.

        Args:
            city: Where.
            days: How many.
        """
        asked.append((city, days))
        return f"rain in {city}"

    last = claude.beta.messages.tool_runner(
        model=f"{api}/agent", max_tokens=1000, messages=HI, tools=[look_up]
    ).until_done()
    assert len(asked) == 1
    (text,) = last.content
    assert text.type == "text" and text.text == f"The tools answered:\nlook_up: rain in {asked[0][0]}"


def test_the_same_request_gives_the_same_bytes(claude: anthropic.Anthropic, emulated: Emulation, model: str) -> None:
    for _ in range(2):
        loop(claude, whole, model, 2)
        loop(claude, helper, model, 2)
    sent = [received.raw for received in emulated.requests]
    assert sent[:4] == sent[4:]


@pytest.mark.parametrize(
    ("choice", "names", "stop"),
    [
        ({"type": "auto"}, {"get.time", "get_weather"}, "tool_use"),
        ({"type": "any"}, {"get.time", "get_weather"}, "tool_use"),
        ({"type": "none"}, set(), "end_turn"),
        ({"type": "tool", "name": "get.time"}, {"get.time"}, "tool_use"),
    ],
    ids=["auto", "any", "none", "tool"],
)
def test_tool_choice(claude: anthropic.Anthropic, api: str, choice: Any, names: set[str], stop: str) -> None:
    for way in (whole, helper):
        said = way(claude, model=f"{api}/agent", messages=HI, tools=[TIME, WEATHER], tool_choice=choice)
        assert {name for _, name, _ in calls_of(said)} == names
        assert said.stop_reason == stop


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic-messages"])
def test_one_call_at_a_time(claude: anthropic.Anthropic, api: str) -> None:
    messages: Any = [{"role": "user", "content": "call 5"}]
    choice: Any = {"type": "auto", "disable_parallel_tool_use": True}
    said = whole(claude, model=f"{api}/agent", messages=messages, tools=[TIME, WEATHER], tool_choice=choice)
    assert len(calls_of(said)) == 1


@pytest.mark.parametrize("api", ["openai-chat", "anthropic-messages", "google-gemini"])
def test_system_stop_and_length(claude: anthropic.Anthropic, api: str) -> None:
    ask: Any = {"model": f"{api}/agent", "messages": HI, "system": "Be brief."}
    stopped = claude.messages.create(max_tokens=50, stop_sequences=[" there"], **ask)
    assert [block.to_dict()["text"] for block in stopped.content] == ["You said: hi"]
    assert stopped.stop_reason in ("stop_sequence", "end_turn")
    cut = claude.messages.create(max_tokens=2, **ask)
    assert ([block.to_dict()["text"] for block in cut.content], cut.stop_reason) == (["You said"], "max_tokens")


class Visit(BaseModel):
    """Where to go."""

    city: Literal["Köln", "東京"]
    days: int


@pytest.mark.parametrize("model", ["openai-chat/agent", "anthropic-messages/agent-claude-opus-4-5"])
def test_parse(claude: anthropic.Anthropic, model: str) -> None:
    said = claude.messages.parse(model=model, max_tokens=500, messages=HI, output_format=Visit)
    assert isinstance(said.parsed_output, Visit)


def test_thinking(claude: anthropic.Anthropic) -> None:
    """Signed thinking survives the turn: the upstream checks its own signature."""
    ask: Any = {
        "model": "anthropic-messages/agent", "tools": [WEATHER], "max_tokens": 3000,
        "thinking": {"type": "enabled", "budget_tokens": 2000},
    }
    with claude.messages.stream(messages=HI, **ask) as stream:
        first = stream.get_final_message()
    assert first.content[0].type == "thinking"
    results: Any = [{"type": "tool_result", "tool_use_id": id, "content": "rain"} for id, _, _ in calls_of(first)]
    answered: Any = {"role": "assistant", "content": [block.to_dict() for block in first.content]}
    last = claude.messages.create(messages=[*HI, answered, {"role": "user", "content": results}], **ask)
    assert last.stop_reason == "end_turn"


def test_count_tokens(claude: anthropic.Anthropic, emulated: Emulation) -> None:
    native = claude.messages.count_tokens(model="anthropic-messages/agent", messages=HI, tools=[WEATHER])
    assert [received.path for received in emulated.requests] == ["/v1/messages/count_tokens"]
    whole_answer = whole(claude, model="anthropic-messages/agent", messages=HI, tools=[WEATHER])
    assert native.input_tokens > 20
    assert native.input_tokens == prompt_tokens(whole_answer)
    raw = claude.messages.with_raw_response.count_tokens(model="openai-chat/agent", messages=HI, tools=[WEATHER])
    assert 10 < raw.parse().input_tokens < 200
    assert "estimate" in raw.headers["x-toolwire-warnings"]


def test_models(claude: anthropic.Anthropic) -> None:
    listed = list(claude.models.list())
    assert {"claude", "gpt", "all-fail"} <= {one.id for one in listed}
    assert {one.type for one in listed} == {"model"}
    assert listed[0].created_at.year >= 2026
    assert claude.models.retrieve("claude").display_name == "claude"
    with pytest.raises(anthropic.NotFoundError):
        claude.models.retrieve("nothing")


def test_request_ids(claude: anthropic.Anthropic, api: str) -> None:
    ask: Any = {"model": f"{api}/agent", "max_tokens": 100, "messages": HI}
    raw = claude.messages.with_raw_response.create(extra_headers={"x-request-id": "mine-2"}, **ask)
    assert raw.headers["request-id"] == raw.headers["x-request-id"] == "mine-2"
    assert raw.parse()._request_id == "mine-2"
    assert str(claude.messages.create(**ask)._request_id).startswith("req_")


async def _gather(base: str) -> list[str]:
    async with anthropic.AsyncAnthropic(base_url=base, api_key="unused", max_retries=0, timeout=10) as client:
        async def one(number: int) -> str:
            messages: Any = [{"role": "user", "content": f"number {number}"}]
            model = ("gpt", "claude")[number % 2]
            async with client.messages.stream(model=model, max_tokens=100, messages=messages) as stream:
                return await stream.get_final_text()

        return await asyncio.gather(*(one(number) for number in range(30)))


def test_many_at_once(served: Served) -> None:
    """Nothing is mixed up between streams that run side by side."""
    assert asyncio.run(_gather(served.base)) == [f"You said: number {n}" for n in range(30)]
