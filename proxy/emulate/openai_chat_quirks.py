"""Oddities of hosts that imitate Chat Completions, each alone, by model name `quirk-NAME` (openai-chat §6).

They change the chunk objects; oddities of writing are `sse.WRITING`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Json = Any


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk object before it is written. Its body is the quirk's to change."""

    kind: Literal["start", "content", "end"]
    body: Json


def as_error() -> Json:
    """An error where an answer should be."""
    return {"error": {"message": "Upstream provider failed", "code": 502, "metadata": {"provider_name": "emulated"}}}


def quirks_of_whole(body: Json, quirk: str) -> Json:
    """The whole answer's own forms of a few of the quirks."""
    choice = body["choices"][0]
    calls = choice["message"].get("tool_calls") or []
    match quirk:
        case "object-arguments":
            for call in calls:
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        case "no-id":
            for call in calls:
                del call["id"]
        case "finish-stop-with-calls":
            choice["finish_reason"] = "stop"
        case "functions-prefix":
            for call in calls:
                call["function"]["name"] = "functions." + call["function"]["name"]
        case "content-parts" if choice["message"]["content"]:
            choice["message"]["content"] = [{"type": "text", "text": choice["message"]["content"]}]
        case "reasoning-field" if "reasoning_content" in choice["message"]:
            choice["message"]["reasoning"] = choice["message"].pop("reasoning_content")
        case "think-tags" if "reasoning_content" in choice["message"]:
            text = f"<think>{choice['message'].pop('reasoning_content')}</think>\n"
            choice["message"]["content"] = text + (choice["message"]["content"] or "")
    return body


def _deltas(chunks: list[Chunk]) -> Iterator[Json]:
    yield from (choice["delta"] for chunk in chunks for choice in chunk.body["choices"])


def _calls(chunks: list[Chunk]) -> Iterator[Json]:
    yield from (call for delta in _deltas(chunks) for call in delta.get("tool_calls") or [])


def _later_calls(chunks: list[Chunk]) -> Iterator[tuple[Json, Json]]:
    """Every argument delta with the delta that opened its call."""
    opened: dict[int, Json] = {}
    for call in _calls(chunks):
        if "id" in call:
            opened[call["index"]] = copy.deepcopy(call)
        else:
            yield call, opened[call["index"]]


def _one_chunk(chunks: list[Chunk]) -> list[Chunk]:
    """Role, null content, whole calls and the finish in one chunk (xAI, Groq, Gemini's imitation)."""
    calls = [copy.deepcopy(call) for call in _calls(chunks) if "id" in call]
    if not calls:
        return chunks
    for call, _ in list(_later_calls(chunks)):
        calls[call["index"]]["function"]["arguments"] += call["function"]["arguments"]
    body = copy.deepcopy(chunks[0].body)
    finish = next(c.body["choices"][0]["finish_reason"] for c in chunks if c.kind == "end")
    body["choices"][0] |= {
        "delta": {"role": "assistant", "content": None, "tool_calls": calls},
        "finish_reason": finish,
    }
    return [Chunk("content", body), *(chunk for chunk in chunks if not chunk.body["choices"])]


def _on_calls(change: Callable[[Json], object]) -> Callable[[list[Chunk]], list[Chunk]]:
    def quirk(chunks: list[Chunk]) -> list[Chunk]:
        for call in list(_calls(chunks)):
            change(call)
        return chunks

    return quirk


def _on_later_calls(change: Callable[[Json, Json], object]) -> Callable[[list[Chunk]], list[Chunk]]:
    def quirk(chunks: list[Chunk]) -> list[Chunk]:
        for call, opened in list(_later_calls(chunks)):
            change(call, opened)
        return chunks

    return quirk


def _on_deltas(change: Callable[[Json], object]) -> Callable[[list[Chunk]], list[Chunk]]:
    def quirk(chunks: list[Chunk]) -> list[Chunk]:
        for delta in list(_deltas(chunks)):
            change(delta)
        return chunks

    return quirk


def _repeat_name(call: Json, opened: Json) -> None:
    call["function"]["name"] = opened["function"]["name"]


def _repeat_head(call: Json, opened: Json) -> None:
    """xAI and proxies: every delta is a whole entry."""
    call.update(id=opened["id"], type="function")
    _repeat_name(call, opened)


def _name_late(chunks: list[Chunk]) -> list[Chunk]:
    """The name comes with the last piece of the arguments."""
    names = {call["index"]: call["function"].pop("name") for call in _calls(chunks) if "id" in call}
    last = {call["index"]: call for call in _calls(chunks)}
    for index, call in last.items():
        call["function"]["name"] = names[index]
    return chunks


