"""The official SDK against the emulator, over a socket."""

import json
from typing import Any

import anthropic
import httpx2
import pytest

from proxy.emulate import Emulation

Json = Any
CITY = {
    "type": "object",
    "properties": {"city": {"enum": ["Rome"]}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOLS: Json = [{"name": "get_weather", "input_schema": CITY}, {"name": "get_time", "input_schema": CITY}]
HI: Json = [{"role": "user", "content": "hi there"}]
MARK: Json = {"cache_control": {"type": "ephemeral"}}


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=emulation.base_url("anthropic-messages"), api_key="k", max_retries=0, timeout=5)


def whole(client: anthropic.Anthropic, **body: Json) -> Any:
    return client.messages.create(**{"model": "agent", "max_tokens": 4096, "messages": HI, **body})


def streamed(client: anthropic.Anthropic, **body: Json) -> Any:
    with client.messages.stream(**{"model": "agent", "max_tokens": 4096, "messages": HI, **body}) as stream:
        return stream.get_final_message()


def shown(block: Any) -> Json:
    """The block without what the SDK adds to streamed ones."""
    return {name: value for name, value in block.to_dict().items() if name != "parsed_output"}


def test_text(client: anthropic.Anthropic) -> None:
    said = whole(client)
    assert [(block.type, block.text) for block in said.content] == [("text", "You said: hi there")]
    assert (said.stop_reason, said.stop_sequence, said.model, said.role) == ("end_turn", None, "agent", "assistant")
    assert said.usage.output_tokens == 5
    assert said.id.startswith("msg_") and said._request_id == "req_emulated"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tools": TOOLS},
        {"tools": TOOLS, "tool_choice": {"type": "any", "disable_parallel_tool_use": True}},
        {"tools": TOOLS, "messages": [{"role": "user", "content": "call 20"}]},
        {"tools": [{"name": "now", "input_schema": {"type": "object", "properties": {}}}]},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}, "tools": TOOLS},
        {"thinking": {"type": "adaptive", "display": "omitted"}},
        {"thinking": {"type": "adaptive"}, "messages": [{"role": "user", "content": "REDACTED_THINKING"}]},
        {"stop_sequences": ["there"]},
        {"max_tokens": 2},
        {"max_tokens": 0},
        {"system": [{"type": "text", "text": "be kind", **MARK}]},
        {"model": "fault-refusal"},
        {"model": "fault-empty"},
        {"model": "quirk-context-window"},
    ],
)
def test_the_stream_adds_up_to_the_whole(client: anthropic.Anthropic, body: Json) -> None:
    one, other = whole(client, **body), streamed(client, **body)
    assert [shown(block) for block in other.content] == [shown(block) for block in one.content]
    assert (other.id, other.stop_reason, other.stop_sequence) == (one.id, one.stop_reason, one.stop_sequence)
    assert other.stop_details == one.stop_details
    assert other.usage.output_tokens == one.usage.output_tokens
    size = [
        u.input_tokens + u.cache_read_input_tokens + u.cache_creation_input_tokens for u in (one.usage, other.usage)
    ]
    assert size[0] == size[1]


def test_finishes(client: anthropic.Anthropic) -> None:
    stopped = whole(client, stop_sequences=["there"])
    assert (stopped.stop_reason, stopped.stop_sequence, stopped.content[0].text) == (
        "stop_sequence",
        "there",
        "You said: hi ",
    )
    assert (short := whole(client, max_tokens=2)).stop_reason == "max_tokens"
    assert short.content[0].text == "You said"
    refused = whole(client, model="fault-refusal")
    assert (refused.stop_reason, refused.content, refused.stop_details.type) == ("refusal", [], "refusal")


