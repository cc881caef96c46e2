"""Tells an HTTP/2 upstream that an answer is no longer wanted.

httpcore2 (2.16, 2026-11) only forgets a stream that is closed early: the upstream would go on (and bill), the stream
would count against the connection's limit and its unread bytes against the flow-control window. Its connection object
is not public, so if it is not found as expected the whole connection is closed.
"""

from __future__ import annotations

from typing import Any

import httpcore2

from proxy.upstream.httpx_network import Call


async def reset(pool: httpcore2.AsyncConnectionPool, call: Call, request: httpcore2.Request) -> None:
    """Resets the call's stream, if it is one of HTTP/2 that the upstream has not ended. Never raises."""
    if call.stream is None or call.stream_id is None:
        return
    import h2.errors
    import h2.events
    import h2.exceptions

    try:
        connection = _holder(pool, call)
        if connection is None:
            return
        state = connection._h2_state
        for event in connection._events.get(call.stream_id, ()):
            if isinstance(event, h2.events.DataReceived):
                state.acknowledge_received_data(event.flow_controlled_length, call.stream_id)
        state.reset_stream(call.stream_id, h2.errors.ErrorCodes.CANCEL)
        await connection._write_outgoing_data(request)
    except h2.exceptions.ProtocolError:
        return
    except Exception:
        await call.stream.aclose()


def _holder(pool: httpcore2.AsyncConnectionPool, call: Call) -> Any:
    """The pool's HTTP/2 connection on the call's socket; None if it is gone."""
    for connection in pool.connections:
        inner: Any = connection
        while not isinstance(inner, httpcore2.AsyncHTTP2Connection) and inner is not None:
            inner = getattr(inner, "_connection", None)
        if inner is not None and inner._network_stream is call.stream:
            return inner
    return None
