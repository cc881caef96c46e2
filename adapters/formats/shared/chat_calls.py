"""Tool calls in the deltas of a chat-like stream, as hosts really send them (openai-chat §6, 2026-11).

A delta may lack its index, repeat one for several calls, name a call late, repeatedly or in pieces, change ids on the
way, repeat all arguments so far, or hold whole calls. One `Calls` reads the calls of one choice; parts get numbers of
their own. A call's name is final when its CallStart goes out. A call ends when the next one begins and its arguments
are a complete object, else with the choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from adapters import json
from adapters.errors import Malformed
from adapters.events import CallDelta, CallStart, Event, PartEnd
from adapters.format import Reading
from adapters.model import NOTHING, Extras, Json
from adapters.tools.ids import MISSING

_PACKED = frozenset({"multi_tool_use.parallel", "parallel"})
"""What OpenAI's models call when they make up a tool that calls others (2026-11)."""

_TOKENS = re.compile(r"(?:\s*<\|\w+\|>\s*\w*)+$", re.ASCII)
"""A model's control tokens behind a name, each with a word that belongs to it (`<|channel|>commentary`)."""
_LONGEST = 512
"""Characters of a name that may have junk around it."""
_KNOWN_FIELDS = frozenset({"index", "id", "type", "function", "custom", "extra_content"})


def known_names(reading: Reading) -> Mapping[str, str]:
    """The names of the declared tools, the client's own and those of the wire -> the wire's. Where a tool's own name is
    the wire name of another, the latter is meant."""
    wire = {client: name for name, client in reading.names.items()}
    names = {name: wire.get(name, name) for name in reading.declared}
    return names | {name: name for name in names.values()}


@dataclass(slots=True)
class Entry:
    """One entry of `tool_calls`, read."""

    index: int | None
    id: str
    name: str
    text: str
    kind: Literal["function", "custom"]
    raw: Mapping[str, Json]


@dataclass(slots=True, eq=False)
class _Call:
    """A call on its way. `placeholder` is a first `{}` that waits for what follows it."""

    index: int | None
    id: str
    kind: Literal["function", "custom"]
    batch: int
    name: str = ""
    pieces: int = 0
    part: int | None = None
    texts: list[str] = field(default_factory=list)
    length: int = 0
    placeholder: str = ""
    signature: str | None = None
    extras: dict[str, Json] = field(default_factory=dict)
    ended: bool = False

    def text(self) -> str:
        return "".join(self.texts)

    def complete(self) -> bool:
        """Whether the arguments are a whole object that says something."""
        if not self.length or self.placeholder:
            return False
        try:
            return isinstance(json.loads(self.text()), dict)
        except ValueError:
            return False


