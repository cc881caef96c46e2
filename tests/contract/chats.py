"""One way of asking Chat Completions each, all with the same result: the answer as a client's code sees it.

No import of a class or a type: the same lines run under openai 3.x, 2.x and 1.x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Said:
    """An answer. `calls` are (id, name, argument text); `message` is what goes into the history."""

    text: str = ""
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    finish: str | None = None
    message: dict[str, Any] = field(default_factory=dict)
    model: str = ""


Way = Callable[..., Said]


def whole(client: Any, **body: Any) -> Said:
    """One answer."""
    return _read(client.chat.completions.create(**body))


def chunks(client: Any, **body: Any) -> Said:
    """`stream=True`, added up by hand as agents do: calls by `index`, argument text joined."""
    said, calls, finishes = Said(), {}, []
    for chunk in client.chat.completions.create(stream=True, **body):
        said.model = chunk.model
        for choice in chunk.choices:
            said.text += choice.delta.content or ""
            finishes += [choice.finish_reason] if choice.finish_reason else []
            for call in choice.delta.tool_calls or []:
                if call.index not in calls:
                    assert call.index == len(calls), "calls are numbered from 0"
                    assert call.id and call.type == "function" and call.function.name, "a call starts with all three"
                    calls[call.index] = [call.id, call.function.name, ""]
                calls[call.index][2] += call.function.arguments or ""
    assert len(finishes) == 1, "a stream finishes once"
    said.calls = [(id, name, arguments) for id, name, arguments in calls.values()]
    said.finish = finishes[0]
    said.message = {"role": "assistant", "content": said.text or None}
    if said.calls:
        said.message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in said.calls
        ]
    return said


def helper(client: Any, **body: Any) -> Said:
    """The SDK's own stream helper."""
    completions = getattr(client.chat.completions, "stream", None) or client.beta.chat.completions.stream
    with completions(**body) as stream:
        for _ in stream:
            pass
        return _read(stream.get_final_completion())


def _read(completion: Any) -> Said:
    choice = completion.choices[0]
    calls = [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or []]
    message = choice.message.model_dump(exclude_none=True)
    for call in message.get("tool_calls", []):
        call.get("function", {}).pop("parsed_arguments", None)
        call.pop("index", None)
    message.pop("parsed", None)
    return Said(choice.message.content or "", calls, choice.finish_reason, message, completion.model)


WAYS: tuple[Way, ...] = (whole, chunks, helper)

CITY = {"enum": ["Köln", "São Paulo", "東京", "Reykjavík"]}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": CITY, "days": {"type": "integer", "enum": [1, 3, 9]}},
            "required": ["city", "days"],
            "additionalProperties": False,
        },
    },
}
TIME = {
    "type": "function",
    "function": {
        "name": "get_time",
        "parameters": {"type": "object", "properties": {"city": CITY}, "required": ["city"]},
    },
}


def loop(client: Any, way: Way, model: str, count: int) -> list[tuple[str, str, str]]:
    """Two turns: `count` calls in parallel, then an answer that quotes each result. Gives the calls."""
    messages: list[Any] = [{"role": "user", "content": f"Please call {count} at once."}]
    first = way(client, model=model, messages=messages, tools=[TIME, WEATHER])
    assert (first.finish, first.model, len(first.calls)) == ("tool_calls", model, count)
    assert [name for _, name, _ in first.calls] == [("get_time", "get_weather")[i % 2] for i in range(count)]
    assert len({id for id, _, _ in first.calls}) == count
    results = [
        {"role": "tool", "tool_call_id": id, "content": f"result {number} of {arguments}"}
        for number, (id, _, arguments) in enumerate(first.calls)
    ]
    second = way(client, model=model, messages=[*messages, first.message, *results], tools=[TIME, WEATHER])
    quoted = [f"{name}: result {n} of {arguments}" for n, (_, name, arguments) in enumerate(first.calls)]
    assert second.text == "\n".join(["The tools answered:", *quoted])
    assert (second.finish, second.calls) == ("stop", [])
    return first.calls
