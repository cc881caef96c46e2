"""What both transports do alike: check a request, add the transport's own headers, read an answer's."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes, urlsplit

from adapters.errors import Failure
from proxy import __version__
from proxy.upstream.transport import Broken

DEFAULTS = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": f"toolwire/{__version__}",
}
BODYLESS = ("GET", "HEAD", "OPTIONS")
_FRAMING = ("content-length", "transfer-encoding", "expect")

_URL = re.compile(r"https?://[!-~]+", re.IGNORECASE)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_METHOD = re.compile(r"[A-Z]+")
_NOT_IN_VALUES = re.compile("[^\t\x20-\x7e\x80-\ud7ff\ue000-\U0010ffff]")


@dataclass(slots=True, frozen=True)
class Address:
    """Where a URL points. `url` is without user information, `port` None for the scheme's own, `target` what stands in
    the request line, `basic` the user information as an `authorization` header."""

    url: str
    scheme: str
    host: str
    port: int | None
    authority: str
    target: str
    basic: str | None


@lru_cache(maxsize=1024)
def address(url: str) -> Address:
    """Raises Broken for what is no URL, or would not be one as it is."""
    if not _URL.fullmatch(url):
        raise _unsendable("its URL is not a percent-encoded http or https URL")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _unsendable("its URL is not a percent-encoded http or https URL") from None
    if not parts.hostname:
        raise _unsendable("its URL names no host")
    if port == (443 if parts.scheme == "https" else 80):
        port = None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    user, _, _ = parts.netloc.rpartition("@")
    authority = host if port is None else f"{host}:{port}"
    target = (parts.path or "/") + (f"?{parts.query}" if "?" in url.partition("#")[0] else "")
    return Address(
        url=f"{parts.scheme}://{authority}{target}",
        scheme=parts.scheme,
        host=parts.hostname,
        port=port,
        authority=authority,
        target=target,
        basic="Basic " + base64.b64encode(unquote_to_bytes(user)).decode() if user else None,
    )


def complete(method: str, headers: Mapping[str, str], to: Address) -> dict[str, str]:
    """The headers to send, names in lower case, without framing. Raises Broken for a line break or another control
    character in a name, a value or the method."""
    whole = DEFAULTS.copy()
    for name, value in headers.items():
        whole[_lower(name)] = value.strip(" \t")
    for name in _FRAMING:
        whole.pop(name, None)
    if method in BODYLESS:
        del whole["content-type"]
    if to.basic is not None:
        whole.setdefault("authorization", to.basic)
    values = "".join(whole.values())
    if not (values.isascii() and values.isprintable()) and _NOT_IN_VALUES.search(values):
        raise _unsendable("a header's value holds a character that HTTP forbids")
    if not _METHOD.fullmatch(method):
        raise _unsendable("its method is no HTTP method")
    return whole


def joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """An answer's headers, as `Response.headers` has them."""
    whole: dict[str, str] = {}
    for raw, value in headers:
        name = _received(raw)
        text = value.decode("utf-8", "replace")
        whole[name] = f"{whole[name]}, {text}" if name in whole else text
    return whole


@lru_cache(maxsize=1024)
def _received(name: bytes) -> str:
    return name.decode("latin-1").lower()


@lru_cache(maxsize=1024)
def _lower(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise _unsendable("a header's name holds a character that HTTP forbids")
    return name.lower()


def _unsendable(reason: str) -> Broken:
    return Broken(Failure("connection_error", f"the request could not be sent: {reason}", retry_same=False))
