"""Signed reasoning that an upstream cannot verify: refused, left out, tried once more (wire pages, 2026-11)."""

import pytest

from adapters import json, registry
from adapters.compat import defaults
from adapters.errors import Failure
from adapters.format import Mends, Upstream
from adapters.model import Message, Reasoning, Request, Text, Thinking, Tool, ToolCall, ToolResult

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
INVALID = "messages.1.content.0: Invalid `signature` in `thinking` block"
UNREADABLE = "The encrypted content gAAA...A== could not be verified. Reason: Encrypted content could not be decrypted."


def openai(message, code=None):
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


DETAILS = [{"type": "reasoning.text", "text": "Hm.", "signature": "SIGN"}]
APIS = {
    "openai-responses": (
        "gpt-5",
        Reasoning("Hm.", "openai-responses", id="rs_1", data="SIGN", sections=("Hm.",)),
        openai(UNREADABLE, "invalid_encrypted_content"),
    ),
    "openai-chat": (
        "anthropic/claude-opus-4.6",
        Reasoning("Hm.", "openai-chat", signature="SIGN", extras={"openai-chat": {"reasoning_details": DETAILS}}),
        openai(f"Provider returned error: {INVALID}"),
    ),
    "anthropic-messages": (
        "claude-opus-4-6",
        Reasoning("Hm.", "anthropic-messages", signature="SIGN"),
        {"type": "error", "error": {"type": "invalid_request_error", "message": INVALID}},
    ),
    "bedrock-converse": (
        "anthropic.claude-opus-4-6-v1",
        Reasoning("Hm.", "bedrock-converse", signature="SIGN"),
        {"message": f"The model returned the following errors: {INVALID}"},
    ),
}
FLAGS = {"reasoning_style": "reasoning", "reasoning_echo": "reasoning_details"}


def asked(block):
    turn = Message("assistant", (block, ToolCall("call_1", "f", "{}")))
    messages = (Message("user", (Text("go"),)), turn, Message("tool", (ToolResult("call_1", (Text("ok"),)),)))
    return Request("m", messages, (Tool("f", "d", CITY),), thinking=Thinking("low"))


@pytest.mark.parametrize("name", APIS)
def test_refused_reasoning_is_left_out_and_said(name):
    model, block, error = APIS[name]
    api = registry.api(name)
    upstream = Upstream(model, "here/it", {**defaults(name), **FLAGS} if name == "openai-chat" else defaults(name))
    request = asked(block)
    assert b"SIGN" in api.encode(request, upstream).body
    failure = api.failure(400, {}, json.dumps(error))
    assert failure.type == "invalid_request_error"
    assert isinstance(api, Mends)
    changed = api.mended(request, upstream, failure)
    assert changed is not None
    outgoing = api.encode(changed, upstream)
    assert b"SIGN" not in outgoing.body
    assert "reasoning of another provider or model is left out of the history" in outgoing.warnings
    assert api.mended(changed, upstream, failure) is None, "once"


@pytest.mark.parametrize("name", APIS)
@pytest.mark.parametrize(
    "failure",
    [
        Failure("invalid_request_error", "messages.1: unexpected role", 400),
        Failure("api_error", INVALID, 500),
        Failure("rate_limit_error", "slow down", 429),
    ],
)
def test_other_failures_change_nothing(name, failure):
    model, block, _ = APIS[name]
    assert registry.api(name).mended(asked(block), Upstream(model, "here/it", defaults(name)), failure) is None
