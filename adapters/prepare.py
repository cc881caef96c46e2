"""Turns a neutral request into one that a given API can carry: names, ids, schemas, tool choice, history.

Each API is one row, a `Rules` value; the mechanism is the same for all. What comes out is again a neutral request,
now in the wire's names and ids, which the API's own encoder writes down without further repair, and a `Reading`, the
way back.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from adapters import json
from adapters.errors import Rejected
from adapters.format import Reading, Upstream
from adapters.history import HistoryRules, adapt
from adapters.model import NOTHING, Extras, Json, Message, Part, Request, Tool, ToolCall, ToolChoice, ToolResult
from adapters.tools.ids import IdRule
from adapters.tools.names import NameMap, NameRule, project, spelled
from adapters.tools.offered import Offered, derive
from adapters.tools.prompted import in_words, loosened
from adapters.tools.recent import Recent
from adapters.tools.schema import Inverse, Projection
from adapters.tools.text_calls import is_prompted, looked_for

SchemaRule = Callable[[Tool, Upstream], Projection | None]
"""The projection of a function tool's schema; None: the tool has no parameters on this wire.

It may depend on the tool's schema and strictness and on the upstream's model and compat flags only (see `_project`).
"""

ANSWER_TOOL = "json_response"
PROMPT_ELSEWHERE: Mapping[str, Mapping[str, str | None]] = {
    "anthropic-messages": {"thread": "thread_unsupported_request"},
    "google-gemini": {"cachedContent": None},
    "openai-responses": {"prompt": None},
}
"""Fields that stand for a part of the prompt kept at their API: elsewhere the prompt would lack it, now or, after
`thread: create`, in the next turn. With the code by which the API's SDK learns to go on without (anthropic 2.14)."""
OPEN_SCHEMA: Mapping[str, Json] = {"type": "object", "properties": {}}


@dataclass(slots=True, frozen=True)
class Rules:
    """What one API, as one upstream speaks it, can carry.

    choices: the tool choice modes of the wire. custom_tools: it has free-text tools; else they become functions with
    one string `input`. namespaces: it groups tools. sort_tools: tools go by wire name, unless the client put a cache
    marker of its own on one. modalities: what answers may hold besides text.
    """

    api: str
    names: NameRule
    ids: IdRule | None
    history: HistoryRules
    schema: SchemaRule
    choices: frozenset[str]
    custom_tools: bool = False
    namespaces: bool = False
    sort_tools: bool = False
    modalities: frozenset[str] = frozenset()


@dataclass(slots=True, frozen=True)
class Prepared:
    """`request` has wire names, ids and schemas; `reading` the way back; `warnings` what was weakened or left out."""

    request: Request
    reading: Reading
    warnings: tuple[str, ...]


def prepare(request: Request, upstream: Upstream, rules: Rules) -> Prepared:
    """The request as the API takes it. Top-level fields of other APIs stay in `extras`, named in the warnings.

    Raises Rejected for a tool choice that cannot be meant, or an answer that the API cannot give.
    """
    warnings: dict[str, None] = dict.fromkeys(_left_out(request, rules))
    prompted = is_prompted(upstream)
    if prompted:
        rules = loosened(rules)
    target = _Target(rules, upstream)
    offers = _declared(request, rules)
    declared = derive(offers, ("declared", *target.key), partial(_listed, offers, target))
    calls = [part for m in request.messages for part in m.parts if isinstance(part, ToolCall)]
    called = {_flat_name(call.name, call.extras, rules) for call in calls}
    names = declared.names if called <= declared.functions else project(declared.functions | called, rules.names)
    warnings.update(declared.warnings)
    choice, tools = _choice(request, declared.tools, rules, warnings)
    make = partial(_wire, tools, names, target)
    usual = tools is declared.tools and names is declared.names
    wire = derive(tools, ("wire", *target.key), make) if usual else make()
    warnings.update(wire.warnings)
    rename = _Rename(names, wire.inverses, rules)
    messages, told = adapt(
        [rename.message(m) for m in request.messages], rules.history, rules.ids, rules.api, upstream.origin
    )
    may_call = (choice is None or choice.mode != "none") and any(tool.kind != "builtin" for tool in wire.tools)
    reading = Reading(
        model=upstream.model,
        origin=upstream.origin,
        stream=request.stream,
        names=names.original,
        inverses=wire.inverses,
        custom=declared.custom,
        namespaces=declared.namespaces,
        declared=declared.functions,
        after_results=bool(request.messages) and request.messages[-1].role == "tool",
        schemas=wire.schemas,
        recover=looked_for(request, upstream, may_call),
        may_call=may_call,
        one_call=request.parallel is False,
        choices=request.sampling.n or 1,
    )
    if choice is not None and choice.names:
        choice = replace(choice, names=tuple(names[name] for name in choice.names))
    done = replace(request, messages=messages, tools=wire.tools, tool_choice=choice)
    if prompted:
        done = in_words(done, upstream, warnings)
    return Prepared(done, reading, (*warnings, *told))


