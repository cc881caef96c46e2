"""The official SDK as the reader of what we write: our bytes come in through its own HTTP client."""

from collections.abc import Callable
from typing import Any

import httpx2
import openai
import pytest

Reader = Callable[[bytes], Any]


def _client(
    body: bytes, content_type: str, status: int = 200, headers: tuple[tuple[str, str], ...] = ()
) -> openai.OpenAI:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, headers=[("content-type", content_type), *headers], content=body)

    return openai.OpenAI(
        api_key="k",
        base_url="http://127.0.0.1:1/v1",
        max_retries=0,
        http_client=httpx2.Client(transport=httpx2.MockTransport(answer)),
    )


@pytest.fixture
def accumulate() -> Reader:
    """A stream's bytes -> the completion that `chat.completions.stream` has at the end.

    Its `get_final_completion` raises for the finishes length and content_filter, so the last snapshot is taken.
    """

    def read(body: bytes) -> Any:
        client = _client(body, "text/event-stream")
        with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "hi"}]) as stream:
            for _ in stream:
                pass
            return stream.current_completion_snapshot

    return read


@pytest.fixture
def parse() -> Reader:
    """A whole answer's bytes -> the SDK's type."""

    def read(body: bytes) -> Any:
        client = _client(body, "application/json")
        return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])

    return read


@pytest.fixture
def refuse() -> Callable[[Any], openai.APIStatusError]:
    """An error answer -> the exception that the SDK raises for it."""

    def read(error: Any) -> openai.APIStatusError:
        client = _client(error.body, "application/json", error.status, error.headers)
        with pytest.raises(openai.APIStatusError) as caught:
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
        return caught.value

    return read
