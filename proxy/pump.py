"""A running stream: events of the upstream become writes to the client, with signs of life while it is silent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from adapters.errors import Failure, InvalidCall, Malformed
from adapters.events import Event, Failed, Folder
from adapters.format import StreamEncoder
from proxy.engine.run import Streaming

if TYPE_CHECKING:
    from proxy.exchange import Exchange

LEAST_WAIT = 0.05
"""Seconds between two looks at how long the client has heard nothing."""


def unfit(error: Malformed) -> Failure:
    """The failure of an answer that the client's dialect cannot express."""
    text = f"The upstream's answer cannot be given to this client: {error}."
    return Failure("invalid_tool_call" if isinstance(error, InvalidCall) else "malformed_response", text)


class Pump:
    """One per stream. Nothing is queued: the upstream is read again once the client has taken the last write.

    `complete`: the clean end was written. `failure`: why there was none; neither, where it was cancelled.
    """

    def __init__(
        self, exchange: Exchange, stream: Streaming, encoder: StreamEncoder, folder: Folder | None
    ) -> None:
        self._exchange = exchange
        self._stream = stream
        self._encoder = encoder
        self._folder = folder
        self._writing = False
        self._written = exchange.app.clock()
        self._ping: asyncio.Task[None] | None = None
        self.failure: Failure | None = None
        self.complete = False

    async def run(self, seconds: float) -> Failure | None:
        """To the end. Gives the failure that the client must still be told."""
        loop = asyncio.get_running_loop()
        every = self._exchange.gateway.config.server.keepalive_seconds
        self._timer = loop.call_later(every, self._idle, loop, every)
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                self.failure = await self._events()
        except TimeoutError:
            self.failure = Failure("timeout_error", "The stream took longer than the target's total time limit.")
        except Malformed as error:
            self.failure = unfit(error)
        except RecursionError:
            self.failure = unfit(Malformed("it is nested too deeply"))
        finally:
            self._quiet()
        if self.failure is not None:
            self.failure = self._stream.to.cleaned(self.failure)
        return self.failure

    async def _events(self) -> Failure | None:
        stream, live = self._stream, self._stream.live
        events: list[Event] | None = stream.first
        while events is not None:
            if events and type(last := events[-1]) is Failed:
                if data := self._encoder.feed(events[:-1]):
                    await self._write(data)
                return last.failure
            ended = live is None or live.ended
            if self._folder is not None:
                self._folder.feed(events)
            data = self._encoder.feed(events)
            if ended:
                return await self._end(data)
            if data:
                await self._write(data)
            assert live is not None
            events = await live.read()
        return await self._end(b"")

    async def _end(self, data: bytes) -> Failure | None:
        if (empty := self._stream.tally.emptiness()) is not None:
            if data:
                await self._write(data)
            return empty
        await self._exchange.memory.note(self._stream.to, self._stream.tally)
        if self._folder is not None:
            await self._exchange.memory.remember(self._folder.answer(), self._stream.to)
        data += self._encoder.close()
        if whole := getattr(self._encoder, "whole", b""):
            await self._exchange.memory.keep(self._exchange.reply, whole)
        self._quiet()
        await self._exchange.out.write(data, more=False)
        self.complete = True
        return None

    async def _write(self, data: bytes) -> None:
        self._writing = True
        await self._exchange.out.write(data)
        self._writing = False
        self._written = self._exchange.app.clock()

    def _idle(self, loop: asyncio.AbstractEventLoop, every: float) -> None:
        quiet = self._exchange.app.clock() - self._written
        if quiet >= every and not self._writing and (data := self._encoder.ping()):
            self._ping = loop.create_task(self._write(data))
            quiet = 0.0
        self._timer = loop.call_later(max(LEAST_WAIT, every - quiet), self._idle, loop, every)

    def _quiet(self) -> None:
        """No ping from now on, nor one that still waits for the client."""
        self._timer.cancel()
        if self._ping is not None:
            self._ping.cancel()
