"""Trust: the system's authorities, or the provider's own file instead."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.errors import Failure
from proxy.upstream.transport import Broken, Site, Transport, site
from tests.proxy.upstream.authority import Authority
from tests.proxy.upstream.conftest import SITE, Open, provider
from tests.proxy.upstream.peer import CHUNKED, Line, answering, chunk, serve, turns, whole

pytestmark = pytest.mark.anyio


async def test_an_authority_of_one_s_own(
    open_: Open, trusting: Site, authority: Authority, transport: Transport
) -> None:
    async with serve(answering(whole(b"one"), whole(b"two")), authority.server("127.0.0.1")) as peer:
        for body in (b"one", b"two"):
            response = await open_(peer.url, site=trusting)
            assert await response.body(10) == body
            response.close()
        assert len(peer.lines) == 1
        await transport.aclose()


async def test_http_1_is_asked_for_by_name(open_: Open, trusting: Site, authority: Authority) -> None:
    spoken: list[object] = []

    async def script(line: Line) -> None:
        spoken.append(line.writer.get_extra_info("ssl_object").selected_alpn_protocol())
        await line.request()
        line.send(whole(b"ok"))

    async with serve(script, authority.server("127.0.0.1", alpn=["http/1.1"])) as peer:
        assert await (await open_(peer.url, site=trusting)).body(10) == b"ok"
    assert spoken == ["http/1.1"]


async def failure_of(open_: Open, url: str, site: Site) -> Failure:
    with pytest.raises(Broken) as caught:
        await open_(url, site=site)
    return caught.value.failure


async def refused(line: Line) -> None:
    raise AssertionError("a request came through")


async def test_an_unknown_authority(open_: Open, kind: str, authority: Authority) -> None:
    plain = site(provider(kind), {})
    async with serve(refused, authority.server("127.0.0.1")) as peer:
        for untrusting in (plain, SITE):
            assert await failure_of(open_, peer.url, untrusting) == Failure(
                "connection_error", "TLS: certificate verify failed: its issuer is not known"
            )


async def test_a_certificate_of_another_host(open_: Open, trusting: Site, authority: Authority) -> None:
    async with serve(refused, authority.server("127.0.0.9")) as peer:
        failure = await failure_of(open_, peer.url, trusting)
    assert failure == Failure("connection_error", "TLS: certificate verify failed: it is for another address")


async def test_a_certificate_that_is_too_old(open_: Open, trusting: Site, authority: Authority) -> None:
    async with serve(refused, authority.server("127.0.0.1", lasts=timedelta(days=-2))) as peer:
        failure = await failure_of(open_, peer.url, trusting)
    assert failure == Failure("connection_error", "TLS: certificate verify failed: it has expired")


async def test_an_upstream_without_tls(open_: Open, trusting: Site) -> None:
    async def script(line: Line) -> None:
        await line.reader.read(10)
        line.send(whole(b"plain"))

    async with serve(script) as peer:
        failure = await failure_of(open_, peer.url.replace("http:", "https:"), trusting)
    assert failure.type == "connection_error"
    assert failure.message.startswith("TLS: ") and "127.0.0.1" not in failure.message


async def test_an_upstream_that_hangs_up(open_: Open, trusting: Site) -> None:
    async def script(line: Line) -> None:
        await line.reader.read(10)

    async with serve(script) as peer:
        failure = await failure_of(open_, peer.url.replace("http:", "https:"), trusting)
    assert failure.type == "connection_error"


async def test_what_waits_unread_when_it_breaks(open_: Open, trusting: Site, authority: Authority) -> None:
    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + chunk(b"one") + chunk(b"two"))
        await line.writer.drain()
        line.end()

    async with serve(script, authority.server("127.0.0.1")) as peer:
        response = await open_(peer.url, site=trusting)
        await turns(50)
        assert await response.read() == b"onetwo"
        with pytest.raises(Broken) as caught:
            await response.read()
        response.close()
    assert caught.value.failure == Failure("connection_error", "the connection broke in the middle of the answer")


async def test_a_cancelled_read_closes_the_upstream(open_: Open, trusting: Site, authority: Authority) -> None:
    gone = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        line.send(CHUNKED + chunk(b"one"))
        await line.gone()
        gone.set()

    async with serve(script, authority.server("127.0.0.1")) as peer:
        response = await open_(peer.url, site=trusting)
        assert await response.read() == b"one"
        reading = asyncio.ensure_future(response.read())
        await turns()
        reading.cancel()
        await asyncio.wait({reading})
        response.close()
        async with asyncio.timeout(0.5):
            await gone.wait()


async def test_a_slow_handshake_is_within_connect(open_: Open, trusting: Site) -> None:
    async with serve(Line.gone) as peer:
        failure = await failure_of(open_, peer.url.replace("http:", "https:"), replace(trusting, connect=0.1))
    assert failure == Failure("timeout_error", "no connection within 0.1 s")


# --- making a site --------------------------------------------------------------------------------------------------


def test_plain_http_has_no_context(kind: str) -> None:
    assert site(provider(kind, "http://api.acme.test"), {}).ssl is None


def test_equal_trust_is_one_context(kind: str, authority: Authority) -> None:
    """So that connections outlive a reload."""
    own = provider(kind, ca_file=str(authority.ca_file))
    assert site(own, {}).ssl is site(own, {}).ssl
    assert site(provider(kind), {}).ssl is site(provider(kind, "HTTPS://other.test"), {}).ssl
    assert site(own, {}).ssl is not site(provider(kind), {}).ssl


def test_transports_do_not_share_a_context() -> None:
    assert site(provider("aiohttp"), {}).ssl is not site(provider("httpx"), {}).ssl


def test_a_ca_file_that_cannot_be_used(kind: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.pem")
    with pytest.raises(ValueError, match=r'^provider "up": ca_file: No such file or directory$'):
        site(provider(kind, ca_file=missing), {})
    empty = tmp_path / "empty.pem"
    for text in ("", "no certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"):
        empty.write_text(text)
        with pytest.raises(ValueError, match=r'^provider "up": ca_file holds no certificate$'):
            site(provider(kind, ca_file=str(empty)), {})
