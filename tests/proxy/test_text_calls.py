"""Upstreams that write their calls into the text, over real sockets: their clients get calls, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from jsonschema import validate

from adapters.compat import TEXT_FORMS
from proxy.emulate import Emulation
from proxy.emulate.openai_chat_text import ALONE, FORMS
from tests.contract.chats import TIME, WAYS, WEATHER, Way, loop
from tests.serving import Served, config_of

TOOLS: Any = [WEATHER, TIME]
ASK: Any = {"messages": [{"role": "user", "content": "Please call 2 at once."}], "tools": TOOLS}


@pytest.fixture(scope="module")
def served(emulated: Emulation) -> Iterator[Served]:
    at = f'api: openai-chat, base_url: "{emulated.base_url("openai-chat")}", api_key: k'
    lines = [
        "providers:",
        f"  plain: {{{at}}}",
        f"  auto: {{{at}, compat: {{text_tool_calls: auto}}}}",
        f"  prompted: {{{at}, compat: {{tools: prompted}}, models: {{quirk-prompted: {{tools: false}}}}}}",
        *(f"  {form}: {{{at}, compat: {{text_tool_calls: [{form}]}}}}" for form in TEXT_FORMS),
    ]
    with Served(config_of("\n".join(lines))) as running:
        yield running


@pytest.fixture(scope="module")
def chat(served: Served) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{served.base}/v1", api_key="unused", max_retries=0, timeout=10) as client:
        yield client


def test_every_form_is_emulated() -> None:
    assert set(FORMS) == set(TEXT_FORMS)


@pytest.mark.parametrize("form", sorted(set(TEXT_FORMS) - ALONE))
def test_calls_in_the_text_by_their_marks(chat: openai.OpenAI, form: str) -> None:
    """`<tool_call>{…}</tool_call>`, `<invoke …>` and the others reach an OpenAI client as `tool_calls`."""
    first, *others = [loop(chat, way, f"auto/quirk-text-{form}", 2) for way in WAYS]
    assert [[call[1:] for call in calls] for calls in others] == [[call[1:] for call in first]] * 2
    for _, name, arguments in first:
        schema: Any = (WEATHER if name == "get_weather" else TIME)["function"]
        validate(json.loads(arguments), schema["parameters"])


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_calls_in_the_text_by_their_form(chat: openai.OpenAI, form: str) -> None:
    loop(chat, WAYS[1], f"{form}/quirk-text-{form}", 3)


@pytest.mark.parametrize("way", WAYS)
def test_the_text_before_the_calls_stays(chat: openai.OpenAI, way: Way) -> None:
    said = way(chat, model="auto/quirk-text-hermes", **ASK)
    assert (said.text, said.finish, len(said.calls)) == ("I look it up.", "tool_calls", 2)
    plain = way(chat, model="plain/quirk-text-hermes", **ASK)
    assert (plain.finish, plain.calls) == ("stop", [])
    assert plain.text.startswith("I look it up.\n\n<tool_call>\n{")


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_without_calls_is_untouched(chat: openai.OpenAI, way: Way) -> None:
    body: Any = {"messages": [{"role": "user", "content": "Say <tool_call> and [1, 2]"}]}
    assert way(chat, model="auto/quirk-text-hermes", **body).text == "You said: Say <tool_call> and [1, 2]"


def test_a_call_that_the_limit_cuts_off(chat: openai.OpenAI) -> None:
    """As calls are that come as such: cut, with the finish `length`."""
    said = WAYS[0](chat, model="auto/quirk-text-hermes", max_tokens=18, **ASK)
    assert (said.finish, len(said.calls)) == ("length", 1)
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(said.calls[0][2])


# --- tools in the prompt -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 20])
@pytest.mark.parametrize("way", WAYS)
def test_a_loop_with_tools_in_the_prompt(emulated: Emulation, chat: openai.OpenAI, way: Way, count: int) -> None:
    emulated.requests.clear()
    loop(chat, way, "prompted/quirk-prompted", count)
    sent = [request.body for request in emulated.requests]
    assert [{"tools", "tool_choice"} & body.keys() for body in sent] == [set(), set()]
    assert [message["role"] for message in sent[1]["messages"]] == ["system", "user", "assistant", "user"]


CHOICES: list[tuple[Any, int]] = [
    ("none", 0), ("required", 2), ({"type": "function", "function": {"name": "get_weather"}}, 1),
]  # fmt: skip


@pytest.mark.parametrize(("choice", "count"), CHOICES)
def test_a_choice_with_tools_in_the_prompt(chat: openai.OpenAI, choice: Any, count: int) -> None:
    messages: Any = [{"role": "user", "content": "0 rounds"}]
    said = WAYS[1](chat, model="prompted/quirk-prompted", messages=messages, tools=TOOLS, tool_choice=choice)
    assert (len(said.calls), said.finish) == (count, "tool_calls" if count else "stop")
    if count == 1:
        assert said.calls[0][1] == "get_weather"


def test_a_messages_client_with_tools_in_the_prompt(served: Served) -> None:
    tools: Any = [{"name": "get_time", "input_schema": TIME["function"]["parameters"]}]  # type: ignore[index]
    messages: Any = [{"role": "user", "content": "Please call 1 tool."}]
    with anthropic.Anthropic(base_url=served.base, api_key="unused", max_retries=0) as claude:
        model: Any = "prompted/quirk-prompted"
        first = claude.messages.create(model=model, max_tokens=500, tools=tools, messages=messages)
        text, call = first.content
        assert (text.type, call.type, first.stop_reason) == ("text", "tool_use", "tool_use")
        assert call.type == "tool_use"
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "noon"}
        messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        with claude.messages.stream(model=model, max_tokens=500, tools=tools, messages=messages) as stream:
            assert stream.get_final_text() == "The tools answered:\nget_time: noon"


# --- beside it ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("streamed", [False, True])
def test_reasoning_in_the_text(served: Served, streamed: bool) -> None:
    body = {
        "model": "plain/quirk-think-tags", "messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "low",
        "stream": streamed,
    }  # fmt: skip
    own = httpx2.post(f"{served.base}/v1/chat/completions", json={**body, "provider_options": {
        "openai-chat": {"reasoning_effort": "low"}}})  # fmt: skip
    if streamed:
        chunks = [json.loads(line[6:]) for line in own.text.splitlines() if line.startswith("data: {")]
        deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    else:
        deltas = [own.json()["choices"][0]["message"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "You said: hi"
    assert "".join(delta.get("reasoning_content") or "" for delta in deltas).startswith("The user says")


@pytest.mark.parametrize("way", WAYS)
def test_a_call_that_the_upstream_refused_is_read_from_its_error(chat: openai.OpenAI, way: Way) -> None:
    """Groq's `tool_use_failed` (openai-chat §8)."""
    said = way(chat, model="plain/quirk-tool-use-failed", **ASK)
    assert (said.finish, [name for _, name, _ in said.calls]) == ("tool_calls", ["get_time", "get_weather"])


