"""The official google-genai SDK as the client, over each upstream and transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

import pytest
from google import genai
from google.genai import errors, types
from pydantic import BaseModel

from proxy.emulate import Emulation
from tests.serving import Served

CITIES = ["Köln", "São Paulo", "東京", "Reykjavík"]
WEATHER = types.FunctionDeclaration(
    name="get_weather",
    description="The weather in a city.",
    parameters=types.Schema(
        type=types.Type.OBJECT,
        properties={
            "city": types.Schema(type=types.Type.STRING, enum=CITIES),
            "days": types.Schema(type=types.Type.INTEGER, minimum=1, maximum=9),
        },
        required=["city", "days"],
    ),
)
TIME = types.FunctionDeclaration(
    name="get.time",
    parameters_json_schema={"type": "object", "properties": {"city": {"enum": CITIES}}, "required": ["city"]},
)
TOOLS = [types.Tool(function_declarations=[TIME, WEATHER])]

Said = tuple[list[types.Part], Any, types.GenerateContentResponseUsageMetadata | None]
Way = Callable[..., Said]


def whole(client: genai.Client, **ask: Any) -> Said:
    response = client.models.generate_content(**ask)
    candidate = (response.candidates or [])[0]
    assert candidate.content and response.model_version == ask["model"]
    return candidate.content.parts or [], candidate.finish_reason, response.usage_metadata


def stream(client: genai.Client, **ask: Any) -> Said:
    """Parts as they come; neighbouring texts are one text."""
    parts: list[types.Part] = []
    finish, usage = None, None
    for chunk in client.models.generate_content_stream(**ask):
        usage = chunk.usage_metadata or usage
        for candidate in chunk.candidates or []:
            assert finish is None or not (candidate.content and candidate.content.parts), "nothing after the finish"
            finish = candidate.finish_reason or finish
            for part in (candidate.content and candidate.content.parts) or []:
                if part.text and parts and parts[-1].text and parts[-1].thought == part.thought:
                    parts[-1].text += part.text
                elif part.text != "":
                    parts.append(part)
    return parts, finish, usage


WAYS: tuple[Way, ...] = (whole, stream)


def config(**more: Any) -> types.GenerateContentConfig:
    return types.GenerateContentConfig(
        tools=TOOLS, automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True), **more
    )


def calls_of(parts: list[types.Part]) -> list[tuple[str | None, Any]]:
    return [(part.function_call.name, part.function_call.args) for part in parts if part.function_call]


def loop(client: genai.Client, way: Way, model: str, count: int) -> list[tuple[str | None, Any]]:
    asked = types.Content(role="user", parts=[types.Part(text=f"Please call {count} at once.")])
    parts, finish, _ = way(client, model=model, contents=[asked], config=config())
    calls = calls_of(parts)
    assert [name for name, _ in calls] == [("get.time", "get_weather")[i % 2] for i in range(count)]
    assert finish == types.FinishReason.STOP
    results = [
        types.Part(function_response=types.FunctionResponse(
            id=part.function_call.id, name=part.function_call.name, response={"result": f"result {n}"},
        ))
        for n, part in enumerate(part for part in parts if part.function_call)
        if part.function_call
    ]
    history = [asked, types.Content(role="model", parts=parts), types.Content(role="user", parts=results)]
    (text,), finish, usage = way(client, model=model, contents=history, config=config())
    quoted = (text.text or "").splitlines()
    assert quoted[0] == "The tools answered:"
    assert all(f"result {n}" in line for n, line in enumerate(quoted[1:]))
    assert (len(quoted), finish) == (count + 1, types.FinishReason.STOP)
    assert usage and (usage.prompt_token_count or 0) > 0 < (usage.candidates_token_count or 0)
    return calls


@pytest.mark.parametrize("count", [1, 2, 20])
def test_loop(gemini: genai.Client, model: str, count: int) -> None:
    first, second = [loop(gemini, way, model, count) for way in WAYS]
    assert first == second, "each way of asking gives the same calls"


def test_automatic_calling(gemini: genai.Client, api: str) -> None:
    """The SDK's own loop over Python functions."""
    asked = []

    def look_up(city: str) -> str:
        """The weather."""
        asked.append(city)
        return f"rain in {city}"

    said = gemini.models.generate_content(
        model=f"{api}/agent", contents="hi there", config=types.GenerateContentConfig(tools=[look_up])
    )
    assert len(asked) == 1
    assert f"rain in {asked[0]}" in (said.text or "")


