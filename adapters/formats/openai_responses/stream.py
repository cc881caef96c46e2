"""A streamed Responses answer as events (openai-responses §6).

An event is named by `data.type`; the `event:` line, which some hosts leave out, only stands in for it. Unknown events
go on to clients of the same dialect, as do those of built-in tools between the beginning and the end of their item.
"""

from __future__ import annotations

from collections.abc import Callable

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import Event, Failed, Finish, Pass, Started, UsageUpdate
from adapters.format import Reading
from adapters.formats.openai_responses.output import Items
from adapters.formats.openai_responses.words import ECHOED, INCOMPLETE, NAME, RAW, rest, usage_of
from adapters.formats.shared.openai_errors import failure_inside
from adapters.framing.sse import SSE
from adapters.model import NOTHING, Json

_Data = dict[str, Json]

TERMINAL = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
STATUSES = frozenset({"completed", "incomplete", "failed", "cancelled"})
BEGIN = frozenset({"response.created", "response.in_progress", "response.queued"})
QUIET = frozenset({"keepalive", "ping", "response.reasoning_summary_part.done"})


class Decoder:
    """One stream. After the terminal event or an error nothing more is read."""

    def __init__(self, reading: Reading) -> None:
        self._sse = SSE()
        self._items = Items()
        self._started = False
        self._over = False

    def feed(self, data: bytes) -> list[Event]:
        events: list[Event] = []
        for named, frame in self._sse.feed(data):
            if not self._over:
                events += self._frame(named, frame)
        return events

    def close(self) -> list[Event]:
        events: list[Event] = []
        for named, frame in self._sse.close():
            if not self._over:
                events += self._frame(named, frame)
        if not self._over:
            raise Malformed("the stream ended without response.completed, response.incomplete or response.failed")
        return events

    def _frame(self, named: bytes | None, frame: bytes) -> list[Event]:
        if len(frame) < 9 and frame.strip() in (b"", b"[DONE]"):
            return []
        try:
            data = json.loads(frame)
        except ValueError:
            raise Malformed("an event that is no JSON") from None
        if not isinstance(data, dict):
            raise Malformed("an event that is no JSON object")
        name = data.get("type")
        if not isinstance(name, str):
            name = named.decode("utf-8", "replace") if named is not None else None
        handler = _HANDLERS.get(name) if name is not None else None
        if handler is not None:
            events = handler(self._items, data, _index(data, "output_index"))
            return events if self._started else self._begun({}, events)
        return self._other(name, data)

    def _other(self, name: str | None, data: _Data) -> list[Event]:
        if name == "error" or (name is None and isinstance(data.get("error"), dict | str)):
            self._over = True
            return [Failed(failure_inside(data))]
        response = data.get("response")
        if name in BEGIN:
            return [] if self._started else self._begun(response if isinstance(response, dict) else {}, [])
        if name in TERMINAL or data.get("object") == "response":
            self._over = True
            response = response if isinstance(response, dict) else ({} if name in TERMINAL else data)
            events = ending(response, self._items, name)
            return events if self._started or isinstance(events[-1], Failed) else self._begun(response, events)
        if name is None or name in QUIET:
            return []
        passed: list[Event] = [Pass(NAME, name, data)]
        return passed if self._started else self._begun({}, passed)

    def _begun(self, response: _Data, events: list[Event]) -> list[Event]:
        self._started = True
        return [started(response), *events]


def started(response: _Data) -> Started:
    """The upstream's own id and model."""
    answer_id, model = response.get("id"), response.get("model")
    return Started(answer_id if isinstance(answer_id, str) else None, model if isinstance(model, str) else None)


def ending(response: _Data, items: Items, name: str | None = None) -> list[Event]:
    """The events of a finished response object: items that are new, usage, the finish or the failure."""
    status = response.get("status")
    if not isinstance(status, str) or status not in STATUSES:
        if status is not None and name not in TERMINAL:
            raise Malformed(f"a response that ended with status {status}")
        status = name.removeprefix("response.") if name is not None and name in TERMINAL else "completed"
    if status in ("failed", "cancelled"):
        return [Failed(_failure(response, status))]
    events = items.finish(response.get("output"))
    if (usage := usage_of(response.get("usage"))) is not None:
        events.append(UsageUpdate(usage))
    unknown = rest(response, ECHOED)
    extras = {NAME: unknown} if unknown else NOTHING
    if status == "completed":
        return [*events, Finish("tool_calls" if items.calls else "stop", "completed", extras=extras)]
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    word = reason if isinstance(reason, str) else "incomplete"
    return [*events, Finish(INCOMPLETE.get(word, "length"), word, extras=extras)]


