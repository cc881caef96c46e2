"""Tokens over time: the clock and the fetch are arguments."""

import asyncio
import queue

import pytest

from adapters.errors import Failure
from proxy.upstream.sign_in import Token, Tokens
from proxy.upstream.transport import Broken


class Source:
    """Hands out what is put into it; a fetch waits for that. `calls` counts the fetches."""

    def __init__(self, *results):
        self.calls, self.now, self.results = 0, 0.0, queue.Queue()
        for result in results:
            self.results.put(result)
        self.tokens = Tokens(self.fetch, lambda: self.now)

    def fetch(self):
        self.calls += 1
        result = self.results.get(timeout=5)
        if isinstance(result, Exception):
            raise result
        return result

    async def value(self):
        return (await self.tokens.headers())["authorization"]


def token(name, ends):
    return Token(name, float(ends))


LATER = Broken(Failure("connection_error", "The token endpoint cannot be reached."))


def test_the_next_token_is_fetched_beside_requests():
    async def main():
        source = Source(token("a", 3600))
        assert await source.value() == "Bearer a"
        source.now = 3419.0
        assert (await source.value(), source.calls) == ("Bearer a", 1)
        source.now = 3421.0
        assert await source.value() == await source.value() == "Bearer a"  # b is being fetched
        source.results.put(token("b", 7200))
        await asyncio.wait([source.tokens._fetching])
        assert (await source.value(), source.calls) == ("Bearer b", 2)

    asyncio.run(main())


def test_a_failed_fetch_beside_requests_hurts_none_while_the_token_is_good():
    async def main():
        source = Source(token("a", 100), LATER, LATER, token("b", 5000))
        assert await source.value() == "Bearer a"
        source.now = 30.0
        assert await source.value() == "Bearer a"
        await asyncio.wait([source.tokens._fetching])
        assert (await source.value(), source.calls) == ("Bearer a", 2)  # not again at once
        source.now = 81.0
        with pytest.raises(Broken) as raised:
            await source.value()
        assert raised.value.failure.type == "connection_error"
        assert await source.value() == "Bearer b"

    asyncio.run(main())


def test_a_request_that_leaves_does_not_end_the_fetch_for_others():
    async def main():
        source = Source()
        first, second = asyncio.ensure_future(source.value()), asyncio.ensure_future(source.value())
        await asyncio.sleep(0)
        first.cancel()
        source.results.put(token("a", 3600))
        assert (await second, source.calls) == ("Bearer a", 1)
        assert first.cancelled()

    asyncio.run(main())


def test_many_refusals_of_one_token_are_one_renewal():
    async def main():
        source = Source(token("a", 3600), token("b", 3600))
        refused = await source.tokens.headers()
        assert await asyncio.gather(*(source.tokens.renewed(refused) for _ in range(5))) == [True] * 5
        assert (await source.tokens.renewed(refused), source.calls) == (True, 2)  # one that comes late
        assert (await source.tokens.renewed(await source.tokens.headers()), source.calls) == (False, 2)
        source.now = 61.0
        source.results.put(token("b", 3600))  # a source that has no other one
        assert (await source.tokens.renewed(await source.tokens.headers()), source.calls) == (False, 3)

    asyncio.run(main())


def test_a_fetch_that_goes_wrong_in_a_new_way_is_a_failure():
    async def main():
        with pytest.raises(Broken) as raised:
            await Source(RuntimeError("secret")).value()
        assert (raised.value.failure.type, raised.value.failure.message) == (
            "upstream_auth_error", "No access token: RuntimeError."
        )

    asyncio.run(main())
