"""The neutral model by example: one conversation, as each client dialect says it and as each API hears it.

Read it beside `adapters/model.py`. The conversation: a system text, a question with a picture, two calls in parallel
(with thinking before them, where the dialect has a word for it), their results, the second a failure, and what the
client wants of the answer. What an API cannot carry is told in a warning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adapters import compat, json, registry
from adapters.format import Call, Upstream
from adapters.model import (
    Media,
    Message,
    Reasoning,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ABOUT = "The weather in a city."
PNG = "iVBORw0KGgo="
URL = f"data:image/png;base64,{PNG}"
KOELN, BONN = {"city": "Köln"}, {"city": "Bonn"}
KOELN_TEXT, BONN_TEXT = '{"city":"Köln"}', '{"city":"Bonn"}'
LOST = "no station there"

SYSTEM = Message("system", (Text("Be brief."),))
QUESTION = Message("user", (Text("Which is wetter?"), Media("image", "image/png", data=PNG)))
FIRST = ToolCall("call_1", "get_weather", KOELN_TEXT)
SECOND = ToolCall("call_2", "get_weather", BONN_TEXT)
TOOL = Tool("get_weather", ABOUT, SCHEMA)


# --- what clients say ------------------------------------------------------------------------------------------------


def decoded(dialect: str, body: Any, call: Call | None = None) -> Request:
    found = registry.dialect(dialect)
    assert found is not None
    return found.decode(body, call or Call()).request


def chat_call(id: str, arguments: str) -> Any:
    return {"id": id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}}


CHAT_TOOL = {"type": "function", "function": {"name": "get_weather", "description": ABOUT, "parameters": SCHEMA}}
CHAT_QUESTION = [{"type": "text", "text": "Which is wetter?"}, {"type": "image_url", "image_url": {"url": URL}}]


def test_chat() -> None:
    """One message a result; nothing says that a result is a failure."""
    body = {
        "model": "smart",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": CHAT_QUESTION},
            {"role": "assistant", "content": "I look.",
             "tool_calls": [chat_call("call_1", KOELN_TEXT), chat_call("call_2", BONN_TEXT)]},
            {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
            {"role": "tool", "tool_call_id": "call_2", "content": LOST},
        ],
        "tools": [CHAT_TOOL],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "max_completion_tokens": 100,
        "temperature": 0.5,
        "stop": "END",
        "reasoning_effort": "low",
        "stream": True,
    }
    assert decoded("chat", body) == Request(
        model="smart",
        messages=(
            SYSTEM,
            QUESTION,
            Message("assistant", (Text("I look."), FIRST, SECOND)),
            Message("tool", (ToolResult("call_1", (Text("rain"),)),)),
            Message("tool", (ToolResult("call_2", (Text(LOST),)),)),
        ),
        tools=(TOOL,),
        tool_choice=ToolChoice("required"),
        parallel=False,
        sampling=Sampling(max_tokens=100, temperature=0.5, stop=("END",)),
        thinking=Thinking(effort="low"),
        stream=True,
        dialect="chat",
    )


def test_responses() -> None:
    """Items in place of messages: neighbours of one role are one turn. Item ids are this API's own business."""
    body = {
        "model": "smart",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": [
                {"type": "input_text", "text": "Which is wetter?"},
                {"type": "input_image", "image_url": URL, "detail": "low"},
            ]},
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "ENC",
             "summary": [{"type": "summary_text", "text": "Two cities."}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather",
             "arguments": KOELN_TEXT},
            {"type": "function_call", "call_id": "call_2", "name": "get_weather", "arguments": BONN_TEXT},
            {"type": "function_call_output", "call_id": "call_1", "output": "rain"},
            {"type": "function_call_output", "call_id": "call_2", "output": LOST},
        ],
        "tools": [{"type": "function", "name": "get_weather", "description": ABOUT, "parameters": SCHEMA,
                   "strict": False}],
        "tool_choice": {"type": "function", "name": "get_weather"},
        "max_output_tokens": 100,
        "reasoning": {"effort": "low"},
        "store": False,
    }
    request = decoded("responses", body)
    own = "openai-responses"
    system, question, calls, *results = request.messages
    assert system == replace(SYSTEM, extras={own: {"instructions": True}})
    assert question.parts == (QUESTION.parts[0], Media("image", "image/png", data=PNG, detail="low"))
    assert calls == Message("assistant", (
        Reasoning("Two cities.", api=own, id="rs_1", data="ENC", sections=("Two cities.",)),
        replace(FIRST, extras={own: {"id": "fc_1"}}),
        SECOND,
    ))
    assert [part for message in results for part in message.parts] == [
        ToolResult("call_1", (Text("rain"),)), ToolResult("call_2", (Text(LOST),))]
    assert request.tools == (replace(TOOL, strict=False),)
    assert request.tool_choice == ToolChoice("named", ("get_weather",))
    assert request.sampling == Sampling(max_tokens=100)
    assert (request.thinking, request.store) == (Thinking(effort="low"), False)


