"""Output items of an upstream answer as events: one machine for whole answers and for streams.

An item is known by its `output_index` alone: some hosts give it another id with each event. Whatever comes only with
the end of an item (arguments, text, a name) is read there; what came before in deltas is not told twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adapters import json
from adapters.errors import Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Logprobs,
    Native,
    Opened,
    PartEnd,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    TextDelta,
)
from adapters.formats.openai_responses.words import (
    CALL_FIELDS,
    MESSAGE_FIELDS,
    NAME,
    RAW,
    REASONING_FIELDS,
    TEXTS,
    rest,
)
from adapters.model import NOTHING, Citation, Extras, Json
from adapters.tools.arguments import is_object

CALLS = frozenset({"function_call", "custom_tool_call"})
_CALL = (0, "call")


@dataclass(slots=True)
class _Part:
    """A part while it is told. `sent` by section: what went out of its text, arguments or summary."""

    number: int
    sent: dict[int, list[str]] = field(default_factory=dict)
    cited: int = 0
    scored: bool = False
    ended: bool = False


@dataclass(slots=True)
class _Item:
    """An output item while it is told. `fields` is its latest native form, `parts` by content index and kind."""

    type: str
    fields: dict[str, Json]
    parts: dict[tuple[int, str], _Part] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)
    started: bool = False
    ended: bool = False


class Items:
    """The items of one answer. Each method gives the events that its news amounts to."""

    def __init__(self) -> None:
        self._items: dict[int, _Item] = {}
        self._count = 0
        self._latest = 0
        self.calls = False

    def added(self, index: int | None, item: Json) -> list[Event]:
        """The item begins."""
        fields = item if isinstance(item, dict) else {}
        kind = fields.get("type")
        index = self._index(index)
        if index in self._items or not isinstance(kind, str):
            return []
        opened = self._items[index] = _Item(kind, fields)
        return self._start(opened) if kind in CALLS else []

    def is_native(self, index: int | None) -> bool:
        """Whether the item is of a type that only this API has."""
        item = self._items.get(self._latest if index is None else index)
        return item is not None and item.type not in CALLS and item.type not in ("message", "reasoning")

    def text(self, index: int | None, content: int, delta: str, refusal: bool = False) -> list[Event]:
        """A piece of a message's text or refusal."""
        events, part = self._content(self._at(index, "message"), content, "refusal" if refusal else "text")
        part.sent.setdefault(0, []).append(delta)
        events.append(RefusalDelta(part.number, delta) if refusal else TextDelta(part.number, delta))
        return events

    def text_done(self, index: int | None, content: int, text: Json, refusal: bool = False) -> list[Event]:
        """The whole of a message's text or refusal."""
        if not isinstance(text, str):
            return []
        kind = "refusal" if refusal else "text"
        item = self._at(index, "message")
        if not text and (content, kind) not in item.parts:
            return []
        events, part = self._content(item, content, kind)
        if missing := _missing(part, 0, text):
            events.append(RefusalDelta(part.number, missing) if refusal else TextDelta(part.number, missing))
        return events

    def scores(self, index: int | None, content: int, tokens: Json, late: bool = False) -> list[Event]:
        """Log probabilities beside a delta, or (`late`) beside the whole text: those count if none came before."""
        part = self._part(index, content)
        if part is None or not isinstance(tokens, list) or not tokens or (late and part.scored):
            return []
        part.scored = True
        return [Logprobs(part.number, tuple(_token(token) for token in tokens if isinstance(token, dict)))]

    def cited(self, index: int | None, content: int, annotation: Json) -> list[Event]:
        """One more annotation."""
        part = self._part(index, content)
        if part is None or not isinstance(annotation, dict):
            return []
        part.cited += 1
        return [Cited(part.number, citation(annotation))]

    def reasoning(self, index: int | None, section: int, delta: str) -> list[Event]:
        """A piece of a summary's section, or of the raw content (sections from RAW on)."""
        events, part = self._content(self._at(index, "reasoning"), 0, "reasoning")
        part.sent.setdefault(section, []).append(delta)
        events.append(ReasoningDelta(part.number, delta, section))
        return events

    def reasoning_done(self, index: int | None, section: int, text: Json) -> list[Event]:
        """The whole of a section."""
        return self._section(self._at(index, "reasoning"), section, text)

    def arguments(self, index: int | None, delta: str, kind: str) -> list[Event]:
        """A piece of a call's arguments or input."""
        item = self._at(index, kind)
        if not item.started:
            item.held.append(delta)
            return []
        part = item.parts[_CALL]
        part.sent.setdefault(0, []).append(delta)
        return [CallDelta(part.number, delta)]

    def arguments_done(self, index: int | None, text: Json, kind: str) -> list[Event]:
        """The whole of a call's arguments or input."""
        item = self._at(index, kind)
        return self._arguments(item, text) if item.started else []

    def done(self, index: int | None, fields: Json) -> list[Event]:
        """The item in its last form: what of it did not go out yet, and its end."""
        if not isinstance(fields, dict):
            return []
        kind = fields.get("type")
        item = self._at(index, kind if isinstance(kind, str) else "")
        if item.ended or kind != item.type:
            return []
        item.fields = {**item.fields, **{key: value for key, value in fields.items() if value is not None}}
        return self._end(item)

    def finish(self, output: Json) -> list[Event]:
        """What only the terminal event's `output` has, and the end of items that had none of their own."""
        events: list[Event] = []
        final = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
        known = sorted(self._items)
        for place, index in enumerate(known):
            item = self._items[index]
            if not item.ended:
                late = final[place] if place < len(final) else {}
                events += self.done(index, late) if late.get("type") == item.type else self._end(item)
        if len(final) > len(known):
            seen = {_key(item.fields) for item in self._items.values()} - {""}
            free = max(known, default=-1) + 1
            for place, late in enumerate(final):
                if place not in self._items and _key(late) not in seen:
                    events += self.done(max(free, place), late)
                    free = max(free, place) + 1
        return events

    # --- one item ------------------------------------------------------------------------------------------------

    def _index(self, index: int | None) -> int:
        """The item that is meant: a host that leaves the index out speaks of the latest one."""
        if index is not None:
            self._latest = index
        return self._latest

    def _at(self, index: int | None, kind: str) -> _Item:
        index = self._index(index)
        item = self._items.get(index)
        if item is None:
            item = self._items[index] = _Item(kind, {})
        return item

    def _part(self, index: int | None, content: int) -> _Part | None:
        item = self._items.get(self._index(index))
        return item.parts.get((content, "text")) if item is not None else None

    def _new(self, item: _Item, content: int, kind: str) -> _Part:
        part = item.parts[content, kind] = _Part(self._count)
        self._count += 1
        return part

    def _content(self, item: _Item, content: int, kind: str) -> tuple[list[Event], _Part]:
        """The part, with the event that opens it where this is its first news."""
        part = item.parts.get((content, kind))
        if part is not None:
            return [], part
        part = self._new(item, content, kind)
        extras = _about(item)
        return [Opened(part.number, kind, extras)] if extras else [], part  # type: ignore[arg-type]

    def _section(self, item: _Item, section: int, text: Json) -> list[Event]:
        if not isinstance(text, str) or not text:
            return []
        events, part = self._content(item, 0, "reasoning")
        if missing := _missing(part, section, text):
            events.append(ReasoningDelta(part.number, missing, section))
        return events

    def _start(self, item: _Item, late: bool = False) -> list[Event]:
        """The call begins once its name and id are known; at its end with what there is."""
        name, call_id = item.fields.get("name"), item.fields.get("call_id")
        if not isinstance(name, str) or not name:
            if late:
                raise Malformed("a tool call without a name")
            return []
        if not isinstance(call_id, str) or not call_id:
            if not late:
                return []
            call_id = ""
        part = self._new(item, *_CALL)
        item.started = self.calls = True
        kind = "custom" if item.type == "custom_tool_call" else "function"
        extra = rest(item.fields, CALL_FIELDS)
        events: list[Event] = [
            CallStart(part.number, call_id, name, kind, extras={NAME: extra} if extra else NOTHING)  # type: ignore[arg-type]
        ]
        for delta in item.held:
            part.sent.setdefault(0, []).append(delta)
            events.append(CallDelta(part.number, delta))
        item.held.clear()
        return events

    def _arguments(self, item: _Item, text: Json) -> list[Event]:
        if isinstance(text, dict):
            text = json.text(text)
        if not isinstance(text, str):
            return []
        part = item.parts[_CALL]
        if missing := _missing(part, 0, text, item.type == "function_call"):
            return [CallDelta(part.number, missing)]
        return []

    def _end(self, item: _Item) -> list[Event]:
        item.ended = True
        match item.type:
            case "message":
                return self._message(item)
            case "reasoning":
                return self._reasoned(item)
            case "function_call" | "custom_tool_call":
                key = "arguments" if item.type == "function_call" else "input"
                events = [] if item.started else self._start(item, late=True)
                events += self._arguments(item, item.fields.get(key))
                return [*events, PartEnd(item.parts[_CALL].number)]
        if not item.fields.get("type"):
            return []
        part = self._new(item, 0, "native")
        return [Native(part.number, NAME, item.fields), PartEnd(part.number)]

    def _message(self, item: _Item) -> list[Event]:
        events: list[Event] = []
        content = item.fields.get("content")
        for place, piece in enumerate(content if isinstance(content, list) else []):
            match piece:
                case {"type": str() as kind, "text": str() as text} if kind in TEXTS:
                    events += self._whole_text(item, place, text, piece)
                case {"type": "refusal", "refusal": str() as text} if text or (place, "refusal") in item.parts:
                    opened, part = self._content(item, place, "refusal")
                    events += opened
                    if missing := _missing(part, 0, text):
                        events.append(RefusalDelta(part.number, missing))
        for part in sorted(item.parts.values(), key=_number):
            if not part.ended:
                part.ended = True
                events.append(PartEnd(part.number))
        return events

    def _whole_text(self, item: _Item, place: int, text: str, piece: dict[str, Json]) -> list[Event]:
        if not text and (place, "text") not in item.parts:
            return []
        events, part = self._content(item, place, "text")
        if missing := _missing(part, 0, text):
            events.append(TextDelta(part.number, missing))
        tokens, annotations = piece.get("logprobs"), piece.get("annotations")
        if isinstance(tokens, list) and tokens and not part.scored:
            part.scored = True
            events.append(Logprobs(part.number, tuple(_token(token) for token in tokens if isinstance(token, dict))))
        for annotation in (annotations if isinstance(annotations, list) else [])[part.cited:]:
            if isinstance(annotation, dict):
                part.cited += 1
                events.append(Cited(part.number, citation(annotation)))
        return events

    def _reasoned(self, item: _Item) -> list[Event]:
        events: list[Event] = []
        summary, content = item.fields.get("summary"), item.fields.get("content")
        for base, texts in ((0, summary), (RAW, content)):
            for place, piece in enumerate(texts if isinstance(texts, list) else []):
                if isinstance(piece, dict):
                    events += self._section(item, base + place, piece.get("text"))
        opened, part = self._content(item, 0, "reasoning")
        raw = sum(1 for section in part.sent if section >= RAW)
        extra = {**rest(item.fields, REASONING_FIELDS), **({"raw": raw} if raw else {})}
        item_id, data = item.fields.get("id"), item.fields.get("encrypted_content")
        events += opened
        events.append(
            Signed(
                part.number,
                NAME,
                id=item_id if isinstance(item_id, str) else None,
                data=data if isinstance(data, str) and data else None,
                extras={NAME: extra} if extra else NOTHING,
            )
        )
        return [*events, PartEnd(part.number)]


