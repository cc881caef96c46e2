"""A conversation that moves to another upstream of the same API, by a client of that API's own dialect, which does not
say who signed what it sends back: what the other cannot verify is not shown to it, and no request is spent on that."""

from __future__ import annotations

import pytest

from tests.proxy.talk import http
from tests.serving import Served, config_of

MODELS = {
    "anthropic-messages": "agent-claude-opus-4-8",
    "google-gemini": "agent-gemini-3-pro-preview",
    "openai-responses": "agent-gpt-5",
}
PATHS = {
    "anthropic-messages": "/v1/messages",
    "google-gemini": "/v1beta/models/{}:generateContent",
    "openai-responses": "/v1/responses",
}
NAMES = ("signature", "thoughtSignature", "encrypted_content")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.fixture(scope="module")
def served(emulated):
    hosts = [(api, place, emulated.base_url(api)) for api in MODELS for place in ("here", "there")]
    lines = [f'  {place}-{api}: {{api: {api}, api_key: k, base_url: "{url}"}}' for api, place, url in hosts]
    clients = "clients: [{name: a, key: ka}, {name: b, key: kb}, {name: c, key: kc}]\n"
    with Served(config_of("providers:\n" + "\n".join(lines) + f"\n{clients}")) as running:
        yield running


def first_turn(api):
    match api:
        case "anthropic-messages":
            tools = [{"name": "weather", "input_schema": CITY}]
            messages = [{"role": "user", "content": "Weather?"}]
            return {"max_tokens": 4000, "thinking": {"type": "adaptive"}, "tools": tools, "messages": messages}
        case "google-gemini":
            tools = [{"functionDeclarations": [{"name": "weather", "parametersJsonSchema": CITY}]}]
            thinking = {"thinkingConfig": {"includeThoughts": True}}
            contents = [{"role": "user", "parts": [{"text": "Weather?"}]}]
            return {"contents": contents, "tools": tools, "generationConfig": thinking}
    tools = [{"type": "function", "name": "weather", "parameters": CITY}]
    return {"input": [{"role": "user", "content": "Weather?"}], "tools": tools, "reasoning": {"effort": "high"},
            "store": False, "include": ["reasoning.encrypted_content"]}


def second_turn(api, body, answer):
    """The answer as it came, and the results of its calls."""
    match api:
        case "anthropic-messages":
            calls = [block["id"] for block in answer["content"] if block["type"] == "tool_use"]
            results = [{"type": "tool_result", "tool_use_id": id, "content": "rain"} for id in calls]
            turns = [{"role": "assistant", "content": answer["content"]}, {"role": "user", "content": results}]
            return {**body, "messages": [*body["messages"], *turns]}
        case "google-gemini":
            content = answer["candidates"][0]["content"]
            calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
            results = [{"functionResponse": {**said(call), "response": {"output": "rain"}}} for call in calls]
            return {**body, "contents": [*body["contents"], content, {"role": "user", "parts": results}]}
    calls = [item["call_id"] for item in answer["output"] if item["type"] == "function_call"]
    results = [{"type": "function_call_output", "call_id": id, "output": "rain"} for id in calls]
    return {**body, "input": [*body["input"], *answer["output"], *results]}


def said(call):
    return {name: call[name] for name in ("id", "name") if name in call}


def signatures(value):
    """All signed texts in a body."""
    match value:
        case dict():
            own = {text for name, text in value.items() if name in NAMES and isinstance(text, str)}
            return own.union(*map(signatures, value.values()))
        case list():
            return set().union(*map(signatures, value))
    return set()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", MODELS)
def test_moved_and_back(emulated, served, api, stream):
    def ask(place, body, client, stream=False):
        model = f"{place}-{api}/{MODELS[api]}"
        path = PATHS[api].format(model.replace("/", "%2F"))
        path = path.replace(":generate", ":streamGenerate") + "?alt=sse" if stream and "gemini" in api else path
        if "gemini" not in api:
            body = {**body, "model": model, "stream": stream}
        emulated.requests.clear()
        answer = http.post(f"{served.base}{path}", json=body, headers={"authorization": f"Bearer k{client}"})
        assert answer.status_code == 200, answer.text
        return answer

    asked, owner = first_turn(api), "b" if stream else "a"
    answer = ask("here", asked, "a").json()
    signed = signatures(answer)
    assert signed
    if stream:  # the same answer to another client: what is signed does not depend on how it is sent
        assert all(text in ask("here", asked, owner, stream=True).text for text in signed)
    results = second_turn(api, asked, answer)
    ask("there", results, owner)
    (received,) = emulated.requests
    assert not signatures(received.body) & signed, "what the other cannot verify is not shown to it"
    ask("here", results, owner)
    (received,) = emulated.requests
    assert signatures(received.body) == signed, "whole, where it was made"
    ask("there", results, "c")
    assert signatures(emulated.requests[0].body) == signed, "another client's look-up finds nothing"
    tries = len(emulated.requests)
    ask("there", results, "c", stream)
    assert len(emulated.requests) == 1, f"what was refused once ({tries} requests) is not asked again"
