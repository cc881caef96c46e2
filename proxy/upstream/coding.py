"""Answers that come compressed although nobody asked."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from adapters.errors import Failure
from proxy.upstream.transport import Broken, Response, TooLarge

_AT_ONCE = 1 << 20
"""Bytes that one read gives at most, so that a small answer cannot fill the memory."""


def plain(response: Response) -> Response:
    """The response, decoded if it is compressed. Raises Broken for a coding that is not known."""
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding in ("", "identity"):
        return response
    if coding in ("gzip", "x-gzip", "deflate"):
        return Inflated(response)
    response.close()
    raise _malformed("the answer is compressed in a way that was not asked for")


class Inflated:
    """A gzip or deflate response, as if it had been sent plain."""

    __slots__ = ("_begun", "_inflate", "_pending", "_response")

    def __init__(self, response: Response) -> None:
        self._response = response
        self._inflate = _machine()
        self._pending = b""
        self._begun = False

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    async def read(self) -> bytes:
        while True:
            if not self._pending:
                self._pending = await self._response.read()
            if not self._pending:
                if self._begun and not self._inflate.eof:
                    raise _malformed("the compressed answer is incomplete")
                return b""
            if data := self._decoded():
                return data

    async def body(self, limit: int) -> bytes:
        return await collect(self, limit)

    def close(self) -> None:
        self._response.close()

    def _decoded(self) -> bytes:
        """Some bytes of what is pending. Several gzip members in a row are one answer."""
        if self._inflate.eof:
            self._inflate = _machine()
        self._begun = True
        try:
            data = self._inflate.decompress(self._pending, _AT_ONCE)
        except zlib.error:
            self._response.close()
            raise _malformed("the compressed answer cannot be decoded") from None
        self._pending = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
        return data


async def collect(response: Response, limit: int) -> bytes:
    """The rest of a body. Raises TooLarge, with the response closed, where it is longer than `limit`."""
    pieces = []
    size = 0
    while data := await response.read():
        size += len(data)
        if size > limit:
            response.close()
            raise TooLarge(Failure("malformed_response", f"the answer is larger than {limit} bytes"))
        pieces.append(data)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _machine() -> zlib._Decompress:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)


def _malformed(message: str) -> Broken:
    return Broken(Failure("malformed_response", message))
