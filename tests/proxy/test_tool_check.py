"""tool_check over real sockets: each mode, every dialect, whole and streamed, before the emulated upstreams and before
one that answers to the letter what a test wants."""

from __future__ import annotations

import http.server
import json
import threading

import httpx2
import pytest

from proxy.demo import emulated as apis
from tests.serving import Served, config_of

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
    "additionalProperties": False,
}
NAME = "get_weather"
CLIENT = httpx2.Client()


# --- dialects ----------------------------------------------------------------------------------------------------


def chat(model, stream):
    tool = {"type": "function", "function": {"name": NAME, "parameters": SCHEMA}}
    return "/v1/chat/completions", {
        "model": model, "stream": stream, "messages": [{"role": "user", "content": "go"}], "tools": [tool],
        "tool_choice": "required",
    }  # fmt: skip


def responses(model, stream):
    tool = {"type": "function", "name": NAME, "parameters": SCHEMA, "strict": False}
    return "/v1/responses", {
        "model": model, "stream": stream, "input": "go", "tools": [tool], "store": False, "tool_choice": "required",
    }  # fmt: skip


def messages(model, stream):
    tool = {"name": NAME, "input_schema": SCHEMA}
    return "/v1/messages", {
        "model": model, "stream": stream, "messages": [{"role": "user", "content": "go"}], "tools": [tool],
        "max_tokens": 1000, "tool_choice": {"type": "any"},
    }  # fmt: skip