def test_a_call_cut_by_the_limit(client: anthropic.Anthropic) -> None:
    limit = {"tools": TOOLS[:1], "max_tokens": 8}
    said = whole(client, **limit)
    assert [block.type for block in said.content] == ["text", "tool_use"]
    assert (said.content[1].input, said.stop_reason) == ({}, "max_tokens")
    raw = client.messages.create(model="agent", messages=HI, stream=True, **limit)
    deltas = [event.delta for event in raw if event.type == "content_block_delta"]
    assert "".join(delta.partial_json for delta in deltas if delta.type == "input_json_delta") == '{"city":"'


def test_tool_loop_with_signed_thinking(client: anthropic.Anthropic) -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    first = streamed(client, tools=TOOLS, thinking=thinking)
    assert [block.type for block in first.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert first.stop_reason == "tool_use"
    calls = [block for block in first.content if block.type == "tool_use"]
    assert [(call.name, call.input) for call in calls] == [
        ("get_weather", {"city": "Rome"}),
        ("get_time", {"city": "Rome"}),
    ]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": f"r{i}"} for i, call in enumerate(calls)]
    history: Json = [*HI, first.to_param(), {"role": "user", "content": results}]
    last = whole(client, messages=history, tools=TOOLS, thinking=thinking)
    assert last.content[-1].text == "The tools answered:\nget_weather: r0\nget_time: r1"
    assert last.stop_reason == "end_turn"


def test_structured_output(client: anthropic.Anthropic) -> None:
    said = whole(client, output_config={"format": {"type": "json_schema", "schema": CITY}})
    assert json.loads(said.content[0].text) == {"city": "Rome"}


def test_the_cache_needs_marks(client: anthropic.Anthropic) -> None:
    system: Json = [{"type": "text", "text": "a system prompt of its own", **MARK}]
    first, again = (whole(client, system=system).usage for _ in range(2))
    assert first.cache_creation_input_tokens > 0 and first.cache_read_input_tokens == 0
    assert again.cache_read_input_tokens == first.cache_creation_input_tokens
    assert (again.cache_creation_input_tokens, again.input_tokens) == (0, first.input_tokens)
    assert first.cache_creation.ephemeral_5m_input_tokens == first.cache_creation_input_tokens
    unmarked = [whole(client, system="another one without a mark").usage for _ in range(2)]
    assert {(usage.cache_read_input_tokens, usage.cache_creation_input_tokens) for usage in unmarked} == {(0, 0)}


def test_event_grammar(client: anthropic.Anthropic) -> None:
    raw = client.messages.create(model="agent", max_tokens=99, messages=HI, tools=TOOLS[:1], stream=True)
    events = [event.type for event in raw]
    assert events[0] == "message_start"
    assert events[-2:] == ["message_delta", "message_stop"]
    assert events.count("content_block_start") == events.count("content_block_stop") == 2


def test_pings_are_sent(emulation: Emulation) -> None:
    body = {"model": "agent", "max_tokens": 9, "messages": HI, "stream": True}
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    answer = httpx2.post(
        emulation.base_url("anthropic-messages") + "/v1/messages?beta=true", json=body, headers=headers
    )
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert 'event: ping\ndata: {"type":"ping"}\n\n' in answer.text


def test_count_tokens(client: anthropic.Anthropic) -> None:
    counted = client.messages.count_tokens(model="agent", messages=HI, tools=TOOLS)
    assert counted.input_tokens == whole(client, tools=TOOLS).usage.input_tokens


def test_models(client: anthropic.Anthropic) -> None:
    assert {"agent", "fault-529", "flaky-2", "quirk-pause-turn"} <= {model.id for model in client.models.list()}
    assert client.models.retrieve("agent-claude-opus-4-1").max_tokens == 32000
    with pytest.raises(anthropic.NotFoundError):
        client.models.retrieve("nobody")


ERRORS: list[tuple[str, type[anthropic.APIStatusError], int, str]] = [
    ("fault-400", anthropic.BadRequestError, 400, "invalid_request_error"),
    ("fault-401", anthropic.AuthenticationError, 401, "authentication_error"),
    ("fault-402", anthropic.APIStatusError, 402, "billing_error"),
    ("fault-403", anthropic.PermissionDeniedError, 403, "permission_error"),
    ("fault-404", anthropic.NotFoundError, 404, "not_found_error"),
    ("fault-409", anthropic.ConflictError, 409, "conflict_error"),
    ("fault-413", anthropic.APIStatusError, 413, "request_too_large"),
    ("fault-429", anthropic.RateLimitError, 429, "rate_limit_error"),
    ("fault-500", anthropic.InternalServerError, 500, "api_error"),
    ("fault-503", anthropic.InternalServerError, 503, "api_error"),
    ("fault-504", anthropic.InternalServerError, 504, "timeout_error"),
    ("fault-529", anthropic.InternalServerError, 529, "overloaded_error"),
    ("fault-quota", anthropic.BadRequestError, 400, "invalid_request_error"),
    ("fault-context", anthropic.BadRequestError, 400, "invalid_request_error"),
    ("fault-auth", anthropic.AuthenticationError, 401, "authentication_error"),
    ("nobody", anthropic.NotFoundError, 404, "not_found_error"),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("model", "error", "status", "kind"), ERRORS)
def test_errors(
    client: anthropic.Anthropic, model: str, error: type[anthropic.APIStatusError], status: int, kind: str, stream: bool
) -> None:
    with pytest.raises(error) as caught:
        whole(client, model=model, stream=stream)
    body: Json = caught.value.body
    assert (caught.value.status_code, body["type"], body["error"]["type"]) == (status, "error", kind)
    assert caught.value.response.headers["request-id"] == body["request_id"]
    if status == 429:
        assert caught.value.response.headers["retry-after"] == "1"


def test_words_that_clients_look_for(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
        whole(client, model="fault-context")
    with pytest.raises(anthropic.BadRequestError, match="credit balance is too low"):
        whole(client, model="fault-quota")
    with pytest.raises(anthropic.NotFoundError, match="model: nobody"):
        whole(client, model="nobody")


def test_a_broken_rule_is_the_sdks_bad_request(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError, match=r"tools\.0\.custom\.name: String should match pattern"):
        whole(client, tools=[{"name": "a.b", "input_schema": CITY}])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "bad-key"}, 401),
        ({"x-api-key": ""}, 401),
        ({"authorization": "Bearer bad-key"}, 401),
        ({"authorization": "k"}, 401),
        ({"x-api-key": "bad-key", "authorization": "Bearer k"}, 401),
        ({"x-api-key": "k"}, 200),
        ({"authorization": "Bearer k"}, 200),
    ],
)
def test_keys(emulation: Emulation, headers: dict[str, str], status: int) -> None:
    body = {"model": "agent", "max_tokens": 9, "messages": HI}
    url = emulation.base_url("anthropic-messages") + "/v1/messages"
    answer = httpx2.post(url, headers={**headers, "anthropic-version": "2023-06-01"}, json=body)
    assert answer.status_code == status
    if status == 401:
        assert answer.json()["error"] == {"type": "authentication_error", "message": "invalid x-api-key"}


