"""Calls written like code: Python calls (Llama 4, ToolACE, Olmo, LFM2), Gemma's own notation, MiniMax M3's tags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters import json
from adapters.tools.grammars.marks import marks
from adapters.tools.grammars.offered import Kinds
from adapters.tools.grammars.reader import MAX_HEAD, NotCalls, Read, Reader, Unfinished
from adapters.tools.grammars.tags import MAX_PARAMETERS, Written, collected
from adapters.tools.grammars.typed import typed
from adapters.tools.grammars.values import MAX_DEPTH, PYTHON, Notation, raw, value

# --- Python ------------------------------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_CONSTANTS = frozenset({"True", "False", "None", "true", "false", "null"})
_LETTER = re.compile(r"[A-Za-z_]")
_CONSTANT: Kinds = ("null", "boolean")


def python_list(r: Reader, close: tuple[str, ...] = ()) -> Read[None]:
    """`[f(a=1), g(b="x")]`, or calls on lines of their own, and the closing mark if there is one."""
    yield from r.space()
    if (yield from r.literal("[")):
        while True:
            yield from python_call(r)
            yield from r.space()
            if not (yield from r.literal(",")):
                break
        yield from r.closing(("]",))
    else:
        yield from python_call(r)
        while close and (yield from _calls_on(r, close)):
            yield from python_call(r)
    yield from r.closing(close)


def _calls_on(r: Reader, close: tuple[str, ...]) -> Read[bool]:
    """Whether another call follows on a new line."""
    count = yield from r.white(0)
    following = (yield from r.ahead(count + 1))[count:]
    return bool(_LETTER.match(following)) and not (yield from r.which(close, count))


def python_call(r: Reader) -> Read[None]:
    """One call with keyword arguments of literals; positional ones go by the order of the schema."""
    yield from r.space()
    name = yield from r.match(_NAME)
    if not name or len(name) > MAX_HEAD or not (yield from r.literal("(")):
        raise Unfinished if r.out else NotCalls("no call")
    if r.offered.wire(name) is None:
        name = name.removesuffix(".call")
    wire = r.open(name)
    written = Written(r.args)
    order = list(r.offered.kinds(wire))
    place = 0
    while True:
        yield from r.space()
        if (yield from r.literal(")")):
            break
        place = yield from _argument(r, written, order, place)
        yield from r.space()
        if not (yield from r.literal(",")) and (yield from r.ahead(1)) != ")":
            raise Unfinished if r.out else NotCalls("no comma")
    written.end()
    r.shut()


def _argument(r: Reader, written: Written, order: list[str], place: int) -> Read[int]:
    """One argument. The place of the next positional one, which the schema's order names."""
    word = (yield from r.match(_NAME)) if _LETTER.match((yield from r.ahead(1))) else ""
    yield from r.space()
    if word and (yield from r.literal("=")):
        yield from r.space()
        yield from value(r, r.args if written.name(word) else _nothing, PYTHON)
        return place
    if place >= len(order) or (word and word not in _CONSTANTS):
        raise Unfinished if r.out else NotCalls("no argument")
    emit = r.args if written.name(order[place]) else _nothing
    if word:
        emit(typed(word, _CONSTANT))
    else:
        yield from value(r, emit, PYTHON)
    return place + 1


def _nothing(text: str) -> None:
    pass


# --- Gemma -------------------------------------------------------------------------------------------------------

_BRACE = marks(("{",))
_GEMMA = Notation(('<|"|>', "<escape>"), bare=True, strict=False)


def gemma(r: Reader) -> Read[None]:
    """`call:NAME{key:<|"|>text<|"|>,n:42}`: bare keys, strings between marks of their own."""
    yield from r.space()
    if not (yield from r.literal("call:")):
        raise Unfinished if r.out else NotCalls("no call")
    name, stop = yield from r.until(_BRACE)
    if not stop:
        raise Unfinished
    r.open(name)
    yield from value(r, r.args, _GEMMA)
    yield from r.closing(("<tool_call|>", "<end_function_call>"))
    r.shut()


# --- MiniMax M3 --------------------------------------------------------------------------------------------------

PREFIX = "]<]minimax[>["
_INVOKE_ENDS = marks(("</invoke>",))
_INVOKE = re.compile(r"""<invoke\s+name=["']?([^"'>]+)["']?\s*>""")
_TAG = re.compile(rf"({re.escape(PREFIX)})?<(/?)([A-Za-z_][\w.-]*)>")


@dataclass(slots=True)
class _Element:
    """A tag with its text, or the elements inside of it."""

    name: str
    texts: list[str] = field(default_factory=list)
    inner: list[_Element] = field(default_factory=list)


def minimax3(r: Reader) -> Read[None]:
    """Tags with a prefix, parameters and what is nested in them as tags of their names. A stray prefix is dropped."""
    if not (yield from r.literal("<tool_call>")):
        r.said = True
        return
    while (yield from _before(r, "<invoke")):
        pieces: list[str] = []
        if not (yield from raw(r, collected(pieces), _INVOKE_ENDS)):
            raise Unfinished
        r.take(len("</invoke>"))
        text = "".join(pieces)
        head = _INVOKE.match(text)
        if head is None:
            raise NotCalls("no name")
        root = _elements(text[head.end() :])
        wire = r.offered.wire(head[1])
        kinds = r.offered.kinds(wire) if wire else {}
        r.open(head[1])
        r.args(json.text({}) if not root.inner else _object(root.inner, kinds))
        r.shut()
    yield from _before(r, "</tool_call>")


def _before(r: Reader, tag: str) -> Read[bool]:
    """Whether the tag comes next, behind white space and its prefix, which are taken; a closing one is taken too."""
    found = yield from r.after_white((PREFIX + tag, tag))
    if not found:
        return False
    yield from r.space()
    yield from r.literal(PREFIX)
    if tag.startswith("</"):
        r.take(len(tag))
    return True


def _elements(text: str) -> _Element:
    """The tags of a text as a tree. Openings have the prefix; an end may lack it where it fits what is open."""
    opened = [_Element("")]
    at = 0
    for tag in _TAG.finditer(text):
        prefix, slash, name = tag.groups()
        if not (prefix and not slash) and not (slash and name == opened[-1].name):
            continue
        opened[-1].texts.append(text[at : tag.start()].replace(PREFIX, ""))
        at = tag.end()
        if slash:
            opened.pop()
            continue
        element = _Element(name)
        opened[-1].inner.append(element)
        opened.append(element)
        if len(opened) > MAX_DEPTH or len(opened[-2].inner) > MAX_PARAMETERS:
            raise NotCalls("nested too deeply")
    if len(opened) > 1:
        raise NotCalls("a tag without its end")
    return opened[0]


def _object(elements: list[_Element], kinds: Mapping[str, Kinds]) -> str:
    made: dict[str, str] = {}
    for one in elements:
        made.setdefault(one.name, _written(one, kinds.get(one.name, ())))
    return "{" + ",".join(f"{json.text(name)}:{text}" for name, text in made.items()) + "}"


def _written(element: _Element, kinds: Kinds) -> str:
    """An element as JSON: a list where the schema says so or names repeat, else an object, or its text."""
    if not element.inner:
        return typed(_text_of(element), kinds)
    names = {one.name for one in element.inner}
    if "array" in kinds or (len(names) == 1 and len(element.inner) > 1):
        return "[" + ",".join(_written(one, ()) for one in element.inner) + "]"
    return _object(element.inner, {})


def _text_of(element: _Element) -> str:
    text = "".join(element.texts)
    return text.removeprefix("\n").removesuffix("\n")
