"""Each oddity on the same short stream, event by event."""

import copy
import json
from typing import Any

import pytest

from proxy.emulate.api import Received
from proxy.emulate.openai_responses import API
from proxy.emulate.openai_responses_answer import QUIRKS, stream, whole
from proxy.emulate.openai_responses_quirks import EVENTS, NAMELESS, Event, whole_quirk
from proxy.emulate.sse import WRITING
from tests.emulate.turns import turn_of

Json = Any


def place(item: str, index: int) -> Json:
    return {"item_id": item, "output_index": index}


def message(**more: Json) -> Json:
    part = {"type": "output_text", "text": "hello", "logprobs": []}
    return {"id": "msg_1", "type": "message", "content": [part], "status": "completed", **more}


def call(index: int, text: str, status: str = "completed") -> Json:
    return {"id": f"fc_{index}", "type": "function_call", "name": "f", "arguments": text, "status": status}


def added(index: int, item: Json) -> Json:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: Json) -> Json:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def arguments(index: int, text: str) -> Json:
    return {"type": "response.function_call_arguments.delta", **place(f"fc_{index}", index), "delta": text}


def arguments_done(index: int) -> Json:
    return {"type": "response.function_call_arguments.done", **place(f"fc_{index}", index), "arguments": "{}"}


def response(status: str, output: Json) -> Json:
    return {"id": "resp_1", "status": status, "output": output, "text": {}}


CREATED = {"type": "response.created", "response": response("in_progress", [])}
PROGRESS = {"type": "response.in_progress", "response": response("in_progress", [])}
ITEMS = [message(), call(1, "{}"), call(2, "{}")]
COMPLETED = {"type": "response.completed", "response": response("completed", ITEMS)}
PART = {"type": "response.content_part.added", **place("msg_1", 0), "part": {"type": "output_text", "text": ""}}
DELTA = {"type": "response.output_text.delta", **place("msg_1", 0), "delta": "hello", "logprobs": []}
TEXT = [
    added(0, message(content=[], status="in_progress")),
    PART,
    DELTA,
    {"type": "response.output_text.done", **place("msg_1", 0), "text": "hello", "logprobs": []},
    {"type": "response.content_part.done", **place("msg_1", 0), "part": message()["content"][0]},
    done(0, message()),
]
ONE = [added(1, call(1, "", "in_progress")), arguments(1, "{"), arguments(1, "}"), arguments_done(1), done(1, ITEMS[1])]
TWO = [added(2, call(2, "", "in_progress")), arguments(2, "{}"), arguments_done(2), done(2, ITEMS[2])]
ALL: list[Json] = [CREATED, PROGRESS, *TEXT, *ONE, *TWO, COMPLETED]


def kept(*endings: str) -> list[Json]:
    return [data for data in ALL if not data["type"].endswith(endings)]


def between(data: Json) -> list[Json]:
    return [CREATED, *(one for event in ALL[1:] for one in (data, event))]


def ended(output: Json) -> list[Json]:
    return [*ALL[:-1], {**COMPLETED, "response": {**COMPLETED["response"], "output": output}}]


def without_logprobs(data: Json) -> Json:
    return {name: value for name, value in data.items() if name != "logprobs"}


FAILED = {
    **response("failed", []),
    "error": {"code": "server_error", "message": "The server had an error while processing your request."},
}
QUOTA = "You exceeded your current quota, please check your plan and billing details."
AZURE = [{**message()["content"][0], "type": "text"}]