def test_messages() -> None:
    """Results stand in the user's turn, and say when they are failures; arguments are objects."""
    thinking = {"type": "enabled", "budget_tokens": 2000}
    body = {
        "model": "smart",
        "max_tokens": 3000,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "Which is wetter?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Two cities.", "signature": "SIG"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": KOELN},
                {"type": "tool_use", "id": "call_2", "name": "get_weather", "input": BONN},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
                {"type": "tool_result", "tool_use_id": "call_2", "is_error": True,
                 "content": [{"type": "text", "text": LOST}]},
            ]},
        ],
        "tools": [{"name": "get_weather", "description": ABOUT, "input_schema": SCHEMA}],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "stop_sequences": ["END"],
        "thinking": thinking,
        "stream": True,
    }
    own = "anthropic-messages"
    assert decoded("messages", body) == Request(
        model="smart",
        messages=(
            SYSTEM,
            QUESTION,
            Message("assistant", (Reasoning("Two cities.", api=own, signature="SIG"), Text("I look."), FIRST, SECOND)),
            Message("tool", (
                ToolResult("call_1", (Text("rain"),)), ToolResult("call_2", (Text(LOST),), is_error=True))),
        ),
        tools=(TOOL,),
        tool_choice=ToolChoice("required"),
        parallel=False,
        sampling=Sampling(max_tokens=3000, stop=("END",)),
        thinking=Thinking(effort="low", budget=2000, extras={own: {"thinking": thinking}}),
        stream=True,
        dialect="messages",
    )


