"""HTTP/2, which the second transport speaks where the upstream offers it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from adapters.errors import Failure
from proxy.upstream.transport import Broken, Site, Transport
from tests.proxy.upstream.authority import Authority
from tests.proxy.upstream.conftest import Open
from tests.proxy.upstream.peer import Line, answering, serve, turns, whole

h2 = pytest.importorskip("h2.connection")
config = pytest.importorskip("h2.config")
events = pytest.importorskip("h2.events")

pytestmark = pytest.mark.anyio

OK = [(":status", "200"), ("x-a", "1"), ("x-a", "2")]


@pytest.fixture(params=["httpx"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Server:
    """The connections of an HTTP/2 upstream. `handle` is called with each complete request's connection and stream."""

    def __init__(self, handle: Callable[["Connection", int], Awaitable[None]]) -> None:
        self._handle = handle
        self.connections: list[Connection] = []

    async def __call__(self, line: Line) -> None:
        connection = Connection(line)
        self.connections.append(connection)
        running = []
        try:
            while data := await line.reader.read(65536):
                for stream in connection.take(data):
                    running.append(asyncio.ensure_future(self._handle(connection, stream)))
        except OSError:
            pass
        connection.gone.set()
        for task in running:
            task.cancel()


class Connection:
    def __init__(self, line: Line) -> None:
        self.line = line
        self.state = h2.H2Connection(config.H2Configuration(client_side=False))
        self.state.initiate_connection()
        self.requests: dict[int, dict[str, str]] = {}
        self.bodies: dict[int, bytes] = {}
        self.resets: dict[int, int] = {}
        self.reset = asyncio.Event()
        self.gone = asyncio.Event()
        self.flush()

    def flush(self) -> None:
        self.line.send(self.state.data_to_send())

    def take(self, data: bytes) -> list[int]:
        """Streams whose request is complete with these bytes."""
        complete = []
        for event in self.state.receive_data(data):
            match event:
                case events.RequestReceived():
                    self.requests[event.stream_id] = {
                        _text(name): _text(value) for name, value in event.headers
                    }
                    self.bodies[event.stream_id] = b""
                case events.DataReceived():
                    self.bodies[event.stream_id] += event.data
                    self.state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case events.StreamEnded():
                    complete.append(event.stream_id)
                case events.StreamReset():
                    self.resets[event.stream_id] = int(event.error_code)
                    self.reset.set()
        self.flush()
        return complete

    def head(self, stream: int) -> None:
        self.state.send_headers(stream, OK)
        self.flush()

    def data(self, stream: int, data: bytes, end: bool = False) -> None:
        self.state.send_data(stream, data, end_stream=end)
        self.flush()


