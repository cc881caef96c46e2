"""Each oddity of Ollama's answers on the same short stream, line by line."""

import copy
from typing import Any

import pytest

from proxy.emulate.ollama_answer import QUIRKS
from proxy.emulate.ollama_quirks import LINES, WRITING, Line

Json = Any


def call(index: int) -> Json:
    return {"id": f"call_{index}", "function": {"index": index, "name": f"f{index}", "arguments": {"a": index}}}


def line(message: Json, **more: Json) -> Json:
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": False, **more}


def calling(*calls: Json, **more: Json) -> Json:
    return line({"tool_calls": list(calls)}, **more)


COUNTS = {"prompt_eval_count": 9, "eval_count": 3}
END = line({}, done=True, done_reason="stop", **COUNTS)
START = [line({"thinking": "hm"}), line({"thinking": "m"}), line({"content": "hi"})]
ALL: list[Json] = [*START, calling(call(0)), calling(call(1)), END]
ERROR = {"error": "an error was encountered while running the model: unexpected EOF"}


def each(**more: Json) -> list[Json]:
    return [{**body, **more} for body in ALL]


def without(*names: str) -> list[Json]:
    return [{name: value for name, value in body.items() if name not in names} for body in ALL]


def with_calls(*changed: Json) -> list[Json]:
    return [*START, *(calling(one) for one in changed), END]


TABLE: list[tuple[str, list[Json]]] = [
    ("no-ids", with_calls(*({"function": call(i)["function"]} for i in (0, 1)))),
    ("no-index", with_calls(*(
        {"id": f"call_{i}", "function": {"name": f"f{i}", "arguments": {"a": i}}} for i in (0, 1)))),
    ("index-zero", with_calls(call(0), {**call(1), "function": {**call(1)["function"], "index": 0}})),
    ("calls-together", [*START, calling(call(0), call(1)), END]),
    ("calls-with-done", [*START, calling(call(0), call(1), done=True, done_reason="stop", **COUNTS)]),
    ("text-after-calls", [*ALL[:5], line({"content": "Calling now."}), END]),
    ("think-tags", [
        line({"content": "<think>hm"}), line({"content": "m</think>\n\n"}), *ALL[2:],
    ]),
    ("calls-as-text", [
        *START,
        line({"content": '<tool_call>\n{"name":"f0","arguments":{"a":0}}\n</tool_call>'}),
        line({"content": '<tool_call>\n{"name":"f1","arguments":{"a":1}}\n</tool_call>'}),
        END,
    ]),
    ("no-done-reason", without("done_reason")),
    ("no-counts", without("prompt_eval_count", "eval_count")),
    ("remote", each(remote_model="gpt-oss:120b", remote_host="https://ollama.com:443")),
    ("unknown-fields", each(weather={"sky": "clear"})),
    ("no-done", ALL[:-1]),
    ("error-late", [ALL[0], ERROR]),
    ("error-late-status", [ALL[0], {**ERROR, "status": 500}]),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_lines(quirk: str, expected: list[Json]) -> None:
    lines = [Line("content", copy.deepcopy(body)) for body in ALL]
    assert [one.body for one in LINES[quirk](lines)] == expected


@pytest.mark.parametrize(
    ("quirk", "message"),
    [
        ("calls-with-done", {"content": "hi", "thinking": "hm", "tool_calls": [call(0), call(1)]}),
        ("text-after-calls", {"content": "hi", "thinking": "hm", "tool_calls": [call(0), call(1)]}),
        ("think-tags", {"content": "<think>hm</think>\n\nhi", "tool_calls": [call(0), call(1)]}),
        (
            "no-ids",
            {"content": "hi", "thinking": "hm", "tool_calls": [{"function": call(i)["function"]} for i in (0, 1)]},
        ),
    ],
)
def test_whole_answers(quirk: str, message: Json) -> None:
    body = calling(call(0), call(1), done=True)
    body["message"] |= {"content": "hi", "thinking": "hm"}
    (found,) = LINES[quirk]([Line("end", body)])
    assert found.body["message"] == {"role": "assistant", **message}


@pytest.mark.parametrize(
    ("quirk", "data", "expected"),
    [
        ("crlf", b'{"done":false}\n', b'{"done":false}\r\n'),
        ("blank-lines", b'{"done":false}\n', b'\n{"done":false}\n\n'),
        ("no-last-newline", b'{"done":false}\n', b'{"done":false}\n'),
        ("no-last-newline", b'{"done":true}\n', b'{"done":true}'),
    ],
)
def test_writing(quirk: str, data: bytes, expected: bytes) -> None:
    assert WRITING[quirk](data, 0) == expected


def test_every_oddity_has_a_test() -> None:
    assert set(LINES) == {quirk for quirk, _ in TABLE}
    assert {*LINES, *WRITING} == QUIRKS