def test_the_same_request_gives_the_same_bytes(gemini: genai.Client, emulated: Emulation, model: str) -> None:
    for _ in range(2):
        for way in WAYS:
            asked = types.Content(role="user", parts=[types.Part(text="call 2")])
            way(gemini, model=model, contents=[asked], config=config())
    sent = [received.raw for received in emulated.requests]
    assert sent[:2] == sent[2:]


@pytest.mark.parametrize(
    ("mode", "allowed", "names"),
    [
        ("AUTO", None, {"get.time", "get_weather"}),
        ("ANY", None, {"get.time", "get_weather"}),
        ("ANY", ["get.time"], {"get.time"}),
        ("NONE", None, set()),
    ],
)
def test_function_calling_config(gemini: genai.Client, api: str, mode: Any, allowed: Any, names: set[str]) -> None:
    calling = types.FunctionCallingConfig(mode=mode, allowed_function_names=allowed)
    for way in WAYS:
        parts, _, _ = way(
            gemini, model=f"{api}/agent", contents="hi there",
            config=config(tool_config=types.ToolConfig(function_calling_config=calling)),
        )
        assert {name for name, _ in calls_of(parts)} == names


class Visit(BaseModel):
    """Where to go."""

    city: Literal["Köln", "東京"]
    days: int


@pytest.mark.parametrize(
    "model", ["openai-chat/agent", "anthropic-messages/agent", "anthropic-messages/agent-claude-opus-4-5"]
)
def test_structured_output(gemini: genai.Client, model: str) -> None:
    wanted = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Visit)
    said = gemini.models.generate_content(model=model, contents="hi there", config=wanted)
    assert isinstance(said.parsed, Visit)
    text = "".join(
        chunk.text or "" for chunk in gemini.models.generate_content_stream(
            model=model, contents="hi there", config=wanted)
    )
    assert Visit.model_validate_json(text) == said.parsed


@pytest.mark.parametrize("api", ["openai-chat", "anthropic-messages", "google-gemini"])
def test_system_stop_and_length(gemini: genai.Client, api: str) -> None:
    ask: Any = {"model": f"{api}/agent", "contents": "hi there"}
    brief = types.GenerateContentConfig(system_instruction="Be brief.", stop_sequences=[" there"])
    assert gemini.models.generate_content(config=brief, **ask).text == "You said: hi"
    cut = gemini.models.generate_content(config=types.GenerateContentConfig(max_output_tokens=2), **ask)
    assert cut.text == "You said"
    assert [one.finish_reason for one in cut.candidates or []] == [types.FinishReason.MAX_TOKENS]


def test_chat(gemini: genai.Client, api: str) -> None:
    chat = gemini.chats.create(model=f"{api}/agent")
    assert chat.send_message("first").text == "You said: first"
    assert "".join(chunk.text or "" for chunk in chat.send_message_stream("second")) == "You said: second"
    assert [content.role for content in chat.get_history()][:4] == ["user", "model", "user", "model"]
    assert chat.send_message("third").text == "You said: third"


def test_count_tokens(gemini: genai.Client, emulated: Emulation) -> None:
    native = gemini.models.count_tokens(model="anthropic-messages/agent", contents="hi there " * 20)
    assert [received.path for received in emulated.requests] == ["/v1/messages/count_tokens"]
    assert 45 <= (native.total_tokens or 0) < 90
    estimated = gemini.models.count_tokens(model="openai-chat/agent", contents="hi there " * 20)
    assert 45 <= (estimated.total_tokens or 0) < 60


def test_models(gemini: genai.Client) -> None:
    listed = list(gemini.models.list())
    assert {"models/claude", "models/gpt", "models/all-fail"} <= {one.name for one in listed}
    one = gemini.models.get(model="claude")
    assert (one.name, "generateContent" in (one.supported_actions or [])) == ("models/claude", True)
    with pytest.raises(errors.ClientError) as raised:
        gemini.models.get(model="nothing")
    assert (raised.value.code, raised.value.status) == (404, "NOT_FOUND")


async def _gather(base: str) -> list[str]:
    client = genai.Client(api_key="unused", http_options=types.HttpOptions(base_url=base, timeout=10_000)).aio
    async with client:
        async def one(number: int) -> str:
            answer = await client.models.generate_content_stream(
                model=("gpt", "claude")[number % 2], contents=f"number {number}"
            )
            return "".join([chunk.text or "" async for chunk in answer])

        return await asyncio.gather(*(one(number) for number in range(20)))


def test_many_at_once(served: Served) -> None:
    """Nothing is mixed up between streams that run side by side."""
    assert asyncio.run(_gather(served.base)) == [f"You said: number {n}" for n in range(20)]
