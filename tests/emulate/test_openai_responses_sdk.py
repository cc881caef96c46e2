"""The official SDK against the emulator's Responses, over a socket."""

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
    {"type": "function", "name": "get_weather", "parameters": CITY, "strict": True},
    {"type": "function", "name": "get_time", "parameters": CITY, "strict": False},
]
SQL: Json = {"type": "custom", "name": "sql"}
REASONED: Json = {"reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> openai.OpenAI:
    return openai.OpenAI(base_url=emulation.base_url("openai-responses"), api_key="k", max_retries=0, timeout=5)


def whole(client: openai.OpenAI, **body: Json) -> Any:
    return client.responses.create(**{"model": "agent", "input": "hi there", **body})


def streamed(client: openai.OpenAI, **body: Json) -> Any:
    with client.responses.stream(**{"model": "agent", "input": "hi there", **body}) as stream:
        return stream.get_final_response()


def events(client: openai.OpenAI, **body: Json) -> list[Any]:
    return list(whole(client, stream=True, **body))


def shown(response: Any) -> list[Json]:
    """The items without what the SDK adds to streamed ones."""
    items = [item.to_dict() for item in response.output]
    for item in items:
        item.pop("parsed_arguments", None)
        for part in item.get("content") or []:
            part.pop("parsed", None)
    return items


def test_text(client: openai.OpenAI) -> None:
    said = whole(client, instructions="Be brief.", metadata={"a": "b"})
    assert said.output_text == "You said: hi there"
    assert (said.status, said.model, said.object, said.error) == ("completed", "agent", "response", None)
    assert (said.instructions, said.metadata, said.incomplete_details) == ("Be brief.", {"a": "b"}, None)
    assert said.usage.output_tokens == 5
    assert said.usage.total_tokens == said.usage.input_tokens + 5
    assert said._request_id == "req_emulated"


BODIES: list[Json] = [
    {},
    {"tools": TOOLS},
    {"tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False},
    {"tools": TOOLS, "input": [{"role": "user", "content": "call 20"}]},
    {"tools": [SQL, *TOOLS]},
    REASONED,
    {**REASONED, "tools": TOOLS},
    {"model": "agent-gpt-oss-120b"},
    {"model": "agent-gpt-5.4", "tools": TOOLS, "reasoning": {"effort": "high"}},
    {"include": ["message.output_text.logprobs"], "top_logprobs": 1},
]


@pytest.mark.parametrize("body", BODIES)
def test_the_stream_adds_up_to_the_whole(client: openai.OpenAI, body: Json) -> None:
    one, parts = whole(client, **body), streamed(client, **body)
    assert (parts.id, parts.status) == (one.id, one.status)
    assert parts.usage.output_tokens == one.usage.output_tokens
    assert shown(parts) == shown(one)


@pytest.mark.parametrize("body", BODIES)
def test_the_grammar_of_the_stream(client: openai.OpenAI, body: Json) -> None:
    """Numbers without gaps, items one after another, deltas that add up to what is done."""
    raw = events(client, **body)
    assert [event.sequence_number for event in raw] == list(range(len(raw)))
    kinds = [event.type for event in raw]
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"
    text, indexes = "", []
    for event in raw[2:-1]:
        if event.type == "response.output_item.added":
            indexes.append(event.output_index)
        assert event.output_index == indexes[-1]
        if event.type.endswith(".delta"):
            text += event.delta
            assert event.to_dict()["obfuscation"]
        elif event.type.endswith((".done", ".added")):
            data = event.to_dict()
            finished = next((data[name] for name in ("text", "arguments", "refusal", "input") if name in data), None)
            if finished is not None:
                assert text == finished
                text = ""
    assert indexes == list(range(len(raw[-1].response.output)))


def test_a_text_event_by_event(client: openai.OpenAI) -> None:
    raw = events(client, stream_options={"include_obfuscation": False})
    assert [event.type.removeprefix("response.") for event in raw] == [
        "created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
        "output_text.done", "content_part.done", "output_item.done", "completed",
    ]  # fmt: skip
    item = raw[2].item.id
    assert raw[4].to_dict() == {
        "type": "response.output_text.delta", "sequence_number": 4, "item_id": item, "output_index": 0,
        "content_index": 0, "delta": "You said: hi", "logprobs": [],
    }  # fmt: skip
    assert raw[0].response.to_dict()["output"] == [] and raw[0].response.status == "in_progress"
    assert raw[0].response.usage is None and raw[-1].response.usage.output_tokens == 5


def test_length(client: openai.OpenAI) -> None:
    body: Json = {"input": "x" * 99, "max_output_tokens": 16}
    one = whole(client, **body)
    assert (one.status, one.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    assert one.output_text == "You said: " + "x" * 54
    assert one.output[0].status == "incomplete"
    last = events(client, **body)[-1]
    assert (last.type, last.response.output_text) == ("response.incomplete", one.output_text)


def test_tool_loop(client: openai.OpenAI) -> None:
    first = whole(client, tools=TOOLS)
    assert first.status == "completed"
    assert [(item.type, item.name, item.arguments) for item in first.output] == [
        ("function_call", "get_weather", '{"city":"Rome"}'),
        ("function_call", "get_time", '{"city":"Rome"}'),
    ]
    history: Json = [{"role": "user", "content": "hi there"}, *(item.to_dict() for item in first.output)]
    for index, call in enumerate(first.output):
        history.append({"type": "function_call_output", "call_id": call.call_id, "output": f"r{index}"})
    last = whole(client, tools=TOOLS, input=history)
    assert last.output_text == "The tools answered:\nget_weather: r0\nget_time: r1"
    assert 0 < last.usage.input_tokens_details.cached_tokens < last.usage.input_tokens


@pytest.mark.parametrize("model", ["agent", "agent-gpt-5.4", "agent-o3"])
def test_encrypted_reasoning_in_a_tool_loop(client: openai.OpenAI, model: str) -> None:
    body: Json = {"model": model, "tools": TOOLS[:1], "store": False, **REASONED}
    first = whole(client, **body)
    assert [item.type for item in first.output] == ["reasoning", "function_call"]
    assert first.output[0].summary[0].text.startswith("The user asks")
    assert first.usage.output_tokens_details.reasoning_tokens > 0
    reasoning, call = (item.to_dict() for item in first.output)
    ask: Json = [{"role": "user", "content": "hi there"}]
    result: Json = [{"type": "function_call_output", "call_id": call["call_id"], "output": "r"}]
    assert whole(client, input=[*ask, reasoning, call, *result], **body).output[-1].type == "message"
    with pytest.raises(openai.BadRequestError, match="was provided without its required 'reasoning' item: 'rs_"):
        whole(client, input=[*ask, call, *result], **body)
    with pytest.raises(openai.BadRequestError, match="was provided without its required following item"):
        whole(client, input=[*ask, {**call, "id": None}, reasoning, *result], **body)
    with pytest.raises(openai.BadRequestError) as caught:
        changed = {**reasoning, "encrypted_content": reasoning["encrypted_content"][:-9] + "AAAAAAAAA"}
        whole(client, input=[*ask, changed, call, *result], **body)
    assert caught.value.code == "invalid_encrypted_content"
    with pytest.raises(openai.NotFoundError, match="Items are not persisted when `store` is set to false"):
        bare = {name: value for name, value in reasoning.items() if name != "encrypted_content"}
        whole(client, input=[*ask, bare, call, *result], **body)
    with pytest.raises(openai.BadRequestError) as caught:
        whole(client, input=[*ask, reasoning, call, *result], **{**body, "model": "agent-o4-mini"})
    assert caught.value.code == "invalid_encrypted_content"


def test_reasoning_of_stored_responses_is_known_by_its_id(client: openai.OpenAI) -> None:
    first = whole(client, tools=TOOLS[:1], reasoning={"effort": "low"})
    reasoning, call = (item.to_dict() for item in first.output)
    assert reasoning == {"id": first.output[0].id, "type": "reasoning", "summary": []}
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": "r"}
    last = whole(client, input=[{"role": "user", "content": "hi there"}, reasoning, call, result])
    assert last.output_text == "The tools answered:\nget_weather: r"


def test_choice(client: openai.OpenAI) -> None:
    named = whole(client, tools=TOOLS, tool_choice={"type": "function", "name": "get_time"})
    assert [item.name for item in named.output] == ["get_time"]
    assert named.tool_choice.to_dict() == {"type": "function", "name": "get_time"}
    assert [item.type for item in whole(client, tools=TOOLS, tool_choice="none").output] == ["message"]
    allowed: Json = {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "get_time"}]}
    assert {item.name for item in whole(client, tools=TOOLS, tool_choice=allowed).output} == {"get_time"}


def test_custom_tool(client: openai.OpenAI) -> None:
    first = whole(client, tools=[SQL])
    (call,) = first.output[:1]
    assert (call.type, call.name, call.input, call.id[:4]) == ("custom_tool_call", "sql", "SELECT 1 -- sql", "ctc_")
    result = {"type": "custom_tool_call_output", "call_id": call.call_id, "output": "r"}
    last = whole(client, input=[{"role": "user", "content": "x"}, call.to_dict(), result])
    assert last.output_text == "The tools answered:\nsql: r"


def test_namespaces_and_deferred_tools(client: openai.OpenAI) -> None:
    inner = [{"type": "function", "name": "find", "parameters": CITY, "strict": False}]
    tools: Json = [
        {"type": "namespace", "name": "crm", "description": "d", "tools": inner},
        {"type": "function", "name": "find", "parameters": CITY, "strict": False, "defer_loading": True},
        {"type": "tool_search"},
    ]
    calls = [item.to_dict() for item in whole(client, tools=tools).output]
    assert [(call["namespace"], call["name"]) for call in calls] == [("crm", "find"), ("find", "find")]
    results = [{"type": "function_call_output", "call_id": call["call_id"], "output": "r"} for call in calls]
    last = whole(client, tools=tools, input=[{"role": "user", "content": "x"}, *calls, *results])
    assert last.output_text == "The tools answered:\ncrm.find: r\nfind: r"


def test_a_function_without_strict_is_made_strict(client: openai.OpenAI) -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    tool: Json = {"type": "function", "name": "f", "parameters": {**schema, "required": ["a"]}}
    said = whole(client, tools=[tool])
    echoed = said.tools[0]
    assert echoed.strict is True
    assert echoed.parameters["required"] == ["a", "b"]
    assert echoed.parameters["properties"]["b"] == {"type": ["string", "null"]}
    assert all(isinstance(value, int | str) for value in json.loads(said.output[0].arguments).values())
    nulls = whole(client, model="quirk-null-optionals", tools=[tool])
    assert json.loads(nulls.output[0].arguments)["b"] is None
    loose = whole(client, tools=[{**tool, "parameters": {"type": "object", "additionalProperties": True}}])
    assert loose.tools[0].strict is False


def test_structured_output(client: openai.OpenAI) -> None:
    wanted: Json = {"format": {"type": "json_schema", "name": "a", "schema": CITY, "strict": True}}
    assert json.loads(whole(client, text=wanted).output_text) == {"city": "Rome"}
    assert json.loads(streamed(client, text=wanted).output_text) == {"city": "Rome"}
    said = whole(client, input="as json", text={"format": {"type": "json_object"}})
    assert list(json.loads(said.output_text)) == ["answer"]


def test_phases(client: openai.OpenAI) -> None:
    assert whole(client, model="agent-gpt-5.4").output[-1].to_dict()["phase"] == "final_answer"
    assert "phase" not in whole(client, model="agent-gpt-5").output[-1].to_dict()


def test_models_and_stored_responses(client: openai.OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert {"agent", "fault-429", "quirk-only-done"} <= set(names)
    assert client.models.retrieve("fault-418").id == "fault-418"
    with pytest.raises(openai.NotFoundError, match="Response with id 'resp_1' not found"):
        client.responses.retrieve("resp_1")
    with pytest.raises(openai.NotFoundError):
        client.responses.delete("resp_1")


ERRORS: list[tuple[str, type[openai.APIStatusError], str | None]] = [
    ("fault-400", openai.BadRequestError, None),
    ("fault-401", openai.AuthenticationError, "invalid_api_key"),
    ("fault-403", openai.PermissionDeniedError, "unsupported_country_region_territory"),
    ("fault-404", openai.NotFoundError, None),
    ("fault-429", openai.RateLimitError, "rate_limit_exceeded"),
    ("fault-500", openai.InternalServerError, None),
    ("fault-503", openai.InternalServerError, None),
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
        whole(client, model=model, stream=stream)
    assert caught.value.code == code
    if caught.value.status_code == 429:
        assert caught.value.response.headers["retry-after"] == "1"


def test_a_broken_rule_is_the_sdks_bad_request(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        whole(client, max_output_tokens=3)
    assert (caught.value.param, caught.value.code) == ("max_output_tokens", "integer_below_min_value")


def test_keys_and_bodies(emulation: Emulation) -> None:
    url = emulation.base_url("openai-responses") + "/responses"
    for headers in ({}, {"authorization": "Bearer bad-key"}):
        assert httpx2.post(url, headers=headers, json={}).status_code == 401
    answer = httpx2.post(url, headers={"authorization": "Bearer k"}, content=b"{")
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")


def test_refusal(client: openai.OpenAI) -> None:
    for said in (whole(client, model="fault-refusal"), streamed(client, model="fault-refusal")):
        assert [(p.type, p.refusal) for p in said.output[0].content] == [("refusal", "I can't help with that.")]
        assert said.status == "completed"


def test_empty(client: openai.OpenAI) -> None:
    for said in (whole(client, model="fault-empty", tools=TOOLS), streamed(client, model="fault-empty", tools=TOOLS)):
        assert (said.output_text, [item.type for item in said.output]) == ("", ["message"])


def test_bad_arguments(client: openai.OpenAI) -> None:
    body: Json = {"model": "fault-bad-arguments", "tools": TOOLS}
    broken = '{"city":"Rome", "broken": '
    assert [item.arguments for item in whole(client, **body).output] == [broken] * 2
    done = [event.item.arguments for event in events(client, **body) if event.type == "response.output_item.done"]
    assert done == [broken] * 2


def test_malformed(client: openai.OpenAI) -> None:
    with pytest.raises(json.JSONDecodeError):
        whole(client, model="fault-malformed")
    with pytest.raises(json.JSONDecodeError):
        events(client, model="fault-malformed")


def test_error_before_content(client: openai.OpenAI) -> None:
    with pytest.raises(openai.InternalServerError):
        whole(client, model="fault-error-first")
    found = []
    with pytest.raises(openai.APIError, match="had an error"):
        for event in whole(client, model="fault-error-first", stream=True):
            found.append(event.type)
    assert found[0] == "response.created"
    assert not any(kind.endswith(".delta") for kind in found)


def test_the_error_of_a_stream(emulation: Emulation) -> None:
    """Both events of the live API, numbered on."""
    answer = httpx2.post(
        emulation.base_url("openai-responses") + "/responses", headers={"authorization": "Bearer k"},
        json={"model": "fault-error-first", "input": "hi", "stream": True},
    )  # fmt: skip
    read = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert [event["sequence_number"] for event in read] == list(range(len(read)))
    assert [event["type"] for event in read[-2:]] == ["error", "response.failed"]
    assert read[-2]["error"]["code"] == "server_error"
    assert read[-1]["response"]["error"]["code"] == "server_error"
    assert read[-1]["response"]["status"] == "failed"


def texts(client: openai.OpenAI, model: str, found: list[str]) -> None:
    for event in whole(client, model=model, stream=True):
        if event.type == "response.output_text.delta":
            found.append(event.delta)


def test_cut(client: openai.OpenAI) -> None:
    with pytest.raises(openai.APIConnectionError):
        whole(client, model="fault-cut")
    found: list[str] = []
    texts(client, "fault-cut", found)
    assert "".join(found) == "You said: hi there"
    with pytest.raises(RuntimeError, match="completed"):
        streamed(client, model="fault-cut")


def test_reset(client: openai.OpenAI) -> None:
    with pytest.raises(openai.APIConnectionError):
        whole(client, model="fault-reset")
    found: list[str] = []
    with pytest.raises(openai.APIConnectionError):
        texts(client, "fault-reset", found)
    assert found == ["You said: hi"]


def test_stall_and_silence(client: openai.OpenAI) -> None:
    impatient = client.with_options(timeout=0.25)
    found: list[str] = []
    with pytest.raises(openai.APITimeoutError):
        texts(impatient, "fault-stall", found)
    assert found == ["You said: hi"]
    for model in ("fault-stall", "fault-silent"):
        with pytest.raises(openai.APITimeoutError):
            whole(impatient, model=model)


def test_flaky(client: openai.OpenAI) -> None:
    with pytest.raises(openai.InternalServerError):
        whole(client, model="flaky-1", prompt_cache_key="test_flaky")
    assert whole(client, model="flaky-1", prompt_cache_key="test_flaky").output_text == "You said: hi there"


FORGIVEN = (
    "crlf", "cr", "comments", "no-space", "blank-lines", "done", "queued", "keepalive", "no-event-lines",
    "no-logprobs", "no-text-deltas", "text-null",
)  # fmt: skip


@pytest.mark.parametrize("quirk", FORGIVEN)
def test_what_the_sdk_forgives(client: openai.OpenAI, quirk: str) -> None:
    assert streamed(client, model=f"quirk-{quirk}").output_text == "You said: hi there"


@pytest.mark.parametrize("quirk", ["interleaved", "no-argument-deltas", "no-arguments-done"])
def test_calls_that_the_sdk_forgives(client: openai.OpenAI, quirk: str) -> None:
    found = streamed(client, model=f"quirk-{quirk}", tools=TOOLS).output
    assert [(item.name, item.arguments) for item in found] == [
        ("get_weather", '{"city":"Rome"}'),
        ("get_time", '{"city":"Rome"}'),
    ]