def _left_out(request: Request, rules: Rules) -> Iterable[str]:
    """Names the top-level fields of other APIs. Raises Rejected for an answer that is to hold what the API has not."""
    for kind in request.modalities:
        if kind not in rules.modalities:
            raise Rejected(f"{rules.api} cannot answer with {kind} here", "modalities")
    for api, fields in request.extras.items():
        if api != rules.api:
            for field, code in PROMPT_ELSEWHERE.get(api, {}).items():
                if fields.get(field) is not None:
                    raise Rejected(f"{field}: a part of the prompt that only {api} holds", field, code=code)
            yield from (f"{name}: left out, {rules.api} has no such field" for name in fields)


def with_answer_tool(request: Request) -> tuple[Request, str]:
    """The request with structured output asked for by a forced tool, and that tool's client name.

    Beside other tools the model must call one or the other; alone it is named.
    """
    output = request.output
    taken = {tool.name for tool in request.tools}
    name = ANSWER_TOOL
    while name in taken:
        name += "_"
    tool = Tool(
        name=name,
        description=(output.description if output else None) or "Give the final answer by calling this tool.",
        schema=output.schema if output and output.schema is not None else dict(OPEN_SCHEMA),
        strict=output.strict if output else None,
    )
    alone = not request.tools or (request.tool_choice is not None and request.tool_choice.mode == "none")
    choice = ToolChoice("named", (name,)) if alone else ToolChoice("required")
    return replace(request, tools=(*request.tools, tool), tool_choice=choice, output=None, parallel=False), name


# --- tools -------------------------------------------------------------------------------------------------------


def _declared(request: Request, rules: Rules) -> tuple[Tool, ...]:
    if request.tools or not rules.history.tools_from_history:
        return request.tools
    made: dict[str, Tool] = {}
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, ToolCall):
                made.setdefault(part.name, Tool(part.name, "Used earlier in this conversation.", dict(OPEN_SCHEMA)))
    return tuple(made.values())


def _flat_name(name: str, extras: Extras, rules: Rules) -> str:
    namespace = extras.get("openai-responses", NOTHING).get("namespace")
    return f"{namespace}__{name}" if isinstance(namespace, str) and namespace != name and not rules.namespaces else name


def _flat(tools: Iterable[Tool], rules: Rules) -> tuple[list[Tool], dict[str, tuple[str, str]]]:
    if rules.namespaces:
        return list(tools), {}
    flat: list[Tool] = []
    origins: dict[str, tuple[str, str]] = {}
    for tool in tools:
        if tool.namespace is None:
            flat.append(tool)
            continue
        name = f"{tool.namespace}__{tool.name}"
        origins[name] = (tool.namespace, tool.name)
        flat.append(replace(tool, name=name, namespace=None))
    return flat, origins


def _distinct(tools: list[Tool], warnings: list[str]) -> list[Tool]:
    seen: set[tuple[str | None, str]] = set()
    kept: list[Tool] = []
    for tool in tools:
        key = (tool.namespace, tool.name)
        if key in seen and tool.kind != "builtin":
            warnings.append(f"tools: {tool.name} is declared twice; the first declaration holds")
            continue
        seen.add(key)
        kept.append(tool)
    return kept


