"""Calls whose parameters stand in tags, their values as raw text (text-tool-calls §4).

`<function=NAME><parameter=KEY>…` (Qwen3-Coder, Seed-OSS), `<invoke name="NAME"><parameter name="KEY">…` (models that
imitate Claude, MiniMax M2, DeepSeek's DSML), `<arg_key>KEY</arg_key><arg_value>…` (GLM). A declared string goes on as
it comes; other values wait for their end, since their type decides how they are written.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

from adapters import json
from adapters.tools.grammars.marks import marks
from adapters.tools.grammars.objects import arguments
from adapters.tools.grammars.offered import Kinds
from adapters.tools.grammars.reader import MAX_BLOCK, Emit, NotCalls, Read, Reader, TooLong, Unfinished
from adapters.tools.grammars.typed import typed
from adapters.tools.grammars.values import escaped, raw

MAX_PARAMETERS = 1000

_HEAD = marks((">", "<", "\n"))
_ATTRIBUTES = re.compile(r"""([A-Za-z_:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_STRING: Kinds = ("string",)
_JSON: Kinds = ("json",)


@dataclass(slots=True, frozen=True)
class Tags:
    """One form's tags. Openings go up to the name; `close` are the ends of the block around the calls.

    attribute: names stand in `name="…"`, else they follow at once. entities: values are escaped as in XML.
    """

    call: tuple[str, ...]
    call_end: tuple[str, ...]
    member: tuple[str, ...]
    member_end: tuple[str, ...]
    close: tuple[str, ...] = ()
    attribute: bool = True
    entities: bool = False

    @property
    def structure(self) -> tuple[str, ...]:
        """What may follow a parameter."""
        return (*self.member, *self.call_end, *self.close)


@dataclass(slots=True)
class _Head:
    name: str
    attributes: Mapping[str, str]


def calls(r: Reader, tags: Tags) -> Read[None]:
    """Calls in a row, up to the end of their block, if it has one."""
    while True:
        opening = yield from r.after_white(tags.call)
        if not opening:
            break
        yield from r.space()
        r.take(len(opening))
        yield from call(r, tags)
    yield from r.closing(tags.close)


def call(r: Reader, tags: Tags) -> Read[None]:
    """One call behind its opening. Raises NotCalls where it names no tool that was offered."""
    yield from parameters(r, tags, (yield from _head(r, tags)).name)


def parameters(r: Reader, tags: Tags, name: str) -> Read[None]:
    """What a call of this name has: parameters, an object, or nothing but its end."""
    if r.offered.wire(name) is None:
        raise NotCalls("unknown tool")
    begins = yield from r.after_white(("{", *tags.structure, *tags.call))
    yield from r.space()
    if not begins and not (r.out and not r.cut):
        raise Unfinished if r.out else NotCalls("no parameters")
    wire = r.open(name)
    if begins == "{":
        yield from arguments(r, r.args, (*tags.call_end, *tags.close))
        yield from r.closing(tags.call_end)
    else:
        yield from _members(r, tags, r.offered.kinds(wire))
    r.shut()


def _head(r: Reader, tags: Tags) -> Read[_Head]:
    """The rest of an opening tag; its `>` may be missing."""
    text, stop = yield from r.until(_HEAD)
    if stop == ">":
        r.take(1)
    elif not stop:
        raise Unfinished
    if not tags.attribute:
        return _Head(text.strip().strip("\"'"), {})
    found = {name: a or b or c for name, a, b, c in _ATTRIBUTES.findall(text)}
    return _Head(found.get("name", ""), found)


class Written:
    """An object written member by member. A name that comes again is dropped: the first has gone out already."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._names: set[str] = set()

    def name(self, name: str) -> bool:
        if name in self._names:
            return False
        if len(self._names) >= MAX_PARAMETERS:
            raise NotCalls("too many parameters")
        self._emit(f"{',' if self._names else '{'}{json.text(name)}:")
        self._names.add(name)
        return True

    def end(self) -> None:
        self._emit("}" if self._names else "{}")


def _members(r: Reader, tags: Tags, kinds: Mapping[str, Kinds]) -> Read[None]:
    """The parameters and the end of the call. Text between them ends it too."""
    written = Written(r.args)
    while True:
        yield from r.space()
        opening = yield from r.one_of(tags.member)
        if not opening:
            break
        head = yield from _head(r, tags)
        told = {"true": _STRING, "false": _JSON}.get(head.attributes.get("string", ""))
        wanted = kinds.get(head.name, ()) if told is None else told
        if written.name(head.name):
            yield from _value(r, r.args, tags, wanted, kinds)
        else:
            r.note("repeated_parameter")
            yield from _value(r, _nothing, tags, _STRING, kinds)
        yield from r.one_of(tags.member_end)
    if not (yield from r.one_of(tags.call_end)) and r.out and r.cut:
        raise Unfinished
    written.end()


def _value(r: Reader, emit: Emit, tags: Tags, wanted: Kinds, known: Mapping[str, Kinds]) -> Read[None]:
    """One value: all but a line end around it."""
    begins_line = yield from r.literal("\n")
    if wanted == _STRING:
        emit('"')
        if tags.entities:
            text = yield from _whole(r, tags, known, begins_line)
            emit(escaped(html.unescape(text)))
        else:
            yield from _text(r, lambda text: emit(escaped(text)), tags, known, begins_line)
        emit('"')
        return
    text = yield from _whole(r, tags, known, begins_line)
    emit(typed(html.unescape(text) if tags.entities else text, wanted))


def _whole(r: Reader, tags: Tags, known: Mapping[str, Kinds], begins_line: bool) -> Read[str]:
    pieces: list[str] = []
    yield from _text(r, collected(pieces), tags, known, begins_line)
    return "".join(pieces)


def collected(pieces: list[str]) -> Emit:
    size = 0

    def collect(text: str) -> None:
        nonlocal size
        size += len(text)
        if size > MAX_BLOCK:
            raise TooLong
        pieces.append(text)

    return collect


def _nothing(text: str) -> None:
    pass


def _text(r: Reader, emit: Emit, tags: Tags, known: Mapping[str, Kinds], begins_line: bool) -> Read[None]:
    """Text up to where the parameter ends. Raises Unfinished where it has no end."""
    stops = marks((*tags.member_end, *tags.member, *tags.call_end))
    held = ""
    at_line = begins_line

    def held_back(text: str) -> None:
        """A last line end belongs to the tag behind it."""
        nonlocal held, at_line
        text = held + text
        held = "\n" if text.endswith("\n") else ""
        at_line = bool(held)
        emit(text.removesuffix("\n"))

    while stop := (yield from raw(r, held_back, stops)):
        if (yield from _ends(r, tags, stop, known, at_line, begins_line)):
            return
        held_back(r.take(len(stop)))
    emit(held)
    raise Unfinished


def _ends(
    r: Reader, tags: Tags, stop: str, known: Mapping[str, Kinds], at_line: bool, begins_line: bool
) -> Read[bool]:
    """Whether a tag inside of a value ends it, or belongs to it.

    A closing tag must be followed by what can follow a parameter, and stand on a line of its own where the value
    began on one. Where it is missing, another parameter of the tool or the call's end does, at the start of a line.
    """
    if stop in tags.member_end:
        count = yield from r.white(len(stop))
        gap = r.buffer[r.at + len(stop) : r.at + len(stop) + count]
        follows = yield from r.which(tags.structure, len(stop) + count)
        return (bool(follows) or (yield from _ends_there(r, len(stop) + count))) and (
            at_line or not begins_line or "\n" in gap or not follows
        )
    if not at_line:
        return False
    if stop in tags.member:
        return (yield from _is_known(r, tags, stop, known))
    follows = yield from r.after_white((*tags.close, *tags.call), len(stop))
    return bool(follows) or (yield from _ends_there(r, len(stop)))


def _ends_there(r: Reader, offset: int) -> Read[bool]:
    """Whether the text ends behind white space there."""
    count = yield from r.white(offset)
    return not (yield from r.ahead(offset + count + 1))[offset + count :]


def _is_known(r: Reader, tags: Tags, stop: str, known: Mapping[str, Kinds]) -> Read[bool]:
    """Whether a parameter's opening names one that the tool has."""
    longest = len(stop) + 20 + max(map(len, known), default=0)
    text = yield from r.ahead(longest)
    head = text[len(stop) :].partition(">")[0]
    if not tags.attribute:
        return head in known
    return any((a or b or c) in known for name, a, b, c in _ATTRIBUTES.findall(head) if name == "name")


# --- GLM ---------------------------------------------------------------------------------------------------------

_GLM_NAME = marks(("\n", "<arg_key>", "</tool_call>"))
_GLM_KEY = marks(("</arg_key>",))
_GLM_VALUE = marks(("</arg_value>", "<arg_key>", "</tool_call>"))


def glm(r: Reader) -> Read[None]:
    """A name and pairs of `<arg_key>` and `<arg_value>`, behind `<tool_call>`."""
    name, stop = yield from r.until(_GLM_NAME)
    if not stop and (not name.strip() or r.cut):
        raise Unfinished
    if r.offered.wire(name) is None:
        raise NotCalls("unknown tool")
    begins = yield from r.after_white(("<arg_key>", "</tool_call>"))
    if not begins and not (yield from _ends_there(r, 0)):
        raise NotCalls("no parameters")
    kinds = r.offered.kinds(r.open(name))
    written = Written(r.args)
    while (yield from r.closing(("<arg_key>",))):
        key = (yield from r.until(_GLM_KEY))[0].strip()
        yield from r.literal("</arg_key>")
        yield from r.closing(("<arg_value>",))
        emit = r.args if written.name(key) else _nothing
        yield from _glm_value(r, emit, kinds.get(key, ()))
    if not (yield from r.closing(("</tool_call>",))) and r.out and r.cut:
        raise Unfinished
    written.end()
    r.shut()


def _glm_value(r: Reader, emit: Emit, wanted: Kinds) -> Read[None]:
    pieces: list[str] = []
    is_text = wanted == _STRING
    write = (lambda text: emit(escaped(text))) if is_text else collected(pieces)
    if is_text:
        emit('"')
    while stop := (yield from raw(r, write, _GLM_VALUE)):
        if stop != "</tool_call>" or (yield from r.after_white(("<tool_call>",), len(stop))) or (
            yield from _ends_there(r, len(stop))
        ):
            break
        write(r.take(len(stop)))
    else:
        raise Unfinished
    yield from r.literal("</arg_value>")
    emit('"' if is_text else typed("".join(pieces), wanted))
