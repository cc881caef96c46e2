"""Each oddity of Converse's answers on the same short stream, event by event, and on a whole answer."""

import copy
import json
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer

from proxy.emulate.api import Received
from proxy.emulate.bedrock_answer import QUIRKS, stream, whole
from proxy.emulate.bedrock_converse import API
from proxy.emulate.bedrock_quirks import EVENTS, LATE, STOPS, WHOLE, Event
from tests.emulate.turns import turn_of

Json = Any
Named = tuple[str, Json]


def delta(index: int, **members: Json) -> Named:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": members}


def start(index: int, **members: Json) -> Named:
    return "contentBlockStart", {"contentBlockIndex": index, "start": members}


def stop(index: int) -> Named:
    return "contentBlockStop", {"contentBlockIndex": index}


BEGIN: Named = ("messageStart", {"role": "assistant"})
REDACTED = {"redactedContent": "AAAA"}
REASONED = [delta(0, reasoningContent={"text": "hm"}), delta(0, reasoningContent={"signature": "S"}), stop(0)]
HIDDEN = [delta(1, reasoningContent=REDACTED), stop(1)]
SAID = [delta(2, text="hi"), stop(2)]
USE = {"toolUseId": "t", "name": "f"}
CALLED = [start(3, toolUse=USE), delta(3, toolUse={"input": '{"a"'}), delta(3, toolUse={"input": ":1}"}), stop(3)]
ENDED: Named = ("messageStop", {"stopReason": "tool_use"})
COUNTED: Named = ("metadata", {"usage": {"inputTokens": 1}})
ALL: list[Named] = [BEGIN, *REASONED, *HIDDEN, *SAID, *CALLED, ENDED, COUNTED]


def moved(events: list[Named]) -> list[Named]:
    """The same blocks two places later."""
    made = copy.deepcopy(events)
    for _, payload in made:
        payload["contentBlockIndex"] += 2
    return made


SERVER_USE = {"toolUseId": "tooluse_server", "name": "nova_grounding", "type": "server_tool_use"}
SERVER_RESULT = {"toolUseId": "tooluse_server", "type": "nova_grounding_result", "status": "success"}
CITATION = delta(2, citation={"title": "a", "sourceContent": [{"text": "x"}]})
WEATHER: Named = ("weather", {"sky": "clear"})

