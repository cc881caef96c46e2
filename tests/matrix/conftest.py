"""One proxy over all emulated upstreams, and each SDK's client, made once."""

from __future__ import annotations

from collections.abc import Iterator

import anthropic
import openai
import pytest
from google import genai

pytest.register_assert_rewrite("tests.matrix.neutral", "tests.matrix.responses")

from proxy.emulate import Emulation  # noqa: E402
from tests.matrix.chat import Chat  # noqa: E402
from tests.matrix.gemini import Gemini  # noqa: E402
from tests.matrix.messages import Messages  # noqa: E402
from tests.matrix.neutral import Client  # noqa: E402
from tests.matrix.responses import Responses  # noqa: E402
from tests.matrix.upstream import config  # noqa: E402
from tests.serving import Served, config_of  # noqa: E402


@pytest.fixture(scope="session")
def served(emulated: Emulation) -> Iterator[Served]:
    with Served(config_of(config(emulated))) as running:
        yield running


@pytest.fixture(scope="session")
def clients(served: Served) -> Iterator[dict[str, Client]]:
    """By dialect."""
    options = genai.types.HttpOptions(base_url=served.base, timeout=10_000)
    gemini = genai.Client(api_key="unused", vertexai=False, http_options=options)
    with (
        openai.OpenAI(base_url=f"{served.base}/v1", api_key="unused", max_retries=0, timeout=10) as chat,
        anthropic.Anthropic(base_url=served.base, api_key="unused", max_retries=0, timeout=10) as messages,
    ):
        yield {
            "chat": Chat(chat),
            "responses": Responses(chat),
            "messages": Messages(messages),
            "gemini": Gemini(gemini),
        }
    gemini.close()
