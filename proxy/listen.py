"""Listening sockets, and what is said where there is none."""

from __future__ import annotations

import errno
import socket

EMULATE_PORT = 4200
"""Where `toolwire emulate` listens unless told otherwise, and where the printed demo config looks for it."""


def bind(host: str, port: int) -> socket.socket:
    """The listening socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=4096)
    # Accepted sockets inherit it. asyncio sets it by itself only on sockets that name their protocol, which these do
    # not: an answer's body would wait 40 ms for the acknowledgement of its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def unbound(error: OSError, host: str, port: int, how: str) -> str:
    """Why there is no socket, and `how` another port is chosen."""
    if error.errno == errno.EADDRINUSE:
        return (f"toolwire: port {port} on {host} is taken. Choose another with {how}, or stop the program that has "
                "it.")
    return f"toolwire: cannot listen on {host} port {port}: {error.strerror or error}."