class Calls:
    """`api` owns the unknown fields of calls (None: nobody does); `number` gives the next free part number."""

    def __init__(self, api: str | None, known: Mapping[str, str], number: Callable[[], int]) -> None:
        self._api = api
        self._known = known
        self._number = number
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._batch = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def feed(self, values: list[Json], out: list[Event]) -> None:
        """The entries of one delta."""
        self._batch += 1
        alone = len(values) == 1
        if alone and self._goes_on(values[0], out):
            return
        for position, value in enumerate(values):
            if isinstance(value, dict):
                entry = _entry(value)
                self._extend(self._find(entry, position if not alone else None, out), entry, out)

    def close(self, cut: bool, out: list[Event]) -> None:
        """The choice has ended; `cut`: by a limit. Raises Malformed for arguments without a name."""
        for call in self._calls:
            if not call.ended:
                self._end(call, cut, out)

    def _goes_on(self, value: Json, out: list[Event]) -> bool:
        """The short way for a piece of arguments with nothing but its index beside it. False: it is another case."""
        if type(value) is not dict or len(value) != 2 or type(function := value.get("function")) is not dict:
            return False
        index, text = value.get("index"), function.get("arguments")
        if type(index) is not int or type(text) is not str or len(function) != 1:
            return False
        call = self._by_index.get(index)
        if call is None or call.part is None or call.ended or call.placeholder or not 0 < len(text) < call.length:
            return False
        call.texts.append(text)
        call.length += len(text)
        out.append(CallDelta(call.part, text))
        return True

    # --- which call --------------------------------------------------------------------------------------------------

    def _find(self, entry: Entry, position: int | None, out: list[Event]) -> _Call:
        found = self._by_id.get(entry.id) if entry.id else None
        if found is not None:
            return self._begin(entry, out) if self._reuses_id(found, entry) else found
        if entry.index is not None:
            found = self._by_index.get(entry.index)
            if found is not None and found.ended and self._is_of_the_latest(entry):
                found = self._calls[-1]
        elif position is None:
            found = self._calls[-1] if self._calls else None
        elif position < len(self._calls):
            found = self._calls[position]
        if found is None or self._is_another(found, entry):
            return self._begin(entry, out)
        return found

    def _is_of_the_latest(self, entry: Entry) -> bool:
        """Hosts that give index 0 to all pieces (Mistral's GLM, 2026-11) mean the call that still goes on."""
        latest = self._calls[-1]
        return not entry.name and not entry.id and not latest.ended and not latest.complete()

    def _reuses_id(self, found: _Call, entry: Entry) -> bool:
        """Whether a host gives one id to several calls, which their places and names tell apart."""
        if found.batch == self._batch and entry.name and entry.index is None:
            return True
        other = entry.index is not None and found.index is not None and entry.index != found.index
        return other and bool(entry.name) and found.complete()

    def _is_another(self, found: _Call, entry: Entry) -> bool:
        """Whether an entry that would belong to `found` by its place begins another call."""
        if found.batch == self._batch and (entry.name or entry.id):
            return True
        if entry.id and found.id:
            if not entry.name:
                return entry.index is None or found.complete()
            return entry.name != found.name or found.complete() or not found.length
        if not entry.name or not found.name:
            return False
        if found.complete():
            return entry.name != found.name or (entry.text.lstrip()[:1] == "{" and entry.text != found.text())
        return entry.index is None and entry.name != found.name and self._known.keys() >= {entry.name, found.name}

    def _begin(self, entry: Entry, out: list[Event]) -> _Call:
        for earlier in self._calls:
            if earlier.part is None and earlier.name and not self._packs(earlier):
                self._open(earlier, out)
            if not earlier.ended and earlier.complete():
                self._end(earlier, False, out)
        call = _Call(entry.index, entry.id, entry.kind, self._batch)
        self._calls.append(call)
        if entry.index is not None:
            self._by_index[entry.index] = call
        return call

    # --- what it says ------------------------------------------------------------------------------------------------

    def _extend(self, call: _Call, entry: Entry, out: list[Event]) -> None:
        if call.ended:
            return
        if entry.id:
            call.id = call.id or entry.id
            self._by_id[entry.id] = call
        if entry.name and call.part is None:
            self._name(call, entry.name)
        self._beside(call, entry)
        text = _news(call, entry.text)
        if text:
            call.texts.append(text)
            call.length += len(text)
        if call.part is not None:
            if text and not call.placeholder:
                out.append(CallDelta(call.part, text))
        elif call.name and (call.length or self._is_known(call)) and not self._packs(call):
            self._open(call, out)

    def _name(self, call: _Call, name: str) -> None:
        """A name comes once, in pieces, or growing. Behind a known tool's name that came whole, what leads to no other
        known one is junk; in a name that comes in pieces every piece counts, or its beginning would be taken for it."""
        if not call.name:
            call.name, call.pieces = name, 1
        elif name != call.name and not call.length:
            if name.startswith(call.name) and name in self._known:
                call.name = name
            elif call.pieces > 1 or self._bare(call.name) not in self._known or self._leads_on(call.name + name):
                call.name += name
                call.pieces += 1

    def _leads_on(self, name: str) -> bool:
        """Whether a known tool's name begins so."""
        short = name.removeprefix("functions.")
        return any(known.startswith((name, short)) for known in self._known)

    def _is_known(self, call: _Call) -> bool:
        """Whether the call can begin before its arguments: its name came whole and no known tool's begins with it."""
        if not call.id or call.pieces > 1:
            return False
        name = self._bare(call.name)
        return name in self._known and not any(k != name and k.startswith(name) for k in self._known)

    def _clean(self, name: str) -> str:
        """The wire name that is meant; a name that is no known tool's stays letter for letter."""
        return self._known.get(self._bare(name), name)

    def _bare(self, name: str) -> str:
        """The name without white space, `functions.` before it and control tokens after it, up to a known tool's."""
        if name in self._known or len(name) > _LONGEST:
            return name
        name = _TOKENS.sub("", name.strip()).strip()
        while name not in self._known and name.startswith("functions."):
            name = name.removeprefix("functions.")
        return name

    def _beside(self, call: _Call, entry: Entry) -> None:
        """Gemini's signature and the fields that only this API's clients may know."""
        if len(entry.raw) <= 4 and entry.raw.keys() <= _KNOWN_FIELDS and "extra_content" not in entry.raw:
            return
        content = entry.raw.get("extra_content")
        extra = dict(content) if isinstance(content, dict) else {}
        google = extra.get("google")
        if isinstance(google, dict) and isinstance(signature := google.get("thought_signature"), str):
            call.signature = signature
            del extra["google"]
        if extra:
            call.extras["extra_content"] = extra
        call.extras.update((k, v) for k, v in entry.raw.items() if k not in _KNOWN_FIELDS and v is not None)

    # --- events ------------------------------------------------------------------------------------------------------

    def _packs(self, call: _Call) -> bool:
        return call.name in _PACKED and call.name not in self._known

    def _open(self, call: _Call, out: list[Event]) -> None:
        call.part = self._number()
        extras: Extras = {self._api: call.extras} if call.extras and self._api else NOTHING
        out.append(CallStart(call.part, call.id, self._clean(call.name), call.kind, call.signature, extras=extras))
        if call.length and not call.placeholder:
            out.append(CallDelta(call.part, call.text()))

    def _end(self, call: _Call, cut: bool, out: list[Event]) -> None:
        call.ended = True
        if call.part is None:
            if not call.name:
                if call.length and not cut:
                    raise Malformed("a tool call without a name")
                return
            if self._packs(call) and self._unpack(call, out):
                return
            self._open(call, out)
        assert call.part is not None
        if call.placeholder:
            out.append(CallDelta(call.part, call.placeholder))
        out.append(PartEnd(call.part))

    def _unpack(self, call: _Call, out: list[Event]) -> bool:
        """The calls inside a made-up parallel call; False where there are none to be read."""
        try:
            value = json.loads(call.text() or "{}")
        except ValueError:
            return False
        uses = value.get("tool_uses") if isinstance(value, dict) else None
        if not isinstance(uses, list) or not uses:
            return False
        inner: list[tuple[str, Json]] = []
        for use in uses:
            match use:
                case {"recipient_name": str(name)} if name:
                    inner.append((name.removeprefix("functions."), use.get("parameters")))
                case _:
                    return False
        for name, parameters in inner:
            part = self._number()
            out += (
                CallStart(part, "", self._clean(name)),
                CallDelta(part, json.text({} if parameters is None else parameters)),
                PartEnd(part),
            )
        return True


