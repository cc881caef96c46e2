"""Why a connection failed, in words that name no host, by the class of the exception and never by its sentence."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator

from adapters.errors import Failure
from proxy.upstream.transport import Broken, Site

_DNS = {
    socket.EAI_NONAME: "name not found",
    getattr(socket, "EAI_NODATA", socket.EAI_NONAME): "name not found",
    socket.EAI_AGAIN: "no answer from the name server",
}

_CERTIFICATE = {
    9: "it is not valid yet",
    10: "it has expired",
    18: "it is self-signed",
    19: "its chain ends in a self-signed certificate",
    20: "its issuer is not known",
    21: "its issuer is not known",
    62: "it is for another host",
    64: "it is for another address",
}
"""OpenSSL's verify codes (x509_vfy.h, 3.x, 2026-11)."""

_SYSTEM = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.ECONNRESET: "the connection was reset",
    errno.ECONNABORTED: "the connection was reset",
    errno.EPIPE: "the connection was reset",
    errno.ENETUNREACH: "the network is unreachable",
    errno.EHOSTUNREACH: "the host is unreachable",
    errno.ETIMEDOUT: "the connection timed out",
    errno.EMFILE: "too many open files",
    errno.ENFILE: "too many open files",
    errno.EADDRNOTAVAIL: "no free local port",
}

CLOSED = "the connection was closed before an answer"
BROKE_OFF = "the connection broke in the middle of the answer"
NOT_HTTP = "the answer is not valid HTTP"


def broken(message: str) -> Broken:
    """A connection_error."""
    return Broken(Failure("connection_error", message))


def malformed(message: str = NOT_HTTP) -> Broken:
    """A malformed_response."""
    return Broken(Failure("malformed_response", message))


def not_connected(site: Site) -> Broken:
    """The connect limit has passed."""
    return Broken(Failure("timeout_error", f"no connection within {site.connect:g} s"))


def silent(site: Site) -> Broken:
    """The idle limit has passed."""
    return Broken(Failure("timeout_error", f"nothing arrived for {site.idle:g} s"))


def failed(error: BaseException, otherwise: str) -> Broken:
    """What lies behind an exception; `otherwise` where it does not tell."""
    message = otherwise
    for cause in _causes(error):
        if words := _words(cause):
            message = words
            break
    return broken(message)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it came from, the outermost first. Both libraries keep the origin among the arguments;
    httpcore2 clears `__cause__` (2.16, 2026-11)."""
    seen: list[BaseException] = [error]
    for cause in seen:
        yield cause
        more = [*cause.args, cause.__cause__]
        if isinstance(cause, BaseExceptionGroup):
            more += cause.exceptions
        seen += [one for one in more if isinstance(one, BaseException) and one not in seen]


def _words(error: BaseException) -> str | None:
    match error:
        case ssl.SSLCertVerificationError(verify_code=code):
            return f"TLS: certificate verify failed: {_CERTIFICATE.get(code, f'code {code}')}"
        case ssl.SSLError(reason=str(reason)):
            return f"TLS: {reason.lower().replace('_', ' ')}"
        case socket.gaierror():
            return f"DNS: {_DNS.get(error.errno or 0, 'the lookup failed')}"
        case OSError():
            return _SYSTEM.get(error.errno or 0)
        case _:
            return None
