"""Each oddity on the same short stream, chunk by chunk; Vertex's own ways; the ends without content."""

import copy
import json
from typing import Any

import pytest

from proxy.emulate.api import Received
from proxy.emulate.google_gemini import API
from proxy.emulate.google_gemini_answer import QUIRKS, stream, whole
from proxy.emulate.google_gemini_quirks import CHUNKS, ERRORS, FINISHES, WRITING, Chunk
from tests.emulate.turns import turn_of

Json = Any


def chunk(*parts: Json, said: int, **ends: Json) -> Json:
    usage = {"promptTokenCount": 9, "candidatesTokenCount": said, "totalTokenCount": 9 + said}
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **ends}
    return {"candidates": [candidate], "usageMetadata": usage, "responseId": "r"}


def call(name: str, **args: Json) -> Json:
    return {"functionCall": {"id": "1" + name, "name": name, "args": args}}


SIGNED = {"text": "o", "thoughtSignature": "S"}
END = chunk({"text": ""}, said=6, finishReason="STOP")
ALL: list[Json] = [
    chunk({"text": "hell"}, said=1), chunk(SIGNED, said=2), chunk(call("f", a=1), said=4), chunk(call("g"), said=6),
     END,
]  # fmt: skip


def changed(number: int, **members: Json) -> list[Json]:
    """The stream with members of one candidate replaced."""
    made = copy.deepcopy(ALL)
    made[number]["candidates"][0] |= members
    return made


def with_parts(*rows: list[Json]) -> list[Json]:
    made = copy.deepcopy(ALL)
    for body, parts in zip(made, rows, strict=True):
        body["candidates"][0]["content"]["parts"] = parts
    return made


def with_usage(*usages: Json) -> list[Json]:
    made = [{name: value for name, value in body.items() if name != "usageMetadata"} for body in ALL]
    for body, usage in zip(made, usages, strict=True):
        if usage is not None:
            body["usageMetadata"] = usage
    return made


USAGES = [body["usageMetadata"] for body in ALL]
TEXT, EMPTY = {"text": "hell"}, {"text": ""}
F, G = call("f", a=1), call("g")
WEB = {
    "webSearchQueries": ["x"],
    "groundingChunks": [{"web": {"uri": "https://example.org/a", "title": "example.org"}}],
    "groundingSupports": [
        {"segment": {"startIndex": 0, "endIndex": 3, "text": "You"}, "groundingChunkIndices": [0]},
    ],
}  # fmt: skip
TOGETHER = with_parts([TEXT], [SIGNED], [F, G], [G], [EMPTY])

