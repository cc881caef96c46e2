"""The proxy that the environment names for a URL: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, lower case first."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

SCHEMES = ("http", "https", "socks5", "socks5h")


def proxy(url: str, environ: Mapping[str, str]) -> str | None:
    """The proxy's URL; None for a direct connection, as always to a loopback host. Raises ValueError for a proxy that
    is no URL of a known scheme."""
    target = urlsplit(url)
    if _is_loopback(target.hostname or "") or _exempt(target, environ):
        return None
    for name in (f"{target.scheme}_proxy", "all_proxy"):
        value = (environ.get(name) or environ.get(name.upper()) or "").strip()
        if value:
            return _checked(value, name.upper())
    return None


def _checked(value: str, name: str) -> str:
    url = value if "://" in value else f"http://{value}"
    scheme, _, rest = url.partition("://")
    url = f"{scheme.lower()}://{rest}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"{name} is no URL of a proxy ({', '.join(SCHEMES)})")
    return url


def _exempt(target: SplitResult, environ: Mapping[str, str]) -> bool:
    entries = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    return any(_matches(entry.lower(), target) for entry in re.split(r"[,\s]+", entries) if entry)


def _matches(entry: str, target: SplitResult) -> bool:
    """`*`, a network, or a host, with a port or without; a name covers its subdomains, with or without leading dot."""
    if entry == "*":
        return True
    host = target.hostname or ""
    if "/" in entry:
        return _within(host, entry)
    if found := re.fullmatch(r"(\[.+\]|[^:]+):(\d+)", entry):
        port = target.port or (443 if target.scheme == "https" else 80)
        if int(found[2]) != port:
            return False
        entry = found[1]
    name = entry.strip("[]").removeprefix("*").removeprefix(".")
    return host == name or host.endswith(f".{name}")


def _within(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