def test_that_a_refused_call_was_read_is_told(served: Served) -> None:
    answer = httpx2.post(f"{served.base}/v1/chat/completions", json={**ASK, "model": "plain/quirk-tool-use-failed"})
    assert answer.headers["x-toolwire-warnings"] == (
        "a call that the upstream refused as malformed is read from its text"
    )


def test_what_was_mended_is_told(served: Served) -> None:
    """In a whole answer's header, and in the log of a stream."""
    body = {**ASK, "model": "auto/quirk-text-kimi-k2", "max_tokens": 20}
    answer = httpx2.post(f"{served.base}/v1/chat/completions", json=body)
    told = "an unfinished tool call is left in the text"
    assert answer.headers["x-toolwire-warnings"] == told
    assert answer.json()["choices"][0]["message"]["content"].startswith("I look it up.\n\n<|tool_calls_section_begin|>")
    served.logged.clear()
    with httpx2.stream("POST", f"{served.base}/v1/chat/completions", json={**body, "stream": True}) as stream:
        stream.read()
    (line,) = served.lines("request")
    assert told in line["warnings"]


def test_auto_leaves_what_has_no_mark(served: Served) -> None:
    answer = httpx2.post(f"{served.base}/v1/chat/completions", json={**ASK, "model": "auto/quirk-text-pythonic"})
    message = answer.json()["choices"][0]["message"]
    assert message["content"].startswith("[get_time(") and "tool_calls" not in message