@dataclass(slots=True, frozen=True)
class _Target:
    rules: Rules
    upstream: Upstream

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What the tools' wire form depends on beside the tools."""
        rules = self.rules
        return (
            rules.schema, rules.names, rules.custom_tools, rules.namespaces, rules.sort_tools, self.upstream.variant
        )


@dataclass(slots=True, frozen=True)
class _Listed:
    """A request's tools with flat names, each once. `functions`: the names of all that are not built in."""

    tools: Offered
    namespaces: Mapping[str, tuple[str, str]]
    functions: frozenset[str]
    custom: frozenset[str]
    names: NameMap
    warnings: Mapping[str, None]


def _listed(tools: tuple[Tool, ...], target: _Target) -> _Listed:
    rules = target.rules
    warnings: list[str] = []
    flat, namespaces = _flat(tools, rules)
    flat = _distinct(flat, warnings)
    functions = frozenset(tool.name for tool in flat if tool.kind != "builtin")
    custom = frozenset() if rules.custom_tools else frozenset(tool.name for tool in flat if tool.kind == "custom")
    names = project(functions, rules.names)
    return _Listed(Offered(flat), namespaces, functions, custom, names, dict.fromkeys(warnings))


@dataclass(slots=True, frozen=True)
class _Wire:
    """Tools as the wire has them, in its order, and the rest of what a `Reading` says of them."""

    tools: Offered
    inverses: Mapping[str, Inverse]
    schemas: Mapping[str, bytes]
    warnings: Mapping[str, None]


def _wire(tools: tuple[Tool, ...], names: NameMap, target: _Target) -> _Wire:
    warnings: dict[str, None] = {}
    wired: list[Tool] = []
    inverses: dict[str, Inverse] = {}
    schemas: dict[str, bytes] = {}
    for tool in tools:
        wire, inverse, schema = _wired(tool, names, target, warnings)
        wired.append(wire)
        schemas[f"{tool.namespace}__{tool.name}" if tool.namespace else tool.name] = schema
        if inverse is not None:
            inverses[tool.name] = inverse
    rules = target.rules
    if rules.sort_tools and not any(tool.cache for tool in wired):
        wired.sort(key=lambda tool: _order(tool, names, rules.names))
    return _Wire(Offered(wired), inverses, schemas, warnings)


def _wired(
    tool: Tool, names: NameMap, target: _Target, warnings: dict[str, None]
) -> tuple[Tool, Inverse | None, bytes]:
    """The tool as the wire has it, the way back, and its schema for `Reading.schemas`."""
    if tool.kind == "builtin" or (tool.kind == "custom" and target.rules.custom_tools):
        return (tool if tool.kind == "builtin" else replace(tool, name=names[tool.name])), None, b""
    custom = tool.kind == "custom"
    if custom:
        tool = _as_function(tool)
    source, projection = _project(tool, target)
    if custom:
        source = b""
    if projection is None:
        return replace(tool, name=names[tool.name], schema=None, strict=None), None, source
    for note in projection.notes:
        warnings[f"tools.{tool.name}: {note}"] = None
    name, wire, strict = names[tool.name], projection.schema, projection.strict
    if name != tool.name or wire is not tool.schema or strict is not tool.strict:
        tool = replace(tool, name=name, schema=wire, strict=strict)
    return tool, projection.inverse, source


def _as_function(tool: Tool) -> Tool:
    description = tool.description or ""
    if tool.grammar is not None:
        description += f"\n\nThe input must follow this {tool.grammar.syntax} grammar:\n{tool.grammar.definition}"
    schema = {
        "type": "object",
        "properties": {"input": {"type": "string", "description": "The raw input of the tool."}},
        "required": ["input"],
        "additionalProperties": False,
    }
    return replace(tool, kind="function", description=description.strip() or None, schema=schema, grammar=None)


_SIZE = 16
"""Bytes that a schema and its projection take for each byte of the schema's JSON."""
_MOST_SOURCE = 64 * 1024
"""Bytes of JSON of a schema whose projection is remembered."""
_projections: Recent[tuple[Hashable, ...], tuple[bytes, Projection | None]] = Recent(32 * 1024 * 1024)