def _failure(response: _Data, status: str) -> Failure:
    if error := response.get("error"):
        return failure_inside(error)
    return Failure("api_error", f"the upstream's response is {status}")


def _index(data: _Data, key: str) -> int | None:
    value = data.get(key)
    return value if isinstance(value, int) and value >= 0 else None


def _place(data: _Data, key: str = "content_index") -> int:
    return _index(data, key) or 0


def _delta(data: _Data) -> str:
    """The piece of text; older vLLM wraps that of reasoning in an object (2026-11)."""
    delta = data.get("delta")
    if isinstance(delta, str):
        return delta
    match delta:
        case {"text": str() as text} | {"content": str() as text}:
            return text
    return ""


# --- one function an event -----------------------------------------------------------------------------------------


def _added(items: Items, data: _Data, index: int | None) -> list[Event]:
    events = items.added(index, data.get("item"))
    return [Pass(NAME, "response.output_item.added", data)] if items.is_native(index) else events


def _text(items: Items, data: _Data, index: int | None) -> list[Event]:
    place = _place(data)
    events = items.text(index, place, _delta(data))
    tokens = data.get("logprobs")
    return events + items.scores(index, place, tokens) if tokens else events


def _text_done(items: Items, data: _Data, index: int | None) -> list[Event]:
    place = _place(data)
    return items.text_done(index, place, data.get("text")) + items.scores(index, place, data.get("logprobs"), late=True)


def _refusal(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.text(index, _place(data), _delta(data), refusal=True)


def _refusal_done(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.text_done(index, _place(data), data.get("refusal"), refusal=True)


def _annotation(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.cited(index, _place(data), data.get("annotation"))


def _summary(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.reasoning(index, _place(data, "summary_index"), _delta(data))


def _summary_done(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.reasoning_done(index, _place(data, "summary_index"), data.get("text"))


def _raw(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.reasoning(index, RAW + _place(data), _delta(data))


def _nameless(items: Items, data: _Data, index: int | None) -> list[Event]:
    """vLLM's older name, which does not say of what the piece is (2026-11); its index does."""
    return (_summary if "summary_index" in data and "content_index" not in data else _raw)(items, data, index)


def _raw_done(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.reasoning_done(index, RAW + _place(data), data.get("text"))


def _arguments(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.arguments(index, _delta(data), "function_call")


def _arguments_done(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.arguments_done(index, data.get("arguments"), "function_call")


def _input(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.arguments(index, _delta(data), "custom_tool_call")


def _input_done(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.arguments_done(index, data.get("input"), "custom_tool_call")


def _done(items: Items, data: _Data, index: int | None) -> list[Event]:
    return items.done(index, data.get("item"))


def _nothing(items: Items, data: _Data, index: int | None) -> list[Event]:
    return []


_HANDLERS: dict[str, Callable[[Items, _Data, int | None], list[Event]]] = {
    "response.output_item.added": _added,
    "response.output_item.done": _done,
    "response.content_part.added": _nothing,
    "response.content_part.done": _nothing,
    "response.output_text.delta": _text,
    "response.text.delta": _text,
    "response.output_text.done": _text_done,
    "response.text.done": _text_done,
    "response.output_text.annotation.added": _annotation,
    "response.refusal.delta": _refusal,
    "response.refusal.done": _refusal_done,
    "response.reasoning_summary_part.added": _nothing,
    "response.reasoning_summary_text.delta": _summary,
    "response.reasoning_summary_text.done": _summary_done,
    "response.reasoning_text.delta": _raw,
    "response.reasoning_text.done": _raw_done,
    "response.reasoning.delta": _nameless,
    "response.reasoning.done": _raw_done,
    "response.function_call_arguments.delta": _arguments,
    "response.function_call_arguments.done": _arguments_done,
    "response.custom_tool_call_input.delta": _input,
    "response.custom_tool_call_input.done": _input_done,
}
