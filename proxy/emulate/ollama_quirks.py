"""Oddities of Ollama's answers, older servers' among them, by model name `quirk-NAME` (ollama-chat §5, §6).

`LINES` change the objects of a stream; a whole answer is a stream of one line.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from proxy.emulate.api import dumps

Json = Any
Lines = list["Line"]


@dataclass(frozen=True, slots=True)
class Line:
    """An object before it is written. Its body is the quirk's to change."""

    kind: Literal["start", "content", "end"]
    body: Json


def _calls(lines: Lines) -> Iterator[Json]:
    for line in lines:
        yield from line.body.get("message", {}).get("tool_calls", ())


def _on_calls(change: Callable[[Json], object]) -> Callable[[Lines], Lines]:
    def quirk(lines: Lines) -> Lines:
        for call in _calls(lines):
            change(call)
        return lines

    return quirk


def _on_bodies(change: Callable[[Json], object]) -> Callable[[Lines], Lines]:
    def quirk(lines: Lines) -> Lines:
        for line in lines:
            change(line.body)
        return lines

    return quirk


def _calling(lines: Lines) -> Lines:
    return [line for line in lines if any(_calls([line]))]


def _together(lines: Lines) -> Lines:
    """All calls on one line."""
    calling = _calling(lines)
    for line in calling[1:]:
        calling[0].body["message"]["tool_calls"] += line.body["message"]["tool_calls"]
    return [line for line in lines if line not in calling[1:]]


def _with_done(lines: Lines) -> Lines:
    """The calls stand on the last line."""
    lines = _together(lines)
    calling = _calling(lines[:-1])
    for line in calling:
        lines[-1].body["message"]["tool_calls"] = line.body["message"]["tool_calls"]
    return [line for line in lines if line not in calling]


def _text_after(lines: Lines) -> Lines:
    """Text after the calls."""
    if not _calling(lines) or len(lines) == 1:
        return lines
    text = copy.deepcopy(lines[0].body)
    text["message"] = {"role": "assistant", "content": "Calling now."}
    return [*lines[:-1], Line("content", text), lines[-1]]


def _tags(lines: Lines) -> Lines:
    """Thinking inside the content, between tags (a template that is not known)."""
    thoughts = [line.body["message"] for line in lines if "thinking" in line.body.get("message", {})]
    for index, message in enumerate(thoughts):
        opening, closing = "<think>" if index == 0 else "", "</think>\n\n" if index == len(thoughts) - 1 else ""
        message["content"] = opening + message.pop("thinking") + closing + message["content"]
    return lines


def _as_text(lines: Lines) -> Lines:
    """A call that the server did not recognise stays in the content."""
    for line in _calling(lines):
        calls = line.body["message"].pop("tool_calls")
        inside = [{"name": c["function"]["name"], "arguments": c["function"]["arguments"]} for c in calls]
        text = "".join(f"<tool_call>\n{dumps(one).decode()}\n</tool_call>" for one in inside)
        line.body["message"]["content"] += text
    return lines


def _remote(body: Json) -> None:
    body |= {"remote_model": "gpt-oss:120b", "remote_host": "https://ollama.com:443"}


def _without(*names: str) -> Callable[[Json], None]:
    def change(body: Json) -> None:
        for name in names:
            body.pop(name, None)

    return change


def _error(status: bool) -> Callable[[Lines], Lines]:
    """An error after some content, on a line of its own."""
    body = {"error": "an error was encountered while running the model: unexpected EOF"}
    return lambda lines: [*lines[:1], Line("end", body | ({"status": 500} if status else {}))]


LINES: dict[str, Callable[[Lines], Lines]] = {
    "no-ids": _on_calls(lambda call: call.pop("id")),
    "no-index": _on_calls(lambda call: call["function"].pop("index")),
    "index-zero": _on_calls(lambda call: call["function"].update(index=0)),
    "calls-together": _together,
    "calls-with-done": _with_done,
    "text-after-calls": _text_after,
    "think-tags": _tags,
    "calls-as-text": _as_text,
    "no-done-reason": _on_bodies(_without("done_reason")),
    "no-counts": _on_bodies(_without("prompt_eval_count", "eval_count")),
    "remote": _on_bodies(_remote),
    "unknown-fields": _on_bodies(lambda body: body.update(weather={"sky": "clear"})),
    "no-done": lambda lines: lines[:-1],
    "error-late": _error(status=False),
    "error-late-status": _error(status=True),
}

WRITING: dict[str, Callable[[bytes, int], bytes]] = {
    "crlf": lambda data, index: data.replace(b"\n", b"\r\n"),
    "blank-lines": lambda data, index: b"\n" + data + b"\n",
    "no-last-newline": lambda data, index: data if b'"done":false' in data else data.rstrip(b"\n"),
}
