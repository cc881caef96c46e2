"""Anthropic Messages answers, whole and streamed (anthropic-messages §9–§11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.emulate.anthropic_families import family
from proxy.emulate.anthropic_quirks import EVENTS, STOPS, Event, whole_quirk
from proxy.emulate.anthropic_thinking import Seal, digest, sign
from proxy.emulate.api import Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.sse import HEADERS, WRITING, event

Json = Any

QUIRKS = frozenset({*EVENTS, *STOPS, *WRITING, "null-content", "pause-turn", "empty-after-results"})

PIECE = 12
"""Characters in one delta."""

TOKEN_COUNT_BETA = "thinking-token-count-2026-05-13"

JSON_HEADERS = (("content-type", "application/json"), ("request-id", "req_emulated"))

_STOP = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "stop_sequence": "stop_sequence",
    "refusal": "refusal",
}


def whole(turn: Turn) -> Reply:
    """The message."""
    message = {**_head(turn), "content": blocks_of(turn), **_stop(turn), "usage": usage(turn)}
    return Reply(200, dumps(whole_quirk(message, turn.mode.quirk)), JSON_HEADERS)


def blocks_of(turn: Turn) -> list[Json]:
    """Thinking, text and calls as whole blocks; a call that was cut has no input."""
    plan = turn.plan
    if plan.finish == "refusal" or (turn.mode.quirk == "empty-after-results" and turn.ask.task.results):
        return []
    found = list(_thinking(turn))
    if plan.text:
        found.append({"type": "text", "text": plan.text, "citations": None})
    if _pauses(turn):
        server = {"type": "server_tool_use", "id": "srvtoolu_" + identifier(turn.ask, "search"), "name": "web_search"}
        found.append({**server, "input": {"query": plan.text}})
    for index, call in enumerate(plan.calls):
        head = {"type": "tool_use", "id": "toolu_" + identifier(turn.ask, f"call {index}"), "name": call.name}
        broken = {"unexpected": True} if turn.mode.kind == "bad-arguments" else {}
        found.append({**head, "input": call.arguments if call.whole else broken})
    return found


def _thinking(turn: Turn) -> Iterator[Json]:
    if turn.plan.reasoning is None:
        return
    redacted = "REDACTED_THINKING" in turn.ask.task.user
    conversation = digest(turn.ask.body, len(turn.ask.body["messages"]))
    text = "" if _omits(turn) else turn.plan.reasoning
    seal = Seal(conversation, 0, 2 if redacted else 1)
    yield {"type": "thinking", "thinking": text, "signature": sign(seal, text)}
    if redacted:
        yield {"type": "redacted_thinking", "data": sign(Seal(conversation, 1, 2), "")}


def _omits(turn: Turn) -> bool:
    display = (turn.ask.body.get("thinking") or {}).get("display")
    return display == "omitted" if display else family(turn.mode.family).omits


def _pauses(turn: Turn) -> bool:
    """A paused turn is played once: the request that continues it ends in the assistant's message."""
    return turn.mode.quirk == "pause-turn" and turn.ask.body["messages"][-1]["role"] == "user"


def _stop(turn: Turn) -> Json:
    reason = "pause_turn" if _pauses(turn) else STOPS.get(turn.mode.quirk, _STOP[turn.plan.finish])
    details = {"type": "refusal", "category": None, "explanation": turn.plan.text} if reason == "refusal" else None
    return {"stop_reason": reason, "stop_sequence": turn.plan.stopped, "stop_details": details}


def usage(turn: Turn) -> Json:
    """`input_tokens` are those that were neither read from nor written to the cache."""
    spent = turn.usage
    long = "'ttl': '1h'" in str(turn.ask.body)
    return {
        "input_tokens": spent.prompt - spent.cached - spent.written,
        "cache_creation_input_tokens": spent.written,
        "cache_read_input_tokens": spent.cached,
        "cache_creation": {
            "ephemeral_5m_input_tokens": 0 if long else spent.written,
            "ephemeral_1h_input_tokens": spent.written if long else 0,
        },
        "output_tokens": spent.output,
        "output_tokens_details": {"thinking_tokens": spent.reasoning},
        "server_tool_use": None,
        "service_tier": "standard",
    }


def _head(turn: Turn) -> Json:
    name = "msg_" + identifier(turn.ask, "answer")
    return {"id": name, "type": "message", "role": "assistant", "model": turn.ask.model}


# streams


def stream(turn: Turn) -> Stream:
    """The events in the API's grammar; with the oddity that the model name asks for."""
    events = list(_events(turn))
    quirk = turn.mode.quirk
    if quirk in EVENTS:
        events = EVENTS[quirk](events)
    frames = [Frame(e.kind, event(e.name or str(e.data["type"]), e.data)) for e in events]
    if quirk in WRITING:
        frames = [Frame(frame.kind, WRITING[quirk](frame.data, index)) for index, frame in enumerate(frames)]
    return Stream((*HEADERS, ("request-id", "req_emulated")), frames)


def _events(turn: Turn) -> Iterator[Event]:
    spent = usage(turn)
    empty: Json = {"content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    message = {**_head(turn), **empty, "usage": {**spent, "output_tokens": 1, "output_tokens_details": None}}
    yield Event("start", {"type": "message_start", "message": message})
    yield Event("start", {"type": "ping"})
    for index, block in enumerate(blocks_of(turn)):
        yield from _block(turn, index, block)
    named = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    total = {name: spent[name] for name in (*named, "output_tokens_details")}
    yield Event("end", {"type": "message_delta", "delta": _stop(turn), "usage": total})
    yield Event("end", {"type": "message_stop"})


def _block(turn: Turn, index: int, block: Json) -> Iterator[Event]:
    """Start, deltas, stop. A call's start says something already: its name."""
    kind = block["type"]
    empty = {"thinking": {"thinking": "", "signature": ""}, "text": {"text": ""}}.get(kind, {})
    calls = kind in ("tool_use", "server_tool_use")
    start = {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
    if calls:
        start["content_block"] = {**block, "input": {}}
    yield Event("content" if calls else "start", start)
    for delta in _deltas(turn, index, block):
        quiet = delta["type"] == "signature_delta" or delta.get("partial_json") == ""
        yield Event("start" if quiet else "content", {"type": "content_block_delta", "index": index, "delta": delta})
    yield Event("start", {"type": "content_block_stop", "index": index})


def _deltas(turn: Turn, index: int, block: Json) -> Iterator[Json]:
    match block["type"]:
        case "thinking":
            counted = TOKEN_COUNT_BETA in turn.ask.betas
            for number, piece in enumerate(pieces(block["thinking"])):
                estimate = {"estimated_tokens": (number + 1) * PIECE // 4} if counted else {}
                yield {"type": "thinking_delta", "thinking": piece, **estimate}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "text":
            yield from ({"type": "text_delta", "text": piece} for piece in pieces(block["text"]))
        case "tool_use" | "server_tool_use":
            yield {"type": "input_json_delta", "partial_json": ""}
            for piece in pieces(_arguments(turn, index, block)):
                yield {"type": "input_json_delta", "partial_json": piece}


def _arguments(turn: Turn, index: int, block: Json) -> str:
    """The text of a call's input; none at all for an empty one."""
    if block["type"] == "server_tool_use":
        return dumps(block["input"]).decode()
    others = sum(1 for other in blocks_of(turn)[:index] if other["type"] != "tool_use")
    text = turn.plan.calls[index - others].text
    return "" if text == "{}" else text


def pieces(text: str) -> list[str]:
    """A text in deltas."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
