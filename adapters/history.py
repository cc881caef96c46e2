"""The rules of a message list, in one place: what each API refuses, and the repair, as data and small steps.

The order of the steps: parts that the API cannot take are dropped or told; calls and results are paired; media leave
results where they must; system messages find their place; neighbours merge; turns that the API demands are put in.
Every step keeps the prefix of a longer conversation byte for byte, so that prompt caches and bound signatures hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from adapters.model import NOTHING, Json, Media, Message, Opaque, Part, Reasoning, Refusal, Text, ToolCall, ToolResult
from adapters.tools.ids import MISSING, IdMap, IdRule, split

NO_RESULT = "(no result)"
BRIDGE = "Done."
FILLER = "."


@dataclass(slots=True, frozen=True)
class HistoryRules:
    """What one API demands of the message list.

    images_in_results: False moves media of results into a user message after all results of the turn.
    user_after_results: False puts a short assistant message between results and a user message (Mistral).
    first_user: the first message after the system ones must be the user's.
    later_system: system messages after the leading ones stay in place, or become marked user text.
    merge_system: the leading system messages become one. merge_roles: neighbours of these roles become one message.
    empty_result: stands for a result without content. drop_blank: blank texts and empty messages are dropped.
    reasoning: which Reasoning parts stay: the API's own signed blocks of this origin; those and readable text; none.
    prefill: "user" puts a minimal user turn after a last assistant message.
    tools_from_history: tools are declared from the calls in history where the request offers none.
    """

    images_in_results: bool = True
    user_after_results: bool = True
    first_user: bool = False
    later_system: Literal["keep", "user"] = "keep"
    merge_system: bool = False
    merge_roles: frozenset[str] = frozenset()
    empty_result: str = "(no output)"
    drop_blank: bool = True
    reasoning: Literal["signed", "text", "none"] = "none"
    prefill: Literal["keep", "user"] = "keep"
    tools_from_history: bool = False


def adapt(
    messages: Sequence[Message], rules: HistoryRules, ids: IdRule | None, api: str, origin: str
) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """The messages as the API takes them, and warnings. `origin` is the target's `Upstream.origin`."""
    warnings: dict[str, None] = {}
    steps = _kept(messages, rules, api, origin, warnings)
    steps = _paired(steps, rules, ids, api, warnings)
    if not rules.images_in_results:
        steps = _media_after_results(steps)
    steps = _systems(steps, rules)
    steps = _merged(steps, rules.merge_roles)
    steps = _demanded(steps, rules, warnings)
    return tuple(steps), tuple(warnings)


# --- parts -------------------------------------------------------------------------------------------------------


def _kept(
    messages: Iterable[Message], rules: HistoryRules, api: str, origin: str, warnings: dict[str, None]
) -> list[Message]:
    kept: list[Message] = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            parts += _part(part, rules, api, origin, warnings)
        if len(parts) == len(message.parts) and all(a is b for a, b in zip(parts, message.parts, strict=True)):
            if parts or not rules.drop_blank or message.extras:
                kept.append(message)
        elif parts or message.extras:
            kept.append(replace(message, parts=tuple(parts)))
    return kept


def _part(part: Part, rules: HistoryRules, api: str, origin: str, warnings: dict[str, None]) -> list[Part]:
    match part:
        case Refusal(text=text):
            return [part] if not rules.drop_blank or text.strip() else []
        case Text(text=text):
            return [part] if part.signature or not rules.drop_blank or text.strip() else []
        case Reasoning():
            if _stays(part, rules, api, origin):
                return [part]
            if (part.api is not None and part.api != api) or part.origin not in (None, origin):
                warnings["reasoning of another provider or model is left out of the history"] = None
            return []
        case ToolCall(signature=str()) if part.origin not in (None, origin):
            return [replace(part, signature=None)]
        case ToolResult():
            content: list[Part] = []
            for inner in part.content:
                content += _part(inner, rules, api, origin, warnings)
            if not content:
                content = [Text(rules.empty_result)] if rules.empty_result else []
            return [part if len(content) == len(part.content) and all(map(_same, content, part.content))
                    else replace(part, content=tuple(content))]
        case Opaque(api=owner, text=text) if owner != api:
            if text.strip():
                return [Text(text)]
            warnings[f"a part that only {owner} knows is left out of the history"] = None
            return []
    return [part]


