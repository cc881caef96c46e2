"""google-genai for Python as the client of our dialect, over a real socket: what its types and helpers make of it."""

import asyncio
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from google import genai
from google.genai import errors, types

from adapters import json
from adapters.errors import Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Failed,
    Finish,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Call, Upstream
from adapters.formats.google_gemini import API, DIALECT
from adapters.formats.shared.reference import pack
from adapters.model import Reasoning, Text, ToolCall, ToolResult, Usage

USED = UsageUpdate(Usage(input=10, output=5, reasoning=2))


class Server:
    """Answers with the events that `plays` gives for a request; keeps the requests and raw bodies."""

    def __init__(self):
        self.requests = []
        self.paths = []
        self.plays = lambda request: []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                names = ["smart", "fast"]
                path = urlsplit(self.path).path
                last = path.rpartition("/")[2]
                self.reply(200, DIALECT.models(names, 0) if last == "models" else DIALECT.model(last, 0))

            def do_POST(self):
                url = urlsplit(self.path)
                server.paths.append(url.path)
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model, _, method = unquote(url.path).rpartition("/")[2].rpartition(":")
                call = Call(query=dict(parse_qsl(url.query)), model=model, stream=method.startswith("stream"))
                if method == "countTokens":
                    server.requests.append(DIALECT.decode_count(body, call).request)
                    return self.reply(200, DIALECT.counted(31))
                incoming = DIALECT.decode(body, call)
                server.requests.append(incoming.request)
                events = server.plays(incoming.request)
                if isinstance(events, Failure):
                    made = DIALECT.error(events, (), "req")
                    return self.reply(made.status, made.body)
                if not call.stream:
                    return self.reply(200, DIALECT.answer(fold(events), incoming.reply))
                return self.stream(events, incoming.reply)

            def stream(self, events, reply):
                encoder = DIALECT.encoder(reply)
                self.send_response(200)
                self.send_header("content-type", DIALECT.content_type(reply))
                self.send_header("connection", "close")
                self.end_headers()
                for event in events:
                    if isinstance(event, Failed):
                        self.wfile.write(encoder.fail(event.failure, ()))
                        return
                    self.wfile.write(encoder.feed([event]))
                    self.wfile.flush()
                self.wfile.write(encoder.close())

            def reply(self, status, body):
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self):
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server():
    made = Server()
    yield made
    made.close()


@pytest.fixture
def client(server):
    options = types.HttpOptions(base_url=server.url)
    with genai.Client(api_key="k", vertexai=False, http_options=options) as made:
        yield made


def text(*texts, part=0):
    return [*(TextDelta(part, one) for one in texts), PartEnd(part)]


def call(id, arguments, part=0, name="get_weather", **more):
    return [CallStart(part, id, name, **more), CallDelta(part, arguments), PartEnd(part)]


STARTED = Started("up-1", "x-2026")


def hello(request):
    return [STARTED, *text("Hel", "lo"), Finish("stop", "end_turn"), USED]


def test_generate_content(server, client):
    server.plays = hello
    answer = client.models.generate_content(
        model="smart",
        contents="hi",
        config=types.GenerateContentConfig(
            system_instruction="Be brief.", temperature=0.5, top_k=40, max_output_tokens=100, stop_sequences=["END"],
            thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_level="LOW"),
            safety_settings=[types.SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="OFF")],
        ),
    )
    assert answer.text == "Hello"
    assert answer.candidates[0].finish_reason == types.FinishReason.STOP
    assert (answer.model_version, answer.response_id) == ("smart", "up-1")
    counts = answer.usage_metadata
    assert (counts.prompt_token_count, counts.candidates_token_count, counts.thoughts_token_count,
            counts.total_token_count) == (10, 3, 2, 15)
    asked = server.requests[0]
    assert server.paths == ["/v1/models/smart:generateContent"]
    assert [(m.role, m.parts) for m in asked.messages] == [("system", (Text("Be brief."),)), ("user", (Text("hi"),))]
    assert (asked.sampling.temperature, asked.sampling.top_k, asked.sampling.max_tokens) == (0.5, 40, 100)
    assert (asked.thinking.effort, asked.thinking.visible) == ("low", True)
    assert asked.extras["google-gemini"]["safetySettings"] == [
        {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}]


def test_generate_content_stream(server, client):
    server.plays = hello
    chunks = list(client.models.generate_content_stream(model="smart", contents="hi"))
    assert [chunk.text for chunk in chunks] == ["Hel", "lo", ""]
    assert [chunk.candidates[0].finish_reason for chunk in chunks] == [None, None, types.FinishReason.STOP]
    assert chunks[-1].usage_metadata.total_token_count == 15
    assert server.requests[0].stream


