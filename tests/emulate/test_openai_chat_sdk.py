"""The official SDK against the emulator, over a socket."""

import json
from typing import Any

import httpx2
import openai
import pytest

from proxy.emulate import Emulation

Json = Any
CITY = {
    "type": "object",
    "properties": {"city": {"enum": ["Rome"]}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOLS: Json = [
    {"type": "function", "function": {"name": "get_weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "get_time", "parameters": CITY}},
]
HI: Json = [{"role": "user", "content": "hi there"}]


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> openai.OpenAI:
    return openai.OpenAI(base_url=emulation.base_url("openai-chat"), api_key="k", max_retries=0, timeout=5)


def streamed(client: openai.OpenAI, **body: Json) -> Any:
    options: Json = {"include_usage": True}
    with client.chat.completions.stream(stream_options=options, **{"model": "agent", "messages": HI, **body}) as stream:
        stream.until_done()
        return stream.get_final_completion()


def test_text(client: openai.OpenAI) -> None:
    said = client.chat.completions.create(model="agent", messages=HI)
    assert said.choices[0].message.content == "You said: hi there"
    assert (said.choices[0].finish_reason, said.model, said.object) == ("stop", "agent", "chat.completion")
    assert said.usage and said.usage.completion_tokens == 5
    assert said.usage.total_tokens == said.usage.prompt_tokens + 5


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tools": TOOLS},
        {"tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False},
        {"tools": TOOLS, "messages": [{"role": "user", "content": "call 20"}]},
        {"reasoning_effort": "high"},
        {"stop": ["there"]},
        {"n": 2, "tools": TOOLS},
        {"logprobs": True, "top_logprobs": 1},
    ],
)
def test_the_stream_adds_up_to_the_whole(client: openai.OpenAI, body: Json) -> None:
    whole = client.chat.completions.create(**{"model": "agent", "messages": HI, **body})
    parts = streamed(client, **body)
    assert parts.id == whole.id
    assert parts.usage and whole.usage
    assert parts.usage.completion_tokens == whole.usage.completion_tokens
    for part, choice in zip(parts.choices, whole.choices, strict=True):
        assert part.finish_reason == choice.finish_reason
        assert part.message.content == choice.message.content
        calls = [(c.id, c.type, c.function.name, c.function.arguments) for c in part.message.tool_calls or []]
        wanted: Any = choice.message.tool_calls or []
        assert calls == [(c.id, c.type, c.function.name, c.function.arguments) for c in wanted]
        reasoning = (choice.message.model_extra or {}).get("reasoning_content")
        assert (part.message.model_extra or {}).get("reasoning_content") == reasoning
        tokens = part.logprobs and [entry.token for entry in part.logprobs.content or []]
        assert "".join(tokens or []) == ("You said: hi there" if choice.logprobs else "")


def test_length(client: openai.OpenAI) -> None:
    body: Json = {"model": "agent", "messages": HI, "max_completion_tokens": 2}
    whole = client.chat.completions.create(**body).choices[0]
    assert (whole.message.content, whole.finish_reason) == ("You said", "length")
    chunks = [chunk.choices[0] for chunk in client.chat.completions.create(**body, stream=True)]
    assert "".join(choice.delta.content or "" for choice in chunks) == "You said"
    assert chunks[-1].finish_reason == "length"


def test_tool_loop(client: openai.OpenAI) -> None:
    first = client.chat.completions.create(model="agent", messages=HI, tools=TOOLS).choices[0]
    calls: Any = first.message.tool_calls
    assert first.finish_reason == "tool_calls"
    assert [(c.function.name, c.function.arguments) for c in calls] == [
        ("get_weather", '{"city":"Rome"}'),
        ("get_time", '{"city":"Rome"}'),
    ]
    results = [{"role": "tool", "tool_call_id": call.id, "content": f"r{i}"} for i, call in enumerate(calls)]
    history: Json = [*HI, first.message, *results]
    last = client.chat.completions.create(model="agent", messages=history, tools=TOOLS)
    assert last.choices[0].message.content == "The tools answered:\nget_weather: r0\nget_time: r1"
    assert last.usage and last.usage.prompt_tokens_details
    assert 0 < (last.usage.prompt_tokens_details.cached_tokens or 0) < last.usage.prompt_tokens


def test_choice(client: openai.OpenAI) -> None:
    named = client.chat.completions.create(
        model="agent", messages=HI, tools=TOOLS, tool_choice={"type": "function", "function": {"name": "get_time"}}
    ).choices[0]
    calls: Any = named.message.tool_calls
    assert ([call.function.name for call in calls], named.finish_reason) == (["get_time"], "stop")
    none = client.chat.completions.create(model="agent", messages=HI, tools=TOOLS, tool_choice="none").choices[0]
    assert none.message.tool_calls is None


def test_signed_reasoning_in_a_tool_loop(client: openai.OpenAI) -> None:
    body: Json = {"model": "agent-openrouter", "tools": TOOLS[:1], "extra_body": {"reasoning": {"effort": "low"}}}
    first = client.chat.completions.create(messages=HI, **body).choices[0].message
    whole: Json = first.to_dict()
    (detail,) = whole["reasoning_details"]
    assert (detail["text"], len(detail["signature"])) == (whole["reasoning"], 32)
    part = streamed(client, **body).choices[0].message
    (joined,) = part.to_dict()["reasoning_details"]
    assert (joined["text"], joined["signature"]) == (detail["text"], detail["signature"])
    calls: Any = first.tool_calls
    history: Json = [*HI, first, {"role": "tool", "tool_call_id": calls[0].id, "content": "r"}]
    last = client.chat.completions.create(messages=history, **body)
    assert last.choices[0].message.content == "The tools answered:\nget_weather: r"


def test_custom_tool(client: openai.OpenAI) -> None:
    said = client.chat.completions.create(
        model="agent", messages=HI, tools=[{"type": "custom", "custom": {"name": "sql"}}]
    )
    calls: Any = said.choices[0].message.tool_calls
    assert [(call.type, call.custom.name, call.custom.input) for call in calls] == [
        ("custom", "sql", "SELECT 1 -- sql")
    ]


def test_legacy_functions(client: openai.OpenAI) -> None:
    functions: Json = [{"name": "get_time", "parameters": CITY}]
    said = client.chat.completions.create(model="agent", messages=HI, functions=functions).choices[0]
    assert said.finish_reason == "function_call"
    assert said.message.function_call and said.message.function_call.arguments == '{"city":"Rome"}'
    history: Json = [*HI, said.message, {"role": "function", "name": "get_time", "content": "noon"}]
    last = client.chat.completions.create(model="agent", messages=history, functions=functions).choices[0]
    assert last.message.content == "The tools answered:\nget_time: noon"


def test_structured_output(client: openai.OpenAI) -> None:
    wanted: Json = {"type": "json_schema", "json_schema": {"name": "a", "schema": CITY, "strict": True}}
    said = client.chat.completions.create(model="agent", messages=HI, response_format=wanted)
    assert json.loads(said.choices[0].message.content or "") == {"city": "Rome"}


def test_usage_only_when_asked(client: openai.OpenAI) -> None:
    plain = list(client.chat.completions.create(model="agent", messages=HI, stream=True))
    asked = list(
        client.chat.completions.create(
            model="agent",
            messages=HI,
            stream=True,
            stream_options={"include_usage": True, "include_obfuscation": False},
        )
    )
    assert all(chunk.usage is None and chunk.choices for chunk in plain)
    assert [chunk.usage is None for chunk in asked] == [*[True] * (len(asked) - 1), False]
    assert asked[-1].choices == []
    assert all("obfuscation" in chunk.to_dict() for chunk in plain)
    assert not any("obfuscation" in chunk.to_dict() for chunk in asked)


def test_models(client: openai.OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert {"agent", "fault-429", "slow-50", "flaky-2", "agent-onechunk", "quirk-crlf"} <= set(names)
    assert client.models.retrieve("fault-418").id == "fault-418"
    with pytest.raises(openai.NotFoundError) as caught:
        client.models.retrieve("a/b")
    assert caught.value.code == "model_not_found"


ERRORS: list[tuple[str, type[openai.APIStatusError], str | None]] = [
    ("fault-400", openai.BadRequestError, None),
    ("fault-401", openai.AuthenticationError, "invalid_api_key"),
    ("fault-403", openai.PermissionDeniedError, "unsupported_country_region_territory"),
    ("fault-404", openai.NotFoundError, None),
    ("fault-409", openai.ConflictError, None),
    ("fault-422", openai.UnprocessableEntityError, None),
    ("fault-429", openai.RateLimitError, "rate_limit_exceeded"),
    ("fault-500", openai.InternalServerError, None),
    ("fault-503", openai.InternalServerError, None),
    ("fault-529", openai.InternalServerError, None),
    ("fault-quota", openai.RateLimitError, "insufficient_quota"),
    ("fault-context", openai.BadRequestError, "context_length_exceeded"),
    ("fault-auth", openai.AuthenticationError, "invalid_api_key"),
    ("nobody", openai.NotFoundError, "model_not_found"),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("model", "kind", "code"), ERRORS)
def test_errors(
    client: openai.OpenAI, model: str, kind: type[openai.APIStatusError], code: str | None, stream: bool
) -> None:
    with pytest.raises(kind) as caught:
        client.chat.completions.create(model=model, messages=HI, stream=stream)
    assert caught.value.code == code
    if caught.value.status_code == 429:
        assert caught.value.response.headers["retry-after"] == "1"


def test_a_broken_rule_is_the_sdks_bad_request(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="agent", messages=HI, tools=[])
    assert (caught.value.param, caught.value.code) == ("tools", "empty_array")


@pytest.mark.parametrize("headers", [{}, {"authorization": "k"}, {"authorization": "Bearer"}, {"x-api-key": "k"}])
def test_requests_without_a_key(emulation: Emulation, headers: dict[str, str]) -> None:
    url = emulation.base_url("openai-chat") + "/chat/completions"
    answer = httpx2.post(url, headers=headers, json={"model": "agent", "messages": HI})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")


def test_a_body_that_is_no_json(emulation: Emulation) -> None:
    url = emulation.base_url("openai-chat") + "/chat/completions"
    for body in (b"", b"{", b'{"a":NaN}', b"\xff"):
        answer = httpx2.post(url, headers={"authorization": "Bearer k"}, content=body)
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")


def test_a_bad_key(emulation: Emulation) -> None:
    client = openai.OpenAI(base_url=emulation.base_url("openai-chat"), api_key="bad-key", max_retries=0)
    with pytest.raises(openai.AuthenticationError):
        client.chat.completions.create(model="agent", messages=HI)
    with pytest.raises(openai.AuthenticationError):
        client.models.list()


def test_refusal(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="fault-refusal", messages=HI).choices[0]
    part = streamed(client, model="fault-refusal").choices[0]
    for choice in (whole, part):
        assert (choice.message.refusal, choice.finish_reason) == ("I can't help with that.", "stop")
        assert not choice.message.content


def test_empty(client: openai.OpenAI) -> None:
    for choice in (
        client.chat.completions.create(model="fault-empty", messages=HI, tools=TOOLS).choices[0],
        streamed(client, model="fault-empty", tools=TOOLS).choices[0],
    ):
        assert (choice.message.content, choice.message.tool_calls, choice.finish_reason) == ("", None, "stop")


def test_bad_arguments(client: openai.OpenAI) -> None:
    whole: Any = client.chat.completions.create(model="fault-bad-arguments", messages=HI, tools=TOOLS).choices[0]
    part = streamed(client, model="fault-bad-arguments", tools=TOOLS).choices[0]
    for choice in (whole, part):
        assert [call.function.arguments for call in choice.message.tool_calls] == ['{"city":"Rome", "broken": '] * 2


def test_malformed(client: openai.OpenAI) -> None:
    with pytest.raises(json.JSONDecodeError):
        client.chat.completions.create(model="fault-malformed", messages=HI)
    with pytest.raises(json.JSONDecodeError):
        list(client.chat.completions.create(model="fault-malformed", messages=HI, stream=True))


def test_error_before_content(client: openai.OpenAI) -> None:
    with pytest.raises(openai.InternalServerError):
        client.chat.completions.create(model="fault-error-first", messages=HI)
    said = ""
    with pytest.raises(openai.APIError, match="had an error"):
        for chunk in client.chat.completions.create(model="fault-error-first", messages=HI, stream=True):
            said += chunk.choices[0].delta.content or ""
    assert said == ""


def test_cut(client: openai.OpenAI) -> None:
    with pytest.raises(openai.APIConnectionError):
        client.chat.completions.create(model="fault-cut", messages=HI)
    chunks = list(client.chat.completions.create(model="fault-cut", messages=HI, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "You said: hi there"
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * len(chunks)


def test_reset(client: openai.OpenAI) -> None:
    with pytest.raises(openai.APIConnectionError):
        client.chat.completions.create(model="fault-reset", messages=HI)
    said = ""
    with pytest.raises(openai.APIConnectionError):
        for chunk in client.chat.completions.create(model="fault-reset", messages=HI, stream=True):
            said += chunk.choices[0].delta.content or ""
    assert said == "You said: hi"


def test_stall(client: openai.OpenAI) -> None:
    impatient = client.with_options(timeout=0.3)
    with pytest.raises(openai.APITimeoutError):
        impatient.chat.completions.create(model="fault-stall", messages=HI)
    said = ""
    with pytest.raises(openai.APITimeoutError):
        for chunk in impatient.chat.completions.create(model="fault-stall", messages=HI, stream=True):
            said += chunk.choices[0].delta.content or ""
    assert said == "You said: hi"


@pytest.mark.parametrize("stream", [False, True])
def test_silent(client: openai.OpenAI, stream: bool) -> None:
    with pytest.raises(openai.APITimeoutError):
        client.with_options(timeout=0.2).chat.completions.create(model="fault-silent", messages=HI, stream=stream)


def test_flaky(client: openai.OpenAI) -> None:
    for _ in range(2):
        with pytest.raises(openai.InternalServerError) as caught:
            client.chat.completions.create(model="flaky-1", messages=HI, user="test_flaky")
        assert caught.value.status_code == 503
        said = client.chat.completions.create(model="flaky-1", messages=HI, user="test_flaky")
        assert said.choices[0].message.content == "You said: hi there"


def test_the_sdk_retries_what_is_flaky(client: openai.OpenAI) -> None:
    patient = client.with_options(max_retries=1)
    said = patient.chat.completions.create(model="flaky-1", messages=HI, user="test_retry")
    assert said.choices[0].message.content == "You said: hi there"


def test_one_chunk(client: openai.OpenAI) -> None:
    chunks = list(client.chat.completions.create(model="agent-onechunk", messages=HI, tools=TOOLS, stream=True))
    (choice,) = (chunk.choices[0] for chunk in chunks)
    assert (choice.delta.role, choice.delta.content, choice.finish_reason) == ("assistant", None, "tool_calls")
    assert [(c.function.name, c.function.arguments) for c in choice.delta.tool_calls or [] if c.function] == [
        ("get_weather", '{"city":"Rome"}'),
        ("get_time", '{"city":"Rome"}'),
    ]


@pytest.mark.parametrize(
    "quirk", ["crlf", "cr", "bom", "comments", "no-space", "blank-lines", "no-done", "null-fields"]
)
def test_what_the_sdk_forgives(client: openai.OpenAI, quirk: str) -> None:
    assert streamed(client, model=f"quirk-{quirk}").choices[0].message.content == "You said: hi there"


def test_requests_are_kept(client: openai.OpenAI, emulation: Emulation) -> None:
    client.chat.completions.create(model="agent", messages=[{"role": "user", "content": "kept"}])
    last = emulation.requests[-1]
    assert (last.api, last.method, last.path) == ("openai-chat", "POST", "/v1/chat/completions")
    assert last.body == {"model": "agent", "messages": [{"role": "user", "content": "kept"}]}
    assert last.headers["authorization"] == "Bearer k"
