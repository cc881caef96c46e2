"""OpenAI Chat Completions answers, whole and streamed (openai-chat §4, §5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from proxy.emulate import openai_chat_text as text_calls
from proxy.emulate.agent import Call, cut, plan
from proxy.emulate.api import CREATED, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.openai_chat_families import has_details, signature
from proxy.emulate.openai_chat_quirks import CHUNKS, Chunk, as_error, quirks_of_whole
from proxy.emulate.sse import HEADERS, WRITING, data

Json = Any

CONTINUED = "continued-repeated"
"""The quirk of a host that gives the last assistant message once more before it goes on from it (xAI)."""

QUIRKS = frozenset(
    {*CHUNKS, *WRITING, *text_calls.QUIRKS, text_calls.REFUSED, CONTINUED, "json-body", "error-in-200"}
)

PIECE = 12
"""Characters in one delta."""

JSON_HEADERS = (("content-type", "application/json"), ("x-request-id", "req_emulated"))


def whole(turn: Turn) -> Reply:
    """The `chat.completion` object."""
    if turn.mode.quirk == "error-in-200":
        return Reply(200, dumps(as_error()), JSON_HEADERS)
    turn = _in_text(turn)
    choices = [
        {"index": index, "message": _message(turn, index), "logprobs": None, "finish_reason": _finish(turn)}
        for index in _choices(turn)
    ]
    for choice in choices:
        choice["logprobs"] = _logprobs(turn, turn.plan.text or "")
    body = {**_head(turn, "chat.completion"), "choices": choices, "usage": usage(turn)}
    return Reply(200, dumps(quirks_of_whole(body, turn.mode.quirk)), JSON_HEADERS)


def _in_text(turn: Turn) -> Turn:
    """The turn of a model that writes its calls into the text; a limit cuts that text."""
    quirk, task = turn.mode.quirk, turn.ask.task
    if quirk not in text_calls.QUIRKS:
        return turn
    whole = text_calls.written(plan(replace(task, max_tokens=None)), quirk)
    return replace(turn, plan=whole if task.max_tokens is None else cut(whole, task.max_tokens))


def _message(turn: Turn, choice: int) -> Json:
    plan = turn.plan
    refused = plan.finish == "refusal"
    text = plan.text if plan.calls else plan.text or ""
    message: Json = {
        "role": "assistant",
        "content": None if refused else text,
        "refusal": plan.text if refused else None,
    }
    message |= {"annotations": []}
    if plan.reasoning and has_details(turn.mode.family):
        message |= {"reasoning": plan.reasoning}
        message |= {"reasoning_details": [_detail(text=plan.reasoning, signature=signature(plan.reasoning))]}
    elif plan.reasoning:
        message |= {"reasoning_content": plan.reasoning}
    if plan.calls and _is_legacy(turn):
        message |= {"function_call": {"name": plan.calls[0].name, "arguments": plan.calls[0].text}}
    elif plan.calls:
        message |= {"tool_calls": [_call(turn, choice, index) for index in range(len(plan.calls))]}
    return message


def stream(turn: Turn) -> Stream:
    """The chunks, the usage chunk if asked for, and `[DONE]`; with the oddity that the model name asks for."""
    quirk = turn.mode.quirk
    if quirk in ("json-body", "error-in-200"):
        return Stream(JSON_HEADERS, [Frame("content", whole(turn).body), Frame("end", b"\n")])
    chunks = list(_chunks(_in_text(turn)))
    if quirk in CHUNKS:
        chunks = CHUNKS[quirk](chunks)
    frames = [Frame(chunk.kind, data(chunk.body)) for chunk in chunks]
    if quirk != "no-done":
        frames.append(Frame("end", b"data: [DONE]\n\n"))
    if quirk in WRITING:
        frames = [Frame(frame.kind, WRITING[quirk](frame.data, index)) for index, frame in enumerate(frames)]
    return Stream(HEADERS, frames)


def _chunks(turn: Turn) -> Iterator[Chunk]:
    options = turn.ask.body.get("stream_options") or {}
    head = _head(turn, "chat.completion.chunk")
    tail: Json = {"usage": None} if options.get("include_usage") else {}
    if options.get("include_obfuscation") is not False:
        tail |= {"obfuscation": "tW3xQ9"}

    def chunk(kind: Any, choice: int, delta: Json, finish: str | None = None) -> Chunk:
        probabilities = _logprobs(turn, delta.get("content") or "") if kind == "content" else None
        body = {"index": choice, "delta": delta, "logprobs": probabilities, "finish_reason": finish}
        return Chunk(kind, {**head, "choices": [body], **tail})

    first = {"role": "assistant", "content": None if turn.plan.calls else "", "refusal": None}
    yield from (chunk("start", choice, dict(first)) for choice in _choices(turn))
    for together in zip(*(_deltas(turn, choice) for choice in _choices(turn)), strict=True):
        yield from (chunk("content", choice, delta) for choice, delta in enumerate(together))
    yield from (chunk("end", choice, {}, _finish(turn)) for choice in _choices(turn))
    if options.get("include_usage"):
        yield Chunk("end", {**head, "choices": [], "usage": usage(turn)})


def _deltas(turn: Turn, choice: int) -> Iterator[Json]:
    """Reasoning, text, then every call: opened first, its arguments after."""
    plan = turn.plan
    field = "refusal" if plan.finish == "refusal" else "content"
    if plan.reasoning and has_details(turn.mode.family):
        for piece in pieces(plan.reasoning):
            yield {"reasoning": piece, "reasoning_details": [_detail(text=piece)]}
        yield {"reasoning_details": [_detail(signature=signature(plan.reasoning))]}
    else:
        yield from ({"reasoning_content": piece} for piece in pieces(plan.reasoning or ""))
    last = turn.ask.body["messages"][-1]
    if turn.mode.quirk == CONTINUED and last["role"] == "assistant" and last.get("content"):
        yield {field: last["content"]}
    yield from ({field: piece} for piece in pieces(plan.text or ""))
    for index, call in enumerate(plan.calls):
        if _is_legacy(turn):
            yield {"function_call": {"name": call.name, "arguments": ""}}
            yield from ({"function_call": {"arguments": piece}} for piece in pieces(call.text))
            continue
        yield {"tool_calls": [{"index": index, **_call(turn, choice, index, "")}]}
        kind, member = _kind(turn, call), _member(turn, call)
        for piece in pieces(call.text):
            yield {"tool_calls": [{"index": index, kind: {member: piece}}]}


def _detail(**members: str) -> Json:
    return {"type": "reasoning.text", **members, "format": "anthropic-claude-v1", "index": 0}


def _call(turn: Turn, choice: int, index: int, text: str | None = None) -> Json:
    """A call of the answer; `text` replaces its arguments."""
    call = turn.plan.calls[index]
    kind = _kind(turn, call)
    inside = {"name": call.name, _member(turn, call): call.text if text is None else text}
    return {"id": "call_" + identifier(turn.ask, f"call {choice} {index}"), "type": kind, kind: inside}


def _kind(turn: Turn, call: Call) -> str:
    custom = any(tool.name == call.name and tool.schema is None for tool in turn.ask.task.tools)
    return "custom" if custom else "function"


def _member(turn: Turn, call: Call) -> str:
    return "input" if _kind(turn, call) == "custom" else "arguments"


def _is_legacy(turn: Turn) -> bool:
    return bool(turn.ask.body.get("functions"))


def _choices(turn: Turn) -> range:
    return range(turn.ask.body.get("n") or 1)


def _finish(turn: Turn) -> str:
    """Calls of a forced function finish with `stop`, as OpenAI's do."""
    match turn.plan.finish:
        case "tool_calls" if _is_legacy(turn):
            return "function_call"
        case "tool_calls" if isinstance(choice := turn.ask.body.get("tool_choice"), dict):
            return "tool_calls" if choice["type"] == "allowed_tools" else "stop"
        case "stop_sequence" | "refusal":
            return "stop"
        case finish:
            return finish


def _logprobs(turn: Turn, text: str) -> Json:
    if not turn.ask.body.get("logprobs"):
        return None
    most = turn.ask.body.get("top_logprobs") or 0
    entries = []
    for token in pieces(text, 4):
        entry = {"token": token, "logprob": -0.25, "bytes": list(token.encode("utf-8", "replace"))}
        entries.append({**entry, "top_logprobs": [entry][:most]})
    return {"content": entries, "refusal": None}


def pieces(text: str, size: int = PIECE) -> list[str]:
    """A text in deltas."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def usage(turn: Turn) -> Json:
    """Cached and reasoning tokens are parts of prompt and completion."""
    spent = turn.usage
    return {
        "prompt_tokens": spent.prompt,
        "completion_tokens": spent.output,
        "total_tokens": spent.prompt + spent.output,
        "prompt_tokens_details": {"cached_tokens": spent.cached, "cache_write_tokens": 0, "audio_tokens": 0},
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
