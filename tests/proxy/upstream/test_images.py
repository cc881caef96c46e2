"""Remote images: who may be asked, what is taken, and that the bytes reach an API that wants them."""

import asyncio
import base64
from dataclasses import replace

import httpx2
import pytest

from adapters.errors import Rejected
from proxy.upstream.images import Images, is_public
from tests.serving import Served, demo

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize(
    "address, public",
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.5.4", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:169.254.169.254", False),
        ("ff02::1", False),
    ],
)
def test_public_addresses(address, public):
    assert is_public(address) is public


class Site:
    """An HTTP server that answers each path with scripted bytes; `asked` is what came."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    async def _serve(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split()[1].decode()
        self.asked.append(path)
        writer.write(self.answers[path])
        await writer.drain()
        writer.close()


def answer(body=PNG, kind="image/png", status="200 OK", more=""):
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{more}content-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def fetched(images, paths, answers=None, host="127.0.0.1"):
    async def run():
        async with Site(answers or {"/a.png": answer()}) as site:
            try:
                return await images.fetch([f"http://{host}:{site.port}{path}" for path in paths]), site.asked
            except Rejected as error:
                return error.failure.message, site.asked

    return asyncio.run(run())


ANYONE = Images(allowed=lambda address: True)


def test_bytes_and_type():
    got, asked = fetched(ANYONE, ["/a.png"])
    assert list(got.values()) == [("image/png", base64.b64encode(PNG).decode())] and asked == ["/a.png"]
    got, _ = fetched(ANYONE, ["/a.png"], host="localhost")
    assert len(got) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"])
def test_nothing_private_is_asked(host):
    message, asked = fetched(Images(), ["/a.png"], host=host)
    assert "public" in message and asked == []


@pytest.mark.parametrize(
    "images, served, told",
    [
        (ANYONE, answer(status="404 Not Found"), "answered 404"),
        (ANYONE, answer(b"", status="302 Found", more="location: http://127.0.0.1:1/\r\n"), "answered 302"),
        (ANYONE, answer(b"<html>", "text/html"), "text/html is none of"),
        (replace(ANYONE, max_bytes=10), answer(), "larger than 10 bytes"),
        (
            replace(ANYONE, seconds=0.1),
            b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 9\r\n",
            "0.1 seconds",
        ),
        (replace(ANYONE, hosts=("*.example.com",)), answer(), "server.image_hosts"),
    ],
)
def test_what_is_refused(images, served, told):
    async def run():
        holding = asyncio.Event()

        class Slow(Site):
            async def _serve(self, reader, writer):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(served)
                if b"\r\n\r\n" not in served:
                    await holding.wait()
                writer.close()

        async with Slow({}) as site:
            with pytest.raises(Rejected) as refused:
                await images.fetch([f"http://127.0.0.1:{site.port}/a.png"])
            holding.set()
            return refused.value.failure.message

    assert told in asyncio.run(run())


def test_too_many_images():
    with pytest.raises(Rejected):
        asyncio.run(ANYONE.fetch([f"http://127.0.0.1:1/{n}" for n in range(21)]))


def ask(served, url):
    image = {"type": "image_url", "image_url": {"url": url}}
    body = {
        "model": "ollama-chat/agent",
        "messages": [{"role": "user", "content": [image, {"type": "text", "text": "?"}]}],
    }
    return httpx2.post(f"{served.base}/v1/chat/completions", json=body)


def test_fetch_images_and_image_hosts(emulated):
    """The settings: off names the way out, public asks public hosts only, the bytes reach the upstream."""
    with Served(demo(emulated)) as served:
        refused = ask(served, "http://127.0.0.1:9/a.png")
        assert refused.status_code == 400 and "server.fetch_images" in refused.json()["error"]["message"]
    with Served(demo(emulated, fetch_images="public")) as served:
        refused = ask(served, "http://127.0.0.1:9/a.png")
        assert refused.status_code == 400 and "not public" in refused.json()["error"]["message"]

        async def go():
            async with Site({"/a.png": answer()}) as site:
                served.app.tools = replace(served.app.tools, images=lambda: ANYONE)
                return await asyncio.to_thread(ask, served, f"http://127.0.0.1:{site.port}/a.png")

        assert asyncio.run(go()).status_code == 200
        assert emulated.requests[-1].body["messages"][0]["images"] == [base64.b64encode(PNG).decode()]
    with Served(demo(emulated, fetch_images="public", image_hosts=("cdn.example.com",))) as served:
        assert "server.image_hosts" in ask(served, "http://127.0.0.1:9/a.png").json()["error"]["message"]
