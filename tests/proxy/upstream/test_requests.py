"""What the upstream sees is what was asked."""

import asyncio

import pytest

from proxy import __version__
from proxy.upstream.transport import Broken, Transport
from tests.proxy.upstream.conftest import SITE, Open
from tests.proxy.upstream.peer import Line, serve, whole

pytestmark = pytest.mark.anyio


class Recording:
    """Answers every request with nothing, and keeps them: first lines, headers (names in lower case), bodies."""

    def __init__(self) -> None:
        self.first: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []

    async def __call__(self, line: Line) -> None:
        while not line.over.is_set():
            try:
                request = await line.request()
            except asyncio.IncompleteReadError:
                return
            head, _, body = request.partition(b"\r\n\r\n")
            first, *lines = head.decode().split("\r\n")
            named = [one.split(": ", 1) for one in lines]
            self.first.append(first)
            self.headers.append({name.lower(): value for name, value in named})
            assert len(self.headers[-1]) == len(lines), "a header twice"
            self.bodies.append(body)
            line.send(whole(b""))


async def test_the_request_as_it_is_sent(open_: Open, transport: Transport) -> None:
    seen = Recording()
    target = "/v1beta/models/a%2Fb%3Ac:generateContent?alt=sse&key=%7e+%20"
    async with serve(seen) as peer:
        headers = {"X-Api-Key": "k", "User-Agent": "mine", "x-odd": " a\tb "}
        (await open_(peer.url + target, headers=headers, body=b'{"a":"\xc3\xa4"}')).close()
        await transport.aclose()
    assert seen.first == [f"POST {target} HTTP/1.1"]
    assert seen.headers == [
        {
            "host": f"127.0.0.1:{peer.port}",
            "accept": "*/*",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "mine",
            "x-api-key": "k",
            "x-odd": "a\tb",
            "content-length": "10",
        }
    ]
    assert seen.bodies == [b'{"a":"\xc3\xa4"}']


HEADERS: list[tuple[dict[str, str], dict[str, str]]] = [
    ({}, {"user-agent": f"toolwire/{__version__}"}),
    ({"Accept-Encoding": "gzip"}, {"accept-encoding": "gzip"}),
    ({"ACCEPT": "text/event-stream"}, {"accept": "text/event-stream"}),
    ({"Content-Type": "application/x-ndjson"}, {"content-type": "application/x-ndjson"}),
    ({"Content-Length": "7", "Transfer-Encoding": "chunked", "Expect": "100-continue"}, {"content-length": "2"}),
    ({"x-name": "zo\u00eb"}, {"x-name": "zo\u00eb"}),
    ({"Host": "signed.example"}, {"host": "signed.example"}),
]


@pytest.mark.parametrize("given, sent", HEADERS)
async def test_headers(open_: Open, transport: Transport, given: dict[str, str], sent: dict[str, str]) -> None:
    seen = Recording()
    async with serve(seen) as peer:
        (await open_(peer.url, headers=given)).close()
        await transport.aclose()
    plain = {
        "host": f"127.0.0.1:{peer.port}",
        "accept": "*/*",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "user-agent": f"toolwire/{__version__}",
        "content-length": "2",
    }
    assert seen.headers == [plain | sent]


@pytest.mark.parametrize(
    "url, first",
    [
        ("", "GET / HTTP/1.1"),
        ("/", "GET / HTTP/1.1"),
        ("?a=b", "GET /?a=b HTTP/1.1"),
        ("/a/../b//c/./d", "GET /a/../b//c/./d HTTP/1.1"),
        ("/m/%e4%C3%A4", "GET /m/%e4%C3%A4 HTTP/1.1"),
        ("/m;v=1/@x:y/$,'()*!~", "GET /m;v=1/@x:y/$,'()*!~ HTTP/1.1"),
        ("/m?q=a/b?c&d=%26", "GET /m?q=a/b?c&d=%26 HTTP/1.1"),
        ("/m#part", "GET /m HTTP/1.1"),
    ],
)
async def test_a_url_stays_as_it_is(open_: Open, transport: Transport, url: str, first: str) -> None:
    seen = Recording()
    async with serve(seen) as peer:
        (await open_(peer.url + url, method="GET", body=b"")).close()
        await transport.aclose()
    assert seen.first == [first]
    assert "content-length" not in seen.headers[0] and "content-type" not in seen.headers[0]


async def test_a_post_without_body(open_: Open, transport: Transport) -> None:
    seen = Recording()
    async with serve(seen) as peer:
        (await open_(peer.url, body=b"")).close()
        await transport.aclose()
    assert seen.headers[0]["content-length"] == "0"


async def test_a_large_body(open_: Open, transport: Transport) -> None:
    body = bytes(range(256)) * 20000
    seen = Recording()
    async with serve(seen) as peer:
        await (await open_(peer.url, body=body)).body(1)
        await transport.aclose()
    assert seen.bodies == [body]


async def test_user_information_becomes_a_header(open_: Open, transport: Transport) -> None:
    seen = Recording()
    async with serve(seen) as peer:
        url = peer.url.replace("://", "://us%40er:pass@")
        await (await open_(url)).body(0)
        await (await open_(url, headers={"Authorization": "Bearer k"})).body(0)
        await transport.aclose()
    assert [headers["authorization"] for headers in seen.headers] == ["Basic dXNAZXI6cGFzcw==", "Bearer k"]
    assert [headers["host"] for headers in seen.headers] == [f"127.0.0.1:{peer.port}"] * 2


@pytest.mark.parametrize(
    "method, url, headers",
    [
        ("POST", "http://127.0.0.1:1/", {"x-key": "a\r\nx-injected: 1"}),
        ("POST", "http://127.0.0.1:1/", {"x-key": "a\nb"}),
        ("POST", "http://127.0.0.1:1/", {"x-key": "a\x00b"}),
        ("POST", "http://127.0.0.1:1/", {"x-key": "a\ud800"}),
        ("POST", "http://127.0.0.1:1/", {"x-key\r\nx": "a"}),
        ("POST", "http://127.0.0.1:1/", {"": "a"}),
        ("POST", "http://127.0.0.1:1/a b", {}),
        ("POST", "http://127.0.0.1:1/\r\nx: y", {}),
        ("POST", "http://127.0.0.1:1/\u00e4", {}),
        ("POST", "http://127.0.0.1:99999/", {}),
        ("POST", "http:///path", {}),
        ("POST", "ftp://127.0.0.1/", {}),
        ("POST / HTTP/1.1\r\nx: y", "http://127.0.0.1:1/", {}),
    ],
)
async def test_what_would_be_another_request_is_not_sent(
    transport: Transport, method: str, url: str, headers: dict[str, str]
) -> None:
    with pytest.raises(Broken) as caught:
        await transport.open(SITE, method, url, headers, b"{}")
    failure = caught.value.failure
    assert (failure.type, failure.retry_same) == ("connection_error", False)
    assert failure.message.startswith("the request could not be sent: ")
