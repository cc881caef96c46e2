"""Models that write their calls into the text (text-tool-calls §1), by model name `quirk-text-FORM`, and one that knows
no tools but reads them in its prompt (`quirk-prompted`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from proxy.emulate.agent import Call, Plan, Result, Task, Tool

Json = Any
Writer = Callable[[Sequence[Call]], str]


def _objects(opening: str, closing: str, between: str = "\n") -> Writer:
    """A block for each call."""
    return lambda calls: between.join(f"{opening}{_object(call)}{closing}" for call in calls)


def _list(opening: str, closing: str, name: str = "name", arguments: str = "arguments") -> Writer:
    """One list of all calls."""

    def write(calls: Sequence[Call]) -> str:
        return opening + json.dumps([{name: c.name, arguments: c.arguments} for c in calls]) + closing

    return write


def _object(call: Call, arguments: str = "arguments") -> str:
    return f'{{"name": {json.dumps(call.name)}, "{arguments}": {call.text}}}'


def _raw(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _members(call: Call) -> list[tuple[str, Json]]:
    return list(call.arguments.items())


def _functions(calls: Sequence[Call]) -> str:
    """Qwen3-Coder's."""
    written = []
    for call in calls:
        inner = "".join(f"<parameter={key}>\n{_raw(value)}\n</parameter>\n" for key, value in _members(call))
        written.append(f"<function={call.name}>\n{inner}</function>\n")
    return "".join(written)


def _invokes(calls: Sequence[Call], prefix: str = "", typed: bool = False) -> str:
    written = []
    for call in calls:
        inner = ""
        for key, value in _members(call):
            kind = f' string="{str(isinstance(value, str)).lower()}"' if typed else ""
            inner += f'<{prefix}parameter name="{key}"{kind}>{_raw(value)}</{prefix}parameter>\n'
        written.append(f'<{prefix}invoke name="{call.name}">\n{inner}</{prefix}invoke>\n')
    return "".join(written)


def _glm(calls: Sequence[Call]) -> str:
    return "\n".join(
        f"<tool_call>{call.name}\n"
        + "".join(f"<arg_key>{k}</arg_key>\n<arg_value>{_raw(v)}</arg_value>\n" for k, v in _members(call))
        + "</tool_call>"
        for call in calls
    )


def _deepseek(calls: Sequence[Call], older: bool) -> str:
    bar = "<｜tool▁{}｜>".format
    written = ""
    for call in calls:
        inner = f"function{bar('sep')}{call.name}\n```json\n{call.text}\n```" if older else ""
        written += bar("call▁begin") + (inner or f"{call.name}{bar('sep')}{call.text}") + bar("call▁end")
    return bar("calls▁begin") + written + bar("calls▁end")


def _python(calls: Sequence[Call]) -> str:
    return "[" + ", ".join(f"{c.name}({', '.join(f'{k}={v!r}' for k, v in _members(c))})" for c in calls) + "]"


