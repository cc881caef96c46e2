"""Our streams and answers as the openai SDK reads them, over a local server."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import openai
import pytest
from test_emit import EVERYTHING, MIND, OWN_THOUGHT, TOKEN, reply

from adapters.errors import Attempt, Failure
from adapters.events import (
    CallDelta,
    CallStart,
    Finish,
    Logprobs,
    Native,
    Opened,
    PartEnd,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.formats.openai_responses import DIALECT
from adapters.model import Usage

NAME = "openai-responses"
USAGE = UsageUpdate(Usage(input=9, output=4))
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}


@pytest.fixture
def served():
    """A client, and the answer that its server gives: status, headers, body."""
    answer = {"status": 200, "headers": {}, "body": b""}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(answer["status"])
            for name, value in answer["headers"].items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer["body"])))
            self.end_headers()
            self.wfile.write(answer["body"])

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}", api_key="k", max_retries=0)
    yield client, answer
    client.close()
    server.shutdown()
    thread.join()
    server.server_close()


def streamed(answer, data):
    answer |= {"headers": {"content-type": DIALECT.content_type(reply())}, "body": data}


def emit(events, finish, ping=False):
    encoder = DIALECT.encoder(reply(sealed=True, scored=True))
    pieces = []
    for event in [Started("up", "m"), *events, finish]:
        pieces.append(encoder.feed([event]))
        if ping:
            pieces.append(encoder.ping())
    return b"".join(pieces) + encoder.close()


ANSWERS = {
    "text": [TextDelta(0, "Hel"), TextDelta(0, "lo"), PartEnd(0), USAGE],
    "log probabilities": [TextDelta(0, "a"), Logprobs(0, (TOKEN,)), PartEnd(0)],
    "refusal": [RefusalDelta(0, "No"), PartEnd(0)],
    "text and refusal": [TextDelta(0, "a"), PartEnd(0), RefusalDelta(1, "no"), PartEnd(1)],
    "calls": [CallStart(0, "call_a", "f"), CallDelta(0, '{"a":'), CallDelta(0, "1}"), PartEnd(0),
              CallStart(1, "call_b", "g"), PartEnd(1)],
    "calls mixed up": [CallStart(0, "call_a", "f"), CallStart(1, "call_b", "g"), CallDelta(1, "{}"),
                       CallDelta(0, "{}"), PartEnd(1), PartEnd(0)],
    "custom call": [CallStart(0, "call_a", "sql", "custom"), CallDelta(0, "SELECT 1"), PartEnd(0)],
    "summary": [*OWN_THOUGHT, TextDelta(1, "x"), PartEnd(1)],
    "foreign reasoning": MIND,
    "raw reasoning": [Opened(0, "reasoning", {NAME: {"id": "rs_1"}}), ReasoningDelta(0, "Hm", 1000),
                      Signed(0, NAME, id="rs_1", extras={NAME: {"raw": 1}}), PartEnd(0), TextDelta(1, "x"),
                      PartEnd(1)],
    "built-in": [Native(0, NAME, SEARCH), PartEnd(0), TextDelta(1, "x"), PartEnd(1)],
    "everything": EVERYTHING,
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("ping", [False, True])
def test_streams(served, name, ping):
    client, answer = served
    calls = any(isinstance(event, CallStart) for event in ANSWERS[name])
    events = [*ANSWERS[name], Finish("tool_calls" if calls else "stop")]
    streamed(answer, emit(events[:-1], events[-1], ping))
    with client.responses.stream(model="smart", input="go") as stream:
        told = [event.type for event in stream]
        final = stream.get_final_response()
    answer |= {"headers": {"content-type": "application/json"},
               "body": DIALECT.answer(fold(events), reply(sealed=True, scored=True))}
    whole = client.responses.create(model="smart", input="go")
    assert told[0] == "response.created" and told[-1] == "response.completed"
    assert final.to_dict() == whole.to_dict() | {"output": final.to_dict()["output"]}
    without = {"parsed", "parsed_arguments"}

    def plain(item):
        if isinstance(item, dict):
            return {key: plain(value) for key, value in item.items() if key not in without}
        return [plain(one) for one in item] if isinstance(item, list) else item

    assert plain(final.to_dict()["output"]) == plain(whole.to_dict()["output"])


def test_what_a_user_reads(served):
    client, answer = served
    streamed(answer, emit(EVERYTHING, Finish("tool_calls")))
    with client.responses.stream(model="smart", input="go") as stream:
        texts = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        final = stream.get_final_response()
    assert texts == final.output_text == "abcsearched"
    assert [item.type for item in final.output] == [
        "reasoning", "message", "web_search_call", "message", "function_call", "custom_tool_call", "reasoning",
        "reasoning", "reasoning", "message",
    ]
    assert (final.output[4].call_id, final.output[4].arguments) == ("call_a", '{"a":1}')
    assert final.usage.output_tokens_details.reasoning_tokens == 1


def test_a_plain_stream_that_the_limit_cut(served):
    client, answer = served
    streamed(answer, emit([TextDelta(0, "Hal")], Finish("length")))
    events = list(client.responses.create(model="smart", input="go", stream=True))
    assert events[-1].type == "response.incomplete"
    assert events[-1].response.incomplete_details.reason == "max_output_tokens"
    assert events[-1].response.output_text == "Hal"


@pytest.mark.parametrize("before", [[], [TextDelta(0, "x")]])
def test_a_failed_stream_raises(served, before):
    client, answer = served
    encoder = DIALECT.encoder(reply())
    failure = Failure("stream_interrupted", "the upstream broke off")
    streamed(answer, encoder.feed(before) + encoder.fail(failure, (Attempt("a/m", "x", None, 0.1),)))
    with pytest.raises(openai.APIError) as caught:
        list(client.responses.create(model="smart", input="go", stream=True))
    assert caught.value.message == "the upstream broke off"
    assert caught.value.type == "stream_interrupted"
    assert caught.value.body["attempts"][0]["target"] == "a/m"


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (Failure("rate_limit_error", "m", retry_after=2.0), openai.RateLimitError),
        (Failure("invalid_request_error", "m"), openai.BadRequestError),
        (Failure("authentication_error", "m"), openai.AuthenticationError),
        (Failure("permission_error", "m"), openai.PermissionDeniedError),
        (Failure("not_found_error", "m"), openai.NotFoundError),
        (Failure("api_error", "m"), openai.InternalServerError),
    ],
)
def test_errors(served, failure, raised):
    client, answer = served
    told = DIALECT.error(failure, (), "req_1")
    answer |= {"status": told.status, "body": told.body,
               "headers": {"content-type": "application/json", **dict(told.headers)}}
    with pytest.raises(raised) as caught:
        client.responses.create(model="smart", input="go")
    assert caught.value.type == failure.type
