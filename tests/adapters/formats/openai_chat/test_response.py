"""Neutral answers -> `chat.completion` (wire page §4)."""

from typing import Any

import pytest

from adapters import json
from adapters.formats.openai_chat.dialect import DIALECT
from adapters.formats.openai_chat.request import Reply
from adapters.model import Answer, Citation, Opaque, Reasoning, Refusal, Text, ToolCall, Usage

REPLY = Reply("chatcmpl-1", 1764500000, "smart")
OWN = "openai-chat"
TOKEN = {"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": []}


def written(answer: Answer, reply: Reply = REPLY) -> Any:
    return json.loads(DIALECT.answer(answer, reply))


def test_a_whole_body() -> None:
    answer = Answer(
        (Text("Looking."), ToolCall("call_1", "f", '{"a": 1 }'), ToolCall("call_2", "g", "")),
        "tool_calls",
        Usage(9, 4, 3, 2, 1),
        id="up-1",
        model="upstream",
    )
    assert written(answer) == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1764500000,
        "model": "smart",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Looking.",
                    "refusal": None,
                    "tool_calls": [
                        {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1 }'}},
                        {"id": "call_2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                    ],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 4,
            "total_tokens": 13,
            "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    }


def test_usage_that_nobody_told_is_left_out() -> None:
    assert "usage" not in written(Answer((Text("a"),), "stop"))
    assert written(Answer((Text("a"),), "stop", Usage(3)))["usage"]["total_tokens"] == 3


def test_usage_of_the_same_api_keeps_its_own_fields() -> None:
    extras = {OWN: {"cost": 0.5, "prompt_tokens_details": {"audio_tokens": 7}, "completion_tokens_details": {"x": 8}}}
    assert written(Answer((Text("a"),), "stop", Usage(3, 2, extras=extras)))["usage"] == {
        "prompt_tokens": 3,
        "completion_tokens": 2,
        "total_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 7},
        "completion_tokens_details": {"reasoning_tokens": 0, "x": 8},
        "cost": 0.5,
    }


BASE = {"role": "assistant", "content": None, "refusal": None}
MESSAGES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {**BASE, "content": ""}),
    ((Text("a"), Text(""), Text("b")), {**BASE, "content": "ab"}),
    ((Refusal("no"),), {**BASE, "refusal": "no"}),
    (
        (ToolCall("c", "sql", "SELECT 1", "custom"),),
        {**BASE, "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}]},
    ),
    (
        (ToolCall("c", "f", "{}", signature="SIG", origin="gemini"),),
        {
            **BASE,
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                    "extra_content": {"google": {"thought_signature": "SIG"}, "toolwire": {"origin": "gemini"}},
                }
            ],
        },
    ),
    (
        (ToolCall("c", "f", "{}", signature="SIG", extras={OWN: {"x": 1, "extra_content": {"acme": 2}}}),),
        {
            **BASE,
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                    "x": 1,
                    "extra_content": {"acme": 2, "google": {"thought_signature": "SIG"}},
                }
            ],
        },
    ),
    (
        (
            Text(
                "see",
                citations=(
                    Citation("u", "t", 0, 3),
                    Citation("v"),
                    Citation(title="book"),
                    Citation(extras={OWN: {"type": "file", "id": "f"}}),
                ),
            ),
        ),
        {
            **BASE,
            "content": "see",
            "annotations": [
                {"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 3, "url": "u", "title": "t"}},
                {"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 0, "url": "v", "title": "v"}},
                {"type": "file", "id": "f"},
            ],
        },
    ),
    (
        (Opaque(OWN, {"audio": {"id": "au1", "data": "AA"}}), Opaque(OWN, {"audio": {"data": "BB", "expires_at": 9}})),
        {**BASE, "audio": {"id": "au1", "data": "AABB", "expires_at": 9}},
    ),
    ((Opaque("anthropic-messages", {"type": "x"}, "shown"),), {**BASE, "content": "shown"}),
    ((Opaque("anthropic-messages", {"type": "x"}), Text("a")), {**BASE, "content": "a"}),
    ((Reasoning("r"), Text("a")), {**BASE, "content": "a", "reasoning_content": "r"}),
    ((Reasoning("r"), Reasoning("s"), Text("a")), {**BASE, "content": "a", "reasoning_content": "r\n\ns"}),
    (
        (
            Reasoning("r", "anthropic-messages", "o", signature="S"),
            Text("a"),
            ToolCall("c", "f", "{}"),
            Reasoning("", "anthropic-messages", "o", data="D"),
        ),
        {
            **BASE,
            "content": "a",
            "reasoning_content": "r",
            "reasoning_details": [
                {
                    "type": "reasoning.text",
                    "text": "r",
                    "id": None,
                    "format": "anthropic-messages",
                    "origin": "o",
                    "position": 0,
                    "block": 0,
                    "signature": "S",
                    "index": 0,
                },
                {
                    "type": "reasoning.encrypted",
                    "data": "D",
                    "id": None,
                    "format": "anthropic-messages",
                    "origin": "o",
                    "position": 2,
                    "block": 1,
                    "index": 1,
                },
            ],
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
    ),
    (
        (
            Reasoning("s\n\nt", "openai-responses", "o", "rs_1", None, "D", ("s", "t"), {"openai-responses": {"z": 1}}),
            Text("a"),
        ),
        {
            **BASE,
            "content": "a",
            "reasoning_content": "s\n\nt",
            "reasoning_details": [
                {
                    "type": "reasoning.summary",
                    "summary": "s",
                    "id": "rs_1",
                    "format": "openai-responses",
                    "origin": "o",
                    "position": 0,
                    "block": 0,
                    "index": 0,
                },
                {
                    "type": "reasoning.summary",
                    "summary": "t",
                    "id": "rs_1",
                    "format": "openai-responses",
                    "origin": "o",
                    "position": 0,
                    "block": 0,
                    "index": 1,
                },
                {
                    "type": "reasoning.encrypted",
                    "data": "D",
                    "id": "rs_1",
                    "format": "openai-responses",
                    "origin": "o",
                    "position": 0,
                    "block": 0,
                    "index": 2,
                    "native": {"z": 1},
                },
            ],
        },
    ),
    (
        (
            Reasoning(
                "r",
                OWN,
                "router",
                signature="S",
                extras={
                    OWN: {
                        "reasoning_details": [
                            {
                                "type": "reasoning.text",
                                "text": "r",
                                "signature": "S",
                                "format": "anthropic-claude-v1",
                                "index": 4,
                            }
                        ]
                    }
                },
            ),
            Text("a"),
        ),
        {
            **BASE,
            "content": "a",
            "reasoning_content": "r",
            "reasoning_details": [
                {
                    "type": "reasoning.text",
                    "text": "r",
                    "signature": "S",
                    "format": "anthropic-claude-v1",
                    "origin": "router",
                    "position": 0,
                    "block": 0,
                    "index": 0,
                }
            ],
        },
    ),
]


@pytest.mark.parametrize(("parts", "expected"), MESSAGES)
def test_message(parts: tuple[Any, ...], expected: dict[str, Any]) -> None:
    assert written(Answer(parts, "stop"))["choices"][0]["message"] == expected


@pytest.mark.parametrize(
    ("stop", "legacy", "word"),
    [
        ("stop", False, "stop"),
        ("length", False, "length"),
        ("tool_calls", False, "tool_calls"),
        ("content_filter", False, "content_filter"),
        (None, False, "stop"),
        ("tool_calls", True, "function_call"),
        ("stop", True, "stop"),
    ],
)
def test_finish_reason(stop: Any, legacy: bool, word: str) -> None:
    reply = Reply("i", 1, "m", legacy=legacy)
    assert written(Answer((Text("a"),), stop), reply)["choices"][0]["finish_reason"] == word


def test_the_older_form_shows_one_call() -> None:
    answer = Answer((ToolCall("c", "f", ""), ToolCall("d", "g", "{}")), "tool_calls")
    choice = written(answer, Reply("i", 1, "m", legacy=True))["choices"][0]
    assert choice["message"] == {**BASE, "function_call": {"name": "f", "arguments": "{}"}}
    assert choice["finish_reason"] == "function_call"


def test_a_cut_call_is_not_mended() -> None:
    answer = Answer((ToolCall("c", "f", ""), ToolCall("d", "g", "")), "length")
    calls = written(answer)["choices"][0]["message"]["tool_calls"]
    assert [call["function"]["arguments"] for call in calls] == ["{}", ""]
    cut = Answer((ToolCall("c", "f", '{"a": "b'),), "length")
    assert written(cut)["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"a": "b'


def test_logprobs() -> None:
    text = written(Answer((Text("a"),), "stop", logprobs=(TOKEN,)))["choices"][0]
    assert text["logprobs"] == {"content": [TOKEN], "refusal": None}
    refusal = written(Answer((Refusal("a"),), "stop", logprobs=(TOKEN,)))["choices"][0]
    assert refusal["logprobs"] == {"content": None, "refusal": [TOKEN]}


def test_choices_and_unknown_fields_of_the_same_api() -> None:
    extras = {OWN: {"answer": {"system_fingerprint": "fp"}, "choice": {"filter": 1}, "message": {"images": [2]}}}
    body = written(Answer((Text("a"),), "stop", extras=extras, others=(Answer((Text("b"),), "length"),)))
    assert body["system_fingerprint"] == "fp"
    assert [choice["index"] for choice in body["choices"]] == [0, 1]
    assert [choice["message"]["content"] for choice in body["choices"]] == ["a", "b"]
    assert body["choices"][0]["filter"] == 1
    assert body["choices"][0]["message"]["images"] == [2]
    assert "filter" not in body["choices"][1]


def test_unknown_fields_of_other_apis_stay_away() -> None:
    body = written(Answer((Text("a"),), "stop", extras={"google-gemini": {"answer": {"x": 1}}}))
    assert set(body) == {"id", "object", "created", "model", "choices"}


@pytest.mark.parametrize("parts", [parts for parts, _ in MESSAGES])
def test_a_client_can_send_its_answer_back(parts: tuple[Any, ...]) -> None:
    """What the answer's message says is again in the neutral message that it decodes to."""
    message = written(Answer(parts, "stop"))["choices"][0]["message"]
    back = DIALECT.decode({"model": "m", "messages": [message]}, _call()).request.messages[0].parts
    signed = [p for p in parts if isinstance(p, Reasoning) and p.api is not None]
    assert [p for p in back if isinstance(p, Reasoning) and p.api is not None] == [_as_sent(p) for p in signed]
    assert [p for p in back if isinstance(p, ToolCall)] == [p for p in parts if isinstance(p, ToolCall)]
    texts = [p.text for p in parts if isinstance(p, Text) or (isinstance(p, Opaque) and p.api != OWN)]
    assert "".join(p.text for p in back if isinstance(p, Text)) == "".join(texts)


def _call() -> Any:
    from adapters.format import Call

    return Call()


def _as_sent(reasoning: Reasoning) -> Reasoning:
    """Entries of the same API come back with the index they were given."""
    if reasoning.api != OWN:
        return reasoning
    entries = [{**entry, "index": 0} for entry in reasoning.extras[OWN]["reasoning_details"]]
    return Reasoning(
        reasoning.text,
        OWN,
        reasoning.origin,
        signature=reasoning.signature,
        extras={OWN: {"reasoning_details": entries}},
    )


def test_the_sdk_reads_it(parse: Any) -> None:
    for parts, expected in MESSAGES:
        message = parse(DIALECT.answer(Answer(parts, "stop", Usage(1, 2)), REPLY)).choices[0].message
        assert message.content == expected["content"]
        assert len(message.tool_calls or []) == len(expected.get("tool_calls", []))