def gemini(model, stream):
    declared = {"name": NAME, "parametersJsonSchema": SCHEMA}
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/{model}:{method}", {
        "contents": [{"role": "user", "parts": [{"text": "go"}]}], "tools": [{"functionDeclarations": [declared]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    }  # fmt: skip


DIALECTS = {"chat": chat, "responses": responses, "messages": messages, "gemini": gemini}


def events(response):
    data = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    return [json.loads(one) for one in data if one != "[DONE]"]


def calls_of(dialect, response, stream):
    """(name, arguments as text) of each call of an answer."""
    found = events(response) if stream else [response.json()]
    match dialect:
        case "chat":
            deltas = [c.get("delta") or c.get("message") or {} for e in found for c in e["choices"]]
            calls: dict[int, list[str]] = {}
            for number, call in enumerate(c for d in deltas for c in d.get("tool_calls") or ()):
                made = calls.setdefault(call.get("index", number), ["", ""])
                made[0] += call["function"].get("name") or ""
                made[1] += call["function"].get("arguments") or ""
            return [tuple(call) for call in calls.values()]
        case "responses":
            items = (found[-1]["response"] if stream else found[0])["output"]
            return [(item["name"], item["arguments"]) for item in items if item["type"] == "function_call"]
        case "messages" if stream:
            made: list[list[str]] = []
            for event in found:
                if event.get("content_block", {}).get("type") == "tool_use":
                    made.append([event["content_block"]["name"], ""])
                elif event.get("delta", {}).get("type") == "input_json_delta":
                    made[-1][1] += event["delta"]["partial_json"]
            return [tuple(one) for one in made]
        case "messages":
            return [(b["name"], json.dumps(b["input"])) for b in found[0]["content"] if b["type"] == "tool_use"]
    parts = [part for e in found for part in e["candidates"][0]["content"]["parts"]]
    return [(p["functionCall"]["name"], json.dumps(p["functionCall"]["args"])) for p in parts if "functionCall" in p]


def ask(served, dialect, model, stream=False, headers=None, **more):
    served.app.circuits.records.clear()
    path, body = DIALECTS[dialect](model, stream)
    return CLIENT.post(served.base + path, json={**body, **more}, headers=headers or {})


def logged(served, response):
    """The request's log line, once it is there."""
    wanted = response.headers["x-request-id"]
    with served._said:
        assert served._said.wait_for(
            lambda: any(e == "request" and f["request_id"] == wanted for e, f in served.logged), timeout=5
        )
    return next(f for e, f in served.logged if e == "request" and f["request_id"] == wanted)


def counted(served, **labels):
    """The value of toolwire_tool_calls_total for these labels."""
    return served.app.metrics.registry.get_sample_value("toolwire_tool_calls_total", labels) or 0.0


def valid(calls):
    for name, arguments in calls:
        value = json.loads(arguments)
        assert name == NAME and isinstance(value.pop("city"), str) and set(value) <= {"days"}
    return len(calls)


# --- the emulated upstreams --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(emulated):
    providers = "".join(
        f'  {api}: {{api: {api}, base_url: "{emulated.base_url(api)}", api_key: k}}\n' for api in apis()
    )
    bad = "target: {api}/fault-bad-arguments, retry: {{attempts: {attempts}, backoff_seconds: 0}}"
    rows = []
    for api in apis():
        once, twice = bad.format(api=api, attempts=1), bad.format(api=api, attempts=2)
        rows += [
            f"  {api}--falls: {{{once}, fallbacks: [anthropic-messages/agent], tool_check: fallback}}",
            f"  {api}--fails: {{{twice}, tool_check: fallback}}",
            f"  {api}--repairs: {{{once}, tool_check: repair}}",
            f"  {api}--reports: {{{once}}}",
            f"  {api}--unchecked: {{{once}, tool_check: off}}",
            f"  {api}--hints: {{{twice}, fallbacks: [openai-chat/agent], tool_check: fallback, tool_check_hint: true}}",
            f"  {api}--good: {{target: {api}/agent, tool_check: fallback}}",
        ]
    with Served(config_of("providers:\n" + providers + "models:\n" + "\n".join(rows) + "\n")) as running:
        yield running


APIS = ("openai-chat", "openai-responses", "anthropic-messages")
WAYS = [(api, stream) for api in APIS for stream in (False, True)]
TALKING = ("bedrock-converse", "cohere-chat")
"""Their models say what they do before they call: then text has gone out, or has not yet, as the network has it."""
OTHERS = [
    (api, stream) for api in apis() if api not in APIS for stream in (False, True) if not (stream and api in TALKING)
]

STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
EACH_DIALECT = pytest.mark.parametrize("dialect", DIALECTS)
EACH_API = pytest.mark.parametrize("api", APIS)
EACH_WAY = pytest.mark.parametrize("api, stream", WAYS, ids=[f"{a}-{'streamed' if s else 'whole'}" for a, s in WAYS])


@EACH_DIALECT
@EACH_WAY
def test_fallback_moves_on_to_a_target_that_answers_validly(served, emulated, api, dialect, stream):
    before = counted(served, provider=api, model="fault-bad-arguments", outcome="invalid")
    good = counted(served, provider="anthropic-messages", model="agent", outcome="valid")
    response = ask(served, dialect, f"{api}--falls", stream)
    assert response.status_code == 200, response.text
    assert response.headers["x-toolwire-target"] == "anthropic-messages/agent"
    assert response.headers["x-toolwire-attempts"] == "2"
    number = valid(calls_of(dialect, response, stream))
    assert number >= 1 and "broken" not in response.text and "unexpected" not in response.text
    line = logged(served, response)
    assert line["type"] == "ok" and line["invalid_calls"][0].startswith(f"{NAME}: ")
    assert [f["type"] for e, f in served.logged if e == "attempt" and f["request_id"] == line["request_id"]] == [
        "invalid_tool_call",
        "ok",
    ]
    assert counted(served, provider=api, model="fault-bad-arguments", outcome="invalid") == before + 1
    assert counted(served, provider="anthropic-messages", model="agent", outcome="valid") == good + number


@STREAMED
@EACH_DIALECT
def test_a_call_that_the_api_itself_calls_malformed(served, dialect, stream):
    """Gemini refuses the call in place of giving it: there is nothing to check, and the chain moves in any mode."""
    response = ask(served, dialect, "google-gemini--falls", stream)
    assert response.headers["x-toolwire-target"] == "anthropic-messages/agent"
    assert valid(calls_of(dialect, response, stream)) >= 1
    assert ask(served, "chat", "google-gemini--reports", stream).json()["error"]["type"] == "invalid_tool_call"


@EACH_DIALECT
@pytest.mark.parametrize("api, stream", OTHERS)
def test_every_other_api(served, api, stream, dialect):
    """Whatever is the API's own way to make bad arguments."""
    response = ask(served, dialect, f"{api}--falls", stream)
    assert response.headers["x-toolwire-target"] == "anthropic-messages/agent"
    assert valid(calls_of(dialect, response, stream)) >= 1
    line = logged(served, response)
    with served._said:
        attempts = [f["type"] for e, f in served.logged if e == "attempt" and f["request_id"] == line["request_id"]]
    assert attempts == ["invalid_tool_call", "ok"]


@EACH_WAY
def test_a_call_that_stays_invalid_is_an_error_when_nothing_else_answers(served, api, stream):
    response = ask(served, "chat", f"{api}--fails", stream)
    error = response.json()["error"]
    assert response.status_code == 502 and error["type"] == "invalid_tool_call"
    assert [attempt["type"] for attempt in error["attempts"]] == ["invalid_tool_call"] * 2
    assert error["message"].startswith(f"The model made an invalid call of '{NAME}': ")


@STREAMED
@EACH_DIALECT
@EACH_API
def test_good_calls_pass_every_mode(served, api, dialect, stream):
    before = counted(served, provider=api, model="agent", outcome="valid")
    response = ask(served, dialect, f"{api}--good", stream)
    assert response.status_code == 200 and "x-toolwire-warnings" not in response.headers
    number = valid(calls_of(dialect, response, stream))
    line = logged(served, response)
    assert "repairs" not in line and "invalid_calls" not in line and "warnings" not in line
    assert counted(served, provider=api, model="agent", outcome="valid") == before + number


@STREAMED
@EACH_API
def test_report_counts_and_lets_pass(served, api, stream):
    before = counted(served, provider=api, model="fault-bad-arguments", outcome="invalid")
    response = ask(served, "chat", f"{api}--reports", stream)
    assert response.status_code == 200 and response.headers["x-toolwire-attempts"] == "1"
    ((name, arguments),) = calls_of("chat", response, stream)
    assert name == NAME and ("broken" in arguments or "unexpected" in arguments)
    assert logged(served, response)["invalid_calls"][0].startswith(f"{NAME}: ")
    assert counted(served, provider=api, model="fault-bad-arguments", outcome="invalid") == before + 1


@STREAMED
@EACH_API
def test_repair_leaves_what_it_cannot_mend_and_says_so(served, api, stream):
    response = ask(served, "chat", f"{api}--repairs", stream)
    assert response.status_code == 200
    ((name, arguments),) = calls_of("chat", response, stream)
    assert name == NAME and ("broken" in arguments or "unexpected" in arguments)
    (told,) = logged(served, response)["warnings"]
    assert told.startswith(f"call of {NAME} is invalid (") and told.endswith("), left as it came")
    if not stream:
        assert response.headers["x-toolwire-warnings"] == told


@STREAMED
def test_off_counts_as_unchecked(served, stream):
    labels = {"provider": "openai-chat", "model": "fault-bad-arguments", "outcome": "unchecked"}
    before = counted(served, **labels)
    response = ask(served, "chat", "openai-chat--unchecked", stream)
    assert "invalid_calls" not in logged(served, response)
    assert counted(served, **labels) == before + 1


@pytest.mark.parametrize("dialect", ["messages", "gemini"])
@pytest.mark.parametrize("mode", ["off", "report", "repair"])
def test_a_dialect_of_objects_takes_no_other_text_whatever_the_mode(served, dialect, mode):
    """Whole answers only: the failure is found before anything is sent, so the chain may go on."""
    response = ask(served, dialect, "openai-chat--falls", headers={"x-toolwire-tool-check": mode})
    assert response.headers["x-toolwire-target"] == "anthropic-messages/agent"
    assert valid(calls_of(dialect, response, False)) >= 1


# --- the hint ----------------------------------------------------------------------------------------------------


@EACH_WAY
def test_a_retry_of_the_same_target_carries_the_error(served, emulated, api, stream):
    emulated.requests.clear()
    response = ask(served, "chat", f"{api}--hints", stream)
    assert response.headers["x-toolwire-target"] == "openai-chat/agent"
    assert response.headers["x-toolwire-attempts"] == "3", "a retry with a hint is an attempt"
    first, second, third = (received.raw.decode() for received in list(emulated.requests)[-3:])
    assert [received.api for received in list(emulated.requests)[-3:]] == [api, api, "openai-chat"]
    assert "The call was not executed." in second
    for other in (first, third):
        assert "The call was not executed." not in other, "the hint is for that retry alone"
    assert NAME in json.dumps(json.loads(second)) and len(second) > len(first)


def test_the_hint_in_chat_completions(served, emulated):
    emulated.requests.clear()
    ask(served, "chat", "openai-chat--hints")
    first, second = list(emulated.requests)[:2]
    *earlier, turn, result = second.body["messages"]
    assert earlier == first.body["messages"]
    ((call,), said) = turn["tool_calls"], result["content"]
    assert turn["role"] == "assistant" and call["function"]["name"] == NAME
    assert json.loads(call["function"]["arguments"]).keys() == {"_raw"}, "hosts read the history's arguments"
    assert result["role"] == "tool" and result["tool_call_id"] == call["id"]
    assert said.startswith("The call was not executed. The arguments are no valid JSON: ")


def test_the_hint_in_messages(served, emulated):
    emulated.requests.clear()
    ask(served, "chat", "anthropic-messages--hints", tool_choice="auto")
    first, second = list(emulated.requests)[:2]
    *earlier, turn, result = second.body["messages"]
    assert len(earlier) == len(first.body["messages"])
    (text, call), (told,) = turn["content"], result["content"]
    assert text["text"] == f"I will use {NAME}."
    assert (call["type"], call["name"], call["input"]) == ("tool_use", NAME, {"unexpected": True})
    assert (told["type"], told["tool_use_id"], told["is_error"]) == ("tool_result", call["id"], True)


# --- an upstream to the letter -----------------------------------------------------------------------------------

FINISH = "tool_calls"
ANSWERS = {
    "fenced": (None, '```json\n{"city":"Rome"}\n```', FINISH),
    "quoted": (None, "{'city': 'Rome', 'days': \"3\"}", FINISH),
    "open": (None, '{"city":"Rome"', FINISH),
    "cut": (None, '{"city":"Rome"', "length"),
    "wrong": (None, '{"city":5}', FINISH),
    "wrong-after-text": ("Let me see.", '{"city":5}', FINISH),
    "paused": ("Let me see.", '{"city":5}', FINISH),
    "fine": (None, '{"city": "Rome"}', FINISH),
}
"""Model -> text, arguments, finish reason."""


class Upstream(http.server.BaseHTTPRequestHandler):
    """Chat Completions, to the letter: text and call in separate events. `paused` waits behind its text to go on."""

    protocol_version = "HTTP/1.1"
    go_on = threading.Event()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text, arguments, finish = ANSWERS[body["model"]]
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": NAME, "arguments": arguments}}
        if not body.get("stream"):
            message = {"role": "assistant", "content": text, "tool_calls": [call]}
            self._send("application/json", json.dumps(_answer(message=message, finish_reason=finish)).encode())
            return
        deltas = [{"role": "assistant", "content": text or ""}]
        deltas += [{"tool_calls": [{**call, "function": {"name": NAME, "arguments": ""}}]}]
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in arguments]
        chunks = [_answer(delta=delta, finish_reason=None) for delta in deltas]
        chunks.append(_answer(delta={}, finish_reason=finish))
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
        data = "".join([*lines, "data: [DONE]\n\n"]).encode()
        if body["model"] == "paused":
            self._send("text/event-stream", data[: len(lines[0])], len(data))
            self.wfile.flush()
            self.go_on.wait(10)
            self.wfile.write(data[len(lines[0]) :])
        else:
            self._send("text/event-stream", data)

    def _send(self, kind, data, length=None):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(length or len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def _answer(**choice):
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, **choice}]}


