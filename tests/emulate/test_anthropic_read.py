"""Requests of Anthropic Messages as tasks, cache marks as prompt parts, and bodies that make no sense at all."""

from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.anthropic_messages import API, count_tokens
from proxy.emulate.api import Ask, Received, Refused
from tests.emulate.breaking import broken

Json = Any
EMPTY = {"type": "object", "properties": {}}
OFFERED = (Tool("f", EMPTY), Tool("g", EMPTY))
TOOLS = [{"name": "f", "input_schema": EMPTY}, {"name": "g", "input_schema": EMPTY}]
MARK = {"cache_control": {"type": "ephemeral"}}


def received(body: Json) -> Received:
    headers = {"anthropic-version": "2023-06-01"}
    return Received("anthropic-messages", "POST", "/v1/messages", {}, {}, headers, b"", body)


def ask(**body: Json) -> Ask:
    full = {"model": "agent", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}], **body}
    return API.read(received(full))


def task(text: str = "hi", *rest: Any, **more: Any) -> Task:
    return Task(text, *rest, **{"max_tokens": 99, "aloud": True, **more})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, task()),
        ({"tools": [*TOOLS, {"type": "bash_20250124", "name": "bash"}]}, task("hi", OFFERED)),
        ({"tools": TOOLS, "tool_choice": {"type": "none"}}, task("hi", OFFERED, "none")),
        ({"tools": TOOLS, "tool_choice": {"type": "any"}}, task("hi", OFFERED, "required", aloud=False)),
        (
            {"tools": TOOLS, "tool_choice": {"type": "tool", "name": "g"}},
            task("hi", OFFERED, "required", ("g",), aloud=False),
        ),
        (
            {"tools": TOOLS, "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
            task("hi", OFFERED, parallel=False),
        ),
        ({"thinking": {"type": "adaptive"}}, task(reasoning=True)),
        ({"stop_sequences": ["x"]}, task(stop=("x",))),
        (
            {"output_config": {"format": {"type": "json_schema", "schema": {**EMPTY, "additionalProperties": False}}}},
            task(output={**EMPTY, "additionalProperties": False}, aloud=False),
        ),
    ],
)
def test_task(body: Json, expected: Task) -> None:
    assert ask(**body).task == expected


def test_results_of_the_last_turn_however_they_are_split() -> None:
    calls = [{"type": "tool_use", "id": n, "name": "f" + n, "input": {}} for n in "ab"]
    results = [
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}],
        },
        {"type": "tool_result", "tool_use_id": "a"},
    ]
    start: list[Json] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": calls}]
    expected = (Result("b", "fb", "1\n2"), Result("a", "fa", ""))
    together = ask(messages=[*start, {"role": "user", "content": results}]).task
    assert together == task(results=expected, rounds=1)
    apart = ask(messages=[*start, *({"role": "user", "content": [result]} for result in results)]).task
    assert apart == together
    and_text = [*results, {"type": "text", "text": "go on"}]
    assert ask(messages=[*start, {"role": "user", "content": and_text}]).task == task(
        "go on", results=expected, rounds=1
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ()),
        ({"tools": [{**TOOLS[0], **MARK}]}, (1,)),
        ({"system": [{"type": "text", "text": "s", **MARK}]}, (2,)),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "x", **MARK}]}]}, (3,)),
        (MARK, (3,)),
    ],
)
def test_marked_parts(body: Json, expected: tuple[int, ...]) -> None:
    assert ask(**body).marks == expected


def test_marks_are_no_part_of_the_prompt() -> None:
    plain = [{"type": "text", "text": "s"}]
    marked = [{"type": "text", "text": "s", **MARK}]
    assert ask(system=plain).prompt == ask(system=marked).prompt == ask(system="s").prompt
    assert len(ask().prompt) == 3


BODY: Json = {
    "model": "agent",
    "max_tokens": 4000,
    "system": [{"type": "text", "text": "s", **MARK}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "x"},
                {"type": "image", "source": {"type": "url", "url": "https://x"}},
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "x"},
                    "citations": {"enabled": False},
                },
            ],
        },
        {"role": "system", "content": [{"type": "text", "text": "x"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "x"},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
                {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x", **MARK}]}
            ],
        },
    ],
    "tools": [
        {
            "name": "f",
            "strict": True,
            "input_schema": {
                "type": "object",
                "properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]}},
                "required": ["a"],
                "additionalProperties": False,
                "$defs": {"x": {"type": "array", "items": {"enum": ["a"]}}},
            },
        },
        {"type": "web_search_20250305", "name": "web_search"},
    ],
    "tool_choice": {"type": "tool", "name": "f"},
    "thinking": {"type": "adaptive", "display": "summarized"},
    "output_config": {
        "effort": "low",
        "format": {"type": "json_schema", "schema": {"type": "object", "additionalProperties": False}},
    },
    "stop_sequences": ["x"],
    "metadata": {"user_id": "x"},
}


def test_the_unbroken_body_is_read() -> None:
    assert API.read(received(BODY)).task.user == "x"


@pytest.mark.parametrize("model", ["agent", "agent-claude-opus-5-5", "agent-claude-sonnet-4"])
def test_nonsense_is_read_or_refused_but_never_an_error(model: str) -> None:
    for body in broken({**BODY, "model": model}):
        try:
            API.read(received(body))
        except Refused as refused:
            assert refused.reply.status == 400


def test_a_body_over_32_megabytes() -> None:
    large = Received("anthropic-messages", "POST", "", {}, {}, {}, b" " * (32 * 1024 * 1024 + 1), {})
    with pytest.raises(Refused) as caught:
        API.read(large)
    assert caught.value.reply.status == 413


def test_counting() -> None:
    counted = count_tokens(received({"model": "agent", "messages": [{"role": "user", "content": "hi"}]}))
    assert (counted.status, counted.body) == (200, b'{"input_tokens":10}')
    assert count_tokens(received({"model": "agent"})).status == 400
    assert count_tokens(received({"model": "nobody", "messages": [{"role": "user", "content": "hi"}]})).status == 404
    assert count_tokens(received(None)).status == 400
