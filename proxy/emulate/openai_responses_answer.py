"""OpenAI Responses answers, whole and streamed (openai-responses §5, §6)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from proxy.emulate.agent import plan
from proxy.emulate.api import CREATED, Ask, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.faults import Mode
from proxy.emulate.openai_chat_families import generation
from proxy.emulate.openai_errors import SERVER
from proxy.emulate.openai_responses_check import ENCRYPTED, LOGPROBS
from proxy.emulate.openai_responses_quirks import EVENTS, NAMELESS, Event, whole_quirk
from proxy.emulate.openai_responses_seal import Seal, encrypt, item_id, reasoning_id
from proxy.emulate.openai_responses_tools import declared, echoed
from proxy.emulate.sse import HEADERS, WRITING, data, event
from proxy.emulate.usage import Usage

Json = Any

QUIRKS = frozenset({*EVENTS, *WRITING, *NAMELESS, "null-optionals", "content-filter", "encrypted-differs"})

PIECE = 12
"""Characters in one delta."""

JSON_HEADERS = (("content-type", "application/json"), ("x-request-id", "req_emulated"))

_STATUS = {"length": "incomplete"}


def whole(turn: Turn) -> Reply:
    """The `response` object."""
    found = response(turn, items_of(turn), usage(turn))
    return Reply(200, dumps(whole_quirk(found, turn.mode.quirk)), JSON_HEADERS)


def response(turn: Turn, output: list[Json], spent: Json, status: str = "") -> Json:
    """The response with these items; by default as it ends."""
    body, ends = turn.ask.body, not status
    filtered = ends and turn.mode.quirk == "content-filter"
    status = status or ("incomplete" if filtered else _STATUS.get(turn.plan.finish, "completed"))
    reason = "content_filter" if filtered else "max_output_tokens"
    reasoning, text = body.get("reasoning") or {}, body.get("text") or {}
    return {
        "id": "resp_" + identifier(turn.ask, "answer"),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "background": False,
        "error": {"code": SERVER[1], "message": SERVER[0]} if status == "failed" else None,
        "incomplete_details": {"reason": reason} if status == "incomplete" else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "model": turn.ask.model,
        "output": output,
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "previous_response_id": None,
        "reasoning": {"effort": reasoning.get("effort"), "summary": reasoning.get("summary")},
        "service_tier": "default",
        "store": body.get("store") is not False,
        "temperature": 1.0 if body.get("temperature") is None else body["temperature"],
        "text": {"format": {"type": "text"}, **{name: value for name, value in text.items() if value is not None}},
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": [echoed(tool) for tool in body.get("tools") or []],
        "top_p": 1.0 if body.get("top_p") is None else body["top_p"],
        "truncation": body.get("truncation") or "disabled",
        "usage": spent,
        "user": body.get("user"),
        "metadata": body.get("metadata") or {},
    }


def usage(turn: Turn) -> Json:
    """Cached and reasoning tokens are parts of input and output."""
    spent = turn.usage
    return {
        "input_tokens": spent.prompt,
        "input_tokens_details": {"cached_tokens": spent.cached, "cache_write_tokens": 0},
        "output_tokens": spent.output,
        "output_tokens_details": {"reasoning_tokens": spent.reasoning},
        "total_tokens": spent.prompt + spent.output,
    }


# items


def items_of(turn: Turn) -> list[Json]:
    """Reasoning, message, calls, as they are when they are done."""
    plan, made = turn.plan, identifier(turn.ask, "turn", 20)
    reasoned = plan.reasoning is not None
    items = [_reasoning(turn, made)] if reasoned else []
    if plan.text or not (plan.calls or plan.finish == "length"):
        items.append(_message(turn, item_id("msg", made, reasoned, 0)))
    callable_tools = {one.key: one for one in declared(turn.ask.body)}
    for index, call in enumerate(plan.calls):
        one = callable_tools[call.name]
        kind, prefix, member = ("custom_tool_call", "ctc", "input") if one.is_custom else CALL
        item = {"id": item_id(prefix, made, reasoned, index), "type": kind, "status": "completed", member: call.text}
        item |= {"call_id": call_id(turn, index), "name": one.name}
        items.append(item | ({"namespace": one.replayed} if one.replayed else {}))
    if items and plan.finish == "length" and "status" in items[-1]:
        items[-1]["status"] = "incomplete"
    return items


CALL = ("function_call", "fc", "arguments")


def call_id(turn: Turn, index: int) -> str:
    return "call_" + identifier(turn.ask, f"call {index}")


def _reasoning(turn: Turn, made: str, variant: int = 0) -> Json:
    body, plan, family = turn.ask.body, turn.plan, turn.mode.family
    name = reasoning_id(made, body.get("store") is not False)
    summary = (body.get("reasoning") or {}).get("summary") is not None
    item: Json = {"id": name, "type": "reasoning", "summary": []}
    if family.startswith("gpt-oss"):
        item["content"] = [{"type": "reasoning_text", "text": plan.reasoning}]
    elif summary:
        item["summary"] = [{"type": "summary_text", "text": plan.reasoning}]
    if ENCRYPTED in (body.get("include") or []):
        call = call_id(turn, 0) if plan.calls and not plan.text else ""
        item["encrypted_content"] = encrypt(Seal(family, name, call), variant)
    return item


def _message(turn: Turn, name: str) -> Json:
    plan = turn.plan
    part: Json = {"type": "refusal", "refusal": plan.text}
    if plan.finish != "refusal":
        text = plan.text or ""
        part = {"type": "output_text", "annotations": [], "logprobs": logprobs(turn, text), "text": text}
    item: Json = {"id": name, "type": "message", "status": "completed", "content": [part], "role": "assistant"}
    if generation(turn.mode.family) >= 4 or turn.mode.family.startswith("gpt-5.3-codex"):
        item["phase"] = "commentary" if plan.calls else "final_answer"
    return item


def logprobs(turn: Turn, text: str) -> list[Json]:
    """Of a text, if they were asked for; tokens of four characters."""
    if LOGPROBS not in (turn.ask.body.get("include") or []):
        return []
    most = turn.ask.body.get("top_logprobs") or 0
    entries = []
    for at in range(0, len(text), 4):
        token = text[at : at + 4]
        entry = {"token": token, "logprob": -0.25, "bytes": list(token.encode("utf-8", "replace"))}
        entries.append({**entry, "top_logprobs": [entry][:most]})
    return entries


# streams


def stream(turn: Turn) -> Stream:
    """The events in the API's grammar; with the oddity that the model name asks for."""
    quirk = turn.mode.quirk
    events = list(_events(turn))
    if quirk in EVENTS:
        events = EVENTS[quirk](events)
    frames = []
    for number, one in enumerate(events):
        body = {"type": one.data["type"], "sequence_number": number, **one.data}
        frames.append(Frame(one.kind, data(body) if quirk == "no-event-lines" else event(one.data["type"], body)))
    if quirk == "done":
        frames.append(Frame("end", b"data: [DONE]\n\n"))
    if quirk in WRITING:
        frames = [Frame(frame.kind, WRITING[quirk](frame.data, index)) for index, frame in enumerate(frames)]
    return Stream((*HEADERS, ("x-request-id", "req_emulated")), frames)


