"""Oddities of Mistral's answers, by model name `quirk-NAME` (mistral-chat §5–§7).

`CHUNKS` change the chunk objects of a stream. A whole answer is played as the one chunk that says everything, its
`delta` being the `message`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Json = Any
Chunks = list["Chunk"]
PIECE = 12


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk object before it is written. Its body is the quirk's to change."""

    kind: Literal["start", "content", "end"]
    body: Json


def error(message: str = "Internal server error") -> Json:
    """An error where a chunk should be."""
    kind = "internal_server_error"
    return {"object": "error", "message": message, "type": kind, "param": None, "code": "3000"}


def _choices(chunks: Chunks) -> Iterator[Json]:
    for chunk in chunks:
        yield from chunk.body.get("choices", ())


def _says(choice: Json) -> Json:
    return choice["delta"] if "delta" in choice else choice["message"]


def _calls(chunks: Chunks) -> Iterator[Json]:
    for choice in _choices(chunks):
        yield from _says(choice).get("tool_calls") or ()


def _on_calls(change: Callable[[Json], object]) -> Callable[[Chunks], Chunks]:
    def quirk(chunks: Chunks) -> Chunks:
        for call in _calls(chunks):
            change(call)
        return chunks

    return quirk


def _on_says(change: Callable[[Json], object]) -> Callable[[Chunks], Chunks]:
    def quirk(chunks: Chunks) -> Chunks:
        for choice in _choices(chunks):
            change(_says(choice))
        return chunks

    return quirk


def _finish(reason: str) -> Callable[[Chunks], Chunks]:
    def quirk(chunks: Chunks) -> Chunks:
        for choice in _choices(chunks):
            if choice["finish_reason"] is not None:
                choice["finish_reason"] = reason
        return chunks

    return quirk


def _null_id(call: Json) -> None:
    call.update(id="null")
    call.pop("index", None)


def _object(call: Json) -> None:
    call["function"]["arguments"] = json.loads(call["function"]["arguments"])


def _parts(says: Json) -> None:
    if says.get("content") and isinstance(says["content"], str):
        reference = {"type": "reference", "reference_ids": [1]}
        says["content"] = [{"type": "text", "text": says["content"]}, reference]


def _null(says: Json) -> None:
    if not says.get("content"):
        says["content"] = None


def _camel(chunks: Chunks) -> Chunks:
    """A wrapper's objects instead of the wire's."""
    for choice in _choices(chunks):
        choice["finishReason"] = choice.pop("finish_reason")
        says = _says(choice)
        if "tool_calls" in says:
            says["toolCalls"] = says.pop("tool_calls")
    return chunks


def _signed(says: Json) -> None:
    content = says.get("content")
    for part in content if isinstance(content, list) else ():
        if part["type"] == "thinking":
            part |= {"signature": "c2lnbmVk", "closed": True}


def _incremental(chunks: Chunks) -> Chunks:
    """Calls of hosted third-party models: long ids, then pieces with id "null", no name and index 0 (GLM)."""
    found: Chunks = []
    for chunk in chunks:
        calls = list(_calls([chunk]))
        if not calls or "delta" not in chunk.body["choices"][0]:
            found.append(chunk)
            continue
        for number, call in enumerate(calls):
            found += [_with_call(chunk, piece) for piece in _pieces(call, number)]
        end = copy.deepcopy(chunk)
        end.body["choices"][0]["delta"] = {"content": ""}
        found.append(end)
    return found


def _pieces(call: Json, number: int) -> Iterator[Json]:
    text = call["function"]["arguments"]
    yield {"id": f"chatcmpl-tool-{number:032x}", "function": {"name": call["function"]["name"], "arguments": ""},
           "index": number}  # fmt: skip
    for at in range(0, len(text), PIECE):
        yield {"id": "null", "function": {"name": "", "arguments": text[at : at + PIECE]}, "index": 0}


def _with_call(chunk: Chunk, call: Json) -> Chunk:
    body = {name: value for name, value in chunk.body.items() if name != "usage"}
    choice = {"index": 0, "delta": {"content": "", "tool_calls": [call]}, "finish_reason": None}
    return Chunk("content", {**body, "choices": [choice]})


def _usage(change: Callable[[Json], Json]) -> Callable[[Chunks], Chunks]:
    def quirk(chunks: Chunks) -> Chunks:
        for chunk in chunks:
            if "usage" in chunk.body:
                chunk.body["usage"] = change(chunk.body["usage"])
        return chunks

    return quirk


def _misspelt(usage: Json) -> Json:
    """A misspelt twin of the details, and seconds of audio that are none."""
    kept = {name: value for name, value in usage.items() if name not in ("prompt_tokens_details", "num_cached_tokens")}
    cached = usage.get("num_cached_tokens", 0)
    return {**kept, "prompt_token_details": {"cached_tokens": cached}, "prompt_audio_seconds": {}}


def _many_messages(chunks: Chunks) -> Chunks:
    """A choice with several messages."""
    for choice in _choices(chunks):
        if "message" in choice:
            message = choice.pop("message")
            text = message["content"] or ""
            first = {"role": "assistant", "content": text[: len(text) // 2]}
            choice["messages"] = [first, {**message, "content": text[len(text) // 2 :]}]
    return chunks


CHUNKS: dict[str, Callable[[Chunks], Chunks]] = {
    "null-ids": _on_calls(_null_id),
    "no-ids": _on_calls(lambda call: call.pop("id")),
    "no-index": _on_calls(lambda call: call.pop("index")),
    "index-zero": _on_calls(lambda call: call.update(index=0)),
    "object-arguments": _on_calls(_object),
    "incremental": _incremental,
    "content-parts": _on_says(_parts),
    "null-content": _on_says(_null),
    "camel-case": _camel,
    "signed-thinking": _on_says(_signed),
    "many-messages": _many_messages,
    "finish-stop-with-calls": _finish("stop"),
    "finish-model-length": _finish("model_length"),
    "finish-error": _finish("error"),
    "misspelt-usage": _usage(_misspelt),
    "error-late": lambda chunks: [*chunks[:2], Chunk("end", error())],
    "no-done": lambda chunks: chunks,
}
