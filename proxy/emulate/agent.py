"""The deterministic model behind every emulated API: offered tools, choice, results in; reasoning, text, calls out.

A token is four characters here, everywhere (UTF-16 surrogates and bytes do not count, characters do).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from proxy.emulate.merging import merged
from proxy.emulate.samples import instance

Json = Any

CHARACTERS_PER_TOKEN = 4
MOST_CALLS = 128

Choice = Literal["auto", "none", "required"]
Finish = Literal["stop", "length", "tool_calls", "stop_sequence", "refusal"]

_COUNT = re.compile(r"\bcall (\d+)\b", re.IGNORECASE)
_ROUNDS = re.compile(r"\b(\d+) rounds\b", re.IGNORECASE)
_PLACE = re.compile(r"\bin ([A-Z]\w+)")
_NAMED = re.compile(r"\bcall the tool (\w[\w.-]*)(?: with (?=\{))?", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(parallel|both|two)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tool:
    """An offered tool. `schema` is its JSON Schema; None means that it takes free text instead of JSON."""

    name: str
    schema: Json | None


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back, as text."""

    call_id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """All that the model sees of a request.

    `allowed` are the names that `tool_choice` leaves (None: all). `results` are those of the last turn, empty when
    the last message is the user's. `rounds` counts the tool turns since the last user text. `output` is the schema
    of a structured answer (`{}`: any JSON object). `aloud` asks for a sentence before calls.
    """

    user: str = ""
    tools: tuple[Tool, ...] = ()
    choice: Choice = "auto"
    allowed: tuple[str, ...] | None = None
    parallel: bool = True
    results: tuple[Result, ...] = ()
    rounds: int = 0
    reasoning: bool = False
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    output: Json | None = None
    aloud: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call: `text` is the JSON of `arguments` (the free text itself for a tool without schema).

    When the answer hit its token limit the last call's `text` is cut and `whole` is False.
    """

    name: str
    arguments: Json
    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer, not yet in anybody's format. `stopped` is the stop sequence that ended the text."""

    reasoning: str | None = None
    text: str | None = None
    calls: tuple[Call, ...] = ()
    finish: Finish = "stop"
    stopped: str | None = None


def tokens(text: str) -> int:
    """Length of a text in tokens, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def plan(task: Task) -> Plan:
    """The same task gives the same plan, in every process."""
    calls = tuple(_calls(task))
    reasoning = _reasoning(task, calls) if task.reasoning else None
    if calls:
        text = f"I will use {', '.join(dict.fromkeys(call.name for call in calls))}." if task.aloud else None
        whole = Plan(reasoning, text, calls, "tool_calls")
    else:
        whole = _stopped(Plan(reasoning, _answer(task)), task.stop)
    return whole if task.max_tokens is None else cut(whole, task.max_tokens)


def refusal(reasoning: str | None = None) -> Plan:
    """The answer of a model that declines."""
    return Plan(reasoning, "I can't help with that.", (), "refusal")


def with_broken_arguments(whole: Plan) -> Plan:
    """The plan with every call's argument text turned into something that is not JSON."""
    return replace(whole, calls=tuple(replace(call, text=_broken(call.text), whole=False) for call in whole.calls))


def cut(whole: Plan, limit: int) -> Plan:
    """The plan as it stands after `limit` tokens; unchanged if it is not longer."""
    left = limit * CHARACTERS_PER_TOKEN
    if left >= sum(len(part) for part in (whole.reasoning or "", whole.text or "", *(c.text for c in whole.calls))):
        return whole
    reasoning, left = _taken(whole.reasoning, left)
    text, left = _taken(whole.text, left)
    calls: list[Call] = []
    for call in whole.calls:
        if left <= 0:
            break
        kept = call.text[:left]
        calls.append(replace(call, text=kept, whole=kept == call.text))
        left -= len(kept)
    return Plan(reasoning, text, tuple(calls), "length")


def _taken(text: str | None, left: int) -> tuple[str | None, int]:
    if text is None:
        return None, left
    return text[:left] or None, max(0, left - len(text))