def test_the_asynchronous_client(server):
    server.plays = hello

    async def ask():
        options = types.HttpOptions(base_url=server.url)
        async with genai.Client(api_key="k", vertexai=False, http_options=options).aio as client:
            whole = await client.models.generate_content(model="smart", contents="hi")
            stream = await client.models.generate_content_stream(model="smart", contents="hi")
            pieces = [chunk.text async for chunk in stream]
            server.plays = lambda request: [STARTED, TextDelta(0, "Hel"), Failed(Failure("overloaded_error", "boom"))]
            with pytest.raises(errors.ServerError):
                _ = [chunk async for chunk in await client.models.generate_content_stream(model="smart", contents="hi")]
            return whole.text, pieces

    assert asyncio.run(ask()) == ("Hello", ["Hel", "lo", ""])


def test_structured_output(server, client):
    server.plays = lambda request: [STARTED, *text('{"n": 5}'), Finish("stop")]
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    config = types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=schema)
    assert client.models.generate_content(model="smart", contents="hi", config=config).parsed == {"n": 5}
    assert server.requests[0].output.schema == schema
    config = types.GenerateContentConfig(
        response_mime_type="application/json",
        response_schema=types.Schema(type="OBJECT", properties={"n": types.Schema(type="INTEGER", nullable=True)}),
    )
    client.models.generate_content(model="smart", contents="hi", config=config)
    assert server.requests[1].output.schema == {
        "type": "object", "properties": {"n": {"type": ["integer", "null"]}}}


def test_functions_and_choice(server, client):
    server.plays = lambda request: [STARTED, *call("c1", '{"city":"Ulm"}', signature="c2ln-_8"), Finish("tool_calls")]
    declared = types.FunctionDeclaration(
        name="get_weather", description="w",
        parameters_json_schema={"type": "object", "properties": {"city": {"type": "string"}}},
    )
    mode = types.FunctionCallingConfig(mode="ANY", allowed_function_names=["get_weather"])
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        tool_config=types.ToolConfig(function_calling_config=mode),
    )
    answer = client.models.generate_content(model="smart", contents="hi", config=config)
    assert [(one.id, one.name, one.args) for one in answer.function_calls] == [
        ("c1", "get_weather", {"city": "Ulm"})]
    assert answer.candidates[0].content.parts[0].thought_signature == b"sig\xfb\xff"
    asked = server.requests[0]
    assert asked.tools[0].schema == {"type": "object", "properties": {"city": {"type": "string"}}}
    assert (asked.tool_choice.mode, asked.tool_choice.names) == ("named", ("get_weather",))


PLAN = Reasoning("plan", "anthropic-messages", "a/claude", signature="c2ln-_", sections=("plan",))


def two_steps(request):
    """Thinks and calls twice in parallel, then answers."""
    if not any(isinstance(part, ToolResult) for message in request.messages for part in message.parts):
        return [
            STARTED, ReasoningDelta(0, "plan"),
            Signed(0, "anthropic-messages", signature="c2ln-_", origin="a/claude"), PartEnd(0),
            *text("Looking.", part=1), *call("c1", '{"city":"Ulm"}', 2), *call("c2", '{"city":"Bonn"}', 3),
            Finish("tool_calls", "tool_use"), USED,
        ]
    return [STARTED, *text("It ", "rains."), Finish("stop", "end_turn"), USED]


def get_weather(city: str) -> str:
    """Weather in a city."""
    return f"rain in {city}"


AFC = types.GenerateContentConfig(tools=[get_weather])


def check_second_step(request):
    """What the SDK sends back after it has called the functions itself."""
    turn, results = request.messages[1:3]
    blank = Reasoning("", "anthropic-messages", "a/claude", signature="c2ln-_", sections=("",))
    assert turn.parts == (
        blank,
        Text("Looking."),
        ToolCall("c1", "get_weather", '{"city":"Ulm"}'),
        ToolCall("c2", "get_weather", '{"city":"Bonn"}'),
    )
    assert [(part.call_id, part.name, part.content) for part in results.parts] == [
        ("c1", "get_weather", (Text("rain in Ulm"),)),
        ("c2", "get_weather", (Text("rain in Bonn"),)),
    ]


def test_automatic_function_calling(server, client):
    server.plays = two_steps
    answer = client.models.generate_content(model="smart", contents="compare", config=AFC)
    assert answer.text == "It rains."
    assert len(server.requests) == 2
    check_second_step(server.requests[1])


