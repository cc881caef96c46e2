"""Whatever stands at any place of a request or an answer: a clear error or an answer, never another exception."""

import pytest
from responses_wire import READING, created, ended
from test_emit import reply

from adapters import json, registry
from adapters.compat import defaults
from adapters.errors import Malformed, Rejected
from adapters.events import Failed, fold
from adapters.format import Call, Upstream
from adapters.formats.openai_responses import API, DIALECT
from adapters.formats.openai_responses.response import decode
from adapters.formats.openai_responses.stream import Decoder
from adapters.restore import Restorer
from adapters.tools.ids import RESPONSES

JUNK = [None, True, -1, 10**30, "x", "\ud800", [], [None], {}, {"type": ["x"]}]

FUNCTION = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object", "properties": {}},
            "strict": True, "defer_loading": True}
BODY = {
    "model": "smart",
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": [
            {"type": "input_text", "text": "x", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}},
            {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "low"},
            {"type": "input_file", "file_data": "data:application/pdf;base64,AA==", "filename": "a.pdf"},
            {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}},
        ]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"}],
         "content": [{"type": "reasoning_text", "text": "b"}], "encrypted_content": "sealed"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
         "content": [{"type": "output_text", "text": "x", "annotations": [
             {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}]},
             {"type": "refusal", "refusal": "no"}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}", "namespace": "crm"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "sql", "input": "x"},
        {"type": "mcp_call", "name": "f", "arguments": "{}", "output": "x"},
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "x"}]},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "x"},
        {"type": "additional_tools", "role": "developer", "tools": [FUNCTION]},
    ],
    "tools": [
        FUNCTION,
        {"type": "custom", "name": "sql", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"type": "namespace", "name": "crm", "description": "d", "tools": [FUNCTION]},
        {"type": "web_search", "filters": {}},
        {"type": "mcp", "server_label": "s", "server_url": "u"},
    ],
    "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
    "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": False},
             "verbosity": "low"},
    "reasoning": {"effort": "low", "summary": "auto"},
    "include": ["reasoning.encrypted_content"],
    "stream_options": {"include_obfuscation": False},
    "metadata": {"k": "v"},
    "provider_options": {"openai-responses": {"x": 1}},
    "stream": True,
    "max_output_tokens": 100,
    "temperature": 0.5,
    "top_logprobs": 1,
    "prompt_cache_key": "k",
    "user": "u",
    "store": False,
}


def places(value, path=()):
    """Paths to every value inside."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def put(value, path, junk):
    """A copy with `junk` at the place."""
    if not path:
        return junk
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], junk)
    return copy


UPSTREAMS = {
    "openai": (API, Upstream("gpt-5", "o", {**defaults(API.name), "custom_tools": "native"})),
    "another host": (API, Upstream("x", "o", defaults(API.name))),
    **{name: (api, Upstream("m", "o", defaults(name))) for name in ("anthropic-messages", "openai-chat")
       if (api := registry.api(name)) is not None},
}


@pytest.mark.parametrize("to", UPSTREAMS)
def test_requests(to):
    api, upstream = UPSTREAMS[to]
    body = BODY if api is API else put(BODY, ("input", 0, "content", 3), {"type": "input_text", "text": "no sound"})
    taken = 0
    for path in list(places(body))[:: 1 if to == "openai" else 5]:
        for junk in JUNK:
            try:
                incoming = DIALECT.decode(put(body, path, junk), Call())
                assert json.loads(api.encode(incoming.request, upstream).body)
            except Rejected:
                continue
            taken += 1
    assert taken > 50


CALLED = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}", "status": "completed"}
SAID = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "x", "content": [
    {"type": "output_text", "text": "x", "logprobs": [{"token": "x", "logprob": 1, "top_logprobs": [{"token": "x"}]}],
     "annotations": [{"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}]},
    {"type": "refusal", "refusal": "no"}]}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"}],
           "content": [{"type": "reasoning_text", "text": "b"}], "encrypted_content": "sealed"}
SEARCHED = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "q"}}
RESPONSE = {
    "id": "resp_1", "object": "response", "model": "m", "status": "incomplete", "error": None,
    "incomplete_details": {"reason": "max_output_tokens"}, "output": [THOUGHT, SAID, SEARCHED, CALLED],
    "usage": {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 2,
              "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 3},
}
EVENTS = [
    {"type": "response.output_item.added", "output_index": 0, "item": THOUGHT},
    {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "a"},
    {"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "b"},
    {"type": "response.output_item.done", "output_index": 0, "item": THOUGHT},
    {"type": "response.output_item.added", "output_index": 1, "item": {**SAID, "content": []}},
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "x",
     "logprobs": [{"token": "x", "logprob": 1}]},
    {"type": "response.output_text.annotation.added", "output_index": 1, "content_index": 0, "annotation": {}},
    {"type": "response.refusal.done", "output_index": 1, "content_index": 1, "refusal": "no"},
    {"type": "response.output_item.done", "output_index": 1, "item": SAID},
    {"type": "response.output_item.added", "output_index": 2, "item": SEARCHED},
    {"type": "response.web_search_call.searching", "output_index": 2, "item_id": "ws_1"},
    {"type": "response.output_item.done", "output_index": 2, "item": SEARCHED},
    {"type": "response.output_item.added", "output_index": 3, "item": {**CALLED, "arguments": ""}},
    {"type": "response.function_call_arguments.delta", "output_index": 3, "delta": "{}"},
    {"type": "response.function_call_arguments.done", "output_index": 3, "arguments": "{}"},
    {"type": "response.output_item.done", "output_index": 3, "item": CALLED},
    {"type": "response.incomplete", "response": RESPONSE},
]


def shown(events):
    """The answer as a Responses client gets it, whole and streamed."""
    events = Restorer(READING, RESPONSES, lambda n: "0" * n).feed(events)
    if isinstance(events[-1], Failed):
        return
    encoder = DIALECT.encoder(reply(sealed=True, scored=True))
    assert encoder.feed(events) + encoder.close()
    assert DIALECT.answer(fold(events), reply(sealed=True, scored=True))


def test_whole_answers():
    taken = 0
    for path in places(RESPONSE):
        for junk in JUNK:
            try:
                events = decode(json.dumps(put(RESPONSE, path, junk)))
            except Malformed:
                continue
            shown(events)
            taken += 1
    assert taken > 500


def test_streamed_answers():
    taken = 0
    for path in places(EVENTS):
        if len(path) < 2:
            continue
        for junk in JUNK:
            decoder = Decoder(READING)
            data = b"".join(b"data: %b\n\n" % json.dumps(event) for event in put(EVENTS, path, junk))
            try:
                events = decoder.feed(created() + data) + decoder.close()
            except Malformed:
                continue
            shown(events)
            taken += 1
    assert taken > 1000


@pytest.mark.parametrize("junk", JUNK)
def test_errors(junk):
    for body in (json.dumps(junk), json.dumps({"error": junk}), json.dumps([junk]), json.dumps({"detail": junk})):
        assert API.failure(500, {}, body).message
    assert decode(json.dumps({**RESPONSE, "status": "failed", "error": junk}))[-1].failure.message


def test_a_stream_of_only_an_end():
    decoder = Decoder(READING)
    shown(decoder.feed(ended([])) + decoder.close())
