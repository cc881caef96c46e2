"""The official openai SDK: structured output, strict tools, legacy functions, usage, choices, model lists."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from proxy.emulate import Emulation
from tests.contract.chats import TIME, WEATHER, chunks, whole

HI: Any = [{"role": "user", "content": "hi there"}]


class Kind(Enum):
    city = "city"
    river = "river"


class Place(BaseModel):
    name: Literal["Köln", "Rhein"]
    kind: Kind
    parts: list[Literal["Altstadt", "Deutz"]] | None
    height: int | None


class Visit(BaseModel):
    """Where to go."""

    place: Place
    days: int


# --- structured output ---------------------------------------------------------------------------------------------

SHAPED = ["openai-chat/agent", "anthropic-messages/agent", "anthropic-messages/agent-claude-opus-4-5"]
"""Native, by a tool that stands for the answer, native again."""


@pytest.mark.parametrize("model", SHAPED)
def test_parse(chat: openai.OpenAI, model: str) -> None:
    said = chat.chat.completions.parse(model=model, messages=HI, response_format=Visit).choices[0]
    assert isinstance(said.message.parsed, Visit)
    assert said.message.parsed == Visit.model_validate_json(said.message.content or "")
    assert (said.finish_reason, said.message.tool_calls) == ("stop", None)


@pytest.mark.parametrize("model", SHAPED)
def test_parse_streamed(chat: openai.OpenAI, model: str) -> None:
    with chat.chat.completions.stream(model=model, messages=HI, response_format=Visit) as stream:
        kinds = [event.type for event in stream]
        said = stream.get_final_completion().choices[0].message
    whole_answer = chat.chat.completions.parse(model=model, messages=HI, response_format=Visit).choices[0].message
    assert isinstance(said.parsed, Visit)
    assert said.parsed == whole_answer.parsed
    assert kinds[-1] == "content.done"


@pytest.mark.parametrize("model", SHAPED)
def test_structured_output_beside_tools(chat: openai.OpenAI, model: str) -> None:
    """A tool turn first, then the structured answer (the emulated agent calls on and on where a call is forced)."""
    ask: Any = {"model": model, "tools": [strict(TIME)], "response_format": Visit}
    first = chat.chat.completions.parse(messages=HI, **ask).choices[0]
    call = (first.message.tool_calls or [])[0]
    assert (call.function.name, first.message.parsed) == ("get_time", None)
    results: Any = [
        {"role": "tool", "tool_call_id": one.id, "content": "noon"} for one in first.message.tool_calls or []
    ]
    history: Any = [*HI, first.message.model_dump(exclude={"parsed"}, exclude_none=True), *results]
    with chat.chat.completions.stream(messages=history, **ask) as stream:
        last = stream.get_final_completion().choices[0]
    assert isinstance(last.message.parsed, Visit) or model == SHAPED[1]


def test_json_object(chat: openai.OpenAI, emulated: Emulation) -> None:
    messages: Any = [{"role": "user", "content": "Say hi as JSON."}]
    ask: Any = {"messages": messages, "response_format": {"type": "json_object"}}
    said = [way(chat, model="openai-chat/agent", **ask) for way in (whole, chunks)]
    assert isinstance(json.loads(said[0].text), dict)
    assert said[0].text == said[1].text
    whole(chat, model="anthropic-messages/agent", **ask)
    (told,) = emulated.requests[-1].body["system"]
    assert "one JSON object and nothing else" in told["text"]


# --- strict tools --------------------------------------------------------------------------------------------------

STRICT = ["openai-chat-strict/agent", "anthropic-messages-strict/agent-claude-opus-4-5"]
LAX = ["openai-chat/agent", "anthropic-messages/agent"]


def strict(tool: Any) -> Any:
    function = {**tool["function"], "strict": True}
    function["parameters"] = {**function["parameters"], "additionalProperties": False}
    return {"type": "function", "function": function}


class Search(BaseModel):
    query: Literal["rain", "sun"]
    limit: int | None


def told_strict(emulated: Emulation) -> list[Any]:
    return [(tool.get("function") or tool).get("strict") for tool in emulated.requests[-1].body["tools"]]


@pytest.mark.parametrize("model", [*STRICT, *LAX])
def test_strict_tools(chat: openai.OpenAI, emulated: Emulation, model: str) -> None:
    ask: Any = {"messages": HI, "tools": [openai.pydantic_function_tool(Search, name="search"), strict(TIME)]}
    raw = chat.chat.completions.with_raw_response.parse(model=model, **ask)
    calls = {call.function.name: call.function for call in raw.parse().choices[0].message.tool_calls or []}
    assert calls.keys() == {"search", "get_time"}
    assert isinstance(calls["search"].parsed_arguments, Search)
    assert told_strict(emulated) == ([True, True] if model in STRICT else [None, None])
    warned = raw.headers.get("x-toolwire-warnings", "")
    assert ("tools.search: strict: left out" in warned) == (model in LAX)


@pytest.mark.parametrize("model", [*STRICT, *LAX])
def test_strict_tools_streamed(chat: openai.OpenAI, model: str) -> None:
    tool = openai.pydantic_function_tool(Search, name="search")
    with chat.chat.completions.stream(model=model, messages=HI, tools=[tool]) as stream:
        done = [event for event in stream if event.type == "tool_calls.function.arguments.done"]
    assert {(event.name, type(event.parsed_arguments)) for event in done} == {("search", Search)}


# --- legacy functions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["auto", {"name": "get_weather"}])
def test_functions(chat: openai.OpenAI, api: str, choice: Any) -> None:
    body: Any = {"model": f"{api}/agent", "functions": [WEATHER["function"]], "function_call": choice}
    first = chat.chat.completions.create(messages=HI, **body).choices[0]
    call = first.message.function_call
    assert call and call.name == "get_weather"
    assert json.loads(call.arguments).keys() == {"city", "days"}
    assert (first.finish_reason, first.message.tool_calls) == ("function_call", None)
    result: Any = {"role": "function", "name": "get_weather", "content": "rain"}
    history: Any = [*HI, first.message.model_dump(exclude_none=True), result]
    last = chat.chat.completions.create(model=body["model"], functions=body["functions"], messages=history)
    assert last.choices[0].message.content == "The tools answered:\nget_weather: rain"


def test_functions_streamed(chat: openai.OpenAI, api: str) -> None:
    body: Any = {"model": f"{api}/agent", "functions": [WEATHER["function"]], "messages": HI}
    name = arguments = ""
    finishes = []
    for chunk in chat.chat.completions.create(stream=True, **body):
        for choice in chunk.choices:
            assert choice.delta.tool_calls is None
            if call := choice.delta.function_call:
                name += call.name or ""
                arguments += call.arguments or ""
            finishes += [choice.finish_reason] if choice.finish_reason else []
    said = chat.chat.completions.create(**body).choices[0].message.function_call
    assert said and (name, arguments) == (said.name, said.arguments)
    assert finishes == ["function_call"]


# --- tool choice ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "names", "finish"),
    [
        ("auto", ["get_time", "get_weather"], "tool_calls"),
        ("required", ["get_time", "get_weather"], "tool_calls"),
        ("none", [], "stop"),
        ({"type": "function", "function": {"name": "get_weather"}}, ["get_weather"], "tool_calls"),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required", "tools": [{"type": "function", "function": {"name": "get_time"}}],
                },
            },
            ["get_time"],
            "tool_calls",
        ),
    ],
    ids=["auto", "required", "none", "named", "allowed"],
)
def test_tool_choice(chat: openai.OpenAI, api: str, choice: Any, names: list[str], finish: str) -> None:
    body: Any = {"model": f"{api}/agent", "messages": HI, "tools": [TIME, WEATHER], "tool_choice": choice}
    for way in (whole, chunks):
        said = way(chat, **body)
        assert sorted({name for _, name, _ in said.calls}) == names
        assert said.finish == finish


def test_one_call_at_a_time(chat: openai.OpenAI, api: str) -> None:
    """Some APIs have no such switch: told in a warning."""
    raw = chat.chat.completions.with_raw_response.create(
        model=f"{api}/agent", messages=[{"role": "user", "content": "call 5"}], tools=[TIME, WEATHER],
        parallel_tool_calls=False,
    )
    count = len(raw.parse().choices[0].message.tool_calls or [])
    warned = "parallel_tool_calls" in raw.headers.get("x-toolwire-warnings", "")
    without = ("google-gemini", "ollama-chat", "cohere-chat", "bedrock-converse")
    assert (count, warned) == ((5, True) if api in without else (1, False))


# --- usage ---------------------------------------------------------------------------------------------------------


def test_usage(chat: openai.OpenAI, api: str) -> None:
    """Streamed usage comes when it is asked for: one last chunk without choices, the same counts as the whole."""
    body: Any = {"model": f"{api}/agent", "messages": HI, "tools": [WEATHER]}
    counted = chat.chat.completions.create(**body).usage
    assert counted and counted.total_tokens == counted.prompt_tokens + counted.completion_tokens
    assert counted.completion_tokens > 0 < counted.prompt_tokens
    chunks = list(chat.chat.completions.create(stream=True, stream_options={"include_usage": True}, **body))
    assert [bool(chunk.usage) for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert chunks[-1].choices == []
    streamed = chunks[-1].usage
    assert streamed and streamed.completion_tokens == counted.completion_tokens
    assert streamed.prompt_tokens == counted.prompt_tokens


@pytest.mark.parametrize("options", [{}, {"stream_options": {"include_usage": False}}], ids=["unset", "false"])
def test_no_usage_where_none_was_asked_for(chat: openai.OpenAI, api: str, options: Any) -> None:
    body: Any = {"model": f"{api}/agent", "messages": HI, **options}
    chunks = list(chat.chat.completions.create(stream=True, **body))
    assert [chunk.usage for chunk in chunks] == [None] * len(chunks)
    assert all(chunk.choices for chunk in chunks)


# --- what is told of a chunk, limits, other fields -----------------------------------------------------------------


def test_chunks_are_one_answer(chat: openai.OpenAI, api: str) -> None:
    chunks = list(chat.chat.completions.create(model=f"{api}/agent", messages=HI, stream=True))
    assert len({(chunk.id, chunk.created, chunk.model, chunk.object) for chunk in chunks}) == 1
    assert (chunks[0].model, chunks[0].object) == (f"{api}/agent", "chat.completion.chunk")
    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "You said: hi there"


def test_length(chat: openai.OpenAI, api: str) -> None:
    messages: Any = [{"role": "user", "content": "0123456789" * 20}]
    for way in (whole, chunks):
        said = way(chat, model=f"{api}/agent", messages=messages, max_completion_tokens=20)
        assert (said.text, said.finish) == ("You said: " + "0123456789" * 7, "length")


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic-messages"])
def test_a_call_cut_off_by_length(chat: openai.OpenAI, api: str) -> None:
    """The pieces that came are delivered, with the finish that says why they end. (Other APIs send no half call.)"""
    properties = {"text": {"const": "a" * 100}}
    schema = {"type": "object", "properties": properties, "required": ["text"]}
    tool = {"type": "function", "function": {"name": "write", "parameters": schema}}
    said = chunks(chat, model=f"{api}/agent", messages=HI, tools=[tool], max_completion_tokens=16)
    assert said.finish == "length"
    ((_, name, arguments),) = said.calls
    assert name == "write"
    assert '{"text":"a' in arguments and set(arguments[10:]) == {"a"}


def test_stop(chat: openai.OpenAI, api: str) -> None:
    """Responses has no stop sequences: told in a warning."""
    ask: Any = {"model": f"{api}/agent", "messages": HI, "stop": [" there"]}
    for way in (whole, chunks):
        said = way(chat, **ask)
        text = "You said: hi there" if api == "openai-responses" else "You said: hi"
        assert (said.text, said.finish) == (text, "stop")
    warned = chat.chat.completions.with_raw_response.create(**ask).headers.get("x-toolwire-warnings", "")
    assert ("stop: left out" in warned) == (api == "openai-responses")


def test_raw_response(chat: openai.OpenAI, api: str) -> None:
    raw = chat.chat.completions.with_raw_response.create(
        model=f"{api}/agent", messages=HI, extra_headers={"x-request-id": "mine-1"}
    )
    assert raw.headers["x-request-id"] == "mine-1"
    assert raw.headers["x-toolwire-target"] == f"{api}/agent"
    assert raw.parse()._request_id == "mine-1"


def test_models(chat: openai.OpenAI) -> None:
    listed = list(chat.models.list())
    assert {"claude", "gpt", "all-fail"} <= {one.id for one in listed}
    assert {one.object for one in listed} == {"model"}
    assert chat.models.retrieve("claude").id == "claude"
    with pytest.raises(openai.NotFoundError) as raised:
        chat.models.retrieve("nothing")
    assert raised.value.code == "model_not_found"


async def _gather(base: str) -> list[str]:
    import asyncio

    async with openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="unused", max_retries=0, timeout=10) as client:
        async def one(number: int) -> str:
            async with client.chat.completions.stream(
                model=("gpt", "claude")[number % 2], messages=[{"role": "user", "content": f"number {number}"}]
            ) as stream:
                completion = await stream.get_final_completion()
                return completion.choices[0].message.content or ""

        return await asyncio.gather(*(one(number) for number in range(30)))


def test_many_at_once(chat: openai.OpenAI, served: Any) -> None:
    """Nothing is mixed up between streams that run side by side."""
    import asyncio

    assert asyncio.run(_gather(served.base)) == [f"You said: number {n}" for n in range(30)]