@pytest.fixture(scope="module")
def letter():
    """The proxy before that upstream: a route MODEL--MODE for each; `anyone` may choose the mode by header."""
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, args=(0.05,), daemon=True).start()
    rows = "".join(
        f"  {model}--{mode}: {{target: up/{model}, fallbacks: [up/fine], tool_check: {mode}, retry: {{attempts: 1}}}}\n"
        for model in ANSWERS
        for mode in ("off", "report", "repair", "fallback")
    )
    text = f"""
clients:
  - {{name: free, key: free-key, allow: [tool_check]}}
  - {{name: bound, key: bound-key}}
providers:
  up: {{api: openai-chat, base_url: "http://127.0.0.1:{upstream.server_port}", api_key: k}}
models:
{rows}"""
    with Served(config_of(text)) as running:
        yield running
    upstream.shutdown()
    upstream.server_close()


def asked(letter, model, stream, dialect="chat", key="free-key", mode=None):
    headers = {"authorization": f"Bearer {key}"}
    if mode is not None:
        headers["x-toolwire-tool-check"] = mode
    return ask(letter, dialect, model, stream, headers)


MENDED = [
    ("fenced", '{"city":"Rome"}', ["code_fence"]),
    ("quoted", '{"city":"Rome","days":3}', ["single_quotes", "number_as_text"]),
    ("open", '{"city":"Rome"}', ["missing_closers"]),
]


