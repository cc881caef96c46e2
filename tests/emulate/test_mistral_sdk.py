"""The official SDK against the emulated Mistral, over a socket."""

import json
from typing import Any

import httpx2
import pytest
from mistralai.client import Mistral, errors

from proxy.emulate import Emulation

Json = Any
CITY = {"type": "object", "properties": {"city": {"enum": ["Rome"]}}, "required": ["city"]}
TOOLS: Json = [
    {"type": "function", "function": {"name": "get_weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "get_time", "parameters": CITY}},
]
HI: Json = [{"role": "user", "content": "hi there"}]
BOTH = [("get_weather", '{"city":"Rome"}'), ("get_time", '{"city":"Rome"}')]


def client_of(emulation: Emulation, key: str = "k", timeout: int = 5000) -> Mistral:
    return Mistral(
        api_key=key, server_url=emulation.base_url("mistral-chat"), timeout_ms=timeout, retry_config=None
    )  # fmt: skip


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> Mistral:
    return client_of(emulation)


def whole(client: Mistral, **body: Json) -> Any:
    return client.chat.complete(**{"model": "agent", "messages": HI, "retries": None, **body})


def chunks(client: Mistral, **body: Json) -> list[Any]:
    with client.chat.stream(**{"model": "agent", "messages": HI, "retries": None, **body}) as stream:
        return [event.data for event in stream]


def texts(content: Any) -> tuple[str, str]:
    """Reasoning and text of a content."""
    if isinstance(content, str) or not content:
        return "", content or ""
    thoughts = "".join(inside.text for part in content if part.type == "thinking" for inside in part.thinking)
    return thoughts, "".join(part.text for part in content if part.type == "text")


def told(message: Any) -> tuple[str, str, list[tuple[str, str, str]]]:
    calls = [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
    return *texts(message.content), calls


def added(found: list[Any]) -> tuple[str, str, list[tuple[str, str, str]]]:
    """What the deltas of the first choice say together."""
    deltas = [told(choice.delta) for chunk in found for choice in chunk.choices if choice.index == 0]
    return "".join(d[0] for d in deltas), "".join(d[1] for d in deltas), [call for d in deltas for call in d[2]]


def test_text(client: Mistral) -> None:
    said = whole(client)
    assert said.choices[0].message.content == "You said: hi there"
    assert (said.choices[0].finish_reason, said.model, said.object) == ("stop", "agent", "chat.completion")
    assert said.usage.completion_tokens == 5
    assert said.usage.total_tokens == said.usage.prompt_tokens + 5


BODIES: list[Json] = [
    {},
    {"tools": TOOLS},
    {"tools": TOOLS, "tool_choice": "any", "parallel_tool_calls": False},
    {"tools": TOOLS, "messages": [{"role": "user", "content": "call 20"}]},
    {"reasoning_effort": "high"},
    {"model": "agent-magistral-medium", "tools": TOOLS},
    {"stop": ["there"]},
    {"n": 2},
]


@pytest.mark.parametrize("body", BODIES)
def test_the_stream_adds_up_to_the_whole(client: Mistral, body: Json) -> None:
    one, found = whole(client, **body), chunks(client, **body)
    assert {chunk.id for chunk in found} == {one.id}
    assert added(found) == told(one.choices[0].message)
    finishes = [choice.finish_reason for chunk in found for choice in chunk.choices if choice.index == 0]
    assert finishes == [*[None] * (len(finishes) - 1), one.choices[0].finish_reason]
    assert [chunk.usage is None for chunk in found] == [*[True] * (len(found) - 1), False]
    assert found[-1].usage.completion_tokens == one.usage.completion_tokens


def test_the_wire_of_a_stream(emulation: Emulation) -> None:
    """Whole calls beside the finish and the usage, without a type."""
    answer = httpx2.post(
        emulation.base_url("mistral-chat") + "/v1/chat/completions", headers={"authorization": "Bearer k"},
        json={"model": "agent", "messages": HI, "tools": TOOLS[:1], "stream": True},
    )  # fmt: skip
    lines = answer.text.split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    bodies = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    assert [body["choices"][0]["delta"].get("role") for body in bodies] == ["assistant", None]
    last = bodies[-1]["choices"][0]
    (call,) = last["delta"]["tool_calls"]
    assert (sorted(call), call["index"], len(call["id"]), last["finish_reason"]) == (
        ["function", "id", "index"], 0, 9, "tool_calls",
    )  # fmt: skip
    assert bodies[-1]["usage"]["completion_tokens"] > 0


def test_tool_loop(client: Mistral) -> None:
    first = whole(client, tools=TOOLS).choices[0]
    calls = first.message.tool_calls
    assert [(call.function.name, call.function.arguments) for call in calls] == BOTH
    assert all(len(call.id) == 9 and call.id.isalnum() for call in calls)
    results = [{"role": "tool", "name": c.function.name, "tool_call_id": c.id, "content": f"r{i}"}
               for i, c in enumerate(calls)]  # fmt: skip
    last = whole(client, tools=TOOLS, messages=[*HI, first.message, *results])
    assert last.choices[0].message.content == "The tools answered:\nget_weather: r0\nget_time: r1"


def test_reasoning_comes_back(client: Mistral) -> None:
    first = whole(client, tools=TOOLS[:1], reasoning_effort="high").choices[0].message
    assert texts(first.content)[0].startswith("The user asks")
    result = {"role": "tool", "name": "get_weather", "tool_call_id": first.tool_calls[0].id, "content": "r"}
    last = whole(client, tools=TOOLS[:1], messages=[*HI, first, result], reasoning_effort="high")
    assert texts(last.choices[0].message.content)[1] == "The tools answered:\nget_weather: r"


def test_choice(client: Mistral) -> None:
    for choice, names in (
        ({"type": "function", "function": {"name": "get_time"}}, ["get_time"]),
        ("any", ["get_weather", "get_time"]),
        ("required", ["get_weather", "get_time"]),
    ):
        calls = whole(client, tools=TOOLS, tool_choice=choice).choices[0].message.tool_calls
        assert [call.function.name for call in calls] == names
    assert not whole(client, tools=TOOLS, tool_choice="none").choices[0].message.tool_calls


def test_structured_output(client: Mistral) -> None:
    wanted: Json = {"type": "json_schema", "json_schema": {"name": "a", "schema_definition": CITY, "strict": True}}
    assert json.loads(whole(client, response_format=wanted).choices[0].message.content) == {"city": "Rome"}
    said = whole(client, response_format={"type": "json_object"})
    assert list(json.loads(said.choices[0].message.content)) == ["answer"]


def test_length_and_prefix(client: Mistral) -> None:
    cut = whole(client, max_tokens=2).choices[0]
    assert (cut.message.content, cut.finish_reason) == ("You said", "length")
    begun: Json = [*HI, {"role": "assistant", "content": "Well. ", "prefix": True}]
    assert whole(client, messages=begun).choices[0].message.content == "Well. You said: hi there"
    assert added(chunks(client, messages=begun))[1] == "Well. You said: hi there"


def test_models(client: Mistral) -> None:
    listed: Any = client.models.list().data
    names = {model.id for model in listed}
    assert {"agent", "fault-429", "quirk-null-ids"} <= names
    one: Any = client.models.retrieve(model_id="fault-418")
    assert one.id == "fault-418"


ERRORS: list[tuple[str, int, Json]] = [
    ("fault-400", 400, {"type": "invalid_request_error", "code": None}),
    ("fault-401", 401, {"message": "Unauthorized"}),
    ("fault-403", 403, {"request_id": "emulated"}),
    ("fault-404", 404, {"object": "error"}),
    ("fault-429", 429, {"type": "rate_limited", "code": "1300"}),
    ("fault-500", 500, {"type": "internal_server_error", "code": "3000"}),
    ("fault-503", 503, {"type": "service_tier_capacity_exceeded", "code": "3505"}),
    ("fault-quota", 402, {"request_id": "emulated"}),
    ("fault-context", 400, {"code": "3051"}),
    ("fault-auth", 401, {"message": "Unauthorized"}),
    ("nobody", 400, {"message": "Invalid model: nobody", "type": "invalid_model", "code": "1500"}),
]


@pytest.mark.parametrize("call", [whole, chunks])
@pytest.mark.parametrize(("model", "status", "members"), ERRORS)
def test_errors(client: Mistral, model: str, status: int, members: Json, call: Any) -> None:
    with pytest.raises(errors.SDKError) as caught:
        call(client, model=model)
    assert caught.value.status_code == status
    assert members.items() <= json.loads(caught.value.body).items()
    assert caught.value.headers.get("retry-after") == ("1" if status == 429 else None)


def test_an_unknown_field_is_the_sdks_validation_error(client: Mistral) -> None:
    with pytest.raises(errors.HTTPValidationError) as caught:
        whole(client, top_k=3)
    (detail,) = caught.value.data.detail or []
    assert (detail.loc, detail.msg) == (["body", "top_k"], "Extra inputs are not permitted")


def test_the_wrong_order(client: Mistral) -> None:
    first = whole(client, tools=TOOLS[:1]).choices[0].message
    result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "r"}
    with pytest.raises(errors.SDKError, match="Unexpected role 'user' after role 'tool'") as caught:
        whole(client, tools=TOOLS[:1], messages=[*HI, first, result, *HI])
    assert json.loads(caught.value.body)["code"] == "3230"


def test_keys_and_bodies(emulation: Emulation) -> None:
    url = emulation.base_url("mistral-chat") + "/v1/chat/completions"
    for headers in ({}, {"authorization": "Bearer bad-key"}, {"x-api-key": "k"}):
        assert httpx2.post(url, headers=headers, json={}).status_code == 401
    answer = httpx2.post(url, headers={"authorization": "Bearer k"}, content=b"{")
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "json_invalid")
    with pytest.raises(errors.SDKError):
        whole(client_of(emulation, "bad-key"))


def test_refusal_and_empty(client: Mistral) -> None:
    """There is no refusal on this wire: it is a text."""
    for model, text in (("fault-refusal", "I can't help with that."), ("fault-empty", "")):
        said = whole(client, model=model, tools=TOOLS).choices[0]
        assert (said.message.content, said.message.tool_calls, said.finish_reason) == (text, None, "stop")
        assert added(chunks(client, model=model, tools=TOOLS)) == ("", text, [])


def test_bad_arguments(client: Mistral) -> None:
    broken = '{"city":"Rome", "broken": '
    calls = whole(client, model="fault-bad-arguments", tools=TOOLS).choices[0].message.tool_calls
    assert [call.function.arguments for call in calls] == [broken] * 2
    assert [call[2] for call in added(chunks(client, model="fault-bad-arguments", tools=TOOLS))[2]] == [broken] * 2


def test_malformed(client: Mistral) -> None:
    with pytest.raises(errors.ResponseValidationError):
        whole(client, model="fault-malformed")
    with pytest.raises(errors.ResponseValidationError):
        chunks(client, model="fault-malformed")


def test_error_before_content(client: Mistral) -> None:
    with pytest.raises(errors.SDKError):
        whole(client, model="fault-error-first")
    with pytest.raises((errors.SDKError, errors.ResponseValidationError)):
        chunks(client, model="fault-error-first")


def gathered(client: Mistral, model: str, found: list[str]) -> None:
    with client.chat.stream(model=model, messages=HI, retries=None) as stream:
        found.extend(text for event in stream if (text := texts(event.data.choices[0].delta.content)[1]))


def test_cut(client: Mistral) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        whole(client, model="fault-cut")
    found = chunks(client, model="fault-cut", tools=TOOLS)
    assert [(call[1], call[2]) for call in added(found)[2]] == BOTH
    assert [choice.finish_reason for chunk in found for choice in chunk.choices] == [None] * len(found)


def test_reset_and_stall(emulation: Emulation) -> None:
    impatient = client_of(emulation, timeout=300)
    for model, error in (("fault-reset", httpx2.ReadError), ("fault-stall", httpx2.ReadTimeout)):
        found: list[str] = []
        with pytest.raises(error):
            gathered(impatient, model, found)
        assert found == ["You said: hi"]
    with pytest.raises(httpx2.ReadTimeout):
        whole(impatient, model="fault-silent")


def test_flaky(client: Mistral) -> None:
    with pytest.raises(errors.SDKError):
        whole(client, model="flaky-1", prompt_cache_key="test_flaky")
    assert whole(client, model="flaky-1", prompt_cache_key="test_flaky").choices[0].message.content


@pytest.mark.parametrize("quirk", ["crlf", "comments", "no-space", "no-done", "null-content"])
def test_what_the_sdk_forgives(client: Mistral, quirk: str) -> None:
    assert added(chunks(client, model=f"quirk-{quirk}"))[1] == "You said: hi there"


def test_ids_that_the_sdk_fills_in(client: Mistral) -> None:
    """Two calls without id and index are both `null` and 0."""
    for quirk in ("null-ids", "no-ids", "no-index"):
        for calls in (
            whole(client, model=f"quirk-{quirk}", tools=TOOLS).choices[0].message.tool_calls,
            chunks(client, model=f"quirk-{quirk}", tools=TOOLS)[-1].choices[0].delta.tool_calls,
        ):
            assert [call.id == "null" for call in calls] == [quirk != "no-index"] * 2
            assert [call.index for call in calls] == ([0, 1] if quirk == "no-ids" else [0, 0])


def test_incremental_calls(client: Mistral) -> None:
    found = chunks(client, model="quirk-incremental", tools=TOOLS[:1])
    calls = [call for chunk in found for call in chunk.choices[0].delta.tool_calls or []]
    assert [(call.id, call.function.name, call.index) for call in calls] == [
        ("chatcmpl-tool-" + "0" * 32, "get_weather", 0), ("null", "", 0), ("null", "", 0),
    ]  # fmt: skip
    assert "".join(call.function.arguments for call in calls) == '{"city":"Rome"}'
