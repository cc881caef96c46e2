"""Mistral's chat answers, whole and streamed (mistral-chat §6, §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.emulate.api import CREATED, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.mistral_quirks import CHUNKS, Chunk
from proxy.emulate.sse import HEADERS, WRITING, data

Json = Any

QUIRKS = frozenset({*CHUNKS, *WRITING})

PIECE = 12
"""Characters in one delta."""

JSON_HEADERS = (("content-type", "application/json"), ("x-kong-request-id", "emulated"))

_FINISH = {"length": "length", "tool_calls": "tool_calls"}


def whole(turn: Turn) -> Reply:
    """The `chat.completion` object."""
    choices = [
        {"index": index, "finish_reason": _finish(turn), "message": _message(turn, index)} for index in _choices(turn)
    ]
    chunk = Chunk("end", {**_head(turn, "chat.completion"), "choices": choices, "usage": usage(turn)})
    (played,) = CHUNKS.get(turn.mode.quirk, list)([chunk])[:1]
    return Reply(200, dumps(played.body), JSON_HEADERS)


def _message(turn: Turn, choice: int) -> Json:
    """A model that reasons gives chunks, others a text."""
    text = _prefix(turn) + (turn.plan.text or "")
    content: Json = text
    if turn.plan.reasoning is not None:
        content = [_thinking(turn.plan.reasoning), *([{"type": "text", "text": text}] if text else [])]
    calls = {"tool_calls": _calls(turn, choice)} if turn.plan.calls else {}
    return {"role": "assistant", "content": content, **(calls or {"tool_calls": None})}


def _prefix(turn: Turn) -> str:
    """What the answer begins with because the client began it."""
    last = turn.ask.body["messages"][-1]
    if last["role"] != "assistant":
        return ""
    content = last.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _thinking(text: str) -> Json:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}


def _calls(turn: Turn, choice: int) -> list[Json]:
    """Calls without a type, as the API's own models give them."""
    return [
        {
            "id": identifier(turn.ask, f"call {choice} {index}", 9),
            "function": {"name": call.name, "arguments": call.text},
            "index": index,
        }
        for index, call in enumerate(turn.plan.calls)
    ]


def _choices(turn: Turn) -> range:
    return range(turn.ask.body.get("n") or 1)


def _finish(turn: Turn) -> str:
    return _FINISH.get(turn.plan.finish, "stop")


def usage(turn: Turn) -> Json:
    """Cached tokens are part of the prompt; reasoning is not told apart."""
    spent = turn.usage
    found: Json = {
        "prompt_tokens": spent.prompt,
        "total_tokens": spent.prompt + spent.output,
        "completion_tokens": spent.output,
    }
    if spent.cached:
        found |= {"num_cached_tokens": spent.cached, "prompt_tokens_details": {"cached_tokens": spent.cached}}
    return found


def _head(turn: Turn, kind: str) -> dict[str, Json]:
    return {"id": identifier(turn.ask, "answer", 32), "created": CREATED, "model": turn.ask.model, "object": kind}


# streams


def stream(turn: Turn) -> Stream:
    """The chunks and `[DONE]`; with the oddity that the model name asks for."""
    quirk = turn.mode.quirk
    frames = [Frame(chunk.kind, data(chunk.body)) for chunk in CHUNKS.get(quirk, list)(list(_chunks(turn)))]
    if quirk != "no-done":
        frames.append(Frame("end", b"data: [DONE]\n\n"))
    if quirk in WRITING:
        frames = [Frame(frame.kind, WRITING[quirk](frame.data, index)) for index, frame in enumerate(frames)]
    return Stream((*HEADERS, ("x-kong-request-id", "emulated")), frames)


def _chunks(turn: Turn) -> Iterator[Chunk]:
    head = _head(turn, "chat.completion.chunk")

    def chunk(kind: Any, choice: int, delta: Json, finish: str | None = None, **more: Json) -> Chunk:
        return Chunk(kind, {**head, "choices": [{"index": choice, "delta": delta, "finish_reason": finish}], **more})

    yield from (chunk("start", choice, {"role": "assistant", "content": ""}) for choice in _choices(turn))
    for delta in _deltas(turn):
        yield from (chunk("content", choice, dict(delta)) for choice in _choices(turn))
    for choice in _choices(turn):
        last: Json = {"content": ""}
        if calls := _calls(turn, choice):
            last["tool_calls"] = calls
            if turn.mode.kind != "agent":  # a fault needs content before the end
                yield chunk("content", choice, last)
                last = {"content": ""}
        spent = {"usage": usage(turn)} if choice == _choices(turn)[-1] else {}
        yield chunk("end", choice, last, _finish(turn), **spent)


def _deltas(turn: Turn) -> Iterator[Json]:
    """Thinking comes as a list of chunks, the text after it as plain text. Calls come with the finish."""
    for piece in pieces(turn.plan.reasoning or ""):
        yield {"content": [_thinking(piece)]}
    for piece in pieces(_prefix(turn) + (turn.plan.text or "")):
        yield {"content": piece}


def pieces(text: str) -> list[str]:
    """A text in deltas."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