@STREAMED
@EACH_DIALECT
@pytest.mark.parametrize("mode", ["repair", "fallback"])
@pytest.mark.parametrize("model, arguments, repairs", MENDED)
def test_what_can_be_mended_is(letter, model, arguments, repairs, mode, dialect, stream):
    before = counted(letter, provider="up", model=model, outcome="repaired")
    response = asked(letter, f"{model}--{mode}", stream, dialect)
    assert response.status_code == 200 and response.headers["x-toolwire-target"] == f"up/{model}"
    ((name, made),) = calls_of(dialect, response, stream)
    assert name == NAME and json.loads(made) == json.loads(arguments)
    line = logged(letter, response)
    told = f"call of {NAME} repaired: {', '.join(repairs)}"
    assert line["repairs"] == repairs and line["warnings"] == [told]
    assert response.headers["x-toolwire-warnings"] == told, "the call was kept, so the head could wait for it"
    assert counted(letter, provider="up", model=model, outcome="repaired") == before + 1


@STREAMED
@pytest.mark.parametrize("mode", ["off", "report"])
def test_without_repair_it_comes_as_it_was_written(letter, mode, stream):
    Upstream.go_on.set()
    for model, (_, arguments, _) in ANSWERS.items():
        response = asked(letter, f"{model}--{mode}", stream)
        assert calls_of("chat", response, stream) == [(NAME, arguments)]
        assert "x-toolwire-warnings" not in response.headers and "repairs" not in logged(letter, response)


