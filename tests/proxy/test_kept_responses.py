"""Responses `store` over any API: continued, fetched, deleted; by their own client only."""

from __future__ import annotations

import httpx2
import openai
import pytest

from proxy.demo import emulated as apis
from tests.serving import Served, demo

TOOL = {
    "type": "function", "name": "get_weather", "strict": False,
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}  # fmt: skip


@pytest.fixture(scope="module")
def client(proxied):
    return openai.OpenAI(base_url=f"{proxied.base}/v1", api_key="k", max_retries=0)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", apis())
def test_a_tool_loop_by_previous_response_id(client, emulated, api, stream):
    def create(**body):
        if not stream:
            return client.responses.create(model=f"{api}/agent", tools=[TOOL], **body)
        with client.responses.stream(model=f"{api}/agent", tools=[TOOL], **body) as events:
            return events.get_final_response()

    first = create(input="What is the weather?", instructions="Be brief.")
    assert first.store is True and first.previous_response_id is None
    results = [
        {"type": "function_call_output", "call_id": item.call_id, "output": "rain in June"}
        for item in first.output
        if item.type == "function_call"
    ]
    assert results
    second = create(input=results, previous_response_id=first.id)
    assert "rain in June" in second.output_text and second.previous_response_id == first.id
    third = create(input="And now?", previous_response_id=second.id)
    assert third.id not in (first.id, second.id)
    assert client.responses.retrieve(second.id).output_text == second.output_text


def test_instructions_are_not_inherited(client, emulated):
    first = client.responses.create(model="openai-chat/agent", input="Hello", instructions="Speak Latin.")
    client.responses.create(model="openai-chat/agent", input="Again", previous_response_id=first.id)
    sent = emulated.requests[-1].body["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "user"]


def test_deleted_and_unknown_ones(client):
    made = client.responses.create(model="openai-chat/agent", input="Hello")
    client.responses.delete(made.id)
    for fetch in (client.responses.retrieve, client.responses.delete):
        with pytest.raises(openai.NotFoundError):
            fetch(made.id)
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(model="openai-chat/agent", input="x", previous_response_id=made.id)
    assert refused.value.code == "previous_response_not_found" and refused.value.param == "previous_response_id"


def test_store_false_is_not_kept(client):
    made = client.responses.create(model="openai-chat/agent", input="Hello", store=False)
    assert made.store is False
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(made.id)


def test_a_chain_of_50_turns(client, emulated):
    previous = None
    for turn in range(50):
        more = {"previous_response_id": previous} if previous else {}
        previous = client.responses.create(model="anthropic-messages/agent", input=f"turn {turn}", **more).id
    assert len(emulated.requests[-1].body["messages"]) == 99


def test_nobody_else_can_read_continue_or_delete(emulated):
    clients = "clients: [{name: a, key: ka}, {name: b, key: kb}]\n"
    with Served(demo(emulated, "\n" + clients)) as served:
        a, b = (openai.OpenAI(base_url=f"{served.base}/v1", api_key=key, max_retries=0) for key in ("ka", "kb"))
        made = a.responses.create(model="openai-chat/agent", input="secret of a")
        assert a.responses.retrieve(made.id).id == made.id
        with pytest.raises(openai.NotFoundError):
            b.responses.retrieve(made.id)
        with pytest.raises(openai.NotFoundError):
            b.responses.delete(made.id)
        with pytest.raises(openai.BadRequestError):
            b.responses.create(model="openai-chat/agent", input="x", previous_response_id=made.id)
        assert httpx2.get(f"{served.base}/v1/responses/{made.id}").status_code == 401
        assert a.responses.retrieve(made.id).id == made.id
