"""What the SDK tests share: a proxy with every emulated API behind both transports, and a look at all that went up."""

from __future__ import annotations

from collections.abc import Iterator

import anthropic
import openai
import pytest
from google import genai

from adapters.compat import FLAGS
from proxy.demo import NAMED, ROUTES
from proxy.demo import emulated as emulated_apis
from proxy.emulate import Emulation
from tests.serving import Served, config_of

pytest.register_assert_rewrite("tests.contract.chats", "tests.contract.native")

from tests.contract.native import accepted  # noqa: E402

APIS = tuple(emulated_apis())
FAULTS = (
    *(f"fault-{status}" for status in (400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529)),
    *(f"fault-{name}" for name in ("quota", "context", "auth", "empty", "malformed", "error-first")),
)
NATIVE = ("openai-chat", "openai-responses", "anthropic-messages", "google-gemini")
"""Those that some SDK here speaks itself; every dialect meets every API in `tests/matrix`."""
TRANSPORTS = ("aiohttp", "httpx")


@pytest.fixture(scope="session")
def served(emulated: Emulation) -> Iterator[Served]:
    """Providers are named API-TRANSPORT, and API alone for the default transport; `once/API/FAULT` is tried once."""
    lines = ["providers:"]
    for api in APIS:
        known = f'api: {api}, api_key: demo-key, base_url: "{emulated.base_url(api)}"'
        lines.append(f"  {api}: {{{known}}}")
        if any(flag.name == "strict_tools" for flag in FLAGS[api]):
            lines.append(f"  {api}-strict: {{{known}, compat: {{strict_tools: lossless}}}}")
        lines += [f"  {api}-{transport}: {{{known}, transport: {transport}}}" for transport in TRANSPORTS]
    faulty = [f"{api}/{fault}" for api in APIS for fault in FAULTS]
    once = [f"  once/{target}: {{target: {target}, retry: {{attempts: 1}}}}" for target in faulty]
    for name, api in NAMED.items():
        lines.append(f'  {name}: {{api: {api}, api_key: k, base_url: "{emulated.base_url(api)}"}}')
    with Served(config_of("\n".join([*lines, ROUTES, *once]))) as running:
        yield running


@pytest.fixture(params=[f"{api}-{transport}" for api in NATIVE[::2] for transport in TRANSPORTS])
def model(request: pytest.FixtureRequest) -> str:
    """The agent behind each API and transport."""
    return f"{request.param}/agent"


@pytest.fixture(params=NATIVE)
def api(request: pytest.FixtureRequest) -> str:
    """Each API on the default transport."""
    return str(request.param)


@pytest.fixture(params=APIS)
def every_api(request: pytest.FixtureRequest) -> str:
    """Each API there is."""
    return str(request.param)


@pytest.fixture(autouse=True)
def accepted_upstream(emulated: Emulation) -> Iterator[None]:
    """Every request that a test sends upstream fits the provider's own types."""
    emulated.requests.clear()
    yield
    for received in emulated.requests:
        accepted(received)


@pytest.fixture(scope="session")
def chat(served: Served) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{served.base}/v1", api_key="unused", max_retries=0, timeout=10) as client:
        yield client


@pytest.fixture(scope="session")
def claude(served: Served) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=served.base, api_key="unused", max_retries=0, timeout=10) as client:
        yield client


@pytest.fixture(scope="session")
def gemini(served: Served) -> Iterator[genai.Client]:
    options = genai.types.HttpOptions(base_url=served.base, timeout=10_000)
    client = genai.Client(api_key="unused", http_options=options)
    yield client
    client.close()