def _kimi(calls: Sequence[Call]) -> str:
    inner = "".join(
        f"<|tool_call_begin|>functions.{call.name}:{index}<|tool_call_argument_begin|>{call.text}<|tool_call_end|>"
        for index, call in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{inner}<|tool_calls_section_end|>"


def _kimi3(calls: Sequence[Call]) -> str:
    def tag(name: str, inner: str, attributes: str = "") -> str:
        return f"<|open|>{name}{attributes}<|sep|>{inner}<|close|>{name}<|sep|>"

    written = ""
    for index, call in enumerate(calls):
        inner = ""
        for key, value in _members(call):
            kind = "string" if isinstance(value, str) else "json"
            inner += tag("argument", _raw(value), f' key="{key}" type="{kind}"')
        written += tag("call", inner, f' tool="{call.name}" index="{index + 1}"')
    return tag("tools", written)


def _minimax3(calls: Sequence[Call]) -> str:
    at = "]<]minimax[>["
    written = ""
    for call in calls:
        inner = "".join(f"{at}<{key}>{_raw(value)}{at}</{key}>\n" for key, value in _members(call))
        written += f'{at}<invoke name="{call.name}">\n{inner}{at}</invoke>\n'
    return f"{at}<tool_call>\n{written}{at}</tool_call>"


def _harmony(calls: Sequence[Call]) -> str:
    return "<|start|>assistant".join(
        f"<|channel|>commentary to=functions.{call.name} <|constrain|>json<|message|>{call.text}<|call|>"
        for call in calls
    )


def _gemma(calls: Sequence[Call]) -> str:
    def value(one: Json) -> str:
        return f'<|"|>{one}<|"|>' if isinstance(one, str) else json.dumps(one)

    return "".join(
        f"<|tool_call>call:{call.name}{{{','.join(f'{k}:{value(v)}' for k, v in _members(call))}}}<tool_call|>"
        for call in calls
    )


_DSML = "｜DSML｜"

FORMS: dict[str, Writer] = {
    "hermes": _objects("<tool_call>\n", "\n</tool_call>"),
    "qwen3-coder": lambda calls: f"<tool_call>\n{_functions(calls)}</tool_call>",
    "invoke": lambda calls: f"<function_calls>\n{_invokes(calls)}</function_calls>",
    "nullclaw": _objects("[TOOL_CALL]", "[/TOOL_CALL]"),
    "deepseek-v3": lambda calls: _deepseek(calls, older=True),
    "deepseek-v31": lambda calls: _deepseek(calls, older=False),
    "dsml": lambda calls: f"<{_DSML}function_calls>\n{_invokes(calls, _DSML, typed=True)}</{_DSML}function_calls>",
    "llama3-json": lambda calls: "; ".join(_object(call, "parameters") for call in calls),
    "llama3-func": lambda calls: "\n".join(f"<function={call.name}>{call.text}</function>" for call in calls),
    "pythonic": _python,
    "mistral-v3": _list("[TOOL_CALLS] ", ""),
    "mistral-v11": lambda calls: "".join(f"[TOOL_CALLS]{call.name}{call.text}" for call in calls),
    "kimi-k2": _kimi,
    "kimi-k3": _kimi3,
    "glm45": _glm,
    "minimax-m2": lambda calls: f"<minimax:tool_call>\n{_invokes(calls)}</minimax:tool_call>",
    "minimax-m3": _minimax3,
    "minimax-m1": lambda calls: f"<tool_calls>\n{_objects('', '')(calls)}\n</tool_calls>",
    "harmony": _harmony,
    "gemma4": _gemma,
    "phi4-mini": _list("functools", ""),
    "granite": _list("<|tool_call|>", ""),
    "cohere": _list("<|START_ACTION|>", "<|END_ACTION|>", "tool_name", "parameters"),
    "internlm": _objects("<|action_start|><|plugin|>", "<|action_end|>"),
    "jamba": _list("<tool_calls>", "</tool_calls>"),
    "seed-oss": lambda calls: f"<seed:tool_call>\n{_functions(calls)}</seed:tool_call>",
    "xlam": _list("", ""),
    "nemotron-nano": _list("<TOOLCALL>", "</TOOLCALL>"),
    "functionary": lambda calls: "\n".join(f">>>{call.name}\n{call.text}" for call in calls),
    "command-r": _list("Action: ```json\n", "\n```", "tool_name", "parameters"),
}
"""Form -> how its models write calls."""

ALONE = frozenset({"llama3-json", "pythonic", "xlam"})
"""Forms that have no mark, and so nothing before them."""

PROMPTED = "prompted"
REFUSED = "tool-use-failed"
QUIRKS = frozenset({*(f"text-{form}" for form in FORMS), PROMPTED})


def written(whole: Plan, quirk: str) -> Plan:
    """The plan with its calls as text behind a sentence."""
    form = "hermes" if quirk == PROMPTED else quirk.removeprefix("text-")
    if not whole.calls:
        return whole
    called = FORMS[form](whole.calls)
    before = "" if form in ALONE else "I look it up.\n\n"
    if form == "harmony":
        before = f"<|channel|>commentary<|message|>{before.strip()}<|end|><|start|>assistant"
    return replace(whole, text=before + called, calls=(), finish="stop")


def refused(whole: Plan) -> Json:
    """Groq's error for a call that it could not read (openai-chat §8)."""
    return {"error": {
        "message": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        "type": "invalid_request_error", "code": "tool_use_failed",
        "failed_generation": FORMS["llama3-func"](whole.calls),
    }}  # fmt: skip


# --- a prompt that tells of tools --------------------------------------------------------------------------------

_TOOLS = re.compile(r"<tools>\n(.*?)\n</tools>(.*)", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>\n(.*?)\n</tool_response>\n?", re.DOTALL)
_NAMED = re.compile(r"must call the tool (\S+),")


def prompted(task: Task, texts: Sequence[tuple[str, str]]) -> Task:
    """The task as a model understands it that is given roles and texts alone."""
    system = "\n".join(text for role, text in texts if role == "system")
    found = _TOOLS.search(system)
    lines = found[1].splitlines() if found else []
    offered = [json.loads(line)["function"] for line in lines]
    after = found[2] if found else ""
    named = _NAMED.search(after)
    asked = [index for index, (role, text) in enumerate(texts) if role == "user" and _RESPONSE.sub("", text).strip()]
    last = asked[-1] if asked else 0
    return replace(
        task,
        user=_RESPONSE.sub("", texts[last][1]).strip(),
        tools=tuple(Tool(one["name"], one["parameters"]) for one in offered),
        choice="required" if "must call" in after else "auto",
        allowed=(named[1],) if named else None,
        parallel="no more than one call" not in after,
        results=_results(texts[-1]),
        rounds=sum("<tool_call>" in text for role, text in texts[last + 1 :] if role == "assistant"),
    )


def _results(last: tuple[str, str]) -> tuple[Result, ...]:
    if last[0] != "user":
        return ()
    told = [json.loads(inner) for inner in _RESPONSE.findall(last[1])]
    return tuple(Result("", one["name"], one["content"]) for one in told)