def test_automatic_function_calling_in_a_stream(server, client):
    server.plays = two_steps
    chunks = list(client.models.generate_content_stream(model="smart", contents="compare", config=AFC))
    assert "".join(chunk.text or "" for chunk in chunks if not chunk.function_calls).endswith("It rains.")
    check_second_step(server.requests[-1])


def test_a_chat_keeps_its_history(server, client):
    server.plays = two_steps
    chat = client.chats.create(model="smart", config=AFC)
    assert chat.send_message("compare").text == "It rains."
    assert len(chat.get_history(curated=True)) == 4
    chat.send_message("thanks")
    check_second_step(server.requests[-1])
    assert [message.role for message in server.requests[-1].messages] == [
        "user", "assistant", "tool", "assistant", "user"]


def test_a_streamed_chat_keeps_its_history(server, client):
    server.plays = two_steps
    chat = client.chats.create(model="smart", config=AFC)
    assert "".join(chunk.text or "" for chunk in chat.send_message_stream("compare")).endswith("It rains.")
    list(chat.send_message_stream("thanks"))
    check_second_step(server.requests[-1])
    assert server.requests[-1].messages[3].parts == (Text("It rains."),)
    assert [message.role for message in server.requests[-1].messages] == [
        "user", "assistant", "tool", "assistant", "user"]


def test_thoughts_of_a_streamed_chat_come_back_with_their_block(server, client):
    server.plays = two_steps
    config = types.GenerateContentConfig(
        tools=[get_weather], thinking_config=types.ThinkingConfig(include_thoughts=True))
    chat = client.chats.create(model="smart", config=config)
    seen = [part for chunk in chat.send_message_stream("compare") for part in chunk.candidates[0].content.parts]
    assert [part.text for part in seen if part.thought] == ["plan"]
    assert server.requests[-1].messages[1].parts[0] == PLAN
    assert pack(PLAN) == pack(server.requests[-1].messages[1].parts[0])


@pytest.mark.parametrize(
    ("type", "status", "kind", "error"),
    [
        ("invalid_request_error", 400, "INVALID_ARGUMENT", errors.ClientError),
        ("rate_limit_error", 429, "RESOURCE_EXHAUSTED", errors.ClientError),
        ("upstream_auth_error", 502, "INTERNAL", errors.ServerError),
        ("overloaded_error", 503, "UNAVAILABLE", errors.ServerError),
    ],
)
def test_errors(server, client, type, status, kind, error):
    server.plays = lambda request: Failure(type, "boom")
    with pytest.raises(error) as raised:
        client.models.generate_content(model="smart", contents="hi")
    assert (raised.value.code, raised.value.status, raised.value.message) == (status, kind, "boom")
    with pytest.raises(error) as raised:
        list(client.models.generate_content_stream(model="smart", contents="hi"))
    assert (raised.value.code, raised.value.status) == (status, kind)


@pytest.mark.parametrize("type", ["overloaded_error", "stream_interrupted"])
def test_an_error_in_a_stream(server, client, type):
    server.plays = lambda request: [STARTED, TextDelta(0, "Hel"), Failed(Failure(type, "boom"))]
    seen = []
    with pytest.raises(errors.ServerError) as raised:
        for chunk in client.models.generate_content_stream(model="smart", contents="hi"):
            seen.append(chunk.text)
    assert seen == ["Hel"]
    assert raised.value.message == "boom"


def test_counting_and_models(server, client):
    assert client.models.count_tokens(model="smart", contents="hi").total_tokens == 31
    assert server.requests[0].messages[0].parts == (Text("hi"),)
    assert [one.name for one in client.models.list()] == ["models/smart", "models/fast"]
    one = client.models.get(model="smart")
    assert (one.name, one.supported_actions) == (
        "models/smart", ["generateContent", "streamGenerateContent", "countTokens"])


def test_what_we_send_upstream_fits_the_sdks_types(server, client):
    """The body for an upstream, read by the SDK's own models of it."""
    server.plays = two_steps
    chat = client.chats.create(model="smart", config=AFC)
    chat.send_message("compare")
    body = json.loads(API.encode(server.requests[-1], Upstream("gemini-3-pro-preview", "o")).body)
    contents = [types.Content.model_validate(one) for one in body["contents"]]
    assert [one.role for one in contents] == ["user", "model", "user"]
    assert contents[1].parts[1].function_call.args == {"city": "Ulm"}
    assert [types.Tool.model_validate(one).function_declarations[0].name for one in body["tools"]] == ["get_weather"]
