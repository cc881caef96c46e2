"""Every oddity that an emulated API can play is read as the plain answer; what it says in earnest stands in a table.

Calls in the text have their own tests: `tests/proxy/test_text_calls.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from adapters import json, registry
from adapters.compat import resolve
from adapters.errors import Malformed
from adapters.events import Event, Failed, fold
from adapters.format import Outgoing, Upstream
from adapters.model import Message, Reasoning, Request, Text, Thinking, Tool, ToolCall
from adapters.restore import Restorer
from adapters.tools.ids import RULES
from adapters.tools.recover import recoverer
from proxy.emulate.agent import plan
from proxy.emulate.api import Turn
from proxy.emulate.faults import mode
from proxy.emulate.usage import Usage
from tests.arriving import EMULATED, taken

Json = Any
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = (Tool("get_time", "The time in a city.", CITY), Tool("get_weather", "The weather in a city.", CITY))
HI = Message("user", (Text("Say something, please."),))
ASKED = {
    "calls": Request("m", (Message("user", (Text("Call both tools in parallel."),)),), TOOLS),
    "text": Request("m", (HI,), thinking=Thinking("low", visible=True)),
}
FLAGS: dict[str, dict[str, Json]] = {
    "openai-chat": {"reasoning_style": "effort", "repeats": ("continued", "reasoning")},
    "ollama-chat": {"text_tool_calls": "auto"},
}
IN_TEXT = ("prompted", "tool-use-failed", "actions-as-text")
QUIRKS = [
    (api, quirk) for api, emulated in EMULATED.items() for quirk in sorted(emulated.quirks)
    if not (api == "openai-chat" and quirk.startswith("text-")) and quirk not in IN_TEXT
]  # fmt: skip

ALWAYS, STREAMED, WHOLE = (True, False), (True,), (False,)
CALLS, TEXT = ("calls",), ("text",)
BOTH = (*CALLS, *TEXT)
UNEXPECTED = [("get_time", {"unexpected": True}), ("get_weather", {"unexpected": True})]
PREFIXED = [("default_api.get_time", {"city": "naïve café"}), ("default_api.get_weather", {"city": "O'Brien & Söhne"})]
NOTHING = {"calls": [], "text": "", "reasoning": ""}
EMPTY = {"calls": [("get_time", {}), ("get_weather", {})]}

EARNEST: dict[tuple[str, str], tuple[tuple[bool, ...], tuple[str, ...], Json]] = {
    ("openai-chat", "error-in-200"): (ALWAYS, BOTH, "api_error"),
    ("openai-chat", "finish-content-filter"): (STREAMED, BOTH, {"stop": "content_filter"}),
    ("openai-chat", "finish-error"): (STREAMED, BOTH, "api_error"),
    ("openai-responses", "content-filter"): (ALWAYS, BOTH, {"stop": "content_filter"}),
    ("openai-responses", "failed-only"): (ALWAYS, BOTH, "api_error"),
    ("openai-responses", "flat-error"): (STREAMED, BOTH, "api_error"),
    ("openai-responses", "no-terminal"): (STREAMED, BOTH, "malformed"),
    ("openai-responses", "quota-in-stream"): (STREAMED, BOTH, "billing_error"),
    ("anthropic-messages", "context-window"): (ALWAYS, BOTH, {"stop": "length"}),
    ("anthropic-messages", "sensitive"): (ALWAYS, BOTH, {"stop": "content_filter"}),
    ("anthropic-messages", "no-argument-deltas"): (STREAMED, CALLS, EMPTY),
    ("anthropic-messages", "no-message-stop"): (STREAMED, BOTH, "malformed"),
    ("anthropic-messages", "null-content"): (WHOLE, BOTH, "malformed"),
    ("anthropic-messages", "spliced"): (STREAMED, BOTH, "malformed"),
    ("google-gemini", "blocked-prompt"): (ALWAYS, BOTH, "content_filter"),
    ("google-gemini", "continuation"): (ALWAYS, TEXT, {"text": "You said: Say so", "stop": "length"}),
    ("google-gemini", "error-bare"): (STREAMED, BOTH, "overloaded_error"),
    ("google-gemini", "error-late"): (STREAMED, BOTH, "overloaded_error"),
    ("google-gemini", "error-without-code"): (STREAMED, BOTH, "overloaded_error"),
    ("google-gemini", "malformed-function-call"): (ALWAYS, BOTH, "invalid_tool_call"),
    ("google-gemini", "unexpected-tool-call"): (ALWAYS, BOTH, "invalid_tool_call"),
    ("google-gemini", "malformed-response"): (ALWAYS, BOTH, "malformed_response"),
    ("google-gemini", "other"): (ALWAYS, BOTH, "malformed_response"),
    ("google-gemini", "missing-thought-signature"): (ALWAYS, BOTH, "invalid_request_error"),
    ("google-gemini", "too-many-tool-calls"): (ALWAYS, BOTH, "api_error"),
    ("google-gemini", "max-tokens-empty"): (ALWAYS, BOTH, {**NOTHING, "stop": "length"}),
    ("google-gemini", "prohibited"): (ALWAYS, BOTH, {**NOTHING, "stop": "content_filter"}),
    ("google-gemini", "recitation"): (ALWAYS, BOTH, {**NOTHING, "stop": "content_filter"}),
    ("google-gemini", "undeclared-name"): (ALWAYS, CALLS, {"calls": PREFIXED}),
    ("google-gemini", "wrong-arguments"): (ALWAYS, CALLS, {"calls": UNEXPECTED}),
    ("mistral-chat", "error-late"): (STREAMED, BOTH, "api_error"),
    ("mistral-chat", "finish-error"): (ALWAYS, BOTH, "api_error"),
    ("mistral-chat", "finish-model-length"): (ALWAYS, BOTH, {"stop": "length"}),
    ("ollama-chat", "error-late"): (STREAMED, BOTH, "api_error"),
    ("ollama-chat", "error-late-status"): (STREAMED, BOTH, "api_error"),
    ("ollama-chat", "no-done"): (STREAMED, BOTH, "malformed"),
    ("ollama-chat", "text-after-calls"): (STREAMED, CALLS, {"text": "Calling now."}),
    ("ollama-chat", "think-tags"): (ALWAYS, TEXT, {"text": "\nYou said: Say something, please."}),
    ("cohere-chat", "error-finish"): (ALWAYS, BOTH, "api_error"),
    ("cohere-chat", "error-late"): (STREAMED, BOTH, "api_error"),
    ("cohere-chat", "error-limit"): (ALWAYS, BOTH, "overloaded_error"),
    ("cohere-chat", "timeout"): (ALWAYS, BOTH, "timeout_error"),
    ("cohere-chat", "no-argument-deltas"): (STREAMED, CALLS, EMPTY),
    ("cohere-chat", "no-message-end"): (STREAMED, BOTH, "malformed"),
    ("cohere-chat", "no-tool-plan"): (ALWAYS, CALLS, {"reasoning": ""}),
    ("bedrock-converse", "broken-input"): (STREAMED, CALLS, "arguments"),
    ("bedrock-converse", "context-window"): (ALWAYS, BOTH, {"stop": "length"}),
    ("bedrock-converse", "guardrail"): (ALWAYS, BOTH, {"stop": "content_filter"}),
    ("bedrock-converse", "json-body"): (STREAMED, BOTH, "malformed"),
    ("bedrock-converse", "malformed-output"): (ALWAYS, BOTH, "malformed_response"),
    ("bedrock-converse", "malformed-tool-use"): (ALWAYS, BOTH, "invalid_tool_call"),
    ("bedrock-converse", "no-input-deltas"): (STREAMED, CALLS, EMPTY),
    ("bedrock-converse", "no-message-stop"): (STREAMED, BOTH, "malformed"),
    ("bedrock-converse", "no-output"): (WHOLE, BOTH, "malformed"),
    ("bedrock-converse", "error-message-late"): (STREAMED, BOTH, "api_error"),
    ("bedrock-converse", "model-error-late"): (STREAMED, BOTH, "api_error"),
    ("bedrock-converse", "throttled-late"): (STREAMED, BOTH, "rate_limit_error"),
    ("bedrock-converse", "timeout-late"): (STREAMED, BOTH, "timeout_error"),
    ("bedrock-converse", "unavailable-late"): (STREAMED, BOTH, "overloaded_error"),
    ("bedrock-converse", "validation-late"): (STREAMED, BOTH, "invalid_request_error"),
}
"""Quirk -> where it shows, in which answers, what is then read otherwise: members of the answer, or a failure."""


@pytest.mark.parametrize(("api", "quirk"), QUIRKS, ids=[f"{api}-{quirk}" for api, quirk in QUIRKS])
def test_what_is_read(api: str, quirk: str) -> None:
    ways, answers, earnest = EARNEST.get((api, quirk), ((), (), {}))
    for asked in BOTH:
        for stream in ALWAYS:
            expected: Json = plain(api, asked, stream)
            if stream in ways and asked in answers:
                expected = earnest if isinstance(earnest, str) else {**expected, **earnest}
            assert read(api, f"quirk-{quirk}", ASKED[asked], stream) == expected, (asked, stream)


def test_every_row_is_of_a_quirk() -> None:
    assert EARNEST.keys() <= set(QUIRKS)


def test_a_continued_message_that_comes_again() -> None:
    """xAI gives the client's last assistant message once more."""
    asked = replace(ASKED["text"], messages=(HI, Message("assistant", (Text("You "),))))
    assert read("openai-chat", "quirk-continued-repeated", asked, True) == read("openai-chat", "agent", asked, True)


