"""Tools for models that know none: told in the prompt, called in the text, answered by the user (text-tool-calls §7).

The system message says how a call is written and what tools there are, so that a conversation's prefix stays the same.
Earlier calls stand in the assistant's text as it would write them, and all results of a turn in one user message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters import json
from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.shared.instruct import ANSWER_JSON, answer_schema, instructed
from adapters.model import Json, Message, OutputFormat, Part, Request, Text, Tool, ToolCall, ToolChoice, ToolResult
from adapters.tools.arguments import as_object
from adapters.tools.schema import Projection, untouched

if TYPE_CHECKING:
    from adapters.prepare import Rules

_EVERY_CHOICE = frozenset({"auto", "none", "required", "named", "allowed"})
_MARKUP = re.compile(
    r"<(?=/?(?:tool|function|invoke|parameter|result|std|think|antml:|[|｜]))|\[(?=/?(?:TOOL_|Tool r))"
)


@dataclass(slots=True, frozen=True)
class Notation:
    """How a form is taught and used. `example` is a call in words; `call` and `results` write those of the history."""

    example: str
    call: Callable[[str, str], str]
    results: Callable[[Sequence[tuple[str, str, bool]]], str]


def loosened(rules: Rules) -> Rules:
    """What an API can carry where tools are but text: any choice, the client's own schemas, results as user turns."""
    history = replace(rules.history, images_in_results=False, user_after_results=True, tools_from_history=False)
    return replace(
        rules, history=history, schema=_schema, choices=_EVERY_CHOICE, custom_tools=False, namespaces=False,
        sort_tools=True,
    )  # fmt: skip


def _schema(tool: Tool, upstream: Upstream) -> Projection:
    return untouched(tool.schema)


def taught(upstream: Upstream) -> str:
    """The form that calls are asked for in: the first of `text_tool_calls` that can be taught, else Hermes'."""
    forms = upstream.compat.get("text_tool_calls", "off")
    return "hermes" if isinstance(forms, str) else next((form for form in forms if form in NOTATIONS), "hermes")


def in_words(request: Request, upstream: Upstream, warnings: dict[str, None]) -> Request:
    """The prepared request with its tools, calls and results as text, and no field of them left.

    Raises Rejected where a tool of the upstream's own is forced.
    """
    notation = NOTATIONS[taught(upstream)]
    messages = tuple(_told(request.messages, notation))
    choice = request.tool_choice
    output = request.output
    tools = _offered(request, warnings)
    if tools:
        messages = instructed(messages, _instruction(notation, tools, choice, request.parallel, output))
        if output is not None and output.kind != "text":
            warnings["response_format: told in the prompt, since calls are written as text"] = None
            output = None
    return replace(request, messages=messages, tools=(), tool_choice=None, parallel=None, output=output)


def _offered(request: Request, warnings: dict[str, None]) -> list[Tool]:
    choice = request.tool_choice
    if choice is not None and choice.mode == "none":
        return []
    tools: list[Tool] = []
    for tool in request.tools:
        if tool.kind == "builtin":
            if choice is not None and tool.name in choice.names and choice.mode == "named":
                raise Rejected(f"the upstream has no built-in tool {tool.name}", "tool_choice")
            warnings[f"tools: the built-in {tool.name} is left out, the upstream has no tools of its own"] = None
        elif choice is None or choice.mode != "allowed" or tool.name in choice.names:
            tools.append(tool)
            if tool.cache is not None:
                warnings["cache_control: left out on tools, which are told in the prompt"] = None
    return tools


# --- instruction -------------------------------------------------------------------------------------------------


def _instruction(
    notation: Notation, tools: Iterable[Tool], choice: ToolChoice | None, parallel: bool | None,
    output: OutputFormat | None,
) -> str:  # fmt: skip
    lines = [
        "You can call tools. A call is written in exactly this way, with a real name and real values:",
        notation.example,
        "Write one such block for each call, as many as you need, and end your message with the last of them. The "
        "results come in the next message: never write results yourself. Without a call, just answer.",
        "These are the tools, one on a line, with the JSON Schema of their parameters:",
        "<tools>",
        *(_escaped_json(json.text(_declared(tool))) for tool in tools),
        "</tools>",
    ]
    lines += _demands(choice, parallel)
    if output is not None and output.kind != "text":
        wanted = ANSWER_JSON if output.kind == "json" else answer_schema(output.schema)
        lines.append(f"When you do not call a tool: {wanted}")
    return "\n".join(lines)


def _declared(tool: Tool) -> Json:
    function: dict[str, Json] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": {**function, "parameters": tool.schema}}


def _demands(choice: ToolChoice | None, parallel: bool | None) -> Iterable[str]:
    if choice is not None and choice.mode == "named":
        yield f"This time you must call the tool {choice.names[0]}, and no other."
    elif choice is not None and (choice.mode == "required" or choice.required):
        yield "This time you must call at least one tool."
    if parallel is False:
        yield "Write no more than one call in a message."


# --- history -----------------------------------------------------------------------------------------------------


