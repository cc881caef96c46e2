"""Connections to upstreams."""

from proxy.upstream.transport import Transport


def make(kind: str) -> Transport:
    """The transport that a provider's `transport` names. It opens nothing before its first request."""
    if kind == "httpx":
        from proxy.upstream.httpx_client import HttpxTransport

        return HttpxTransport()
    from proxy.upstream.aiohttp_client import AiohttpTransport

    return AiohttpTransport()