def _project(tool: Tool, target: _Target) -> tuple[bytes, Projection | None]:
    """The schema's JSON and its projection, remembered: it is pure, and agents send the same tools on every turn."""
    rule, source = target.rules.schema, json.dumps(tool.schema)
    key = (rule, tool.strict, source, target.upstream.variant)
    found = _projections.get(key)
    if found is None:
        found = (source, rule(tool, target.upstream))
        if len(source) <= _MOST_SOURCE:
            _projections.put(key, found, _SIZE * len(source) + 1000)
    return found


def _order(tool: Tool, names: NameMap, rule: NameRule) -> tuple[bool, str, str]:
    """By wire name in code unit order (a shortened one by its full length), ties by description; built-ins last."""
    if tool.kind == "builtin":
        return True, tool.builtin or "", tool.name
    original = names.original.get(tool.name)
    name = tool.name if original is None else spelled(original, rule)
    return False, (tool.namespace or "") + name, tool.description or ""


# --- choice ------------------------------------------------------------------------------------------------------


def _choice(
    request: Request, tools: tuple[Tool, ...], rules: Rules, warnings: dict[str, None]
) -> tuple[ToolChoice | None, tuple[Tool, ...]]:
    """The tool choice in modes that the wire has, and the tools that are offered then."""
    choice = request.tool_choice
    if not request.tools and tools:
        return (ToolChoice("none") if "none" in rules.choices else None), tools
    if choice is None:
        return None, tools
    if not tools:
        if choice.mode in ("required", "named") or choice.required:
            raise Rejected("tool_choice asks for a tool call, but the request declares no tools", "tool_choice")
        return None, tools
    choice = replace(choice, names=tuple(_choice_name(name, tools) for name in choice.names))
    if choice.mode == "allowed" and "allowed" not in rules.choices:
        tools = tuple(tool for tool in tools if tool.name in choice.names)
        choice = ToolChoice("required" if choice.required else "auto")
    elif choice.mode == "named" and "named" not in rules.choices:
        tools = tuple(tool for tool in tools if tool.name in choice.names)
        choice = ToolChoice("required")
    elif choice.mode == "none" and "none" not in rules.choices:
        return None, ()
    if choice.mode == "required" and "required" not in rules.choices:
        warnings[f"tool_choice: {rules.api} cannot force a call here, the model is free to answer in text"] = None
        choice = ToolChoice("auto")
    return (choice if choice.mode in rules.choices else None), tools


def _choice_name(name: str, tools: tuple[Tool, ...]) -> str:
    """The flat name that is meant. Raises Rejected where no such tool is declared."""
    if any(tool.name == name for tool in tools):
        return name
    flat = [tool.name for tool in tools if tool.name.endswith(f"__{name}")]
    if len(flat) != 1:
        raise Rejected(f"tool_choice names {name!r}, which is not among the declared tools", "tool_choice")
    return flat[0]


# --- history -----------------------------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class _Rename:
    """Wire names, and arguments in the projected schema's terms, for calls and results of the history."""

    names: NameMap
    inverses: Mapping[str, Inverse]
    rules: Rules

    def message(self, message: Message) -> Message:
        if message.role not in ("assistant", "tool"):
            return message
        parts = tuple(self._part(part) for part in message.parts)
        unchanged = all(a is b for a, b in zip(parts, message.parts, strict=True))
        return message if unchanged else replace(message, parts=parts)

    def _part(self, part: Part) -> Part:
        match part:
            case ToolCall():
                name = _flat_name(part.name, part.extras, self.rules)
                arguments, kind = part.arguments, part.kind
                if kind == "custom" and not self.rules.custom_tools:
                    arguments, kind = json.text({"input": arguments}), "function"
                if (inverse := self.inverses.get(name)) is not None:
                    arguments = _forward(arguments, inverse)
                if (name := self.names[name]) == part.name and arguments == part.arguments and kind == part.kind:
                    return part
                return replace(part, name=name, arguments=arguments, kind=kind)
            case ToolResult(name=str() as name):
                wire = self.names[_flat_name(name, part.extras, self.rules)]
                return part if wire == name else replace(part, name=wire)
        return part


def _forward(arguments: str, inverse: Inverse) -> str:
    try:
        value = json.loads(arguments)
    except ValueError:
        return arguments
    changed = inverse.forward(value)
    return arguments if changed == value else json.text(changed)