TABLE: list[tuple[str, list[Named]]] = [
    ("metadata-first", [*ALL[:-2], COUNTED, ENDED]),
    ("no-metadata", ALL[:-1]),
    ("no-message-stop", [*ALL[:-2], COUNTED]),
    ("no-message-start", ALL[1:]),
    ("no-input-deltas", [*ALL[:8], CALLED[0], CALLED[-1], ENDED, COUNTED]),
    ("broken-input", [*ALL[:10], delta(3, toolUse={"input": ':1}{"broken": '}), stop(3), ENDED, COUNTED]),
    ("redacted-in-start", [BEGIN, *REASONED, start(1, reasoningContent=REDACTED), stop(1), *ALL[6:]]),
    ("unsigned", [BEGIN, REASONED[0], *ALL[3:]]),
    ("unknown-events", [
        event for name, payload in ALL for event in ((name, {**payload, "mood": "fine"}), WEATHER)][:-1]),
    ("citations", [*ALL[:7], CITATION, *ALL[7:]]),
    ("server-tool", [
        BEGIN,
        start(0, toolUse=SERVER_USE), delta(0, toolUse={"input": '{"q":1}'}), stop(0),
        start(1, toolResult=SERVER_RESULT), delta(1, toolResult=[{"text": "found"}]), stop(1),
        *moved(ALL[1:-2]), ENDED, COUNTED,
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_events(quirk: str, expected: list[Named]) -> None:
    events = [Event("content", name, copy.deepcopy(payload)) for name, payload in ALL]
    assert [(event.name, event.payload) for event in EVENTS[quirk](events)] == expected


CALL = {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}
SIGNED = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}}
SERVER = [
    {"toolUse": {**SERVER_USE, "input": {"q": 1}}},
    {"toolResult": {"toolUseId": "tooluse_server", "content": [{"text": "found"}], "status": "success"}},
]


def body(*content: Json) -> Json:
    return {"output": {"message": {"role": "assistant", "content": list(content)}}, "usage": {}}


@pytest.mark.parametrize(
    ("quirk", "expected"),
    [
        ("no-output", {"usage": {}}),
        ("no-metadata", {"output": body(SIGNED, {"text": "x"}, CALL)["output"]}),
        ("server-tool", body(*SERVER, SIGNED, {"text": "x"}, CALL)),
        (
            "citations",
            body(SIGNED, {"citationsContent": {"content": [{"text": "x"}], "citations": [{"title": "a"}]}}, CALL),
        ),
        ("unsigned", body({"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "x"}, CALL)),
        ("unknown-events", {**body(SIGNED, {"text": "x"}, CALL), "mood": "fine"}),
    ],
)
def test_whole_answers(quirk: str, expected: Json) -> None:
    found = copy.deepcopy(body(SIGNED, {"text": "x"}, CALL))
    WHOLE[quirk](found)
    assert found == expected


def received(quirk: str, **more: Json) -> Received:
    messages = [{"role": "user", "content": [{"text": "hi"}]}]
    model = f"quirk-{quirk}"
    return Received("", "POST", "/x/converse-stream", {}, {"model": model}, {}, b"", {"messages": messages, **more})


def frames(asked: Received) -> list[tuple[Json, Json]]:
    buffer: Any = EventStreamBuffer()
    buffer.add_data(b"".join(frame.data for frame in stream(turn_of(API, asked)).frames))
    return [(one.headers, json.loads(one.payload or b"null")) for one in buffer]


@pytest.mark.parametrize("quirk", sorted(STOPS))
def test_stops(quirk: str) -> None:
    assert json.loads(whole(turn_of(API, received(quirk))).body)["stopReason"] == STOPS[quirk]
    assert [payload["stopReason"] for headers, payload in frames(received(quirk)) if "stopReason" in payload] == [
        STOPS[quirk]
    ]


@pytest.mark.parametrize("quirk", sorted(LATE))
def test_exceptions_after_content(quirk: str) -> None:
    name, payload = LATE[quirk]
    first, said, (headers, last) = frames(received(quirk))
    assert (first[0][":event-type"], said[1]["delta"]) == ("messageStart", {"text": "You said: hi"})
    if name:
        assert (headers[":message-type"], headers[":exception-type"], last) == ("exception", name, payload)
    else:
        assert (headers[":message-type"], headers[":error-code"], headers[":error-message"], last) == (
            "error", "InternalFailure", payload["message"], None,
        )  # fmt: skip


def test_padding_and_json_instead_of_frames() -> None:
    assert all(payload["p"] for _, payload in frames(received("metadata-first")))
    (frame,) = stream(turn_of(API, received("json-body"))).frames
    assert json.loads(frame.data)["stopReason"] == "end_turn"


def test_nothing_to_say_after_results() -> None:
    use, result = CALL, {"toolResult": {"toolUseId": "t", "content": [{"text": "x"}]}}
    messages = [{"role": "user", "content": [{"text": "hi"}]}, {"role": "assistant", "content": [use]},
                {"role": "user", "content": [result]}]  # fmt: skip
    config = {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]}
    found = json.loads(
        whole(turn_of(API, received("empty-after-results", messages=messages, toolConfig=config))).body
    )  # fmt: skip
    assert (found["output"]["message"]["content"], found["stopReason"]) == ([], "end_turn")


def test_every_oddity_has_a_test() -> None:
    assert set(EVENTS) == {quirk for quirk, _ in TABLE}
    assert {*EVENTS, *WHOLE, *STOPS, *LATE, "empty-after-results", "json-body"} == QUIRKS
