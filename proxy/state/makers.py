"""Who made a signed block, for clients that send it back without saying so (each API's own dialect).

The origin of each signature that goes out in its own API's dialect is kept under its client and the signature's hash;
of one that comes in unknown, which upstream could not verify it. A conversation that moved is then told at once what it
may show there, instead of being refused first at every turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from adapters.model import Message, Part, Reasoning, Request, Text, ToolCall
from proxy.state.owner import owner
from proxy.state.store import Store

_REFUSED = "!"
"""Begins the value of a block that the origin behind it could not verify; no origin begins so."""

_TAIL = 256
"""Characters that tell signed blocks apart: what is signed or encrypted ends in its code."""


async def note(store: Store, client: str | None, signatures: Iterable[str], origin: str, ttl: float) -> None:
    """Keeps that a target of this origin made these."""
    for signature in signatures:
        await store.put(_key(client, signature), origin.encode(), ttl)


async def refused(store: Store, keys: Iterable[str], origin: str, ttl: float) -> None:
    """Keeps that a target of this origin could not verify what these keys (of `named`) stand for."""
    for key in keys:
        await store.put(key, f"{_REFUSED}{origin}".encode(), ttl)


async def named(
    store: Store, client: str | None, request: Request, origins: Sequence[str]
) -> tuple[Request, tuple[str, ...]]:
    """The request with the origin of each signed block whose maker is known, and the keys of the others. What one of
    these origins could not verify is nobody's. A text's signature, which has no place for an origin, is left out where
    no target of these origins made it."""
    asked = {sign: _key(client, sign) for m in request.messages for part in m.parts if (sign := _unsaid(part))}
    if not asked:
        return request, ()
    values = await store.get(list(asked.values()))
    makers = {sign: value.decode() for sign, value in zip(asked, values, strict=True) if value is not None}
    elsewhere = {sign for sign, maker in makers.items() if maker[0] == _REFUSED and maker[1:] not in origins}
    makers = {sign: maker for sign, maker in makers.items() if sign not in elsewhere}
    unknown = tuple(key for sign, key in asked.items() if sign not in makers)
    if not makers:
        return request, unknown
    return replace(request, messages=tuple(_messages(request.messages, makers, origins))), unknown


def _messages(messages: Iterable[Message], makers: Mapping[str, str], origins: Sequence[str]) -> Iterator[Message]:
    for message in messages:
        if any(_unsaid(part) in makers for part in message.parts):
            yield replace(message, parts=tuple(_part(part, makers, origins) for part in message.parts))
        else:
            yield message


def _part(part: Part, makers: Mapping[str, str], origins: Sequence[str]) -> Part:
    maker = makers.get(_unsaid(part) or "")
    match part:
        case Reasoning() | ToolCall() if maker is not None:
            return replace(part, origin=maker)
        case Text() if maker is not None and maker not in origins:
            return replace(part, signature=None)
    return part


def _unsaid(part: Part) -> str | None:
    """The signature of a part that does not say who made it."""
    match part:
        case Reasoning(api=str(), origin=None):
            return part.signature or part.data
        case ToolCall(signature=str(), origin=None) | Text(signature=str()):
            return part.signature
    return None


def _key(client: str | None, signature: str) -> str:
    """Clients write the same base64 in either alphabet, padded or not."""
    tail = signature.rstrip("=")[-_TAIL:].replace("-", "+").replace("_", "/")
    told = blake2b(tail.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
    return f"maker:{owner(client)}:{told}"
