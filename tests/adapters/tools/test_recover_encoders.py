"""From an upstream's bytes to a client's: calls in the text reach Chat and Messages clients as calls, at any split."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from adapters import registry
from adapters.events import Folder
from adapters.format import Call, Reading, Upstream
from adapters.restore import Restorer
from adapters.tools import ids
from adapters.tools.recover import recoverer
from tests.adapters.tools.recovering import reading

TEXT = (
    'Ok 日本.\n<tool_call>\n{"name": "get_time", "arguments": {"tz": "É"}}\n</tool_call>\n'
    '<invoke name="ping"></invoke>'
)
HOW = reading("auto", "think", stream=True)


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "u", "model": "m", "choices": [choice]}, ensure_ascii=False).encode() + b"\n\n"


def stream(size: int) -> bytes:
    pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]
    return b"".join([*(chunk({"content": piece}) for piece in pieces), chunk({}, "stop"), b"data: [DONE]\n\n"])


WHOLE = json.dumps({"id": "u", "model": "m", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"},
]}).encode()  # fmt: skip


def restorer(how: Reading) -> Restorer:
    return Restorer(how, ids.CHAT, lambda n: "i" * n, recoverer(how, [].append))


def asked(name: str, streamed: bool) -> Any:
    """The dialect, and what its answer needs of the request."""
    dialect = registry.dialect(name)
    assert dialect is not None
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": streamed}
    return dialect, dialect.decode({**body, "max_tokens": 9}, Call(new_id=lambda n: "r" * n)).reply


def streamed(name: str, data: bytes, cut: int) -> bytes:
    """The client's stream for an upstream's that comes in two reads."""
    api = registry.api("openai-chat")
    assert api is not None
    dialect, reply = asked(name, True)
    decoder, back, encoder = api.decoder(HOW), restorer(HOW), dialect.encoder(reply)
    out: bytes = b""
    for read in (data[:cut], data[cut:]):
        out += encoder.feed(back.feed(decoder.feed(read)))
    return out + bytes(encoder.feed(back.feed(decoder.close()))) + bytes(encoder.close())


def events(out: bytes) -> list[Any]:
    return [json.loads(line[6:]) for line in out.splitlines() if line.startswith(b"data: {")]


def chat_message(out: bytes) -> tuple[str, list[tuple[str, str, str]], str]:
    text, calls, finish = "", [], ""
    for event in events(out):
        for choice in event["choices"]:
            text += choice["delta"].get("content") or ""
            for call in choice["delta"].get("tool_calls", []):
                if "id" in call:
                    assert call["index"] == len(calls)
                    calls.append([call["id"], call["function"]["name"], ""])
                calls[call["index"]][2] += call["function"]["arguments"]
            finish = choice["finish_reason"] or finish
    return text, [(a, b, c) for a, b, c in calls], finish


def messages_message(out: bytes) -> tuple[list[tuple[str, ...]], str]:
    blocks: list[list[str]] = []
    stop = ""
    for event in events(out):
        match event:
            case {"type": "content_block_start", "index": index, "content_block": block}:
                assert index == len(blocks)
                blocks.append([block["type"], block.get("name", ""), ""])
            case {"type": "content_block_delta", "index": index, "delta": delta}:
                blocks[index][2] += delta.get("text", delta.get("partial_json", ""))
            case {"type": "message_delta", "delta": {"stop_reason": str(stop)}}:
                pass
    return [tuple(block) for block in blocks], stop


ID = "call_" + "i" * 24


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_chat_client_gets_calls_from_a_stream(size: int) -> None:
    data = stream(size)
    expected = ("Ok 日本.", [(ID, "get_time", '{"tz": "É"}'), (ID, "ping", "{}")], "tool_calls")
    for cut in range(0, len(data), 1 if size > 4 else 101):
        assert chat_message(streamed("chat", data, cut)) == expected


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_messages_client_gets_calls_from_a_stream(size: int) -> None:
    data = stream(size)
    expected = [("text", "", "Ok 日本."), ("tool_use", "get_time", '{"tz": "É"}'), ("tool_use", "ping", "{}")]
    for cut in range(0, len(data), 1 if size > 4 else 101):
        blocks, stop = messages_message(streamed("messages", data, cut))
        assert ([block if block[2] or block[0] == "text" else (*block[:2], "{}") for block in blocks], stop) == (
            expected, "tool_use"
        )  # fmt: skip


def answered(name: str) -> Any:
    api = registry.api("openai-chat")
    assert api is not None
    dialect, reply = asked(name, False)
    folder = Folder()
    folder.feed(restorer(HOW).feed(api.whole(WHOLE, HOW, {})))
    return json.loads(dialect.answer(folder.answer(), reply))


def test_a_chat_client_gets_calls_from_a_whole_answer() -> None:
    (choice,) = answered("chat")["choices"]
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in choice["message"]["tool_calls"]]
    assert (choice["message"]["content"], calls, choice["finish_reason"]) == (
        "Ok 日本.", [("get_time", '{"tz": "É"}'), ("ping", "{}")], "tool_calls"
    )  # fmt: skip


def test_a_messages_client_gets_calls_from_a_whole_answer() -> None:
    message = answered("messages")
    said = [(b["type"], b.get("text") or (b["name"], b["input"])) for b in message["content"]]
    assert (said, message["stop_reason"]) == (
        [("text", "Ok 日本."), ("tool_use", ("get_time", {"tz": "É"})), ("tool_use", ("ping", {}))], "tool_use"
    )  # fmt: skip


# --- several choices ---------------------------------------------------------------------------------------------

TWO = (
    ["Just text", ", no more."],
    ["<think>hm", 'm</think><tool_call>{"name": "ping", "argu', 'ments": {}}</tool_call>'],
)


def both(kind: str, pieces: list[list[str]], finish: str | None) -> dict[str, Any]:
    choices = [
        {"index": index, kind: {"content": "".join(texts)}, "finish_reason": finish}
        for index, texts in enumerate(pieces)
    ]
    return {"id": "u", "model": "m", "choices": choices}


def test_every_choice_of_a_stream_is_read() -> None:
    turns = [[TWO[0][:1], []], [TWO[0][1:], TWO[1][:1]], [[], TWO[1][1:2]], [[], TWO[1][2:]]]
    chunks = [*(both("delta", turn, None) for turn in turns), both("delta", [[], []], "stop")]
    data = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks) + b"data: [DONE]\n\n"
    api = registry.api("openai-chat")
    assert api is not None
    dialect, reply = asked("chat", True)
    how = replace(HOW, choices=2)
    for size in (1, 50, len(data)):
        decoder, back, encoder = api.decoder(how), restorer(how), dialect.encoder(reply)
        out = b"".join(encoder.feed(back.feed(decoder.feed(data[at : at + size]))) for at in range(0, len(data), size))
        out += encoder.feed(back.feed(decoder.close())) + encoder.close()
        said = ["", ""]
        thought = ["", ""]
        called = []
        finishes = {}
        for choice in (choice for event in events(out) for choice in event["choices"]):
            at, delta = choice["index"], choice["delta"]
            said[at] += delta.get("content") or ""
            thought[at] += delta.get("reasoning_content") or ""
            called += [(at, call["function"]["name"]) for call in delta.get("tool_calls", []) if "id" in call]
            finishes[at] = choice["finish_reason"] or finishes.get(at)
        assert (said, thought, called) == (["Just text, no more.", ""], ["", "hmm"], [(1, "ping")])
        assert finishes == {0: "stop", 1: "tool_calls"}


def test_every_choice_of_a_whole_answer_is_read() -> None:
    api = registry.api("openai-chat")
    assert api is not None
    dialect, reply = asked("chat", False)
    folder = Folder()
    how = replace(HOW, choices=2)
    folder.feed(restorer(how).feed(api.whole(json.dumps(both("message", [*TWO], "stop")).encode(), how, {})))
    first, second = json.loads(dialect.answer(folder.answer(), reply))["choices"]
    assert (first["message"]["content"], first["finish_reason"]) == ("Just text, no more.", "stop")
    assert (second["message"]["reasoning_content"], second["message"]["content"]) == ("hmm", None)
    assert [call["function"]["name"] for call in second["message"]["tool_calls"]] == ["ping"]
    assert second["finish_reason"] == "tool_calls"


def test_a_request_says_how_many_choices_are_awaited() -> None:
    api, dialect = registry.api("openai-chat"), registry.dialect("chat")
    assert api is not None and dialect is not None
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "n": 3}
    assert api.encode(dialect.decode(body, Call()).request, Upstream("m")).reading.choices == 3
