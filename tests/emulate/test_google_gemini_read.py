"""Requests of generateContent as tasks, signatures, arguments in pieces, and bodies that make no sense at all."""

import base64
from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.api import Received, Refused
from proxy.emulate.google_gemini import API
from proxy.emulate.google_gemini_check import check
from proxy.emulate.google_gemini_partial import partial_calls
from proxy.emulate.google_gemini_proto import Problem, decoded
from proxy.emulate.google_gemini_signatures import sign
from tests.emulate.breaking import broken
from tests.emulate.turns import turn_of

Json = Any
EMPTY = {"type": "object", "properties": {}}
USER: Json = {"role": "user", "parts": [{"text": "hi"}]}


def received(body: Json, model: str = "agent", method: str = "generateContent", **query: str) -> Received:
    path = f"/v1beta/models/{model}:{method}"
    return Received("google-gemini", "POST", path, query, {"version": "v1beta", "model": model}, {}, b"", body)


def task(model: str = "agent", **body: Json) -> Task:
    return API.read(received({"contents": [USER], **body}, model)).task


def calling(mode: str, *names: str) -> Json:
    return {"functionCallingConfig": {"mode": mode, **({"allowedFunctionNames": list(names)} if names else {})}}


def config(**members: Json) -> Json:
    return {"generationConfig": members}


TOOLS = [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}]
OFFERED = (Tool("f", EMPTY), Tool("g", EMPTY))
OPENAPI = {"type": "OBJECT", "required": ["a"], "properties": {
    "a": {"type": "STRING", "nullable": True, "format": "date-time"},
    "b": {"type": "ARRAY", "minItems": "2", "items": {"anyOf": [{"type": "STRING", "format": "enum", "enum": ["x"]}]}},
}}  # fmt: skip
JSON_SCHEMA = {"type": "object", "required": ["a"], "properties": {
    "a": {"type": ["string", "null"], "format": "date-time"},
    "b": {"type": "array", "minItems": 2, "items": {"anyOf": [{"type": "string", "enum": ["x"]}]}},
}}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "body", "expected"),
    [
        ("agent", {}, Task("hi")),
        ("agent", {"tools": TOOLS}, Task("hi", OFFERED)),
        ("agent", {"tools": TOOLS, "toolConfig": calling("NONE")}, Task("hi", OFFERED, "none")),
        ("agent", {"tools": TOOLS, "toolConfig": calling("ANY")}, Task("hi", OFFERED, "required")),
        ("agent", {"tools": TOOLS, "toolConfig": calling("ANY", "g")}, Task("hi", OFFERED, "required", ("g",))),
        ("agent", {"tools": TOOLS, "toolConfig": calling("VALIDATED", "g")}, Task("hi", OFFERED, "auto", ("g",))),
        ("agent", {"tools": [{"functionDeclarations": [{"name": "f", "parameters": OPENAPI}]}]},
         Task("hi", (Tool("f", JSON_SCHEMA),))),
        ("agent", {"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": JSON_SCHEMA}]}]},
         Task("hi", (Tool("f", JSON_SCHEMA),))),
        ("agent", config(thinkingConfig={"includeThoughts": True}), Task("hi", reasoning=True)),
        ("agent", config(thinkingConfig={"thinkingBudget": 0}), Task("hi")),
        ("agent-gemini-2.5-flash", {}, Task("hi", reasoning=True)),
        ("agent-gemini-2.5-flash", config(thinkingConfig={"thinkingBudget": 0}), Task("hi")),
        ("agent-gemini-2.0-flash", {}, Task("hi")),
        ("agent-gemini-3-pro-preview", {}, Task("hi", reasoning=True)),
        ("agent", config(stopSequences=["x"], maxOutputTokens=9), Task("hi", stop=("x",), max_tokens=9)),
        ("agent", config(responseMimeType="application/json"), Task("hi", output={})),
        ("agent", config(responseMimeType="application/json", responseSchema=OPENAPI), Task("hi", output=JSON_SCHEMA)),
        ("agent", config(responseMimeType="application/json", responseJsonSchema=EMPTY), Task("hi", output=EMPTY)),
        ("agent", config(responseFormat=[{"text": {"mimeType": "application/json", "schema": EMPTY}}]),
         Task("hi", output=EMPTY)),
    ],
)  # fmt: skip
def test_task(model: str, body: Json, expected: Task) -> None:
    assert task(model, **body) == expected


