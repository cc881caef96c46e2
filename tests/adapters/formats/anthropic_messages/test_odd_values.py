"""Any value at any place of a request or an answer: it is understood, Rejected or Malformed, and nothing else."""

import json
from contextlib import suppress

from messages_wire import DONE, block, delta, end, start, stop, text, text_block

from adapters.errors import Malformed, Rejected
from adapters.events import fold
from adapters.format import Call, Reading, Upstream
from adapters.formats.anthropic_messages import API, DIALECT
from adapters.formats.anthropic_messages.decode import Reply

ODD = [None, True, -1, 1.5, "", "x", [], {}, [None], {"type": "x"}, {"type": None}, "\ud800", 10**30, {"type": "text"}]
REPLY = Reply("m", "msg_1")

REQUEST = {
    "model": "m", "max_tokens": 9, "stream": False, "temperature": 0.5, "stop_sequences": ["a"], "service_tier": "auto",
    "thinking": {"type": "enabled", "budget_tokens": 2048, "display": "omitted"},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "object"}}},
    "cache_control": {"type": "ephemeral", "ttl": "1h"},
    "metadata": {"user_id": "u"},
    "provider_options": {"anthropic-messages": {"speed": "fast"}},
    "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
    "tools": [{"name": "f", "description": "d", "strict": True, "defer_loading": False, "input_schema": {
                   "type": "object", "properties": {"a": {"type": "string"}}}},
              {"type": "web_search_20250305", "name": "web_search"}],
    "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "a"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
            {"type": "document", "title": "D", "source": {"type": "content", "content": [
                {"type": "text", "text": "t"}]}},
            {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]}]},
        {"role": "system", "content": "s", "output_config": {"effort": "high"}},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "t", "signature": "tw1re30="}, {"type": "redacted_thinking", "data": "R"},
            {"type": "text", "text": "b", "citations": [{"type": "page_location"}]},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": "b"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": False, "content": [
            {"type": "text", "text": "r"}, {"type": "tool_reference", "tool_name": "f"}]}]},
    ],
}  # fmt: skip
STREAM = [
    start(usage={"input_tokens": 1, "output_tokens": 1, "output_tokens_details": {"thinking_tokens": 1}}),
    block(0, "thinking", thinking="", signature=""), delta(0, "thinking_delta", thinking="t", estimated_tokens=1),
    delta(0, "signature_delta", signature="S"), stop(0),
    block(1, "redacted_thinking", data="R"), stop(1),
    text_block(2), text(2, "a"), delta(2, "citations_delta", citation={"type": "page_location"}), stop(2),
    block(3, "server_tool_use", id="s", name="n", input={}), delta(3, "input_json_delta", partial_json="{}"), stop(3),
    block(4, "tool_use", id="t", name="f", input={}), delta(4, "input_json_delta", partial_json="{}"), stop(4),
    {**end("tool_use", container={"id": "c"}), "context_management": {}}, DONE,
]
ANSWER = {
    "id": "msg_1", "model": "m", "stop_reason": "tool_use", "stop_sequence": None,
    "usage": {"input_tokens": 1, "cache_read_input_tokens": 2, "output_tokens_details": {"thinking_tokens": 1}},
    "content": [
        {"type": "thinking", "thinking": "t", "signature": "S"}, {"type": "redacted_thinking", "data": "R"},
        {"type": "text", "text": "a", "citations": [{"type": "page_location", "url": "u"}]},
        {"type": "web_search_tool_result", "content": []}, {"type": "tool_use", "id": "t", "name": "f", "input": {}}],
}  # fmt: skip


def variants(value):
    """The value with each odd one at each place."""
    yield from ODD
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            for variant in variants(value[key]):
                made = value.copy()
                made[key] = variant
                yield made


def written(events):
    encoder = DIALECT.encoder(REPLY)
    encoder.feed(events)
    encoder.close()
    DIALECT.answer(fold(events), REPLY)


def test_requests():
    understood = 0
    for body in variants(REQUEST):
        with suppress(Rejected):
            request = DIALECT.decode(body, Call()).request
            for model in ("claude-opus-5", "claude-sonnet-4-0"):
                API.encode(request, Upstream(model))
            API.count_tokens(request, Upstream("claude-opus-5"))
            understood += 1
    assert understood > 300


def test_streams():
    understood = 0
    for natives in (variant for variant in variants(STREAM) if isinstance(variant, list)):
        with suppress(Malformed):
            decoder = API.decoder(Reading("m"))
            frames = [b"data: " + json.dumps(native).encode() + b"\n\n" for native in natives]
            written(decoder.feed(b"".join(frames)) + decoder.close())
            understood += 1
    assert understood > 300


def test_whole_answers():
    understood = 0
    for answer in variants(ANSWER):
        with suppress(Malformed):
            written(API.whole(json.dumps(answer).encode(), Reading("m"), {}))
            understood += 1
    assert understood > 150