def _text(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode()


@pytest.fixture
def tls(authority: Authority) -> object:
    return authority.server("127.0.0.1", alpn=["h2", "http/1.1"])


async def echo(connection: Connection, stream: int) -> None:
    connection.head(stream)
    connection.data(stream, connection.bodies[stream], end=True)


async def test_requests_share_a_connection(open_: Open, trusting: Site, tls: object, transport: Transport) -> None:
    server = Server(echo)
    async with serve(server, tls) as peer:
        await (await open_(peer.url, site=trusting)).body(10)
        url, headers = f"{peer.url}/m/a%2Fb?n=", {"X-Key": "k"}
        responses = await asyncio.gather(
            *(open_(f"{url}{n}", site=trusting, body=b"%d" % n, headers=headers) for n in range(20))
        )
        assert [await response.body(10) for response in responses] == [b"%d" % n for n in range(20)]
        assert dict(responses[0].headers) == {"x-a": "1, 2"}
        await transport.aclose()
    (connection,) = server.connections
    assert connection.requests[3] == {
        ":method": "POST",
        ":scheme": "https",
        ":authority": f"127.0.0.1:{peer.port}",
        ":path": "/m/a%2Fb?n=0",
        "accept": "*/*",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "content-length": "1",
        "user-agent": connection.requests[3]["user-agent"],
        "x-key": "k",
    }


async def test_a_closed_answer_resets_its_stream_only(
    open_: Open, trusting: Site, tls: object, transport: Transport
) -> None:
    turn = asyncio.Event()

    async def handle(connection: Connection, stream: int) -> None:
        connection.head(stream)
        connection.data(stream, b"one")
        await turn.wait()
        if stream not in connection.resets:
            connection.data(stream, b"two", end=True)

    server = Server(handle)
    async with serve(server, tls) as peer:
        kept = await open_(peer.url, site=trusting)
        assert await kept.read() == b"one"
        left = await open_(peer.url, site=trusting)
        assert await left.read() == b"one"
        left.close()
        (connection,) = server.connections
        async with asyncio.timeout(0.5):
            await connection.reset.wait()
        assert connection.resets == {3: 8}
        turn.set()
        assert await kept.body(10) == b"two"
        assert not connection.gone.is_set()
        await transport.aclose()


async def test_cancelled_before_the_head(open_: Open, trusting: Site, tls: object, transport: Transport) -> None:
    asked = asyncio.Event()

    async def handle(connection: Connection, stream: int) -> None:
        if stream == 1:
            asked.set()
        else:
            await echo(connection, stream)

    server = Server(handle)
    async with serve(server, tls) as peer:
        opening = asyncio.ensure_future(open_(peer.url, site=trusting))
        await asked.wait()
        opening.cancel()
        await asyncio.wait({opening})
        (connection,) = server.connections
        async with asyncio.timeout(0.5):
            await connection.reset.wait()
        assert connection.resets == {1: 8}
        assert await (await open_(peer.url, site=trusting)).body(10) == b"{}"
        assert len(server.connections) == 1
        await transport.aclose()


async def test_many_closed_answers_use_no_streams_up(
    open_: Open, trusting: Site, tls: object, transport: Transport
) -> None:
    """More than the connection has at once."""

    async def handle(connection: Connection, stream: int) -> None:
        connection.head(stream)
        connection.data(stream, b"one")

    server = Server(handle)
    async with serve(server, tls) as peer:
        for _ in range(150):
            response = await open_(peer.url, site=trusting)
            assert await response.read()
            response.close()
            await turns(5)
        assert len(server.connections) == 1
        await transport.aclose()


async def test_closed_answers_use_no_window_up(
    open_: Open, trusting: Site, tls: object, transport: Transport
) -> None:
    """More unread bytes than the connection's window, which is 16 MiB."""
    piece = bytes(16384)

    async def handle(connection: Connection, stream: int) -> None:
        connection.head(stream)
        for _ in range(int(connection.requests[stream][":path"].removeprefix("/"))):
            connection.data(stream, piece)
        connection.state.end_stream(stream)
        connection.flush()

    server = Server(handle)
    async with serve(server, tls) as peer, asyncio.timeout(10):
        for _ in range(6):
            unread = await open_(f"{peer.url}/250", site=trusting)
            other = await open_(f"{peer.url}/1", site=trusting)
            assert await other.body(20000) == piece
            unread.close()
            await turns()
        assert len(server.connections) == 1
        await transport.aclose()


async def test_more_requests_at_once_than_a_connection_has_streams(
    open_: Open, trusting: Site, tls: object, transport: Transport
) -> None:
    everyone = asyncio.Event()
    count = 0

    async def handle(connection: Connection, stream: int) -> None:
        nonlocal count
        count += 1
        if count == 150:
            everyone.set()
        await everyone.wait()
        await echo(connection, stream)

    server = Server(handle)
    async with serve(server, tls) as peer:
        responses = await asyncio.gather(*(open_(peer.url, site=trusting) for _ in range(150)))
        assert [await response.body(10) for response in responses] == [b"{}"] * 150
        assert len(server.connections) == 3
        await transport.aclose()


async def test_idle_is_each_stream_s_own(open_: Open, trusting: Site, tls: object, transport: Transport) -> None:
    """A silent stream breaks although its connection is busy; the busy one goes on."""

    async def handle(connection: Connection, stream: int) -> None:
        connection.head(stream)
        if connection.requests[stream][":path"] == "/busy":
            for _ in range(10):
                await after(0.03)
                connection.data(stream, b".")
            connection.data(stream, b"", end=True)

    async def after(seconds: float) -> None:
        passed = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(seconds, passed.set_result, None)
        await passed

    site = replace(trusting, idle=0.12)
    server = Server(handle)
    async with serve(server, tls) as peer:
        busy = await open_(f"{peer.url}/busy", site=site)
        silent = await open_(f"{peer.url}/silent", site=site)
        with pytest.raises(Broken) as caught:
            await silent.read()
        assert caught.value.failure == Failure("timeout_error", "nothing arrived for 0.12 s")
        assert await busy.body(100) == b"." * 10
        assert server.connections[0].resets == {3: 8}
        await transport.aclose()


@pytest.mark.parametrize("code", [0, 2, 7, 11])
async def test_an_upstream_that_resets_the_stream(
    open_: Open, trusting: Site, tls: object, transport: Transport, code: int
) -> None:
    async def handle(connection: Connection, stream: int) -> None:
        if stream == 1:
            connection.head(stream)
            connection.data(stream, b"one")
        connection.state.reset_stream(stream, code)
        connection.flush()

    server = Server(handle)
    async with serve(server, tls) as peer:
        response = await open_(peer.url, site=trusting)
        assert await response.read() == b"one"
        with pytest.raises(Broken) as caught:
            await response.read()
        assert caught.value.failure == Failure("connection_error", "the connection broke in the middle of the answer")
        with pytest.raises(Broken) as caught:
            await open_(peer.url, site=trusting)
        assert caught.value.failure.type == "connection_error"
        await transport.aclose()


async def test_a_connection_that_ends(open_: Open, trusting: Site, tls: object, transport: Transport) -> None:
    async def handle(connection: Connection, stream: int) -> None:
        connection.head(stream)
        connection.data(stream, b"one")
        connection.line.end()

    async with serve(Server(handle), tls) as peer:
        response = await open_(peer.url, site=trusting)
        assert await response.read() == b"one"
        with pytest.raises(Broken) as caught:
            await response.read()
        assert caught.value.failure == Failure("connection_error", "the connection broke in the middle of the answer")
        await transport.aclose()


async def test_a_stale_connection_is_replayed(
    open_: Open, trusting: Site, tls: object, transport: Transport
) -> None:
    async def handle(connection: Connection, stream: int) -> None:
        if stream == 1:
            await echo(connection, stream)
        else:
            connection.line.end()

    server = Server(handle)
    async with serve(server, tls) as peer:
        for _ in range(2):
            assert await (await open_(peer.url, site=trusting)).body(10) == b"{}"
        assert transport.replays == 1  # type: ignore[attr-defined]
        assert len(server.connections) == 2
        await transport.aclose()


async def test_a_connection_that_takes_no_more_requests(
    open_: Open, trusting: Site, tls: object, transport: Transport
) -> None:
    """GOAWAY without the stream: it was not handled, another connection takes it."""

    async def handle(connection: Connection, stream: int) -> None:
        if stream == 3:
            connection.state.close_connection(last_stream_id=1)
            connection.flush()
        else:
            await echo(connection, stream)

    server = Server(handle)
    async with serve(server, tls) as peer:
        for _ in range(2):
            assert await (await open_(peer.url, site=trusting)).body(10) == b"{}"
        assert len(server.connections) == 2
        await transport.aclose()


async def test_http_1_where_the_upstream_has_no_other(open_: Open, trusting: Site, authority: Authority) -> None:
    async with serve(answering(whole(b"ok")), authority.server("127.0.0.1", alpn=["http/1.1"])) as peer:
        response = await open_(peer.url, site=trusting)
        assert await response.body(10) == b"ok"
        response.close()