def _told(messages: Iterable[Message], notation: Notation) -> Iterable[Message]:
    """The messages with calls and results as text. A user message right after results becomes one with them."""
    results: Message | None = None
    for message in messages:
        if message.role == "tool":
            told = [_result(part) for part in message.parts if isinstance(part, ToolResult)]
            parts = (Text(notation.results(told)),)
            results = Message("user", parts) if results is None else replace(results, parts=(*results.parts, *parts))
            continue
        if results is not None and message.role == "user" and message.name is None and not message.extras:
            results = replace(results, parts=(*results.parts, *message.parts))
            continue
        if results is not None:
            yield results
            results = None
        yield _assistant(message, notation) if message.role == "assistant" else message
    if results is not None:
        yield results


def _assistant(message: Message, notation: Notation) -> Message:
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    if not calls:
        return message
    blocks = "\n".join(notation.call(call.name, call.arguments) for call in calls)
    parts: list[Part] = [part for part in message.parts if not isinstance(part, ToolCall)]
    last = parts[-1] if parts else None
    if isinstance(last, Text):
        parts[-1] = replace(last, text=f"{last.text}\n{blocks}")
    else:
        parts.append(Text(blocks))
    return replace(message, parts=tuple(parts))


def _result(result: ToolResult) -> tuple[str, str, bool]:
    """Name, text, and whether it is an error."""
    text = "\n".join(part.text for part in result.content if isinstance(part, Text))
    return result.name or "", text, bool(result.is_error)


def _escaped_json(text: str) -> str:
    """Markup of ours inside of JSON strings, so that no tool's output can pass for it."""
    return _MARKUP.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped_text(text: str) -> str:
    return _MARKUP.sub(lambda found: "&lt;" if found[0] == "<" else "&#91;", text)


# --- notations ---------------------------------------------------------------------------------------------------


def _arguments(text: str) -> str:
    """The text itself where it is an object."""
    value = as_object(text)
    return text if value and "_raw" not in value else json.text(value)


def _json_call(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": {json.text(name)}, "arguments": {_arguments(arguments)}}}\n</tool_call>'


def _responses(results: Sequence[tuple[str, str, bool]]) -> str:
    blocks = []
    for name, text, is_error in results:
        mark = ', "is_error": true' if is_error else ""
        inner = f'{{"name": {json.text(name)}, "content": {_escaped_json(json.text(text))}{mark}}}'
        blocks.append(f"<tool_response>\n{inner}\n</tool_response>")
    return "\n".join(blocks)


def _raw_responses(results: Sequence[tuple[str, str, bool]]) -> str:
    return "\n".join(
        f"<tool_response>\n{'Error: ' if is_error else ''}{_escaped_text(text)}\n</tool_response>"
        for _, text, is_error in results
    )


def _tool_results(results: Sequence[tuple[str, str, bool]]) -> str:
    blocks = [
        f'<tool_result name="{name}" status="{"error" if is_error else "ok"}">\n{_escaped_text(text)}\n</tool_result>'
        for name, text, is_error in results
    ]
    return "\n".join(["[Tool results]", *blocks])


def _function_results(results: Sequence[tuple[str, str, bool]]) -> str:
    blocks = []
    for name, text, is_error in results:
        tag = "stderr" if is_error else "stdout"
        inner = f"<{tag}>\n{_escaped_text(text)}\n</{tag}>"
        blocks.append(f"<result>\n<tool_name>{name}</tool_name>\n{inner}\n</result>")
    return "\n".join(["<function_results>", *blocks, "</function_results>"])


def _members(arguments: str) -> Iterable[tuple[str, str]]:
    """Parameters with their values, texts as they are and others as JSON."""
    for key, value in as_object(arguments).items():
        yield key, value if isinstance(value, str) else json.text(value)


def _qwen_call(name: str, arguments: str) -> str:
    members = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in _members(arguments))
    return f"<tool_call>\n<function={name}>\n{members}</function>\n</tool_call>"


def _invoke_call(name: str, arguments: str) -> str:
    members = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in _members(arguments))
    return f'<function_calls>\n<invoke name="{name}">\n{members}</invoke>\n</function_calls>'


_JSON_EXAMPLE = '<tool_call>\n{"name": "NAME", "arguments": {"PARAMETER": VALUE}}\n</tool_call>'

NOTATIONS: dict[str, Notation] = {
    "hermes": Notation(_JSON_EXAMPLE, _json_call, _responses),
    "nullclaw": Notation(_JSON_EXAMPLE, _json_call, _tool_results),
    "qwen3-coder": Notation(
        "<tool_call>\n<function=NAME>\n<parameter=PARAMETER>\nVALUE\n</parameter>\n</function>\n</tool_call>",
        _qwen_call,
        _raw_responses,
    ),
    "invoke": Notation(
        '<function_calls>\n<invoke name="NAME">\n<parameter name="PARAMETER">VALUE</parameter>\n</invoke>\n'
        "</function_calls>",
        _invoke_call,
        _function_results,
    ),
}
"""Forms that a model can be taught."""