def test_gemini() -> None:
    """Model and streaming stand in the path. A call carries the signature; a result is an object of the client's."""
    lost = {"error": LOST}
    body = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [
                {"text": "Which is wetter?"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
            {"role": "model", "parts": [
                {"functionCall": {"id": "call_1", "name": "get_weather", "args": KOELN}, "thoughtSignature": "SIG"},
                {"functionCall": {"id": "call_2", "name": "get_weather", "args": BONN}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "call_1", "name": "get_weather", "response": {"result": "rain"}}},
                {"functionResponse": {"id": "call_2", "name": "get_weather", "response": lost}},
            ]},
        ],
        "tools": [{"functionDeclarations": [
            {"name": "get_weather", "description": ABOUT, "parametersJsonSchema": SCHEMA}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        "generationConfig": {"maxOutputTokens": 100, "temperature": 0.5, "stopSequences": ["END"]},
    }

    def result(id: str, text: str, response: Any, failed: bool | None) -> ToolResult:
        return ToolResult(id, (Text(text),), failed, "get_weather", extras={"google-gemini": {"response": response}})

    assert decoded("gemini", body, Call(model="smart", stream=True)) == Request(
        model="smart",
        messages=(
            SYSTEM,
            QUESTION,
            Message("assistant", (replace(FIRST, signature="SIG"), SECOND)),
            Message("tool", (
                result("call_1", "rain", {"result": "rain"}, None), result("call_2", LOST, lost, True))),
        ),
        tools=(TOOL,),
        tool_choice=ToolChoice("required"),
        sampling=Sampling(max_tokens=100, temperature=0.5, stop=("END",)),
        stream=True,
        dialect="gemini",
    )


# --- what upstreams hear ---------------------------------------------------------------------------------------------

ASKED = Request(
    model="smart",
    messages=(
        SYSTEM,
        QUESTION,
        Message("assistant", (Text("I look."), FIRST, SECOND)),
        Message("tool", (ToolResult("call_1", (Text("rain"),)), ToolResult("call_2", (Text(LOST),), is_error=True))),
    ),
    tools=(TOOL,),
    tool_choice=ToolChoice("required"),
    sampling=Sampling(max_tokens=100, temperature=0.5, stop=("END",)),
)
"""The same for every API."""

MARK = {"type": "ephemeral"}
POINT = {"cachePoint": {"type": "default"}}
UNSAID = "is_error of a tool result: left out"

BODIES: dict[str, tuple[str, str, Any, tuple[str, ...]]] = {
    # api: the upstream's model, the path, the body, the beginnings of the warnings
    "openai-chat": (
        "gpt-4o",
        "/chat/completions",
        {
            "model": "gpt-4o",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": CHAT_QUESTION},
                {"role": "assistant", "content": "I look.",
                 "tool_calls": [chat_call("call_1", KOELN_TEXT), chat_call("call_2", BONN_TEXT)]},
                {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
                {"role": "tool", "tool_call_id": "call_2", "content": LOST},
            ],
            "tools": [CHAT_TOOL],
            "tool_choice": "required",
            "max_tokens": 100,
            "temperature": 0.5,
            "stop": "END",
        },
        (UNSAID,),
    ),
    "anthropic-messages": (
        "claude-sonnet-4-5",
        "/v1/messages",
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 100,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": MARK}],
            "messages": [
                {"role": "user", "content": [
                    {"type": "text", "text": "Which is wetter?"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                ]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": KOELN},
                    {"type": "tool_use", "id": "call_2", "name": "get_weather", "input": BONN},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
                    {"type": "tool_result", "tool_use_id": "call_2", "content": LOST, "is_error": True,
                     "cache_control": MARK},
                ]},
            ],
            "tools": [{"name": "get_weather", "description": ABOUT, "input_schema": SCHEMA, "cache_control": MARK}],
            "tool_choice": {"type": "any"},
            "stop_sequences": ["END"],
            "temperature": 0.5,
        },
        (),
    ),
    "google-gemini": (
        "gemini-2.5-flash",
        "/v1beta/models/gemini-2.5-flash:generateContent",
        {
            "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [
                    {"text": "Which is wetter?"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
                {"role": "model", "parts": [
                    {"text": "I look."},
                    {"functionCall": {"name": "get_weather", "args": KOELN}},
                    {"functionCall": {"name": "get_weather", "args": BONN}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "get_weather", "response": {"output": "rain"}}},
                    {"functionResponse": {"name": "get_weather", "response": {"error": LOST}}},
                ]},
            ],
            "tools": [{"functionDeclarations": [
                {"name": "get_weather", "description": ABOUT, "parametersJsonSchema": SCHEMA}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
            "generationConfig": {"stopSequences": ["END"], "maxOutputTokens": 100, "temperature": 0.5},
        },
        (),
    ),
    "ollama-chat": (
        "llama3.1",
        "/api/chat",
        {
            "model": "llama3.1",
            "stream": False,
            "messages": [
                {"role": "system", "content": "Be brief.\nAnswer by calling the tool that you have, not in text."},
                {"role": "user", "content": "Which is wetter?", "images": [PNG]},
                {"role": "assistant", "content": "I look.", "tool_calls": [
                    {"id": "call_1", "function": {"index": 0, "name": "get_weather", "arguments": KOELN}},
                    {"id": "call_2", "function": {"index": 1, "name": "get_weather", "arguments": BONN}},
                ]},
                {"role": "tool", "content": "rain", "tool_name": "get_weather", "tool_call_id": "call_1"},
                {"role": "tool", "content": f"error: {LOST}", "tool_name": "get_weather", "tool_call_id": "call_2"},
            ],
            "tools": [CHAT_TOOL],
            "options": {"num_predict": 100, "temperature": 0.5, "stop": ["END"]},
            "truncate": False,
        },
        ("tool_choice: ollama-chat cannot force a call",),
    ),
    "bedrock-converse": (
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
        {
            "system": [{"text": "Be brief."}, POINT],
            "messages": [
                {"role": "user", "content": [
                    {"text": "Which is wetter?"}, {"image": {"format": "png", "source": {"bytes": PNG}}}]},
                {"role": "assistant", "content": [
                    {"text": "I look."},
                    {"toolUse": {"toolUseId": "call_1", "name": "get_weather", "input": KOELN}},
                    {"toolUse": {"toolUseId": "call_2", "name": "get_weather", "input": BONN}},
                ]},
                {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "call_1", "content": [{"text": "rain"}]}},
                    {"toolResult": {"toolUseId": "call_2", "content": [{"text": LOST}], "status": "error"}},
                    POINT,
                ]},
            ],
            "inferenceConfig": {"maxTokens": 100, "temperature": 0.5, "stopSequences": ["END"]},
            "additionalModelResponseFieldPaths": ["/stop_sequence"],
            "toolConfig": {
                "tools": [{"toolSpec": {
                    "name": "get_weather", "description": ABOUT, "inputSchema": {"json": SCHEMA}}}, POINT],
                "toolChoice": {"any": {}},
            },
        },
        (),
    ),
    "cohere-chat": (
        "command-a-03-2025",
        "/v2/chat",
        {
            "model": "command-a-03-2025",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": CHAT_QUESTION},
                {"role": "assistant", "tool_plan": "I look.",
                 "tool_calls": [chat_call("call_1", KOELN_TEXT), chat_call("call_2", BONN_TEXT)]},
                {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
                {"role": "tool", "tool_call_id": "call_2", "content": f"error: {LOST}"},
            ],
            "tools": [CHAT_TOOL],
            "tool_choice": "REQUIRED",
            "max_tokens": 100,
            "stop_sequences": ["END"],
            "temperature": 0.5,
        },
        (),
    ),
}


