"""Signed thinking: what comes back unchanged is taken, what is changed, moved, foreign or missing is not."""

import copy
from typing import Any

import pytest

from proxy.emulate.agent import plan
from proxy.emulate.anthropic_answer import blocks_of
from proxy.emulate.anthropic_messages import API
from proxy.emulate.anthropic_thinking import BINDING_BETA, Seal, digest, opened, sign
from proxy.emulate.api import Received, Refused, Turn
from proxy.emulate.faults import mode
from proxy.emulate.usage import Usage

Json = Any
TOOL = {"name": "f", "input_schema": {"type": "object", "properties": {}}}


def received(body: Json, beta: str = "") -> Received:
    headers = {"anthropic-version": "2023-06-01", "anthropic-beta": beta}
    return Received("anthropic-messages", "POST", "/v1/messages", {}, {}, headers, b"", body)


def request(thinking: Json, text: str = "hi", model: str = "agent") -> Json:
    messages = [{"role": "user", "content": text}]
    body = {"model": model, "max_tokens": 4096, "messages": messages, "tools": [TOOL]}
    return {**body, "thinking": thinking} if thinking else body


def answer(body: Json) -> list[Json]:
    ask = API.read(received(body))
    return blocks_of(Turn(ask, plan(ask.task), Usage(1, 1), mode(ask.model)))