def test_results_of_the_last_turn() -> None:
    step = {"role": "model", "parts": [{"functionCall": {"name": n, "args": {}, "id": n}} for n in "ab"]}
    answers: list[Json] = [{"output": "1"}, {"x": [1]}]
    parts = [{"functionResponse": {"name": n, "id": n, "response": r}} for n, r in zip("ab", answers, strict=True)]
    found = task(contents=[USER, step, {"parts": parts}, step, {"role": "user", "parts": parts}])
    assert found == Task("hi", results=(Result("a", "a", "1"), Result("b", "b", '{"x":[1]}')), rounds=2)


# signatures

CALL: Json = {"functionCall": {"name": "f", "args": {"a": 1, "b": [{"c": None}]}}}
SIGNED = {**CALL, "thoughtSignature": sign("gemini", CALL)}
OTHER: Json = {"functionCall": {"name": "g", "args": {}}}
WORD = "skip_thought_signature_validator"


def steps(*parts: Json, results: int = 1) -> Json:
    names = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
    responses = [{"functionResponse": {"name": name, "response": {}}} for name in names]
    return {"contents": [USER, {"role": "model", "parts": list(parts)}, {"role": "user", "parts": responses}]}


def reordered(part: Json) -> Json:
    """The same call with its members in another order, after an id was added."""
    arguments = dict(reversed(part["functionCall"]["args"].items()))
    return {**part, "functionCall": {"id": "x", "args": arguments, "name": "f"}}


@pytest.mark.parametrize("family", ["", "gemini-3-pro-preview", "gemini-4-argon"])
@pytest.mark.parametrize(
    "body",
    [
        steps(SIGNED),
        steps(SIGNED, OTHER),
        steps(reordered(SIGNED)),
        steps({**SIGNED, "thoughtSignature": SIGNED["thoughtSignature"].replace("+", "-").replace("/", "_")}),
        steps({**CALL, "thoughtSignature": WORD}),
        steps({**CALL, "thoughtSignature": base64.b64encode(WORD.encode()).decode()}),
        steps({**CALL, "thoughtSignature": "context_engineering_is_the_way_to_go"}),
        {"contents": [*steps(CALL)["contents"], USER]},
        steps({"text": "x", "thoughtSignature": sign("gemini", {"text": "anything"})}, SIGNED),
    ],
)
def test_signatures_that_are_taken(family: str, body: Json) -> None:
    check(body, family)


MISSING = r"Function call `f` in the 2\. content block is missing a `thought_signature`"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (steps(CALL), MISSING),
        (steps(CALL, {**OTHER, "thoughtSignature": sign("gemini", OTHER)}), MISSING),
        (
            {"contents": [*steps(SIGNED)["contents"], *steps({**OTHER})["contents"][1:]]},
            r"Function call `g` in the 4\. content",
        ),
        (steps({**CALL, "thoughtSignature": "AAAA"}), "Invalid thought signature"),
        (steps({**CALL, "thoughtSignature": sign("vertex", CALL)}), "Invalid thought signature"),
        (steps({**OTHER, "thoughtSignature": SIGNED["thoughtSignature"]}), "Corrupted thought signature"),
        (steps({**CALL, "thoughtSignature": sign("gemini", {"text": "x"})}), "Corrupted thought signature"),
        (steps({"text": "x", "thoughtSignature": SIGNED["thoughtSignature"]}, CALL), "Corrupted thought signature"),
        (
            steps({"functionCall": {"name": "f", "args": {"a": 2}}, "thoughtSignature": SIGNED["thoughtSignature"]}),
            "Corrupted thought signature",
        ),
    ],
)
def test_signatures_that_are_refused(body: Json, message: str) -> None:
    with pytest.raises(Problem, match=message):
        check(body, "gemini-3-pro-preview")


