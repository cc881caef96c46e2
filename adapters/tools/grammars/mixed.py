"""Grammars of marks that several forms share, told apart by what follows them, and of forms that need no more."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from adapters.tools.grammars import literals, tags
from adapters.tools.grammars import objects as json_calls
from adapters.tools.grammars.marks import Marks
from adapters.tools.grammars.objects import Shape
from adapters.tools.grammars.reader import MAX_BLOCK, NotCalls, Read, Reader, Unfinished
from adapters.tools.grammars.tags import Tags
from adapters.tools.grammars.values import raw

Grammar = Callable[[Reader], Read[None]]

_TOOL_CALL_ENDS = (
    "</tool_call>", "</tool_calls>", "</tool_call", "</function_call>", "[/TOOL_CALL]", "[/tool_call]", "<|tool_call|>",
)  # fmt: skip
NAME_MARKS = ("<function=", "<function(")

# --- objects -----------------------------------------------------------------------------------------------------


def objects(*close: str) -> Grammar:
    shape = Shape(close)
    return lambda r: json_calls.calls(r, shape)


def functools(r: Reader) -> Read[None]:
    yield from json_calls.items(r, Shape())


def python_tag(r: Reader) -> Read[None]:
    """Llama's own tools are called like Python's functions."""
    yield from r.space()
    if (yield from r.ahead(1)) in ("{", "["):
        yield from json_calls.calls(r, Shape(("<|eom_id|>", "<|eot_id|>")))
    else:
        yield from literals.python_list(r, ("<|eom_id|>", "<|eot_id|>"))


def functionary(r: Reader) -> Read[None]:
    """`>>>NAME` and the arguments; `>>>all` begins text."""
    head, stop = yield from r.until(_LINE)
    if not stop:
        raise Unfinished
    if head[:1] == " ":
        raise NotCalls("Python's prompt")
    if head.strip() == "all":
        r.take(1)
        r.said = True
        return
    r.open(head)
    yield from r.space()
    yield from json_calls.arguments(r, r.args, (">>>",))
    r.shut()


_LINE = Marks(("\n",))


def lfm(r: Reader) -> Read[None]:
    """LFM2 sometimes gives its list again, with a second end (2026-11)."""
    yield from literals.python_list(r, _LFM_END)
    if (yield from r.after_white(("[",))):
        yield from r.until(Marks(_LFM_END), MAX_BLOCK)
        if not (yield from r.one_of(_LFM_END)):
            raise NotCalls("no repetition")


_LFM_END = ("<|tool_call_end|>",)


def python(*close: str) -> Grammar:
    return lambda r: literals.python_list(r, close)


def tag_calls(used: Tags) -> Grammar:
    return lambda r: tags.calls(r, used)


def reasoning(close: str) -> Grammar:
    stops = Marks((close,))

    def grammar(r: Reader) -> Read[None]:
        r.said = True
        r.commit()
        yield from raw(r, r.reason, stops)
        yield from r.literal(close)

    return grammar


def dropped(r: Reader) -> Read[None]:
    """A mark that says nothing."""
    r.said = True
    yield from ()


# --- tags --------------------------------------------------------------------------------------------------------

QWEN = Tags(
    ("<function=",), ("</function>",), ("<parameter=",), ("</parameter>",), ("</tool_call>", "</seed:tool_call>"),
    attribute=False,
)  # fmt: skip
_NAMESPACES = ("", "antml:")


def _tagged(*forms: str) -> tuple[str, ...]:
    """Tags with each of the namespaces; `%s` stands for it."""
    return tuple(form % space for form in forms for space in _NAMESPACES)


INVOKE_WRAPS = (*_tagged("<%sfunction_calls>"), "<minimax:tool_call>")
INVOKE_CALLS = _tagged("<%sinvoke ")
_INVOKE = Tags(
    (*INVOKE_CALLS, "<tool "),
    (*_tagged("</%sinvoke>"), "</tool>"),
    _tagged("<%sparameter "),
    _tagged("</%sparameter>"),
    (*_tagged("</%sfunction_calls>"), "</minimax:tool_call>", *_TOOL_CALL_ENDS),
)
DSML_PREFIXES = ("｜DSML｜", "|DSML|", "｜｜DSML｜｜", "||DSML||")
_DSML_KINDS = ("function_calls", "tool_calls", "tool_call")


@lru_cache(maxsize=8)
def _dsml_tags(prefix: str) -> Tags:
    return Tags(
        (f"<{prefix}invoke ",),
        (f"</{prefix}invoke>",),
        (f"<{prefix}parameter ",),
        (f"</{prefix}parameter>",),
        tuple(f"</{prefix}{kind}>" for kind in _DSML_KINDS),
        entities=True,
    )


def dsml(r: Reader) -> Read[None]:
    """DeepSeek V3.2 and V4. An error that it makes up is no text for the client."""
    prefix = r.mark.removeprefix("<")
    used = _dsml_tags(prefix)
    kind = yield from r.one_of((*(f"{kind}>" for kind in _DSML_KINDS), "invoke ", "tool_use_error>"))
    if kind == "tool_use_error>":
        end = f"</{prefix}tool_use_error>"
        yield from r.until(Marks((end,)), MAX_BLOCK)
        if not (yield from r.literal(end)):
            raise Unfinished
        r.said = True
        return
    if not kind:
        raise NotCalls("another tag")
    if kind == "invoke ":
        yield from tags.call(r, used)
    elif (yield from r.after_white(("{", "["))):
        yield from json_calls.calls(r, Shape(used.close))
        return
    yield from tags.calls(r, used)


def function(r: Reader) -> Read[None]:
    """`<function=NAME>` and then JSON (Llama 3.1, Groq) or parameters (Qwen3-Coder)."""
    name, stop = yield from r.until(_FUNCTION_NAME)
    if not stop:
        raise Unfinished
    if stop in (">", ")"):
        r.take(1)
    if stop == ")":
        yield from r.literal(">")
    begins = yield from r.after_white(("{", *QWEN.structure))
    if begins == "{" and r.forms & {"llama3-func", "nullclaw"}:
        r.open(name)
        yield from r.space()
        yield from json_calls.arguments(r, r.args, ("</function>", "<function>"))
        yield from r.closing(("</function>", "<function>"))
        r.shut()
        return
    if not r.forms & {"qwen3-coder", "seed-oss", "nullclaw"}:
        raise NotCalls("no arguments")
    yield from tags.parameters(r, QWEN, name)
    yield from tags.calls(r, QWEN)


_FUNCTION_NAME = Marks((">", ")", "{", "<", "\n"))


def invoke(r: Reader) -> Read[None]:
    """Calls in Claude's older notation, in a wrapper or without; Olmo puts Python's calls into the same wrapper."""
    is_tagged = bool(r.forms & {"invoke", "minimax-m2"})
    if r.mark in INVOKE_CALLS and is_tagged:
        yield from tags.call(r, _INVOKE)
        yield from tags.calls(r, _INVOKE)
    elif is_tagged and (yield from r.after_white(INVOKE_CALLS)):
        yield from tags.calls(r, _INVOKE)
    elif is_tagged and (yield from r.after_white(("{", "["))):
        yield from json_calls.calls(r, Shape(_INVOKE.close))
    elif "pythonic" in r.forms and r.mark == "<function_calls>":
        yield from literals.python_list(r, ("</function_calls>",))
    else:
        raise NotCalls("no call")


# --- <tool_call> -------------------------------------------------------------------------------------------------

_JSON_IN_TOOL_CALL = frozenset({"hermes", "nullclaw", "granite"})
_WRAPPED = Shape(_TOOL_CALL_ENDS)
_HYBRID = re.compile(r'"name"\s*:\s*"([^"\n]*)"\s*,?[ \t]*\n')


def tool_call(r: Reader) -> Read[None]:
    """What many models begin a call with; what follows says whose notation it is."""
    yield from r.space()
    char = yield from r.ahead(1)
    if char in ("{", "[", "`") and r.forms & _JSON_IN_TOOL_CALL:
        yield from json_calls.calls(r, _WRAPPED)
    elif char == "<":
        yield from _tags_in_tool_call(r)
    elif char == '"' and "nullclaw" in r.forms:
        yield from _hybrid(r)
    elif (char.isalnum() or char == "_") and "glm45" in r.forms and r.mark == "<tool_call>":
        yield from tags.glm(r)
    else:
        raise NotCalls("no call") if char else Unfinished


def _tags_in_tool_call(r: Reader) -> Read[None]:
    mark = yield from r.one_of((*NAME_MARKS, *_INVOKE.call))
    if mark in NAME_MARKS and r.forms & {"qwen3-coder", "seed-oss", "nullclaw"}:
        r.mark = mark
        yield from function(r)
    elif mark in _INVOKE.call and r.forms & {"invoke", "nullclaw", "minimax-m2"}:
        yield from tags.call(r, _INVOKE)
        yield from tags.calls(r, _INVOKE)
    else:
        raise NotCalls("no call")
    yield from r.closing(_TOOL_CALL_ENDS)


def _hybrid(r: Reader) -> Read[None]:
    """A `"name":` line as of an object, then parameters in tags (text-tool-calls §5)."""
    head, stop = yield from r.until(_LINE)
    found = _HYBRID.match(head + stop)
    if found is None:
        raise NotCalls("no name")
    yield from tags.parameters(r, _INVOKE, found[1])
    yield from r.closing(_TOOL_CALL_ENDS)