def error_frame(ask: Ask) -> bytes:
    """An error inside a stream, after everything that says nothing; and the failed response."""
    turn = Turn(ask, plan(ask.task), Usage(0, 0), Mode(ask.model))
    number = sum(1 for _ in takewhile(lambda one: one.kind == "start", _events(turn)))
    inside = {"type": SERVER[1], "code": SERVER[1], "message": SERVER[0], "param": None}
    error = {"type": "error", "sequence_number": number, "error": inside}
    failed = {"type": "response.failed", "sequence_number": number + 1, "response": response(turn, [], None, "failed")}
    return event("error", error) + event("response.failed", failed)


def _events(turn: Turn) -> Iterator[Event]:
    items = items_of(turn)
    started = response(turn, [], None, "in_progress")
    yield Event("start", {"type": "response.created", "response": started})
    yield Event("start", {"type": "response.in_progress", "response": started})
    for index, item in enumerate(items):
        place = {"item_id": item["id"], "output_index": index}
        yield _added(turn, index, item)
        match item["type"]:
            case "reasoning":
                yield from _thoughts(turn, place, item)
            case "message":
                yield from _part(turn, place, item["content"][0])
            case _:
                yield from _arguments(turn, place, item)
        yield Event("start", {"type": "response.output_item.done", "output_index": index, "item": item})
    done = response(turn, _final(turn, items), usage(turn))
    yield Event("end", {"type": f"response.{done['status']}", "response": done})