def encoded(api: str, model: str) -> tuple[str, Any, tuple[str, ...]]:
    """Path, body and warnings."""
    found = registry.api(api)
    assert found is not None
    outgoing = found.encode(ASKED, Upstream(model, "up/m", compat.resolve(api, None, {})))
    return outgoing.path, json.loads(outgoing.body), outgoing.warnings


def warned(warnings: tuple[str, ...], beginnings: tuple[str, ...]) -> bool:
    pairs = zip(sorted(warnings), sorted(beginnings), strict=False)
    return len(warnings) == len(beginnings) and all(one.startswith(beginning) for one, beginning in pairs)


@pytest.mark.parametrize("api", BODIES)
def test_apis(api: str) -> None:
    model, path, body, beginnings = BODIES[api]
    got_path, got, warnings = encoded(api, model)
    assert (got_path, got) == (path, body)
    assert warned(warnings, beginnings), warnings


def test_openai_responses() -> None:
    """Items; nothing is stored there, and reasoning is asked for in a form that can come back."""
    path, body, warnings = encoded("openai-responses", "gpt-4o")
    assert "include" not in body
    assert encoded("openai-responses", "gpt-5")[1]["include"] == ["reasoning.encrypted_content"]
    assert path == "/responses"
    *items, koeln, bonn, rain, lost = body["input"]
    assert [(item["role"], [part["text"] for part in item["content"] if "text" in part]) for item in items] == [
        ("system", ["Be brief."]), ("user", ["Which is wetter?"]), ("assistant", ["I look."])]
    assert items[1]["content"][1] == {"type": "input_image", "image_url": URL, "detail": "auto"}
    call = {"type": "function_call", "name": "get_weather"}
    assert koeln == {**call, "call_id": "call_1", "arguments": KOELN_TEXT}
    assert bonn == {**call, "call_id": "call_2", "arguments": BONN_TEXT}
    assert rain == {"type": "function_call_output", "call_id": "call_1", "output": "rain"}
    assert lost == {"type": "function_call_output", "call_id": "call_2", "output": LOST}
    assert body["tools"] == [{"type": "function", "name": "get_weather", "description": ABOUT, "parameters": SCHEMA,
                              "strict": False}]
    assert {name: body[name] for name in ("tool_choice", "max_output_tokens", "temperature", "store")} == {
        "tool_choice": "required", "max_output_tokens": 100, "temperature": 0.5, "store": False}
    assert warned(warnings, (UNSAID, "stop: left out"))


def test_mistral() -> None:
    """Ids have nine letters or digits here: made from the client's, the same each time, the call's and its result's."""
    path, body, warnings = encoded("mistral-chat", "mistral-large-latest")
    assert path == "/v1/chat/completions"
    system, question, calls, rain, lost = body["messages"]
    assert (system, question["content"][1]) == (
        {"role": "system", "content": "Be brief."}, {"type": "image_url", "image_url": URL})
    ids = [call["id"] for call in calls["tool_calls"]]
    assert all(len(id) == 9 and id.isalnum() for id in ids) and len(set(ids)) == 2
    assert calls["tool_calls"] == [chat_call(ids[0], KOELN_TEXT), chat_call(ids[1], BONN_TEXT)]
    result = {"role": "tool", "name": "get_weather"}
    assert rain == {**result, "tool_call_id": ids[0], "content": "rain"}
    assert lost == {**result, "tool_call_id": ids[1], "content": LOST}
    assert encoded("mistral-chat", "mistral-large-latest")[1] == body
    assert (body["tools"], body["tool_choice"], body["stop"]) == ([CHAT_TOOL], "any", ["END"])
    assert warned(warnings, (UNSAID,))


def test_every_dialect_and_api_is_here() -> None:
    assert set(registry.DIALECTS) == {"chat", "responses", "messages", "gemini"}
    assert set(registry.APIS) == {*BODIES, "openai-responses", "mistral-chat"}
