"""Whatever comes in is taken, or Rejected or Malformed: every odd value at every place of a body and of a chunk."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from adapters import json
from adapters.compat import defaults, resolve
from adapters.errors import Malformed, Rejected
from adapters.events import Failed, fold
from adapters.format import Call, Reading, Upstream
from adapters.formats import mistral_chat
from adapters.formats.openai_chat import API, DIALECT
from adapters.formats.openai_chat.request import Reply

ODD: list[Any] = [None, True, 7, 0.5, "x", "", [], {}, [7], ["x"], [{}], {"a": 1}, [[]], {"type": "x"}, {"type": 7}]
UPSTREAMS = [
    (API, Upstream("gpt-5.5", "o", resolve("openai-chat", "openai", {}))),
    (API, Upstream("m", "o", {**defaults("openai-chat"), "reasoning_echo": "reasoning_details", "cache": "client"})),
    (mistral_chat.API, Upstream("mistral-small-latest", "m", defaults("mistral-chat"))),
]

BODY = {
    "model": "m",
    "messages": [
        {
            "role": "system",
            "content": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        },
        {
            "role": "user",
            "name": "n",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA", "detail": "low"}},
                {"type": "input_audio", "input_audio": {"data": "AA", "format": "mp3"}},
                {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA", "filename": "f"}},
            ],
        },
        {
            "role": "assistant",
            "content": "a",
            "refusal": "no",
            "reasoning_content": "r",
            "audio": {"id": "au"},
            "reasoning_details": [
                {
                    "type": "reasoning.text",
                    "text": "r",
                    "signature": "S",
                    "format": "mistral-chat",
                    "origin": "m",
                    "position": 0,
                    "block": 0,
                    "id": "i",
                    "native": {"more": []},
                },
                {"type": "reasoning.encrypted", "data": "D", "index": 0},
            ],
            "annotations": [{"type": "url_citation", "url_citation": {"url": "u", "start_index": 0}}],
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                    "extra_content": {"google": {"thought_signature": "S"}, "toolwire": {"origin": "o"}},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "ok"}], "name": "f"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "ok"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "f",
                "description": "d",
                "strict": True,
                "parameters": {
                    "type": "object",
                    "properties": {"a": {"type": "string", "enum": ["x"]}},
                    "required": ["a"],
                },
            },
            "cache_control": {"type": "ephemeral"},
        },
        {
            "type": "custom",
            "custom": {"name": "s", "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "d"}}},
        },
        {"type": "web_search"},
    ],
    "tool_choice": {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "f"}}]},
    },
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "v", "schema": {"type": "object"}, "strict": True},
    },
    "max_completion_tokens": 5,
    "temperature": 1,
    "stop": ["a"],
    "n": 1,
    "logit_bias": {"1": 1},
    "logprobs": True,
    "top_logprobs": 1,
    "seed": 1,
    "reasoning_effort": "low",
    "modalities": ["text"],
    "stream": True,
    "user": "u",
    "stream_options": {"include_usage": True, "x": 1},
    "metadata": {"a": "b"},
    "provider_options": {"openai-chat": {"x": 1}, "mistral-chat": {"x": 1}},
    "parallel_tool_calls": False,
    "store": True,
    "service_tier": "x",
    "prompt_cache_key": "k",
    "verbosity": "low",
    "top_k": 1,
}

TOKEN = {"token": "a", "logprob": 0, "bytes": [1], "top_logprobs": []}
CHUNK = {
    "id": "i",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "system_fingerprint": "f",
    "usage": {
        "prompt_tokens": 1,
        "completion_tokens": 1,
        "total_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 1},
    },
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "logprobs": {"content": [TOKEN], "refusal": None},
            "delta": {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "t"}], "signature": "S"},
                    {"type": "text", "text": "a"},
                ],
                "refusal": "r",
                "reasoning_content": "t",
                "reasoning_details": [{"type": "reasoning.text", "text": "t", "index": 0, "id": "i", "signature": "S"}],
                "annotations": [{"type": "url_citation", "url_citation": {"url": "u", "start_index": 0}}],
                "audio": {"id": "a", "transcript": "t"},
                "mood": 1,
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "f", "arguments": '{"a":1}'},
                        "extra_content": {"google": {"thought_signature": "S"}},
                    }
                ],
                "function_call": {"name": "f", "arguments": "{}"},
            },
        }
    ],
}
PLAIN = {**CHUNK, "usage": None, "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}]}
CALL = {
    **CHUNK,
    "usage": None,
    "choices": [
        {"index": 0, "finish_reason": None, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "a"}}]}}
    ],
}


OPENING = {
    **CALL,
    "choices": [
        {
            "index": 0,
            "finish_reason": None,
            "delta": {
                "tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"long": "enough'}}]
            },
        }
    ],
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    made = copy.deepcopy(value)
    at = made
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = odd
    return made


def taken(body: Any) -> None:
    try:
        request = DIALECT.decode(body, Call()).request
    except Rejected as error:
        assert error.failure.type == "invalid_request_error"
        return
    for api, upstream in UPSTREAMS:
        try:
            assert isinstance(json.loads(api.encode(request, upstream).body), dict)
        except Rejected:
            continue


def test_the_body_itself() -> None:
    reached = 0
    request = DIALECT.decode(BODY, Call()).request
    for api, upstream in UPSTREAMS[:2]:
        reached += bool(api.encode(request, upstream).body)
    assert reached == 2


@pytest.mark.parametrize("path", list(places(BODY)), ids=lambda path: ".".join(map(str, path)))
def test_any_value_in_a_request(path: tuple[Any, ...]) -> None:
    for odd in ODD:
        taken(changed(BODY, path, odd))


def answered(chunks: list[Any]) -> bool:
    """Whether the answer was taken; what it means can then be written to a client."""
    data = b"".join(b"data: " + json.dumps(one) + b"\n\n" for one in chunks) + b"data: [DONE]\n\n"
    for api in (API, mistral_chat.API):
        decoder = api.decoder(Reading("m", declared=frozenset({"f"})))
        try:
            events = decoder.feed(data) + decoder.close()
        except Malformed:
            return False
        reply = Reply("i", 1, "m")
        encoder = DIALECT.encoder(reply)
        json.loads(DIALECT.answer(fold(events), reply))
        written = encoder.feed(events)
        assert written or isinstance(events[-1], Failed)
    return True


def test_the_chunks_themselves() -> None:
    assert answered([CHUNK])
    assert answered([OPENING, CALL, PLAIN, PLAIN])


@pytest.mark.parametrize("path", list(places(CHUNK)), ids=lambda path: ".".join(map(str, path)))
def test_any_value_in_a_chunk(path: tuple[Any, ...]) -> None:
    for odd in ODD:
        one = changed(CHUNK, path, odd)
        answered([one])
        answered([PLAIN, one])
        whole = copy.deepcopy(one)
        if isinstance(whole["choices"], list):
            for choice in whole["choices"]:
                if isinstance(choice, dict):
                    choice["message"] = choice.pop("delta", None)
        for api in (API, mistral_chat.API):
            try:
                fold(api.whole(json.dumps(whole), Reading("m"), {}))
            except Malformed:
                continue


@pytest.mark.parametrize("first", [PLAIN, CALL])
def test_any_value_in_a_plain_chunk(first: Any) -> None:
    for path in places(first):
        for odd in ODD:
            answered([OPENING, first, changed(first, path, odd)])


@pytest.mark.parametrize(
    "odd", [*ODD, *[{"error": odd} for odd in ODD], *[{"error": {"message": odd, "code": odd}} for odd in ODD]]
)
def test_any_error(odd: Any) -> None:
    for api in (API, mistral_chat.API):
        for status in (400, 429, 500):
            assert api.failure(status, {}, json.dumps(odd)).status == status
    assert api.failure(400, {}, b"\xff\xfe{").type