TABLE: list[tuple[str, list[Json]]] = [
    ("only-done", [CREATED, PROGRESS, TEXT[-1], ONE[-1], TWO[-1], COMPLETED]),
    ("no-argument-deltas", kept("arguments.delta")),
    ("no-arguments-done", kept("arguments.done")),
    ("no-text-deltas", kept("output_text.delta")),
    ("no-terminal", ALL[:-1]),
    ("terminal-output-null", ended(None)),
    ("terminal-output-empty", ended([])),
    ("queued", [CREATED, {"type": "response.queued", "response": response("queued", [])}, *ALL[1:]]),
    ("keepalive", between({"type": "keepalive"})),
    ("unknown-events", between({"type": "response.weather.changed", "sky": "clear"})),
    ("interleaved", [
        *ALL[:8], ONE[0], TWO[0], ONE[1], TWO[1], ONE[2], ONE[3], ONE[4], TWO[2], TWO[3], COMPLETED,
    ]),
    ("failed-only", [CREATED, PROGRESS, {"type": "response.failed", "response": FAILED}]),
    ("flat-error", [CREATED, PROGRESS, {
        "type": "error", "code": "server_error", "message": "The server had an error.", "param": None,
    }]),
    ("quota-in-stream", [CREATED, PROGRESS, {"type": "error", "error": {
        "type": "insufficient_quota", "code": "insufficient_quota", "message": QUOTA, "param": None,
    }}]),
    ("text-null", [
        {**data, "response": {**data["response"], "text": None}} if "response" in data else data for data in ALL
    ]),
    ("text-delta", [
        CREATED, PROGRESS, TEXT[0],
        {**PART, "part": {"type": "text", "text": ""}},
        {**DELTA, "type": "response.text.delta"},
        {**TEXT[3], "type": "response.text.done"},
        {**TEXT[4], "part": AZURE[0]},
        done(0, message(content=AZURE)),
        *ONE, *TWO,
        {**COMPLETED, "response": response("completed", [message(content=AZURE), *ITEMS[1:]])},
    ]),
    ("no-logprobs", [without_logprobs(data) for data in ALL]),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_events(quirk: str, expected: list[Json]) -> None:
    events = [Event("content", copy.deepcopy(data)) for data in ALL]
    assert [event.data for event in EVENTS[quirk](events)] == expected


def test_rotating_ids() -> None:
    events = EVENTS["rotating-item-ids"]([Event("content", copy.deepcopy(data)) for data in ALL])
    found = [event.data.get("item_id") or event.data["item"]["id"] for event in events[2:-1]]
    found += [item["id"] for item in events[-1].data["response"]["output"]]
    assert len(set(found)) == len(found)
    assert found[:2] == ["msg_10002", "msg_10003"]
    assert [event.data.get("output_index") for event in events] == [data.get("output_index") for data in ALL]


def test_object_deltas() -> None:
    thought = {"type": "response.reasoning_text.delta", "item_id": "rs_1", "delta": "hm"}
    (found,) = EVENTS["object-deltas"]([Event("content", thought)])
    assert found.data == {"type": "response.reasoning.delta", "item_id": "rs_1", "delta": {"text": "hm"}}


def test_the_oddities_leave_the_stream_as_it_was() -> None:
    events = [Event("content", copy.deepcopy(data)) for data in ALL]
    for quirk in EVENTS.values():
        quirk(events)
        assert [event.data for event in events] == ALL


def test_every_oddity_has_a_test() -> None:
    played = {quirk for quirk, _ in TABLE} | {"rotating-item-ids", "object-deltas"}
    assert set(EVENTS) == played
    assert {*EVENTS, *WRITING, *NAMELESS, "null-optionals", "content-filter", "encrypted-differs"} == QUIRKS


def test_whole_answers() -> None:
    assert whole_quirk(response("completed", []), "failed-only") == FAILED
    assert whole_quirk(response("completed", []), "text-null")["text"] is None
    assert whole_quirk(response("completed", []), "queued") == response("completed", [])


def read(quirk: str, **body: Json) -> list[Json]:
    received = Received("", "POST", "", {}, {}, {}, b"", {"model": f"quirk-{quirk}", "input": "hi", **body})
    frames = stream(turn_of(API, received)).frames
    assert frames[-1].kind == "end"
    text = b"".join(frame.data for frame in frames).decode()
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]


def test_content_filter() -> None:
    last = read("content-filter")[-1]
    assert (last["type"], last["response"]["incomplete_details"]) == (
        "response.incomplete", {"reason": "content_filter"},
    )  # fmt: skip


def test_encrypted_content_differs() -> None:
    events = read("encrypted-differs", reasoning={"effort": "low"}, include=["reasoning.encrypted_content"])
    items = [event["item"] for event in events if event.get("item", {}).get("type") == "reasoning"]
    final = events[-1]["response"]["output"][0]
    contents = [item["encrypted_content"] for item in (*items, final)]
    assert contents[0] == "gAAAAAearly"
    assert len(set(contents)) == 3


def test_writing() -> None:
    received = Received("", "POST", "", {}, {}, {}, b"", {"model": "quirk-done", "input": "hi"})
    turn = turn_of(API, received)
    assert stream(turn).frames[-1].data == b"data: [DONE]\n\n"
    received = Received("", "POST", "", {}, {}, {}, b"", {"model": "quirk-no-event-lines", "input": "hi"})
    assert all(frame.data.startswith(b'data: {"type":') for frame in stream(turn_of(API, received)).frames)
    assert json.loads(whole(turn).body)["status"] == "completed"