def _same(a: object, b: object) -> bool:
    return a is b


def _stays(part: Reasoning, rules: HistoryRules, api: str, origin: str) -> bool:
    own = part.api == api and part.origin in (None, origin) and bool(part.signature or part.data or part.id)
    match rules.reasoning:
        case "none":
            return False
        case "signed":
            return own
    return own or (bool(part.text) and part.origin in (None, origin))


# --- calls and results -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Asked:
    """A call of the conversation: where it stands, its wire id, the result that belongs to it."""

    call: ToolCall
    wire: str
    turn: int
    result: ToolResult | None = None


def _paired(
    messages: list[Message], rules: HistoryRules, ids: IdRule | None, api: str, warnings: dict[str, None]
) -> list[Message]:
    """Each assistant message with calls, then one tool message with a result per call, in call order."""
    if not any(m.role == "tool" or (m.role == "assistant" and _calls(m)) for m in messages):
        return messages
    asked = _asked(messages, ids, api, warnings)
    by_turn: dict[int, list[_Asked]] = {}
    for one in asked.calls:
        by_turn.setdefault(one.turn, []).append(one)
    paired: list[Message] = []
    for index, message in enumerate(messages):
        if message.role == "tool":
            if orphans := asked.orphans.get(index):
                paired.append(Message("user", tuple(part for o in orphans for part in _told(o, api))))
            continue
        calls = by_turn.get(index)
        if calls is None:
            paired.append(message)
            continue
        if any(one.wire != one.call.id for one in calls):
            renamed = iter(calls)
            parts = tuple(_renamed(p, next(renamed).wire) if isinstance(p, ToolCall) else p for p in message.parts)
            message = replace(message, parts=parts)  # noqa: PLW2901 - the same turn under wire ids
        paired.append(message)
        paired.append(Message("tool", tuple(_result(one, warnings) for one in calls)))
    return paired


def _renamed(call: ToolCall, wire: str) -> ToolCall:
    """The call under its wire id; the item's id that a client joined to it stays with it."""
    _, item = split(call.id)
    own = {"openai-responses": {"id": item, **call.extras.get("openai-responses", NOTHING)}} if item else NOTHING
    return replace(call, id=wire, extras={**call.extras, **own})


def _calls(message: Message) -> list[ToolCall]:
    return [part for part in message.parts if isinstance(part, ToolCall)]


@dataclass(slots=True)
class _Pairs:
    """`answered`: the ids that results name."""

    answered: frozenset[str]
    calls: list[_Asked] = field(default_factory=list)
    latest: dict[str, _Asked] = field(default_factory=dict)
    orphans: dict[int, list[ToolResult]] = field(default_factory=dict)


def _asked(messages: list[Message], rule: IdRule | None, api: str, warnings: dict[str, None]) -> _Pairs:
    ids = IdMap(rule) if rule is not None else None
    pairs = _Pairs(frozenset(p.call_id for m in messages for p in m.parts if isinstance(p, ToolResult)) - MISSING)
    for index, message in enumerate(messages):
        for part in message.parts:
            match part:
                case ToolCall():
                    wire = ids.call(part.id, len(pairs.calls), part.name, part.arguments) if ids else part.id
                    pairs.calls.append(_Asked(part, wire, index))
                    pairs.latest[part.id] = pairs.latest[split(part.id)[0]] = pairs.calls[-1]
                case ToolResult():
                    found = _call_of(part, pairs)
                    if found is None:
                        pairs.orphans.setdefault(index, []).append(part)
                        if _native(part, api) is None:
                            warnings["a tool result without its call is told as text"] = None
                    else:
                        found.result = part
    return pairs


def _call_of(result: ToolResult, pairs: _Pairs) -> _Asked | None:
    """The latest call of the result's id; without an id the first unanswered one of that name in the last turn, of any
    name where the result has none."""
    if result.call_id not in MISSING:
        return pairs.latest.get(result.call_id) or pairs.latest.get(split(result.call_id)[0])
    calls = pairs.calls
    turn = (one for one in calls if one.turn == calls[-1].turn and one.result is None)
    free = (one for one in turn if one.call.id in MISSING or pairs.answered.isdisjoint((one.call.id, one.wire)))
    return next((one for one in free if not result.name or _tool(result) == _tool(one.call)), None)