def _name_in_pieces(chunks: list[Chunk]) -> list[Chunk]:
    found: list[Chunk] = []
    for chunk in chunks:
        calls = [call for call in _calls([chunk]) if "id" in call]
        if not calls:
            found.append(chunk)
            continue
        first, second = copy.deepcopy(chunk), copy.deepcopy(chunk)
        name = calls[0]["function"]["name"]
        next(_calls([first]))["function"]["name"] = name[: len(name) // 2]
        rest = next(_calls([second]))
        rest["function"]["name"] = name[len(name) // 2 :]
        del rest["id"], rest["type"]
        found += [first, second]
    return found


def _objects(chunks: list[Chunk]) -> list[Chunk]:
    """Arguments as an object, in the chunk that opens the call."""
    texts: dict[int, str] = {}
    for call in _calls(chunks):
        texts[call["index"]] = texts.get(call["index"], "") + call["function"]["arguments"]
    kept = [chunk for chunk in chunks if not any("id" not in call for call in _calls([chunk]))]
    for call in _calls(kept):
        call["function"]["arguments"] = json.loads(texts[call["index"]])
    return kept


def _cumulative(chunks: list[Chunk]) -> list[Chunk]:
    """Every delta repeats all arguments so far."""
    texts: dict[int, str] = {}
    for call in _calls(chunks):
        texts[call["index"]] = texts.get(call["index"], "") + call["function"]["arguments"]
        call["function"]["arguments"] = texts[call["index"]]
    return chunks


def _with_finish(chunks: list[Chunk]) -> list[Chunk]:
    """The finish stands in the last chunk that has content."""
    last = max(index for index, chunk in enumerate(chunks) if chunk.kind == "content")
    ends = [chunk for chunk in chunks if chunk.kind == "end" and chunk.body["choices"]]
    chunks[last].body["choices"][0]["finish_reason"] = ends[0].body["choices"][0]["finish_reason"]
    return [chunk for chunk in chunks if chunk not in ends]


def _finish_as(finish: str | None) -> Callable[[list[Chunk]], list[Chunk]]:
    def quirk(chunks: list[Chunk]) -> list[Chunk]:
        for chunk in chunks:
            if chunk.kind == "end" and chunk.body["choices"]:
                chunk.body["choices"][0]["finish_reason"] = finish
        return chunks

    return quirk


def _trailing(chunks: list[Chunk]) -> list[Chunk]:
    """An empty argument delta after the finish (DashScope)."""
    later = [chunk for chunk in chunks if any("id" not in call for call in _calls([chunk]))]
    if not later:
        return chunks
    extra = copy.deepcopy(later[-1])
    next(_calls([extra])).update({"id": "", "function": {"name": None, "arguments": ""}})
    return [*chunks, Chunk("end", extra.body)]


def _usage(place: Literal["finish", "every", "choice", "groq"]) -> Callable[[list[Chunk]], list[Chunk]]:
    """Usage where others than OpenAI put it. Only when the client asked for usage."""

    def quirk(chunks: list[Chunk]) -> list[Chunk]:
        if chunks[-1].body["choices"]:
            return chunks
        *chunks, last = chunks
        usage = last.body["usage"]
        for chunk in chunks if place == "every" else chunks[-1:]:
            match place:
                case "choice":
                    chunk.body["choices"][0]["usage"] = usage
                case "groq":
                    chunk.body["x_groq"] = {"id": "req_1", "usage": usage}
                case _:
                    chunk.body["usage"] = usage
        return chunks

    return quirk


def _filters_first(chunks: list[Chunk]) -> list[Chunk]:
    """Azure: a first chunk without choices, and filter results later on."""
    first = {"choices": [], "created": 0, "id": "", "model": "", "object": ""}
    first["prompt_filter_results"] = [{"prompt_index": 0, "content_filter_results": {}}]
    late = {**first, "choices": [{"index": 0, "finish_reason": None, "delta": None, "content_filter_offsets": {}}]}
    return [Chunk("start", first), *chunks[:2], Chunk("content", late), *chunks[2:]]


def _message_for_delta(chunks: list[Chunk]) -> list[Chunk]:
    for chunk in chunks:
        for choice in chunk.body["choices"]:
            choice["message"] = choice.pop("delta")
        chunk.body["object"] = "chat.completion"
    return chunks


def _think_tags(chunks: list[Chunk]) -> list[Chunk]:
    """Reasoning inside the content, between tags."""
    thoughts = [delta for delta in _deltas(chunks) if "reasoning_content" in delta]
    for index, delta in enumerate(thoughts):
        opening, closing = "<think>" if index == 0 else "", "</think>\n" if index == len(thoughts) - 1 else ""
        delta["content"] = opening + delta.pop("reasoning_content") + closing
    return chunks


def _doubled_reasoning(chunks: list[Chunk]) -> list[Chunk]:
    """Each piece of reasoning twice (xAI)."""
    found: list[Chunk] = []
    for chunk in chunks:
        thinks = any(delta.get("reasoning_content") for delta in _deltas([chunk]))
        found += [chunk, copy.deepcopy(chunk)] if thinks else [chunk]
    return found


def _parallel_tool(chunks: list[Chunk]) -> list[Chunk]:
    """All calls inside one call of `multi_tool_use.parallel`, which nobody offered."""
    whole = _objects(copy.deepcopy(chunks))
    uses = [
        {"recipient_name": f"functions.{call['function']['name']}", "parameters": call["function"]["arguments"]}
        for call in _calls(whole)
    ]
    if not uses:
        return chunks
    kept = [chunk for chunk in whole if all(call["index"] == 0 for call in _calls([chunk]))]
    for call in _calls(kept):
        call["function"] = {"name": "multi_tool_use.parallel", "arguments": json.dumps({"tool_uses": uses})}
    return kept


def _content_parts(delta: Json) -> None:
    if delta.get("content"):
        delta["content"] = [{"type": "text", "text": delta["content"]}]


def _reasoning_field(delta: Json) -> None:
    if "reasoning_content" in delta:
        delta["reasoning"] = delta.pop("reasoning_content")


def _both_reasoning_fields(delta: Json) -> None:
    if "reasoning_content" in delta:
        delta["reasoning"] = delta["reasoning_content"]


def _prefix(call: Json) -> None:
    if "name" in call["function"]:
        call["function"]["name"] = "functions." + call["function"]["name"]


def _nulls(delta: Json) -> None:
    for field in ("tool_calls", "function_call", "refusal", "content"):
        delta.setdefault(field, None)


CHUNKS: dict[str, Callable[[list[Chunk]], list[Chunk]]] = {
    "onechunk": _one_chunk,
    "null-fields": _on_deltas(_nulls),
    "empty-calls": _on_deltas(lambda delta: delta.setdefault("tool_calls", [])),
    "finish-with-content": _with_finish,
    "no-role": _on_deltas(lambda delta: delta.pop("role", None)),
    "repeated-role": _on_deltas(lambda delta: delta.update(role="assistant")),
    "no-index": _on_calls(lambda call: call.pop("index")),
    "index-from-1": _on_calls(lambda call: call.update(index=call["index"] + 1)),
    "index-gaps": _on_calls(lambda call: call.update(index=call["index"] * 3 + 2)),
    "index-zero": _on_calls(lambda call: call.update(index=0)),
    "null-id-later": _on_later_calls(lambda call, opened: call.update(id=None)),
    "empty-id-later": _on_later_calls(lambda call, opened: call.update(id="")),
    "repeated-id": _on_later_calls(lambda call, opened: call.update(id=opened["id"], type="function")),
    "no-id": _on_calls(lambda call: call.pop("id", None)),
    "no-type": _on_calls(lambda call: call.pop("type", None)),
    "empty-name-later": _on_later_calls(lambda call, opened: call["function"].update(name="")),
    "null-name-later": _on_later_calls(lambda call, opened: call["function"].update(name=None)),
    "repeated-name": _on_later_calls(_repeat_name),
    "repeated-head": _on_later_calls(_repeat_head),
    "name-late": _name_late,
    "name-in-pieces": _name_in_pieces,
    "functions-prefix": _on_calls(_prefix),
    "object-arguments": _objects,
    "null-arguments-first": _on_calls(
        lambda call: call["function"].update(arguments=None if "id" in call else call["function"]["arguments"])
    ),
    "cumulative-arguments": _cumulative,
    "trailing-delta": _trailing,
    "multi-tool-use": _parallel_tool,
    "usage-in-finish": _usage("finish"),
    "usage-in-every-chunk": _usage("every"),
    "usage-in-choice": _usage("choice"),
    "usage-x-groq": _usage("groq"),
    "filters-first": _filters_first,
    "message-for-delta": _message_for_delta,
    "content-parts": _on_deltas(_content_parts),
    "reasoning-field": _on_deltas(_reasoning_field),
    "doubled-reasoning": _doubled_reasoning,
    "both-reasoning-fields": _on_deltas(_both_reasoning_fields),
    "think-tags": _think_tags,
    "finish-stop-with-calls": _finish_as("stop"),
    "finish-tool-use": _finish_as("tool_use"),
    "finish-empty": _finish_as(""),
    "finish-content-filter": _finish_as("content_filter"),
    "finish-error": _finish_as("error"),
    "no-done": lambda chunks: chunks,
}
