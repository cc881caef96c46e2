"""The official SDK as the client: it reads what is emitted, and what it sends is understood."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic
import pytest

from adapters.errors import Attempt, Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Finish,
    Native,
    PartEnd,
    ReasoningDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Call
from adapters.formats.anthropic_messages import DIALECT
from adapters.formats.shared.reference import unpack
from adapters.model import Reasoning, Usage

EVENTS = [
    Started("resp_1", "gpt-5"),
    ReasoningDelta(0, "Hm."),
    Signed(0, "openai-responses", id="rs_1", data="ENC", origin="openai/gpt-5"),
    PartEnd(0),
    TextDelta(1, "Grüße 🌧️"),
    PartEnd(1),
    Native(2, "anthropic-messages", {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
                                     "input": {"query": "q"}}),
    PartEnd(2),
    CallStart(3, "call_1", "f"),
    CallStart(4, "call_2", "g"),
    CallDelta(3, '{"city":'),
    CallDelta(4, ""),
    CallDelta(3, '"Köln"}'),
    PartEnd(3),
    PartEnd(4),
    Finish("tool_calls", "completed"),
    UsageUpdate(Usage(100, 20, 60, 0, 8)),
]


@pytest.fixture
def server():
    """Answers with what `answers` gives for the path: status, content type, body. Requests are kept."""
    answers, seen = {}, []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_POST(self):
            seen.append((dict(self.headers.items()), self.rfile.read(int(self.headers["content-length"]))))
            self.answer()

        def do_GET(self):
            self.answer()

        def answer(self):
            status, kind, body = answers[self.path.split("?")[0]]
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    client = anthropic.Anthropic(base_url=f"http://127.0.0.1:{httpd.server_address[1]}", api_key="k", max_retries=0)
    yield client, answers, seen
    httpd.shutdown()
    thread.join()
    httpd.server_close()


ASK = {"model": "smart", "max_tokens": 100, "messages": [{"role": "user", "content": "go"}]}


def reply(body):
    return DIALECT.decode(body, Call(new_id=lambda n: "x" * n)).reply


def checked(message):
    reasoning, text, search, first, second = message.content
    assert unpack(reasoning.signature, reasoning.thinking) == Reasoning(
        "Hm.", "openai-responses", "openai/gpt-5", "rs_1", data="ENC", sections=("Hm.",))
    assert (text.text, search.input) == ("Grüße 🌧️", {"query": "q"})
    assert [(call.id, call.name, call.input) for call in (first, second)] == [
        ("call_1", "f", {"city": "Köln"}), ("call_2", "g", {})]
    assert (message.id, message.model, message.stop_reason) == ("msg_" + "x" * 24, "smart", "tool_use")
    usage = message.usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens) == (40, 60, 20)
    assert usage.output_tokens_details.thinking_tokens == 8


def test_streamed(server):
    client, answers, _ = server
    encoder = DIALECT.encoder(reply(ASK))
    body = encoder.ping() + b"".join(encoder.feed([event]) + encoder.ping() for event in EVENTS) + encoder.close()
    answers["/v1/messages"] = (200, DIALECT.content_type(None), body)
    with client.messages.stream(**ASK) as stream:
        kinds = [event.type for event in stream]
        checked(stream.get_final_message())
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 5


def test_whole_and_back_again(server):
    client, answers, seen = server
    answers["/v1/messages"] = (200, "application/json", DIALECT.answer(fold(EVENTS), reply(ASK)))
    message = client.messages.create(**ASK)
    checked(message)
    results = [{"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
               {"type": "tool_result", "tool_use_id": "call_2", "content": [{"type": "text", "text": "sun"}]}]
    client.messages.create(**{**ASK, "messages": [*ASK["messages"], message.to_param(),
                                                  {"role": "user", "content": results}]})
    headers, sent = seen[-1]
    call = Call(headers={name.lower(): value for name, value in headers.items()})
    request = DIALECT.decode(json.loads(sent), call).request
    assert request.headers["anthropic-messages"]["anthropic-version"] == "2026-10-21"
    answered = request.messages[1].parts
    assert answered[0] == Reasoning("Hm.", "openai-responses", "openai/gpt-5", "rs_1", data="ENC", sections=("Hm.",))
    assert [part.arguments for part in answered[3:]] == ['{"city":"Köln"}', "{}"]
    assert [part.call_id for part in request.messages[2].parts] == ["call_1", "call_2"]


def test_error_inside_a_stream(server):
    client, answers, _ = server
    encoder = DIALECT.encoder(reply(ASK))
    body = encoder.feed(EVENTS[:5]) + encoder.fail(Failure("overloaded_error", "Overloaded"), ())
    answers["/v1/messages"] = (200, DIALECT.content_type(None), body)
    with client.messages.stream(**ASK) as stream, pytest.raises(anthropic.APIStatusError) as raised:
        stream.get_final_message()
    assert raised.value.body["error"]["toolwire_type"] == "overloaded_error"


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("rate_limit_error", anthropic.RateLimitError),
        ("invalid_request_error", anthropic.BadRequestError),
        ("authentication_error", anthropic.AuthenticationError),
        ("not_found_error", anthropic.NotFoundError),
        ("invalid_tool_call", anthropic.InternalServerError),
    ],
)
def test_errors(server, kind, error):
    client, answers, _ = server
    made = DIALECT.error(Failure(kind, "m", retry_after=3), (Attempt("a/b", kind, 500, 0.1),), "req_1")
    answers["/v1/messages"] = (made.status, "application/json", made.body)
    with pytest.raises(error) as raised:
        client.messages.create(**ASK)
    assert raised.value.body["error"]["toolwire_type"] == kind


def test_models_and_counts(server):
    client, answers, _ = server
    answers["/v1/models"] = (200, "application/json", DIALECT.models(["smart", "fast"], 1_796_040_000))
    answers["/v1/models/smart"] = (200, "application/json", DIALECT.model("smart", 1_796_040_000))
    answers["/v1/messages/count_tokens"] = (200, "application/json", DIALECT.counted(14))
    assert [model.id for model in client.models.list()] == ["smart", "fast"]
    assert client.models.retrieve("smart").created_at.year == 2026
    assert client.messages.count_tokens(model="smart", messages=ASK["messages"]).input_tokens == 14
