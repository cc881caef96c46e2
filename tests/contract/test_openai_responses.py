"""The official openai SDK's Responses API as the client, over each upstream and transport."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

import openai
import pytest
from openai.types.responses import Response
from pydantic import BaseModel

from proxy.emulate import Emulation

CITY = {"enum": ["Köln", "São Paulo", "東京", "Reykjavík"]}
WEATHER: Any = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": CITY, "days": {"type": "integer", "enum": [1, 3, 9]}},
        "required": ["city", "days"],
    },
    "strict": False,
}
TIME: Any = {
    "type": "function",
    "name": "get_time",
    "parameters": {"type": "object", "properties": {"city": CITY}, "required": ["city"]},
    "strict": False,
}

Way = Callable[..., Response]


def whole(client: openai.OpenAI, **body: Any) -> Response:
    return client.responses.create(**body)


def events(client: openai.OpenAI, **body: Any) -> Response:
    """`stream=True`: events are numbered, items open and close in order, the last event holds the whole answer."""
    number, open_item, texts = -1, None, {}
    done: list[Any] = []
    for event in client.responses.create(stream=True, **body):
        number += 1
        assert event.sequence_number == number
        match event.type:
            case "response.output_item.added":
                assert open_item is None and event.output_index == len(done)
                open_item = event.output_index
            case "response.function_call_arguments.delta" | "response.output_text.delta":
                texts[open_item] = texts.get(open_item, "") + event.delta
            case "response.output_item.done":
                assert event.output_index == open_item
                done.append(event.item)
                open_item = None
            case "response.completed" | "response.incomplete":
                response = event.response
    assert [item.to_dict() for item in response.output] == [item.to_dict() for item in done]
    for index, item in enumerate(done):
        if item.type == "reasoning":
            continue
        told = item.arguments if item.type == "function_call" else "".join(part.text for part in item.content)
        assert texts[index] == told
    return response


def helper(client: openai.OpenAI, **body: Any) -> Response:
    with client.responses.stream(**body) as stream:
        return stream.get_final_response()


WAYS: tuple[Way, ...] = (whole, events, helper)


def calls_of(response: Response) -> list[tuple[str, str, str]]:
    return [(item.call_id, item.name, item.arguments) for item in response.output if item.type == "function_call"]


def loop(client: openai.OpenAI, way: Way, model: str, count: int) -> list[tuple[str, str, str]]:
    asked: Any = [{"role": "user", "content": f"Please call {count} at once."}]
    first = way(client, model=model, input=asked, tools=[TIME, WEATHER], store=False)
    calls = calls_of(first)
    assert (first.status, first.model) == ("completed", model)
    assert [name for _, name, _ in calls] == [("get_time", "get_weather")[i % 2] for i in range(count)]
    assert len({id for id, _, _ in calls}) == count
    items = [item.to_dict() for item in first.output]
    for item in items:
        item.pop("parsed_arguments", None)
    results = [
        {"type": "function_call_output", "call_id": id, "output": f"result {n}"} for n, (id, _, _) in enumerate(calls)
    ]
    second = way(client, model=model, input=[*asked, *items, *results], tools=[TIME, WEATHER], store=False)
    quoted = [line.partition(": ")[2] for line in second.output_text.splitlines()[1:]]
    assert len(quoted) == count and all(f"result {n}" in line for n, line in enumerate(quoted))
    assert second.usage and second.usage.total_tokens == second.usage.input_tokens + second.usage.output_tokens > 0
    return calls


@pytest.mark.parametrize("count", [1, 2, 20])
def test_loop(chat: openai.OpenAI, model: str, count: int) -> None:
    first, *others = [loop(chat, way, model, count) for way in WAYS]
    assert others == [first, first], "each way of asking gives the same calls"


def test_instructions_and_plain_input(chat: openai.OpenAI, api: str) -> None:
    for way in WAYS:
        said = way(chat, model=f"{api}/agent", input="hi there", instructions="Be brief.")
        assert said.output_text == "You said: hi there"


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("auto", {"get_time", "get_weather"}),
        ("required", {"get_time", "get_weather"}),
        ("none", set()),
        ({"type": "function", "name": "get_time"}, {"get_time"}),
        (
            {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "get_time"}]},
            {"get_time"},
        ),
    ],
    ids=["auto", "required", "none", "named", "allowed"],
)
def test_tool_choice(chat: openai.OpenAI, api: str, choice: Any, names: set[str]) -> None:
    for way in (whole, helper):
        said = way(chat, model=f"{api}/agent", input="hi there", tools=[TIME, WEATHER], tool_choice=choice)
        assert {name for _, name, _ in calls_of(said)} == names


class Visit(BaseModel):
    """Where to go."""

    city: Literal["Köln", "東京"]
    days: int


@pytest.mark.parametrize("api", ["openai-responses", "openai-chat", "anthropic-messages", "google-gemini"])
def test_parse(chat: openai.OpenAI, api: str) -> None:
    said = chat.responses.parse(model=f"{api}/agent", input="hi there", text_format=Visit)
    assert isinstance(said.output_parsed, Visit)
    with chat.responses.stream(model=f"{api}/agent", input="hi there", text_format=Visit) as stream:
        assert stream.get_final_response().output_parsed == said.output_parsed


def test_incomplete(chat: openai.OpenAI, api: str) -> None:
    for way in (whole, events):
        said = way(chat, model=f"{api}/agent", input="0123456789" * 20, max_output_tokens=20)
        assert said.status == "incomplete"
        assert said.incomplete_details and said.incomplete_details.reason == "max_output_tokens"
        assert said.output_text == "You said: " + "0123456789" * 7


def test_argument_text(chat: openai.OpenAI) -> None:
    values = {"zeta": 9007199254740993, "alpha": 123456789012345678901234567890, "text": "東京 — \"q\" 🌧️"}
    schema = {
        "type": "object", "properties": {k: {"const": v} for k, v in values.items()}, "required": list(values)}
    tool: Any = {"type": "function", "name": "exact", "parameters": schema, "strict": False}
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    for way in WAYS:
        for api in ("openai-responses", "openai-chat"):
            ((_, name, arguments),) = calls_of(way(chat, model=f"{api}/agent", input="call 1", tools=[tool]))
            assert (name, arguments) == ("exact", text)


def test_the_same_request_gives_the_same_bytes(chat: openai.OpenAI, emulated: Emulation, model: str) -> None:
    for way in (whole, events, whole, helper):
        way(chat, model=model, input="call 2", tools=[TIME, WEATHER])
    first, streamed, second, streamed_too = [received.raw for received in emulated.requests]
    assert (first, streamed) == (second, streamed_too)


def test_unknown_previous_response(chat: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        chat.responses.create(model="gpt", input="hi", previous_response_id="resp_nothing")
    assert raised.value.code == "previous_response_not_found"
    with pytest.raises(openai.NotFoundError):
        chat.responses.retrieve("resp_nothing")
    with pytest.raises(openai.NotFoundError):
        chat.responses.delete("resp_nothing")
