"""Each oddity of Mistral's answers on the same short stream, chunk by chunk, and on a whole answer."""

import copy
from typing import Any

import pytest

from proxy.emulate.mistral_answer import QUIRKS
from proxy.emulate.mistral_quirks import CHUNKS, Chunk, error
from proxy.emulate.sse import WRITING

Json = Any
USAGE = {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}
THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}


def call(index: int, arguments: Json = '{"a":1}', **more: Json) -> Json:
    return {"id": f"AAAAAAAA{index}", "function": {"name": f"f{index}", "arguments": arguments}, "index": index, **more}


def without(value: Json, *names: str) -> Json:
    return {name: member for name, member in value.items() if name not in names}


def chunk(delta: Json, finish: str | None = None, **more: Json) -> Json:
    return {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def ended(*calls: Json, finish: str = "tool_calls", usage: Json = USAGE) -> Json:
    return chunk({"content": "", "tool_calls": list(calls)}, finish, usage=usage)


START = chunk({"role": "assistant", "content": ""})
ALL: list[Json] = [START, chunk({"content": [THINKING]}), chunk({"content": "hi"}), ended(call(0), call(1))]
WHOLE: Json = {
    "id": "x", "usage": USAGE,
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "hi", "tool_calls": [call(0), call(1)]}}],
}  # fmt: skip


def piece(text: str) -> Json:
    return chunk(
        {"content": "", "tool_calls": [{"id": "null", "function": {"name": "", "arguments": text}, "index": 0}]}
    )


def opened(index: int) -> Json:
    begun = {"id": f"chatcmpl-tool-{index:032x}", "function": {"name": f"f{index}", "arguments": ""}, "index": index}
    return chunk({"content": "", "tool_calls": [begun]})


def last(*calls: Json, **more: Json) -> list[Json]:
    return [*ALL[:3], ended(*calls, **more)]


CAMEL = [
    {**body, "choices": [{"index": 0, "delta": body["choices"][0]["delta"], "finishReason": None}]} for body in ALL[:3]
]

TABLE: list[tuple[str, list[Json]]] = [
    ("null-ids", last(*({**without(call(i), "index"), "id": "null"} for i in (0, 1)))),
    ("no-ids", last(without(call(0), "id"), without(call(1), "id"))),
    ("no-index", last(without(call(0), "index"), without(call(1), "index"))),
    ("index-zero", last(call(0), {**call(1), "index": 0})),
    ("object-arguments", last(call(0, {"a": 1}), call(1, {"a": 1}))),
    ("incremental", [
        *ALL[:3], opened(0), piece('{"a":1}'), opened(1), piece('{"a":1}'),
        chunk({"content": ""}, "tool_calls", usage=USAGE),
    ]),
    ("content-parts", [*ALL[:2], chunk({"content": [
        {"type": "text", "text": "hi"}, {"type": "reference", "reference_ids": [1]}]}), ALL[3]]),
    ("null-content", [
        chunk({"role": "assistant", "content": None}), *ALL[1:3],
        chunk({"content": None, "tool_calls": [call(0), call(1)]}, "tool_calls", usage=USAGE),
    ]),
    ("camel-case", [*CAMEL, {"id": "x", "usage": USAGE, "choices": [
        {"index": 0, "delta": {"content": "", "toolCalls": [call(0), call(1)]}, "finishReason": "tool_calls"}]}]),
    ("signed-thinking", [START, chunk({"content": [{**THINKING, "signature": "c2lnbmVk", "closed": True}]}), *ALL[2:]]),
    ("many-messages", ALL),
    ("finish-stop-with-calls", last(call(0), call(1), finish="stop")),
    ("finish-model-length", last(call(0), call(1), finish="model_length")),
    ("finish-error", last(call(0), call(1), finish="error")),
    ("misspelt-usage", last(call(0), call(1), usage={
        **USAGE, "prompt_token_details": {"cached_tokens": 0}, "prompt_audio_seconds": {}})),
    ("error-late", [*ALL[:2], error()]),
    ("no-done", ALL),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_chunks(quirk: str, expected: list[Json]) -> None:
    chunks = [Chunk("content", copy.deepcopy(body)) for body in ALL]
    assert [one.body for one in CHUNKS[quirk](chunks)] == expected


@pytest.mark.parametrize(
    ("quirk", "message"),
    [
        ("null-ids", {"tool_calls": [{**without(call(i), "index"), "id": "null"} for i in (0, 1)]}),
        ("object-arguments", {"tool_calls": [call(0, {"a": 1}), call(1, {"a": 1})]}),
        ("incremental", {}),
        ("content-parts", {"content": [{"type": "text", "text": "hi"}, {"type": "reference", "reference_ids": [1]}]}),
    ],
)
def test_whole_answers(quirk: str, message: Json) -> None:
    (found,) = CHUNKS[quirk]([Chunk("end", copy.deepcopy(WHOLE))])
    assert found.body["choices"][0]["message"] == {**WHOLE["choices"][0]["message"], **message}


def test_many_messages_in_a_choice() -> None:
    (found,) = CHUNKS["many-messages"]([Chunk("end", copy.deepcopy(WHOLE))])
    message = WHOLE["choices"][0]["message"]
    assert found.body["choices"] == [{"index": 0, "finish_reason": "tool_calls", "messages": [
        {"role": "assistant", "content": "h"}, {**message, "content": "i"}]}]  # fmt: skip


def test_every_oddity_has_a_test() -> None:
    assert set(CHUNKS) == {quirk for quirk, _ in TABLE}
    assert {*CHUNKS, *WRITING} == QUIRKS