def _key(item: dict[str, Json]) -> str:
    """What an item is known by, beside its place: "" where it has neither call id nor id."""
    return next((key for key in (item.get("call_id"), item.get("id")) if isinstance(key, str)), "")


def _number(part: _Part) -> int:
    return part.number


def _about(item: _Item) -> Extras:
    """What a client of this API is told of an item before its content."""
    known = MESSAGE_FIELDS if item.type == "message" else REASONING_FIELDS - {"id"}
    about = rest(item.fields, known)
    return {NAME: about} if about else NOTHING


def _missing(part: _Part, section: int, text: str, arguments: bool = False) -> str:
    """What of the whole text did not go out yet. Deltas that say something else hold, if they are arguments at all."""
    pieces = part.sent.setdefault(section, [])
    sent = "".join(pieces)
    if text == sent or not text:
        return ""
    if text.startswith(sent):
        pieces.append(text[len(sent):])
        return text[len(sent):]
    if arguments and not is_object(sent):
        raise Malformed("the arguments of a call differ between its deltas and its end")
    return ""


def _token(token: dict[str, Json]) -> dict[str, Json]:
    """A token in the shape of Chat Completions."""
    top = token.get("top_logprobs")
    return {
        "token": token.get("token"),
        "logprob": token.get("logprob"),
        "bytes": token.get("bytes"),
        "top_logprobs": [
            {"token": one.get("token"), "logprob": one.get("logprob"), "bytes": one.get("bytes")}
            for one in (top if isinstance(top, list) else [])
            if isinstance(one, dict)
        ],
    }


def citation(annotation: dict[str, Json]) -> Citation:
    """An annotation of any type; its native form stays in the extras."""
    match annotation:
        case {"type": "url_citation"}:
            url, title = annotation.get("url"), annotation.get("title")
        case _:
            url, title = None, annotation.get("filename")
    start, end = annotation.get("start_index"), annotation.get("end_index")
    return Citation(
        url=url if isinstance(url, str) else None,
        title=title if isinstance(title, str) else None,
        start=start if isinstance(start, int) else None,
        end=end if isinstance(end, int) else None,
        extras={NAME: annotation},
    )