def continued(body: Json, blocks: list[Json]) -> Json:
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call, "content": "ok"} for call in calls]
    turn = [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return {**copy.deepcopy(body), "messages": [*body["messages"], *copy.deepcopy(turn)]}


def refused(body: Json, beta: str = "") -> str:
    with pytest.raises(Refused) as caught:
        API.read(received(body, beta))
    assert caught.value.reply.status == 400
    return str(caught.value)


BUDGET = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
INVALID = "Invalid `signature` in `thinking` block"
MODIFIED = "cannot be modified"


def test_a_seal_opens_only_over_its_own_text() -> None:
    seal = Seal("0123456789abcdef", 0, 1)
    assert opened(sign(seal, "héllo"), "héllo") == seal
    assert opened(sign(seal, "héllo"), "hello") is None
    for foreign in ("", "x", "EqQBCgIYAhIkODFh", sign(seal, "a")[:-4] + "AAAA"):
        assert opened(foreign, "a") is None


@pytest.mark.parametrize("thinking", [BUDGET, ADAPTIVE])
@pytest.mark.parametrize("text", ["hi", "REDACTED_THINKING please"])
def test_unchanged_blocks_are_taken(thinking: Json, text: str) -> None:
    body = request(thinking, text)
    blocks = answer(body)
    kinds = [block["type"] for block in blocks]
    redacted = ["redacted_thinking"] if "REDACTED" in text else []
    assert kinds == ["thinking", *redacted, "text", "tool_use"]
    API.read(received(continued(body, blocks)))


def test_changed_text_is_refused() -> None:
    body = request(BUDGET)
    blocks = answer(body)
    blocks[0]["thinking"] += "."
    assert f"messages.1.content.0: {INVALID}" in refused(continued(body, blocks))


@pytest.mark.parametrize("signature", ["", "foreign", "EqQBCgIYAhIkODFh"])
def test_foreign_and_empty_signatures_are_refused(signature: str) -> None:
    body = request(BUDGET)
    blocks = answer(body)
    blocks[0]["signature"] = signature
    assert "signature" in refused(continued(body, blocks))


def test_a_missing_signature_is_refused() -> None:
    body = request(BUDGET)
    blocks = answer(body)
    del blocks[0]["signature"]
    assert "messages.1.content.0.thinking.signature: Field required" in refused(continued(body, blocks))


def test_a_moved_block_is_refused() -> None:
    body = request(ADAPTIVE)
    first, *others = answer(body)
    assert MODIFIED in refused(continued(body, [*others[:1], first, *others[1:]]))


def test_a_lost_block_beside_another_is_refused() -> None:
    body = request(ADAPTIVE, "REDACTED_THINKING")
    blocks = answer(body)
    assert MODIFIED in refused(continued(body, [blocks[0], *blocks[2:]]))


def test_changed_redacted_data_is_refused() -> None:
    body = request(ADAPTIVE, "REDACTED_THINKING")
    blocks = answer(body)
    blocks[1]["data"] = "x" + blocks[1]["data"][1:]
    assert "Invalid `data` in `redacted_thinking` block" in refused(continued(body, blocks))


def test_a_budget_needs_the_thinking_of_a_tool_turn() -> None:
    body = request(BUDGET)
    lost = continued(body, answer(body)[1:])
    message = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`."
    assert message in refused(lost)
    API.read(received({**lost, "thinking": {"type": "disabled"}}))
    API.read(received({**lost, "thinking": ADAPTIVE}))


def test_older_turns_may_lose_their_thinking() -> None:
    body = request(BUDGET)
    lost = continued(body, answer(body)[1:])
    lost["messages"] += [{"role": "assistant", "content": "done"}, {"role": "user", "content": "and now?"}]
    API.read(received(lost))


@pytest.mark.parametrize("change", ["system", "tools", "message"])
def test_bound_models_refuse_an_edited_prefix(change: str) -> None:
    body = request(ADAPTIVE, model="agent-claude-opus-5-5")
    later = continued(body, answer(body))
    API.read(received(later))
    match change:
        case "system":
            later["system"] = "be kind"
        case "tools":
            later["tools"].append({**TOOL, "name": "g"})
        case "message":
            later["messages"][0]["content"] = "hi!"
    assert f"{INVALID}. The block is bound to a different conversation" in refused(later)
    API.read(received({**later, "model": "agent-claude-opus-4-8"}))
    dropping = {**ADAPTIVE, "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    API.read(received({**later, "thinking": dropping}, BINDING_BETA))
    assert "block_binding" in refused({**later, "thinking": dropping})


def test_cache_marks_and_the_form_of_text_do_not_count() -> None:
    body = request(ADAPTIVE)
    other = copy.deepcopy(body)
    mark = {"cache_control": {"type": "ephemeral"}}
    other["messages"][0]["content"] = [{"type": "text", "text": "hi", **mark}]
    other["tools"][0] |= mark
    other["system"] = []
    assert digest(other, 1) == digest(body, 1)


@pytest.mark.parametrize(
    ("model", "thinking", "expected"),
    [
        ("agent", None, None),
        ("agent", ADAPTIVE, True),
        ("agent", {**ADAPTIVE, "display": "omitted"}, False),
        ("agent-claude-opus-4-8", ADAPTIVE, False),
        ("agent-claude-opus-4-8", {**ADAPTIVE, "display": "summarized"}, True),
        ("agent-claude-opus-4-8", None, None),
        ("agent-claude-opus-5", None, False),
        ("agent-claude-opus-5", {"type": "disabled"}, None),
        ("agent-claude-sonnet-5-5", {"type": "between_tools"}, None),
    ],
)
def test_when_thinking_is_shown(model: str, thinking: Json, expected: bool | None) -> None:
    found = [block for block in answer(request(thinking, model=model)) if block["type"] == "thinking"]
    assert [bool(block["thinking"]) for block in found] == ([] if expected is None else [expected])


def test_thinking_between_calls() -> None:
    for thinking, beta, expected in (
        (ADAPTIVE, "", True),
        (BUDGET, "", False),
        (BUDGET, "interleaved-thinking-2025-05-14", True),
        ({"type": "between_tools"}, "", True),
    ):
        body = request(thinking)
        later = continued(body, answer(body))
        assert API.read(received(later, beta)).task.reasoning is expected


def test_a_forced_call_comes_without_thinking_and_without_words() -> None:
    body = {**request(ADAPTIVE), "tool_choice": {"type": "any"}}
    assert [block["type"] for block in answer(body)] == ["tool_use"]
