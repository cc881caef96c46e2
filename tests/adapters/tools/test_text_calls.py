"""The flags, through each API that has them: what is asked upstream, and what the answer's text then means."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from adapters import compat, registry
from adapters.events import Event
from adapters.format import Api, Outgoing, Upstream
from adapters.model import Message, Request, Text, Thinking, Tool, ToolChoice
from adapters.presets import PRESETS
from adapters.restore import Restorer
from adapters.tools import ids
from adapters.tools.recover import recoverer
from adapters.tools.text_calls import looked_for
from tests.adapters.tools.recovering import compact

APIS = ("openai-chat", "mistral-chat", "ollama-chat")
TOOL = Tool("get_time", "The time.", {"type": "object", "properties": {"tz": {"type": "string"}}, "required": ["tz"]})
HI = Request("m", (Message("user", (Text("hi"),)),), dialect="chat")
WITH_TOOL = replace(HI, tools=(TOOL,))
CALL = '<tool_call>{"name":"get_time","arguments":{"tz":"UTC"}}</tool_call>'
GIVEN = ("get_time", '{"tz":"UTC"}', "call_x")


def api_of(name: str) -> Api:
    api = registry.api(name)
    assert api is not None
    return api


def sent(name: str, request: Request, **flags: Any) -> Outgoing:
    return api_of(name).encode(request, Upstream("m", "p/m", compat.resolve(name, None, flags)))


def body_of(name: str, text: str) -> bytes:
    """A whole answer of nothing but text."""
    if name == "ollama-chat":
        return json.dumps({"model": "m", "message": {"role": "assistant", "content": text}, "done": True}).encode()
    message = {"role": "assistant", "content": text}
    return json.dumps({"id": "i", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()


def answered(name: str, text: str, request: Request, **flags: Any) -> list[Any]:
    """What the client gets for an answer of this text."""
    how = sent(name, request, **flags).reading
    restorer = Restorer(how, replace(ids.CHAT, fresh=1), lambda n: "x", recoverer(how, [].append))
    events: list[Event] = restorer.feed(api_of(name).whole(body_of(name, text), how, {}))
    return list(compact(events))


@pytest.mark.parametrize("name", APIS)
def test_text_tool_calls(name: str) -> None:
    assert answered(name, f"Ok {CALL}", WITH_TOOL) == [f"Ok {CALL}"]
    assert answered(name, f"Ok {CALL}", WITH_TOOL, text_tool_calls="auto") == ["Ok", GIVEN]
    assert answered(name, f"Ok {CALL}", WITH_TOOL, text_tool_calls=("hermes",)) == ["Ok", GIVEN]
    assert answered(name, f"Ok {CALL}", WITH_TOOL, text_tool_calls=("glm45", "invoke")) == [f"Ok {CALL}"]
    assert answered(name, f"Ok {CALL}", HI, text_tool_calls="auto") == [f"Ok {CALL}"]
    none = replace(WITH_TOOL, tool_choice=ToolChoice("none"))
    assert answered(name, f"Ok {CALL}", none, text_tool_calls="auto") == [f"Ok {CALL}"]


@pytest.mark.parametrize("name", APIS)
def test_inline_think(name: str) -> None:
    text = "<think>hm</think>\nHi"
    assert answered(name, text, HI) == [("thought", "hm"), "Hi"]
    assert answered(name, text, HI, inline_think=False) == [text]
    assert answered(name, "hm</think>Hi", HI) == ["hm</think>Hi"]
    assert answered(name, "hm</think>Hi", HI, inline_think=True) == [("thought", "hm"), "Hi"]
    off = replace(HI, thinking=Thinking("none"))
    assert answered(name, "Hi", off, inline_think=True) == ["Hi"]
    assert answered(name, text, off, inline_think=True) == [("thought", "hm"), "Hi"]


@pytest.mark.parametrize("name", APIS)
def test_tools_in_the_prompt(name: str) -> None:
    """No field of tools goes up; the text is read for calls."""
    body = json.loads(sent(name, WITH_TOOL, tools="prompted").body)
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & body.keys()
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert '"name":"get_time"' in body["messages"][0]["content"]
    assert "tools" in json.loads(sent(name, WITH_TOOL).body)
    assert answered(name, f"Ok {CALL}", WITH_TOOL, tools="prompted") == ["Ok", GIVEN]
    assert answered(name, f"Ok {CALL}", WITH_TOOL, tools="prompted", text_tool_calls=("invoke",)) == [f"Ok {CALL}"]


LOOKED_FOR: list[tuple[dict[str, Any], bool, tuple[str, ...]]] = [
    ({}, True, ()),
    ({"text_tool_calls": "off", "inline_think": "auto"}, True, ("think",)),
    ({"text_tool_calls": "auto", "inline_think": "auto"}, True, ("auto", "think")),
    ({"text_tool_calls": ("glm45", "hermes"), "inline_think": True}, True, ("glm45", "hermes", "within")),
    ({"text_tool_calls": "auto", "inline_think": False}, False, ()),
    ({"tools": "prompted"}, True, ("auto",)),
    ({"tools": "prompted"}, False, ()),
    ({"tools": "prompted", "text_tool_calls": ("glm45",)}, True, ("glm45", "hermes")),
    ({"tools": "prompted", "text_tool_calls": ("pythonic", "invoke")}, True, ("pythonic", "invoke")),
    # OpenAI's own models, and Azure's
    ({"text_tool_calls": "auto", "inline_think": True, "openai_reasoning_models": True}, True, ()),
    ({"tools": "prompted", "openai_reasoning_models": True}, True, ("auto",)),
]


@pytest.mark.parametrize(("flags", "offers", "expected"), LOOKED_FOR)
def test_what_is_looked_for(flags: dict[str, Any], offers: bool, expected: tuple[str, ...]) -> None:
    assert looked_for(HI, Upstream("m", compat=flags), offers) == expected


BY_PRESET = {
    "openai": (), "azure": (), "deepseek": ("dsml", "think"), "minimax": ("think",), "lm-studio": ("auto", "think"),
    "llama-cpp": ("auto", "think"), "vllm": ("auto", "think"), "perplexity": ("auto", "think"), "groq": ("think",),
}  # fmt: skip


@pytest.mark.parametrize("preset", BY_PRESET)
def test_what_is_looked_for_by_preset(preset: str) -> None:
    assert "openai-chat" in PRESETS[preset].compat
    upstream = Upstream("m", compat=compat.resolve("openai-chat", preset, {}))
    assert looked_for(HI, upstream, True) == BY_PRESET[preset]
