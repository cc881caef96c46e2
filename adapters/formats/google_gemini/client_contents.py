"""`contents` of a Gemini client -> neutral messages.

Chat histories of the SDK have a `model` entry for every chunk of a stream and empty texts between a call and its
response (2026-11): neighbours of one role are one turn, and results find their call by id, else by name and order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from adapters import json
from adapters.errors import Rejected
from adapters.formats.google_gemini import media
from adapters.formats.google_gemini.signatures import is_bypass
from adapters.formats.google_gemini.target import API
from adapters.formats.shared.fields import wrong
from adapters.formats.shared.reference import unpack
from adapters.model import NOTHING, Extras, Json, Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from adapters.tools.ids import GEMINI as RULE
from adapters.tools.ids import digest

_ROLES = {None: "user", "": "user", "user": "user", "function": "user", "model": "assistant"}
_DATA = ("text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode",
         "codeExecutionResult", "toolCall", "toolResponse")  # fmt: skip


@dataclass(slots=True)
class _Turn:
    """Neighbouring entries of one role."""

    role: str
    parts: list[Part] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)


def system(value: Json, path: str) -> Message | None:
    """systemInstruction: a Content, a list of parts, one part or a text."""
    if isinstance(value, str):
        value = {"parts": [{"text": value}]}
    if isinstance(value, list):
        value = {"parts": value}
    if not isinstance(value, dict):
        raise wrong(path, "an object")
    parts = value.get("parts", [value])
    texts: list[Part] = []
    for index, part in enumerate(_listed(parts, f"{path}.parts")):
        if not isinstance(part, dict) or not isinstance(part.get("text"), str):
            raise Rejected(f"{path}.parts[{index}] must be text", f"{path}.parts[{index}]")
        if part["text"]:
            texts.append(Text(part["text"]))
    return Message("system", tuple(texts)) if texts else None


def messages(contents: Json, path: str = "contents") -> tuple[Message, ...]:
    """The conversation. Raises Rejected for what the API itself would refuse."""
    entries = _listed(contents, path)
    if not entries:
        raise Rejected(f"{path} is required", path)
    turns: list[_Turn] = []
    for index, entry in enumerate(entries):
        _entry(entry, f"{path}[{index}]", turns)
    made: list[Message] = []
    for turn in turns:
        if turn.results:
            made.append(Message("tool", tuple(turn.results)))
        if turn.parts:
            made.append(Message("assistant" if turn.role == "assistant" else "user", tuple(turn.parts)))
    return tuple(_identified(made))


def _listed(value: Json, path: str) -> list[Json]:
    """A repeated field; REST clients may give one message bare."""
    if value is None:
        return []
    if isinstance(value, dict):
        return [value]
    if isinstance(value, list):
        return value
    raise wrong(path, "an array")


def _entry(entry: Json, path: str, turns: list[_Turn]) -> None:
    if not isinstance(entry, dict):
        raise wrong(path, "an object")
    given = entry.get("role")
    role = _ROLES.get(given) if given is None or isinstance(given, str) else None
    if role is None:
        raise Rejected(f"{path}.role: please use a valid role: user, model", f"{path}.role")
    if not turns or turns[-1].role != role:
        turns.append(_Turn(role))
    for index, part in enumerate(_listed(entry.get("parts"), f"{path}.parts")):
        at = f"{path}.parts[{index}]"
        if not isinstance(part, dict):
            raise wrong(at, "an object")
        _part({key: value for key, value in part.items() if value is not None}, at, turns[-1])


# --- parts -------------------------------------------------------------------------------------------------------


def _part(part: dict[str, Json], path: str, turn: _Turn) -> None:
    data = [name for name in _DATA if name in part]
    if len(data) > 1:
        raise Rejected(f"{path} must have exactly one of {', '.join(data)}", path)
    signature = _signature(part, path)
    kind = data[0] if data else None
    if turn.role == "assistant" and signature is not None and (block := unpack(signature)) is not None:
        turn.parts = _referred(turn.parts, signature, block)
        signature = None
    match kind:
        case "text":
            _text(part, path, signature, turn)
        case "functionCall":
            _call(part, path, signature, turn)
        case "functionResponse":
            _result(part["functionResponse"], f"{path}.functionResponse", turn)
        case "inlineData" | "fileData":
            _media(part, path, turn)
        case None if not part:
            raise Rejected(f"{path} must have one of {', '.join(_DATA[:5])}", path)
        case None if part.keys() <= {"thoughtSignature", "thought"}:
            _text({**part, "text": ""}, path, signature, turn)
        case _:
            turn.parts.append(Opaque(API, part))


def _signature(part: Mapping[str, Json], path: str) -> str | None:
    signature = part.get("thoughtSignature")
    if signature is not None and not isinstance(signature, str):
        raise wrong(f"{path}.thoughtSignature", "a string")
    return None if not signature or is_bypass(signature) else signature


def _side(part: Mapping[str, Json], *known: str) -> Extras:
    rest = {key: value for key, value in part.items() if key not in known}
    return {API: rest} if rest else NOTHING


def _text(part: Mapping[str, Json], path: str, signature: str | None, turn: _Turn) -> None:
    """A text; neighbours without a signature are pieces of one."""
    text = part["text"]
    if not isinstance(text, str):
        raise wrong(f"{path}.text", "a string")
    extras = _side(part, "text", "thought", "thoughtSignature")
    last = turn.parts[-1] if turn.parts and turn.role == "assistant" else None
    if part.get("thought") is True:
        if turn.role != "assistant":
            raise Rejected(f"{path}: thoughts are the model's", path)
        match last:
            case Reasoning(api=None) if signature is None:
                turn.parts[-1] = Reasoning(last.text + text)
            case _ if text or signature:
                turn.parts.append(Reasoning(text, API if signature else None, signature=signature, extras=extras))
        return
    match last:
        case Text(signature=None, extras=before) if signature is None and not extras and not before:
            turn.parts[-1] = Text(last.text + text)
        case _ if text or signature or extras:
            turn.parts.append(Text(text, signature=signature, extras=extras))


def _call(part: Mapping[str, Json], path: str, signature: str | None, turn: _Turn) -> None:
    call, at = part["functionCall"], f"{path}.functionCall"
    if turn.role != "assistant":
        raise Rejected(f"{at}: calls are the model's", at)
    if not isinstance(call, dict):
        raise wrong(at, "an object")
    name, args = call.get("name"), call.get("args")
    if not isinstance(name, str) or not name:
        raise Rejected(f"{at}.name is required", f"{at}.name")
    if args is not None and not isinstance(args, dict):
        raise wrong(f"{at}.args", "an object")
    extras = _side(part, "functionCall", "thoughtSignature")
    turn.parts.append(ToolCall(_id(call, at), name, json.text(args or {}), signature=signature, extras=extras))


def _id(body: Mapping[str, Json], path: str) -> str:
    value = body.get("id")
    if value is not None and not isinstance(value, str):
        raise wrong(f"{path}.id", "a string")
    return value or ""


def _referred(parts: list[Part], signature: str, block: Reasoning) -> list[Part]:
    """The parts with a foreign block back in its place: where its text stands, else at the start of this step."""
    start = max((i + 1 for i, part in enumerate(parts) if isinstance(part, ToolCall)), default=0)
    for index in range(len(parts) - 1, start - 1, -1):
        shown = parts[index]
        if isinstance(shown, Reasoning) and shown.api is None:
            return [*parts[:index], unpack(signature, shown.text) or block, *parts[index + 1 :]]
    while start < len(parts) and isinstance(parts[start], Reasoning):
        start += 1
    return [*parts[:start], block, *parts[start:]]


def _media(part: Mapping[str, Json], path: str, turn: _Turn) -> None:
    turn.parts.append(_one_media(part, path))


def _one_media(part: Mapping[str, Json], path: str) -> Media:
    kind = "inlineData" if "inlineData" in part else "fileData"
    needed = "data" if kind == "inlineData" else "fileUri"
    body = part[kind]
    if not isinstance(body, dict):
        raise wrong(f"{path}.{kind}", "an object")
    if not isinstance(body.get(needed), str) or not body[needed]:
        raise Rejected(f"{path}.{kind}.{needed} is required", f"{path}.{kind}.{needed}")
    own = {key: value for key, value in part.items() if key not in (kind, "thoughtSignature")}
    return media.decoded(body, "inlineData" if kind == "inlineData" else "fileData", own)


# --- results -----------------------------------------------------------------------------------------------------


def _result(body: Json, path: str, turn: _Turn) -> None:
    if not isinstance(body, dict):
        raise wrong(path, "an object")
    if turn.role != "user":
        raise Rejected(f"{path}: responses are the user's", path)
    name, response = body.get("name"), body.get("response")
    if not isinstance(name, str) or not name:
        raise Rejected(f"{path}.name is required", f"{path}.name")
    if response is not None and not isinstance(response, dict):
        raise wrong(f"{path}.response", "an object")
    found: list[Part] = []
    for index, part in enumerate(_listed(body.get("parts"), f"{path}.parts")):
        at = f"{path}.parts[{index}]"
        if not isinstance(part, dict) or ("inlineData" not in part and "fileData" not in part):
            raise Rejected(f"{at} must have inlineData or fileData", at)
        found.append(_one_media(part, at))
    text, is_error = _told(response or {})
    own: dict[str, Json] = {"response": response or {}}
    turn.results.append(ToolResult(_id(body, path), (Text(text), *found), is_error, name, extras={API: own}))


def _told(response: dict[str, Json]) -> tuple[str, bool | None]:
    """A response as text, and whether it is a failure: a lone `output`, `result` or `error` text is unwrapped."""
    match response:
        case {"error": error} if len(response) == 1:
            return error if isinstance(error, str) else json.text(error), True
        case {"output": str(text)} | {"result": str(text)} if len(response) == 1:
            return text, None
    return json.text(response), None


def _identified(made: list[Message]) -> list[Message]:
    """Every call with an id of its own, made from its place where it has none, and every result with its call's."""
    unanswered: list[ToolCall] = []
    done: list[Message] = []
    count = 0
    for message in made:
        parts: list[Part] = []
        if message.role == "assistant":
            unanswered = []
        for part in message.parts:
            match part:
                case ToolCall():
                    seed = f"{count}\0{part.name}\0{part.arguments}"
                    call = part if part.id else replace(part, id=RULE.prefix + digest(seed, RULE.fresh))
                    unanswered.append(call)
                    parts.append(call)
                    count += 1
                case ToolResult():
                    parts.append(_paired(part, unanswered))
                case _:
                    parts.append(part)
        done.append(replace(message, parts=tuple(parts)))
    return done


def _paired(result: ToolResult, calls: list[ToolCall]) -> ToolResult:
    """The result with its call's id: the call of the same id, else the first unanswered one of that name."""
    by_id = [call for call in calls if result.call_id and call.id == result.call_id]
    found = next(iter(by_id or [call for call in calls if call.name == result.name]), None)
    if found is None:
        return result
    calls.remove(found)
    return replace(result, call_id=found.id)
