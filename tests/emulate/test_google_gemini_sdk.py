"""The official SDK against the emulated Gemini API, over a socket."""

import json
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import errors, types
from google.oauth2 import credentials

from proxy.emulate import Emulation

Json = Any
CITY = {"type": "object", "properties": {"city": {"type": "string", "enum": ["Rome"]}}, "required": ["city"]}
WEATHER = {"name": "get_weather", "parametersJsonSchema": CITY}
TIME = {"name": "get_time", "parameters": {**CITY, "type": "OBJECT"}}
TOOLS: Json = [{"functionDeclarations": [WEATHER, TIME]}]
NO_LOOP: Json = {"automatic_function_calling": {"disable": True}}
THOUGHTS: Json = {"thinking_config": {"include_thoughts": True}}


def client_of(emulation: Emulation, key: str = "k", timeout: int = 5000, version: str | None = None) -> genai.Client:
    options: Json = {"base_url": emulation.base_url("google-gemini"), "timeout": timeout, "api_version": version}
    return genai.Client(api_key=key, http_options=options)


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> genai.Client:
    return client_of(emulation)


def whole(client: genai.Client, model: str = "agent", contents: Json = "hi there", **config: Json) -> Any:
    settings: Any = {**NO_LOOP, **config}
    return client.models.generate_content(model=model, contents=contents, config=settings)


def streamed(client: genai.Client, model: str = "agent", contents: Json = "hi there", **config: Json) -> list[Any]:
    settings: Any = {**NO_LOOP, **config}
    return list(client.models.generate_content_stream(model=model, contents=contents, config=settings))


def parts(chunks: list[Any]) -> list[Any]:
    return [part for c in chunks for part in (c.candidates[0].content and c.candidates[0].content.parts) or []]


def joined(found: list[Any]) -> list[Json]:
    """Parts with neighbouring texts of one kind as one."""
    made: list[Json] = []
    for part in found:
        data = part.model_dump(exclude_none=True, mode="json")
        if made and "text" in data and "text" in made[-1] and data.get("thought") == made[-1].get("thought"):
            made[-1] = {**made[-1], **data, "text": made[-1]["text"] + data["text"]}
        elif data.get("text") != "":
            made.append(data)
    return made


@pytest.mark.parametrize("version", [None, "v1", "v1beta", "v1alpha"])
def test_text(emulation: Emulation, version: str | None) -> None:
    said = whole(client_of(emulation, version=version), system_instruction="Be brief.")
    assert said.text == "You said: hi there"
    assert (said.model_version, said.candidates[0].finish_reason) == ("agent", types.FinishReason.STOP)
    spent = said.usage_metadata
    assert (spent.candidates_token_count, spent.thoughts_token_count) == (5, None)
    assert spent.total_token_count == spent.prompt_token_count + 5


BODIES: list[Json] = [
    {},
    {"tools": TOOLS},
    {"tools": TOOLS, **THOUGHTS},
    {"contents": "call 20", "tools": TOOLS},
    THOUGHTS,
    {"model": "agent-gemini-3.5-pro", "tools": TOOLS},
    {"model": "agent-gemini-3.5-pro", **THOUGHTS},
    {"model": "agent-gemini-2.5-pro", "tools": TOOLS, **THOUGHTS},
]