def _tool(part: ToolCall | ToolResult) -> tuple[str | None, Json]:
    return part.name, part.extras.get("openai-responses", NOTHING).get("namespace")


def _result(one: _Asked, warnings: dict[str, None]) -> ToolResult:
    if one.result is None:
        warnings["a tool call without a result is answered with a placeholder"] = None
        return ToolResult(one.wire, (Text(NO_RESULT),), is_error=True, name=one.call.name, kind=one.call.kind)
    result, call = one.result, one.call
    if (result.call_id, result.name, result.kind) == (one.wire, call.name, call.kind):
        return result
    return ToolResult(
        one.wire, result.content, result.is_error, call.name, call.kind, result.cache, result.extras
    )


def _native(orphan: ToolResult, api: str) -> Json:
    """The form in which this API itself takes a result that answers no call; None where it takes none."""
    return orphan.extras.get(api, NOTHING).get("uncalled")


def _told(orphan: ToolResult, api: str) -> Iterable[Part]:
    if (native := _native(orphan, api)) is not None:
        yield Opaque(api, native)
        return
    which = f"{orphan.name}, no id" if orphan.name and not orphan.call_id else f"id {orphan.call_id or 'unknown'}"
    yield Text(f"[Result of a tool call that is not in this conversation, {which}]")
    yield from orphan.content


def _media_after_results(messages: list[Message]) -> list[Message]:
    moved: list[Message] = []
    for message in messages:
        if message.role != "tool":
            moved.append(message)
            continue
        results: list[Part] = []
        after: list[Part] = []
        for part in message.parts:
            media = [p for p in part.content if isinstance(p, Media)] if isinstance(part, ToolResult) else []
            if not media or not isinstance(part, ToolResult):
                results.append(part)
                continue
            rest = tuple(p for p in part.content if not isinstance(p, Media))
            results.append(replace(part, content=rest or (Text("(see the attachment that follows)"),)))
            after += [Text(f"Attached to the result of {part.name or 'the tool'} (call {part.call_id}):"), *media]
        moved.append(replace(message, parts=tuple(results)))
        if after:
            moved.append(Message("user", tuple(after)))
    return moved


# --- turns -------------------------------------------------------------------------------------------------------


def _is_system(message: Message) -> bool:
    return message.role in ("system", "developer")


def leading_system(messages: Sequence[Message]) -> int:
    """How many messages at the start are the system's."""
    for index, message in enumerate(messages):
        if not _is_system(message):
            return index
    return len(messages)


def _systems(messages: list[Message], rules: HistoryRules) -> list[Message]:
    lead = leading_system(messages)
    first, rest = messages[:lead], messages[lead:]
    if rules.merge_system and len(first) > 1:
        first = [replace(first[0], parts=tuple(part for m in first for part in m.parts))]
    if rules.later_system == "user":
        rest = [as_user(m) if _is_system(m) else m for m in rest]
    return first + rest


def as_user(message: Message) -> Message:
    """A later system message as marked user text."""
    texts = [part.text for part in message.parts if isinstance(part, Text | Refusal)]
    joined = "\n".join(texts)
    return Message("user", (Text(f"<system>\n{joined}\n</system>"),))


def _merged(messages: list[Message], roles: frozenset[str]) -> list[Message]:
    merged: list[Message] = []
    for message in messages:
        if merged and message.role in roles and merged[-1].role == message.role and not message.extras:
            merged[-1] = replace(merged[-1], parts=merged[-1].parts + message.parts)
        else:
            merged.append(message)
    return merged


def _demanded(messages: list[Message], rules: HistoryRules, warnings: dict[str, None]) -> list[Message]:
    lead = leading_system(messages)
    if rules.first_user and (lead == len(messages) or messages[lead].role != "user"):
        messages = [*messages[:lead], Message("user", (Text(FILLER),)), *messages[lead:]]
    if not rules.user_after_results:
        bridged: list[Message] = []
        for message in messages:
            if bridged and bridged[-1].role == "tool" and message.role == "user":
                bridged.append(Message("assistant", (Text(BRIDGE),)))
            bridged.append(message)
        messages = bridged
    if rules.prefill == "user" and messages and messages[-1].role == "assistant":
        warnings["the last message is the assistant's, which this model cannot continue: a user turn follows it"] = None
        messages = [*messages, Message("user", (Text(FILLER),))]
    return messages