def _calls(task: Task) -> Iterator[Call]:
    tools = [tool for tool in task.tools if task.allowed is None or tool.name in task.allowed]
    if not tools or not _wants_calls(task):
        return
    if not _has_more_rounds(task):
        tools = [tool for tool in tools if tool.name not in {result.name for result in task.results}] or tools
    if named := _named(task.user, tools):
        yield named
        return
    for index in range(_how_many(task, len(tools))):
        tool = tools[index % len(tools)]
        seed = f"{tool.name}/{index}/{task.rounds}/{task.user}"
        if tool.schema is None:
            text = f"SELECT {index + 1} -- {tool.name}"
            yield Call(tool.name, text, text)
        else:
            arguments = _placed(instance(merged({"type": "object"}, tool.schema), seed), tool.schema, task.user)
            yield Call(tool.name, arguments, json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))


def _placed(arguments: Any, schema: dict[str, Any], user: str) -> Any:
    """With the place that the user names ("in Rome") as `city` or `location`, where any text will do."""
    place = _PLACE.search(user)
    for name in ("city", "location"):
        match schema, arguments:
            case {"properties": {**members}}, {**given} if place and name in given and _any_text(members.get(name)):
                arguments = {**given, name: place[1]}
    return arguments


def _any_text(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and schema.keys() <= {"type", "description"}


def _named(user: str, tools: list[Tool]) -> Call | None:
    """The call of "call the tool NAME with {...}", when NAME (or a longer name that ends so) is offered."""
    for asked in _NAMED.finditer(user):
        name = asked[1].rstrip(".")
        tool = next((t for t in tools if t.name == name), None) or next(
            (t for t in tools if t.name.endswith(name)), None
        )
        if tool is None:
            continue
        try:
            arguments, end = json.JSONDecoder().raw_decode(user, asked.end())
        except ValueError:
            arguments, end = instance(merged({"type": "object"}, tool.schema or {}), f"{name}/{user}"), asked.end()
        text = user[asked.end() : end] or json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
        return Call(tool.name, arguments if tool.schema is not None else text, text)
    return None


def _wants_calls(task: Task) -> bool:
    match task.choice:
        case "none":
            return False
        case "required":
            return True
    return _has_more_rounds(task)


def _has_more_rounds(task: Task) -> bool:
    """Whether the task is not done yet. Forced to call all the same, the agent calls what it has not just called."""
    asked = _ROUNDS.search(task.user)
    return task.rounds < (int(asked[1]) if asked else 1)


def _how_many(task: Task, offered: int) -> int:
    if not task.parallel:
        return 1
    if asked := _COUNT.search(task.user):
        return max(1, min(int(asked[1]), MOST_CALLS))
    return 2 if offered >= 2 or _SEVERAL.search(task.user) else 1


def _reasoning(task: Task, calls: tuple[Call, ...]) -> str:
    if calls:
        return f"The user asks “{_last_words(task.user)}”. I call {len(calls)} of {len(task.tools)} tools."
    if task.results:
        return f"I have {len(task.results)} results and can answer now."
    return f"The user says “{_last_words(task.user)}”. No tool is needed."


def _answer(task: Task) -> str:
    if task.output is not None:
        schema = task.output or {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
        return json.dumps(instance(schema, f"answer/{task.user}"), ensure_ascii=False)
    if task.results:
        return "\n".join(["The tools answered:", *(f"{r.name or r.call_id}: {r.text}" for r in task.results)])
    return f"You said: {_last_words(task.user)}"


def _last_words(text: str) -> str:
    return text if len(text) <= 400 else "…" + text[-400:]


def _stopped(whole: Plan, stop: tuple[str, ...]) -> Plan:
    text = whole.text or ""
    found = [(text.find(word), word) for word in stop if word and word in text]
    if not found:
        return whole
    at, word = min(found)
    return replace(whole, text=text[:at] or None, finish="stop_sequence", stopped=word)


def _broken(text: str) -> str:
    return text[:-1] + ', "broken": ' if len(text) > 2 else '{"broken": '