def test_older_models_need_no_signature_but_check_it() -> None:
    for family in ("", "gemini-2.5-pro"):
        check(steps(CALL), family)
        with pytest.raises(Problem, match="Invalid"):
            check(steps({**CALL, "thoughtSignature": "AAAA"}), family)
    check(steps({**CALL, "thoughtSignature": "AAAA"}), "gemini-2.0-flash")


def test_vertex_refuses_the_others_signatures() -> None:
    check(steps({**CALL, "thoughtSignature": sign("vertex", CALL)}), "gemini-3-pro-preview", vertex=True)
    with pytest.raises(Problem, match="Invalid"):
        check(steps(SIGNED), "gemini-3-pro-preview", vertex=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("AA==", b"\0"), ("AA", b"\0"), ("_-8", b"\xff\xef"), ("/+8=", b"\xff\xef"), ("%", None), ("A", None)],
)
def test_base64(text: str, expected: bytes | None) -> None:
    assert decoded(text) == expected


# arguments in pieces


def test_partial_calls() -> None:
    arguments: Json = {
        "a": {"b": ["x" * 13, 1.5, True, None]}, "c": [], "d": {}, "e": "", "größe 1": 2,
    }  # fmt: skip
    assert list(partial_calls("f", arguments)) == [
        {"name": "f", "willContinue": True},
        *({"partialArgs": [entry], "willContinue": True} for entry in (
            {"jsonPath": "$.a.b[0]", "stringValue": "x" * 12, "willContinue": True},
            {"jsonPath": "$.a.b[0]", "stringValue": "x"},
            {"jsonPath": "$.a.b[1]", "numberValue": 1.5},
            {"jsonPath": "$.a.b[2]", "boolValue": True},
            {"jsonPath": "$.a.b[3]", "nullValue": "NULL_VALUE"},
            {"jsonPath": "$.c[]"},
            {"jsonPath": "$.d"},
            {"jsonPath": "$.e", "stringValue": ""},
            {"jsonPath": "$['größe 1']", "numberValue": 2},
        )),
        {},
    ]  # fmt: skip
    assert list(partial_calls("f", {})) == [{"name": "f", "willContinue": True}, {}]


# nonsense

BODY: Json = {
    "contents": [
        {"role": "user", "parts": [{"text": "x"}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}]},
        {"role": "model", "parts": [
            {"text": "x", "thought": True}, {**SIGNED, "functionCall": {**CALL["functionCall"], "id": "1"}},
        ]},
        {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "f", "response": {"output": "x"}}}]},
    ],
    "systemInstruction": {"parts": [{"text": "x"}]},
    "tools": [{"functionDeclarations": [
        {"name": "f", "parameters": OPENAPI},
        {"name": "g", "parametersJsonSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}},
                                               "$defs": {"x": {"type": "array", "items": {"enum": ["a"]}}}}},
    ]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}},
    "generationConfig": {
        "responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}, "stopSequences": ["x"],
        "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "LOW"}, "seed": 1, "topP": 0.5,
    },
    "safetySettings": [{"category": "x", "threshold": "y"}], "labels": {"a": "b"},
}  # fmt: skip


@pytest.mark.parametrize("model", ["agent", "agent-gemini-3.5-pro", "agent-gemini-2.5-flash"])
def test_nonsense_is_read_or_refused_but_never_an_error(model: str) -> None:
    read = 0
    for body in broken(BODY):
        asked = received(body, model, "streamGenerateContent")
        try:
            turn = turn_of(API, asked)
            read += 1
        except Refused as refused:
            assert refused.reply.status in (400, 403)
            continue
        API.whole(turn)
        API.stream(turn)
    assert read


def test_nonsense_is_counted_or_refused() -> None:
    ((_, _, count), *_) = API.others
    wrapped: list[Json] = [{"generateContentRequest": []}, {"generateContentRequest": {}}]
    for body in ([], "x", {}, {"contents": 3}, *wrapped):
        assert count(received(body)).status == 400
    assert count(received({"generateContentRequest": {"model": "models/agent", "contents": [USER]}})).status == 200
