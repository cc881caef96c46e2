"""Calls between a model's own special tokens: DeepSeek, Kimi, Mistral, and harmony (gpt-oss)."""

from __future__ import annotations

import html
import re

from adapters.tools.grammars.marks import marks
from adapters.tools.grammars.objects import Shape, arguments, calls
from adapters.tools.grammars.reader import Emit, NotCalls, Read, Reader, Unfinished
from adapters.tools.grammars.tags import Written, collected
from adapters.tools.grammars.typed import typed
from adapters.tools.grammars.values import escaped, normal, raw

# --- DeepSeek ----------------------------------------------------------------------------------------------------

DEEPSEEK_CALLS = "<｜tool▁calls▁begin｜>"
DEEPSEEK_CALL = "<｜tool▁call▁begin｜>"
_DEEPSEEK_SEP = "<｜tool▁sep｜>"
_DEEPSEEK_CALL_END = "<｜tool▁call▁end｜>"
_DEEPSEEK_END = "<｜tool▁calls▁end｜>"
_HEAD = marks((_DEEPSEEK_SEP,))
_LINE = marks(("\n",))


def deepseek(r: Reader) -> Read[None]:
    """V3 says the type, the name and JSON in a code fence, V3.1 the name and JSON. The section's end ends the turn."""
    if r.mark == DEEPSEEK_CALL:
        yield from _deepseek_call(r)
    while (yield from r.closing((DEEPSEEK_CALL,))):
        yield from _deepseek_call(r)
    r.over = bool((yield from r.closing((_DEEPSEEK_END,))))


def _deepseek_call(r: Reader) -> Read[None]:
    head, stop = yield from r.until(_HEAD)
    if not stop:
        raise Unfinished
    r.take(len(stop))
    yield from r.space()
    fenced = head.strip() == "function" and (yield from r.ahead(1)) != "{"
    if fenced:
        head, stop = yield from r.until(_LINE)
        if not stop:
            raise Unfinished
    r.open(head)
    yield from r.space()
    if (yield from r.literal("```")):
        yield from r.literal("json")
        yield from r.space()
    yield from arguments(r, r.args, ("```", _DEEPSEEK_CALL_END))
    yield from r.closing(("```",))
    yield from r.closing((_DEEPSEEK_CALL_END,))
    r.shut()


# --- Kimi K2 -----------------------------------------------------------------------------------------------------

KIMI_SECTIONS = ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>")
KIMI_CALL = "<|tool_call_begin|>"
_KIMI_SECTION_ENDS = ("<|tool_calls_section_end|>", "<|tool_call_section_end|>")
_KIMI_ARGUMENTS = "<|tool_call_argument_begin|>"
_KIMI_CALL_END = "<|tool_call_end|>"
_KIMI_HEAD = marks((_KIMI_ARGUMENTS,))
KIMI_ID = re.compile(r"(?:functions\.)?(.+?)(?::\d+)?")


def kimi(r: Reader) -> Read[None]:
    """The id names the tool, `functions.NAME:INDEX`, and is kept. The section's end ends the turn."""
    if r.mark == KIMI_CALL:
        yield from _kimi_call(r)
    while (yield from r.closing((KIMI_CALL,))):
        yield from _kimi_call(r)
    r.over = bool((yield from r.closing(_KIMI_SECTION_ENDS)))


def _kimi_call(r: Reader) -> Read[None]:
    head, stop = yield from r.until(_KIMI_HEAD)
    if not stop:
        raise Unfinished
    r.take(len(stop))
    call_id = head.strip()
    found = KIMI_ID.fullmatch(call_id)
    r.open(found[1] if found else "", call_id)
    yield from r.space()
    yield from arguments(r, r.args, (_KIMI_CALL_END, *_KIMI_SECTION_ENDS))
    yield from r.closing((_KIMI_CALL_END,))
    r.shut()


# --- Kimi K3 -----------------------------------------------------------------------------------------------------

_SEP = "<|sep|>"
_K3_HEAD = marks((_SEP,))
_K3_CLOSE = marks(("<|close|>",))
_ATTRIBUTE = re.compile(r'([A-Za-z_]+)="([^"]*)"')


def kimi3(r: Reader) -> Read[None]:
    """Channels: `response` holds text, `think` reasoning, `tools` calls. Behind `<|open|>`."""
    channel = yield from _k3_head(r)
    match channel.split()[:1]:
        case ["tools"]:
            while (yield from r.closing(("<|open|>",))):
                yield from _k3_call(r)
            yield from _k3_end(r)
        case ["response" | "think" as name]:
            r.said = True
            r.commit()
            say = r.text if name == "response" else r.reason
            while stop := (yield from raw(r, say, _K3_CLOSE)):
                if (yield from r.literal(f"{stop}{name}{_SEP}")):
                    r.commit()
                    return
                say(r.take(len(stop)))
        case _:
            raise NotCalls("no channel")