def _added(turn: Turn, index: int, item: Json) -> Event:
    """The item as it begins. A call's beginning says something already: its name."""
    empty: Json = {name: type(item[name])() for name in ("summary", "content", "arguments", "input") if name in item}
    begun = {**item, **empty, **({"status": "in_progress"} if "status" in item else {})}
    if "encrypted_content" in item and turn.mode.quirk == "encrypted-differs":
        begun["encrypted_content"] = "gAAAAAearly"
    quiet = item["type"] in ("reasoning", "message")
    body = {"type": "response.output_item.added", "output_index": index, "item": begun}
    return Event("start" if quiet else "content", body)


def _final(turn: Turn, items: list[Json]) -> list[Json]:
    """The items of the terminal event: encrypted content may be another one there."""
    if turn.mode.quirk != "encrypted-differs":
        return items
    made = identifier(turn.ask, "turn", 20)
    return [_reasoning(turn, made, 1) if item["type"] == "reasoning" else item for item in items]


def _thoughts(turn: Turn, place: Json, item: Json) -> Iterator[Event]:
    for part in item.get("content", []):
        yield from _part(turn, place, part)
    for part in item["summary"]:
        at = {**place, "summary_index": 0}
        name = "response.reasoning_summary_"
        yield Event("start", {"type": f"{name}part.added", **at, "part": {**part, "text": ""}})
        for piece in pieces(part["text"]):
            yield Event("content", {"type": f"{name}text.delta", **at, "delta": piece, **_padding(turn)})
        yield Event("start", {"type": f"{name}text.done", **at, "text": part["text"]})
        yield Event("start", {"type": f"{name}part.done", **at, "part": part})


_MEMBER = {"output_text": "text", "refusal": "refusal", "reasoning_text": "text"}


def _part(turn: Turn, place: Json, part: Json) -> Iterator[Event]:
    """A content part: its beginning, its deltas, its end twice."""
    at, kind, member = {**place, "content_index": 0}, part["type"], _MEMBER[part["type"]]
    has_logprobs = kind == "output_text"
    empty = {**part, member: "", **({"logprobs": []} if has_logprobs else {})}
    yield Event("start", {"type": "response.content_part.added", **at, "part": empty})
    for piece in pieces(part[member]):
        more = {"logprobs": logprobs(turn, piece)} if has_logprobs else {}
        yield Event("content", {"type": f"response.{kind}.delta", **at, "delta": piece, **more, **_padding(turn)})
    more = {"logprobs": part["logprobs"]} if has_logprobs else {}
    yield Event("start", {"type": f"response.{kind}.done", **at, member: part[member], **more})
    yield Event("start", {"type": "response.content_part.done", **at, "part": part})


def _arguments(turn: Turn, place: Json, item: Json) -> Iterator[Event]:
    custom = item["type"] == "custom_tool_call"
    name = "response.custom_tool_call_input" if custom else "response.function_call_arguments"
    text = item["input"] if custom else item["arguments"]
    for piece in pieces(text):
        yield Event("content", {"type": f"{name}.delta", **place, "delta": piece, **_padding(turn)})
    done = {"input": text} if custom else {"name": item["name"], "arguments": text}
    yield Event("start", {"type": f"{name}.done", **place, **done})


def _padding(turn: Turn) -> Json:
    options = turn.ask.body.get("stream_options") or {}
    return {} if options.get("include_obfuscation") is False else {"obfuscation": "tW3xQ9"}


def pieces(text: str) -> list[str]:
    """A text in deltas."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
