"""Failures reach a client as its own SDK's exceptions, before and inside streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors

from proxy.emulate import Emulation
from tests.serving import Served, demo

HI: Any = [{"role": "user", "content": "hi there"}]
STATUSES = {
    # fault: toolwire's type, the status that the client sees
    "fault-400": ("invalid_request_error", 400),
    "fault-401": ("upstream_auth_error", 502),
    "fault-403": ("upstream_auth_error", 502),
    "fault-404": ("not_found_error", 404),
    "fault-408": ("timeout_error", 504),
    "fault-413": ("request_too_large", 413),
    "fault-429": ("rate_limit_error", 429),
    "fault-500": ("api_error", 502),
    "fault-502": ("api_error", 502),
    "fault-503": ("overloaded_error", 503),
    "fault-504": ("timeout_error", 504),
    "fault-529": ("overloaded_error", 503),
    "fault-quota": ("billing_error", 402),
    "fault-context": ("context_length_exceeded", 400),
    "fault-auth": ("upstream_auth_error", 502),
    "fault-empty": ("malformed_response", 502),
    "fault-malformed": ("malformed_response", 502),
}
APIS = {
    "chat": ["openai-chat", "google-gemini"],
    "messages": ["anthropic-messages", "openai-chat"],
    "gemini": ["google-gemini", "openai-responses"],
}
OPENAI: dict[int, type[openai.APIStatusError]] = {
    400: openai.BadRequestError, 404: openai.NotFoundError, 429: openai.RateLimitError,
}
CLAUDE: dict[int, type[anthropic.APIStatusError]] = {
    400: anthropic.BadRequestError, 404: anthropic.NotFoundError, 413: anthropic.RequestTooLargeError,
    429: anthropic.RateLimitError, 503: anthropic.ServiceUnavailableError, 504: anthropic.DeadlineExceededError,
}
CLAUDE_NAMES = {
    "upstream_auth_error": "api_error",
    "malformed_response": "api_error",
    "context_length_exceeded": "invalid_request_error",
}
GEMINI_NAMES = {
    400: "INVALID_ARGUMENT", 402: "RESOURCE_EXHAUSTED", 404: "NOT_FOUND", 413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED", 502: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}


def attempts(error: Any, target: str, kind: str) -> None:
    tried = error["attempts"]
    assert {one["target"] for one in tried} == {target}
    assert {one["type"] for one in tried} == {kind}
    assert all(one["seconds"] >= 0 for one in tried)


@pytest.fixture(params=[False, True], ids=["whole", "stream"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


# --- before anything was said --------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS["chat"])
@pytest.mark.parametrize("fault", STATUSES)
def test_chat(chat: openai.OpenAI, api: str, fault: str, streamed: bool) -> None:
    kind, status = STATUSES[fault]
    with pytest.raises(OPENAI.get(status, openai.APIStatusError)) as raised:
        chat.chat.completions.create(model=f"once/{api}/{fault}", messages=HI, stream=streamed)
    assert (raised.value.status_code, raised.value.type) == (status, kind)
    body: Any = raised.value.body
    attempts(body, f"{api}/{fault}", kind)
    assert raised.value.request_id and raised.value.message


@pytest.mark.parametrize("fault", STATUSES)
def test_responses(chat: openai.OpenAI, fault: str, streamed: bool) -> None:
    kind, status = STATUSES[fault]
    with pytest.raises(OPENAI.get(status, openai.APIStatusError)) as raised:
        chat.responses.create(model=f"once/openai-responses/{fault}", input="hi there", stream=streamed)
    assert (raised.value.status_code, raised.value.type) == (status, kind)
    body: Any = raised.value.body
    attempts(body, f"openai-responses/{fault}", kind)


@pytest.mark.parametrize("api", APIS["messages"])
@pytest.mark.parametrize("fault", STATUSES)
def test_messages(claude: anthropic.Anthropic, api: str, fault: str, streamed: bool) -> None:
    kind, status = STATUSES[fault]
    with pytest.raises(CLAUDE.get(status, anthropic.APIStatusError)) as raised:
        claude.messages.create(model=f"once/{api}/{fault}", max_tokens=10, messages=HI, stream=streamed)
    body: Any = raised.value.body
    assert raised.value.status_code == status
    assert (body["type"], body["error"]["toolwire_type"]) == ("error", kind)
    assert body["error"]["type"] == CLAUDE_NAMES.get(kind, kind)
    assert body["request_id"] == raised.value.request_id
    attempts(body["error"], f"{api}/{fault}", kind)


@pytest.mark.parametrize("api", APIS["gemini"])
@pytest.mark.parametrize("fault", STATUSES)
def test_gemini(gemini: genai.Client, api: str, fault: str, streamed: bool) -> None:
    kind, status = STATUSES[fault]
    models = gemini.models
    with pytest.raises(errors.ClientError if status < 500 else errors.ServerError) as raised:
        ask: Any = {"model": f"once/{api}/{fault}", "contents": "hi there"}
        list(models.generate_content_stream(**ask)) if streamed else models.generate_content(**ask)
    assert (raised.value.code, raised.value.status) == (status, GEMINI_NAMES[status])
    error: Any = raised.value.details["error"]
    assert (error["code"], error["toolwire_type"]) == (status, kind)
    attempts(error, f"{api}/{fault}", kind)


# --- found here, before any upstream was asked -----------------------------------------------------------------------


def test_unknown_model(
    chat: openai.OpenAI, claude: anthropic.Anthropic, gemini: genai.Client, streamed: bool
) -> None:
    with pytest.raises(openai.NotFoundError) as one:
        chat.chat.completions.create(model="clade", messages=HI, stream=streamed)
    assert (one.value.code, one.value.param) == ("model_not_found", "model")
    assert "claude" in one.value.message
    with pytest.raises(openai.NotFoundError):
        chat.responses.create(model="clade", input="hi", stream=streamed)
    with pytest.raises(anthropic.NotFoundError) as two:
        claude.messages.create(model="clade", max_tokens=10, messages=HI, stream=streamed)
    assert "claude" in two.value.message
    with pytest.raises(errors.ClientError) as three:
        list(gemini.models.generate_content_stream(model="clade", contents="hi"))
    assert (three.value.code, three.value.status) == (404, "NOT_FOUND")


def test_what_is_wrong_with_a_request(
    chat: openai.OpenAI, claude: anthropic.Anthropic, gemini: genai.Client
) -> None:
    odd: Any = {"role": "user", "content": 5}
    with pytest.raises(openai.BadRequestError) as one:
        chat.chat.completions.create(model="gpt", messages=[odd])
    assert (one.value.type, one.value.param) == ("invalid_request_error", "messages[0].content")
    with pytest.raises(openai.BadRequestError) as two:
        chat.responses.create(model="gpt", input=[odd])
    assert (two.value.type, two.value.param) == ("invalid_request_error", "input[0].content")
    with pytest.raises(anthropic.BadRequestError) as three:
        claude.messages.create(model="gpt", max_tokens=10, messages=[odd])
    assert "messages[0].content" in str(three.value.body) or "messages.0.content" in str(three.value.body)
    with pytest.raises(errors.ClientError) as four:
        odd_body: Any = {"http_options": {"extra_body": {"tools": 5}}}
        gemini.models.generate_content(model="gpt", contents="hi", config=odd_body)
    assert (four.value.code, four.value.status) == (400, "INVALID_ARGUMENT")


# --- inside a stream -------------------------------------------------------------------------------------------------

BROKEN = {"fault-cut": "stream_interrupted", "fault-reset": "stream_interrupted"}


def read(stream: Any, text_of: Callable[[Any], str | None]) -> tuple[str, Exception]:
    """The text that came, and what was raised after it."""
    text = ""
    with pytest.raises(Exception) as raised:
        for event in stream:
            text += text_of(event) or ""
    return text, raised.value


@pytest.mark.parametrize("fault", BROKEN)
def test_chat_inside_a_stream(chat: openai.OpenAI, api: str, fault: str) -> None:
    stream = chat.chat.completions.create(model=f"{api}/{fault}", messages=HI, stream=True)
    text, error = read(stream, lambda chunk: chunk.choices[0].delta.content if chunk.choices else "")
    assert text and "You said: hi there".startswith(text)
    assert type(error) is openai.APIError
    assert error.type == BROKEN[fault]  # type: ignore[attr-defined]


@pytest.mark.parametrize("fault", BROKEN)
def test_responses_inside_a_stream(chat: openai.OpenAI, fault: str) -> None:
    for api in ("openai-responses", "openai-chat"):
        stream = chat.responses.create(model=f"{api}/{fault}", input="hi there", stream=True)
        text, error = read(stream, lambda event: event.delta if event.type == "response.output_text.delta" else "")
        assert text and "You said: hi there".startswith(text)
        assert type(error) is openai.APIError


@pytest.mark.parametrize("fault", BROKEN)
def test_messages_inside_a_stream(claude: anthropic.Anthropic, api: str, fault: str) -> None:
    stream = claude.messages.create(model=f"{api}/{fault}", max_tokens=100, messages=HI, stream=True)
    text, error = read(
        stream, lambda event: event.delta.text if event.type == "content_block_delta" else "")
    assert text and "You said: hi there".startswith(text)
    assert isinstance(error, anthropic.APIStatusError)
    assert error.body["error"]["toolwire_type"] == BROKEN[fault]  # type: ignore[index, call-overload]


@pytest.mark.parametrize("fault", BROKEN)
def test_gemini_inside_a_stream(gemini: genai.Client, api: str, fault: str) -> None:
    stream = gemini.models.generate_content_stream(model=f"{api}/{fault}", contents="hi there")
    text, error = read(stream, lambda chunk: chunk.text)
    assert text and "You said: hi there".startswith(text)
    assert isinstance(error, errors.APIError)
    assert error.details["error"]["toolwire_type"] == BROKEN[fault]


def test_a_stream_that_fails_before_content_keeps_its_status(
    chat: openai.OpenAI, claude: anthropic.Anthropic, gemini: genai.Client, api: str
) -> None:
    model = f"once/{api}/fault-error-first"
    with pytest.raises(openai.APIStatusError) as one:
        chat.chat.completions.create(model=model, messages=HI, stream=True)
    assert one.value.status_code in (502, 503)
    with pytest.raises(openai.APIStatusError):
        chat.responses.create(model=model, input="hi", stream=True)
    with pytest.raises(anthropic.InternalServerError):
        claude.messages.create(model=model, max_tokens=10, messages=HI, stream=True)
    with pytest.raises(errors.ServerError):
        list(gemini.models.generate_content_stream(model=model, contents="hi"))


# --- keys ------------------------------------------------------------------------------------------------------------


def test_retry_after(chat: openai.OpenAI, claude: anthropic.Anthropic) -> None:
    with pytest.raises(openai.RateLimitError) as one:
        chat.chat.completions.create(model="once/openai-chat/fault-429", messages=HI)
    assert one.value.response.headers["retry-after"] == "1"
    with pytest.raises(anthropic.RateLimitError) as two:
        claude.messages.create(model="once/anthropic-messages/fault-429", max_tokens=10, messages=HI)
    assert two.value.response.headers["retry-after"] == "1"


@pytest.fixture(scope="module")
def slow(emulated: Emulation) -> Iterator[Served]:
    """One client a dialect, with two requests a minute, at a quarter of a minute that never ends."""
    clients = "".join(f"  - {{name: {one}, key: {one}, requests_per_minute: 2}}\n" for one in DIALECTS)
    with Served(demo(emulated, f"clients:\n{clients}")) as running:
        running.app.wall = lambda: 1_800_000_015.0
        yield running


DIALECTS = ("chat", "responses", "messages", "gemini")


@pytest.mark.parametrize("dialect", DIALECTS[:2])
def test_own_limit_towards_openai(slow: Served, dialect: str) -> None:
    with openai.OpenAI(base_url=f"{slow.base}/v1", api_key=dialect, max_retries=0) as client:
        def ask(stream: bool = False) -> Any:
            if dialect == "chat":
                return client.chat.completions.with_raw_response.create(model="gpt", messages=HI, stream=stream)
            return client.responses.with_raw_response.create(model="gpt", input="hi", stream=stream)

        first, second = ask(), ask(stream=True)
        with pytest.raises(openai.RateLimitError) as raised:
            ask()
    left = [limits(one.headers, "x-ratelimit-") for one in (first, second, raised.value.response)]
    assert left == [
        {"limit-requests": "2", "remaining-requests": number, "reset-requests": "1m45s"} for number in ("1", "0", "0")
    ]
    assert raised.value.response.headers["retry-after"] == "75"


def test_own_limit_towards_anthropic(slow: Served) -> None:
    with anthropic.Anthropic(base_url=slow.base, api_key="messages", max_retries=0) as client:
        ask = client.messages.with_raw_response
        first = ask.create(model="gpt", max_tokens=9, messages=HI)
        second = ask.create(model="gpt", max_tokens=9, messages=HI, stream=True)
        with pytest.raises(anthropic.RateLimitError) as raised:
            ask.create(model="gpt", max_tokens=9, messages=HI)
    left = [limits(one.headers, "anthropic-ratelimit-") for one in (first, second, raised.value.response)]
    assert left == [
        {"requests-limit": "2", "requests-remaining": number, "requests-reset": "2027-01-15T08:02:00Z"}
        for number in ("1", "0", "0")
    ]
    assert raised.value.response.headers["retry-after"] == "75"


def test_own_limit_towards_google(slow: Served) -> None:
    options: Any = {"base_url": slow.base}
    client = genai.Client(api_key="gemini", http_options=options)
    for _ in range(2):
        client.models.generate_content(model="gpt", contents="hi")
    with pytest.raises(errors.ClientError) as raised:
        client.models.generate_content(model="gpt", contents="hi")
    error: Any = raised.value.details["error"]
    assert (error["code"], error["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert error["details"] == [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "75s"}]


def limits(headers: Any, prefix: str) -> dict[str, str]:
    """What the headers of this prefix say."""
    return {name.removeprefix(prefix): value for name, value in headers.items() if name.startswith(prefix)}


@pytest.mark.parametrize("fault", ["fault-400", "fault-401", "fault-quota", "fault-context"])
def test_what_no_retry_mends(chat: openai.OpenAI, claude: anthropic.Anthropic, fault: str) -> None:
    """The SDKs obey `x-should-retry`: one request, however many retries they are set to."""
    with pytest.raises(openai.APIStatusError) as one:
        chat.with_options(max_retries=2).chat.completions.create(model=f"once/openai-chat/{fault}", messages=HI)
    assert one.value.response.headers["x-should-retry"] == "false"
    with pytest.raises(anthropic.APIStatusError) as two:
        claude.with_options(max_retries=2).messages.create(
            model=f"once/anthropic-messages/{fault}", max_tokens=10, messages=HI)
    assert two.value.response.headers["x-should-retry"] == "false"