@pytest.mark.parametrize("body", BODIES)
def test_the_stream_adds_up_to_the_whole(client: genai.Client, body: Json) -> None:
    one, chunks = whole(client, **body), streamed(client, **body)
    assert {chunk.response_id for chunk in chunks} == {one.response_id}
    assert joined(parts(chunks)) == joined(parts([one]))
    assert [chunk.candidates[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["STOP"]
    last, wanted = chunks[-1].usage_metadata, one.usage_metadata
    assert last.candidates_token_count == wanted.candidates_token_count
    assert last.thoughts_token_count == wanted.thoughts_token_count
    assert all(part.function_call is None or part.function_call.args for part in parts(chunks))


def test_usage_grows(client: genai.Client) -> None:
    counts = [(u.candidates_token_count or 0, u.thoughts_token_count or 0)
              for u in (chunk.usage_metadata for chunk in streamed(client, **THOUGHTS))]  # fmt: skip
    assert counts == sorted(counts, key=sum)
    assert counts[0][0] == 0 < counts[0][1] < counts[-1][1]


def test_the_wire_of_a_stream(emulation: Emulation) -> None:
    url = emulation.base_url("google-gemini") + "/v1beta/models/agent:streamGenerateContent"
    body = {"contents": [{"parts": [{"text": "hi there"}]}]}
    sse = httpx2.post(url + "?alt=sse", headers={"x-goog-api-key": "k"}, json=body)
    assert sse.headers["content-type"] == "text/event-stream"
    frames = sse.text.split("\r\n\r\n")
    assert frames.pop() == ""
    assert all(frame.startswith('data: {"candidates":[') and "\n" not in frame for frame in frames)
    listed = httpx2.post(url, headers={"x-goog-api-key": "k"}, json=body)
    assert listed.headers["content-type"].startswith("application/json")
    assert listed.json() == [json.loads(frame[6:]) for frame in frames]
    texts = [chunk["candidates"][0]["content"]["parts"][0]["text"] for chunk in listed.json()]
    assert texts == ["You said: hi", " there", ""]


def test_tool_loop(client: genai.Client) -> None:
    first = whole(client, tools=TOOLS)
    calls = first.function_calls
    assert [(call.name, call.args) for call in calls] == [
        ("get_weather", {"city": "Rome"}),
        ("get_time", {"city": "Rome"}),
    ]
    assert first.candidates[0].finish_reason == "STOP"
    assert all(call.id for call in calls)
    results = [{"function_response": {"id": c.id, "name": c.name, "response": {"output": f"r{i}"}}}
               for i, c in enumerate(calls)]  # fmt: skip
    user: Json = {"role": "user", "parts": [{"text": "hi there"}]}
    contents = [user, first.candidates[0].content, {"role": "user", "parts": results}]
    last = whole(client, contents=contents, tools=TOOLS)
    assert last.text == "The tools answered:\nget_weather: r0\nget_time: r1"
    assert 0 < last.usage_metadata.cached_content_token_count < last.usage_metadata.prompt_token_count


@pytest.mark.parametrize(
    "model", ["agent", "agent-gemini-3-pro-preview", "agent-gemini-4-argon", "agent-gemini-2.5-pro"]
)
@pytest.mark.parametrize("stream", [False, True])
def test_the_sdks_own_chat_returns_signatures(client: genai.Client, model: str, stream: bool) -> None:
    config: Any = {**NO_LOOP, **THOUGHTS, "tools": TOOLS}
    chat = client.chats.create(model=model, config=config)
    text = ""
    for message in ("2 rounds", "again with 2 rounds"):
        sent: Json = message
        for _ in range(3):
            chunks = list(chat.send_message_stream(sent)) if stream else [chat.send_message(sent)]
            calls = [part.function_call for part in parts(chunks) if part.function_call]
            text = "".join(part.text or "" for part in parts(chunks) if not part.thought)
            signed = [bool(part.thought_signature) for part in parts(chunks) if part.function_call]
            assert signed == ([True, False] if calls else [])
            if not calls:
                break
            sent = [types.Part.from_function_response(name=c.name, response={"result": "r"}) for c in calls]
    assert text == "The tools answered:\nget_weather: r\nget_time: r"


def test_a_call_without_its_signature(client: genai.Client) -> None:
    model = "agent-gemini-3-pro-preview"
    content = whole(client, model, tools=TOOLS).candidates[0].content
    results = [
        {"function_response": {"name": p.function_call.name, "response": {"output": "r"}}} for p in content.parts
    ]

    def again(signature: Json) -> Any:
        content.parts[0].thought_signature = signature
        contents = ["hi there", content, {"role": "user", "parts": results}]
        return whole(client, model, contents=contents, tools=TOOLS)

    with pytest.raises(
        errors.ClientError, match=r"`get_weather` in the 2\. content block is missing a `thought_signature`"
    ):
        again(None)
    with pytest.raises(errors.ClientError, match="Invalid thought signature"):
        again(b"foreign")
    assert again(b"skip_thought_signature_validator").text.startswith("The tools answered")


def test_automatic_function_calling(client: genai.Client) -> None:
    def get_weather(city: str) -> str:
        """The weather."""
        return f"sunny in {len(city)} letters"

    config: Json = {"tools": [get_weather]}
    said: Any = client.models.generate_content(model="agent", contents="hi there", config=config)
    assert said.text.startswith("The tools answered:\nget_weather: sunny in")


def test_choice(client: genai.Client) -> None:
    def names(mode: str, *allowed: str) -> list[str]:
        calling = {"mode": mode, **({"allowed_function_names": list(allowed)} if allowed else {})}
        said = whole(client, tools=TOOLS, tool_config={"function_calling_config": calling})
        return [call.name for call in said.function_calls or []]

    assert names("ANY", "get_time") == ["get_time"]
    assert names("VALIDATED", "get_time") == ["get_time"]
    assert names("NONE") == []
    assert names("AUTO") == ["get_weather", "get_time"]


def test_structured_output(client: genai.Client) -> None:
    schemas: list[Json] = [{"response_json_schema": CITY}, {"response_schema": {**CITY, "type": "OBJECT"}}]
    for schema in schemas:
        assert json.loads(whole(client, response_mime_type="application/json", **schema).text) == {"city": "Rome"}
    assert list(json.loads(whole(client, response_mime_type="application/json").text)) == ["answer"]
    enum = {"type": "STRING", "enum": ["one"]}
    assert whole(client, response_mime_type="text/x.enum", response_schema=enum).text == "one"


def test_limits_and_stops(client: genai.Client) -> None:
    cut = whole(client, max_output_tokens=2)
    assert (cut.text, cut.candidates[0].finish_reason) == ("You said", "MAX_TOKENS")
    assert whole(client, stop_sequences=[" there"]).text == "You said: hi"
    cut = whole(client, tools=TOOLS, max_output_tokens=2)
    assert (cut.function_calls, cut.candidates[0].finish_reason) == (None, "MAX_TOKENS")


def test_candidates_and_logprobs(client: genai.Client) -> None:
    said = whole(client, candidate_count=2, response_logprobs=True, logprobs=1)
    assert [c.content.parts[0].text for c in said.candidates] == ["You said: hi there"] * 2
    found = said.candidates[1].logprobs_result
    assert "".join(entry.token for entry in found.chosen_candidates) == "You said: hi there"
    assert len(found.top_candidates[0].candidates) == 1
    chunks = streamed(client, candidate_count=2)
    assert [c.candidates[0].index or 0 for c in chunks] == [0, 1] * (len(chunks) // 2)


def test_count_tokens_and_models(client: genai.Client) -> None:
    counted = client.models.count_tokens(model="agent", contents="hi there")
    assert counted.total_tokens == whole(client).usage_metadata.prompt_token_count
    names = {model.name for model in client.models.list()}
    assert {"models/agent", "models/fault-429", "models/quirk-blocked-prompt"} <= names
    assert client.models.get(model="fault-418").name == "models/fault-418"
    with pytest.raises(errors.ClientError) as caught:
        client.models.get(model="nobody")
    assert caught.value.code == 404


ERRORS: list[tuple[str, type[errors.APIError], int, str]] = [
    ("fault-400", errors.ClientError, 400, "INVALID_ARGUMENT"),
    ("fault-401", errors.ClientError, 401, "UNAUTHENTICATED"),
    ("fault-403", errors.ClientError, 403, "PERMISSION_DENIED"),
    ("fault-404", errors.ClientError, 404, "NOT_FOUND"),
    ("fault-429", errors.ClientError, 429, "RESOURCE_EXHAUSTED"),
    ("fault-500", errors.ServerError, 500, "INTERNAL"),
    ("fault-503", errors.ServerError, 503, "UNAVAILABLE"),
    ("fault-504", errors.ServerError, 504, "DEADLINE_EXCEEDED"),
    ("fault-529", errors.ServerError, 529, "INTERNAL"),
    ("fault-quota", errors.ClientError, 429, "RESOURCE_EXHAUSTED"),
    ("fault-context", errors.ClientError, 400, "INVALID_ARGUMENT"),
    ("fault-auth", errors.ClientError, 400, "INVALID_ARGUMENT"),
    ("nobody", errors.ClientError, 404, "NOT_FOUND"),
]


@pytest.mark.parametrize("call", [whole, streamed])
@pytest.mark.parametrize(("model", "kind", "code", "status"), ERRORS)
def test_errors(
    client: genai.Client, model: str, kind: type[errors.APIError], code: int, status: str, call: Any
) -> None:
    with pytest.raises(kind) as caught:
        call(client, model)
    assert (caught.value.code, caught.value.status) == (code, status)


def test_details_that_clients_look_for(emulation: Emulation) -> None:
    def asked(model: str) -> Any:
        url = f"{emulation.base_url('google-gemini')}/v1beta/models/{model}:generateContent"
        return httpx2.post(url, headers={"x-goog-api-key": "k"}, json={"contents": [{"parts": [{"text": "x"}]}]})

    def details(model: str) -> Json:
        return asked(model).json()["error"]["details"]

    assert details("fault-auth")[0]["reason"] == "API_KEY_INVALID"
    assert "PerDay" in details("fault-quota")[0]["violations"][0]["quotaId"]
    assert "PerMinute" in details("fault-429")[0]["violations"][0]["quotaId"]
    assert details("fault-429")[1]["retryDelay"] == "1s"
    assert asked("fault-429").headers["retry-after"] == "1"
    text = asked("fault-context").json()["error"]["message"]
    assert "input token count" in text and "exceeds the maximum number of tokens allowed" in text


def test_a_broken_rule_is_the_sdks_client_error(client: genai.Client) -> None:
    with pytest.raises(errors.ClientError, match="Function calling config is set without function_declarations"):
        whole(client, tool_config={"function_calling_config": {"mode": "AUTO"}})


@pytest.mark.parametrize(
    ("headers", "query", "status", "word"),
    [
        ({}, "", 403, "PERMISSION_DENIED"),
        ({"x-goog-api-key": "bad-key"}, "", 400, "INVALID_ARGUMENT"),
        ({"authorization": "Bearer bad-key"}, "", 400, "INVALID_ARGUMENT"),
        ({}, "?key=bad-key", 400, "INVALID_ARGUMENT"),
        ({}, "?key=k", 200, ""),
        ({"authorization": "Bearer k"}, "", 200, ""),
    ],
)
def test_keys(emulation: Emulation, headers: dict[str, str], query: str, status: int, word: str) -> None:
    url = emulation.base_url("google-gemini") + "/v1beta/models/agent:generateContent" + query
    answer = httpx2.post(url, headers=headers, json={"contents": [{"parts": [{"text": "x"}]}]})
    assert (answer.status_code, answer.json().get("error", {}).get("status", "")) == (status, word)


def test_paths(emulation: Emulation) -> None:
    base, headers = emulation.base_url("google-gemini"), {"x-goog-api-key": "k"}
    body = {"contents": [{"parts": [{"text": "x"}]}]}
    assert httpx2.post(f"{base}/v1beta/models/agent%3AgenerateContent", headers=headers, json=body).status_code == 200
    assert httpx2.post(f"{base}/v2/models/agent:generateContent", headers=headers, json=body).status_code == 404
    assert httpx2.post(f"{base}/v1/models/a/b:generateContent", headers=headers, json=body).status_code == 404
    bad = httpx2.post(f"{base}/v1/models/agent:generateContent", headers=headers, content=b"{")
    assert bad.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_vertex(emulation: Emulation) -> None:
    def asked(token: str) -> Any:
        options: Json = {"base_url": emulation.base_url("google-gemini"), "timeout": 5000}
        signed_in = credentials.Credentials(token)  # type: ignore[no-untyped-call]
        return genai.Client(vertexai=True, project="p", location="l", credentials=signed_in, http_options=options)

    client = asked("t")
    first = whole(client, "agent-gemini-3.5-pro", tools=TOOLS)
    assert [call.id for call in first.function_calls] == [None, None]
    results = [{"function_response": {"name": c.name, "response": {"output": "r"}}} for c in first.function_calls]
    user: Json = {"role": "user", "parts": [{"text": "hi there"}]}
    contents = [user, first.candidates[0].content, {"role": "user", "parts": results}]
    last = streamed(client, "agent-gemini-3.5-pro", contents=contents, tools=TOOLS)
    assert "".join(chunk.text for chunk in last) == "The tools answered:\nget_weather: r\nget_time: r"
    assert client.models.count_tokens(model="agent", contents="hi").total_tokens
    with pytest.raises(errors.ClientError) as caught:
        whole(asked("bad-key"))
    assert (caught.value.code, caught.value.status) == (401, "UNAUTHENTICATED")


def test_refusal(client: genai.Client) -> None:
    for said in (whole(client, "fault-refusal"), streamed(client, "fault-refusal")[-1]):
        assert (said.candidates[0].finish_reason, said.candidates[0].content) == ("SAFETY", None)
        assert said.candidates[0].safety_ratings[0].blocked


def test_empty(client: genai.Client) -> None:
    for said in (whole(client, "fault-empty", tools=TOOLS), streamed(client, "fault-empty", tools=TOOLS)[-1]):
        assert (said.candidates[0].finish_reason, said.text) == ("STOP", "")


def test_bad_arguments(client: genai.Client) -> None:
    for said in (
        whole(client, "fault-bad-arguments", tools=TOOLS),
        streamed(client, "fault-bad-arguments", tools=TOOLS)[-1],
    ):
        candidate = said.candidates[0]
        assert (candidate.finish_reason, candidate.content) == ("MALFORMED_FUNCTION_CALL", None)


def test_malformed(client: genai.Client) -> None:
    with pytest.raises(json.JSONDecodeError):
        whole(client, "fault-malformed")
    with pytest.raises(errors.UnknownApiResponseError):
        streamed(client, "fault-malformed")


def test_error_before_content(client: genai.Client) -> None:
    with pytest.raises(errors.ServerError):
        whole(client, "fault-error-first")
    found: list[Any] = []
    with pytest.raises(errors.ServerError) as caught:
        found.extend(client.models.generate_content_stream(model="fault-error-first", contents="hi"))
    assert (found, caught.value.status) == ([], "INTERNAL")


def texts(client: genai.Client, model: str, found: list[str]) -> None:
    found.extend(chunk.text or "" for chunk in client.models.generate_content_stream(model=model, contents="hi there"))


def test_cut(client: genai.Client) -> None:
    chunks = streamed(client, "fault-cut")
    assert "".join(chunk.text for chunk in chunks) == "You said: hi there"
    assert [chunk.candidates[0].finish_reason for chunk in chunks] == [None] * len(chunks)
    with pytest.raises(Exception, match="peer closed connection"):
        whole(client, "fault-cut")


def test_reset_and_stall(emulation: Emulation) -> None:
    impatient = client_of(emulation, timeout=300)
    for model in ("fault-reset", "fault-stall"):
        found: list[str] = []
        with pytest.raises(Exception, match=r"timed out|reset|ReadError|^$"):
            texts(impatient, model, found)
        assert found == ["You said: hi"]
    with pytest.raises(Exception, match="timed out"):
        whole(impatient, "fault-silent")


def test_flaky(client: genai.Client) -> None:
    with pytest.raises(errors.ServerError):
        whole(client, "flaky-1")
    assert whole(client, "flaky-1").text == "You said: hi there"


@pytest.mark.parametrize("quirk", ["lf", "no-role-no-index", "no-usage", "finish-with-content", "unknown-fields"])
def test_what_the_sdk_forgives(client: genai.Client, quirk: str) -> None:
    assert "".join(part.text or "" for part in parts(streamed(client, f"quirk-{quirk}"))) == "You said: hi there"


def test_a_blocked_prompt(client: genai.Client) -> None:
    for said in (whole(client, "quirk-blocked-prompt"), *streamed(client, "quirk-blocked-prompt")):
        assert (said.candidates, said.prompt_feedback.block_reason) == (None, "PROHIBITED_CONTENT")


def test_an_error_after_content(client: genai.Client) -> None:
    found: list[str] = []
    with pytest.raises(errors.ServerError) as caught:
        texts(client, "quirk-error-late", found)
    assert (found, caught.value.status) == (["You said: hi"], "UNAVAILABLE")
