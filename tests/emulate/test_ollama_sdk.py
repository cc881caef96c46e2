"""The official SDK against the emulated Ollama, over a socket."""

import json
from typing import Any

import httpx
import httpx2
import ollama
import pytest

from proxy.emulate import Emulation

Json = Any
CITY = {"type": "object", "properties": {"city": {"type": "string", "enum": ["Rome"]}}, "required": ["city"]}
TOOLS: Json = [
    {"type": "function", "function": {"name": "get_weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "get_time", "parameters": CITY}},
]
HI: Json = [{"role": "user", "content": "hi there"}]
BOTH = [("get_weather", {"city": "Rome"}), ("get_time", {"city": "Rome"})]


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> ollama.Client:
    return ollama.Client(host=emulation.base_url("ollama-chat"), timeout=5)


def whole(client: ollama.Client, **body: Json) -> Any:
    return client.chat(**{"model": "agent", "messages": HI, **body})


def lines(client: ollama.Client, **body: Json) -> list[Any]:
    return list(client.chat(**{"model": "agent", "messages": HI, **body}, stream=True))


def told(found: list[Any]) -> tuple[str, str, list[tuple[str, Json]]]:
    """Thinking, text and calls of all lines."""
    messages = [line.message for line in found]
    calls = [(c.function.name, dict(c.function.arguments)) for m in messages for c in m.tool_calls or []]
    return "".join(m.thinking or "" for m in messages), "".join(m.content or "" for m in messages), calls


def test_text(client: ollama.Client) -> None:
    said = whole(client)
    assert (said.message.role, said.message.content, said.message.thinking) == ("assistant", "You said: hi there", None)
    assert (said.model, said.done, said.done_reason, said.eval_count) == ("agent", True, "stop", 5)
    assert said.prompt_eval_count > 0 and said.created_at.startswith("2026-11-")


BODIES: list[Json] = [
    {},
    {"tools": TOOLS},
    {"tools": TOOLS, "messages": [{"role": "user", "content": "call 20"}]},
    {"think": True},
    {"think": "low", "tools": TOOLS},
    {"model": "agent-qwen3:8b"},
    {"model": "agent-gpt-oss:20b", "think": False},
    {"options": {"stop": ["there"]}},
    {"logprobs": True, "top_logprobs": 1},
]


@pytest.mark.parametrize("body", BODIES)
def test_the_stream_adds_up_to_the_whole(client: ollama.Client, body: Json) -> None:
    one, found = whole(client, **body), lines(client, **body)
    assert told(found) == told([one])
    assert [line.done for line in found] == [*[False] * (len(found) - 1), True]
    assert (found[-1].done_reason, found[-1].eval_count) == (one.done_reason, one.eval_count)
    tokens = [entry.token for line in found for entry in line.logprobs or []]
    assert "".join(tokens) == "".join(entry.token for entry in one.logprobs or [])


def test_the_wire_of_a_stream(emulation: Emulation) -> None:
    """Lines, and a stream unless the client says no."""
    url = emulation.base_url("ollama-chat") + "/api/chat"
    body = {"model": "agent", "messages": HI, "tools": TOOLS[:1]}
    answer = httpx2.post(url, json=body)
    assert answer.headers["content-type"] == "application/x-ndjson"
    bodies = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.text.endswith("}\n") and "\n\n" not in answer.text
    (call,) = bodies[0]["message"]["tool_calls"]
    assert (call["function"], call["id"][:5], len(call["id"])) == (
        {"index": 0, "name": "get_weather", "arguments": {"city": "Rome"}}, "call_", 13,
    )  # fmt: skip
    assert bodies[-1]["done"] is True
    whole = httpx2.post(url, json={**body, "stream": False})
    assert whole.headers["content-type"] == "application/json; charset=utf-8"
    assert whole.json()["done"] is True


def test_tool_loop(client: ollama.Client) -> None:
    first = whole(client, tools=TOOLS)
    assert told([first]) == ("", "", BOTH)
    assert first.done_reason == "stop"
    results = [{"role": "tool", "tool_name": name, "content": f"r{i}"} for i, (name, _) in enumerate(BOTH)]
    last = whole(client, tools=TOOLS, messages=[*HI, first.message, *results])
    assert last.message.content == "The tools answered:\nget_weather: r0\nget_time: r1"


def test_python_functions_as_tools(client: ollama.Client) -> None:
    def get_weather(city: str) -> str:
        """The weather.

        Args:
            city: where
        """
        return city

    (call,) = told([whole(client, tools=[get_weather])])[2]
    assert call[0] == "get_weather"
    assert isinstance(call[1]["city"], str)


def test_structured_output(client: ollama.Client) -> None:
    assert json.loads(whole(client, format=CITY).message.content) == {"city": "Rome"}
    assert list(json.loads(whole(client, format="json").message.content)) == ["answer"]


def test_length(client: ollama.Client) -> None:
    cut = whole(client, options={"num_predict": 2})
    assert (cut.message.content, cut.done_reason) == ("You said", "length")
    cut = whole(client, options={"num_predict": 2}, tools=TOOLS)
    assert (told([cut]), cut.done_reason) == (("", "", []), "length")


def test_a_prompt_that_does_not_fit_is_cut_silently(client: ollama.Client, emulation: Emulation) -> None:
    long: Json = [{"role": "system", "content": "s"}, {"role": "user", "content": "x" * 4000}, *HI]
    said = whole(client, messages=long, options={"num_ctx": 64})
    assert said.message.content == "You said: hi there"
    assert said.prompt_eval_count < 64
    body = {"model": "agent", "messages": long, "options": {"num_ctx": 64}, "truncate": False}
    answer = httpx2.post(emulation.base_url("ollama-chat") + "/api/chat", json=body)
    assert (answer.status_code, answer.json()["error"]) == (400, "the input length exceeds the context length")


def test_thinking(client: ollama.Client) -> None:
    def thinks(model: str, think: Json = None) -> bool:
        return bool(whole(client, model=model, think=think).message.thinking)

    assert [thinks("agent", think) for think in (None, False, True, "high")] == [False, False, True, True]
    assert [thinks("agent-qwen3", think) for think in (None, False)] == [True, False]
    assert [thinks("agent-gpt-oss", think) for think in (None, False, "max")] == [True, True, True]
    with pytest.raises(ollama.ResponseError, match=r'"agent-llama3\.1" does not support thinking'):
        whole(client, model="agent-llama3.1", think=True)


def test_other_endpoints(client: ollama.Client) -> None:
    names = {model.model for model in client.list().models}
    assert {"agent", "fault-503", "quirk-no-ids"} <= names
    assert client.show("agent-qwen3").capabilities == ["completion", "tools", "thinking"]
    assert client.show("agent-gemma3").capabilities == ["completion"]
    with pytest.raises(ollama.ResponseError, match="model 'nobody' not found"):
        client.show("nobody")


def test_loading(client: ollama.Client) -> None:
    assert client.chat(model="agent").done_reason == "load"
    assert client.chat(model="agent", keep_alive=0).done_reason == "unload"
    with pytest.raises(ollama.ResponseError) as caught:
        client.chat(model="nobody")
    assert caught.value.status_code == 404


ERRORS: list[tuple[str, int, str]] = [
    ("fault-400", 400, "invalid request"),
    ("fault-401", 401, "unauthorized"),
    ("fault-403", 403, "forbidden"),
    ("fault-404", 404, "not found"),
    ("fault-429", 429, "rate limit exceeded"),
    ("fault-500", 500, "llama runner process has terminated"),
    ("fault-503", 503, "server busy, please try again.  maximum pending requests exceeded"),
    ("fault-quota", 402, "upgrade"),
    ("fault-context", 400, "the input length exceeds the context length"),
    ("fault-auth", 401, "unauthorized"),
    ("nobody", 404, "model 'nobody' not found"),
]


@pytest.mark.parametrize("call", [whole, lines])
@pytest.mark.parametrize(("model", "status", "text"), ERRORS)
def test_errors(client: ollama.Client, model: str, status: int, text: str, call: Any) -> None:
    with pytest.raises(ollama.ResponseError) as caught:
        call(client, model=model)
    assert caught.value.status_code == status
    assert text in caught.value.error


def test_bodies_and_keys(emulation: Emulation) -> None:
    url = emulation.base_url("ollama-chat") + "/api/chat"
    body = {"model": "agent", "messages": HI, "stream": False}
    assert httpx2.post(url, json=body, headers={"authorization": "Bearer k"}).status_code == 200
    refused = httpx2.post(url, json=body, headers={"authorization": "Bearer bad-key"})
    assert (refused.status_code, sorted(refused.json())) == (401, ["error", "signin_url"])
    assert httpx2.post(url, content=b"{").json() == {"error": "unexpected EOF"}
    assert httpx2.post(url).json() == {"error": "missing request body"}
    assert httpx2.post(url, json={**body, "model": "fault-429"}).headers["retry-after"] == "1"
    assert httpx2.get(emulation.base_url("ollama-chat") + "/api/version").json() == {"version": "0.30.1"}


def test_refusal_and_empty(client: ollama.Client) -> None:
    """There is no refusal on this wire: it is a text."""
    for model, text in (("fault-refusal", "I can't help with that."), ("fault-empty", "")):
        for found in ([whole(client, model=model, tools=TOOLS)], lines(client, model=model, tools=TOOLS)):
            assert told(found) == ("", text, [])
            assert found[-1].done_reason == "stop"


def test_bad_arguments(client: ollama.Client) -> None:
    """Arguments are objects: a call that cannot be read is the server's error."""
    for call in (whole, lines):
        with pytest.raises(ollama.ResponseError, match=r"error parsing tool call: raw='.*broken.*', err="):
            call(client, model="fault-bad-arguments", tools=TOOLS)


def test_malformed(client: ollama.Client) -> None:
    with pytest.raises(json.JSONDecodeError):
        whole(client, model="fault-malformed")
    with pytest.raises(json.JSONDecodeError):
        lines(client, model="fault-malformed")


def gathered(client: ollama.Client, model: str, found: list[str]) -> None:
    for line in client.chat(model=model, messages=HI, stream=True):
        found.append(line.message.content or "")


def test_error_before_content(client: ollama.Client) -> None:
    found: list[str] = []
    for call in (whole, lines):
        with pytest.raises(ollama.ResponseError, match="has terminated"):
            call(client, model="fault-error-first")
    with pytest.raises(ollama.ResponseError):
        gathered(client, "fault-error-first", found)
    assert found == []


def test_error_after_content(client: ollama.Client) -> None:
    for quirk in ("error-late", "error-late-status"):
        found: list[str] = []
        with pytest.raises(ollama.ResponseError, match="unexpected EOF"):
            gathered(client, f"quirk-{quirk}", found)
        assert found == ["You said: hi"]


def test_cut(client: ollama.Client) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        whole(client, model="fault-cut")
    found = lines(client, model="fault-cut")
    assert told(found)[1] == "You said: hi there"
    assert not any(line.done for line in found)


def test_reset_and_stall(emulation: Emulation) -> None:
    impatient = ollama.Client(host=emulation.base_url("ollama-chat"), timeout=0.3)
    for model, error in (("fault-reset", httpx.ReadError), ("fault-stall", httpx.ReadTimeout)):
        found: list[str] = []
        with pytest.raises(error):
            gathered(impatient, model, found)
        assert found == ["You said: hi"]
    with pytest.raises(httpx.ReadTimeout):
        whole(impatient, model="fault-silent")


def test_flaky(client: ollama.Client) -> None:
    with pytest.raises(ollama.ResponseError):
        whole(client, model="flaky-1")
    assert whole(client, model="flaky-1").message.content == "You said: hi there"


@pytest.mark.parametrize(
    "quirk", ["crlf", "no-last-newline", "no-counts", "no-done-reason", "remote", "unknown-fields"]
)
def test_what_the_sdk_forgives(client: ollama.Client, quirk: str) -> None:
    assert told(lines(client, model=f"quirk-{quirk}"))[1] == "You said: hi there"


@pytest.mark.parametrize("quirk", ["no-ids", "no-index", "index-zero", "calls-together", "calls-with-done"])
def test_calls_that_the_sdk_forgives(client: ollama.Client, quirk: str) -> None:
    assert told(lines(client, model=f"quirk-{quirk}", tools=TOOLS))[2] == BOTH