@cache
def plain(api: str, asked: str, stream: bool) -> Json:
    """As the agent answers without any oddity: just what it plans to say."""
    made = read(api, "agent", ASKED[asked], stream)
    if asked == "calls":
        assert (len(made["calls"]), made["stop"]) == (2, "tool_calls")
    else:
        assert (made["text"], made["stop"]) == ("You said: Say something, please.", "stop")
    return made


def read(api: str, model: str, request: Request, stream: bool) -> Json:
    """The answer to a request, by its members; or the type of a failure."""
    known = registry.api(api)
    assert known is not None
    upstream = Upstream(model, "o", resolve(api, None, FLAGS.get(api, {})))
    outgoing = known.encode(replace(request, stream=stream), upstream)
    body, streamed = _sent(api, outgoing, stream)
    ids = iter(range(99))
    restorer = Restorer(outgoing.reading, RULES[api], lambda n: f"{next(ids):0{n}}", recoverer(outgoing.reading, print))
    try:
        if not streamed:
            return _members(restorer.feed(known.whole(body, outgoing.reading, {})))
        decoder = known.decoder(outgoing.reading)
        return _members(restorer.feed([*decoder.feed(body), *decoder.close()]))
    except Malformed:
        return "malformed"


def _sent(api: str, outgoing: Outgoing, stream: bool) -> tuple[bytes, bool]:
    """The answer's body, and whether it is a stream after all."""
    emulated, ask = EMULATED[api], taken(api, outgoing)
    turn = Turn(ask, plan(ask.task), Usage(30, 20, 10, 0, 5), mode(ask.model, emulated.quirks))
    if not stream:
        return emulated.whole(turn).body, False
    made = emulated.stream(turn)
    is_whole = dict(made.headers)["content-type"].startswith("application/json")
    return b"".join(frame.data for frame in made.frames), not is_whole


def _members(events: Iterable[Event]) -> Json:
    events = list(events)
    if failed := [event.failure.type for event in events if isinstance(event, Failed)]:
        return failed[0]
    answer = fold(events)
    try:
        calls = [(part.name, json.loads(part.arguments or "{}")) for part in answer.parts if isinstance(part, ToolCall)]
    except ValueError:
        return "arguments"
    text = "".join(part.text for part in answer.parts if isinstance(part, Text))
    reasoning = "".join(part.text for part in answer.parts if isinstance(part, Reasoning))
    return {"calls": calls, "text": text, "reasoning": reasoning, "stop": answer.stop}
