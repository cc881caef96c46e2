"""OpenAI Chat Completions answers, whole and streamed (openai-chat §4, §5), and the oddities of its imitators (§6)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.agent import Call
from proxy.emulate.api import CREATED, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.sse import HEADERS, data

Json = Any

QUIRKS = frozenset({"onechunk"})

PIECE = 12
"""Characters in one delta."""

FINISH = {"stop_sequence": "stop", "refusal": "stop"}


def whole(turn: Turn) -> Reply:
    """The `chat.completion` object."""
    plan = turn.plan
    refused = plan.finish == "refusal"
    message: Json = {
        "role": "assistant",
        "content": None if refused else plan.text,
        "refusal": plan.text if refused else None,
    }
    message["annotations"] = []
    if plan.reasoning:
        message["reasoning_content"] = plan.reasoning
    if plan.calls:
        message["tool_calls"] = [call_object(turn, index) for index in range(len(plan.calls))]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": FINISH.get(plan.finish, plan.finish)}
    head = {**_head(turn, "chat.completion"), "choices": [choice], "usage": usage(turn)}
    return Reply(200, dumps(head), (("content-type", "application/json"), ("x-request-id", "req_emulated")))


def stream(turn: Turn) -> Stream:
    """The chunks, the usage chunk if asked for, and `[DONE]`."""
    head = {**_head(turn, "chat.completion.chunk")}
    asked = (turn.ask.body.get("stream_options") or {}).get("include_usage")
    tail: Json = {"usage": None} if asked else {}

    def chunk(kind: Any, delta: Json, finish: str | None = None) -> Frame:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return Frame(kind, data({**head, "choices": [choice], **tail}))

    finish = FINISH.get(turn.plan.finish, turn.plan.finish)
    if turn.mode.quirk == "onechunk" and turn.plan.calls:
        calls = [{"index": index, **call_object(turn, index)} for index in range(len(turn.plan.calls))]
        frames = [chunk("content", {"role": "assistant", "content": None, "tool_calls": calls}, finish)]
    else:
        first = {"role": "assistant", "content": None if turn.plan.calls else "", "refusal": None}
        frames = [chunk("start", first), *(chunk("content", delta) for delta in deltas(turn)), chunk("end", {}, finish)]
    if asked:
        frames.append(Frame("end", data({**head, "choices": [], "usage": usage(turn)})))
    return Stream(HEADERS, [*frames, Frame("end", b"data: [DONE]\n\n")])


def deltas(turn: Turn) -> list[Json]:
    """Reasoning, text, then every call: opened first, its arguments after."""
    plan = turn.plan
    field = "refusal" if plan.finish == "refusal" else "content"
    found: list[Json] = [{"reasoning_content": piece} for piece in pieces(plan.reasoning or "")]
    found += [{field: piece} for piece in pieces(plan.text or "")]
    for index, call in enumerate(plan.calls):
        opened = {"index": index, **call_object(turn, index, "")}
        found.append({"tool_calls": [opened]})
        found += [
            {"tool_calls": [{"index": index, _kind(turn, call): {_field(turn, call): piece}}]}
            for piece in pieces(call.text)
        ]
    return found


def call_object(turn: Turn, index: int, text: str | None = None) -> Json:
    """A call of the answer; `text` replaces its arguments."""
    call = turn.plan.calls[index]
    kind = _kind(turn, call)
    inside = {"name": call.name, _field(turn, call): call.text if text is None else text}
    return {"id": "call_" + identifier(turn.ask, f"call {index}"), "type": kind, kind: inside}


def _kind(turn: Turn, call: Call) -> str:
    custom = any(tool.name == call.name and tool.schema is None for tool in turn.ask.task.tools)
    return "custom" if custom else "function"


def _field(turn: Turn, call: Call) -> str:
    return "input" if _kind(turn, call) == "custom" else "arguments"


def pieces(text: str) -> list[str]:
    """A text in deltas."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def usage(turn: Turn) -> Json:
    """Cached and reasoning tokens are parts of prompt and completion."""
    spent = turn.usage
    return {
        "prompt_tokens": spent.prompt,
        "completion_tokens": spent.output,
        "total_tokens": spent.prompt + spent.output,
        "prompt_tokens_details": {"cached_tokens": spent.cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": spent.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _head(turn: Turn, kind: str) -> dict[str, Json]:
    return {
        "id": "chatcmpl-" + identifier(turn.ask, "answer"),
        "object": kind,
        "created": CREATED,
        "model": turn.ask.model,
        "service_tier": "default",
        "system_fingerprint": "fp_emulated",
    }
