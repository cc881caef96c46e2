"""Every test runs on both transports and both event loops."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from proxy.config.model import Provider, Timeouts
from proxy.upstream import make
from proxy.upstream.transport import Response, Site, Transport, site
from tests.proxy.upstream.authority import Authority

LOOPS = [pytest.param(("asyncio", {"use_uvloop": False}), id="asyncio")]
if sys.platform != "win32":
    LOOPS.append(pytest.param(("asyncio", {"use_uvloop": True}), id="uvloop"))

SITE = Site("up", connect=5.0, idle=5.0)

Open = Callable[..., Awaitable[Response]]


@pytest.fixture(params=LOOPS)
def anyio_backend(request: pytest.FixtureRequest) -> object:
    return request.param


@pytest.fixture(params=["aiohttp", "httpx"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def transport(kind: str, anyio_backend: object) -> AsyncIterator[Transport]:
    made = make(kind)
    yield made
    await made.aclose()


@pytest.fixture
def open_(transport: Transport) -> Open:
    """A POST with a small body, where the test does not say otherwise."""

    async def send(url: str, *, site: Site = SITE, method: str = "POST", headers: dict[str, str] | None = None,
                   body: bytes = b"{}") -> Response:
        return await transport.open(site, method, url, headers or {}, body)

    return send


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def trusting(kind: str, authority: Authority) -> Site:
    """A site that trusts the authority."""
    return site(provider(kind, ca_file=str(authority.ca_file)), {})


def provider(kind: str, base_url: str = "https://127.0.0.1", ca_file: str | None = None) -> Provider:
    return Provider(
        "up", "openai-chat", base_url, transport=kind, ca_file=ca_file, timeout=Timeouts(connect=5.0, idle=5.0)
    )
