"""Which proxy the environment names for a URL."""

import pytest

from proxy.config.model import Provider
from proxy.upstream.environment import proxy
from proxy.upstream.transport import site

BOTH = {"HTTPS_PROXY": "http://secure:1", "HTTP_PROXY": "http://plain:2"}

CHOSEN: list[tuple[str, dict[str, str], str | None]] = [
    ("https://api.acme.test/v1", {}, None),
    ("https://api.acme.test/v1", BOTH, "http://secure:1"),
    ("http://api.acme.test/v1", BOTH, "http://plain:2"),
    ("https://api.acme.test/v1", {"HTTP_PROXY": "http://plain:2"}, None),
    ("https://api.acme.test", {"HTTP_PROXY": "http://plain:2", "ALL_PROXY": "http://all:3"}, "http://all:3"),
    ("https://api.acme.test", {**BOTH, "ALL_PROXY": "http://all:3"}, "http://secure:1"),
    ("https://api.acme.test", {"HTTPS_PROXY": "http://upper:1", "https_proxy": "http://lower:1"}, "http://lower:1"),
    ("https://api.acme.test", {"HTTPS_PROXY": "", "ALL_PROXY": "http://all:3"}, "http://all:3"),
    ("https://api.acme.test", {"HTTPS_PROXY": "secure:3128"}, "http://secure:3128"),
    ("https://api.acme.test", {"HTTPS_PROXY": " HTTP://us%20er:pw@secure:3128/ "}, "http://us%20er:pw@secure:3128/"),
    ("https://api.acme.test", {"HTTPS_PROXY": "https://secure:3128"}, "https://secure:3128"),
    ("https://api.acme.test", {"ALL_PROXY": "socks5h://secure:1080"}, "socks5h://secure:1080"),
    ("http://localhost:11434", BOTH, None),
    ("http://127.0.0.2:11434", BOTH, None),
    ("http://[::1]:11434", BOTH, None),
    ("http://ollama.localhost", BOTH, None),
    ("http://localhost.acme.test", BOTH, "http://plain:2"),
]


@pytest.mark.parametrize("url, environ, expected", CHOSEN)
def test_the_proxy(url: str, environ: dict[str, str], expected: str | None) -> None:
    assert proxy(url, environ) == expected


EXEMPT = [
    ("https://api.acme.test", "*", True),
    ("https://api.acme.test", "", False),
    ("https://api.acme.test", "api.acme.test", True),
    ("https://api.acme.test", "API.Acme.Test", True),
    ("https://API.acme.test", "acme.test", True),
    ("https://api.acme.test", ".acme.test", True),
    ("https://api.acme.test", "*.acme.test", True),
    ("https://acme.test", ".acme.test", True),
    ("https://notacme.test", "acme.test", False),
    ("https://api.acme.test", "eu.api.acme.test", False),
    ("https://api.acme.test", "other.test, acme.test", True),
    ("https://api.acme.test", "other.test acme.test", True),
    ("https://api.acme.test", ",,", False),
    ("https://api.acme.test", "acme.test:443", True),
    ("https://api.acme.test", "acme.test:8443", False),
    ("https://api.acme.test:8443", "acme.test:8443", True),
    ("http://10.1.2.3:8000", "10.1.2.3", True),
    ("http://10.1.2.3:8000", "10.1.2.3:8000", True),
    ("http://10.1.2.3:8000", "10.1.2.3:80", False),
    ("http://10.1.2.3:8000", "10.0.0.0/8", True),
    ("http://11.1.2.3:8000", "10.0.0.0/8", False),
    ("https://api.acme.test", "10.0.0.0/8", False),
    ("https://api.acme.test", "what/ever", False),
    ("http://[fd00::1]:8000", "fd00::1", True),
    ("http://[fd00::1]:8000", "[fd00::1]:8000", True),
    ("http://[fd00::1]:8000", "fd00::/8", True),
    ("http://[fe00::1]:8000", "fd00::/8", False),
]


@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
@pytest.mark.parametrize("url, entries, exempt", EXEMPT)
def test_no_proxy(url: str, entries: str, exempt: bool, name: str) -> None:
    assert proxy(url, {"ALL_PROXY": "http://all:3", name: entries}) == (None if exempt else "http://all:3")


@pytest.mark.parametrize("value", ["ftp://secure:1", "http://", "http://secure:port", "http://secure:0", "socks4://a:1"])
def test_what_is_no_proxy(value: str) -> None:
    with pytest.raises(ValueError, match=r"^HTTPS_PROXY is no URL of a proxy \(http, https, socks5, socks5h\)$"):
        proxy("https://api.acme.test", {"https_proxy": value})


def test_a_site_names_its_provider_in_errors() -> None:
    provider = Provider("acme", "openai-chat", "https://api.acme.test/v1")
    with pytest.raises(ValueError, match=r'^provider "acme": a SOCKS proxy needs transport: httpx$'):
        site(provider, {"ALL_PROXY": "socks5://secure:1080"})
    with pytest.raises(ValueError, match=r'^provider "acme": HTTPS_PROXY is no URL'):
        site(provider, {"HTTPS_PROXY": "ftp://secure"})


def test_a_site_hides_the_proxy_s_password() -> None:
    made = site(Provider("acme", "openai-chat", "https://api.acme.test"), {"HTTPS_PROXY": "http://user:secret@proxy:1"})
    assert made.proxy == "http://user:secret@proxy:1"
    assert "secret" not in repr(made)
