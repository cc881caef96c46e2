"""Each oddity on the same short stream, chunk by chunk."""

import copy
from typing import Any

import pytest

from proxy.emulate import openai_chat_text
from proxy.emulate.openai_chat_answer import QUIRKS
from proxy.emulate.openai_chat_quirks import CHUNKS, Chunk, as_error, quirks_of_whole
from proxy.emulate.sse import WRITING

Json = Any
USAGE = {"total_tokens": 3}


def opened(index: int, **more: Json) -> Json:
    return {
        "index": index, "id": f"c{index}", "type": "function",
        "function": {"name": f"name{index}", "arguments": ""}, **more,
    }  # fmt: skip


def piece(index: int, text: Json, **more: Json) -> Json:
    return {"index": index, "function": {"arguments": text}, **more}


def without(value: Json, *names: str) -> Json:
    return {name: member for name, member in value.items() if name not in names}


def calls(*entries: Json) -> Json:
    return {"tool_calls": list(entries)}


def function(value: Json, **more: Json) -> Json:
    return {**value, "function": {**value["function"], **more}}


ROLE = {"role": "assistant", "content": None, "refusal": None}
TWO_CALLS: list[Json] = [
    ROLE,
    calls(opened(0)), calls(piece(0, '{"a"')), calls(piece(0, ":1}")),
    calls(opened(1)), calls(piece(1, "{"), ), calls(piece(1, "}")),
    {},
]  # fmt: skip
TEXT: list[Json] = [
    {"role": "assistant", "content": "", "refusal": None},
    {"reasoning_content": "hm"}, {"reasoning_content": "m"}, {"content": "hel"}, {"content": "lo"}, {},
]  # fmt: skip


def stream(deltas: list[Json], finish: str) -> list[Chunk]:
    chunks = []
    for index, delta in enumerate(deltas):
        last = index == len(deltas) - 1
        choice = {"index": 0, "delta": copy.deepcopy(delta), "finish_reason": finish if last else None}
        kind: Any = "end" if last else "content" if index else "start"
        chunks.append(Chunk(kind, {"id": "x", "choices": [choice], "usage": None}))
    return [*chunks, Chunk("end", {"id": "x", "choices": [], "usage": USAGE})]


def played(quirk: str, deltas: list[Json], finish: str = "tool_calls") -> list[Json]:
    return [chunk.body for chunk in CHUNKS[quirk](stream(deltas, finish))]


def deltas_of(bodies: list[Json]) -> list[Json]:
    return [choice["delta"] for body in bodies for choice in body["choices"]]