def _entry(value: Mapping[str, Json]) -> Entry:
    custom = value.get("custom")
    kind: Literal["function", "custom"] = "function"
    inner, text = value.get("function"), None
    if isinstance(custom, dict):
        kind, inner, text = "custom", custom, custom.get("input")
    elif isinstance(inner, dict):
        text = inner.get("arguments")
    name = inner.get("name") if isinstance(inner, dict) else None
    index, call_id = value.get("index"), value.get("id")
    return Entry(
        index if isinstance(index, int) else None,
        call_id if isinstance(call_id, str) and call_id not in MISSING else "",
        name if isinstance(name, str) else "",
        text if isinstance(text, str) else "" if text is None else json.text(text),
        kind,
        value,
    )


def _news(call: _Call, text: str) -> str:
    """What a piece of arguments adds. A host that repeats all of them each time adds what comes after the known."""
    if not text:
        return ""
    if not call.length:
        call.placeholder = text if text.strip() == "{}" else ""
        return text
    if call.placeholder:
        return _instead(call, text)
    if len(text) >= call.length and text[0] == call.texts[0][0]:
        known = call.text()
        if text.startswith(known) and known.lstrip()[0] == "{" and known.rstrip()[-1] not in ":,[":
            return text[len(known) :]
    return text


def _instead(call: _Call, text: str) -> str:
    """What follows a first `{}`: other arguments replace it, anything else goes on from it."""
    if not text.strip() or text.strip() == "{}":
        return ""
    held, call.placeholder = call.placeholder, ""
    call.texts.clear()
    call.length = 0
    return text if text.lstrip()[0] == "{" else held + text