@STREAMED
@EACH_DIALECT
@pytest.mark.parametrize("mode", ["repair", "fallback"])
def test_a_call_that_the_limit_cut_off_is_no_failure(letter, mode, dialect, stream):
    before = counted(letter, provider="up", model="cut", outcome="invalid")
    response = asked(letter, f"cut--{mode}", stream, dialect)
    assert response.status_code == 200 and response.headers["x-toolwire-target"] == "up/cut"
    line = logged(letter, response)
    assert line["type"] == "ok" and "repairs" not in line and "warnings" not in line
    assert counted(letter, provider="up", model="cut", outcome="invalid") == before + 1
    if dialect == "chat":
        assert calls_of("chat", response, stream) == [(NAME, '{"city":"Rome"')]


@STREAMED
@EACH_DIALECT
def test_an_invalid_call_behind_text_that_has_not_gone_out(letter, dialect, stream):
    """Whole, nothing has gone out; of a stream that came in one read nothing has either."""
    response = asked(letter, "wrong-after-text--fallback", stream, dialect)
    assert response.headers["x-toolwire-target"] == "up/fine" and "Let me see." not in response.text
    assert calls_of(dialect, response, stream) in ([(NAME, '{"city": "Rome"}')], [(NAME, '{"city":"Rome"}')])


@EACH_DIALECT
def test_after_text_an_invalid_call_is_delivered_as_it_is(letter, dialect):
    """The upstream goes on only when the client has the text."""
    Upstream.go_on.clear()
    letter.app.circuits.records.clear()
    path, body = DIALECTS[dialect]("paused--fallback", True)
    text = ""
    with CLIENT.stream("POST", letter.base + path, json=body, headers={"x-api-key": "free-key"}) as response:
        for piece in response.iter_text():
            text += piece
            if "Let me see." in text:
                Upstream.go_on.set()
    assert response.headers["x-toolwire-target"] == "up/paused"
    answer = httpx2.Response(200, text=text)
    ((name, arguments),) = calls_of(dialect, answer, True)
    assert (name, json.loads(arguments)) == (NAME, {"city": 5})
    line = logged(letter, response)
    told = f"call of {NAME} is invalid (schema: properties.city.type), left as it came"
    assert line["warnings"] == [told] and line["invalid_calls"] == [f"{NAME}: schema: properties.city.type"]


# --- the header --------------------------------------------------------------------------------------------------


@STREAMED
def test_a_client_that_may_chooses_the_mode(letter, stream):
    assert calls_of("chat", asked(letter, "fenced--report", stream, mode="repair"), stream) == [
        (NAME, '{"city":"Rome"}')
    ]
    assert asked(letter, "wrong--off", stream, mode="Fallback").headers["x-toolwire-target"] == "up/fine"
    response = asked(letter, "fenced--repair", stream, mode="off")
    assert calls_of("chat", response, stream) == [(NAME, '```json\n{"city":"Rome"}\n```')]


@STREAMED
@pytest.mark.parametrize("mode", ["off", "fallback", "nonsense"])
def test_for_a_client_that_may_not_the_header_is_ignored_with_a_warning(letter, mode, stream):
    response = asked(letter, "fenced--repair", stream, key="bound-key", mode=mode)
    assert calls_of("chat", response, stream) == [(NAME, '{"city":"Rome"}')]
    told = "x-toolwire-tool-check: ignored, this client may not choose (clients[].allow)"
    assert told in response.headers["x-toolwire-warnings"]
    assert told in logged(letter, response)["warnings"]


@EACH_DIALECT
def test_a_mode_that_is_none_is_refused(letter, dialect):
    response = asked(letter, "fine--repair", False, dialect, mode="strict")
    assert response.status_code == 400
    assert "x-toolwire-tool-check must be one of off, report, repair, fallback" in response.text


def test_an_open_proxy_lets_anyone_choose(served):
    response = ask(served, "chat", "openai-chat--reports", headers={"x-toolwire-tool-check": "fallback"})
    assert response.status_code == 502 and response.json()["error"]["type"] == "invalid_tool_call"