ON_CALLS: list[tuple[str, list[Json]]] = [
    ("no-role", [without(ROLE, "role"), *TWO_CALLS[1:]]),
    ("repeated-role", [{**delta, "role": "assistant"} for delta in TWO_CALLS]),
    (
        "no-index",
        [ROLE, *(calls(without(d["tool_calls"][0], "index")) for d in TWO_CALLS[1:-1]), {}],
    ),
    (
        "index-from-1",
        [ROLE, *(calls({**d["tool_calls"][0], "index": d["tool_calls"][0]["index"] + 1}) for d in TWO_CALLS[1:-1]), {}],
    ),
    ("index-zero", [ROLE, *(calls({**d["tool_calls"][0], "index": 0}) for d in TWO_CALLS[1:-1]), {}]),
    (
        "index-gaps",
        [
            ROLE,
            calls({**opened(0), "index": 2}), calls(piece(2, '{"a"')), calls(piece(2, ":1}")),
            calls({**opened(1), "index": 5}), calls(piece(5, "{")), calls(piece(5, "}")),
            {},
        ],
    ),
    (
        "null-id-later",
        [
            ROLE,
            calls(opened(0)), calls(piece(0, '{"a"', id=None)), calls(piece(0, ":1}", id=None)),
            calls(opened(1)), calls(piece(1, "{", id=None)), calls(piece(1, "}", id=None)),
            {},
        ],
    ),
    (
        "empty-id-later",
        [
            ROLE,
            calls(opened(0)), calls(piece(0, '{"a"', id="")), calls(piece(0, ":1}", id="")),
            calls(opened(1)), calls(piece(1, "{", id="")), calls(piece(1, "}", id="")),
            {},
        ],
    ),
    (
        "repeated-id",
        [
            ROLE,
            calls(opened(0)),
            calls(piece(0, '{"a"', id="c0", type="function")), calls(piece(0, ":1}", id="c0", type="function")),
            calls(opened(1)),
            calls(piece(1, "{", id="c1", type="function")), calls(piece(1, "}", id="c1", type="function")),
            {},
        ],
    ),
    ("no-id", [ROLE, *(calls(without(d["tool_calls"][0], "id")) for d in TWO_CALLS[1:-1]), {}]),
    ("no-type", [ROLE, *(calls(without(d["tool_calls"][0], "type")) for d in TWO_CALLS[1:-1]), {}]),
    (
        "empty-name-later",
        [
            ROLE,
            calls(opened(0)), calls(function(piece(0, '{"a"'), name="")), calls(function(piece(0, ":1}"), name="")),
            calls(opened(1)), calls(function(piece(1, "{"), name="")), calls(function(piece(1, "}"), name="")),
            {},
        ],
    ),
    (
        "null-name-later",
        [
            ROLE,
            calls(opened(0)), calls(function(piece(0, '{"a"'), name=None)), calls(function(piece(0, ":1}"), name=None)),
            calls(opened(1)), calls(function(piece(1, "{"), name=None)), calls(function(piece(1, "}"), name=None)),
            {},
        ],
    ),
    (
        "repeated-name",
        [
            ROLE,
            calls(opened(0)),
            calls(function(piece(0, '{"a"'), name="name0")), calls(function(piece(0, ":1}"), name="name0")),
            calls(opened(1)),
            calls(function(piece(1, "{"), name="name1")), calls(function(piece(1, "}"), name="name1")),
            {},
        ],
    ),
    (
        "repeated-head",
        [
            ROLE,
            calls(opened(0)), calls(function(opened(0), arguments='{"a"')), calls(function(opened(0), arguments=":1}")),
            calls(opened(1)), calls(function(opened(1), arguments="{")), calls(function(opened(1), arguments="}")),
            {},
        ],
    ),
    (
        "name-late",
        [
            ROLE,
            calls({**opened(0), "function": {"arguments": ""}}),
            calls(piece(0, '{"a"')), calls(function(piece(0, ":1}"), name="name0")),
            calls({**opened(1), "function": {"arguments": ""}}),
            calls(piece(1, "{")), calls(function(piece(1, "}"), name="name1")),
            {},
        ],
    ),
    (
        "name-in-pieces",
        [
            ROLE,
            calls(function(opened(0), name="na")), calls(function(piece(0, ""), name="me0")),
            calls(piece(0, '{"a"')), calls(piece(0, ":1}")),
            calls(function(opened(1), name="na")), calls(function(piece(1, ""), name="me1")),
            calls(piece(1, "{")), calls(piece(1, "}")),
            {},
        ],
    ),
    (
        "functions-prefix",
        [
            ROLE,
            calls(function(opened(0), name="functions.name0")), calls(piece(0, '{"a"')), calls(piece(0, ":1}")),
            calls(function(opened(1), name="functions.name1")), calls(piece(1, "{")), calls(piece(1, "}")),
            {},
        ],
    ),
    (
        "object-arguments",
        [ROLE, calls(function(opened(0), arguments={"a": 1})), calls(function(opened(1), arguments={})), {}],
    ),
    (
        "null-arguments-first",
        [
            ROLE,
            calls(function(opened(0), arguments=None)), calls(piece(0, '{"a"')), calls(piece(0, ":1}")),
            calls(function(opened(1), arguments=None)), calls(piece(1, "{")), calls(piece(1, "}")),
            {},
        ],
    ),
    (
        "cumulative-arguments",
        [
            ROLE,
            calls(opened(0)), calls(piece(0, '{"a"')), calls(piece(0, '{"a":1}')),
            calls(opened(1)), calls(piece(1, "{")), calls(piece(1, "{}")),
            {},
        ],
    ),
    (
        "trailing-delta",
        [*TWO_CALLS, calls({"index": 1, "id": "", "function": {"name": None, "arguments": ""}})],
    ),
    (
        "multi-tool-use",
        [
            ROLE,
            calls(function(
                opened(0), name="multi_tool_use.parallel",
                arguments='{"tool_uses": [{"recipient_name": "functions.name0", "parameters": {"a": 1}}, '
                '{"recipient_name": "functions.name1", "parameters": {}}]}',
            )),
            {},
        ],
    ),
    (
        "onechunk",
        [{
            "role": "assistant", "content": None,
            "tool_calls": [function(opened(0), arguments='{"a":1}'), function(opened(1), arguments="{}")],
        }],
    ),
    ("finish-with-content", TWO_CALLS[:-1]),
    ("finish-stop-with-calls", TWO_CALLS),
    ("no-done", TWO_CALLS),
]  # fmt: skip

ON_TEXT: list[tuple[str, list[Json]]] = [
    (
        "null-fields",
        [
            {"tool_calls": None, "function_call": None, "refusal": None, "content": None, **delta} for delta in TEXT
        ],
    ),
    ("empty-calls", [{**delta, "tool_calls": []} for delta in TEXT]),
    (
        "content-parts",
        [
            *TEXT[:3],
            {"content": [{"type": "text", "text": "hel"}]}, {"content": [{"type": "text", "text": "lo"}]},
            {},
        ],
    ),
    ("doubled-reasoning", [TEXT[0], TEXT[1], TEXT[1], TEXT[2], TEXT[2], *TEXT[3:]]),
    ("reasoning-field", [TEXT[0], {"reasoning": "hm"}, {"reasoning": "m"}, *TEXT[3:]]),
    (
        "both-reasoning-fields",
        [TEXT[0], *({"reasoning_content": text, "reasoning": text} for text in ("hm", "m")), *TEXT[3:]],
    ),
    ("think-tags", [TEXT[0], {"content": "<think>hm"}, {"content": "m</think>\n"}, *TEXT[3:]]),
    ("filters-first", [*TEXT[:2], None, *TEXT[2:]]),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), ON_CALLS)
