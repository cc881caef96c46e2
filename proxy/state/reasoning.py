"""Signed reasoning across tool turns, for clients that drop it (contract §6).

What an assistant turn with calls had beside its text and calls (reasoning blocks and their places, signatures) is kept
under the client, who made it, and the turn's first call: its id, name and arguments. When a request for a target of the
same origin brings that call back without them, they are put back. Ids such as `call_0` repeat between conversations:
two of one client that meet in all of these share the later one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from typing import Any

from adapters import json
from adapters.model import Answer, Message, Part, Reasoning, Request, Text, ToolCall
from adapters.tools.ids import split
from proxy.state.owner import owner
from proxy.state.store import Store


def kept(answer: Answer, origin: str) -> tuple[str, bytes] | None:
    """Key and value of what must be kept of an answer; None where nothing must. `origin` is the target's."""
    calls = [part for part in answer.parts if isinstance(part, ToolCall)]
    if not calls:
        return None
    items: list[Any] = []
    place = 0
    for part in answer.parts:
        match part:
            case Reasoning() if part.text or part.api is not None:
                made = asdict(replace(part, origin=part.origin or origin))
                items.append({"at": place, "reasoning": {k: v for k, v in made.items() if v not in (None, "", {}, ())}})
            case ToolCall(signature=str()) | Text(signature=str()):
                items.append({"at": place, "signature": part.signature, "origin": origin})
        place += not isinstance(part, Reasoning)
    return (_key(calls[0]), json.dumps(items)) if items else None


def _key(call: ToolCall) -> str:
    """Clients write arguments in their own way: what they say counts, not how it is spaced."""
    try:
        arguments = json.sorted_bytes(json.loads(call.arguments or "{}"))
    except ValueError:
        arguments = call.arguments.encode("utf-8", "surrogatepass")
    told = blake2b(digest_size=20)
    call_id, _ = split(call.id)
    for piece in (call_id.encode("utf-8", "surrogatepass"), call.name.encode("utf-8", "surrogatepass"), arguments):
        told.update(len(piece).to_bytes(8, "big") + piece)
    return told.hexdigest()


async def remember(store: Store, client: str | None, answer: Answer, origin: str, ttl: float) -> None:
    """Keeps what the answer's next turn will need."""
    if (entry := kept(answer, origin)) is not None:
        await store.put(_owned(client, origin, entry[0]), entry[1], ttl)


def _owned(client: str | None, origin: str, key: str) -> str:
    return f"reasoning:{owner(client)}:{origin}:{key}"


async def restored(store: Store, client: str | None, request: Request, origins: Sequence[str]) -> Request:
    """The request with what its client dropped, as far as targets of these origins made it."""
    lost = [(at, calls[0]) for at, m in enumerate(request.messages) if (calls := _bare(m))]
    if not lost:
        return request
    wanted = [(at, _owned(client, origin, key)) for at, call in lost for key in (_key(call),) for origin in origins]
    found = await store.get([key for _, key in wanted])
    items: dict[int, list[Any]] = {}
    for (at, _), value in zip(wanted, found, strict=True):
        if value is not None:
            items.setdefault(at, []).extend(json.loads(value))
    if not items:
        return request
    messages = list(request.messages)
    for at, told in items.items():
        messages[at] = _put_back(messages[at], sorted(told, key=lambda item: int(item["at"])))
    return replace(request, messages=tuple(messages))


def _bare(message: Message) -> list[ToolCall]:
    """The calls of an assistant turn that came without signed parts."""
    if message.role != "assistant":
        return []
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    signed = any(
        getattr(part, "signature", None) or (isinstance(part, Reasoning) and part.data) for part in message.parts
    )
    return [] if signed else calls


def _put_back(message: Message, items: Sequence[Any]) -> Message:
    """Reasoning at its places, signatures on their parts. What the client kept of the reasoning's text is in them."""
    rest: list[Part] = [part for part in message.parts if not isinstance(part, Reasoning)]
    shift = _shift(rest, items)
    for item in items:
        if "signature" not in item:
            continue
        at = item["at"] + shift
        if 0 <= at < len(rest) and isinstance(part := rest[at], ToolCall) and part.signature is None:
            rest[at] = replace(part, signature=item["signature"], origin=item["origin"])
        elif 0 <= at < len(rest) and isinstance(part, Text):
            rest[at] = replace(part, signature=item["signature"])
    parts: list[Part] = []
    waiting = [item for item in items if "reasoning" in item]
    for at, part in enumerate(rest):
        while waiting and waiting[0]["at"] + shift <= at:
            parts.append(_reasoning(waiting.pop(0)["reasoning"]))
        parts.append(part)
    parts += [_reasoning(item["reasoning"]) for item in waiting]
    return replace(message, parts=tuple(parts))


def _shift(rest: Sequence[Part], items: Sequence[Any]) -> int:
    """How far the parts moved: a client that drops the turn's text moves its calls to the front."""
    first = next((at for at, part in enumerate(rest) if isinstance(part, ToolCall)), 0)
    signed = [item["at"] for item in items if "signature" in item]
    return first - signed[0] if signed and signed[0] > first and not any(isinstance(p, Text) for p in rest) else 0


def _reasoning(fields: dict[str, Any]) -> Reasoning:
    sections = fields.pop("sections", None)
    return Reasoning(**fields, sections=tuple(sections) if sections else None)