def test_bad_arguments(client: anthropic.Anthropic) -> None:
    said = whole(client, model="fault-bad-arguments", tools=TOOLS[:1])
    assert said.content[-1].input == {"unexpected": True}
    raw = client.messages.create(model="fault-bad-arguments", max_tokens=99, messages=HI, tools=TOOLS[:1], stream=True)
    deltas = [event.delta for event in raw if event.type == "content_block_delta"]
    text = "".join(delta.partial_json for delta in deltas if delta.type == "input_json_delta")
    assert text == '{"city":"Rome", "broken": '


def test_malformed(client: anthropic.Anthropic) -> None:
    with pytest.raises(json.JSONDecodeError):
        whole(client, model="fault-malformed")
    with pytest.raises(json.JSONDecodeError):
        streamed(client, model="fault-malformed")


def texts(client: anthropic.Anthropic, model: str, found: list[str]) -> None:
    for event in client.messages.create(model=model, max_tokens=99, messages=HI, stream=True):
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            found.append(event.delta.text)


def test_error_before_content(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.InternalServerError):
        whole(client, model="fault-error-first")
    found: list[str] = []
    with pytest.raises(anthropic.APIStatusError) as caught:
        texts(client, "fault-error-first", found)
    body: Json = caught.value.body
    assert (found, body["error"]["type"]) == ([], "overloaded_error")