def _k3_head(r: Reader) -> Read[str]:
    head, stop = yield from r.until(_K3_HEAD)
    if not stop:
        raise Unfinished
    r.take(len(stop))
    return head


def _k3_end(r: Reader) -> Read[None]:
    if (yield from r.closing(("<|close|>",))):
        yield from _k3_head(r)


def _k3_call(r: Reader) -> Read[None]:
    head = dict(_ATTRIBUTE.findall((yield from _k3_head(r))))
    r.open(html.unescape(head.get("tool", "")))
    written = Written(r.args)
    while (yield from r.closing(("<|open|>",))):
        argument = dict(_ATTRIBUTE.findall((yield from _k3_head(r))))
        if not written.name(html.unescape(argument.get("key", ""))):
            raise NotCalls("repeated parameter")
        pieces: list[str] = []
        is_text = argument.get("type") == "string"
        if is_text:
            r.args('"')
        write = _escaping(r) if is_text else collected(pieces)
        if not (yield from raw(r, write, _K3_CLOSE)):
            raise Unfinished
        r.args('"' if is_text else normal("".join(pieces)) or typed("".join(pieces), ()))
        yield from _k3_end(r)
    if not (yield from r.after_white(("<|close|>",))) and r.cut:
        raise Unfinished
    written.end()
    yield from _k3_end(r)
    r.shut()


def _escaping(r: Reader) -> Emit:
    return lambda text: r.args(escaped(text))


# --- Mistral -----------------------------------------------------------------------------------------------------

MISTRAL = "[TOOL_CALLS]"
_MISTRAL_LIST = Shape(ids=frozenset({"id"}))
_MISTRAL_NAME = marks(("{", "[ARGS]", "[CALL_ID]", "\n"))
_MISTRAL_ID = marks(("[ARGS]", "{"))


def mistral(r: Reader) -> Read[None]:
    """One list of objects behind the mark (tokenizers v3 to v7), or the mark, a name and arguments for each call."""
    yield from r.space()
    if (yield from r.ahead(1)) in ("[", "{"):
        yield from calls(r, _MISTRAL_LIST)
        return
    name, stop = yield from r.until(_MISTRAL_NAME)
    call_id = ""
    if stop == "[CALL_ID]":
        r.take(len(stop))
        call_id, stop = yield from r.until(_MISTRAL_ID)
    if not stop:
        raise Unfinished
    if stop == "[ARGS]":
        r.take(len(stop))
    r.open(name, call_id.strip())
    yield from r.space()
    yield from arguments(r, r.args, (MISTRAL,))
    r.shut()


# --- harmony -----------------------------------------------------------------------------------------------------

HARMONY_START, HARMONY_CHANNEL = "<|start|>", "<|channel|>"
_MESSAGE = marks(("<|message|>",))
_ENDS = ("<|end|>", "<|call|>", "<|return|>", HARMONY_START)
_BODY_ENDS = marks(_ENDS)
_RECIPIENT = re.compile(r"to=([^\s<]+)")
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)")
_BUILT_IN = ("browser", "python", "container")


def harmony(r: Reader) -> Read[None]:
    """Messages: a header, `<|message|>`, a body. A recipient makes a call, the channel tells reasoning from text."""
    opening = r.mark
    while opening:
        header, stop = yield from r.until(_MESSAGE)
        if not stop:
            raise Unfinished
        r.take(len(stop))
        if opening == HARMONY_START and not header.startswith("assistant"):
            r.commit()
            r.over = True
            return
        yield from _message(r, opening + header)
        opening = ""
        ended = yield from r.closing(_ENDS)
        if ended == HARMONY_START or (ended and (yield from r.closing((HARMONY_START,)))):
            opening = HARMONY_START
        r.commit()


def _message(r: Reader, header: str) -> Read[None]:
    recipient, channel = _RECIPIENT.search(header), _CHANNEL.search(header)
    name = recipient[1] if recipient else ""
    if name and r.offered.wire(name) is not None:
        r.open(name)
        yield from r.space()
        yield from arguments(r, r.args, _ENDS)
        r.shut()
        return
    if name and not name.startswith(_BUILT_IN) and name != "assistant":
        raise NotCalls("unknown tool")
    r.said = True
    r.commit()
    is_text = not name and (channel is None or channel[1] != "analysis")
    yield from raw(r, r.text if is_text else r.reason, _BODY_ENDS)