TABLE: list[tuple[str, list[Json]]] = [
    ("blocked-prompt", [{
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9}, "responseId": "r",
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
    }]),
    ("signed-empty-part", with_parts([TEXT], [{"text": "o"}], [F], [G], [{"text": "", "thoughtSignature": "S"}])),
    ("no-ids", with_parts(
        [TEXT], [SIGNED], [{"functionCall": {"name": "f", "args": {"a": 1}}}],
        [{"functionCall": {"name": "g", "args": {}}}], [EMPTY],
    )),
    ("no-arguments", with_parts([TEXT], [SIGNED], [F], [{"functionCall": {"id": "1g", "name": "g"}}], [EMPTY])),
    ("undeclared-name", with_parts(
        [TEXT], [SIGNED], [{"functionCall": {**F["functionCall"], "name": "default_api.f"}}],
        [{"functionCall": {**G["functionCall"], "name": "default_api.g"}}], [EMPTY],
    )),
    ("wrong-arguments", with_parts(
        [TEXT], [SIGNED], [{"functionCall": {**F["functionCall"], "args": {"unexpected": True}}}],
        [{"functionCall": {**G["functionCall"], "args": {"unexpected": True}}}], [EMPTY],
    )),
    ("calls-together", [*TOGETHER[:3], END]),
    ("finish-with-content", [*ALL[:3], chunk(G, said=6, finishReason="STOP")]),
    ("no-content-at-the-end", [*ALL[:4], {**END, "candidates": [{"index": 0, "finishReason": "STOP"}]}]),
    ("no-role-no-index", [
        {**body, "candidates": [{"content": {"parts": body["candidates"][0]["content"]["parts"]}, **finish}]}
        for body, finish in zip(ALL, [{}, {}, {}, {}, {"finishReason": "STOP"}], strict=True)
    ]),
    ("no-usage", with_usage(None, None, None, None, None)),
    ("empty-usage", with_usage({}, {}, {}, {}, {})),
    ("usage-at-the-end", with_usage(None, None, None, None, USAGES[4])),
    ("usage-thinned", with_usage(*USAGES[:4], {"candidatesTokenCount": 6})),
    ("grounding", changed(4, groundingMetadata=WEB)),
    ("unknown-fields", [
        {**body, "weather": {"sky": "clear"}, "candidates": [{
            **body["candidates"][0], "mood": "fine",
            "content": {"role": "model",
                        "parts": [*body["candidates"][0]["content"]["parts"], {"hologram": {"size": 3}}]},
        }]}
        for body in ALL
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("quirk", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_chunks(quirk: str, expected: list[Json]) -> None:
    chunks = [Chunk("content", copy.deepcopy(body)) for body in ALL]
    assert [one.body for one in CHUNKS[quirk](chunks)] == expected


def test_every_oddity_has_a_test() -> None:
    assert set(CHUNKS) == {quirk for quirk, _ in TABLE}
    assert {*CHUNKS, *FINISHES, *ERRORS, *WRITING, "continuation"} == QUIRKS


@pytest.mark.parametrize("quirk", sorted(CHUNKS))
def test_whole_answers_are_played_too(quirk: str) -> None:
    turn = turn_of(API, received(f"quirk-{quirk}", tools=TOOLS))
    assert isinstance(json.loads(whole(turn).body), dict)


TOOLS = [{"functionDeclarations": [{"name": "f"}]}]


def received(model: str, vertex: bool = False, **body: Json) -> Received:
    path = f"/v1/{'publishers/google/' if vertex else ''}models/{model}:streamGenerateContent"
    contents = [{"role": "user", "parts": [{"text": "hi there"}]}]
    return Received("", "POST", path, {"alt": "sse"}, {"model": model}, {}, b"", {"contents": contents, **body})


def read(asked: Received) -> list[Json]:
    raw = b"".join(frame.data for frame in stream(turn_of(API, asked)).frames)
    assert raw.endswith(b"\r\n\r\n")
    return [json.loads(frame.removeprefix(b"data: ")) for frame in raw.split(b"\r\n\r\n")[:-1]]


@pytest.mark.parametrize("quirk", sorted(FINISHES))
def test_ends_without_content(quirk: str) -> None:
    asked = received(f"quirk-{quirk}", tools=TOOLS)
    for bodies in ([json.loads(whole(turn_of(API, asked)).body)], read(asked)):
        (body,) = bodies
        (candidate,) = body["candidates"]
        assert candidate["finishReason"] == FINISHES[quirk][0]
        assert "content" not in candidate
        assert candidate.get("finishMessage", "") == FINISHES[quirk][1]


def test_a_continued_answer() -> None:
    first = json.loads(whole(turn_of(API, received("quirk-continuation"))).body)["candidates"][0]
    assert (first["finishReason"], first["content"]["parts"]) == ("CONTINUATION", [{"text": "You said:"}])
    asked = received("quirk-continuation", continuationToken=first["continuationToken"])
    last = json.loads(whole(turn_of(API, asked)).body)["candidates"][0]
    assert (last["finishReason"], last["content"]["parts"]) == ("STOP", [{"text": " hi there"}])


def test_errors_after_content() -> None:
    for quirk, error in ERRORS.items():
        frames = stream(turn_of(API, received(f"quirk-{quirk}"))).frames
        assert [frame.kind for frame in frames] == ["content", "end"]
        assert json.loads(frames[1].data.removeprefix(b"data: ")) == error
    bare = stream(turn_of(API, received("quirk-error-bare"))).frames[1].data
    assert bare.startswith(b'{\n  "error"')


def test_writing() -> None:
    frames = stream(turn_of(API, received("quirk-lf"))).frames
    assert all(frame.data.endswith(b"}\n\n") and b"\r" not in frame.data for frame in frames)


# Vertex


def test_vertex_streams_arguments_where_asked() -> None:
    config = {"functionCallingConfig": {"streamFunctionCallArguments": True}}
    schema = {"type": "object", "properties": {"a": {"const": "b"}}, "required": ["a"]}
    tools = [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": schema}]}]
    bodies = read(received("agent-gemini-3.5-pro", True, tools=tools, toolConfig=config))
    parts = [part for body in bodies for part in body["candidates"][0]["content"]["parts"]]
    assert [part.get("functionCall") for part in parts] == [
        {"name": "f", "willContinue": True},
        {"partialArgs": [{"jsonPath": "$.a", "stringValue": "b"}], "willContinue": True},
        {},
        None,
    ]
    assert "thoughtSignature" in parts[0]


def test_vertex_calls_have_no_ids() -> None:
    for vertex, ids in ((True, False), (False, True)):
        (first, *_) = read(received("agent", vertex, tools=TOOLS))
        assert ("id" in first["candidates"][0]["content"]["parts"][0]["functionCall"]) is ids


@pytest.mark.parametrize(
    ("model", "ids"), [("gemini-3-pro-preview", False), ("gemini-3.5-pro", True), ("gemini-2.5-pro", False)]
)
def test_ids_by_family(model: str, ids: bool) -> None:
    (first, *_) = read(received(f"agent-{model}", tools=TOOLS))
    assert ("id" in first["candidates"][0]["content"]["parts"][0]["functionCall"]) is ids


def test_what_is_signed() -> None:
    def signed(model: str, **body: Json) -> list[bool]:
        answer = json.loads(whole(turn_of(API, received(model, **body))).body)
        return ["thoughtSignature" in part for part in answer["candidates"][0]["content"]["parts"]]

    thinks = {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}
    two = [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}]
    assert signed("agent") == [False]
    assert signed("agent", **thinks) == [False, True]
    assert signed("agent", tools=two, **thinks) == [False, True, False]
    assert signed("agent-gemini-3.5-pro") == [True]
    assert signed("agent-gemini-3.5-pro", tools=two) == [True, False]
    assert signed("agent-gemini-2.5-pro") == [False]
    assert signed("agent-gemini-2.5-pro", tools=two) == [True, False]
    assert signed("agent-gemini-2.0-flash", tools=two) == [False, False]
