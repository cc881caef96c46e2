"""The official SDK against the emulated Cohere, over a socket."""

import json
from typing import Any

import cohere
import httpx2
import pytest
from cohere import errors
from cohere.core import ApiError

from proxy.emulate import Emulation

Json = Any
CITY = {"type": "object", "properties": {"city": {"type": "string", "enum": ["Rome"]}}, "required": ["city"]}
TOOLS: Json = [
    {"type": "function", "function": {"name": "get_weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "get_time", "parameters": CITY}},
]
HI: Json = [{"role": "user", "content": "hi there"}]
BOTH = [("get_weather", '{"city":"Rome"}'), ("get_time", '{"city":"Rome"}')]


def client_of(emulation: Emulation, key: str = "k", timeout: float = 5) -> cohere.ClientV2:
    return cohere.ClientV2(key, base_url=emulation.base_url("cohere-chat"), timeout=timeout, max_retries=0)


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> cohere.ClientV2:
    return client_of(emulation)


def whole(client: cohere.ClientV2, **body: Json) -> Any:
    return client.chat(**{"model": "agent", "messages": HI, **body})


def events(client: cohere.ClientV2, **body: Json) -> list[Any]:
    return list(client.chat_stream(**{"model": "agent", "messages": HI, **body}))


def told(message: Any) -> tuple[str, str, str, list[tuple[str, str, str]]]:
    """Thinking, plan, text, calls."""
    content = message.content or []
    return (
        "".join(part.thinking for part in content if part.type == "thinking"),
        message.tool_plan or "",
        "".join(part.text for part in content if part.type == "text"),
        [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []],
    )


def added(found: list[Any]) -> tuple[str, str, str, list[tuple[str, str, str]]]:
    """The same of a stream's deltas."""
    thinking, plan, text, calls = "", "", "", list[list[str]]()
    for event in found:
        message: Any = getattr(getattr(event, "delta", None), "message", None)
        if event.type == "tool-plan-delta":
            plan += message.tool_plan
        elif event.type == "content-delta":
            thinking += message.content.thinking or ""
            text += message.content.text or ""
        elif event.type == "tool-call-start":
            call = message.tool_calls
            calls.append([call.id, call.function.name, call.function.arguments])
        elif event.type == "tool-call-delta":
            calls[-1][2] += message.tool_calls.function.arguments
    return thinking, plan, text, [(call[0], call[1], call[2]) for call in calls]


def test_text(client: cohere.ClientV2) -> None:
    said = whole(client)
    assert [(part.type, part.text) for part in said.message.content] == [("text", "You said: hi there")]
    assert (said.finish_reason, said.message.role, said.message.tool_calls) == ("COMPLETE", "assistant", None)
    assert said.usage.tokens.output_tokens == said.usage.billed_units.output_tokens == 5
    assert said.usage.tokens.input_tokens > said.usage.billed_units.input_tokens > 0


BODIES: list[Json] = [
    {},
    {"tools": TOOLS},
    {"tools": TOOLS, "tool_choice": "REQUIRED"},
    {"tools": TOOLS, "messages": [{"role": "user", "content": "call 20"}]},
    {"thinking": {"type": "enabled"}},
    {"model": "agent-command-a-reasoning", "tools": TOOLS},
    {"stop_sequences": ["there"]},
    {"max_tokens": 2},
]


@pytest.mark.parametrize("body", BODIES)
def test_the_stream_adds_up_to_the_whole(client: cohere.ClientV2, body: Json) -> None:
    one, found = whole(client, **body), events(client, **body)
    assert added(found) == told(one.message)
    assert (found[0].type, found[-1].type, found[0].id, found[-1].delta.finish_reason) == (
        "message-start", "message-end", one.id, one.finish_reason,
    )  # fmt: skip
    assert found[-1].delta.usage.tokens.output_tokens == one.usage.tokens.output_tokens
    kinds = [event.type for event in found]
    for kind in ("content", "tool-call"):
        assert kinds.count(f"{kind}-start") == kinds.count(f"{kind}-end")


def test_the_wire_of_a_stream(emulation: Emulation) -> None:
    """Named events whose deltas hold objects, not lists."""
    answer = httpx2.post(
        emulation.base_url("cohere-chat") + "/v2/chat", headers={"authorization": "Bearer k"},
        json={"model": "agent", "messages": HI, "tools": TOOLS[:1], "stream": True},
    )  # fmt: skip
    read = [event.split("\n") for event in answer.text.split("\n\n")[:-1]]
    bodies = [json.loads(data.removeprefix("data: ")) for _, data in read]
    assert [name for name, _ in read] == [f"event: {body['type']}" for body in bodies]
    assert [body["type"] for body in bodies] == [
        "message-start", "tool-plan-delta", "tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-delta",
        "tool-call-end", "message-end",
    ]  # fmt: skip
    call = bodies[3]["delta"]["message"]["tool_calls"]
    assert (call["function"], call["id"][:12], bodies[3]["index"]) == (
        {"name": "get_weather", "arguments": ""}, "get_weather_", 0,
    )  # fmt: skip
    assert bodies[4]["delta"] == {"message": {"tool_calls": {"function": {"arguments": '{"city":"Rom'}}}}


def test_tool_loop(client: cohere.ClientV2) -> None:
    first = whole(client, tools=TOOLS)
    thinking, plan, text, calls = told(first.message)
    assert (thinking, plan, text, first.finish_reason) == ("", "I will use get_weather, get_time.", "", "TOOL_CALL")
    assert [call[1:] for call in calls] == BOTH
    results = [{"role": "tool", "tool_call_id": call[0], "content": f"r{i}"} for i, call in enumerate(calls)]
    last = whole(client, tools=TOOLS, messages=[*HI, first.message, *results])
    assert told(last.message)[2] == "The tools answered:\nget_weather: r0\nget_time: r1"


def test_thinking_comes_back(client: cohere.ClientV2) -> None:
    body: Json = {"tools": TOOLS[:1], "thinking": {"type": "enabled", "token_budget": 100}}
    first = whole(client, **body).message
    assert told(first)[0].startswith("The user asks")
    document = {"type": "document", "document": {"data": {"degrees": 21}}}
    result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": [document]}
    last = whole(client, messages=[*HI, first, result], **body).message
    assert told(last)[2] == 'The tools answered:\nget_weather: {"degrees":21}'


def test_choice(client: cohere.ClientV2) -> None:
    assert told(whole(client, tools=TOOLS, tool_choice="NONE").message)[3] == []
    assert len(told(whole(client, tools=TOOLS, tool_choice="REQUIRED").message)[3]) == 2


def test_structured_output(client: cohere.ClientV2) -> None:
    said = whole(client, response_format={"type": "json_object", "json_schema": CITY})
    assert json.loads(said.message.content[0].text) == {"city": "Rome"}
    said = whole(client, response_format={"type": "json_object"})
    assert list(json.loads(said.message.content[0].text)) == ["answer"]


def test_logprobs(client: cohere.ClientV2) -> None:
    assert "".join(entry.text for entry in whole(client, logprobs=True).logprobs) == "You said: hi there"


def test_models(client: cohere.ClientV2) -> None:
    names = {model.name for model in client.models.list().models}
    assert {"agent", "fault-429", "quirk-done"} <= names
    assert client.models.get("fault-418").name == "fault-418"
    with pytest.raises(errors.NotFoundError):
        client.models.get("nobody")


ERRORS: list[tuple[str, type[ApiError], int, str]] = [
    ("fault-400", errors.BadRequestError, 400, "invalid request"),
    ("fault-401", errors.UnauthorizedError, 401, "invalid api token"),
    ("fault-402", ApiError, 402, "Maximum billing reached"),
    ("fault-403", errors.ForbiddenError, 403, "no access"),
    ("fault-404", errors.NotFoundError, 404, "not found"),
    ("fault-422", errors.UnprocessableEntityError, 422, "unprocessable"),
    ("fault-429", errors.TooManyRequestsError, 429, "past the per minute request limit"),
    ("fault-498", errors.InvalidTokenError, 498, "blocked"),
    ("fault-500", errors.InternalServerError, 500, "internal server error"),
    ("fault-503", errors.ServiceUnavailableError, 503, "temporarily unavailable"),
    ("fault-504", errors.GatewayTimeoutError, 504, "timed out"),
    ("fault-quota", ApiError, 402, "payment method"),
    ("fault-context", errors.BadRequestError, 400, "total number of tokens in the prompt cannot exceed"),
    ("fault-auth", errors.UnauthorizedError, 401, "invalid api token"),
    ("nobody", errors.NotFoundError, 404, "model 'nobody' not found"),
]


@pytest.mark.parametrize("call", [whole, events])
@pytest.mark.parametrize(("model", "kind", "status", "text"), ERRORS)
def test_errors(client: cohere.ClientV2, model: str, kind: type[ApiError], status: int, text: str, call: Any) -> None:
    with pytest.raises(kind) as caught:
        call(client, model=model)
    assert caught.value.status_code == status
    body = caught.value.body
    assert text in (body["message"] if isinstance(body, dict) else str(body))
    assert (caught.value.headers or {}).get("retry-after") == ("1" if status == 429 else None)


def test_a_broken_rule_is_the_sdks_error(client: cohere.ClientV2) -> None:
    with pytest.raises(errors.BadRequestError) as caught:
        whole(client, tools=[{"type": "function", "function": {"name": "a-b", "parameters": CITY}}])
    assert "A-Za-z0-9_" in str(caught.value.body)
    with pytest.raises(errors.UnprocessableEntityError):
        whole(client, request_options={"additional_body_parameters": {"top_p": 1}})


def test_keys_and_bodies(emulation: Emulation) -> None:
    url = emulation.base_url("cohere-chat") + "/v2/chat"
    assert httpx2.post(url, json={}).json()["message"] == "no api key supplied"
    refused = httpx2.post(url, headers={"authorization": "Bearer bad-key"}, json={})
    assert (refused.status_code, refused.json()["message"]) == (401, "invalid api token")
    assert httpx2.post(url, headers={"authorization": "Bearer k"}, content=b"{").status_code == 400


def test_refusal_and_empty(client: cohere.ClientV2) -> None:
    for model, text, finish in (
        ("fault-refusal", "I can't help with that.", "ERROR_TOXIC"),
        ("fault-empty", "", "COMPLETE"),
    ):
        one, found = whole(client, model=model, tools=TOOLS), events(client, model=model, tools=TOOLS)
        assert told(one.message) == added(found) == ("", "", text, [])
        assert one.finish_reason == found[-1].delta.finish_reason == finish


def test_bad_arguments(client: cohere.ClientV2) -> None:
    body: Json = {"model": "fault-bad-arguments", "tools": TOOLS}
    for calls in (told(whole(client, **body).message)[3], added(events(client, **body))[3]):
        assert [call[2] for call in calls] == ['{"city":"Rome", "broken": '] * 2


def test_malformed(client: cohere.ClientV2) -> None:
    with pytest.raises(ApiError):
        whole(client, model="fault-malformed")
    assert added(events(client, model="fault-malformed")) == ("", "", "", [])


def test_error_before_content(client: cohere.ClientV2) -> None:
    with pytest.raises(errors.InternalServerError):
        whole(client, model="fault-error-first")
    found = events(client, model="fault-error-first")
    assert added(found) == ("", "", "", [])
    assert (found[-1].type, found[-1].delta.finish_reason) == ("message-end", "ERROR")
    assert found[-1].delta.error.startswith("internal server error")


def test_cut(client: cohere.ClientV2) -> None:
    with pytest.raises(Exception, match="peer closed connection"):
        whole(client, model="fault-cut")
    found = events(client, model="fault-cut")
    assert added(found)[2] == "You said: hi there"
    assert found[-1].type == "content-end"


def gathered(client: cohere.ClientV2, model: str, found: list[str]) -> None:
    stream: Any = client.chat_stream(model=model, messages=HI)
    for event in stream:
        if event.type == "content-delta":
            found.append(event.delta.message.content.text)


def test_reset_and_stall(emulation: Emulation) -> None:
    impatient = client_of(emulation, timeout=0.3)
    for model, error in (("fault-reset", "reset"), ("fault-stall", "timed out")):
        found: list[str] = []
        with pytest.raises(Exception, match=error):
            gathered(impatient, model, found)
        assert found == ["You said: hi"]
    with pytest.raises(Exception, match="timed out"):
        whole(impatient, model="fault-silent")


def test_flaky(client: cohere.ClientV2) -> None:
    with pytest.raises(errors.ServiceUnavailableError):
        whole(client, model="flaky-1")
    assert told(whole(client, model="flaky-1").message)[2] == "You said: hi there"


@pytest.mark.parametrize("quirk", ["crlf", "comments", "no-space", "citations", "debug-events", "float-usage"])
def test_what_the_sdk_forgives(client: cohere.ClientV2, quirk: str) -> None:
    assert added(events(client, model=f"quirk-{quirk}"))[2] == "You said: hi there"


@pytest.mark.parametrize("quirk", ["index-from-3", "arguments-in-start", "no-tool-plan", "no-message-start"])
def test_calls_that_the_sdk_forgives(client: cohere.ClientV2, quirk: str) -> None:
    assert [call[1:] for call in added(events(client, model=f"quirk-{quirk}", tools=TOOLS))[3]] == BOTH