def test_cut(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.APIConnectionError):
        whole(client, model="fault-cut")
    found: list[str] = []
    texts(client, "fault-cut", found)
    assert "".join(found) == "You said: hi there"
    raw = client.messages.create(model="fault-cut", max_tokens=99, messages=HI, stream=True)
    assert [event.type for event in raw][-1] == "content_block_stop"


def test_reset(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.APIConnectionError):
        whole(client, model="fault-reset")
    found: list[str] = []
    with pytest.raises(httpx2.ReadError):
        texts(client, "fault-reset", found)
    assert found == ["You said: hi"]


def test_stall_and_silence(client: anthropic.Anthropic) -> None:
    impatient = client.with_options(timeout=0.25)
    found: list[str] = []
    with pytest.raises(httpx2.ReadTimeout):
        texts(impatient, "fault-stall", found)
    assert found == ["You said: hi"]
    for model in ("fault-stall", "fault-silent"):
        with pytest.raises(anthropic.APITimeoutError):
            whole(impatient, model=model)


def test_flaky(client: anthropic.Anthropic) -> None:
    metadata = {"user_id": "test_flaky"}
    for _ in range(2):
        with pytest.raises(anthropic.InternalServerError):
            whole(client, model="flaky-2", metadata=metadata)
    assert whole(client, model="flaky-2", metadata=metadata).content[0].text == "You said: hi there"


def test_a_paused_turn_is_continued(client: anthropic.Anthropic) -> None:
    first = whole(client, model="quirk-pause-turn")
    assert first.stop_reason == "pause_turn"
    assert [block.type for block in first.content] == ["text", "server_tool_use"]
    last = whole(client, model="quirk-pause-turn", messages=[*HI, first.to_param()])
    assert (last.stop_reason, [block.type for block in last.content]) == ("end_turn", ["text"])


def test_nothing_to_say_after_results(client: anthropic.Anthropic) -> None:
    first = whole(client, model="quirk-empty-after-results", tools=TOOLS[:1])
    results = [{"type": "tool_result", "tool_use_id": first.content[1].id, "content": "r"}]
    history = [*HI, first.to_param(), {"role": "user", "content": results}]
    last = whole(client, model="quirk-empty-after-results", tools=TOOLS[:1], messages=history)
    assert (last.content, last.stop_reason) == ([], "end_turn")


FORGIVEN = ("crlf", "cr", "comments", "no-space", "blank-lines", "pings", "unknown-events", "no-input-tokens")


@pytest.mark.parametrize("quirk", FORGIVEN)
def test_what_the_sdk_forgives(client: anthropic.Anthropic, quirk: str) -> None:
    assert streamed(client, model=f"quirk-{quirk}").content[0].text == "You said: hi there"


def test_token_counts_of_thinking_by_beta(client: anthropic.Anthropic) -> None:
    raw = client.messages.create(
        model="agent", max_tokens=999, messages=HI, thinking={"type": "adaptive"}, stream=True,
        extra_headers={"anthropic-beta": "thinking-token-count-2026-05-13"},
    )  # fmt: skip
    deltas = [event.delta.to_dict() for event in raw if event.type == "content_block_delta"]
    counts = [delta["estimated_tokens"] for delta in deltas if delta["type"] == "thinking_delta"]
    assert counts == [3 * (index + 1) for index in range(len(counts))] != []
