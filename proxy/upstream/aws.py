"""Signature Version 4 for Bedrock requests without an API key (2026-11).

Signed are `content-type`, `host`, `x-amz-date` and, for temporary credentials, `x-amz-security-token`, as by
Botocore. The path is encoded once more in what is signed: `v1%3A0` goes out as it is and is signed as `v1%253A0`.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import quote, urlsplit

from adapters.errors import Failure
from adapters.format import Outgoing
from proxy.config.model import Aws, Provider
from proxy.engine.plan import Destination
from proxy.upstream.aws_credentials import Credentials, Sources
from proxy.upstream.transport import Broken

API = "bedrock-converse"
SERVICE = "bedrock"

_PORTS = {"http": 80, "https": 443}
_REGION = re.compile(r"(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.")


@dataclass(slots=True, frozen=True)
class Unsigned:
    """What is signed of a request. `url` is the final one, percent-encoded."""

    method: str
    url: str
    content_type: str
    body: bytes


class Signer:
    """The engine's hook: headers that sign a request to a `bedrock-converse` provider without an API key.

    `provider` finds a provider's configuration by name. `wall` is the time of day in seconds since 1970.
    """

    def __init__(
        self,
        provider: Callable[[str], Provider | None],
        environ: Mapping[str, str],
        wall: Callable[[], float],
        sources: Sources | None = None,
    ) -> None:
        self._provider = provider
        self._wall = wall
        self._environ = environ
        self._sources = Sources(environ) if sources is None else sources

    def warm(self, providers: Mapping[str, Provider]) -> None:
        """Begins to look for what these providers will need and only a look-up over the network may tell."""
        for provider in providers.values():
            if provider.api == API and not provider.api_keys:
                self._sources.warm(provider.aws or Aws(), self._wall())

    def __call__(self, to: Destination, outgoing: Outgoing, url: str) -> Mapping[str, str]:
        """Nothing for other APIs and for providers with a key. Raises Broken where there are no credentials."""
        if to.api.name != API or any(to.keys):
            return {}
        provider = self._provider(to.provider)
        aws = (provider.aws if provider is not None else None) or Aws()
        credentials = self._sources.find(aws, self._wall())
        if credentials is None:
            raise Broken(Failure("upstream_auth_error", f"There are no AWS credentials for {to.provider}."))
        region = region_of(url) or aws.region or self._environ.get("AWS_REGION")
        if not region:
            raise Broken(Failure("upstream_auth_error", f"There is no AWS region for {to.provider}."))
        given = {"content-type": "application/json", **outgoing.headers, **to.headers}
        content_type = next(value for name, value in reversed(given.items()) if name.lower() == "content-type")
        request = Unsigned(outgoing.method, url, content_type, outgoing.body)
        return signed(request, credentials, region, datetime.fromtimestamp(self._wall(), UTC))


def region_of(url: str) -> str | None:
    """The region that the host names, which is the one that the service checks."""
    found = _REGION.search(urlsplit(url).hostname or "")
    return found[1] if found else None


def signed(request: Unsigned, credentials: Credentials, region: str, now: datetime) -> dict[str, str]:
    """`authorization`, `x-amz-date` and the session token's header. `now` is in UTC."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    headers = {
        "content-type": " ".join(request.content_type.split()), "host": _host(request.url), "x-amz-date": stamp,
    }  # fmt: skip
    if credentials.session_token:
        headers["x-amz-security-token"] = credentials.session_token
    names = ";".join(headers)
    scope = f"{stamp[:8]}/{region}/{SERVICE}/aws4_request"
    canonical = sha256(_canonical(request, headers, names).encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{canonical}"
    signature = hmac.new(_key(credentials, region, stamp[:8]), text.encode(), sha256).hexdigest()
    made = {
        "authorization": f"AWS4-HMAC-SHA256 Credential={credentials.access_key_id}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}",
        "x-amz-date": stamp,
    }
    if credentials.session_token:
        made["x-amz-security-token"] = credentials.session_token
    return made


def _canonical(request: Unsigned, headers: Mapping[str, str], names: str) -> str:
    parts = urlsplit(request.url)
    pairs = sorted(tuple(pair.partition("=")[::2]) for pair in parts.query.split("&")) if parts.query else []
    return "\n".join(
        [
            request.method,
            quote(parts.path or "/", safe="/~"),
            "&".join(f"{name}={value}" for name, value in pairs),
            *(f"{name}:{value}" for name, value in headers.items()),
            "",
            names,
            sha256(request.body).hexdigest(),
        ]
    )


def _host(url: str) -> str:
    """As it stands in the request's `host` header: without a default port."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, _PORTS.get(parts.scheme)) else f"{host}:{parts.port}"


def _key(credentials: Credentials, region: str, date: str) -> bytes:
    key = f"AWS4{credentials.secret_access_key}".encode()
    for step in (date, region, SERVICE, "aws4_request"):
        key = hmac.new(key, step.encode(), sha256).digest()
    return key