def test_on_calls(quirk: str, expected: list[Json]) -> None:
    assert deltas_of(played(quirk, TWO_CALLS)) == expected


@pytest.mark.parametrize(("quirk", "expected"), ON_TEXT)
def test_on_text(quirk: str, expected: list[Json]) -> None:
    assert deltas_of(played(quirk, TEXT, "stop")) == expected


FINISH = {
    "onechunk": ["tool_calls"],
    "finish-with-content": [*[None] * 6, "tool_calls"],
    "finish-stop-with-calls": [*[None] * 7, "stop"],
    "finish-tool-use": [*[None] * 7, "tool_use"],
    "finish-empty": [*[None] * 7, ""],
    "finish-content-filter": [*[None] * 7, "content_filter"],
    "finish-error": [*[None] * 7, "error"],
}


@pytest.mark.parametrize("quirk", FINISH)
def test_finish(quirk: str) -> None:
    found = [choice["finish_reason"] for body in played(quirk, TWO_CALLS) for choice in body["choices"]]
    assert found == FINISH[quirk]


def test_usage_places() -> None:
    finish = played("usage-in-finish", TEXT)
    assert [body["usage"] for body in finish] == [*[None] * 5, USAGE]
    assert [body["usage"] for body in played("usage-in-every-chunk", TEXT)] == [USAGE] * 6
    assert [body["choices"][0].get("usage") for body in played("usage-in-choice", TEXT)] == [*[None] * 5, USAGE]
    assert [body.get("x_groq") for body in played("usage-x-groq", TEXT)][-2:] == [None, {"id": "req_1", "usage": USAGE}]


def test_a_message_where_a_delta_should_be() -> None:
    bodies = played("message-for-delta", TEXT)
    assert [choice["message"] for body in bodies for choice in body["choices"]] == TEXT
    assert {body["object"] for body in bodies} == {"chat.completion"}


def test_filters_come_in_a_chunk_without_choices() -> None:
    first = played("filters-first", TEXT)[0]
    assert (first["choices"], first["id"], first["object"]) == ([], "", "")


@pytest.mark.parametrize(
    ("quirk", "index", "expected"),
    [
        ("comments", 0, b": OPENROUTER PROCESSING\n\n: keep-alive\ndata: {}\n\n"),
        ("crlf", 0, b"data: {}\r\n\r\n"),
        ("cr", 0, b"data: {}\r\r"),
        ("bom", 0, b"\xef\xbb\xbfdata: {}\n\n"),
        ("bom", 1, b"data: {}\n\n"),
        ("no-space", 0, b"data:{}\n\n"),
        ("blank-lines", 0, b"\n\ndata: {}\n\n\n"),
    ],
)
def test_bytes(quirk: str, index: int, expected: bytes) -> None:
    assert WRITING[quirk](b"data: {}\n\n", index) == expected


def test_every_quirk_is_in_a_table() -> None:
    others = {"usage-in-finish", "usage-in-every-chunk", "usage-in-choice", "usage-x-groq", "message-for-delta"}
    assert set(CHUNKS) == {row[0] for row in [*ON_CALLS, *ON_TEXT]} | set(FINISH) | others
    alone = {"tool-use-failed", "json-body", "error-in-200", "continued-repeated"}
    assert {*CHUNKS, *WRITING, *openai_chat_text.QUIRKS, *alone} == QUIRKS


def test_quirks_of_whole_answers() -> None:
    def whole() -> Json:
        message = {
            "content": "hi", "reasoning_content": "hm",
            "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": '{"a":1}'}}],
        }  # fmt: skip
        return {"choices": [{"message": message, "finish_reason": "tool_calls"}]}

    def first(quirk: str) -> Json:
        return quirks_of_whole(whole(), quirk)["choices"][0]

    assert first("object-arguments")["message"]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert first("no-id")["message"]["tool_calls"] == [{"function": {"name": "f", "arguments": '{"a":1}'}}]
    assert first("functions-prefix")["message"]["tool_calls"][0]["function"]["name"] == "functions.f"
    assert first("finish-stop-with-calls")["finish_reason"] == "stop"
    assert first("content-parts")["message"]["content"] == [{"type": "text", "text": "hi"}]
    assert first("reasoning-field")["message"]["reasoning"] == "hm"
    assert first("think-tags")["message"]["content"] == "<think>hm</think>\nhi"
    assert first("crlf") == whole()["choices"][0]
    assert as_error()["error"]["code"] == 502
